"""The programs that menus show: what ``Text Editor``, or a file, or a web address means as a command.

Names, commands and file types come from desktop entries, MIME globs and ``mimeapps.list``, as the freedesktop
specifications of these tell. Nothing is kept: a program may be installed at any time.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from computer_platform.file_types import data_folders, default_programs, home, type_of, types_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_URL = re.compile(r"(?a)([a-z][a-z0-9+.-]+):(//|[^/\\\s]+@)", re.IGNORECASE)
_TERMINALS = (("x-terminal-emulator", "-e"), ("xterm", "-e"), ("gnome-terminal", "--"), ("konsole", "-e"),
              ("xfce4-terminal", "-x"))  # fmt: skip
_WORD = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+""", re.DOTALL)
_PIECE = re.compile(r""""((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)""", re.DOTALL)
_LISTED = 3  # names that are offered instead of an unknown one
_ALIKE = 0.6  # how much of a name must be the same for that
_MAGIC = (b"\x7fELF", b"#!")  # what a file that can run begins with


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One desktop entry: ``identity`` is its file id without ``.desktop``, ``keys`` are those of its main group."""

    identity: str
    path: Path
    keys: Mapping[str, str]

    def text(self, key: str, locales: Sequence[str] = ()) -> str:
        """A value, in the first of these locales that it is given in, else as it stands without one."""
        found = (self.keys.get(f"{key}[{locale}]") for locale in locales)
        return _unescaped(next((value for value in found if value), self.keys.get(key, "")))

    def flag(self, key: str) -> bool:
        """Whether it is ``true``."""
        return self.keys.get(key, "").strip().lower() in {"true", "1"}

    def types(self) -> list[str]:
        """The types of files that it opens."""
        return [kind for kind in self.keys.get("MimeType", "").split(";") if kind]


def command_for(argv: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The command that is meant: itself, that of a menu's name, or that which opens a file or an address.

    ``environment`` is what the program will get: its ``PATH``, ``XDG_*`` folders and languages are looked in.
    Raises ``FileNotFoundError`` naming the nearest names, and ``OSError`` for a file that nothing here opens.
    """
    name, rest = argv[0], list(argv[1:])
    if _runs(name, environment):
        return [name, *rest]
    menu = Menu(environment)
    entry = menu.called(name)
    if entry is not None:
        return menu.command(entry, rest)
    path, kind = _what_to_open(name, environment)
    if kind:
        return menu.opening(path, kind, rest)
    raise FileNotFoundError(_unknown(name, menu))


