"""The functions of Gemini's computer use as our actions, and ours as theirs.

The first set is a browser's; the one of 3.5 and later is a desktop's, with some of a browser. Places are thousandths of
the picture's sides. One function may be several of our actions.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from computer_agent.models.dialects.arguments import Arguments, BadCall
from computer_agent.models.dialects.vendor_tools import keys_of
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
    OpenApp,
    PressKeys,
    Scroll,
    TypeText,
    Wait,
)
from computer_api.geometry import Pixel
from computer_api.keys import keys_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_agent.models.dialects.vendor_tools import Screen
    from computer_api.actions import Action

Generation = Literal["2.5", "3.5"]
"""The models up to 3.1, and those from 3.5 on."""

Environment = Literal["browser", "desktop"]

BROWSER_ONLY = frozenset({"go_back", "go_forward", "navigate"})
"""Functions of the newer set that are not a desktop's."""

_BROWSER = "Web Browser"  # as menus call its kind
_SEARCH = "https://www.google.com"
_MAGNITUDE = 800  # thousandths that a scroll goes where it does not say
_WAYS: dict[str, tuple[int, int]] = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}
_IGNORED = frozenset({"safety_decision"})


def functions_of(generation: Generation, environment: Environment) -> tuple[str, ...]:
    """The names of the functions that the model knows."""
    if generation == "2.5":
        return _FIRST
    return tuple(name for name in _SECOND if environment == "browser" or name not in BROWSER_ONLY)


def actions_of(name: str, given: Mapping[str, object], screen: Screen) -> tuple[Action, ...]:
    """What a call of one of their functions is in our actions, of whichever set. Raises ``BadCall``."""
    arguments = Arguments(name, {field: value for field, value in given.items() if field not in _IGNORED})
    actions = _READ[name](arguments, screen)
    arguments.nothing_left()
    return actions


def call_of(action: Action, generation: Generation, screen: Screen) -> tuple[str, dict[str, object]] | None:
    """The call that asks for our action; ``None`` where that set has none. Raises ``BadCall`` without a picture."""
    said = _said_first(action, screen) if generation == "2.5" else _said(action, screen)
    if said is None:
        return None
    return said[0], {name: value for name, value in said[1].items() if value is not None}


def _place(a: Arguments, screen: Screen, across: str = "x", down: str = "y") -> Pixel | None:
    return screen.pixel(a.number(across), a.number(down)) if a.has(across, down) else None


def _needed(a: Arguments, screen: Screen) -> Pixel:
    place = _place(a, screen)
    if place is None:
        raise BadCall(f'The function "{a.action}" needs "x" and "y", from 0 to 999.')
    return place


def _click(a: Arguments, screen: Screen, button: Button = "left", count: int = 1) -> tuple[Action, ...]:
    return (Click(target=_needed(a, screen), button=button, count=count),)


