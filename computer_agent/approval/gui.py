"""How risky an action on the screen is: by the names of what it aims at, and by what it types where.

Text that is typed into a terminal's window is judged as shell code, line by line as it comes together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from computer_agent.approval.code import LEVELS, Assessment, Label
from computer_agent.approval.words_of_risk import risky_word
from computer_api import actions
from computer_platform.terminals import is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from computer_agent.approval.approval import Proposal
    from computer_agent.approval.code import Assessor, LabelName, Level
    from computer_api.actions import Action

_DANGEROUS_KEYS = (
    frozenset({"shift", "delete"}),
    frozenset({"ctrl", "alt", "delete"}),
    frozenset({"alt", "f4"}),
    frozenset({"ctrl", "q"}),
)
_ENTER = frozenset({"enter", "return", "kp_enter", "kpenter", "numpadenter", "linefeed", "\n", "\r"})
_ENTER_CHORDS = (  # at which a shell runs the line
    frozenset({"ctrl", "j"}),
    frozenset({"ctrl", "m"}),
    frozenset({"ctrl", "o"}),
)
_ONE_CHARACTER = frozenset({"backspace", "ctrl", "h"})
_ERASING = frozenset(
    [
        frozenset({"backspace"}),
        frozenset({"ctrl", "h"}),
        frozenset({"ctrl", "w"}),
        frozenset({"alt", "backspace"}),
        frozenset({"ctrl", "backspace"}),
    ]
)
_MOST_LINES = 200
_PASTE_CHORDS = (
    frozenset({"ctrl", "shift", "v"}),
    frozenset({"shift", "insert"}),
    frozenset({"ctrl", "v"}),
    frozenset({"super", "v"}),
)


class ScreenJudge:
    """Judges actions on the screen one after the other: it remembers what was typed into which terminal.

    Without ``names`` what an action aims at is not looked for, which costs a look at the screen.
    """

    def __init__(self, shell: Assessor, *, names: bool) -> None:
        self._shell = shell
        self.names = names
        self._typed: dict[int, tuple[str, ...]] = {}  # what may stand in the line of each, the likeliest last
        self._copied = ""  # what was put on the clipboard last, and may be pasted

    def assess(self, proposal: Proposal) -> Assessment:
        """The risk of an action on the screen. Raises ``ComputerError`` when what it aims at is not there."""
        action = proposal.action
        if isinstance(action, actions.ClipboardSet):
            self._copied = action.text or ""
        typed = self._typed_on_terminal(proposal)
        if typed is not None:
            return typed
        match action:
            case actions.TypeText(secret=True):
                return _TYPES_SECRET
            case actions.AnswerPrompt(text=text, secret=secret):  # what waits may be a shell
                found = self._as_code(text)
                # What is said of a secret must not tell it.
                return (
                    replace(_TYPES_SECRET, hard=found.hard and "it types a hidden command")
                    if secret
                    else found
                )
            case actions.Click(button="middle") if self._copied:  # which pastes, in a terminal
                return self._as_code(self._copied)
            case actions.PressKeys(keys=keys) if _folded(keys) in _DANGEROUS_KEYS:
                return _risk(
                    "high", "destructive", f"presses {'+'.join(keys)}, which may close or delete something"
                )
            case _:
                return self._aimed(proposal) if self.names else Assessment(level="medium")

    def _aimed(self, proposal: Proposal) -> Assessment:
        shown = proposal.resolve().shown
        names = [one.match.text for one in shown if one.match.text]
        announced = next(((name, word) for name in names if (word := risky_word(name)) is not None), None)
        if announced is not None:
            return _risk(
                "high", "destructive", '"{}": the word "{}" announces more than a look'.format(*announced)
            )
        return Assessment(level=_level(proposal.action, named=len(names) == len(shown)))

    def _typed_on_terminal(self, proposal: Proposal) -> Assessment | None:
        """What is typed there is code, and runs with Enter.

        It is judged with and without what was typed before, which may not stand there any more.
        """
        text, erases = self._keyed(proposal.action), _erases(proposal.action)
        terminal = None if text is None and erases is None else proposal.receiver()
        if terminal is None or not is_terminal(terminal.app):
            return None
        lines = self._typed.get(terminal.id, ("",))
        if text is None:
            left = [line[:end] for line in lines for end in _ends(line, many=erases == "many")]
            self._typed[terminal.id] = tuple(dict.fromkeys((*left, *lines)))[:_MOST_LINES]
            return self._as_code(*self._typed[terminal.id])
        typed = tuple(line + text for line in lines)
        self._typed[terminal.id] = tuple(dict.fromkeys(line.rpartition("\n")[2] for line in typed))
        return self._as_code(*typed, text)

    def _as_code(self, *readings: str) -> Assessment:
        """The worst of what the text may mean to a shell; never known to change nothing."""
        found = [self._shell.assess("shell", code) for code in readings]
        worst = max(found, key=lambda one: (one.hard is not None, LEVELS.index(one.level)))
        return replace(worst, level="medium" if worst.level == "low" else worst.level, prefix=None)

    def _keyed(self, action: Action) -> str | None:
        """The characters that an action types, or pastes."""
        match action:
            case actions.TypeText(text=text):
                return text.replace("\r", "\n")
            case actions.PressKeys(keys=keys) | actions.HoldKeys(keys=keys) | actions.KeyDown(keys=keys):
                if _enters(keys):
                    return "\n"
                if _folded(keys) in _PASTE_CHORDS:
                    return self._copied.replace("\r", "\n")
                return _character(keys)
            case _:
                return None


def _erases(action: Action) -> Literal["one", "many"] | None:
    """Whether the keys take away what was typed before in the line: a character, or nobody knows how much."""
    match action:
        case actions.PressKeys(keys=keys) | actions.HoldKeys(keys=keys) | actions.KeyDown(keys=keys):
            folded = _folded(keys)
            if folded not in _ERASING:
                return None
            one = isinstance(action, actions.PressKeys) and action.times == 1 and folded <= _ONE_CHARACTER
            return "one" if one else "many"
        case _:
            return None


def _ends(line: str, *, many: bool) -> range:
    """How many characters of a line may be left."""
    return range(len(line)) if many else range(max(0, len(line) - 1), len(line))


def _character(keys: Sequence[str]) -> str | None:
    """The one character that keys type, shift or not."""
    typed = [key for key in keys if key.casefold() not in ("shift", "shift_l", "shift_r")]
    if len(typed) != 1:
        return None
    return " " if typed[0].casefold() == "space" else typed[0] if len(typed[0]) == 1 else None


def _enters(keys: Iterable[str]) -> bool:
    """Whether a terminal runs its line at these keys."""
    folded = _folded(keys)
    return bool(folded & _ENTER) or folded in _ENTER_CHORDS


def _folded(keys: Iterable[str]) -> frozenset[str]:
    return frozenset(key.casefold() for key in keys)


def _level(action: Action, *, named: bool) -> Level:
    match action:
        case actions.Click() | actions.Tick() | actions.Drag() | actions.Choose():
            return "low" if named else "medium"
        case actions.TypeText() | actions.Scroll() | actions.HoldKeys() | actions.OpenApp():
            return "low"
        case _:
            return "medium"


def _risk(level: Level, name: LabelName, words: str) -> Assessment:
    return Assessment(level=level, labels=(Label(name=name, words=words),))


_TYPES_SECRET = _risk("high", "secret-read", "types a secret")
