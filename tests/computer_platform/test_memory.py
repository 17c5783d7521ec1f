from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from computer_platform.desktop import Area, CannotType, Display, Window
from computer_platform.memory import Event, MemoryDesktop, Rule, Screen, Widget, form

FIRST, CITY, SAVE = (400, 136), (400, 196), (290, 268)


def click(desktop: MemoryDesktop, at: tuple[int, int]) -> None:
    desktop.move(*at)
    desktop.button("left", down=True)
    desktop.button("left", down=False)


def press(desktop: MemoryDesktop, *keys: str) -> None:
    for key in keys:
        desktop.key(key, down=True)
    for key in reversed(keys):
        desktop.key(key, down=False)


def held_text(desktop: MemoryDesktop, name: str) -> str:
    return next(one.value for one in desktop.elements().items if one.name == name)


def two_field_form(**options: object) -> MemoryDesktop:
    return MemoryDesktop(screens=form(), **options)  # type: ignore[arg-type]  # keywords of the constructor


def test_a_form_that_is_filled_and_saved_shows_that_and_keeps_the_values() -> None:
    desktop = two_field_form()
    click(desktop, FIRST)
    desktop.type_text("Ada")
    click(desktop, CITY)
    desktop.type_text("London")
    assert desktop.values == {}
    before = desktop.capture().pixels
    click(desktop, SAVE)
    assert desktop.screen == "saved"
    assert desktop.values == {"First name": "Ada", "City": "London"}
    assert not np.array_equal(desktop.capture().pixels, before)


def test_every_verb_is_remembered_in_order() -> None:
    desktop = two_field_form()
    click(desktop, (3, 4))
    desktop.scroll(0, -2)
    desktop.key("Return", down=True)
    desktop.type_text("x")
    desktop.release_all()
    assert desktop.log == (
        Event(verb="move", arguments=(3, 4)),
        Event(verb="button", arguments=("left", True)),
        Event(verb="button", arguments=("left", False)),
        Event(verb="scroll", arguments=(0, -2)),
        Event(verb="key", arguments=("Return", True)),
        Event(verb="type_text", arguments=("x",)),
        Event(verb="release_all"),
    )


def test_what_is_typed_can_be_read_back_from_the_focused_widget() -> None:
    desktop = two_field_form()
    click(desktop, FIRST)
    desktop.type_text("Ada")
    focused = desktop.focused()
    assert focused is not None
    assert (focused.name, focused.role, focused.value) == ("First name", "text", "Ada")


def test_tab_goes_to_the_next_widget_and_shift_tab_back() -> None:
    desktop = two_field_form()
    desktop.type_text("\tAda\tLondon")
    assert (held_text(desktop, "First name"), held_text(desktop, "City")) == ("Ada", "London")
    press(desktop, "Shift_L", "Tab")
    desktop.type_text("!")
    assert held_text(desktop, "First name") == "Ada!"


def test_a_click_beside_the_fields_takes_the_keyboard_from_them() -> None:
    desktop = two_field_form()
    click(desktop, FIRST)
    click(desktop, (900, 700))
    desktop.type_text("lost")
    assert held_text(desktop, "First name") == ""
    assert desktop.focused() is None


def test_a_press_on_the_button_released_elsewhere_is_no_click() -> None:
    desktop = two_field_form()
    desktop.move(*SAVE)
    desktop.button("left", down=True)
    desktop.move(*FIRST)
    desktop.button("left", down=False)
    assert desktop.screen == "form"


def test_another_button_than_the_left_clicks_nothing() -> None:
    desktop = two_field_form()
    desktop.move(*SAVE)
    desktop.button("right", down=True)
    desktop.button("right", down=False)
    assert desktop.screen == "form"


def test_select_all_copy_and_paste_work_in_a_field() -> None:
    desktop = two_field_form()
    click(desktop, FIRST)
    desktop.type_text("Ada")
    press(desktop, "Control_L", "a")
    press(desktop, "Control_L", "c")
    assert desktop.clipboard.read() == "Ada"
    desktop.type_text("Bea")
    assert held_text(desktop, "First name") == "Bea"
    press(desktop, "BackSpace")
    desktop.clipboard.write("trice")
    press(desktop, "Control_R", "v")
    assert held_text(desktop, "First name") == "Betrice"


