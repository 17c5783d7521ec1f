"""From pixels to points and back: every screen size, every picture size, several monitors, fine pixels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from computer_api.errors import OffScreenError
from computer_api.geometry import Box, Pixel, Point, Size
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame
from computer_platform.memory import MemoryDesktop, form
from computer_vision.reader import Region

NAMED = re.compile(r"x from (\d+) to (\d+) and y from (\d+) to (\d+)")


@dataclass(frozen=True)
class Case:
    """A desktop's area in points, how many pixels a point has, and how much smaller the picture is."""

    area: Area
    scale: int
    size: Size

    def screenshot(self) -> Screenshot:
        # One byte stands for all: geometry reads nothing but the shape.
        shape = (self.area.height * self.scale, self.area.width * self.scale, 4)
        pixels = np.broadcast_to(np.zeros(1, np.uint8), shape)
        return Screenshot(frame=Frame(pixels=pixels, area=self.area), size=self.size)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    width, height = draw(st.integers(1, 4000)), draw(st.integers(1, 3000))
    area = Area(draw(st.integers(-4000, 4000)), draw(st.integers(-4000, 4000)), width, height)
    size = Size(draw(st.integers(1, width)), draw(st.integers(1, height)))
    return Case(area=area, scale=draw(st.sampled_from([1, 2, 3])), size=size)


@given(cases(), st.data())
def test_a_pixel_and_its_point_lead_to_each_other(case: Case, data: st.DataObject) -> None:
    screenshot = case.screenshot()
    pixel = Pixel(
        data.draw(st.integers(0, case.size.width - 1)), data.draw(st.integers(0, case.size.height - 1))
    )
    point = screenshot.point(pixel)
    assert point in screenshot.box
    assert screenshot.pixel(point) == pixel


@given(cases(), st.data())
def test_every_point_of_the_desktop_has_a_pixel_no_farther_than_half_of_one(
    case: Case, data: st.DataObject
) -> None:
    screenshot = case.screenshot()
    point = Point(
        data.draw(st.integers(case.area.left, case.area.right - 1)),
        data.draw(st.integers(case.area.top, case.area.bottom - 1)),
    )
    back = screenshot.point(screenshot.pixel(point))
    assert abs(back.x - point.x) <= case.area.width / case.size.width / 2 + 1
    assert abs(back.y - point.y) <= case.area.height / case.size.height / 2 + 1


@given(cases())
def test_the_first_and_the_last_pixel_are_as_far_from_their_edges(case: Case) -> None:
    screenshot = case.screenshot()
    first, last = screenshot.point(Pixel(0, 0)), screenshot.point(Pixel(case.size.width - 1, 0))
    assert abs((first.x - case.area.left) - (case.area.right - 1 - last.x)) <= 1


@given(cases(), st.data())
def test_the_point_of_a_pixel_is_the_one_under_its_middle_exactly_so_where_nothing_is_shrunk(
    case: Case, data: st.DataObject
) -> None:
    screenshot, area = case.screenshot(), case.area
    x = data.draw(st.integers(0, case.size.width - 1))
    point = screenshot.point(Pixel(x, 0))
    middle = area.left + (x + 0.5) * area.width / case.size.width
    assert point.x <= middle + 1e-6
    assert middle - 1e-6 <= point.x + 1
    if case.size == Size(area.width, area.height):
        assert point == Point(area.left + x, area.top)


@given(cases(), st.data())
def test_farther_right_on_the_picture_is_farther_right_on_the_desktop(
    case: Case, data: st.DataObject
) -> None:
    screenshot = case.screenshot()
    one = data.draw(st.integers(0, case.size.width - 1))
    other = data.draw(st.integers(0, case.size.width - 1))
    points = screenshot.point(Pixel(one, 0)).x, screenshot.point(Pixel(other, 0)).x
    assert (points[0] < points[1]) == (one < other)


