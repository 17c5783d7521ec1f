"""What a person did, written down as the steps of a run: an action aimed by what stood there, and what it changed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never, cast

from computer_agent.recording import secrecy
from computer_agent.recording.merging import Clicked, Dragged, Pressed, Scrolled, Typed
from computer_agent.recording.still import StillDesktop
from computer_agent.step import Act, Done, Observation
from computer_api.acting import Acting
from computer_api.actions import Click, Drag, FocusWindow, PressKeys, Scroll, TypeText
from computer_api.covering import Covering
from computer_api.errors import ComputerError
from computer_api.evidence import evidence
from computer_api.geometry import Point
from computer_api.keys import UnknownKeyError, key_name, keys_text
from computer_api.locate import Locator
from computer_api.own_terminal import own
from computer_api.read_back import held
from computer_api.receipt import short
from computer_api.sending import is_office
from computer_api.settle import Looking
from computer_api.sight import topmost
from computer_api.targets import described, words_of
from computer_api.titles import called

if TYPE_CHECKING:
    from collections.abc import Iterable

    from computer_agent.recording.eyes import Eyes
    from computer_agent.recording.still import View
    from computer_agent.recording.taking import Take
    from computer_agent.trace.writer import TraceWriter
    from computer_api.actions import Action
    from computer_api.receipt import Receipt
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match, Target
    from computer_platform.desktop import Desktop, Element, Window
    from computer_vision.reader import Reader

BY = "the person did it"
_SWITCHING = frozenset({"Alt_L", "Super_L"})
_TIMES = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}
_READING_SECONDS = 0.02  # before a press: the field was asked for its text before that


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aimed:
    """An action, where each of its targets was found, and what the person did in words."""

    action: Action
    words: str
    matches: tuple[Match, ...] = ()


class Demonstration:
    """Writes takes into a trace that has begun. ``avoided`` are processes in whose windows nothing is recorded.

    ``own_window`` is the id of the window that the recording was started from, if it is known otherwise.
    """

    def __init__(
        self,
        eyes: Eyes,
        reader: Reader,
        trace: TraceWriter,
        *,
        avoided: frozenset[int] = frozenset(),
        own_window: int | None = None,
    ) -> None:
        self._eyes = eyes
        self._trace = trace
        self._avoided = avoided
        self._own_window = own_window
        self._still = StillDesktop(eyes.view(float("inf")), eyes.displays)
        desktop = cast("Desktop", self._still)  # it is only looked at
        self._locator = Locator(desktop, reader, self._look, anchored=True)
        self._locator.avoided = avoided
        self._acting = Acting(desktop, self._locator, self._look, patience=0.0, receipts=True)
        self._covering = Covering(desktop, self._locator.lines)
        self.steps = 0

    def write(self, take: Take) -> str | None:
        """Write a step; what it was, in words, or None when it was none. Raises ``TraceError``."""
        if take.after is None or self._is_ours(take):
            return None
        aimed = self._aimed(take)
        if aimed is None:
            return None
        receipt = self._receipt(take.before, take.after, aimed.matches)
        if isinstance(aimed.action, TypeText):
            receipt = replace(receipt, value=self._value(take))
            if self._is_secret(take, receipt):
                self._covering.remember(aimed.action.text)
                aimed = _Aimed(action=replace(aimed.action, secret=True), words="typed a secret")
                receipt = replace(receipt, value=None)
        self._write(take, aimed, receipt)
        return aimed.words

    def end(self) -> None:
        """The last picture, with nothing after it."""
        view = self._eyes.view(float("inf"))
        self._observe(self.steps + 1, view)

    def _write(self, take: Take, aimed: _Aimed, receipt: Receipt) -> None:
        self.steps += 1
        trace, action = self._trace, aimed.action
        self._observe(self.steps, take.before)
        trace.decision(self.steps, Act(thought=aimed.words, actions=(action,)))
        intent = trace.intent(self.steps, action, approval=BY)
        after = take.after
        picture = None if after is None else self._covered(after).png()
        seconds = round(take.gesture.ended - take.gesture.began, 3)
        trace.result(intent, Done(action=action, receipt=replace(receipt, seconds=seconds)), after=picture)

    def _observe(self, step: int, view: View) -> None:
        self._trace.observation(step, Observation(screenshot=self._covered(view), windows=view.windows))

    def _covered(self, view: View) -> Screenshot:
        """The picture without what nobody may see."""
        self._still.view = view
        return self._covering.cover(view.screenshot)

    def _look(self) -> Screenshot:
        return self._still.view.screenshot

    def _is_ours(self, take: Take) -> bool:
        """Whether it was done to the terminal that runs us: how the recording was begun, and how it is ended."""
        ours = own(take.before.windows, self._avoided) | {self._own_window}
        match take.gesture:
            case Typed(window=window) | Pressed(window=window):
                return window in ours if window is not None else _id(take.before.active) in ours
            case Clicked(at=at) | Scrolled(at=at) | Dragged(start=at):
                return _id(topmost(take.before.windows, Point(*at))) in ours - {None}
        assert_never(take.gesture)

    def _aimed(self, take: Take) -> _Aimed | None:
        """The action that does the same, None where none does."""
        self._still.view = take.before
        gesture = take.gesture
        match gesture:
            case Clicked():
                return self._click(gesture, take.before)
            case Dragged():
                return self._drag(gesture, take.before)
            case Scrolled():
                return self._scroll(gesture, take.before)
            case Typed(text=text):
                return _Aimed(action=TypeText(text=text), words=f'typed "{short(text)}"')
            case Pressed():
                return _switched(take) or _pressed(gesture)
        assert_never(gesture)

    def _click(self, gesture: Clicked, view: View) -> _Aimed | None:
        found = self._found([gesture.at], view)
        if found is None:
            return None
        (target,), matches = found
        action = Click(target=target, button=gesture.button, count=gesture.count, keys=gesture.keys)
        how = _TIMES[gesture.count] if gesture.button == "left" else f"{gesture.button}-clicked"
        return _Aimed(action=action, words=f"{how} {_there(target, matches)}", matches=matches)

    def _drag(self, gesture: Dragged, view: View) -> _Aimed | None:
        found = self._found([gesture.start, gesture.end], view)
        if found is None:
            return None
        (start, end), matches = found
        action = Drag(start=start, end=end, button=gesture.button, keys=gesture.keys)
        words = f"dragged {_there(start, matches[:1])} to {_there(end, matches[1:])}"
        return _Aimed(action=action, words=words, matches=matches)

    def _scroll(self, gesture: Scrolled, view: View) -> _Aimed | None:
        found = self._found([gesture.at], view)
        if found is None or not (gesture.right or gesture.down):
            return None
        (target,), matches = found
        action = Scroll(down=gesture.down, right=gesture.right, target=target, keys=gesture.keys)
        return _Aimed(action=action, words=f"scrolled over {_there(target, matches)}", matches=matches)

    def _found(
        self, places: Iterable[tuple[int, int]], view: View
    ) -> tuple[tuple[Target, ...], tuple[Match, ...]] | None:
        """The places as pixels of the picture, and what stood there; None for one that no monitor shows."""
        shot = view.screenshot
        try:
            targets = tuple(shot.pixel(Point(*place)) for place in places)
            return targets, tuple(self._locator.locate_on(target, shot) for target in targets)
        except ComputerError:
            return None

    def _receipt(self, before: View, after: View, matches: tuple[Match, ...]) -> Receipt:
        """What is different afterwards, without what moves by itself."""
        looking = Looking(before.screenshot.frame, known=before.known)
        looking.look(after.screenshot.frame)
        found = evidence(before.scene(), after.scene(), looking, matches)
        receipt = found.receipt(matches, busy=False, moving=(), where="")
        focused = None if after.controls is None else after.controls.focused
        if receipt.only_focus and focused is not None:
            receipt = replace(receipt, control=f'the {focused.role} "{focused.name}"')
        return receipt

    def _value(self, take: Take) -> str | None:
        """What the field held when the text was in it, None where no program said."""
        gesture, after = take.gesture, take.after
        if not isinstance(gesture, Typed) or after is None or is_office(after.active):
            return None
        last = take.next_press - _READING_SECONDS
        during = [one.control for one in self._eyes.focuses(gesture.began, gesture.ended) if one.control]
        later = [one.control for one in self._eyes.focuses(gesture.ended, last)]
        if not later or later[-1] is None or any(not _same(later[-1], one) for one in during):
            return None
        controls = after.controls
        if controls is None:
            return None
        self._still.view = replace(after, controls=replace(controls, focused=later[-1]))
        field = held(self._acting)
        # a slow program may not have got the last keys when it was asked
        return field.value if field is not None and gesture.text in field.value else None

    def _is_secret(self, take: Take, receipt: Receipt) -> bool:
        """Whether the text is one that nobody else is to see."""
        gesture, before, after = take.gesture, take.before, take.after
        if not isinstance(gesture, Typed) or after is None:
            return False
        last = min(take.next_press - _READING_SECONDS, gesture.ended + 1.0)
        hidden = secrecy.hidden_by_focus(self._eyes.focuses(gesture.began, last))
        if hidden:
            return True
        if hidden is None and secrecy.field_changed(before, after):
            return True
        if receipt.value is None and receipt.effect == "nothing":
            return True  # as a terminal does that asks for a password
        if receipt.value is not None:
            return False
        return secrecy.shown_as_marks(gesture.text, before, after) or secrecy.says_so(
            self._label(after, receipt)
        )

    def _label(self, view: View, receipt: Receipt) -> str:
        """The label of the field in which something changed, as far as it can be read."""
        if not receipt.changed:
            return ""
        self._still.view = view
        with suppress(ComputerError):
            shot = view.screenshot
            match = self._locator.locate_on(shot.pixel(receipt.changed[0].center), shot)
            return "" if match.anchor is None else words_of(match.anchor)
        return ""


def _switched(take: Take) -> _Aimed | None:
    """Keys that went on to another window: how many presses that takes depends on what was used last."""
    gesture, after = take.gesture, take.after
    if not isinstance(gesture, Pressed) or after is None or gesture.keys[-1] != "Tab":
        return None
    was, now = take.before.active, after.active
    known = {window.id for window in take.before.windows}
    if _SWITCHING.isdisjoint(gesture.keys) or now is None or now.id == _id(was) or now.id not in known:
        return None
    return _Aimed(action=FocusWindow(title=called(now)), words=f'went to the window "{short(called(now))}"')


def _pressed(gesture: Pressed) -> _Aimed | None:
    try:
        keys = tuple(key_name(key) for key in gesture.keys)
    except UnknownKeyError:  # a key of some keyboard that has no name here
        return None
    times = "" if gesture.times == 1 else f" {gesture.times} times"
    return _Aimed(action=PressKeys(keys=keys, times=gesture.times), words=f"pressed {keys_text(keys)}{times}")


def _there(target: Target, matches: tuple[Match, ...]) -> str:
    """What stands in the place, or else where that is."""
    text = matches[0].text if matches else ""
    return f'"{short(text)}"' if text else described(target)


def _same(one: Element, other: Element) -> bool:
    return (one.role, one.pid, one.area[:2]) == (other.role, other.pid, other.area[:2])


def _id(window: Window | None) -> int | None:
    return None if window is None else window.id
