"""GraphQL over every kind: the same services, keys, scopes and errors as the HTTP routes."""
