"""The clipboard's text, HTML and pictures, through the verbs and as actions."""

from __future__ import annotations

import os
import threading
from io import BytesIO
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from computer_api.actions import Action, Click, ClipboardGet, ClipboardSet
from computer_api.bridge import answering
from computer_api.computer import Computer, PictureLimit
from computer_api.copying import plain
from computer_api.errors import ComputerError, NotFoundError, TimedOutError, UnsupportedError
from computer_api.receipt import Receipt
from computer_api.terminal import Call
from computer_platform.desktop import Clip
from computer_platform.memory import MemoryClipboard, MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_platform.desktop import Selection
    from computer_vision.tesseract import TesseractReader


@pytest.fixture
def computer(reader: TesseractReader) -> Computer:
    return Computer(MemoryDesktop(), reader=reader, receipts=False)


def gradient(width: int = 64, height: int = 48) -> Image.Image:
    return Image.radial_gradient("L").resize((width, height)).convert("RGB")


def held(computer: Computer, selection: Selection = "clipboard") -> Clip:
    assert computer.desktop.clipboard is not None
    return computer.desktop.clipboard.contents(selection)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "WEBP", "GIF", "JPEG"])
def test_a_picture_file_of_any_kind_is_copied_and_seen_again(
    computer: Computer, tmp_path: Path, kind: str
) -> None:
    file = tmp_path / f"picture.{kind.lower()}"
    gradient().save(file, kind)
    receipt = computer.clipboard.copy_image(file)
    assert receipt.output == "A picture of 64x48 pixels is on the clipboard."
    seen = computer.clipboard.view("image")
    assert seen is not None
    assert seen.format == "PNG"
    with Image.open(file) as picture:
        assert seen.convert("RGB").tobytes() == picture.convert("RGB").tobytes()


