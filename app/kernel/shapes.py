"""Shapes of bodies in the OpenAPI document, with bounds that the framework leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from litestar.openapi.spec import Reference, Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.plugins.pydantic import PydanticSchemaPlugin

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator
    from litestar.typing import FieldDefinition

NUMBERS = (OpenAPIType.INTEGER, OpenAPIType.NUMBER)
BOUNDS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
}


class BoundedShapes(PydanticSchemaPlugin):
    """Describes a model as the framework does, and tells the bounds of numbers that are one of
    several things, such as null, too."""

    @classmethod
    def for_pydantic_model(
        cls, field_definition: FieldDefinition, schema_creator: SchemaCreator
    ) -> Schema:
        """Return the shape of a model."""
        shape = super().for_pydantic_model(field_definition, schema_creator)
        told = field_definition.annotation.model_json_schema().get("properties", {})
        for name, inner in (shape.properties or {}).items():
            _bound(inner, told.get(name))
        return shape


def _bound(shape: Schema | Reference | bool | None, told: Any) -> None:
    if not isinstance(shape, Schema) or not isinstance(told, dict):
        return
    known = {each.get("type"): each for each in (told, *told.get("anyOf", ()))}
    for each in _ways(shape):
        found = known.get(each.type.value) if isinstance(each.type, OpenAPIType) else None
        if found is None:
            continue
        _bound(each.items, found.get("items"))
        _bound(each.additional_properties, found.get("additionalProperties"))
        for ours, theirs in BOUNDS.items() if each.type in NUMBERS else ():
            if getattr(each, ours) is None:
                setattr(each, ours, found.get(theirs))


def _ways(shape: Schema) -> Iterator[Schema]:
    yield shape
    yield from (each for each in shape.one_of or () if isinstance(each, Schema))
