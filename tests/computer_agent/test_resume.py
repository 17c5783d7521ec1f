"""`oi resume`: what is known to be done is not done again, and what is unknown never blindly."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from oi_process import oi, says
from xvfb import until

from computer_agent.cli import main
from computer_agent.models.steps import parse_steps
from computer_agent.resume import resumed, told_apart
from computer_agent.settings import Settings
from computer_agent.step import Done, NotDone, Spent
from computer_agent.trace.archive import pack
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import read
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import Click, RunCode, TypeText
from computer_api.receipt import Receipt
from computer_api.targets import TextTarget

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from computer_agent.resume import Unknown
    from computer_agent.step import Ending, Outcome
    from computer_agent.trace.reader import Trace
    from computer_api.actions import Action

SAVE = Click(target=TextTarget("Save"))
FAILING = Receipt(effect="unknown", output="no such file", failed=True)


def broken_off(
    folder: Path,
    task: str,
    *results: Receipt | str | None,
    model: str = "steps",
    action: Action = SAVE,
    ending: Ending | None = None,
) -> Trace:
    """A run that broke off: each action was done, failed with these words, or has no result."""
    writer = TraceWriter(folder)
    writer.start(task=task, model=model, desktop="memory", screen=None)
    for number, result in enumerate(results, start=1):
        intent = writer.intent(number, action, approval="yes")
        outcome: Outcome | None = None
        if isinstance(result, Receipt):
            outcome = Done(action=action, receipt=result)
        elif result is not None:
            outcome = NotDone(action=action, why=result, kind="error")
        if outcome is not None:
            writer.result(intent, outcome)
    if ending is not None:
        writer.end(ending, "over", Spent(steps=1, seconds=1.0, dollars=0.0, tokens=0))
    writer.close()
    return read(folder)


def unasked(what: str) -> None:
    raise AssertionError(what)


HERE = Receipt(effect="here")
THREE = 'click "One"\nclick "Two"\nclick "Three"'


@pytest.mark.parametrize(
    ("results", "left"),
    [
        ([], THREE),
        ([HERE], 'click "Two"\nclick "Three"'),
        ([HERE, "it is not there"], 'click "Two"\nclick "Three"'),
        ([HERE, FAILING], 'click "Two"\nclick "Three"'),
        ([HERE, HERE], 'click "Three"'),
    ],
)
def test_steps_go_on_after_the_last_that_is_known_to_be_done(
    tmp_path: Path, results: list[Receipt | str], left: str
) -> None:
    going_on = resumed(broken_off(tmp_path / "run", THREE, *results), Settings(), None, unasked)
    assert (going_on.task, going_on.model, going_on.desktop, going_on.os) == (left, "steps", "memory", True)


def test_a_step_without_a_result_is_asked_about_and_done_as_the_person_says(tmp_path: Path) -> None:
    trace = broken_off(tmp_path / "run", THREE, HERE, None)
    asked: list[str] = []

    def says_it_was_done(what: str) -> Unknown:
        asked.append(what)
        return "done"

    assert resumed(trace, Settings(), None, says_it_was_done).task == 'click "Three"'
    assert asked == [
        'Step 2, `click "Two"`, was begun when the run broke off, and nobody knows whether it was done.'
    ]
    assert resumed(trace, Settings(), "again", unasked).task == 'click "Two"\nclick "Three"'
    with pytest.raises(TraceError, match="Look at the screen, then say --done"):
        resumed(trace, Settings(), None, lambda _: None)


def test_a_secret_of_the_steps_is_asked_for_again(tmp_path: Path) -> None:
    task = 'type secret "•••" into "PIN"\ntype secret "•••"\ntype secret $KEY'
    trace = broken_off(tmp_path / "run", task, HERE)
    with pytest.raises(TraceError, match=r"Step 2 types a secret, .* --var secret2=\.\.\."):
        resumed(trace, Settings(), None, unasked)
    values = {"secret2": "hunter2", "KEY": "k"}
    going_on = resumed(trace, Settings(values=values), None, unasked)
    typed = [step.action for step in parse_steps(going_on.task, values)]
    assert typed == [TypeText(text="hunter2", secret=True), TypeText(text="k", secret=True)]


def test_a_language_model_is_told_what_became_of_each_action(tmp_path: Path) -> None:
    code = RunCode(language="shell", code="rm old.txt")
    trace = broken_off(
        tmp_path / "run",
        "clear {braces} away",
        Receipt(effect="here", output="removed\nall"),
        "it is locked",
        None,
        model="anthropic/x",
        action=code,
    )
    going_on = resumed(trace, Settings(), None, unasked)
    assert going_on.model == "anthropic/x"
    assert going_on.task.startswith("clear {braces} away\n")
    assert '1. run shell "rm old.txt": done, changed here; removed all\n' in going_on.task
    assert '2. run shell "rm old.txt": error, it is locked\n' in going_on.task
    assert '3. run shell "rm old.txt": UNKNOWN' in going_on.task
    assert "do it again only where the screen shows that it was not" in " ".join(going_on.task.split())
    assert resumed(trace, Settings(model="openai/y"), None, unasked).model == "openai/y"


def test_of_a_long_run_the_newest_actions_are_told(tmp_path: Path) -> None:
    trace = broken_off(tmp_path / "run", "long", *[HERE] * 70, model="m")
    task = resumed(trace, Settings(), None, unasked).task
    assert "(10 earlier actions are not listed)\n11. click" in task
    assert "70. click" in task


def test_a_trace_in_a_zip_is_resumed_too(tmp_path: Path) -> None:
    broken_off(tmp_path / "run", THREE, HERE)
    pack(tmp_path / "run", tmp_path / "run.zip")
    assert resumed(read(tmp_path / "run.zip"), Settings(), None, unasked).task == 'click "Two"\nclick "Three"'


@pytest.mark.parametrize(
    ("model", "ending", "said"),
    [("steps", "done", "ended as done"), ("replay", None, "was a replay"), ("steps", None, "All steps")],
)
def test_where_there_is_nothing_to_resume_it_says_so(
    tmp_path: Path, model: str, ending: Ending | None, said: str
) -> None:
    trace = broken_off(tmp_path / "run", 'click "One"', HERE, model=model, ending=ending)
    with pytest.raises(TraceError, match=said):
        resumed(trace, Settings(), None, unasked)


def test_the_words_of_the_command_are_told_from_those_of_the_run() -> None:
    assert told_apart(["1", "--done", "-y"]) == (("1", "-y"), "done")
    assert told_apart(["1", "--done", "--again"]) == (("1",), "again")
    assert told_apart([]) == ((), None)


def test_a_run_that_was_killed_is_resumed_by_the_command(tmp_path: Path) -> None:
    steps = "press a\nwait 60 seconds\npress b"
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    start = ["--os", "--desktop", "memory", "--model", "steps", "-y"]

    def kill(process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, "wait 60"), seconds=60)
        (trace,) = (tmp_path / "state" / "oi" / "traces").iterdir()
        assert until(lambda: len(read(trace).steps) == 2 and read(trace).steps[1].attempts, seconds=60)
        process.send_signal(signal.SIGKILL)

    assert oi(*start, steps, cwd=tmp_path, environment=environment, during=kill).code == -signal.SIGKILL
    unsure = oi("resume", "1", "-y", cwd=tmp_path, environment=environment)
    assert (unsure.code, unsure.out) == (2, "")
    assert "Step 2, `wait 60 seconds`, was begun when the run broke off" in unsure.err
    sure = oi("resume", "1", "--done", "-y", cwd=tmp_path, environment=environment)
    assert sure.code == 0, sure
    assert "press b" in sure.out
    assert "press a" not in sure.out
    assert oi("resume", cwd=tmp_path, environment=environment).err.startswith("There is no conversation yet")


def test_a_name_of_neither_a_run_nor_a_conversation_is_said_to_be_none_of_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["resume", "nosuch"]) == 2
    said = capsys.readouterr().err
    assert 'There is no trace "nosuch"' in said
    assert 'There is no conversation "nosuch"' in said
