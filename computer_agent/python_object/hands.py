"""Display, mouse, keyboard, clipboard and the rest of the desktop under the names and signatures of Open Interpreter.

Each call is one of our own verbs. What differs from the classic: a click takes ``x, y`` without names, too, nothing
waits where nothing has to, and a text that is not there or is there twice is an error that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from PIL.Image import Image

    from computer_agent.python_object.direct import Direct
    from computer_api.actions import Button
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt
    from computer_api.targets import Match

Found = list[dict[str, object]]


class Display:
    """What the screen shows."""

    def __init__(self, direct: Direct) -> None:
        from computer_api.display import DisplayVerbs

        self._computer = cast("Computer", direct)
        self._verbs = DisplayVerbs(self._computer)

    @property
    def width(self) -> int:
        """Width of the picture, as it is now."""
        return self._verbs.width

    @property
    def height(self) -> int:
        """Height of the picture, as it is now."""
        return self._verbs.height

    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self._verbs.size()

    def center(self) -> tuple[int, int]:
        """The middle of the picture."""
        return self._verbs.center()

    def info(self) -> list[dict[str, object]]:
        """The monitors, the primary first."""
        return self._verbs.info()

    def view(
        self,
        show: bool = True,  # noqa: FBT001, FBT002 - the classic's
        quadrant: int | None = None,
        screen: int = 0,
        combine_screens: bool = True,  # noqa: FBT001, FBT002 - the classic's
        active_app_only: bool = True,  # noqa: FBT001, FBT002 - the classic's
    ) -> Image:
        """The active window, or all of a screen, a quarter of it (1 to 4) or every screen (-1), as an RGB picture."""
        active = active_app_only and quadrant is None and screen == 0
        alone = len(self._verbs.info()) == 1
        number = -1 if alone and screen == 0 else screen  # where clicks are counted from its corner, too
        return self._verbs.view(show, quadrant, number, combine_screens, active_app_only=active)

    screenshot = view

    def find(self, description: str, screenshot: Image | None = None) -> Found:
        """Where something is, in shares of the picture: a text in double quotes, or else what an icon means."""
        words = description.strip()
        if len(words) > 1 and words[0] == words[-1] == '"':
            return self.find_text(words[1:-1], screenshot)
        from computer_api.targets import IconTarget

        return self._found(IconTarget(words))

    def find_text(self, text: str, screenshot: Image | None = None) -> Found:  # noqa: ARG002 - the screen as it is now
        """Where a text stands: ``coordinates`` in shares of the picture, 0 to 1, the text as read, how alike it is."""
        from computer_api.targets import TextTarget

        return self._found(TextTarget(text))

    def get_text_as_list_of_lists(self, screenshot: Image | None = None) -> list[list[str]]:  # noqa: ARG002 - the same
        """Everything that can be read on the screen: a list of words for each line."""
        return self._verbs.get_text_as_list_of_lists()

    def _found(self, target: Any) -> Found:  # noqa: ANN401 - a text or an icon
        screenshot = self._computer.present()
        matches: tuple[Match, ...] = self._computer.find(target, screenshot)
        found: Found = []
        for match in matches:
            pixel = screenshot.pixel(match.point)
            place = (pixel.x / screenshot.size.width, pixel.y / screenshot.size.height)
            found.append({"coordinates": place, "text": match.text, "similarity": match.score})
        return found


class Mouse:
    """The mouse. A place is a text, ``x, y`` of the picture, or an icon's meaning."""

    def __init__(self, direct: Direct) -> None:
        from computer_api.mouse import MouseVerbs

        self._verbs = MouseVerbs(cast("Computer", direct))

    def move(
        self,
        *place: object,  # a text, or x and y
        x: float | None = None,
        y: float | None = None,
        icon: str | None = None,
        text: str | None = None,
        screenshot: Image | None = None,  # noqa: ARG002 - the screen is looked at as it is now
    ) -> Receipt:
        """Put the pointer on a place."""
        where, named = _place(place, x, y, icon, text)
        return self._verbs.move(*where, **named)

    def click(
        self,
        *args: object,  # a text, or x and y
        button: Button = "left",
        clicks: int = 1,
        interval: float = 0.1,
        **move_args: Any,  # noqa: ANN401 - those of ``move``
    ) -> Receipt:
        """Click a place, or where the pointer is."""
        move_args.pop("screenshot", None)
        given = {name: move_args.pop(name, None) for name in ("x", "y", "icon", "text")}
        where, named = _place(args, **given)
        return self._verbs.click(
            *where, button=button, clicks=clicks, interval=interval, **named, **move_args
        )

    def double_click(
        self, *args: object, button: Button = "left", interval: float = 0.1, **move_args: object
    ) -> Receipt:
        """Click twice."""
        return self.click(*args, button=button, clicks=2, interval=interval, **move_args)

    def triple_click(
        self, *args: object, button: Button = "left", interval: float = 0.1, **move_args: object
    ) -> Receipt:
        """Click three times."""
        return self.click(*args, button=button, clicks=3, interval=interval, **move_args)

    def right_click(
        self, *args: object, clicks: int = 1, interval: float = 0.1, **move_args: object
    ) -> Receipt:
        """Click with the right button."""
        return self.click(*args, button="right", clicks=clicks, interval=interval, **move_args)

    def scroll(self, clicks: int) -> Receipt:
        """Turn the wheel: positive is up."""
        return self._verbs.scroll(clicks)

    def drag(self, start: Any, end: Any, **how: Any) -> Receipt:  # noqa: ANN401 - as our own verb
        """Press on one place, move to the other, release; each is a text or a pair of pixels."""
        return self._verbs.drag(start, end, **how)

    def position(self) -> tuple[int, int]:
        """The pixel of the picture that the pointer is on."""
        return self._verbs.position()

    def down(self) -> Receipt:
        """Press the left button and leave it down."""
        return self._verbs.down()

    def up(self) -> Receipt:
        """Release the left button."""
        return self._verbs.up()


