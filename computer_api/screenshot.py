"""A screenshot: the pixels, where on the desktop they came from, and the size somebody was shown.

``Screenshot.point`` and ``Screenshot.pixel`` are the only places that know scale and offset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.errors import OffScreenError
from computer_api.geometry import Box, Pixel, Point, Size
from computer_vision.reader import Region

if TYPE_CHECKING:
    from PIL.Image import Image

    from computer_platform.desktop import Frame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Screenshot:
    """A frame as it was captured, and ``size``: the picture that the model or the person is shown."""

    frame: Frame
    size: Size

    def of(self, frame: Frame) -> Screenshot:
        """Another frame of the same desktop, shown at the same size."""
        return Screenshot(frame=frame, size=self.size)

    @property
    def native(self) -> Size:
        """The size of the capture itself, in its own pixels."""
        height, width = self.frame.pixels.shape[:2]
        return Size(width, height)

    @property
    def box(self) -> Box:
        """The part of the desktop that the picture shows."""
        return Box(*self.frame.area)

    def point(self, pixel: Pixel) -> Point:
        """Where on the desktop a pixel of the shown picture lies: the point under the pixel's middle.

        Raises ``OffScreenError`` outside the picture, naming its size.
        """
        width, height = self.size.width, self.size.height
        if not (0 <= pixel.x < width and 0 <= pixel.y < height):
            raise OffScreenError(
                f"({pixel.x}, {pixel.y}) is outside the picture, which is {self.size}: "
                f"x goes from 0 to {width - 1} and y from 0 to {height - 1}."
            )
        area = self.frame.area
        return Point(
            area.left + (2 * pixel.x + 1) * area.width // (2 * width),
            area.top + (2 * pixel.y + 1) * area.height // (2 * height),
        )

    def pixel(self, point: Point) -> Pixel:
        """The pixel of the shown picture that covers a desktop point. Raises ``OffScreenError`` outside."""
        if point not in self.box:
            raise OffScreenError(f"The point ({point.x}, {point.y}) is outside the captured {self.box}.")
        area = self.frame.area
        return Pixel(
            (2 * (point.x - area.left) + 1) * self.size.width // (2 * area.width),
            (2 * (point.y - area.top) + 1) * self.size.height // (2 * area.height),
        )

    def box_of(self, region: Region) -> Box:
        """The desktop box that a region of the captured pixels shows; whole points, rounded outwards."""
        area, native = self.frame.area, self.native
        left = region.left * area.width // native.width
        top = region.top * area.height // native.height
        right = -(-region.right * area.width // native.width)
        bottom = -(-region.bottom * area.height // native.height)
        return Box(area.left + left, area.top + top, right - left, bottom - top)

    def region_of(self, box: Box) -> Region:
        """The region of the captured pixels that shows a desktop box, clipped to the picture (maybe empty)."""
        area, native = self.frame.area, self.native
        left = max(0, (box.left - area.left) * native.width // area.width)
        top = max(0, (box.top - area.top) * native.height // area.height)
        right = min(native.width, -(-(box.right - area.left) * native.width // area.width))
        bottom = min(native.height, -(-(box.bottom - area.top) * native.height // area.height))
        return Region(left, top, max(0, right - left), max(0, bottom - top))

    def cut(self, left: int, top: int, right: int, bottom: int) -> Region:
        """The captured pixels under a part of the shown picture, given by its edges in that picture's pixels.

        ``right`` and ``bottom`` are just outside. Raises ``OffScreenError`` for a part that is empty or not inside.
        """
        width, height = self.size.width, self.size.height
        if not (0 <= left < right <= width and 0 <= top < bottom <= height):
            raise OffScreenError(
                f"({left}, {top}) to ({right}, {bottom}) is no part of the picture, which is {self.size}: "
                "name its top left corner first and then its bottom right one."
            )
        native = self.native
        first = Region(left * native.width // width, top * native.height // height, 0, 0)
        last_column, last_row = -(-right * native.width // width), -(-bottom * native.height // height)
        return first._replace(width=last_column - first.left, height=last_row - first.top)

    def image(self) -> Image:
        """The picture at the shown size, RGB."""
        from computer_vision.picture import resized, to_image

        return to_image(resized(self.frame.pixels, self.size.width, self.size.height))

    def jpeg(self) -> bytes:
        """The picture at the shown size, JPEG with full colour resolution."""
        from computer_vision.picture import jpeg, resized

        return jpeg(resized(self.frame.pixels, self.size.width, self.size.height))

    def png(self) -> bytes:
        """The picture at the shown size, PNG."""
        from computer_vision.picture import png, resized

        return png(resized(self.frame.pixels, self.size.width, self.size.height))
