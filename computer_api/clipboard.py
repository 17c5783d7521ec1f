"""The clipboard, for people and for code steps."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, overload

from computer_api.actions import Click, ClipboardGet, ClipboardSet, PressKeys
from computer_api.arguments import as_text

if TYPE_CHECKING:
    from PIL.Image import Image

    from computer_api.actions import Selection
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt

_KINDS = ("text", "html", "image")


class ClipboardVerbs:
    """The clipboard's text, HTML or picture; with ``primary`` that of the selection, where the desktop has one."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    @overload
    def view(self, kind: Literal["text", "html"] = "text", *, primary: bool = False) -> str: ...
    @overload
    def view(self, kind: Literal["image"], *, primary: bool = False) -> Image | None: ...

    def view(
        self, kind: Literal["text", "html", "image"] = "text", *, primary: bool = False
    ) -> str | Image | None:
        """What is on the clipboard: a text, ``""`` for none, or with ``kind="image"`` a picture or ``None``."""
        if kind not in _KINDS:
            raise ValueError(f"The clipboard has no kind {kind!r}. Kinds are {', '.join(_KINDS)}.")
        receipt = self._computer.perform(ClipboardGet(kind=kind, selection=_selection(primary=primary)))
        if kind != "image":
            return receipt.output
        if not receipt.images:
            return None
        from PIL import Image

        image = Image.open(BytesIO(receipt.images[0]))
        image.load()
        return image

    def copy(self, text: str | None = None, *, primary: bool = False) -> Receipt:
        """Put text on the clipboard, or, without one, press Ctrl+C for what is selected."""
        if text is None:
            return self._computer.perform(PressKeys(keys=("Control_L", "c")))
        return self._computer.perform(
            ClipboardSet(text=as_text("clipboard.copy", text), selection=_selection(primary=primary))
        )

    def copy_html(self, html: str, text: str = "", *, primary: bool = False) -> Receipt:
        """Put HTML on the clipboard, and for programs that take none its text, which is told from it if not given."""
        action = ClipboardSet(
            html=as_text("clipboard.copy_html", html),
            text=as_text("clipboard.copy_html", text),
            selection=_selection(primary=primary),
        )
        return self._computer.perform(action)

    def copy_image(self, picture: str | Path | Image, *, primary: bool = False) -> Receipt:
        """Put a picture on the clipboard: a file of any kind that Pillow reads, or an image of Pillow."""
        selection = _selection(primary=primary)
        if isinstance(picture, str | Path):
            return self._computer.perform(ClipboardSet(image=str(picture), selection=selection))
        if not hasattr(picture, "save"):
            raise TypeError(
                f"clipboard.copy_image takes the path of a picture or an image of Pillow, not {picture!r}."
            )
        from computer_api.copying import as_png

        with TemporaryDirectory(prefix="oi-") as folder:
            file = Path(folder) / "copied.png"
            file.write_bytes(as_png(picture))
            return self._computer.perform(ClipboardSet(image=str(file), selection=selection))

    def paste(self, *, primary: bool = False) -> Receipt:
        """Press Ctrl+V; with ``primary`` click the middle button where the pointer is, which pastes the selection."""
        if primary:
            return self._computer.perform(Click(button="middle"))
        return self._computer.perform(PressKeys(keys=("Control_L", "v")))


def _selection(*, primary: bool) -> Selection:
    return "primary" if primary else "clipboard"
