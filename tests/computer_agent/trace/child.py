"""Programs that write a trace in a process of their own: ``child.py <what> <folder>``."""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from pathlib import Path

from computer_agent.step import Act, Done, Spent
from computer_agent.trace.errors import TraceFullError
from computer_agent.trace.record import FILE
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import PressKeys
from computer_api.receipt import Receipt

ACTION = PressKeys(keys=("ctrl", "s"))
PAGE = 4096
LONG = "thinking aloud " * 200


def say(words: object) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def write_step(writer: TraceWriter, number: int) -> None:
    writer.decision(number, Act(thought=f"{number} {LONG}", actions=(ACTION,)))
    intent = writer.intent(number, ACTION, approval="asked: yes")
    writer.result(intent, Done(action=ACTION, receipt=Receipt(effect="here")))
    say(number)


def opened(folder: Path) -> TraceWriter:
    writer = TraceWriter(folder, clock=lambda: 1.0)
    writer.start(task="save it", model="script", desktop="memory", screen=None)
    return writer


def for_ever(folder: Path) -> None:
    writer, number = opened(folder), 0
    while True:
        number += 1
        write_step(writer, number)


def until_full(writer: TraceWriter) -> None:
    for number in range(1, 10_000):
        try:
            write_step(writer, number)
        except TraceFullError as error:
            say(error)
            break
    try:
        writer.intent(number, ACTION, approval="asked: yes")
        say("wrote an intent on a full disk")
    except TraceFullError:
        say("still full")
    writer.end("failed", "the disk is full", Spent(steps=1, seconds=1.0, dollars=0.0, tokens=0))
    writer.close()


def limited(folder: Path, room: int) -> TraceWriter:
    """A writer whose files may grow by that many bytes from here on."""
    writer = opened(folder)
    size = (folder / FILE).stat().st_size + room
    sys.dont_write_bytecode = True  # it would be half of a module, for all others
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return writer


def to_the_last_page(folder: Path) -> TraceWriter:
    """A writer on a full disk whose file ends with a page, so that cutting a torn line off frees nothing."""
    writer = opened(folder)
    start = (folder / FILE).stat().st_size
    writer.decision(0, Act(thought="", actions=()))
    size = (folder / FILE).stat().st_size
    record = size - start
    writer.decision(0, Act(thought="x" * (-(size + record) % PAGE), actions=()))
    if (folder / FILE).stat().st_size % PAGE:
        raise SystemExit("the file does not end with a page")
    with (folder.parent / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(PAGE)):
            pass
    return writer


def big_picture(folder: Path) -> None:
    writer = limited(folder, 2000)
    try:
        writer.image(b"\x89PNG" + bytes(50_000))
    except TraceFullError as error:
        say(error)
    writer.close()


def main(what: str, folder: Path) -> None:
    match what:
        case "for-ever":
            for_ever(folder)
        case "until-full":
            until_full(opened(folder))
        case "little-room":
            until_full(limited(folder, 12_400))
        case "last-page":
            until_full(to_the_last_page(folder))
        case "no-room":
            until_full(limited(folder, 20))
        case "big-picture":
            big_picture(folder)


main(sys.argv[1], Path(sys.argv[2]))
