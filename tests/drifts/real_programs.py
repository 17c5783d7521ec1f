"""The recorded tasks on programs of other people: what they saved or printed is the truth."""

from __future__ import annotations

import shlex
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from drifts.drift import ALL, DARK, FONT, RENAMED, REORDERED, SCALE_2, ZOOM_110, ZOOM_125
from drifts.runner import Task
from drifts.stage import end
from drifts.surfaces import PROGRAMS, PYTHON, SURFACES, Running, environment_of
from drifts.truth import Truth

from computer_api.actions import Click, PressKeys, Scroll, TypeText
from computer_api.geometry import Pixel
from computer_api.keys import parse_keys
from computer_api.targets import ElementTarget, TextTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from drifts.drift import Drift
    from drifts.runner import By
    from drifts.stage import Stage
    from drifts.surfaces import Place

    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_platform.desktop import Element

    Does = Callable[[dict[str, Place]], Action]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program as a task needs it. ``title`` is in its window's title, ``command`` makes its command line in a folder.

    ``prepare`` puts files there, ``read`` says what the program has made of them. ``lacks`` are drifts that it cannot
    be put under.
    """

    name: str
    title: str
    command: Callable[[Path, Drift], list[str]]
    read: Callable[[Path, Drift], object]
    prepare: Callable[[Path, Drift], None] = lambda _folder, _drift: None
    environment: Callable[[Drift], dict[str, str]] = lambda _drift: {}
    lacks: tuple[Drift, ...] = ()


@contextmanager
def opened(program: Program, drift: Drift, stage: Stage) -> Iterator[Running]:
    """The program, placed as the drift says; one that paints late is not waited for."""
    folder = stage.new_folder(program.name)
    program.prepare(folder, drift)
    before = program.read(folder, drift)
    environment = program.environment(drift) | environment_of(drift) | _settings(folder, drift)
    command = program.command(folder, drift)
    desktop = stage.session(drift.screen).computer.desktop
    if drift.late:
        command = ["sh", "-c", f"sleep {drift.late}; exec {shlex.join(command)}"]
    pid = desktop.launch(command, environment=environment)
    if not drift.late:
        stage.place(drift.screen, program.title, drift.at, drift.grown)
    if drift.dialog:
        covered = stage.window(drift.screen, program.title).area
        words = ["--text=A new version can be installed.", "--width=300"]
        desktop.launch(["zenity", "--info", f"--title={drift.dialog}", *words])
        own = stage.window(drift.screen, drift.dialog).area
        stage.place(
            drift.screen,
            drift.dialog,
            (covered.left, covered.top),
            (covered.width / own.width, covered.height / own.height),
        )

    def truth() -> Truth:
        now = program.read(folder, drift)
        return Truth(effects=() if now == before else (now,))

    try:
        yield Running(pid=pid, truth=truth, places=partial(_places, stage, drift, pid))
    finally:
        end(pid)
        stage.clear()


class _Boxes(dict[str, "Place"]):
    """The boxes of named controls; those that a program does not tell of are read from the screen."""

    def __init__(self, computer: Computer, elements: Iterable[Element]) -> None:
        super().__init__({one.name: tuple(one.area) for one in elements if one.name})
        self._computer = computer

    def __missing__(self, name: str) -> Place:
        box = self._computer.locate(TextTarget(name)).box
        return (box.left, box.top, box.width, box.height)


def _places(stage: Stage, drift: Drift, pid: int) -> dict[str, Place]:
    """Where the named controls of the program are."""
    computer = stage.session(drift.screen).computer
    accessibility = computer.desktop.accessibility
    assert accessibility is not None
    return _Boxes(computer, accessibility.elements(pid=pid, seconds=5.0).items)


def _settings(folder: Path, drift: Drift) -> dict[str, str]:
    """A person's settings of GTK: the theme, and the size of the letters."""
    lines = [f"gtk-font-name=DejaVu Sans {10 + drift.more_points}"]
    if drift.dark:
        lines.append("gtk-application-prefer-dark-theme=1")
    for toolkit in ("gtk-3.0", "gtk-4.0"):
        home = folder / "config" / toolkit
        home.mkdir(parents=True)
        (home / "settings.ini").write_text("[Settings]\n" + "\n".join(lines) + "\n")
    return {"XDG_CONFIG_HOME": str(folder / "config")} | ({"GTK_THEME": "Adwaita:dark"} if drift.dark else {})


