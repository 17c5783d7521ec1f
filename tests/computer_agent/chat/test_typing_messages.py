"""What a person types: lines that go on, commands, completions, pictures that are named, pictures that are drawn."""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from computer_agent.chat.lines import as_text, message_of, needs_more
from computer_agent.chat.magic import COMMANDS, Magic, UnknownMagic, help_lines, parsed
from computer_agent.chat.magic_completion import completions
from computer_agent.chat.named_pictures import named_pictures
from computer_agent.chat.output_flow import OutputFlow
from computer_agent.chat.pictures import PictureShow, drawn, opener, protocol_of

if TYPE_CHECKING:
    from pathlib import Path


def picture(color: str = "red", kind: str = "PNG", size: tuple[int, int] = (7, 13)) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, color).save(made, kind)
    return made.getvalue()


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("one", False, "one"),
        ("one\\", True, None),
        ("one\\\ntwo", False, "one\ntwo"),
        ("ends with two \\\\", False, "ends with two \\\\"),
        ('"""one', True, None),
        ('"""', True, None),
        ('"""one\ntwo"""', False, "one\ntwo"),
        ('"""\none\n"""', False, "one"),
        ('say """x""" now', False, 'say """x""" now'),
    ],
)
def test_a_message_goes_on_while_it_is_open(text: str, *, more: bool, message: str | None) -> None:
    assert needs_more(text) is more
    if message is not None:
        assert message_of(text) == message


def test_without_quotes_three_of_them_are_words() -> None:
    assert not needs_more('"""one', quotes=False)
    assert message_of('"""one', quotes=False) == '"""one'


@given(st.text())
def test_bytes_that_a_terminal_gave_as_half_characters_are_read_as_utf_8(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert as_text(text.encode().decode("ascii", "surrogateescape"), "ascii") == text
    assert as_text(text, "utf-8") == text


@pytest.mark.parametrize(
    ("typed", "magic"),
    [
        ("%reset", Magic("reset", "")),
        (" %Save  a b.json ", Magic("save", "a b.json")),
        ("%save_message x", Magic("save", "x")),
        ("%load-message x", Magic("load", "x")),
        ("%debug", Magic("verbose", "")),
        ("%% ls -l", Magic("%", "ls -l")),
        ("%%ls", Magic("%", "ls")),
        ("%rest", UnknownMagic("rest", "reset")),
        ("%qqqq", UnknownMagic("qqqq", None)),
        ("%5 of it", None),
        ("five %reset", None),
        ("%reset\nand more", None),
    ],
)
def test_commands_are_told_from_words(typed: str, magic: Magic | UnknownMagic | None) -> None:
    assert parsed(typed) == magic


def test_the_help_names_every_command() -> None:
    assert all(any(f"%{one.name}" in line for line in help_lines()) for one in COMMANDS)


def test_commands_and_paths_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data one.csv").write_text("")
    (tmp_path / "data").mkdir()
    (tmp_path / ".hidden").write_text("")
    assert completions("%re") == ("%re", ["%reset"])
    assert completions("%load da") == ("da", ["data one.csv", "data/"])
    assert completions("%profile f", lambda _name: ["fast", "safe"]) == ("f", ["fast"])
    assert completions("look at da") == ("da", ["data/", "data\\ one.csv"])
    assert completions("look at 'data o") == ("data o", ["data one.csv"])
    assert completions(f"in {tmp_path}/da")[1] == [f"{tmp_path}/data/", f"{tmp_path}/data\\ one.csv"]
    assert completions("look at ") == ("", [])
    assert completions("~nobody-of-that-name/x")[1] == []


def test_pictures_that_are_named_in_any_way_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "my dot.png").write_bytes(picture())
    (tmp_path / "b.JPG").write_bytes(picture("blue", "JPEG"))
    (tmp_path / "c.gif").write_bytes(picture("green", "GIF"))
    (tmp_path / "large.png").write_bytes(picture("red", "PNG", (3000, 10)))
    (tmp_path / "bad.png").write_text("no picture")
    for words in (
        "'my dot.png'",
        '"my dot.png"',
        r"my\ dot.png",
        f"file://{tmp_path}/my%20dot.png.",
        "look (`my dot.png`) and my\\ dot.png",
    ):
        assert [one.data for one in named_pictures(words, tmp_path)] == [picture()], words
    found = named_pictures("b.JPG, c.gif large.png bad.png none.png x.pngs", tmp_path)
    assert [one.path.name for one in found] == ["b.JPG", "c.gif", "large.png", "bad.png"]
    assert found[0].data == picture("blue", "JPEG")
    assert found[1].data is not None
    assert found[1].data.startswith(b"\x89PNG")
    assert found[2].data is not None
    assert Image.open(io.BytesIO(found[2].data)).size == (2000, 7)
    assert (found[3].data, found[3].why) == (None, "it is no picture that can be read")


