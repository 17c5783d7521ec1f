"""computer.files: texts are read, edited and searched exactly, and what is wrong is said with what is there."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from computer_api.errors import ComputerError
from computer_api.files import LARGEST, Files

if TYPE_CHECKING:
    from pathlib import Path

FILES = Files(ComputerError)
texts = st.text(st.characters(exclude_characters="\0\r", codec="utf-8"), max_size=60)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts)
def test_what_is_written_is_read_back(tmp_path: Path, text: str) -> None:
    FILES.write(tmp_path / "a", text)
    assert FILES.read(tmp_path / "a") == text


def test_lines_are_counted_from_one_and_the_last_is_included(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n4")
    assert FILES.read(tmp_path / "a", 2, 3) == "2\n3\n"
    assert FILES.read(tmp_path / "a", 4) == "4"
    assert FILES.read(tmp_path / "a", 2, 99) == "2\n3\n4"


@pytest.mark.parametrize(("start", "end"), [(0, 1), (3, 2), (9, None)])
def test_lines_that_are_not_there_are_an_error(tmp_path: Path, start: int, end: int | None) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n")
    with pytest.raises(ComputerError, match="line"):
        FILES.read(tmp_path / "a", start, end)


def test_an_edit_replaces_what_stands_there_once_and_says_in_which_line(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one\ntwo\nthree\n")
    assert FILES.edit(file, "two", "2") == f'changed "{file}" in line 2'
    assert file.read_text() == "one\n2\nthree\n"


def test_what_stands_there_more_often_is_not_replaced_unless_that_was_said(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("x\ny\nx\n")
    with pytest.raises(ComputerError, match="2 times, in lines 1, 3, and not 1"):
        FILES.edit(file, "x", "z")
    assert file.read_text() == "x\ny\nx\n"
    FILES.edit(file, "x", "z", count=2)
    assert file.read_text() == "z\ny\nz\n"


def test_what_does_not_stand_there_changes_nothing_and_the_closest_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("def total(prices):\n    return sum(prices)\n")
    with pytest.raises(ComputerError, match=r'The closest: line 1: "def total\(prices\):"'):
        FILES.edit(file, "def totals(prices):", "x")
    assert file.read_text().startswith("def total(")


def test_an_edit_keeps_the_line_ends_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one\r\ntwo\r\nthree\r\n")
    FILES.edit(file, "one\ntwo", "1\n2")
    assert file.read_bytes() == b"1\r\n2\r\nthree\r\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "run.sh", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o750)
    link.symlink_to(file)
    FILES.write(link, "new")
    assert link.is_symlink()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o750)


def test_folders_on_the_way_are_made_and_nothing_else_is_left(tmp_path: Path) -> None:
    FILES.write(tmp_path / "a" / "b" / "c.txt", "x")
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.txt"]


def test_a_search_names_file_line_and_text_and_leaves_out_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("a\nneedle here\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("needle (1)\n")
    (tmp_path / "bad.bin").write_bytes(b"needle\xff\0")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x").write_text("needle")
    found = FILES.search("needle", tmp_path)
    assert [(one["line"], one["text"]) for one in found] == [(2, "needle here"), (1, "needle (1)")]
    assert len(FILES.search("needle", tmp_path, "*.py")) == 1
    assert len(FILES.search("needle (", tmp_path)) == 1
    assert len(FILES.search(r"needle \(\d", tmp_path, regex=True)) == 1
    assert len(FILES.search("needle", tmp_path, most=1)) == 1


def test_what_cannot_be_read_is_said_with_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("x")
    (tmp_path / "bytes").write_bytes(b"ab\xff")
    (tmp_path / "zero").write_bytes(b"a\0b")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    cases = {
        "reprot.txt": 'There is: "report.txt"',
        "bytes": "byte 2",
        "zero": "zero bytes",
        "large": "at most",
    }
    for name, words in cases.items():
        with pytest.raises(ComputerError, match=words):
            FILES.read(tmp_path / name)
    with pytest.raises(ComputerError, match="cannot be read"):
        FILES.read(tmp_path)
    with pytest.raises(ComputerError, match="no regular expression"):
        FILES.search("(", tmp_path, regex=True)
    with pytest.raises(ComputerError, match="is none"):
        FILES.search("x", tmp_path / "report.txt")


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ComputerError, match="cannot be written"):
        FILES.write(tmp_path / "folder", "x")
    assert not list((tmp_path / "folder").iterdir())
    assert not list(tmp_path.glob(".oi-*"))
    with pytest.raises(ComputerError, match="needs the text to replace"):
        FILES.edit(tmp_path / "folder", "", "x")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_neither_waited_for_nor_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ComputerError, match="no file but a pipe"):
        FILES.read(tmp_path / "pipe")
    with pytest.raises(ComputerError, match="nothing was written"):
        FILES.write(tmp_path / "pipe", "x")
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(
    sys.platform == "win32" or os.getuid() == 0, reason="the administrator may write everything"
)
def test_a_write_protected_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0o444)
    with pytest.raises(ComputerError, match="write-protected"):
        FILES.write(tmp_path / "a", "y")
    assert (tmp_path / "a").read_text() == "x"


def test_what_is_no_text_or_no_path_is_refused_in_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ComputerError, match="cannot be written as UTF-8"):
        FILES.write(tmp_path / "a", "x\ud800")
    for call in (FILES.read, lambda path: FILES.write(path, "x")):
        with pytest.raises(ComputerError, match=r"zero byte|leads nowhere"):
            call(f"{tmp_path}/a\0b")
    assert not list(tmp_path.glob(".oi-*"))
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_itself_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ComputerError, match="cannot be read"):
        FILES.read(tmp_path / "loop")
    with pytest.raises(ComputerError, match=r"cannot be written|leads nowhere"):
        FILES.write(tmp_path / "loop", "x")


def test_a_text_that_overlaps_itself_is_not_replaced_at_a_guess(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("aaa")
    for count in (1, 2):
        with pytest.raises(ComputerError, match="overlapping itself"):
            FILES.edit(tmp_path / "a", "aa", "b", count)
    assert (tmp_path / "a").read_text() == "aaa"


def test_in_a_file_with_both_line_ends_what_stands_there_exactly_is_replaced_exactly(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\r\nb\nc\nd\r\n")
    FILES.edit(tmp_path / "a", "b\nc", "x\ny")
    assert (tmp_path / "a").read_bytes() == b"a\r\nx\ny\nd\r\n"
    FILES.edit(tmp_path / "a", "d\r\n", "e\r\n")
    assert (tmp_path / "a").read_bytes() == b"a\r\nx\ny\ne\r\n"


@pytest.mark.parametrize("text", ["a\fb\nneedle\n", "a\u2028b\r\nneedle", "a\x85\x1cb\rneedle\r"])
def test_reading_searching_and_editing_count_the_same_lines(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_bytes(text.encode())
    assert FILES.read(tmp_path / "a", 2, 2).strip() == "needle"
    assert [find["line"] for find in FILES.search("needle", tmp_path)] == [2]
    assert FILES.edit(tmp_path / "a", "needle", "pin").endswith("in line 2")


def test_a_pattern_with_a_slash_chooses_by_the_path(tmp_path: Path) -> None:
    for folder in ("src", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("needle")
    found = FILES.search("needle", tmp_path, "src/*.py")
    assert [find["path"] for find in found] == [str(tmp_path / "src" / "a.py")]
    with pytest.raises(ComputerError, match="at least one"):
        FILES.search("needle", tmp_path, most=0)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX ones")
def test_a_new_file_has_the_usual_permissions_and_a_changed_program_loses_its_privileges(
    tmp_path: Path,
) -> None:
    (tmp_path / "program").touch()
    (tmp_path / "program").chmod(0o4755)
    FILES.write(tmp_path / "program", "x")
    assert (tmp_path / "program").stat().st_mode & 0o7777 == 0o755
    (tmp_path / "usual").touch()
    FILES.write(tmp_path / "new", "x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode
