"""Icons by what they mean: the drawing of the program's own theme, else a shape of the shipped vocabulary."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from computer_api.errors import NotFoundError
from computer_api.geometry import Box
from computer_api.targets import Match
from computer_platform import icon_themes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Desktop, Frame, Window
    from computer_platform.icon_themes import IconFile
    from computer_vision.icons import Places, Scored, Shapes
    from computer_vision.reader import Pixels, Region

_SIZES: Final = (16, 20, 22, 24, 32, 48)  # at which programs draw their icons, at scale 1
_SAME: Final = 0.96  # from which correlation on a place is taken for the theme's own drawing
_ALIKE: Final = 0.72  # from which likeness on a place is taken for a shape
_EQUALLY: Final = 0.04  # places that score so little less than the best are as good
_CLOSE: Final = 0.6  # how alike a word is that is offered instead of an unknown one


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What an icon means, and the names of its drawings: in themes, in LibreOffice's sets, among the shapes."""

    name: str
    words: tuple[str, ...]
    theme: tuple[str, ...]
    office: tuple[str, ...]
    shapes: tuple[str, ...]


@cache
def meanings() -> dict[str, Meaning]:
    """All meanings by their names."""
    table = tomllib.loads(Path(__file__).with_name("icons.toml").read_text())
    return {
        name: Meaning(
            name=name,
            words=tuple(entry.get("words", ())),
            theme=tuple(entry.get("theme", ())),
            office=tuple(entry.get("office", ())),
            shapes=tuple(entry.get("shapes", ())),
        )
        for name, entry in table.items()
    }


def meaning_of(words: str) -> Meaning:
    """The meaning that these words name. Raises ``NotFoundError`` naming those whose words are close."""
    known = meanings()
    wanted = _folded(words)
    by_word = {word: meaning for meaning in known.values() for word in meaning.words} | known
    if wanted in by_word:
        return by_word[wanted]
    named = [meaning for meaning in known.values() if wanted in meaning.theme]
    if named:
        return named[0]
    near = tuple(difflib.get_close_matches(wanted, by_word, n=3, cutoff=_CLOSE))
    advice = (
        f"Close to it are {', '.join(near)}." if near else 'Icons are named as in "save", "close", "search".'
    )
    raise NotFoundError(f'No icon is known by the name "{words}". {advice}', near)


def _folded(words: str) -> str:
    return " ".join(words.casefold().replace("_", " ").split()).removesuffix(" icon").removesuffix(" button")


