from __future__ import annotations

from typing import get_args

import pytest

from computer_agent.approval import Allow, AllowAll, AskFirst, Never, Proposal, Refuse, Stop
from computer_agent.approval.approval import Resolved
from computer_agent.approval.modes import AllowRest
from computer_agent.approval.risk import harmless
from computer_api.actions import (
    Action,
    AnswerPrompt,
    ArrangeWindow,
    Choose,
    Click,
    ClipboardGet,
    ClipboardSet,
    CloseWindow,
    Drag,
    Expect,
    ExpectClipboard,
    ExpectFile,
    ExpectHttp,
    ExpectProcess,
    ExpectTicked,
    ExpectValue,
    FocusWindow,
    HoldKeys,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    OpenApp,
    PlaceWindow,
    PressKeys,
    RunCode,
    Scroll,
    Tick,
    TypeText,
    Wait,
    WaitForWindow,
    Zoom,
)
from computer_api.errors import NotFoundError
from computer_api.geometry import Pixel

SPOT = Pixel(1, 1)
HARMLESS: tuple[Action, ...] = (
    Look(),
    Zoom(left=0, top=0, right=9, bottom=9),
    Wait(seconds=1),
    Expect(target=SPOT),
    ExpectValue(target=SPOT, value="Ada"),
    ExpectTicked(target=SPOT),
    ExpectProcess(name="soffice"),
    ExpectFile(path="out.csv", holds="Ada"),
    Move(target=SPOT),
    FocusWindow(title="Notes"),
    ArrangeWindow(title="Notes", how="raise"),
    PlaceWindow(title="Notes", left=0, top=0),
    WaitForWindow(title="Notes"),
)
RISKY: tuple[Action, ...] = (
    Click(target=SPOT),
    Tick(target=SPOT),
    Drag(start=SPOT, end=SPOT),
    TypeText(text="x"),
    Choose(option="x", target=SPOT),
    PressKeys(keys=("Return",)),
    HoldKeys(keys=("a",), seconds=1),
    KeyDown(keys=("a",)),
    KeyUp(keys=("a",)),
    MouseDown(),
    MouseUp(),
    Scroll(down=1),
    OpenApp(program="xterm"),
    CloseWindow(title="Notes"),
    ClipboardSet(text="x"),
    ClipboardGet(),
    ExpectClipboard(text="x"),
    ExpectHttp(url="https://example.org/"),
    RunCode(language="python", code="1"),
    AnswerPrompt(text="yes"),
)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "~/.ssh/id_rsa",
            ".env",
            "a/../.netrc",
            "/etc/shadow",
            "//etc/shadow",
            "/e*/shadow",
            "/tmp/../etc/shadow",
        ),
        *("/proc/1/environ", "~root/keys", "/"),
    ],
)
def test_whether_a_hidden_file_holds_a_text_is_asked_and_whether_it_is_there_is_not(path: str) -> None:
    assert not harmless(ExpectFile(path=path, holds="x"))
    assert harmless(ExpectFile(path=path))


@pytest.mark.parametrize("path", ["~/out.csv", "out*.csv", "./out.csv", "/home/ada/out.csv", "/tmp/out.csv"])
def test_whether_a_file_that_anybody_may_read_holds_a_text_is_not_asked(path: str) -> None:
    assert harmless(ExpectFile(path=path, holds="x"))


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8000/", True),
        ("http://localhost/", True),
        ("http://[::1]/", True),
        ("http://127.0.0.1.example.org/", False),
        ("http://localhost@example.org/", False),
        ("https://10.0.0.1/", False),
        ("nonsense", False),
        ("http://[", False),
    ],
)
def test_only_this_machine_is_asked_for_a_page_without_a_question(url: str, here: bool) -> None:  # noqa: FBT001
    assert harmless(ExpectHttp(url=url)) is here


class Person:
    """Answers in order, and counts the questions."""

    def __init__(self, *answers: Allow | Refuse | Stop) -> None:
        self._answers = list(answers)
        self.asked: list[Action] = []

    def __call__(self, proposal: Proposal, resolved: Resolved) -> Allow | Refuse | Stop:
        self.asked.append(proposal.action)
        return self._answers.pop(0)


def proposal(action: Action, *, nested: bool = False) -> Proposal:
    nothing = Resolved(shown=(), screenshot=None)
    return Proposal(action=action, nested=nested, resolve=lambda: nothing)


def test_the_two_lists_name_every_action_there_is() -> None:
    assert {type(action) for action in (*HARMLESS, *RISKY)} == set(get_args(Action))
    assert len(HARMLESS) + len(RISKY) == len(get_args(Action))


@pytest.mark.parametrize("action", HARMLESS)
def test_what_only_looks_waits_or_points_runs_unasked(action: Action) -> None:
    assert harmless(action)
    person = Person()
    assert AskFirst(person).decide(proposal(action)) == Allow("harmless")
    assert Never().decide(proposal(action)) == Allow("harmless")
    assert person.asked == []


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("action", RISKY)
def test_everything_else_is_asked_in_the_usual_mode_also_inside_code(action: Action, nested: bool) -> None:  # noqa: FBT001 - a case
    assert not harmless(action)
    person = Person(Refuse("no"), Allow("the person"))
    approval = AskFirst(person)
    assert approval.decide(proposal(action, nested=nested)) == Refuse("no")
    assert approval.decide(proposal(action, nested=nested)) == Allow("the person")
    assert person.asked == [action, action]


@pytest.mark.parametrize("action", RISKY)
def test_a_run_that_may_only_look_refuses_everything_else_and_says_why(action: Action) -> None:
    decision = Never().decide(proposal(action))
    assert isinstance(decision, Refuse)
    assert "--approve plan" in decision.why


@pytest.mark.parametrize("action", [*RISKY, *HARMLESS])
def test_allowing_all_allows_all_and_looks_at_nothing(action: Action) -> None:
    def resolve() -> Resolved:
        pytest.fail("nobody asked to see it")

    assert AllowAll().decide(Proposal(action=action, nested=False, resolve=resolve)) == Allow("-y")


def test_each_yes_is_for_one_action_only() -> None:
    person = Person(Allow("the person"), Allow("the person"))
    approval = AskFirst(person)
    for _ in range(2):
        approval.decide(proposal(RISKY[0]))
    assert len(person.asked) == 2


def test_after_a_yes_to_the_rest_nobody_is_asked_again_in_this_run_and_in_the_next_one_again() -> None:
    person = Person(AllowRest("the person"), Allow("the person"))
    approval = AskFirst(person)
    assert isinstance(approval.decide(proposal(RISKY[0])), Allow)
    for action in RISKY:
        decision = approval.decide(proposal(action))
        assert isinstance(decision, Allow)
        assert "rest of the run" in decision.by
    assert len(person.asked) == 1
    AskFirst(person).decide(proposal(RISKY[0]))
    assert len(person.asked) == 2


def test_a_no_or_a_stop_is_no_yes_to_anything() -> None:
    person = Person(Refuse("no"), Stop(), Refuse("no"))
    approval = AskFirst(person)
    assert [approval.decide(proposal(RISKY[0])) for _ in range(3)] == [Refuse("no"), Stop(), Refuse("no")]


def test_nobody_is_asked_about_what_cannot_be_done() -> None:
    def resolve() -> Resolved:
        raise NotFoundError('"Save" is not on the screen.')

    person = Person()
    with pytest.raises(NotFoundError):
        AskFirst(person).decide(Proposal(action=RISKY[0], nested=False, resolve=resolve))
    assert person.asked == []
