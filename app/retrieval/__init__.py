"""The graph of passages that recall walks."""
