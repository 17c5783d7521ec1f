"""What Tab completes: commands, their arguments, and paths."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.chat.magic import names, takes_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Names = Callable[[str], Sequence[str]]
    """The names that the argument of a command may be, such as those of profiles."""

_MOST = 200
_LAST_WORD = re.compile(r"(?:\\.|[^\s\\'\"])*\Z")
_QUOTED = re.compile(r"(?<!\w)['\"]([^'\"]*)\Z")


def completions(text: str, names_for: Names = lambda _command: ()) -> tuple[str, list[str]]:
    """The part before the cursor that is completed, and what may stand in its place."""
    command, space, argument = text.lstrip().partition(" ")
    if text.lstrip().startswith("%") and not text.lstrip().startswith("%%"):
        if not space:
            return command, [name for name in names() if name.startswith(command.casefold())]
        if not takes_path(command[1:]):
            return argument, [name for name in names_for(command[1:]) if name.startswith(argument)]
        return argument, _paths(argument, escape=False)
    quoted = _QUOTED.search(text)
    if quoted is not None:
        return quoted[1], _paths(quoted[1], escape=False)
    word = _LAST_WORD.search(text)
    last = word[0] if word else ""
    return last, _paths(re.sub(r"\\(.)", r"\1", last), escape=True) if last else []


def _paths(begun: str, *, escape: bool) -> list[str]:
    """The files and folders that begin so, a folder with its slash."""
    folder, separator, start = begun.rpartition("/")
    found: list[str] = []
    with suppress(OSError, RuntimeError, ValueError):
        where = Path(f"{folder}{separator}" or ".").expanduser()
        with os.scandir(where) as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") and not start.startswith(".")
                if entry.name.startswith(start) and not hidden:
                    slash = "/" if entry.is_dir() else ""
                    name = f"{folder}{separator}{entry.name}"
                    found.append((re.sub(r"([\s\\'\"])", r"\\\1", name) if escape else name) + slash)
    return sorted(found)[:_MOST]
