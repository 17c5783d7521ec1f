"""The mouse, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.actions import Button, Click, Drag, MouseDown, MouseUp, Move, Scroll
from computer_api.arguments import as_button, as_count
from computer_api.geometry import Pixel, Point
from computer_api.targets import ElementTarget, IconTarget, Target, TextTarget

if TYPE_CHECKING:
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt

Place = str | int | Target


class MouseVerbs:
    """Clicks, moves, drags and scrolls, each of which returns the receipt of what it changed.

    A place is a text on the screen (``"Save"``), a pixel of the picture (``10, 20`` or ``x=10, y=20``),
    an icon's meaning (``icon="settings"``), or a ``Target``. Without a place the mouse acts where it is.
    """

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def click(
        self,
        *place: Place,
        x: int | None = None,
        y: int | None = None,
        icon: str | None = None,
        text: str | None = None,
        button: Button = "left",
        clicks: int = 1,
    ) -> Receipt:
        """Click a place, or where the pointer is."""
        target = _target(place, x=x, y=y, icon=icon, text=text)
        count = as_count("mouse.click(clicks=)", clicks, least=1)
        return self._computer.perform(Click(target=target, button=as_button(button), count=count))

    def double_click(
        self,
        *place: Place,
        x: int | None = None,
        y: int | None = None,
        icon: str | None = None,
        text: str | None = None,
    ) -> Receipt:
        """Click twice."""
        return self.click(*place, x=x, y=y, icon=icon, text=text, clicks=2)

    def triple_click(
        self,
        *place: Place,
        x: int | None = None,
        y: int | None = None,
        icon: str | None = None,
        text: str | None = None,
    ) -> Receipt:
        """Click three times."""
        return self.click(*place, x=x, y=y, icon=icon, text=text, clicks=3)

    def right_click(
        self,
        *place: Place,
        x: int | None = None,
        y: int | None = None,
        icon: str | None = None,
        text: str | None = None,
    ) -> Receipt:
        """Click with the right button."""
        return self.click(*place, x=x, y=y, icon=icon, text=text, button="right")

    def move(
        self,
        *place: Place,
        x: int | None = None,
        y: int | None = None,
        icon: str | None = None,
        text: str | None = None,
    ) -> Receipt:
        """Put the pointer on a place."""
        target = _target(place, x=x, y=y, icon=icon, text=text)
        if target is None:
            raise TypeError('mouse.move needs a place: move("Save"), move(10, 20) or move(icon="settings").')
        return self._computer.perform(Move(target=target))

    def drag(self, start: str | tuple[int, int] | Target, end: str | tuple[int, int] | Target) -> Receipt:
        """Press on one place, move to the other, release. A place is a text, a pixel pair or a ``Target``."""
        return self._computer.perform(Drag(start=_end(start), end=_end(end)))

    def scroll(self, clicks: int) -> Receipt:
        """Turn the wheel where the pointer is; positive is up, as it is in the classic."""
        return self._computer.perform(Scroll(down=-as_count("mouse.scroll", clicks)))

    def position(self) -> tuple[int, int]:
        """The pixel of the picture that the pointer is on."""
        x, y = self._computer.desktop.pointer()
        pixel = self._computer.look().pixel(Point(x, y))
        return pixel.x, pixel.y

    def down(self, button: Button = "left") -> Receipt:
        """Press a button and leave it down."""
        return self._computer.perform(MouseDown(button=as_button(button)))

    def up(self, button: Button = "left") -> Receipt:
        """Release a button."""
        return self._computer.perform(MouseUp(button=as_button(button)))


def _target(
    place: tuple[Place, ...], *, x: int | None, y: int | None, icon: str | None, text: str | None
) -> Target | None:
    """The target that the arguments of a mouse verb mean. Raises ``TypeError`` for a mixture."""
    match place, x, y, icon, text:
        case (), None, None, None, None:
            return None
        case (str(words),), None, None, None, None:
            return TextTarget(words)
        case (Pixel() | TextTarget() | ElementTarget() | IconTarget() as target,), None, None, None, None:
            return target
        case (int(across), int(down)), None, None, None, None:
            return Pixel(across, down)
        case (), int(across), int(down), None, None:
            return Pixel(across, down)
        case (), None, None, str(meaning), None:
            return IconTarget(meaning)
        case (), None, None, None, str(words):
            return TextTarget(words)
        case _:
            raise TypeError(
                f"A place is a text, two whole numbers, x= and y=, or icon=; not {place!r}, "
                f"x={x!r}, y={y!r}, icon={icon!r}, text={text!r}."
            )


def _end(place: str | tuple[int, int] | Target) -> Target:
    match place:
        case str(words):
            return TextTarget(words)
        case (int(x), int(y)):
            return Pixel(x, y)
        case Pixel() | TextTarget() | ElementTarget() | IconTarget():
            return place
        case _:
            raise TypeError(f"A place to drag is a text, a pair of whole numbers or a target, not {place!r}.")