def _move(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    return (Move(target=_needed(a, screen)),)


def _button(a: Arguments, screen: Screen, kind: type[MouseDown | MouseUp]) -> tuple[Action, ...]:
    named = a.text("button", required=False).lower() or "left"
    button = next((one for one in get_args(Button) if one == named), None)
    if button is None:
        raise BadCall(f'There is no mouse button "{named}"; there are: {", ".join(get_args(Button))}.')
    place = _place(a, screen)
    action = kind(button=button)
    return (action,) if place is None else (Move(target=place), action)


def _drag(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    """Its fields have two names each."""
    start = _place(a, screen) or _place(a, screen, "start_x", "start_y")
    end = _place(a, screen, "destination_x", "destination_y") or _place(a, screen, "end_x", "end_y")
    if start is None or end is None:
        raise BadCall(
            'The function "drag_and_drop" needs "x", "y", "destination_x" and "destination_y", from 0 to 999.'
        )
    return (Drag(start=start, end=end),)


def _type_at(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    """The field's old text goes unless it says otherwise."""
    text, place = a.text("text", required=False), _needed(a, screen)
    clears = a.flag("clear_before_typing") if a.has("clear_before_typing") else True
    typed: tuple[Action, ...] = (TypeText(text=text, into=place),)
    if not clears:
        typed = (Click(target=place), TypeText(text=text))
    return (*typed, *_entered(a))


def _type(a: Arguments, _: Screen) -> tuple[Action, ...]:
    cleared = (PressKeys(keys=("Primary", "a")),) if a.flag("clear_before_typing") else ()
    return (*cleared, TypeText(text=a.text("text")), *_entered(a))


def _entered(a: Arguments) -> tuple[Action, ...]:
    return (PressKeys(keys=("Return",)),) if a.flag("press_enter") else ()


def _keys(a: Arguments, _: Screen) -> tuple[Action, ...]:
    return (PressKeys(keys=_named(a)),)


def _key(a: Arguments, _: Screen, kind: type[KeyDown | KeyUp]) -> tuple[Action, ...]:
    return (kind(keys=_named(a)),)


def _named(a: Arguments) -> tuple[str, ...]:
    texts = a.texts("keys", "key")
    if not texts:
        raise BadCall(f'The function "{a.action}" needs keys, such as "control+s".')
    return keys_of(a.action, texts)


def _scroll(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    """By thousandths of the side, pixels, or notches of the wheel."""
    down, right = _way(a)
    across = bool(right)
    target = _place(a, screen)
    if a.has("magnitude_in_wheel_clicks"):
        amount = a.whole("magnitude_in_wheel_clicks")
        _positive(a, amount)
        return (Scroll(down=down * amount, right=right * amount, target=target),)
    if a.has("magnitude_in_pixels"):
        pixels = a.number("magnitude_in_pixels")
        amount = max(1, round(pixels))
    else:
        pixels = a.number("magnitude", default=_MAGNITUDE)
        amount = screen.length(pixels, across=across)
    _positive(a, pixels)
    return (Scroll(down=down * amount, right=right * amount, target=target, unit="pixels"),)


def _scroll_document(a: Arguments, screen: Screen) -> tuple[Action, ...]:
    down, right = _way(a)
    amount = screen.length(_MAGNITUDE, across=bool(right))
    return (Scroll(down=down * amount, right=right * amount, target=screen.pixel(500, 500), unit="pixels"),)


def _way(a: Arguments) -> tuple[int, int]:
    way = a.text("direction").strip().lower()
    if way not in _WAYS:
        raise BadCall(f'The direction "{way}" is none of up, down, left, right.')
    return _WAYS[way]


def _positive(a: Arguments, amount: float) -> None:
    if amount <= 0:
        raise BadCall(f'The function "{a.action}" scrolls by more than 0 in its direction, not {amount:g}.')


def _wait(a: Arguments, _: Screen) -> tuple[Action, ...]:
    return (Wait(seconds=a.number("seconds", "duration", default=1.0)),)


def _navigate(a: Arguments, _: Screen) -> tuple[Action, ...]:
    return _to_address(a.text("url"))


def _search(_: Arguments, __: Screen) -> tuple[Action, ...]:
    return _to_address(_SEARCH)


def _to_address(url: str) -> tuple[Action, ...]:
    """As a person does it, in the browser that has the keyboard."""
    return PressKeys(keys=("Primary", "l")), TypeText(text=url), PressKeys(keys=("Return",))


def _always(*actions: Action) -> Callable[[Arguments, Screen], tuple[Action, ...]]:
    return lambda _, __: actions


_BACK, _FORWARD = PressKeys(keys=("Alt_L", "Left")), PressKeys(keys=("Alt_L", "Right"))
_READ: dict[str, Callable[[Arguments, Screen], tuple[Action, ...]]] = {
    "open_web_browser": _always(OpenApp(program=_BROWSER)),
    "wait_5_seconds": _always(Wait(seconds=5.0)),
    "go_back": _always(_BACK),
    "go_forward": _always(_FORWARD),
    "search": _search,
    "navigate": _navigate,
    "click_at": _click,
    "hover_at": _move,
    "type_text_at": _type_at,
    "key_combination": _keys,
    "scroll_document": _scroll_document,
    "scroll_at": _scroll,
    "drag_and_drop": _drag,
    "click": _click,
    "double_click": partial(_click, count=2),
    "triple_click": partial(_click, count=3),
    "middle_click": partial(_click, button="middle"),
    "right_click": partial(_click, button="right"),
    "mouse_down": partial(_button, kind=MouseDown),
    "mouse_up": partial(_button, kind=MouseUp),
    "move": _move,
    "type": _type,
    "wait": _wait,
    "press_key": _keys,
    "key_down": partial(_key, kind=KeyDown),
    "key_up": partial(_key, kind=KeyUp),
    "hotkey": _keys,
    "take_screenshot": _always(Look()),
    "scroll": _scroll,
}
_NAMES = tuple(_READ)
_FIRST = _NAMES[: _NAMES.index("click")]
_SECOND = (*_NAMES[_NAMES.index("click") :], "drag_and_drop", *sorted(BROWSER_ONLY))
KNOWN = frozenset(_READ)
"""The functions of both sets."""

_CLICKS: dict[tuple[Button, int], str] = {
    ("left", 1): "click",
    ("left", 2): "double_click",
    ("left", 3): "triple_click",
    ("middle", 1): "middle_click",
    ("right", 1): "right_click",
}


def _said(action: Action, screen: Screen) -> tuple[str, dict[str, object]] | None:
    match action:
        case Click(target=Pixel() as target, keys=()):
            name = _CLICKS.get((action.button, action.count))
            return None if name is None else (name, _point(target, screen))
        case Move(target=Pixel() as target):
            return "move", _point(target, screen)
        case Drag():
            return _dragged(action, screen)
        case Scroll(unit="notches", target=None | Pixel() as target, keys=()):
            return _scrolled("scroll", action, "magnitude_in_wheel_clicks", _point(target, screen))
        case Scroll(unit="pixels", target=None | Pixel() as target, keys=()):
            return _scrolled("scroll", action, "magnitude_in_pixels", _point(target, screen))
        case TypeText(text=text, into=None, secret=False):
            return "type", {"text": text}
        case MouseDown(button="left"):
            return "mouse_down", {}
        case _:
            return _said_without_place(action)


def _said_without_place(action: Action) -> tuple[str, dict[str, object]] | None:
    match action:
        case MouseUp(button="left"):
            return "mouse_up", {}
        case PressKeys(keys=(key,), times=1):
            return "press_key", {"key": keys_text((key,))}
        case PressKeys(keys=keys, times=1):
            return "hotkey", {"keys": [keys_text((key,)) for key in keys]}
        case KeyDown(keys=(key,)):
            return "key_down", {"key": keys_text((key,))}
        case KeyUp(keys=(key,)):
            return "key_up", {"key": keys_text((key,))}
        case Wait(seconds=seconds):
            return "wait", {"seconds": seconds}
        case Look():
            return "take_screenshot", {}
        case _:
            return None


def _said_first(action: Action, screen: Screen) -> tuple[str, dict[str, object]] | None:
    """In the first set."""
    match action:
        case Click(target=Pixel() as target, button="left", count=1, keys=()):
            return "click_at", _point(target, screen)
        case Move(target=Pixel() as target):
            return "hover_at", _point(target, screen)
        case Drag():
            return _dragged(action, screen)
        case Scroll(unit="pixels", target=Pixel() as target, keys=()):
            return _scrolled_at(action, target, screen)
        case TypeText(text=text, into=Pixel() as target, secret=False):
            return "type_text_at", {**_point(target, screen), "text": text, "press_enter": False}
        case PressKeys(keys=keys, times=1):
            return "key_combination", {"keys": keys_text(keys)}
        case Wait(seconds=5.0):
            return "wait_5_seconds", {}
        case _:
            return None


def _dragged(drag: Drag, screen: Screen) -> tuple[str, dict[str, object]] | None:
    if not isinstance(drag.start, Pixel) or not isinstance(drag.end, Pixel):
        return None
    if drag.via or drag.keys or drag.button != "left":
        return None
    x, y = screen.numbers(drag.end)
    return "drag_and_drop", {**_point(drag.start, screen), "destination_x": x, "destination_y": y}


def _scrolled(
    name: str, scroll: Scroll, field: str, place: dict[str, object]
) -> tuple[str, dict[str, object]] | None:
    found = _one_way(scroll)
    return None if found is None else (name, {**place, "direction": found[0], field: found[1]})


def _scrolled_at(scroll: Scroll, target: Pixel, screen: Screen) -> tuple[str, dict[str, object]] | None:
    found = _one_way(scroll)
    if found is None:
        return None
    way, pixels = found
    place = {**_point(target, screen), "direction": way}
    return "scroll_at", {**place, "magnitude": screen.part(pixels, across=bool(scroll.right))}


def _one_way(scroll: Scroll) -> tuple[str, int] | None:
    """Direction and amount, if it is one direction."""
    for way, (down, right) in _WAYS.items():
        amount = scroll.down * down + scroll.right * right
        if amount > 0 and (scroll.down, scroll.right) == (amount * down, amount * right):
            return way, amount
    return None


def _point(target: Pixel | None, screen: Screen) -> dict[str, object]:
    if target is None:
        return {}
    x, y = screen.numbers(target)
    return {"x": x, "y": y}
