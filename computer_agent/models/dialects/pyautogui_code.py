"""Kimi and OpenCUA: pyautogui code, which is read and never run.

Only calls with plain values are understood, one after the other; anything else is told to the model with its line.
Kimi's places are documented to be fractions of the screen where both numbers are at most 1, and pixels otherwise;
OpenCUA's are pixels of the picture as Qwen2.5 resizes it.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from computer_agent.models.coordinates import FRACTION, PIXELS
from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.places import Picture, drag_to, written
from computer_agent.models.dialects.printed_calls import blocks, object_in
from computer_agent.models.dialects.qwen import RESIZED
from computer_agent.models.dialects.text_dialect import Said, TextDialect, instructions
from computer_agent.step import Answer
from computer_api.actions import (
    Button,
    Click,
    Drag,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    PressKeys,
    Scroll,
    TypeText,
    Wait,
)
from computer_api.errors import ComputerError
from computer_api.keys import keys_text, parse_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.models.coordinates import Number, Space
    from computer_agent.models.dialect import Call
    from computer_api.actions import Action
    from computer_api.geometry import Pixel, Size
    from computer_api.targets import Target

Family = Literal["kimi", "opencua"]

_LONGEST = 50_000  # characters of code
_SECONDS = 5.0  # of a wait that says none
_LINE = re.compile(r"[ \t]*(?:(?:pyautogui|computer|time)\.\w|import (?:pyautogui|time)\b)")
_HEADING = re.compile(
    r"^[ \t]*##[ \t]*(Thought|Action|Code|Observation)[ \t]*:?[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_ONLY = "only calls of pyautogui and computer with plain values can be done"


@dataclass(frozen=True, slots=True)
class FractionOrPixels:
    """Kimi's documented rule: a pair with both values at most 1 is a part of the screen, any other is pixels."""

    def pixel(self, x: Number, y: Number, size: Size) -> Pixel:
        """The pixel that the pair means. Raises ``BadCall``."""
        return (FRACTION if max(x, y) <= 1 else PIXELS).pixel(x, y, size)

    def numbers(self, pixel: Pixel, size: Size) -> tuple[Number, Number]:
        """Always as fractions."""
        return FRACTION.numbers(pixel, size)


SPACES: dict[Family, Space] = {"kimi": FractionOrPixels(), "opencua": RESIZED}


