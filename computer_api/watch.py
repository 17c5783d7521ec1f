"""Watch what an action changes: the screen and the windows before it, and after the screen is quiet again.

How long to wait is decided by what is seen. A change that can only be the action's is answered for as soon as the
screen is quiet again; where nothing has changed yet there is time, as long as a slow program may take to show
anything, and more while the program works. What moved by itself before proves nothing.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.evidence import Evidence, Scene, evidence, grown_by_neighbours
from computer_api.geometry import Box
from computer_api.settle import POLL_SECONDS, Looking
from computer_api.sight import topmost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.movers import Movers
    from computer_api.receipt import Receipt
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match
    from computer_platform.desktop import Desktop, Window
    from computer_vision.change import Squares

PATIENCE = 2.5  # seconds in which a program that shows no sign of it may still begin to react
AT_ONCE = 0.1  # and in which it begins where the action is one that often changes nothing
_QUIET_SECONDS = 0.17  # without a change: what a program paints in two parts is seldom farther apart
_QUIET_POLLS = 3  # a busy machine may give us no more than one picture in that time
_BRIEF_SECONDS, _BRIEF_POLLS = 0.05, 2  # the same where whatever comes next is waited for by itself
_GOES_ON_SECONDS = 2.5  # how long what an action set off may go on moving
_WORKS_SECONDS = 2.0  # that a program gets beyond these while it computes
_WEAK_SECONDS = 1.3  # after which a clock would have ticked again
_DOUBT_SECONDS = 3.3  # in which it would have ticked three times
_JUST_NOW_SECONDS = 0.15  # what has not changed for longer is no animation, or one that is held up
_TICK_SECONDS = 1.0  # of a clock
_MOST_NAMED = 2


class Watcher:
    """Eyes on a desktop. ``look`` gives its picture; ``check`` is called again and again and may raise."""

    def __init__(
        self,
        desktop: Desktop,
        look: Callable[[], Screenshot],
        movers: Movers,
        *,
        check: Callable[[], None],
    ) -> None:
        self._desktop = desktop
        self._look = look
        self._movers = movers
        self._check = check
        self.brisk = False  # whether what comes after an action is waited for by whoever needs it

    def scene(self, matches: Sequence[Match] = ()) -> Scene:
        """The screen and its windows now, before something is done to what was found there."""
        self._movers.ours = False
        first = self._look()
        if not self._movers.age and self._lively:  # two pictures tell what is in motion
            time.sleep(POLL_SECONDS)
            first = self._look()
        manager = self._desktop.windows
        scene = Scene(
            screenshot=first,
            windows=() if manager is None else manager.all(),
            popups=() if manager is None else manager.popups(),
            known=self._movers.moving(),
            clocks=self._movers.clocks(),
            blinking=self._movers.blinking(),
            still=self._movers.still(),
            suspects=self._movers.suspects(),
        )
        self._movers.ours = True
        return replace(scene, busy=self._desktop.activity(_window_of(scene, matches)) == "busy")

    def receipt(self, before: Scene, matches: Sequence[Match] = (), *, patience: float = PATIENCE) -> Receipt:
        """Wait until the screen is quiet and say what is different from the scene before."""
        watching = _Watching(
            before,
            self._desktop,
            tuple(matches),
            patience=patience if self._lively else AT_ONCE,
            quiet=(_BRIEF_SECONDS, _BRIEF_POLLS) if self.brisk else (_QUIET_SECONDS, _QUIET_POLLS),
        )
        while not watching.over():
            self._check()
            time.sleep(POLL_SECONDS)
            watching.look(self._look())
        self._learn(watching.looking)
        self._movers.suspect(watching.doubted() | watching.looking.ticking(2))
        self._movers.ours = False
        return watching.receipt()

    @property
    def _lively(self) -> bool:
        """Whether programs run there, so that something may come later."""
        return self._desktop.activity(None) != "none"

    def _learn(self, looking: Looking) -> None:
        """Keep what was seen to move by itself: whatever comes next is judged by it."""
        if looking.animated.any():
            self._movers.learn(looking.animated, _TICK_SECONDS)
        clocks = looking.ticking(3) & ~looking.animated
        for squares, other in looking.phases():
            clocks &= ~squares
            if (blinks := squares & looking.ticking(2) & ~looking.animated).any():
                self._movers.learn(blinks, _TICK_SECONDS, other)
        if clocks.any():
            self._movers.learn(clocks, _TICK_SECONDS)


class _Watching:
    """One watch over what an action does."""

    def __init__(
        self,
        before: Scene,
        desktop: Desktop,
        matches: tuple[Match, ...],
        *,
        patience: float,
        quiet: tuple[float, int],
    ) -> None:
        self._before = before
        self._quiet_seconds, self._quiet_polls = quiet
        self._desktop = desktop
        self._matches = matches
        self._patience = patience
        self._began = time.monotonic()
        self._after = before
        self._window = _window_of(before, matches)
        self._busy = 0  # times in a row that the program was seen to work
        self.looking = Looking(before.screenshot.frame, known=before.known)
        self._seen = Evidence()
        self._moving = False

    def look(self, screenshot: Screenshot) -> None:
        """Another picture."""
        self.looking.look(screenshot.frame)
        self._after = replace(self._after, screenshot=screenshot)

    def over(self) -> bool:
        """Whether there is nothing to wait for any more."""
        now = time.monotonic()
        passed, touched = now - self._began, self.looking.touched or self._began
        if self.looking.quiet < self._quiet_polls or now - touched < self._quiet_seconds:
            self._moving = passed >= max(_GOES_ON_SECONDS, self._patience)
            if self._moving:
                self._judge()
            return self._moving
        self._judge()
        return passed >= self._enough() and not self._works(passed)

    def receipt(self) -> Receipt:
        """What came of it."""
        moving = self.looking.regions(self.looking.moving()) if self._moving or self._new_animation() else ()
        shot = self._after.screenshot
        boxes = tuple(shot.box_of(region) for region in moving)
        return self._seen.receipt(
            self._matches,
            busy=self._busy > 1,
            moving=boxes,
            where=_places(shot, boxes),
        )

    def _enough(self) -> float:
        """After how many seconds what is known by now is enough."""
        if self._seen.firm:
            return _GOES_ON_SECONDS if self._new_animation() else AT_ONCE
        if not self._seen.unsure:
            return self._patience
        changed = [self.looking.last(squares) for squares in self._doubts() if not self._ticks(squares)]
        once = min(changed, default=math.inf) - self._began + _WEAK_SECONDS
        return max(AT_ONCE, min(_DOUBT_SECONDS, once))

    def doubted(self) -> Squares:
        """Where something changed that a clock may have changed."""
        from computer_vision.change import squares_of

        height, width = self.looking.frame.pixels.shape[:2]
        return squares_of(self._seen.unsure, (width, height))

    def _doubts(self) -> tuple[Squares, ...]:
        """Each of the places where something changed that a clock may have changed."""
        from computer_vision.change import squares_of

        height, width = self.looking.frame.pixels.shape[:2]
        return tuple(squares_of((region,), (width, height)) for region in self._seen.unsure)

    def _ticks(self, squares: Squares) -> bool:
        return bool((self.looking.ticking(2) & squares).any())

    def _outlasted(self) -> tuple[Squares, ...]:
        """The places that would have changed again by now, were they clocks."""
        now = time.monotonic()
        return tuple(
            squares
            for squares in self._doubts()
            if not self._ticks(squares) and now - self.looking.last(squares) >= _WEAK_SECONDS
        )

    def _new_animation(self) -> bool:
        """Whether something goes on moving that did not before: a program that says that it works."""
        known = grown_by_neighbours(self.looking.known, self.looking.animated)
        return bool((self.looking.animated & self.looking.moving() & ~known).any())

    def _works(self, passed: float) -> bool:
        """Whether the program computes, which it did not before; for a limited time that is waited for."""
        longest = (_GOES_ON_SECONDS if self._seen.firm else self._patience) + _WORKS_SECONDS
        if passed >= longest:
            return False
        if self._before.busy or self._animated():
            self._busy = 0
            return False
        self._busy = self._busy + 1 if self._desktop.activity(self._window) == "busy" else 0
        return self._busy > 0

    def _animated(self) -> bool:
        """Whether something moves in the window, for which its program works all the time."""
        if self._window is None:
            return True
        moving = self.looking.regions(self.looking.changing(_JUST_NOW_SECONDS))
        place = Box(*self._window.area)
        return any(self._after.screenshot.box_of(region).overlap(place) for region in moving)

    def _judge(self) -> None:
        """What is different by now; windows are asked for only where the picture changed or time is over."""
        news, self.looking.news = self.looking.news, False
        if not news and time.monotonic() - self._began < self._enough():
            return
        manager = self._desktop.windows
        if manager is not None:
            self._after = replace(self._after, windows=manager.all(), popups=manager.popups())
        outlasted = self._outlasted()
        self._seen = evidence(self._before, self._after, self.looking, self._matches, outlasted=outlasted)
        if not self._seen.firm and not self._matches and not news:
            self._look_back()

    def _look_back(self) -> None:
        """Judge by what was seen on the way: a caret that went on may not be shown just now."""
        for frame in self.looking.looks:
            then = replace(self._after, screenshot=self._after.screenshot.of(frame))
            seen = evidence(self._before, then, self.looking, self._matches)
            if seen.firm:
                self._seen = seen
                return


def _window_of(scene: Scene, matches: Sequence[Match]) -> Window | None:
    """The window that an action is done to."""
    if matches:
        return topmost(scene.windows, matches[-1].point)
    return next((window for window in scene.windows if window.active), None)


def _places(screenshot: Screenshot, boxes: Sequence[Box]) -> str:
    """Where they are on the picture, in a few words."""
    places = []
    for box in sorted(boxes, key=lambda box: -box.width * box.height)[:_MOST_NAMED]:
        left, top, width, height = screenshot.rectangle(box)
        places.append(f"{left},{top} ({width}x{height})")
    return " and ".join(places)
