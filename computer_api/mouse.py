"""The mouse, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from computer_api.actions import Button, Click, Drag, MouseDown, MouseUp, Move, Scroll, Tick
from computer_api.arguments import as_button, as_count, as_text
from computer_api.geometry import Pixel, Point
from computer_api.keys import parse_keys
from computer_api.places import target_of
from computer_api.targets import AnchoredTarget, ElementTarget, IconTarget, PictureTarget, Target, TextTarget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.computer import Computer
    from computer_api.places import Place, Where
    from computer_api.receipt import Receipt

End = str | tuple[int, int] | Target


class MouseVerbs:
    """Clicks, moves, drags and scrolls, each of which returns the receipt of what it changed.

    A place is a text on the screen (``"Save"``), a pixel of the picture (``10, 20`` or ``x=10, y=20``),
    an icon's meaning (``icon="settings"``), the file of a picture of it (``picture="save.png"``), a control by its kind
    (``"OK", role="button"``), or a ``Target``. ``near=``, ``right_of=``, ``left_of=``, ``above=``, ``below=`` and
    ``within=`` (a window, a dialog, a group) say which of several, as ``nth=`` and ``window=`` do.
    Without a place the mouse acts where it is.
    ``keys`` are held meanwhile: ``"ctrl"``, ``"ctrl+shift"``.
    """

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def click(
        self,
        *place: Place,
        button: Button = "left",
        clicks: int = 1,
        interval: float = 0.0,  # noqa: ARG002 - the classic's name; ours are counted right without waiting
        keys: str = "",
        **where: Unpack[Where],
    ) -> Receipt:
        """Click a place, or where the pointer is. Two calls are two clicks, ``clicks=2`` is a double click."""
        click = Click(
            target=target_of("mouse.click", place, where),
            button=as_button(button),
            count=as_count("mouse.click(clicks=)", clicks, least=1),
            keys=_held("mouse.click(keys=)", keys),
        )
        return self._computer.perform(click)

    def tick(self, *place: Place, ticked: bool = True, **where: Unpack[Where]) -> Receipt:
        """Click a tick box by its label, unless it is ticked already; with ``ticked=False`` unless it is not."""
        target = target_of("mouse.tick", place, where)
        if isinstance(target, TextTarget):
            target = ElementTarget(target.text, "tick", target.nth, target.window, target.where)
        if target is None:
            raise TypeError('mouse.tick needs a tick box: tick("Accept").')
        return self._computer.perform(Tick(target=target, ticked=ticked))

    def untick(self, *place: Place, **where: Unpack[Where]) -> Receipt:
        """Click a tick box by its label, unless it is not ticked."""
        return self.tick(*place, ticked=False, **where)

    def double_click(self, *place: Place, keys: str = "", **where: Unpack[Where]) -> Receipt:
        """Click twice."""
        return self.click(*place, clicks=2, keys=keys, **where)

    def triple_click(self, *place: Place, keys: str = "", **where: Unpack[Where]) -> Receipt:
        """Click three times."""
        return self.click(*place, clicks=3, keys=keys, **where)

    def right_click(self, *place: Place, keys: str = "", **where: Unpack[Where]) -> Receipt:
        """Click with the right button."""
        return self.click(*place, button="right", keys=keys, **where)

    def middle_click(self, *place: Place, keys: str = "", **where: Unpack[Where]) -> Receipt:
        """Click with the middle button, which also pastes what is selected on X11."""
        return self.click(*place, button="middle", keys=keys, **where)

    def back(self, *place: Place, **where: Unpack[Where]) -> Receipt:
        """Click with the button that goes back in browsers and file managers."""
        return self.click(*place, button="back", **where)

    def forward(self, *place: Place, **where: Unpack[Where]) -> Receipt:
        """Click with the button that goes forward again."""
        return self.click(*place, button="forward", **where)

    def move(self, *place: Place, **where: Unpack[Where]) -> Receipt:
        """Put the pointer on a place."""
        target = target_of("mouse.move", place, where)
        if target is None:
            raise TypeError('mouse.move needs a place: move("Save"), move(10, 20) or move(icon="settings").')
        return self._computer.perform(Move(target=target))

    def drag(
        self, start: End, end: End, *, via: Sequence[End] = (), button: Button = "left", keys: str = ""
    ) -> Receipt:
        """Press on one place, move over those of ``via`` to the other, release.

        A place is a text, a pixel pair or a ``Target``.
        """
        if isinstance(via, str):
            raise TypeError(f"mouse.drag(via=) takes a list of places, not {via!r}.")
        drag = Drag(
            start=_end(start),
            end=_end(end),
            via=tuple(_end(place) for place in via),
            button=as_button(button),
            keys=_held("mouse.drag(keys=)", keys),
        )
        return self._computer.perform(drag)

    def scroll(
        self,
        clicks: int,
        *place: Place,
        horizontal: bool = False,
        keys: str = "",
        **where: Unpack[Where],
    ) -> Receipt:
        """Turn the wheel by notches over a place, or where the pointer is.

        Positive is up, as it is in the classic; with ``horizontal`` it is to the right.
        """
        notches = as_count("mouse.scroll", clicks)
        scroll = Scroll(
            down=0 if horizontal else -notches,
            right=notches if horizontal else 0,
            target=target_of("mouse.scroll", place, where),
            keys=_held("mouse.scroll(keys=)", keys),
        )
        return self._computer.perform(scroll)

    def scroll_pixels(self, *place: Place, down: int = 0, right: int = 0, **where: Unpack[Where]) -> Receipt:
        """Scroll by about so many pixels of the picture; negative is up and left. The receipt says how many it was."""
        scroll = Scroll(
            down=as_count("mouse.scroll_pixels(down=)", down),
            right=as_count("mouse.scroll_pixels(right=)", right),
            target=target_of("mouse.scroll_pixels", place, where),
            unit="pixels",
        )
        return self._computer.perform(scroll)

    def position(self) -> tuple[int, int]:
        """The pixel of the picture that the pointer is on."""
        x, y = self._computer.desktop.pointer()
        pixel = self._computer.present().pixel(Point(x, y))
        return pixel.x, pixel.y

    def down(self, button: Button = "left") -> Receipt:
        """Press a button and leave it down."""
        return self._computer.perform(MouseDown(button=as_button(button)))

    def up(self, button: Button = "left") -> Receipt:
        """Release a button."""
        return self._computer.perform(MouseUp(button=as_button(button)))


def _end(place: End) -> Target:
    match place:
        case str(words):
            return TextTarget(words)
        case (int(x), int(y)):
            return Pixel(x, y)
        case Pixel() | TextTarget() | ElementTarget() | IconTarget() | PictureTarget() | AnchoredTarget():
            return place
        case _:
            raise TypeError(f"A place to drag is a text, a pair of whole numbers or a target, not {place!r}.")


def _held(verb: str, keys: str) -> tuple[str, ...]:
    """The keys to hold; none for an empty text. Raises ``TypeError`` and ``UnknownKeyError``."""
    return parse_keys(keys) if as_text(verb, keys) else ()
