"""The list of screens: what is photographed, how it looks, and to which part it belongs.

Tuning and test differ in their pages, programs and words, not only in their looks.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from screens.chromium import page
from screens.stage import cut, seen, stage
from screens.terminals import Look, terminal
from screens.truth import Box, Screen

assert sys.platform == "linux"

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Window


class Scene(NamedTuple):
    """One screen and the function that makes it."""

    part: str
    name: str
    make: Callable[[], Screen]


SMALL = ("-fa", "Liberation Mono", "-fs", "8")
SCALABLE = ("-fa", "DejaVu Sans Mono", "-fs", "9")


def browser(part: str, name: str, theme: str, size: tuple[int, int], **options: Any) -> Scene:  # noqa: ANN401 - as page() takes them
    """A page in a browser's window."""
    return Scene(part, f"chromium_{name}", partial(page, name, theme=theme, size=size, **options))


def program(  # noqa: PLR0913 - what a program is started with
    part: str, toolkit: str, scene: str, theme: str, *, scale: int = 1, tags: tuple[str, ...] = (), **environment: str
) -> Scene:
    """A window of one of our own programs."""
    if theme == "dark":
        environment["DARK"] = "1"
    if scale > 1:
        names = {"qt": "QT_SCALE_FACTOR"}
        environment[names.get(toolkit, "GDK_SCALE")] = str(scale)
    make = partial(_program, toolkit, scene, theme, scale, tags, environment)
    return Scene(part, f"{toolkit}_{scene}", make)


def _program(  # noqa: PLR0913 - see above
    toolkit: str, scene: str, theme: str, scale: int, tags: tuple[str, ...], environment: dict[str, str]
) -> Screen:
    with stage((1280 * scale, 800 * scale)) as on:
        labels = on.program(f"{toolkit}_window", scene, **environment)
        pixels = on.still()
        windows = on.desktop.windows
        assert windows is not None
        area = around(windows.all()[0])
    screen = Screen(
        name=f"{toolkit}_{scene}", pixels=pixels, labels=labels, theme=theme, toolkit=toolkit, scale=scale, tags=tags
    )
    return cut(screen, area)


def around(window: Window, margin: int = 12) -> Box:
    """The window with its frame and a little of what is around it."""
    outside = window.outside
    left, top = max(0, outside.left - margin), max(0, outside.top - margin)
    return Box(left, top, outside.right + margin - left, outside.bottom + margin - top)


def xterm(part: str, name: str, printed: str, look: Look, theme: str, tags: tuple[str, ...] = ()) -> Scene:
    """One terminal."""
    return Scene(part, f"xterm_{name}", partial(_xterm, name, printed, look, theme, tags))


def _xterm(name: str, printed: str, look: Look, theme: str, tags: tuple[str, ...]) -> Screen:
    with stage((1280, 800)) as on:
        labels = terminal(on, printed, look)
        pixels, area = on.still(), around(on.window("terminal"))
    screen = Screen(name=f"xterm_{name}", pixels=pixels, labels=labels, theme=theme, toolkit="xterm", tags=tags)
    return cut(screen, area)


def two_terminals(name: str, lower: str, upper: str, looks: tuple[Look, Look], at: tuple[int, int]) -> Screen:
    """A terminal that covers a part of another."""
    with stage((1280, 800)) as on:
        below = terminal(on, lower, looks[0])
        above = terminal(on, upper, looks[1], at=at)
        cover = Box(*on.window(f"terminal {at[0]}").outside)
        labels = seen(below, [cover], None) + above
        pixels = on.still()
    return Screen(name=name, pixels=pixels, labels=labels, theme="mixed", toolkit="xterm", tags=("overlap",))


from screens import printed  # noqa: E402 - texts

SCENES: tuple[Scene, ...] = (
    browser("tuning", "shipping", "light", (1280, 640), tags=("form",)),
    browser("tuning", "inventory", "dark", (1920, 1000), tags=("table", "dense")),
    browser("tuning", "editor", "dark", (1680, 1050), tags=("code", "dense")),
    browser("tuning", "router_admin", "light", (1024, 470), tags=("small",)),
    browser("tuning", "preferences", "dark", (1280, 800), scale=2, tags=("hidpi",)),
    browser("tuning", "bookshop_cjk", "light", (1100, 470), tags=("cjk",)),
    browser("tuning", "mail_arabic", "light", (900, 380), tags=("arabic",)),
    program("tuning", "gtk3", "planner", "light", tags=("menu", "table")),
    program("tuning", "gtk3", "backup", "dark", scale=2, tags=("hidpi",)),
    program("tuning", "gtk4", "podcasts", "dark"),
    program("tuning", "qt", "invoices", "light", tags=("menu", "table")),
    program("tuning", "tk", "seismograph", "dark"),
    browser("tuning", "calendar_ja", "dark", (1000, 330), tags=("cjk",)),
    browser("tuning", "forum_arabic", "light", (620, 400), tags=("arabic",)),
    xterm("tuning", "forest", printed.FOREST, Look(ink="#d0d0d0", paper="#101418"), "dark", ("bitmap",)),
    xterm("tuning", "kiln", printed.KILN, Look(font=SCALABLE, columns=70, rows=22), "light"),
    browser("test", "greenhouse", "dark", (1366, 640), tags=("form",)),
    browser("test", "bank", "light", (1920, 800), tags=("table", "dense")),
    browser("test", "post", "light", (1440, 760), tags=("dialog", "overlap")),
    browser("test", "reference", "dark", (1024, 520), tags=("small",)),
    browser("test", "theatre", "light", (1280, 560), scale=2, tags=("hidpi",)),
    browser("test", "railway_zh", "dark", (960, 310), tags=("cjk",)),
    browser("test", "camera_ja", "light", (820, 370), tags=("cjk",)),
    browser("test", "clinic_rtl", "dark", (900, 460), tags=("arabic",)),
    program("test", "gtk3", "library", "dark", tags=("menu", "table")),
    program("test", "gtk3", "booking", "light", SUBPIXEL="1", FONT="DejaVu Sans 8", tags=("small",)),
    program("test", "gtk4", "recipes", "light", tags=("menu",)),
    program("test", "qt", "telescope", "dark", tags=("menu", "table")),
    program("test", "tk", "choir", "light", FONT="Helvetica 9"),
    xterm("test", "harbour", printed.HARBOUR, Look(), "light", ("bitmap",)),
    xterm("test", "bakery", printed.BAKERY, Look(font=SMALL, ink="#33ff66", paper="black", columns=64, rows=24), "dark"),
)
