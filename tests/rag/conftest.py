"""What the tests of graph retrieval share."""

from __future__ import annotations

from tests.lifecycle.conftest import Say, Switch, say, switch

__all__ = ["Say", "Switch", "say", "switch"]
