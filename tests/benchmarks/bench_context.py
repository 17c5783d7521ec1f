"""What a run of 100 steps sends and costs, beside keeping everything and keeping the last three pictures.

A recorded session stands for the screens and each step clicks; our requests really go to a model server over a socket.
The ways of keeping the history are ours, all of it, and the newest three pictures with the window moving each step.
Bytes are those of the bodies; tokens are by the provider's formula; a provider
with a cache charges a tenth for the longest beginning that equals the request before.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from bed import ROOT  # noqa: F401 - it finds the tests' own modules
from model_server import Call, ModelServer, Reply, Scripted
from screens.session import frames
from timing import table

from computer_agent.context.history import History
from computer_agent.context.provider import provider_of
from computer_agent.context.tokens import tokens_of
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.prices import row
from computer_agent.models.transports.http import Http
from computer_agent.models.usage import dollars_of
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.step import Act, Done, Observation, Step
from computer_api.actions import Click
from computer_api.geometry import Pixel, Size
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.models.dialect import Prompt

STEPS, MARKS = 100, (15, 50, 100)
MODELS = ("anthropic/claude-sonnet-4-5", "openai/gpt-5", "gemini/gemini-2.5-flash")
OUT = 150  # tokens of a reply
EVERYTHING = 10**6
CALL = {"action": "click", "x": 640, "y": 412}
REPLY = Reply(text="I click the button below the form.", calls=(Call("computer", CALL),))


@dataclass(frozen=True)
class Way:
    """A way of keeping the history."""

    name: str
    history: History
    cached: bool


@dataclass
class Bill:
    """What was sent so far."""

    peak: int = 0
    bytes: int = 0
    tokens: int = 0
    dollars: float = 0.0
    at: dict[int, tuple[int, int, int, float]] = field(default_factory=dict)


def ways(model: str) -> list[Way]:
    """Ours first; what changed alone is a setting."""
    provider = provider_of(model)
    return [
        Way("ours", History(provider=provider), cached=True),
        Way("ours, --pictures changed", History(provider=provider, pictures="changed"), cached=True),
        Way("everything, no cache", History(provider=provider, kept=EVERYTHING), cached=False),
        Way("everything, cached", History(provider=provider, kept=EVERYTHING), cached=True),
        Way("last 3, no cache", History(provider=provider, chunk=1), cached=False),
        Way("last 3, cached", History(provider=provider, chunk=1), cached=True),
    ]


def steps() -> list[Step]:
    """A hundred steps over the recorded session; each has a picture, as the worst case is."""
    pictures = [frame.pixels for frame in islice(frames(), 0, 3 * STEPS, 3)]
    action = Click(target=Pixel(640, 412))
    outcome = Done(action=action, receipt=Receipt(effect="here"))
    recorded = []
    for number in range(1, STEPS + 2):
        pixels = pictures[number % len(pictures)]
        height, width = pixels.shape[:2]
        shown = Screenshot(
            frame=Frame(pixels=pixels, area=Area(0, 0, width, height)), size=Size(width, height)
        )
        act = Act(thought=REPLY.text, actions=(action,))
        seen = Observation(screenshot=shown)
        recorded.append(Step(number=number, seen=seen, act=act, outcomes=(outcome,), seconds=1.0))
    return recorded


def bill(way: Way, model: str, recorded: list[Step], server: ModelServer | None) -> Bill:
    """Make every request of the run, and send it where there is a server."""
    prices = row(model)
    assert prices is not None
    dialect, counted = FunctionCalling(history=way.history), Bill()
    wire, asking = ChatWire(), Asking(model="scripted", stream=False)
    before: Prompt | None = None
    for number in range(STEPS):
        prompt = dialect.prompt("Fill in the form and save it.", recorded[:number], recorded[number].seen)
        if server is None:
            counted.bytes += _size(wire.body(prompt, asking))
        else:
            Http(model, wire=wire, asking=asking, api_base=server.api_base).ask(prompt, lambda _: None)
            counted.bytes += len(server.requests.pop().raw)
        _count(counted, prompt, before if way.cached else None, model, prices)
        before = prompt
        if number + 1 in MARKS:
            counted.at[number + 1] = (counted.peak, counted.bytes, counted.tokens, counted.dollars)
    return counted


def _count(
    counted: Bill, prompt: Prompt, before: Prompt | None, model: str, prices: Mapping[str, Any]
) -> None:
    provider = provider_of(model)
    into = tokens_of(prompt, provider)
    known = 0
    if before is not None:
        pairs = zip(prompt.messages, before.messages, strict=False)
        kept = tuple(message for message, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        known = tokens_of(replace(prompt, messages=kept), provider)
    written = into - known if "cache_creation_input_token_cost" in prices and before is not None else 0
    counted.peak = max(counted.peak, into)
    counted.tokens += into
    counted.dollars += dollars_of(prices, (into, known, written, OUT))


def _size(value: object) -> int:
    """About as many bytes as it has as JSON; to write a hundred pictures a hundred times takes minutes."""
    match value:
        case str():
            return len(value) + 3
        case dict():
            return 2 + sum(_size(name) + _size(item) for name, item in value.items())
        case list() | tuple():
            return 2 + sum(map(_size, value))
        case _:
            return 5


def sent(way: Way, model: str, recorded: list[Step]) -> Bill:
    """Our requests to the first model go over a socket; what the others would send is counted."""
    if model != MODELS[0] or way.name != "ours":
        return bill(way, model, recorded, None)
    with ModelServer(Scripted([REPLY] * STEPS), chunk=1000) as server:
        counted = bill(way, model, recorded, server)
        server.assert_clean()
    return counted


def main() -> None:
    recorded = steps()
    for model in MODELS:
        bills = {way.name: sent(way, model, recorded) for way in ways(model)}
        rows: list[tuple[str, ...]] = [
            ("", *(f"{what} {mark}" for mark in MARKS for what in ("peak tokens", "MB", "tokens", "$"))),
        ]
        for name, counted in bills.items():
            cells = [cell for mark in MARKS for cell in _cells(counted.at[mark])]
            rows.append((name, *cells))
        ours = bills["ours"].at[50][3]
        everything, last = bills["everything, no cache"].at[50][3], bills["last 3, cached"].at[50][3]
        table(
            f"{model}: a run after 15, 50 and 100 steps, summed over its requests",
            rows,
            f"At 50 steps ours costs {ours / everything:.1%} of everything without a cache (bar 12 %) and "
            f"{ours / last:.1%} of the last three with one (bar 70 %).",
        )


def _cells(at: tuple[int, int, int, float]) -> tuple[str, ...]:
    peak, sent, tokens, dollars = at
    return f"{peak:,}", f"{sent / 1e6:.1f}", f"{tokens:,}", f"{dollars:.3f}"


if __name__ == "__main__":
    main()
