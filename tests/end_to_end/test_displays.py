"""What is seen is what is clicked: on every screen, at every size of the picture, at every scale."""

from __future__ import annotations

import os
import random
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from monitors import MIDDLE, RIGHT, THREE, UNION, add, put_up, resize, settings, take_away
from oi_process import oi
from web_form import WebForm
from Xlib import X
from xvfb import connected, server, until

from computer_api.actions import Choose, Click, Drag, Move, TypeText, Zoom
from computer_api.computer import Computer, PictureLimit
from computer_api.errors import ComputerError, DesktopUnavailable, NotFoundError, OffScreenError
from computer_api.geometry import Pixel, Size
from computer_api.targets import ElementTarget, IconTarget, TextTarget
from computer_platform import connect
from computer_platform.x11 import X11Desktop
from computer_vision.tesseract import TesseractReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from Xlib.display import Display

    from computer_api.screenshot import Screenshot

pytestmark = pytest.mark.desktop

MODEL = PictureLimit()  # what all models take
SMALL = PictureLimit(long_edge=1280, area=1280 * 800)
RED = 0xFF0000


@dataclass
class Surface:
    """A window over the whole screen that notes where on the screen it was pressed, as the X server says it."""

    connection: Display

    def __post_init__(self) -> None:
        root = self.connection.screen().root
        size = root.get_geometry()
        self.window = root.create_window(
            0, 0, size.width, size.height, 0, X.CopyFromParent, X.InputOutput, background_pixel=0xFFFFFF,
            override_redirect=True, event_mask=X.ButtonPressMask | X.ExposureMask,
        )  # fmt: skip
        self.window.map()
        assert until(
            lambda: self.connection.pending_events() and self.connection.next_event().type == X.Expose
        )

    def pressed(self) -> list[tuple[int, int]]:
        """Where it was pressed since it was asked last."""
        self.connection.sync()
        events = [self.connection.next_event() for _ in range(self.connection.pending_events())]
        return [(event.root_x, event.root_y) for event in events if event.type == X.ButtonPress]

    def mark(self, left: int, top: int, side: int) -> None:
        """Draw a red square there, and nothing else."""
        pen = self.window.create_gc(foreground=RED)
        self.window.clear_area()
        self.window.fill_rectangle(pen, left, top, side, side)
        self.connection.sync()


@contextmanager
def surface(size: tuple[int, int], *monitors: str) -> Iterator[tuple[str, Surface]]:
    """A bare X server with these monitors, and a window that covers it all."""
    with server(size) as (name, _):
        put_up(name, *monitors)
        with connected(name) as connection:
            yield name, Surface(connection)


@contextmanager
def computer_on(
    display: str, picture: PictureLimit | None = None, screen: int | None = None
) -> Iterator[Computer]:
    """Hands and eyes on that display, without receipts, so that only what is asked is done."""
    desktop = X11Desktop(display)
    try:
        yield Computer(desktop, reader=TesseractReader(), picture=picture, receipts=False, screen=screen)
    finally:
        desktop.close()


def places(size: Size) -> list[Pixel]:
    """The corners of a picture and some pixels within."""
    choose = random.Random(size.width)  # noqa: S311 - any will do
    right, bottom = size.width - 1, size.height - 1
    inside = [Pixel(choose.randrange(size.width), choose.randrange(size.height)) for _ in range(6)]
    return [Pixel(0, 0), Pixel(right, 0), Pixel(0, bottom), Pixel(right, bottom), *inside]


@pytest.mark.parametrize("picture", [None, MODEL, SMALL], ids=["whole", "for a model", "1280x800"])
@pytest.mark.parametrize(
    "size", [(1280, 800), (3840, 2160), (1080, 1920), (1366, 768)], ids="{0[0]}x{0[1]}".format
)
def test_a_click_arrives_under_the_middle_of_the_pixel_that_was_named(
    size: tuple[int, int], picture: PictureLimit | None
) -> None:
    with surface(size) as (name, under), computer_on(name, picture) as computer:
        shown = computer.observe().size
        for pixel in places(shown):
            computer.perform(Click(target=pixel))
            ((x, y),) = under.pressed()
            # the middle of the pixel, of a picture that is as many times smaller, lies in the point
            assert abs(x + 0.5 - (pixel.x + 0.5) * size[0] / shown.width) <= 0.5
            assert abs(y + 0.5 - (pixel.y + 0.5) * size[1] / shown.height) <= 0.5
            assert computer.mouse.position() == (pixel.x, pixel.y)


