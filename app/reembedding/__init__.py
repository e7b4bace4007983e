"""Another embedding model for a scope, while its searches go on."""
