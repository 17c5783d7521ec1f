"""Finding texts on pictures of real programs, beside pytesseract with one thread and as it comes."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

import cv2
import numpy as np
from bed import ROOT, Child, HungError, peers, screen, window
from timing import Row, Tally, rounds, show, timed

from computer_api.computer import Computer
from computer_api.geometry import Size
from computer_api.screenshot import Screenshot
from computer_api.targets import TextTarget
from computer_platform.desktop import Area, Frame

if TYPE_CHECKING:
    from pathlib import Path

    from bed import Environment

    Box = tuple[int, int, int, int]  # left, top, width, height

SCREENS = ROOT / "fixtures" / "screens"
SLOW = ("zenity_question_light", "zenity_form_light")  # as it comes, pytesseract may take many seconds each
SLOW_SECONDS = 20.0
PLAIN = ("First name", "Last name", "E-mail", "Password", "Country")  # black on white: both read these
NEAR = 6  # pixels by which a box may miss the truth's


class Page(NamedTuple):
    """A picture and the texts on it, each with all its places."""

    path: Path
    screenshot: Screenshot
    texts: dict[str, list[Box]]


def main() -> None:
    count = rounds(2)
    pages = [_page(path) for path in sorted(SCREENS.glob("*.png")) if path.with_suffix(".json").exists()]
    with screen() as environment, peers(environment) as peer:
        peer.ask("load", modules=["pyautogui", "pytesseract", "PIL.Image"])
        rows = [
            new_pages(pages, peer, count),
            opened_menu(pages, peer, count),
            new_word(pages, peer, count),
            as_it_comes([page for page in pages if page.path.stem in SLOW], peer),
            live(environment, peer, count),
        ]
    title = f"Find {sum(len(page.texts) for page in pages)} texts on {len(pages)} pictures"
    show(title, rows, "Both read a picture once for all its texts. Wrong: a place where the text is not.")


def new_pages(pages: list[Page], peer: Child, count: int) -> Row:
    """Every picture is new to both; each time counts, so medians are over pictures."""
    row = Row(what="a new picture", peer="pytesseract, 1 thread")
    for number in range(count):
        for page in pages:
            with Computer.open("memory", environment={}) as computer:
                _compare(row, page, computer, peer, threads=1, judged=number == 0)
    return row


def opened_menu(pages: list[Page], peer: Child, count: int) -> Row:
    """A menu opens over the text that was read just before: what happens between two steps of a task."""
    row = Row(what="a menu opened since the last", peer="pytesseract, 1 thread")
    by_name = {page.path.stem: page for page in pages}
    for number in range(count):
        for theme in ("light", "dark"):
            with Computer.open("memory", environment={}) as computer:
                computer.find(TextTarget("File"), by_name[f"mousepad_text_{theme}"].screenshot)
                page = by_name[f"mousepad_menu_{theme}"]
                _compare(row, page, computer, peer, threads=1, judged=number == 0)
    return row


def new_word(pages: list[Page], peer: Child, count: int) -> Row:
    """A text appears that has not been on the screen before, as when a value is typed: it is asked for."""
    row = Row(what="a text appeared since the last", peer="pytesseract, 1 thread")
    page = next(page for page in pages if page.path.stem == "chromium_form_light")
    for text in PLAIN[: 2 * count]:
        with Computer.open("memory", environment={}) as computer:
            computer.find(TextTarget("Customers"), _without(page, page.texts[text][0]))
            _compare(
                row, page._replace(texts={text: page.texts[text]}), computer, peer, threads=1, judged=True
            )
    return row


def _without(page: Page, box: Box) -> Screenshot:
    """The picture before a text appeared: its place has the colour of its corner."""
    left, top, width, height = box
    pixels = page.screenshot.frame.pixels.copy()
    pixels[top : top + height, left : left + width] = pixels[top, left]
    return page.screenshot.of(Frame(pixels=pixels, area=page.screenshot.frame.area))


def as_it_comes(pages: list[Page], peer: Child) -> Row:
    """With as many OpenMP threads as Tesseract likes, which is the default: few and small pictures, once."""
    row = Row(what=f"a new picture, {len(pages)} dialogs, once", peer="pytesseract, default")
    for page in pages:
        with Computer.open("memory", environment={}) as computer:
            try:
                _compare(row, page, computer, peer, threads=None, judged=True)
            except HungError:
                row.said = f"hung > {SLOW_SECONDS:g} s"
                break
    return row


def live(environment: Environment, peer: Child, count: int) -> Row:
    """The same question to the screen as it is, capture included: 1280x800 with a browser's page."""
    row = Row(what="display.find_text on a screen of 1280x800", peer="screenshot, pytesseract, 1 thread")
    page = _page(SCREENS / "chromium_form_light.png")
    text = PLAIN[0]
    (truth,) = page.texts[text]
    place = (440, 60)
    with window(environment) as target:
        target.ask("show", pictures=[(str(page.path), *place)])
        for _ in range(count):
            with Computer.open("x11", environment=environment) as computer:
                seconds, found = timed(partial(computer.display.find_text, text))
            row.ours.append(seconds)
            where = (truth[0] + place[0], truth[1] + place[1], truth[2], truth[3])
            hits = [cast("tuple[int, int]", hit["coordinates"]) for hit in found]
            row.ours_right.count(right=any(_in(where, x, y) for x, y in hits))
            answer = peer.ask("look_and_find", text=text)
            row.theirs.append(answer.seconds)
            row.theirs_right.count(right=any(_in(where, *_middle(box)) for box in answer.value))
    return row


