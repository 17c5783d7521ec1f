"""What a browser brings back: pages, their links and fields, and files, each with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

FieldKind = Literal["text", "secret", "tick", "choice", "file", "button"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a page: the number that its text carries, what it says, and its absolute address.

    ``url`` is ``""`` for one that only a script of the page knows; it can be clicked all the same.
    """

    number: int
    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field or a button of a page: its number, its label, what it holds, and what a choice offers.

    ``value`` is ``"on"`` or ``"off"`` for a tick box, dots for a secret that is filled in, ``""`` for a button.
    """

    number: int
    label: str
    kind: FieldKind
    value: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A part of a page as clean text, with where and when it was read.

    ``url`` is the address it was read from, ``time`` the moment as ISO 8601 in UTC. ``text`` has headings with ``#``,
    lists with ``-``, tables as rows between ``|``; links and fields carry a number in brackets, which is the same in
    all parts. ``part`` counts from 1 to ``parts``. ``links`` and ``fields`` are those of this part. ``tab`` is the
    number of its tab. ``notes`` say what is missing, such as that the page was still loading.
    """

    url: str
    title: str
    time: str
    text: str
    links: tuple[Link, ...] = ()
    fields: tuple[Field, ...] = ()
    part: int = 1
    parts: int = 1
    tab: int = 1
    notes: tuple[str, ...] = ()

    @property
    def more(self) -> bool:
        """Whether there is another part after this one."""
        return self.part < self.parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """An open tab, by its number from 1."""

    number: int
    url: str
    title: str
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file that was saved: where it is, where it came from, its size in bytes, and when (ISO 8601, UTC)."""

    path: Path
    url: str
    title: str
    size: int
    time: str
