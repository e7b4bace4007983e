"""Who and what facts are about: names, resolution, merges that can be undone."""
