"""Reading with Tesseract: lines are proposed first, and only those not seen before are recognised.

Tesseract looks for the layout of a printed page and loses much of a screen: white on coloured
buttons, disabled menu entries, single words. Here each proposed line becomes one small picture,
black on white whatever its colours were, and all of them go to **one** process as the pages of a
TIFF. A page is read on its own, so its text depends on its pixels only and can be kept for as long
as the same pixels are on the screen.

The program is run directly and not through pytesseract: that cannot give its child an environment
(``OMP_THREAD_LIMIT``, without which the threads of Tesseract spin for five times the CPU), writes
temporary files, and starts one process per picture.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

from computer_vision.edges import runs_of
from computer_vision.reader import ReaderUnavailable, Region
from computer_vision.recogniser import Span
from computer_vision.screen import CACHED, ScreenReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from computer_vision.proposals import Gray
    from computer_vision.reader import Pixels
    from computer_vision.recogniser import Crop, Spans

MARGIN: Final = 10  # white pixels around a line; Tesseract drops letters that touch the edge
SURE: Final = 0.25  # short words below are noise from icons and ornaments
SURE_OF_LONG: Final = 0.05  # words of four letters and more are hardly noise
LONG: Final = 4
ENLARGED: Final = 2  # a screen's letters are half as high as Tesseract was taught; 3 reads worse
MANY: Final = 80  # lines from which a second process, 0.1 s of CPU to start, saves time
LARGE: Final = 48  # pixels; a line that is higher is read as it is

PALETTE: Final = 4  # colours of one line that may be behind its text
ALIKE: Final = 12  # levels
GROUND, RIM = 0.12, 0.1  # of a line's pixels, and of its edge, that what letters stand on takes
DARK: Final = 160  # grey level of a page below which there is ink
TICK_GAP: Final = 2.5  # pixels between a tick box and its label, at least
TICK_WIDTH: Final = 1.8  # where the label begins, at most, in heights

BARS = 2  # a caret and an edge
BAR_WIDTH, BAR_GAP = 2, 3  # pixels
VISIBLE, EVEN = 20, 8  # levels

WORD_LEVEL: Final = "5"


class Column(NamedTuple):
    """The columns of Tesseract's table."""

    level: str
    page_num: str
    block_num: str
    par_num: str
    line_num: str
    word_num: str
    left: str
    top: str
    width: str
    height: str
    conf: str
    text: str


class ReadFailed(ReaderUnavailable):
    """Tesseract is installed but gave no answer this time."""