class Menu:
    """The programs that a menu could show now, for one environment."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._locales = locales_of(environment)
        self._entries = {entry.identity: entry for entry in self._installed()}

    def names(self) -> list[str]:
        """What they are called, as menus show it."""
        shown = (entry for entry in self._entries.values() if not entry.flag("NoDisplay"))
        return sorted({entry.text("Name", self._locales) for entry in shown})

    def called(self, name: str) -> Entry | None:
        """The one program of that name. Raises ``FileNotFoundError`` when several fit equally well."""
        wanted = _folded(name)
        if not wanted:
            return None
        words = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
        shown = [entry for entry in self._entries.values() if not entry.flag("NoDisplay")]
        ways: tuple[Callable[[Entry], bool], ...] = (
            lambda entry: wanted in self._said(entry, "Name"),
            lambda entry: wanted in _identities(entry),
            lambda entry: wanted in self._said(entry, "GenericName"),
            lambda entry: any(words.search(one) for one in self._said(entry, "Name")),
        )
        for number, fits in enumerate(ways):
            found = [entry for entry in (self._entries.values() if number == 1 else shown) if fits(entry)]
            if len({_folded(entry.text("Name", self._locales)) for entry in found}) > 1:
                listed = ", ".join(f'"{entry.text("Name", self._locales)}"' for entry in found)
                raise FileNotFoundError(f'Several programs are called "{name}": {listed}. Name one of them.')
            if found:
                return found[0]
        return None

    def commands(self) -> list[str]:
        """What could be typed in a terminal to start something."""
        folders = self._environment.get("PATH", os.defpath).split(os.pathsep)
        return sorted({name for folder in folders if Path(folder).is_dir() for name in os.listdir(folder)})  # noqa: PTH208 - names alone

    def opening(self, file: str, kind: str, rest: Sequence[str]) -> list[str]:
        """The command that opens a file or an address of that type. Raises ``OSError`` when there is none."""
        for one in types_above(kind, self._environment):
            entry = self._default(one)
            if entry is not None:
                return self.command(entry, [file, *rest])
        opener = shutil.which("xdg-open", path=self._environment.get("PATH"))
        if opener is not None:
            return [opener, file]
        raise OSError(errno.ENOEXEC, f"no program here opens {kind} files", file)

    def command(self, entry: Entry, files: Sequence[str]) -> list[str]:
        """The entry's command with these files, or other arguments, in their place."""
        words = list(self._expanded(entry, split(entry.text("Exec")), list(files)))
        if entry.flag("Terminal"):
            words = [*self._terminal(), *words]
        folder = entry.text("Path")
        return ["env", "-C", folder, *words] if folder and Path(folder).is_dir() else words

    def _installed(self) -> Iterator[Entry]:
        """Each id once, from the folder that goes before the others; deleted ones hide those behind them."""
        seen: set[str] = set()
        for folder in (Path(data) / "applications" for data in data_folders(self._environment)):
            for path in sorted(folder.rglob("*.desktop")):
                identity = "-".join(path.relative_to(folder).parts).removesuffix(".desktop")
                if identity in seen:
                    continue
                seen.add(identity)
                entry = read_entry(path, identity)
                if entry is not None and self._works(entry):
                    yield entry

    def _works(self, entry: Entry) -> bool:
        """Whether it is a program, not deleted, and installed."""
        if entry.keys.get("Type") != "Application" or entry.flag("Hidden") or not entry.text("Name"):
            return False
        needed = entry.text("TryExec")
        try:
            command = split(entry.text("Exec"))
        except ValueError:
            return False
        return bool(command) and all(
            shutil.which(one, path=self._environment.get("PATH")) is not None
            for one in (needed, command[0])
            if one
        )

    def _said(self, entry: Entry, key: str) -> set[str]:
        """A name as it is shown here, and as it is without a language."""
        return {_folded(entry.text(key, self._locales)), _folded(entry.text(key))}

    def _default(self, kind: str) -> Entry | None:
        """The program that opens this type: the one that was chosen for it, else one that offers to."""
        chosen, removed = default_programs(kind, self._environment)
        for identity in chosen:
            if identity in self._entries:
                return self._entries[identity]
        offering = [
            entry
            for entry in self._entries.values()
            if kind in entry.types() and entry.identity not in removed
        ]
        return min(
            offering, key=lambda entry: (entry.flag("Terminal"), entry.flag("NoDisplay")), default=None
        )

    def _terminal(self) -> list[str]:
        for name, option in _TERMINALS:
            if shutil.which(name, path=self._environment.get("PATH")) is not None:
                return [name, option]
        raise OSError(errno.ENOENT, "it runs in a terminal, and no terminal emulator is installed")

    def _expanded(self, entry: Entry, words: Sequence[str], files: list[str]) -> Iterator[str]:
        """The words with their field codes filled in; what none of them takes goes to the end."""
        taken = False
        for word in words:
            if word in ("%f", "%F", "%u", "%U"):
                yield from () if taken else files
                taken = True
            elif word == "%i":
                yield from ("--icon", icon) if (icon := entry.text("Icon", self._locales)) else ()
            else:
                taken = taken or re.search("%[fFuU]", word.replace("%%", "")) is not None
                yield self._filled(entry, word, files)
        if not taken:
            yield from files

    def _filled(self, entry: Entry, word: str, files: Sequence[str]) -> str:
        values = {
            "%": "%",
            "c": entry.text("Name", self._locales),
            "k": str(entry.path),
            **dict.fromkeys("fFuU", files[0] if files else ""),
        }
        return re.sub("%(.)", lambda code: values.get(code[1], ""), word)


