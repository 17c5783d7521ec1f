"""The lines that a run writes, as a pipe of 80 columns gets them."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from agent_run import NotingModel, Stage, act
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from computer_agent.chat.view import TerminalView
from computer_agent.loop import run
from computer_agent.step import (
    Act,
    Answer,
    Deciding,
    Done,
    Ending,
    Event,
    Finished,
    Looking,
    NotDone,
    Observation,
    Performed,
    Printing,
    Spent,
    Started,
    Step,
    Stepped,
    Thinking,
    Usage,
)
from computer_api.actions import (
    Action,
    Browse,
    Click,
    ClipboardGet,
    ClipboardSet,
    Expect,
    Look,
    PlaceWindow,
    RunCode,
    TypeText,
    WaitForWindow,
)
from computer_api.geometry import Size
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_api.targets import TextTarget
from computer_platform.desktop import Area, Frame

if TYPE_CHECKING:
    from typing import Literal

SAVE = Click(target=TextTarget("Save"))
SPENT = Spent(steps=2, seconds=3.21, dollars=0.0125, tokens=400)


def lines(*events: Event, quiet_thoughts: bool = False) -> list[str]:
    """What the events come to, line by line."""
    out = StringIO()
    view = TerminalView(Console(file=out, width=80, highlight=False), quiet_thoughts=quiet_thoughts)
    for event in events:
        view.show(event)
    return out.getvalue().splitlines()


def done(action: Action, *, nested: bool = False, seconds: float = 0.5, **said: object) -> Performed:
    receipt = Receipt(**{"effect": "here", "seconds": seconds, **said})  # type: ignore[arg-type] # any of its fields
    return Performed(outcome=Done(action=action, receipt=receipt), nested=nested)


def not_done(
    action: Action, why: str, kind: Literal["refused", "error", "skipped"], *, nested: bool = False
) -> Performed:
    return Performed(outcome=NotDone(action=action, why=why, kind=kind), nested=nested)


def seen(**said: object) -> Observation:
    return Observation(**{"screenshot": None, **said})  # type: ignore[arg-type] # any of its fields


def screenshot() -> Screenshot:
    frame = Frame(pixels=np.zeros((800, 1280, 4), np.uint8), area=Area(0, 0, 1280, 800))
    return Screenshot(frame=frame, size=Size(1280, 800))


# One event after the other.


def test_a_run_begins_with_its_task_its_desktop_its_model_and_its_trace() -> None:
    started = Started(task="Fill in the form\nand send it", model="steps", desktop="private", trace="/t/1")
    assert lines(started) == [
        "Task     Fill in the form  (+1 lines)",
        "Desktop  private    Model  steps",
        "Trace    /t/1",
    ]


def test_a_step_says_what_it_sees_and_the_notes_of_the_harness() -> None:
    assert lines(Looking(number=1, seen=seen(screenshot=screenshot()))) == ["  1  sees the screen, 1280x800"]
    assert lines(Looking(number=12, seen=seen(unchanged_since=9, notes=("Do something else.",)))) == [
        " 12  the screen is as at step 9",
        "     ! Do something else.",
    ]


def test_what_the_run_has_cost_so_far_stands_beside_the_next_step() -> None:
    step = Step(number=1, seen=seen(), act=Act(thought="", actions=()), outcomes=(), seconds=1.0)
    looking = Looking(number=2, seen=seen(unchanged_since=1))
    assert lines(Stepped(step=step, spent=SPENT), looking) == [
        "  2  the screen is as at step 1  (2 steps, 3.2 s, $0.0125 so far)"
    ]
    priced = replace(step, act=replace(step.act, usage=Usage(tokens_in=12_000, tokens_out=40, dollars=0.004)))
    assert lines(Stepped(step=priced, spent=SPENT), looking)[-1].endswith(
        "(2 steps, 3.2 s, $0.0125 so far; the last step $0.0040, 12,040 tokens)"
    )
    unknown = replace(
        step, act=replace(step.act, usage=Usage(tokens_in=12_000, tokens_cached=9_000, dollars=None))
    )
    assert "the last step price unknown, 12,000 tokens, 9,000 of them cached" in "".join(
        lines(Stepped(step=unknown, spent=SPENT), looking)
    )


def test_an_action_is_told_before_in_the_words_of_the_steps_and_its_receipt_after() -> None:
    assert lines(Deciding(action=SAVE, nested=False), done(SAVE, opened=("Saved",))) == [
        '     → click "Save"',
        '     ✓ opened "Saved"  (0.50 s)',
    ]


def test_code_is_told_line_by_line_and_what_it_asks_for_is_indented() -> None:
    code = RunCode(language="python", code='x = 1\ncomputer.mouse.click("Save")')
    assert lines(
        Deciding(action=code, nested=False),
        Deciding(action=SAVE, nested=True),
        done(SAVE, nested=True),
        Printing(text="printed\n"),
        done(code, effect="unknown"),
    ) == [
        "     → ```python",
        "       x = 1",
        '       computer.mouse.click("Save")',
        "       ```",
        '       → click "Save"',
        "       ✓ changed here  (0.50 s)",
        "     printed",
        "     ✓ the code ran  (0.50 s)",
    ]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (done(RunCode(language="shell", code="false"), failed=True), "     ✗ the code failed  (0.50 s)"),
        (done(Expect(target=TextTarget("Saved"))), "     ✓ it is there  (0.50 s)"),
        (done(Expect(target=TextTarget("Saved"), gone=True)), "     ✓ it is gone  (0.50 s)"),
        (done(WaitForWindow(title="Mail")), "     ✓ it is there  (0.50 s)"),
        (done(WaitForWindow(title="Mail", gone=True)), "     ✓ it is gone  (0.50 s)"),
        (
            done(PlaceWindow(title="Mail", left=9, top=9), output="now 300x200 at 9,9"),
            "     ✓ changed here; now 300x200 at 9,9  (0.50 s)",
        ),
        (
            done(ClipboardSet(image="a.png"), effect="unknown", output="A picture is on the clipboard."),
            "     ✓ A picture is on the clipboard  (0.50 s)",
        ),
        (
            done(ClipboardSet(text="a"), effect="unknown", value="a", holder="clipboard"),
            '     ✓ the clipboard holds "a"  (0.50 s)',
        ),
        (
            done(ClipboardGet(), effect="unknown", output="two\nlines"),
            '     ✓ read "two lines", 9 characters  (0.50 s)',
        ),
        (done(ClipboardGet(), effect="unknown"), "     ✓ read nothing: it holds no text  (0.50 s)"),
        (done(ClipboardGet(kind="html")), "     ✓ read nothing: it holds no HTML  (0.50 s)"),
        (done(ClipboardGet(kind="image"), images=(b"",)), "     ✓ read a picture  (0.50 s)"),
        (
            done(ClipboardGet(kind="image"), output="There is no picture on the clipboard."),
            "     ✓ There is no picture on the clipboard  (0.50 s)",
        ),
        (
            done(
                Browse(what="read"),
                effect="unknown",
                output='"Kettles" http://a.example/ (tab 1)\n\n# Text\n',
            ),
            '     ✓ "Kettles" http://a.example/ (tab 1)  (0.50 s)',
        ),
        (done(SAVE, opened=("x" * 5000,)), f'     ✓ opened "{"x" * 59}…"  (0.50 s)'),
        (done(SAVE, effect="nothing"), "     ✓ nothing changed  (0.50 s)"),
        (not_done(SAVE, '"Save" is not on the screen.', "error"), '     ✗ "Save" is not on the screen.'),
        (not_done(SAVE, "not today", "refused"), '     ✗ refused: click "Save": not today'),
        (not_done(SAVE, "not today", "refused", nested=True), '       ✗ refused: click "Save": not today'),
        (
            not_done(RunCode(language="python", code="a\nb"), "not today", "refused"),
            "     ✗ refused: the python code: not today",
        ),
    ],
)
def test_an_outcome_is_one_line(event: Performed, line: str) -> None:
    assert lines(event) == [line]


def test_of_a_step_that_is_over_only_what_was_skipped_is_still_to_be_told() -> None:
    outcomes = (
        Done(action=SAVE, receipt=Receipt(effect="here")),
        NotDone(action=SAVE, why="told already", kind="error"),
        NotDone(action=SAVE, why="told already", kind="refused"),
        NotDone(action=Look(), why="an action before it was not done", kind="skipped"),
    )
    act_ = Act(thought="", actions=tuple(outcome.action for outcome in outcomes))
    step = Step(number=1, seen=seen(), act=act_, outcomes=outcomes, seconds=1.0)
    assert lines(Stepped(step=step, spent=SPENT)) == [
        "     ✗ skipped: look: an action before it was not done"
    ]


@pytest.mark.parametrize(
    ("ending", "mark"),
    [
        ("done", "Done"),
        ("gave up", "Not done"),
        ("limit", "Stopped"),
        ("stopped", "Stopped"),
        ("failed", "Failed"),
    ],
)
def test_the_end_says_how_it_ended_and_what_it_cost(ending: Ending, mark: str) -> None:
    assert lines(Finished(ending=ending, words="In words.", spent=SPENT)) == [
        f"{mark}: In words.",
        "2 steps, 3.2 s, $0.0125",
    ]


@pytest.mark.parametrize(
    ("dollars", "steps", "said"),
    [(None, 0, "0 steps, 1.0 s, price unknown"), (0.0, 1, "1 step, 1.0 s, $0")],
)
def test_a_price_that_is_not_known_is_said_and_nothing_is_nothing(
    dollars: float | None, steps: int, said: str
) -> None:
    spent = Spent(steps=steps, seconds=1.0, dollars=dollars, tokens=0)
    assert lines(Finished(ending="done", words="Done.", spent=spent))[-1] == said


# Streams.


def test_streamed_pieces_are_joined_and_the_next_event_begins_a_line_of_its_own() -> None:
    pieces = [Thinking(text=text) for text in ("I cl", "ick ", "Save.\nThen I", " wait.")]
    assert lines(*pieces, Deciding(action=SAVE, nested=False)) == [
        "     I click Save.",
        "     Then I wait.",
        '     → click "Save"',
    ]


def test_what_is_said_of_the_model_is_on_a_line_of_its_own() -> None:
    failed = Printing(text="The model's server failed.\n")
    assert lines(Thinking(text="I look"), failed, Thinking(text="I look.")) == [
        "     I look",
        "     The model's server failed.",
        "     I look.",
    ]


def test_thoughts_can_be_kept_quiet_and_output_not() -> None:
    assert lines(Thinking(text="I think."), Printing(text="printed\n"), quiet_thoughts=True) == [
        "     printed"
    ]


@given(
    st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters=" \n"), min_size=1),
    st.data(),
)
def test_however_a_text_is_cut_into_pieces_it_reads_the_same(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    edges = [0, *cuts, len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    end = Finished(ending="done", words="", spent=SPENT)
    whole = lines(Printing(text=text), end)
    assert lines(*(Printing(text=piece) for piece in pieces), end) == whole
    assert "\n".join(line.removeprefix("     ") for line in whole[:-2]) == text.removesuffix("\n")


def test_a_long_line_is_not_broken_by_us() -> None:
    assert lines(Printing(text="x" * 300 + "\n"))[0] == "     " + "x" * 300


# What a terminal must not get to see.


def test_a_flood_of_lines_is_shown_in_no_time() -> None:
    began = time.process_time()
    shown = lines(Printing(text="line\n" * 100_000))
    assert time.process_time() - began < 1.2  # a quarter of one; wrapped as sentences are, two
    assert shown == ["     line"] * 100_000


def test_what_stands_behind_tabs_is_aligned_behind_our_indent_too() -> None:
    assert lines(Printing(text="a\tb\nabcd\tb\n")) == ["     a  b", "     abcd       b"]


def test_a_secret_is_dots_and_its_field_is_not_shown() -> None:
    secret = TypeText(text="hunter2", into=TextTarget("Password"), secret=True)
    told = lines(
        Deciding(action=secret, nested=False),
        done(secret),
        not_done(secret, "not today", "refused"),
        not_done(secret, "it did not arrive", "error"),
    )
    assert "hunter2" not in "\n".join(told)
    assert told[0].startswith('     → type secret "•')


HIDDEN = (
    "\x1b\x07\r\x00\u200b\u200e\u202e\u2066\ufeff\u00ad\U000e0041\u2028\ue000\u3164\u2800\U000e0101\u034f"
)


@pytest.mark.parametrize("character", HIDDEN)
def test_what_cannot_be_seen_is_shown_by_its_number(character: str) -> None:
    code = f"⟨U+{ord(character):04X}⟩"
    typed = TypeText(text=f"a{character}b")
    events: list[Event] = [
        Printing(text=f"a{character}b\n"),
        Thinking(text=f"a{character}b\n"),
        not_done(SAVE, f"a{character}b", "error"),
        Finished(ending="done", words=f"a{character}b", spent=SPENT),
        Deciding(action=typed, nested=False),
    ]
    for event in events:
        told = lines(event)
        assert character not in "".join(told)
    for event in events[:-1]:
        assert f"a{code}b" in "".join(lines(event))


@given(st.text())
def test_whatever_is_printed_no_control_character_reaches_the_terminal(text: str) -> None:
    out = StringIO()
    view = TerminalView(Console(file=out, width=80, highlight=False))
    view.show(Printing(text=text))
    view.say(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", out.getvalue())


def test_words_that_look_like_markup_are_words() -> None:
    assert lines(Printing(text="[bold]x[/bold] :smile: [link=http://x]y[/link]\n")) == [
        "     [bold]x[/bold] :smile: [link=http://x]y[/link]"
    ]


STORY: tuple[Event, ...] = (
    Started(task="t", model="m", desktop="d", trace="f"),
    Looking(number=1, seen=seen(unchanged_since=1)),
    Thinking(text="I think."),
    Deciding(action=SAVE, nested=False),
    done(SAVE),
    not_done(SAVE, "no", "refused"),
    Finished(ending="failed", words="w", spent=SPENT),
)


def test_a_pipe_and_no_color_get_no_escape_codes_and_a_terminal_gets_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def written(*, terminal: bool) -> str:
        out = StringIO()
        console = Console(file=out, width=80, highlight=False, force_terminal=terminal or None)
        view = TerminalView(console)
        for event in STORY:
            view.show(event)
        return out.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" not in written(terminal=False)
    assert re.search(r"\x1b\[[\d;]*3\dm", written(terminal=True))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[\d;]*[34]\dm", written(terminal=True))


def test_a_whole_run_reads_as_a_story(stage: Stage) -> None:
    tried = act(SAVE, Click(target=TextTarget("Nowhere")), ClipboardGet())
    replies: list[Act | Answer | BaseException] = [tried, Answer(text="Enough.")]
    out = StringIO()
    view = TerminalView(Console(file=out, width=80, highlight=False))
    agent = stage.agent(NotingModel(replies))
    told = 0
    for event in run("a task", agent):
        for earlier in stage.told[told:]:
            view.show(earlier)
        told = len(stage.told)
        view.show(event)
    agent.trace.close()
    story = re.sub(r"\d+\.\d+ s", "N s", out.getvalue()).splitlines()[3:]
    assert story[:4] == [
        "  1  sees the screen, 640x400",
        '     → click "Save"',
        "     ✓ effect unknown  (N s)",
        '     → click "Nowhere"',
    ]
    assert story[4].startswith('     ✗ "Nowhere" is not on the screen.')
    assert story[5:] == [
        "     ✗ skipped: read the clipboard: an action before it was not done",
        "  2  sees the screen, 640x400  (1 step, N s, $0 so far)",
        "Done: Enough.",
        "1 step, N s, $0",
    ]


def test_on_a_narrow_terminal_a_sentence_is_broken_between_words_and_code_by_the_terminal_alone() -> None:
    file = StringIO()
    view = TerminalView(Console(file=file, force_terminal=True, width=30, highlight=False, soft_wrap=False))
    view.say("     ! deletes a folder and all that is in it")
    view.say("     rm -rf build and a lot of other things", whole=True)
    assert file.getvalue().splitlines() == [
        "     ! deletes a folder and",
        "       all that is in it",
        "     rm -rf build and a lot of other things",
    ]


def test_in_a_pipe_a_sentence_is_one_line() -> None:
    file = StringIO()
    TerminalView(Console(file=file, width=30)).say("deletes a folder and all that is in it, and more")
    assert file.getvalue() == "deletes a folder and all that is in it, and more\n"


def test_of_a_long_text_that_is_typed_the_beginning_is_shown_and_how_long_it_is() -> None:
    typed = TypeText(text="abc XYZ " * 2000)
    (line,) = lines(Deciding(action=typed, nested=False))
    assert line.startswith('     → type "abc XYZ abc')
    assert line.endswith("… (16,007 characters)")
    assert len(line) < 400
