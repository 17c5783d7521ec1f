"""Parameters of a trace: a recorded text is lifted everywhere it stands, and another one is put there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_runs import Runner, form_desktop
from replayed_runs import replayed

from computer_agent.step import Act, Done, Spent
from computer_agent.trace.command import trace as trace_command
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import read
from computer_agent.trace.record import Intended, Start
from computer_agent.trace.variable import Variable
from computer_agent.trace.variables import filled, lift, lifted
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import (
    Action,
    Browse,
    Click,
    ClipboardSet,
    ExpectValue,
    OpenApp,
    PressKeys,
    RunCode,
    TypeText,
    WaitForWindow,
)
from computer_api.receipt import Receipt
from computer_api.targets import TextTarget

if TYPE_CHECKING:
    from pathlib import Path

    from computer_agent.trace.reader import Trace
    from computer_vision.reader import Reader

NAME = TextTarget("Name")
ACTIONS: tuple[tuple[Action, Receipt], ...] = (
    (
        OpenApp(program="mousepad", arguments=("Ada_2026.txt",)),
        Receipt(effect="elsewhere", opened=("Ada - Notes",)),
    ),
    (TypeText(text="Ada", into=NAME), Receipt(effect="here", value="Ada")),
    (TypeText(text="Adamson & Ada's", into=NAME), Receipt(effect="here", value="Adamson & Ada's")),
    (ExpectValue(target=NAME, value="Ada", part=True), Receipt(effect="unknown")),
    (Browse(what="open", where="http://127.0.0.1/?name=Ada"), Receipt(effect="unknown")),
    (Click(target=TextTarget("Delete", window="Ada")), Receipt(effect="here")),
    (TypeText(text="Ada's password", secret=True), Receipt(effect="here")),
)


def written(folder: Path, *done: tuple[Action, Receipt]) -> Path:
    """A trace in which these were done."""
    writer = TraceWriter(folder)
    writer.start(task="Add Ada to the list", model="m", desktop="memory", screen=None)
    for number, (action, receipt) in enumerate(done, start=1):
        writer.decision(number, Act(thought="Now for Ada.", actions=(action,)))
        writer.result(
            writer.intent(number, action, approval="asked: Ada"), Done(action=action, receipt=receipt)
        )
    writer.end("done", "Ada is in", Spent(steps=1, seconds=1.0, dollars=0.0, tokens=0))
    writer.close()
    return folder


def actions(trace: Trace) -> list[Action]:
    return [attempt.action for step in trace.steps for attempt in step.attempts]


def test_a_text_is_lifted_wherever_it_stands_as_a_word_of_its_own(tmp_path: Path) -> None:
    before = written(tmp_path / "a", *ACTIONS)
    kept = (before / "trace.jsonl").read_bytes()
    counts = lift(before, {"who": "Ada"}, tmp_path / "b")
    new = read(tmp_path / "b")
    assert new.header.task == "Add {{who}} to the list"
    assert new.header.variables == (Variable(name="who", default="Ada"),)
    assert actions(new) == [
        OpenApp(program="mousepad", arguments=("{{who}}_2026.txt",)),
        TypeText(text="{{who}}", into=NAME),
        TypeText(text="Adamson & {{who}}'s", into=NAME),
        ExpectValue(target=NAME, value="{{who}}", part=True),
        Browse(what="open", where="http://127.0.0.1/?name={{who}}"),
        Click(target=TextTarget("Delete", window="{{who}}")),
        TypeText(text="", secret=True),
    ]
    receipts = [attempt.receipt for step in new.steps for attempt in step.attempts]
    assert receipts[0] is not None
    assert receipts[0].opened == ("{{who}} - Notes",)
    assert receipts[1] is not None
    assert receipts[1].value == "{{who}}"
    assert new.steps[0].attempts[0].approval == "asked: Ada", "who approved it is no text of the task"
    assert counts["who"] > 6
    assert (before / "trace.jsonl").read_bytes() == kept


def test_what_was_lifted_is_filled_in_with_another_text_or_the_recorded_one(tmp_path: Path) -> None:
    lift(written(tmp_path / "a", *ACTIONS), {"who": "Ada"}, tmp_path / "b.zip")
    new = read(tmp_path / "b.zip")
    assert actions(filled(new, {})) == actions(read(tmp_path / "a"))
    bob = filled(new, {"WHO": "Bob"})
    assert bob.header.task == "Add Bob to the list"
    assert actions(bob)[2] == TypeText(text="Adamson & Bob's", into=NAME)


names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)


@given(names, texts, texts, st.lists(texts, max_size=3))
def test_filling_in_the_recorded_text_gives_what_was_recorded(
    name: str, value: str, other: str, around: list[str]
) -> None:
    text = " ".join([*around, value, *around])
    start = Start(task=text, model="m", desktop="d", screen=None, system="s", program="p")
    intent = Intended(id=1, step=1, action=ClipboardSet(text=text), approval="yes")
    try:
        new = lifted([start, intent], {name: value})
    except TraceError as error:
        assert str(error)  # noqa: PT017 - an empty value, or one inside of another word: said in a sentence
        return
    changed, action = new
    assert isinstance(changed, Start)
    assert isinstance(action, Intended)
    assert isinstance(action.action, ClipboardSet)
    mark = "{{" + name + "}}"
    assert mark in action.action.text
    assert changed.variables[0].default == value
    if mark not in text and mark not in other:
        assert action.action.text.replace(mark, value) == text


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"who": "Eve"}, 'No recorded action types, checks or names "Eve"'),
        ({"who": "dam"}, 'stands only inside of other words, such as "Adamson"'),
        ({"who": " "}, "Say which recorded text who stands for"),
        ({"1": "Ada"}, '"1" cannot be the name of a value'),
        ({"secret1": "Ada"}, '"secret1" cannot be the name of a value'),
        ({"approval": "asked"}, 'No recorded action types, checks or names "asked"'),
    ],
)
def test_what_cannot_be_lifted_is_said_and_nothing_is_written(
    values: dict[str, str], words: str, tmp_path: Path
) -> None:
    with pytest.raises(TraceError) as caught:
        lift(written(tmp_path / "a", *ACTIONS), values, tmp_path / "b")
    assert words in str(caught.value)
    assert not (tmp_path / "b").exists()


def test_a_name_is_lifted_once_and_a_new_trace_never_replaces_another(tmp_path: Path) -> None:
    lift(written(tmp_path / "a", *ACTIONS), {"who": "Ada"}, tmp_path / "b")
    with pytest.raises(TraceError, match='"who" stands for "Ada" in this trace already'):
        lift(tmp_path / "b", {"who": "mousepad"}, tmp_path / "c")
    with pytest.raises(TraceError, match="is there already"):
        lift(tmp_path / "a", {"who": "Ada"}, tmp_path / "b")
    lift(tmp_path / "b", {"program": "mousepad"}, tmp_path / "c")
    assert [each.name for each in read(tmp_path / "c").header.variables] == ["who", "program"]


def test_keys_and_languages_are_no_texts(tmp_path: Path) -> None:
    before = written(
        tmp_path / "a",
        (PressKeys(keys=("a",)), Receipt(effect="here")),
        (RunCode(language="r", code="a <- 'r'"), Receipt(effect="unknown")),
        (WaitForWindow(title="a"), Receipt(effect="unknown")),
    )
    lift(before, {"first": "a", "second": "r"}, tmp_path / "b")
    assert actions(read(tmp_path / "b")) == [
        PressKeys(keys=("a",)),
        RunCode(language="r", code="{{first}} <- '{{second}}'"),
        WaitForWindow(title="{{first}}"),
    ]


def test_a_name_that_needs_a_text_is_asked_for_with_all_names_of_the_trace(tmp_path: Path) -> None:
    lift(written(tmp_path / "a", *ACTIONS), {"who": "Ada"}, tmp_path / "b", required=True)
    lift(tmp_path / "b", {"program": "mousepad"}, tmp_path / "c")
    with pytest.raises(TraceError) as caught:
        filled(read(tmp_path / "c"), {})
    assert str(caught.value) == ('The trace needs who, program (recorded: "mousepad"). Give --var who=TEXT.')


def test_a_form_recorded_for_one_is_replayed_for_another(reader: Reader, tmp_path: Path) -> None:
    recorded = Runner(reader=reader).run('type "Ada" into "First name"; click "Save"', tmp_path / "a").folder
    assert not trace_command(["lift", str(recorded), "who=Ada", "-o", str(tmp_path / "b")], {})
    new = read(tmp_path / "b")
    bob = replayed(new, tmp_path / "bob", reader, form_desktop(), values={"who": "Bob"})
    assert (bob.result.outcome, bob.desktop.values["First name"]) == ("pass", "Bob")
    ada = replayed(new, tmp_path / "ada", reader, form_desktop())
    assert ada.desktop.values["First name"] == "Ada"
    assert 'As recorded, who is "Ada".' in ada.finished.words
