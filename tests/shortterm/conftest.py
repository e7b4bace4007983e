"""What the tests of short-term memory share with others."""

from tests.lifecycle.conftest import say, switch
from tests.working.conftest import quick

__all__ = ["quick", "say", "switch"]