def read_entry(path: Path, identity: str) -> Entry | None:
    """The desktop entry in a file; None when it cannot be read or is none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    keys: dict[str, str] = {}
    inside = False
    for line in lines:
        if line.startswith("["):
            inside = line.strip() == "[Desktop Entry]"
        elif inside and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            keys.setdefault(key.strip(), value.strip())
    return Entry(identity=identity, path=path, keys=keys) if keys else None


def split(command: str) -> list[str]:
    """The words of an ``Exec`` line, with its quotes taken off. Raises ``ValueError`` for a quote that is left open."""
    words = [_unquoted(found) for found in _WORD.findall(command)]
    if _WORD.sub("", command).strip():
        raise ValueError(f"A quote is left open in {command!r}.")
    return words


def locales_of(environment: Mapping[str, str]) -> list[str]:
    """The ends of localized keys, best first: ``de_AT@euro``, ``de_AT``, ``de@euro``, ``de``."""
    name = next((found for key in ("LC_ALL", "LC_MESSAGES", "LANG") if (found := environment.get(key))), "")
    parts = re.fullmatch(r"([A-Za-z]+)(_[A-Za-z]+)?(?:\.[^@]*)?(@\w+)?", name)
    if parts is None:
        return []
    language, country, modifier = parts[1], parts[2] or "", parts[3] or ""
    tried = (language + country + modifier, language + country, language + modifier, language)
    return list(dict.fromkeys(tried))


def _runs(name: str, environment: Mapping[str, str]) -> bool:
    """Whether it is a command, or the path of a file that can run."""
    if "/" not in name:
        return shutil.which(name, path=environment.get("PATH")) is not None
    if "\0" in name or not os.access(name, os.X_OK) or not Path(name).is_file():
        return False
    try:
        with Path(name).open("rb") as file:
            return file.read(4).startswith(_MAGIC)
    except OSError:
        return True  # it may be run, though not read


def _what_to_open(name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """A file, or an address, and its type; an empty type for what is neither."""
    if name.startswith("file://"):
        name = unquote(urlsplit(name).path)
    elif url := _URL.match(name):
        return name, f"x-scheme-handler/{url[1].lower()}"
    elif name.lower().startswith("mailto:"):
        return name, "x-scheme-handler/mailto"
    path = Path(os.path.abspath(home(environment) / name[2:] if name.startswith("~/") else name))  # noqa: PTH100 - links stay
    try:
        there = bool(name) and path.exists()
    except (OSError, ValueError):  # too long for a path, or with a null character
        there = False
    return (str(path), type_of(path, environment)) if there else (name, "")


def _unknown(name: str, menu: Menu) -> str:
    if "/" in name:
        return f'There is no program or file "{name}" here. Give a path that exists, or a program\'s name.'
    names = menu.names()
    by_folded = {_folded(one): one for one in names}
    near = difflib.get_close_matches(_folded(name), by_folded, n=_LISTED, cutoff=_ALIKE)
    commands = difflib.get_close_matches(name, menu.commands(), n=_LISTED, cutoff=0.75)
    offered = [*(by_folded[one] for one in near), *commands][:_LISTED]
    said = f'There is no program "{name}" here'
    if offered:
        return f"{said}. Near to it are " + ", ".join(f'"{one}"' for one in offered) + "."
    listed = ", ".join(f'"{one}"' for one in names[:12])
    return f"{said}. The menu has {listed}." if listed else f"{said}. Install it, or give its full path."


def _identities(entry: Entry) -> Iterable[str]:
    identity = entry.identity.casefold()
    return {identity, f"{identity}.desktop", identity.rpartition(".")[2]}


def _unescaped(value: str) -> str:
    escapes = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[0]), value)


def _unquoted(word: str) -> str:
    pieces = []
    for double, single, escaped, plain in _PIECE.findall(word):
        pieces.append(re.sub(r'\\(["`$\\])', r"\1", double) + single + escaped + plain)
    return "".join(pieces)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
