"""`oi replay` as people call it: its own options, what it keeps, and what it says where something cannot be meant."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from pseudo_terminal import Terminal

from computer_agent.cli import main
from computer_agent.trace.reader import read
from computer_agent.trace.replay_result import read_result
from computer_api.actions import PressKeys

if TYPE_CHECKING:
    from pathlib import Path

STEPS = ["--os", "--desktop", "memory", "--model", "steps", "-y"]
TASK = (
    'copy text "Ada Byron" to clipboard\nexpect the clipboard to hold "Ada Byron" within 100 ms\npress ctrl+s'
)
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("OI_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    trace = tmp_path_factory.mktemp("recorded") / "trace"
    assert main([*STEPS, "--trace", str(trace), TASK]) == 0
    return str(trace)


def test_the_trace_of_a_replay_goes_where_it_is_told_with_its_result(recorded: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["replay", recorded, "-y", "--out", str(out)]) == 0
    result = read_result(out)
    assert result is not None
    assert (result.outcome, len(result.steps)) == ("pass", 3)
    assert json.loads((out / "replay.json").read_text())["outcome"] == "pass"
    assert read(out).header.model == "replay"


def test_a_parameter_is_lifted_and_given_another_text(
    recorded: str, tmp_path: Path, capsys: Captured
) -> None:
    new = str(tmp_path / "new.zip")
    assert main(["trace", "lift", recorded, "who=Ada Byron", "-o", new]) == 0
    assert '{{who}} for "Ada Byron"' in capsys.readouterr().out
    out = tmp_path / "out"
    assert main(["replay", new, "-y", "--var", "who=Grace Hopper", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert 'copy text "Grace Hopper"' in said, "what stands for a name is no secret"
    assert main(["replay", new, "-y"]) == 0
    assert 'As recorded, who is "Ada Byron".' in " ".join(capsys.readouterr().out.split())


def test_where_it_goes_otherwise_expected_stands_above_seen(
    recorded: str, tmp_path: Path, capsys: Captured
) -> None:
    new = str(tmp_path / "new")
    assert main(["trace", "lift", recorded, "who=Ada Byron", "-o", new]) == 0
    capsys.readouterr()
    assert main(["replay", new, "-y", "--from", "2", "--out", str(tmp_path / "out")]) == 1
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    at = lines.index("diverged at step 2: ExpectClipboard")
    assert lines[at + 1].startswith("expected")
    assert lines[at + 2].startswith("seen")
    assert "Ada Byron" in lines[at + 2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--step"], "--step asks before each step, and the input is not a terminal here."),
        (["--heal", "ask"], "--heal ask asks where a target is now, and the input is not a terminal here."),
        (["--heal", "model"], "name one with --model"),
        (["--heal", "model", "--model", "steps"], "name one with --model"),
        (["--from", "9"], "it has the steps 1 to 3"),
        (["--accept", "nothing.json"], 'The changes in "nothing.json" cannot be read'),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(
    words: list[str], said: str, recorded: str, capsys: Captured
) -> None:
    assert main(["replay", recorded, "-y", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("speed", ["fast", "0", "-1", "nan", "1e9"])
def test_a_speed_is_a_number_or_real(speed: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", "any", "-y", "--speed", speed])
    assert ended.value.code == 2
    assert f'how many times as fast as recorded, not "{speed}"' in capsys.readouterr().err


def test_a_person_on_the_terminal_is_asked_before_each_step(recorded: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    terminal = Terminal("replay", recorded, "-y", "--step", "--out", str(out), cwd=tmp_path)
    terminal.shows("1 of 3: ClipboardSet")
    terminal.types("\n")
    terminal.shows("2 of 3: ExpectClipboard")
    terminal.types("q\n")
    assert terminal.ends() == 130
    result = read_result(out)
    assert result is not None
    assert [step.outcome for step in result.steps] == ["pass"]
    assert result.outcome == "stopped"


def test_recorded_keys_are_pressed_again(recorded: str, tmp_path: Path) -> None:
    assert (
        main(["replay", recorded, "-y", "--from", "3", "--speed", "real", "--out", str(tmp_path / "out")])
        == 0
    )
    attempts = [attempt for step in read(tmp_path / "out").steps for attempt in step.attempts]
    assert [attempt.action for attempt in attempts] == [PressKeys(keys=("Control_L", "s"))]
