"""xterm: what is printed is known, and where it stands follows from the cells."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from screens.truth import Box, Label

assert sys.platform == "linux"

if TYPE_CHECKING:
    from collections.abc import Iterator

    from screens.stage import Stage

BORDER = 2
BITMAP = ("-fn", "6x13")


class Look(NamedTuple):
    """How the terminal looks: its font's options, ink and paper, columns and rows."""

    font: tuple[str, ...] = BITMAP
    ink: str = "black"
    paper: str = "white"
    columns: int = 90
    rows: int = 34


def terminal(stage: Stage, printed: str, look: Look, *, at: tuple[int, int] = (30, 40)) -> tuple[Label, ...]:
    """An xterm that has printed the text, which must fit in it: what can be read there."""
    lines = printed.strip("\n").split("\n")
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    assert len(plain) < look.rows, "more lines than the terminal has"
    assert max(map(len, plain)) <= look.columns, max(plain, key=len)
    told = stage.folder / f"printed-{at[0]}"
    told.write_text("\n".join(lines) + "\n")
    title = f"terminal {at[0]}"
    stage.desktop.launch(
        ["xterm", *look.font, "-fg", look.ink, "-bg", look.paper, "-b", str(BORDER), "+sb", "-T", title,
         "-geometry", f"{look.columns}x{look.rows}+{at[0]}+{at[1]}", "-xrm", "*cursorColor: grey",
         "-e", "sh", "-c", f"cat {shlex.quote(str(told))}; exec sleep 100000"],
    )  # fmt: skip
    area = stage.window(title).area
    stage.still()
    wide, extra = divmod(area.width - 2 * BORDER, look.columns)
    high, more = divmod(area.height - 2 * BORDER, look.rows)
    assert (extra, more) == (0, 0), f"the window is not as large as its cells: {area}"
    return tuple(
        Label(
            text=text,
            box=Box(
                area.left + BORDER + column * wide, area.top + BORDER + row * high, len(text) * wide, high
            ),
            kind="text",
        )
        for row, line in enumerate(plain)
        for column, text in phrases(line)
    )


def phrases(line: str) -> Iterator[tuple[int, str]]:
    """What someone would ask for on the line: its columns, and three words of what is long."""
    for match in re.finditer(r"\S+(?: \S+)*", line):
        start, text = match.span()[0], match[0]
        words = list(re.finditer(r"\S+", text))
        if len(text) > 36 and len(words) > 3:
            first = (len(text) * 7 + ord(text[1])) % (len(words) - 2)
            start, text = (
                start + words[first].start(),
                text[words[first].start() : words[first + 2].end()],
            )
        letters = sum(character.isalnum() for character in text)
        if letters > 1 and letters * 2 > len(text.replace(" ", "")):
            yield start, text
