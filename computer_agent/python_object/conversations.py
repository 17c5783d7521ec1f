"""Where the messages of a Python object are kept: a JSON list in a file of its own, written as they come."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from computer_agent.lmc import Chunk

_FORBIDDEN = '<>:"/\\|?*!\n'
_SHARE = 20  # of the time that writing took, until it is done again
_SHOWN, _SHOWN_WORD = 25, 15  # characters of the first message that the name of a file begins with


def file_name(first: str, now: time.struct_time) -> str:
    """The name of a conversation's file: the first words of it, and when it began."""
    text = first[:_SHOWN]
    words = "_".join(text.split(" ")[:-1]) if " " in text else first[:_SHOWN_WORD]
    words = "".join(character for character in words if character not in _FORBIDDEN)
    return f"{words}__{time.strftime('%B_%d_%Y_%H-%M-%S', now)}.json"


class Keeper:
    """Writes messages down as they come, and spends at most a twentieth of the time on it: long ones hold pictures."""

    def __init__(self) -> None:
        self._next = 0.0

    def write(self, path: Path, messages: Sequence[Chunk], *, now: bool) -> None:
        """Write them, unless they were just written; ``now`` whenever that was. Raises ``OSError``."""
        began = time.monotonic()
        if now or began >= self._next:
            write(path, messages)
            ended = time.monotonic()
            self._next = ended + (ended - began) * _SHARE


def write(path: Path, messages: Sequence[Chunk]) -> None:
    """Write them beside the file and put that in its place, readable by the person alone. Raises ``OSError``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    text = json.dumps(list(messages), ensure_ascii=False, indent=1, default=_as_text)
    descriptor = os.open(made, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    made.replace(path)


def _as_text(value: Any) -> str:  # noqa: ANN401 - whatever a person puts into a message
    return str(value)
