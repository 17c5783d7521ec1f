"""Which actions are plainly harmless: they look, wait or point, and change nothing that lasts."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from computer_api import actions

if TYPE_CHECKING:
    from computer_api.actions import Action

_HARMLESS = (
    actions.Look,
    actions.Zoom,
    actions.Wait,
    actions.Expect,
    actions.ExpectValue,
    actions.ExpectTicked,
    actions.ExpectProcess,
    actions.Move,
    actions.FocusWindow,
    actions.ArrangeWindow,
    actions.PlaceWindow,
    actions.WaitForWindow,
)


def harmless(action: Action) -> bool:
    """Whether the action may run unasked in the mode ``ask``.

    Not so: scrolling, which turns a slider it is over; releasing a button, which drops what is dragged; reading the
    clipboard, which may hold a secret; asking another machine; looking for a text in a hidden file, as those with keys
    are.
    """
    match action:
        case actions.ExpectFile(path=path, holds=holds):
            return holds is None or not _is_hidden(path)
        case actions.ExpectHttp(url=url):
            return _is_here(url)
        case _:
            return isinstance(action, _HARMLESS)


def _is_hidden(path: str) -> bool:
    """Whether a path leads over a name that begins with a dot, or to where the system keeps its own."""
    dotted = any(part.startswith(".") and part != "." for part in PurePath(path).parts)
    return dotted or path.startswith(("/etc", "/proc", "/root", "/var"))


def _is_here(url: str) -> bool:
    """Whether a web address is of this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