@pytest.mark.parametrize(
    ("picture", "screen"),
    [(None, None), (MODEL, None), (MODEL, 0), (SMALL, 1), (None, 2)],
    ids=["all, whole", "all, for a model", "primary, for a model", "second, 1280x800", "third, whole"],
)
def test_what_is_seen_on_a_picture_of_all_monitors_or_of_one_is_what_is_clicked(
    picture: PictureLimit | None, screen: int | None
) -> None:
    with surface(UNION, *THREE) as (name, under), computer_on(name, picture, screen) as computer:
        monitors = [display.area for display in computer.desktop.displays()]
        for area in monitors if screen is None else [monitors[screen]]:
            corners = (area.left, area.top), (area.right - 9, area.bottom - 9)
            for left, top in (*corners, (area.left + 411, area.top + 307)):
                under.mark(left, top, 9)
                x, y = red(computer.observe())
                computer.mouse.click(x, y)
                ((x, y),) = under.pressed()
                assert left <= x < left + 9
                assert top <= y < top + 9


def red(screenshot: Screenshot) -> tuple[int, int]:
    """The middle of what is red on the picture that is shown, where it is reddest."""
    picture = np.asarray(screenshot.image()).astype(int)
    redness = picture[..., 0] - picture[..., 1]
    rows, columns = np.nonzero(redness >= redness.max() - 10)
    assert redness.max() > 60
    return int(np.median(columns)), int(np.median(rows))


def test_one_screen_is_all_there_is_for_whoever_works_on_one() -> None:
    with surface(UNION, *THREE) as (name, under), computer_on(name, None, 2) as computer:
        assert computer.observe().size == Size(1280, 720)
        assert computer.display.size() == (1280, 720)
        computer.mouse.click(1279, 719)
        assert under.pressed() == [(4479, 819)]
        with pytest.raises(OffScreenError, match="1280x720"):
            computer.mouse.click(1280, 10)
        with pytest.raises(ValueError, match="works on screen 2 only"):
            computer.display.view(screen=0)
        computer.desktop.move(5, 500)
        with pytest.raises(OffScreenError):
            computer.mouse.position()
        take_away(name, "right")
        gone = r'"right" is not there any more.* 0 \("middle", 1280x1440 at 1920,0\)'
        with pytest.raises(DesktopUnavailable, match=gone):
            computer.observe()


def test_one_screen_stays_the_same_one_when_others_go_or_another_is_the_primary() -> None:
    with (
        surface(UNION, *THREE) as (name, under),
        computer_on(name, None, 1) as on_left,
        computer_on(name, None, 0) as on_middle,
    ):
        add(name, "*new 100/10x100/10+4380+1300")
        on_left.observe()
        on_left.mouse.click(0, 0)
        on_middle.observe()
        on_middle.mouse.click(0, 0)
        assert under.pressed() == [(0, 360), (1920, 0)]
        assert on_middle.display.capture(screen=0).box.left == 1920
        take_away(name, "left")  # "right" gets its number
        with pytest.raises(DesktopUnavailable, match='"left" is not there any more'):
            on_left.observe()
        with pytest.raises(DesktopUnavailable, match='"left" is not there any more'):
            on_left.mouse.click(0, 0)
        assert under.pressed() == []


def test_a_pixel_between_the_monitors_is_an_error_and_nothing_is_pressed() -> None:
    with surface(UNION, *THREE) as (name, under), computer_on(name) as computer:
        computer.observe()
        with pytest.raises(OffScreenError) as failure:
            computer.mouse.click(1900, 100)
        assert (
            "The picture is 4480x1440; the nearest monitor is at x from 1920 to 3199 and y from 0 to 1439"
            in str(failure.value)
        )
        for outside in ((4480, 0), (0, 1440), (-1, 400)):
            with pytest.raises(OffScreenError, match="4480x1440"):
                computer.mouse.click(*outside)
        with pytest.raises(OffScreenError, match="no part of the picture"):
            computer.perform(Zoom(left=0, top=0, right=4481, bottom=10))
        assert under.pressed() == []


