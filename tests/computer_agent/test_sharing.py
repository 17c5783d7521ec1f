"""One desktop, two users: what a run does while the person works there themselves, and what it tells and writes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from agent_run import NotingModel, Played, Stage, act

from computer_agent.approval import Allow, Proposal
from computer_agent.limits import Limits, repeated
from computer_agent.loop import run
from computer_agent.models.script import ScriptModel
from computer_agent.models.steps import StepsModel
from computer_agent.sharing import Sharing
from computer_agent.step import Act, Answer, NotDone, Observation, Paused, Step
from computer_agent.trace.reader import read
from computer_agent.trace.replay import ReplayModel
from computer_api.actions import Action, ClipboardSet, HoldKeys, KeyDown, PressKeys, RunCode, Wait
from computer_api.receipt import Receipt
from computer_platform.desktop import PersonEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.loop import Agent
    from computer_agent.models.model import Model
    from computer_agent.settings import ShareMode
    from computer_api.computer import Computer
    from computer_api.errors import ComputerError

A, B = PressKeys(keys=("a",)), PressKeys(keys=("b",))
HOLD = HoldKeys(keys=("Control_L",), seconds=60.0)
DONE = Answer(text="It is done.")
NOTE = "The person used the keyboard meanwhile; the screen may have changed"


@dataclass(kw_only=True)
class Desk:
    """A stage with a person at it, who can be asked when ``answer`` is a yes or a no."""

    stage: Stage
    answer: bool | None = True
    mode: ShareMode = "ask"
    asked: list[str] = field(default_factory=list)
    agent: Agent | None = None

    def works(self) -> None:
        """The person presses a key, long after the run has begun."""
        event = PersonEvent(kind="key", at=(5, 5), down=True, seconds=time.monotonic() + 10)
        self.stage.desktop.person.did(event)

    def go_on(self, words: str) -> bool | None:
        self.asked.append(words)
        return self.answer

    def play(self, model: Model, task: str = "a task") -> Played:
        agent = self.agent = self.stage.agent(model)
        agent.computer.presence.begin()
        agent.gate.sharing = Sharing(
            presence=agent.computer.presence,
            desktop=agent.computer.desktop,
            trace=agent.trace,
            tell=self.stage.told.append,
            mode=self.mode,
            go_on=self.go_on,
            quiet=-20.0,  # the person's events come from a future of ten seconds
        )
        events = list(run(task, agent))
        agent.trace.close()
        return Played(
            events=events,
            told=self.stage.told,
            trace=read(self.stage.folder / "trace"),
            desktop=self.stage.desktop,
        )


@pytest.fixture
def desk(stage: Stage) -> Desk:
    return Desk(stage=stage)


@dataclass(frozen=True, slots=True)
class Busy:
    """A model in whose thinking the person works, at these steps."""

    model: Model
    works: Callable[[], None]
    at: Sequence[int]
    name: str = "busy"
    observe: Observe = "picture"

    def decide(
        self, task: str, past: Sequence[Step], now: Observation, on_delta: Callable[[str], None]
    ) -> Act | Answer:
        if len(past) + 1 in self.at:
            self.works()
        return self.model.decide(task, past, now, on_delta)


def verbs(played: Played) -> list[object]:
    return [event.detail for event in played.desktop.log]


def test_what_was_decided_before_the_person_worked_is_not_done_and_the_model_decides_anew(desk: Desk) -> None:
    noting = NotingModel([act(A, B), act(B), DONE])
    played = desk.play(Busy(noting, desk.works, at=[1]))
    first, second = noting.shown[1].outcomes
    assert isinstance(first, NotDone)
    assert isinstance(second, NotDone)
    assert (first.kind, first.begun, second.kind) == ("interrupted", False, "skipped")
    assert first.why == "The person used the keyboard before it began; nothing of it was done."
    assert noting.shown[1].notes[0] == f"{NOTE}; the last action was broken off."
    assert desk.asked == ["You used the keyboard."]
    assert [attempt.outcome for attempt in played.attempts] == ["interrupted", "done"]
    assert played.finished.ending == "done"


def test_the_trace_says_how_much_the_person_did_and_not_what_they_typed(desk: Desk) -> None:
    played = desk.play(Busy(ScriptModel([act(A), DONE]), desk.works, at=[1]))
    (used,) = [used for step in played.trace.steps for used in step.person]
    assert (used.step, used.keys, used.buttons, used.points, used.then) == (2, 1, 0, 0, "told to go on")
    assert used.began <= used.ended


def test_somebody_who_says_stop_stops_the_run(desk: Desk) -> None:
    desk.answer = False
    played = desk.play(Busy(ScriptModel([act(A), DONE]), desk.works, at=[1]))
    assert (played.finished.ending, played.finished.words) == ("stopped", "You stopped the run.")
    assert verbs(played) == []
    assert [used.then for step in played.trace.steps for used in step.person] == ["stopped"]


@pytest.mark.parametrize(("mode", "asked"), [("ask", 1), ("wait", 0)])
def test_where_nobody_is_asked_it_goes_on_when_the_person_is_quiet_and_says_so(
    desk: Desk, mode: ShareMode, asked: int
) -> None:
    desk.answer, desk.mode = None, mode
    played = desk.play(Busy(ScriptModel([act(A), DONE]), desk.works, at=[1]))
    assert len(desk.asked) == asked
    assert [event.words for event in played.told if isinstance(event, Paused)]
    assert [used.then for step in played.trace.steps for used in step.person] == ["quiet"]
    assert played.finished.ending == "done"


def test_it_waits_for_quiet_no_longer_than_the_run_may_take(desk: Desk) -> None:
    desk.mode = "wait"
    desk.stage = replace(desk.stage, limits=Limits(seconds=0.5))
    model = Busy(ScriptModel([act(A), DONE]), desk.works, at=[1])
    agent = desk.stage.agent(model)
    agent.computer.presence.begin()
    agent.gate.sharing = Sharing(
        presence=agent.computer.presence,
        desktop=agent.computer.desktop,
        trace=agent.trace,
        tell=desk.stage.told.append,
        mode="wait",
        quiet=60.0,
    )
    *_, finished = run("a task", agent)
    agent.trace.close()
    assert "limit of 0.5 seconds" in getattr(finished, "words", "")


def test_with_sharing_off_the_person_and_the_agent_work_side_by_side(desk: Desk) -> None:
    desk.mode = "off"
    played = desk.play(Busy(ScriptModel([act(A), DONE]), desk.works, at=[1]))
    assert played.finished.ending == "done"
    assert [attempt.outcome for attempt in played.attempts] == ["done"]
    assert desk.asked == []
    assert not [used for step in played.trace.steps for used in step.person]


class Meanwhile:
    """An approval that allows everything; the person works while the action is going on."""

    def __init__(self, desk: Desk, action: type[Action]) -> None:
        self._desk = desk
        self._action = action

    def decide(self, proposal: Proposal) -> Allow:
        agent = self._desk.agent
        assert agent is not None
        if isinstance(proposal.action, self._action):
            held = agent.computer.desktop.held
            agent.computer.stop_when(lambda: self._desk.works() if held() else None)
        return Allow("a rule")


def test_what_has_begun_is_broken_off_with_nothing_pressed_and_never_done_again(desk: Desk) -> None:
    desk.stage = replace(desk.stage, approval=Meanwhile(desk, HoldKeys))
    noting = NotingModel([act(HOLD), DONE])
    played = desk.play(noting)
    (outcome,) = noting.shown[1].outcomes
    assert isinstance(outcome, NotDone)
    assert (outcome.kind, outcome.begun) == ("interrupted", True)
    assert "in the middle of it" in outcome.why
    assert not played.desktop.held()
    assert [attempt.outcome for attempt in played.attempts] == ["interrupted"]


def test_steps_that_had_not_begun_are_done_after_all(desk: Desk) -> None:
    played = desk.play(Busy(StepsModel(), desk.works, at=[1, 3]), task="press a; press b")
    assert played.finished.words == "All 2 steps are done."
    assert [attempt.outcome for attempt in played.attempts] == ["interrupted", "done", "interrupted", "done"]


def test_steps_that_had_begun_end_the_run_with_a_sentence(desk: Desk) -> None:
    desk.stage = replace(desk.stage, approval=Meanwhile(desk, HoldKeys))
    played = desk.play(StepsModel(), task="press a; hold ctrl for 60 seconds; press b")
    assert played.finished.ending == "gave up"
    assert "Step 2" in played.finished.words
    assert "in the middle of it; whether it had its effect is not known" in played.finished.words


@pytest.mark.parametrize("begun", [False, True])
def test_a_replay_goes_on_with_what_had_not_begun_and_stops_at_what_had(
    desk: Desk, stage: Stage, *, begun: bool
) -> None:
    short = HoldKeys(keys=("Control_L",), seconds=0.2)
    recorded = replace(stage, folder=stage.folder / "recorded").play(ScriptModel([act(A), act(short), DONE]))
    desk.stage = replace(stage, approval=Meanwhile(desk, HoldKeys)) if begun else stage
    replaying = ReplayModel(recorded.trace)
    played = desk.play(replaying if begun else Busy(replaying, desk.works, at=[1]))
    if begun:
        assert played.finished.ending == "gave up"
        assert "The replay diverged at step 2" in played.finished.words
        assert "seen broken off: The person used the keyboard in the middle of it" in played.finished.words
    else:
        assert played.finished.ending == "done"
        assert [attempt.outcome for attempt in played.attempts] == ["interrupted", "done", "done"]


def test_what_is_held_down_is_released_before_the_person_works_and_the_model_hears_of_it(desk: Desk) -> None:
    noting = NotingModel([act(KeyDown(keys=("Shift_L",))), act(A), DONE])
    desk.play(Busy(noting, desk.works, at=[2]))
    assert noting.shown[2].notes[0].endswith("; what was held down was released (Shift_L).")
    assert not desk.stage.desktop.held()


def test_the_model_hears_of_what_was_released_in_the_middle_of_an_action_too(desk: Desk) -> None:
    desk.stage = replace(desk.stage, approval=Meanwhile(desk, Wait))
    noting = NotingModel([act(KeyDown(keys=("Shift_L",))), act(Wait(seconds=60)), DONE])
    desk.play(noting)
    assert noting.shown[2].notes[0].endswith("; what was held down was released (Shift_L).")
    assert noting.shown[2].released == ("Shift_L",)
    assert not desk.stage.desktop.held()


def test_steps_do_not_go_on_without_what_they_hold_down(desk: Desk) -> None:
    desk.stage = replace(desk.stage, approval=Meanwhile(desk, Wait))
    played = desk.play(StepsModel(), task="key down shift; wait 60 seconds; click 300,200; key up shift")
    assert played.finished.ending == "gave up"
    assert played.finished.words == (
        "Step 2, `wait 60 seconds`, is not done: what was held down (Shift_L) was released when the desktop was used "
        "meanwhile."
    )
    assert [attempt.outcome for attempt in played.attempts] == ["done", "interrupted"]


def test_a_replay_does_not_go_on_without_what_it_holds_down(desk: Desk, stage: Stage) -> None:
    down = KeyDown(keys=("Shift_L",))
    recorded = replace(stage, folder=stage.folder / "recorded").play(ScriptModel([act(down), act(A), DONE]))
    played = desk.play(Busy(ReplayModel(recorded.trace), desk.works, at=[2]))
    assert played.finished.ending == "gave up"
    assert "The replay ends before step 2 (PressKeys): what was held down (Shift_L)" in played.finished.words


def test_an_interruption_is_no_repetition_in_vain() -> None:
    outcome = NotDone(action=A, why="", kind="interrupted", begun=True)
    seen = Observation(screenshot=None)
    past = [Step(number=n, seen=seen, act=act(A), outcomes=(outcome,), seconds=0.1) for n in range(1, 9)]
    assert repeated(past) == 0


def test_code_waits_at_its_next_action_until_the_person_is_done(desk: Desk) -> None:
    """Nobody decides anew what a code step asks for: it is done after the pause."""
    noting = NotingModel([act(ClipboardSet(text="x")), DONE])
    agent = desk.agent = desk.stage.agent(noting)
    agent.computer.presence.begin()
    agent.gate.sharing = Sharing(
        presence=agent.computer.presence,
        desktop=agent.computer.desktop,
        trace=agent.trace,
        tell=desk.stage.told.append,
        go_on=desk.go_on,
    )
    results: list[Receipt | ComputerError] = []

    def code(_action: Action) -> Receipt:
        desk.works()
        results.append(agent.computer.perform(A))
        return Receipt(effect="unknown")

    agent.gate(RunCode(language="python", code="..."), code)
    agent.trace.close()
    assert len(results) == 1
    assert desk.asked == ["You used the keyboard."]
    assert verbs_of(agent.computer) == ["key", "key"]


def verbs_of(computer: Computer) -> list[str]:
    log = getattr(computer.desktop, "log", ())
    return [event.verb for event in log]


def test_a_run_that_ends_while_the_person_works_writes_that_too(desk: Desk) -> None:
    played = desk.play(Busy(ScriptModel([DONE]), desk.works, at=[1]))
    assert [used.then for step in played.trace.steps for used in step.person] == ["ended"]
