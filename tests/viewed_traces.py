"""Traces to look at: written as runs write them, with drawn screens, all that a page must show, and hostile texts."""

from __future__ import annotations

import time
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

from computer_agent.step import Act, Answer, Done, NotDone, Observation, SafetyCheck, Spent, Usage
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import Click, Drag, OpenApp, PressKeys, RunCode, TypeText, Zoom
from computer_api.elements import ScreenElement, ScreenElements
from computer_api.geometry import Box, Pixel, Size
from computer_api.gestures import Doings
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_api.targets import Anchors, ElementTarget, Match, TextTarget
from computer_platform.desktop import Area, Frame
from computer_vision.picture import from_image

if TYPE_CHECKING:
    from pathlib import Path

    from computer_api.actions import Action

SCREEN = (1280, 800)
SHOWN = Size(640, 400)  # what the model was shown: half of it
BREAKING_OUT = (
    "</script><img src=x onerror=document.title='owned'>\"'`${1}\u2028\u2029<!--<script >\u202eevil"
)
SECRET = "correct horse battery"  # noqa: S105 - typed by the run, and nowhere to be read
STEPS = 9


class Clock:
    """A clock that goes on by itself, so that everything takes some time."""

    def __init__(self) -> None:
        self.now = 1_764_283_200.0

    def __call__(self) -> float:
        self.now += 0.25
        return self.now


def screen(*windows: tuple[str, tuple[int, int, int, int], str], note: str = "") -> Image.Image:
    """A desktop with windows: a title, a box and a text each."""
    image = Image.new("RGB", SCREEN, "#3b4a63")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, SCREEN[0], 26), fill="#20283a")
    draw.text((12, 7), f"Activities      {note}", fill="#dfe6f2")
    for title, (left, top, width, height), text in windows:
        draw.rectangle((left, top, left + width, top + height), fill="#fbfbfa", outline="#1c2230")
        draw.rectangle((left, top, left + width, top + 26), fill="#dcdcda")
        draw.text((left + 10, top + 7), title, fill="#222222")
        for line, words in enumerate(text.split("\n")):
            draw.text((left + 20, top + 46 + 26 * line), words, fill="#333333")
            if words.startswith(("Name", "City")):
                box = (left + 90, top + 40 + 26 * line, left + width - 30, top + 60 + 26 * line)
                draw.rectangle(box, outline="#8a8a88")
    return image


def png(image: Image.Image) -> bytes:
    into = BytesIO()
    image.save(into, "PNG", compress_level=1)
    return into.getvalue()


def seen(
    image: Image.Image, *, notes: tuple[str, ...] = (), elements: ScreenElements | None = None
) -> Observation:
    """What a step begins with; the model is shown half the size."""
    frame = Frame(pixels=from_image(image), area=Area(0, 0, *SCREEN))
    return Observation(screenshot=Screenshot(frame=frame, size=SHOWN), notes=notes, elements=elements)


FORM = ("Travel form", (300, 120, 520, 330), "Name\nCity\n\n[ Save ]    [ Cancel ]")
FILLED = ("Travel form", (300, 120, 520, 330), "Name    Ada Lovelace\nCity\n\n[ Save ]    [ Cancel ]")
DIALOG = ("Save changes?", (430, 240, 300, 130), "The file exists already.\n\n[ Replace ]   [ Cancel ]")
SAVE = Match(box=Box(318, 238, 60, 22), text="Save", score=0.97, source="text")
NAME = Match(box=Box(390, 160, 400, 20), text="Name", score=1.0, source="accessibility")
FIELD = ScreenElement(
    number=1,
    role="field",
    name="Name",
    value="",
    box=Box(390, 160, 400, 20),
    area=(195, 80, 200, 10),
    states=("focused",),
    source="accessibility",
    window="Travel form",
)
CLICK_PIXEL = Pixel(174, 125)
CODE = "import csv\nfor row in csv.reader(open('trips.csv')):\n    print(row)\n"


def everything(folder: Path) -> Path:
    """A run of nine steps with every kind of thing; its first failure is the refusal in step 4."""
    writer = TraceWriter(folder, clock=Clock())
    writer.start(
        task="Fill in the travel form from trips.csv\nand save it",
        model="anthropic/claude",
        desktop="private",
        screen=Size(*SCREEN),
    )
    _first_steps(writer)
    _failures(writer)
    _end(writer)
    writer.close()
    return folder


