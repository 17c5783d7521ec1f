"""The display, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from computer_api.arguments import as_count, as_text
from computer_api.errors import DesktopUnavailable, OffScreenError, UnsupportedError
from computer_api.geometry import Box
from computer_api.places import target_of
from computer_api.targets import TextTarget
from computer_api.titles import window_meant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

    from computer_api.computer import Computer
    from computer_api.elements import ScreenElements
    from computer_api.places import Place, Where
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match
    from computer_platform.desktop import Display, Window


class DisplayVerbs:
    """What the screen shows. All coordinates are pixels of the picture that ``view`` returns."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    @property
    def width(self) -> int:
        """Width of the picture, in pixels, as it is now."""
        return self.size()[0]

    @property
    def height(self) -> int:
        """Height of the picture, in pixels, as it is now."""
        return self.size()[1]

    def size(self) -> tuple[int, int]:
        """Width and height of the picture, in pixels."""
        size = self._computer.present().size
        return size.width, size.height

    def center(self) -> tuple[int, int]:
        """The middle of the picture."""
        width, height = self.size()
        return width // 2, height // 2

    def info(self) -> list[dict[str, object]]:
        """The monitors, the primary first: name, left, top, width and height in desktop points, and scale (HiDPI)."""
        return [
            {
                "name": display.name,
                "primary": display.primary,
                **display.area._asdict(),
                "scale": display.scale,
            }
            for display in self._computer.desktop.displays()
        ]

    displays = info

    def capture(
        self,
        *,
        screen: int = -1,
        region: tuple[int, int, int, int] | None = None,
        window: str | None = None,
    ) -> Screenshot:
        """One monitor (0 is the primary), a region, a window by its title, or all there is to see.

        ``region`` is left, top, right and bottom in pixels of the whole picture; of a window, what covers it is seen
        too. The result has its own pixels: ``point`` says where on the desktop one lies, ``pixel`` the reverse.
        Raises ``ValueError`` for a number that no monitor has, ``OffScreenError`` for what is not on the picture.
        """
        if [screen == -1, region is None, window is None].count(False) > 1:
            raise TypeError("display.capture takes one of screen=, region= and window=, not several.")
        whole = self._computer.present()
        if region is not None:
            return self._computer.part(whole, whole.box_of(whole.cut(*_corners(region))))
        if window is not None:
            return self._computer.part(whole, Box(*self._window(window).area))
        if as_count("display.capture(screen=)", screen, least=-1) in (-1, self._computer.screen):
            return whole
        return self._computer.part(whole, self._monitor(screen))

    def view(
        self,
        show: bool = True,  # noqa: ARG002, FBT001, FBT002 - the classic's; a returned picture is always shown
        quadrant: int | None = None,
        screen: int = -1,
        combine_screens: bool = True,  # noqa: ARG002, FBT001, FBT002 - the classic's; all screens are one picture
        *,
        active_app_only: bool = False,
        region: tuple[int, int, int, int] | None = None,
    ) -> Image:
        """The screen as an RGB picture, or one quarter of it (1 to 4: top left, top right, bottom left, bottom right).

        ``screen`` is one monitor (0 is the primary, -1 all), ``active_app_only`` the active window, ``region`` left,
        top, right and bottom. Coordinates of a click always lie on the whole picture, never on a part.
        """
        as_count("display.view(screen=)", screen, least=-1)
        active = self._computer.windows.active() if active_app_only else None
        if active is not None and quadrant is None and region is None:
            whole = self._computer.present()
            return self._computer.part(whole, Box(*active.area)).image()
        image = self.capture(screen=screen, region=region).image()
        return image if quadrant is None else image.crop(_quarter(image.width, image.height, quadrant))

    screenshot = view

    def _monitor(self, number: int) -> Box:
        own = self._computer.screen
        if own is not None:
            raise ValueError(f"There is no screen {number} here: this works on screen {own} only.")
        displays = self._computer.desktop.displays()
        if number >= len(displays):
            raise ValueError(
                f"There is no screen {number}. Screens are {_numbered(displays)}, and -1 for all."
            )
        return Box(*displays[number].area)

    def _window(self, title: str) -> Window:
        manager = self._computer.desktop.windows
        if manager is None:
            raise UnsupportedError("No window manager answers, so windows cannot be told apart.")
        window = window_meant(manager.all(), as_text("display (window=)", title))
        if window.hidden:
            raise OffScreenError(
                f'The window "{window.title}" is minimised, so nothing of it is on the screen.'
            )
        return window

    def elements(self, *, window: str | None = None, seconds: float = 1.0, most: int = 200) -> ScreenElements:
        """What can be acted on now: numbered, with role, name, value, states, and where it is.

        ``box`` is in desktop points, ``area`` in pixels of the whole picture. ``window`` keeps one window, by its
        title; programs get ``seconds`` to answer; of more than ``most`` the texts are left out first. ``truncated``
        says that some are missing.
        """
        wanted = None if window is None else self._window(window)
        most = as_count("display.elements(most=)", most, least=1)
        if not 0 < seconds < float("inf"):
            raise ValueError(f"display.elements(seconds=) is a number above 0, not {seconds}.")
        return self._computer.elements(self._computer.present(), window=wanted, seconds=seconds, most=most)

    def locate(self, *place: Place, seconds: float | None = None, **where: Unpack[Where]) -> Match:
        """Where one thing is, named as for the mouse: ``locate("Delete", near="Ada")``, ``locate(icon="save")``.

        Waits that many seconds for it, by default as long as an action does. ``box`` is in desktop points. Raises
        ``NotFoundError`` with the closest and ``AmbiguousError`` with all candidates.
        """
        target = target_of("display.locate", place, where)
        if target is None:
            raise TypeError('display.locate needs what to look for: locate("Save"), locate(icon="save").')
        return self._computer.locate(target, seconds=seconds)

    def find_text(self, text: str) -> list[dict[str, object]]:
        """Where a text stands: its coordinates on the picture, the text as it was read, a score of 0 to 1."""
        words = as_text("display.find_text", text)
        screenshot = self._computer.present()
        found = []
        for match in self._computer.find(TextTarget(words), screenshot):
            pixel = screenshot.pixel(match.point)
            found.append({"coordinates": (pixel.x, pixel.y), "text": match.text, "similarity": match.score})
        return found

    find = find_text

    def get_text_as_list_of_lists(self) -> list[list[str]]:
        """Everything that can be read on the screen: a list of words for each line."""
        return [line.split() for line in self._computer.text()]


