"""Icons are found by what they mean, and what is not on the screen is not found."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from icon_screens.scoring import OFFICE, Labelled, Score, scored, screens

from computer_api.errors import NotFoundError
from computer_api.geometry import Size
from computer_api.icons import Icons, meaning_of, meanings
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Window
from computer_platform.icon_themes import IconFile, themed
from computer_platform.memory import MemoryDesktop, Screen
from computer_vision import shapes
from computer_vision.drawing import drawn

INK, PAPER = (60, 60, 60), (240, 240, 240)
RED_DISC = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">'
    b'<circle cx="12" cy="12" r="10" fill="#c00"/><path d="M4 12h16" stroke="#0c0" stroke-width="5"/></svg>'
)


def screen_of(
    placed: dict[tuple[int, int], str | bytes], size: int = 24, windows: list[Window] | None = None
) -> tuple[MemoryDesktop, Screenshot]:
    """A screen with the shapes of these names, or these files, at those places."""
    picture = np.full((400, 600, 4), (*PAPER, 255), dtype=np.uint8)
    for (left, top), what in placed.items():
        data = what if isinstance(what, bytes) else shapes.drawings(what)[0].encode()
        pixels = drawn(data, size).astype(np.float32)
        cover = pixels[:, :, 3:] / 255
        ink = pixels[:, :, :3] if isinstance(what, bytes) else np.array(INK, dtype=np.float32)
        part = picture[top : top + size, left : left + size, :3]
        part[:] = (ink * cover + part * (1 - cover)).astype(np.uint8)
    desktop = MemoryDesktop((600, 400), screens=[Screen(name="only", picture=picture)], windows=windows or [])
    return desktop, Screenshot(frame=desktop.capture(), size=Size(600, 400))


def window(number: int, area: Area) -> Window:
    return Window(id=number, title="", app="", pid=number, area=area, active=False, hidden=False)


def no_files(*_: object) -> tuple[IconFile, ...]:
    return ()


def test_a_shape_is_found_by_a_word_for_it_and_others_are_not() -> None:
    desktop, screenshot = screen_of({(40, 40): "gear", (120, 40): "search", (200, 40): "cross"})
    icons = Icons(desktop)
    found = icons.find("cogwheel", screenshot)
    assert [(match.source, match.text) for match in found] == [("shape", "settings")]
    assert abs(found[0].point.x - 52) <= 2
    assert abs(found[0].point.y - 52) <= 2
    assert icons.find("trash", screenshot) == []


def test_all_places_that_show_the_same_are_told() -> None:
    desktop, screenshot = screen_of({(40, 40): "cross", (300, 40): "cross", (200, 40): "gear"})
    found = Icons(desktop).find("close", screenshot)
    assert sorted(match.box.left // 100 for match in found) == [0, 3]


def test_only_the_window_that_is_named_is_searched() -> None:
    left, right = window(1, Area(0, 0, 150, 400)), window(2, Area(150, 0, 450, 400))
    desktop, screenshot = screen_of({(40, 40): "cross", (300, 40): "cross"}, windows=[left, right])
    icons = Icons(desktop, files=no_files)
    assert [match.box.left // 100 for match in icons.find("close", screenshot, left)] == [0]
    assert [match.box.left // 100 for match in icons.find("close", screenshot, right)] == [3]
    outside = window(3, Area(900, 900, 50, 50))
    assert icons.find("close", screenshot, outside) == []


def test_what_the_theme_of_the_program_draws_wins_over_what_only_looks_like_it() -> None:
    here = window(7, Area(0, 0, 600, 400))
    desktop, screenshot = screen_of({(40, 40): "floppy", (300, 40): RED_DISC}, windows=[here])
    themed = IconFile(name="document-save", theme="odd", data=RED_DISC, size=24, symbolic=False)
    icons = Icons(desktop, files=lambda meaning, pid: (themed,) if (meaning.name, pid) == ("save", 7) else ())
    found = icons.find("save", screenshot)
    assert [(match.source, match.box.left // 100) for match in found] == [("theme", 3)]
    assert found[0].score > 0.99


def test_a_file_that_is_no_picture_is_left_out() -> None:
    here = window(7, Area(0, 0, 600, 400))
    desktop, screenshot = screen_of({(40, 40): "floppy"}, windows=[here])
    broken = IconFile(name="document-save", theme="odd", data=b"<svg", size=0, symbolic=False)
    found = Icons(desktop, files=lambda *_: (broken,)).find("save", screenshot)
    assert [match.source for match in found] == ["shape"]


def test_an_empty_screen_shows_no_icon() -> None:
    desktop, screenshot = screen_of({})
    assert Icons(desktop).find("save", screenshot) == []


def test_a_meaning_that_nobody_knows_is_answered_with_those_that_are_close() -> None:
    with pytest.raises(
        NotFoundError, match=re.escape('No icon is known by the name "serch". Close to it are')
    ):
        meaning_of("serch")
    with pytest.raises(NotFoundError, match='Icons are named as in "save"'):
        meaning_of("qqqqqq")


def test_every_word_leads_to_a_meaning_and_every_shape_it_names_is_drawn() -> None:
    for name, meaning in meanings().items():
        assert meaning_of(f"{name.upper()} icon").name == name
        assert set(meaning.shapes) <= set(shapes.names()), name
        for word in meaning.words:
            meaning_of(word)
    assert len(meanings()) > 80


def test_the_shipped_shapes_find_icons_that_others_drew() -> None:
    score = Score()
    for screen in screens("test"):
        if screen.source == "shape":
            scored(screen, score)
    assert score.asked > 250
    assert score.right >= 0.7 * score.asked, score.wrong
    assert len(score.invented) <= 0.04 * score.others, score.invented


def test_icons_of_programs_are_found_where_their_theme_is_installed() -> None:
    score = Score()
    for screen in screens("test"):
        if screen.source == "theme" and _installed(screen):
            scored(screen, score, every=4)
    if not score.asked:
        pytest.skip("Neither LibreOffice nor the icon themes Adwaita and Papirus are installed here.")
    assert score.right >= 0.85 * score.asked, score.wrong
    assert len(score.invented) <= 0.05 * score.others, score.invented


def _installed(screen: Labelled) -> bool:
    if screen.theme == "office":
        return (OFFICE / "images_colibre.zip").exists()
    return _drawn_here(screen.theme or "Adwaita")


def _drawn_here(theme: str) -> bool:
    return any(file.theme == theme for file in themed(["go-home"], {"GTK_ICON_THEME": theme}))


def test_a_second_icon_on_the_same_picture_costs_next_to_nothing() -> None:
    desktop, screenshot = screen_of({(40, 40): "gear", (120, 40): "search", (200, 40): "cross"})
    icons = Icons(desktop)
    icons.find("search", screenshot)
    start = time.process_time()
    for _ in range(20):
        icons.find("settings", screenshot)
    assert (time.process_time() - start) / 20 < 0.01
