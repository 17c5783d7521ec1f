"""A target that a replay does not find any more: a person or a model says which one it is now, in a file to review.

What they say is used in that replay alone. ``healed.json`` beside its trace holds the changes; ``accept`` writes a new
trace with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from computer_agent.approval.words_of_risk import risky_word
from computer_agent.models.grounding import Pointer
from computer_agent.models.model import ModelError
from computer_agent.step import Observation
from computer_agent.trace.archive import HEALED
from computer_agent.trace.codec import Redact, decode, encode, unchanged
from computer_agent.trace.errors import TraceError
from computer_agent.trace.plan import named
from computer_agent.trace.record import Intended, Resulted
from computer_agent.trace.rewriting import entries, rewritten
from computer_api.actions import Click, Drag, aimed_at, targets_of
from computer_api.errors import AmbiguousError, ComputerError, NotFoundError
from computer_api.geometry import Pixel
from computer_api.targets import AnchoredTarget, ElementTarget, TextTarget, described

if TYPE_CHECKING:
    from pathlib import Path

    from computer_agent.models.language_model import LanguageModel
    from computer_agent.trace.plan import Planned
    from computer_agent.trace.reader import Trace
    from computer_agent.trace.record import Entry
    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_api.geometry import Box
    from computer_api.receipt import Receipt
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match, Target

__all__ = [
    "AskingModel",
    "AskingPerson",
    "Found",
    "Healed",
    "Healer",
    "Lost",
    "accept",
    "lost_target",
    "write_healed",
]

_PLACE = re.compile(r"(\d{1,5})\s*,\s*(\d{1,5})")
_MOST_CHOICES = 9
_MARGIN_POINTS = 12
_LABELLED = ("field", "tick")  # kinds that have their words beside them


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A target that is not there, or more than once, before anything of its action was done.

    ``index`` says which target of the action it is; ``choices`` describe what is there instead. ``picture`` is the file
    of the ``screenshot`` that it was sought on last.
    """

    number: int
    planned: Planned
    index: int
    why: str
    choices: tuple[str, ...]
    screenshot: Screenshot
    picture: Path | None = None

    @property
    def target(self) -> Target:
        """As it was asked for."""
        return targets_of(self.planned.action)[self.index]

    @property
    def match(self) -> Match | None:
        """Where it was when it was recorded."""
        matches = self.planned.receipt.matches
        return matches[self.index] if self.index < len(matches) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What somebody says that it is now; a ``Pixel`` is one of the screenshot."""

    target: Target
    by: str

    def healed(self, lost: Lost, receipt: Receipt) -> Healed:
        """What to review, once its action was done."""
        match = receipt.matches[lost.index] if lost.index < len(receipt.matches) else None
        return Healed(
            number=lost.number,
            step=lost.planned.step,
            attempt=lost.planned.attempt.id,
            index=lost.index,
            by=self.by,
            why=lost.why,
            old=lost.target,
            new=self.target,
            match=match,
            picture="" if lost.picture is None else lost.picture.name,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Healed:
    """A change of one target: of which action of the replay, and of which step, attempt and target of the recording.

    ``match`` is where the ``new`` one was, with all that finds it again; ``picture`` the name of the picture that it
    was sought on.
    """

    number: int
    step: int
    attempt: int
    index: int
    by: str
    why: str
    old: Target
    new: Target
    match: Match | None
    picture: str = ""

    def sentence(self) -> str:
        """For the person, in a few words."""
        return f"{described(self.old)} is now {self._found()}, says {self.by}"

    def _found(self) -> str:
        text = "" if self.match is None else self.match.text
        return f'"{text}"' if text and isinstance(self.new, Pixel) else described(self.new)


Healer = Callable[["Computer", Lost], Found | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingPerson:
    """Asks a person, who answers with a number of the list, a text on the screen, or a place on the picture.

    ``ask`` gives None where nobody is there.
    """

    recorded: Trace
    ask: Callable[[str], str | None]
    say: Callable[[str], None]

    def __call__(self, computer: Computer, lost: Lost) -> Found | None:
        """What they say; None where they say nothing."""
        self.show(lost)
        choices = lost.choices[:_MOST_CHOICES]
        for number, choice in enumerate(choices, start=1):
            self.say(f"  {number}  {choice}")
        with computer.presence.asking():
            answer = (self.ask("Which one is it now? [number, text, x,y; Enter stops] ") or "").strip()
        target = _of_kind(lost, _meant(answer, choices))
        return None if target is None else Found(target=target, by="a person")

    def confirms(self, computer: Computer, lost: Lost, match: Match, by: str) -> bool:
        """Whether they agree to what somebody else found."""
        self.show(lost)
        with computer.presence.asking():
            where = f'"{match.text}" at {match.point.x},{match.point.y}'
            answer = self.ask(f"{by} says that it is {where} now. Use that? [y/N] ")
        return (answer or "").strip().casefold() in ("y", "yes")

    def show(self, lost: Lost) -> None:
        """What was recorded, and what there is now."""
        self.say(f"Step {lost.number}, {named(lost.planned.action)}: {lost.why}")
        if words := thought_of(self.recorded, lost.planned.step):
            self.say(f"  was meant: {words}")
        attempt = lost.planned.attempt
        step = next((one for one in self.recorded.steps if one.number == lost.planned.step), None)
        seen = None if step is None or step.observation is None else step.observation.image
        if image := attempt.before or seen:
            self.say(f"  recorded:  {self.recorded.folder / 'images' / image}")
        if lost.picture is not None:
            self.say(f"  now:       {lost.picture}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingModel:
    """Asks a model that points, once a target; ``person`` has to agree to what is not easily taken back."""

    model: LanguageModel
    recorded: Trace
    say: Callable[[str], None]
    person: AskingPerson | None = None

    def __call__(self, computer: Computer, lost: Lost) -> Found | None:
        """Where the model says that it is; None where it does not know, or nobody agrees."""
        pixel = self._pointed(lost)
        if pixel is None:
            return None
        try:
            match = computer.locate(pixel, seconds=0.0)
        except ComputerError as error:
            self.say(f"{self.model.name} pointed at {described(pixel)}: {error}")
            return None
        found = Found(target=pixel, by=self.model.name)
        word = _risk(lost, match)
        if word is None:
            return found
        if self.person is not None:
            return found if self.person.confirms(computer, lost, match, self.model.name) else None
        self.say(
            f'Step {lost.number} is not healed by a model alone, since "{word}" is not easily taken back.'
        )
        return None

    def _pointed(self, lost: Lost) -> Pixel | None:
        if isinstance(self.model.dialect, Pointer):
            self.model.dialect.example = look_of(lost, self.recorded)
        try:
            decision = self.model.decide(
                words_for(lost, self.recorded), (), Observation(screenshot=lost.screenshot), lambda _: None
            )
        except ModelError as error:
            self.say(f"{self.model.name} could not be asked about step {lost.number}: {error}")
            return None
        moves = getattr(decision, "actions", ())
        pixels = [target for move in moves for target in targets_of(move) if isinstance(target, Pixel)]
        if not pixels:
            self.say(f"{self.model.name} does not find the target of step {lost.number} on the screen.")
        return next(iter(pixels), None)


def words_for(lost: Lost, recorded: Trace) -> str:
    """The target described for a model: what it was, what stood in and near it, what it was meant for."""
    action, match = lost.planned.action, lost.match
    said = [
        f"The control for this: {named(action)}. It was {described(lost.target)} when this was done before;"
    ]
    said.append("it may be called or look otherwise now.")
    if match is not None and match.text:
        said.append(f'Its text was "{match.text}".')
    anchors = None if match is None else match.anchors
    if anchors is not None and anchors.row:
        said.append(f"In its row stood: {', '.join(anchors.row)}.")
    if anchors is not None and anchors.near:
        said.append(f"Near it stood: {', '.join(anchors.near)}.")
    if words := thought_of(recorded, lost.planned.step):
        said.append(f"It was used for this: {words}")
    return " ".join(said)


def look_of(lost: Lost, recorded: Trace) -> bytes:
    """How the target looked when it was recorded, with a margin, as a PNG; empty where no picture shows it."""
    match = lost.match
    if match is None:
        return b""
    if match.anchors is not None and match.anchors.look:
        return match.anchors.look
    seen = [
        step.observation
        for step in recorded.steps
        if step.number <= lost.planned.step and step.observation is not None and step.observation.image
    ]
    if not seen or seen[-1].area is None or seen[-1].image is None:
        return b""
    data = recorded.image(seen[-1].image)
    return b"" if data is None else _cut(data, match.box.grown(_MARGIN_POINTS), seen[-1].area)


def _cut(picture: bytes, box: Box, area: Box) -> bytes:
    """A part of a picture that shows the area; both in desktop points."""
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(picture)) as image:
        scale = image.width / area.width
        left, top = round((box.left - area.left) * scale), round((box.top - area.top) * scale)
        right, bottom = left + round(box.width * scale), top + round(box.height * scale)
        into = BytesIO()
        image.crop((max(0, left), max(0, top), min(image.width, right), min(image.height, bottom))).save(
            into, "PNG"
        )
    return into.getvalue()


def thought_of(recorded: Trace, number: int) -> str:
    """What the model said in that step, on one line."""
    step = next((one for one in recorded.steps if one.number == number), None)
    return "" if step is None or step.decision is None else " ".join(step.decision.thought.split())


def lost_target(computer: Computer, action: Action) -> int:
    """Which of the targets of an action is not there now; the first where all are."""
    targets = targets_of(action)
    for index, target in enumerate(targets[:-1] if len(targets) > 1 else ()):
        try:
            computer.locate(target, seconds=0.0)
        except (NotFoundError, AmbiguousError):
            return index
    return len(targets) - 1


def write_healed(
    healed: tuple[Healed, ...], recorded: Trace, folder: Path, change: Redact = unchanged
) -> Path:
    """Write the changes beside a trace, to be reviewed, all texts as ``change`` gives them. Raises ``OSError``."""
    file = folder / HEALED
    file.touch(mode=0o600)
    data = {"trace": recorded.folder.name, "changes": [_json(each, change) for each in healed]}
    file.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return file


def read_healed(file: Path) -> tuple[Healed, ...]:
    """The changes in a file. Raises ``TraceError`` where it holds none."""
    try:
        data = json.loads(file.read_bytes())
        return tuple(_healed(each) for each in data["changes"])
    except OSError as error:
        raise TraceError(f'The changes in "{file}" cannot be read: {error.strerror}.') from error
    except (ValueError, KeyError, TypeError) as error:
        raise TraceError(
            f'"{file}" holds no healed targets; a replay with --heal writes such a file.'
        ) from error


def accept(trace: Path, file: Path, out: Path) -> int:
    """Write the trace with the changes of the file to ``out``; gives how many there are. Raises ``TraceError``."""
    changes = read_healed(file)
    known = {entry.record.id for entry in entries(trace) if isinstance(entry.record, Intended)}
    if not {change.attempt for change in changes} <= known:
        raise TraceError(f'"{file}" is about another trace: "{trace}" has no action of that number.')

    def change(entry: Entry) -> Entry:
        for each in changes:
            entry = _accepted(entry, each)
        return entry

    rewritten(trace, out, change)
    return len(changes)


def _accepted(entry: Entry, change: Healed) -> Entry:
    """The entry with the new target, if it is about that one."""
    record = entry.record
    if isinstance(record, Intended) and record.id == change.attempt:
        targets = list(targets_of(record.action))
        if change.index >= len(targets):
            return entry
        targets[change.index] = change.new
        return replace(entry, record=replace(record, action=aimed_at(record.action, targets)))
    if isinstance(record, Resulted) and record.id == change.attempt and record.receipt and change.match:
        matches = list(record.receipt.matches)
        if change.index < len(matches):
            matches[change.index] = change.match
        elif change.index == 0:
            matches = [change.match]
        return replace(entry, record=replace(record, receipt=replace(record.receipt, matches=tuple(matches))))
    return entry


def _meant(answer: str, choices: tuple[str, ...]) -> Target | None:
    if not answer:
        return None
    if place := _PLACE.fullmatch(answer):
        return Pixel(int(place[1]), int(place[2]))
    if answer.isdigit() and 1 <= int(answer) <= len(choices):
        choice = choices[int(answer) - 1]
        places = _PLACE.findall(choice)
        return Pixel(*map(int, places[-1])) if places else TextTarget(choice)
    return TextTarget(answer)


def _of_kind(lost: Lost, target: Target | None) -> Target | None:
    """The words that somebody gives for a field or a tick box: its label, not a place to click."""
    old = lost.target.in_words if isinstance(lost.target, AnchoredTarget) else lost.target
    if isinstance(target, TextTarget) and isinstance(old, ElementTarget) and old.role in _LABELLED:
        return ElementTarget(target.text, role=old.role)
    return target


def _risk(lost: Lost, match: Match) -> str | None:
    """The word that announces what is not easily taken back; filling and ticking are, whatever their label says."""
    if not isinstance(lost.planned.action, Click | Drag):
        return None
    texts = (match.text, described(lost.target), "" if lost.match is None else lost.match.text)
    return next((word for text in texts if (word := risky_word(text)) is not None), None)


def _json(healed: Healed, change: Redact) -> dict[str, Any]:
    return {
        "number": healed.number,
        "step": healed.step,
        "attempt": healed.attempt,
        "index": healed.index,
        "by": healed.by,
        "why": change(healed.why),
        "old": encode(healed.old, change),
        "new": encode(healed.new, change),
        "match": encode(healed.match, change),
        "picture": healed.picture,
    }


def _healed(data: dict[str, Any]) -> Healed:
    return Healed(
        number=int(data["number"]),
        step=int(data["step"]),
        attempt=int(data["attempt"]),
        index=int(data["index"]),
        by=str(data["by"]),
        why=str(data["why"]),
        old=cast("Target", decode(data["old"])),
        new=cast("Target", decode(data["new"])),
        match=cast("Match | None", decode(data["match"])),
        picture=str(data["picture"]),
    )
