"""The doors under inputs that nobody thought of."""
