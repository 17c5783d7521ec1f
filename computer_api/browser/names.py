"""What saved files are called."""

from __future__ import annotations

from itertools import count
from pathlib import Path, PurePath


def free_path(folder: Path, name: str) -> Path:
    """A path in the folder under that name, or with a number where there is such a file; never outside the folder."""
    name = PurePath(name.replace("\\", "/")).name.lstrip(".") or "download"
    stem, suffix = PurePath(name).stem, PurePath(name).suffix
    for number in count(1):
        path = folder / (name if number == 1 else f"{stem} ({number}){suffix}")
        if not path.exists():
            return path
    raise AssertionError  # count() has no end
