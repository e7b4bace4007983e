"""Wire types of the GraphQL door."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from app.graphql.service import Request
from app.kernel.wire import ShortText, WireModel


class GraphqlIn(WireModel):
    """One operation; a list of several is not taken."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=False)

    query: Annotated[str, StringConstraints(min_length=1)] = Field(description="The document.")
    variables: dict[str, Any] | None = Field(None, description="Its variables.")
    operation_name: Annotated[ShortText | None, BeforeValidator(lambda name: name or None)] = Field(
        None, alias="operationName", description="Which operation of the document is run."
    )
    extensions: dict[str, Any] | None = Field(None, description="Taken, and not used.")

    @model_validator(mode="before")
    @classmethod
    def _one(cls, given: Any) -> Any:
        if isinstance(given, list):
            raise ValueError("one operation a request: a list of them is not taken")
        return given

    def to_request(self) -> Request:
        """The request that this describes."""
        return Request(self.query, self.variables or {}, self.operation_name)
