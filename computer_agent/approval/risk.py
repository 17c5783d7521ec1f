"""Which actions are plainly harmless: they look, wait or point, and change nothing that lasts."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from computer_agent.hosts import served_here
from computer_api import actions

if TYPE_CHECKING:
    from computer_api.actions import Action

_OPEN_FOLDERS = frozenset({"home", "users", "tmp", "media", "mnt", "volumes"})
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
    actions.Notify,
    actions.AskModel,  # which learns nothing that the run's own model would not be told anyway
)


def harmless(action: Action) -> bool:
    """Whether the action may run unasked in the mode ``ask``.

    Not so: scrolling, which turns a slider it is over; releasing a button, which drops what is dragged; reading the
    clipboard, which may hold a secret; asking another machine; looking for a text in a hidden file, as those with keys
    are.
    """
    match action:
        case actions.ExpectFile(path=path, holds=holds):
            return holds is None or not hidden_path(path)
        case actions.ExpectHttp(url=url):
            return served_here(url)
        case actions.Browse(what=what, where=where):
            return what in {"read", "more", "tabs", "tab", "back", "forward", "quit"} or (
                what == "open" and served_here(where)
            )
        case _:
            return isinstance(action, _HARMLESS)


def hidden_path(path: str) -> bool:
    """Whether a path leads over a name that begins with a dot, or to where the system or another person keeps files.

    A pattern stands for what it may match: ``/e*/shadow`` is none of the folders that are open.
    """
    root, *parts = PurePath(path).parts or ("",)
    if any(part.startswith(".") and part != "." for part in (root, *parts)):
        return True
    if root.startswith("~"):
        return root != "~"
    return PurePath(path).is_absolute() and (not parts or parts[0].casefold() not in _OPEN_FOLDERS)
