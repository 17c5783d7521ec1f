"""The pytest plugin as its users have it: a pytest of its own, with test files, steps and traces in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from computer_agent.step import Act, Done, Spent
from computer_agent.trace.archive import pack
from computer_agent.trace.reader import read
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import ClipboardSet, ExpectClipboard, PressKeys, TypeText
from computer_api.geometry import Size
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from computer_api.actions import Action

ROOT = Path(__file__).parents[2]
PLUGIN = "computer_agent.pytest_plugin"
PASSES = 'copy text "Ada" to clipboard\nexpect the clipboard to hold "Ada"\n'
FAILS = 'copy text "Ada" to clipboard\nexpect the clipboard to hold "Bob" within 100 ms\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestRun:
    """What pytest said, and its outcomes by the word."""

    out: str
    code: int

    def counts(self, **wanted: int) -> None:
        last = self.out.strip().splitlines()[-1]
        for word, number in wanted.items():
            assert f"{number} {word}" in last, self.out


def ran(folder: Path, *arguments: str) -> PytestRun:
    """Run pytest there with the plugin, on a desktop in memory."""
    paths = os.pathsep.join(str(ROOT / floor) for floor in (".", "vision", "platform"))
    # Named, since the package may be installed here from before it had a plugin; then only this one is loaded.
    plugins = ["-p", PLUGIN]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    (folder / "pytest.ini").write_text("[pytest]\noi_desktop = memory\nfilterwarnings = error\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **alone, "PYTHONPATH": paths, "COLUMNS": "150"},
        timeout=120,
        check=False,
    )
    return PytestRun(out=done.stdout + done.stderr, code=done.returncode)


def test_pytest_finds_the_plugin_where_the_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"oi": PLUGIN}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def recorded(file: Path, *actions: Action, receipt: Receipt | None = None) -> None:
    """A trace in one file, in which these were done."""
    writer = TraceWriter(file.with_suffix(".folder"))
    writer.start(task="copy it", model="m", desktop="memory", screen=Size(320, 240))
    for number, action in enumerate(actions, start=1):
        writer.decision(number, Act(thought="", actions=(action,)))
        intent = writer.intent(number, action, approval="yes")
        writer.result(intent, Done(action=action, receipt=receipt or Receipt(effect="unknown")))
    writer.end("done", "done", Spent(steps=1, seconds=1.0, dollars=0.0, tokens=0))
    writer.close()
    pack(writer.folder, file)


def test_steps_and_traces_are_tests_by_themselves_and_a_failure_keeps_what_was_done(project: Path) -> None:
    (project / "passes.steps").write_text(PASSES)
    (project / "fails.steps").write_text(FAILS)
    (project / "broken.steps").write_text("clik it\n")
    (project / "other.trace").write_text("of another program")
    empty = ExpectClipboard(text="Ada", seconds=0.1)
    recorded(project / "diverges.trace", empty)
    result = ran(
        project, "-rA", "--oi-artifacts", str(project / "kept"), f"--junitxml={project / 'junit.xml'}"
    )
    result.counts(passed=1, failed=3)
    assert "PASSED passes.steps::steps" in result.out
    assert "the steps did not pass." in result.out
    assert "Step 2, `expect the clipboard to hold" in result.out
    assert '"clik" is not expected here' in result.out
    assert "diverges.trace::replay" in result.out
    assert "computer_agent/loop.py" not in result.out
    kept = sorted(path.name for path in (project / "kept").iterdir())
    assert len(kept) == 3
    (fails,) = (project / "kept").glob("fails*/trace1")
    assert [step.attempts[0].outcome for step in read(fails).steps if step.attempts] == ["done", "error"]
    assert (fails / "trace.html").stat().st_size > 1000
    assert f"page:  {fails / 'trace.html'}" in result.out
    assert f'name="oi_trace" value="{fails}"' in (project / "junit.xml").read_text()


def test_the_fixture_replays_beside_the_test_file_and_says_what_was_seen_instead(project: Path) -> None:
    (project / "below").mkdir()
    recorded(project / "below" / "copy.trace", ClipboardSet(text="Ada"), ExpectClipboard(text="Ada"))
    opened = Receipt(effect="elsewhere", opened=("Sure?",))
    recorded(project / "below" / "opens.trace", PressKeys(keys=("a",)), receipt=opened)
    recorded(project / "below" / "secret.trace", TypeText(text="hunter2", secret=True))
    (project / "below" / "test_it.py").write_text(
        """
import pytest
from computer_agent.pytest_plugin import TraceFailed

def test_replay(trace):
    trace.replay("copy.trace")
    trace.run('copy text $WORD to clipboard; expect the clipboard to hold "Ada"', var={"WORD": "Ada"})

def test_diverging(trace):
    trace.replay("opens.trace")

def test_missing(trace):
    trace.replay("secret.trace")

def test_failing(trace):
    with pytest.raises(TraceFailed, match="did not pass") as failed:
        trace.run('expect the clipboard to hold "Bob" within 100 ms')
    raise failed.value

def test_without_any(tmp_path):
    pass
"""
    )
    result = ran(project, "below")
    result.counts(passed=2, failed=3)
    assert "give secret1" in result.out
    assert 'the replay of "opens.trace" diverged at step 1: PressKeys' in result.out
    assert 'expected  a window "Sure?" to open' in result.out
    assert "seen      nothing changed" in result.out
    assert "hunter2" not in result.out
    assert "pytest_plugin.py" not in result.out, "a failure shows the test, not the plugin"
    kept = [path.name for path in (project / ".pytest_cache" / "d" / "oi-traces").iterdir()]
    assert len(kept) == 3, "what passed is not kept"


def test_what_cannot_be_meant_is_one_sentence(project: Path) -> None:
    (project / "passes.steps").write_text(PASSES)
    assert "--oi-var takes NAME=VALUE" in ran(project, "--oi-var", "name").out
