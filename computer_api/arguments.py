"""What a verb is given, checked where it comes in: code steps and people pass anything."""

from __future__ import annotations

from typing import get_args

from computer_api.actions import Button


def as_text(verb: str, value: object) -> str:
    """The value if it is a text. Raises ``TypeError``."""
    if not isinstance(value, str):
        raise TypeError(f"{verb} takes a text in quotes, not {value!r}.")
    return value


def as_count(verb: str, value: object, *, least: int | None = None) -> int:
    """The value if it is a whole number, not below ``least``. Raises ``TypeError`` and ``ValueError``."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{verb} takes a whole number, not {value!r}.")
    if least is not None and value < least:
        raise ValueError(f"{verb} takes a number from {least} up, not {value}.")
    return value


def as_seconds(verb: str, value: object) -> float:
    """The value if it is a time. Raises ``TypeError`` and ``ValueError``."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{verb} takes a number of seconds, not {value!r}.")
    if not 0 <= value < float("inf"):
        raise ValueError(f"{verb} takes a number of seconds from 0 up, not {value}.")
    return value


def as_button(value: Button) -> Button:
    """The value if it is a mouse button. Raises ``ValueError``."""
    if value not in get_args(Button):
        raise ValueError(f"There is no mouse button {value!r}. Buttons are {', '.join(get_args(Button))}.")
    return value
