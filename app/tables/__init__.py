"""Data tables: rows of typed columns that agents write, filter, sum and link to what they name."""
