"""The approval question on a real terminal: what it shows, and what each answer means."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from computer_agent.approval import Allow, Proposal, Refuse, Risk, Stop
from computer_agent.approval.approval import Resolved
from computer_agent.approval.code import Label
from computer_agent.approval.modes import AllowPrefix, AllowRest, Edited, Said
from computer_agent.chat.question import (
    NOBODY,
    NOBODY_HARD,
    DeniedQuestion,
    InputQuestion,
    SafetyQuestion,
    TerminalQuestion,
)
from computer_agent.chat.view import TerminalView
from computer_agent.code_settings import BadSetting
from computer_agent.step import SafetyCheck
from computer_api.actions import Action, Click, RunCode, TypeText
from computer_api.computer import Computer
from computer_api.geometry import Pixel
from computer_api.targets import Target, TextTarget
from computer_api.terminal.sandbox import Denial
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, form
from computer_vision.marks import RED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_vision.tesseract import TesseractReader

SAVE = Click(target=TextTarget("Save"))
END_OF_INPUT = "\x04"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A terminal as standard input; what is passed to this is typed on it."""
    keyboard, screen = os.openpty()
    with os.fdopen(screen, encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        yield lambda text: [os.write(keyboard, text.encode())].clear()
    os.close(keyboard)


def a_line(_prompt: str) -> str:
    """What was typed, also before the question; that such an answer does not count is tested on a real terminal."""
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


class Asking:
    """A question with its own view, and what that showed."""

    def __init__(self, folder: Path) -> None:
        self.out = StringIO()
        view = TerminalView(Console(file=self.out, width=80, highlight=False))
        self.question = TerminalQuestion(view, folder, read=a_line, edit=self.edit)
        self.denied = DeniedQuestion(view, read=a_line)
        self.line = InputQuestion(view, read=a_line)
        self.safety = SafetyQuestion(view, read=a_line)
        self.saves: list[str] = []  # what is saved in the editor, or nothing: it fails

    def edit(self, _language: str, code: str) -> str:
        if not self.saves:
            raise BadSetting("There is no editor here.")
        return self.saves.pop(0).replace("{code}", code)

    def about(
        self,
        action: Action,
        resolved: Resolved | None = None,
        *,
        nested: bool = False,
        risk: Risk | None = None,
    ) -> Said:
        nothing = Resolved(shown=(), screenshot=None)
        proposal = Proposal(action=action, nested=nested, resolve=lambda: nothing, risk=risk)
        return self.question(proposal, resolved or nothing)

    @property
    def shown(self) -> str:
        return self.out.getvalue()


@pytest.fixture
def asking(tmp_path: Path) -> Asking:
    return Asking(tmp_path)


def found(reader: TesseractReader, *targets: Target) -> Resolved:
    computer = Computer(MemoryDesktop((640, 400), form()), reader=reader, patience=0.0)
    return Resolved(shown=tuple(map(computer.show, targets)), screenshot=computer.look())


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ("y", Allow("the person")),
        ("Yes", Allow("the person")),
        ("  y  ", Allow("the person")),
        ("n", Refuse("the person said no")),
        ("no", Refuse("the person said no")),
        ("n that is the wrong file", Refuse("that is the wrong file")),
        ("no, use the other button", Refuse("use the other button")),
        ("N: nicht löschen", Refuse("nicht löschen")),
        ("a", AllowRest("the person, for the rest of the run")),
        ("all", AllowRest("the person, for the rest of the run")),
        ("s", Stop()),
        ("stop", Stop()),
        ("q", Stop()),
    ],
)
def test_each_answer_means_what_it_says(
    asking: Asking, typed: Callable[[str], None], answer: str, decision: Allow | Refuse | Stop
) -> None:
    typed(f"{answer}\n")
    given = asking.about(SAVE)
    assert (type(given), given) == (type(decision), decision)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "maybe",
        "yno",
        "yesterday",
        "\N{CYRILLIC SMALL LETTER U}",
        "yes, but only in src",
        "y n",
        "all right, no",
        "a little",
        "stop it",
    ],
)
def test_what_is_no_answer_allows_nothing_and_is_asked_again(
    asking: Asking, typed: Callable[[str], None], answer: str
) -> None:
    typed(f"{answer}\nn\n")
    assert asking.about(SAVE) == Refuse("the person said no")
    assert asking.shown.count("[y]es  [n]o, with a reason  [a]ll of this run  [s]top") == 2


def test_the_end_of_the_input_stops_the_run(asking: Asking, typed: Callable[[str], None]) -> None:
    typed(END_OF_INPUT)
    assert asking.about(SAVE) == Stop()


def test_where_nobody_can_be_asked_the_answer_is_no(asking: Asking, tmp_path: Path) -> None:
    assert not sys.stdin.isatty()
    assert asking.about(SAVE) == Refuse(NOBODY)
    assert asking.shown == ""
    assert not (tmp_path / "questions").exists()