class TesseractRecogniser:
    """Reads lines with the ``tesseract`` program: one process for all of them, two where they are many.

    ``languages`` are Tesseract's names joined by ``+`` (``eng+deu``). ``seconds`` bounds one run.
    """

    def __init__(
        self,
        languages: str = "eng",
        *,
        program: str = "tesseract",
        seconds: float = 20.0,
    ) -> None:
        self._languages = languages
        self._program = program
        self._seconds = seconds

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        """The words of each line.

        Raises ``ReaderUnavailable`` when the program or a language is missing, and its subclass
        ``ReadFailed`` when the program fails or takes longer than allowed.
        """
        factors = [ENLARGED if crop.shape[0] <= LARGE else 1 for crop in crops]
        pages = [_black_on_white(crop, factor) for crop, factor in zip(crops, factors, strict=True)]
        read = zip(self._read_pages(pages), pages, factors, strict=True)
        return [_cut(words, page, factor) for words, page, factor in read]

    def _read_pages(self, pages: Sequence[Gray]) -> list[Spans]:
        """The words of every page, in pixels of the page; many pages are shared by two processes."""
        if len(pages) < MANY:
            return self._run(pages) if pages else []
        half = len(pages) // 2
        with ThreadPoolExecutor(max_workers=2) as pool:
            return [words for part in pool.map(self._run, (pages[:half], pages[half:])) for words in part]

    def _run(self, pages: Sequence[Gray]) -> list[Spans]:
        """The words of every page, read by one process."""
        program = shutil.which(self._program)
        if program is None:
            raise ReaderUnavailable(
                f'The program "{self._program}", which reads text from the screen, is not installed; '
                'install the package "tesseract-ocr".'
            )
        _, tiff = cv2.imencodemulti(".tiff", list(pages), [cv2.IMWRITE_TIFF_COMPRESSION, 1])
        command = [program, "stdin", "stdout", "--psm", "7", "--oem", "1", "-l", self._languages]
        try:
            done = subprocess.run(
                [*command, "-c", "tessedit_create_tsv=1"],
                input=tiff.tobytes(),
                capture_output=True,
                check=False,
                timeout=self._seconds,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            )
        except subprocess.TimeoutExpired:
            raise ReadFailed(
                f"Tesseract did not answer within {self._seconds:g} seconds for {len(pages)} lines; "
                "read a smaller part of the screen."
            ) from None
        if done.returncode != 0:
            raise self._failure(done.returncode, done.stderr.decode(errors="replace"))
        return _words_by_page(done.stdout.decode(errors="replace"), len(pages))

    def _failure(self, code: int, said: str) -> ReaderUnavailable:
        if "Failed loading language" in said or "Error opening data file" in said:
            names = " ".join(f"tesseract-ocr-{name}" for name in self._languages.split("+"))
            return ReaderUnavailable(
                f'Tesseract has no data for "{self._languages}"; install the package of the language '
                f"(Debian's names: {names}) or choose one that `tesseract --list-langs` shows."
            )
        last = said.strip().splitlines()[-1] if said.strip() else "no message"
        return ReadFailed(f'Tesseract ended with status {code} ("{last}"); try again, or reinstall it.')


def _black_on_white(crop: Pixels, factor: int) -> Gray:
    """The crop as a page: how far each pixel is from the colour behind the text, enlarged, with a margin."""
    distance = without_bars(cv2.absdiff(crop, _background(crop)).max(axis=2))
    strongest = max(40.0, float(np.percentile(distance, 99.5)))
    page = 255 - np.clip(distance.astype(np.float32) * (255 / strongest), 0, 255).astype(np.uint8)
    if factor > 1:
        page = np.asarray(cv2.resize(page, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC))
    bordered = cv2.copyMakeBorder(page, *(MARGIN,) * 4, cv2.BORDER_CONSTANT, value=255)
    return np.asarray(bordered, dtype=np.uint8)


def without_bars(distance: Gray) -> Gray:
    """The ink of a line without what is drawn beside letters and would be read as one: a caret, a frame's edge.

    ``distance`` is how far each pixel is from the ground. Such a bar is even, at most two pixels wide, reaches
    above and below all that is written, and touches a letter or stands at the very edge. A bar that stands by
    itself may be a character and stays.
    """
    visible = distance > VISIBLE
    spread = np.where(visible, distance, 0).max(axis=0) - np.where(visible, distance, 255).min(axis=0)
    heights = visible.sum(axis=0)
    tallest = (heights >= heights.max() - 1) & (spread <= EVEN)
    written = np.flatnonzero((visible & ~tallest).any(axis=1))
    runs = runs_of(tallest)
    if not written.size or len(runs) > BARS:
        return distance
    bare = distance.copy()
    for left, right in runs:
        bar = np.flatnonzero(visible[:, left])
        reaches = bar[0] < written[0] and bar[-1] > written[-1] and right - left <= BAR_WIDTH
        near = visible[:, max(0, left - BAR_GAP) : left].any() or visible[:, right : right + BAR_GAP].any()
        if reaches and (near or left == 0 or right == tallest.size):
            bare[:, left:right] = 0
    return bare


