"""Put things on the clipboard, and see what is on it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError, NotFoundError, TimedOutError, UnsupportedError
from computer_api.geometry import Size
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PIL.Image import Image

    from computer_api.actions import ClipboardGet, ClipboardSet
    from computer_platform.desktop import Clipboard, Desktop

_LINES = frozenset({"address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer", "form",
                    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "ol", "p", "pre", "section",
                    "table", "tr", "ul"})  # fmt: skip
"""Elements that begin and end a line."""
_UNSEEN = frozenset({"head", "script", "style", "template", "title"})
_PNG_MODES = frozenset({"1", "L", "LA", "I", "P", "RGB", "RGBA", "I;16"})


def put(desktop: Desktop, action: ClipboardSet) -> Receipt:
    """Fill the clipboard; the receipt's ``value`` is the text that is on it then.

    A picture of any kind that Pillow reads is put there as PNG, HTML also as the plain text of it. Raises
    ``NotFoundError`` and ``UnsupportedError`` for a file that is no picture, and ``ComputerError`` when something
    else is on the clipboard right afterwards.
    """
    from computer_platform.desktop import Clip

    text = action.text or ("" if action.html is None else plain(action.html))
    png = None if action.image is None else _png_of(action.image)
    with _answering(desktop) as clipboard:
        clipboard.write(
            Clip(text=text if text or png is None else None, html=action.html, png=png), action.selection
        )
        if png is None:
            return Receipt(effect="unknown", value=clipboard.read(action.selection))
        if clipboard.contents(action.selection).png != png:
            raise ComputerError(
                "The picture was put on the clipboard, but something else is on it: another program copies, too. "
                "Do it again."
            )
    width, height = _opened(png, "The picture").size
    return Receipt(effect="unknown", output=f"A picture of {width}x{height} pixels is on the clipboard.")


def get(desktop: Desktop, action: ClipboardGet, shown: Callable[[Size], Size]) -> Receipt:
    """What is on the clipboard: ``output`` is its text or HTML, ``images`` its picture in the size that is ``shown``.

    Raises ``TimedOutError`` when the program that has it does not answer.
    """
    with _answering(desktop) as clipboard:
        if action.kind == "text":
            return Receipt(effect="unknown", output=clipboard.read(action.selection))
        clip = clipboard.contents(action.selection)
    if action.kind == "html":
        return Receipt(effect="unknown", output=clip.html or "")
    if clip.png is None:
        return Receipt(effect="unknown", output="There is no picture on the clipboard.")
    return Receipt(effect="unknown", images=(_fitted(clip.png, shown),))


def plain(html: str) -> str:
    """What one reads of the HTML, line by line."""
    reading = _Plain()
    reading.feed(html)
    reading.close()
    lines = [" ".join(line.split()) for line in "".join(reading.pieces).split("\n")]
    return "\n".join(line for line in lines if line)


class _Plain(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - its own signature
        self._unseen += tag in _UNSEEN
        self._end_line(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        self._end_line(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.pieces.append(data.replace("\n", " "))

    def _end_line(self, tag: str) -> None:
        if tag in _LINES:
            self.pieces.append("\n")
        elif tag in {"td", "th"}:
            self.pieces.append(" ")


@contextmanager
def _answering(desktop: Desktop) -> Iterator[Clipboard]:
    if desktop.clipboard is None:
        raise UnsupportedError(f"The {desktop.name} desktop has no clipboard.")
    try:
        yield desktop.clipboard
    except TimeoutError as silent:
        raise TimedOutError(str(silent)) from None


def _png_of(path: str) -> bytes:
    """The picture in that file, as PNG; one that is a PNG as it is."""
    try:
        data = Path(os.path.expanduser(path)).read_bytes()  # noqa: PTH111 - pathlib's raises for an unknown user
    except FileNotFoundError:
        raise NotFoundError(f'There is no file "{path}". Give the full path of a picture.') from None
    except (OSError, ValueError) as error:
        raise UnsupportedError(f'The file "{path}" cannot be read: {error}.') from None
    image = _opened(data, f'The file "{path}"')
    return data if image.format == "PNG" else _as_png(image)


def _fitted(png: bytes, shown: Callable[[Size], Size]) -> bytes:
    image = _opened(png, "What is on the clipboard as a picture")
    size = shown(Size(*image.size))
    if (size.width, size.height) == image.size:
        return png
    return _as_png(
        image.convert("RGBA" if image.has_transparency_data else "RGB").resize((size.width, size.height))
    )


def _opened(data: bytes, what: str) -> Image:
    from PIL import Image

    try:
        image = Image.open(BytesIO(data))
        image.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        raise UnsupportedError(
            f"{what} is no picture that can be read. PNG, JPEG, WebP, GIF and BMP can."
        ) from None
    return image


def _as_png(image: Image) -> bytes:
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(image)
    if upright.mode not in _PNG_MODES:
        upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    buffer = BytesIO()
    upright.save(buffer, "PNG")
    return buffer.getvalue()
