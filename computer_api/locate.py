"""Find a target on the screen: one match, or an error that names what was there instead.

Words on the screen are read by OCR, because what a person reads decides what is meant; the boxes of
controls come from the accessibility tree, because it knows where a field ends. Neither is believed
alone where both are there: some programs give a field the label of its neighbour.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from computer_api import controls
from computer_api.anchors import anchors_of
from computer_api.errors import AmbiguousError, ComputerError, NotFoundError, UnsupportedError
from computer_api.finding_again import found_again
from computer_api.geometry import Box, Pixel, Point
from computer_api.icons import Icons, meaning_of
from computer_api.own_terminal import own
from computer_api.relations import Anchored, kept
from computer_api.settle import differ
from computer_api.sight import Sight, folded
from computer_api.targets import (
    DIALOG,
    AnchoredTarget,
    ElementTarget,
    IconTarget,
    Match,
    PictureTarget,
    SoughtTarget,
    Target,
    TextTarget,
    described,
    words_of,
)
from computer_api.titles import window_meant
from computer_vision.reader import ReaderUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.controls import Inside
    from computer_api.screenshot import Layout, Screenshot
    from computer_platform.desktop import Desktop, Window
    from computer_vision.reader import Line, Pixels, Reader

_POLL_SECONDS = 0.05
_PART = 0.9  # score of words that stand among others, at most
_BLINK_SECONDS = 0.8  # longer than a caret is on or off
_DOUBTS = 2  # that an error names
_BUTTON_ROLES = ("button", "page tab", "menu", "link")  # what an icon may stand for, likeliest first


class Locator:
    """Answers targets from the screen as it is when asked. Holds what it last read, keyed by the frame.

    ``anchored`` looks for words that name a bare pixel, which costs a reading of the screen.
    """

    def __init__(
        self, desktop: Desktop, reader: Reader, look: Callable[[], Screenshot], *, anchored: bool = False
    ) -> None:
        self.avoided: frozenset[int] = frozenset()  # processes in whose windows nothing is sought
        self.seen: Layout | None = None  # of the picture on which pixels are chosen
        self._desktop = desktop
        self._reader = reader
        self._look = look
        self._anchored = anchored
        self._read: tuple[Screenshot, tuple[Line, ...]] | None = None
        self._sight: Sight | None = None
        self._icons = Icons(desktop)

    def locate(self, target: Target, *, seconds: float, check: Callable[[], None]) -> Match:
        """The one place that fits, waiting that long for it to appear.

        Raises ``NotFoundError`` with the closest texts, ``AmbiguousError`` with all candidates, and for a pixel
        ``OffScreenError`` outside the picture and ``ComputerError`` when it was chosen on one of another layout.
        ``check`` may raise to end the wait.
        """
        deadline = time.monotonic() + seconds
        screenshot = self._look()
        while True:
            try:
                return self.locate_on(target, screenshot)
            except NotFoundError:
                later = self._changed(screenshot, deadline, check)
                if later is None:
                    raise
                screenshot = later

    def gone(self, target: Target, *, seconds: float, check: Callable[[], None]) -> bool:
        """Whether the target is off the screen within that time."""
        deadline = time.monotonic() + seconds
        screenshot: Screenshot | None = self._look()
        while screenshot is not None:
            try:
                self.locate_on(target, screenshot)
            except NotFoundError:
                return True
            except AmbiguousError:
                pass
            screenshot = self._changed(screenshot, deadline, check)
        return False

    def locate_on(self, target: Target, screenshot: Screenshot, *, prefer: Sequence[Box] = ()) -> Match:
        """The one place that fits on this picture. Where several do, those inside ``prefer`` win."""
        if isinstance(target, Pixel):
            return self._named(self.as_seen(screenshot).point(target), screenshot)
        sight = self._sight_of(screenshot)
        sight.doubts.clear()
        sight.longer.clear()
        if isinstance(target, AnchoredTarget):
            again = found_again(target, sight, lambda question: self._all(question, sight))
            return self._anchored_match(again, target.anchors.question, sight)
        found = self._candidates(target, sight, closest=target.nth is None)
        inside = [match for match in found if any(match.point in box for box in prefer)]
        return self._anchored_match(self._one(target, inside or found, sight), target, sight)

    def _all(self, question: SoughtTarget, sight: Sight) -> list[Match]:
        """All answers to a question; raises what is closest where there is none."""
        found = self._candidates(question, sight, closest=question.nth is None)
        if not found:
            raise self._missing(question, sight)
        return found

    def _anchored_match(self, match: Match, asked: SoughtTarget | None, sight: Sight) -> Match:
        """The match with what finds it again, in a run that is recorded."""
        if not self._anchored:
            return match
        found = anchors_of(
            match.point,
            sight,
            lambda question: self._candidates(question, sight, closest=False),
            None if asked is None else (asked, match.box),
        )
        return replace(match, anchors=found)

    def candidates(self, target: SoughtTarget, screenshot: Screenshot) -> list[Match]:
        """Every place that fits on this picture, from the top left; none fits a target without a word.

        What is only closer than others, seen from where its relations begin, is among them.
        """
        return self._candidates(target, self._sight_of(screenshot), closest=False)

    def _candidates(self, target: SoughtTarget, sight: Sight, *, closest: bool) -> list[Match]:
        nameless = isinstance(target, ElementTarget) and bool(target.where)
        if not words_of(target).strip() and not nameless:
            return []
        inside = self._inside(target, sight)
        beside = [
            Anchored(side=one.side, anchors=self._anchors(one.target, sight))
            for one in target.where
            if one.side != "in"
        ]
        found = [match for match in self._fitting(target, sight, inside, beside) if inside(match)]
        found = _distinct(self._outside_avoided(found, sight))
        if beside:
            found = kept(found, beside, closest=closest, together=_in_one_window(sight))
        return sorted(found, key=lambda match: (match.box.top // 8, match.box.left))

    def _fitting(
        self, target: SoughtTarget, sight: Sight, inside: Inside, beside: Sequence[Anchored]
    ) -> list[Match]:
        """The places that fit a target by itself, cheapest ways first."""
        match target:
            case TextTarget(text=text, exact=exact):
                found = controls.texts(sight, text, inside, exact=exact)
                found = found or controls.named(sight, (text,), None, inside)
                if exact or any(match.score > _PART for match in found):
                    return found
                return _looked_closer(sight, text, inside, parts=bool(found or sight.longer)) or found
            case ElementTarget(name=name, role=role) if not name.strip():
                return controls.unnamed(sight, role, [box for one in beside for box in one.anchors])
            case ElementTarget(name=name, role="field"):
                return controls.fields(sight, name, inside)
            case ElementTarget(name=name, role=role):
                return controls.controls(sight, name, role, inside)
            case IconTarget(meaning=meaning, window=window):
                return self._icon(meaning, sight, inside, window)
            case PictureTarget(path=path):
                return _pictures(path, sight)
            case _:
                assert_never(target)

    def _icon(self, meaning: str, sight: Sight, inside: Inside, window: str | None) -> list[Match]:
        """Controls of that name, else of a name that means the same, else what is drawn so."""
        try:
            synonyms = (*meaning_of(meaning).words, meaning_of(meaning).name)
        except NotFoundError:
            synonyms = ()
        for names in ((meaning,), synonyms):
            for role in _BUTTON_ROLES:
                found = controls.named(sight, names, role, inside)
                if found:
                    return found
        there = None if window is None else window_meant(sight.windows, window)
        return self._icons.find(meaning, sight.screenshot, there)

    def _inside(self, target: SoughtTarget, sight: Sight) -> Inside:
        """Whether a match is in the window that a target names, and in whatever else it is said to be in."""
        wanted = None if target.window is None else window_meant(sight.windows, target.window)
        areas = [self._areas(one.target, sight) for one in target.where if one.side == "in"]

        def inside(match: Match) -> bool:
            if wanted is not None and sight.window_at(match.point) != wanted:
                return False
            return all(any(area(match) for area in some) for some in areas)

        return inside

    def _areas(self, target: Target | Box, sight: Sight) -> list[Inside]:
        """What lies in a window, a dialog or a control: one question for each that is meant."""
        match target:
            case ElementTarget(name=title, role=role, nth=None, where=()) if role == DIALOG:
                dialog = sight.dialog(title)
                if dialog is not None:
                    return [_in_window(sight, dialog)]
                if not sight.elements:
                    raise NotFoundError("No dialog is open.")
                boxes = [Box(*one.area) for one in sight.elements if one.role in ("dialog", "alert")]
            case TextTarget(text=words, nth=None, where=()):
                windows = [one for one in sight.windows if folded(one.title) == folded(words)]
                if windows:
                    return [_in_window(sight, windows[-1])]
                boxes = self._boxes_called(target, sight)
            case _:
                boxes = list(self._anchors(target, sight))
        if not boxes:
            raise NotFoundError(f"{_said(target)} is not on the screen, in which something was sought.")
        return [_in_box(box) for box in boxes]

    def _boxes_called(self, target: TextTarget, sight: Sight) -> list[Box]:
        """What is called so: a group, a row; else the window whose title holds it, else the box of the words."""
        named = [Box(*one.area) for one in sight.elements if folded(one.name) == folded(target.text)]
        texts = [match.box for match in self._candidates(target, sight, closest=True)]
        around = [box for box in named if all(not _small(box, text) for text in texts)]
        if around:
            return around
        title = next((one for one in reversed(sight.windows) if _fits_title(one, target.text)), None)
        return [Box(*title.area)] if title is not None else texts

    def _anchors(self, target: Target | Box, sight: Sight) -> tuple[Box, ...]:
        """The places from which something is sought. Raises ``NotFoundError`` where there is none."""
        match target:
            case Box():
                return (target,)
            case Pixel():
                point = self.as_seen(sight.screenshot).point(target)
                return (Box(point.x, point.y, 1, 1),)
            case AnchoredTarget():
                return (self.locate_on(target, sight.screenshot).box,)
            case _:
                found = self._candidates(target, sight, closest=target.nth is None)
        if target.nth is not None and found:
            found = [self._one(target, found, sight)]
        if not found:
            raise self._missing(target, sight)
        return tuple(match.box for match in found)

    def _sight_of(self, screenshot: Screenshot) -> Sight:
        if self._sight is None or self._sight.screenshot is not screenshot:
            self._sight = Sight(screenshot, self._desktop, self.lines, seek=self._sought)
        return self._sight

    def as_seen(self, screenshot: Screenshot) -> Screenshot:
        """This screenshot, if a pixel means the same place on it as on the picture that was seen last.

        Raises ``ComputerError`` when a monitor was added, removed, moved or resized meanwhile.
        """
        if self.seen is None or self.seen == screenshot.layout:
            return screenshot
        raise ComputerError(
            f"The screen has changed since you saw it: {self.seen.difference(screenshot.layout)}. "
            "A pixel of that picture may be another place now, so nothing was done. Look again."
        )

    def lines(self, screenshot: Screenshot) -> tuple[Line, ...]:
        """Everything that can be read on this picture, in its captured pixels. Raises ``UnsupportedError``."""
        if self._read is None or not _same(self._read[0], screenshot):
            self._read = (screenshot, self._lines_of(screenshot.frame.pixels))
        return self._read[1]

    def _sought(self, screenshot: Screenshot, words: str) -> tuple[Line, ...]:
        """What can be read on this picture when those words are looked for."""
        from computer_vision.reader import SeekingReader

        lines = self.lines(screenshot)
        if not isinstance(self._reader, SeekingReader) or self._reader.read(screenshot.frame.pixels) != lines:
            return lines
        again = self._reader.seek(words)
        return lines if again == lines else again

    def _lines_of(self, pixels: Pixels) -> tuple[Line, ...]:
        try:
            return self._reader.read(pixels)
        except ReaderUnavailable as unavailable:
            raise UnsupportedError(f"Nothing can be read on the screen: {unavailable}") from None

    def _changed(
        self, screenshot: Screenshot, deadline: float, check: Callable[[], None]
    ) -> Screenshot | None:
        """The next picture that differs from this one, or ``None`` at the deadline.

        A difference as small as a caret, such as one digit, counts once it has outlasted a blink.
        """
        later = screenshot
        small_since: float | None = None
        while (now := time.monotonic()) < deadline:
            check()
            time.sleep(_POLL_SECONDS)
            later = self._look()
            if differ(screenshot.frame, later.frame):
                return later
            if _same(screenshot, later):
                small_since = None
            elif small_since is None:
                small_since = now
            elif now - small_since > _BLINK_SECONDS:
                return later
        return None if small_since is None else later

    def _one(self, target: SoughtTarget, found: list[Match], sight: Sight) -> Match:
        nth = target.nth
        if nth is not None and found:
            if not 1 <= nth <= len(found):
                raise NotFoundError(
                    f"{described(target)} was asked for, but only {len(found)} are on the screen."
                )
            return found[nth - 1]
        if not found:
            raise self._missing(target, sight)
        if len(found) > 1:
            candidates = tuple(_placed(match, sight.screenshot) for match in found)
            raise AmbiguousError(
                f"{described(target)} fits {len(found)} places: {'; '.join(candidates)}. "
                "Say which one by its number, its window, its kind or what it is near.",
                candidates,
            )
        return found[0]

    def _missing(self, target: SoughtTarget, sight: Sight) -> NotFoundError:
        from computer_vision.lines import closest

        words = words_of(target) if isinstance(target, TextTarget | ElementTarget) else ""
        near = tuple(dict.fromkeys(sight.longer))
        if words.strip() and not near:
            near = closest(sight.lines, words)
        advice = list(dict.fromkeys(sight.doubts))[:_DOUBTS]
        if near and not sight.longer:
            advice.append("The closest texts are " + ", ".join(f'"{text}"' for text in near) + ".")
        advice = advice or ["No text on the screen comes close."]
        return NotFoundError(f"{described(target)} is not on the screen. {' '.join(advice)}", near)

    def _outside_avoided(self, found: list[Match], sight: Sight) -> list[Match]:
        """Those matches that do not lie in a window of ours."""
        if not found or not self.avoided:
            return found
        avoided = own(sight.windows, self.avoided)
        under = [sight.window_at(match.point) for match in found]
        return [
            match
            for match, window in zip(found, under, strict=True)
            if window is None or window.id not in avoided
        ]

    def _named(self, point: Point, screenshot: Screenshot) -> Match:
        """A bare point, and in a run that is recorded a question that finds it again."""
        here = Match(box=Box(point.x, point.y, 1, 1), text="", score=1.0, source="pixel")
        if not self._anchored:
            return here
        sight = self._sight_of(screenshot)
        try:
            found = anchors_of(point, sight, lambda question: self.candidates(question, screenshot))
        except UnsupportedError:  # nothing reads here: the click itself needs no words
            return here
        words = "" if found.question is None else words_of(found.question)
        return replace(here, anchors=found, text=words)


def _pictures(path: str, sight: Sight) -> list[Match]:
    """The places that look like the picture in a file. Raises ``ComputerError`` for a file that is none."""
    from computer_vision.drawing import CannotDraw, picture
    from computer_vision.template import find_picture

    try:
        sought = picture(Path(path).expanduser().read_bytes())
        found = find_picture(sight.screenshot.frame.pixels, sought)
    except OSError as error:
        raise ComputerError(f'The picture "{path}" cannot be read: {error.strerror or error}.') from None
    except CannotDraw as error:
        raise ComputerError(f'The file "{path}" is no picture: {error}') from None
    except ValueError as error:
        raise ComputerError(f'The picture "{path}" cannot be sought. {error}') from None
    name = Path(path).name
    return [
        Match(box=sight.screenshot.box_of(hit.region), text=name, score=hit.score, source="picture")
        for hit in found
    ]


def _in_window(sight: Sight, window: Window) -> Inside:
    return lambda match: sight.window_at(match.point) == window


def _in_box(box: Box) -> Inside:
    return lambda match: match.box != box and match.point in box


def _in_one_window(sight: Sight) -> Callable[[Box, Box], bool]:
    return lambda one, other: sight.window_at(one.center) == sight.window_at(other.center)


def _small(box: Box, text: Box) -> bool:
    """Whether a box is not much more than the words in it."""
    return box.overlap(text) > 0 and box.height <= 3 * text.height and box.width <= 3 * text.width


def _fits_title(window: Window, words: str) -> bool:
    return not window.hidden and folded(words) in folded(window.title)


def _said(target: Target | Box) -> str:
    return "The area" if isinstance(target, Box) else described(target)


def _same(one: Screenshot, other: Screenshot) -> bool:
    import numpy as np

    return one.frame is other.frame or np.array_equal(one.frame.pixels, other.frame.pixels)


def _looked_closer(sight: Sight, text: str, inside: Inside, *, parts: bool) -> list[Match]:
    """Where the text may stand though it was read otherwise; as a whole label only, where ``parts`` were read.

    The words of a label that was misread may be a part of another one.
    """
    closer = sight.closer(text)
    if closer is None:
        return []
    found = controls.texts(closer, text, inside)
    return [replace(match, source="sought text") for match in found if match.score > _PART or not parts]


def _distinct(found: list[Match]) -> list[Match]:
    """The matches without those that lie on a better one."""
    kept: list[Match] = []
    for match in sorted(found, key=lambda match: -match.score):
        smaller = match.box.width * match.box.height
        if all(2 * match.box.overlap(other.box) <= smaller for other in kept):
            kept.append(match)
    return kept


def _placed(match: Match, screenshot: Screenshot) -> str:
    pixel = screenshot.pixel(match.point)
    return f'"{match.text}" at {pixel.x},{pixel.y}'
