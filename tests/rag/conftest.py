"""What the tests of graph retrieval share."""

from __future__ import annotations

from tests.documents.conftest import shelf
from tests.lifecycle.conftest import Say, Switch, say, switch

__all__ = ["Say", "Switch", "say", "shelf", "switch"]
