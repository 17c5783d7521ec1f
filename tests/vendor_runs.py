"""Runs with a vendor's own computer tool: a dialect over our own client, against the model server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from model_server import ModelServer, Scripted

from computer_agent.models.language_model import LanguageModel
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.wire import Asking
from computer_agent.step import Act, Answer, Done, NotDone, Observation, Step
from computer_api.actions import Zoom
from computer_api.geometry import Size
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from model_server import Request, Turn

    from computer_agent.models.dialect import Dialect
    from computer_agent.models.wires.wire import Wire
    from computer_agent.step import Outcome
    from computer_api.actions import Action

SMALL = Size(64, 40)
SIZES = tuple(
    Size(*pair)
    for pair in (
        *((1280, 800), (1024, 768), (1366, 768), (1920, 1080), (800, 600), (2560, 1440)),
        *((1080, 1920), (1001, 999), (320, 200), (3840, 1080), (1279, 719), (64, 40)),
    )
)
"""Twelve sizes of pictures."""


def screenshot(shade: int, size: Size = SMALL) -> Screenshot:
    """A screen of one colour."""
    pixels = np.full((size.height, size.width, 4), shade % 256, np.uint8)
    return Screenshot(frame=Frame(pixels=pixels, area=Area(0, 0, size.width, size.height)), size=size)


def seen(number: int, size: Size = SMALL) -> Observation:
    """Every fifth screen is as the one before, unless it is the first."""
    if number % 5 == 0:
        return Observation(screenshot=None, unchanged_since=number - 1)
    return Observation(screenshot=screenshot(number * 7, size))


def done(action: Action) -> Done:
    """Done, with a picture where it asks for one."""
    images = (_png(screenshot(3)),) if isinstance(action, Zoom) else ()
    return Done(action=action, receipt=Receipt(effect="here", images=images))


def all_done(actions: Sequence[Action]) -> tuple[Outcome, ...]:
    return tuple(done(action) for action in actions)


def fails_at(place: int) -> Callable[[Sequence[Action]], tuple[Outcome, ...]]:
    """The action at that place fails, and the rest is skipped, as the loop does it."""

    def outcomes(actions: Sequence[Action]) -> tuple[Outcome, ...]:
        before = [done(action) for action in actions[:place]]
        failed = [
            NotDone(action=action, why="it is not there", kind="error") for action in actions[place:][:1]
        ]
        why = "an action before it was not done"
        rest = [NotDone(action=action, why=why, kind="skipped") for action in actions[place + 1 :]]
        return (*before, *failed, *rest)

    return outcomes


@dataclass(slots=True)
class Run:
    """A run of a dialect whose replies are scripted."""

    dialect: Dialect
    wire: Wire
    base: str = "/v1"
    model: str = "scripted"
    stream: bool = True
    perform: Callable[[Sequence[Action]], tuple[Outcome, ...]] = all_done
    see: Callable[[int], Observation] = seen
    past: list[Step] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def play(self, *turns: Turn, chunk: int = 7) -> Act | Answer:
        """Let the model say all of these, do what it asks for, and return what it asked for last.

        Every request is held against the rules of the protocol.
        """
        decision: Act | Answer | None = None
        with ModelServer(Scripted(turns), chunk=chunk) as server:
            transport = Http(
                self.model,
                wire=self.wire,
                asking=Asking(model=self.model, stream=self.stream),
                api_base=server.address + self.base,
            )
            asked = LanguageModel(self.model, dialect=self.dialect, transport=transport, wait=lambda _: None)
            while server.brain.unread():
                number = len(self.past) + 1
                now = self.see(number)
                try:
                    decision = asked.decide("Save it", self.past, now, lambda _: None)
                finally:
                    assert server.complaints == []
                if isinstance(decision, Act):
                    self.past.append(_step(number, now, decision, self.perform(decision.actions)))
            server.assert_clean()
            self.requests += server.requests
        assert decision is not None
        return decision


def _step(number: int, now: Observation, act: Act, outcomes: tuple[Outcome, ...]) -> Step:
    return Step(number=number, seen=now, act=act, outcomes=outcomes, seconds=0.1)


def told_step(number: int, *actions: Action, thought: str = "I go on.") -> Step:
    """A step that another model or a person did."""
    act = Act(thought=thought, actions=actions)
    return _step(number, seen(number), act, all_done(actions))


def _png(picture: Screenshot) -> bytes:
    from computer_vision.picture import png

    return png(picture.picture())
