"""The verbs that actions are made of: point, press, wait, and watch what that changes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.receipt import Receipt
from computer_api.settle import settled
from computer_api.watch import receipt_of, scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.actions import Drag
    from computer_api.geometry import Point
    from computer_api.locate import Locator
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match, Target
    from computer_platform.desktop import Button, Desktop, Element

_PRESS_SECONDS = 0.012  # long enough for programs that poll the buttons
_PIECE_SECONDS = 0.05  # how long a wait goes on without asking whether to stop


class Acting:
    """A desktop, eyes on it, and the patience to wait for it.

    ``check`` raises when a person has stopped the run. ``receipts`` says whether changes are watched.
    """

    def __init__(
        self,
        desktop: Desktop,
        locator: Locator,
        look: Callable[[], Screenshot],
        *,
        patience: float,
        receipts: bool,
    ) -> None:
        self.desktop = desktop
        self.locator = locator
        self.look = look
        self.receipts = receipts
        self.check: Callable[[], None] = lambda: None
        self._patience = patience

    def locate(self, target: Target, seconds: float | None = None) -> Match:
        """Where a target is, waiting for it to appear. Raises ``ComputerError``."""
        patience = self._patience if seconds is None else seconds
        return self.locator.locate(target, seconds=patience, check=self.check)

    def watched(self, matches: tuple[Match, ...], act: Callable[[], None]) -> Receipt:
        """Act, and say what became different; without receipts, only act."""
        if not self.receipts:
            act()
            return Receipt(effect="unknown", matches=matches)
        before = scene(self.desktop, self.look)
        act()
        return receipt_of(before, self.desktop, self.look, matches=matches, check=self.check)

    def quiet(self, *, first: float = 0.0, seconds: float, polls: int = 4) -> Screenshot:
        """The screen once it has stopped changing, or when the time is over."""
        frame = settled(
            lambda: self.look().frame, check=self.check, first=first, seconds=seconds, polls=polls
        ).frame
        return self.look().of(frame)

    def point_at(self, target: Target | None) -> tuple[Match, ...]:
        """Find the target and put the pointer on it; let the control light up before the watching begins."""
        if target is None:
            return ()
        match = self.locate(target)
        self.go_to(match.point)
        return (match,)

    def go_to(self, point: Point) -> None:
        """Put the pointer on a point, and with receipts wait until whatever lights up there has done so."""
        if self.desktop.pointer() != (point.x, point.y):
            self.desktop.move(point.x, point.y)
            if self.receipts:
                self.quiet(seconds=0.25, polls=2)

    def click(self, button: Button = "left", count: int = 1, keys: tuple[str, ...] = ()) -> None:
        """Click where the pointer is, with keys held."""
        self.keys(keys, down=True)
        for _ in range(count):
            self.desktop.button(button, down=True)
            time.sleep(_PRESS_SECONDS)
            self.desktop.button(button, down=False)
        self.keys(keys, down=False)

    def drag(self, start: Point, end: Point, action: Drag) -> None:
        """Press, a nudge, at least eight moves, a dwell with a jiggle, release: what HTML5 and GTK take for a drag."""
        self.keys(action.keys, down=True)
        time.sleep(0.01)
        self.desktop.button(action.button, down=True)
        time.sleep(0.02)
        self.desktop.move(start.x + 4, start.y + 4)
        time.sleep(0.01)
        across, down = end.x - start.x, end.y - start.y
        steps = max(8, max(abs(across), abs(down)) // 40)
        for step in range(1, steps + 1):
            self.check()
            self.desktop.move(start.x + across * step // steps, start.y + down * step // steps)
            time.sleep(0.008)
        time.sleep(0.025)
        self.desktop.move(end.x + 1, end.y)
        self.desktop.move(end.x, end.y)
        time.sleep(0.025)
        self.desktop.button(action.button, down=False)
        self.keys(action.keys, down=False)

    def keys(self, keys: tuple[str, ...], *, down: bool) -> None:
        """Press keys in order, or release them in reverse. Raises ``UnsupportedError`` for a key there is none of."""
        from computer_platform.desktop import CannotType

        try:
            for key in keys if down else reversed(keys):
                self.desktop.key(key, down=down)
        except CannotType as cannot:
            raise UnsupportedError(str(cannot)) from None

    def press(self, *keys: str, times: int = 1) -> None:
        """Press keys together and release them."""
        for _ in range(times):
            self.check()
            self.keys(keys, down=True)
            self.keys(keys, down=False)

    def hold(self, keys: tuple[str, ...], seconds: float) -> None:
        """Hold keys for a while."""
        self.keys(keys, down=True)
        self.wait(seconds)
        self.keys(keys, down=False)

    def wait(self, seconds: float) -> None:
        """Let time pass, in pieces short enough to be stopped."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.check()
            time.sleep(min(left, _PIECE_SECONDS))

    def focused(self) -> Element | None:
        """The control that has the keyboard, where a program says so."""
        accessibility = self.desktop.accessibility
        return None if accessibility is None else accessibility.focused()