def monitor(displays: Sequence[Display], number: int) -> Display:
    """The monitor of that number, 0 being the primary. Raises ``DesktopUnavailable`` naming those there are."""
    if 0 <= number < len(displays):
        return displays[number]
    raise DesktopUnavailable(
        f"There is no screen {number} on this desktop. Screens are {_numbered(displays)}."
    )


def monitor_named(displays: Sequence[Display], name: str) -> Display:
    """The monitor of that name. Raises ``DesktopUnavailable`` naming those there are."""
    for display in displays:
        if display.name == name:
            return display
    raise DesktopUnavailable(f'The screen "{name}" is not there any more. Screens are {_numbered(displays)}.')


def _numbered(displays: Sequence[Display]) -> str:
    """The monitors by number, name, size and place."""
    return ", ".join(
        f'{number} ("{one.name}", {one.area.width}x{one.area.height} at {one.area.left},{one.area.top})'
        for number, one in enumerate(displays)
    )


def _corners(region: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """The four edges, whole numbers all. Raises ``TypeError`` and ``ValueError``."""
    left, top, right, bottom = (as_count("display.capture(region=)", edge) for edge in region)
    return left, top, right, bottom


def _quarter(width: int, height: int, quadrant: int) -> tuple[int, int, int, int]:
    if quadrant not in (1, 2, 3, 4):
        raise ValueError(f"A quadrant is 1, 2, 3 or 4, not {quadrant}.")
    left = 0 if quadrant in (1, 3) else width // 2
    top = 0 if quadrant in (1, 2) else height // 2
    return left, top, left + width // 2, top + height // 2