class Keyboard:
    """The keyboard. Every text arrives as it is, or there is an error; an unknown key is one, too."""

    def __init__(self, direct: Direct) -> None:
        from computer_api.keyboard import KeyboardVerbs

        self._verbs = KeyboardVerbs(cast("Computer", direct))

    def write(self, text: str, interval: float | None = None, delay: float = 0.30, **more: Any) -> Receipt:  # noqa: ANN401 - into= and secret= of ours
        """Type text where the keyboard is; neither clipboard nor waiting is needed for it."""
        return self._verbs.write(text, interval, delay, **more)

    def press(self, *keys: str, presses: int = 1, interval: float = 0.1) -> Receipt:
        """Press keys one after the other."""
        return self._verbs.press(*keys, presses=presses, interval=interval)

    press_and_release = press

    def hotkey(self, *keys: str, interval: float = 0.1) -> Receipt:
        """Press keys together."""
        return self._verbs.hotkey(*keys, interval=interval)

    def down(self, key: str) -> Receipt:
        """Press a key and leave it down."""
        return self._verbs.down(key)

    def up(self, key: str) -> Receipt:
        """Release a key."""
        return self._verbs.up(key)


class Clipboard:
    """The clipboard's text."""

    def __init__(self, direct: Direct) -> None:
        from computer_api.clipboard import ClipboardVerbs

        self._verbs = ClipboardVerbs(cast("Computer", direct))

    def view(self) -> str:
        """The text on it."""
        return self._verbs.view()

    def copy(self, text: str | None = None) -> Receipt:
        """Put a text on it, or, without one, what is selected."""
        return self._verbs.copy(text)

    def paste(self) -> Receipt:
        """Paste where the keyboard is."""
        return self._verbs.paste()


def _place(
    place: tuple[object, ...], x: float | None, y: float | None, icon: str | None, text: str | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The place as our verbs take it: whole pixels, and only what was given."""
    if text is not None and not place:
        place, text = (text,), None
    numbers = tuple(round(one) if isinstance(one, float) else one for one in place)
    named = {
        "x": None if x is None else round(x),
        "y": None if y is None else round(y),
        "icon": icon,
        "text": text,
    }
    return numbers, {name: value for name, value in named.items() if value is not None}
