"""The display, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.arguments import as_count, as_text
from computer_api.geometry import Box
from computer_api.targets import TextTarget

if TYPE_CHECKING:
    from PIL.Image import Image

    from computer_api.computer import Computer
    from computer_api.screenshot import Screenshot


class DisplayVerbs:
    """What the screen shows. All coordinates are pixels of the picture that ``view`` returns."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    @property
    def width(self) -> int:
        """Width of the picture, in pixels, as it is now."""
        return self._computer.look().size.width

    @property
    def height(self) -> int:
        """Height of the picture, in pixels, as it is now."""
        return self._computer.look().size.height

    def size(self) -> tuple[int, int]:
        """Width and height of the picture, in pixels."""
        size = self._computer.look().size
        return size.width, size.height

    def center(self) -> tuple[int, int]:
        """The middle of the picture."""
        width, height = self.size()
        return width // 2, height // 2

    def info(self) -> list[dict[str, object]]:
        """The monitors: name, left, top, width and height in desktop points, and which is primary."""
        return [
            {"name": display.name, "primary": display.primary, **display.area._asdict()}
            for display in self._computer.desktop.displays()
        ]

    def view(
        self,
        show: bool = True,  # noqa: ARG002, FBT001, FBT002 - the classic's; a returned picture is always shown
        quadrant: int | None = None,
        screen: int = -1,
        combine_screens: bool = True,  # noqa: ARG002, FBT001, FBT002 - the classic's; all screens are one picture
        *,
        active_app_only: bool = False,
    ) -> Image:
        """The screen as an RGB picture, or one quarter of it (1 to 4: top left, top right, bottom left, bottom right).

        ``screen`` crops to one monitor (0 is the primary, -1 is all), ``active_app_only`` to the active
        window. Coordinates of a click always lie on the whole picture, never on a crop.
        """
        screenshot = self._computer.look()
        image = screenshot.image()
        if quadrant is not None:
            return image.crop(_quarter(image.width, image.height, quadrant))
        active = self._computer.windows.active() if active_app_only else None
        if active is not None:
            return _cropped(image, screenshot, Box(*active.area))
        if as_count("display.view(screen=)", screen, least=-1) >= 0:
            return _cropped(image, screenshot, self._monitor(screen))
        return image

    screenshot = view

    def _monitor(self, number: int) -> Box:
        displays = self._computer.desktop.displays()
        if number >= len(displays):
            raise ValueError(
                f"There is no screen {number}; there are 0 to {len(displays) - 1}, and -1 for all."
            )
        return Box(*displays[number].area)

    def find_text(self, text: str) -> list[dict[str, object]]:
        """Where a text stands: its coordinates on the picture, the text as it was read, a score of 0 to 1."""
        words = as_text("display.find_text", text)
        screenshot = self._computer.look()
        found = []
        for match in self._computer.find(TextTarget(words), screenshot):
            pixel = screenshot.pixel(match.point)
            found.append({"coordinates": (pixel.x, pixel.y), "text": match.text, "similarity": match.score})
        return found

    find = find_text

    def get_text_as_list_of_lists(self) -> list[list[str]]:
        """Everything that can be read on the screen: a list of words for each line."""
        return [line.split() for line in self._computer.text()]


def _cropped(image: Image, screenshot: Screenshot, box: Box) -> Image:
    region = screenshot.region_of(box)
    across = screenshot.size.width / screenshot.native.width
    down = screenshot.size.height / screenshot.native.height
    return image.crop(
        (
            round(region.left * across),
            round(region.top * down),
            round(region.right * across),
            round(region.bottom * down),
        )
    )


def _quarter(width: int, height: int, quadrant: int) -> tuple[int, int, int, int]:
    if quadrant not in (1, 2, 3, 4):
        raise ValueError(f"A quadrant is 1, 2, 3 or 4, not {quadrant}.")
    left = 0 if quadrant in (1, 3) else width // 2
    top = 0 if quadrant in (1, 2) else height // 2
    return left, top, left + width // 2, top + height // 2
