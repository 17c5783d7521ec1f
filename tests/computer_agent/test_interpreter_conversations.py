"""The names of the files in which the Python object keeps its conversations."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from computer_agent.python_object.conversations import Keeper, file_name, write

if TYPE_CHECKING:
    from pathlib import Path

MOMENT = time.strptime("2026-03-04 05:06:07", "%Y-%m-%d %H:%M:%S")
WHEN = "__March_04_2026_05-06-07.json"


@pytest.mark.parametrize(
    ("first", "name"),
    [
        ("Plot the numbers in data.csv for me", "Plot_the_numbers_in"),
        ("Hello", "Hello"),
        ("Donaudampfschifffahrtsgesellschaft", "Donaudampfschif"),
        ("What is a/b? and c", "What_is_ab_and"),
        ("", ""),
    ],
)
def test_a_file_is_named_by_the_first_words_and_the_time(first: str, name: str) -> None:
    assert file_name(first, MOMENT) == name + WHEN


def test_messages_are_written_as_utf8_for_the_person_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "Grüße.json"
    messages = [{"role": "user", "type": "message", "content": "Grüße Ω 🙂 \ud800"}]
    write(path, messages)
    write(path, messages * 2)
    assert "Grüße Ω 🙂" in path.read_text(encoding="utf-8")
    assert len(json.loads(path.read_text(encoding="utf-8"))) == 2
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_what_takes_long_to_write_is_not_written_at_once_again(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    keeper = Keeper()
    picture = {"role": "computer", "type": "image", "format": "base64.png", "content": "x" * 3_000_000}
    keeper.write(path, [picture], now=False)
    keeper.write(path, [picture] * 2, now=False)
    assert len(json.loads(path.read_text())) == 1
    keeper.write(path, [picture] * 3, now=True)
    assert len(json.loads(path.read_text())) == 3