def test_keys_type_letters_and_shift_makes_them_large() -> None:
    desktop = two_field_form()
    click(desktop, FIRST)
    press(desktop, "Shift_L", "a")
    press(desktop, "d")
    press(desktop, "space")
    assert held_text(desktop, "First name") == "Ad "


def test_what_a_password_widget_holds_is_not_told_and_not_drawn_but_is_saved() -> None:
    secret = Widget(kind="password", name="Secret", area=Area(200, 50, 200, 30))
    keep = Rule(pressed="Return", show=None, saves=True)
    desktop, other = (
        MemoryDesktop(screens=[Screen(name="log in", widgets=(secret,), rules=(keep,))]) for _ in "12"
    )
    for one, text in ((desktop, "hidden"), (other, "secret")):
        click(one, (210, 60))
        one.type_text(text)
    assert desktop.elements().items[0].value == ""
    assert np.array_equal(desktop.capture().pixels, other.capture().pixels)
    desktop.type_text("\n")
    assert desktop.values == {"Secret": "hidden"}


def test_a_checkbox_is_ticked_and_unticked_by_clicks() -> None:
    agree = Widget(kind="checkbox", name="Agree", area=Area(50, 50, 20, 20))
    desktop = MemoryDesktop(screens=[Screen(name="terms", widgets=(agree,))])
    for ticked in (True, False):
        click(desktop, (60, 60))
        assert ("checked" in desktop.elements().items[0].states) == ticked


@pytest.mark.parametrize(
    ("rule", "act"),
    [
        (Rule(show="next", clicked=Area(100, 100, 50, 50)), lambda desktop: click(desktop, (149, 149))),
        (Rule(show="next", typed="ls -l"), lambda desktop: desktop.type_text("sudo ls -l")),
        (Rule(show="next", pressed="Return"), lambda desktop: desktop.type_text("\n")),
        (Rule(show="next", pressed="Control_L+s"), lambda desktop: press(desktop, "Control_R", "s")),
    ],
)
def test_a_rule_leads_to_the_next_screen(rule: Rule, act: object) -> None:
    desktop = MemoryDesktop(screens=[Screen(name="first", rules=(rule,)), Screen(name="next")])
    click(desktop, (150, 150))
    desktop.type_text("l")
    press(desktop, "s")
    press(desktop, "Shift_L", "Return")
    assert desktop.screen == "first"
    assert callable(act)
    act(desktop)
    assert desktop.screen == "next"


def test_a_launched_program_shows_its_screen() -> None:
    desktop = MemoryDesktop(screens=[Screen(name="bare"), *form()], programs={"contacts": "form"})
    desktop.launch(["contacts", "--new"])
    assert desktop.screen == "form"
    with pytest.raises(FileNotFoundError, match=r'"mail".*"contacts"'):
        desktop.launch(["mail"])


def test_a_given_picture_is_shown_pixel_for_pixel() -> None:
    picture = np.zeros((60, 80, 4), np.uint8)
    picture[10, 20] = (255, 128, 1, 255)  # B, G, R
    shown = MemoryDesktop((80, 60), [Screen(name="given", picture=picture)]).capture().pixels
    assert np.array_equal(shown[..., :3], picture[..., :3])
    pil = Image.new("RGB", (80, 60), (1, 128, 255))
    shown = MemoryDesktop((80, 60), [Screen(name="given", picture=pil)]).capture().pixels
    assert shown[5, 5, :3].tolist() == [255, 128, 1]