def _did(  # noqa: PLR0913 - a test's own words
    writer: TraceWriter,
    step: int,
    action: Action,
    receipt: Receipt,
    *,
    approval: str = "-y",
    nested: bool = False,
    before: bytes | None = None,
    after: bytes | None = None,
) -> None:
    intent = writer.intent(step, action, approval=approval, nested=nested)
    writer.result(intent, Done(action=action, receipt=receipt), before=before, after=after)


def _decided(
    writer: TraceWriter, step: int, thought: str, *actions: Action, checks: tuple[SafetyCheck, ...] = ()
) -> None:
    usage = Usage(tokens_in=1000 * step, tokens_out=100, tokens_cached=500, dollars=0.01)
    writer.decision(step, Act(thought=thought, actions=actions, usage=usage, checks=checks))


def _first_steps(writer: TraceWriter) -> None:
    start = OpenApp(program="travel-form")
    writer.observation(1, seen(screen()))
    _decided(writer, 1, "The desktop is empty. I open the form.", start)
    _did(
        writer,
        1,
        start,
        Receipt(effect="here", changed=(Box(300, 120, 520, 330),), opened=("Travel form",), seconds=0.4),
        approval="asked: yes",
    )
    listed = ScreenElements(items=(FIELD,), truncated=True)
    writer.observation(2, seen(screen(FORM), elements=listed, notes=("90 of 100 steps are left.",)))
    typed = TypeText(text="Ada Lovelace", into=ElementTarget("Name", role="field"))
    press = PressKeys(keys=("Tab",))
    _decided(writer, 2, "I fill in the name & go on to <City>.", typed, press)
    filled = Receipt(effect="here", changed=(Box(390, 160, 120, 20),), value="Ada Lovelace", matches=(NAME,))
    _did(writer, 2, typed, filled)
    _did(writer, 2, press, Receipt(effect="nothing"))
    writer.observation(3, seen(screen(FILLED)))
    code = RunCode(language="python", code=CODE)
    zoom = Zoom(left=150, top=60, right=400, bottom=140)
    _decided(writer, 3, "I read the file first.", code, zoom)
    intent = writer.intent(3, code, approval="asked: yes (sha256 12ab)")
    _did(writer, 3, Click(target=Pixel(200, 84)), Receipt(effect="here"), nested=True)
    output = (
        "\x1b[1;31mAda\x1b[0m, Paris\n"
        + "".join(f"row {number}: nothing\n" for number in range(60))
        + "needle\n"
    )
    writer.result(intent, Done(action=code, receipt=Receipt(effect="unknown", output=output, seconds=0.7)))
    cut = png(screen(FILLED).crop((300, 120, 800, 280)))
    _did(writer, 3, zoom, Receipt(effect="nothing", images=(cut,)))


def _failures(writer: TraceWriter) -> None:
    clicked = Click(target=CLICK_PIXEL)
    writer.observation(4, Observation(screenshot=None, unchanged_since=3))
    _decided(
        writer, 4, "I save.", clicked, checks=(SafetyCheck(message="This may send data", code="external"),)
    )
    intent = writer.intent(4, clicked, approval="asked: no")
    writer.result(intent, NotDone(action=clicked, why="The person refused it: not yet.", kind="refused"))
    now = time.monotonic()
    writer.person(5, Doings(began=now, ended=now + 2, keys=3, buttons=1, points=200), "told to go on")
    writer.observation(5, seen(screen(FILLED)))
    _decided(writer, 5, "I may save now.", clicked)
    anchored = Match(
        box=Box(349, 251, 1, 1),
        text="",
        score=1.0,
        source="pixel",
        anchors=Anchors(question=TextTarget("Save")),
    )
    receipt = Receipt(
        effect="here", changed=(Box(430, 240, 300, 130),), opened=("Save changes?",), matches=(anchored,)
    )
    _did(
        writer,
        5,
        clicked,
        receipt,
        before=png(screen(FILLED, note="right before")),
        after=png(screen(FILLED, DIALOG, note="right after")),
    )
    writer.observation(6, seen(screen(FILLED, DIALOG)))
    drag = Drag(start=Pixel(290, 127), end=Pixel(400, 180))
    missing = Click(target=TextTarget("Overwrite"))
    _decided(writer, 6, "I move the dialog and overwrite.", drag, missing, PressKeys(keys=("Return",)))
    _did(writer, 6, drag, Receipt(effect="here", changed=(Box(430, 240, 520, 240),)))
    intent = writer.intent(6, missing, approval="-y")
    writer.result(
        intent,
        NotDone(action=missing, why='There is no text "Overwrite"; the closest is "Replace".', kind="error"),
    )


