"""What the JSON of a protocol must be made of, so that nothing after it trips over what a server made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from computer_agent.models.wires.wire import ProviderError


@dataclass(frozen=True, slots=True)
class Needed:
    """What must be there; of everything else a protocol may leave out any part, or send ``null``."""

    shape: Shape


Shape = type | tuple[type, ...] | list[Any] | dict[str, Any] | Needed
"""A type or one of several, a list of one shape, or an object's fields; what is not named may be anything."""

NUMBER = (int, float)
_NAMES = {
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def check(value: object, shape: Shape, at: str = "The reply") -> None:
    """Raise ``ProviderError`` naming the part that is of another shape; ``at`` is the name of the whole."""
    inner = shape.shape if isinstance(shape, Needed) else shape
    if value is None and isinstance(shape, Needed):
        raise ProviderError(f"{at} is missing in the server's reply.")
    if value is None:
        return
    if isinstance(inner, dict):
        for name, field in inner.items():
            check(_object(value, at).get(name), field, f'"{name}"')
    elif isinstance(inner, list):
        for item in _list(value, at):
            check(item, Needed(inner[0]), f"A part of {at}")
    elif not isinstance(inner, Needed):
        allowed = inner if isinstance(inner, tuple) else (inner,)
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise _other(value, at, allowed[0])


def _object(value: object, at: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise _other(value, at, dict)


def _list(value: object, at: str) -> list[Any]:
    if isinstance(value, list):
        return value
    raise _other(value, at, list)


def _other(value: object, at: str, wanted: type) -> ProviderError:
    said = str(value)
    short = said if len(said) <= 40 else f"{said[:39]}…"  # noqa: PLR2004 - enough to recognise it
    return ProviderError(f'{at} in the server\'s reply is "{short}" and not {_NAMES[wanted]}.')
