"""The approval question: the action in words, its target named, a picture of it saved beside it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from computer_agent.approval import Allow, Refuse, Stop
from computer_agent.approval.code import visible
from computer_agent.approval.code.visible import visible_line
from computer_agent.approval.modes import AllowPrefix, AllowRest, Edited
from computer_agent.chat.line import hidden, read_line
from computer_agent.code_settings import BadSetting
from computer_agent.models.steps import shown
from computer_api.actions import RunCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_agent.approval.approval import Proposal, Resolved, Risk
    from computer_agent.approval.modes import Said
    from computer_agent.chat.view import TerminalView
    from computer_agent.step import SafetyCheck
    from computer_api.terminal.sandbox import Denial

_GO_ON = "Go on? [Enter] go on  [s]top: "
NOBODY = "nobody can be asked here, since the input is not a terminal; start with -y to allow it"
NOBODY_HARD = (
    "nobody can be asked here, since the input is not a terminal, and this is always asked about, -y or not"
)
_MANY_LINES = 40  # of code, which may have scrolled away when the question comes


class TerminalQuestion:
    """Asks on the terminal. Where there is none, every question is a refusal that says so.

    ``edit`` lets the person change the code that is asked about; it raises ``BadSetting`` where it cannot.
    """

    def __init__(
        self,
        view: TerminalView,
        folder: Path,
        read: Callable[[str], str] = read_line,
        edit: Callable[[str, str], str] | None = None,
    ) -> None:
        self._view = view
        self._folder = folder
        self._read = read
        self._edit = edit
        self._asked = 0

    def __call__(self, proposal: Proposal, resolved: Resolved) -> Said:
        """Show the proposal and read the answer. Ctrl-C passes through; end of input stops the run."""
        if sys.stdin is None or not sys.stdin.isatty():  # None when it was closed, as in `oi ... <&-`
            hard = proposal.risk is not None and proposal.risk.hard is not None
            return Refuse(NOBODY_HARD if hard else NOBODY)
        self._asked += 1
        self._show(proposal, resolved)
        while True:
            try:
                answer = self._read("     Allow? ").strip()
            except EOFError:
                return Stop()
            decision = _decision(answer, proposal) or self._edited(answer, proposal)
            if decision is not None:
                return decision
            self._view.say(f"     {self._answers(proposal)}", "yellow")

    def _show(self, proposal: Proposal, resolved: Resolved) -> None:
        self._show_action(proposal)
        if resolved.receiver is not None:
            self._view.say(
                f'       in the window "{visible_line(resolved.receiver.title or resolved.receiver.app)}"'
            )
        for match in (place.match for place in resolved.shown):
            what = f'on "{visible_line(match.text)}"' if match.text else "on a place without words"
            self._view.say(f"       {what}, found by {match.source} at {match.point.x},{match.point.y}")
        picture = self._picture(resolved)
        if picture is not None:
            self._view.say(f"       picture: {picture}", "dim")
        self._tell_risk(proposal.risk)
        self._view.say(f"     {self._answers(proposal)}", "yellow")

    def _show_action(self, proposal: Proposal) -> None:
        """What it wants to do, in words; code that has just been shown as it was written is not shown again."""
        asks = "The code asks" if proposal.nested else "It wants"
        action = proposal.action
        lines = visible(shown(action)).split("\n")
        if isinstance(action, RunCode) and self._view.has_just_shown(action):
            self._view.say(f"     {asks} to run this {visible_line(action.language)} code.", "bold yellow")
        else:
            code = isinstance(action, RunCode)
            self._view.say(f"     {asks} to{' run this code' if code else ''}:", "bold yellow")
            for line in lines:
                self._view.say(f"       {line}", "bold", whole=True)
            self._view.is_shown(action)
        if len(lines) > _MANY_LINES:
            self._view.say(
                f"       (that were {len(lines)} lines: scroll up to read them all)", "bold yellow"
            )

    def _tell_risk(self, risk: Risk | None) -> None:
        """What is risky about it, what holds it, and whether it can be taken back."""
        if risk is None:
            return
        for label in risk.labels:
            self._view.say(
                f"       ! {visible_line(label.words)}", "red" if risk.level == "high" else "yellow"
            )
        if risk.hard is not None:
            self._view.say(f"       ! always asked: {visible_line(risk.hard)}", "bold red")
        for words in filter(None, (risk.where, risk.undo)):
            self._view.say(f"       {words}", "dim")

    def _answers(self, proposal: Proposal) -> str:
        prefix = None if proposal.risk is None else proposal.risk.prefix
        choices = [
            "[y]es",
            "[n]o, with a reason",
            *(["[e]dit"] if self._can_edit(proposal) else []),
            *(
                []
                if prefix is None
                else [f'[p] yes to all that begins with "{visible_line(" ".join(prefix))}"']
            ),
            "[a]ll of this run",
            "[s]top",
        ]
        return "  ".join(choices)

    def _can_edit(self, proposal: Proposal) -> bool:
        return self._edit is not None and proposal.risk is not None and isinstance(proposal.action, RunCode)

    def _edited(self, answer: str, proposal: Proposal) -> Edited | None:
        """The action with the code as the person left it in the editor."""
        action = proposal.action
        if answer.casefold() not in ("e", "edit") or not self._can_edit(proposal):
            return None
        assert self._edit is not None  # noqa: S101 - said just before
        assert isinstance(action, RunCode)  # noqa: S101 - said just before
        try:
            return Edited(replace(action, code=self._edit(action.language, action.code)))
        except BadSetting as error:
            self._view.say(f"     {error}", "red")
            return None

    def _picture(self, resolved: Resolved) -> Path | None:
        """A crop with the target marked, in the trace's folder."""
        from computer_vision.marks import crop_with_target

        if resolved.screenshot is None or not resolved.shown:
            return None
        region = resolved.screenshot.region_of(resolved.shown[0].match.box)
        path = self._folder / "questions" / f"{self._asked}.png"
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            crop_with_target(resolved.screenshot.pixels(), region).save(path)
        except OSError:  # a full disk: the question is asked all the same
            return None
        return path


