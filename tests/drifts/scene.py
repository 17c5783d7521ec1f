"""A scene: what a window of the drifts shows, as values that each toolkit's program builds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FONT = 10  # points
SIZE = (460, 330)

Named = tuple[str, str]  # the program's own name of a control, and its label


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A row of the window: ``field``, ``tick``, ``buttons``, ``list``, ``menu`` or ``note``."""

    kind: str
    id: str = ""
    label: str = ""
    text: str = ""
    of: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A window. ``closes`` is the button that ends it; ``dialog`` is the title of what gets in the way."""

    title: str
    items: tuple[Item, ...]
    size: tuple[int, int] = SIZE
    closes: str = ""
    says: Mapping[str, str] = field(default_factory=dict)
    dark: bool = False
    font: int = FONT
    zoom: float = 1.0
    late: float = 0.0
    slow: float = 0.0
    dialog: str = ""

    def named(self) -> Iterator[tuple[str, str, str]]:
        """Each control: its kind, the program's own name, its label."""
        for item in self.items:
            if item.id:
                yield item.kind, item.id, item.label
            for name, label in item.of:
                yield item.kind, name, label

    def json(self) -> dict[str, Any]:
        """What the programs read."""
        names = ("title", "size", "closes", "says", "dark", "font", "zoom", "late", "slow", "dialog")
        items = [
            {"kind": one.kind, "id": one.id, "label": one.label, "text": one.text, "of": one.of}
            for one in self.items
        ]
        return {name: getattr(self, name) for name in names} | {"items": items}

    def reordered(self) -> Scene:
        """The last field, row, entry of a list first: what stands between, and its buttons, keep their order."""
        kinds = {"field"} | (
            {"buttons"} if all(one.text for one in self.items if one.kind == "buttons") else set()
        )
        places = [at for at, one in enumerate(self.items) if one.kind in kinds]
        turned = [self.items[at] for at in (*places[-1:], *places[:-1])]
        items = list(self.items)
        for at, item in zip(places, turned, strict=True):
            items[at] = item
        lists = [replace(one, of=one.of[::-1]) if one.kind in ("list", "menu") else one for one in items]
        return replace(self, items=tuple(lists))

    def renamed(self, labels: Mapping[str, str]) -> Scene:
        """With other words on the controls that had those."""
        return replace(
            self,
            items=tuple(
                replace(
                    one,
                    label=labels.get(one.label, one.label),
                    of=tuple((name, labels.get(label, label)) for name, label in one.of),
                )
                for one in self.items
            ),
        )


def entry(name: str, label: str) -> Item:
    """A field with its label."""
    return Item(kind="field", id=name, label=label)


def tick(name: str, label: str) -> Item:
    """A tick box."""
    return Item(kind="tick", id=name, label=label)


def buttons(*of: Named) -> Item:
    """Buttons beside each other."""
    return Item(kind="buttons", of=of)


def row(text: str, *of: Named) -> Item:
    """A text with buttons of its own, as in a table."""
    return Item(kind="buttons", text=text, of=of)


def listed(*of: Named) -> Item:
    """A list of which one is chosen by a click."""
    return Item(kind="list", of=of)


def menu(label: str, *of: Named) -> Item:
    """A menu in the bar of the window."""
    return Item(kind="menu", label=label, of=of)


def note(text: str) -> Item:
    """Words that nothing happens to."""
    return Item(kind="note", text=text)