@pytest.mark.parametrize(
    ("variables", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm2"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, None),
        ({}, None),
    ],
)
def test_a_terminal_draws_when_its_variables_say_so(variables: dict[str, str], protocol: str | None) -> None:
    assert protocol_of(variables) == protocol


def test_kitty_and_iterm_get_the_whole_file_in_their_form() -> None:
    data = picture(size=(300, 200)) + b"\0" * 9000
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", drawn(data, "kitty"))
    assert base64.b64decode("".join(piece for _, piece in pieces)) == data
    assert [control[-3:] for control, _ in pieces] == ["m=1"] * (len(pieces) - 1) + ["m=0"]
    assert pieces[0][0].startswith("a=T,f=100")
    inside = re.fullmatch(r"\x1b\]1337;File=([^:]*):([^\a]*)\a\n", drawn(data, "iterm2"))
    assert inside is not None
    assert base64.b64decode(inside[2]) == data


def test_sixels_draw_each_pixel_in_its_color() -> None:
    image = Image.new("RGB", (5, 8), (255, 0, 0))
    image.paste((0, 0, 255), (2, 3, 5, 8))
    made = io.BytesIO()
    image.save(made, "PNG")
    assert unsixeled(drawn(made.getvalue(), "sixel")) == [
        ["blue" if x >= 2 and y >= 3 else "red" for x in range(5)] for y in range(8)
    ]


def unsixeled(codes: str) -> list[list[str]]:
    """The pixels that a terminal would draw."""
    inside = re.fullmatch(r'\x1bPq"1;1;(\d+);(\d+)(.*)\x1b\\\n', codes)
    assert inside is not None
    width, height = int(inside[1]), int(inside[2])
    names: dict[str, str] = {}
    pixels = [[""] * width for _ in range(height)]
    x = top = 0
    color = ""
    for code in re.findall(r"#\d+;2;\d+;\d+;\d+|#\d+|!\d+.|[$-]|[?-~]", inside[3]):
        if code.startswith("#") and ";" in code:
            number, _, red, _, blue = code[1:].split(";")
            names[number] = "red" if int(red) > int(blue) else "blue"
        elif code.startswith("#"):
            color = names[code[1:]]
        elif code == "$":
            x = 0
        elif code == "-":
            x, top = 0, top + 6
        else:
            count, sign = (int(code[1:-1]), code[-1]) if code.startswith("!") else (1, code)
            for column in range(x, x + count):
                for row in range(6):
                    if (ord(sign) - 63) >> row & 1:
                        pixels[top + row][column] = color
            x += count
    return pixels


def test_a_picture_is_kept_and_opened_where_nothing_draws(tmp_path: Path) -> None:
    said: list[str] = []
    opened: list[Path] = []
    show = PictureShow(
        folder=lambda: tmp_path / "shown",
        say=said.append,
        draw=said.append,
        open_file=lambda file: not opened.append(file),
    )
    assert show.show(picture()) == tmp_path / "shown" / "1.png"
    assert show.show(picture("blue", "JPEG")) == tmp_path / "shown" / "2.jpg"
    assert opened == [tmp_path / "shown" / "1.png", tmp_path / "shown" / "2.jpg"]
    assert said[0] == f"     A picture: {tmp_path}/shown/1.png, opened"
    drawing = PictureShow(folder=lambda: tmp_path, say=said.append, draw=said.append, protocol="kitty")
    drawing.show(picture())
    assert said[-2].startswith("\x1b_G")


def test_no_window_is_opened_over_ssh_or_without_a_screen() -> None:
    assert opener({"SSH_CONNECTION": "a", "DISPLAY": ":0", "PATH": "/bin"}) is None
    assert opener({"PATH": "/bin"}) is None


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["a\n", "b"], "a\nb"),
        (["10%\r20%\r30%\ndone\n"], "30%\ndone\n"),
        (["10%", "\r20%", "\r30%\n"], "10%\n30%\n"),
        (["a\r", "\nb\r\n"], "a\nb\n"),
        (["\x1b[1mbo\x1b", "[0mld"], "bold"),
        (["Name? "], "Name? "),
        (["50%\r"], "50%"),
        (["1%\r", "2%\r", "3%\n"], "3%\n"),
        (["50%\r60%"], "60%"),
    ],
)
def test_output_is_shown_as_it_comes_and_what_rewrites_itself_once(pieces: list[str], shown: str) -> None:
    seen: list[str] = []
    flow = OutputFlow(seen.append)
    for piece in pieces:
        flow.add(piece)
    flow.end()
    assert "".join(seen) == shown
