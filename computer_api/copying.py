"""Put things on the clipboard, and see what is on it."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError, NotFoundError, TimedOutError, UnsupportedError
from computer_api.geometry import Size
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PIL.Image import Image

    from computer_api.actions import ClipboardGet, ClipboardSet, Selection
    from computer_api.receipt import Holder
    from computer_platform.desktop import Clipboard, Desktop

_LINES = frozenset({"address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer", "form",
                    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "ol", "p", "pre", "section",
                    "table", "tr", "ul"})  # fmt: skip
"""Elements that begin and end a line."""
_UNSEEN = frozenset({"script", "style", "template", "title"})  # not "head": its end may be left out
_KEPT = {ord(" "): "\0", ord("\t"): "\1", ord("\n"): "\2\n"}
"""Stands for the blanks and line ends that ``pre`` keeps, until all others have been taken out."""
_HOLDERS: dict[Selection, Holder] = {"clipboard": "clipboard", "primary": "selection"}
_PNG_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA", "I;16"})
_CLIPBOARD_FORMATS = (
    "PNG",
    "JPEG",
    "GIF",
    "BMP",
)  # what another program gives is not run through Ghostscript


def put(desktop: Desktop, action: ClipboardSet) -> Receipt:
    """Fill the clipboard; the receipt's ``value`` is the text that is on it then.

    A picture of any kind that Pillow reads is put there as PNG, HTML also as the plain text of it. Raises
    ``NotFoundError`` and ``UnsupportedError`` for a file that is no picture, and ``ComputerError`` when something
    else is on the clipboard right afterwards.
    """
    from computer_platform.desktop import Clip

    text = action.text or ("" if action.html is None else plain(action.html))
    _check(text)
    png = None if action.image is None else _png_of(action.image)
    with _answering(desktop) as clipboard:
        clipboard.write(
            Clip(text=text if text or png is None else None, html=action.html, png=png), action.selection
        )
        if png is None and clipboard.read(action.selection) == text:
            return Receipt(effect="unknown", value=text, holder=_HOLDERS[action.selection])
        if png is None or clipboard.contents(action.selection).png != png:
            raise ComputerError(
                f"The {'text' if png is None else 'picture'} was put on the {_HOLDERS[action.selection]}, but "
                "something else is on it: another program copies, too. Do it again."
            )
    width, height = _opened(png, "The picture").size
    where = _HOLDERS[action.selection]
    return Receipt(effect="unknown", output=f"A picture of {width}x{height} pixels is on the {where}.")


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
        return Receipt(effect="unknown", output=f"There is no picture on the {_HOLDERS[action.selection]}.")
    return Receipt(effect="unknown", images=(_fitted(clip.png, shown),))


def plain(html: str) -> str:
    """What one reads of the HTML, line by line."""
    reading = _Plain()
    reading.feed(html)
    reading.close()
    lines = [" ".join(line.split()) for line in "".join(reading.pieces).split("\n")]
    blanks = {ord("\0"): " ", ord("\1"): "\t", ord("\2"): ""}
    return "\n".join(line for line in lines if line).translate(blanks)


class _Plain(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - its own signature
        self._unseen += tag in _UNSEEN
        self._end_line(tag)
        self._pre += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        self._pre = max(0, self._pre - (tag == "pre"))
        self._end_line(tag)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if self._pre:
            begins = self.pieces[-1:] == ["\n"]  # where a line end is for the eyes of the author only
            data = (data.removeprefix("\n") if begins else data).translate(_KEPT)
        self.pieces.append(data if self._pre else data.replace("\n", " "))

    def _end_line(self, tag: str) -> None:
        if tag in _LINES:
            self.pieces.append("\n")
        elif tag in {"td", "th"}:
            self.pieces.append(" ")


def _check(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnsupportedError(
            f"The character {text[error.start]!r} is half of one, which no program can paste. Leave it out."
        ) from None


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
        file = Path(os.path.expanduser(path))  # noqa: PTH111 - pathlib's raises for an unknown user
        if not S_ISREG(file.stat().st_mode):  # a pipe or a device might give bytes for ever, or none
            raise UnsupportedError(f'"{path}" is no file. Give the full path of a picture.')
        data = file.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f'There is no file "{path}". Give the full path of a picture.') from None
    except (OSError, ValueError) as error:
        raise UnsupportedError(f'The file "{path}" cannot be read: {error}.') from None
    image = _opened(data, f'The file "{path}"')
    return data if image.format == "PNG" else as_png(image)


def _fitted(png: bytes, shown: Callable[[Size], Size]) -> bytes:
    image = _opened(png, "What is on the clipboard as a picture", _CLIPBOARD_FORMATS)
    size = shown(Size(*image.size))
    if (size.width, size.height) == image.size and image.format == "PNG":
        return png
    return as_png(
        image.convert("RGBA" if image.has_transparency_data else "RGB").resize((size.width, size.height))
    )


def _opened(data: bytes, what: str, formats: tuple[str, ...] | None = None) -> Image:
    from PIL import Image

    try:
        with warnings.catch_warnings(action="ignore"):  # of damage that Pillow can do without
            image = Image.open(BytesIO(data), formats=formats)
            image.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        raise UnsupportedError(
            f"{what} is no picture that can be read. PNG, JPEG, WebP, GIF and BMP can."
        ) from None
    return image


def as_png(image: Image) -> bytes:
    """The picture as PNG, upright. Raises ``UnsupportedError`` for colours of which PNG has none."""
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(image)
    try:
        if upright.mode == "I":
            upright = upright.convert("I;16")
        elif upright.mode not in _PNG_MODES:
            upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    except ValueError:
        raise UnsupportedError(
            f'A picture in the colours "{image.mode}" cannot be copied. Convert it to RGB before.'
        ) from None
    buffer = BytesIO()
    upright.save(buffer, "PNG")
    return buffer.getvalue()
