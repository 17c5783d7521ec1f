"""A rule-based model that reads screenshots, in place of a vision model.

It knows only what a request holds: the task, the newest picture, and its own earlier calls with their
results. So it fails when pictures are stale, cropped or mis-scaled, when coordinates are converted wrongly,
when text goes to the wrong place, or when the history loses calls. It keeps nothing between requests.

The task: ``FILL {"First name": "Ada"} THEN CLICK "Save" UNTIL "Saved"``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from model_server.pictures import Picture
from model_server.speaking import Click, End, FunctionTools, Type, Wait

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from model_server.brain import Reply
    from model_server.request import Request
    from model_server.speaking import Act, Did, Speaker

_TASK = re.compile(r'FILL\s+(\{.*?\})\s+THEN\s+CLICK\s+"(.+?)"\s+UNTIL\s+"(.+?)"', re.DOTALL)
# How the picture is read: scale, and flattened or not. The later ones only when something was not found.
_READINGS = ((1.0, False), (2.0, True), (1.5, False), (2.5, False))
_TRIES = 3
_ALIKE = 0.8
_DIFFERENT = 10  # of 255, in any channel: another colour than the background


@dataclass(frozen=True, slots=True)
class Words:
    """Text that was read, and where, in pixels of the received picture."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[int, int]:
        return round((self.left + self.right) / 2), round((self.top + self.bottom) / 2)

    def follows(self, other: Words) -> bool:
        """Whether it stands right after the other on the same line."""
        overlap = min(self.bottom, other.bottom) - max(self.top, other.top)
        gap = self.left - other.right
        return overlap > 0.4 * min(self.height, other.height) and -2 <= gap < 1.1 * max(
            self.height, other.height
        )


@dataclass(frozen=True, slots=True)
class ScreenReader:
    """The brain; it has no state. ``speaks`` is how it says what it does: as models of which family."""

    speaks: Speaker = field(default_factory=FunctionTools)

    def unread(self) -> int:
        """There is no script to be read."""
        return 0

    def answer(self, request: Request) -> Reply:
        """The next act in the words of its family."""
        picture = self.speaks.screen(request)
        if picture is None:
            act: Act = End("I see no picture.", done=False)
            return self.speaks.say("", act, Picture(b"", 1, 1), request)
        thought, act = self._next(_task_of(request), self.speaks.did(request), _Screen(picture.data))
        return self.speaks.say(thought, act, picture, request)

    def _next(self, task: _Task, did: list[Did], screen: _Screen) -> tuple[str, Act]:
        """Type into the first field that is not filled, or end, or click."""
        for label, value in task.values.items():
            if not _typed(did, value):
                return self._fill(screen, did, label, value)
        clicks = _clicks(did)
        if clicks and screen.find(task.until, rather_than=task.button):
            return _end(f'"{task.until}" is on the screen.', done=True)
        if clicks >= _TRIES:
            return _end(
                f'Clicked "{task.button}" {_TRIES} times and "{task.until}" did not show.', done=False
            )
        found = screen.find(task.button)
        if found is None:
            return _look_or_give_up(did, task.button)
        return f'Click "{task.button}".', Click(found.middle)

    def _fill(self, screen: _Screen, did: list[Did], label: str, value: str) -> tuple[str, Act]:
        tries = [one for one in did if one.text == value]
        if len(tries) >= _TRIES:
            return _end(f'"{value}" could not be typed: {tries[-1].result}', done=False)
        if self.speaks.alone and did and did[-1].kind == "click" and did[-1].worked:
            return f'Fill "{label}".', Type(value)
        found = screen.find(label)
        if found is None:
            return _look_or_give_up(did, label)
        return f'Fill "{label}".', Type(value, at=screen.field_of(found))


@dataclass(frozen=True, slots=True)
class _Task:
    values: dict[str, str]
    button: str
    until: str


def _task_of(request: Request) -> _Task:
    texts = [*request.texts("user"), *request.texts("system")]
    found = next(filter(None, map(_TASK.search, texts)), None)
    assert found is not None, f"the task is in no message: {texts[:1]!r}"
    return _Task(json.loads(found[1]), found[2], found[3])


def _look_or_give_up(did: list[Did], what: str) -> tuple[str, Act]:
    if [one.kind for one in did[-2:]] == ["wait", "wait"]:
        return _end(f'I cannot find "{what}" on the screen.', done=False)
    return f'I do not see "{what}" yet.', Wait(0.5)


def _typed(did: list[Did], value: str) -> bool:
    return any(one.text == value and one.worked for one in did)


def _clicks(did: list[Did]) -> int:
    """How often it has clicked since it typed: the clicks before are those into the fields."""
    typed = max((place for place, one in enumerate(did) if one.kind == "type"), default=-1)
    return sum(one.kind == "click" and one.worked for one in did[typed + 1 :])


def _end(text: str, *, done: bool) -> tuple[str, Act]:
    return text, End(text, done)


