"""Knowledge bases, documents and the chunks that recall finds."""
