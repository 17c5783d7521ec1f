"""Which window an action of a replay reaches: the one that it is meant for, with no dialog in the way.

A recording does not foresee every dialog. One that it knows nothing of takes what is typed, and swallows what is
clicked on the window below; so what is about to be sent waits for it to go, and is not sent while it stays.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from computer_agent.trace.compare import folded_title
from computer_api.actions import (
    CHECKS,
    AnswerPrompt,
    Browse,
    Click,
    HoldKeys,
    KeyDown,
    PressKeys,
    RunCode,
    TypeText,
    targets_of,
)
from computer_api.errors import ComputerError
from computer_api.sight import topmost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from computer_agent.trace.reader import Attempt
    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt
    from computer_platform.desktop import Window

_POLL_SECONDS = 0.1
_ELSEWHERE = (*CHECKS, RunCode, AnswerPrompt, Browse)  # which send nothing to a window
_KEYS = (TypeText, PressKeys, HoldKeys, KeyDown)


@dataclass(slots=True, kw_only=True)
class Receiver:
    """Follows which window the keyboard is meant for. ``titles`` are all windows that the recording opened.

    ``known`` are other titles that it knows, folded.
    """

    computer: Computer
    titles: frozenset[str]
    known: set[str] = field(default_factory=set)
    _clicked: int | None = field(default=None, init=False)  # the window that took the last click
    _went_to: set[str] = field(default_factory=set, init=False)  # titles that the keyboard went to after that

    def learn(self, recorded: Receipt) -> None:
        """Take the windows and dialogs in which a recorded action was done as known."""
        anchors = [match.anchors for match in recorded.matches if match.anchors is not None]
        self.known |= _folded(title for each in anchors for title in (each.window, each.dialog) if title)

    def check(self, action: Action, patience: float, recorded: Attempt | None = None) -> None:
        """Wait until nothing is in the way of an action. Raises ``ComputerError``, before anything was sent."""
        if isinstance(action, _ELSEWHERE):
            return
        targets = targets_of(action)
        if isinstance(action, _KEYS) and not targets:
            self._wait(lambda: self._astray(recorded), patience)
        elif targets:
            self._wait(lambda: self._blocked(action), patience)

    def follow(self, action: Action, receipt: Receipt, recorded: Receipt) -> None:
        """After an action: which window keys are meant for from now on."""
        if isinstance(action, CHECKS):
            return
        titles = _folded([*recorded.opened, *recorded.renamed, *([recorded.focus] if recorded.focus else [])])
        if isinstance(action, Click | TypeText) and receipt.matches:
            window = topmost(self.computer.windows.all(), receipt.matches[-1].point)
            self._clicked, self._went_to = None if window is None else window.id, set()
        elif not isinstance(action, _KEYS):
            self._clicked = None  # it may have given the keyboard to another one, as it was asked to
        self._went_to |= titles

    def _wait(self, wrong: Callable[[], str | None], patience: float) -> None:
        deadline = time.monotonic() + patience
        while (why := wrong()) is not None:
            if time.monotonic() >= deadline:
                raise ComputerError(why)
            self.computer.pause(_POLL_SECONDS)

    def _astray(self, recorded: Attempt | None) -> str | None:
        """Why keys would go elsewhere than they are meant for."""
        now = self.computer.receiving()
        if recorded is not None and recorded.app and (now is None or not self._was(now, recorded)):
            here = "no window" if now is None else f'"{now.title or now.app}"'
            there = recorded.window or recorded.app
            return f'The keyboard is in {here}, not in "{there}" as it was recorded, so nothing was typed.'
        if now is None or self._clicked is None or now.id == self._clicked or self._is_meant(now):
            return None
        meant = next((one for one in self.computer.windows.all() if one.id == self._clicked), None)
        if meant is None:  # it was closed, as it may have been when it was recorded
            return None
        here, there = now.title or now.app, meant.title or meant.app
        return f'The keyboard is in "{here}", not in "{there}", so nothing was typed.'

    def _was(self, now: Window, recorded: Attempt) -> bool:
        """Whether it may be the window that had the keyboard: known, or the only one of the program that it can be."""
        if now.app != recorded.app:
            return False
        title, meant = folded_title(now.title), folded_title(recorded.window)
        if title == meant or title in _folded(self.titles) or title in self.known:
            return True
        others = (one for one in self.computer.windows.all() if one.app == recorded.app and not one.hidden)
        return not now.modal and all(folded_title(one.title) != meant for one in others)

    def _is_meant(self, window: Window) -> bool:
        return folded_title(window.title) in self._went_to

    def _blocked(self, action: Action) -> str | None:
        """Why a window would not take the mouse: a dialog of its program that the recording did not open."""
        stack = self.computer.windows.all()
        known = _folded(self.titles) | self.known
        dialogs = [
            one for one in stack if one.modal and not one.hidden and folded_title(one.title) not in known
        ]
        if not dialogs:
            return None
        for target in targets_of(action):
            window = topmost(stack, self.computer.locate(target).point)
            above = next((one for one in dialogs if window is not None and _blocks(one, window)), None)
            if above is not None:
                return f'The dialog "{above.title or above.app}" is in the way, which the recording does not know.'
        return None


def _blocks(dialog: Window, window: Window) -> bool:
    """Whether a dialog stands before that window of its program."""
    if dialog.id in (window.id, window.dialog_of):
        return False
    return dialog.dialog_of == window.id or (dialog.pid is not None and dialog.pid == window.pid)


def _folded(titles: Iterable[str]) -> set[str]:
    return {folded_title(title) for title in titles}
