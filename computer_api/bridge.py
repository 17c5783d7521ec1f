"""The far end of ``computer`` in a code step: a call that arrives from the worker becomes a verb here.

Only the public verbs of the computer are reachable, and each passes the gate like any other action.
"""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_api.terminal import Call, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.computer import Computer

ROOMS = (
    "display",
    "mouse",
    "keyboard",
    "clipboard",
    "windows",
    "terminal",
    "browser",
    "os",
    "vision",
    "ai",
    "skills",
)


def answering(computer: Computer) -> Callable[[Call], Reply]:
    """The function that performs what a worker's ``computer`` was asked, on this computer."""

    def answer(call: Call) -> Reply:
        try:
            return _reply(_called(computer, call))
        except (ComputerError, TypeError, ValueError) as error:
            return Reply(error=(type(error).__name__, str(error)))

    return answer


def _called(computer: Computer, call: Call) -> object:
    match call.path:
        case (room, verb) if room in ROOMS and not verb.startswith("_"):
            member = getattr(getattr(computer, room), verb, None)
        case ("input",):
            question, secret = call.args
            return computer.on_question(str(question), bool(secret))
        case ("text",):
            member = computer.text
        case ("expect",):
            member = computer.expect
        case _:
            member = None
    if member is None:
        raise TypeError(
            f"The computer has no {'.'.join(call.path)!r}; it has {', '.join(ROOMS)}, text() and expect()."
        )
    return member(*call.args, **call.kwargs) if callable(member) else member


def _reply(value: object) -> Reply:
    """The value as the worker can hold it: plain data, a picture, or a receipt in words."""
    from PIL.Image import Image

    if isinstance(value, Screenshot):
        value = value.image()
    if isinstance(value, Image):
        buffer = BytesIO()
        value.save(buffer, "PNG", compress_level=1)
        return Reply(png=buffer.getvalue())
    if isinstance(value, Receipt):
        return Reply(value="; ".join(filter(None, (value.sentence(), value.output))))
    return Reply(value=_plain(value))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, Path):
        return str(value)
    return value
