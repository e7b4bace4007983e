"""What is believed, since when and why: claims, belief revision, quarantine, time travel."""
