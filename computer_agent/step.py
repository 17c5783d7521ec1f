"""The values that pass through the loop: observation, act, answer, step, and the events a view folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from computer_api.actions import Action
    from computer_api.elements import ScreenElement, ScreenElements
    from computer_api.receipt import Receipt
    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An action that was performed, and what it changed."""

    action: Action
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDone:
    """An action that was not performed, or failed half-way; ``why`` is for the model and the person.

    ``kind`` tells a refusal from an error, from an action that the person's own work interrupted, and from one that
    was skipped after any of these. ``begun`` is false where nothing of an interrupted one had been sent.
    """

    action: Action
    why: str
    kind: Literal["refused", "error", "interrupted", "skipped"]
    begun: bool = True


Outcome = Done | NotDone


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the person says at the beginning of a turn of a conversation.

    ``pictures`` are PNG or JPEG files that they show. ``answered`` is how the turn before it ended, for the model.
    """

    words: str
    pictures: tuple[bytes, ...] = field(default=(), repr=False)
    answered: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the model decides on: the screen now, and what became of the actions of the step before.

    ``screenshot`` is ``None`` when the screen is as it was at step ``unchanged_since``, or when there
    is no desktop. ``notes`` are sentences of the harness itself: a repetition, a limit that comes near, windows
    that came and went; ``windows`` are those that there were then, from the bottom to the top. ``released`` are keys
    and buttons that were held down until a person used the desktop; a note says so, too. ``elements`` are listed
    where the model is shown them; on an unchanged screen they are those of that step, with the same numbers.
    ``said`` is what the person says before this step, in a conversation; the first words of one are its task.
    """

    screenshot: Screenshot | None
    unchanged_since: int | None = None
    outcomes: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    released: tuple[str, ...] = ()
    elements: ScreenElements | None = None
    said: Said | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one decision cost. ``dollars`` is ``None`` when the model's price is not known."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    dollars: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyCheck:
    """A provider's doubt about what its model wants to do; only the person may set it aside.

    ``id`` and ``code`` are the provider's own, ``message`` is for the person.
    """

    message: str
    id: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """The model wants these actions, in this order. ``reply`` is the model's own message, for its dialect.

    ``meant`` holds for each action the elements that it named by number, empty when none of them did; their places
    are in the action already. ``checks`` are asked about before any of them is done; a step whose act has some
    is one whose checks the person has set aside. ``then`` ends the run if all the actions, which only look whether
    something is so, find that it is: a claim that was checked.
    """

    thought: str
    actions: tuple[Action, ...]
    meant: tuple[tuple[ScreenElement, ...], ...] = ()
    checks: tuple[SafetyCheck, ...] = ()
    then: Answer | None = None
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

    @property
    def interrupted(self) -> bool:
        """Whether the person's own work ended one of its actions."""
        return any(
            isinstance(outcome, NotDone) and outcome.kind == "interrupted" for outcome in self.outcomes
        )

    @property
    def put_off(self) -> bool:
        """Whether the person's own work came before any of it was done, so that it can be done after all."""
        first = next(iter(self.outcomes), None)
        return isinstance(first, NotDone) and first.kind == "interrupted" and not first.begun


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
class Writing:
    """A piece of a block of code, as the model writes it; none come where its provider sends code whole."""

    language: str
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
class AtLine:
    """The statement that begins on this line of the code runs now; told where somebody wants to know."""

    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Performed:
    """An action has its outcome."""

    outcome: Outcome
    nested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The person uses the desktop, and has it until they are done; ``words`` say so to them."""

    words: str


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


Event = (
    Started
    | Looking
    | Thinking
    | Writing
    | Deciding
    | Printing
    | AtLine
    | Performed
    | Paused
    | Stepped
    | Finished
)
