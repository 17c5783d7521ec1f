"""Scrolling by pixels with a wheel that has only notches: turn, look how far that went, turn again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.locate import topmost
from computer_api.receipt import Scrolled
from computer_api.settle import alike, settled
from computer_platform.desktop import Area

if TYPE_CHECKING:
    from computer_api.acting import Acting
    from computer_api.receipt import Way
    from computer_platform.desktop import Frame

_NOTCH_PIXELS = 120  # what a notch is taken for where the picture does not tell
_ROUNDS = 60  # of turning and looking, at most
_CROP_SHARE = 0.6  # of what is seen may go by at a time: the rest has to be found again
_ACROSS_POINTS = 640  # enough to see how far a program scrolled; more would only cost time
_FIRST_SECONDS = 0.06  # how long a program gets to begin
_SECONDS = 1.5


def scroll_pixels(acting: Acting, *, right: int, down: int) -> tuple[Scrolled, ...]:
    """Scroll what is under the pointer by about so many pixels of the picture, one axis after the other."""
    screenshot = acting.look()
    across = screenshot.native.width / screenshot.size.width
    along = screenshot.native.height / screenshot.size.height
    done: list[Scrolled] = []
    for way, asked, scale in (("down", down, along), ("right", right, across)):
        if asked:
            done.append(_Scroll(acting, "down" if way == "down" else "right", scale).by(asked))
    return tuple(done)


@dataclass(slots=True)
class _Turned:
    """What one turn of the wheel did: ``pixels`` of the capture, None when the picture does not tell."""

    pixels: int | None
    still: bool = False


class _Scroll:
    """One axis. ``scale`` is how many captured pixels make one of the picture."""

    def __init__(self, acting: Acting, way: Way, scale: float) -> None:
        self._acting = acting
        self._way = way
        self._scale = scale
        self._area = _around_pointer(acting)
        self._seen = self._quiet()

    def by(self, asked: int) -> Scrolled:
        """Scroll until no notch would bring it nearer, or until it does not go on."""
        wanted = asked * self._scale
        sign = 1 if asked > 0 else -1
        moved, notch, turned, certain = 0.0, float(_NOTCH_PIXELS), 0, True
        notches, end = sign, False
        for _ in range(_ROUNDS):
            step = self._turn(notches)
            if step.still:
                end = True
                break
            turned += notches
            expected = notches * notch
            certain = certain and step.pixels is not None
            went = expected if step.pixels is None else float(step.pixels)
            moved += went
            if turned == notches and went:  # the first one says how far a notch goes
                notch = abs(went)
            elif abs(went) < abs(expected) - notch / 2:
                end = True
                break
            notches = self._next(wanted - moved, notch, sign * turned, sign)
            if not notches:
                break
        return Scrolled(
            way=self._way, asked=asked, moved=round(moved / self._scale) if certain else None, end=end
        )

    def _next(self, left: float, notch: float, turned: int, sign: int) -> int:
        """The notches to turn next: as many as are left, but at least one in all and no more than can be seen."""
        notches = max(sign * round(left / notch), 1 - turned)
        height, width = self._seen.pixels.shape[:2]
        most = max(1, int(_CROP_SHARE * (height if self._way == "down" else width) / notch))
        return sign * max(-most, min(most, notches))

    def _turn(self, notches: int) -> _Turned:
        from computer_vision.motion import shift

        across, along = (0, notches) if self._way == "down" else (notches, 0)
        self._acting.pointer.scroll(across, along)
        before, self._seen = self._seen, self._quiet()
        if alike(before, self._seen):
            return _Turned(0, still=True)
        sign = 1 if notches > 0 else -1
        pixels = shift(before.pixels, self._seen.pixels, self._way, sign)
        return _Turned(pixels)

    def _quiet(self) -> Frame:
        return settled(
            lambda: self._acting.desktop.capture(self._area),
            check=self._acting.check,
            first=_FIRST_SECONDS,
            seconds=_SECONDS,
            polls=3,
        ).frame


def _around_pointer(acting: Acting) -> Area:
    """The part of the window under the pointer, or of its display, that is looked at."""
    point = acting.pointer.position()
    manager = acting.desktop.windows
    window = None if manager is None else topmost(manager.all(), point)
    areas = [] if window is None else [window.area]
    areas += [display.area for display in acting.desktop.displays() if point in Box(*display.area)]
    if not areas:
        return acting.look().frame.area
    within = Box(*areas[0])
    left = max(within.left, min(point.x - _ACROSS_POINTS // 2, within.right - _ACROSS_POINTS))
    return Area(left, within.top, min(_ACROSS_POINTS, within.width), within.height)