def test_where_nobody_can_be_asked_about_what_is_always_asked_no_flag_is_promised_to_help(
    asking: Asking,
) -> None:
    given = asking.about(LISTING, risk=Risk(level="high", hard='it runs "sudo"'))
    assert given == Refuse(NOBODY_HARD)
    assert "start with -y" not in NOBODY_HARD


def test_code_that_may_have_scrolled_away_is_said_to_be_long(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    typed("n\nn\n")
    asking.about(RunCode(language="shell", code="ls\n" * 10))
    assert "scroll up" not in asking.shown
    asking.about(RunCode(language="shell", code="ls\n" * 500 + "rm a"))
    assert "503 lines: scroll up" in asking.shown


def test_no_name_can_write_a_line_of_its_own_into_a_question(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    forged = "a\n     in a sandbox\u202e"
    typed("n\nn\n\n")
    risk = replace(
        RISK, labels=(Label(name="destructive", words=forged),), hard=forged, prefix=("git", forged)
    )
    window = Window(id=1, title=forged, app="b", pid=None, area=Area(0, 0, 9, 9), active=True, hidden=False)
    asking.about(LISTING, Resolved(shown=(), screenshot=None, receiver=window), risk=risk)
    asking.denied(LISTING, (Denial(kind="write", what=forged, words=forged),), False)  # noqa: FBT003 - the seam's
    asking.line(forged, False)  # noqa: FBT003 - the seam's
    assert asking.shown.count("a⟨U+000A⟩     in a sandbox⟨U+202E⟩") >= 6
    assert "\n     in a sandbox" not in asking.shown


def test_the_question_names_the_action_where_it_was_found_and_its_picture(
    asking: Asking, typed: Callable[[str], None], reader: TesseractReader
) -> None:
    typed("y\n")
    asking.about(SAVE, found(reader, TextTarget("Save")))
    said = [line.strip() for line in asking.shown.splitlines()]
    assert said[:2] == ["It wants to:", 'click "Save"']
    assert said[2].startswith('on "Save", found by text at 28')
    assert said[3].startswith("picture: ")


def test_code_is_shown_whole_and_its_wishes_are_told_as_its_own(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    typed("y\ny\n")
    asking.about(RunCode(language="python", code="import os\nos.remove('a')"))
    asking.about(SAVE, nested=True)
    said = [line.strip() for line in asking.shown.splitlines()]
    assert said[:5] == ["It wants to run this code:", "```python", "import os", "os.remove('a')", "```"]
    assert "The code asks to:" in said


def test_a_secret_and_what_cannot_be_seen_are_not_written_as_they_are(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    typed("y\ny\n")
    asking.about(TypeText(text="hunter2", secret=True))
    asking.about(RunCode(language="shell", code="echo a # \u202e rm -rf /\x1b[2K;\u00a0ls\u2028id"))
    assert "⟨U+00A0⟩" in asking.shown
    assert "⟨U+2028⟩" in asking.shown
    assert "hunter2" not in asking.shown
    assert "\u202e" not in asking.shown
    assert "\x1b" not in asking.shown


def test_a_place_without_words_is_said_to_be_one(
    asking: Asking, typed: Callable[[str], None], reader: TesseractReader
) -> None:
    typed("n\n")
    asking.about(Click(target=Pixel(600, 390)), found(reader, Pixel(600, 390)))
    assert "on a place without words, found by pixel at 600,390" in asking.shown


@pytest.mark.parametrize("target", [TextTarget("Save"), Pixel(600, 390), Pixel(0, 0), Pixel(639, 399)])
def test_the_picture_shows_the_target_and_where_it_would_click(
    asking: Asking,
    typed: Callable[[str], None],
    reader: TesseractReader,
    tmp_path: Path,
    target: Target,
) -> None:
    typed("n\n")
    resolved = found(reader, target)
    asking.about(Click(target=target), resolved)
    with Image.open(tmp_path / "questions" / "1.png") as saved:
        picture = np.asarray(saved.convert("RGB"))
    red = np.argwhere((picture == RED).all(axis=2))
    assert len(red) > 4
    box = resolved.shown[0].match.box
    left, top = max(0, box.left - 80), max(0, box.top - 80)
    middle = (box.center.y - top, box.center.x - left)
    assert (red.min(axis=0) <= middle).all() or box.left < 4
    assert (red.max(axis=0) >= middle).all() or box.right > 636
    assert picture.shape[0] < 400
    assert picture.shape[1] < 640


def test_each_question_has_a_picture_of_its_own(
    asking: Asking, typed: Callable[[str], None], reader: TesseractReader, tmp_path: Path
) -> None:
    typed("n\nn\n")
    resolved = found(reader, TextTarget("Save"))
    for _ in range(2):
        asking.about(SAVE, resolved)
    assert sorted(path.name for path in (tmp_path / "questions").iterdir()) == ["1.png", "2.png"]


LISTING = RunCode(language="shell", code="git status")
RISK = Risk(
    level="high",
    labels=(Label(name="recursive-delete", words='deletes a folder and all in it: "build"'),),
    prefix=("git", "status"),
    where="in a sandbox: it writes only in the workspace",
    undo="oi undo takes back what it changes in the workspace",
)


def test_a_question_says_what_is_risky_what_holds_it_and_whether_it_can_be_taken_back(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    typed("n\n")
    asking.about(LISTING, risk=RISK)
    for words in ('! deletes a folder and all in it: "build"', RISK.where, RISK.undo):
        assert words in asking.shown


def test_what_is_asked_about_in_every_mode_says_why(asking: Asking, typed: Callable[[str], None]) -> None:
    typed("n\n")
    asking.about(LISTING, risk=Risk(level="high", hard="it runs as the administrator"))
    assert "! always asked: it runs as the administrator" in asking.shown


def test_all_commands_that_begin_so_are_allowed_only_where_that_was_offered(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    typed("p\n")
    given = asking.about(LISTING, risk=RISK)
    assert type(given) is AllowPrefix
    assert 'begins with "git status"' in asking.shown
    typed("p\nn\n")
    assert asking.about(LISTING, risk=Risk(level="high")) == Refuse("the person said no")


def test_code_is_changed_in_an_editor_and_comes_back_for_another_question(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    asking.saves.append("{code} --short")
    typed("e\n")
    given = asking.about(LISTING, risk=RISK)
    assert isinstance(given, Edited)
    assert given.action == RunCode(language="shell", code="git status --short")


def test_an_editor_that_fails_changes_nothing_and_the_question_stands(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    typed("e\nn\n")
    assert asking.about(LISTING, risk=RISK) == Refuse("the person said no")
    assert "There is no editor here." in asking.shown


def test_only_code_is_edited(asking: Asking, typed: Callable[[str], None]) -> None:
    asking.saves.append("x")
    typed("e\nn\n")
    assert asking.about(SAVE, risk=Risk(level="medium")) == Refuse("the person said no")
    assert "[e]dit" not in asking.shown


DENIED = (Denial(kind="write", what="/etc/made", words='writing "/etc/made"'),)


@pytest.mark.parametrize(
    ("answer", "can_add", "meant"),
    [
        ("o", True, "outside"),
        ("a", True, "add"),
        ("n", True, None),
        ("", True, None),
        ("a\nn", False, None),
        (END_OF_INPUT, True, None),
    ],
)
def test_what_a_person_says_to_a_denial(
    asking: Asking,
    typed: Callable[[str], None],
    answer: str,
    can_add: bool,  # noqa: FBT001 - a case
    meant: str | None,
) -> None:
    typed(answer if answer == END_OF_INPUT else f"{answer}\n")
    assert asking.denied(LISTING, DENIED, can_add) == meant
    assert 'writing "/etc/made"' in asking.shown


def test_a_denial_is_left_at_that_where_nobody_can_be_asked(asking: Asking) -> None:
    assert asking.denied(LISTING, DENIED, True) is None  # noqa: FBT003 - the seam's
    assert asking.line("Password:", True) is None  # noqa: FBT003 - the seam's


def test_a_line_for_a_program_is_what_the_person_types_and_nothing_leaves_it_to_the_model(
    asking: Asking, typed: Callable[[str], None]
) -> None:
    typed("yes\n\n")
    assert asking.line("Go on? [y/n]", False) == "yes"  # noqa: FBT003 - the seam's
    assert asking.line("Go on? [y/n]", False) is None  # noqa: FBT003 - the seam's
    assert 'A program waits for input: "Go on? [y/n]"' in asking.shown


CHECKS = (SafetyCheck(message="This \u202emay spend money.", id="c1"),)


@pytest.mark.parametrize(
    ("answer", "meant"),
    [("y", True), ("what\nyes", True), ("n", False), ("stop", False), (END_OF_INPUT, False)],
)
def test_a_providers_check_is_set_aside_by_a_yes_alone(
    asking: Asking,
    typed: Callable[[str], None],
    answer: str,
    meant: bool,  # noqa: FBT001 - a case
) -> None:
    typed(answer if answer == END_OF_INPUT else f"{answer}\n")
    assert asking.safety(CHECKS) is meant
    assert "may spend money." in asking.shown
    assert "\u202e" not in asking.shown


def test_a_providers_check_is_not_set_aside_where_nobody_can_be_asked(asking: Asking) -> None:
    assert asking.safety(CHECKS) is False
