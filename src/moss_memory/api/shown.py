"""What a route answers, named for OpenAPI without building anything.

FastAPI would compile a validator for every shape of every answer when the routes are imported,
most of a second at each start; ``document`` makes the schemas when somebody asks for them.
"""

from typing import Any

from pydantic import TypeAdapter

from moss_memory.api import view_shapes

_REFERENCE = "#/components/schemas/{model}"


def shown(shape: type, description: str = "Done.") -> dict[str, Any]:
    """Describe an answer of ``shape`` for a route's ``responses=``."""
    reference = {"$ref": _REFERENCE.format(model=shape.__name__)}
    return {"description": description, "content": {"application/json": {"schema": reference}}}


def schemas() -> dict[str, Any]:
    """Return the JSON Schema of every shape by its name."""
    shapes = [each for name, each in vars(view_shapes).items() if name.endswith("Shape")]
    _, described = TypeAdapter.json_schemas(
        [(each.__name__, "serialization", TypeAdapter(each)) for each in shapes],
        ref_template=_REFERENCE,
    )
    found: dict[str, Any] = described["$defs"]
    return found
