"""Programs and windows: which window a title means, and what is said of what cannot be started."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from computer_api import Computer
from computer_api.errors import AmbiguousError, NotFoundError, UnsupportedError
from computer_api.titles import window_meant
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from pathlib import Path

    from computer_vision.tesseract import TesseractReader


def window(number: int, title: str, app: str = "Editor") -> Window:
    return Window(
        id=number, title=title, app=app, pid=None, area=Area(0, 0, 99, 99), active=False, hidden=False
    )


STACK = (
    window(1, "Notes", "Mousepad"),
    window(2, "Report A", "Writer"),
    window(3, "Report B", "Writer"),
    window(4, "reports: Files", "Files"),
    window(5, "Console", "XTerm"),
    window(6, "console", "XTerm"),
    window(7, "Read me: Mousepad", "Viewer"),
)


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("notes", 1),
        ("report a", 2),
        ("  Report   B ", 3),
        ("reports", 4),
        ("Console", 6),  # the topmost of those with one title
        ("xterm", 6),
        ("mousepad", 1),  # the program's name goes before words in a title
        ("read me", 7),
    ],
)
def test_a_window_is_meant_by_its_title_its_program_or_whole_words_of_its_title(
    title: str, number: int
) -> None:
    assert window_meant(STACK, title).id == number


@pytest.mark.parametrize("title", ["Report", "writer"])
def test_a_title_that_fits_several_windows_names_them(title: str) -> None:
    with pytest.raises(AmbiguousError, match='"Report A", "Report B"') as failure:
        window_meant(STACK, title)
    assert failure.value.candidates == ("Report A", "Report B")


@pytest.mark.parametrize("title", ["e", "Not", "port", "", " "])
def test_a_piece_of_a_word_is_no_title(title: str) -> None:
    with pytest.raises(NotFoundError, match=r'No window is called ".*"\. Open are: "Notes", "Report A"'):
        window_meant(STACK, title)


def test_the_wrong_window_is_not_closed(reader: TesseractReader) -> None:
    computer = Computer(MemoryDesktop(windows=STACK[:3]), reader=reader, patience=0.0)
    for title in ("e", "Report"):
        with pytest.raises((NotFoundError, AmbiguousError)):
            computer.windows.close(title)
    assert [one.title for one in computer.windows.all()] == ["Notes", "Report A", "Report B"]


@pytest.mark.parametrize("program", ["", "  "])
def test_no_name_is_no_program(reader: TesseractReader, program: str) -> None:
    with pytest.raises(NotFoundError, match=f'"{program}" is no program name'):
        Computer(MemoryDesktop(), reader=reader).windows.open(program)


@pytest.mark.desktop
def test_a_folder_and_a_text_file_are_said_to_be_no_programs(tmp_path: Path) -> None:
    text = tmp_path / "trip.md"
    text.write_text("To London")
    with Computer.open("private", size=(640, 480), environment=os.environ) as computer:
        with pytest.raises(UnsupportedError, match=f'"{tmp_path}" is a folder, not a program'):
            computer.windows.open(str(tmp_path))
        with pytest.raises(UnsupportedError, match=r"cannot be started as a program: Permission denied\."):
            computer.windows.open(str(text))
