"""What proves that an action had an effect, and what does not: judged from two scenes and what was seen in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.receipt import Receipt
from computer_api.titles import called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.movers import Blinking
    from computer_api.receipt import Effect, MenuChange
    from computer_api.screenshot import Screenshot
    from computer_api.settle import Looking
    from computer_api.targets import Match
    from computer_platform.desktop import Popup, Window
    from computer_vision.change import Squares
    from computer_vision.reader import Pixels, Region

_NEAR_POINTS = 12  # a change this close to the target belongs to it
_REACH_POINTS = 80  # and so far to the sides of a place that names no control
_SMALL_SHARE = 0.02  # of the picture: no clock is larger
_CLOCK_TICKS = 3  # that a clock does while a program paints twice
_DIGITS = 2  # of the height of a clock's line lie between its second and its hour
_CARETS_MOVED = 2  # a caret that went on is one that went and one that came


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The screen and its windows at one moment.

    ``known`` are the squares that moved by themselves until then, ``clocks`` those of them that tick, ``blinking``
    those that had two looks in turn; ``still`` stood still for so long that they hold no clock, ``suspects`` changed
    by themselves once, at least.
    ``busy`` says that the program was at work already.
    """

    screenshot: Screenshot
    windows: tuple[Window, ...] = ()
    popups: tuple[Popup, ...] = ()
    known: Squares | None = None
    clocks: Squares | None = None
    blinking: Blinking | None = None
    still: Squares | None = None
    suspects: Squares | None = None
    busy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What became of windows: titles of those that came, went, and got another title; who has the keyboard now."""

    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    focus: str | None = None
    menu: MenuChange | None = None

    def __bool__(self) -> bool:
        return bool(self.opened or self.closed or self.renamed or self.focus or self.menu)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is different. ``sure`` are the boxes (desktop points) that only the action can have changed.

    ``unsure`` may as well be a clock's. ``near`` says that some of it is at the target, ``only_focus`` that it is no
    more than a frame or a caret, ``doubtful`` that something changed there that also changes by itself.
    """

    sure: tuple[Box, ...] = ()
    unsure: tuple[Region, ...] = ()
    near: bool = False
    only_focus: bool = False
    doubtful: bool = False
    news: News = News()

    @property
    def firm(self) -> bool:
        """Whether there is any that can only be the action's."""
        return bool(self.sure or self.news)

    def receipt(
        self, matches: tuple[Match, ...], *, busy: bool, moving: tuple[Box, ...], where: str
    ) -> Receipt:
        """The receipt that says so; ``where`` are the places of what still moves, in words."""
        return Receipt(
            effect=self._effect(busy=busy),
            changed=tuple(sorted(self.sure, key=lambda box: -box.width * box.height)),
            opened=self.news.opened,
            closed=self.news.closed,
            renamed=self.news.renamed,
            focus=self.news.focus,
            menu=self.news.menu,
            only_focus=self.only_focus and not self.news,
            matches=matches,
            moving=bool(moving),
            moving_at=moving,
            moving_where=where,
            busy=busy,
        )

    def _effect(self, *, busy: bool) -> Effect:
        if self.sure:
            return "here" if self.near else "elsewhere"
        if self.news:
            return "elsewhere"
        return "unknown" if self.doubtful or busy else "nothing"


def evidence(
    before: Scene,
    after: Scene,
    looking: Looking,
    matches: Sequence[Match],
    *,
    outlasted: Sequence[Squares] = (),
) -> Evidence:
    """What is different after from before. In the places that were ``outlasted`` a clock would have ticked again."""
    news = _news(before, after)
    one, other = before.screenshot, after.screenshot
    if one.frame.pixels.shape != other.frame.pixels.shape:
        return Evidence(sure=(other.box,), near=True, news=news)
    return _Judge(before, after, looking, matches).evidence(news, outlasted)


class _Judge:
    def __init__(self, before: Scene, after: Scene, looking: Looking, matches: Sequence[Match]) -> None:
        from computer_vision.change import spread

        self._before = before
        self._after = after
        self._matches = matches
        self._looking = looking
        self._old, self._new = before.screenshot.frame.pixels, after.screenshot.frame.pixels
        self._aimed = [_around(match.box) for match in matches]
        self._receiver = [Box(*window.outside) for window in before.windows if window.active]
        self._known = spread(grown_by_neighbours(looking.known, looking.animated))

    def evidence(self, news: News, outlasted: Sequence[Squares]) -> Evidence:
        regions = self._regions()
        carets = [region for region in regions if self._is_caret(region)]
        rest = [region for region in regions if region not in carets]
        unsure = [region for region in rest if self._may_be_a_clock(region, outlasted)]
        sure = [region for region in rest if region not in unsure]
        here = [caret for caret in carets if self._tells(caret, len(carets))]
        sure += here
        near = [region for region in sure if self._is_near(region)]
        return Evidence(
            sure=tuple(map(self._after.screenshot.box_of, sure)),
            unsure=tuple(unsure),
            near=bool(near),
            only_focus=bool(near) and all(region in here or self._is_frame(region) for region in sure),
            doubtful=bool(unsure) or self._hidden() or self._a_caret_may_have_moved(carets, here),
            news=news,
        )

    def _regions(self) -> list[Region]:
        """What differs, without what moves by itself and what a pointer at rest makes appear."""
        from computer_vision.change import changes

        besides = self._known | self._phases()
        found = changes(self._old, self._new, besides=besides if besides.any() else None)
        hints = [
            Box(*popup.area).grown(_NEAR_POINTS)
            for scene in (self._before, self._after)
            for popup in scene.popups
            if popup.kind == "tooltip"
        ]
        return [
            region
            for region in found
            if not any(_inside(self._after.screenshot.box_of(region), hint) for hint in hints)
            and not self._is_of_a_clock(region)
        ]

    def _is_of_a_clock(self, region: Region) -> bool:
        """Whether it may be the minute of a clock whose second is known: it stands in its line, close by."""
        clocks = self._before.clocks
        if clocks is None or clocks.shape != self._known.shape or self._is_near(region):
            return False
        return any(_is_in_line(region, second) for second in self._looking.regions(clocks))

    def _phases(self) -> Squares:
        """What looks now as it did at another time when nothing was done, or soon after and before it came back."""
        from computer_vision.change import changed_squares

        phases = self._looking.ticking(_CLOCK_TICKS) & ~self._stood_still() & ~self._places()
        if self._aimed or not self._knows_the_caret():
            phases |= self._looking.blinking()
        blinking = self._before.blinking
        if blinking is not None and blinking.squares.shape == phases.shape:
            other = changed_squares(blinking.pixels, self._new)
            phases |= blinking.squares if other is None else blinking.squares & ~other
        return phases

    def _places(self) -> Squares:
        """The squares of the targets, or of the window with the keyboard."""
        from computer_vision.change import squares_of

        height, width = self._new.shape[:2]
        shot = self._after.screenshot
        return squares_of(map(shot.region_of, self._aimed or self._receiver), (width, height))

    def _stood_still(self) -> Squares:
        import numpy as np

        still = self._before.still
        return np.zeros_like(self._known) if still is None or still.shape != self._known.shape else still

    def _is_caret(self, region: Region) -> bool:
        from computer_vision.change import is_caret

        return is_caret(self._old, self._new, region)

    def _is_frame(self, region: Region) -> bool:
        """Whether only its rim changed, and a caret within at most."""
        from computer_vision.change import RIM, changes, is_caret, is_ring

        if min(region.width, region.height) <= RIM or is_ring(self._old, self._new, region):
            return True  # one as thin is a part of another's
        rows = slice(region.top + RIM, region.bottom - RIM)
        columns = slice(region.left + RIM, region.right - RIM)
        old, new = self._old[rows, columns], self._new[rows, columns]
        if min(old.shape[:2]) <= RIM:
            return False
        return all(is_caret(old, new, inner) for inner in changes(old, new))

    def _tells(self, caret: Region, carets: int) -> bool:
        """Whether a caret that came or went is more than one that blinks."""
        if self._aimed:
            return self._is_near(caret)
        return carets >= _CARETS_MOVED or self._knows_the_caret()

    def _knows_the_caret(self) -> bool:
        """Whether both looks of a caret in the window with the keyboard were known before."""
        blinking = self._before.blinking
        if blinking is None or blinking.squares.shape != self._known.shape:
            return False
        return self._is_a_caret_here(self._old, blinking.pixels, blinking.squares)

    def _a_caret_may_have_moved(self, carets: list[Region], here: list[Region]) -> bool:
        if self._aimed or here or self._knows_the_caret():
            return False
        return bool(carets) or any(
            self._is_a_caret_here(self._looking.frame.pixels, other.pixels, squares & ~self._known)
            for squares, other in self._looking.phases()
        )

    def _is_a_caret_here(self, one: Pixels, other: Pixels, squares: Squares) -> bool:
        """Whether the two looks of these squares differ by a caret that may be the one of the keyboard."""
        from computer_vision.change import changes, is_caret

        return any(
            self._is_near(region) and is_caret(one, other, region)
            for region in changes(one, other, besides=~squares)
        )

    def _may_be_a_clock(self, region: Region, outlasted: Sequence[Squares]) -> bool:
        """Whether something elsewhere that changed may have done so by itself."""
        from computer_vision.change import squares_of

        if self._is_near(region):
            return False
        height, width = self._new.shape[:2]
        squares = squares_of((region,), (width, height))
        if any((squares & place).any() for place in outlasted):
            return False
        suspects = self._before.suspects
        if suspects is not None and suspects.shape == squares.shape and (suspects & squares).any():
            return True
        small = region.width * region.height <= _SMALL_SHARE * width * height
        return small and bool((squares & ~self._stood_still()).any())

    def _is_near(self, region: Region) -> bool:
        box = self._after.screenshot.box_of(region)
        return any(box.overlap(place) for place in self._aimed or self._receiver)

    def _hidden(self) -> bool:
        """Whether the target lies where something moves by itself, so that an effect would not show."""
        places = [self._after.screenshot.box_of(region) for region in self._looking.regions(self._known)]
        return any(_inside(match.box, place) for match in self._matches for place in places)


