"""The files from which a program draws its icons: freedesktop icon themes, and LibreOffice's own sets.

Which theme a program uses is told by its environment and GTK's and Qt's settings; nothing is read at import.
"""

from __future__ import annotations

import configparser
import io
import re
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_DEFAULT: Final = "Adwaita"  # what GTK uses where no setting names another
_FALLBACKS: Final = ("Adwaita", "hicolor")
_ENDINGS: Final = (".svg", ".png", "-symbolic.svg", "-symbolic.symbolic.png")
_LONGEST: Final = 12  # themes that one may inherit from, one after another
_LARGEST: Final = 64  # nominal size of an icon in a bar or a list, in pixels
_OFFICE_FOLDERS: Final = (("cmd/lc_", 24), ("cmd/sc_", 16), ("cmd/32/", 32))


@dataclass(frozen=True, slots=True, kw_only=True)
class IconFile:
    """One drawing of an icon: the file's bytes (SVG or PNG), and its nominal size in pixels, 0 for any size.

    A symbolic one is drawn in the colour of the text around it.
    """

    name: str
    theme: str
    data: bytes
    size: int
    symbolic: bool


def environment_of(pid: int) -> dict[str, str]:
    """The environment that a process was started with; empty where that is not told, or not to us."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = (entry.partition(b"=") for entry in raw.split(b"\0") if b"=" in entry)
    return {name.decode(errors="replace"): value.decode(errors="replace") for name, _, value in pairs}


def office_folder(pid: int) -> Path | None:
    """Where the program keeps its ``images_*.zip``, if it is LibreOffice."""
    try:
        program = Path(f"/proc/{pid}/exe").resolve()
    except OSError:
        return None
    folder = program.parent.parent / "share" / "config"
    return folder if any(folder.glob("images_*.zip")) else None


def theme_name(environment: Mapping[str, str]) -> str:
    """The icon theme that a program of this environment uses."""
    if environment.get("GTK_ICON_THEME"):
        return environment["GTK_ICON_THEME"]
    for file, section, key in _settings(environment):
        value = _setting(file, section, key)
        if value:
            return value
    return _DEFAULT


def _settings(environment: Mapping[str, str]) -> Iterator[tuple[Path, str, str]]:
    """The files that may name a theme, the strongest first."""
    home = Path(environment.get("HOME") or "/nonexistent")
    own = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    shared = [Path(folder) for folder in (environment.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")]
    chosen = environment.get("QT_QPA_PLATFORMTHEME", "")
    if chosen in {"qt5ct", "qt6ct"}:
        yield own / chosen / f"{chosen}.conf", "Appearance", "icon_theme"
    for folder in (own, *shared, Path("/etc")):
        for version in ("gtk-3.0", "gtk-4.0"):
            yield folder / version / "settings.ini", "Settings", "gtk-icon-theme-name"


def _setting(file: Path, section: str, key: str) -> str:
    parser = _parsed(file)
    return parser.get(section, key, fallback="").strip().strip('"')


def _parsed(file: Path) -> configparser.ConfigParser:
    """A file of sections and keys; an empty one where it is missing or broken. Kept while it stays as it is."""
    return _read(file, _changed(file))


def _changed(file: Path) -> int:
    """When the file was changed last; 0 where there is none."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=32)
def _read(file: Path, changed: int) -> configparser.ConfigParser:  # noqa: ARG001 - a changed file is read anew
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(file.read_text(errors="replace"))
    except (OSError, configparser.Error):
        return configparser.ConfigParser(interpolation=None)
    return parser


