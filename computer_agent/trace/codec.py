"""Actions, targets, receipts as JSON and back, exactly.

A value is an object that names its class under ``is``: a Python keyword, so no field can have that
name. Every field is written, defaults too: a default that changes later does not change old traces.
Tuples are arrays; bytes are ``{"is": "bytes", "base64": …}``. The classes are a closed table.
"""

from __future__ import annotations

import base64
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from math import isfinite
from typing import Any, Literal, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

from computer_agent.step import Done, Ending, NotDone, Outcome, SafetyCheck, Spent, Usage
from computer_agent.trace.errors import TraceError
from computer_agent.trace.variable import Variable
from computer_api.actions import Action, AnswerPrompt, Browse, TypeText
from computer_api.elements import ScreenElement
from computer_api.geometry import Box, Point, Size
from computer_api.receipt import Effect, Receipt, Scrolled
from computer_api.targets import Anchors, Match, Relation, Target
from computer_api.terminal.sandbox.sandbox import Denial

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Redact = Callable[[str], str]
SECRET = "<secret>"  # noqa: S105 - the mark that stands in place of one

CLASSES: Mapping[str, type] = {
    cls.__name__: cls
    for cls in (
        *get_args(Action),
        *get_args(Target),
        *(Relation, Anchors, Match, ScreenElement, Receipt, Denial, Scrolled, Done, NotDone, Usage, Spent),
        *(SafetyCheck, Variable),
        *(Box, Point, Size),
    )
}

# Annotations name types that their modules import for the type checker only.
_NAMES: dict[str, Any] = {
    **CLASSES,
    "Action": Action,
    "Target": Target,
    "Outcome": Outcome,
    "Effect": Effect,
    "Ending": Ending,
}

T = TypeVar("T")


def unchanged(text: str) -> str:
    """The redaction that hides nothing."""
    return text


def encode(value: object, redact: Redact = unchanged) -> Json:
    """The value as JSON; a secret text becomes a mark, other texts pass ``redact``.

    Raises ``TraceError`` naming a class that is not in the table, or a number JSON does not have.
    """
    match value:
        case None | bool() | int():
            return value
        case float():
            return _number(value)
        case str():
            return redact(value)
        case bytes():
            return {"is": "bytes", "base64": base64.b64encode(value).decode("ascii")}
        case tuple():
            return [encode(item, redact) for item in value]
        case _:
            name = type(value).__name__
            if CLASSES.get(name) is not type(value):
                raise TraceError(f'A trace has no way to write "{name}".')
            return {"is": name, **encode_fields(value, redact)}


def encode_fields(value: object, redact: Redact = unchanged) -> dict[str, Json]:
    """The fields of a dataclass as JSON, without its name. Fixed words and hashes are not redacted."""
    if isinstance(value, TypeText | AnswerPrompt | Browse) and value.secret:
        value = replace(value, text=SECRET)
    cls: type = type(value)
    return {
        name: encode(getattr(value, name), redact if _free_text(hint) else unchanged)
        for name, hint in _hints(cls).items()
    }


def decode(data: Json) -> object:
    """The value that ``encode`` was given; a secret text comes back empty.

    Raises ``TraceError`` naming an unknown class, an unknown or missing field, or a value of a wrong type.
    """
    if isinstance(data, list):
        return tuple(decode(item) for item in data)
    return _object(data) if isinstance(data, dict) else data


def decode_fields(cls: type[T], data: Mapping[str, Json]) -> T:
    """An instance of a dataclass from its fields as JSON. A missing field takes its default.

    Raises ``TraceError`` as ``decode`` does.
    """
    assert is_dataclass(cls)  # noqa: S101 - the table and the records hold nothing else
    hints = _hints(cls)
    if unknown := data.keys() - hints.keys():
        raise TraceError(f"{cls.__name__} has no field {_listed(unknown)}; it has {_listed(hints)}.")
    if missing := {spot.name for spot in fields(cls) if _required(spot)} - data.keys():
        raise TraceError(f"{cls.__name__} lacks its field {_listed(missing)}.")
    values = {name: decode(item) for name, item in data.items()}
    for name, value in values.items():
        if not _fits(value, hints[name]):
            raise TraceError(f'{cls.__name__}.{name} cannot be "{value}".')
    if cls in (TypeText, AnswerPrompt, Browse) and values.get("secret"):
        values["text"] = ""
    return cls(**values)


def _object(data: Mapping[str, Json]) -> object:
    name = data.get("is")
    rest = {key: item for key, item in data.items() if key != "is"}
    if name == "bytes":
        return _bytes(rest)
    if not isinstance(name, str):
        raise TraceError(f'An object of the trace has no class name under "is": it holds {_listed(data)}.')
    if name not in CLASSES:
        raise TraceError(f'A trace holds no class "{name}"; this version knows {_listed(CLASSES)}.')
    if name == "Match" and "anchor" in rest:  # versions 1 and 2 kept the question alone
        question = rest.pop("anchor")
        rest["anchors"] = None if question is None else {"is": "Anchors", "question": question}
    return decode_fields(CLASSES[name], rest)


def _number(value: float) -> float:
    if not isfinite(value):
        raise TraceError(f'A trace has no way to write the number "{value}".')
    return value


def _bytes(data: Mapping[str, Json]) -> bytes:
    text = data.get("base64")
    if not isinstance(text, str) or len(data) > 1:
        raise TraceError(f'Bytes are written under "base64" alone, not under {_listed(data)}.')
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise TraceError(f'"{text[:40]}" is not base64.') from error


def _required(spot: Field[Any]) -> bool:
    return spot.default is MISSING and spot.default_factory is MISSING


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, localns=_NAMES)


def field_types(cls: type) -> Mapping[str, Any]:
    """The types of the fields of a class that a trace holds, in their order."""
    return _hints(cls)


def _free_text(hint: object) -> bool:
    """Whether plain text may stand there: not a fixed word, not a hash, which redaction would break."""
    return hint is str or any(_free_text(part) for part in get_args(hint)) or is_dataclass(hint)


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401 - a type hint is whatever typing makes of it
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin is tuple:  # the house has only tuples of one type
        return isinstance(value, tuple) and all(_fits(item, get_args(hint)[0]) for item in value)
    if isinstance(hint, NewType):
        return _fits(value, hint.__supertype__)
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in sorted(names))
