"""What a person did, written down as the steps of a run: an action aimed by what stood there, and what it changed."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never, cast

from computer_agent.recording import secrecy
from computer_agent.recording.aiming import Aimed, Aiming
from computer_agent.recording.merging import Clicked, Dragged, Pressed, Scrolled, Typed
from computer_agent.recording.programs import begins_launch, goes_on, newcomers
from computer_agent.recording.still import StillDesktop
from computer_agent.step import Act, Done, Observation
from computer_api.acting import Acting
from computer_api.actions import Click, Scroll, TypeText
from computer_api.covering import Covering
from computer_api.errors import ComputerError
from computer_api.evidence import evidence
from computer_api.geometry import Point
from computer_api.locate import Locator
from computer_api.own_terminal import own
from computer_api.read_back import held
from computer_api.receipt import Receipt, short
from computer_api.sending import is_office
from computer_api.settle import Looking
from computer_api.sight import topmost
from computer_api.targets import ElementTarget
from computer_api.titles import called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_agent.recording.eyes import Eyes
    from computer_agent.recording.programs import Started
    from computer_agent.recording.still import View
    from computer_agent.recording.taking import Take
    from computer_agent.trace.writer import TraceWriter
    from computer_api.geometry import Box
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match
    from computer_platform.desktop import Desktop, Element, Window
    from computer_vision.reader import Reader

BY = "the person did it"
_HURRIED_SECONDS = 0.4  # in which a program may not have shown anything yet
_READABLE = 4  # characters that can be found on a picture
_SHOWN_SECONDS = 1.0  # after which a program shows what was typed, unless it hides it
_READING_SECONDS = 0.02  # before a press: what was asked later may be told of what that did


class DoneAt:
    """The clock of a trace of what was done before it is written: it stands where it was set, and never goes back."""

    def __init__(self) -> None:
        self._since_1970 = time.time() - time.monotonic()
        self._now = time.monotonic()

    def __call__(self) -> float:
        """Seconds since 1970."""
        return self._since_1970 + self._now

    def set(self, seconds: float) -> None:
        """What is written from here on was then (``time.monotonic()``)."""
        self._now = max(self._now, seconds)


class Demonstration:
    """Writes takes into a trace that has begun, whose time is ``clock``.

    ``avoided`` are processes in whose windows nothing is recorded; ``own_window`` is the id of the window that the
    recording was started from, if it is known otherwise. ``write`` and ``end`` give what each step was, in words, as it
    is written; they raise ``TraceError``.
    """

    def __init__(
        self,
        eyes: Eyes,
        reader: Reader,
        trace: TraceWriter,
        clock: DoneAt,
        *,
        avoided: frozenset[int] = frozenset(),
        own_window: int | None = None,
    ) -> None:
        self._eyes = eyes
        self._trace = trace
        self._clock = clock
        self._avoided = avoided
        self._own_window = own_window
        self._seen = eyes.view(float("inf"))  # after the last step
        self._still = StillDesktop(self._seen, eyes.displays)
        desktop = cast("Desktop", self._still)  # it is only looked at
        self._locator = Locator(desktop, reader, self._look, anchored=True)
        self._locator.avoided = avoided
        self._aiming = Aiming(self._still, self._locator)
        self._acting = Acting(desktop, self._locator, self._look, patience=0.0, receipts=True)
        self._covering = Covering(desktop, self._locator.lines)
        self._launching: list[Take] = []  # what may turn out to have started a program
        self.steps = 0

    def write(self, take: Take) -> Iterator[str]:
        """One more take."""
        if take.after is None or self._is_ours(take):
            return
        chain = self._launching
        if chain and not goes_on(chain, take):
            yield from self._as_they_are()
        if not self._launching:
            yield from self._opened_meanwhile(take.before)
        if self._launching or begins_launch(take):
            self._launching.append(take)
            yield from self._launched(take)
        else:
            yield from self._step(take)

    def end(self) -> Iterator[str]:
        """What is left, and the last picture, with nothing after it."""
        yield from self._as_they_are()
        view = self._eyes.view(float("inf"))
        yield from self._opened_meanwhile(view)
        self._clock.set(time.monotonic())
        self._observe(view)

    def _as_they_are(self) -> Iterator[str]:
        """Steps that started no program after all."""
        takes, self._launching = self._launching, []
        for take in takes:
            yield from self._step(take)

    def _launched(self, take: Take) -> Iterator[str]:
        """A program that has come, instead of all that was done to start it: menus are elsewhere tomorrow."""
        if take.after is None:
            return
        started = [one for one in self._newcomers(take.before, take.after) if one.action]
        if started:
            before, self._launching = self._launching[0].before, []
            yield from self._open(started, before, take.after)

    def _opened_meanwhile(self, view: View) -> Iterator[str]:
        """Programs that have come since the last step, which they are no effect of."""
        started = self._newcomers(self._seen, view)
        yield from self._open(started, self._seen, view)

    def _newcomers(self, before: View, after: View) -> list[Started]:
        return newcomers(before.windows, after.windows, self._avoided, self._eyes.processes)

    def _open(self, programs: list[Started], before: View, after: View) -> Iterator[str]:
        for program in programs:
            if program.action is None:
                continue
            titles = tuple(map(called, program.windows))
            focus = next((called(window) for window in program.windows if window.active), None)
            aimed = Aimed(action=program.action, words=f'started "{short(program.action.program)}"')
            receipt = Receipt(effect="elsewhere", opened=titles, focus=focus)
            self._clock.set(before.seconds)
            yield self._write(aimed, receipt, before, after)

    def _step(self, take: Take) -> Iterator[str]:
        aimed = self._aiming.aimed(take)
        if take.after is None or aimed is None:
            return
        receipt = self._receipt(take.before, take.after, aimed.matches)
        if isinstance(aimed.action, TypeText):
            receipt = replace(receipt, value=self._value(take))
            if self._is_secret(take, receipt):
                self._covering.remember(aimed.action.text)
                aimed = Aimed(action=replace(aimed.action, secret=True), words="typed a secret")
                receipt = replace(receipt, value=None)
        if _is_idle(aimed, receipt):
            return
        by_the_way = self._started_by_the_way(take)
        others = {called(window) for program in by_the_way for window in program.windows}
        opened = tuple(title for title in receipt.opened if title not in others)
        focus = None if receipt.focus in others else receipt.focus
        seconds = round(take.gesture.ended - take.gesture.began, 3)
        receipt = replace(receipt, opened=opened, focus=focus, seconds=seconds)
        self._clock.set(take.gesture.began)
        yield self._write(aimed, receipt, take.before, take.after, ended=take.gesture.ended)
        yield from self._open(by_the_way, take.before, take.after)

    def _started_by_the_way(self, take: Take) -> list[Started]:
        """Programs that came with the step and are no effect of it: from our own terminal, or while text was typed."""
        if take.after is None:
            return []
        found = self._newcomers(take.before, take.after)
        starts_nothing = isinstance(take.gesture, Typed | Scrolled)
        return [program for program in found if program.action and (program.ours or starts_nothing)]

    def _write(
        self, aimed: Aimed, receipt: Receipt, before: View, after: View, *, ended: float | None = None
    ) -> str:
        trace, action = self._trace, aimed.action
        self._observe(before)
        self.steps += 1
        trace.decision(self.steps, Act(thought=aimed.words, actions=(action,)))
        intent = trace.intent(self.steps, action, approval=BY)
        self._clock.set(after.seconds if ended is None else ended)
        trace.result(intent, Done(action=action, receipt=receipt), after=self._covered(after).png())
        self._seen = after
        return self._covering.without_secrets(aimed.words)

    def _observe(self, view: View) -> None:
        """What the next step begins with."""
        seen = Observation(screenshot=self._covered(view), windows=view.windows)
        self._trace.observation(self.steps + 1, seen)

    def _covered(self, view: View) -> Screenshot:
        """The picture without what nobody may see."""
        self._still.view = view
        return self._covering.cover(view.screenshot)

    def _look(self) -> Screenshot:
        return self._still.view.screenshot

    def _is_ours(self, take: Take) -> bool:
        """Whether it was done to the terminal that runs us: how the recording was begun, and how it is ended."""
        ours = {*own(take.before.windows, self._avoided), self._own_window} - {None}
        match take.gesture:
            case Typed(window=window) | Pressed(window=window):
                return (_id(take.before.active) if window is None else window) in ours
            case Clicked(at=at) | Scrolled(at=at) | Dragged(start=at):
                return _id(topmost(take.before.windows, Point(*at))) in ours
        assert_never(take.gesture)

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
        if hidden or (hidden is None and secrecy.field_changed(before, after)):
            return True
        if receipt.value is not None:
            return False
        hurried = len(gesture.text) < _READABLE and take.next_press - gesture.began < _HURRIED_SECONDS
        if receipt.effect == "nothing" and not hurried and not self._has_come(gesture, before):
            return True  # as in a terminal that asks for a password
        if secrecy.shown_as_marks(gesture.text, before, after):
            return True
        return self._is_in_secret_field(after, receipt.changed)

    def _has_come(self, gesture: Typed, before: View) -> bool:
        """Whether a text of which nothing showed can be read by now: the program was slow, and hides nothing."""
        time.sleep(max(0.0, gesture.ended + _SHOWN_SECONDS - time.monotonic()))
        return self._times_read(gesture.text, self._eyes.view(float("inf"))) > self._times_read(
            gesture.text, before
        )

    def _times_read(self, text: str, view: View) -> int:
        from computer_vision.lines import find

        try:
            return len(find(self._locator.lines(view.screenshot), text, exact=False))
        except ComputerError:  # nobody can read here
            return 0

    def _is_in_secret_field(self, view: View, changed: tuple[Box, ...]) -> bool:
        """Whether something changed in a field whose label says that it takes a secret."""
        self._still.view = view
        shot = view.screenshot
        with suppress(ComputerError):
            for line in self._locator.lines(shot):
                words = " ".join(word.text for word in line.words).strip(": *")
                if not secrecy.says_so(words):
                    continue
                fields = self._locator.candidates(ElementTarget(words, role="field"), shot)
                if any(field.box.overlap(box) for field in fields for box in changed):
                    return True
        return False


def _is_idle(aimed: Aimed, receipt: Receipt) -> bool:
    """Whether it did nothing: a wheel at its end, a click beside everything."""
    if receipt.effect != "nothing":
        return False
    nowhere = all(not match.text for match in aimed.matches)
    return isinstance(aimed.action, Scroll) or (isinstance(aimed.action, Click) and nowhere)


def _same(one: Element, other: Element) -> bool:
    return (one.role, one.pid, one.area[:2]) == (other.role, other.pid, other.area[:2])


def _id(window: Window | None) -> int | None:
    return None if window is None else window.id
