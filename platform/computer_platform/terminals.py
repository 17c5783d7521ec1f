"""Which programs are terminals, by the class name of their windows: there a newline runs a command."""

from __future__ import annotations

_NAMES = frozenset(
    {"alacritty", "contour", "foot", "footclient", "ghostty", "gnome-terminal-server", "guake", "kgx", "kitty",
     "konsole", "ptyxis", "rio", "rxvt", "sakura", "st", "st-256color", "tabby", "terminator", "terminology",
     "terminus", "termite", "tilda", "tilix", "urxvt", "yakuake"}
)  # fmt: skip
_ENDINGS = ("term", "terminal", "console")


def is_terminal(app: str) -> bool:
    """Whether a window of that class is a terminal's: ``XTerm``, ``Xfce4-terminal``, ``org.gnome.Console``."""
    name = app.casefold().rpartition(".")[2]
    return name in _NAMES or name.endswith(_ENDINGS)
