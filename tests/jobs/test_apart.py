"""One that fails does not keep upkeep from the others; a server that is away ends the run."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from app.errors import Forbidden, GraphUnavailable, TooLarge
from app.jobs.apart import apart


class Small(BaseModel):
    """Something that is stored."""

    size: int


def test_what_fails_for_good_ends_itself_alone() -> None:
    done = []
    for one in ("refused", "stored otherwise", "whole"):
        with apart("upkeep", one):
            if one == "refused":
                raise Forbidden("not yours")
            if one == "stored otherwise":
                Small.model_validate({"size": "large"})
            done.append(one)
    assert done == ["whole"]
    with apart("upkeep", "full"):
        raise TooLarge("a pool holds less", field="data")


@pytest.mark.parametrize("error", [GraphUnavailable("away"), ValueError("a mistake of ours")])
def test_what_may_pass_and_what_nobody_foresaw_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)), apart("upkeep", "one"):
        raise error
