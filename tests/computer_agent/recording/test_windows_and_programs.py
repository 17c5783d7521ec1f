"""What is done to windows by their frames, and programs that no step explains."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from computer_agent.recording.merging import Clicked, Dragged, Gesture, Pressed, Typed
from computer_agent.recording.programs import Process, begins_launch, goes_on, newcomers, process_of
from computer_agent.recording.still import View
from computer_agent.recording.taking import Take
from computer_agent.recording.windows import on_window
from computer_api.actions import ArrangeWindow, CloseWindow, FocusWindow, OpenApp, PlaceWindow
from computer_api.geometry import Size
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame, Window

if TYPE_CHECKING:
    from computer_api.actions import Action

SCREEN = (800, 600)
TITLE_BAR = (150, 90)
INSIDE = (150, 200)


def window(number: int = 1, *, pid: int = 10, left: int = 100, width: int = 300, **more: object) -> Window:
    given = {"title": f"Window {number}", "app": "app", "active": True, "hidden": False} | more
    return Window(
        id=number,
        pid=pid,
        area=Area(left, 100, width, 200),
        frame=Area(left - 2, 80, width + 4, 222),
        **given,  # type: ignore[arg-type]  # one of each
    )


def view(*windows: Window) -> View:
    frame = Frame(pixels=np.zeros((SCREEN[1], SCREEN[0], 4), np.uint8), area=Area(0, 0, *SCREEN))
    return View(seconds=0.0, screenshot=Screenshot(frame=frame, size=Size(*SCREEN)), windows=windows)


def click(at: tuple[int, int] = TITLE_BAR) -> Clicked:
    return Clicked(began=0.0, ended=0.0, at=at, button="left")


def drag(start: tuple[int, int] = TITLE_BAR) -> Dragged:
    return Dragged(began=0.0, ended=0.0, start=start, end=(400, 300), button="left")


@pytest.mark.parametrize(
    ("gesture", "after", "action"),
    [
        (click(), (), CloseWindow(title="Window 1")),
        (click(), (window(), window(2, dialog_of=1)), CloseWindow(title="Window 1")),
        (click(), (window(hidden=True),), ArrangeWindow(title="Window 1", how="minimize")),
        (click(), (window(maximized=True),), ArrangeWindow(title="Window 1", how="maximize")),
        (drag(), (window(left=250),), PlaceWindow(title="Window 1", left=248, top=80)),
        (drag(), (window(width=400),), PlaceWindow(title="Window 1", left=98, top=80, width=404, height=222)),
        (click(), (window(),), None),
        (click(INSIDE), (), None),
        (drag(INSIDE), (window(left=250),), None),
        (drag(), (), None),
    ],
    ids=[
        "close",
        "asks",
        "minimize",
        "maximize",
        "move",
        "resize",
        "nothing",
        "inside",
        "drag inside",
        "drag away",
    ],
)
def test_what_is_done_to_the_frame_is_done_to_the_window(
    gesture: Clicked | Dragged, after: tuple[Window, ...], action: Action | None
) -> None:
    assert on_window(gesture, view(window()), view(*after)) == action


def test_a_click_on_the_title_of_a_window_behind_goes_to_it() -> None:
    before, after = view(window(active=False)), view(window())
    assert on_window(click(), before, after) == FocusWindow(title="Window 1")


def process(*words: str, comes_from: tuple[int, ...] = ()) -> Process:
    return Process(words=words, family=frozenset(comes_from))


def test_a_program_of_no_other_one_was_started_by_itself(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    editor = Process(words=("mousepad", "--new", "notes.txt"), folder=tmp_path, family=frozenset({20, 5}))
    (started,) = newcomers([window()], [window(), window(2, pid=20)], frozenset(), {20: editor})
    assert started.action == OpenApp(program="mousepad", arguments=("--new", str(tmp_path / "notes.txt")))
    assert not started.ours


def test_what_a_program_with_a_window_opens_is_its_own() -> None:
    child = {20: process("zenity", comes_from=(20, 10))}
    assert newcomers([window(pid=10)], [window(pid=10), window(2, pid=10)], frozenset(), {}) == []
    assert newcomers([window(pid=10)], [window(pid=10), window(2, pid=20)], frozenset(), child) == []
    asks = window(2, pid=20, dialog_of=1)
    assert newcomers([window(pid=10)], [window(pid=10), asks], frozenset(), {20: process("x")}) == []


def test_what_our_own_terminal_starts_is_told_apart() -> None:
    child = {20: process("xclock", comes_from=(20, 10))}
    (started,) = newcomers([window(pid=10)], [window(pid=10), window(2, pid=20)], frozenset({10}), child)
    assert started.ours


def test_a_process_is_told_of_with_those_that_it_comes_from() -> None:
    found = process_of(os.getpid())
    if sys.platform != "linux":
        assert found == Process()
        return
    assert {os.getpid(), os.getppid()} <= found.family
    assert Path(found.words[0]).name.startswith("python")
    assert process_of(2**22 + 1) == Process()


def take(gesture: Gesture, *windows: Window) -> Take:
    return Take(gesture=gesture, before=view(*windows))


def pressed(*keys: str, at: float = 0.0) -> Pressed:
    return Pressed(keys=keys, began=at, ended=at)


def test_a_launcher_is_opened_by_its_key_or_outside_all_windows() -> None:
    assert begins_launch(take(pressed("Super_L")))
    assert begins_launch(take(pressed("Alt_L", "F2"), window()))
    assert begins_launch(take(click((10, 590)), window()))
    assert not begins_launch(take(click(INSIDE), window()))
    assert not begins_launch(take(pressed("Return"), window()))


def test_what_follows_may_start_the_program_for_a_while() -> None:
    chain = [take(pressed("Super_L"))]
    text = Typed(text="editor", began=1.0, ended=2.0)
    assert goes_on(chain, take(text))
    assert goes_on([*chain, take(text)], take(pressed("Return", at=3.0)))
    assert not goes_on([*chain, take(text)], take(text)), "two texts are more than the name of a program"
    assert not goes_on(chain, take(pressed("Return", at=60.0)))
    assert not goes_on(chain, take(click(INSIDE), window()))
