"""What the model is told of windows that came and went since it last looked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from agent_run import NotingModel, Stage, act

from computer_agent.step import Act, Answer, Done
from computer_agent.window_news import window_news
from computer_api.actions import CloseWindow, Look
from computer_api.receipt import Receipt
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Sequence


def window(number: int, title: str, owner: int | None = None) -> Window:
    return Window(
        id=number, title=title, app="App", pid=None, area=Area(0, 0, 9, 9), active=False, hidden=False, dialog_of=owner
    )  # fmt: skip


NOTES, MAIL = window(1, "notes.txt"), window(2, "Mail")
SAVE = window(3, "Save changes?", owner=1)


def done(**receipt: object) -> Done:
    return Done(action=Look(), receipt=Receipt(effect="unknown", **receipt))  # type: ignore[arg-type] # any of its fields


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([NOTES], [NOTES], ()),
        ([NOTES], [NOTES, MAIL], ('new window "Mail"',)),
        ([NOTES], [NOTES, SAVE], ('new window "Save changes?" (dialog of "notes.txt")',)),
        ([NOTES, MAIL], [NOTES], ('closed "Mail"',)),
        ([NOTES], [MAIL], ('new window "Mail"; closed "notes.txt"',)),
        ([NOTES], [window(1, "*notes.txt")], ()),
        ([], [window(4, "two\nlines"), window(5, "")], ('new window "two lines"; new window "App"',)),
        ([], [window(4, "Late", owner=99)], ('new window "Late"',)),
    ],
)
def test_new_windows_and_closed_ones_are_told_in_one_sentence(
    before: Sequence[Window], after: Sequence[Window], told: tuple[str, ...]
) -> None:
    assert window_news(before, after, ()) == told


def test_what_a_receipt_has_told_is_not_told_again() -> None:
    twin = window(4, "Mail")
    assert window_news([NOTES], [NOTES, MAIL], [done(opened=("Mail",))]) == ()
    assert window_news([NOTES], [NOTES, MAIL, twin], [done(opened=("Mail",))]) == ('new window "Mail"',)
    assert window_news([NOTES, MAIL], [NOTES], [done(), done(closed=("Mail",))]) == ()


def test_the_news_of_many_windows_stay_short() -> None:
    many = [window(number, f"{number} {'word ' * 200}") for number in range(30)]
    (told,) = window_news([], many, ())
    assert told.count("new window") == 4
    assert told.endswith("; 26 more")
    assert len(told) < 340


def test_a_dialog_that_opens_while_the_model_thinks_is_in_its_next_observation(stage: Stage) -> None:
    desktop = MemoryDesktop((640, 400), windows=[NOTES])

    class Slow(NotingModel):
        def decide(self, *shown: object) -> Act | Answer:
            assert desktop.windows is not None
            if not self.shown:
                desktop.windows._windows.append(SAVE)
            return super().decide(*shown)  # type: ignore[arg-type] # passed on

    model = Slow([act(Look()), act(CloseWindow(title="save changes?")), Answer(text="ok")])
    replace(stage, desktop=desktop).play(model)
    assert [seen.notes for seen in model.shown] == [
        (),
        ('new window "Save changes?" (dialog of "notes.txt")',),
        ('closed "Save changes?"',),
    ]
