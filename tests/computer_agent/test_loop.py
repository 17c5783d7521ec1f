"""A run from its first look to its end: what the model gets to see, what is done, and how it can end."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from agent_run import NotingModel, Stage, act

from computer_agent.approval import Allow, Decision, Proposal, Refuse, Stop
from computer_agent.cli import shown
from computer_agent.limits import Limits
from computer_agent.loop import run
from computer_agent.models.model import BadReply, ModelError
from computer_agent.models.script import ScriptModel
from computer_agent.step import (
    Act,
    Answer,
    Deciding,
    Done,
    Event,
    Finished,
    Looking,
    NotDone,
    Outcome,
    Performed,
    SafetyCheck,
    Started,
    Stepped,
    Thinking,
    Usage,
)
from computer_agent.trace.reader import read
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import (
    Click,
    ClipboardSet,
    Expect,
    HoldKeys,
    KeyDown,
    Look,
    PressKeys,
    TypeText,
    Wait,
    Zoom,
)
from computer_api.geometry import Pixel
from computer_api.targets import TextTarget
from computer_platform.desktop import Area, DesktopUnavailable
from computer_platform.memory import MemoryDesktop, Screen, Widget

if TYPE_CHECKING:
    from computer_agent.step import Ending, Spent
    from computer_platform.desktop import Frame

NOWHERE = Click(target=TextTarget("Nowhere"))
ASIDE = Click(target=Pixel(600, 380))
SAVE = Click(target=TextTarget("Save"))
COPY = ClipboardSet(text="x")
DONE = Answer(text="It is done.")


def outcomes_of(*outcomes: Outcome) -> list[str]:
    return ["done" if isinstance(outcome, Done) else outcome.kind for outcome in outcomes]


# One turn after the other.


def test_a_run_tells_its_story_in_order(stage: Stage) -> None:
    played = stage.play(ScriptModel([act(Look(), thought="I look."), DONE]))
    assert [type(event) for event in played.events] == [Started, Looking, Stepped, Looking, Finished]
    assert [type(event) for event in played.told] == [Thinking, Deciding, Performed]
    assert (played.finished.ending, played.finished.words, played.finished.spent.steps) == (
        "done",
        "It is done.",
        1,
    )


def test_several_actions_of_one_decision_are_done_in_their_order(stage: Stage) -> None:
    model = NotingModel([act(Click(target=Pixel(5, 6)), PressKeys(keys=("a",)), COPY), DONE])
    played = stage.play(model)
    assert [event.verb for event in played.desktop.log] == ["move", "button", "button", "key", "key"]
    assert outcomes_of(*model.shown[1].outcomes) == ["done", "done", "done"]
    assert [type(attempt.action) for attempt in played.attempts] == [Click, PressKeys, ClipboardSet]
    assert model.shown[0].outcomes == ()


def test_after_one_that_fails_the_rest_is_skipped_and_the_model_hears_of_each(stage: Stage) -> None:
    model = NotingModel([act(ASIDE, NOWHERE, COPY, ASIDE), DONE])
    played = stage.play(model)
    outcomes = model.shown[1].outcomes
    assert outcomes_of(*outcomes) == ["done", "error", "skipped", "skipped"]
    assert isinstance(outcomes[1], NotDone)
    assert '"Nowhere" is not on the screen' in outcomes[1].why
    assert isinstance(outcomes[2], NotDone)
    assert (outcomes[2].action, outcomes[2].why) == (COPY, "an action before it was not done")
    assert played.desktop.clipboard.read() == ""
    assert [attempt.outcome for attempt in played.attempts] == ["done", "error"]
    assert played.finished.ending == "done"


class NoClicks:
    """An approval that allows everything but clicks."""

    def decide(self, proposal: Proposal) -> Decision:
        return Refuse("clicks are not wanted") if isinstance(proposal.action, Click) else Allow("a rule")


def test_a_refusal_goes_back_to_the_model_with_its_reason_and_the_run_goes_on(stage: Stage) -> None:
    model = NotingModel([act(ASIDE, COPY), act(COPY), DONE])
    played = replace(stage, approval=NoClicks()).play(model)
    refused, skipped = model.shown[1].outcomes
    assert isinstance(refused, NotDone)
    assert (refused.kind, refused.why) == ("refused", "clicks are not wanted")
    assert outcomes_of(skipped) == ["skipped"]
    assert outcomes_of(*model.shown[2].outcomes) == ["done"]
    assert played.desktop.log == ()
    assert played.finished.ending == "done"


def test_a_screen_that_is_as_before_is_not_shown_again_but_named(stage: Stage) -> None:
    model = NotingModel([act(Look()), act(Look()), act(SAVE), act(Look()), DONE])
    stage.play(model)
    assert [seen.unchanged_since for seen in model.shown] == [None, 1, 1, None, 4]
    assert [seen.screenshot is None for seen in model.shown] == [False, True, True, False, True]


def test_as_little_as_a_tick_is_shown_to_the_model(stage: Stage) -> None:
    box = Widget(kind="checkbox", name="Window seat", area=Area(50, 50, 16, 16))
    desktop = MemoryDesktop((640, 400), [Screen(name="seats", widgets=(box,))])
    click = Click(target=Pixel(58, 58))
    model = NotingModel([act(click), act(click), act(click), DONE])
    replace(stage, desktop=desktop).play(model)
    assert all(seen.screenshot is not None for seen in model.shown)


def test_the_model_is_given_the_task_and_everybody_else_its_title(stage: Stage) -> None:
    tasks: list[str] = []

    class Asked(NotingModel):
        def decide(self, task: str, *rest: object) -> Answer:
            tasks.append(task)
            return DONE

    played = stage.play(Asked([]), task="type hunter2", title="type a secret")
    assert tasks == ["type hunter2"]
    started = played.events[0]
    assert isinstance(started, Started)
    assert (started.task, started.desktop) == ("type a secret", "memory")
    assert played.trace.header.task == "type a secret"
    assert "hunter2" not in (stage.folder / "trace" / "trace.jsonl").read_text()


def test_what_it_costs_is_added_up_and_an_unknown_price_is_no_zero(stage: Stage) -> None:
    costs = Usage(tokens_in=100, tokens_out=10, dollars=0.25)
    replies: list[Act | Answer] = [
        Act(thought="", actions=(Look(),), usage=costs),
        Answer(text="Done.", usage=costs),
    ]
    spent = stage.play(ScriptModel(replies)).finished.spent
    assert (spent.tokens, spent.dollars, spent.steps) == (220, 0.5, 1)
    again = replace(stage, folder=stage.folder / "again")
    unknown = Act(thought="", actions=(Look(),), usage=Usage(dollars=None))
    assert again.play(ScriptModel([unknown, DONE])).finished.spent.dollars is None


def test_a_model_that_gives_up_has_not_done_it(stage: Stage) -> None:
    played = stage.play(ScriptModel([Answer(text="I cannot.", done=False)]))
    assert (played.finished.ending, played.finished.words) == ("gave up", "I cannot.")
    assert played.trace.ending is not None
    assert played.trace.ending.ending == "gave up"


# Limits.


@pytest.mark.parametrize(
    ("limits", "usage", "said"),
    [
        (Limits(steps=2), Usage(), "The limit of 2 steps is reached. Allow more with --max-steps."),
        (Limits(seconds=0.2), Usage(), "The limit of 0.2 seconds is reached."),
        (Limits(dollars=0.5), Usage(dollars=0.3), "The budget of $0.5 is spent."),
        (Limits(dollars=5), Usage(dollars=None), "the price of this model is not known"),
    ],
)
def test_each_limit_ends_the_run_with_its_own_sentence(
    stage: Stage, limits: Limits, usage: Usage, said: str
) -> None:
    look = Act(thought="", actions=(Wait(seconds=0.05),), usage=usage)
    played = replace(stage, limits=limits).play(ScriptModel([look] * 50))
    assert played.finished.ending == "limit"
    assert said in played.finished.words
    assert played.finished.spent.steps < 10
    assert played.trace.ending is not None
    assert played.trace.ending.words == played.finished.words


def test_a_limit_of_time_ends_a_long_action_too_and_releases_what_it_holds(stage: Stage) -> None:
    hold = Act(thought="", actions=(HoldKeys(keys=("Control_L",), seconds=60.0),))
    played = replace(stage, limits=Limits(seconds=1.0)).play(ScriptModel([hold]))
    assert (played.finished.ending, played.finished.words) == (
        "limit",
        "The limit of 1 seconds is reached. Allow more with --max-seconds.",
    )
    assert played.finished.spent.seconds < 5
    assert not played.desktop.held()


def test_the_answer_after_the_last_step_is_no_step(stage: Stage) -> None:
    look = Act(thought="", actions=(Wait(seconds=0.01),))
    played = replace(stage, limits=Limits(steps=1)).play(ScriptModel([look, Answer(text="Done.")]))
    assert (played.finished.ending, played.finished.spent.steps) == ("done", 1)


def test_a_step_that_never_has_an_effect_is_warned_of_and_then_ends_the_run(stage: Stage) -> None:
    model = NotingModel([act(ASIDE)] * 9)
    played = replace(stage, receipts=True).play(model)
    assert played.finished.ending == "limit"
    assert played.finished.words == "The same step was tried 5 times without any effect."
    assert [bool(seen.notes) for seen in model.shown] == [False, False, False, True, True]
    assert "3 times and nothing changed" in model.shown[3].notes[0]
    assert played.trace.steps[3].observation is not None
    assert played.trace.steps[3].observation.notes == model.shown[3].notes


# How it can end otherwise.


class Gone(MemoryDesktop):
    """A desktop that goes away at the first click."""

    def button(self, button: object, *, down: bool) -> None:
        self.close()
        raise DesktopUnavailable("The X server went away.")


class CtrlC(MemoryDesktop):
    """A desktop during whose n-th look, or first click, a person presses Ctrl-C."""

    def __init__(self, *, looks: int | None = None) -> None:
        super().__init__((640, 400))
        self._left = looks

    def capture(self, area: Area | None = None) -> Frame:
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                raise KeyboardInterrupt
        return super().capture(area)

    def button(self, button: object, *, down: bool) -> None:
        super().button("left", down=True)
        raise KeyboardInterrupt


def test_a_model_that_fails_ends_the_run_as_failed_in_its_own_words(stage: Stage) -> None:
    played = stage.play(NotingModel([act(COPY), BadReply("The reply could not be read.")]))
    assert (played.finished.ending, played.finished.words) == ("failed", "The reply could not be read.")
    assert played.finished.spent.steps == 1
    assert [attempt.outcome for attempt in played.attempts] == ["done"]
    assert played.trace.ending is not None
    assert played.trace.ending.ending == "failed"
    assert played.trace.notes == ()


def test_what_a_failed_turn_cost_is_in_the_total(stage: Stage) -> None:
    failed = BadReply("It could not be read.")
    failed.usage = Usage(tokens_in=90, tokens_out=10, dollars=0.25)
    played = stage.play(NotingModel([failed]))
    assert (played.finished.spent.dollars, played.finished.spent.tokens) == (0.25, 100)


def test_a_desktop_that_goes_away_ends_the_run_as_failed(stage: Stage) -> None:
    played = replace(stage, desktop=Gone((640, 400))).play(NotingModel([act(KeyDown(keys=("a",)), ASIDE)]))
    assert (played.finished.ending, played.finished.words) == ("failed", "The X server went away.")
    assert [attempt.outcome for attempt in played.attempts] == ["done", "unknown"]
    assert played.trace.ending is not None
    assert played.trace.ending.words == "The X server went away."


@pytest.mark.parametrize("reply", [KeyboardInterrupt(), ModelError("no")])
def test_however_it_ends_nothing_stays_pressed(stage: Stage, reply: BaseException) -> None:
    played = stage.play(NotingModel([act(KeyDown(keys=("Shift_L",))), reply]))
    assert ("Shift_L" in str(played.desktop.log), played.desktop.held()) == (True, frozenset())
    again = replace(stage, folder=stage.folder / "again")
    assert not again.play(NotingModel([act(KeyDown(keys=("Shift_L",))), DONE])).desktop.held()


@pytest.mark.parametrize(
    ("desktop", "replies"),
    [
        (CtrlC(), [act(ASIDE)]),
        (CtrlC(looks=2), [act(ASIDE)]),
        (CtrlC(looks=9), [act(Look())] * 5),
        (MemoryDesktop(), [KeyboardInterrupt()]),
    ],
)
def test_ctrl_c_at_any_time_ends_the_run_as_stopped(
    stage: Stage, desktop: MemoryDesktop, replies: list[Act | BaseException]
) -> None:
    played = replace(stage, desktop=desktop).play(NotingModel(replies))
    assert (played.finished.ending, played.finished.words) == ("stopped", "You stopped the run.")
    assert not desktop.held()
    assert played.trace.ending is not None
    assert played.trace.ending.ending == "stopped"


class StopsAtCopy:
    """A person who stops the run when it wants to copy."""

    def decide(self, proposal: Proposal) -> Decision:
        return Stop() if isinstance(proposal.action, ClipboardSet) else Allow("a rule")


def test_a_person_who_is_asked_can_stop_the_run(stage: Stage) -> None:
    played = replace(stage, approval=StopsAtCopy()).play(NotingModel([act(Look(), COPY, ASIDE)]))
    assert played.finished.ending == "stopped"
    assert played.desktop.clipboard.read() == ""
    assert played.desktop.log == ()


class Broken(TraceWriter):
    """A trace that cannot be written any more after a decision."""

    def decision(self, step: int, decided: Act | Answer) -> None:
        super().decision(step, decided)
        self.close()


def test_when_the_trace_cannot_be_written_nothing_more_is_done(stage: Stage) -> None:
    events = list(run("a task", replace(stage, writer=Broken).agent(ScriptModel([act(ASIDE)]))))
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.ending == "failed"
    assert "is closed" in finished.words
    assert stage.desktop.log == ()


def test_an_end_that_cannot_be_written_is_a_failure_whatever_was_done(stage: Stage) -> None:
    events = list(run("a task", replace(stage, writer=Broken).agent(ScriptModel([DONE]))))
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.ending == "failed"
    assert "is closed" in finished.words


def test_a_run_that_nobody_listens_to_any_more_is_stopped_and_says_so_in_its_trace(stage: Stage) -> None:
    agent = stage.agent(NotingModel([act(KeyDown(keys=("Shift_L",))), act(ASIDE)]))
    with closing(run("a task", agent)) as events:
        for event in events:
            if isinstance(event, Stepped):
                break
    assert not stage.desktop.held()
    agent.trace.close()
    ending = read(stage.folder / "trace").ending
    assert ending is not None
    assert ending.ending == "stopped"


def test_the_trace_holds_what_was_seen_decided_done_and_answered(stage: Stage) -> None:
    typed = TypeText(text="Zürich", into=TextTarget("City"))
    zoom = Zoom(left=0, top=0, right=50, bottom=50)
    played = stage.play(ScriptModel([act(zoom, typed, thought="I type."), act(NOWHERE), DONE]))
    first, second, last = played.trace.steps
    assert first.observation is not None
    assert first.observation.image is not None
    picture = played.trace.image(first.observation.image)
    assert picture is not None
    assert picture.startswith(b"\x89PNG")
    assert first.decision is not None
    assert (first.decision.thought, first.decision.actions) == ("I type.", (zoom, typed))
    assert [attempt.approval for attempt in first.attempts] == ["-y", "-y"]
    assert len(first.attempts[0].images) == 1
    assert [attempt.outcome for attempt in second.attempts] == ["error"]
    assert "Nowhere" in second.attempts[0].why
    assert last.decision is not None
    assert (last.decision.answered, last.decision.thought) == (True, "It is done.")
    assert played.trace.ending is not None
    assert played.trace.ending.spent == played.finished.spent
    assert played.trace.notes == ()


class Interrupted(TraceWriter):
    """Ctrl-C comes just when the end is written."""

    def end(self, ending: Ending, words: str, spent: Spent) -> None:
        if not self.interrupted:
            self.interrupted = True
            raise KeyboardInterrupt
        super().end(ending, words, spent)

    interrupted = False


def test_a_stop_that_comes_when_the_run_ends_anyway_leaves_the_trace_whole(stage: Stage) -> None:
    stage = replace(stage, writer=Interrupted)
    played = stage.play(ScriptModel([act(KeyDown(keys=("shift",))), Answer(text="Saved.")]))
    assert played.finished.ending == "done"
    assert played.trace.ending is not None
    assert (played.trace.ending.ending, played.desktop.held()) == ("done", frozenset())


CLAIMED = Act(
    thought="",
    actions=(Expect(target=TextTarget("Save"), seconds=0.0),),
    then=Answer(text="It is there."),
)


def test_a_claim_that_is_so_ends_the_run_without_asking_the_model_again(stage: Stage) -> None:
    model = NotingModel([CLAIMED])
    played = stage.play(model)
    assert (played.finished.ending, played.finished.words) == ("done", "It is there.")
    assert len(model.shown) == 1
    last = played.trace.steps[-1].decision
    assert last is not None
    assert (last.answered, last.thought) == (True, "It is there.")


def test_a_claim_that_is_not_so_does_not_end_the_run_and_the_model_hears_of_it(stage: Stage) -> None:
    wrong = replace(CLAIMED, actions=(Expect(target=TextTarget("Nowhere"), seconds=0.0),))
    model = NotingModel([wrong, Answer(text="I could not.", done=False)])
    played = stage.play(model)
    assert played.finished.ending == "gave up"
    assert isinstance(model.shown[1].outcomes[0], NotDone)


DOUBTED = Act(
    thought="I pay.",
    actions=(Click(target=Pixel(5, 5)),),
    checks=(SafetyCheck(message="This may spend money.", id="c1", code="risky"),),
)


def test_a_providers_check_that_nobody_sets_aside_ends_the_run_before_anything_is_done(stage: Stage) -> None:
    run_of = stage.play(ScriptModel([DOUBTED, Answer(text="Paid.")]))
    assert (run_of.finished.ending, run_of.attempts) == ("stopped", [])
    assert '"This may spend money."' in run_of.finished.words
    assert stage.desktop.log == ()


def test_a_providers_check_goes_to_the_person_whatever_the_approval_and_into_the_trace(stage: Stage) -> None:
    asked: list[tuple[SafetyCheck, ...]] = []

    def set_aside(checks: tuple[SafetyCheck, ...]) -> bool:
        asked.append(checks)
        return True

    agent = replace(stage.agent(ScriptModel([DOUBTED, Answer(text="Paid.")])), set_aside=set_aside)
    *_, finished = run("a task", agent)
    agent.trace.close()
    assert isinstance(finished, Finished)
    assert finished.ending == "done"
    assert asked == [DOUBTED.checks]
    decided = [step.decision for step in read(stage.folder / "trace").steps]
    assert decided[0] is not None
    assert decided[0].checks == DOUBTED.checks


def test_the_end_is_written_once(stage: Stage) -> None:
    agent = stage.agent(ScriptModel([Answer(text="Saved.")]))
    (*_, finished) = run("a task", agent)
    assert isinstance(finished, Finished)
    agent.trace.end("failed", "again", finished.spent)
    assert (agent.trace.folder / "trace.jsonl").read_text().count('"kind":"end"') == 1


def test_ctrl_c_while_an_event_is_shown_is_heard_by_the_run_which_says_how_it_ended(stage: Stage) -> None:
    told: list[Event] = []

    def show(event: Event) -> None:
        told.append(event)
        if isinstance(event, Looking):
            raise KeyboardInterrupt

    agent = stage.agent(ScriptModel([Answer(text="Saved.")]))
    with closing(run("a task", agent)) as events:
        finished = shown(events, show)
    assert finished is told[-1]
    assert finished is not None
    assert (finished.ending, finished.words) == ("stopped", "You stopped the run.")
