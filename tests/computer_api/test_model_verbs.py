"""`computer.ai` and `computer.vision`: what is asked of the model, in how many requests, and what is read here."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from computer_api.ai_verbs import _LONGEST, parts
from computer_api.bridge import answering
from computer_api.computer import Computer, unconfined
from computer_api.errors import ComputerError, RefusedError, UnsupportedError
from computer_api.terminal import Call
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_api.actions import Action
    from computer_api.receipt import Receipt
    from computer_vision.reader import Reader


class Model:
    """Answers with a number, and keeps what it was asked."""

    def __init__(self, computer: Computer) -> None:
        self.asked: list[tuple[str, tuple[bytes, ...]]] = []
        computer.advise = self

    def __call__(self, words: str, pictures: tuple[bytes, ...]) -> str:
        self.asked.append((words, pictures))
        return f"answer {len(self.asked)}"


@pytest.fixture
def computer(reader: Reader) -> Computer:
    return Computer(MemoryDesktop((640, 400), screens=form()), reader=reader, patience=0.0)


def picture(text: str = "Invoice 4711", size: tuple[int, int] = (420, 60)) -> Image.Image:
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((12, 16), text, fill="black", font=ImageFont.load_default(24))
    return image


def encoded(image: Image.Image) -> str:
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def test_a_picture_is_read_however_it_is_given(computer: Computer, tmp_path: Path) -> None:
    picture().save(tmp_path / "a.png")
    data = encoded(picture())
    ways = [
        {"base_64": data},
        {"base_64": f"data:image/png;base64,{data}"},
        {"path": str(tmp_path / "a.png")},
        {"lmc": {"role": "user", "type": "image", "format": "base64.png", "content": data}},
        {"lmc": {"type": "image", "format": "path", "content": str(tmp_path / "a.png")}},
        {"pil_image": picture()},
    ]
    assert [computer.vision.ocr(**way) for way in ways] == ["Invoice 4711"] * len(ways)  # type: ignore[arg-type]
    assert computer.vision.ocr(data) == "Invoice 4711"


def test_without_a_picture_the_screen_is_read(computer: Computer) -> None:
    assert "Save" in computer.vision.ocr()
    assert computer.vision.load() is True


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"base_64": "%%%"}, "given as base64 of a picture is none"),
        ({"base_64": "aGVsbG8="}, "no picture that can be read"),
        ({"path": "/nowhere/a.png"}, 'The picture "/nowhere/a.png" cannot be read: No such file'),
        ({"lmc": {"type": "message", "content": "x"}}, 'of type "image", not "message"'),
        ({"pil_image": 7}, "not 7"),
        ({"base_64": False}, "not False"),
        ({"path": 3}, "not 3"),
        ({"lmc": ["a.png"]}, "not ['a.png']"),
        ({"base_64": "aGVsbG8=", "path": "a.png"}, "one of them, not 2"),
    ],
)
def test_what_is_no_picture_is_said(computer: Computer, given_: dict[str, object], said: str) -> None:
    with pytest.raises(ComputerError) as error:
        computer.vision.ocr(**given_)  # type: ignore[arg-type]  # what people do
    assert said in str(error.value)


def test_the_model_is_asked_about_a_picture_in_a_size_that_it_takes(computer: Computer) -> None:
    model = Model(computer)
    assert computer.vision.query("What is the number?", pil_image=picture(size=(4000, 1000))) == "answer 1"
    ((words, (sent,)),) = model.asked
    assert words == "What is the number?"
    assert Image.open(BytesIO(sent)).size == (1568, 392)
    assert computer.vision.query("And now?") == "answer 2"
    assert Image.open(BytesIO(model.asked[1][1][0])).size == (640, 400), "the screen"
    assert computer.ai.chat("Who?", encoded(picture())) == "answer 3"
    assert len(model.asked[2][1]) == 1


def test_a_short_text_takes_one_request(computer: Computer) -> None:
    model = Model(computer)
    assert computer.ai.chat("What is 6 * 7?") == "answer 1"
    assert computer.ai.query("Ada is 36.", "How old is Ada?") == "answer 2"
    assert computer.ai.summarize("Ada is 36.") == "answer 3"
    assert model.asked[0] == ("What is 6 * 7?", ())
    for words, _ in model.asked[1:]:
        assert "Ada is 36." in words
        assert "data" in words


def test_a_long_text_is_asked_about_in_parts_whose_answers_are_put_together(computer: Computer) -> None:
    model = Model(computer)
    text = "word " * 12_000
    assert computer.ai.summarize(text) == "answer 4"
    assert len(model.asked) == 4, "three parts, and together"
    assert "answer 1\n\nanswer 2\n\nanswer 3" in model.asked[3][0]
    assert computer.ai.query(text, "How many?") == "answer 8"


def test_answers_as_long_as_the_text_still_come_to_an_end(computer: Computer) -> None:
    asked = []

    def verbose(words: str, _: tuple[bytes, ...]) -> str:
        asked.append(words)
        return words

    computer.advise = verbose
    computer.ai.summarize("word " * 100_000)
    assert len(asked) < 50


def test_a_text_that_would_take_too_many_requests_is_refused_before_the_first(computer: Computer) -> None:
    model = Model(computer)
    with pytest.raises(ComputerError, match="at most 40 are made"):
        computer.ai.summarize("x" * 1_000_000)
    assert model.asked == []


@given(st.text(alphabet="ab \n", max_size=50).map(lambda text: text * 2000))
def test_the_parts_of_a_text_are_all_of_it_and_each_fits(text: str) -> None:
    found = parts(text)
    assert "".join(found) == text
    assert all(len(part) <= _LONGEST for part in found)
    assert all(found) or text == ""


def test_without_a_run_there_is_no_model_to_ask(computer: Computer) -> None:
    for ask in (lambda: computer.ai.chat("x"), lambda: computer.vision.query("x", pil_image=picture())):
        with pytest.raises(UnsupportedError, match="No model can be asked here"):
            ask()


def test_each_request_passes_the_gate(computer: Computer) -> None:
    def refuse(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        raise RefusedError("no")

    model, computer.gate = Model(computer), refuse
    with pytest.raises(RefusedError):
        computer.ai.summarize("x")
    assert model.asked == []
    assert answering(computer)(Call(path=("ai", "chat"), args=("x",))).error == ("RefusedError", "no")


def test_code_asks_with_a_picture_of_its_own(computer: Computer) -> None:
    model = Model(computer)
    computer._terminal = unconfined({"PATH": "/usr/bin:/bin"}, answering(computer))
    code = (
        "from PIL import Image\n"
        "image = Image.new('RGB', (30, 20), 'red')\n"
        "print(computer.vision.query('What colour?', pil_image=image), computer.ai.chat('Who?'))"
    )
    receipt = computer.run("python", code)
    computer._terminal.close()
    assert receipt.output == "answer 1 answer 2\n"
    assert Image.open(BytesIO(model.asked[0][1][0])).size == (30, 20)
