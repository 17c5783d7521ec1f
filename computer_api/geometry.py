"""Places and sizes. A ``Pixel`` lies on a picture, a ``Point`` on the desktop; they never mix."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt


@dataclass(frozen=True, slots=True)
class Pixel:
    """A place on a picture that somebody was shown: column and row from its top left corner."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Point:
    """A place on the desktop, in the system's own signed coordinates over all displays."""

    x: int
    y: int

    def distance(self, other: Point) -> float:
        """How far the other is, in points."""
        return hypot(self.x - other.x, self.y - other.y)


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height, both at least 1."""

    width: int
    height: int

    @property
    def pair(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    def __str__(self) -> str:
        """As people write it: ``1280x800``."""
        return f"{self.width}x{self.height}"

    def fitted(self, *, long_edge: int, area: int, short_edge: int | None = None) -> Size:
        """The largest size of this shape within the limits (pixels, square pixels); never larger than this."""
        scale = min(1.0, long_edge / max(self.width, self.height), sqrt(area / (self.width * self.height)))
        if short_edge is not None:
            scale = min(scale, short_edge / min(self.width, self.height))
        return Size(max(1, int(self.width * scale)), max(1, int(self.height * scale)))


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the desktop, in points; ``right`` and ``bottom`` are just outside."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First column to the right of the box."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """First row below the box."""
        return self.top + self.height

    @property
    def center(self) -> Point:
        """The middle; for an even size, the point just right of and below it."""
        return Point(self.left + self.width // 2, self.top + self.height // 2)

    def __contains__(self, point: Point) -> bool:
        """Whether the point lies inside."""
        return self.left <= point.x < self.right and self.top <= point.y < self.bottom

    def overlap(self, other: Box) -> int:
        """The shared area, in square points."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0, width) * max(0, height)

    def around(self, other: Box) -> Box:
        """The smallest box that holds both."""
        left, top = min(self.left, other.left), min(self.top, other.top)
        return Box(left, top, max(self.right, other.right) - left, max(self.bottom, other.bottom) - top)

    def shared(self, other: Box) -> Box | None:
        """The part inside both, if there is one."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        width, height = min(self.right, other.right) - left, min(self.bottom, other.bottom) - top
        return Box(left, top, width, height) if width > 0 and height > 0 else None

    def nearest(self, point: Point) -> Point:
        """The point inside that is nearest: the point itself if it is."""
        return Point(
            min(max(point.x, self.left), self.right - 1), min(max(point.y, self.top), self.bottom - 1)
        )

    def grown(self, by: int) -> Box:
        """The box with that many points more on each side."""
        return Box(self.left - by, self.top - by, self.width + 2 * by, self.height + 2 * by)
