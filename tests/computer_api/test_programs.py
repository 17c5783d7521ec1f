"""Programs and windows: which window a title means, and what is said of what cannot be started."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from computer_api import Computer
from computer_api.actions import OpenApp
from computer_api.errors import AmbiguousError, ComputerError, NotFoundError
from computer_api.programs import _shows
from computer_api.titles import window_meant
from computer_platform.desktop import Area, Ended, Window
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
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


class Launching(MemoryDesktop):
    """A desktop whose program does what a test says, to the windows and to itself, after it was asked for."""

    def __init__(
        self, windows: Sequence[Window], then: Callable[[list[Window]], None], ended: Ended | None
    ) -> None:
        super().__init__(windows=windows, programs={"prog": "empty"})
        self._then, self._ended = then, ended

    def launch(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> int:
        assert self.windows is not None
        self._then(self.windows._windows)
        return super().launch(argv, environment=environment)

    def ended(self, pid: int) -> Ended | None:
        return self._ended


def nothing(_: list[Window]) -> None:
    """It shows nothing."""


def retitled(windows: list[Window]) -> None:
    windows[0] = replace(windows[0], title="Other file")


def activated(windows: list[Window]) -> None:
    windows[0] = replace(windows[0], active=True)


@pytest.mark.parametrize(
    ("then", "shown"), [(retitled, "Other file"), (activated, "Notes"), (nothing, "Notes")]
)
def test_a_program_that_hands_over_to_one_that_runs_is_shown_in_its_window(
    reader: TesseractReader, then: Callable[[list[Window]], None], shown: str
) -> None:
    """In the last case the file was open already: only the program's name says which window it is."""
    windows = [window(1, "Notes", "Prog"), window(2, "Mail")]
    computer = Computer(Launching(windows, then, Ended(code=0)), reader=reader, receipts=False)
    assert computer.windows.open("prog").output == f'"prog" was running already and shows in "{shown}"'


def test_a_program_is_known_by_the_words_of_its_name_and_by_the_file_that_it_shows() -> None:
    texts = window(1, "two.txt (~/notes) - Text Editor", "gnome-text-editor")
    assert _shows(texts, OpenApp(program="Text Editor"))
    assert _shows(texts, OpenApp(program="xdg-open", arguments=("/home/ada/notes/two.txt",)))
    assert _shows(texts, OpenApp(program="/home/ada/notes/two.txt"))
    assert not _shows(texts, OpenApp(program="edit", arguments=("one.txt",)))


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (Ended(code=127, said="no display"), 'exit code 127, saying "no display".'),
        (Ended(code=1), "exit code 1."),
        (Ended(code=-11), "signal 11."),
    ],
)
def test_a_program_that_fails_at_once_is_an_error_with_its_last_words(
    reader: TesseractReader, ended: Ended, said: str
) -> None:
    computer = Computer(Launching([window(1, "Notes")], nothing, ended), reader=reader, receipts=False)
    with pytest.raises(ComputerError) as failure:
        computer.windows.open("prog")
    assert str(failure.value) == f'"prog" ended without a window: {said}'


def test_a_title_that_changes_is_not_the_window_of_a_program_that_still_starts(
    reader: TesseractReader,
) -> None:
    """Clocks and terminals change theirs all the time."""

    class Slow(Launching):
        asked = 0

        def ended(self, pid: int) -> Ended | None:
            self.asked += 1
            if self.asked == 5:
                assert self.windows is not None
                self.windows._windows.append(window(3, "At last"))
            return None

    desktop = Slow([window(1, "12:01")], retitled, None)
    assert Computer(desktop, reader=reader, receipts=False).windows.open("prog").output == ""
    assert desktop.asked == 6


@pytest.mark.desktop
def test_a_folder_and_a_text_file_are_opened_by_their_programs(tmp_path: Path) -> None:
    text = tmp_path / "trip.md"
    text.write_text("To London")
    with Computer.open("private", size=(640, 480), environment=os.environ) as computer:
        (folder_window,) = computer.windows.open(str(tmp_path)).opened
        assert tmp_path.name in folder_window
        computer.windows.open(str(text))
        computer.windows.wait("trip.md")
        with pytest.raises(NotFoundError, match='There is no program or file "/no/such/thing" here'):
            computer.windows.open("/no/such/thing")
