"""Scrolling by pixels with a wheel that has only notches: turn, look how far that went, turn again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.receipt import Scrolled
from computer_api.settle import alike, settled
from computer_api.sight import window_under
from computer_platform.desktop import Area

if TYPE_CHECKING:
    from computer_api.acting import Acting
    from computer_api.receipt import Way
    from computer_platform.desktop import Frame, Window
    from computer_vision.motion import Motion

_NOTCH_PIXELS = 120.0  # what a notch is taken for where the picture does not tell
_ROUNDS = 100  # of turning and looking, at most
_PART = 0.75  # of what is seen to move may go by at a time: the rest has to be found again
_ACROSS_POINTS = 640  # enough to see how far a program scrolled; more would only cost time
_FIRST_SECONDS = 0.06  # how long a program gets to begin
_POLLS = 3  # pictures in a row that are alike: it is quiet
_SECONDS = 1.5
_MORE_POLLS = 12  # and where more may be on its way; counted, as a slow machine takes longer for them, too
_MORE_SECONDS = 2.0  # at most
_FIRST_BUSY_SECONDS = 1.0  # that a scroll waits for a program that is at work already; some always are
_BUSY_SECONDS = 5.0  # and for one that its notches have put to work, on an axis
_LOOKS = 3  # a program that has nothing to do at all of them is at rest


def scroll_pixels(acting: Acting, *, right: int, down: int) -> tuple[Scrolled, ...]:
    """Scroll what is under the pointer by about so many pixels of the picture, one axis after the other."""
    screenshot = acting.look()
    native, shown = screenshot.native, screenshot.size
    done = []
    if down:
        done.append(_Wheel(acting, "down", native.height / shown.height).scroll(down))
    if right:
        done.append(_Wheel(acting, "right", native.width / shown.width).scroll(right))
    return tuple(done)


@dataclass(slots=True)
class _Progress:
    """How far the content came, in captured pixels, by how many notches; what a notch is worth, as seen last."""

    certain: bool
    moved: float = 0.0
    notches: int = 0
    notch: float = _NOTCH_PIXELS
    longest: float = 0.0  # notch that was seen
    extent: int = 0  # of the part that moves
    still: bool = False  # the last notches moved nothing

    def whole(self, notches: int, pixels: int | None) -> bool:
        """Whether so many notches did exactly what those before did; otherwise it may not all have been painted."""
        return self.notches > 0 and pixels is not None and abs(pixels - notches * self.notch) < 1

    def add(self, notches: int, pixels: int | None, extent: int) -> None:
        """Add what so many notches did, as far as it could be seen."""
        if pixels is None:
            self.certain = False
        else:
            self.notch = max(1.0, pixels / notches)
            self.longest = max(self.longest, self.notch)
        self.moved += notches * self.notch if pixels is None else pixels
        self.notches += notches
        self.extent = max(self.extent, extent)

    def next(self, wanted: float) -> int:
        """The notches that bring it nearest, or 0; negative ones are turned back, but never all of them.

        No more than can be seen even if the last were seen half-way, and than double what was turned: the first
        notches may be shorter than others.
        """
        left = round((wanted - self.moved) / self.notch)
        seen = int(_PART * self.extent / (self.longest or self.notch))
        return min(max(left, 1 - self.notches), max(1, min(seen, 2 * self.notches)))


class _Wheel:
    """The wheel on one axis. ``scale`` is how many captured pixels make one of the picture."""

    def __init__(self, acting: Acting, way: Way, scale: float) -> None:
        self._acting = acting
        self._way: Way = way
        self._scale = scale
        self._window = under_pointer(acting)
        self._area = _around_pointer(acting, self._window)
        self._patience = _FIRST_BUSY_SECONDS
        self._sure: bool  # the program was at rest just before the last picture was taken, which so holds all
        self._seen = self._quiet(0.0, _POLLS, _SECONDS)
        self._patience = _BUSY_SECONDS if self._sure else 0.0

    def scroll(self, asked: int) -> Scrolled:
        """Turn until no notch would bring it nearer, or until it does not go on; at least one notch."""
        wanted, sign = abs(asked) * self._scale, 1 if asked > 0 else -1
        progress = _Progress(certain=self._sure)
        notches = 1
        for _ in range(_ROUNDS):
            self._turn(sign, notches, progress)
            notches = progress.next(wanted)
            if progress.still or not notches:
                break
        # A program still at work may show the rest later: then nobody knows, neither how far it went nor of an end.
        moved = sign * round(progress.moved / self._scale) if progress.certain and self._sure else None
        return Scrolled(way=self._way, asked=asked, moved=moved, end=progress.still and self._sure)

    def _turn(self, sign: int, notches: int, progress: _Progress) -> None:
        """Turn so many notches on, or back where there are too many, and see what came of it."""
        before, turned = self._seen, sign * notches
        right, down = (0, turned) if self._way == "down" else (turned, 0)
        self._acting.pointer.scroll(right, down, self._window)
        self._seen = self._quiet(_FIRST_SECONDS, _POLLS, _SECONDS)
        seen = self._motion(before, turned)
        # perhaps it has not begun, is shown half-way, or has only shown its scroll bar
        if not progress.whole(notches, _along(sign, seen)):
            self._seen = self._quiet(0.0, _MORE_POLLS, _MORE_SECONDS)
            seen = self._motion(before, turned)
        if seen.pixels == 0:
            progress.still = True
        else:
            progress.add(notches, _along(sign, seen), seen.extent)

    def _motion(self, before: Frame, turned: int) -> Motion:
        """How far it went from what was seen before."""
        from computer_vision.motion import Motion, motion

        if alike(before, self._seen):
            return Motion(0, 0)
        return motion(before.pixels, self._seen.pixels, self._way, 1 if turned > 0 else -1)

    def _quiet(self, first: float, polls: int, seconds: float) -> Frame:
        """What is there once nothing moves, and the program has done what it was asked: a busy one moves by jerks."""
        while True:
            began = time.monotonic()
            frame = settled(
                self._picture, check=self._acting.check, first=first, seconds=seconds, polls=polls
            ).frame
            if self._sure or self._patience <= 0:
                return frame
            self._patience -= time.monotonic() - began
            first = 0.0

    def _picture(self) -> Frame:
        activity, window = self._acting.desktop.activity, self._window
        self._sure = all(activity(window) != "busy" for _ in range(_LOOKS))
        return self._acting.desktop.capture(self._area)


def _along(sign: int, seen: Motion) -> int | None:
    """How far it went the way that was asked for."""
    return None if seen.pixels is None else sign * seen.pixels


def under_pointer(acting: Acting) -> Window | None:
    """The window that the wheel is turned over; None where windows are not told."""
    return window_under(acting.desktop, acting.pointer.position())


def _around_pointer(acting: Acting, window: Window | None) -> Area:
    """What is looked at: a part of the window under the pointer, or of its display, that holds the pointer."""
    point = acting.pointer.position()
    areas = [] if window is None else [window.area]
    areas += [display.area for display in acting.desktop.displays() if point in Box(*display.area)]
    if not areas:
        return acting.look().frame.area
    within = areas[0]
    left = max(within.left, min(point.x - _ACROSS_POINTS // 2, within.right - _ACROSS_POINTS))
    return Area(left, within.top, min(_ACROSS_POINTS, within.width), within.height)