def test_parts_of_the_screen_are_captured_as_pictures_that_know_where_they_lie() -> None:
    with surface(UNION, *THREE) as (name, under), computer_on(name, MODEL) as computer:
        under.mark(3300, 200, 9)
        display = computer.display
        one = display.capture(screen=2)
        assert one.size == Size(1280, 720)
        x, y = red(one)
        assert (one.point(Pixel(x, y)).x, one.point(Pixel(x, y)).y) == (3304, 204)
        whole = display.capture()
        across, down = whole.size.width / UNION[0], whole.size.height / UNION[1]
        region = tuple(round(edge) for edge in (3250 * across, 150 * down, 3400 * across, 260 * down))
        part = display.capture(region=region)
        assert part.size == part.native  # at full resolution, since it is small enough
        x, y = red(part)
        assert (part.point(Pixel(x, y)).x, part.point(Pixel(x, y)).y) == (3304, 204)
        assert display.view(screen=2).size == (1280, 720)
        assert display.view(region=region).size == (part.size.width, part.size.height)
        with pytest.raises(ValueError, match=r'no screen 3. Screens are 0 \("middle"'):
            display.capture(screen=3)
        with pytest.raises(TypeError, match="one of screen="):
            display.capture(screen=1, region=region)
        with pytest.raises(TypeError, match="takes a whole number"):
            display.capture(region=(0, 0, 1.5, 8))  # type: ignore[arg-type]  # what people pass
        with pytest.raises(NotFoundError, match='No window is called "Form"'):
            display.capture(window="Form")


def test_one_window_is_captured() -> None:
    with Computer.open("private", size=(900, 600), environment=os.environ) as computer:
        computer.windows.open("zenity", "--info", "--text=Look at me", "--title=Picked")
        window = next(one for one in computer.windows.all() if one.title == "Picked")
        captured = computer.display.capture(window="Picked")
        assert captured.frame.area == window.area
        lines = computer.find(TextTarget("Look at me"), captured)
        assert [match.text for match in lines] == ["Look at me"]
        assert lines[0].point in captured.box
        assert [entry["scale"] for entry in computer.display.displays()] == [1.0]


def test_a_pixel_chosen_before_the_screen_changed_is_not_clicked_until_somebody_has_looked_again() -> None:
    with surface(UNION, *THREE) as (name, under), computer_on(name, MODEL) as computer:
        computer.observe()
        take_away(name, "right")
        for action in (
            Click(target=Pixel(700, 300)),
            Move(target=Pixel(700, 300)),
            Drag(start=Pixel(700, 300), end=Pixel(720, 300)),
            Zoom(left=10, top=10, right=20, bottom=20),
        ):
            with pytest.raises(
                ComputerError, match=r"changed since you saw it: the picture was .* Look again"
            ):
                computer.perform(action)
        with pytest.raises(ComputerError, match="Look again"):
            computer.show(Pixel(700, 300))
        assert under.pressed() == []
        computer.observe()
        computer.mouse.click(1200, 300)
        assert len(under.pressed()) == 1
        add(name, RIGHT)
        with pytest.raises(ComputerError, match="Look again"):
            computer.mouse.click(1200, 300)
        computer.display.view()
        computer.mouse.click(800, 300)
        assert len(under.pressed()) == 1
        # the same picture of the same size, with the monitors otherwise
        take_away(name, "middle")
        add(name, MIDDLE.replace("1280/300x1440", "1280/300x1430").replace("+1920+0", "+1920+10"))
        with pytest.raises(ComputerError, match="Look again"):
            computer.mouse.click(800, 300)
        assert under.pressed() == []


def test_a_screen_that_is_resized_is_seen_at_its_new_size() -> None:
    with surface((1600, 1200)) as (name, under), computer_on(name, MODEL) as computer:
        for size in ((800, 600), (1600, 300), (1600, 1200)):
            resize(name, *size)
            assert computer.observe().box.width == size[0]
            width, height = computer.display.size()
            computer.mouse.click(width - 1, height - 1)
            ((x, y),) = under.pressed()
            assert size[0] - x <= size[0] / width
            assert size[1] - y <= size[1] / height


def test_code_that_looked_again_does_not_make_an_old_pixel_right() -> None:
    """The code step saw the new picture, and may click on it; the model that sent it has not."""
    with surface((1600, 1200)) as (name, under):
        environment = dict(os.environ) | {"DISPLAY": name}
        desktop = connect("x11", environment=environment)
        with Computer.on(desktop, environment=environment, receipts=False) as computer:
            computer.observe()
            resize(name, 800, 600)
            code = "computer.display.size(); computer.mouse.click(700, 500); print('clicked')"
            assert computer.run("python", code).output.strip().endswith("clicked")
            assert under.pressed() == [(700, 500)]
            with pytest.raises(ComputerError, match="Look again"):
                computer.mouse.click(10, 10)


