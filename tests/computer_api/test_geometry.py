from hypothesis import given
from hypothesis import strategies as st

from computer_api.geometry import Box, Point, Size

COORDINATES = st.integers(-5000, 5000)
EXTENTS = st.integers(1, 3000)
BOXES = st.builds(Box, COORDINATES, COORDINATES, EXTENTS, EXTENTS)
SIZES = st.builds(Size, st.integers(1, 16384), st.integers(1, 16384))


@given(BOXES)
def test_a_box_holds_its_middle_and_its_corners_but_nothing_just_outside(box: Box) -> None:
    assert box.center in box
    assert Point(box.left, box.top) in box
    assert Point(box.right - 1, box.bottom - 1) in box
    assert Point(box.right, box.top) not in box
    assert Point(box.left, box.bottom) not in box
    assert Point(box.left - 1, box.top) not in box


@given(BOXES, BOXES)
def test_what_two_boxes_share_is_the_same_either_way_and_no_more_than_the_smaller(
    one: Box, other: Box
) -> None:
    shared = one.overlap(other)
    assert shared == other.overlap(one)
    assert 0 <= shared <= min(one.width * one.height, other.width * other.height)


@given(BOXES, BOXES)
def test_the_box_around_two_holds_both_whole(one: Box, other: Box) -> None:
    around = one.around(other)
    for box in (one, other):
        assert around.overlap(box) == box.width * box.height


@given(BOXES, st.integers(0, 50))
def test_a_grown_box_keeps_its_middle_and_holds_the_old_one(box: Box, by: int) -> None:
    grown = box.grown(by)
    assert grown.center == box.center
    assert grown.overlap(box) == box.width * box.height
    assert (grown.width, grown.height) == (box.width + 2 * by, box.height + 2 * by)


@given(BOXES, BOXES)
def test_what_two_boxes_share_is_a_box_as_large_as_their_overlap(one: Box, other: Box) -> None:
    shared = one.shared(other)
    assert (0 if shared is None else shared.width * shared.height) == one.overlap(other)
    if shared is not None:
        assert shared == other.shared(one)
        assert shared.center in one
        assert shared.center in other


@given(BOXES, st.builds(Point, COORDINATES, COORDINATES))
def test_the_nearest_point_of_a_box_is_inside_and_no_corner_or_edge_is_nearer(box: Box, point: Point) -> None:
    nearest = box.nearest(point)
    assert nearest in box
    assert (nearest == point) == (point in box)

    def distance(x: int, y: int) -> int:
        return (x - point.x) ** 2 + (y - point.y) ** 2

    across, down = (box.left, box.center.x, box.right - 1), (box.top, box.center.y, box.bottom - 1)
    assert all(distance(nearest.x, nearest.y) <= distance(x, y) for x in across for y in down)


@given(SIZES)
def test_a_fitted_size_is_within_both_limits_keeps_the_shape_and_never_grows(size: Size) -> None:
    fitted = size.fitted(long_edge=1568, area=1_150_000)
    assert 1 <= fitted.width <= min(size.width, 1568)
    assert 1 <= fitted.height <= min(size.height, 1568)
    assert fitted.width * fitted.height <= 1_150_000
    # Whole pixels make the shape wrong by less than one pixel of either side.
    scale = min(1.0, 1568 / max(size.width, size.height), (1_150_000 / (size.width * size.height)) ** 0.5)
    assert abs(fitted.width - size.width * scale) <= 1
    assert abs(fitted.height - size.height * scale) <= 1


def test_a_size_within_the_limits_is_left_as_it_is() -> None:
    assert Size(1280, 800).fitted(long_edge=1568, area=1_150_000) == Size(1280, 800)
    assert str(Size(1280, 800)) == "1280x800"
