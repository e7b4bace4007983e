"""Measurements: quality and speed on data that lies beside the project; not installed."""