def grown_by_neighbours(known: Squares, animated: Squares) -> Squares:
    """What is known to move, with all of the animations that touch it."""
    from computer_vision.change import joined

    return joined(known, animated) if known.any() and animated.any() else known


def _around(box: Box) -> Box:
    """What belongs to a target; a bare place is somewhere on a control, which is wider than high."""
    if max(box.width, box.height) > 1:
        return box.grown(_NEAR_POINTS)
    return Box(box.left - _REACH_POINTS, box.top - _NEAR_POINTS, 2 * _REACH_POINTS + 1, 2 * _NEAR_POINTS + 1)


def _is_in_line(region: Region, second: Region) -> bool:
    """Whether a change is no higher than the ticking part of a clock, in its line, and as far away as a minute is."""
    shared = min(region.bottom, second.bottom) - max(region.top, second.top)
    gap = max(region.left, second.left) - min(region.right, second.right)
    reach = max(_DIGITS * second.height, second.width)
    return (
        shared >= 0.5 * region.height
        and region.height <= second.height
        and gap <= reach
        and region.width <= reach
    )


def _inside(box: Box, other: Box) -> bool:
    return box.overlap(other) == box.width * box.height


def _news(before: Scene, after: Scene) -> News:
    old, new = before.windows, after.windows
    titles = {window.id: called(window) for window in old}
    return News(
        opened=_came(old, new),
        closed=_came(new, old),
        renamed=tuple(
            called(window) for window in new if titles.get(window.id, called(window)) != called(window)
        ),
        focus=_new_focus(old, new),
        menu=_menu(before.popups, after.popups),
    )


def _came(before: Sequence[Window], after: Sequence[Window]) -> tuple[str, ...]:
    known = {window.id for window in before}
    return tuple(called(window) for window in after if window.id not in known)


def _new_focus(before: Sequence[Window], after: Sequence[Window]) -> str | None:
    was = next((window.id for window in before if window.active), None)
    now = next((window for window in after if window.active), None)
    return None if now is None or now.id == was else called(now)


def _menu(before: Sequence[Popup], after: Sequence[Popup]) -> MenuChange | None:
    was, now = ({popup.id for popup in popups if popup.kind == "menu"} for popups in (before, after))
    if now - was:
        return "opened"
    return "closed" if was - now else None