class DeniedQuestion:
    """Asks what to do about code that the sandbox denied something. ``None`` leaves it at that."""

    def __init__(self, view: TerminalView, read: Callable[[str], str] = read_line) -> None:
        self._view = view
        self._read = read

    def __call__(
        self,
        action: RunCode,
        denials: tuple[Denial, ...],
        can_add: bool,  # noqa: FBT001 - the seam's
    ) -> Literal["outside", "add"] | None:
        """Say what was denied and read the answer. Ctrl-C passes through; without a terminal nobody is asked."""
        if sys.stdin is None or not sys.stdin.isatty():
            return None
        for denial in denials:
            self._view.say(
                f"     The sandbox denied the {action.language} code: {visible_line(denial.words)}",
                "bold yellow",
            )
        add = "[a]dd it to what code may reach, and run again  " if can_add else ""
        choices = f"     {add}run once [o]utside the sandbox  [n]o"
        while True:
            self._view.say(choices, "yellow")
            try:
                answer = self._read("     Instead? ").strip().casefold()
            except EOFError:
                return None
            if answer in ("a", "add") and can_add:
                return "add"
            if answer in ("o", "outside", "once"):
                return "outside"
            if answer in ("n", "no", ""):
                return None


class InputQuestion:
    """Asks the person for the line that a program in the terminal waits for. ``None`` leaves it to the model."""

    def __init__(self, view: TerminalView, read: Callable[[str], str] = read_line) -> None:
        self._view = view
        self._read = read

    def __call__(self, question: str, secret: bool) -> str | None:  # noqa: FBT001 - the seam's
        """Read the line, unseen where the program would not show it. Ctrl-C passes through."""
        if sys.stdin is None or not sys.stdin.isatty():
            return None
        self._view.say(
            f'     A program waits for input: "{visible_line(question)}" (nothing: leave it to the model)',
            "bold yellow",
        )
        try:
            line = hidden(self._read, "     Line: ") if secret else self._read("     Line: ")
        except EOFError:
            return None
        return line or None


class GoOnQuestion:
    """Asks a person who used the desktop themselves whether to go on. ``None`` where there is no terminal."""

    def __init__(self, view: TerminalView, read: Callable[[str], str] = read_line) -> None:
        self._view = view
        self._read = read

    def __call__(self, words: str) -> bool | None:
        """Say what the person did and read the answer. Ctrl-C passes through; end of input stops the run."""
        if sys.stdin is None or not sys.stdin.isatty():
            return None
        self._view.say(f"     {words}", "bold yellow")
        while True:
            try:
                answer = self._read(f"     {_GO_ON}").strip().casefold()
            except EOFError:
                return False
            if answer in ("", "g", "go", "go on", "y", "yes"):
                return True
            if answer in ("s", "stop", "q", "quit", "n", "no"):
                return False


class SafetyQuestion:
    """Asks whether to set aside a provider's safety checks: whatever the mode of approval, it is never done unasked."""

    def __init__(self, view: TerminalView, read: Callable[[str], str] = read_line) -> None:
        self._view = view
        self._read = read

    def __call__(self, checks: tuple[SafetyCheck, ...]) -> bool:
        """Show each and read the answer. Ctrl-C passes through; end of input, or no terminal, is a no."""
        self._view.say("     The model's provider wants you to confirm this step:", "bold yellow")
        for check in checks:
            self._view.say(f"       ! {visible(check.message or check.code)}", "red")
        if sys.stdin is None or not sys.stdin.isatty():
            return False
        while True:
            try:
                answer = self._read("     Go on all the same? [y]es  [n]o, stop: ").strip().casefold()
            except EOFError:
                return False
            if answer in ("y", "yes"):
                return True
            if answer in ("n", "no", "s", "stop", "q", "quit"):
                return False


def _decision(answer: str, proposal: Proposal) -> Allow | Refuse | Stop | None:
    word, _, reason = answer.partition(" ")
    prefix = None if proposal.risk is None else proposal.risk.prefix
    match word.casefold().rstrip(",:"):
        case "n" | "no":
            return Refuse(reason.strip() or "the person said no")
        case _ if reason.strip():  # "yes, but ..." is no yes to what was shown
            return None
        case "y" | "yes":
            return Allow("the person")
        case "p" | "prefix" if prefix is not None:
            return AllowPrefix(f'the person, for what begins with "{" ".join(prefix)}"')
        case "a" | "all":
            return AllowRest("the person, for the rest of the run")
        case "s" | "stop" | "q" | "quit":
            return Stop()
        case _:
            return None
