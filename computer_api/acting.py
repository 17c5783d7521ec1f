"""The verbs that actions are made of: point, press, wait, and watch what that changes."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError, PersonActiveError, UnsupportedError
from computer_api.keys import on_platform
from computer_api.lighting import Lighting
from computer_api.movers import Movers
from computer_api.own_terminal import own
from computer_api.pointer import Pointer
from computer_api.receipt import Receipt
from computer_api.settle import settled
from computer_api.sight import topmost, window_under
from computer_api.targets import described
from computer_api.watch import AT_ONCE, PATIENCE, Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_api.evidence import Scene
    from computer_api.geometry import Point
    from computer_api.locate import Locator
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match, Target
    from computer_platform.desktop import Button, Desktop, Element, Frame, Window

_MOVED_POINTS = 6  # a box that is read anew may be that much off


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a person was shown before saying yes: where a target was, and the id of the window it was in."""

    target: Target
    match: Match
    window: int | None


class Acting:
    """A desktop, eyes on it, and the patience to wait for it.

    ``check`` raises when a person has stopped the run. ``receipts`` says whether changes are watched. With ``glide``
    the pointer moves as a hand would.
    """

    def __init__(
        self,
        desktop: Desktop,
        locator: Locator,
        look: Callable[[], Screenshot],
        *,
        patience: float,
        receipts: bool,
        glide: bool = False,
    ) -> None:
        self.desktop = desktop
        self.locator = locator
        self.look = look
        self.receipts = receipts
        self.check: Callable[[], None] = lambda: None
        self.pointer = Pointer(desktop, check=lambda: self.check(), glide=glide)  # noqa: PLW0108 - it is replaced later
        self.shown: tuple[Shown, ...] = ()
        self.begun = False  # whether the action has sent anything
        self.patience = patience
        self._before: tuple[Scene, tuple[Match, ...]] | None = None  # as the last action began
        self.movers = Movers()
        self._lighting = Lighting(desktop, look, self.movers, check=lambda: self.check())  # noqa: PLW0108 - it is replaced later
        self._watcher = Watcher(desktop, look, self.movers, check=lambda: self.check())  # noqa: PLW0108 - it is replaced later

    def locate(self, target: Target, seconds: float | None = None) -> Match:
        """Where a target is, waiting for it to appear. Raises ``ComputerError``."""
        patience = self.patience if seconds is None else seconds
        match = self.locator.locate(target, seconds=patience, check=self.check)
        for shown in self.shown:
            if shown.target == target:
                self._still(shown, match)
        return match

    def show(self, target: Target) -> Shown:
        """Where a target is now, and in which window, for a person who is asked about it."""
        match = self.locate(target)
        return Shown(target=target, match=match, window=self._window_at(match.point))

    def _still(self, shown: Shown, match: Match) -> None:
        """Raise unless the target is where it was when the person was asked, and in the same window."""
        window = self._window_at(match.point)
        moved = max(abs(match.point.x - shown.match.point.x), abs(match.point.y - shown.match.point.y))
        if moved <= _MOVED_POINTS and window == shown.window:
            return
        raise ComputerError(
            f"{described(shown.target)} is not where it was shown when you were asked "
            f"({shown.match.point.x},{shown.match.point.y}; now {match.point.x},{match.point.y}"
            f"{', another window' if window != shown.window else ''}), so nothing was done."
        )

    def _window_at(self, point: Point) -> int | None:
        window = window_under(self.desktop, point)
        return None if window is None else window.id

    def receiver(self) -> Window | None:
        """The window that keys are meant for: the active one, or, where that is our own terminal, the one behind it."""
        manager = self.desktop.windows
        stack = () if manager is None else manager.all()
        avoided = own(stack, self.locator.avoided)
        active = next((window for window in stack if window.active), None)
        if active is None or active.id not in avoided:
            return active
        return next(
            (window for window in reversed(stack) if window.id not in avoided and not window.hidden), None
        )

    def give_keyboard(self) -> None:
        """Before keys are sent: where our own terminal has the keyboard, give it to the window behind that.

        Raises ``UnsupportedError`` when there is none: what is typed would answer our own questions.
        """
        manager = self.desktop.windows
        if manager is None or not self.locator.avoided:
            return
        window = self.receiver()
        if window is not None and not window.active:
            manager.activate(window)
        elif window is None and own(manager.all(), self.locator.avoided):
            raise UnsupportedError(
                "The keyboard is in the terminal that runs this, and there is no other window: open one first."
            )

    def watched(
        self, matches: tuple[Match, ...], act: Callable[[], None], *, patience: float = PATIENCE
    ) -> Receipt:
        """Act, and say what became different; without receipts, only act.

        ``patience`` is for how many seconds an effect is waited for where none shows.
        """
        if not self.receipts:
            self.begun = self.movers.ours = True
            act()
            return Receipt(effect="unknown", matches=matches)
        before = self.scene(matches)
        self.begun = True
        act()
        try:
            return self.receipt(before, matches, patience=patience)
        except PersonActiveError:  # it is done; what changes now may be the person's work
            return Receipt(effect="unknown", matches=matches)

    @property
    def brisk(self) -> bool:
        """Whether to wait for no more quiet than shows that something is over: what comes next is waited for."""
        return self._watcher.brisk

    @brisk.setter
    def brisk(self, brisk: bool) -> None:
        self._watcher.brisk = brisk

    def scene(self, matches: Sequence[Match] = ()) -> Scene:
        """The screen and its windows now, before something is done to what was found there."""
        scene = self._watcher.scene(matches)
        self._before = (scene, tuple(matches))
        return scene

    def later(self) -> Receipt | None:
        """What the last action has changed by now; None where nothing was watched."""
        return None if self._before is None else self.receipt(*self._before, patience=AT_ONCE)

    def forget(self) -> None:
        """Another action begins."""
        self._before = None

    def receipt(self, before: Scene, matches: Sequence[Match] = (), *, patience: float = PATIENCE) -> Receipt:
        """What became different since that scene, once the screen is quiet."""
        receipt = self._watcher.receipt(before, matches, patience=patience)
        if not receipt.only_focus:
            return receipt
        control = self.focused()
        return (
            receipt if control is None else replace(receipt, control=f'the {control.role} "{control.name}"')
        )

    def quiet(self, *, first: float = 0.0, seconds: float, polls: int = 4) -> Screenshot:
        """The screen once it has stopped changing, or when the time is over."""
        latest: list[Screenshot] = []

        def capture() -> Frame:
            latest[:] = [self.look()]
            return latest[0].frame

        settled(
            capture,
            check=self.check,
            first=first,
            seconds=seconds,
            polls=min(polls, 2) if self.brisk else polls,
            known=self.movers.moving(),
        )
        return latest[0]  # with its own size, should the screen have got another one meanwhile

    def point_at(self, target: Target | None) -> tuple[Match, ...]:
        """Find the target and put the pointer on it; let the control light up before the watching begins."""
        if target is None:
            return ()
        match = self.locate(target)
        self.go_to(match.point)
        return (match,)

    def go_to(self, point: Point) -> None:
        """Put the pointer on a point, and with receipts wait until whatever lights up there has done so."""
        self.refuse_own_terminal(point)
        start = self.pointer.position()
        if start == point:
            return
        with self._lighting.waited_for(start, point) if self.receipts else nullcontext():
            self.movers.ours = True
            self.pointer.move(point)

    def refuse_own_terminal(self, point: Point) -> None:
        """Raise ``UnsupportedError`` for a point in the terminal that runs this."""
        manager = self.desktop.windows if self.locator.avoided else None
        if manager is None:
            return
        stack = manager.all()
        window = topmost(stack, point)
        if window is not None and window.id in own(stack, self.locator.avoided):
            raise UnsupportedError(
                f"({point.x}, {point.y}) lies in the terminal that runs this, where nothing is done. "
                "Move that window aside."
            )

    def click(self, button: Button = "left", count: int = 1, keys: tuple[str, ...] = ()) -> None:
        """Click where the pointer is, with keys held."""
        with self.holding(keys):
            self.pointer.click(button, count)

    @contextmanager
    def holding(self, keys: tuple[str, ...]) -> Iterator[None]:
        """Hold keys meanwhile; one that was down before stays down. What breaks off leaves them to be released."""
        down = self.desktop.held() if keys else frozenset()
        mine = tuple(key for key in keys if key not in down)
        self.keys(mine, down=True)
        yield
        self.keys(mine, down=False)

    def keys(self, keys: tuple[str, ...], *, down: bool) -> None:
        """Press keys in order, or release them in reverse. Raises ``UnsupportedError`` for a key there is none of."""
        from computer_platform.desktop import CannotType

        if down and keys:
            self.give_keyboard()
        try:
            for key in keys if down else reversed(keys):
                self.desktop.key(on_platform(key, self.desktop.name), down=down)
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
        self.pointer.wait(seconds)

    def focused(self) -> Element | None:
        """The control that has the keyboard, where a program says so."""
        accessibility = self.desktop.accessibility
        return None if accessibility is None else accessibility.focused()