class _Screen:
    """The picture: where its texts are, and where the field of a label is."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.picture: NDArray[np.uint8] = _decoded(data)

    def find(self, text: str, *, rather_than: str | None = None) -> Words | None:
        """The place that reads most like the text; one that stands alone before one in a longer line.

        What reads more like the other text, as "Save" does beside "Saved", is none.
        """
        for scale, flattened in _READINGS:
            words = _words(self.data, scale, flattened=flattened)
            phrases = _phrases(words, text)
            if rather_than is not None:
                phrases = (one for one in phrases if _likeness(one[3].text, rather_than) < one[0])
            found = max(phrases, key=lambda one: one[:3], default=None)
            if found is not None:
                return found[3]
        return None

    def field_of(self, label: Words) -> tuple[int, int]:
        """A place inside the field that the label belongs to: right of it, or below it, whichever is nearer."""
        y = label.middle[1]
        right, below = self._edge_right(label), self._edge_below(label)
        if right is not None and (below is None or right - label.right <= below - label.bottom + 100):
            return right + round(label.height), y
        if below is not None:
            return round(label.left + label.height), below + round(0.7 * label.height) + 2
        return round(label.right + 4 * label.height), y

    def _edge_right(self, label: Words) -> int | None:
        """The first upright edge on the label's row: every pixel of a short column differs from the background."""
        middle, half = label.middle[1], max(2, round(label.height / 4))
        strip = self._differs(slice(middle - half, middle + half), slice(round(label.right) + 3, None), label)
        return _first(strip.all(axis=0), round(label.right) + 3, limit=round(25 * label.height))

    def _edge_below(self, label: Words) -> int | None:
        """The first level edge under the label, near enough to belong to it."""
        columns = slice(round(label.left) + 4, round(label.left + 3 * label.height))
        strip = self._differs(slice(round(label.bottom) + 1, None), columns, label)
        return _first(strip.all(axis=1), round(label.bottom) + 1, limit=round(2.5 * label.height))

    def _differs(self, rows: slice, columns: slice, label: Words) -> NDArray[np.bool_]:
        top, left = max(0, round(label.top) - 2), max(0, round(label.left) - 3)
        around = self.picture[top : round(label.bottom) + 2, left : round(label.right) + 3].reshape(-1, 3)
        background = np.median(around, axis=0)
        return (np.abs(self.picture[rows, columns].astype(int) - background) > _DIFFERENT).any(axis=2)


@lru_cache(maxsize=64)
def _words(data: bytes, scale: float, *, flattened: bool) -> tuple[Words, ...]:
    """What tesseract reads; once for a picture, however often it is sent."""
    grey = cv2.cvtColor(_decoded(data), cv2.COLOR_BGR2GRAY)
    if scale != 1:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    if flattened:  # the text on coloured buttons too becomes dark on light
        grey = cv2.bitwise_not(cv2.absdiff(grey, cv2.medianBlur(grey, 41)))
    elif np.median(grey) < 110:  # tesseract wants dark on light
        grey = cv2.bitwise_not(grey)
    table = subprocess.run(
        ["tesseract", "stdin", "stdout", "--psm", "11", "tsv"],
        input=cv2.imencode(".png", grey, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1].tobytes(),
        capture_output=True,
        check=True,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    ).stdout.decode()
    rows = (line.split("\t") for line in table.splitlines()[1:])
    return tuple(
        _word(row, scale) for row in rows if len(row) == 12 and row[11].strip() and float(row[10]) > 20
    )


def _decoded(data: bytes) -> NDArray[np.uint8]:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None, "the picture cannot be decoded"
    return picture.astype(np.uint8)


def _word(row: list[str], scale: float) -> Words:
    left, top, width, height = (float(row[column]) / scale for column in range(6, 10))
    return Words(row[11].strip(), left, top, left + width, top + height)


def _phrases(words: Sequence[Words], text: str) -> Iterator[tuple[float, bool, float, Words]]:
    """Every run of words on a line that reads like the text: likeness, whether it stands alone, height."""
    wanted = _bare(text)
    for first in words:
        run = [first]
        while len(_bare("".join(word.text for word in run))) < len(wanted):
            following = next((word for word in words if word not in run and word.follows(run[-1])), None)
            if following is None:
                break
            run.append(following)
        likeness = _likeness("".join(word.text for word in run), text)
        if likeness >= _ALIKE:
            alone = not any(word.follows(run[-1]) or first.follows(word) for word in words if word not in run)
            tops, bottoms = [word.top for word in run], [word.bottom for word in run]
            said = " ".join(word.text for word in run)
            yield likeness, alone, -first.top, Words(said, first.left, min(tops), run[-1].right, max(bottoms))


def _likeness(text: str, wanted: str) -> float:
    return SequenceMatcher(None, _bare(text), _bare(wanted)).ratio()


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _first(edges: NDArray[np.bool_], start: int, limit: int) -> int | None:
    places = np.flatnonzero(edges[:limit])
    return start + int(places[0]) if places.size else None
