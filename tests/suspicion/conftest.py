"""The service with the model that ships: only its vectors can be judged by."""

from tests.similarity.conftest import app, opened

__all__ = ["app", "opened"]