def _text(name: str, folder: Path, _drift: Drift) -> str:
    file = folder / name
    return file.read_text() if file.exists() else ""


def _printed(words: Callable[[Path, Drift], list[str]], folder: Path, drift: Drift) -> list[str]:
    out = shlex.quote(str(folder / "out"))
    return ["sh", "-c", f"exec {shlex.join(words(folder, drift))} > {out}"]


FIELDS = ("Full name", "City", "Country")


def _trip(_folder: Path, drift: Drift) -> list[str]:
    names = FIELDS[::-1] if drift.reordered else FIELDS
    save = drift.renamed.get("Save", "Save")
    return ["zenity", "--forms", "--title=Trip", "--text=Where do you go?", f"--ok-label={save}",
            *(f"--add-entry={name}" for name in names)]  # fmt: skip


def _trip_read(folder: Path, drift: Drift) -> object:
    written = _text("out", folder, drift).strip("\n").split("|")
    return (
        dict(zip(FIELDS[::-1] if drift.reordered else FIELDS, written, strict=False))
        if written != [""]
        else {}
    )


def _day(_folder: Path, drift: Drift) -> list[str]:
    save = drift.renamed.get("Save", "Save")
    return ["zenity", "--calendar", "--title=Day", "--text=When?", "--year=2026", "--month=5", "--day=3",
            f"--ok-label={save}", "--date-format=%F"]  # fmt: skip


def _asked(_folder: Path, drift: Drift) -> list[str]:
    save = drift.renamed.get("Save", "Save")
    return ["zenity", "--entry", "--title=Town", "--text=Name of the town", f"--ok-label={save}"]


TOWNS = ("Bath", "Ely", "London", "Turin", "York")


def _towns(_folder: Path, drift: Drift) -> list[str]:
    towns = TOWNS[::-1] if drift.reordered else TOWNS
    save = drift.renamed.get("Save", "Save")
    return ["zenity", "--list", "--title=Towns", "--text=Which one?", "--column=Town", "--height=330",
            f"--ok-label={save}", *towns]  # fmt: skip


def _notes(folder: Path, _drift: Drift) -> None:
    (folder / "notes.txt").write_text("first line\nsecond line\n")


def _files(folder: Path, drift: Drift) -> None:
    (folder / "papers").mkdir()
    for name in ("bills.txt", "letter.txt", "plan.txt"):
        (folder / "papers" / name).write_text(f"{name}\n")
    (folder / "papers" / "Old").mkdir()
    if drift.reordered:
        for name in ("aunt.txt", "Basket", "camp.txt"):
            (folder / "papers" / name).write_text("new\n")


def _listing(folder: Path, _drift: Drift) -> object:
    known = ("aunt.txt", "Basket", "camp.txt")
    papers = folder / "papers"
    return sorted(str(one.relative_to(papers)) for one in papers.rglob("*") if one.name not in known)


def _click(words: str, role: str | None, count: int, by: By) -> Does:
    if by == "pixels":
        return lambda places: Click(target=_middle(places[words]), count=count)
    target = ElementTarget(words, role=role) if role else TextTarget(words)
    return lambda _: Click(target=target, count=count)


def _middle(box: Place) -> Pixel:
    return Pixel(box[0] + round(box[2] * 0.45), box[1] + round(box[3] * 0.55))


def _fill(label: str, text: str) -> Does:
    return lambda _: TypeText(text=text, into=ElementTarget(label, role="field"))


def _type(text: str) -> Does:
    return lambda _: TypeText(text=text)


def _keys(*keys: str) -> Does:
    return lambda _: PressKeys(keys=parse_keys("+".join(keys)))


