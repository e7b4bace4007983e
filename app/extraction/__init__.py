"""From a text to statements: rules first, German and English, deterministic, without a model."""
