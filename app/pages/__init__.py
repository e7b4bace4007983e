"""What people write: pages, articles and the wikilinks between them."""