@dataclass(slots=True)
class PyautoguiCode(TextDialect):
    """One of the two families."""

    family: Family = field(default="kimi", kw_only=True)

    marks: ClassVar[tuple[str, ...]] = ("## Code", "```", "pyautogui.", "computer.terminate(")

    def _instructions(self) -> str:
        return instructions("pyautogui_code.md", self.system, places=self._places())

    def _places(self) -> str:
        if self.family == "kimi":
            return (
                "x and y are fractions of the screenshot's width and height, from 0 to 1, with four digits."
            )
        size = "" if self._size is None else f", which is {RESIZED.resize(self._size)}"
        return f"x and y are pixels of the screenshot{size}."

    def _read(self, text: str, size: Size | None) -> Said:
        code, start, end, whole = _code_in(text)
        words = _words(text[:start])
        reading = _Reading(Picture(SPACES[self.family], size), words)
        reading.read(code)
        if not reading.decisions:
            raise BadCall("Your code does nothing. Write a call such as pyautogui.click(x=.., y=..).")
        return Said(words=words, decisions=tuple(reading.decisions), end=end, whole=whole)

    def _called(self, call: Call) -> str:
        given = object_in(call.arguments) or {}
        texts = [value for value in given.values() if isinstance(value, str)]
        code = given.get("code", texts[0] if len(texts) == 1 else None)
        if not isinstance(code, str):
            raise BadCall(
                f'The function "{call.name}" takes one text of pyautogui code, not {call.arguments}.'
            )
        fence = "~~~~~" if "```" in code else "```"
        return f"{fence}python\n{code}\n{fence}"

    def _line(self, action: Action, size: Size | None) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one line an action
        match action:
            case Click(target=target, button="left" | "right" | "middle" as button, count=count, keys=()):
                more = [f"button='{button}'"] if button != "left" else []
                more += [f"clicks={count}"] if count != 1 else []
                return self._at("click", target, size, *more)
            case Move(target=target):
                return self._at("moveTo", target, size)
            case Drag(start=start, end=end, via=(), button="left" | "right" | "middle" as button, keys=()):
                first = self._at("moveTo", start, size)
                last = self._at("dragTo", end, size, f"button='{button}'")
                return None if first is None or last is None else f"{first}\n{last}"
            case Scroll(down=down, right=0, unit="notches", keys=(), target=target):
                return self._at("scroll", target, size, first=str(-down))
            case Scroll(down=0, right=right, unit="notches", keys=(), target=target):
                return self._at("hscroll", target, size, first=str(right))
            case TypeText(text=text, into=None):
                return f"pyautogui.write(message={_literal(text)})"
            case PressKeys(keys=(key,), times=times):
                more = [f"presses={times}"] if times != 1 else []
                return f"pyautogui.press({', '.join([_key(key), *more])})"
            case PressKeys(keys=keys, times=1):
                return f"pyautogui.hotkey({', '.join(map(_key, keys))})"
            case KeyDown(keys=(key,)):
                return f"pyautogui.keyDown({_key(key)})"
            case KeyUp(keys=(key,)):
                return f"pyautogui.keyUp({_key(key)})"
            case MouseDown(button="left" | "right" | "middle" as button):
                return f"pyautogui.mouseDown(button='{button}')"
            case MouseUp(button="left" | "right" | "middle" as button):
                return f"pyautogui.mouseUp(button='{button}')"
            case Wait(seconds=seconds):
                return f"computer.wait(seconds={seconds!r})"
            case _:
                return None

    def _at(
        self, name: str, target: Target | None, size: Size | None, *more: str, first: str = ""
    ) -> str | None:
        place: list[str] = []
        if target is not None:
            numbers = Picture(SPACES[self.family], size).numbers(target)
            if numbers is None:
                return None
            place = [written(numbers, "x={x}, y={y}")]
        return f"pyautogui.{name}({', '.join(filter(None, [first, *place, *more]))})"

    def _wrapped(self, words: str, calls: list[str]) -> str:
        said = [f"## Action:\n{words}"] if words else []
        lines = "\n".join(calls)
        return "\n\n".join([*said, *([f"## Code:\n```python\n{lines}\n```"] if calls else [])])


# ------------------------------------------------------------------ where the code is


def _code_in(text: str) -> tuple[str, int, int, bool]:
    """The code, where it begins and ends in the text, and whether it is closed. Raises ``NoCall``."""
    fenced = [block for block in blocks(text) if block.word in {"python", "py", "code", ""}]
    if fenced:
        heading = max(
            (found.start() for found in _HEADING.finditer(text) if found[1].lower() == "code"), default=0
        )
        block = next((one for one in fenced if one.start >= heading), fenced[-1])
        return block.body, block.start, block.end, block.closed
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if _LINE.match(line)), None)
    if first is None:
        raise NoCall(
            "Your reply has no code. Write pyautogui calls in a ```python block, or computer.terminate(status=..)."
        )
    last = next((n for n in range(first, len(lines)) if not _LINE.match(lines[n])), len(lines))
    start = sum(len(line) + 1 for line in lines[:first])
    return "\n".join(lines[first:last]), start, sum(len(line) + 1 for line in lines[:last]), last < len(lines)


def _words(text: str) -> str:
    """Without headings; of several sections the action, which is the shortest."""
    pieces = _HEADING.split(text)
    sections = {name.lower(): words.strip() for name, words in zip(pieces[1::2], pieces[2::2], strict=True)}
    return sections.get("action") or sections.get("thought") or pieces[0].strip()


# ------------------------------------------------------------------ what the code says