class Icons:
    """Finds icons on screenshots of one desktop. What it last saw on a frame is kept, and drawings are.

    ``files`` tells the drawings of a meaning in the theme of the program with that process id; by default those that
    are installed here.
    """

    def __init__(
        self, desktop: Desktop, *, files: Callable[[Meaning, int], Sequence[IconFile]] | None = None
    ) -> None:
        self._desktop = desktop
        self._files = files or installed
        self._seen: _Seen | None = None
        self._drawings: dict[tuple[str, int, float], tuple[Pixels, ...]] = {}

    def find(self, meaning: str, screenshot: Screenshot, window: Window | None = None) -> list[Match]:
        """The places that show that meaning, best first, several only where they are equally good; none if none does.

        Looks in the window where one is given. ``source`` is ``theme`` where the program's own theme draws the place
        so, and ``shape`` where it only looks like it. Raises ``NotFoundError`` for a meaning that is not known.
        """
        sought = meaning_of(meaning)
        area = screenshot.box if window is None else screenshot.box.shared(Box(*window.outside))
        if area is None:
            return []
        seen = self._look(screenshot, screenshot.region_of(area))
        programs = tuple(self._programs(window))
        answer = seen.answers.get((sought.name, programs))
        if answer is None:
            answer = self._answer(sought, seen, screenshot, programs)
            seen.answers[sought.name, programs] = answer
        return list(answer)

    def _answer(
        self, sought: Meaning, seen: _Seen, screenshot: Screenshot, programs: Sequence[int]
    ) -> list[Match]:
        """The best places in what was seen."""
        found, source = self._themed(sought, seen, programs), "theme"
        if not found:
            alike = [place for place in seen.shapes.like(sought.shapes) if place.score >= _ALIKE]
            found, source = alike, "shape"
        return [_match(place, seen, screenshot, sought.name, source) for place in _best(found)]

    def _look(self, screenshot: Screenshot, region: Region) -> _Seen:
        """What might be an icon in that region of the frame, and how it compares to the shapes."""
        from computer_vision.icons import Places, Shapes, candidates, proposals

        seen = self._seen
        if seen is not None and seen.frame is screenshot.frame and seen.region == region:
            return seen
        pixels = screenshot.frame.pixels[region.top : region.bottom, region.left : region.right]
        scale = self._scale(screenshot)
        found = candidates(pixels, proposals(pixels, scale))
        seen = _Seen(
            frame=screenshot.frame,
            region=region,
            scale=scale,
            places=Places(pixels, found.regions),
            shapes=Shapes(found),
        )
        self._seen = seen
        return seen

    def _scale(self, screenshot: Screenshot) -> float:
        """How many pixels of the frame programs draw for one unit of theirs."""
        drawn = max((display.scale for display in self._desktop.displays()), default=1.0)
        return max(1.0, drawn * screenshot.native.width / screenshot.frame.area.width)

    def _programs(self, window: Window | None) -> list[int]:
        """The processes whose icons may be shown there: the window's, or those of all that are not hidden."""
        windows = () if self._desktop.windows is None else self._desktop.windows.all()
        shown = [window] if window is not None else [each for each in windows if not each.hidden]
        return list(dict.fromkeys(each.pid for each in shown if each.pid is not None))

    def _themed(self, sought: Meaning, seen: _Seen, pids: Sequence[int]) -> list[Scored]:
        """The places where the drawing of a program's theme itself is shown."""
        places: list[Scored] = []
        for drawing in dict.fromkeys(key for pid in pids for key in self._drawn(sought, pid, seen.scale)):
            for pixels in self._drawings[drawing]:
                places.extend(seen.places.showing(pixels))
        good = [place for place in places if place.score >= _SAME]
        return sorted(good, key=lambda place: -place.score)

    def _drawn(self, sought: Meaning, pid: int, scale: float) -> Iterator[tuple[str, int, float]]:
        """The names under which the drawings of that meaning by a program are kept, drawn if they were not yet."""
        key = sought.name, pid, scale
        if key not in self._drawings:
            self._drawings[key] = tuple(_at_sizes(self._files(sought, pid), scale))
        yield key


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A region of a frame, and what in it might be an icon, in the region's own pixels."""

    frame: Frame
    region: Region
    scale: float
    places: Places
    shapes: Shapes
    answers: dict[tuple[str, tuple[int, ...]], list[Match]] = field(default_factory=dict)


def installed(sought: Meaning, pid: int) -> tuple[IconFile, ...]:
    """The drawings of a meaning in the theme of a running program, and in its own sets if it is LibreOffice."""
    own = icon_themes.office_folder(pid)
    if own is not None and sought.office:
        return icon_themes.office(sought.office, own)
    return icon_themes.themed(sought.theme, icon_themes.environment_of(pid))


def _at_sizes(files: Sequence[IconFile], scale: float) -> Iterator[Pixels]:
    """Each drawing as it comes to the screen: at its own size, or at those that programs use."""
    from computer_vision.drawing import CannotDraw, drawn

    known: set[bytes] = set()
    for file in files:
        if file.data in known:
            continue
        known.add(file.data)
        for size in (file.size,) if file.size else _SIZES:
            try:
                yield drawn(file.data, round(size * scale))
            except CannotDraw:
                break


def _best(places: Sequence[Scored]) -> list[Scored]:
    """The best place and those as good, once each where several lie on each other."""
    kept: list[Scored] = []
    for place in places:
        if place.score < places[0].score - _EQUALLY:
            continue
        if all(not _together(place.region, other.region) for other in kept):
            kept.append(place)
    return kept


def _together(one: Region, other: Region) -> bool:
    return min(one.right, other.right) > max(one.left, other.left) and min(one.bottom, other.bottom) > max(
        one.top, other.top
    )


def _match(place: Scored, seen: _Seen, screenshot: Screenshot, name: str, source: str) -> Match:
    region = place.region._replace(
        left=place.region.left + seen.region.left, top=place.region.top + seen.region.top
    )
    return Match(box=screenshot.box_of(region), text=name, score=round(place.score, 4), source=source)
