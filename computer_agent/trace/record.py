"""The records of a trace, and the line that each one is: format version 3 (README.md beside this file)."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NewType

from computer_agent.step import SafetyCheck, Usage
from computer_agent.trace.codec import Redact, decode_fields, encode_fields, unchanged
from computer_agent.trace.errors import TraceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.step import Ending, Spent
    from computer_agent.trace.variable import Variable
    from computer_api.actions import Action
    from computer_api.elements import ScreenElement
    from computer_api.geometry import Box, Size
    from computer_api.receipt import Receipt

VERSION = 3
FILE = "trace.jsonl"
IMAGES = "images"

Then = Literal["told to go on", "quiet", "stopped", "ended"]
"""Why the agent went on after the person had used the desktop; that they stopped it; that it had ended before."""

ImageName = NewType("ImageName", str)
"""The file name of an image below ``images/``: its SHA-256 in hexadecimal, and ``.png`` or ``.jpg``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The run begins. ``screen`` is the size in points of what is worked on; the two after it are names with versions.

    ``monitor`` is the number of the one monitor that was worked on, 0 being the primary; None for all. ``variables``
    are the names that stand for texts in it, once some were lifted (``variables.py``).
    """

    task: str
    model: str
    desktop: str
    screen: Size | None
    system: str
    program: str
    monitor: int | None = None
    variables: tuple[Variable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What a step began with: ``picture`` is the size shown, in pixels, ``area`` what it shows, in points.

    ``covered`` are the boxes (points) that the picture does not show; ``elements`` those that the model was shown.
    """

    step: int
    image: ImageName | None = None
    picture: Size | None = None
    area: Box | None = None
    unchanged_since: int | None = None
    notes: tuple[str, ...] = ()
    covered: tuple[Box, ...] = ()
    elements: tuple[ScreenElement, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What the model wants. ``answered`` marks the answer that ends the run: its text is the thought.

    ``checks`` are the provider's doubts, of which the person was asked; without an action after them they said no.
    """

    step: int
    thought: str
    actions: tuple[Action, ...] = ()
    usage: Usage = field(default_factory=Usage)
    answered: bool = False
    checks: tuple[SafetyCheck, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Intended:
    """An action is about to be performed. ``approval`` says in words who let it through.

    ``nested`` if code asked for it. ``redacted`` if a part of it is not as it was: it cannot be repeated. ``window`` is
    the title of the window with the keyboard and ``app`` its program, for keys that have no target.
    """

    id: int
    step: int
    action: Action
    approval: str
    nested: bool = False
    redacted: bool = False
    window: str = ""
    app: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resulted:
    """What became of the intent of that id. ``why`` is empty and ``receipt`` is there when it was done.

    ``images`` are the receipt's own, which are not inside it here.
    """

    id: int
    outcome: Literal["done", "refused", "error", "interrupted", "skipped"]
    why: str = ""
    receipt: Receipt | None = None
    before: ImageName | None = None
    after: ImageName | None = None
    images: tuple[ImageName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonUsed:
    """The person used the desktop themselves: how much of what, not what they typed.

    ``step`` is the one that was going on, or the next one between two. ``began`` and ``ended`` are seconds since 1970;
    ``notches`` are the wheel's, ``points`` the pointer's way.
    """

    step: int
    began: float
    ended: float
    keys: int
    buttons: int
    notches: int
    points: int
    then: Then


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run is over. ``spent`` is missing when the writer itself had to end it."""

    ending: Ending
    words: str
    spent: Spent | None = None


Record = Start | Observed | Decided | Intended | Resulted | PersonUsed | Ended

KINDS: Mapping[str, type[Record]] = {
    "start": Start,
    "observation": Observed,
    "decision": Decided,
    "intent": Intended,
    "result": Resulted,
    "person": PersonUsed,
    "end": Ended,
}
_KIND_OF = {cls: kind for kind, cls in KINDS.items()}
_CRC = b',"crc32":'
_NEWER = re.compile(rb'\{"version":([0-9]{1,9}),')


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the file: a record, its place from 0, and when it was written (seconds since 1970)."""

    sequence: int
    time: float
    record: Record


def to_line(entry: Entry, redact: Redact = unchanged) -> bytes:
    """The entry as one line of ASCII JSON with its newline; ``crc32`` comes last and covers all before it."""
    body = {
        "version": VERSION,
        "sequence": entry.sequence,
        "time": round(entry.time, 6),
        "kind": _KIND_OF[type(entry.record)],
        **encode_fields(entry.record, redact),
    }
    covered = json.dumps(body, separators=(",", ":"), allow_nan=False)[:-1].encode("ascii")
    return covered + _CRC + str(zlib.crc32(covered)).encode("ascii") + b"}\n"


def from_line(line: bytes) -> Entry:
    """The entry of a line. Raises ``TraceError``, which does not name the line: the reader does."""
    # First, because a newer format may do all the rest differently.
    if (found := _NEWER.match(line)) and int(found[1]) > VERSION:
        raise TraceError(
            f"it has format version {int(found[1])}, newer than the {VERSION} that this program reads; "
            "a newer version of the program can read it"
        )
    covered, _, end = line.rpartition(_CRC)
    if not re.fullmatch(rb"[0-9]{1,10}\}\n?", end):
        raise TraceError("it does not end with its crc32")
    if zlib.crc32(covered) != int(end.rstrip(b"}\n")):
        raise TraceError("its crc32 does not fit, it was changed or damaged")
    try:
        data = json.loads(covered + b"}")
    except ValueError as error:
        raise TraceError("it is not JSON") from error
    return _entry(data)


def _entry(data: dict[str, Any]) -> Entry:
    if data.pop("version", None) not in range(1, VERSION + 1):
        raise TraceError("it does not say its format version")
    kind, sequence, time = data.pop("kind", None), data.pop("sequence", None), data.pop("time", None)
    if kind not in KINDS:
        raise TraceError(f'there is no kind "{kind}"; the kinds are {", ".join(KINDS)}')
    if not isinstance(sequence, int) or not isinstance(time, int | float):
        raise TraceError("it has no sequence or no time")
    return Entry(sequence=sequence, time=time, record=decode_fields(KINDS[kind], data))