@given(cases())
def test_the_corners_of_the_picture_are_the_corners_of_what_it_shows(case: Case) -> None:
    screenshot, area = case.screenshot(), case.area
    right, bottom = case.size.width - 1, case.size.height - 1
    assert screenshot.pixel(Point(area.left, area.top)) == Pixel(0, 0)
    assert screenshot.pixel(Point(area.right - 1, area.bottom - 1)) == Pixel(right, bottom)
    last = screenshot.point(Pixel(right, bottom))
    # as near to the corner as the middle of the last pixel is
    assert area.right - last.x <= -(-area.width // (2 * case.size.width)) + 1
    assert area.bottom - last.y <= -(-area.height // (2 * case.size.height)) + 1


AREAS = st.builds(
    Area, st.integers(-4000, 4000), st.integers(-4000, 4000), st.integers(1, 4000), st.integers(1, 3000)
)


@st.composite
def of_monitors(draw: st.DrawFn) -> Screenshot:
    """A picture, shrunk or not, of one to four monitors wherever they stand."""
    monitors = tuple(draw(st.lists(AREAS, min_size=1, max_size=4)))
    left, top = min(one.left for one in monitors), min(one.top for one in monitors)
    right, bottom = max(one.right for one in monitors), max(one.bottom for one in monitors)
    area = Area(left, top, right - left, bottom - top)
    pixels = np.broadcast_to(np.zeros(1, np.uint8), (area.height, area.width, 4))
    size = Size(draw(st.integers(1, area.width)), draw(st.integers(1, area.height)))
    return Screenshot(frame=Frame(pixels=pixels, area=area, monitors=monitors), size=size)


@given(of_monitors(), st.data())
def test_a_pixel_leads_to_a_point_that_a_monitor_shows_or_to_an_error_that_names_the_nearest(
    screenshot: Screenshot, data: st.DataObject
) -> None:
    size = screenshot.size
    pixel = Pixel(data.draw(st.integers(0, size.width - 1)), data.draw(st.integers(0, size.height - 1)))
    if any(screenshot.shows(point) for point in under(pixel, screenshot)):
        point = screenshot.point(pixel)
        assert screenshot.shows(point)
        assert screenshot.pixel(point) == pixel
        return
    with pytest.raises(OffScreenError, match=r"lies where no monitor shows anything") as failure:
        screenshot.point(pixel)
    said = str(failure.value)
    assert f"({pixel.x}, {pixel.y})" in said
    assert str(size) in said
    named = NAMED.search(said)
    assert named is not None
    left, right, top, bottom = map(int, named.groups())
    for corner in (Pixel(left, top), Pixel(right, bottom)):
        assert screenshot.shows(screenshot.point(corner))


def under(pixel: Pixel, screenshot: Screenshot) -> list[Point]:
    """The points that a pixel covers at its corners, its middle, and where a monitor's edge crosses it."""
    area, size = screenshot.frame.area, screenshot.size
    left, right = (-(-2 * x * area.width // size.width) // 2 for x in (pixel.x, pixel.x + 1))
    top, bottom = (-(-2 * y * area.height // size.height) // 2 for y in (pixel.y, pixel.y + 1))
    columns, rows = (
        range(area.left + left - 1, area.left + right + 1),
        range(area.top + top - 1, area.top + bottom + 1),
    )
    across = {columns[0], columns[1], columns[-1], columns[-2]}
    down = {rows[0], rows[1], rows[-1], rows[-2]}
    for monitor in screenshot.frame.monitors:
        across |= {x for x in (monitor.left, monitor.right - 1) if x in columns}
        down |= {y for y in (monitor.top, monitor.bottom - 1) if y in rows}
    points = [Point(x, y) for x in across for y in down]
    return [point for point in points if point in screenshot.box and screenshot.pixel(point) == pixel]


@given(of_monitors(), st.data())
def test_every_point_that_a_monitor_shows_has_a_pixel_that_leads_to_a_monitor(
    screenshot: Screenshot, data: st.DataObject
) -> None:
    monitor = data.draw(st.sampled_from(screenshot.frame.monitors))
    point = Point(
        data.draw(st.integers(monitor.left, monitor.right - 1)),
        data.draw(st.integers(monitor.top, monitor.bottom - 1)),
    )
    assert screenshot.shows(point)
    assert screenshot.shows(screenshot.point(screenshot.pixel(point)))


def test_between_monitors_is_an_error_that_says_where_the_nearest_is() -> None:
    monitors = (Area(0, 0, 1000, 1000), Area(-500, 400, 500, 300))
    pixels = np.zeros((1000, 1500, 4), np.uint8)
    frame = Frame(pixels=pixels, area=Area(-500, 0, 1500, 1000), monitors=monitors)
    screenshot = Screenshot(frame=frame, size=Size(150, 100))
    with pytest.raises(OffScreenError) as failure:
        screenshot.point(Pixel(10, 38))
    assert str(failure.value) == (
        "(10, 38) lies where no monitor shows anything. The picture is 150x100; the nearest monitor is at "
        "x from 0 to 49 and y from 40 to 69."
    )
    assert screenshot.point(Pixel(10, 40)) == Point(-395, 405)
    assert not screenshot.shows(Point(-1, 0))
    assert not screenshot.shows(Point(2000, 500))


@given(of_monitors(), st.data())
def test_a_part_of_a_picture_shows_the_same_points_in_pixels_of_its_own(
    screenshot: Screenshot, data: st.DataObject
) -> None:
    monitor = Box(*data.draw(st.sampled_from(screenshot.frame.monitors)))
    part = Screenshot(frame=screenshot.part(monitor), size=Size(monitor.width, monitor.height))
    assert part.box == monitor
    assert part.native == Size(monitor.width, monitor.height)
    assert part.point(Pixel(monitor.width - 1, 0)) == Point(monitor.right - 1, monitor.top)
    assert part.pixel(Point(monitor.left, monitor.bottom - 1)) == Pixel(0, monitor.height - 1)


def test_a_part_shows_what_is_there_and_one_outside_the_picture_is_an_error() -> None:
    desktop = MemoryDesktop((640, 400), form(), scale=2)
    screenshot = Screenshot(frame=desktop.capture(), size=Size(320, 200))
    part = screenshot.part(Box(600, 380, 100, 100))
    assert part.area == Area(600, 380, 40, 20)
    assert part.pixels.shape == (40, 80, 4)
    assert np.array_equal(part.pixels, screenshot.frame.pixels[760:, 1200:])
    with pytest.raises(OffScreenError, match="700, 10 of 50x60 points lies outside the picture"):
        screenshot.part(Box(700, 10, 50, 60))


@given(cases(), st.integers(-10_000, 10_000), st.integers(-10_000, 10_000))
def test_outside_the_picture_is_an_error_that_names_its_size(case: Case, x: int, y: int) -> None:
    screenshot = case.screenshot()
    if 0 <= x < case.size.width and 0 <= y < case.size.height:
        screenshot.point(Pixel(x, y))
        return
    with pytest.raises(OffScreenError) as failure:
        screenshot.point(Pixel(x, y))
    assert f"({x}, {y})" in str(failure.value)
    assert f"{case.size.width}x{case.size.height}" in str(failure.value)


def test_one_past_the_last_pixel_is_outside_and_a_point_beside_the_desktop_has_no_pixel() -> None:
    screenshot = Case(area=Area(-100, 50, 200, 100), scale=1, size=Size(200, 100)).screenshot()
    assert screenshot.point(Pixel(199, 99)) == Point(99, 149)
    for x, y in ((200, 0), (0, 100), (-1, 0), (0, -1)):
        with pytest.raises(OffScreenError, match="x goes from 0 to 199 and y from 0 to 99"):
            screenshot.point(Pixel(x, y))
    for x, y in ((100, 50), (-101, 50), (0, 49), (0, 150)):
        with pytest.raises(OffScreenError, match="outside the captured"):
            screenshot.pixel(Point(x, y))


@given(cases(), st.data())
def test_the_box_of_a_region_covers_it_and_the_region_of_a_box_covers_that(
    case: Case, data: st.DataObject
) -> None:
    screenshot = case.screenshot()
    region = data.draw(regions(screenshot.native))
    box = screenshot.box_of(region)
    assert screenshot.box.overlap(box) == box.width * box.height
    again = screenshot.region_of(box)
    assert again.left <= region.left
    assert again.top <= region.top
    assert again.right >= region.right
    assert again.bottom >= region.bottom
    # Outwards by less than one point on each side.
    assert again.width - region.width <= 2 * (case.scale - 1)
    assert again.height - region.height <= 2 * (case.scale - 1)


@given(cases(), st.data())
def test_a_box_beyond_the_picture_is_clipped_to_it(case: Case, data: st.DataObject) -> None:
    screenshot = case.screenshot()
    edges = st.integers(-9000, 9000)
    box = Box(data.draw(edges), data.draw(edges), data.draw(st.integers(1, 9000)), 10)
    region = screenshot.region_of(box)
    native = screenshot.native
    assert region.width >= 0
    assert region.height >= 0
    if region.width and region.height:
        assert 0 <= region.left < region.right <= native.width
        assert 0 <= region.top < region.bottom <= native.height
    assert (region.width > 0 and region.height > 0) == (screenshot.box.overlap(box) > 0)


@given(cases(), st.data())
def test_a_cut_holds_the_pixels_under_that_part_of_the_picture_and_the_whole_is_the_whole(
    case: Case, data: st.DataObject
) -> None:
    screenshot = case.screenshot()
    native, size = screenshot.native, case.size
    assert screenshot.cut(0, 0, size.width, size.height) == Region(0, 0, native.width, native.height)
    shown = data.draw(regions(size))
    cut = screenshot.cut(shown.left, shown.top, shown.right, shown.bottom)
    across, down = native.width / size.width, native.height / size.height
    assert shown.left * across - 1 < cut.left <= shown.left * across + 1e-6
    assert shown.right * across - 1e-6 <= cut.right < shown.right * across + 1
    assert shown.top * down - 1 < cut.top <= shown.top * down + 1e-6
    assert shown.bottom * down - 1e-6 <= cut.bottom < shown.bottom * down + 1


@pytest.mark.parametrize("part", [(10, 10, 10, 20), (20, 10, 10, 20), (0, 0, 101, 10), (-1, 0, 10, 10)])
def test_a_part_that_is_empty_turned_around_or_not_inside_cannot_be_cut(
    part: tuple[int, int, int, int],
) -> None:
    screenshot = Case(area=Area(0, 0, 200, 100), scale=1, size=Size(100, 50)).screenshot()
    with pytest.raises(OffScreenError, match="no part of the picture, which is 100x50"):
        screenshot.cut(*part)


@st.composite
def regions(draw: st.DrawFn, within: Size) -> Region:
    left, top = draw(st.integers(0, within.width - 1)), draw(st.integers(0, within.height - 1))
    return Region(
        left, top, draw(st.integers(1, within.width - left)), draw(st.integers(1, within.height - top))
    )


@pytest.mark.parametrize("scale", [1, 2])
def test_a_capture_of_several_monitors_begins_left_of_and_above_the_primary_one(scale: int) -> None:
    desktop = MemoryDesktop(displays=[Area(0, 0, 640, 400), Area(-320, -100, 320, 200)], scale=scale)
    frame = desktop.capture()
    screenshot = Screenshot(frame=frame, size=Size(960, 500))
    assert screenshot.native == Size(960 * scale, 500 * scale)
    assert screenshot.box == Box(-320, -100, 960, 500)
    assert screenshot.point(Pixel(0, 0)) == Point(-320, -100)
    assert screenshot.pixel(Point(0, 0)) == Pixel(320, 100)
    desktop.move(*(screenshot.point(Pixel(5, 7)).x, screenshot.point(Pixel(5, 7)).y))
    assert desktop.pointer() == (-315, -93)


def test_the_picture_has_the_shown_size_in_each_format_and_right_colours() -> None:
    drawn = Image.new("RGB", (400, 200), (200, 30, 60))
    pixels = np.dstack([np.asarray(drawn)[..., ::-1], np.full((200, 400), 255, np.uint8)])
    screenshot = Screenshot(frame=Frame(pixels=pixels, area=Area(0, 0, 400, 200)), size=Size(200, 100))
    assert screenshot.image().size == (200, 100)
    assert screenshot.image().getpixel((100, 50)) == (200, 30, 60)
    for data, format_ in ((screenshot.png(), "PNG"), (screenshot.jpeg(), "JPEG")):
        opened = Image.open(BytesIO(data))
        assert (opened.size, opened.format) == ((200, 100), format_)
        colour = opened.convert("RGB").getpixel((100, 50))
        assert isinstance(colour, tuple)
        assert all(abs(a - b) <= 3 for a, b in zip(colour, (200, 30, 60), strict=True))


def test_another_frame_is_shown_at_the_same_size() -> None:
    screenshot = Case(area=Area(0, 0, 200, 100), scale=1, size=Size(100, 50)).screenshot()
    other = MemoryDesktop((200, 100)).capture()
    assert screenshot.of(other).size == Size(100, 50)
    assert screenshot.of(other).frame is other
