"""What every Desktop does. A new one registers itself in ``OPENERS`` and has to keep all of this."""

from __future__ import annotations

import os
import random
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

from computer_platform import connect
from computer_platform.desktop import (
    Area,
    CannotType,
    Clip,
    Desktop,
    DesktopUnavailable,
    PersonEvent,
    Window,
)
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from computer_platform.desktop import Windows

SIZE = (1024, 768)
TITLES = ("First", "Second", "Third")
EXOTIC = "Straße, naïve café: Ω ж 你好 🙂 <>|@€ “quoted”\n\tnext"


@contextmanager
def memory() -> Iterator[Desktop]:
    yield connect("memory", size=SIZE, environment={})


@contextmanager
def x11() -> Iterator[Desktop]:
    from xvfb import x_server

    from computer_platform.x11 import X11Desktop

    with x_server(SIZE) as display:
        yield X11Desktop(display)


@contextmanager
def private() -> Iterator[Desktop]:
    yield connect("private", size=SIZE, environment=os.environ)


OPENERS: dict[str, Callable[[], AbstractContextManager[Desktop]]] = {
    "memory": memory,
    "x11": x11,
    "private": private,
}
NEED_A_SERVER = {"x11", "private"}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.desktop if name in NEED_A_SERVER else ()) for name in OPENERS
    ],
)
def opener(request: pytest.FixtureRequest) -> Callable[[], AbstractContextManager[Desktop]]:
    return OPENERS[request.param]


@pytest.fixture(scope="module")
def shared(opener: Callable[[], AbstractContextManager[Desktop]]) -> Iterator[Desktop]:
    with opener() as opened:
        yield opened
        opened.close()


@pytest.fixture
def desktop(shared: Desktop) -> Iterator[Desktop]:
    yield shared
    shared.release_all()


@pytest.fixture
def fresh(opener: Callable[[], AbstractContextManager[Desktop]]) -> Iterator[Desktop]:
    with opener() as opened:
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def placed(opener: Callable[[], AbstractContextManager[Desktop]]) -> Iterator[Desktop]:
    """A desktop with three windows: ``First`` and ``Second``, and ``Third``, which one test closes."""
    with opener() as opened:
        if isinstance(opened, MemoryDesktop):  # what it shows is said, not started
            scripted = [window(number, title) for number, title in enumerate(TITLES)]
            opened = MemoryDesktop(size=SIZE, windows=scripted)  # noqa: PLW2901
        else:
            for number, title in enumerate(TITLES):
                opened.launch(["xterm", "-T", title, "-geometry", f"40x10+{60 + 200 * number}+80"])
                assert eventually(lambda title=title: title in titles(opened), 30)
        yield opened
        opened.close()


def window(number: int, title: str) -> Window:
    area = Area(60 + 200 * number, 100, 240, 130)
    return Window(id=number, title=title, app="XTerm", pid=None, area=area, active=number == 2, hidden=False)


@pytest.fixture
def windows(placed: Desktop) -> Windows:
    found = placed.windows
    assert found is not None
    for one in found.all():
        found.arrange(one, "restore")
    return found