ZENITY = {
    "trip": Program(name="zenity", title="Trip", command=partial(_printed, _trip), read=_trip_read),
    "day": Program(
        name="zenity",
        title="Day",
        command=partial(_printed, _day),
        read=partial(_text, "out"),
        lacks=(REORDERED,),
    ),
    "town": Program(
        name="zenity",
        title="Town",
        command=partial(_printed, _asked),
        read=partial(_text, "out"),
        lacks=(REORDERED,),
    ),
    "towns": Program(
        name="zenity", title="Towns", command=partial(_printed, _towns), read=partial(_text, "out")
    ),
}


def _editor(name: str, *words: str, lacks: tuple[Drift, ...] = ()) -> Program:
    return Program(
        name=name,
        title="notes",
        command=lambda folder, _: [name, *words, str(folder / "notes.txt")],
        prepare=_notes,
        read=partial(_text, "notes.txt"),
        lacks=(REORDERED, RENAMED, *lacks),
    )


def _manager(name: str, *words: str) -> Program:
    return Program(
        name=name,
        title="papers",
        command=lambda folder, _: [name, *words, str(folder / "papers")],
        prepare=_files,
        read=_listing,
        lacks=(RENAMED,),
    )


SUMS = "sums.csv"
_OFFICE_OFF = {
    "Common/Misc": ("FirstRun", "ShowTipOfTheDay"),
    "Common/Save/Document": ("WarnAlienFormat",),
    "Common/AutoCorrect": ("CapitalAtStartSentence", "TwoCapitalsAtStart"),
    "Calc/Input": ("AutoInput",),
    "Recovery/AutoSave": ("Enabled",),
    "Recovery/RecoveryInfo": ("Enabled",),
}
_OFFICE_WINDOW = "60,60,1000,640;1;;"  # where it opens, not as large as the screen


def _office_profile(folder: Path, drift: Drift) -> None:
    """A profile that asks nothing, dark or light, and a table to fill in."""
    office, value = "/org.openoffice.Office.", '<prop oor:name="{}" oor:op="fuse"><value>{}</value></prop>'
    items = [
        (office + path, value.format(name, "false")) for path, names in _OFFICE_OFF.items() for name in names
    ]
    items.append(
        (f"{office}Common/Appearance", value.format("ApplicationAppearance", 2 if drift.dark else 1))
    )
    factory = "/org.openoffice.Setup/Office/Factories/org.openoffice.Setup:Factory"
    sheet = f"{factory}['com.sun.star.sheet.SpreadsheetDocument']"
    items.append((sheet, value.format("ooSetupFactoryWindowAttributes", _OFFICE_WINDOW)))
    lines = "\n".join(f'<item oor:path="{path}">{prop}</item>' for path, prop in items)
    profile = folder / "office" / "user"
    profile.mkdir(parents=True)
    head = '<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    (profile / "registrymodifications.xcu").write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{lines}\n</oor:items>\n'
    )
    (folder / SUMS).write_text("List of May,\n,\nArticle,Price\nInk,\nWriting paper,\nStamps,\nAll,\n")


def _calc(folder: Path, _drift: Drift) -> list[str]:
    profile = f"-env:UserInstallation={(folder / 'office').as_uri()}"
    quiet = ("--norestore", "--nologo", "--nolockcheck")
    return ["soffice", *quiet, "--calc", "--infilter=CSV:44,34,76,1", profile, str(folder / SUMS)]


CALC = Program(
    name="soffice",
    title=SUMS,
    command=_calc,
    prepare=_office_profile,
    read=partial(_text, SUMS),
    environment=lambda drift: {"SAL_FORCEDPI": str(round(96 * drift.zoom * drift.scale))},
    lacks=(REORDERED, RENAMED, FONT),
)
MOUSEPAD = _editor("mousepad", "--disable-server")
FEATHERPAD = _editor("featherpad", "--standalone", lacks=(FONT,))
GNOME = _editor("gnome-text-editor", "--standalone")
PAD = Program(
    name="tk",
    title="Pad",
    command=lambda folder, _: [PYTHON, str(PROGRAMS / "pad_tk.py"), str(folder / "dots")],
    read=partial(_text, "dots"),
    lacks=(DARK, FONT, ZOOM_110, ZOOM_125, SCALE_2, RENAMED, REORDERED),
)
PCMANFM = _manager("pcmanfm")
THUNAR = _manager("thunar")


