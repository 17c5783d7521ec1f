"""Pictures on the terminal: drawn by one that can, kept as a file and opened elsewhere."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

Protocol = Literal["kitty", "iterm2", "sixel"]
"""How a terminal is told to draw a picture."""

_CHUNK = 4096  # characters of a piece that kitty takes
_SIXEL_COLORS = 64
_WIDEST = 800  # pixels of what is drawn


def protocol_of(environment: Mapping[str, str]) -> Protocol | None:
    """What the terminal understands, as far as its own variables say; inside tmux or screen nothing does."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("TMUX") or environment.get("STY") or term.startswith(("tmux", "screen")):
        return None
    if "kitty" in term or "ghostty" in term or environment.get("KITTY_WINDOW_ID") or program == "ghostty":
        return "kitty"
    if program in ("iTerm.app", "WezTerm") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    if "sixel" in term or term.startswith(("foot", "mlterm")):
        return "sixel"
    return None


def drawn(picture: bytes, protocol: Protocol) -> str:
    """The codes that draw a PNG or JPEG file. Raises ``OSError`` for one that cannot be read."""
    if protocol == "iterm2":
        data = base64.b64encode(picture).decode()
        return f"\x1b]1337;File=inline=1;size={len(picture)};width=auto;preserveAspectRatio=1:{data}\a\n"
    if protocol == "kitty":
        return "".join(_kitty(_png(picture))) + "\n"
    return _sixel(picture) + "\n"


def _kitty(png: bytes) -> Iterator[str]:
    data = base64.b64encode(png).decode()
    pieces = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
    for place, piece in enumerate(pieces):
        control = "a=T,f=100,q=2," if place == 0 else ""
        yield f"\x1b_G{control}m={int(place < len(pieces) - 1)};{piece}\x1b\\"


def _png(picture: bytes) -> bytes:
    from PIL import Image

    if picture.startswith(b"\x89PNG"):
        return picture
    made = BytesIO()
    with Image.open(BytesIO(picture)) as image:
        image.save(made, "PNG")
    return made.getvalue()


def _sixel(picture: bytes) -> str:
    """Bands of six rows; in each, for each colour, which pixels have it."""
    from PIL import Image

    with Image.open(BytesIO(picture)) as opened:
        image = opened.convert("RGBA")
    image.thumbnail((_WIDEST, _WIDEST))
    flat = Image.new("RGB", image.size, "white")
    flat.paste(image, mask=image.getchannel("A"))
    few = flat.quantize(_SIXEL_COLORS)
    palette = few.getpalette() or []
    width, height = few.size
    pixels = few.tobytes()
    parts = [f'\x1bPq"1;1;{width};{height}']
    for color in range(len(palette) // 3):
        red, green, blue = (value * 100 // 255 for value in palette[3 * color : 3 * color + 3])
        parts.append(f"#{color};2;{red};{green};{blue}")
    for top in range(0, height, 6):
        rows = [pixels[(top + row) * width : (top + row + 1) * width] for row in range(min(6, height - top))]
        parts += [_band(rows, color) for color in sorted(set(b"".join(rows)))]
        parts.append("-")
    return "".join([*parts, "\x1b\\"])


def _band(rows: list[bytes], color: int) -> str:
    """One colour of six rows, repetitions counted."""
    columns = [
        sum(1 << row for row, value in enumerate(column) if value == color)
        for column in zip(*rows, strict=True)
    ]
    said, at = [f"#{color}"], 0
    while at < len(columns):
        end = at
        while end < len(columns) and columns[end] == columns[at]:
            end += 1
        character = chr(63 + columns[at])
        said.append(f"!{end - at}{character}" if end - at > 3 else character * (end - at))  # noqa: PLR2004 - shorter so
        at = end
    return "".join(said) + "$"


def opener(environment: Mapping[str, str]) -> Callable[[Path], bool] | None:
    """What opens a file in the person's program for it; ``None`` where they would not see it, as over ssh."""
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY") or environment.get("CI"):
        return None
    if sys.platform == "win32":
        return _started
    name = "open" if sys.platform == "darwin" else "xdg-open"
    seen = sys.platform == "darwin" or environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    program = shutil.which(name, path=environment.get("PATH"))
    if not seen or program is None:
        return None

    def open_file(file: Path) -> bool:
        try:
            opening = subprocess.Popen(
                [program, str(file)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=dict(environment),
            )
        except OSError:
            return False
        threading.Thread(
            target=opening.wait, name="oi-opening", daemon=True
        ).start()  # so that no zombie stays
        return True

    return open_file


def _started(file: Path) -> bool:
    if sys.platform != "win32":
        return False
    try:
        os.startfile(file)  # noqa: S606 - what the person's system opens pictures with
    except OSError:
        return False
    return True


@dataclass(slots=True, kw_only=True)
class PictureShow:
    """Shows pictures one after the other. ``folder`` gives where their files go, ``say`` says a line.

    ``draw`` writes codes to the terminal; without a ``protocol`` nothing is drawn, and ``open_file`` opens the file.
    """

    folder: Callable[[], Path]
    say: Callable[[str], None]
    draw: Callable[[str], None]
    protocol: Protocol | None = None
    open_file: Callable[[Path], bool] | None = None
    _count: int = field(default=0, init=False)

    def show(self, picture: bytes) -> Path | None:
        """Keep it as a file, draw or open it, and say where it is; gives the file."""
        file = self._kept(picture)
        if self.protocol is not None:
            with suppress(OSError, ValueError):
                self.draw(drawn(picture, self.protocol))
                self._say_where(file, "")
                return file
        opened = file is not None and self.open_file is not None and self.open_file(file)
        self._say_where(file, ", opened" if opened else "")
        return file

    def _say_where(self, file: Path | None, more: str) -> None:
        self.say("     A picture" if file is None else f"     A picture: {file}{more}")

    def _kept(self, picture: bytes) -> Path | None:
        from computer_agent.conversations.pictures import ending_of

        self._count += 1
        file = self.folder() / f"{self._count}.{ending_of(picture)}"
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.write_bytes(picture)
        except OSError:  # a full disk: it is said without a file
            return None
        return file
