"""The recorded tasks on windows and pages of scenes: forms, rows, lists, menus, each on several toolkits."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from drifts.drift import ALL
from drifts.runner import Task
from drifts.scene import Scene, buttons, entry, listed, menu, note, row, tick
from drifts.surfaces import started

from computer_api.actions import Click, TypeText
from computer_api.geometry import Pixel
from computer_api.targets import ElementTarget, Relation, TextTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from drifts.runner import By
    from drifts.surfaces import Place, Surface

    from computer_api.actions import Action

    Does = Callable[[dict[str, Place]], Action]

# A step of a task: ("click", control), ("type", text), ("fill", control, text), ("open", menu)
Told = tuple[str, ...]

CONTACT = Scene(
    title="Contact",
    items=(
        entry("name", "Full name"),
        entry("mail", "E-mail"),
        entry("city", "City"),
        tick("news", "Send newsletter"),
        buttons(("clear", "Clear"), ("save", "Save"), ("delete", "Delete")),
    ),
    says={"save": "The contact was saved.", "clear": "All is empty.", "delete": "The contact is gone."},
)
CONTACT_STEPS: tuple[Told, ...] = (
    ("click", "name"),
    ("type", "Ada Lovelace"),
    ("click", "mail"),
    ("type", "ada@example.org"),
    ("click", "city"),
    ("type", "London"),
    ("click", "news"),
    ("click", "save"),
)
PEOPLE = Scene(
    title="People",
    items=(
        row("Ada Byron", ("edit-ada", "Edit"), ("delete-ada", "Delete")),
        row("Bob Hall", ("edit-bob", "Edit"), ("delete-bob", "Delete")),
        row("Cleo Dane", ("edit-cleo", "Edit"), ("delete-cleo", "Delete")),
        row("Dora Kent", ("edit-dora", "Edit"), ("delete-dora", "Delete")),
    ),
)
TOWNS = Scene(
    title="Towns",
    items=(
        note("Where do you want to go?"),
        listed(("bath", "Bath"), ("ely", "Ely"), ("london", "London"), ("turin", "Turin"), ("york", "York")),
        buttons(("back", "Back"), ("book", "Book"), ("save", "Save")),
    ),
    size=(420, 380),
)
LOGIN = Scene(
    title="Sign in",
    items=(
        note("Library of the town"),
        entry("user", "User name"),
        entry("card", "Card number"),
        tick("stay", "Stay signed in"),
        buttons(("cancel", "Cancel"), ("enter", "Sign in")),
    ),
    closes="enter",
)
ORDER = Scene(
    title="Order",
    items=(
        entry("article", "Article"),
        entry("count", "Number of pieces"),
        entry("note", "Remark"),
        tick("gift", "Wrap as a gift"),
        tick("fast", "Fast delivery"),
        buttons(("reset", "Reset"), ("check", "Check"), ("order", "Order now")),
    ),
    size=(480, 380),
)
OFFICE = Scene(
    title="Office",
    items=(
        menu(
            "Letter", ("new", "New letter"), ("send", "Send all"), ("print", "Print"), ("drop", "Throw away")
        ),
        entry("subject", "Subject"),
        buttons(("save", "Save"), ("close", "Close")),
    ),
)
SCENES: dict[str, tuple[Scene, tuple[Told, ...]]] = {
    "contact": (CONTACT, CONTACT_STEPS),
    "people": (PEOPLE, (("click", "delete-cleo"), ("click", "edit-bob"))),
    "towns": (TOWNS, (("click", "london"), ("click", "save"))),
    "sign in": (
        LOGIN,
        (("fill", "user", "ada"), ("fill", "card", "12-815"), ("click", "stay"), ("click", "enter")),
    ),
    "order": (
        ORDER,
        (
            ("fill", "article", "Blue ink"),
            ("click", "count"),
            ("type", "12"),
            ("click", "fast"),
            ("click", "check"),
            ("click", "order"),
        ),
    ),
    "office": (
        OFFICE,
        (("fill", "subject", "Invoice"), ("click", "save"), ("open", "Letter"), ("click", "print")),
    ),
}
KNOWN: frozenset[Surface] = frozenset({"gtk3", "web"})  # tell ids of their controls; Qt 5 does not


def scene_task(name: str, surface: Surface, by: By) -> Task:
    """One of the scenes on a toolkit, done by pixels or by words."""
    scene, steps = SCENES[name]
    return Task(
        name=f"{name} {surface} {by}",
        surface=surface,
        by=by,
        start=partial(started, surface, scene),
        does=tuple(_does(scene, step, by) for step in steps),
        uses=frozenset(step[1] for step in steps if step[0] in ("click", "fill")),
        drifts=tuple(drift for drift in ALL if not drift.renamed or _has(scene, drift.renamed)),
        known=surface in KNOWN and by == "pixels",
    )


def _has(scene: Scene, labels: Iterable[str]) -> bool:
    return bool(set(labels) & {label for _, _, label in scene.named()})


def _does(scene: Scene, step: Told, by: By) -> Does:
    match step:
        case ("type", text):
            return lambda _: TypeText(text=text)
        case ("open", words):
            return lambda _: Click(target=TextTarget(words))
        case ("fill", name, text):
            if by == "pixels":
                return lambda places: TypeText(text=text, into=_pixel(places[name], "field"))
            return lambda _: TypeText(text=text, into=_words(scene, name))
        case ("click", name):
            kind = next(kind for kind, one, _ in scene.named() if one == name)
            if by == "pixels" and kind != "menu":
                return lambda places: Click(target=_pixel(places[name], kind))
            return lambda _: Click(target=_words(scene, name))
        case _:
            raise ValueError(f"no step: {step}")


def _pixel(box: Place, kind: str) -> Pixel:
    """Where a model clicks: near the middle, hardly ever in it; of a tick box with its words, on the box."""
    left, top, width, height = box
    if kind == "tick":
        return Pixel(left + min(height, width) // 2, top + height // 2)
    return Pixel(left + round(width * 0.47), top + round(height * 0.55))


def _words(scene: Scene, name: str) -> TextTarget | ElementTarget:
    kind, _, label = next(one for one in scene.named() if one[1] == name)
    text = next((one.text for one in scene.items if any(key == name for key, _ in one.of)), "")
    if text:
        return TextTarget(label, where=(Relation("right of", TextTarget(text)),))
    if kind == "buttons":
        return ElementTarget(label, role="button")
    return ElementTarget(label, role=kind) if kind in ("field", "tick") else TextTarget(label)