def test_a_png_is_copied_byte_for_byte(computer: Computer, tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    gradient().save(file, pnginfo=None, compress_level=0)
    computer.perform(ClipboardSet(image=str(file)))
    assert held(computer) == Clip(png=file.read_bytes())


def test_a_photograph_that_was_taken_sideways_is_copied_upright(computer: Computer, tmp_path: Path) -> None:
    sideways = Image.Exif()
    sideways[0x0112] = 6
    gradient().save(tmp_path / "photo.jpg", exif=sideways)
    computer.clipboard.copy_image(str(tmp_path / "photo.jpg"))
    seen = computer.clipboard.view("image")
    assert seen is not None
    assert seen.size == (48, 64)


def test_colours_for_print_become_colours_of_a_screen(computer: Computer, tmp_path: Path) -> None:
    Image.new("CMYK", (4, 4), (0, 255, 255, 0)).save(tmp_path / "print.tif")
    computer.clipboard.copy_image(str(tmp_path / "print.tif"))
    seen = computer.clipboard.view("image")
    assert seen is not None
    assert seen.convert("RGB").getpixel((0, 0)) == (255, 0, 0)


def test_an_image_of_pillow_is_copied_and_no_file_of_it_is_left(computer: Computer) -> None:
    copied: list[Action] = []

    def gate(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        copied.append(action)
        return perform(action)

    computer.gate = gate
    transparent = Image.new("RGBA", (5, 6), (1, 2, 3, 4))
    computer.clipboard.copy_image(transparent)
    seen = computer.clipboard.view("image")
    assert seen is not None
    assert seen.tobytes() == transparent.tobytes()
    (setting, _) = copied
    assert isinstance(setting, ClipboardSet)
    with pytest.raises(NotFoundError):
        computer.perform(setting)


def test_a_large_picture_is_shown_as_small_as_any_other(reader: TesseractReader) -> None:
    computer = Computer(
        MemoryDesktop(), reader=reader, receipts=False, picture=PictureLimit(long_edge=100, area=10_000)
    )
    computer.clipboard.copy_image(gradient(400, 300))
    (shown,) = computer.perform(ClipboardGet(kind="image")).images
    assert max(Image.open(BytesIO(shown)).size) <= 100
    whole = Image.open(BytesIO(held(computer).png or b""))
    assert whole.size == (400, 300)


def test_html_is_copied_with_the_text_of_it(computer: Computer) -> None:
    computer.clipboard.copy_html("<p>Größe&nbsp;<b>12&lt;13</b></p>")
    assert held(computer) == Clip(text="Größe 12<13", html="<p>Größe&nbsp;<b>12&lt;13</b></p>")
    assert computer.clipboard.view("html") == "<p>Größe&nbsp;<b>12&lt;13</b></p>"
    assert computer.clipboard.view() == "Größe 12<13"
    computer.clipboard.copy_html("<b>x</b>", "another text")
    assert held(computer) == Clip(text="another text", html="<b>x</b>")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("just text", "just text"),
        ("<h1>Title</h1><p>one\n two</p>three<br>four", "Title\none two\nthree\nfour"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1 2\n3"),
        ("<head><title>no</title><style>p{}</style></head><script>no()</script>yes", "yes"),
        ("<html><head><title>no</title><body>the head has no end", "the head has no end"),
        ("<p>a\n b</p><pre>\ndef f():\n\n\treturn  1\n</pre>c  d", "a b\ndef f():\n\n\treturn  1\nc d"),
        ("<p>never <b>closed &amp; so on", "never closed & so on"),
    ],
)
def test_the_text_of_html_is_what_one_reads(html: str, text: str) -> None:
    assert plain(html) == text


@given(st.text())
def test_any_text_is_html_enough(html: str) -> None:
    assert isinstance(plain(html), str)


def test_the_primary_selection_has_its_own_content(computer: Computer) -> None:
    computer.clipboard.copy("copied")
    computer.clipboard.copy("selected", primary=True)
    assert computer.clipboard.view() == "copied"
    assert computer.clipboard.view(primary=True) == "selected"
    computer.clipboard.copy_html("<b>bold</b>", primary=True)
    computer.clipboard.copy_image(gradient(3, 3))
    assert held(computer, "primary") == Clip(text="bold", html="<b>bold</b>")
    assert computer.clipboard.view("image", primary=True) is None
    assert computer.clipboard.view("image") is not None


def test_the_primary_selection_is_pasted_with_the_middle_button(computer: Computer) -> None:
    asked: list[Action] = []
    computer.gate = lambda action, _: asked.append(action) or Receipt(effect="unknown")
    computer.clipboard.paste(primary=True)
    assert asked == [Click(button="middle")]


def test_an_empty_clipboard_has_nothing_of_any_kind(computer: Computer) -> None:
    assert computer.clipboard.view() == ""
    assert computer.clipboard.view("html") == ""
    assert computer.clipboard.view("image") is None
    assert computer.perform(ClipboardGet(kind="image")).output == "There is no picture on the clipboard."


def test_what_is_no_picture_file_is_an_error_that_says_so(computer: Computer, tmp_path: Path) -> None:
    computer.clipboard.copy("before")
    broken = tmp_path / "broken.png"
    gradient().save(broken)
    broken.write_bytes(broken.read_bytes()[:60])
    with pytest.raises(NotFoundError, match=r'no file "/no/such\.png"'):
        computer.clipboard.copy_image("/no/such.png")
    for path in (broken, tmp_path, "with\0nul"):
        with pytest.raises(UnsupportedError) as refused:
            computer.clipboard.copy_image(path)
        assert str(path) in str(refused.value)
    with pytest.raises(TypeError, match="takes the path of a picture or an image of Pillow, not 5"):
        computer.clipboard.copy_image(cast("str", 5))
    with pytest.raises(ValueError, match=r"no kind 'sound'\. Kinds are text, html, image"):
        computer.clipboard.view(cast("str", "sound"))  # type: ignore[call-overload]  # a person may write anything
    assert computer.clipboard.view() == "before"


@pytest.mark.parametrize("mode", ["CMYK", "F", "I", "I;16", "HSV", "YCbCr", "P", "1"])
def test_an_image_of_pillow_is_copied_whatever_its_colours(computer: Computer, mode: str) -> None:
    computer.clipboard.copy_image(Image.new(mode, (30, 20)))
    seen = computer.clipboard.view("image")
    assert seen is not None
    assert seen.size == (30, 20)


def test_colours_that_have_no_like_are_an_error_that_names_them(computer: Computer) -> None:
    with pytest.raises(UnsupportedError, match='colours "La" cannot be copied'):
        computer.clipboard.copy_image(Image.new("La", (30, 20)))


def test_a_pipe_is_no_picture_and_is_not_waited_for(computer: Computer, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    said: list[str] = []

    def copy() -> None:
        with pytest.raises(UnsupportedError) as refused:
            computer.clipboard.copy_image(tmp_path / "pipe.png")
        said.append(str(refused.value))

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    thread.join(20)
    assert said == [f'"{tmp_path / "pipe.png"}" is no file. Give the full path of a picture.']


def test_a_picture_with_a_damage_that_does_not_matter_is_copied_without_a_word(
    computer: Computer, tmp_path: Path
) -> None:
    data = BytesIO()
    gradient().save(data, "TIFF", artist="somebody with a long name")
    broken = data.getvalue().replace((315).to_bytes(2, "little") + b"\x02\0", b"\x3b\x01\x02\0", 1)
    at = broken.index(b"\x3b\x01\x02\0") + 8  # where the text is said to be
    (tmp_path / "broken.tiff").write_bytes(broken[:at] + (9**9).to_bytes(4, "little") + broken[at + 4 :])
    computer.clipboard.copy_image(tmp_path / "broken.tiff")
    assert computer.clipboard.view("image") is not None


def test_half_a_character_is_refused_before_anything_is_copied(computer: Computer) -> None:
    computer.clipboard.copy("before")
    with pytest.raises(UnsupportedError, match=r"'\\ud83d' is half of one"):
        computer.clipboard.copy("a\ud83db")
    assert computer.clipboard.view() == "before"


def test_what_another_program_calls_a_png_is_shown_as_one_or_not_at_all(computer: Computer) -> None:
    clipboard = computer.desktop.clipboard
    assert clipboard is not None
    for kind in ("JPEG", "EPS"):
        data = BytesIO()
        gradient().save(data, kind)
        clipboard.write(Clip(png=data.getvalue()))
        if kind == "JPEG":
            assert computer.perform(ClipboardGet(kind="image")).images[0].startswith(b"\x89PNG")
        else:  # a program in a language of its own, and Pillow has Ghostscript run it
            with pytest.raises(UnsupportedError, match="is no picture that can be read"):
                computer.perform(ClipboardGet(kind="image"))


def test_a_picture_of_another_program_that_cannot_be_read_is_not_shown_to_a_model(computer: Computer) -> None:
    assert computer.desktop.clipboard is not None
    computer.desktop.clipboard.write(Clip(png=b"\x89PNG\r\n\x1a\n and no more"))
    with pytest.raises(UnsupportedError, match="is no picture that can be read"):
        computer.perform(ClipboardGet(kind="image"))


def test_a_picture_comes_back_to_a_code_step_as_one(computer: Computer) -> None:
    computer.clipboard.copy_image(gradient())
    reply = answering(computer)(Call(path=("clipboard", "view"), args=("image",), kwargs={}))
    assert reply.error is None
    assert Image.open(BytesIO(reply.png or b"")).size == (64, 48)


class _Deaf(MemoryClipboard):
    """A clipboard whose owner does not answer, or that another program fills at once."""

    def __init__(self, *, silent: bool) -> None:
        super().__init__()
        self._silent = silent

    def read(self, selection: Selection = "clipboard") -> str:
        return self.contents(selection).text or ""

    def contents(self, selection: Selection = "clipboard") -> Clip:
        if self._silent:
            raise TimeoutError("The program that copied last did not answer.")
        return Clip(text="of somebody else")


class _DeafDesktop(MemoryDesktop):
    def __init__(self, *, silent: bool) -> None:
        super().__init__()
        self._clipboard = _Deaf(silent=silent)


@pytest.mark.parametrize("kind", ["text", "html", "image"])
def test_a_program_that_does_not_answer_is_an_error_for_the_model(reader: TesseractReader, kind: str) -> None:
    computer = Computer(_DeafDesktop(silent=True), reader=reader, receipts=False)
    with pytest.raises(TimedOutError, match="did not answer"):
        computer.perform(ClipboardGet(kind=kind))  # type: ignore[arg-type]  # one of the three


def test_something_else_on_the_clipboard_right_afterwards_is_said(reader: TesseractReader) -> None:
    computer = Computer(_DeafDesktop(silent=False), reader=reader, receipts=False)
    with pytest.raises(ComputerError, match="text was put on the clipboard, but something else is on it"):
        computer.clipboard.copy("ours")
    with pytest.raises(ComputerError, match="something else is on it"):
        computer.clipboard.copy_image(gradient())
