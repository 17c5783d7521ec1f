"""Editors: what they have is what they save. Nothing that changes the text by itself is on."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from typing_sinks.sink import Sink, activate, answering, running, save

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

_TEXT_EDITOR = """[org/gnome/TextEditor]
auto-indent=false
discover-settings=false
restore-session=false
spellcheck=false
"""
_FEATHERPAD = """[text]
noIndent=true
autoBracket=false
autoReplace=false
autoSave=false
appendEmptyLine=false
"""


@contextmanager
def mousepad(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """GTK 3."""
    environment = _folders(folder, "mousepad") | {"GSETTINGS_BACKEND": "memory"}
    kept = _empty(folder / "mousepad.txt")
    with running(desktop, ["mousepad", "--disable-server", str(kept)], environment):
        yield _ready(desktop, kept)


@contextmanager
def text_editor(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """GTK 4: GNOME's editor, drawn without OpenGL."""
    environment = _folders(folder, "text-editor")
    settings = folder / "text-editor" / "glib-2.0" / "settings" / "keyfile"
    settings.parent.mkdir(parents=True)
    settings.write_text(_TEXT_EDITOR)
    environment |= {"GSETTINGS_BACKEND": "keyfile", "GSK_RENDERER": "cairo"}
    kept = _empty(folder / "text-editor.txt")
    with running(desktop, ["gnome-text-editor", "--standalone", str(kept)], environment):
        yield _ready(desktop, kept)


@contextmanager
def featherpad(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """Qt 5."""
    environment = _folders(folder, "featherpad")
    settings = folder / "featherpad" / "featherpad" / "fp.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(_FEATHERPAD)
    kept = _empty(folder / "featherpad.txt")
    with running(desktop, ["featherpad", "--standalone", str(kept)], environment):
        yield _ready(desktop, kept)


def _folders(folder: Path, name: str) -> Mapping[str, str]:
    own = folder / name
    own.mkdir()
    return {
        "XDG_CONFIG_HOME": str(own),
        "XDG_DATA_HOME": str(own / "data"),
        "XDG_CACHE_HOME": str(own / "cache"),
    }


def _empty(file: Path) -> Path:
    file.write_text("")
    return file


def _ready(desktop: X11Desktop, kept: Path) -> Sink:
    activate(desktop, kept.name)
    # Editors end the last line of a file.
    return answering(
        Sink(kept.name, desktop, lambda: kept.read_text("utf-8", "replace").removesuffix("\n"), save)
    )
