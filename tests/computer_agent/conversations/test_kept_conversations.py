"""Conversations in their files: appended, torn, taken back, found, searched, exported."""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.chat.keeping import Transcript
from computer_agent.conversations.command import conversations
from computer_agent.conversations.messages_file import load, save
from computer_agent.conversations.notebook import notebook
from computer_agent.conversations.record import (
    ConversationError,
    ConversationWriter,
    Header,
    Kept,
    read,
    slug,
)
from computer_agent.conversations.resuming import NOTE, remembered
from computer_agent.conversations.storage import found, kept, newest, search
from computer_agent.flags import parser
from computer_agent.settings import from_flags

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_agent.lmc import Chunk

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n...").decode()
HEADER = Header(began=1_700_000_000.0, model="openai/test", os=False)
TALK: list[Chunk] = [
    {"role": "user", "type": "message", "content": "Zähle die Zeilen von größe.csv"},
    {"role": "user", "type": "image", "format": "base64.png", "content": PNG},
    {"role": "assistant", "type": "message", "content": "Ich *zähle*."},
    {"role": "assistant", "type": "code", "format": "python", "content": "print(3)\n"},
    {"role": "computer", "type": "console", "format": "output", "content": "3\n```\n"},
    {"role": "computer", "type": "image", "format": "base64.png", "content": PNG},
    {"role": "assistant", "type": "code", "format": "shell", "content": "ls"},
    {"role": "assistant", "type": "code", "format": "applescript", "content": "beep"},
    {"role": "assistant", "type": "message", "content": "Es sind **drei**. 🙂"},
    {"role": "user", "type": "message", "content": "Danke"},
]


def written(folder: Path, messages: list[Chunk], hide: Callable[[str], str] = str) -> ConversationWriter:
    writer = ConversationWriter(folder=folder, header=HEADER, hide=hide)
    for message in messages:
        writer.add([message])
    return writer


def path_of(writer: ConversationWriter) -> Path:
    assert writer.path is not None
    return writer.path


def test_messages_are_read_as_they_were_written_and_nobody_else_may_read_them(tmp_path: Path) -> None:
    writer = written(tmp_path / "kept", TALK)
    assert read(path_of(writer)) == Kept(path=path_of(writer), header=HEADER, messages=tuple(TALK))
    assert path_of(writer).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
    assert "größe" in path_of(writer).read_text("utf-8")


