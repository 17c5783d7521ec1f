"""The viewer's data: what a trace becomes, what is left of a damaged one, what the file holds and the command says."""

from __future__ import annotations

import base64
import json
import os
import re
import time
import zlib
from contextlib import suppress
from hashlib import sha256
from html.parser import HTMLParser
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
import viewed_traces
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageFilter, ImageStat

from computer_agent.step import Act, Done, NotDone, Usage
from computer_agent.trace.archive import pack
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import read
from computer_agent.trace.record import FILE, IMAGES, VERSION, ImageName
from computer_agent.trace.view import view
from computer_agent.trace.view.folding import fold_trace
from computer_agent.trace.view.pictures import pictures
from computer_agent.trace.view.salvage import salvage
from computer_agent.trace.view.texts import plain, visible
from computer_agent.trace.view.writing import page
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import PressKeys
from computer_api.gestures import Doings
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return viewed_traces.everything(tmp_path_factory.mktemp("viewed") / "run")


@pytest.fixture(scope="module")
def data(trace: Path) -> dict[str, Any]:
    return fold_trace(read(trace), VERSION).data


@pytest.fixture
def copy(trace: Path, tmp_path: Path) -> Path:
    """The trace to be damaged."""
    folder = tmp_path / "run"
    (folder / IMAGES).mkdir(parents=True)
    for file in (FILE, *(f"{IMAGES}/{image.name}" for image in (trace / IMAGES).iterdir())):
        (folder / file).write_bytes((trace / file).read_bytes())
    return folder


