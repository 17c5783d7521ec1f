"""What no picture may show: password fields, and secrets that were typed, wherever a program shows them in clear.

The boxes are asked for with each picture that leaves: for a model, for a file, for code. What is looked at in
between, to find things or to see whether the screen is quiet, stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Desktop, Element, Window
    from computer_vision.reader import Line

SHORTEST_SECRET = 4
"""Characters of a text that is worth hiding: a shorter one would cover half of every page."""

_SECONDS = 0.2  # how long programs get to name their password fields; they need a few milliseconds
_FRAME_POINTS = 40  # how far from its window's area a field may still be taken to lie in it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """A password field, where it was in its window, as that was then; None where no window is known."""

    pid: int | None
    box: Box
    window: Window | None


class Covering:
    """Finds what is to be covered on a screenshot; remembers the fields of programs that do not answer in time."""

    def __init__(self, desktop: Desktop, lines: Callable[[Screenshot], tuple[Line, ...]]) -> None:
        self._desktop = desktop
        self._lines = lines
        self._known: tuple[_Field, ...] = ()
        self._secrets: set[str] = set()

    def remember(self, secret: str) -> None:
        """From now on cover this text wherever it can be read."""
        if len(secret.strip()) >= SHORTEST_SECRET:
            self._secrets.add(secret.strip())

    def without_secrets(self, text: str, instead: str = "•••") -> str:
        """The text with every secret that was typed replaced."""
        for secret in self._secrets:
            text = text.replace(secret, instead)
        return text

    def cover(self, screenshot: Screenshot) -> Screenshot:
        """The screenshot with what it must not show covered."""
        fields, sure = self._fields()
        boxes = [*fields, *self._readable(screenshot)]
        shown = tuple(box for box in boxes if box.overlap(screenshot.box))
        return replace(screenshot, covered=shown, sure=sure)

    def _fields(self) -> tuple[list[Box], bool]:
        """The visible parts of the password fields, and whether every program said which it has."""
        accessibility = self._desktop.accessibility
        if accessibility is None:
            return [], True
        found = accessibility.secrets(seconds=_SECONDS)
        stack = () if self._desktop.windows is None else self._desktop.windows.all()
        fields = tuple(_field(element, stack) for element in found.items)
        if found.truncated:
            answered = {field.pid for field in fields}
            fields += tuple(_still(self._known, answered, stack))
        self._known = fields
        parts = [part for field in fields for part in _visible(field.box, field.window, stack)]
        return parts, not found.truncated

    def _readable(self, screenshot: Screenshot) -> list[Box]:
        """Where a secret that was typed stands in clear."""
        if not self._secrets:
            return []
        from computer_vision.lines import find

        try:
            lines = self._lines(screenshot)
        except UnsupportedError:  # nobody can read here, so the secrets' own places are not known
            return []
        hits = [hit for secret in self._secrets for hit in find(lines, secret, exact=False)]
        return [screenshot.box_of(hit.region).grown(3) for hit in hits]


def _field(element: Element, stack: Sequence[Window]) -> _Field:
    box = Box(*element.area)
    return _Field(pid=element.pid, box=box, window=_window_of(element.pid, box, stack))


def _window_of(pid: int | None, box: Box, stack: Sequence[Window]) -> Window | None:
    """The window that the field lies in: of several of its program the topmost, so that too little is uncovered."""
    holding = [
        window
        for window in stack
        if pid is not None and window.pid == pid and box.center in Box(*window.outside).grown(_FRAME_POINTS)
    ]
    return max(holding, key=lambda window: (not window.hidden, stack.index(window)), default=None)


def _still(known: Iterable[_Field], answered: set[int | None], stack: Sequence[Window]) -> Iterable[_Field]:
    """The fields that silent programs were known to have, moved with their windows; none of windows that are gone."""
    windows = {window.id: window for window in stack if not window.hidden}
    for field in known:
        if field.pid in answered:
            continue
        if field.window is None:
            yield field
        elif (now := windows.get(field.window.id)) is not None:
            across, down = now.area.left - field.window.area.left, now.area.top - field.window.area.top
            box = replace(field.box, left=field.box.left + across, top=field.box.top + down)
            yield replace(field, box=box, window=now)


def _visible(box: Box, window: Window | None, stack: Sequence[Window]) -> list[Box]:
    """The parts of a field that no window above its own lies on."""
    parts = [box]
    if window is None:
        return parts
    if window.hidden:
        return []
    place = next(at for at, other in enumerate(stack) if other.id == window.id)
    for above in stack[place + 1 :]:
        if not above.hidden:
            parts = [rest for part in parts for rest in without(part, Box(*above.area))]
    return parts


def without(box: Box, hole: Box) -> list[Box]:
    """The rest of a box outside another, as at most four boxes that do not overlap."""
    shared = box.shared(hole)
    if shared is None:
        return [box]
    parts = [
        Box(box.left, box.top, box.width, shared.top - box.top),
        Box(box.left, shared.bottom, box.width, box.bottom - shared.bottom),
        Box(box.left, shared.top, shared.left - box.left, shared.height),
        Box(shared.right, shared.top, box.right - shared.right, shared.height),
    ]
    return [part for part in parts if part.width > 0 and part.height > 0]
