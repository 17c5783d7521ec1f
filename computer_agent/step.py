"""The values that pass through the loop: observation, act, answer, step, and the events a view folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from computer_api.actions import Action
    from computer_api.receipt import Receipt
    from computer_api.screenshot import Screenshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An action that was performed, and what it changed."""

    action: Action
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDone:
    """An action that was not performed, or failed half-way; ``why`` is for the model and the person.

    ``kind`` tells a refusal from an error, and from an action that was skipped after either.
    """

    action: Action
    why: str
    kind: Literal["refused", "error", "skipped"]


Outcome = Done | NotDone


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the model decides on: the screen now, and what became of the actions of the step before.

    ``screenshot`` is ``None`` when the screen is as it was at step ``unchanged_since``, or when there
    is no desktop. ``notes`` are sentences of the harness itself: a repetition, a limit that comes near.
    """

    screenshot: Screenshot | None
    unchanged_since: int | None = None
    outcomes: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one decision cost. ``dollars`` is ``None`` when the model's price is not known."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    dollars: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """The model wants these actions, in this order. ``reply`` is the model's own message, for its dialect."""

    thought: str
    actions: tuple[Action, ...]
    usage: Usage = Usage()
    reply: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The model has finished. ``done`` is false when it gives up or cannot do the task."""

    text: str
    done: bool = True
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One turn of the loop: what was seen, what was decided, what became of it."""

    number: int
    seen: Observation
    act: Act
    outcomes: tuple[Outcome, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The run begins."""

    task: str
    model: str
    desktop: str
    trace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """A step begins with this observation."""

    number: int
    seen: Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """A piece of the model's text, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """An action is about to be performed; approval has let it through. ``nested`` if code asked for it."""

    action: Action
    nested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Printing:
    """A piece of a code step's output, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Performed:
    """An action has its outcome."""

    outcome: Outcome
    nested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """A step is over; what it and the run have cost so far."""

    step: Step
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the run has used so far; ``dollars`` is ``None`` when a price is not known."""

    steps: int
    seconds: float
    dollars: float | None
    tokens: int


Ending = Literal["done", "gave up", "limit", "stopped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over: how, in words, and what it used."""

    ending: Ending
    words: str
    spent: Spent


Event = Started | Looking | Thinking | Deciding | Printing | Performed | Stepped | Finished
