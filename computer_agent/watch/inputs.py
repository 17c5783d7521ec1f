"""What a page sends - moves, buttons, wheel, keys, texts - read strictly, as something to do on a desktop."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from computer_api.keys import key_name, on_platform
from computer_platform.desktop import Button, CannotType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_platform.desktop import Area, Desktop

    Deed = Callable[[Desktop], None]

_NOTCHES = 100
_CHARACTERS = 100_000
_BUTTONS: tuple[Button, ...] = get_args(Button)
_WHERE = "in pixels of the picture"


class BadInput(Exception):
    """What was sent cannot be done; the message says what it was and what would work."""


def deed(data: object, area: Area) -> Deed:
    """What one input asks for; places are pixels of the picture, which shows ``area``.

    Raises ``BadInput``, and ``UnknownKeyError`` for the name of no key.
    """
    if not isinstance(data, dict):
        raise BadInput(f'An input is an object such as {{"kind": "move", "x": 5, "y": 5}}, not "{data}".')
    kind = data.get("kind")
    read = _KINDS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise BadInput(f'There is no input "{kind}". Kinds are {", ".join(_KINDS)}.')
    return read(data, area)


def _move(data: Mapping[str, Any], area: Area) -> Deed:
    return partial(_moved, *_place(data, area))


def _button(data: Mapping[str, Any], area: Area) -> Deed:
    place, down, name = _place(data, area), _truth(data, "down"), data.get("name")
    button = next((one for one in _BUTTONS if one == name), None)
    if button is None:
        raise BadInput(f'There is no mouse button "{name}". Buttons are {", ".join(_BUTTONS)}.')

    def do(desktop: Desktop) -> None:
        desktop.move(*place)
        desktop.button(button, down=down)

    return do


def _wheel(data: Mapping[str, Any], area: Area) -> Deed:
    place = _place(data, area)
    right, down = (
        _whole(data, name, range(-_NOTCHES, _NOTCHES + 1), "notches") for name in ("right", "down")
    )

    def do(desktop: Desktop) -> None:
        desktop.move(*place)
        desktop.scroll(right, down)

    return do


def _key(data: Mapping[str, Any], _area: Area) -> Deed:
    name, down = key_name(_text(data, "name")), _truth(data, "down")
    return lambda desktop: desktop.key(on_platform(name, desktop.name), down=down)


def _typed(data: Mapping[str, Any], _area: Area) -> Deed:
    text = _text(data, "text")
    return lambda desktop: desktop.type_text(text)


def _pasted(data: Mapping[str, Any], _area: Area) -> Deed:
    text = _text(data, "text")

    def do(desktop: Desktop) -> None:
        try:
            desktop.paste_text(text)
        except CannotType:  # nothing there that pastes
            desktop.type_text(text)

    return do


def _release(_data: Mapping[str, Any], _area: Area) -> Deed:
    return lambda desktop: desktop.release_all()


_KINDS: Mapping[str, Callable[[Mapping[str, Any], Area], Deed]] = {
    "move": _move,
    "button": _button,
    "wheel": _wheel,
    "key": _key,
    "text": _typed,
    "paste": _pasted,
    "release": _release,
}


def _moved(x: int, y: int, desktop: Desktop) -> None:
    desktop.move(x, y)


def _place(data: Mapping[str, Any], area: Area) -> tuple[int, int]:
    x = _whole(data, "x", range(area.width), _WHERE)
    y = _whole(data, "y", range(area.height), _WHERE)
    return area.left + x, area.top + y


def _whole(data: Mapping[str, Any], name: str, within: range, unit: str) -> int:
    value = data.get(name)
    if type(value) is not int or value not in within:
        raise BadInput(f'"{name}" is a whole number from {within[0]} to {within[-1]}, {unit}, not "{value}".')
    return value


def _truth(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name)
    if not isinstance(value, bool):
        raise BadInput(f'"{name}" is true or false, not "{value}".')
    return value


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= _CHARACTERS:
        length = f"{len(value)} characters" if isinstance(value, str) else f'"{value}"'
        raise BadInput(f'"{name}" is a text of 1 to {_CHARACTERS} characters, not {length}.')
    return value
