"""The JSON schema of a line of a trace, made from the classes that are written.

``python -m computer_agent.trace.schema`` writes it to ``schema.json`` beside this file; a test says when it is old.
"""

from __future__ import annotations

import json
import types
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal, NewType, Union, get_args, get_origin

from computer_agent.trace.codec import CLASSES, Json, field_types
from computer_agent.trace.record import KINDS, VERSION
from computer_api.targets import Target

__all__ = ["PATH", "schema", "text"]

PATH = Path(__file__).with_name("schema.json")

_PLAIN: dict[object, dict[str, Json]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    types.NoneType: {"type": "null"},
    bytes: {"$ref": "#/$defs/bytes"},
}


def schema() -> dict[str, Json]:
    """The schema (JSON Schema 2020-12) of one line; ``$defs`` has each class by its name, and each kind of record."""
    kinds: dict[str, Json] = {f"kind: {kind}": _record(kind, cls) for kind, cls in KINDS.items()}
    classes: dict[str, Json] = {name: _class(name, cls) for name, cls in sorted(CLASSES.items())}
    raw: dict[str, Json] = {
        "type": "object",
        "properties": {"is": {"const": "bytes"}, "base64": {"type": "string"}},
        "required": ["is", "base64"],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of trace.jsonl",
        "description": f"Format versions 1 to {VERSION}. A missing field that is not required has its default.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": {**kinds, **classes, "bytes": raw},
    }


def text() -> str:
    """The schema as it stands in its file."""
    return json.dumps(schema(), indent=1) + "\n"


def _record(kind: str, cls: type) -> Json:
    """The line of a record: what every line has, and the record's own fields."""
    properties, required = _fields(cls)
    return {
        "type": "object",
        "description": _about(cls),
        "properties": {
            "version": {"type": "integer", "minimum": 1, "maximum": VERSION},
            "sequence": {"type": "integer", "minimum": 0},
            "time": {"type": "number"},
            "kind": {"const": kind},
            **properties,
            "crc32": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        },
        "required": ["version", "sequence", "time", "kind", *required, "crc32"],
        "additionalProperties": False,
    }


def _class(name: str, cls: type) -> Json:
    properties, required = _fields(cls)
    if name == "Match":  # of the versions 1 and 2, which kept one question in place of all the anchors
        properties["anchor"] = _type(Target | None)
    return {
        "type": "object",
        "description": _about(cls),
        "properties": {"is": {"const": name}, **properties},
        "required": ["is", *required],
        "additionalProperties": False,
    }


def _fields(cls: type) -> tuple[dict[str, Json], list[Json]]:
    properties = {name: _type(hint) for name, hint in field_types(cls).items()}
    required: list[Json] = [
        spot.name for spot in fields(cls) if spot.default is MISSING and spot.default_factory is MISSING
    ]
    return properties, required


def _type(hint: Any) -> Json:  # noqa: ANN401 - a type hint is whatever typing makes of it
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_type(part) for part in get_args(hint)]}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin is tuple:
        return {"type": "array", "items": _type(get_args(hint)[0])}
    if isinstance(hint, NewType):
        return _type(hint.__supertype__)
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _about(cls: type) -> str:
    return (cls.__doc__ or "").split("\n\n")[0].replace("\n", " ")


if __name__ == "__main__":
    PATH.write_text(text(), encoding="ascii")