_TIMES = (
    "interval",
    "duration",
    "tween",
    "logScreenshot",
    "pause",
    "_pause",
)  # how fast, which is ours to choose
_XY = ("x", "y")
_SIGNATURES: dict[str, tuple[str, ...]] = {
    "click": (*_XY, "clicks", "interval", "button", "duration"),
    "leftClick": (*_XY, "interval", "duration"),
    "doubleClick": (*_XY, "interval", "button", "duration"),
    "tripleClick": (*_XY, "interval", "button", "duration"),
    "triple_click": (*_XY, "interval", "button", "duration"),
    "rightClick": (*_XY, "interval", "duration"),
    "middleClick": (*_XY, "interval", "duration"),
    "moveTo": (*_XY, "duration"),
    "dragTo": (*_XY, "duration", "tween", "button"),
    "mouseDown": (*_XY, "button"),
    "mouseUp": (*_XY, "button"),
    "scroll": ("clicks", *_XY),
    "vscroll": ("clicks", *_XY),
    "hscroll": ("clicks", *_XY),
    "write": ("message", "interval"),
    "typewrite": ("message", "interval"),
    "press": ("keys", "presses", "interval"),
    "hotkey": (),
    "keyDown": ("key",),
    "keyUp": ("key",),
    "sleep": ("seconds",),
    "wait": ("seconds",),
    "screenshot": (),
    "terminate": ("status", "answer"),
}
_OTHER_NAMES = {"text": "message", "time": "seconds", "secs": "seconds", "key": "keys", "amount": "clicks"}
_OWNERS: dict[str, frozenset[str]] = {
    "pyautogui": frozenset(_SIGNATURES) - {"wait", "terminate", "triple_click"},
    "computer": frozenset(_SIGNATURES),
    "time": frozenset({"sleep"}),
}
_CLICKS: dict[str, tuple[Button | None, int]] = {
    "leftClick": ("left", 1),
    "doubleClick": (None, 2),
    "tripleClick": (None, 3),
    "triple_click": (None, 3),
    "rightClick": ("right", 1),
    "middleClick": ("middle", 1),
}
_ALL_BUTTONS: tuple[Button, ...] = get_args(Button)
_BUTTONS: dict[str, Button] = {"primary": "left", "secondary": "right"}


@dataclass(slots=True)
class _Given:
    """The arguments of one call, by their names."""

    name: str
    line: int
    values: dict[str, Any]
    rest: tuple[Any, ...] = ()

    def bad(self, why: str) -> BadCall:
        return BadCall(f"Line {self.line}: {self.name} {why}.")

    def text(self, name: str, default: str | None = None) -> str:
        found = self.values.get(name, default)
        if not isinstance(found, str):
            raise self.bad(f"needs a text for {name}" + ("" if found is None else f", not {found!r}"))
        return found

    def number(self, name: str, default: float | None = None) -> float:
        found = self.values.get(name, default)
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            raise self.bad(f"needs a number for {name}" + ("" if found is None else f", not {found!r}"))
        return found

    def whole(self, name: str, default: int | None = None) -> int:
        found = self.number(name, default)
        if found != int(found):
            raise self.bad(f"needs a whole number for {name}, not {found!r}")
        return int(found)

    def place(self, picture: Picture) -> Pixel | None:
        x, y = self.values.get("x"), self.values.get("y")
        if x is None and y is None:
            return None
        if isinstance(x, tuple) and y is None:
            x, y = x if len(x) == len(_XY) else (None, None)
            self.values |= {"x": x, "y": y}
        return picture.pixel([self.number("x"), self.number("y")])

    def button(self) -> Button:
        asked = self.text("button", "left").lower()
        for button in _ALL_BUTTONS:
            if _BUTTONS.get(asked, asked) == button:
                return button
        raise self.bad(f'has no button "{asked}"; there are left, middle and right')


