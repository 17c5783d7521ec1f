"""A trace as moving pictures: what was seen, where the pointer went, what was clicked, and a caption."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible_line
from computer_agent.models.steps.written import shown
from computer_agent.trace.errors import TraceError
from computer_api.actions import Click, Tick

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PIL import Image, ImageDraw, ImageFont

    from computer_agent.trace.reader import Attempt, Trace
    from computer_agent.trace.record import Observed

__all__ = ["as_gif", "write_mp4"]

MOST_BYTES = 5_000_000
_WIDTHS = (800, 640, 480, 320)  # the first at which the film is small enough
_COLORS = 64
_CAPTION = 44  # pixels below the picture
_LINE = 19
_SHORTEST, _LONGEST, _PER_LETTER = 1200, 4000, 45  # milliseconds of a caption
_GLIDE, _GLIDE_FRAMES = 60, 5  # milliseconds of a frame on the pointer's way, and how many
_LINES = 2  # of a caption


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """A picture with what is drawn on it; places are in parts of the picture, from 0 to 1."""

    picture: bytes
    caption: str
    milliseconds: int
    pointer: tuple[float, float] | None = None
    ring: bool = False
    failed: bool = False


def as_gif(trace: Trace, *, most: int = MOST_BYTES) -> bytes:
    """A GIF of at most that many bytes, if that can be had at a size that is readable.

    Raises ``TraceError`` for a trace without pictures.
    """
    frames = tuple(_frames(trace))
    if not frames:
        raise TraceError("The trace holds no picture: there is nothing to show.")
    made = b""
    for width in _WIDTHS:
        made = _gif(frames, width)
        if len(made) <= most:
            break
    return made


def write_mp4(trace: Trace, out: Path, *, path: str | None = None) -> None:
    """An MP4, which ``ffmpeg`` makes of the GIF; ``path`` is where programs are. Raises ``TraceError``."""
    program = shutil.which("ffmpeg", path=path)
    if program is None:
        raise TraceError("An MP4 is made by ffmpeg, which is not installed here; a GIF works without it.")
    even = "pad=ceil(iw/2)*2:ceil(ih/2)*2"
    command = [program, "-y", "-loglevel", "error", "-f", "gif", "-i", "-", "-vf", even]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(out)]
    done = subprocess.run(command, input=as_gif(trace), capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise TraceError(f"ffmpeg could not make the film: {said[-1] if said else 'it does not say why'}.")


def _frames(trace: Trace) -> Iterator[_Frame]:
    picture: bytes | None = None
    seen: Observed | None = None
    pointer: tuple[float, float] | None = None
    for step in trace.steps:
        if step.observation is not None and step.observation.image is not None:
            picture, seen = trace.image(step.observation.image), step.observation
        if picture is None or seen is None:
            continue
        for attempt in step.attempts:
            caption = _caption(step.number, attempt)
            place = _place(attempt, seen)
            if place is not None:
                yield from _glide(picture, caption, pointer, place)
                pointer = place
            yield _Frame(
                picture=picture,
                caption=caption,
                milliseconds=_reading_time(caption),
                pointer=pointer,
                ring=isinstance(attempt.action, Click | Tick) and attempt.outcome == "done",
                failed=attempt.outcome != "done",
            )
    if picture is not None:
        words = "It has no end." if trace.ending is None else f"{trace.ending.ending}: {trace.ending.words}"
        caption = visible_line(" ".join(words.split()))
        yield _Frame(picture=picture, caption=caption, milliseconds=_LONGEST, pointer=pointer)


def _glide(
    picture: bytes, caption: str, start: tuple[float, float] | None, end: tuple[float, float]
) -> Iterator[_Frame]:
    """The pointer's way, so that the eye follows."""
    if start is None or start == end:
        return
    for number in range(_GLIDE_FRAMES):
        part = number / _GLIDE_FRAMES
        between = (start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part)
        yield _Frame(picture=picture, caption=caption, milliseconds=_GLIDE, pointer=between)


def _place(attempt: Attempt, seen: Observed) -> tuple[float, float] | None:
    """Where the action was done last, as its receipt says."""
    area = seen.area
    if attempt.receipt is None or not attempt.receipt.matches or area is None:
        return None
    point = attempt.receipt.matches[-1].point
    return (point.x - area.left) / area.width, (point.y - area.top) / area.height


def _caption(step: int, attempt: Attempt) -> str:
    became = "" if attempt.outcome == "done" else f"   [{attempt.outcome}]"
    return f"{step}.  {visible_line(' '.join(shown(attempt.action).split()))}{became}"


def _reading_time(caption: str) -> int:
    return min(_LONGEST, max(_SHORTEST, len(caption) * _PER_LETTER))


def _gif(frames: tuple[_Frame, ...], width: int) -> bytes:
    from PIL import Image

    drawn = [_drawn(frame, width) for frame in frames]
    height = max(image.height for image in drawn)
    even = []
    for image in drawn:  # a window of another size is put on the same ground
        if image.height != height:
            ground = Image.new("RGB", (width, height), "black")
            ground.paste(image)
            image.close()
            even.append(ground)
        else:
            even.append(image)
    reduced = [
        image.quantize(_COLORS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE) for image in even
    ]
    file = BytesIO()
    reduced[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=reduced[1:],
        duration=[frame.milliseconds for frame in frames],
        loop=0,
        optimize=False,
    )
    return file.getvalue()


def _drawn(frame: _Frame, width: int) -> Image.Image:
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.open(BytesIO(frame.picture)).convert("RGB")
    scale = width / picture.width
    size = (width, max(1, round(picture.height * scale)))
    image = Image.new("RGB", (width, size[1] + _CAPTION), "#14171d")
    image.paste(picture.resize(size, Image.Resampling.LANCZOS))
    draw = ImageDraw.Draw(image)
    if frame.pointer is not None:
        _draw_pointer(draw, (frame.pointer[0] * size[0], frame.pointer[1] * size[1]), ring=frame.ring)
    font = ImageFont.load_default(15)
    color = "#ff8f80" if frame.failed else "#f2f4f8"
    for number, line in enumerate(_lines(frame.caption, font, width - 24)):
        draw.text((12, size[1] + 4 + number * _LINE), line, fill=color, font=font)
    return image


def _draw_pointer(draw: ImageDraw.ImageDraw, place: tuple[float, float], *, ring: bool) -> None:
    x, y = place
    if ring:
        for radius, color in ((16, "#ffffff"), (14, "#e5322d"), (13, "#e5322d")):
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=color, width=2)
    arrow = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))
    draw.polygon([(x + dx, y + dy) for dx, dy in arrow], fill="#000000", outline="#ffffff")


def _lines(text: str, font: ImageFont.ImageFont | ImageFont.FreeTypeFont, width: int) -> list[str]:
    """The caption on at most two lines of that many pixels."""
    lines: list[str] = []
    left = text
    while left and len(lines) < _LINES:
        fit = len(left)
        while fit > 1 and font.getlength(left[:fit]) > width:
            fit -= 1
        if fit < len(left) and " " in left[:fit]:
            fit = left[:fit].rindex(" ")
        lines.append(left[:fit])
        left = left[fit:].lstrip()
    if left and lines:
        lines[-1] = f"{lines[-1][:-1]}…"
    return lines