class _Scripts(HTMLParser):
    """The scripts of a page as a browser would cut them, by their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[dict[str, str | None], str]] = []
        self.tags: list[str] = []
        self._inside: dict[str, str | None] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside = dict(attrs) if tag in ("script", "style") else None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.found.append((self._inside, data))

    def handle_endtag(self, tag: str) -> None:
        self._inside = None


def _held(text: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads(
        next(body for attributes, body in _Scripts(text).found if attributes.get("id") == "data")
    )


def test_every_step_and_everything_that_happened_in_it_is_there_in_order(data: dict[str, Any]) -> None:
    assert [step["number"] for step in data["steps"]] == list(range(1, viewed_traces.STEPS + 1))
    told = [(data["steps"][row["step"]]["number"], row["kind"], row["status"]) for row in data["rows"]]
    assert told == [
        (1, "windows", "done"),
        (2, "keyboard", "done"),
        (2, "keyboard", "nothing"),
        (3, "code", "done"),
        (3, "pointer", "done"),
        (3, "looks", "done"),
        (4, "pointer", "refused"),
        (5, "person", "person"),
        (5, "pointer", "done"),
        (6, "pointer", "done"),
        (6, "pointer", "error"),
        (6, "keyboard", "skipped"),
        (7, "keyboard", "done"),
        (7, "code", "failed"),
        (8, "pointer", "unknown"),
        (9, "answer", "done"),
    ]


def test_pixels_of_the_picture_and_boxes_of_the_desktop_become_places_of_one_desktop(
    data: dict[str, Any],
) -> None:
    refused = data["rows"][6]
    assert refused["places"]["points"] == [[349.0, 251.0]], "the middle of a pixel that is two points wide"
    typed = data["rows"][1]
    assert typed["places"]["targets"] == [[390, 160, 400, 20]]
    assert typed["places"]["points"] == [[590.5, 170.5]]
    clicked = data["rows"][8]
    assert clicked["places"]["points"] == [[349.5, 251.5]]
    assert clicked["places"]["targets"] == [], "a point is no box"
    assert clicked["places"]["changed"] == [[430, 240, 300, 130]]
    zoomed = data["rows"][5]
    assert zoomed["places"]["targets"] == [[300, 120, 500, 160]]
    frame = data["frames"][refused["before"]]
    assert (frame["size"], frame["area"]) == ([640, 400], [0, 0, 1280, 800])


def test_an_action_stands_between_the_pictures_before_and_after_it(data: dict[str, Any]) -> None:
    pictures_of = [
        [None if row[side] is None else data["frames"][row[side]]["picture"] for side in ("before", "after")]
        for row in data["rows"]
    ]
    first, refused, own, last = pictures_of[0], pictures_of[6], pictures_of[8], pictures_of[-1]
    assert first[1] == pictures_of[1][0], "what comes after a step is what the next begins with"
    assert refused[0] == pictures_of[5][0], "an unchanged screen is shown as it was"
    assert data["rows"][8]["ownBefore"]
    assert data["rows"][8]["ownAfter"]
    assert own[1] not in (pictures_of[7][0], pictures_of[7][1])
    assert last[1] is None


def test_totals_run_up_to_the_whole_and_an_unknown_price_stays_unknown(
    data: dict[str, Any], tmp_path: Path
) -> None:
    assert data["steps"][2]["usage"] == [3000, 100, 500, 0.01]
    assert data["steps"][2]["totals"] == [6000, 300, 1500, pytest.approx(0.03)]
    writer = TraceWriter(tmp_path / "run")
    writer.start(task="", model="a new one", desktop="memory", screen=None)
    for number, dollars in enumerate((0.5, None, 0.5), start=1):
        writer.decision(number, Act(thought="", actions=(), usage=Usage(tokens_in=7, dollars=dollars)))
    writer.close()
    totals = [step["totals"] for step in fold_trace(read(tmp_path / "run"), VERSION).data["steps"]]
    assert totals == [[7, 0, 0, 0.5], [14, 0, 0, None], [21, 0, 0, None]]


def test_the_person_s_own_work_stands_where_it_happened(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "run")
    writer.start(task="", model="steps", desktop="memory", screen=None)
    press = PressKeys(keys=("a",))
    writer.decision(1, Act(thought="", actions=(press, press)))
    for outcome in (
        Done(action=press, receipt=Receipt(effect="here")),
        NotDone(action=press, why="", kind="interrupted"),
    ):
        writer.result(writer.intent(1, press, approval="-y"), outcome)
        writer.person(1, Doings(began=time.monotonic(), ended=time.monotonic()), "told to go on")
    writer.close()
    rows = fold_trace(read(tmp_path / "run"), VERSION).data["rows"]
    assert [row["status"] for row in rows] == ["done", "person", "interrupted", "person"]


def test_a_secret_stays_hidden(trace: Path) -> None:
    assert viewed_traces.SECRET not in page(trace)


def test_hostile_texts_end_no_element_and_open_none(trace: Path) -> None:
    text = page(trace)
    scripts = _Scripts(text)
    assert scripts.tags.count("img") == 0
    assert {ord(letter) for letter in _held_text(scripts)} <= set(range(32, 127)) - set(map(ord, "<>&"))
    row = _held(text)["rows"][13]
    assert row["opened"] == [visible(viewed_traces.BREAKING_OUT)]
    assert "</script><img" in row["output"]


def _held_text(scripts: _Scripts) -> str:
    return next(body for attributes, body in scripts.found if attributes.get("id") == "data")


def test_the_policy_allows_the_page_s_own_script_and_style_and_nothing_from_outside(trace: Path) -> None:
    text = page(trace)
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found
    policy = dict(part.strip().split(" ", 1) for part in found[1].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["img-src"] == "blob: data:"
    script = next(body for attributes, body in _Scripts(text).found if "use strict" in body[:20])
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert policy["script-src"] == f"'sha256-{digest}'"
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", text), "nothing is fetched"


def test_each_picture_is_held_once_without_a_loss_and_smaller(trace: Path) -> None:
    recorded = read(trace)
    names = fold_trace(recorded, VERSION).pictures
    assert len(names) == len(set(names)) == len(list((trace / IMAGES).iterdir()))
    for kept in pictures(recorded, names):
        original = (trace / IMAGES / kept.name).read_bytes()
        with Image.open(BytesIO(original)) as before, Image.open(BytesIO(kept.data)) as after:
            assert before.convert("RGB").tobytes() == after.convert("RGB").tobytes()
            assert before.size == (kept.width, kept.height)
        assert len(kept.data) <= len(original)


def test_a_photograph_is_kept_as_jpeg_that_is_much_smaller_and_nearly_the_same(copy: Path) -> None:
    channels = [Image.effect_noise((900, 700), 90).filter(ImageFilter.GaussianBlur(3)) for _ in "RGB"]
    into = BytesIO()
    Image.merge("RGB", channels).save(into, "PNG")
    name = f"{sha256(into.getvalue()).hexdigest()}.png"
    (copy / IMAGES / name).write_bytes(into.getvalue())
    (kept,) = pictures(read(copy), [ImageName(name)])
    assert kept.kind == "jpeg"
    assert "JPEG" in kept.how
    assert len(kept.data) * 2 < len(into.getvalue())
    with Image.open(BytesIO(into.getvalue())) as before, Image.open(BytesIO(kept.data)) as after:
        assert max(ImageStat.Stat(ImageChops.difference(before, after)).mean) < 3


def test_missing_and_damaged_pictures_are_told_of_and_the_rest_is_shown(copy: Path) -> None:
    gone, damaged, foreign = sorted((copy / IMAGES).iterdir())[:3]
    gone.unlink()
    damaged.write_bytes(damaged.read_bytes()[:-4])
    body = b"\x89PNG and then nothing"
    recorded = read(copy)
    named = copy / IMAGES / f"{sha256(body).hexdigest()}.png"
    named.write_bytes(body)
    names = [ImageName(file.name) for file in (gone, damaged, named, foreign)]
    kept = pictures(recorded, names)
    assert [picture.how for picture in kept[:2]] == ["the file is missing or damaged"] * 2
    assert kept[2].how == "the file is no picture"
    assert kept[3].data
    assert sum(not picture["bytes"] for picture in _held(page(copy))["pictures"]) == 2


def test_a_torn_trace_is_shown_up_to_its_last_whole_line_and_says_so(copy: Path) -> None:
    file = copy / FILE
    file.write_bytes(file.read_bytes()[:-30])
    held = _held(page(copy))
    assert held["run"]["ending"] == ""
    assert any("torn" in note for note in held["run"]["notes"])
    assert any("no end" in note for note in held["run"]["notes"])
    assert len(held["steps"]) == viewed_traces.STEPS


def test_damaged_lines_are_left_out_and_named(copy: Path) -> None:
    file = copy / FILE
    lines = file.read_bytes().splitlines(keepends=True)
    intent = next(number for number, line in enumerate(lines) if b'"kind":"intent"' in line)
    lines[intent] = lines[intent].replace(b"travel", b"trivial")
    file.write_bytes(b"".join(lines))
    with pytest.raises(TraceError):
        read(copy)
    notes = salvage(copy).trace.notes
    assert any(f"Line {intent + 1} is left out" in note and "crc32" in note for note in notes)
    assert any("the result of an action that is missing" in note for note in notes)
    assert len(salvage(copy).trace.steps) == viewed_traces.STEPS


def test_what_a_newer_version_writes_may_be_anything(copy: Path) -> None:
    odd = [
        b"[]",
        b'{"kind":[]}',
        b'{"kind":"end","sequence":5,"time":NaN}',
        b'{"kind":"end","sequence":6,"time":1,"ending":{"is":[]},"words":[{"is":{}},[[{"is":7}]]]}',
    ]
    file = copy / FILE
    first, *rest = file.read_bytes().splitlines()
    file.write_bytes(b"\n".join([_newer(first, 0).strip(), *odd, *rest, b""]))
    notes = salvage(copy).trace.notes
    assert [
        number for number in range(2, 6) if any(f"Line {number} is left out" in note for note in notes)
    ] == [2, 3, 4, 5]
    assert len(salvage(copy).trace.steps) == viewed_traces.STEPS


def test_without_its_start_a_trace_is_shown_and_says_what_is_missing(copy: Path) -> None:
    file = copy / FILE
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[1:]))
    trace = salvage(copy).trace
    assert "missing" in trace.header.task
    assert any("Before line 1 lines were taken out" in note for note in trace.notes)
    assert len(trace.steps) == viewed_traces.STEPS


def _newer(line: bytes, number: int) -> bytes:
    """The line as a later version might write it: fields, kinds and classes that nobody knows yet."""
    body = json.loads(line)
    del body["crc32"]
    body["version"] = VERSION + 1
    body["weather"] = "fine"
    if body["kind"] == "decision" and number % 2:
        body["actions"].append({"is": "Teleport", "to": 3})
    if body["kind"] == "result" and body["receipt"]:
        body["receipt"]["mood"] = {"is": "Mood"}
    if body["kind"] == "person":
        body["kind"] = "ghost"
    covered = json.dumps(body, separators=(",", ":"))[:-1].encode()
    return covered + b',"crc32":%d}\n' % zlib.crc32(covered)


def test_a_newer_version_is_shown_as_far_as_it_is_known_and_says_so(copy: Path) -> None:
    file = copy / FILE
    lines = [_newer(line, number) for number, line in enumerate(file.read_bytes().splitlines())]
    file.write_bytes(b"".join(lines))
    with pytest.raises(TraceError, match="newer"):
        read(copy)
    held = _held(page(copy))
    assert held["run"]["version"] == VERSION + 1
    assert any(f"version {VERSION + 1}, newer than the {VERSION}" in note for note in held["run"]["notes"])
    assert any("ghost" in note for note in held["run"]["notes"])
    assert len(held["steps"]) == viewed_traces.STEPS
    assert held["rows"][1]["said"] == 'the field holds "Ada Lovelace"'


@given(cut=st.integers(min_value=0), flip=st.integers(min_value=0))
def test_whatever_is_cut_off_or_changed_a_page_is_made_or_one_sentence_says_why_not(
    tmp_path_factory: pytest.TempPathFactory, trace: Path, cut: int, flip: int
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    damaged = bytearray((trace / FILE).read_bytes())
    damaged[flip % len(damaged)] ^= 1 << cut % 8
    (folder / FILE).write_bytes(damaged[: len(damaged) - cut % len(damaged)])
    with suppress(TraceError):  # nothing is left
        salvaged = salvage(folder)
        data = fold_trace(salvaged.trace, salvaged.version).data
        assert data["run"]["notes"], "it says that something is missing"


def test_a_run_without_a_step_and_one_that_is_no_trace(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "run")
    writer.start(task="", model="steps", desktop="memory", screen=None)
    writer.close()
    assert _held(page(tmp_path / "run"))["steps"] == []
    (tmp_path / "text").write_text("no trace\n" * 3)
    with pytest.raises(TraceError, match="Line 1"):
        page(tmp_path / "text")


def test_a_zip_is_shown_and_its_page_lies_beside_it(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack(trace, tmp_path / "checkout.zip")
    assert view([str(tmp_path / "checkout.zip")], {}) == 0
    assert capsys.readouterr().out.startswith(str(tmp_path / "checkout.html"))
    held = _held((tmp_path / "checkout.html").read_text("utf-8"))
    assert all(picture["bytes"] for picture in held["pictures"])


@pytest.mark.parametrize(
    ("printed", "read_as"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        ("longer\rab", "abnger"),
        ("ab\b\bcd", "cd"),
    ],
)
def test_output_is_what_a_terminal_would_show(printed: str, read_as: str) -> None:
    assert plain(printed) == read_as


@given(st.text())
def test_nothing_that_cannot_be_seen_or_reorders_is_left_in_a_text(text: str) -> None:
    shown = visible(text)
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )
    if text.isascii() and text.isprintable():
        assert shown == text


def test_the_command_writes_the_page_for_its_owner_only_and_says_where(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.html"
    assert view([str(trace), "--out", str(out)], {}) == 0
    assert os.name != "posix" or out.stat().st_mode & 0o777 == 0o600
    assert capsys.readouterr().out.startswith(f"{out}  (")
    assert [file.name for file in tmp_path.iterdir() if "part" in file.name] == []
    assert view([str(trace)], {}) == 0
    assert (trace / "trace.html").read_text("utf-8") == out.read_text("utf-8")


def test_without_a_folder_it_is_the_newest_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    assert view([], environment) == 2
    assert "There is no trace in" in capsys.readouterr().err
    viewed_traces.long(tmp_path / "oi" / "traces" / "2026-01-01", 1)
    assert view([], environment) == 0
    assert "2026-01-01" in capsys.readouterr().out
    assert [view([words], environment) for words in ("1", "2026-01")] == [0, 0], "as `oi trace list` names it"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such"], 'There is no trace "no-such"'),
        (["a", "b"], 'is not understood at "b"'),
        (["--fast"], 'is not understood at "--fast"'),
        (["a", "--out"], "--out takes the name of a file"),
    ],
)
def test_what_is_wrong_with_the_words_is_said_in_a_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert view(words, {}) == 2
    assert said in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_named(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert view([str(trace), "--out", "/nonexistent/folder/run.html"], {}) == 2
    said = capsys.readouterr().err
    assert "/nonexistent/folder" in said
    assert "--out" in said
