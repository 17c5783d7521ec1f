"""Places in each space that models count in: to pixels and back without an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.models.coordinates import (
    FRACTION,
    PIXELS,
    THOUSAND,
    Relative,
    Resized,
    Space,
    smart_resize,
)
from computer_agent.models.dialects.arguments import BadCall
from computer_api.geometry import Pixel, Size

SPACES = {
    "pixels": PIXELS,
    "thousand": THOUSAND,
    "999": Relative(999),
    "fraction": FRACTION,
    "28": Resized(smart_resize(28, 16384 * 784, 100 * 784)),
    "28 capped": Resized(smart_resize(28, 1350 * 784)),
    "32": Resized(smart_resize(32, 16384 * 1024)),
}

sizes = st.builds(Size, st.integers(1, 16384), st.integers(1, 16384))


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@given(sizes, st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_a_pixel_comes_back_as_itself(space: Space, size: Size, across: float, down: float) -> None:
    pixel = Pixel(int(across * size.width), int(down * size.height))
    assert space.pixel(*space.numbers(pixel, size), size) == pixel


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@given(sizes, st.floats(-5, 20000), st.floats(-5, 20000))
def test_a_place_is_on_the_picture_or_refused(space: Space, size: Size, x: float, y: float) -> None:
    try:
        pixel = space.pixel(x, y, size)
    except BadCall:
        return
    assert 0 <= pixel.x < size.width
    assert 0 <= pixel.y < size.height


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_a_place_outside_is_refused_with_the_span_that_works(space: Space) -> None:
    with pytest.raises(BadCall, match=r"\(-1, 5\) is outside of the picture"):
        space.pixel(-1, 5, Size(1280, 800))
    with pytest.raises(BadCall, match="outside of the picture"):
        space.pixel(0, 20001, Size(1280, 800))


def test_the_thousandths_are_those_that_the_vendors_compute() -> None:
    assert THOUSAND.pixel(500, 250, Size(1920, 1080)) == Pixel(960, 270)
    assert THOUSAND.pixel(1000, 1000, Size(1920, 1080)) == Pixel(1919, 1079)


@pytest.mark.parametrize(
    ("factor", "most", "given", "seen"),
    [
        (28, 16384 * 784, Size(1920, 1080), Size(1932, 1092)),
        (28, 1350 * 784, Size(1920, 1080), Size(1344, 756)),
        (32, 16384 * 1024, Size(1280, 800), Size(1280, 800)),
        (28, 16384 * 784, Size(20, 20), Size(56, 56)),
    ],
)
def test_the_resized_picture_has_the_size_of_qwens_rule(
    factor: int, most: int, given: Size, seen: Size
) -> None:
    assert smart_resize(factor, most)(given) == seen


@given(st.sampled_from([28, 32]), sizes)
def test_a_resized_picture_has_whole_patches_and_at_most_the_area(factor: int, size: Size) -> None:
    seen = smart_resize(factor, 1350 * 784)(size)
    assert seen.width % factor == seen.height % factor == 0
    narrow = min(seen.width, seen.height) == factor
    assert seen.width * seen.height <= 1350 * 784 or narrow
