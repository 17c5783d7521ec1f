"""Small JSON files in the state folder: read as nothing where they are broken, written whole or not at all."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_object(file: Path) -> dict[str, Any]:
    """The file's object; an empty one where there is none or something else is written there."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_object(file: Path, value: Mapping[str, Any]) -> None:
    """Put the object in place of what the file held, at once: a reader sees the old or the new. Raises ``OSError``."""
    import tempfile
    from pathlib import Path

    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as writing:
            json.dump(value, writing, ensure_ascii=False, indent=1)
        unfinished.replace(file)
    except BaseException:
        unfinished.unlink()
        raise