@pytest.mark.parametrize("gone_on_with", [False, True])
def test_one_that_another_has_gone_on_with_since_it_was_read_is_left_to_it(
    gone_on_with: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    theirs = written(tmp_path / "kept", TALK)
    resumed, complaints = read(path_of(theirs)), list[str]()
    if gone_on_with:
        theirs.add([{"role": "user", "type": "message", "content": "Noch etwas"}])
    settings = from_flags(
        parser("").parse_args([]), {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    )
    ours = Transcript(settings, complaints.append, resumed)
    assert (ours.path == resumed.path) is not gone_on_with
    assert [words.split(",")[0] for words in complaints] == [
        "Another oi has this conversation open"
    ] * gone_on_with
    ours.take_back()
    ours.close()
    assert (read(resumed.path).messages[-1]["content"] == "Noch etwas") is gone_on_with


def test_nothing_is_written_before_something_was_said(tmp_path: Path) -> None:
    written(tmp_path / "kept", []).take_back(0)
    assert not (tmp_path / "kept").exists()


@given(st.integers(1, 400))
def test_a_file_that_broke_off_anywhere_is_read_up_to_there_and_gone_on_with(cut: int) -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as name:
        writer = written(Path(name), [TALK[0], TALK[2], TALK[9]])
        path = path_of(writer)
        data = path.read_bytes()
        head = data.index(b"\n") + 1
        path.write_bytes(data[: max(head, len(data) - cut)])
        before = read(path).messages
        assert before == (TALK[0], TALK[2], TALK[9])[: len(before)]
        writer.add([TALK[8]])
        assert read(path).messages == (*before, TALK[8])


def test_what_was_taken_back_is_not_read(tmp_path: Path) -> None:
    writer = written(tmp_path, TALK)
    writer.take_back(9)
    assert read(path_of(writer)).messages == tuple(TALK[:9])
    writer.add([TALK[2]])
    assert read(path_of(writer)).messages == (*TALK[:9], TALK[2])


def test_secrets_are_hidden_and_half_characters_do_no_harm(tmp_path: Path) -> None:
    writer = written(
        tmp_path,
        [{"role": "user", "type": "message", "content": "key hunter2hunter2 \udcc3"}],
        hide=lambda text: text.replace("hunter2hunter2", "•••"),
    )
    assert b"hunter2" not in path_of(writer).read_bytes()
    assert read(path_of(writer)).messages[0]["content"] == "key ••• \udcc3"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "holds no conversation"),
        (b'{"kind":"conversation","version":9}\n', "version 9"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_conversation_is_said_to_be_none(data: bytes | None, said: str, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / "a.jsonl").write_bytes(data)
    with pytest.raises(ConversationError, match=said):
        read(tmp_path / "a.jsonl")


def test_where_nothing_can_be_written_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")
    with pytest.raises(ConversationError, match="cannot be kept in"):
        written(tmp_path / "kept", TALK)


@given(st.text(max_size=60))
def test_a_name_is_fit_for_every_system(words: str) -> None:
    name = slug(words)
    assert name.isascii()
    assert name == name.strip("-")
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_conversations_are_found_by_number_name_and_words_the_newest_first(tmp_path: Path) -> None:
    first = path_of(written(tmp_path, TALK))
    second = path_of(written(tmp_path, [{"role": "user", "type": "message", "content": "Make a chart"}]))
    os.utime(first, (1, 1))
    assert [one.path for one in kept(tmp_path)] == [second, first]
    assert [one.turns for one in kept(tmp_path)] == [1, 2]
    assert newest(tmp_path) == second
    assert found("2", tmp_path) == first
    assert found("Make a", tmp_path) == second
    assert found("zahle-die", tmp_path) == first
    assert found(str(first), tmp_path) == first
    with pytest.raises(ConversationError, match='There is no conversation "tea"'):
        found("tea", tmp_path)
    written(tmp_path, [{"role": "user", "type": "message", "content": "Make a table"}])
    with pytest.raises(ConversationError, match='2 conversations begin with "make"'):
        found("make", tmp_path)
    hits = list(search(["SIND", "drei"], tmp_path))
    assert [(hit.listed.path, hit.who, hit.excerpt) for hit in hits] == [
        (first, "oi", "Es sind **drei**. 🙂")
    ]
    assert not list(search([PNG[:10]], tmp_path))


def test_a_model_is_told_the_turns_in_words_and_that_code_is_gone() -> None:
    exchanges, past = remembered(TALK)
    assert [one.said.words for one in exchanges] == ["Zähle die Zeilen von größe.csv", "Danke"]
    assert [len(step.seen.said.pictures) if step.seen.said else 0 for step in past] == [1, 0]
    assert [step.seen.said.words if step.seen.said else None for step in past] == ["", "Danke"]
    assert "[I ran this python code:]\nprint(3)" in past[0].act.thought
    assert past[0].act.thought.endswith("Es sind **drei**. 🙂")
    assert past[1].act.thought.startswith("(No answer")
    last = exchanges[-1].finished
    assert last is not None
    assert last.words == NOTE
    assert remembered([]) == ([], [])


def test_a_notebook_holds_words_code_outputs_and_pictures(tmp_path: Path) -> None:
    made = notebook(read(path_of(written(tmp_path, TALK))))
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    cells = made["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:  # what the format's schema wants of each kind
        required = {"id", "cell_type", "metadata", "source"}
        if cell["cell_type"] == "code":
            required |= {"outputs", "execution_count"}
        assert required <= set(cell) <= required | {"attachments"}
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert ["".join(cell["source"]) for cell in code] == ["print(3)", "%%bash\nls"]
    assert [output["output_type"] for output in code[0]["outputs"]] == ["stream", "display_data"]
    assert code[0]["outputs"][1]["data"] == {"image/png": PNG}
    words = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert words[0] == "# Zähle die Zeilen von größe.csv"
    assert "```applescript\nbeep\n```" in words
    assert [cell["attachments"] for cell in cells if "attachments" in cell] == [
        {"picture.png": {"image/png": PNG}}
    ]


def test_the_command_lists_shows_searches_and_exports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    assert conversations([], environment) == 0
    assert "There is no conversation yet" in capsys.readouterr().out
    written(tmp_path / "oi" / "conversations", TALK)
    assert conversations(["list"], environment) == 0
    assert "2 turns  Zähle die Zeilen von größe.csv" in capsys.readouterr().out
    assert conversations(["show", "1"], environment) == 0
    assert "> Zähle die Zeilen" in capsys.readouterr().out
    assert conversations(["search", "Danke"], environment) == 0
    assert "you: Danke" in capsys.readouterr().out
    for name in ("out.md", "out.ipynb", "out.json"):
        assert conversations(["export", "zahle", str(tmp_path / name)], environment) == 0
    text = (tmp_path / "out.md").read_text("utf-8")
    assert "**You**\n\nZähle" in text
    assert "````text\n3\n```\n````" in text
    assert (tmp_path / "out-1.png").read_bytes() == base64.b64decode(PNG)
    assert json.loads((tmp_path / "out.ipynb").read_text("utf-8"))["nbformat"] == 4
    assert load(tmp_path / "out.json") == tuple(TALK)
    assert conversations(["dance"], environment) == 2
    assert conversations(["show", "tea"], environment) == 2


def test_saved_messages_are_loaded_and_other_files_are_not(tmp_path: Path) -> None:
    save(TALK, tmp_path / "a.json")
    assert load(tmp_path / "a.json") == tuple(TALK)
    for text, said in [("{", "no JSON"), ('["a"]', "list of objects")]:
        (tmp_path / "b.json").write_text(text)
        with pytest.raises(ConversationError, match=said):
            load(tmp_path / "b.json")
    with pytest.raises(ConversationError, match="cannot be read"):
        load(tmp_path / "c.json")
