"""Resizing and encoding pictures."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from computer_vision.picture import from_image, jpeg, png, resized, to_image


def coloured(width: int, height: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 255, (height, width, 4), dtype=np.uint8)


@given(st.integers(1, 90), st.integers(1, 90), st.integers(1, 90), st.integers(1, 90))
def test_a_picture_has_the_size_asked_for(width: int, height: int, new_width: int, new_height: int) -> None:
    assert resized(coloured(width, height), new_width, new_height).shape == (new_height, new_width, 4)


def test_the_same_size_costs_nothing() -> None:
    pixels = coloured(40, 30)
    assert resized(pixels, 40, 30) is pixels


@pytest.mark.parametrize("size", [(400, 300), (390, 280), (250, 210), (123, 97)])
def test_shrinking_keeps_every_thin_line(size: tuple[int, int]) -> None:
    pixels = np.full((900, 1200, 4), 255, dtype=np.uint8)
    pixels[:, 600] = 0
    small = resized(pixels, *size)
    assert (small[:, :, 0].min(axis=1) < 250).all()


def test_shrinking_keeps_the_mean_brightness() -> None:
    pixels = coloured(3000, 2000)
    assert abs(float(resized(pixels, 1280, 853).mean()) - float(pixels.mean())) < 0.5


def test_a_size_without_pixels_is_refused() -> None:
    with pytest.raises(ValueError, match='"0x5"'):
        resized(coloured(4, 4), 0, 5)


def test_red_is_red_in_pillow_and_back() -> None:
    pixels = np.zeros((2, 3, 4), dtype=np.uint8)
    pixels[:, :, 2] = 255
    image = to_image(pixels)
    assert image.mode == "RGB"
    assert image.size == (3, 2)
    assert image.getpixel((0, 0)) == (255, 0, 0)
    assert np.array_equal(from_image(image)[:, :, :3], pixels[:, :, :3])


def test_images_of_any_mode_are_taken_and_transparent_parts_are_white() -> None:
    for mode in ("1", "L", "P", "CMYK", "RGBA", "I;16", "LA"):
        assert from_image(Image.new(mode, (5, 4))).shape == (4, 5, 4)
    assert (from_image(Image.new("RGBA", (5, 4), (0, 0, 0, 0)))[:, :, :3] == 255).all()


def test_png_keeps_every_pixel() -> None:
    pixels = coloured(31, 17)
    back = Image.open(BytesIO(png(pixels)))
    assert back.format == "PNG"
    assert np.array_equal(from_image(back)[:, :, :3], pixels[:, :, :3])


def test_jpeg_keeps_the_colour_of_single_columns() -> None:
    pixels = np.zeros((32, 32, 4), dtype=np.uint8)
    pixels[:, ::2, 2] = pixels[:, 1::2, 0] = 255
    back = Image.open(BytesIO(jpeg(pixels)))
    assert back.format == "JPEG"
    red, _, blue = back.getpixel((10, 10))  # type: ignore[misc] - an RGB image has three bands
    assert red > blue + 150


def test_a_better_quality_has_more_bytes_and_a_wrong_one_is_refused() -> None:
    assert len(jpeg(coloured(64, 64), 95)) > len(jpeg(coloured(64, 64), 40))
    with pytest.raises(ValueError, match='"0"'):
        jpeg(coloured(4, 4), 0)
