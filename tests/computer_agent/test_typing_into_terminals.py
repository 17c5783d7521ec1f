from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from approving import Person, asking, proposal

from computer_agent.approval import Allow, Refuse, all_but_hard
from computer_api.actions import AnswerPrompt, HoldKeys, KeyDown, PressKeys, TypeText
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