def _compare(
    row: Row, page: Page, computer: Computer, peer: Child, *, threads: int | None, judged: bool
) -> None:
    def ours() -> list[list[Box]]:
        return [
            [
                (m.box.left, m.box.top, m.box.width, m.box.height)
                for m in computer.find(TextTarget(text), page.screenshot)
            ]
            for text in page.texts
        ]

    seconds, found = timed(ours)
    row.ours.append(seconds)
    within = SLOW_SECONDS if threads is None else 60.0
    answer = peer.ask("find", path=str(page.path), texts=list(page.texts), threads=threads, within=within)
    row.theirs.append(answer.seconds)
    if judged:
        _judge(row.ours_right, page, found)
        _judge(row.theirs_right, page, answer.value)


def _judge(tally: Tally, page: Page, found: list[list[Box]]) -> None:
    wrong = int(tally.note.removesuffix(" wrong") or 0)
    for (text, places), hits in zip(page.texts.items(), found, strict=True):
        # A longer text that holds this one is no wrong place for it.
        fitting = [
            box for other, boxes in page.texts.items() if text.casefold() in other.casefold() for box in boxes
        ]
        middles = [_middle(box) for box in hits]
        tally.count(right=any(_in(box, *middle) for box in places for middle in middles))
        wrong += sum(not any(_in(box, *middle) for box in fitting) for middle in middles)
    tally.note = f"{wrong} wrong"


def _page(path: Path) -> Page:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    assert picture is not None
    pixels = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), dtype=np.uint8)
    height, width = pixels.shape[:2]
    frame = Frame(pixels=pixels, area=Area(0, 0, width, height))
    texts: dict[str, list[Box]] = {}
    for text, left, top, across, down in json.loads(path.with_suffix(".json").read_text())["texts"]:
        texts.setdefault(text, []).append((left, top, across, down))
    return Page(path, Screenshot(frame=frame, size=Size(width, height)), texts)


def _middle(box: Box) -> tuple[int, int]:
    return box[0] + box[2] // 2, box[1] + box[3] // 2


def _in(box: Box, x: int, y: int) -> bool:
    left, top, width, height = box
    return left - NEAR <= x < left + width + NEAR and top - NEAR <= y < top + height + NEAR


if __name__ == "__main__":
    main()
