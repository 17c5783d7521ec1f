"""What is known of a desktop at a moment: only what still stands there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from computer_agent.recording.still import Controls, StillDesktop, View
from computer_api.geometry import Point, Size
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Element, Elements, Frame, Popup

SIZE = (200, 100)
ITEM = Area(20, 20, 120, 24)
PAGE = Area(0, 0, *SIZE)
MENU = Popup(id=7, kind="menu", area=Area(10, 10, 140, 60))


def frame(words: str, *, ink: str = "black", ground: str = "white") -> Frame:
    """A row with words on a page."""
    image = Image.new("RGBA", SIZE, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((ITEM.left, ITEM.top, ITEM.right - 1, ITEM.bottom - 1), ground)
    draw.text((24, 22), words, ink, ImageFont.load_default(16))
    return Frame(pixels=np.array(image), area=Area(0, 0, *SIZE))


def control(role: str, area: Area) -> Element:
    return Element(role=role, name="", value="", area=area, states=frozenset(), pid=1)


item, page = control("menu item", ITEM), control("text", PAGE)


def view(now: Frame, then: Frame, *, popups: tuple[Popup, ...] = (), before: tuple[Popup, ...] = ()) -> View:
    controls = Controls(asked=0.0, frame=then, elements=Elements(items=(item, page)), popups=before)
    shot = Screenshot(frame=now, size=Size(*SIZE))
    return View(seconds=1.0, screenshot=shot, popups=popups, controls=controls)


def test_a_control_that_is_lit_up_is_still_there_and_one_that_is_covered_is_not() -> None:
    then = frame("Select all")
    lit = view(frame("Select all", ink="white", ground="navy"), then)
    here = [Point(60, 30)]
    assert item in lit.elements().items
    assert lit.elements(here).items == (item, page)
    for other in (frame("Copy it now"), frame("")):
        assert item not in view(other, then).elements().items
        assert view(other, then).elements(here).items == ()
    assert page in view(frame(""), then).elements([Point(180, 80)]).items, "of which nothing is another there"


def test_what_lies_under_a_menu_that_has_only_come_is_not_what_was_clicked() -> None:
    seen = frame("")
    opened = view(seen, seen, popups=(MENU,))
    assert opened.elements().items == (item, page)
    assert opened.elements([Point(60, 60)]).items == (item,)
    assert opened.elements([Point(190, 90)]).items == (item, page), "beside the menu"
    known = view(seen, seen, popups=(MENU,), before=(MENU,))
    assert known.elements([Point(60, 60)]).items == (item, page)
    hint = replace(MENU, kind="tooltip")
    assert view(seen, seen, popups=(hint,)).elements([Point(60, 60)]).items == (item, page)


def test_the_entries_of_a_menu_go_with_it() -> None:
    seen = frame("Select all")
    assert view(seen, seen, before=(MENU,)).elements().items == (page,)


def test_a_desktop_as_it_was_answers_for_that_moment() -> None:
    seen = frame("Select all")
    named = replace(item, name="Select all")
    controls = Controls(asked=0.0, frame=seen, elements=Elements(items=(named, page)), focused=page)
    still = StillDesktop(replace(view(seen, seen), controls=controls), ())
    assert still.accessibility.find("select ALL").items == (named,)
    assert still.accessibility.find("select all", roles=frozenset({"text"})).items == ()
    assert still.accessibility.focused() == page
    assert still.accessibility.focused(pid=2) is None
    still.view = replace(still.view, controls=None)
    assert still.accessibility.elements() == Elements()
    assert still.accessibility.focused() is None
