"""The list of screens: what is photographed, how it looks, and to which part it belongs.

Tuning and test differ in their pages, programs and words, not only in their looks.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from screens import printed
from screens.chromium import page
from screens.spoken import Document, Program, letter, photographed, plain, sheet
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


def program(
    part: str,
    toolkit: str,
    scene: str,
    theme: str,
    *,
    scale: int = 1,
    tags: tuple[str, ...] = (),
    **environment: str,
) -> Scene:
    """A window of one of our own programs."""
    if theme == "dark":
        environment["DARK"] = "1"
    if scale > 1:
        names = {"qt": "QT_SCALE_FACTOR"}
        environment[names.get(toolkit, "GDK_SCALE")] = str(scale)
    make = partial(_program, toolkit, scene, theme, scale, tags, environment)
    return Scene(part, f"{toolkit}_{scene}", make)


def _program(
    toolkit: str, scene: str, theme: str, scale: int, tags: tuple[str, ...], environment: dict[str, str]
) -> Screen:
    with stage((1280 * scale, 800 * scale)) as on:
        labels = on.program(f"{toolkit}_window", scene, **environment)
        pixels = on.still()
        windows = on.desktop.windows
        assert windows is not None
        area = around(windows.all()[0])
    screen = Screen(
        name=f"{toolkit}_{scene}",
        pixels=pixels,
        labels=labels,
        theme=theme,
        toolkit=toolkit,
        scale=scale,
        tags=tags,
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
    screen = Screen(
        name=f"xterm_{name}", pixels=pixels, labels=labels, theme=theme, toolkit="xterm", tags=tags
    )
    return cut(screen, area)


def covered(part: str, name: str, below: str, above: str, theme: str) -> Scene:
    """A GTK 3 window that a terminal covers in part."""
    return Scene(part, f"desktop_{name}", partial(_covered, f"desktop_{name}", below, above, theme))


def _covered(name: str, below: str, above: str, theme: str) -> Screen:
    look = (
        Look(columns=46, rows=16, ink="#eeeeee", paper="#30303a")
        if theme == "dark"
        else Look(columns=46, rows=16)
    )
    environment = {"DARK": "1"} if theme == "dark" else {}
    with stage((900, 560)) as on:
        lower = on.program("gtk3_window", below, **environment)
        upper = terminal(on, above, look, at=(330, 210))
        cover = Box(*on.window("terminal").outside)
        pixels = on.still()
    labels = (*seen(lower, [cover], None), *upper)
    return Screen(name=name, pixels=pixels, labels=labels, theme=theme, toolkit="desktop", tags=("overlap",))


def real(part: str, name: str, program: Program, document: Document, **options: Any) -> Scene:  # noqa: ANN401 - see above
    """A program that is not ours, with a document and an open menu."""
    return Scene(part, name, partial(_real, name, program, document, options))


def _real(name: str, program: Program, document: Document, options: dict[str, Any]) -> Screen:
    screen = photographed(name, program, document, **options)
    return cut(screen, program.shown) if program.shown else screen


OFFICE = ("soffice", "--norestore", "--nologo", "--nofirststartwizard")
WRITER = Program((*OFFICE, "--writer"), "LibreOffice Writer", (220, 200, 300, 40), "Help", "libreoffice")
CALC = Program((*OFFICE, "--calc"), "LibreOffice Calc", (34, 168, 90, 70), "Data", "libreoffice")
MOUSEPAD = Program(
    ("mousepad", "--disable-server"),
    "repairs",
    (2, 57, 20, 10),
    "Document",
    "gtk3",
    (900, 640),
    (("GTK_THEME", "Adwaita:dark"),),
)
FEATHERPAD = Program(
    ("featherpad", "--standalone"),
    "sonnet",
    (2, 95, 20, 90),
    "Help",
    "qt",
    (1000, 700),
    (),
    Box(140, 80, 720, 435),
)


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
    browser("tuning", "archive_alphabets", "light", (760, 260), tags=("arabic",)),
    browser("tuning", "editor_ja", "dark", (680, 330), tags=("cjk", "small")),
    browser("tuning", "office_ko", "light", (680, 330), tags=("cjk", "korean", "small")),
    xterm("tuning", "forest", printed.FOREST, Look(ink="#d0d0d0", paper="#101418"), "dark", ("bitmap",)),
    xterm("tuning", "kiln", printed.KILN, Look(font=SCALABLE, columns=70, rows=22), "light"),
    browser("tuning", "changelog", "dark", (960, 430), tags=("small",)),
    xterm("tuning", "ferry", printed.FERRY, Look(columns=80, rows=36), "light", ("bitmap",)),
    real(
        "tuning",
        "libreoffice_sheet",
        CALC._replace(menu="Tools"),
        Document("parts.fods", printed.WORKSHOP, sheet),
        theme="light",
        tags=("menu", "table"),
    ),
    covered("tuning", "aquarium", "aquarium", printed.PIER, "light"),
    real(
        "tuning",
        "libreoffice_writer",
        WRITER,
        Document("sweep.fodt", printed.LETTER, letter),
        theme="light",
        tags=("menu",),
    ),
    real(
        "tuning",
        "mousepad_repairs",
        MOUSEPAD,
        Document("repairs.txt", printed.SHOPPING, plain),
        theme="dark",
        tags=("menu",),
    ),
    browser("test", "greenhouse", "dark", (1366, 640), tags=("form",)),
    browser("test", "bank", "light", (1920, 800), tags=("table", "dense")),
    browser("test", "post", "light", (1440, 760), tags=("dialog", "overlap")),
    browser("test", "reference", "dark", (1024, 520), tags=("small",)),
    browser("test", "theatre", "light", (1280, 560), scale=2, tags=("hidpi",)),
    browser("test", "railway_zh", "dark", (960, 310), tags=("cjk",)),
    browser("test", "camera_ja", "light", (820, 370), tags=("cjk",)),
    browser("test", "clinic_rtl", "dark", (900, 460), tags=("arabic",)),
    browser("test", "museum_cjk", "light", (900, 430), tags=("cjk",)),
    browser("test", "bazaar_ar", "light", (760, 400), tags=("arabic",)),
    program("test", "gtk3", "library", "dark", tags=("menu", "table")),
    program("test", "gtk3", "booking", "light", SUBPIXEL="1", FONT="DejaVu Sans 8", tags=("small",)),
    program("test", "gtk4", "recipes", "light", tags=("menu",)),
    program("test", "qt", "telescope", "dark", tags=("menu", "table")),
    program("test", "tk", "choir", "light", FONT="Helvetica 9"),
    xterm("test", "harbour", printed.HARBOUR, Look(), "light", ("bitmap",)),
    xterm(
        "test",
        "bakery",
        printed.BAKERY,
        Look(font=SMALL, ink="#33ff66", paper="black", columns=64, rows=24),
        "dark",
    ),
    covered("test", "stables", "stables", printed.ORCHESTRA, "dark"),
    real(
        "test",
        "libreoffice_calc",
        CALC,
        Document("bees.fods", printed.ACCOUNTS, sheet),
        theme="light",
        tags=("menu", "table"),
    ),
    real(
        "test",
        "featherpad_sonnet",
        FEATHERPAD,
        Document("sonnet.txt", printed.SONNET, plain),
        theme="light",
        tags=("menu",),
    ),
    browser("fresh", "flights", "light", (1440, 620), tags=("table", "dense")),
    browser("fresh", "webmail", "light", (1120, 520), tags=("dense",)),
    browser("fresh", "brewery", "dark", (1366, 640), tags=("table", "dense")),
    browser("fresh", "chat", "dark", (940, 500)),
    browser("fresh", "gazette", "light", (1040, 640), tags=("serif",)),
    browser("fresh", "outfitter", "light", (1100, 400), scale=2, tags=("hidpi",)),
    browser("fresh", "logistics", "light", (960, 330), tags=("small", "table")),
    browser("fresh", "kitchen_ja", "light", (880, 330), tags=("cjk",)),
    browser("fresh", "apartment_ko", "light", (560, 290), tags=("cjk", "korean")),
    browser("fresh", "hospital_zh", "light", (820, 330), tags=("cjk",)),
    browser("fresh", "harbour_news_ar", "dark", (860, 340), tags=("arabic",)),
    program(
        "fresh",
        "gtk3",
        "pharmacy",
        "light",
        GTK_THEME="HighContrast",
        FONT="Lato 10",
        tags=("menu", "table"),
    ),
    program("fresh", "gtk4", "workshop", "dark", FONT="Lato 10"),
    program(
        "fresh", "qt", "vineyard", "light", STYLE="Windows", FONT="Nimbus Sans 9", tags=("menu", "table")
    ),
    program("fresh", "tk", "ferry_office", "dark", FONT="Noto Sans 9"),
    xterm(
        "fresh",
        "observatory",
        printed.OBSERVATORY,
        Look(
            font=("-fa", "DejaVu Sans Mono:bold", "-fs", "9"),
            ink="#839496",
            paper="#002b36",
            columns=80,
            rows=38,
        ),
        "dark",
    ),
    xterm(
        "fresh",
        "laundry",
        printed.LAUNDRY,
        Look(
            font=("-fa", "Nimbus Mono PS", "-fs", "11"), ink="#5b4636", paper="#fdf6e3", columns=60, rows=24
        ),
        "light",
    ),
    real(
        "fresh",
        "libreoffice_budget",
        CALC._replace(menu="Format", shown=Box(0, 0, 1280, 757)),
        Document("stage.fods", printed.THEATRE_BUDGET, sheet),
        theme="light",
        tags=("menu", "table"),
    ),
    real(
        "fresh",
        "libreoffice_guidebook",
        WRITER._replace(menu="Window", shown=Box(0, 20, 1280, 600)),
        Document("ramparts.fodt", printed.GUIDEBOOK, letter),
        theme="light",
        tags=("menu",),
    ),
)
