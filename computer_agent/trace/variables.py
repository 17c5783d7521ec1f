"""Parameters of a trace: a recorded text becomes ``{{name}}`` wherever it stands, and is filled in by a replay."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from computer_agent.trace.codec import decode, decode_fields, encode, encode_fields, unchanged
from computer_agent.trace.errors import TraceError
from computer_agent.trace.record import Intended, Start
from computer_agent.trace.rewriting import entries, rewritten
from computer_agent.trace.variable import Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from computer_agent.trace.codec import Json
    from computer_agent.trace.reader import Attempt, Trace
    from computer_agent.trace.record import Record
    from computer_api.actions import Action
    from computer_api.receipt import Receipt

__all__ = ["filled", "lift", "lifted", "told", "unfilled", "variable_names"]

_NAME = re.compile(r"[^\W\d]\w*")
_RESERVED = re.compile(r"secret\d+", re.IGNORECASE)  # under which a replay wants secret texts
_FREE = "\0"  # before a text that may be changed
_FIXED = frozenset({"keys", "language", "approval", "html"})  # fields whose words are no texts of the task


def lift(trace: Path, values: Mapping[str, str], out: Path, *, required: bool = False) -> dict[str, int]:
    """Write the trace to ``out`` with each value replaced by ``{{name}}``; gives how often each stood there.

    The value stays as the default of its name, unless it is ``required`` of every replay. Raises ``TraceError`` for a
    name or a value that will not do.
    """
    found = lifted([entry.record for entry in entries(trace)], values, required=required)
    records = iter(found)
    rewritten(trace, out, lambda entry: replace(entry, record=next(records)))
    return {name: _counted(found, "{{" + name + "}}") for name in values}


def lifted(records: Sequence[Record], values: Mapping[str, str], *, required: bool = False) -> list[Record]:
    """The records with the values replaced. Raises ``TraceError`` as ``lift`` does."""
    known = {each.name: each for record in records if isinstance(record, Start) for each in record.variables}
    for name, value in values.items():
        _check(name, value, known, records)
    marks = {value: "{{" + name + "}}" for name, value in values.items()}
    # The longest first: "Ada Lovelace" is one value where "Ada" is another.
    pattern = re.compile("|".join(_whole(value) for value in sorted(marks, key=len, reverse=True)))
    changed = [
        _record(record, lambda text: pattern.sub(lambda match: marks[match[0]], text)) for record in records
    ]
    new = tuple(Variable(name=name, default=None if required else value) for name, value in values.items())
    return [
        replace(record, variables=(*record.variables, *new)) if isinstance(record, Start) else record
        for record in changed
    ]


def filled(trace: Trace, values: Mapping[str, str]) -> Trace:
    """The trace with a text for each of its names: the given one, in any case of the name, else the recorded one.

    Raises ``TraceError`` that lists the names when one has neither.
    """
    variables = trace.header.variables
    if not variables:
        return trace
    texts = _given(variables, values)
    if missing := [each.name for each in variables if texts[each.mark] is None]:
        example = " ".join(f"--var {name}=TEXT" for name in missing)
        raise TraceError(f"The trace needs {_listed(variables)}. Give {example}.")
    pattern = re.compile("|".join(map(re.escape, texts)))

    def fill(text: str) -> str:
        return pattern.sub(lambda match: texts[match[0]] or "", text)

    steps = tuple(
        replace(step, attempts=tuple(_attempt(attempt, fill) for attempt in step.attempts))
        for step in trace.steps
    )
    header = replace(trace.header, task=fill(trace.header.task), variables=())
    return replace(trace, header=header, steps=steps)


def unfilled(trace: Trace, values: Mapping[str, str]) -> Callable[[str], str]:
    """What puts the names back into the texts of a replay with these values."""
    marks = {text: mark for mark, text in _given(trace.header.variables, values).items() if text}
    if not marks:
        return unchanged
    pattern = re.compile("|".join(_whole(text) for text in sorted(marks, key=len, reverse=True)))
    return lambda text: pattern.sub(lambda match: marks[match[0]], text)


def _given(variables: Sequence[Variable], values: Mapping[str, str]) -> dict[str, str | None]:
    """The text for the mark of each name: the given one, in any case of the name, else the recorded one."""
    given = {name.casefold(): value for name, value in values.items()}
    return {each.mark: given.get(each.name.casefold(), each.default) for each in variables}


def told(trace: Trace, values: Mapping[str, str]) -> Iterator[str]:
    """A sentence on the names that have their recorded text in a replay with these values."""
    given = {name.casefold() for name in values}
    recorded = [each for each in trace.header.variables if each.name.casefold() not in given]
    if recorded:
        texts = " and ".join(f'{each.name} is "{each.default}"' for each in recorded)
        yield f"As recorded, {texts}."


def variable_names(trace: Trace) -> frozenset[str]:
    """The names, case-folded: what a person gives for them is no secret."""
    return frozenset(each.name.casefold() for each in trace.header.variables)


def _check(name: str, value: str, known: Mapping[str, Variable], records: Sequence[Record]) -> None:
    if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        raise TraceError(
            f'"{name}" cannot be the name of a value: it takes letters, digits and _, as in customer=Ada; '
            "secret1, secret2, … are the secret texts already."
        )
    if name in known:
        default = known[name].default
        raise TraceError(f'"{name}" stands for "{default}" in this trace already; choose another name.')
    if not value.strip():
        raise TraceError(f"Say which recorded text {name} stands for, as in {name}=Ada.")
    if not (held := _acts_with(records, value)):
        raise TraceError(
            f'No recorded action types, checks or names "{value}", so nothing can be put in its place.'
        )
    if not re.search(_whole(value), "\n".join(held)):
        raise TraceError(f'"{value}" stands only inside of other words, such as "{_shown(held[0], value)}".')


def _acts_with(records: Sequence[Record], value: str) -> list[str]:
    """The texts of actions in which the value stands."""
    acts = (encode_fields(record.action, _marked) for record in records if isinstance(record, Intended))
    return [text for act in acts for text in _texts(act) if value in text]


def _marked(text: str) -> str:
    """A text that may be changed, told from the fixed words beside it."""
    return f"{_FREE}{text}"


def _texts(data: Json, name: str = "") -> Iterator[str]:
    """The texts that may be changed, of what was encoded with marks."""
    match data:
        case str() if data.startswith(_FREE) and name not in _FIXED:
            yield data.removeprefix(_FREE)
        case list():
            for item in data:
                yield from _texts(item, name)
        case dict():
            for key, item in data.items():
                yield from _texts(item, key)
        case _:
            pass


def _shown(text: str, value: str) -> str:
    """The word that the value is a part of."""
    match = re.search(rf"\S*{re.escape(value)}\S*", text)
    return text if match is None else match[0]


def _whole(value: str) -> str:
    """The value where it is no part of another word."""
    before = r"(?<![^\W_])" if value[0].isalnum() else ""
    after = r"(?![^\W_])" if value[-1].isalnum() else ""
    return f"{before}{re.escape(value)}{after}"


def _record(record: Record, change: Callable[[str], str]) -> Record:
    """The record with its texts changed, but no fixed words: names of keys, languages, who approved it."""
    if isinstance(record, Start):
        return replace(record, task=change(record.task))
    old, new = encode_fields(record), encode_fields(record, change)
    return decode_fields(type(record), {name: _kept(name, old[name], new[name]) for name in old})


def _kept(name: str, old: Json, new: Json) -> Json:
    """The new value, with the old one in the fields that hold no texts of the task."""
    if name in _FIXED:
        return old
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: _kept(key, old[key], new[key]) for key in old}
    if isinstance(old, list) and isinstance(new, list):
        return [_kept(name, one, other) for one, other in zip(old, new, strict=True)]
    return new


def _attempt(attempt: Attempt, fill: Callable[[str], str]) -> Attempt:
    action = cast("Action", decode(encode(attempt.action, fill)))
    receipt = None if attempt.receipt is None else cast("Receipt", decode(encode(attempt.receipt, fill)))
    return replace(attempt, action=action, receipt=receipt)


def _counted(records: Sequence[Record], mark: str) -> int:
    """How often the mark stands in the records."""
    return sum(text.count(mark) for record in records for text in _texts(encode_fields(record, _marked)))


def _listed(variables: Sequence[Variable]) -> str:
    return ", ".join(
        each.name if each.default is None else f'{each.name} (recorded: "{each.default}")'
        for each in variables
    )
