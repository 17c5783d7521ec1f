"""A screenshot: the pixels, where on the desktop they came from, and the size somebody was shown.

``Screenshot.point`` and ``Screenshot.pixel`` are the only places that know scale and offset.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING

from computer_api.errors import OffScreenError
from computer_api.geometry import Box, Pixel, Point, Size
from computer_vision.reader import Region

if TYPE_CHECKING:
    from PIL.Image import Image

    from computer_platform.desktop import Area, Frame
    from computer_vision.reader import Pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What decides where a pixel lies: the picture's size, the area it shows, and the monitors, in points."""

    size: Size
    area: Area
    monitors: tuple[Area, ...]

    def difference(self, now: Layout) -> str:
        """What is otherwise in another layout, in words."""
        if self.size != now.size:
            return f"the picture was {self.size} and is {now.size} now"
        if len(self.monitors) != len(now.monitors):
            return f"there were {len(self.monitors)} monitors and are {len(now.monitors)} now"
        return "its monitors are placed otherwise"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Screenshot:
    """A frame as it was captured, and ``size``: the picture that the model or the person is shown.

    ``covered`` are the boxes of the desktop, such as password fields, that no picture made of it shows: each is
    filled with grey. ``sure`` is false where a program did not say in time whether it has such fields. The frame
    itself is whole, for whoever looks for things on it.
    """

    frame: Frame
    size: Size
    covered: tuple[Box, ...] = ()
    sure: bool = True

    def of(self, frame: Frame) -> Screenshot:
        """Another frame of the same desktop and size, shown at the same size."""
        return replace(self, frame=frame)

    @property
    def native(self) -> Size:
        """The size of the capture itself, in its own pixels."""
        height, width = self.frame.pixels.shape[:2]
        return Size(width, height)

    @property
    def box(self) -> Box:
        """The part of the desktop that the picture shows."""
        return Box(*self.frame.area)

    @property
    def layout(self) -> Layout:
        """What decides where a pixel of the picture lies."""
        return Layout(size=self.size, area=self.frame.area, monitors=self.frame.monitors)

    def shows(self, point: Point) -> bool:
        """Whether the point is on the picture, and on a monitor."""
        return point in self.box and (
            not self.frame.monitors or any(point in Box(*monitor) for monitor in self.frame.monitors)
        )

    def point(self, pixel: Pixel) -> Point:
        """Where on the desktop a pixel of the shown picture lies: the point under the pixel's middle.

        Of a pixel that lies only partly on a monitor, the point there that is nearest its middle. Raises
        ``OffScreenError`` outside the picture, naming its size, and between monitors, naming the nearest.
        """
        width, height = self.size.width, self.size.height
        if not (0 <= pixel.x < width and 0 <= pixel.y < height):
            raise OffScreenError(
                f"({pixel.x}, {pixel.y}) is outside the picture, which is {self.size}: "
                f"x goes from 0 to {width - 1} and y from 0 to {height - 1}."
            )
        area = self.frame.area
        point = Point(
            area.left + (2 * pixel.x + 1) * area.width // (2 * width),
            area.top + (2 * pixel.y + 1) * area.height // (2 * height),
        )
        return point if self.shows(point) else self._on_a_monitor(pixel, point)

    def _on_a_monitor(self, pixel: Pixel, point: Point) -> Point:
        """The point nearest to this one that the pixel covers and a monitor shows. Raises ``OffScreenError``."""
        boxes = [self.box.shared(Box(*monitor)) for monitor in self.frame.monitors]
        shown = sorted(
            (box for box in boxes if box is not None), key=lambda box: box.nearest(point).distance(point)
        )
        for box in shown:
            if self.pixel(box.nearest(point)) == pixel:
                return box.nearest(point)
        if not shown:
            raise OffScreenError(f"({pixel.x}, {pixel.y}) lies where no monitor shows anything.")
        box = shown[0]
        first, last = self.pixel(Point(box.left, box.top)), self.pixel(Point(box.right - 1, box.bottom - 1))
        raise OffScreenError(
            f"({pixel.x}, {pixel.y}) lies where no monitor shows anything. The picture is {self.size}; the nearest "
            f"monitor is at x from {first.x} to {last.x} and y from {first.y} to {last.y}."
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

    def rectangle(self, box: Box) -> tuple[int, int, int, int]:
        """Left, top, width and height of a desktop box in pixels of the shown picture, which it may lie outside of."""
        area, size = self.frame.area, self.size
        left, right = (round((x - area.left) * size.width / area.width) for x in (box.left, box.right))
        top, bottom = (round((y - area.top) * size.height / area.height) for y in (box.top, box.bottom))
        return left, top, right - left, bottom - top

    def box_at(self, left: int, top: int, width: int, height: int) -> Box:
        """The desktop box that such a rectangle of the shown picture stands for, outside of it too."""
        area, size = self.frame.area, self.size
        x, right = (area.left + round(at * area.width / size.width) for at in (left, left + width))
        y, bottom = (area.top + round(at * area.height / size.height) for at in (top, top + height))
        return Box(x, y, right - x, bottom - y)

    def box_of(self, region: Region) -> Box:
        """The desktop box that a region of the captured pixels shows; whole points, rounded outwards."""
        area, native = self.frame.area, self.native
        left = region.left * area.width // native.width
        top = region.top * area.height // native.height
        right = -(-region.right * area.width // native.width)
        bottom = -(-region.bottom * area.height // native.height)
        return Box(area.left + left, area.top + top, right - left, bottom - top)

    def part(self, box: Box) -> Frame:
        """The captured pixels of the part of the picture that shows the box. Raises ``OffScreenError`` outside it."""
        region = self.region_of(box)
        if not region.width or not region.height:
            raise OffScreenError(
                f"The area {box.left}, {box.top} of {box.width}x{box.height} points lies outside the picture, "
                f"which shows {self.box.width}x{self.box.height} points from {self.box.left}, {self.box.top}."
            )
        pixels = self.frame.pixels[region.top : region.bottom, region.left : region.right]
        return replace(self.frame, pixels=pixels, area=type(self.frame.area)(*astuple(self.box_of(region))))

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

    def pixels(self) -> Pixels:
        """The captured pixels with what is covered filled with grey: what may be shown, kept and sent."""
        from computer_vision.picture import filled

        return filled(self.frame.pixels, [self.region_of(box) for box in self.covered])

    def picture(self) -> Pixels:
        """The picture at the shown size, as B, G, R, X bytes."""
        from computer_vision.picture import resized

        return resized(self.pixels(), self.size.width, self.size.height)

    def image(self) -> Image:
        """The picture at the shown size, RGB."""
        from computer_vision.picture import to_image

        return to_image(self.picture())

    def jpeg(self) -> bytes:
        """The picture at the shown size, JPEG with full colour resolution."""
        from computer_vision.picture import jpeg

        return jpeg(self.picture())

    def png(self) -> bytes:
        """The picture at the shown size, PNG."""
        from computer_vision.picture import png

        return png(self.picture())
