"""`oi` from inside: what each command says, where, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from oi_process import OI, oi, says
from xvfb import until

from computer_agent.cli import _exit_code, main
from computer_agent.step import Ending, Finished, Spent
from computer_agent.trace.reader import read
from computer_api.actions import PressKeys

if TYPE_CHECKING:
    from pathlib import Path

STEPS = ("--os", "--desktop", "memory", "--model", "steps")


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("OI_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--version"], "oi "),
        (["-V"], "oi "),
        (["help"], "oi replay TRACE"),
        (["help", "steps"], 'click "Save"'),
        (["watch", "--help"], "shows the newest private desktop in the browser"),
    ],
)
def test_what_is_asked_about_oi_is_answered_on_standard_output(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert said in out
    assert err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "There are three ways"),
        (["--os", "a task"], "There are three ways"),
        (["a task"], "There are three ways"),
        (["--model", "steps", "look"], "Steps are for the desktop"),
        (["conversations", "dance"], "is not known"),
        (["--os", "--model", "steps"], "Say what to do"),
        (["--os", "--model", "steps", "  "], "Say what to do"),
        (["--os", "--model", "steps", "--size", "big", "look"], 'not "big"'),
        (
            ["--os", "--model", "steps", "--max-steps", "0", "look"],
            '--max-steps takes a number above 0, not "0"',
        ),
        ([*STEPS, 'clik "Save"'], "clik"),
        (
            [*STEPS, "--trace", "", "look"],
            '--trace takes a folder for the trace, such as --trace run1, not ""',
        ),
        (["watch", "foo"], '"oi watch foo" names no display'),
        (["watch", ":1", ":2"], '"oi watch :1 :2" names no display'),
        (["watch", "--port"], '--port takes a number from 1 to 65535, not ""'),
        (["replay"], "Say which trace: oi replay TRACE"),
        (["replay", "--max-steps", "1"], "Say which trace: oi replay TRACE"),
        (["replay", "nothing-there"], 'There is no trace "nothing-there"'),
    ],
)
def test_what_cannot_run_is_said_on_standard_error_and_ends_with_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))  # an empty pipe
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [["--nonsense"], ["--desktop", "wayland"], ["--max-steps", "many"]])
def test_an_unknown_flag_or_choice_ends_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert words[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "ending", "said"),
    [
        (["-y", "look"], 0, "done", "Done: The step is done."),
        (["-y", "press a; press b"], 0, "done", "Done: All 2 steps are done."),
        (["-y", 'expect "Nowhere" within 0.1 seconds'], 1, "gave up", "Not done: "),
        (["-y", "--max-steps", "1", "look; look"], 1, "limit", "Stopped: The limit of 1 steps"),
        (["--approve", "never", "press a"], 1, "gave up", "may only look"),
        (["press a"], 1, "gave up", "nobody can be asked here"),
    ],
)
def test_the_exit_code_says_how_a_run_ended_and_so_does_the_trace(
    words: list[str], code: int, ending: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*STEPS, "--trace", str(tmp_path / "trace"), *words]) == code
    out, err = capsys.readouterr()
    assert said in " ".join(out.split())
    assert err == ""
    trace = read(tmp_path / "trace")
    assert trace.ending is not None
    assert trace.ending.ending == ending
    assert trace.notes == ()


@pytest.mark.parametrize(
    ("ending", "acted", "code"),
    [
        ("done", True, 0),
        ("gave up", True, 1),
        ("limit", True, 1),
        ("failed", True, 1),
        ("failed", False, 2),
        ("stopped", True, 130),
        ("stopped", False, 130),
    ],
)
def test_a_failure_before_anything_was_done_means_that_it_cannot_run_here(
    ending: Ending,
    acted: bool,  # noqa: FBT001 - a case
    code: int,
) -> None:
    spent = Spent(steps=0, seconds=0.0, dollars=None, tokens=0)
    assert _exit_code(Finished(ending=ending, words="", spent=spent), acted=acted) == code


def test_a_folder_with_a_trace_is_not_written_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*STEPS, "-y", "--trace", str(tmp_path / "trace"), "look"]
    assert main(words) == 0
    before = (tmp_path / "trace" / "trace.jsonl").read_bytes()
    assert main(words) == 2
    assert "There is a trace in" in capsys.readouterr().err
    assert (tmp_path / "trace" / "trace.jsonl").read_bytes() == before


def test_without_a_folder_a_trace_goes_into_the_state_folder_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*STEPS, "-y", "look"]) == 0
    (folder,) = (tmp_path / "home" / ".local" / "state" / "oi" / "traces").iterdir()
    assert str(folder) in capsys.readouterr().out.replace("\n", "")
    assert read(folder).header.task == "look"


def test_two_runs_in_one_second_have_two_traces(tmp_path: Path) -> None:
    for _ in range(2):
        assert main([*STEPS, "-y", "look"]) == 0
    assert len(list((tmp_path / "home" / ".local" / "state" / "oi" / "traces").iterdir())) == 2


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_trace_that_cannot_be_there_is_said_before_anything_is_done(
    tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert main([*STEPS, "-y", "--trace", str(tmp_path / place), "look"]) == 2
    assert f'The trace "{tmp_path / place}" cannot be written: ' in capsys.readouterr().err


def test_a_state_folder_that_cannot_be_there_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert main([*STEPS, "-y", "look"]) == 2
    err = capsys.readouterr().err
    assert "No trace can be written in" in err
    assert "--trace" in err


def test_a_recorded_run_is_done_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*STEPS, "-y", "--trace", str(tmp_path / "trace"), "press ctrl+s"]) == 0
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "trace"), "--desktop", "memory", "-y"]) == 0
    assert "press ctrl+s" in capsys.readouterr().out


def test_a_part_of_a_recorded_run_is_done_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*STEPS, "-y", "--trace", str(tmp_path / "trace"), "press ctrl+s\npress ctrl+p"]) == 0
    again = ["replay", str(tmp_path / "trace"), "--desktop", "memory", "-y"]
    capsys.readouterr()
    assert main([*again, "--from", "2", "--trace", str(tmp_path / "again")]) == 0
    attempts = [attempt for step in read(tmp_path / "again").steps for attempt in step.attempts]
    assert [attempt.action for attempt in attempts] == [PressKeys(keys=("Control_L", "p"))]
    capsys.readouterr()
    assert main([*again, "--until", "1"]) == 1  # a part that ends early is not the task done
    assert "These were the steps 1 to 1 of 2." in capsys.readouterr().out
    assert main([*again, "--from", "3"]) == 2
    assert "it has the steps 1 to 2" in capsys.readouterr().err


def test_a_replay_is_done_on_the_kind_of_desktop_that_was_recorded(tmp_path: Path) -> None:
    assert main([*STEPS, "-y", "--trace", str(tmp_path / "trace"), "press ctrl+s"]) == 0
    assert main(["replay", str(tmp_path / "trace"), "-y", "--trace", str(tmp_path / "again")]) == 0
    assert read(tmp_path / "again").header.desktop == "memory"


def test_a_secret_of_the_task_is_nowhere_but_in_the_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*STEPS, "-y", "--trace", str(tmp_path / "trace"), 'type secret "hunter2"']) == 0
    assert "hunter2" not in "".join(capsys.readouterr())
    for file in (tmp_path / "trace").rglob("*"):
        assert file.is_dir() or b"hunter2" not in file.read_bytes()


@pytest.mark.parametrize("way", ["SIGINT", "SIGTERM"])
def test_a_run_that_is_interrupted_ends_with_130_and_with_the_end_of_its_trace(
    tmp_path: Path, way: str
) -> None:
    def stop(process: subprocess.Popen[str], out: Path) -> None:
        assert until(lambda: says(out, "wait 600 seconds")() and says(out, "→")(), seconds=60)
        process.send_signal(getattr(signal, way))

    ran = oi(*STEPS, "-y", "--trace", "trace", "wait 600 seconds", cwd=tmp_path, during=stop)
    assert ran.code == 130, ran
    assert "Traceback" not in ran.err
    last = (tmp_path / "trace" / "trace.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["kind"] == "end"
    assert '"stopped"' in last


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [*OI, "help", "steps"], cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (1, "")


RUN = [*STEPS, "-y", "look"]


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["help", "steps"], RUN], ids=" ".join)
def test_a_full_disk_under_the_output_is_one_sentence(words: list[str], tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        ran = subprocess.run(
            [*OI, *words], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    said = "oi had to end, since the system said: No space left on device.\n"
    assert (ran.returncode, ran.stderr) == (1, said)


@pytest.mark.parametrize("stream", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", [["--version"], ["help", "steps"], RUN], ids=" ".join)
def test_a_closed_stream_is_no_traceback(words: list[str], stream: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'"$@" {stream}', "sh", *OI, *words],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")


def test_without_an_input_every_question_is_a_refusal(tmp_path: Path) -> None:
    ran = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *OI, *STEPS, "press a"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "nobody can be asked here" in ran.stdout


def test_a_reader_that_goes_away_during_a_run_is_no_traceback(tmp_path: Path) -> None:
    ran = subprocess.run(
        ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash", *OI, *STEPS, "-y", *["press a; press b; look"]],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode in {0, 1}  # it may have finished before it was noticed
    assert ran.stderr == ""


@pytest.mark.desktop
def test_a_screen_that_does_not_answer_is_named(tmp_path: Path) -> None:
    environment = dict(os.environ) | {"DISPLAY": ":987"}
    ran = oi("--os", "--model", "steps", "-y", "look", cwd=tmp_path, environment=environment)
    assert ran.code == 0, ran
    assert 'The screen ":987" does not answer, so the work is done on a private desktop;' in ran.out