def test_displays_may_lie_left_of_and_above_the_origin() -> None:
    left = Area(-800, -300, 800, 600)
    desktop = two_field_form(displays=[Area(0, 0, 1280, 800), left], scale=2)
    assert desktop.displays()[1] == Display(name="memory-1", area=left, primary=False)
    assert desktop.capture().area == Area(-800, -300, 2080, 1100)
    assert desktop.capture().pixels.shape == (2200, 4160, 4)
    part = desktop.capture(Area(-10, -10, 20, 20))
    assert part.area == Area(-10, -10, 20, 20)
    assert part.pixels.shape == (40, 40, 4)
    assert part.pixels[0, 0, :3].tolist() == [236, 236, 236]  # the left display
    assert part.pixels[0, 39, :3].tolist() == [0, 0, 0]  # no display is there
    click(desktop, SAVE)
    assert desktop.screen == "saved"


@given(
    x=st.integers(-3000, 3000),
    y=st.integers(-3000, 3000),
    scale=st.integers(1, 3),
    area=st.builds(
        Area, st.integers(-50, 90), st.integers(-50, 90), st.integers(1, 100), st.integers(1, 100)
    ),
)
def test_any_area_of_any_arrangement_is_captured_to_scale_or_refused(
    x: int, y: int, scale: int, area: Area
) -> None:
    desktop = MemoryDesktop(displays=[Area(x, y, 60, 40)], scale=scale)
    asked = Area(x + area.left, y + area.top, area.width, area.height)
    if asked.left >= x + 60 or asked.right <= x or asked.top >= y + 40 or asked.bottom <= y:
        with pytest.raises(ValueError, match="outside the desktop"):
            desktop.capture(asked)
        return
    frame = desktop.capture(asked)
    assert frame.pixels.shape[:2] == (frame.area.height * scale, frame.area.width * scale)
    assert frame.area.left == max(asked.left, x)
    assert frame.area.right == min(asked.right, x + 60)
    desktop.move(asked.left, asked.top)
    assert desktop.pointer() == (min(max(asked.left, x), x + 59), min(max(asked.top, y), y + 39))


def test_scripted_windows_can_be_raised_moved_and_closed() -> None:
    one, two = (
        Window(
            id=number,
            title=f"{number}",
            app="app",
            pid=None,
            area=Area(0, 0, 9, 9),
            active=number == 2,
            hidden=False,
        )
        for number in (1, 2)
    )
    windows = MemoryDesktop(windows=[one, two]).windows
    assert windows is not None
    windows.activate(one)
    windows.move(one, Area(5, 5, 7, 7))
    assert [(window.id, window.active) for window in windows.all()] == [(2, False), (1, True)]
    assert windows.all()[1].area == Area(5, 5, 7, 7)
    windows.close(two)
    assert [window.id for window in windows.all()] == [1]
    with pytest.raises(ValueError, match='"2" is gone'):
        windows.activate(two)


def test_without_scripted_windows_there_is_no_window_manager() -> None:
    assert MemoryDesktop().windows is None


def test_the_labels_of_the_widgets_are_drawn_where_the_widgets_are() -> None:
    empty, drawn = MemoryDesktop(), two_field_form()
    changed = (empty.capture().pixels != drawn.capture().pixels).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert (rows.min(), rows.max()) >= (60, 250)
    assert rows.max() < 290
    assert columns.max() < 545
    label = changed[130:145, 150:236]  # left of the first field
    assert 0.05 < label.mean() < 0.6


@pytest.mark.parametrize("name", ["NoSuchKey", ""])
def test_an_unknown_key_is_refused_by_name(name: str) -> None:
    with pytest.raises(CannotType, match=f'"{name}"'):
        MemoryDesktop().key(name, down=True)


@pytest.mark.parametrize(
    ("screens", "complaint"),
    [
        ([Screen(name="a", rules=(Rule(show="b", pressed="F1"),))], 'no screen "b"'),
        ([Screen(name="a", rules=(Rule(show="a", clicked="OK"),))], 'no widget "OK"'),
    ],
)
def test_a_script_that_could_never_play_is_refused(screens: list[Screen], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        MemoryDesktop(screens=screens)


@pytest.mark.parametrize("given_by", [{}, {"clicked": "a", "typed": "b"}])
def test_a_rule_has_exactly_one_reason(given_by: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="exactly one"):
        Rule(show=None, **given_by)  # type: ignore[arg-type]  # keywords of the rule