@dataclass(slots=True)
class _Reading:
    """Reads code; ``decisions`` is what it says so far."""

    picture: Picture
    words: str
    decisions: list[Action | Answer] = field(default_factory=list)
    _modules: dict[str, str] = field(default_factory=lambda: {name: name for name in _OWNERS})

    def read(self, code: str) -> None:
        """Add what the code does. Raises ``BadCall``."""
        for statement in _parsed(code).body:
            try:
                self._statement(statement)
            except (ArithmeticError, RecursionError):
                raise BadCall(f"Line {statement.lineno}: the numbers cannot be worked out.") from None

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import(names=names) if all(one.name in ("pyautogui", "time") for one in names):
                self._modules |= {one.asname or one.name: one.name for one in names}
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) as call
            ) if owner in self._modules:
                self._call(self._modules[owner], name, call)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise BadCall(f'Line {statement.lineno}: "{_shown(statement)}" is not allowed; {_ONLY}.')

    def _call(self, owner: str, name: str, call: ast.Call) -> None:
        if name not in _OWNERS[owner]:
            known = ", ".join(sorted(_OWNERS[owner]))
            raise BadCall(f'Line {call.lineno}: there is no "{owner}.{name}"; there are: {known}.')
        given = _bound(f"{owner}.{name}", name, call)
        _READERS.get(name, _click)(self, given)


