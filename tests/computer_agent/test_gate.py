"""The gate: nothing is done without approval, and whatever becomes of an action is in the trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from approving import asking

from computer_agent.approval import Allow, Decision, Never, Proposal, Refuse, Stop
from computer_agent.gate import Offer
from computer_agent.models.script import ScriptModel
from computer_agent.step import Deciding, Done, Event, NotDone, Performed
from computer_agent.trace.reader import Attempt, read
from computer_api.actions import (
    Action,
    Click,
    ClipboardGet,
    ClipboardSet,
    Drag,
    Expect,
    Look,
    PressKeys,
    RunCode,
    TypeText,
)
from computer_api.bridge import answering
from computer_api.errors import ComputerError, NotFoundError, RefusedError, Stopped
from computer_api.geometry import Box, Pixel
from computer_api.receipt import Receipt
from computer_api.targets import ElementTarget, TextTarget
from computer_api.terminal import Call
from computer_api.terminal.sandbox import Denial
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from agent_run import Stage

    from computer_agent.approval import Approval
    from computer_agent.approval.approval import Resolved
    from computer_api.computer import Computer

SAVE, NOWHERE = Click(target=TextTarget("Save")), Click(target=TextTarget("Nowhere"))
CODE = RunCode(language="python", code='computer.mouse.click("Save")')


class Run:
    """A stage whose trace has begun, for actions one by one."""

    def __init__(self, stage: Stage, approval: Approval) -> None:
        self.stage = replace(stage, approval=approval)
        self.agent = self.stage.agent(ScriptModel([]))
        self.agent.gate.step = 1

    @property
    def computer(self) -> Computer:
        return self.agent.computer

    @property
    def told(self) -> list[Event]:
        return self.stage.told

    def attempts(self) -> list[Attempt]:
        return [one for step in read(self.agent.trace.folder).steps for one in step.attempts]


class Noting:
    """Decides as it is told, and keeps what it was asked."""

    def __init__(self, *decisions: Decision) -> None:
        self._decisions = list(decisions)
        self.asked: list[Proposal] = []

    def decide(self, proposal: Proposal) -> Decision:
        self.asked.append(proposal)
        return self._decisions.pop(0)


def test_the_intent_is_written_before_and_the_result_after(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("the person")))
    seen: list[list[Attempt]] = []

    def perform(action: Action) -> Receipt:
        seen.append(run.attempts())
        assert run.told == [Deciding(action=SAVE, nested=False)]
        return Receipt(effect="here")

    receipt = run.agent.gate(SAVE, perform)
    ((before,),) = seen
    assert (before.action, before.approval, before.outcome) == (SAVE, "the person", "unknown")
    (after,) = run.attempts()
    assert (after.outcome, after.receipt) == ("done", receipt)
    assert run.told[-1] == Performed(outcome=Done(action=SAVE, receipt=receipt), nested=False)


def test_an_error_is_recorded_told_and_raised(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("a rule")))
    with pytest.raises(NotFoundError, match="Nowhere"):
        run.computer.perform(NOWHERE)
    (attempt,) = run.attempts()
    assert attempt.outcome == "error"
    assert "Nowhere" in attempt.why
    last = run.told[-1]
    assert isinstance(last, Performed)
    assert isinstance(last.outcome, NotDone)
    assert (last.outcome.kind, last.outcome.why) == ("error", attempt.why)


def test_a_refused_action_is_never_done_and_recorded_as_refused_with_its_reason(stage: Stage) -> None:
    run = Run(stage, Noting(Refuse("not that one")))
    with pytest.raises(RefusedError, match="not that one"):
        run.computer.perform(SAVE)
    assert run.stage.desktop.log == ()
    (attempt,) = run.attempts()
    assert (attempt.action, attempt.approval) == (SAVE, "refused: not that one")
    assert (attempt.outcome, attempt.why, attempt.receipt) == ("refused", "not that one", None)
    refused = NotDone(action=SAVE, why="not that one", kind="refused")
    assert run.told == [Performed(outcome=refused, nested=False)]


def test_what_nobody_could_be_asked_about_is_an_error_in_the_trace_and_told(stage: Stage) -> None:
    def never(proposal: Proposal, resolved: Resolved) -> Allow:
        pytest.fail("nobody is asked about what cannot be done")

    run = Run(stage, asking(never))
    with pytest.raises(NotFoundError):
        run.computer.perform(NOWHERE)
    (attempt,) = run.attempts()
    assert (attempt.approval, attempt.outcome) == ("nobody was asked", "error")
    assert "Nowhere" in attempt.why
    assert len(run.told) == 1


def test_a_stop_ends_the_run_and_nothing_is_done(stage: Stage) -> None:
    run = Run(stage, Noting(Stop()))
    with pytest.raises(Stopped):
        run.computer.perform(SAVE)
    assert run.stage.desktop.log == ()
    assert run.attempts() == []


def test_an_action_that_breaks_off_stays_an_intent_without_a_result(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("a rule"), Allow("a rule")))

    def interrupted(action: Action) -> Receipt:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.agent.gate(CODE, interrupted)
    assert [attempt.outcome for attempt in run.attempts()] == ["unknown"]
    run.computer.perform(Look())
    assert [attempt.nested for attempt in run.attempts()] == [False, False]


def test_what_code_asks_for_passes_the_same_gate_as_nested(stage: Stage) -> None:
    approval = Noting(Allow("the person"), Allow("a rule"), Refuse("not that"), Allow("a rule"))
    run = Run(stage, approval)

    def code(action: Action) -> Receipt:
        click = Call(path=("mouse", "click"), args=("Save",))
        assert answering(run.computer)(click).error is None
        assert answering(run.computer)(click).error == ("RefusedError", "not that")
        return Receipt(effect="unknown", output="ran")

    run.agent.gate(CODE, code)
    run.computer.perform(Look())
    assert [proposal.nested for proposal in approval.asked] == [False, True, True, False]
    assert [(one.nested, one.outcome) for one in run.attempts()] == [
        (False, "done"),
        (True, "done"),
        (True, "refused"),
        (False, "done"),
    ]
    assert len([event for event in run.stage.desktop.log if event.verb == "button"]) == 2
    told = [
        (type(event).__name__, event.nested) for event in run.told if isinstance(event, Deciding | Performed)
    ]
    assert told == [
        ("Deciding", False),
        ("Deciding", True),
        ("Performed", True),
        ("Performed", True),
        ("Performed", False),
        ("Deciding", False),
        ("Performed", False),
    ]


def test_after_code_that_failed_actions_are_not_nested_any_more(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("a"), Allow("b")))

    def failing(action: Action) -> Receipt:
        raise ComputerError("The code could not be run.")

    with pytest.raises(ComputerError):
        run.agent.gate(CODE, failing)
    run.computer.perform(Look())
    assert [attempt.nested for attempt in run.attempts()] == [False, False]


def test_a_run_that_may_only_look_leaves_the_desktop_alone_whatever_is_asked(stage: Stage) -> None:
    run = Run(stage, Never())
    for action in (SAVE, PressKeys(keys=("a",)), ClipboardSet(text="x"), CODE, TypeText(text="x")):
        with pytest.raises(RefusedError, match="may only look"):
            run.computer.perform(action)
    run.computer.perform(Expect(target=TextTarget("Save")))
    assert run.stage.desktop.log == ()
    assert [one.outcome for one in run.attempts()] == ["refused"] * 5 + ["done"]


def test_a_proposal_finds_its_targets_and_the_screen_only_when_somebody_wants_to_see(stage: Stage) -> None:
    approval = Noting(Allow("a"), Allow("b"))
    run = Run(stage, approval)
    run.computer.perform(Drag(start=Pixel(5, 5), end=TextTarget("Save")))
    resolved = approval.asked[0].resolve()
    first, second = (place.match for place in resolved.shown)
    assert first.box == Box(5, 5, 1, 1)
    assert second.text == "Save"
    assert resolved.screenshot is not None
    run.agent.gate(CODE, lambda _: Receipt(effect="unknown"))
    code = approval.asked[1].resolve()
    assert (code.shown, code.screenshot) == ((), None)


def test_what_was_approved_is_not_done_where_it_has_moved_to_meanwhile(stage: Stage) -> None:
    first, saved = form()
    desktop = MemoryDesktop((640, 400), (first, saved, replace(form(origin=(60, 70))[0], name="moved")))

    def person(_proposal: Proposal, _resolved: Resolved) -> Allow:
        desktop._show("moved")
        return Allow("the person")

    run = Run(replace(stage, desktop=desktop), asking(person))
    with pytest.raises(ComputerError, match="is not where it was shown when you were asked"):
        run.computer.perform(SAVE)
    assert {event.verb for event in desktop.log} <= {"release_all"}
    assert [one.outcome for one in run.attempts()] == ["error"]


def test_a_secret_is_not_shown_by_the_field_that_it_was_typed_into_before(stage: Stage) -> None:
    run = Run(replace(stage, receipts=True), Noting(Allow("a"), Allow("b")))
    field = ElementTarget("City", role="field")
    run.computer.perform(TypeText(text="hunter2", into=field, secret=True))
    receipt = run.computer.perform(TypeText(text=" and more"))
    assert receipt.value == "•••"


def test_a_secret_that_comes_back_by_the_clipboard_is_hidden_from_the_model_and_the_trace(
    stage: Stage,
) -> None:
    run = Run(stage, Noting(*(Allow("a") for _ in range(2))))
    run.computer.perform(TypeText(text="hunter2", secret=True))
    assert run.computer.desktop.clipboard is not None
    run.computer.desktop.clipboard.write("password: hunter2\n")  # as a person, or a program, copies it
    assert run.computer.perform(ClipboardGet()).output == "password: •••\n"
    assert "hunter2" not in (run.agent.trace.folder / "trace.jsonl").read_text()


def test_a_key_of_this_run_that_a_program_prints_is_hidden_from_the_model_and_the_trace(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("a rule")))
    run.agent.gate.keep_secret({"sk-ant-0123456789"})
    printed = run.agent.gate(Look(), lambda _: Receipt(effect="nothing", output="KEY=sk-ant-0123456789\n"))
    assert printed.output == "KEY=•••\n"
    (attempt,) = run.attempts()
    assert attempt.receipt == printed


def test_a_secret_is_not_in_the_trace(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("a"), Refuse("no hunter2 here")))
    secret = TypeText(text="hunter2", secret=True)
    run.computer.perform(secret)
    with pytest.raises(RefusedError):
        run.computer.perform(secret)
    assert "hunter2" not in (run.agent.trace.folder / "trace.jsonl").read_text()


def window(number: int, *, active: bool) -> Window:
    title, area = f"Window {number}", Area(0, 0, 90, 90)
    return Window(id=number, title=title, app="", pid=number, area=area, active=active, hidden=False)


def test_approved_keys_go_into_the_window_that_the_person_was_asked_about(stage: Stage) -> None:
    desktop = MemoryDesktop((640, 400), form(), windows=[window(2, active=False), window(1, active=True)])

    def answer(proposal: Proposal, resolved: Resolved) -> Allow:  # after a look into another window
        assert desktop.windows is not None
        assert resolved.receiver is not None
        assert resolved.receiver.title == "Window 1"
        desktop.windows.activate(window(2, active=False))
        return Allow("the person")

    Run(replace(stage, desktop=desktop), asking(answer)).computer.perform(PressKeys(keys=("x",)))
    assert desktop.windows is not None
    assert [one.title for one in desktop.windows.all() if one.active] == ["Window 1"]
    assert [event.verb for event in desktop.log] == ["key", "key"]


def test_approved_keys_go_nowhere_when_the_window_that_was_asked_about_is_gone(stage: Stage) -> None:
    desktop = MemoryDesktop((640, 400), form(), windows=[window(2, active=False), window(1, active=True)])

    def answer(proposal: Proposal, resolved: Resolved) -> Allow:
        assert desktop.windows is not None
        desktop.windows.activate(window(2, active=False))
        desktop.windows.close(window(1, active=False))
        return Allow("the person")

    run = Run(replace(stage, desktop=desktop), asking(answer))
    with pytest.raises(ComputerError, match='"Window 1", which had the keyboard when you were asked'):
        run.computer.perform(TypeText(text="hello"))
    assert desktop.log == ()
    assert [one.outcome for one in run.attempts()] == ["error"]


LISTING = RunCode(language="shell", code="ls")
DENIED = Denial(kind="write", what="/etc/made", words='writing "/etc/made"')


def test_code_that_the_person_changed_is_what_runs_and_what_is_recorded_and_the_model_is_told(
    stage: Stage,
) -> None:
    changed = RunCode(language="shell", code="ls -a")
    run = Run(stage, Noting(Allow("the person, who changed it", instead=changed)))
    done: list[Action] = []

    def perform(action: Action) -> Receipt:
        done.append(action)
        return Receipt(effect="unknown", output="a\n")

    receipt = run.agent.gate(LISTING, perform)
    assert done == [changed]
    assert receipt.output == "[The person changed the code before it ran, to:]\nls -a\na\n"
    (attempt,) = run.attempts()
    assert (attempt.action, attempt.approval) == (changed, "the person, who changed it")


def test_code_that_the_sandbox_stopped_runs_again_only_as_the_person_says(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("-y")))
    offered: list[tuple[RunCode, tuple[Denial, ...]]] = []

    def offer(action: RunCode, denied: tuple[Denial, ...]) -> Offer:
        offered.append((action, denied))
        return Offer(action=replace(action, outside=True), by="the person, once", words="It was let out")

    def perform(action: Action) -> Receipt:
        assert isinstance(action, RunCode)
        if action.outside:
            return Receipt(effect="unknown", output="made\n")
        return Receipt(effect="unknown", output="no\n", failed=True, denied=(DENIED,))

    run.agent.gate.on_denied = offer
    receipt = run.agent.gate(LISTING, perform)
    assert offered == [(LISTING, (DENIED,))]
    assert (receipt.output, receipt.failed) == (
        "no\n[It was let out, and the code ran again:]\nmade\n",
        False,
    )
    first, second = run.attempts()
    assert (first.action, first.approval) == (LISTING, "-y")
    assert (second.action, second.approval) == (replace(LISTING, outside=True), "the person, once")


def test_code_that_the_sandbox_stopped_is_left_at_that_where_nobody_is_asked(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("-y")))
    times: list[Action] = []

    def perform(action: Action) -> Receipt:
        times.append(action)
        return Receipt(effect="unknown", output="no\n", failed=True, denied=(DENIED,))

    assert run.agent.gate(LISTING, perform).output == "no\n"
    assert times == [LISTING]


def test_a_secret_line_that_the_person_types_for_a_program_is_hidden_from_then_on(stage: Stage) -> None:
    run = Run(stage, Noting(Allow("-y")))
    ask = run.agent.gate.asking(lambda _question, _secret: "hunter2")
    assert ask("Password:", True) == "hunter2"  # noqa: FBT003 - the seam's
    receipt = run.agent.gate(LISTING, lambda _action: Receipt(effect="unknown", output="hunter2 is wrong\n"))
    assert "hunter2" not in receipt.output
