"""The GraphQL door."""