def folders(environment: Mapping[str, str]) -> list[Path]:
    """The folders that hold icon themes, the strongest first."""
    home = Path(environment.get("HOME") or "/nonexistent")
    own = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    shared = (environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    found = [home / ".icons", own / "icons", *(Path(folder) / "icons" for folder in shared if folder)]
    return [folder for folder in found if folder.is_dir()]


def themed(names: Sequence[str], environment: Mapping[str, str]) -> tuple[IconFile, ...]:
    """The drawings of these icon names in the theme of that environment, those of the first name first.

    Of each name, those of the first theme in the chain of inheritance that has it at all.
    """
    roots = folders(environment)
    chain = _chain(theme_name(environment), roots)
    found: list[IconFile] = []
    for name in names:
        if not re.fullmatch(r"[\w.+-]+", name):
            continue
        of_themes = (list(_files(name, theme, folder)) for theme, folder in chain)
        found.extend(next((files for files in of_themes if files), []))
    return tuple(found)


def _chain(name: str, roots: Sequence[Path]) -> list[tuple[str, Path]]:
    """The theme and all that it inherits from, once each, where they are installed."""
    waiting, seen = [name], [name]
    chain = []
    while waiting and len(seen) < _LONGEST:
        theme = waiting.pop(0)
        for root in roots:
            index = _parsed(root / theme / "index.theme")
            if not index.has_section("Icon Theme"):
                continue
            chain.append((theme, root / theme))
            parents = index.get("Icon Theme", "Inherits", fallback="").split(",")
            new = [parent.strip() for parent in parents if parent.strip() and parent.strip() not in seen]
            waiting.extend(new)
            seen.extend(new)
        if not waiting:
            missing = [theme for theme in _FALLBACKS if theme not in seen]
            waiting.extend(missing)
            seen.extend(missing)
    return chain


def _files(name: str, theme: str, folder: Path) -> Iterator[IconFile]:
    """The drawings of one name in one theme."""
    index = folder / "index.theme"
    for part, size, scalable in _parts(index, _changed(index)):
        for ending in _ENDINGS:
            try:
                # Most of the hundreds of paths do not exist, and a Path takes longer to make than to look for.
                with open(f"{folder}/{part}/{name}{ending}", "rb") as file:  # noqa: PTH123
                    data = file.read()
            except OSError:
                continue
            yield IconFile(
                name=name,
                theme=theme,
                data=data,
                size=0 if scalable or ending.startswith("-") else size,
                symbolic=ending.startswith("-"),
            )


@lru_cache(maxsize=32)
def _parts(file: Path, changed: int) -> tuple[tuple[str, int, bool], ...]:
    """The folders of a theme whose drawings are not too large, their size in pixels, and whether they fit any."""
    index = _read(file, changed)
    parts = []
    for part in index.get("Icon Theme", "Directories", fallback="").split(","):
        size = index.getint(part, "Size", fallback=0) * index.getint(part, "Scale", fallback=1)
        scalable = index.get(part, "Type", fallback="") == "Scalable"
        if part and (size <= _LARGEST or scalable):
            parts.append((part, size, scalable))
    return tuple(parts)


def office(commands: Sequence[str], folder: Path) -> tuple[IconFile, ...]:
    """The drawings of LibreOffice commands (``save``), in all its sets: it may use the light or the dark one."""
    found: list[IconFile] = []
    for file in sorted(folder.glob("images_*.zip")):
        if "helpimg" in file.name:
            continue
        archive, aliases = _set(file, file.stat().st_mtime_ns)
        for command in commands:
            found.extend(_of_command(command, archive, aliases, file.stem))
    return tuple(found)


@lru_cache(maxsize=8)
def _set(file: Path, changed: int) -> tuple[zipfile.ZipFile, dict[str, str]]:  # noqa: ARG001 - a changed file is read anew
    """A set of icons in memory, since its list is long to read, and the names that stand for others in it."""
    archive = zipfile.ZipFile(io.BytesIO(file.read_bytes()))
    return archive, _aliases(archive)


def _of_command(
    command: str, archive: zipfile.ZipFile, aliases: Mapping[str, str], theme: str
) -> Iterator[IconFile]:
    """The drawings of one command in one set, at each of its sizes."""
    members = archive.NameToInfo
    for prefix, size in _OFFICE_FOLDERS:
        for ending in (".png", ".svg"):
            path = f"{prefix}{command}{ending}"
            path = path if path in members else aliases.get(path, "")
            if path in members:
                data = archive.read(path)
                yield IconFile(name=command, theme=theme, data=data, size=size, symbolic=False)


def _aliases(archive: zipfile.ZipFile) -> dict[str, str]:
    """Names that stand for another file of the set."""
    try:
        lines = archive.read("links.txt").decode().splitlines()
    except KeyError:
        return {}
    pairs = (line.split() for line in lines)
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}  # noqa: PLR2004 - a name and what it stands for
