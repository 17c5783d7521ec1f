"""What is sent never exceeds what a provider takes."""

from __future__ import annotations

import base64
from functools import lru_cache
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from computer_agent.context.history import History
from computer_agent.context.provider import provider_of
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.step import Observation
from computer_api.geometry import Size
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame
from computer_vision.picture import encoded, fitted, resized

MODELS = (
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-opus-4-7",
    "openai/gpt-4o",
    "openai/gpt-5",
    "openai/gpt-5-mini",
    "gemini/gemini-2.5-pro",
    "gemini/gemini-3-pro",
    "openai/some-local-model",
)
NOISE = np.random.default_rng(6).integers(0, 256, (1200, 1200, 4), dtype=np.uint8)


@lru_cache(maxsize=2)
def noise(width: int, height: int) -> np.ndarray:
    rows, columns = np.arange(height) % NOISE.shape[0], np.arange(width) % NOISE.shape[1]
    return np.ascontiguousarray(NOISE[rows][:, columns])


@pytest.mark.parametrize(
    ("model", "size", "tokens"),
    [
        ("anthropic/claude-sonnet-4-5", Size(1280, 800), 1334),
        ("anthropic/claude-sonnet-4-20250514", Size(1366, 768), 1372),
        ("openai/gpt-4o", Size(1280, 800), 1105),
        ("openai/gpt-5", Size(1024, 768), 630),
        ("openai/gpt-4.1-mini", Size(1280, 800), 1620),
        ("gemini/gemini-2.5-pro", Size(1280, 800), 1548),
        ("gemini/gemini-3-pro", Size(320, 200), 1120),
    ],
)
def test_tokens_of_a_picture_are_those_of_the_published_formulas(model: str, size: Size, tokens: int) -> None:
    assert provider_of(model).tokens(size) == tokens


@given(st.sampled_from(MODELS), st.integers(1, 16384), st.integers(1, 16384))
def test_every_screen_is_shown_in_a_size_that_the_provider_does_not_shrink(
    model: str, width: int, height: int
) -> None:
    shown = provider_of(model).limit.fitted(Size(width, height))
    assert shown.width <= min(width, 2048)
    assert shown.height <= min(height, 2048)
    if "claude-sonnet-4-5" in model:
        assert max(shown.pair) <= 1568
        assert shown.width * shown.height <= 1_150_000
    if model in ("openai/gpt-4o", "openai/gpt-5"):
        assert min(shown.pair) <= 768


@pytest.mark.parametrize("model", ["anthropic/claude-opus-4-7", "openai/gpt-4o", "gemini/gemini-3-pro"])
@pytest.mark.parametrize("size", [(8192, 2048), (3840, 2160), (1280, 800), (40, 16384), (7, 3), (1, 1)])
def test_even_noise_is_sent_within_the_limits_and_in_the_size_that_is_told(
    model: str, size: tuple[int, int]
) -> None:
    provider = provider_of(model)
    shown = provider.limit.fitted(Size(*size))
    data = encoded(resized(noise(*size), *shown.pair), provider.most_bytes)
    assert len(base64.b64encode(data)) <= 5_000_000
    assert len(data) <= provider.most_bytes
    with Image.open(BytesIO(data)) as image:
        assert image.size == shown.pair


@given(st.integers(1, 60), st.integers(1, 60), st.integers(700, 20_000))
def test_quality_falls_until_a_picture_fits(width: int, height: int, most: int) -> None:
    try:
        data = encoded(noise(width, height), most)
    except ValueError as refused:
        assert f'"{width}x{height}"' in str(refused)  # noqa: PT017 - both outcomes are right
        assert len(encoded(noise(width, height), 10**9)) > most
    else:
        assert len(data) <= most


def test_flat_screens_are_sent_without_loss_and_photographs_as_jpeg() -> None:
    flat = np.full((400, 600, 4), 240, dtype=np.uint8)
    flat[100:130, 50:300] = 20
    assert encoded(flat, 10**6).startswith(b"\x89PNG")
    assert encoded(noise(600, 400), 10**6).startswith(b"\xff\xd8")


def test_a_picture_that_code_made_is_made_smaller_where_it_is_too_large() -> None:
    buffer = BytesIO()
    Image.fromarray(noise(2400, 1600)[:, :, :3]).save(buffer, "PNG", compress_level=0)
    provider = provider_of("anthropic/claude-sonnet-4-5")
    data = fitted(
        buffer.getvalue(), provider.most_bytes, lambda size: provider.limit.fitted(Size(*size)).pair
    )
    with Image.open(BytesIO(data)) as image:
        assert max(image.size) <= 1568
    assert len(data) <= provider.most_bytes
    assert fitted(data, provider.most_bytes, lambda size: size) == data, "what fits is left as it is"


def test_a_request_of_noise_stays_under_what_anthropic_takes_at_once() -> None:
    dialect = FunctionCalling(
        system="Work.", history=History(provider=provider_of("anthropic/claude-opus-4-7"))
    )
    frame = Frame(pixels=noise(1920, 1080), area=Area(0, 0, 1920, 1080))
    now = Observation(screenshot=Screenshot(frame=frame, size=Size(1920, 1080)))
    (part,) = (
        part for part in dialect.prompt("t", [], now).messages[-1]["content"] if part["type"] == "image_url"
    )
    assert 8 * len(part["image_url"]["url"]) < 32_000_000
