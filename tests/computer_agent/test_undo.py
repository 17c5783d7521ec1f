"""`oi undo`, `oi redo`, `oi diff`: what is said, asked and done."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from computer_agent.code_settings import CodeSettings
from computer_agent.keeping import Keeping
from computer_agent.settings import Settings
from computer_agent.undo import diff, opened, redo, undo
from computer_api.actions import RunCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the checkpoints are tested on POSIX systems")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def work(tmp_path: Path, environment: Mapping[str, str]) -> Path:
    return tmp_path / "home" / "work"


def changed(work: Path, environment: Mapping[str, str]) -> None:
    """One block that wrote."""
    (work / "a.txt").write_text("old\n")
    opened(work, environment).take("shell: echo new > a.txt", seconds=60)
    (work / "a.txt").write_text("new\n")
    (work / "b.txt").write_text("made\n")


def test_undo_names_the_files_goes_back_and_redo_takes_that_back(
    work: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    changed(work, environment)
    place = ["--workspace", str(work), "-y"]
    assert undo(place, environment) == 0
    said = capsys.readouterr().out
    assert "restore    a.txt" in said
    assert "delete     b.txt" in said
    assert "2 files restored; `oi redo` takes that back" in said
    assert (work / "a.txt").read_text() == "old\n"
    assert not (work / "b.txt").exists()
    assert redo(place, environment) == 0
    assert (work / "a.txt").read_text() == "new\n"
    assert (work / "b.txt").read_text() == "made\n"
    capsys.readouterr()
    assert redo(place, environment) == 1
    assert "There is nothing more to redo" in capsys.readouterr().out
    assert (work / "a.txt").read_text() == "new\n"


def test_names_are_shown_so_that_they_do_nothing_to_the_terminal(
    work: Path, environment: Mapping[str, str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    opened(work, environment).take("shell: printf '\x1b]0;x\a'", seconds=60)
    for name in ("\x1b[2J", "a\nb", "\u202etxt", "\udcff"):
        (work / name).write_text("made")
    place = ["--workspace", str(work)]
    assert undo([*place, "--list"], environment) == 0
    assert undo([*place, "-y"], environment) == 0
    said = capsysbinary.readouterr().out
    assert b"\x1b" not in said
    assert b"a\nb" not in said
    assert "\u202e".encode() not in said
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("ends", ["of itself", "with the run"])
def test_what_others_changed_is_taken_back_only_when_that_is_said(
    work: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str], ends: str
) -> None:
    said_now: list[str] = []
    keeping = Keeping(
        Settings(code=CodeSettings(workspace=work), environment=environment),
        said_now.append,
    )
    keeping.before(RunCode(language="shell", code="echo code > a.txt"))
    (work / "a.txt").write_text("code\n")
    if ends == "of itself":
        keeping.after()
    else:
        keeping.close()
    assert said_now == []
    (work / "a.txt").write_text("by hand\n")
    (work / "b.txt").write_text("by hand\n")
    place = ["--workspace", str(work), "-y"]
    assert undo(place, environment) == 1
    said = capsys.readouterr().out
    assert "left alone: a.txt (it was changed since, and not by a code step)" in said
    assert "`oi undo 1 --all`" in said
    assert "b.txt" not in said
    for name in ("a.txt", "b.txt"):
        assert (work / name).read_text() == "by hand\n"
    assert undo([*place, "1", "--all"], environment) == 0
    assert list(work.iterdir()) == []


def test_diff_shows_lines_and_changes_nothing(
    work: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    changed(work, environment)
    assert diff(["--workspace", str(work)], environment) == 0
    said = capsys.readouterr().out
    assert "-old\n+new\n" in said
    assert "+made" in said
    assert (work / "a.txt").read_text() == "new\n"


def test_the_list_has_numbers_times_and_what_no_checkpoint_holds(
    work: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (work / ".gitignore").write_text("*.log")
    (work / "a.log").write_text("")
    changed(work, environment)
    assert undo(["--list", "--workspace", str(work)], environment) == 0
    said = capsys.readouterr().out
    assert "   1  20" in said
    assert "shell: echo new > a.txt" in said
    assert "Not kept, since it is ignored or too large: a.log" in said


@pytest.mark.parametrize("command", [undo, redo, diff])
def test_where_nothing_was_done_it_says_so(
    command: Callable[[list[str], Mapping[str, str]], int],
    work: Path,
    environment: Mapping[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command(["--workspace", str(work)], environment) == 1
    assert str(work) in capsys.readouterr().out


def test_a_number_that_is_none_and_a_home_are_complained_about(
    work: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert undo(["7", "--workspace", str(work)], environment) == 2
    assert "There is no checkpoint 7: there are none here." in capsys.readouterr().err
    assert undo(["--workspace", environment["HOME"]], environment) == 2
    assert "holds your whole home" in capsys.readouterr().err


def test_nothing_is_undone_where_nobody_can_be_asked(
    work: Path, environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    changed(work, environment)
    assert not sys.stdin.isatty()
    assert undo(["--workspace", str(work)], environment) == 1
    assert "say -y" in capsys.readouterr().err
    assert (work / "a.txt").read_text() == "new\n"


def keeping(work: Path, environment: Mapping[str, str]) -> tuple[Keeping, list[str]]:
    said: list[str] = []
    settings = Settings(code=CodeSettings(workspace=work), environment=environment)
    return Keeping(settings, said.append), said


def test_a_block_gets_a_checkpoint_with_its_first_line_as_title(
    work: Path, environment: Mapping[str, str]
) -> None:
    kept, said = keeping(work, environment)
    kept.before(RunCode(language="python", code="\n  open('a', 'w')\nmore"))
    (one,) = opened(work, environment).all()
    assert one.title == "python: open('a', 'w')"
    assert said == []
    assert "oi undo" in kept.words


def test_without_a_checkpoint_the_person_is_told_and_the_block_may_run(
    work: Path, environment: Mapping[str, str]
) -> None:
    kept, said = keeping(work, {**environment, "PATH": str(work)})
    kept.before(RunCode(language="shell", code="ls"))
    assert len(said) == 1
    assert 'need the program "git"' in said[0]


def test_a_folder_that_is_not_copied_is_said_to_be_none(work: Path, environment: Mapping[str, str]) -> None:
    kept, said = keeping(work.parent, environment)
    assert "cannot be undone" in kept.words
    kept.before(RunCode(language="shell", code="ls"))
    assert said == []
