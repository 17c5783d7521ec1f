"""Kept traces are listed, found by number and name, told as text, and removed when they have outlived their limits."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pseudo_terminal import Terminal

from computer_agent.step import Act, Done, NotDone, Observation, Spent, Usage
from computer_agent.trace.archive import pack
from computer_agent.trace.command import trace
from computer_agent.trace.errors import TraceError
from computer_agent.trace.storage import Kept, found, kept, remove
from computer_agent.trace.storage_retention import BadRetention, Retention, days, outlived, retention, size
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import Click, RunCode, TypeText
from computer_api.receipt import Receipt
from computer_api.targets import TextTarget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.step import Ending

DAY = 86400.0
SAVE = Click(target=TextTarget("Save"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    folder = tmp_path / "state" / "oi" / "traces"
    folder.mkdir(parents=True)
    return folder


def recorded(folder: Path, task: str, ending: Ending | None = "done", *, ago: float = 0.0) -> Path:
    """A run of two steps that ended that many seconds ago; without an ending it broke off."""
    writer = TraceWriter(folder, clock=lambda: time.time() - ago)
    writer.start(task=task, model="script", desktop="memory", screen=None)
    writer.observation(1, Observation(screenshot=None))
    writer.decision(1, Act(thought="I press Save", actions=(SAVE,), usage=Usage(dollars=0.25)))
    writer.result(
        writer.intent(1, SAVE, approval="yes"),
        Done(action=SAVE, receipt=Receipt(effect="here", opened=("Sure?",))),
    )
    writer.observation(2, Observation(screenshot=None))
    code = RunCode(language="python", code="print(1)")
    typed = TypeText(text="correct horse", secret=True)
    output = "\n".join(f"line {number}" for number in range(1, 8))
    writer.result(
        writer.intent(2, code, approval="yes"),
        Done(action=code, receipt=Receipt(effect="unknown", output=output)),
    )
    writer.result(
        writer.intent(2, typed, approval="no"), NotDone(action=typed, why="not wanted", kind="refused")
    )
    if ending is None:
        writer.intent(2, SAVE, approval="yes")
    else:
        writer.end(ending, "All is saved.", Spent(steps=2, seconds=90.0, dollars=0.25, tokens=9))
    writer.close()
    return folder


def test_the_list_has_the_newest_first_with_what_became_of_each(
    traces: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(traces / "a", "an older task", ago=2 * DAY)
    recorded(traces / "b", "a task that broke off", None, ago=DAY)
    recorded(traces / "c", "a failed one\nin two lines", "gave up")
    (traces / "d").mkdir()
    (traces / "d" / "trace.jsonl").write_bytes(b"garbage")
    os.utime(traces / "d", (0, 0))
    (traces / "no trace").mkdir()
    assert trace(["list"], environment) == 0
    _, *rows, total = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "4"]
    assert "gave up" in rows[0]
    assert "a failed one in two lines" in rows[0]
    assert "broke off" in rows[1]
    assert "done" in rows[2]
    assert "2 min" in rows[2]
    assert "$0.25" in rows[2]
    assert "damaged" in rows[3]
    assert total.startswith("4 traces, ")


def test_the_list_may_be_of_failed_runs_or_of_those_that_hold_words(
    traces: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(traces / "a", "buy the GRÜNE one")
    recorded(traces / "b", "sell it", "failed")
    trace(["list", "--failed"], environment)
    said = capsys.readouterr().out
    assert "sell it" in said
    assert "buy" not in said
    trace(["list", "--search", "grüne"], environment)
    said = capsys.readouterr().out
    assert "buy" in said
    assert "sell" not in said
    trace(["list", "--search", "line 7"], environment)  # in the output of a block
    assert capsys.readouterr().out.count("line") == 0
    trace(["list", "--search", "no such words"], environment)
    assert capsys.readouterr().out.startswith("There is no trace that fits")


def test_a_run_that_goes_on_is_listed_so_and_is_no_failure(
    traces: Path, environment: Mapping[str, str]
) -> None:
    writer = TraceWriter(traces / "now")
    writer.start(task="t", model="m", desktop="memory", screen=None)
    (one,) = kept(traces)
    assert (one.ending, one.failed) == ("going", False)
    writer.close()
    (one,) = kept(traces)
    assert (one.ending, one.failed) == ("broke off", True)


def test_a_trace_is_named_by_folder_zip_number_or_the_start_of_its_name(traces: Path, tmp_path: Path) -> None:
    old = recorded(traces / "2026-01-01_10-00-00", "old", ago=DAY)
    new = recorded(traces / "2026-01-02_10-00-00", "new")
    pack(new, tmp_path / "new.zip")
    assert found(str(old), traces) == old
    assert found(str(tmp_path / "new.zip"), traces) == tmp_path / "new.zip"
    assert found("1", traces) == new
    assert found("2", traces) == old
    assert found("2026-01-01", traces) == old
    with pytest.raises(TraceError, match="2 traces begin with"):
        found("2026", traces)
    for words in ("3", "", "nothing", "0"):
        with pytest.raises(TraceError, match="There is no trace"):
            found(words, traces)


def test_show_tells_each_step_and_no_secret(
    traces: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(traces / "a", "save \x1b[31mit", None)
    assert trace(["show", "1"], environment) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "Step 1: I press Save" in said
    assert 'click "Save"  -> done: opened "Sure?"' in said
    assert "  | line 4\n" in said
    assert "… 3 more lines" in said
    assert "refused: not wanted" in said
    assert "-> unknown: no result was written" in said
    assert "Note: The run has no end" in said
    assert "correct horse" not in said


def test_zip_writes_one_file_that_show_reads(
    traces: Path, environment: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(traces / "a", "save it")
    out = str(tmp_path / "a.zip")
    assert trace(["zip", "1", out], environment) == 0
    assert trace(["zip", "1", out], environment) == 2
    assert "is there already" in capsys.readouterr().err
    shutil.rmtree(traces / "a")
    assert trace(["show", out], environment) == 0
    assert "save it" in capsys.readouterr().out


def test_prune_shows_what_goes_and_removes_nothing_unasked(
    traces: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = recorded(traces / "a", "the old one", ago=40 * DAY), recorded(traces / "b", "the new one")
    assert trace(["prune", "--older", "30d"], environment) == 1
    said = capsys.readouterr()
    assert "the old one" in said.out
    assert "the new one" not in said.out
    assert "say -y" in said.err
    assert old.exists()
    assert trace(["prune", "--older", "30d", "--yes"], environment) == 0
    assert not old.exists()
    assert new.exists()
    assert "Removed 1 trace, " in capsys.readouterr().out
    assert trace(["prune", "--older", "30d", "--yes"], environment) == 0
    assert "Nothing is to be removed" in capsys.readouterr().out


def test_prune_takes_its_limits_from_the_environment_where_none_are_given(
    traces: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        recorded(traces / f"{number}", f"task {number}", ago=number * DAY)
    assert trace(["prune", "-y"], environment) == 2
    assert "or set OI_TRACES_KEEP" in capsys.readouterr().err
    assert trace(["prune", "-y"], environment | {"OI_TRACES_KEEP": "1, 30d"}) == 0
    assert [one.path.name for one in kept(traces)] == ["0"]
    assert trace(["prune", "-y"], environment | {"OI_TRACES_KEEP": "soon"}) == 2
    assert 'not "soon"' in capsys.readouterr().err


def test_prune_asks_on_a_terminal(traces: Path, environment: Mapping[str, str], tmp_path: Path) -> None:
    recorded(traces / "a", "the old one")
    for answer, left in (("n", 1), ("y", 0)):
        terminal = Terminal("trace", "prune", "--keep", "0", cwd=tmp_path, environment=environment)
        terminal.shows("for good? [y/N]")
        terminal.types(f"{answer}\n")
        assert terminal.ends() == left
        assert len(kept(traces)) == left


def test_what_is_being_written_lies_elsewhere_or_behind_a_link_is_never_removed(
    traces: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    elsewhere = recorded(tmp_path / "elsewhere", "mine")
    (traces / "link").symlink_to(elsewhere)
    writer = TraceWriter(traces / "now")
    writer.start(task="t", model="m", desktop="memory", screen=None)
    (traces / "notes").mkdir()
    (traces / "notes" / "mine.txt").write_text("mine")
    assert trace(["prune", "--keep", "0", "-y"], environment) == 0
    assert (elsewhere / "trace.jsonl").exists()
    assert (traces / "now" / "trace.jsonl").exists()
    assert (traces / "notes" / "mine.txt").exists()
    for path in (elsewhere, traces / "link", traces / "notes", traces / "now" / ".." / "now", traces):
        with pytest.raises(TraceError):
            remove(path, traces)
    with pytest.raises(TraceError, match="is being written by"):
        remove(traces / "now", traces)
    writer.close()
    assert remove(traces / "now", traces) > 0
    assert not (traces / "now").exists()


sizes = st.lists(st.tuples(st.floats(0, 100), st.integers(0, 50), st.booleans()), max_size=12)


@given(sizes, st.none() | st.integers(0, 12), st.none() | st.floats(0, 100), st.none() | st.integers(0, 200))
def test_what_stays_is_within_the_limits_but_for_what_is_being_written(
    made: list[tuple[float, int, bool]], keep: int | None, older: float | None, over: int | None
) -> None:
    known = sorted(
        (
            Kept(path=Path(str(place)), began=-age, size=taken, ending="going" if going else "done")
            for place, (age, taken, going) in enumerate(made)
        ),
        key=lambda one: -one.began,
    )
    gone = outlived(known, Retention(keep=keep, older=older, over=over), now=0.0)
    left = [one for one in known if one not in gone]
    assert all(one.ending != "going" for one in gone)
    ended = [one for one in left if one.ending != "going"]
    assert keep is None or all(known.index(one) < keep for one in ended)
    assert older is None or all(one.began >= -older for one in ended)
    going = sum(one.size for one in left if one.ending == "going")
    assert over is None or sum(one.size for one in ended) <= over or going > over
    if keep is None and older is None and over is None:
        assert not gone


def test_ages_and_sizes_are_read_with_their_units() -> None:
    assert days("30d") == 30 * DAY
    assert days("12h") == DAY / 2
    assert size("2GB") == 2 * 10**9
    assert size("1.5 mb") == 1_500_000
    assert retention("") == Retention()
    assert retention("30d, 100, 2GB") == Retention(older=30 * DAY, keep=100, over=2 * 10**9)
    for bad in ("30", "d", "30 years", ""):
        with pytest.raises(BadRetention):
            days(bad)
    with pytest.raises(BadRetention):
        size("2")


@pytest.mark.parametrize(
    "words", [["show", "nothing"], ["prune", "--older", "soon"], ["dance"], ["prune", "--keep", "-1"]]
)
def test_what_cannot_be_done_is_one_sentence(
    words: list[str], traces: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trace(words, environment) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err
