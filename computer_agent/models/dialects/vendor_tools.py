"""What is offered beside a vendor's own computer tool: ``desktop``, code, questions of the terminal, and the end.

A vendor's tool knows places, keys and text. ``desktop`` is our own ``computer`` without places: it acts on what is
named by its text or label, on windows, programs and the clipboard, and checks results.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from computer_agent.models.coordinates import PIXELS, Relative
from computer_agent.models.dialects.arguments import Arguments, BadCall
from computer_agent.models.dialects.function_tools import TOOLS, call_of, decision_of
from computer_agent.step import Answer
from computer_api.actions import Look, PlaceWindow, Zoom, targets_of
from computer_api.errors import ComputerError
from computer_api.geometry import Box, Pixel, Size
from computer_api.keys import parse_keys
from computer_api.targets import AnchoredTarget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from computer_agent.models.coordinates import Number, Space
    from computer_api.actions import Action
    from computer_api.targets import Target

DESKTOP = "desktop"
MODIFIERS = frozenset(
    {
        *("Control_L", "Control_R", "Alt_L", "Alt_R", "Shift_L", "Shift_R", "Super_L", "Super_R"),
        *("ISO_Level3_Shift", "Primary"),
    }
)
"""Keys that are held while others are pressed."""
_CODE = ("run_code", "execute", "run", "answer_prompt", "finish", "browser")
_PLACES = ("x", "y", "to_x", "to_y", "path")
_FILLED: tuple[object, ...] = (None, "", 0, [])  # what weak models put into fields that they do not mean
_NOT_SAID = {*_PLACES, "width", "height"}  # fields that need a space of coordinates
_LEFT_OUT = {"look", "place_window", "double_click", "triple_click", "right_click", "middle_click", "zoom"}
_ELSEWHERE = ("Instead of x and y: ", "With label, ", ", instead of to_x and to_y")


@dataclass(frozen=True, slots=True)
class Screen:
    """The picture that a model's numbers are meant on: how it counts, and the size, ``None`` if none was shown."""

    space: Space
    size: Size | None

    def pixel(self, x: Number, y: Number) -> Pixel:
        """The pixel that these numbers mean. Raises ``BadCall``."""
        return self.space.pixel(x, y, self._shown())

    def numbers(self, pixel: Pixel) -> tuple[Number, Number]:
        """What the model would write for the pixel. Raises ``BadCall``."""
        return self.space.numbers(pixel, self._shown())

    def length(self, part: Number, *, across: bool) -> int:
        """That much of the width or height, counted as places are, in pixels: at least one. Raises ``BadCall``."""
        side, full = self._side(across=across)
        return max(1, round(part / full * side))

    def part(self, pixels: int, *, across: bool) -> Number:
        """The number that ``length`` makes these pixels of. Raises ``BadCall``."""
        side, full = self._side(across=across)
        return round(pixels / side * full, 3)

    def zoom(self, left: Number, top: Number, right: Number, bottom: Number) -> Zoom:
        """The part between these edges. Raises ``BadCall``."""
        if self.space == PIXELS:
            first, last = self.pixel(left, top), self.pixel(right - 1, bottom - 1)
        else:
            first, last = self.pixel(left, top), self.pixel(right, bottom)
        if first.x > last.x or first.y > last.y:
            raise BadCall(
                f"({left:g}, {top:g}) to ({right:g}, {bottom:g}) is no part of the picture: "
                "name its top left corner first and then its bottom right one."
            )
        return Zoom(left=first.x, top=first.y, right=last.x + 1, bottom=last.y + 1)

    def edges(self, zoom: Zoom) -> tuple[Number, ...]:
        """Left, top, right and bottom as the model would write them. Raises ``BadCall``."""
        beyond = 0 if self.space == PIXELS else 1
        if self.space == PIXELS:
            return zoom.left, zoom.top, zoom.right, zoom.bottom
        last = Pixel(zoom.right - beyond, zoom.bottom - beyond)
        return *self.numbers(Pixel(zoom.left, zoom.top)), *self.numbers(last)

    def _side(self, *, across: bool) -> tuple[int, int]:
        """A side in pixels, and as the model counts it."""
        width, height = self._shown().pair
        side = width if across else height
        return side, self.space.full if isinstance(self.space, Relative) else side

    def _shown(self) -> Size:
        if self.size is None:
            raise BadCall("No picture of the screen was shown, so there are no places on it.")
        return self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function that a model is offered; ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


