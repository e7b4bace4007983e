"""What the tests of communities share."""

from __future__ import annotations

from tests.lifecycle.conftest import Say, Switch, say, switch

__all__ = ["Say", "Switch", "say", "switch"]

# Two circles of people that one sentence holds together.
BREMEN = (
    "Ada Berger works for Acme GmbH. Pia Kranich works for Acme GmbH. "
    "Ada Berger knows Pia Kranich. Acme GmbH uses Postgres."
)
ULM = (
    "Otto Lindner works for Zenith AG. Maja Holm works for Zenith AG. "
    "Otto Lindner knows Maja Holm. Zenith AG uses Grafana."
)
