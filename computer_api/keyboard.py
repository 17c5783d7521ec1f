"""The keyboard, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.actions import KeyDown, KeyUp, PressKeys, TypeText
from computer_api.arguments import as_count, as_text
from computer_api.keys import key_name, parse_keys
from computer_api.targets import ElementTarget

if TYPE_CHECKING:
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt


class KeyboardVerbs:
    """Text and keys, each call returning the receipt of what it changed.

    Key names of xdotool, pyautogui, pynput and of the model vendors are all understood; an unknown
    one is an error that names the nearest.
    """

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def write(
        self,
        text: str,
        interval: float | None = None,  # noqa: ARG002 - the classic's name; ours is exact without waiting
        delay: float | None = None,  # noqa: ARG002 - the same
        *,
        into: str | None = None,
        secret: bool = False,
    ) -> Receipt:
        """Type text where the keyboard is, or into the field with that label, whose old text it replaces."""
        words = as_text("keyboard.write", text)
        field = None if into is None else ElementTarget(as_text("keyboard.write(into=)", into), role="field")
        return self._computer.perform(TypeText(text=words, into=field, secret=secret))

    def press(self, *keys: str, presses: int = 1, interval: float = 0.0) -> Receipt:  # noqa: ARG002 - the classic's name
        """Press keys one after the other, ``presses`` times over; ``"ctrl+s"`` counts as one."""
        if not keys:
            raise TypeError('keyboard.press needs a key: press("enter").')
        chords = [parse_keys(as_text("keyboard.press", key)) for key in keys]
        times = as_count("keyboard.press(presses=)", presses, least=1)
        if len(chords) == 1:
            return self._computer.perform(PressKeys(keys=chords[0], times=times))
        receipts = [self._computer.perform(PressKeys(keys=chord)) for chord in chords * times]
        return receipts[-1]

    press_and_release = press

    def hotkey(self, *keys: str, interval: float = 0.0) -> Receipt:  # noqa: ARG002 - the classic's name
        """Press keys together: ``hotkey("ctrl", "s")`` or ``hotkey("ctrl+s")``."""
        if not keys:
            raise TypeError('keyboard.hotkey needs keys: hotkey("ctrl", "s").')
        names = [as_text("keyboard.hotkey", key) for key in keys]
        chord = parse_keys(names[0]) if len(names) == 1 else tuple(key_name(name) for name in names)
        return self._computer.perform(PressKeys(keys=chord))

    def down(self, key: str) -> Receipt:
        """Press a key and leave it down."""
        return self._computer.perform(KeyDown(keys=(key_name(as_text("keyboard.down", key)),)))

    def up(self, key: str) -> Receipt:
        """Release a key."""
        return self._computer.perform(KeyUp(keys=(key_name(as_text("keyboard.up", key)),)))
