"""Gestures -> actions: the same thing as something that can be done again, aimed at what stood there before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from computer_agent.recording.merging import Clicked, Dragged, Pressed, Scrolled, Typed
from computer_agent.recording.windows import on_window
from computer_api.actions import (
    ArrangeWindow,
    Click,
    CloseWindow,
    Drag,
    FocusWindow,
    PlaceWindow,
    PressKeys,
    Scroll,
    TypeText,
)
from computer_api.errors import ComputerError
from computer_api.geometry import Point
from computer_api.keys import UnknownKeyError, key_name, keys_text
from computer_api.receipt import short
from computer_api.targets import described
from computer_api.titles import called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.recording.still import StillDesktop, View
    from computer_agent.recording.taking import Take
    from computer_api.actions import Action
    from computer_api.locate import Locator
    from computer_api.targets import Match, Target
    from computer_platform.desktop import Window

_SWITCHING = frozenset({"Alt_L", "Super_L"})
_TIMES = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aimed:
    """An action, where each of its targets was found, and what the person did in words."""

    action: Action
    words: str
    matches: tuple[Match, ...] = ()


class Aiming:
    """Finds what was aimed at, on the desktop as it was: ``locator`` looks at ``still``."""

    def __init__(self, still: StillDesktop, locator: Locator) -> None:
        self._still = still
        self._locator = locator

    def aimed(self, take: Take) -> Aimed | None:
        """The action that does the same, None where none does."""
        self._still.view = take.before
        gesture = take.gesture
        match gesture:
            case Clicked() | Dragged():
                return _done_to_window(gesture, take) or self._pointed(gesture, take.before)
            case Scrolled():
                return self._scrolled(gesture, take.before)
            case Typed(text=text):
                return Aimed(action=TypeText(text=text), words=f'typed "{short(text)}"')
            case Pressed():
                return _switched(take) or _pressed(gesture)
        assert_never(gesture)

    def _pointed(self, gesture: Clicked | Dragged, view: View) -> Aimed | None:
        return self._clicked(gesture, view) if isinstance(gesture, Clicked) else self._dragged(gesture, view)

    def _clicked(self, gesture: Clicked, view: View) -> Aimed | None:
        found = self._found([gesture.at], view)
        if found is None:
            return None
        (target,), matches = found
        action = Click(target=target, button=gesture.button, count=gesture.count, keys=gesture.keys)
        how = _TIMES[gesture.count] if gesture.button == "left" else f"{gesture.button}-clicked"
        return Aimed(action=action, words=f"{how} {_there(target, matches)}", matches=matches)

    def _dragged(self, gesture: Dragged, view: View) -> Aimed | None:
        found = self._found([gesture.start, gesture.end], view)
        if found is None:
            return None
        (start, end), matches = found
        action = Drag(start=start, end=end, button=gesture.button, keys=gesture.keys)
        words = f"dragged {_there(start, matches[:1])} to {_there(end, matches[1:])}"
        return Aimed(action=action, words=words, matches=matches)

    def _scrolled(self, gesture: Scrolled, view: View) -> Aimed | None:
        found = self._found([gesture.at], view)
        if found is None or not (gesture.right or gesture.down):
            return None
        (target,), matches = found
        action = Scroll(down=gesture.down, right=gesture.right, target=target, keys=gesture.keys)
        return Aimed(action=action, words=f"scrolled over {_there(target, matches)}", matches=matches)

    def _found(
        self, places: Sequence[tuple[int, int]], view: View
    ) -> tuple[tuple[Target, ...], tuple[Match, ...]] | None:
        """The places as pixels of the picture, and what stood there; None for one that no monitor shows."""
        shot = view.screenshot
        self._still.places = tuple(Point(*place) for place in places)
        try:
            targets = tuple(map(shot.pixel, self._still.places))
            return targets, tuple(self._locator.locate_on(target, shot) for target in targets)
        except ComputerError:
            return None


def _done_to_window(gesture: Clicked | Dragged, take: Take) -> Aimed | None:
    action = None if take.after is None else on_window(gesture, take.before, take.after)
    match action:
        case CloseWindow(title=title):
            verb = "closed"
        case ArrangeWindow(title=title, how=how):
            verb = {"minimize": "minimized", "maximize": "maximized"}.get(how, "restored")
        case PlaceWindow(title=title):
            verb = "moved"
        case FocusWindow(title=title):
            verb = "went to"
        case _:
            return None
    return Aimed(action=action, words=f'{verb} the window "{short(title)}"')


def _switched(take: Take) -> Aimed | None:
    """Keys that went on to another window: how many presses that takes depends on what was used last."""
    gesture, after = take.gesture, take.after
    if not isinstance(gesture, Pressed) or after is None or gesture.keys[-1] != "Tab":
        return None
    was, now = take.before.active, after.active
    known = {window.id for window in take.before.windows}
    if _SWITCHING.isdisjoint(gesture.keys) or now is None or now.id == _id(was) or now.id not in known:
        return None
    return Aimed(action=FocusWindow(title=called(now)), words=f'went to the window "{short(called(now))}"')


def _pressed(gesture: Pressed) -> Aimed | None:
    try:
        keys = tuple(key_name(key) for key in gesture.keys)
    except UnknownKeyError:  # a key of some keyboard that has no name here
        return None
    times = "" if gesture.times == 1 else f" {gesture.times} times"
    return Aimed(action=PressKeys(keys=keys, times=gesture.times), words=f"pressed {keys_text(keys)}{times}")


def _there(target: Target, matches: tuple[Match, ...]) -> str:
    """What stands in the place, or else where that is."""
    text = matches[0].text if matches else ""
    return f'"{short(text)}"' if text else described(target)


def _id(window: Window | None) -> int | None:
    return None if window is None else window.id
