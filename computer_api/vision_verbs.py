"""Pictures: what can be read on one, and what the run's own model says of it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from computer_api.actions import AskModel
from computer_api.errors import ComputerError

if TYPE_CHECKING:
    from PIL.Image import Image

    from computer_api.computer import Computer

_USUAL = "Say what is on this picture, also what is written on it."
_LONG_EDGE = 1568  # pixels: what all current models take without shrinking it
_MOST_BYTES = 50_000_000
_WAYS = 'a picture as base_64="...", path="...", lmc={"type": "image", ...} or pil_image=...'


class VisionVerbs:
    """Pictures of any origin; without one it is the screen, with what is in password fields covered."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def load(self) -> bool:
        """Nothing has to be loaded: the reader is there, and what looks at pictures is the run's own model."""
        return True

    def ocr(
        self,
        base_64: str | None = None,
        path: str | None = None,
        lmc: Mapping[str, Any] | None = None,
        pil_image: Image | str | None = None,
    ) -> str:
        """The text on a picture, line by line. Raises ``ComputerError`` for what is no picture."""
        if (base_64, path, lmc, pil_image) == (None, None, None, None):
            return "\n".join(self._computer.text())
        import numpy as np

        from computer_vision.picture import from_image

        image = _image(base_64, path, lmc, pil_image).convert("RGB")
        lines = self._computer.reader.read(np.ascontiguousarray(from_image(image)))
        return "\n".join(" ".join(word.text for word in line.words) for line in lines)

    def query(
        self,
        query: str = _USUAL,
        base_64: str | None = None,
        path: str | None = None,
        lmc: Mapping[str, Any] | None = None,
        pil_image: Image | str | None = None,
    ) -> str:
        """What the model of this run answers about a picture; it costs as any other request does.

        Raises ``ComputerError`` for what is no picture, and where the run has no model that answers.
        """
        if (base_64, path, lmc, pil_image) == (None, None, None, None):
            image = self._computer.present().image()
        else:
            image = _image(base_64, path, lmc, pil_image)
        return ask_about(self._computer, str(query), image)


def ask_about(computer: Computer, words: str, image: Image) -> str:
    """What the model answers about a picture, which stands in a file while it is asked."""
    with TemporaryDirectory(prefix="oi-") as folder:
        file = Path(folder) / "asked.png"
        file.write_bytes(_png(image))
        return computer.perform(AskModel(text=words, pictures=(str(file),))).output


def sent(pictures: tuple[str, ...]) -> tuple[bytes, ...]:
    """The pictures of these files as they are sent to a model. Raises ``ComputerError``."""
    return tuple(_png(_of_file(path)) for path in pictures)


def picture_of(base_64: str) -> Image:
    """A picture that was given as base64. Raises ``ComputerError``."""
    return _opened(_decoded(base_64), "base_64")


def _png(image: Image) -> bytes:
    """The picture as PNG, in a size that models take."""
    fitted = image.convert("RGB")
    fitted.thumbnail((_LONG_EDGE, _LONG_EDGE))
    buffer = BytesIO()
    fitted.save(buffer, "PNG")
    return buffer.getvalue()


def _image(
    base_64: str | None, path: str | None, lmc: Mapping[str, Any] | None, pil_image: Image | str | None
) -> Image:
    """The one picture that was given."""
    given = [one for one in (base_64, path, lmc, pil_image) if one is not None]
    if len(given) != 1:
        raise ComputerError(f"vision takes {_WAYS}: one of them, not {len(given)}.")
    # By what they are: code passes what it likes.
    if isinstance(lmc, Mapping):
        return _of_message(lmc)
    if isinstance(path, str | Path):
        return _of_file(path)
    if isinstance(base_64, str):
        return _opened(_decoded(base_64), "base_64")
    if isinstance(pil_image, str):  # as it comes from a worker
        return _opened(_decoded(pil_image), "pil_image")
    if pil_image is None or not hasattr(pil_image, "convert"):
        raise ComputerError(f"vision takes {_WAYS}, not {given[0]!r}.")
    return pil_image


def _of_message(lmc: Mapping[str, Any]) -> Image:
    content, form = str(lmc.get("content", "")), str(lmc.get("format", "base64"))
    if lmc.get("type") != "image":
        raise ComputerError(f'vision takes a message of type "image", not "{lmc.get("type")}".')
    return _of_file(content) if form == "path" else _opened(_decoded(content), "lmc")


def _of_file(path: str) -> Image:
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ComputerError(f'"{path}" is too large for a picture.')
        return _opened(file.read_bytes(), path)
    except OSError as error:
        raise ComputerError(f'The picture "{path}" cannot be read: {error.strerror}.') from None


def _decoded(text: str) -> bytes:
    data = text.partition(",")[2] if text.startswith("data:") else text
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise ComputerError("What was given as base64 of a picture is none.") from None


def _opened(content: bytes, what: str) -> Image:
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(BytesIO(content))
        image.load()
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        raise ComputerError(f'"{what}" is no picture that can be read.') from None
    return image