def _task(name: str, program: Program, by: By, *does: Does) -> Task:
    return Task(
        name=f"{name} {program.name} {by}",
        surface=program.name,
        by=by,
        start=partial(opened, program),
        does=does,
        drifts=tuple(drift for drift in ALL if drift not in program.lacks),
        modal=False,
    )


APPEND = (_keys("ctrl", "end"), _type("third line"), _keys("ctrl", "s"))


def _dot(right: int, down: int) -> Does:
    return lambda places: Click(target=_off(places, right, down))


def _off(places: dict[str, Place], right: int, down: int) -> Pixel:
    """An empty place of the sheet, so far from a word above it."""
    left, top, _, _ = places["Pencil"]
    return Pixel(left + right, top + down)


DOTS: tuple[Does, ...] = (
    *(_dot(right, down) for right, down in ((200, 150), (300, 90), (40, 240))),
    lambda places: Scroll(down=2, target=_off(places, 380, 200)),
)
FILL_IN = (
    *(_keys("down"), _type("12"), _keys("enter"), _type("30"), _keys("enter"), _type("5"), _keys("enter")),
    *(_type("=SUM(B4:B6)"), _keys("enter"), _keys("ctrl", "s")),
)
TRIP = (_fill("Full name", "Ada"), _fill("City", "Turin"), _fill("Country", "Italy"))

REAL = (
    _task("trip", ZENITY["trip"], "words", *TRIP, _click("Save", "button", 1, "words")),
    _task("trip", ZENITY["trip"], "pixels", *TRIP, _click("Save", "button", 1, "pixels")),
    _task(
        "day", ZENITY["day"], "words", _click("17", None, 1, "words"), _click("Save", "button", 1, "words")
    ),
    _task("town", ZENITY["town"], "pixels", _type("Turin"), _click("Save", "button", 1, "pixels")),
    _task(
        "towns",
        ZENITY["towns"],
        "words",
        _click("London", None, 1, "words"),
        _click("Save", "button", 1, "words"),
    ),
    _task(
        "towns",
        ZENITY["towns"],
        "pixels",
        _click("London", None, 1, "pixels"),
        _click("Save", "button", 1, "pixels"),
    ),
    _task("append", MOUSEPAD, "words", *APPEND),
    _task(
        "menu",
        MOUSEPAD,
        "words",
        _click("Edit", None, 1, "words"),
        _click("Select All", None, 1, "words"),
        _type("all is new"),
        _click("File", None, 1, "words"),
        _click("Save", None, 1, "words"),
    ),
    _task(
        "menu",
        MOUSEPAD,
        "pixels",
        _click("Edit", None, 1, "pixels"),
        _click("Select All", None, 1, "words"),
        _type("all is new"),
        _keys("ctrl", "s"),
    ),
    _task("append", FEATHERPAD, "words", *APPEND),
    _task("append", GNOME, "words", *APPEND),
    _task(
        "rename",
        PCMANFM,
        "words",
        _click("plan.txt", None, 1, "words"),
        _keys("f2"),
        _keys("ctrl", "a"),
        _type("travel.txt"),
        _keys("enter"),
    ),
    _task(
        "rename",
        PCMANFM,
        "pixels",
        _click("plan.txt", None, 1, "pixels"),
        _keys("f2"),
        _keys("ctrl", "a"),
        _type("travel.txt"),
        _keys("enter"),
    ),
    _task(
        "rename",
        THUNAR,
        "words",
        _click("plan.txt", None, 1, "words"),
        _keys("f2"),
        _keys("ctrl", "a"),
        _type("travel.txt"),
        _keys("enter"),
    ),
    _task(
        "folder",
        PCMANFM,
        "words",
        _click("Old", None, 2, "words"),
        _keys("ctrl", "shift", "n"),
        _type("Ada"),
        _keys("enter"),
    ),
    _task("dots", PAD, "pixels", *DOTS),
    _task("sums", CALC, "words", _click("Price", None, 1, "words"), *FILL_IN),
    _task("sums", CALC, "pixels", _click("Price", None, 1, "pixels"), *FILL_IN),
)


def installed(task: Task) -> bool:
    """Whether the program of the task is here."""
    return task.surface in SURFACES or shutil.which(task.surface) is not None
