"""Reading real screens with the real program; faults with small programs that misbehave."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from computer_vision.lines import find
from computer_vision.picture import from_image
from computer_vision.reader import ReaderUnavailable
from computer_vision.tesseract import ReadFailed, TesseractReader, without_bars

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from computer_vision.reader import Line, Region

    Load = Callable[[str], Any]

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs tesseract-ocr")
ROOMS = ("chromium_form", "mousepad_menu", "mousepad_text", "tk_form", "zenity_form", "zenity_question")


def found_in(lines: tuple[Line, ...], text: str, region: Region) -> bool:
    """Whether the best match for the text has its middle in the region, with three pixels of slack."""
    for match in find(lines, text)[:1]:
        x, y = match.region.left + match.region.width / 2, match.region.top + match.region.height / 2
        return region.left - 3 <= x <= region.right + 3 and region.top - 3 <= y <= region.bottom + 3
    return False


@needs_tesseract
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("room", ROOMS)
def test_labels_of_forms_dialogs_and_menus_are_found_where_they_are(
    room: str, theme: str, screen: Load
) -> None:
    shown = screen(f"{room}_{theme}")
    lines = TesseractReader().read(shown.pixels)
    missed = [text for text, region in shown.texts if not found_in(lines, text, region)]
    # The selected day of the calendar is drawn in a box of its own, which the reader does not see through.
    assert [text for text in missed if text != "27"] == []


@needs_tesseract
def test_the_words_of_a_terminal_with_a_bitmap_font_are_mostly_found(screen: Load) -> None:
    shown = screen("xterm_dark")
    lines = TesseractReader().read(shown.pixels)
    words = ("total", "README.md", "settings.toml", "sources", "collected 48 items", "Press any key")
    assert sum(bool(find(lines, word)) for word in words) >= 5


@needs_tesseract
def test_white_text_on_a_coloured_button_is_read(screen: Load) -> None:
    lines = TesseractReader().read(screen("chromium_form_light").pixels)
    for label in ("Submit Order", "Delete account", "Next"):
        assert [match.text for match in find(lines, label, exact=True)] == [label]


@needs_tesseract
def test_columns_are_lines_of_their_own(screen: Load) -> None:
    lines = TesseractReader().read(screen("mousepad_menu_light").pixels)
    for line in lines:
        words = {word.text for word in line.words}
        assert not {"Save", "Ctrl+S"} <= words
        assert not {"Quit", "Ctrl+Q"} <= words


@needs_tesseract
def test_a_second_look_costs_no_process_and_says_the_same(screen: Load, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    program = script(tmp_path, f'echo started >> "{starts}"; exec tesseract "$@"')
    reader = TesseractReader(program=program)
    pixels = screen("zenity_question_light").pixels
    first = reader.read(pixels)
    assert first
    assert reader.read(pixels) == first
    assert starts.read_text().count("started") == 1


@needs_tesseract
def test_a_change_without_new_text_starts_no_process(screen: Load, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    reader = TesseractReader(program=script(tmp_path, f'echo started >> "{starts}"; exec tesseract "$@"'))
    pixels = screen("mousepad_text_light").pixels
    first = reader.read(pixels)
    pixels[400:420, 300:301] = 0  # a caret in an empty place
    assert reader.read(pixels) == first
    assert starts.read_text().count("started") == 1


@needs_tesseract
def test_a_full_screen_is_shared_by_two_processes_and_reads_the_same(screen: Load, tmp_path: Path) -> None:
    names = ("mousepad_menu_light", "mousepad_menu_dark", "chromium_form_light", "chromium_form_dark")
    parts = [screen(name).pixels for name in names]
    full = np.concatenate([part[:560, :700] for part in parts], axis=1)
    starts = tmp_path / "starts"
    program = script(tmp_path, f'echo started >> "{starts}"; exec tesseract "$@"')
    together = TesseractReader(program=program).read(full)
    assert starts.read_text().count("started") == 2
    apart = [words(TesseractReader().read(part)) for part in parts]
    missing = set().union(*apart) - words(together)
    assert len(missing) <= 0.05 * len(words(together))


def words(lines: tuple[Line, ...]) -> set[str]:
    return {word.text for line in lines for word in line.words}


@needs_tesseract
def test_what_was_read_before_does_not_change_what_is_read_now(screen: Load) -> None:
    warm = TesseractReader()
    for name in ("mousepad_text_light", "mousepad_menu_light", "tk_form_light"):
        pixels = screen(name).pixels
        assert warm.read(pixels) == TesseractReader(cached=0).read(pixels)


@needs_tesseract
def test_text_is_read_wherever_it_stands_on_the_picture(screen: Load) -> None:
    small = screen("zenity_question_light").pixels
    large = np.full((700, 1200, 4), small[2, 2], dtype=np.uint8)
    large[410 : 410 + small.shape[0], 333 : 333 + small.shape[1]] = small
    here = {
        word.text: word.region for line in TesseractReader().read(small) for word in line.words if word.text
    }
    there = {word.text: word.region for line in TesseractReader().read(large) for word in line.words}
    assert there["Close"].left - here["Close"].left == 333
    assert there["Close"].top - here["Close"].top == 410


@needs_tesseract
def test_text_in_a_round_badge_and_in_a_large_heading_is_read() -> None:
    image = Image.new("RGB", (500, 160), "white")
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((60, 24, 134, 48), 12, fill=(160, 40, 40))
    draw.text((72, 28), "Overdue", fill="white", font=ImageFont.load_default(13))
    draw.text((30, 90), "Hello Bill", fill="black", font=ImageFont.load_default(42))
    lines = TesseractReader().read(from_image(image))
    for text in ("Overdue", "Hello Bill"):
        assert [match.score >= 0.9 for match in find(lines, text)] == [True], text


def test_an_absent_program_is_named_with_its_package(screen: Load) -> None:
    with pytest.raises(ReaderUnavailable, match=r'"no-such-tesseract".*"tesseract-ocr"'):
        TesseractReader(program="no-such-tesseract").read(screen("tk_form_light").pixels)


@needs_tesseract
def test_an_absent_language_is_named_with_its_package(screen: Load) -> None:
    with pytest.raises(ReaderUnavailable, match=r'"xyz".*tesseract-ocr-xyz'):
        TesseractReader("xyz").read(screen("tk_form_light").pixels)


def test_a_program_that_does_not_answer_is_an_error_in_time(screen: Load, tmp_path: Path) -> None:
    reader = TesseractReader(program=script(tmp_path, "exec sleep 60"), seconds=0.3)
    started = time.monotonic()
    with pytest.raises(ReadFailed, match=r"within 0\.3 seconds"):
        reader.read(screen("tk_form_light").pixels)
    assert time.monotonic() - started < 10


def test_a_program_that_is_killed_is_an_error_and_nothing_is_remembered(screen: Load, tmp_path: Path) -> None:
    reader = TesseractReader(program=script(tmp_path, "kill -9 $$"))
    for _ in range(2):
        with pytest.raises(ReadFailed, match='status -9 \\("no message"\\)'):
            reader.read(screen("tk_form_light").pixels)


def test_the_child_runs_with_one_thread_and_our_own_environment_stays(screen: Load, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    reader = TesseractReader(
        program=script(tmp_path, f'echo "$OMP_THREAD_LIMIT" > "{seen}"; cat > /dev/null')
    )
    reader.read(screen("tk_form_light").pixels)
    assert seen.read_text() == "1\n"


def test_an_empty_picture_starts_no_program() -> None:
    blank = np.zeros((100, 200, 4), dtype=np.uint8)
    assert TesseractReader(program="no-such-tesseract").read(blank) == ()


def script(folder: Path, body: str) -> str:
    path = folder / "reader.sh"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def written_line(text: str, *, bar_at: int | None = None) -> NDArray[np.uint8]:
    """A white picture with one line of text, and perhaps a bar as tall as a caret, pixels from its left edge."""
    image = Image.new("RGB", (260, 60), "white")
    draw = ImageDraw.Draw(image)
    draw.text((40, 20), text, fill="black", font=ImageFont.load_default(size=16))
    if bar_at is not None:
        draw.rectangle((40 + bar_at, 16, 40 + bar_at, 43), fill="black")
    return from_image(image)


@needs_tesseract
@pytest.mark.parametrize("text", ["first line", "Dear Ada, lovely day", "olive", "goal", "mild"])
def test_a_caret_before_the_first_letter_is_not_read_as_one(text: str) -> None:
    reader = TesseractReader()
    with_caret = reader.read(written_line(text, bar_at=-1))
    assert [word.text for line in with_caret for word in line.words] == text.split()


@pytest.mark.parametrize("text", ["first line", "olive", "ill will", "a | b", "l"])
def test_what_is_written_is_never_taken_for_a_caret(text: str) -> None:
    ink = 255 - cv2.cvtColor(written_line(text), cv2.COLOR_BGRA2GRAY)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    line = np.asarray(ink[rows[0] - 2 : rows[-1] + 3, columns[0] - 2 : columns[-1] + 3], dtype=np.uint8)
    assert np.array_equal(without_bars(line), line)


@needs_tesseract
def test_a_caret_between_a_frame_and_the_text_is_not_read() -> None:
    """A real one: the first line of mousepad with the caret before it, in the corner of its window."""
    with Image.open(Path(__file__).parents[2] / "fixtures" / "screens" / "caret_beside_frame.png") as shown:
        lines = TesseractReader().read(from_image(shown.convert("RGB")))
    assert find(lines, "first line")[0].score == 1.0
