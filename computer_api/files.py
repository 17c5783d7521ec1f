"""Files for people and for code steps: read, write, edit, search, with errors that say what is there instead.

It stands alone, on any Python from 3.8 on: the worker of Python steps loads this file by its path, so that what a step
does to files happens inside its sandbox. Texts are UTF-8; line ends and a byte order mark stay as they are. Lines end
where editors end them: not at a form feed, say.
"""

from __future__ import annotations

import difflib
import fnmatch
import io
import os
import re
import stat
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
_KINDS = "a pipe, a device or a socket"


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
        lines = _split(text)
        if start > len(lines):
            raise self._error(f'"{path}" has {len(lines)} lines, so there is no line {start}.')
        return "".join(lines[start - 1 : end])

    def write(self, path: Place, text: str) -> str:
        """Write the text, whole or not at all, and say how much; folders on the way are made."""
        if not isinstance(text, str):
            raise TypeError(f"files.write takes a text, not {text!r}.")
        self._replace(path, text)
        lines = len(_split(text))
        return f'wrote {lines} line{"" if lines == 1 else "s"} to "{path}"'

    def edit(self, path: Place, old: str, new: str, count: int = 1) -> str:
        """Replace a text that stands in the file exactly ``count`` times, and say in which lines.

        Nothing is written unless it does: the error names the lines where it stands, or the closest to it.
        """
        if not old:
            raise self._error("files.edit needs the text to replace; files.write writes a whole file.")
        text = self._text(path)
        if old not in text or not _is_mixed(text):
            old, new = _with_ends_of(text, old), _with_ends_of(text, new)
        # Also where it overlaps itself, which leaves open what is meant.
        found = [match.start() for match in re.finditer(f"(?={re.escape(old)})", text)]
        lines = ", ".join(str(_number(text, place)) for place in found[:_MOST_NAMED])
        if not found:
            raise self._error(f'"{path}" does not hold that text.{_closest(text, old)}')
        if text.count(old) != len(found):
            raise self._error(
                f'That text stands in "{path}" in lines {lines}, overlapping itself: give more of what is around it.'
            )
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
        chooses files by their names, or with a slash in it by their paths from the folder on. Files that are no text,
        and folders such as .git, are left out.
        """
        try:
            pattern = re.compile(text if regex else re.escape(text))
        except re.error as error:
            raise self._error(f'"{text}" is no regular expression: {error}.') from None
        if most < 1:
            raise self._error(f"files.search looks for at least one find, not {most}.")
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
            status = place.stat()
            size = status.st_size
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
                raise self._error(f'"{path}" is no file but {_KINDS}: reading it may never end.')
            if size > LARGEST:
                raise self._error(f'"{path}" has {size} bytes; at most {LARGEST} are read as a text.')
            text = place.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._error(f'"{path}" is not UTF-8 text: byte {error.start} is not.') from None
        except OSError as error:
            raise self._error(f'"{path}" cannot be read: {error.strerror}.{_beside(place)}') from None
        except ValueError:
            raise self._error(f"{str(path)!r} is no path: it holds a zero byte.") from None
        if _NUL in text:
            raise self._error(f'"{path}" is not a text: it holds zero bytes.')
        return text

    def _replace(self, path: Place, text: str) -> None:
        """Write beside the file and put that in its place, so that nobody ever sees half of it."""
        made = None
        try:
            content = text.encode("utf-8")
            target = Path(path).resolve()  # of a link, what it leads to
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = self._mode(path, target)
            made = target.parent / f".oi-{os.urandom(8).hex()}"
            with os.fdopen(_made(made, 0o666 if mode is None else 0o600), "wb") as file:
                file.write(content)
            if mode is not None:
                made.chmod(mode)
            made.replace(target)
        except OSError as error:
            raise self._error(f'"{path}" cannot be written: {error.strerror}.') from None
        except UnicodeEncodeError as error:
            raise self._error(
                f"The text cannot be written as UTF-8: its character {error.start} is none."
            ) from None
        except (RuntimeError, ValueError):  # a link that leads to itself; a zero byte
            raise self._error(f"{str(path)!r} cannot be written: it leads nowhere.") from None
        finally:
            if made is not None:
                made.unlink(missing_ok=True)

    def _mode(self, path: Place, target: Path) -> int | None:
        """The permissions of a file that is there, ``None`` where there is none. What may not be written is refused."""
        try:
            status = target.stat()
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise self._error(f'"{path}" is no file but {_KINDS}: nothing was written.')
        if not os.access(target, os.W_OK):
            raise self._error(f'"{path}" is write-protected: nothing was written.')
        return status.st_mode & 0o777  # no more: a program that was changed loses its privileges


def _made(path: Path, mode: int) -> int:
    """A new file, opened, with the permissions that the process gives to new ones."""
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), mode)


def _split(text: str) -> list[str]:
    """The lines of a text with their ends."""
    return list(io.StringIO(text, newline=""))


def _number(text: str, place: int) -> int:
    """The number of the line, from 1, in which a place of the text is."""
    lines = _split(text[:place])
    return len(lines) + (not lines or lines[-1].endswith(("\n", "\r")))


def _is_mixed(text: str) -> bool:
    """Whether some lines end with a carriage return and others do not."""
    return 0 < text.count("\r\n") < text.count("\n")


def _with_ends_of(text: str, part: str) -> str:
    """The part with the line ends of the file, whichever it was given with."""
    plain = part.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in text else plain


def _closest(text: str, old: str) -> str:
    """The lines of the file that are most like the first line that is not blank."""
    wanted = next((line for line in old.splitlines() if line.strip()), "").strip()
    lines: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(map(_without_end, _split(text)), start=1):
        lines.setdefault(line.strip(), (number, line))
    near = difflib.get_close_matches(wanted, list(lines)[:_MOST_COMPARED], n=3, cutoff=0.6)
    named = "; ".join(f'line {lines[key][0]}: "{lines[key][1][:_LONGEST_LINE]}"' for key in near)
    return f" The closest: {named}." if named else ""


def _without_end(line: str) -> str:
    return line.rstrip("\r\n")


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
            path = Path(parent) / name
            if fnmatch.fnmatch(path.relative_to(folder).as_posix() if "/" in glob else name, glob):
                yield path


def _lines(path: Path) -> list[str]:
    """The lines of a text; none of what is no text, or too large for one."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return []
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    return [] if _NUL in text else list(map(_without_end, _split(text)))
