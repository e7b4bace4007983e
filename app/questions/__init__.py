"""Questions that were asked, as far as their scope lets them be kept, and what became of them."""
