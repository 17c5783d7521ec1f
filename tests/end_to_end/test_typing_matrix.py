"""Layouts x scripts x real programs x keyboards: the exact text arrives, as the program itself tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from typing_sinks import PROGRAMS, Sink, activate
from typing_sinks.cells import EVERYTHING, LAYOUTS, SCRIPTS, caps_lock, differences, held_shift, use
from xvfb import x_server

from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.desktop

LOCKED = SCRIPTS["ASCII"] + SCRIPTS["accents"] + SCRIPTS["Cyrillic"] + SCRIPTS["emoji"]


class Started(NamedTuple):
    """A program on a screen of its own; all cells of its row are typed into it."""

    sink: Sink
    display: str


@pytest.fixture(scope="module", params=list(PROGRAMS))
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    program = PROGRAMS[request.param]
    if missing := program.missing():
        pytest.skip(missing)
    with x_server() as display:
        starter = X11Desktop(display)
        with program.opened(starter, tmp_path_factory.mktemp(request.param)) as sink:
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


def test_caps_lock_changes_nothing_and_stays_on(started: Started, sink: Sink) -> None:
    use(started.display, LAYOUTS["us"])
    sink.forget()
    with caps_lock(started.display):
        sink.desktop.type_text(LOCKED)
    assert not differences(LOCKED, sink.received(LOCKED))


def test_a_shift_that_a_person_holds_changes_nothing_and_stays_down(started: Started, sink: Sink) -> None:
    use(started.display, LAYOUTS["us"])
    sink.forget()
    with held_shift(started.display):
        sink.desktop.type_text(LOCKED)
    assert not differences(LOCKED, sink.received(LOCKED))
