"""The pictures in fixtures/screens and what is known to be on them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import pytest

from computer_vision.reader import Region

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_vision.reader import Pixels

SCREENS = Path(__file__).parents[2] / "fixtures" / "screens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    label: str
    label_region: Region
    side: str
    region: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    pixels: Pixels
    texts: tuple[tuple[str, Region], ...]
    fields: tuple[Field, ...]
    ticks: tuple[Field, ...]


def load(name: str) -> Screen:
    truth = json.loads((SCREENS / f"{name}.json").read_text())
    return Screen(
        pixels=cv2.cvtColor(cv2.imread(str(SCREENS / f"{name}.png")), cv2.COLOR_BGR2BGRA),
        texts=tuple((text, Region(*box)) for text, *box in truth["texts"]),
        fields=tuple(map(field, truth["fields"])),
        ticks=tuple(map(field, truth["ticks"])),
    )


def field(entry: dict[str, object]) -> Field:
    return Field(
        label=str(entry["label"]),
        label_region=Region(*entry["region"]),  # type: ignore[misc] - four numbers, from our own file
        side=str(entry["side"]),
        region=Region(*entry["box"]),  # type: ignore[misc] - see above
    )


@pytest.fixture(scope="session")
def screen() -> Callable[[str], Screen]:
    return load