def test_oi_works_on_the_screen_that_it_is_told_and_says_which_there_are(tmp_path: Path) -> None:
    with surface(UNION, *THREE) as (name, under):
        environment = dict(os.environ) | {"DISPLAY": name}
        steps = ["--os", "--desktop", "x11", "--model", "steps", "-y", "click 100,50"]
        missing = oi(*steps, "--screen", "3", cwd=tmp_path, environment=environment)
        assert missing.code == 2, missing
        assert (
            'There is no screen 3 on this desktop. Screens are 0 ("middle", 1280x1440 at 1920,0), 1'
            in missing.err
        )
        wrong = oi(*steps, "--screen", "left", cwd=tmp_path, environment=environment)
        assert wrong.code == 2, wrong
        assert 'A screen is 0 (the primary), 1, 2 and so on, or "all", not "left".' in wrong.err
        assert under.pressed() == []
        ran = oi(*steps, "--screen", "2", "--trace", "run", cwd=tmp_path, environment=environment)
        assert ran.code == 0, ran
        assert under.pressed() == [(3300, 150)]


def test_a_replay_is_kept_to_the_screen_of_its_recording_unless_told_otherwise(tmp_path: Path) -> None:
    with surface(UNION, *THREE) as (name, _):
        environment = dict(os.environ) | {"DISPLAY": name}
        steps = ["--os", "--desktop", "x11", "--model", "steps", "-y", "--trace", "run", "wait 0.1 seconds"]
        assert oi(*steps, "--screen", "2", cwd=tmp_path, environment=environment).code == 0
        for told, size in (
            ((), "1280x720"),
            (("--screen", "0"), "1011x1137"),
            (("--screen", "all"), "1568x503"),
        ):
            again = oi("replay", "run", "-y", *told, cwd=tmp_path, environment=environment)
            assert again.code == 0, again
            assert f"sees the screen, {size}" in again.out
        take_away(name, "right")
        gone = oi("replay", "run", "-y", cwd=tmp_path, environment=environment)
        assert gone.code == 2, gone
        assert "There is no screen 2 on this desktop." in gone.err


def test_a_huge_screen_is_looked_at_and_clicked_in_the_sizes_that_models_take() -> None:
    with surface((7680, 4320)) as (name, under), computer_on(name, MODEL) as computer:
        under.mark(7000, 4000, 40)
        seen = computer.observe()
        assert max(seen.size.width, seen.size.height) <= 1568
        assert seen.size.width * seen.size.height <= 1_150_000
        assert len(seen.jpeg()) < 200_000
        computer.mouse.click(*red(seen))
        ((x, y),) = under.pressed()
        assert 7000 <= x < 7040
        assert 4000 <= y < 4040


@pytest.fixture(scope="module")
def private() -> Iterator[Computer]:
    """A large private desktop, shown as a model sees it."""
    desktop = connect("private", size=(1920, 1200), environment=os.environ)
    with Computer.on(desktop, environment=os.environ, picture=MODEL, patience=20.0) as computer:
        yield computer


def test_a_form_drawn_twice_as_large_is_read_and_filled_in(private: Computer, tmp_path: Path) -> None:
    kept = tmp_path / "form.txt"
    form = (
        "zenity --forms --text='Contact data' --add-entry='First name' --add-entry=City --add-password=Secret"
    )
    private.windows.open("sh", "-c", f"GDK_SCALE=2 {form} > {kept}")
    private.keyboard.write("Ada Lovelace", into="First name")
    private.keyboard.write("Zürich", into="City")
    private.perform(TypeText(text="hidden", into=ElementTarget("Secret", role="field"), secret=True))
    read = " ".join(private.text())
    assert all(words in read for words in ("Contact data", "First name", "City", "Ada Lovelace"))
    private.mouse.click(ElementTarget("OK", role="button"))
    assert until(lambda: kept.read_text().strip() == "Ada Lovelace|Zürich|hidden"), kept.read_text()