def _background(crop: Pixels) -> Pixels:
    """What the crop would be without its text: each pixel has the colour of the nearest ground.

    Not one colour, because a line may cross a selection or a coloured cell, or be a round badge.
    """
    codes = (crop.astype(np.int32) >> 3) @ np.array([1, 32, 1024])  # colours that look alike share a code
    common, counts = np.unique(codes, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:PALETTE]
    colours = [crop[codes == code].mean(axis=0).round().astype(np.uint8) for code in common[order]]
    ground = np.zeros(codes.shape, dtype=bool)
    painted = np.zeros(crop.shape, dtype=np.uint8)
    for colour in reversed(colours):  # the commonest last, over those almost like it
        own = _is_ground(crop, colour)
        ground |= own
        painted[own] = colour
    if not ground.any():
        return np.broadcast_to(colours[0], crop.shape)
    _, nearest = cv2.distanceTransformWithLabels(
        (~ground).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    colour_of = np.zeros((int(nearest.max()) + 1, 3), dtype=np.uint8)
    colour_of[nearest[ground]] = painted[ground]
    return np.asarray(colour_of[nearest])


def _is_ground(crop: Pixels, colour: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where pixels of the colour are what letters stand on: along the edges, or in wide full pieces."""
    alike = cv2.absdiff(crop, np.broadcast_to(colour, crop.shape)).max(axis=2) < ALIKE
    count, labels, stats, _ = cv2.connectedComponentsWithStats(alike.astype(np.uint8), connectivity=4)
    rim = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    area, width = stats[:, cv2.CC_STAT_AREA], stats[:, cv2.CC_STAT_WIDTH]
    full = area >= 0.5 * width * stats[:, cv2.CC_STAT_HEIGHT]  # a letter is less than half of its box
    wide = (area >= GROUND * alike.size) & (width >= 0.8 * alike.shape[0])
    ground = (full & wide) | (np.bincount(rim, minlength=count) >= RIM * rim.size)
    ground[0] = False
    return np.asarray(ground[labels])


def _words_by_page(tsv: str, pages: int) -> list[Spans]:
    """The words that Tesseract wrote as tab-separated values, for each page."""
    found: list[list[Span]] = [[] for _ in range(pages)]
    for row in tsv.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) != len(Column._fields) or cells[0] != WORD_LEVEL:
            continue
        cell = Column(*cells)
        score = float(cell.conf) / 100
        letters = sum(character.isalnum() for character in cell.text)
        if cell.text.strip() and score >= (SURE_OF_LONG if letters >= LONG else SURE):
            region = Region(int(cell.left), int(cell.top), int(cell.width), int(cell.height))
            found[int(cell.page_num) - 1].append(Span(cell.text, region, score))
    return [tuple(words) for words in found]


def _cut(words: Spans, page: Gray, factor: int) -> Spans:
    """The words in pixels of the crop, without the borders and tick boxes that were read as letters."""
    kept = []
    for text, region, score, _ in words:
        bare, inner = _without_mark(text.strip("|[]_") or text, region, page, factor)
        left, top = max(0, (inner.left - MARGIN) // factor), max(0, (inner.top - MARGIN) // factor)
        right, bottom = -((MARGIN - inner.right) // factor), -((MARGIN - inner.bottom) // factor)
        kept.append(Span(bare, Region(left, top, right - left, bottom - top), score))
    return tuple(kept)


def _without_mark(text: str, region: Region, page: Gray, factor: int) -> tuple[str, Region]:
    """The word without a tick box before it ("@Accept"): there the gap is wider than between letters."""
    if text[0].isalnum() or not text[1:3].isalpha():
        return text, region
    own = page[region.top : region.bottom, region.left : region.right]
    inked = np.flatnonzero(own.min(axis=0) < DARK)
    gaps = np.flatnonzero(np.diff(inked) > TICK_GAP * factor)
    starts = inked[gaps + 1][inked[gaps + 1] <= TICK_WIDTH * region.height]
    if not starts.size:
        return text, region
    start = int(starts[-1])
    return text[1:], Region(region.left + start, region.top, region.width - start, region.height)


class TesseractReader(ScreenReader):
    """Reads screens with the ``tesseract`` program: no process if nothing is new, two if much is."""

    def __init__(
        self,
        languages: str = "eng",
        *,
        program: str = "tesseract",
        seconds: float = 20.0,
        cached: int = CACHED,
    ) -> None:
        super().__init__(TesseractRecogniser(languages, program=program, seconds=seconds), cached=cached)
