"""What a replay sends reaches the window that it is meant for, and no dialog that its recording does not know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from computer_agent.trace.reader import Attempt
from computer_agent.trace.receiver import Receiver
from computer_api.actions import Click, Expect, OpenApp, PressKeys, TypeText
from computer_api.computer import Computer
from computer_api.errors import ComputerError
from computer_api.geometry import Box
from computer_api.receipt import Receipt
from computer_api.targets import Anchors, Match, TextTarget
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from computer_vision.reader import Reader

SAVE = Click(target=TextTarget("Save"))
TYPING = TypeText(text="Ada")
AT_SAVE = Match(box=Box(250, 255, 60, 20), text="Save", score=1.0, source="text")


def window(
    number: int, title: str, *, active: bool = False, of: int | None = None, modal: bool = False
) -> Window:
    area = Area(0, 0, 640, 400) if of is None else Area(300, 20, 200, 60)
    return Window(
        id=number,
        title=title,
        app="form",
        pid=7,
        area=area,
        active=active,
        hidden=False,
        dialog_of=of,
        modal=modal,
    )


def receiver(reader: Reader, *windows: Window, opened: tuple[str, ...] = ()) -> Receiver:
    desktop = MemoryDesktop((640, 400), form(), windows=windows)
    computer = Computer(desktop, reader=reader, receipts=False, patience=0.0)
    return Receiver(computer=computer, titles=frozenset(opened))


def test_keys_go_into_the_window_that_was_clicked_or_nowhere(reader: Reader) -> None:
    mail = window(3, "Mail 7", active=True)
    meant = receiver(reader, window(1, "Form"), mail)
    meant.check(TYPING, 0.0)  # nothing was clicked yet
    one = receiver(reader, mail, window(1, "Form"))
    one.follow(SAVE, Receipt(effect="here", matches=(AT_SAVE,)), Receipt(effect="here"))
    with pytest.raises(ComputerError) as caught:
        one.check(TYPING, 0.0)
    assert str(caught.value) == 'The keyboard is in "Mail 7", not in "Form", so nothing was typed.'
    assert not caught.value.begun


@pytest.mark.parametrize(
    "recorded",
    [
        Receipt(effect="elsewhere", opened=("mail 12",)),
        Receipt(effect="elsewhere", focus="Mail 1"),
        Receipt(effect="elsewhere", renamed=("Mail 1",)),
    ],
)
def test_keys_may_go_where_they_went_when_it_was_recorded(recorded: Receipt, reader: Reader) -> None:
    one = receiver(reader, window(3, "Mail 7", active=True), window(1, "Form"))
    one.follow(SAVE, Receipt(effect="here", matches=(AT_SAVE,)), recorded)
    one.check(TYPING, 0.0)
    one.check(PressKeys(keys=("Return",)), 0.0)


def test_after_a_program_was_opened_keys_go_where_it_has_them(reader: Reader) -> None:
    one = receiver(reader, window(3, "Mail 7", active=True), window(1, "Form"))
    one.follow(SAVE, Receipt(effect="here", matches=(AT_SAVE,)), Receipt(effect="here"))
    one.follow(OpenApp(program="mail"), Receipt(effect="elsewhere"), Receipt(effect="elsewhere"))
    one.check(TYPING, 0.0)


def test_nothing_is_clicked_below_a_dialog_that_the_recording_does_not_know(reader: Reader) -> None:
    dialog = window(2, "Software update", of=1, modal=True, active=True)
    one = receiver(reader, window(1, "Form"), dialog)
    with pytest.raises(ComputerError, match='The dialog "Software update" is in the way'):
        one.check(SAVE, 0.0)
    one.check(Expect(target=TextTarget("Save")), 0.0)  # which only looks


@pytest.mark.parametrize("modal", [True, False])
def test_a_dialog_that_takes_nothing_from_the_window_is_in_nobodys_way(
    *, modal: bool, reader: Reader
) -> None:
    other = replace(window(9, "Other"), pid=8, area=Area(400, 300, 200, 90))
    dialog = window(
        2, "Find", of=9 if modal else 1, modal=modal
    )  # another program's, or one that does not block
    receiver(reader, window(1, "Form"), other, replace(dialog, pid=8 if modal else 7)).check(SAVE, 0.0)


def test_a_dialog_that_the_recording_opened_or_was_done_beside_is_known(reader: Reader) -> None:
    dialog = window(2, "Software update", of=1, modal=True, active=True)
    receiver(reader, window(1, "Form"), dialog, opened=("software update",)).check(SAVE, 0.0)
    one = receiver(reader, window(1, "Form"), dialog)
    anchors = Anchors(question=TextTarget("Save"), window="Form", dialog="Software update")
    known = Match(box=AT_SAVE.box, text="Save", score=1.0, source="text", anchors=anchors)
    one.learn(Receipt(effect="here", matches=(known,)))
    one.check(SAVE, 0.0)


def typed_into(title: str, app: str) -> Attempt:
    return Attempt(
        id=1, action=TYPING, approval="yes", nested=False, redacted=False, began=1.0, window=title, app=app
    )


def test_keys_alone_go_into_a_window_of_the_recorded_program_or_nowhere(reader: Reader) -> None:
    here = receiver(reader, window(1, "Form"), replace(window(3, "Question", active=True), app="zenity"))
    with pytest.raises(ComputerError) as caught:
        here.check(TYPING, 0.0, typed_into("Form", "form"))
    assert str(caught.value) == (
        'The keyboard is in "Question", not in "Form" as it was recorded, so nothing was typed.'
    )
    here.check(TYPING, 0.0, typed_into("Any question", "zenity"))
    here.check(TYPING, 0.0, typed_into("", ""))  # an older recording does not tell


def test_keys_alone_do_not_go_into_a_dialog_that_nobody_knows(reader: Reader) -> None:
    update = window(2, "Software update", of=1, modal=True, active=True)
    with pytest.raises(ComputerError, match='The keyboard is in "Software update"'):
        receiver(reader, window(1, "Form"), update).check(TYPING, 0.0, typed_into("Form", "form"))
    opened = receiver(reader, window(1, "Form"), update, opened=("Software update",))
    opened.check(TYPING, 0.0, typed_into("Form", "form"))


def test_keys_alone_wait_for_a_window_that_has_not_come_yet(reader: Reader) -> None:
    one = receiver(reader)
    with pytest.raises(ComputerError) as caught:
        one.check(TYPING, 0.0, typed_into("Form", "form"))
    assert str(caught.value) == (
        'The keyboard is in no window, not in "Form" as it was recorded, so nothing was typed.'
    )


def test_keys_alone_do_not_go_into_another_window_of_the_program_while_theirs_is_there(
    reader: Reader,
) -> None:
    theirs, other = window(1, "Town"), window(2, "Software update", active=True)
    with pytest.raises(ComputerError):
        receiver(reader, theirs, other).check(TYPING, 0.0, typed_into("Town", "form"))
    receiver(reader, other).check(TYPING, 0.0, typed_into("Town", "form"))  # it may be called otherwise now
