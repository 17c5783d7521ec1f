"""How risky it is to browse: reading is not, loading a page of a host that was not allowed is asked about.

What ``--network`` names, and this machine, is loaded unasked. Where that flag or ``--offline`` holds the browser
back, no other host can be reached, so that following and clicking stay where they do no harm unless a word
announces more. Files that come down or leave, and secrets that are filled in, are always asked about but with ``-y``.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from computer_agent.approval.approval import Risk
from computer_agent.approval.code import Label
from computer_agent.approval.risk import hidden_path
from computer_agent.approval.words_of_risk import risky_word
from computer_api.browser.reach import Reach, whole_address
from computer_api.errors import ComputerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code import LabelName, Level
    from computer_api.actions import Browse

_READING = frozenset({"read", "more", "tabs", "tab", "back", "forward", "quit"})


def risk_of_browsing(action: Browse, unasked: Reach, *, held: bool, called: Callable[[str], str]) -> Risk:
    """The risk of one action. ``unasked`` is what may be loaded without a question, ``held`` that nothing else can be.

    ``called`` is what a number of the page that was read last stands for, ``""`` where nobody knows.
    """
    if action.what in _READING:
        return Risk(level="low", confined=True)
    name = called(action.where)
    words = f'[{action.where.strip("[]")}] is "{name}"' if name and name != action.where else ""
    match action.what:
        case "open" | "search":
            return _loads(action, unasked)
        case "download":
            return _saves(action, words)
        case "upload":
            return _sends(action, words)
        case "fill" if action.secret:
            return _risk("high", "secret-read", "fills in a secret" + (f": {words}" if words else ""))
        case "fill" if not action.text.endswith("\n"):
            return _risk("medium", "write", words, confined=True)
        case _:
            announced = risky_word(name or action.where)
            if announced is not None:
                said = f'"{name or action.where}": the word "{announced}" announces more than a look'
                return _risk("high", "destructive", said)
            return _risk("medium", "network", words, confined=held and bool(name))


def _loads(action: Browse, unasked: Reach) -> Risk:
    if action.what == "search":
        said = f'asks a search engine on the internet for "{action.where}"'
        return Risk(level="low", confined=True) if unasked.everything else _risk("medium", "network", said)
    try:
        host = urlsplit(whole_address(action.where)).hostname or ""
    except ComputerError:  # which is said when it is done
        return Risk(level="low", confined=True)
    if unasked.allows(host):
        return Risk(level="low", confined=True)
    return _risk("medium", "network", f'loads a page of the host "{host}"')


def _sends(action: Browse, words: str) -> Risk:
    """A file leaves: what is hidden, or lies behind a link that code may have made, is asked about with ``-y``, too."""
    said = f'gives the website the file "{action.text}"{f": {words}" if words else ""}'
    try:
        path = Path(action.text).expanduser()
        real = path.resolve()
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # nobody's home, links in a circle, no path: uploading says it
        return _risk("high", "network", said)
    unclear = hidden_path(action.text) or real != Path(os.path.abspath(path))  # noqa: PTH100 - follows no links
    hard = f'a hidden file, or one behind a link, leaves this computer: "{real}"' if unclear else None
    return replace(_risk("high", "network", said), hard=hard)


def _saves(action: Browse, words: str) -> Risk:
    said = f"saves a file{f': {words}' if words else ''}"
    hidden = bool(action.folder) and hidden_path(action.folder)
    return _risk("high" if hidden else "medium", "write", said)


def _risk(level: Level, name: LabelName, words: str, *, confined: bool = False) -> Risk:
    labels = (Label(name=name, words=words),) if words else ()
    return Risk(
        level=level, labels=labels, confined=confined, undo="what is sent to a website cannot be undone"
    )
