"""Settings -> the config file: what the person wrote there stays, one line of it is changed."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.code_settings import BadSetting
from computer_agent.profiles.reading import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLE = re.compile(r"\s*\[")


def keep(file: Path, values: Mapping[str, str | float | bool | None]) -> None:
    """Set these values in the config file, which is made if there is none; ``None`` takes one out.

    Only its owner can read it then. Raises ``BadSetting`` when it cannot be written, or would not be read.
    """
    try:
        text = file.read_text(encoding="utf-8-sig") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f'The settings in "{file}" cannot be read: {error}.') from None
    for key, value in values.items():
        text = _with(text, key, value)
    parse(text.encode(), file.name, f'"{file}"')
    write_private(file, text)


def write_private(file: Path, text: str) -> None:
    """Put the text in place of what the file held, at once, for its owner alone. Raises ``BadSetting``."""
    target = Path(
        os.path.realpath(file)
    )  # of a link, as people keep their settings elsewhere, what it leads to
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")  # 0600
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as writing:
                writing.write(text)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink()
            raise
    except OSError as error:
        raise BadSetting(f'The settings cannot be written to "{file}": {error.strerror}.') from None


def _with(text: str, key: str, value: str | float | bool | None) -> str:  # noqa: FBT001 - a value of TOML
    """The text with the value of that key, which stands before any table."""
    lines = text.splitlines(keepends=True)
    end = next((at for at, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    written = re.compile(rf"\s*{re.escape(key)}\s*=")
    new = [] if value is None else [f"{key} = {_toml(value)}\n"]
    at = next((at for at in range(end) if written.match(lines[at])), None)
    if at is not None:
        return "".join([*lines[:at], *new, *lines[at + 1 :]])
    before = lines[:end]
    if before and not before[-1].endswith("\n"):
        before[-1] += "\n"
    return "".join([*before, *new, *lines[end:]])


def _toml(value: str | float | bool) -> str:  # noqa: FBT001 - a value of TOML
    """The value as TOML has it; its texts are JSON's, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
