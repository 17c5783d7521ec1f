"""Layouts x scripts x real programs x keyboards: the exact text arrives, as the program itself tells.

Every program is tested with every layout and every keyboard, and every layout with every keyboard; the rest of the
whole grid is marked as heavy (conftest.py).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import pytest
from typing_sinks import PROGRAMS, Sink, activate
from typing_sinks.cells import EVERYTHING, LAYOUTS, SCRIPTS, caps_lock, differences, held_shift, use
from xvfb import x_server

from computer_api.computer import Computer
from computer_platform.private import open_private
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.desktop

HELD = {"Caps Lock": caps_lock, "Shift": held_shift}
LOCKED = SCRIPTS["ASCII"] + SCRIPTS["accents"] + SCRIPTS["Cyrillic"] + SCRIPTS["emoji"]


class Started(NamedTuple):
    """A program on a screen of its own; all cells of its row are typed into it."""

    sink: Sink
    display: str


def skip_where_it_is_missing(program: str) -> None:
    if missing := PROGRAMS[program].missing():
        pytest.skip(missing)


@pytest.fixture(scope="module", params=list(PROGRAMS))
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    skip_where_it_is_missing(request.param)
    with x_server() as display:
        starter = X11Desktop(display)
        with PROGRAMS[request.param].opened(starter, tmp_path_factory.mktemp(request.param)) as sink:
            starter.close()
            yield Started(sink, display)


@pytest.fixture(scope="module", params=[True, False], ids=["own keyboard", "person's keyboard"])
def sink(request: pytest.FixtureRequest, started: Started) -> Iterator[Sink]:
    desktop = started.sink.desktop = X11Desktop(started.display, own_keyboard=request.param)
    activate(desktop, started.sink.title)
    yield started.sink
    desktop.close()


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_every_script_arrives_under_the_layout(started: Started, sink: Sink, layout: str) -> None:
    use(started.display, LAYOUTS[layout])
    sink.forget()
    sink.desktop.type_text(EVERYTHING)
    assert not differences(EVERYTHING, sink.received(EVERYTHING))


@pytest.mark.parametrize("held", list(HELD))
def test_what_a_person_holds_changes_nothing_and_stays(started: Started, sink: Sink, held: str) -> None:
    use(started.display, LAYOUTS["us"])
    sink.forget()
    with HELD[held](started.display):
        sink.desktop.type_text(LOCKED)
    assert not differences(LOCKED, sink.received(LOCKED))


@pytest.mark.parametrize("program", list(PROGRAMS))
def test_a_computer_that_verifies_types_exactly_and_raises_no_false_alarm(
    program: str, tmp_path: Path
) -> None:
    skip_where_it_is_missing(program)
    desktop = open_private((1280, 800), dict(os.environ))
    computer = Computer.on(desktop, environment=os.environ)
    with computer, PROGRAMS[program].opened(desktop, tmp_path) as sink:
        for text in (LOCKED, EVERYTHING):
            sink.forget()
            assert computer.keyboard.write(text).effect != "nothing"
            assert not differences(text, sink.received(text))