def test_a_program_that_a_settings_daemon_told_to_draw_larger_is_clicked_by_name(private: Computer) -> None:
    """No variable of the program tells that it draws twice as large: only its window does."""
    desktop = private.desktop
    assert isinstance(desktop, X11Desktop)
    daemon = desktop._connection.server
    owner = daemon.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    owner.set_selection_owner(daemon.intern_atom("_XSETTINGS_S0"), X.CurrentTime)
    kept = daemon.intern_atom("_XSETTINGS_SETTINGS")
    owner.change_property(kept, kept, 8, settings(Gdk_WindowScalingFactor=2, Gdk_UnscaledDPI=96 * 1024))
    daemon.sync()
    try:
        assert [entry["scale"] for entry in private.display.info()] == [2.0]
        private.windows.open(
            "zenity", "--question", "--text=Sure?", "--ok-label=Agreed", "--cancel-label=Never"
        )
        assert desktop.accessibility is not None
        (window,) = private.windows.all()
        found = desktop.accessibility.elements(pid=window.pid, seconds=5).items
        (agreed,) = (element for element in found if element.name == "Agreed")
        assert agreed.area.height > 50  # it is 34 high where nothing is enlarged
        private.mouse.click(IconTarget("Agreed"))
        assert until(lambda: not private.windows.all(), 20)
    finally:
        owner.destroy()
        daemon.sync()


@pytest.mark.parametrize("factor", ["1.5"])
def test_a_page_and_the_browser_around_it_drawn_larger_are_clicked_by_name(
    private: Computer, tmp_path: Path, factor: str
) -> None:
    page = tmp_path / "page.html"
    button = "<button aria-label=Tick onclick='document.title=\"Ticked\"'>&#10003;</button>"
    page.write_text(f"<!doctype html><title>Form</title>{button}")
    private.windows.open(
        "chromium", "--no-sandbox", "--no-first-run", "--force-renderer-accessibility", "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}", "--window-size=700,500",
        f"--force-device-scale-factor={factor}", str(page),
    )  # fmt: skip
    private.mouse.click(IconTarget("Tick"))
    assert until(lambda: any("Ticked" in window.title for window in private.windows.all()), 20)
    private.mouse.click(IconTarget("New Tab"))
    assert until(lambda: any("New Tab" in window.title for window in private.windows.all()), 20)
    for window in private.windows.all():
        private.windows.close(window.title)
    assert until(lambda: not private.windows.all(), 20)


def test_a_web_form_drawn_twice_as_large_is_filled_in_by_its_labels(
    private: Computer, tmp_path: Path
) -> None:
    with WebForm() as form:
        private.windows.open(
            "chromium", "--no-sandbox", "--no-first-run", "--force-renderer-accessibility", "--disable-gpu",
            f"--user-data-dir={tmp_path / 'profile'}", "--window-size=900,580",
            "--force-device-scale-factor=2", f"--app={form.address}",
        )  # fmt: skip
        private.keyboard.write("Ada Lovelace", into="Full name")
        private.keyboard.write("ada@example.org", into="E-mail")
        private.mouse.click(ElementTarget("Window seat", role="tick"))
        private.perform(Choose(option="Business", target=ElementTarget("Class", role="field")))
        private.mouse.click(ElementTarget("Book now", role="button"))
        assert until(lambda: bool(form.posted), 20)
        assert form.posted == [
            {"name": ["Ada Lovelace"], "mail": ["ada@example.org"], "window": ["on"], "class": ["business"]}
        ]
    for window in private.windows.all():
        private.windows.close(window.title)
    assert until(lambda: not private.windows.all(), 20)


@pytest.mark.parametrize("factor", ["1", "2"])
@pytest.mark.skipif(shutil.which("gnome-text-editor") is None, reason="gnome-text-editor is not installed")
def test_a_gtk4_program_that_tells_places_from_its_own_corner_is_clicked_by_name(
    private: Computer, tmp_path: Path, factor: str
) -> None:
    def tabs() -> int:
        assert private.desktop.accessibility is not None
        found = private.desktop.accessibility.elements(seconds=5).items
        return sum(element.role == "page tab" or element.name == "EditorSourceView" for element in found)

    private.windows.open(
        "sh", "-c", f"GDK_SCALE={factor} exec gnome-text-editor --standalone {tmp_path / 'a.txt'}"
    )
    assert until(lambda: tabs() == 1, 60)
    private.mouse.click(IconTarget("New tab (Ctrl+T)"))
    assert until(lambda: tabs() > 1, 60)
    for window in private.windows.all():
        private.windows.close(window.title)
    assert until(lambda: not private.windows.all(), 60)