def _parsed(code: str) -> ast.Module:
    if len(code) > _LONGEST:
        raise BadCall(
            f"Your code has {len(code)} characters; at most {_LONGEST} are read. Send a shorter one."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stray backslash in a model's text concerns nobody
        try:
            return ast.parse(_dedented(code))
        except SyntaxError as wrong:
            raise BadCall(f"Line {wrong.lineno or 1}: this is no Python code ({wrong.msg}).") from None
        except (ValueError, RecursionError, MemoryError):
            raise BadCall("Line 1: this is no Python code that can be read.") from None


def _dedented(code: str) -> str:
    from textwrap import dedent

    return dedent(code.replace("\r\n", "\n")).strip("\n")


def _bound(full: str, name: str, call: ast.Call) -> _Given:
    """The arguments by the names of the function's parameters."""
    values = [_value(one) for one in call.args]
    signature = _SIGNATURES[name]
    if name != "hotkey" and len(values) > len(signature):
        raise BadCall(f"Line {call.lineno}: {full} takes at most {len(signature)} values.")
    given: dict[str, Any] = dict(zip(signature, values, strict=False))
    for keyword in call.keywords:
        word = keyword.arg or "**"
        known = word if word in signature else _OTHER_NAMES.get(word, word)
        if (known in signature and known not in given) or (name == "hotkey" and known == "keys"):
            given[known] = _value(keyword.value)
        elif word not in _TIMES:
            raise BadCall(f'Line {call.lineno}: {full} does not take "{word}".')
    return _Given(full, call.lineno, given, tuple(values) if name == "hotkey" else ())


def _value(node: ast.expr) -> Any:  # noqa: ANN401 - a constant
    """A constant, a list of them, or simple arithmetic of numbers. Raises ``BadCall``."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return tuple(_value(item) for item in items)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            number = _number(operand)
            return -number if isinstance(sign, ast.USub) else number
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return _OPERATORS[type(operator)](_number(left), _number(right))
        case _:
            raise BadCall(f'Line {node.lineno}: "{_shown(node)}" is no plain value; {_ONLY}.')


def _number(node: ast.expr) -> float:
    value = _value(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadCall(f'Line {node.lineno}: "{_shown(node)}" is no number.')
    return value


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: float(one) * float(other),
    ast.Div: lambda one, other: one / other,
    ast.FloorDiv: lambda one, other: one // other,
}


def _shown(node: ast.stmt | ast.expr) -> str:
    try:
        text = ast.unparse(node).split("\n")[0]
    except RecursionError:
        text = "this"
    return text if len(text) <= 60 else f"{text[:59]}…"  # noqa: PLR2004 - enough to recognise it


def _click(reading: _Reading, given: _Given) -> None:
    button, count = _CLICKS.get(given.name.rpartition(".")[2], (None, 0))
    target = given.place(reading.picture)
    clicks = count or given.whole("clicks", 1)
    reading.decisions.append(Click(target=target, button=button or given.button(), count=clicks))


def _move(reading: _Reading, given: _Given) -> None:
    reading.decisions.append(Move(target=_needed(reading, given)))


def _drag(reading: _Reading, given: _Given) -> None:
    drag_to(reading.decisions, _needed(reading, given), given.button())


def _mouse_down(reading: _Reading, given: _Given) -> None:
    _move_there(reading, given)
    reading.decisions.append(MouseDown(button=given.button()))


def _mouse_up(reading: _Reading, given: _Given) -> None:
    _move_there(reading, given)
    reading.decisions.append(MouseUp(button=given.button()))


def _move_there(reading: _Reading, given: _Given) -> None:
    place = given.place(reading.picture)
    if place is not None:
        reading.decisions.append(Move(target=place))


def _needed(reading: _Reading, given: _Given) -> Pixel:
    place = given.place(reading.picture)
    if place is None:
        raise given.bad("needs x and y")
    return place


def _scroll(reading: _Reading, given: _Given) -> None:
    reading.decisions.append(Scroll(down=-given.whole("clicks"), target=given.place(reading.picture)))


def _hscroll(reading: _Reading, given: _Given) -> None:
    reading.decisions.append(Scroll(right=given.whole("clicks"), target=given.place(reading.picture)))


def _write(reading: _Reading, given: _Given) -> None:
    if isinstance(given.values.get("message"), tuple):  # keys, one after the other
        reading.decisions += [PressKeys(keys=_keys(given, [key])) for key in given.values["message"]]
    else:
        reading.decisions.append(TypeText(text=given.text("message")))


def _press(reading: _Reading, given: _Given) -> None:
    asked, times = given.values.get("keys"), given.whole("presses", 1)
    for key in asked if isinstance(asked, tuple) else (asked,):
        reading.decisions.append(PressKeys(keys=_keys(given, [key]), times=times))


def _hotkey(reading: _Reading, given: _Given) -> None:
    asked = given.rest or (given.values.get("keys"),)
    if len(asked) == 1 and isinstance(asked[0], tuple):
        asked = asked[0]
    reading.decisions.append(PressKeys(keys=_keys(given, asked)))


def _key_down(reading: _Reading, given: _Given) -> None:
    reading.decisions.append(KeyDown(keys=_keys(given, [given.values.get("key")])))


def _key_up(reading: _Reading, given: _Given) -> None:
    reading.decisions.append(KeyUp(keys=_keys(given, [given.values.get("key")])))


def _wait(reading: _Reading, given: _Given) -> None:
    reading.decisions.append(Wait(seconds=given.number("seconds", _SECONDS)))


def _look(reading: _Reading, _: _Given) -> None:
    reading.decisions.append(Look())


def _terminate(reading: _Reading, given: _Given) -> None:
    status = given.text("status", "success").lower()
    if status not in ("success", "failure"):
        raise given.bad(f'has the status success or failure, not "{status}"')
    answer = given.text("answer", "")
    reading.decisions.append(Answer(text=answer or reading.words, done=status == "success"))


_READERS: dict[str, Callable[[_Reading, _Given], None]] = {
    "moveTo": _move,
    "dragTo": _drag,
    "mouseDown": _mouse_down,
    "mouseUp": _mouse_up,
    "scroll": _scroll,
    "vscroll": _scroll,
    "hscroll": _hscroll,
    "write": _write,
    "typewrite": _write,
    "press": _press,
    "hotkey": _hotkey,
    "keyDown": _key_down,
    "keyUp": _key_up,
    "sleep": _wait,
    "wait": _wait,
    "screenshot": _look,
    "terminate": _terminate,
}


def _keys(given: _Given, asked: Sequence[object]) -> tuple[str, ...]:
    if not asked or not all(isinstance(key, str) and key for key in asked):
        raise given.bad("needs names of keys, such as 'ctrl', 's'")
    try:
        return parse_keys("+".join(map(str, asked)))
    except ComputerError as unknown:
        raise BadCall(f"Line {given.line}: {unknown}") from unknown


def _key(key: str) -> str:
    return _literal(keys_text((key,)))


def _literal(text: str) -> str:
    """The text as a literal on one line, in which no fence can stand."""
    return repr(text).replace("`", "\\x60")
