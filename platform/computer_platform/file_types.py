"""What type a file has, and which programs were chosen for a type: the shared MIME database and ``mimeapps.list``."""

from __future__ import annotations

import fnmatch
import mimetypes
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SAMPLE_BYTES = 4096
_FIELDS = 3  # of a line of globs: weight, type, pattern; then perhaps flags
_CHOSEN, _ADDED, _REMOVED = "Default Applications", "Added Associations", "Removed Associations"


def home(environment: Mapping[str, str]) -> Path:
    """The home folder that the environment names."""
    return Path(environment.get("HOME") or "/")


def data_folders(environment: Mapping[str, str]) -> list[Path]:
    """Where programs are described, most important first."""
    return _folders(environment, "DATA", ".local/share", "/usr/local/share:/usr/share")


def type_of(path: Path, environment: Mapping[str, str]) -> str:
    """The MIME type of a file or folder that is there: by its name, else by whether it holds text."""
    if path.is_dir():
        return "inode/directory"
    if not path.is_file():
        return "inode/special"  # a device, or a pipe that might keep us waiting for ever
    by_name = max(_by_globs(path.name, environment), default=None)
    if by_name is not None:
        return by_name[-1]
    guessed, encoding = mimetypes.guess_type(path.name)
    if guessed and not encoding:
        return guessed
    try:
        with path.open("rb") as file:
            sample = file.read(_SAMPLE_BYTES)
    except OSError:
        return "application/octet-stream"
    return "application/octet-stream" if b"\0" in sample else "text/plain"


def types_above(kind: str, environment: Mapping[str, str]) -> list[str]:
    """The type and those that it is a kind of, nearest first: a Markdown file is a text file."""
    parents: dict[str, list[str]] = {}
    for folder in data_folders(environment):
        for line in _lines(folder / "mime" / "subclasses"):
            child, _, parent = line.partition(" ")
            parents.setdefault(child, []).append(parent.strip())
    found = [kind]
    for one in found:  # grows meanwhile
        usual = ["text/plain"] if one.startswith("text/") else []
        found += [parent for parent in (*parents.get(one, ()), *usual) if parent not in found]
    return found


def default_programs(kind: str, environment: Mapping[str, str]) -> tuple[list[str], set[str]]:
    """The ids of the programs chosen for a type, best first, and of those that are not to open it."""
    chosen: list[str] = []
    added: list[str] = []
    removed: set[str] = set()
    for path in _choices(environment):
        groups = _groups(path, kind)
        chosen += groups.get(_CHOSEN, [])
        added += [one for one in groups.get(_ADDED, []) if one not in removed]
        removed |= set(groups.get(_REMOVED, [])) - set(added)
    return [*chosen, *added], removed


def _by_globs(name: str, environment: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Each type that the name fits, with how well it does."""
    for folder in data_folders(environment):
        for line in _lines(folder / "mime" / "globs2"):
            fields = line.split(":")
            if line.startswith("#") or len(fields) < _FIELDS or not fields[0].isdigit():
                continue
            weight, kind, pattern = fields[:_FIELDS]
            exact = "cs" in fields[_FIELDS:]
            if fnmatch.fnmatchcase(name if exact else name.lower(), pattern if exact else pattern.lower()):
                yield int(weight), len(pattern), kind


def _choices(environment: Mapping[str, str]) -> Iterator[Path]:
    """The files in which people and systems choose programs, most important first."""
    desktops = [one.lower() for one in environment.get("XDG_CURRENT_DESKTOP", "").split(":") if one]
    names = [*(f"{one}-mimeapps.list" for one in desktops), "mimeapps.list"]
    for folder in _folders(environment, "CONFIG", ".config", "/etc/xdg"):
        yield from (folder / name for name in names)
    for folder in data_folders(environment):
        yield from (folder / "applications" / name for name in names)


def _groups(path: Path, kind: str) -> dict[str, list[str]]:
    """The ids that the file lists for a type, by the group in which it does."""
    found: dict[str, list[str]] = {}
    group = ""
    for line in _lines(path):
        if line.startswith("["):
            group = line.strip().strip("[]")
        key, _, value = line.partition("=")
        if key.strip() == kind:
            ids = (one.strip().removesuffix(".desktop") for one in value.split(";"))
            found.setdefault(group, []).extend(one for one in ids if one)
    return found


def _folders(environment: Mapping[str, str], what: str, below_home: str, usual: str) -> list[Path]:
    own = environment.get(f"XDG_{what}_HOME") or str(home(environment) / below_home)
    others = environment.get(f"XDG_{what}_DIRS") or usual
    return [Path(one) for one in (own, *others.split(os.pathsep)) if one]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
