"""The actions of OpenAI's computer tools, the preview and the batched one, as ours, and ours as theirs.

Places are pixels of the picture as sent. A keypress is one combination; wheels are counted in pixels, which are turned
into notches as its maker's own driver does.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from computer_agent.models.dialects.arguments import Arguments, BadCall
from computer_agent.models.dialects.vendor_tools import MODIFIERS, keys_of
from computer_api.actions import Click, Drag, Look, Move, PressKeys, Scroll, TypeText, Wait
from computer_api.geometry import Pixel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_agent.models.dialects.vendor_tools import Screen
    from computer_api.actions import Action, Button

_NOTCH = 120  # pixels
_MOST_NOTCHES = 30
_PAUSE = 1.0  # seconds; theirs says no number
_BUTTONS: dict[str, Button] = {
    "left": "left",
    "right": "right",
    "wheel": "middle",
    "middle": "middle",
    "back": "back",
    "forward": "forward",
}
_KEYS = {
    "Control_L": "CTRL",
    "Alt_L": "ALT",
    "Shift_L": "SHIFT",
    "Super_L": "META",
    "Return": "ENTER",
    "Escape": "ESC",
    "BackSpace": "BACKSPACE",
    "Delete": "DELETE",
    "Tab": "TAB",
    "space": "SPACE",
    "Page_Up": "PAGEUP",
    "Page_Down": "PAGEDOWN",
    "Left": "LEFT",
    "Right": "RIGHT",
    "Up": "UP",
    "Down": "DOWN",
    "Home": "HOME",
    "End": "END",
}


def actions_of(given: Mapping[str, object], screen: Screen) -> tuple[Action, ...]:
    """What one action of theirs is in ours, mostly one. Raises ``BadCall``."""
    kind = str(given.get("type", ""))
    read = _READ.get(kind)
    if read is None:
        raise BadCall(f'There is no action "{kind}"; there are: {", ".join(_READ)}.')
    arguments = Arguments(kind, {name: value for name, value in given.items() if name != "type"})
    actions = read(arguments, screen)
    arguments.nothing_left()
    return actions


def action_of(action: Action, screen: Screen) -> dict[str, Any] | None:
    """Their action that asks for ours; ``None`` where there is none."""
    said = _said(action, screen)
    return None if said is None else {name: value for name, value in said.items() if value not in (None, [])}


def _place(a: Arguments, screen: Screen) -> Pixel:
    place = a.pixel()
    if place is None:
        raise BadCall(f'The action "{a.action}" needs "x" and "y".')
    return screen.pixel(place.x, place.y)


def _held(a: Arguments) -> tuple[str, ...]:
    texts = a.texts("keys")
    return keys_of(a.action, texts) if texts else ()


def _click(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    button = a.text("button", required=False).lower() or "left"
    if button not in _BUTTONS:
        raise BadCall(f'There is no mouse button "{button}"; there are: left, right, wheel, back, forward.')
    return (Click(target=_place(a, screen), button=_BUTTONS[button], keys=_held(a)),)


def _double_click(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    return (Click(target=_place(a, screen), count=2, keys=_held(a)),)


def _move(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    move, keys = Move(target=_place(a, screen)), _held(a)
    if keys:
        raise BadCall('The action "move" takes no keys here; use the tool desktop with key_down and key_up.')
    return (move,)


def _drag(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    path = a.path("path")
    places = [screen.pixel(one.x, one.y) for one in path if isinstance(one, Pixel)]
    if len(places) < max(2, len(path)):
        raise BadCall(
            'The action "drag" needs a "path" of two places or more, such as [{"x": 5, "y": 6}, ...].'
        )
    start, *via, end = places
    return (Drag(start=start, via=tuple(via), end=end, keys=_held(a)),)


def _scroll(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    down, right = _notches(a.number("scroll_y", default=0)), _notches(a.number("scroll_x", default=0))
    if not (down or right):
        raise BadCall('The action "scroll" needs "scroll_x" or "scroll_y", in pixels.')
    return (Scroll(down=down, right=right, target=_place(a, screen), keys=_held(a)),)


def _notches(pixels: float) -> int:
    """Rounded away from 0."""
    notches = min(_MOST_NOTCHES, math.ceil(abs(pixels) / _NOTCH))
    return notches if pixels > 0 else -notches


def _keypress(a: Arguments, _: Screen) -> tuple[Action, ...]:
    """One combination. Where a key is in it twice, the keys are pressed one after the other: no hand can do else."""
    texts = a.texts("keys", "key")
    if not texts:
        raise BadCall('The action "keypress" needs "keys", such as ["CTRL", "S"].')
    keys = [key for text in texts for key in keys_of(a.action, [_as_key(text)])]
    if len(set(keys)) == len(keys):
        return (PressKeys(keys=keys_of(a.action, [_as_key(text) for text in texts])),)
    held = tuple(dict.fromkeys(key for key in keys if key in MODIFIERS))
    pressed = [key for key in keys if key not in MODIFIERS] or keys
    held = held if pressed is not keys else ()
    return tuple(PressKeys(keys=(*held, key), times=len(list(same))) for key, same in groupby(pressed))


def _as_key(text: str) -> str:
    """Names of keys are in capitals: ``S`` is the key, not the letter with shift."""
    return text.lower() if len(text) == 1 else text


def _type(a: Arguments, _: Screen) -> tuple[Action, ...]:
    return (TypeText(text=a.text("text")),)


def _wait(a: Arguments, _: Screen) -> tuple[Action, ...]:
    return (Wait(seconds=a.number("ms", default=1000 * _PAUSE) / 1000),)


def _look(_: Arguments, __: Screen) -> tuple[Action, ...]:
    return (Look(),)


_READ: dict[str, Callable[[Arguments, Screen], tuple[Action, ...]]] = {
    "click": _click,
    "double_click": _double_click,
    "drag": _drag,
    "keypress": _keypress,
    "move": _move,
    "screenshot": _look,
    "scroll": _scroll,
    "type": _type,
    "wait": _wait,
}


def _said(action: Action, screen: Screen) -> dict[str, Any] | None:
    match action:
        case Click(target=Pixel() as target, button="left", count=2, keys=keys):
            return {"type": "double_click", **_point(target, screen), "keys": _names(keys)}
        case Click(target=Pixel() as target, button=button, count=1, keys=keys):
            named = "wheel" if button == "middle" else button
            return {"type": "click", **_point(target, screen), "button": named, "keys": _names(keys)}
        case Move(target=Pixel() as target):
            return {"type": "move", **_point(target, screen)}
        case Drag(start=start, via=via, end=end, button="left", keys=keys):
            path = [_point(place, screen) for place in (start, *via, end) if isinstance(place, Pixel)]
            whole = len(path) == len(via) + 2
            return {"type": "drag", "path": path, "keys": _names(keys)} if whole else None
        case Scroll(target=Pixel() as target, unit="notches", keys=keys):
            return _scrolled(action, {**_point(target, screen), "keys": _names(keys)})
        case _:
            return _said_without_place(action)


def _said_without_place(action: Action) -> dict[str, Any] | None:
    match action:
        case PressKeys(keys=keys, times=1) if keys_of("keypress", [*map(_as_key, _names(keys))]) == keys:
            return {"type": "keypress", "keys": _names(keys)}
        case TypeText(text=text, into=None, secret=False):
            return {"type": "type", "text": text}
        case Wait(seconds=1.0):
            return {"type": "wait"}
        case Look():
            return {"type": "screenshot"}
        case _:
            return None


def _scrolled(action: Scroll, given: dict[str, Any]) -> dict[str, Any] | None:
    if max(abs(action.down), abs(action.right)) > _MOST_NOTCHES:
        return None
    return {"type": "scroll", "scroll_x": _NOTCH * action.right, "scroll_y": _NOTCH * action.down, **given}


def _point(pixel: Pixel, screen: Screen) -> dict[str, Any]:
    return dict(zip(("x", "y"), screen.numbers(pixel), strict=True))


def _names(keys: tuple[str, ...]) -> list[str]:
    return [_KEYS.get(key, key) for key in keys]