def eventually(fact: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether the fact came true in that time."""
    deadline = time.monotonic() + seconds
    while not (true := fact()) and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    return true


def titles(desktop: Desktop) -> list[str]:
    return [] if desktop.windows is None else [window.title for window in desktop.windows.all()]


def the(windows: Windows, title: str) -> Window:
    (found,) = (window for window in windows.all() if window.title == title)
    return found


def whole(desktop: Desktop) -> Area:
    areas = [display.area for display in desktop.displays()]
    left, top = min(area.left for area in areas), min(area.top for area in areas)
    return Area(left, top, max(area.right for area in areas) - left, max(area.bottom for area in areas) - top)


def test_there_is_at_least_one_display_and_the_first_alone_is_primary(desktop: Desktop) -> None:
    primary = [display.primary for display in desktop.displays()]
    assert primary == [True] + [False] * (len(primary) - 1)


def test_the_desktop_has_the_size_that_was_asked_for(desktop: Desktop) -> None:
    assert whole(desktop) == Area(0, 0, *SIZE)


def test_the_pointer_reaches_every_corner(desktop: Desktop) -> None:
    area = whole(desktop)
    for x in (area.left, area.right - 1):
        for y in (area.top, area.bottom - 1):
            desktop.move(x, y)
            assert desktop.pointer() == (x, y)


def test_the_pointer_is_where_it_was_moved(desktop: Desktop) -> None:
    area, choose = whole(desktop), random.Random(20)  # noqa: S311 - any points will do
    for _ in range(100):
        point = choose.randrange(area.left, area.right), choose.randrange(area.top, area.bottom)
        desktop.move(*point)
        assert desktop.pointer() == point


@pytest.mark.parametrize(
    "outside", [(-1, -1), (SIZE[0], SIZE[1]), (10**6, -(10**6)), (40_000, 5), (-(2**31), 2**40)]
)
def test_the_pointer_stays_on_the_desktop(desktop: Desktop, outside: tuple[int, int]) -> None:
    desktop.move(*outside)
    x, y = (min(max(at, 0), side - 1) for at, side in zip(outside, SIZE, strict=True))
    assert desktop.pointer() == (x, y)


def test_a_capture_shows_all_displays_in_four_bytes_a_pixel(desktop: Desktop) -> None:
    frame = desktop.capture()
    assert frame.area == whole(desktop)
    assert frame.pixels.dtype == np.uint8
    assert frame.pixels.ndim == 3
    assert frame.pixels.shape[2] == 4
    assert frame.pixels.shape[0] % frame.area.height == 0
    assert frame.pixels.shape[1] % frame.area.width == 0


def test_a_picture_says_which_monitors_there_were_and_each_is_captured_by_itself(desktop: Desktop) -> None:
    displays = desktop.displays()
    assert desktop.capture().monitors == tuple(display.area for display in displays)
    for display in displays:
        assert desktop.capture(display.area).area == display.area
        assert 0.5 <= display.scale <= 8


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (Area(10, 20, 300, 200), Area(10, 20, 300, 200)),
        (Area(-50, -60, 100, 100), Area(0, 0, 50, 40)),
        (Area(SIZE[0] - 1, SIZE[1] - 1, 500, 500), Area(SIZE[0] - 1, SIZE[1] - 1, 1, 1)),
        (Area(-9999, -9999, 99999, 99999), Area(0, 0, *SIZE)),
    ],
)
def test_a_captured_area_is_clipped_to_the_desktop(desktop: Desktop, asked: Area, shown: Area) -> None:
    frame, full = desktop.capture(asked), desktop.capture()
    assert frame.area == shown
    scale = full.pixels.shape[0] // full.area.height
    cut = full.pixels[shown.top * scale : shown.bottom * scale, shown.left * scale : shown.right * scale, :3]
    assert frame.pixels.shape[:2] == cut.shape[:2]
    # a caret of the desktop's own may blink between the two, so most is enough
    assert np.mean(frame.pixels[:, :, :3] == cut) > 0.9


@pytest.mark.parametrize("outside", [Area(SIZE[0], 0, 10, 10), Area(0, 0, 0, 10), Area(-20, -20, 10, 10)])
def test_an_area_outside_the_desktop_cannot_be_captured(desktop: Desktop, outside: Area) -> None:
    with pytest.raises(ValueError, match="outside the desktop"):
        desktop.capture(outside)


def test_a_picture_once_taken_does_not_change(desktop: Desktop) -> None:
    frame = desktop.capture()
    before = frame.pixels.copy()
    desktop.move(3, 3)
    desktop.capture()
    assert np.array_equal(frame.pixels, before)


def test_buttons_are_held_until_they_are_released(desktop: Desktop) -> None:
    desktop.move(5, 5)
    for button in ("left", "middle", "right", "back", "forward"):
        desktop.button(button, down=True)
        assert desktop.held() == {button}
        desktop.button(button, down=False)
        assert desktop.held() == frozenset()


def test_keys_are_held_until_they_are_released(desktop: Desktop) -> None:
    desktop.key("Control_L", down=True)
    desktop.key("Shift_L", down=True)
    desktop.key("F5", down=True)
    assert desktop.held() == {"Control_L", "Shift_L", "F5"}
    desktop.key("Shift_L", down=False)
    assert desktop.held() == {"Control_L", "F5"}


def test_release_all_releases_keys_and_buttons(desktop: Desktop) -> None:
    desktop.move(5, 5)
    desktop.key("Shift_L", down=True)
    desktop.key("a", down=True)
    desktop.button("middle", down=True)
    assert desktop.held() == {"Shift_L", "a", "middle"}
    desktop.release_all()
    assert desktop.held() == frozenset()


@pytest.mark.parametrize("name", ["NoSuchKey", "", "ctrl+a", "Return\n", "U110000"])
def test_a_key_that_does_not_exist_is_refused_by_name_and_presses_nothing(
    desktop: Desktop, name: str
) -> None:
    with pytest.raises(CannotType) as refused:
        desktop.key(name, down=True)
    assert name in str(refused.value)
    assert desktop.held() == frozenset()


def test_text_in_any_script_can_be_typed_and_leaves_nothing_pressed(desktop: Desktop) -> None:
    desktop.type_text(EXOTIC)
    assert desktop.held() == frozenset()


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x9b", "\ud83d"])
def test_a_character_that_no_key_gives_is_refused(desktop: Desktop, character: str) -> None:
    with pytest.raises(CannotType):
        desktop.type_text(f"before {character} after")


def test_typing_nothing_does_nothing(desktop: Desktop) -> None:
    desktop.type_text("")
    assert desktop.held() == frozenset()


def test_the_wheel_turns_without_holding_a_button(desktop: Desktop) -> None:
    desktop.scroll(0, 3)
    desktop.scroll(-2, 0)
    desktop.scroll(0, 0)
    assert desktop.held() == frozenset()


@pytest.mark.parametrize("text", ["", "plain", EXOTIC, "line\r\nline\n", "ж" * 200_000])
def test_the_clipboard_gives_back_what_was_put_on_it(desktop: Desktop, text: str) -> None:
    clipboard = desktop.clipboard
    assert clipboard is not None
    clipboard.write("something else")
    clipboard.write(text)
    assert clipboard.read() == text


@pytest.mark.parametrize(
    "clip",
    [
        Clip(text="words ж"),
        Clip(html="<p>Größe <b>好</b></p>", text="Größe 好"),
        Clip(png=b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 2000),
        Clip(text="all", html="<i>all</i>", png=b"\x89PNG\r\n\x1a\n"),
        Clip(),
    ],
    ids=["text", "html", "picture", "all", "nothing"],
)
def test_the_clipboard_holds_every_form_that_was_put_on_it_and_no_other(desktop: Desktop, clip: Clip) -> None:
    clipboard = desktop.clipboard
    assert clipboard is not None
    clipboard.write("something else")
    clipboard.write(clip)
    assert clipboard.contents() == clip
    assert clipboard.read() == (clip.text or "")


def test_the_primary_selection_is_not_the_clipboard(desktop: Desktop) -> None:
    clipboard = desktop.clipboard
    assert clipboard is not None
    clipboard.write("copied")
    clipboard.write("selected", "primary")
    assert clipboard.read() == "copied"
    assert clipboard.read("primary") in {"selected", ""}  # where a system has none it is always empty
    clipboard.write(Clip(), "primary")
    assert clipboard.contents("primary") == Clip()
    assert clipboard.read() == "copied"


def test_a_text_that_nobody_takes_is_not_called_pasted_and_the_clipboard_is_as_before(
    desktop: Desktop,
) -> None:
    clipboard = desktop.clipboard
    assert clipboard is not None
    before = Clip(text="before", html="<b>before</b>", png=b"\x89PNG\r\n\x1a\n")
    clipboard.write(before)
    with pytest.raises(CannotType, match="not pasted") as refused:
        desktop.paste_text("secret words")
    assert "secret" not in str(refused.value)
    assert clipboard.contents() == before
    assert desktop.held() == frozenset()


@pytest.mark.parametrize("character", ["\x00", "\ud83d"])
def test_a_character_that_ends_a_text_or_is_none_cannot_be_pasted(desktop: Desktop, character: str) -> None:
    with pytest.raises(CannotType, match="cannot be pasted"):
        desktop.paste_text(f"before {character} after")


def test_pasting_nothing_does_nothing(desktop: Desktop) -> None:
    desktop.paste_text("")
    assert desktop.held() == frozenset()


def test_a_program_that_is_not_installed_is_said_to_be_missing(desktop: Desktop) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        desktop.launch(["no-such-program"])


def test_the_window_that_is_activated_has_the_keyboard_and_is_on_top(windows: Windows) -> None:
    for title in ("First", "Second", "First"):
        windows.activate(the(windows, title))
        stack = windows.all()
        assert stack[-1].title == title
        assert [window.title for window in stack if window.active] == [title]


def test_raising_a_window_leaves_the_keyboard_with_another(windows: Windows) -> None:
    windows.activate(the(windows, "Second"))
    windows.arrange(the(windows, "First"), "raise")
    stack = [(one.title, one.active) for one in windows.all() if one.title != "Third"]
    assert stack == [("Second", True), ("First", False)]
    assert windows.all()[-1].title == "First"


def test_a_window_is_where_it_was_moved_inside_its_frame(windows: Windows) -> None:
    size = the(windows, "First").area[2:]
    for corner in ((300, 200), (20, 40), (301, 203)):
        windows.move(the(windows, "First"), Area(*corner, *size))
        moved = the(windows, "First")
        assert moved.area == Area(*corner, *size)
        assert (moved.outside.left, moved.outside.top) <= moved.area[:2]
        assert (moved.outside.right, moved.outside.bottom) >= (moved.area.right, moved.area.bottom)


def test_a_window_is_maximised_minimised_and_restored_to_its_place(windows: Windows) -> None:
    before = the(windows, "First").area
    windows.arrange(the(windows, "First"), "maximize")
    assert (the(windows, "First").maximized, the(windows, "First").hidden) == (True, False)
    windows.arrange(the(windows, "First"), "minimize")
    assert (the(windows, "First").hidden, the(windows, "First").active) == (True, False)
    windows.arrange(the(windows, "First"), "restore")
    now = the(windows, "First")
    assert (now.maximized, now.hidden, now.area) == (False, False, before)


def test_a_minimised_window_comes_back_when_it_is_activated(windows: Windows) -> None:
    windows.arrange(the(windows, "Second"), "minimize")
    windows.activate(the(windows, "Second"))
    assert (the(windows, "Second").hidden, the(windows, "Second").active) == (False, True)


def test_a_program_that_runs_has_not_ended(placed: Desktop) -> None:
    assert placed.ended(0) is None


def test_a_closed_window_is_gone(placed: Desktop, windows: Windows) -> None:
    windows.close(the(windows, "Third"))
    assert eventually(lambda: sorted(titles(placed)) == ["First", "Second"])


def test_our_own_input_is_nothing_that_a_person_did(fresh: Desktop) -> None:
    person = fresh.person
    if person is None:
        pytest.skip("nobody can be told apart from us here")
    heard: list[PersonEvent] = []
    person.listen(heard.append)
    for down in (True, False):
        fresh.key("Escape", down=down)
        fresh.button("left", down=down)
    fresh.scroll(0, 1)
    fresh.move(0, 0)
    fresh.type_text("Ada")
    person.stop()
    person.stop()
    assert heard == []


def test_closing_twice_is_safe_and_a_closed_desktop_says_so(fresh: Desktop) -> None:
    fresh.key("Shift_L", down=True)
    fresh.button("left", down=True)
    fresh.close()
    fresh.close()
    assert fresh.held() == frozenset()
    with pytest.raises(DesktopUnavailable):
        fresh.pointer()
    with pytest.raises(DesktopUnavailable):
        fresh.capture()
    with pytest.raises(DesktopUnavailable):
        fresh.move(1, 1)
    with pytest.raises(DesktopUnavailable):
        fresh.type_text("a")
