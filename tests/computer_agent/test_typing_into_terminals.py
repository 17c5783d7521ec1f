from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from approving import Person, asking, proposal

from computer_agent.approval import Allow, Refuse, all_but_hard
from computer_api.actions import AnswerPrompt, Click, ClipboardSet, HoldKeys, KeyDown, PressKeys, TypeText
from computer_api.geometry import Pixel
from computer_platform.desktop import Area, Window

if TYPE_CHECKING:
    from computer_api.actions import Action

ERASES = "rm -rf /"


@pytest.mark.parametrize(
    "enter",
    [
        PressKeys(keys=("Return",)),
        PressKeys(keys=("KP_Enter",)),
        PressKeys(keys=("ctrl", "j")),
        PressKeys(keys=("ctrl", "m")),
        PressKeys(keys=("ctrl", "o")),
        KeyDown(keys=("Return",)),
        HoldKeys(keys=("Return",), seconds=1),
        TypeText(text="\r"),
    ],
    ids=str,
)
def test_a_line_in_a_terminal_ends_with_every_key_that_runs_it(enter: Action) -> None:
    terminal = Window(
        id=1, title="sh", app="XTerm", pid=None, area=Area(0, 0, 9, 9), active=True, hidden=False
    )
    person = Person(*[Refuse("no")] * 3)
    approval = asking(person, rule=all_but_hard)
    approval.decide(replace(proposal(TypeText(text=ERASES)), receiver=lambda: terminal))
    approval.decide(replace(proposal(enter), receiver=lambda: terminal))
    before = len(person.asked)
    decision = approval.decide(replace(proposal(TypeText(text="ls")), receiver=lambda: terminal))
    assert decision == Allow("-y"), "the line before is over"
    assert person.asked[-1] == enter
    assert len(person.asked) == before


def test_an_answer_to_a_waiting_program_is_judged_as_a_command_even_with_y() -> None:
    person = Person(Refuse("no"))
    answer = AnswerPrompt(text=ERASES)
    assert isinstance(asking(person, rule=all_but_hard).decide(proposal(answer)), Refuse)
    assert person.asked == [answer]
    assert asking(person, rule=all_but_hard).decide(proposal(AnswerPrompt(text="yes"))) == Allow("-y")


def terminal() -> Window:
    return Window(id=1, title="sh", app="XTerm", pid=None, area=Area(0, 0, 9, 9), active=True, hidden=False)


@pytest.mark.parametrize(
    "paste",
    [
        PressKeys(keys=("ctrl", "shift", "v")),
        PressKeys(keys=("shift", "insert")),
        Click(target=Pixel(1, 1), button="middle"),
    ],
    ids=str,
)
def test_what_is_pasted_into_a_terminal_is_judged_as_what_was_copied(paste: Action) -> None:
    person = Person(Refuse("no"))
    approval = asking(person, rule=all_but_hard)
    approval.decide(replace(proposal(ClipboardSet(text=ERASES + "\n")), receiver=terminal))
    assert approval.decide(replace(proposal(paste), receiver=terminal)) == Refuse("no")


def test_a_line_that_is_typed_key_by_key_is_judged_whole() -> None:
    person = Person(Refuse("no"), Refuse("no"))
    approval = asking(person, rule=all_but_hard)
    for key in ("r", "m", "space", "-", "r", "f", "space"):
        assert approval.decide(replace(proposal(PressKeys(keys=(key,))), receiver=terminal)) == Allow("-y")
    assert approval.decide(replace(proposal(PressKeys(keys=("~",))), receiver=terminal)) == Refuse("no")


def test_a_hidden_answer_is_judged_too_and_the_question_does_not_tell_it() -> None:
    person = Person(Refuse("no"))
    answer = AnswerPrompt(text=ERASES, secret=True)
    assert asking(person, rule=all_but_hard).decide(proposal(answer)) == Refuse("no")
    (asked,) = person.proposals
    assert asked.risk is not None
    assert ERASES not in str(replace(asked, action=AnswerPrompt(text="")))


@pytest.mark.parametrize(
    "erase",
    [
        PressKeys(keys=("BackSpace",)),
        PressKeys(keys=("ctrl", "h")),
        PressKeys(keys=("BackSpace",), times=2),
        PressKeys(keys=("ctrl", "w")),
        HoldKeys(keys=("BackSpace",), seconds=1),
        KeyDown(keys=("BackSpace",)),
    ],
    ids=str,
)
def test_what_is_left_of_a_line_after_erasing_is_judged_too(erase: Action) -> None:
    person = Person(*[Refuse("no")] * 3)
    approval = asking(person, rule=all_but_hard)
    typed = TypeText(text="rm -rf ~/x")
    assert approval.decide(replace(proposal(typed), receiver=terminal)) == Allow("-y")
    approval.decide(replace(proposal(erase), receiver=terminal))
    enter = PressKeys(keys=("Return",))
    assert approval.decide(replace(proposal(enter), receiver=terminal)) == Refuse("no")
    assert person.asked[-1] == enter