def functions(places: str, *, zoom: bool, desktop: bool = True) -> tuple[Function, ...]:
    """The functions beside the vendor's tool. ``places`` says how it counts, ``zoom`` whether it cannot zoom itself.

    The same arguments give the same functions: they are part of the cached prefix of every request.
    """
    others = tuple(Function(**tool["function"]) for tool in TOOLS[1:])
    return (_desktop(places, zoom=zoom), *others) if desktop else others


def vendor_rules(system: str, computer: str, places: str) -> str:
    """The system prompt with what holds for a vendor's tool. ``computer`` is how the model calls it."""
    path = Path(__file__).parent.parent.parent / "prompts" / "vendor_tools.md"
    words = Template(path.read_text(encoding="utf-8").strip()).substitute(computer=computer, places=places)
    return f"{system}\n\n{words}"


def decision_beside(name: str, given: Mapping[str, object], screen: Screen, own: str) -> Action | Answer:
    """What a call of one of these functions asks for; ``own`` names the vendor's tools. Raises ``BadCall``."""
    if name in _CODE:
        return decision_of(name, given)
    if name != DESKTOP:
        raise BadCall(
            f'There is no tool "{name}"; there are: {own}, desktop, run_code, answer_prompt, browser, finish.'
        )
    if given.get("action") == "zoom":
        return _zoom(given, screen)
    named = {field: value for field, value in given.items() if field not in _PLACES or value not in _FILLED}
    try:
        decision = decision_of("computer", named)
    except BadCall as wrong:
        raise BadCall(str(wrong).replace('"computer"', '"desktop"')) from wrong
    if isinstance(decision, PlaceWindow):
        raise BadCall('The tool "desktop" has no "place_window": drag the window, or use arrange_window.')
    if not isinstance(decision, Answer) and any(map(_has_place, targets_of(decision))):
        raise BadCall(
            'The tool "desktop" takes no places: name what you mean with "target" or "label", '
            f"or use a place with {own}."
        )
    return decision


def call_beside(action: Action, screen: Screen, *, zoom: bool) -> tuple[str, dict[str, object]] | None:
    """The call of one of these functions that asks for the action; ``None`` where none can."""
    if isinstance(action, Zoom) and zoom and screen.size is not None:
        edges = zip(("x", "y", "to_x", "to_y"), screen.edges(action), strict=True)
        return DESKTOP, {"action": "zoom", **dict(edges)}
    name, fields = call_of(action)
    if name != "computer":
        return name, fields
    if isinstance(action, Look | Zoom) or _NOT_SAID & fields.keys():
        return None
    return DESKTOP, fields


def keys_of(action: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Keys that are pressed together, as canonical names. Raises ``BadCall``."""
    try:
        return parse_keys("+".join(texts))
    except ComputerError as unknown:
        raise BadCall(f'The action "{action}": {unknown}') from unknown


def _has_place(target: Target) -> bool:
    """Whether it is a place, or lies beside one."""
    if isinstance(target, Pixel):
        return True
    target = target.in_words if isinstance(target, AnchoredTarget) else target
    return any(not isinstance(one.target, Box) and _has_place(one.target) for one in target.where)


def _desktop(places: str, *, zoom: bool) -> Function:
    given = TOOLS[0]["function"]["parameters"]["properties"]
    verbs = [verb for verb in given["action"]["enum"] if verb not in _LEFT_OUT]
    properties: dict[str, Any] = {"action": given["action"] | {"enum": [*verbs, "zoom"] if zoom else verbs}}
    for name, schema in given.items():
        if name not in {"action", "unit", *_NOT_SAID}:
            properties[name] = schema | {"description": _without_places(schema["description"])}
    if zoom:
        for name, edge in zip(_PLACES, ("left", "top", "right", "bottom"), strict=False):
            properties[name] = {"type": "number", "description": f"zoom: the {edge} edge, {places}."}
    return Function(
        name=DESKTOP,
        description="Act on what is named by its text or label, on windows, programs and the clipboard, "
        "and check results. For places on the screen there is the computer tool.",
        parameters={"type": "object", "properties": properties, "required": ["action"]},
    )


def _without_places(description: str) -> str:
    for words in _ELSEWHERE:
        description = description.replace(words, "")
    description = description.removesuffix(" Wins over target, label and icon.")
    return description[:1].upper() + description[1:]


def _zoom(given: Mapping[str, object], screen: Screen) -> Zoom:
    arguments = Arguments("zoom", {name: value for name, value in given.items() if name != "action"})
    edges = [arguments.number(name) for name in ("x", "y", "to_x", "to_y")]
    arguments.nothing_left()
    return screen.zoom(*edges)
