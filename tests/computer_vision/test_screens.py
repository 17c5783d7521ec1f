"""What is found on screens of real programs that nothing was tuned on; how they are made: tests/screens/make.py."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from screens.scoring import Clicks, Count, Read, baseline, by_category, clicks, ours
from screens.truth import PARTS, SCREENS, Box, Label, load, save, screens

from computer_vision.reader import open_reader

if TYPE_CHECKING:
    from pathlib import Path

    from screens.truth import Screen

RECALL = 0.97
ABOVE_PYTESSERACT = 0.15
LANDED = 0.99


class Scored(NamedTuple):
    """All of the screens of a part: how each was read, and what came of clicking by text."""

    read: tuple[tuple[Screen, Read], ...]
    clicks: Clicks

    @property
    def recall(self) -> dict[str, Count]:
        return by_category((screen, read.found) for screen, read in self.read)


@pytest.fixture(scope="module")
def scored() -> Scored:
    return _score("test")


@pytest.fixture(scope="module")
def fresh() -> Scored:
    """Those that were made after the tuning had ended, and measured once."""
    return _score("fresh")


def _score(part: str) -> Scored:
    read, clicked = [], Clicks()
    for screen in screens(part):
        reader = open_reader()
        read.append((screen, ours(screen, reader)))
        clicked = clicked.plus(clicks(screen, reader))  # the same reader: it has read the picture already
    return Scored(tuple(read), clicked)


def test_of_the_texts_on_unseen_screens_at_least_97_percent_are_found(scored: Scored) -> None:
    found = scored.recall["all"].share
    assert found >= RECALL, _table(scored)


def test_of_the_latin_texts_on_unseen_screens_at_least_97_percent_are_found(scored: Scored) -> None:
    found = scored.recall["script latin"].share
    assert found >= RECALL, _table(scored)


def test_at_least_15_points_more_are_found_than_by_pytesseract(scored: Scored) -> None:
    theirs = Count()
    for found, total, _, _ in baseline("test").values():
        theirs = theirs.plus(found, total)
    ahead = scored.recall["all"].share - theirs.share
    assert ahead >= ABOVE_PYTESSERACT, f"{_table(scored)}, theirs {theirs}"


def test_of_the_latin_texts_at_least_15_points_more_are_found_than_by_pytesseract(scored: Scored) -> None:
    theirs = Count()
    for _, _, found, total in baseline("test").values():
        theirs = theirs.plus(found, total)
    ahead = scored.recall["script latin"].share - theirs.share
    assert ahead >= ABOVE_PYTESSERACT, f"{_table(scored)}, theirs {theirs}"


def test_a_click_by_text_never_lands_outside_its_control_silently(scored: Scored) -> None:
    wrong = len(scored.clicks.wrong)  # which they are stays unknown, or they would be tuned on
    assert wrong == 0


def test_of_the_clicks_by_text_at_least_99_percent_land_in_their_control(scored: Scored) -> None:
    asked, right = scored.clicks.asked, scored.clicks.right
    counts = {name: len(getattr(scored.clicks, name)) for name in ("wrong", "missing", "ambiguous")}
    assert asked > 200
    assert right >= LANDED * asked, counts


def test_of_the_texts_on_fresh_screens_at_least_97_percent_are_found(fresh: Scored) -> None:
    assert fresh.recall["all"].share >= RECALL, _table(fresh)


def test_of_the_latin_texts_on_fresh_screens_at_least_97_percent_are_found(fresh: Scored) -> None:
    assert fresh.recall["script latin"].share >= RECALL, _table(fresh)


@pytest.mark.parametrize(("category", "column"), [("all", 0), ("script latin", 2)])
def test_on_fresh_screens_at_least_15_points_more_are_found_than_by_pytesseract(
    fresh: Scored, category: str, column: int
) -> None:
    theirs = Count()
    for counted in baseline("fresh").values():
        theirs = theirs.plus(counted[column], counted[column + 1])
    ahead = fresh.recall[category].share - theirs.share
    assert ahead >= ABOVE_PYTESSERACT, f"{_table(fresh)}, theirs {theirs}"


def test_a_click_by_text_on_fresh_screens_never_lands_outside_its_control_silently(fresh: Scored) -> None:
    wrong = len(fresh.clicks.wrong)
    assert wrong == 0


def test_of_the_clicks_by_text_on_fresh_screens_at_least_99_percent_land(fresh: Scored) -> None:
    assert fresh.clicks.asked > 300
    assert fresh.clicks.right >= LANDED * fresh.clicks.asked


def test_the_baseline_was_measured_on_the_screens_that_are_there() -> None:
    for part in PARTS:
        there = {screen.name: len(screen.labels) for screen in screens(part)}
        assert {name: total for name, (_, total, _, _) in baseline(part).items()} == there


def test_the_screens_are_many_various_and_small() -> None:
    every = {part: list(screens(part)) for part in PARTS}
    labels = [label for shown in every.values() for screen in shown for label in screen.labels]
    assert len(labels) >= 1500
    assert sum(map(len, every.values())) >= 26
    for shown in every.values():
        assert {"chromium", "gtk3", "gtk4", "qt", "tk", "xterm", "libreoffice"} <= {
            screen.toolkit for screen in shown
        }
        assert {"light", "dark"} <= {screen.theme for screen in shown}
        assert {"cjk", "arabic", "hidpi", "small", "menu", "table"} <= {
            tag for screen in shown for tag in screen.tags
        }
    assert sum(path.stat().st_size for path in SCREENS.rglob("*")) < 8_000_000


@pytest.mark.parametrize(("seen", "part"), [("tuning", "test"), ("tuning", "fresh"), ("test", "fresh")])
def test_what_is_tested_on_shares_no_screen_and_few_words_with_what_was_seen(seen: str, part: str) -> None:
    before, now = (
        {label.text for screen in screens(name) for label in screen.labels} for name in (seen, part)
    )
    assert not {screen.name for screen in screens(seen)} & {screen.name for screen in screens(part)}
    assert len(before & now) < len(now) / 20, sorted(before & now)


@pytest.mark.parametrize("part", PARTS)
def test_every_label_lies_on_its_picture_where_there_is_something_to_see(part: str) -> None:
    for screen in screens(part):
        height, width = screen.pixels.shape[:2]
        for label in screen.labels:
            left, top, across, down = label.box
            assert left >= 0 <= top, label
            assert left + across <= width, label
            assert top + down <= height, label
            cut = screen.pixels[top : top + down, left : left + across, :3]
            assert int(cut.max()) - int(cut.min()) > 25, f"nothing to see on {screen.name}: {label}"


@pytest.mark.parametrize("name", ["gtk3_planner", "chromium_preferences", "xterm_forest"])
def test_a_screen_is_stored_without_loss(name: str, tmp_path: Path) -> None:
    screen = load(SCREENS / "tuning" / f"{name}.png")
    save(screen, tmp_path)
    again = load(tmp_path / f"{name}.png")
    assert np.array_equal(again.pixels, screen.pixels)
    assert replace(again, pixels=screen.pixels) == screen


def test_the_script_of_a_label_is_that_of_its_first_letter_that_is_not_latin() -> None:
    texts = ("Save 5", "2 册", "キャンセル", "رقم 7", "PDF המשך")
    scripts = [Label(text=text, box=Box(0, 0, 1, 1), kind="label").script for text in texts]
    assert scripts == ["latin", "cjk", "cjk", "arabic", "hebrew"]


def _table(scored: Scored) -> str:
    return ", ".join(f"{category}: {count}" for category, count in scored.recall.items())
