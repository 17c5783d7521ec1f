"""All fields of a receipt as names and texts."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from computer_agent.trace.view.texts import plain
from computer_api.geometry import Box
from computer_api.receipt import Receipt, Scrolled
from computer_api.targets import Match, described
from computer_api.terminal.sandbox.sandbox import Denial

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["receipt_fields"]


def receipt_fields(receipt: Receipt) -> list[list[str]]:
    """Name and text of every field, in their order; the text is empty where the field says nothing."""
    return [
        [field.name, _told(receipt, field.name)]
        for field in fields(Receipt)
        if field.name != "images"  # they are files of the trace
        and (field.name != "holder" or receipt.value is not None)
    ]


def _told(receipt: Receipt, name: str) -> str:
    value = getattr(receipt, name)
    if name in ("output", "html") and value:  # they have a place of their own
        return f"{len(''.join(value)):,} characters, under Output"
    return "\n".join(_lines(value))


def _lines(value: object) -> Iterator[str]:
    match value:
        case None | False | "":
            return
        case tuple():
            for item in value:
                yield from _lines(item)
        case True:
            yield "yes"
        case Box(left, top, width, height):
            yield f"{width}x{height} at {left},{top}"
        case Match():
            yield _match(value)
        case Scrolled():
            yield value.sentence()
        case Denial():
            yield f"{value.words} ({value.kind}: {value.what})"
        case _:
            yield plain(str(value))


def _match(match: Match) -> str:
    box = f"{match.box.width}x{match.box.height} at {match.box.left},{match.box.top}"
    words = f'"{match.text}" ' if match.text else ""
    question = None if match.anchors is None else match.anchors.question
    anchor = "" if question is None else f"; found again by {described(question)}"
    return f"{words}{box}, by {match.source}, score {match.score:.2f}{anchor}"
