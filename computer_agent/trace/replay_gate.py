"""The gate of a replay: before an action it waits for the target, after it for the effect that was recorded.

It waits for facts, as long as they may take on a slow machine, and never for a time that was recorded. What was sent is
never sent again: a target that is not there may be found anew only while nothing of its action was done.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from computer_agent.step import Done
from computer_agent.trace.compare import compared
from computer_agent.trace.healing import Lost, lost_target
from computer_agent.trace.plan import named
from computer_agent.trace.receiver import Receiver
from computer_api.actions import CHECKS, ExpectTicked, ExpectValue, RunCode, Wait, aimed_at, targets_of
from computer_api.errors import (
    AmbiguousError,
    ComputerError,
    ExpectationError,
    NotFoundError,
    PersonActiveError,
    Stopped,
)
from computer_api.geometry import Box, Pixel
from computer_api.settle import differ, settled
from computer_api.sight import topmost
from computer_api.targets import AnchoredTarget

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_agent.trace.healing import Healed, Healer
    from computer_agent.trace.plan import Planned
    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt
    from computer_api.targets import Match, Target

_PATIENCE = 10.0  # seconds that a fact may take at least
_LONGEST = 3.0  # times that, which it may take at most
_SLOWER = 10.0  # times, that the machine may be
_GROWN = 1.2  # times, from which on a window may not show all that it showed
_QUIET_SECONDS = 2.0  # that a screen gets to become quiet each time
_LOADING_SECONDS = (
    4.0  # in which a program that loads paints something; one that only works may paint nothing
)
_RESTING = 3  # times in a row that it is seen to be at rest
_GLANCE_SECONDS = 0.02
_POLL_SECONDS = 0.1
_TOLD = 3.0  # seconds: an effect that shows later is worth a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaying:
    """How to replay.

    ``speed`` keeps the recorded pace, that many times as fast; without it nothing is waited for but facts.
    ``step`` is asked before each action, in words, whether to go on. ``heal`` finds lost targets anew. ``patience``
    is for how many seconds a target or an effect is waited for at least; on a slow machine up to three times as long.
    """

    speed: float | None = None
    step: Callable[[str], bool] | None = None
    heal: Healer | None = None
    patience: float = _PATIENCE


@dataclass(slots=True, kw_only=True)
class Noted:
    """What the gate saw of one action: whether any of it was sent, how late its effect showed, who healed it."""

    begun: bool = True
    late: float = 0.0
    healed: Healed | None = None

    def late_words(self) -> str:
        """Said of an effect that took its time."""
        return f"the effect showed after {self.late:.0f} s" if self.late >= _TOLD else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    """The action that comes next. ``patience`` is in seconds, ``pace`` how long it was recorded after the last one."""

    number: int
    of: int
    planned: Planned
    patience: float
    pace: float


@dataclass(slots=True)
class ReplayGate:
    """Stands before the gate of a computer. ``titles`` are all windows that the recording opened.

    ``keep`` stores a PNG with the trace of the replay, and gives its file.
    """

    computer: Computer
    titles: frozenset[str]
    replaying: Replaying = field(default_factory=Replaying)
    keep: Callable[[bytes], Path] | None = None
    noted: dict[int, Noted] = field(default_factory=dict, init=False)
    behind: Callable[[Action, Callable[[Action], Receipt]], Receipt] = field(init=False)
    _receiver: Receiver = field(init=False)
    _expected: _Expected | None = field(default=None, init=False)
    _before: Planned | None = field(default=None, init=False)
    _ended: float = field(default_factory=time.monotonic, init=False)

    def __post_init__(self) -> None:
        gate = self.computer.gate
        self.behind = gate.behind if isinstance(gate, ReplayGate) else gate  # an earlier replay is over
        self._receiver = Receiver(computer=self.computer, titles=self.titles)

    @property
    def healed(self) -> tuple[Healed, ...]:
        """What was found anew, in order."""
        return tuple(noted.healed for noted in self.noted.values() if noted.healed is not None)

    def expect(self, number: int, of: int, planned: Planned, then: Planned | None = None) -> None:
        """This action comes next, and ``then`` that one, whose target will be waited for."""
        self.computer.brisk = then is not None and bool(targets_of(then.action))
        self._receiver.learn(planned.receipt)
        attempt, before = planned.attempt, None if self._before is None else self._before.attempt
        took = (attempt.ended or attempt.began) - (attempt.began if before is None else before.began)
        pace = 0.0 if before is None else attempt.began - (before.ended or before.began)
        slowest = max((noted.late for noted in self.noted.values()), default=0.0)
        patience = 0.0
        if self.computer.desktop.activity(None) != "none":  # else nothing comes later than at once
            least = self.replaying.patience
            patience = min(_LONGEST * least, max(least, _SLOWER * took, _SLOWER * slowest))
        self._expected = _Expected(
            number=number, of=of, planned=planned, patience=patience, pace=max(0.0, pace)
        )

    def __call__(self, action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        """Raises what the gate behind it raises, and ``Stopped``."""
        expected, self._expected = self._expected, None
        if expected is None or action != expected.planned.action:  # what code asks for
            return self.behind(action, perform)
        try:
            return self._performed(expected, perform)
        finally:
            self._before, self._ended = expected.planned, time.monotonic()

    def _performed(self, expected: _Expected, perform: Callable[[Action], Receipt]) -> Receipt:
        noted = self.noted[expected.number] = Noted()
        self._keep_pace(expected)
        self._ask(expected)
        usual, self.computer.patience = self.computer.patience, max(expected.patience, self.computer.patience)
        action = self._patient(expected)
        try:
            return self._done(action, expected, perform)
        except (NotFoundError, AmbiguousError) as missing:
            noted.begun = missing.begun
            if missing.begun or self.replaying.heal is None:
                raise
            return self._healed(action, missing, expected, perform)
        except ComputerError as error:
            lost = self._lost_field(action, error)
            if lost is None or self.replaying.heal is None:
                noted.begun = error.begun or isinstance(action, CHECKS)  # one that looked for an effect
                raise
            return self._healed(action, lost, expected, perform)
        finally:
            self.computer.patience = usual

    def _let_it_start(self, action: Action, expected: _Expected) -> None:
        """Where a window may have just come: wait until it is painted and its program has nothing left to do.

        A program that still loads shows what is sought, and then throws away the click or moves it elsewhere.
        """
        opened = self._before is None or bool(self._before.receipt.opened)
        if not opened or not expected.patience or isinstance(action, (*CHECKS, Wait, RunCode)):
            return
        for target in targets_of(action):
            self.computer.locate(target)  # as soon as it is there
        until = time.monotonic() + _LONGEST * expected.patience
        painted = self.computer.look().frame
        since = time.monotonic()
        while time.monotonic() < min(until, since + _LOADING_SECONDS):
            now = settled(
                lambda: self.computer.look().frame,
                check=lambda: self.computer.pause(0.0),
                seconds=_QUIET_SECONDS,
            ).frame
            if differ(painted, now):
                painted, since = now, time.monotonic()
            if self._is_idle():
                return

    def _is_idle(self) -> bool:
        """Whether the program that has the keyboard is at rest, each time that it is looked at."""
        for _ in range(_RESTING):
            if self.computer.desktop.activity(self.computer.receiving()) == "busy":
                self.computer.pause(_POLL_SECONDS)
                return False
            self.computer.pause(_GLANCE_SECONDS)
        return True

    def _lost_field(self, action: Action, failed: ComputerError) -> NotFoundError | AmbiguousError | None:
        """Why a check of a control failed, where that is because the control is not there to be looked at."""
        if not isinstance(failed, ExpectationError) or not isinstance(action, ExpectValue | ExpectTicked):
            return None
        try:
            self.computer.locate(action.target, seconds=0.0)
        except (NotFoundError, AmbiguousError) as missing:
            return missing
        return None

    def _named(self, action: Action, target: Target) -> Target:
        """What a check looks at: a place that somebody pointed at, by what it is known by; it never looks at places."""
        if not isinstance(target, Pixel) or not isinstance(action, CHECKS):
            return target
        anchors = self.computer.locate(target, seconds=0.0).anchors
        return target if anchors is None else AnchoredTarget(anchors=anchors)

    def _keep_pace(self, expected: _Expected) -> None:
        """With a speed, let as much time pass before the action as the recording did."""
        speed = self.replaying.speed
        if speed is not None:
            left = self._ended + expected.pace / speed - time.monotonic()
            if left > 0:
                self.computer.pause(left)

    def _ask(self, expected: _Expected) -> None:
        """Ask the person whether to go on, where they want to be asked. Raises ``Stopped``."""
        ask = self.replaying.step
        if ask is None:
            return
        words = f"{expected.number} of {expected.of}: {named(expected.planned.action)}"
        with self.computer.presence.asking():
            if not ask(words):
                raise Stopped(f"You stopped the replay before step {expected.number}.")

    def _patient(self, expected: _Expected) -> Action:
        """The action with the time that it may take here: a check gets all, a pause none but what is asked for."""
        action = expected.planned.action
        if isinstance(action, Wait):
            speed = self.replaying.speed
            return Wait(seconds=0.0 if speed is None else action.seconds / speed)
        if isinstance(action, CHECKS):
            return replace(action, seconds=max(action.seconds, expected.patience))
        return action

    def _done(self, action: Action, expected: _Expected, perform: Callable[[Action], Receipt]) -> Receipt:
        def clear(let_through: Action) -> Receipt:
            self._let_it_start(let_through, expected)
            self._receiver.check(let_through, expected.patience, expected.planned.attempt)
            receipt = self._awaited(perform(let_through), expected, partial(perform, let_through))
            self._receiver.follow(let_through, receipt, expected.planned.receipt)
            return receipt

        return self.behind(action, clear)

    def _awaited(self, receipt: Receipt, expected: _Expected, look_again: Callable[[], Receipt]) -> Receipt:
        """The receipt once it has all that was recorded, or when the patience is over; only a check is done again."""
        began = time.monotonic()
        planned, patience = expected.planned, expected.patience
        if isinstance(planned.action, Wait):
            patience = min(patience, planned.action.seconds)  # what it waited for may have come before
        while True:
            found = compared(planned.receipt, Done(action=planned.action, receipt=receipt), self.titles)
            waited = time.monotonic() - began
            if not found.late or waited >= patience:
                break
            try:
                later = look_again() if isinstance(planned.action, CHECKS) else self._later(receipt)
            except PersonActiveError:  # what changes now may be the person's work
                return replace(receipt, effect="unknown") if receipt.effect == "nothing" else receipt
            if later is None:
                break
            if self._may_not_show(receipt, planned):
                return replace(receipt, effect="unknown", only_focus=False)
            receipt = later
        if not found.late:
            self.noted[expected.number].late = waited
        return receipt

    def _may_not_show(self, receipt: Receipt, planned: Planned) -> bool:
        """Whether what changed elsewhere, when it was recorded, may lie where nobody sees it now.

        So it is where the window does not lie on the screen as a whole, and where its controls have another size, so
        that it may not show them all.
        """
        recorded = planned.receipt
        if recorded.effect not in ("here", "elsewhere") or recorded.opened or recorded.closed:
            return False
        stack = self.computer.windows.all()
        active = next((window for window in stack if window.active), None)
        window = topmost(stack, receipt.matches[-1].point) if receipt.matches else active
        if window is None:
            return False
        place = Box(*window.area)
        cut = place.overlap(self.computer.look().box) < place.width * place.height
        pairs = zip(recorded.matches, receipt.matches, strict=False)
        return cut or any(_grown(was, now) for was, now in pairs)

    def _later(self, receipt: Receipt) -> Receipt | None:
        """The receipt of the last action, taken again; None where no change is watched."""
        now = self.computer.later()
        if now is None:
            return None
        value = receipt.value if receipt.value is None else self.computer.held() or receipt.value
        return replace(
            receipt,
            effect=now.effect,
            changed=now.changed,
            opened=now.opened,
            closed=now.closed,
            renamed=now.renamed,
            focus=now.focus,
            only_focus=now.only_focus,
            menu=now.menu,
            value=value,
        )

    def _healed(
        self,
        action: Action,
        missing: NotFoundError | AmbiguousError,
        expected: _Expected,
        perform: Callable[[Action], Receipt],
    ) -> Receipt:
        """Do it on the target that somebody found instead. Raises ``missing`` where nobody does."""
        assert self.replaying.heal is not None  # noqa: S101 - asked before
        index = lost_target(self.computer, action)
        screenshot = self.computer.present()
        lost = Lost(
            number=expected.number,
            planned=expected.planned,
            index=index,
            why=str(missing),
            screenshot=screenshot,
            picture=None if self.keep is None else self.keep(screenshot.png()),
            choices=missing.candidates if isinstance(missing, AmbiguousError) else missing.closest,
        )
        found = self.replaying.heal(self.computer, lost)
        if found is None:
            raise missing
        targets = list(targets_of(action))
        targets[index] = self._named(action, found.target)
        noted = self.noted[expected.number]
        try:
            receipt = self._done(aimed_at(action, targets), expected, perform)
        except ComputerError as error:
            noted.begun = error.begun
            raise
        noted.begun, noted.healed = True, found.healed(lost, receipt)
        return receipt


def _grown(was: Match, now: Match) -> bool:
    """Whether a control is higher than it was; a bare place has no height."""
    return was.box.height > 1 and now.box.height > _GROWN * was.box.height
