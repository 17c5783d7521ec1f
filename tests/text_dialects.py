"""What the tests of dialects that are text have in common: screens of many sizes, replies, histories, streams."""

from __future__ import annotations

import contextlib
import time
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from computer_agent.models.dialect import Call, Reply
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.step import Act, Done, Observation, Step
from computer_api.geometry import Size
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame

if TYPE_CHECKING:
    from computer_agent.models.dialects.text_dialect import TextDialect
    from computer_agent.step import Answer
    from computer_api.actions import Action

SIZES = tuple(
    Size(*pair)
    for pair in (
        *((640, 480), (800, 600), (1024, 640), (1024, 768), (1280, 720), (1280, 800)),
        *((1366, 768), (1430, 804), (1568, 882), (1920, 1080), (768, 1024), (57, 31)),
    )
)
USUAL = Size(1280, 800)


@cache
def screen(size: Size = USUAL) -> Observation:
    """What is seen of a screen of that size."""
    frame = Frame(pixels=np.zeros((10, 10, 4), np.uint8), area=Area(0, 0, 10, 10))
    return Observation(screenshot=Screenshot(frame=frame, size=size))


def said(text: str, finish: str = "stop", calls: tuple[Call, ...] = ()) -> Reply:
    """A reply of that text."""
    return Reply(message={"role": "assistant", "content": text}, text=text, finish=finish, calls=calls)


def decided(dialect: TextDialect, text: str, size: Size = USUAL) -> Act | Answer:
    """What a reply of that text decides on a screen of that size."""
    return dialect.decision(said(text), screen(size))


def actions_of(dialect: TextDialect, text: str, size: Size = USUAL) -> tuple[Action, ...]:
    """The actions of a reply of that text."""
    act = decided(dialect, text, size)
    assert isinstance(act, Act), act
    return act.actions


def refused(dialect: TextDialect, text: str, size: Size = USUAL) -> str:
    """What the model is told of a reply of that text; ``""`` if it is none the worse."""
    try:
        decided(dialect, text, size)
    except BadCall as bad:
        return str(bad)
    return ""


def step(*actions: Action, size: Size = USUAL, thought: str = "", reply: object = None) -> Step:
    """A step in which these were done."""
    outcomes = tuple(Done(action=action, receipt=Receipt(effect="here")) for action in actions)
    act = Act(thought=thought, actions=actions, reply=reply)
    return Step(number=1, seen=screen(size), act=act, outcomes=outcomes, seconds=0.1)


def told(dialect: TextDialect, *actions: Action, size: Size = USUAL, thought: str = "") -> str:
    """How the dialect tells its model of actions of another model."""
    past = [step(*actions, size=size, thought=thought)]
    messages = dialect.prompt("Save it", past, Observation(screenshot=None, unchanged_since=1)).messages
    (own,) = [message["content"] for message in messages if message["role"] == "assistant"]
    return str(own)


def streamed(dialect: TextDialect, text: str, sizes: list[int]) -> str:
    """What a person sees of a reply that comes in pieces of these sizes."""
    shown: list[str] = []
    words = dialect.shown(shown.append)
    place = 0
    for size in [*sizes, len(text)]:
        words(text[place : place + size])
        place += size
    words.end(said(text))
    return "".join(shown)


def takes_time_in_proportion(dialect: TextDialect, piece: str, start: str = "") -> bool:
    """Whether eight times as many pieces take eight times as long, about."""
    short, long = (start + piece * (size // len(piece)) for size in (10_000, 80_000))
    return _seconds(dialect, long) < 30 * _seconds(dialect, short) + 0.3


def _seconds(dialect: TextDialect, text: str) -> float:
    """Of the processor, the better of two tries."""
    taken = []
    for _ in range(2):
        start = time.process_time()
        with contextlib.suppress(BadCall):
            decided(dialect, text)
        taken.append(time.process_time() - start)
    return min(taken)
