"""The actions of Anthropic's computer tools, of every version, as ours, and ours as theirs.

Places are pixels of the picture as sent. Keys have the names of xdotool, joined by ``+``; keys apart from each other
are pressed one after the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from computer_agent.models.dialects.arguments import Arguments, BadCall
from computer_agent.models.dialects.vendor_tools import MODIFIERS, keys_of
from computer_api.actions import (
    Click,
    Drag,
    HoldKeys,
    Look,
    MouseDown,
    MouseUp,
    Move,
    PressKeys,
    Scroll,
    TypeText,
    Wait,
    Zoom,
)
from computer_api.errors import ComputerError
from computer_api.geometry import Pixel
from computer_api.keys import key_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from computer_agent.models.dialects.vendor_tools import Screen
    from computer_api.actions import Action, Button

Version = Literal["20241022", "20250124", "20251124", "20260801"]

_FIRST = (
    *("key", "type", "mouse_move", "left_click", "left_click_drag", "right_click", "middle_click"),
    *("double_click", "screenshot", "cursor_position"),
)
_SECOND = (
    *_FIRST,
    *("left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait", "triple_click"),
)
VERBS: dict[Version, tuple[str, ...]] = {
    "20241022": _FIRST,
    "20250124": _SECOND,
    "20251124": (*_SECOND, "zoom"),
    "20260801": (*_SECOND, "zoom"),
}
"""What each version of the tool does."""

_XDOTOOL = {
    "Control_L": "ctrl",
    "Alt_L": "alt",
    "Shift_L": "shift",
    "Super_L": "super",
    "+": "plus",
    "-": "minus",
}
_WAYS: dict[str, tuple[int, int]] = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}
_DRAG_FIELDS = {"start_coordinate": "coordinate", "coordinate": "end_coordinate"}


@dataclass(frozen=True, slots=True)
class Aim:
    """What places are meant on, and where the pointer was put last, ``None`` if nobody knows."""

    screen: Screen
    pointer: Pixel | None = None


def actions_of(verb: str, given: Mapping[str, object], aim: Aim, version: Version) -> tuple[Action, ...]:
    """What one action of theirs is in ours, mostly one. What another version has is done as well.

    Raises ``BadCall``.
    """
    read = _READ.get(verb)
    if read is None:
        raise BadCall(f'There is no action "{verb}"; there are: {", ".join(VERBS[version])}.')
    fields = {name: value for name, value in given.items() if name != "action"}
    if verb == "left_click_drag":
        fields = {_DRAG_FIELDS.get(name, name): value for name, value in fields.items()}
    arguments = Arguments(verb, fields)
    actions = read(arguments, aim)
    arguments.nothing_left()
    return actions


def input_of(action: Action, version: Version, screen: Screen) -> tuple[str, dict[str, object]] | None:
    """Their action with its input that asks for ours; ``None`` where that version has none."""
    said = _said(action, screen)
    if said is None:
        return None
    verb = said[0]
    given = {name: value for name, value in said[1].items() if value is not None}
    holds = "text" in given and verb not in {"key", "type", "hold_key"}
    too_new = (holds and version == "20241022") or ("repeat" in given and version != "20260801")
    return None if too_new or verb not in VERBS[version] else (verb, given)


def pointer_after(pointer: Pixel | None, actions: Sequence[Action]) -> Pixel | None:
    """Where the pointer is after these actions, as far as is known on the picture."""
    for action in actions:
        match action:
            case Click(target=target) | Move(target=target) | Drag(end=target) | Scroll(target=target):
                if target is not None:
                    pointer = target if isinstance(target, Pixel) else None
            case MouseDown() | MouseUp() | PressKeys() | HoldKeys() | Wait() | Look() | Zoom():
                pass
            case TypeText(into=None):
                pass
            case _:  # code, windows and what is named by its label may move it
                pointer = None
    return pointer


def keys_text(keys: tuple[str, ...]) -> str:
    """Canonical names as xdotool has them."""
    return "+".join(_XDOTOOL.get(key, key) for key in keys)


def _target(a: Arguments, aim: Aim) -> Pixel | None:
    place = a.pixel()
    return None if place is None else aim.screen.pixel(place.x, place.y)


def _needed(a: Arguments, aim: Aim) -> Pixel:
    place = _target(a, aim)
    if place is None:
        raise BadCall(f'The action "{a.action}" needs its "coordinate", such as [412, 300].')
    return place


def _held(a: Arguments) -> tuple[str, ...]:
    """Modifiers that are held meanwhile."""
    texts = [text for text in a.texts("text", "key", "keys", "modifiers") if text.strip()]
    return keys_of(a.action, texts) if texts else ()


def _click(a: Arguments, aim: Aim, button: Button = "left", count: int = 1) -> tuple[Action, ...]:
    target = _target(a, aim)
    return (Click(target=target, button=button, count=count, keys=_held(a)),)


def _move(a: Arguments, aim: Aim) -> tuple[Action, ...]:
    return (Move(target=_needed(a, aim)),)


def _drag(a: Arguments, aim: Aim) -> tuple[Action, ...]:
    """In the first version it starts where the pointer is."""
    start, end, keys = _target(a, aim), a.end_pixel(), _held(a)
    if end is None:
        raise BadCall('The action "left_click_drag" needs "start_coordinate" and, as its end, "coordinate".')
    to = aim.screen.pixel(end.x, end.y)
    start = start or aim.pointer
    if start is not None:
        return (Drag(start=start, end=to, keys=keys),)
    if keys:
        raise BadCall('The action "left_click_drag" needs "start_coordinate" where keys are held.')
    return MouseDown(), Move(target=to), MouseUp()


def _button(a: Arguments, aim: Aim, action: MouseDown | MouseUp) -> tuple[Action, ...]:
    place = _target(a, aim)
    return (action,) if place is None else (Move(target=place), action)


def _scroll(a: Arguments, aim: Aim) -> tuple[Action, ...]:
    way = a.text("scroll_direction", "direction").strip().lower()
    amount = a.whole("scroll_amount", "amount", default=3)
    if way not in _WAYS or amount < 1:
        raise BadCall(
            f'The action "scroll" needs a "scroll_direction" of up, down, left or right, not "{way}", and a '
            f'"scroll_amount" of wheel clicks from 1 on, not {amount}.'
        )
    down, right = (amount * part for part in _WAYS[way])
    target = _target(a, aim)
    return (Scroll(down=down, right=right, target=target, keys=_held(a)),)


def _type(a: Arguments, _: Aim) -> tuple[Action, ...]:
    return (TypeText(text=a.text("text")),)


def _key(a: Arguments, _: Aim) -> tuple[Action, ...]:
    chords = _chords(a.action, "+".join(a.texts("text", "key", "keys")))
    repeat = max(1, a.whole("repeat", default=1))
    runs = [(keys, len(list(same))) for keys, same in groupby(chords)]
    if len(runs) == 1:
        (keys, times) = runs[0]
        return (PressKeys(keys=keys, times=times * repeat),)
    return tuple(PressKeys(keys=keys, times=times) for _ in range(repeat) for keys, times in runs)


def _hold_key(a: Arguments, _: Aim) -> tuple[Action, ...]:
    keys = keys_of(a.action, a.texts("text", "key", "keys"))
    return (HoldKeys(keys=keys, seconds=a.number("duration", "seconds")),)


def _wait(a: Arguments, _: Aim) -> tuple[Action, ...]:
    return (Wait(seconds=a.number("duration", "seconds", default=1.0)),)


def _look(_: Arguments, __: Aim) -> tuple[Action, ...]:
    return (Look(),)


def _zoom(a: Arguments, aim: Aim) -> tuple[Action, ...]:
    first, last = a.corners()
    return (aim.screen.zoom(first.x, first.y, last.x, last.y),)


_READ: dict[str, Callable[[Arguments, Aim], tuple[Action, ...]]] = {
    "key": _key,
    "type": _type,
    "mouse_move": _move,
    "left_click": _click,
    "left_click_drag": _drag,
    "right_click": partial(_click, button="right"),
    "middle_click": partial(_click, button="middle"),
    "double_click": partial(_click, count=2),
    "triple_click": partial(_click, count=3),
    "left_mouse_down": partial(_button, action=MouseDown()),
    "left_mouse_up": partial(_button, action=MouseUp()),
    "scroll": _scroll,
    "hold_key": _hold_key,
    "wait": _wait,
    "screenshot": _look,
    "cursor_position": _look,
    "zoom": _zoom,
}


def _chords(action: str, text: str) -> list[tuple[str, ...]]:
    """Each combination of ``ctrl+a``, ``Down Down`` or ``ctrl+c ctrl+v``. ``ctrl s`` and ``page up`` are one."""
    if len(text) == 1:
        return [keys_of(action, [text])]
    text = re.sub(r"\s+\+\s+", "+", text.strip())
    words = text.split()
    if not words:
        raise BadCall(f'The action "{action}" needs keys in "text", such as "ctrl+s".')
    if len(words) == 1 or _is_key(text) or any(_is_modifier(word) for word in words[:-1]):
        return [keys_of(action, [text])]
    return [keys_of(action, [word]) for word in words]


def _is_key(text: str) -> bool:
    try:
        key_name(text)
    except ComputerError:
        return False
    return True


def _is_modifier(word: str) -> bool:
    return _is_key(word) and key_name(word) in MODIFIERS


def _said(action: Action, screen: Screen) -> tuple[str, dict[str, object]] | None:
    """In the widest version of the tool."""
    match action:
        case Click(target=None | Pixel() as target, keys=keys):
            verb = _CLICKS.get((action.button, action.count))
            given: dict[str, object] = {"coordinate": _pair(target, screen), "text": _text(keys)}
            return None if verb is None else (verb, given)
        case Move(target=Pixel() as target):
            return "mouse_move", {"coordinate": _pair(target, screen)}
        case Drag(start=Pixel() as start, end=Pixel() as end, via=(), button="left", keys=keys):
            ends = {"start_coordinate": _pair(start, screen), "coordinate": _pair(end, screen)}
            return "left_click_drag", ends | {"text": _text(keys)}
        case Scroll(unit="notches", target=None | Pixel() as target, keys=keys):
            return _scrolled(action, {"coordinate": _pair(target, screen), "text": _text(keys)})
        case TypeText(text=text, into=None, secret=False):
            return "type", {"text": text}
        case Zoom():
            return "zoom", {"region": list(screen.edges(action))}
        case _:
            return _said_without_place(action)


def _said_without_place(action: Action) -> tuple[str, dict[str, object]] | None:
    match action:
        case PressKeys(keys=keys, times=times):
            return "key", {"text": _text(keys), "repeat": times if times != 1 else None}
        case HoldKeys(keys=keys, seconds=seconds):
            return "hold_key", {"text": _text(keys), "duration": seconds}
        case MouseDown(button="left"):
            return "left_mouse_down", {}
        case MouseUp(button="left"):
            return "left_mouse_up", {}
        case Wait(seconds=seconds):
            return "wait", {"duration": seconds}
        case Look():
            return "screenshot", {}
        case _:
            return None


_CLICKS: dict[tuple[Button, int], str] = {
    ("left", 1): "left_click",
    ("left", 2): "double_click",
    ("left", 3): "triple_click",
    ("right", 1): "right_click",
    ("middle", 1): "middle_click",
}


def _scrolled(action: Scroll, given: dict[str, object]) -> tuple[str, dict[str, object]] | None:
    """Theirs goes one way at a time."""
    for way, (down, right) in _WAYS.items():
        amount = action.down * down + action.right * right
        if amount > 0 and (action.down, action.right) == (amount * down, amount * right):
            return "scroll", {"scroll_direction": way, "scroll_amount": amount, **given}
    return None


def _pair(target: Pixel | None, screen: Screen) -> list[float] | None:
    return None if target is None else list(screen.numbers(target))


def _text(keys: tuple[str, ...]) -> str | None:
    return keys_text(keys) if keys else None
