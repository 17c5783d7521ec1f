"""The writer: whole lines whatever happens, one writer, nothing secret."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from computer_agent.step import Act, Answer, Done, NotDone, Observation, Spent
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import read
from computer_agent.trace.record import FILE, IMAGES
from computer_agent.trace.writer import LOCK, RESERVE, RESERVED, TraceWriter
from computer_api.actions import Click, RunCode, TypeText
from computer_api.geometry import Box, Pixel, Size
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_api.targets import TextTarget
from computer_platform.desktop import Area, Frame

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Spawn = Callable[..., subprocess.Popen[str]]

CLICK = Click(target=Pixel(3, 4))
SPENT = Spent(steps=1, seconds=2.5, dollars=None, tokens=700)


def started(folder: Path, **options: object) -> TraceWriter:
    writer = TraceWriter(folder, **options)  # type: ignore[arg-type]  # each test gives a fitting one
    writer.start(task="save it", model="script", desktop="memory", screen=Size(1280, 800))
    return writer


def kinds(folder: Path) -> list[str]:
    return [json.loads(line)["kind"] for line in (folder / FILE).read_text().splitlines()]


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_run_is_written_and_read_back(tmp_path: Path, png: bytes) -> None:
    frame = Frame(pixels=np.zeros((800, 1280, 4), np.uint8), area=Area(-10, 0, 1280, 800))
    seen = Observation(screenshot=Screenshot(frame=frame, size=Size(640, 400)), notes=("a limit comes near",))
    ticks = iter(range(100, 200))
    writer = started(tmp_path, clock=lambda: float(next(ticks)))
    name = writer.observation(1, seen, png)
    writer.decision(1, Act(thought="click it", actions=(CLICK,)))
    intent = writer.intent(1, CLICK, approval="allowed: a click")
    writer.result(
        intent, Done(action=CLICK, receipt=Receipt(effect="here", images=(png,))), before=png, after=png
    )
    writer.decision(2, Answer(text="Saved."))
    writer.end("done", "Saved.", SPENT)
    writer.close()

    trace = read(tmp_path)
    assert trace.header.task == "save it"
    assert trace.header.screen == Size(1280, 800)
    first, second = trace.steps
    assert first.observation is not None
    assert first.observation.picture == Size(640, 400)
    assert first.observation.area == Box(-10, 0, 1280, 800)
    assert first.observation.notes == ("a limit comes near",)
    attempt = first.attempts[0]
    assert (attempt.action, attempt.outcome, attempt.approval) == (CLICK, "done", "allowed: a click")
    assert attempt.receipt == Receipt(effect="here")
    assert {attempt.before, attempt.after, *attempt.images} == {name}
    assert trace.image(attempt.images[0]) == png
    assert attempt.began < (attempt.ended or 0)
    assert second.decision is not None
    assert second.decision.answered
    assert trace.ending is not None
    assert (trace.ending.ending, trace.ending.spent) == ("done", SPENT)
    assert trace.notes == ()


def test_an_unchanged_screen_is_written_without_a_picture(tmp_path: Path) -> None:
    writer = started(tmp_path)
    assert writer.observation(4, Observation(screenshot=None, unchanged_since=2)) is None
    writer.close()
    observation = read(tmp_path).steps[0].observation
    assert observation is not None
    assert (observation.image, observation.unchanged_since) == (None, 2)


def test_the_intent_is_in_the_file_before_the_action_can_begin(tmp_path: Path) -> None:
    writer = started(tmp_path)
    writer.intent(1, CLICK, approval="asked: yes")
    attempt = read(tmp_path).steps[0].attempts[0]
    assert (attempt.action, attempt.outcome) == (CLICK, "unknown")
    writer.close()


def test_nested_results_are_paired_with_their_own_intents(tmp_path: Path) -> None:
    code = RunCode(language="python", code="computer.mouse.click('Save')")
    writer = started(tmp_path)
    outer = writer.intent(1, code, approval="asked: yes")
    inner = writer.intent(1, CLICK, approval="asked: yes", nested=True)
    writer.result(inner, NotDone(action=CLICK, why="no such text", kind="error"))
    writer.result(outer, Done(action=code, receipt=Receipt(effect="unknown", failed=True)))
    writer.close()
    outer_read, inner_read = read(tmp_path).steps[0].attempts
    assert (outer_read.outcome, outer_read.nested) == ("done", False)
    assert (inner_read.outcome, inner_read.why, inner_read.nested) == ("error", "no such text", True)


def test_a_picture_is_stored_once_under_its_hash(tmp_path: Path, png: bytes) -> None:
    writer = started(tmp_path)
    assert writer.image(png) == writer.image(png) == hashlib.sha256(png).hexdigest() + ".png"
    assert writer.image(b"\xff\xd8\xff jpeg").endswith(".jpg")
    assert len(list((tmp_path / IMAGES).iterdir())) == 2
    with pytest.raises(TraceError, match="PNG or JPEG"):
        writer.image(b"GIF89a")
    writer.close()


def test_closing_writes_nothing_and_leaves_only_the_trace(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    writer = started(folder)
    assert (folder / RESERVE).stat().st_size == RESERVED
    writer.close()
    writer.close()
    assert kinds(folder) == ["start"]
    assert {path.name for path in folder.iterdir()} == {FILE, IMAGES}
    with pytest.raises(TraceError, match="closed"):
        writer.decision(1, Answer(text="late"))


def test_only_the_owner_can_open_a_trace(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    started(folder).close()
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / FILE).stat().st_mode & 0o077 == 0


def test_a_finished_trace_is_not_written_over(tmp_path: Path) -> None:
    started(tmp_path).close()
    with pytest.raises(TraceError, match="already"):
        TraceWriter(tmp_path)
    assert kinds(tmp_path) == ["start"]
    assert not (tmp_path / LOCK).exists()


def test_a_second_writer_in_the_same_process_is_refused(tmp_path: Path) -> None:
    writer = started(tmp_path)
    with pytest.raises(TraceError, match="is being written by process"):
        TraceWriter(tmp_path)
    writer.decision(1, Answer(text="undisturbed"))
    writer.close()
    assert kinds(tmp_path) == ["start", "decision"]


def test_a_second_writer_in_another_process_is_refused_until_the_first_is_killed(
    tmp_path: Path, spawn: Spawn
) -> None:
    child = spawn("for-ever", tmp_path)
    assert child.stdout is not None
    child.stdout.readline()
    with pytest.raises(TraceError, match=f"is being written by process {child.pid}"):
        TraceWriter(tmp_path)
    child.kill()
    child.communicate()
    with pytest.raises(TraceError, match="already"):  # no longer locked; but a trace is there
        TraceWriter(tmp_path)


@pytest.mark.parametrize("lines", range(1, 30, 3))
def test_a_killed_writer_leaves_all_that_it_had_written(tmp_path: Path, spawn: Spawn, lines: int) -> None:
    child = spawn("for-ever", tmp_path)
    assert child.stdout is not None
    for _ in range(lines):
        child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    said, _ = child.communicate()
    reported = lines + said.count("\n")
    trace = read(tmp_path)
    done = [step.number for step in trace.steps for attempt in step.attempts if attempt.outcome == "done"]
    assert done[:reported] == list(range(1, reported + 1))
    assert trace.ending is None
    assert "The run has no end: it was killed, or it is still going." in trace.notes


def full_disk(child: subprocess.Popen[str], folder: Path) -> list[str]:
    said = child.communicate(timeout=60)[0].splitlines()
    assert child.returncode == 0
    *numbers, full, still = said
    assert "No room is left" in full
    assert still == "still full"
    assert (folder / FILE).read_bytes().endswith(b"\n")
    done = [step for step in read(folder).steps for attempt in step.attempts if attempt.outcome == "done"]
    assert len(done) == len(numbers)
    return numbers


def test_a_file_that_may_not_grow_ends_with_a_word_on_it(tmp_path: Path, spawn: Spawn) -> None:
    assert full_disk(spawn("little-room", tmp_path), tmp_path)
    ending = read(tmp_path).ending
    assert ending is not None
    assert (ending.ending, ending.words, ending.spent) == ("failed", "paused: disk full", None)


def test_without_room_for_that_word_the_trace_is_whole_all_the_same(tmp_path: Path, spawn: Spawn) -> None:
    assert not full_disk(spawn("no-room", tmp_path), tmp_path)
    assert kinds(tmp_path) == ["start"]


def test_a_picture_without_room_leaves_no_part_of_it(tmp_path: Path, spawn: Spawn) -> None:
    said, _ = spawn("big-picture", tmp_path).communicate(timeout=60)
    assert "No room is left" in said
    assert list((tmp_path / IMAGES).iterdir()) == []
    assert kinds(tmp_path) == ["start", "end"]


@pytest.mark.parametrize(("what", "steps"), [("until-full", True), ("last-page", False)])
def test_a_full_disk_ends_with_a_word_on_it(tmp_path: Path, spawn: Spawn, what: str, steps: bool) -> None:  # noqa: FBT001
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    mounted = f'mount -t tmpfs -o size=1m tmpfs "{disk}"'
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-Urm", "sh", "-c", mounted], check=False).returncode:
        pytest.skip("no small disk can be mounted here; the tests with limited files say nearly the same")
    script = f'{mounted} && "$@"; code=$?; cp -r "{disk}/run" "{kept}"; exit $code'
    child = spawn(what, disk / "run", before=(unshare, "-Urm", "sh", "-c", script, "sh"))
    assert bool(full_disk(child, kept)) == steps
    ending = read(kept).ending
    assert ending is not None
    assert ending.words == "paused: disk full"


class Interrupted(BaseException):
    """What a person's ctrl-c raises, under a name of the test's own."""


def test_an_interrupt_in_the_middle_of_a_record_leaves_no_part_of_it(tmp_path: Path) -> None:
    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    writer = started(tmp_path)
    before = signal.signal(signal.SIGALRM, interrupt)
    interrupted = 0
    try:
        for turn in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, (turn + 1) * 3e-6)
                writer.intent(1, CLICK, approval="asked: yes " * 2000)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupted:
                interrupted += 1
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted
    writer.intent(2, CLICK, approval="asked: yes")
    writer.close()
    trace = read(tmp_path)
    assert not any("torn" in note for note in trace.notes)
    assert len(trace.steps[-1].attempts) == 1


@pytest.mark.parametrize("secret", ["hunter2", 'pä"ss\\wörd'])
def test_a_secret_is_in_no_file_however_it_is_talked_about(tmp_path: Path, secret: str) -> None:
    action = TypeText(text=secret, into=TextTarget("Password"), secret=True)
    writer = started(tmp_path)
    writer.decision(1, Act(thought=f"I type {secret}", actions=(action,)))
    intent = writer.intent(1, action, approval=f"asked: type {secret}? yes")
    writer.result(
        intent, Done(action=action, receipt=Receipt(effect="here", value=secret, output=f"<{secret}>"))
    )
    again = writer.intent(1, action, approval="asked: yes")
    writer.result(again, NotDone(action=action, why=f'expected "{secret}"', kind="error"))
    writer.end("failed", f"{secret} did not work", SPENT)
    writer.close()
    written = everything(tmp_path)
    assert secret.encode() not in written
    assert json.dumps(secret)[1:-1].encode() not in written
    attempt = read(tmp_path).steps[0].attempts[0]
    assert attempt.action == replace(action, text="")
    assert attempt.receipt is not None
    assert attempt.receipt.value is None
    assert not attempt.redacted


def test_every_text_passes_the_redaction_and_nothing_else_does(tmp_path: Path, png: bytes) -> None:
    writer = started(tmp_path, redact=str.upper)
    action = TypeText(text="ada", into=TextTarget("name"))
    writer.decision(1, Act(thought="type it", actions=(action,)))
    intent = writer.intent(1, action, approval="allowed")
    writer.result(intent, Done(action=action, receipt=Receipt(effect="here", output="ok")), after=png)
    writer.intent(2, Click(), approval="allowed")
    writer.end("done", "saved", SPENT)
    writer.close()
    trace = read(tmp_path)
    first, second = trace.steps
    assert trace.header.task == "SAVE IT"
    assert first.decision is not None
    assert first.decision.thought == "TYPE IT"
    assert first.attempts[0].action == TypeText(text="ADA", into=TextTarget("NAME"))
    assert first.attempts[0].receipt == Receipt(effect="here", output="OK")
    assert first.attempts[0].redacted
    assert not second.attempts[0].redacted
    assert first.attempts[0].after is not None
    assert trace.image(first.attempts[0].after) == png


def test_a_clock_that_goes_back_keeps_the_order_of_the_records(tmp_path: Path) -> None:
    ticks = iter([9.0, 9.0, 5.0, 1.0])
    writer = started(tmp_path, clock=lambda: next(ticks))
    writer.decision(1, Answer(text="a"))
    writer.decision(2, Answer(text="b"))
    writer.close()
    assert [step.number for step in read(tmp_path).steps] == [1, 2]


def test_only_its_owner_can_read_a_trace_whatever_the_folder_lets_in(tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    folder.mkdir(mode=0o755)
    frame = Frame(pixels=np.zeros((8, 8, 4), np.uint8), area=Area(0, 0, 8, 8))
    writer = started(folder)
    writer.observation(1, Observation(screenshot=Screenshot(frame=frame, size=Size(8, 8))))
    writer.end("done", "", SPENT)
    writer.close()
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != LOCK]
    assert {"before.png", "after.png", FILE} <= {path.name for path in files}
    assert {path.name: path.stat().st_mode & 0o077 for path in files} == {path.name: 0 for path in files}


def test_where_not_even_the_lock_has_room_that_is_said_and_nothing_is_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, descriptors = resource.getrlimit(resource.RLIMIT_FSIZE), len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - the kernel's list
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would be half of a module
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(TraceError, match="No room is left to write the trace"):
            TraceWriter(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(os.listdir("/proc/self/fd")) <= descriptors  # noqa: PTH208 - the same
