"""Files for people and for code steps: read, write, edit, search, with errors that say what is there instead.

It stands alone, on any Python from 3.8 on: the worker of Python steps loads this file by its path, so that what a step
does to files happens inside its sandbox. Texts are UTF-8; line ends and a byte order mark stay as they are.
"""

from __future__ import annotations

import difflib
import fnmatch
import os
import re
import tempfile
from pathlib import Path

TYPE_CHECKING = False  # typing takes long to import, and is not needed
if TYPE_CHECKING:
    from collections.abc import Iterator

    Place = str | os.PathLike[str]

LARGEST = 16 * 1024 * 1024  # bytes of a file that is read as text
_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv"})
_LONGEST_LINE = 500
_MOST_NAMED = 20
_MOST_COMPARED = 20_000  # lines
_NUL = "\0"


class Files:
    """Verbs on files. ``error`` is the class of what is raised, with a sentence on what would work."""

    def __init__(self, error: type[Exception]) -> None:
        self._error = error

    def read(self, path: Place, start: int = 1, end: int | None = None) -> str:
        """The text of a file, or its lines from ``start`` to ``end``, both counted from 1 and included."""
        text = self._text(path)
        if start == 1 and end is None:
            return text
        if start < 1 or (end is not None and end < start):
            raise self._error(
                f"files.read counts lines from 1, and the last is not before the first: {start}, {end}."
            )
        lines = text.splitlines(keepends=True)
        if start > len(lines):
            raise self._error(f'"{path}" has {len(lines)} lines, so there is no line {start}.')
        return "".join(lines[start - 1 : end])

    def write(self, path: Place, text: str) -> str:
        """Write the text, whole or not at all, and say how much; folders on the way are made."""
        if not isinstance(text, str):
            raise TypeError(f"files.write takes a text, not {text!r}.")
        self._replace(path, text)
        lines = len(text.splitlines())
        return f'wrote {lines} line{"" if lines == 1 else "s"} to "{path}"'

    def edit(self, path: Place, old: str, new: str, count: int = 1) -> str:
        """Replace a text that stands in the file exactly ``count`` times, and say in which lines.

        Nothing is written unless it does: the error names the lines where it stands, or the closest to it.
        """
        if not old:
            raise self._error("files.edit needs the text to replace; files.write writes a whole file.")
        text = self._text(path)
        old, new = _with_ends_of(text, old), _with_ends_of(text, new)
        found = [match.start() for match in re.finditer(re.escape(old), text)]
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in found[:_MOST_NAMED])
        if not found:
            raise self._error(f'"{path}" does not hold that text.{_closest(text, old)}')
        if len(found) != count:
            raise self._error(
                f'That text stands in "{path}" {len(found)} times, in lines {lines}, and not {count}: give more of '
                f"what is around it, or count={len(found)}."
            )
        self._replace(path, text.replace(old, new))
        return f'changed "{path}" in line{"" if count == 1 else "s"} {lines}'

    def search(
        self, text: str, folder: Place = ".", glob: str = "*", *, regex: bool = False, most: int = 100
    ) -> list[dict[str, object]]:
        """Where a text, or what a regular expression matches, stands in the files of a folder and below.

        Each find is a dict of ``path``, ``line`` from 1 and ``text``, the line; at most ``most`` of them. ``glob``
        chooses files by their names. Files that are no text, and folders such as .git, are left out.
        """
        try:
            pattern = re.compile(text if regex else re.escape(text))
        except re.error as error:
            raise self._error(f'"{text}" is no regular expression: {error}.') from None
        if not Path(folder).is_dir():
            raise self._error(f'files.search takes a folder, and "{folder}" is none.')
        found: list[dict[str, object]] = []
        for path in _files(folder, glob):
            for number, line in enumerate(_lines(path), start=1):
                if pattern.search(line):
                    found.append({"path": str(path), "line": number, "text": line[:_LONGEST_LINE]})
                    if len(found) >= most:
                        return found
        return found

    def _text(self, path: Place) -> str:
        place = Path(path)
        try:
            size = place.stat().st_size
            if size > LARGEST:
                raise self._error(f'"{path}" has {size} bytes; at most {LARGEST} are read as a text.')
            text = place.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._error(f'"{path}" is not UTF-8 text: byte {error.start} is not.') from None
        except OSError as error:
            raise self._error(f'"{path}" cannot be read: {error.strerror}.{_beside(place)}') from None
        if _NUL in text:
            raise self._error(f'"{path}" is not a text: it holds zero bytes.')
        return text

    def _replace(self, path: Place, text: str) -> None:
        """Write beside the file and put that in its place, so that nobody ever sees half of it."""
        target = Path(path).resolve()  # of a link, what it leads to
        made = None
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
            handle, name = tempfile.mkstemp(prefix=".oi-", dir=target.parent)
            made = Path(name)
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
            made.chmod(mode)
            made.replace(target)
        except OSError as error:
            raise self._error(f'"{path}" cannot be written: {error.strerror}.') from None
        finally:
            if made is not None and made.exists():
                made.unlink()


def _with_ends_of(text: str, part: str) -> str:
    """The part with the line ends of the file, whichever it was given with."""
    plain = part.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in text else plain


def _closest(text: str, old: str) -> str:
    """The lines of the file that are most like the first line that is not blank."""
    wanted = next((line for line in old.splitlines() if line.strip()), "").strip()
    lines: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        lines.setdefault(line.strip(), (number, line))
    near = difflib.get_close_matches(wanted, list(lines)[:_MOST_COMPARED], n=3, cutoff=0.6)
    named = "; ".join(f'line {lines[key][0]}: "{lines[key][1][:_LONGEST_LINE]}"' for key in near)
    return f" The closest: {named}." if named else ""


def _beside(path: Path) -> str:
    """Names in the same folder that are like the one that is not there."""
    try:
        near = difflib.get_close_matches(path.name, [one.name for one in path.parent.iterdir()], n=3)
    except OSError:
        return ""
    names = '", "'.join(near)
    return f' There is: "{names}".' if near else ""


def _files(folder: Place, glob: str) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            if fnmatch.fnmatch(name, glob):
                yield Path(parent) / name


def _lines(path: Path) -> list[str]:
    """The lines of a text; none of what is no text, or too large for one."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return []
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    return [] if _NUL in text else text.splitlines()


def _umask() -> int:
    """The mask for new files, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