def _end(writer: TraceWriter) -> None:
    writer.observation(7, seen(screen(FILLED, (BREAKING_OUT, (200, 300, 500, 200), BREAKING_OUT))))
    secret = TypeText(text=SECRET, secret=True)
    hostile = RunCode(language="shell", code=f"echo '{BREAKING_OUT}'")
    _decided(writer, 7, f"A window says {BREAKING_OUT} and {SECRET}", secret, hostile)
    _did(writer, 7, secret, Receipt(effect="here", value=SECRET))
    failed = Receipt(
        effect="unknown", output=f"{BREAKING_OUT}\nno such file", failed=True, opened=(BREAKING_OUT,)
    )
    _did(writer, 7, hostile, failed)
    writer.observation(8, seen(screen()))
    last = Click(target=TextTarget("Close"))
    _decided(writer, 8, "I close it.", last)
    writer.intent(8, last, approval="-y")
    writer.observation(9, seen(screen(note="the end")))
    writer.decision(
        9, Answer(text="The form is saved.", usage=Usage(tokens_in=9000, tokens_out=50, dollars=0.01))
    )
    writer.end("done", "The form is saved.", Spent(steps=9, seconds=30.0, dollars=0.09, tokens=45_000))


def long(folder: Path, steps: int, *, fresh: int = 1) -> Path:
    """A run of so many steps, every ``fresh``-th with a new screen; every fiftieth fails."""
    writer = TraceWriter(folder, clock=Clock())
    writer.start(task="Copy many rows", model="steps", desktop="memory", screen=Size(*SCREEN))
    for number in range(1, steps + 1):
        last = number - (number - 1) % fresh
        unchanged = Observation(screenshot=None, unchanged_since=last)
        writer.observation(number, _sheet(number) if number == last else unchanged)
        action = Click(target=Pixel(number % SHOWN.width, 200))
        _decided(
            writer,
            number,
            f"Row {number} comes next, so I click its cell and look whether it is chosen.",
            action,
        )
        box = Box(2 * (number % SHOWN.width), 390, 40, 20)
        match = Match(box=box, text=f"cell {number}", score=0.9, source="text")
        _did(
            writer,
            number,
            action,
            Receipt(effect="here", changed=(box,), matches=(match,), failed=not number % 50),
        )
    writer.end("done", "All rows are copied.", Spent(steps=steps, seconds=steps * 1.5, dollars=0.0, tokens=0))
    writer.close()
    return folder


ORIGIN = (1920, -200)  # of the second monitor


def on_the_second_monitor(folder: Path) -> Path:
    """One click at a pixel of a picture that shows a monitor to the right of the first, and what it changed."""
    writer = TraceWriter(folder, clock=Clock())
    writer.start(task="Save it", model="steps", desktop="x11", screen=Size(*SCREEN), monitor=1)
    frame = Frame(pixels=from_image(screen(FORM)), area=Area(*ORIGIN, *SCREEN))
    writer.observation(1, Observation(screenshot=Screenshot(frame=frame, size=SHOWN)))
    clicked = Click(target=CLICK_PIXEL)
    _decided(writer, 1, "I save.", clicked)
    changed = Box(ORIGIN[0] + 430, ORIGIN[1] + 240, 300, 130)
    there = Match(box=Box(ORIGIN[0] + 349, ORIGIN[1] + 251, 1, 1), text="", score=1.0, source="pixel")
    _did(
        writer,
        1,
        clicked,
        Receipt(effect="here", changed=(changed,), matches=(there,)),
        after=png(screen(FORM, DIALOG)),
    )
    writer.close()
    return folder


def _sheet(number: int) -> Observation:
    """A table of numbers, other ones in each step."""
    rows = "\n".join(f"row {number + line}: value {(number * 7919 + line * 31) % 1000}" for line in range(20))
    return seen(screen(("Sheet", (60, 60, 1100, 660), rows), note=f"step {number}"))
