"""The monitors, as RandR 1.5 describes them, and how large programs draw on them."""

from __future__ import annotations

import struct
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from Xlib import X, Xatom
from Xlib.ext import randr
from Xlib.protocol import request

from computer_platform.desktop import Area, Display

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.x11.connection import Connection

_HEADER = 8  # bytes of an answer that count the questions
_USUAL_DPI = 96.0
_PLAUSIBLE = (0.5, 8.0)  # scales beyond are somebody's mistake
_XSETTINGS_NUMBER, _XSETTINGS_TEXT, _XSETTINGS_COLOUR = 0, 1, 2


class Layout(NamedTuple):
    """``root`` is all that can be captured; the monitors lie within it, the primary one first."""

    root: Area
    monitors: tuple[Display, ...]

    @property
    def areas(self) -> tuple[Area, ...]:
        """The monitors' areas."""
        return tuple(monitor.area for monitor in self.monitors)

    @property
    def whole(self) -> Area:
        """The smallest area that holds all monitors."""
        left = min(monitor.area.left for monitor in self.monitors)
        top = min(monitor.area.top for monitor in self.monitors)
        right = max(monitor.area.right for monitor in self.monitors)
        bottom = max(monitor.area.bottom for monitor in self.monitors)
        return Area(left, top, right - left, bottom - top)


class _Unparsed:
    """A request whose answer is kept as it came: parsing it takes python-xlib longer than asking takes the server."""

    came: bytes = b""
    _data: dict[str, object] | None
    _display: object

    def _parse_response(self, data: bytes) -> None:
        self.came, self._asked = bytes(data), self._display
        self._data = {"sequence_number": int.from_bytes(self.came[2:4], sys.byteorder)}

    def parse(self) -> None:
        """Now the answer is needed."""
        self._display = self._asked
        super()._parse_response(self.came)  # type: ignore[misc]  # of python-xlib's ReplyRequest


class _GetGeometry(_Unparsed, request.GetGeometry):  # type: ignore[misc]  # python-xlib is not typed
    pass


class _GetMonitors(_Unparsed, randr.GetMonitors):  # type: ignore[misc]  # python-xlib is not typed
    pass


class Screens:
    """Asks the server anew each time: a monitor comes and goes without our being told."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._names: dict[int, str] = {}
        self._last: tuple[tuple[bytes, bytes], Layout] | None = None  # as it came, and what that means
        self._tells_monitors = _tells_monitors(connection)

    def layout(self) -> Layout:
        """The monitors as they are now, without their scale."""
        return self.ask()()

    def ask(self) -> Callable[[], Layout]:
        """Ask for the layout without waiting: the function gives the answer, which came with the next one of others."""
        server, root = self._connection.server.display, self._connection.root
        geometry = _GetGeometry(display=server, drawable=root, defer=1)
        if not self._tells_monitors:
            return lambda: self._answered(geometry, None)
        opcode = server.get_extension_major(randr.extname)
        monitors = _GetMonitors(display=server, opcode=opcode, window=root, is_active=True, defer=1)
        return lambda: self._answered(geometry, monitors)

    def _answered(self, geometry: _GetGeometry, asked: _GetMonitors | None) -> Layout:
        geometry.reply()
        if asked is not None:
            asked.reply()
        came = geometry.came[_HEADER:], b"" if asked is None else asked.came[_HEADER:]
        if self._last is None or self._last[0] != came:
            self._last = came, self._parsed(geometry, asked)
        return self._last[1]

    def _parsed(self, geometry: _GetGeometry, asked: _GetMonitors | None) -> Layout:
        geometry.parse()
        if asked is not None:
            asked.parse()
        whole = Area(0, 0, int(geometry.width), int(geometry.height))
        found = [
            Display(
                name=self._name(monitor.name),
                # a monitor that somebody defined stays where it was when the screen shrinks
                area=clipped(
                    Area(int(monitor.x), int(monitor.y), monitor.width_in_pixels, monitor.height_in_pixels),
                    whole,
                ),
                primary=bool(monitor.primary),
            )
            for monitor in (asked.monitors if asked is not None else ())
        ]
        return Layout(root=whole, monitors=_primary_first(found) or (_only(whole),))

    def displays(self) -> tuple[Display, ...]:
        """The monitors as they are now, primary first; the whole root window where RandR tells of none."""
        scale = self._scale()
        return tuple(replace(monitor, scale=scale) for monitor in self.layout().monitors)

    def _name(self, atom: int) -> str:
        if atom not in self._names:
            self._names[atom] = str(self._connection.server.get_atom_name(atom))
        return self._names[atom]

    def _scale(self) -> float:
        """What programs are told to scale by: the resource ``Xft.dpi``, else the settings daemon's, else 1."""
        resources = self._connection.root.get_full_property(Xatom.RESOURCE_MANAGER, X.AnyPropertyType)
        scale = 0.0 if resources is None else scale_in_resources(bytes(resources.value))
        return scale or self._scale_in_settings() or 1.0

    def _scale_in_settings(self) -> float:
        owner = self._connection.server.get_selection_owner(self._connection.atom("_XSETTINGS_S0"))
        if owner == X.NONE:
            return 0.0
        settings = self._connection.atom("_XSETTINGS_SETTINGS")
        found = owner.get_full_property(settings, X.AnyPropertyType)
        return 0.0 if found is None else scale_in_settings(bytes(found.value))


def scale_in_resources(resources: bytes) -> float:
    """The scale that X resources ask for (``Xft.dpi: 192`` is 2.0), 0 when they ask for none."""
    for line in resources.decode("latin-1").splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip() == "Xft.dpi":
            return _plausible(_number(value) / _USUAL_DPI)
    return 0.0


def scale_in_settings(settings: bytes) -> float:
    """The scale that a settings daemon asks for (XSETTINGS), 0 when it asks for none or cannot be understood."""
    try:
        numbers = _numbers_in(settings)
    except (struct.error, IndexError):
        return 0.0
    factor = float(numbers.get("Gdk/WindowScalingFactor", 0))
    return _plausible(factor if factor > 1 else numbers.get("Xft/DPI", 0) / 1024 / _USUAL_DPI)


def clipped(area: Area, to: Area) -> Area:
    """The part of the area inside the other; its width or height is 0 when there is none."""
    left, top = max(area.left, to.left), max(area.top, to.top)
    width = max(0, min(area.right, to.right) - left)
    height = max(0, min(area.bottom, to.bottom) - top)
    return Area(left, top, width, height)


def _tells_monitors(connection: Connection) -> bool:
    if not connection.server.has_extension("RANDR"):
        return False
    version = connection.server.xrandr_query_version()
    return (version.major_version, version.minor_version) >= (1, 5)


def _primary_first(monitors: list[Display]) -> tuple[Display, ...]:
    """Those with anything to see; exactly one is primary."""
    seen = [monitor for monitor in monitors if monitor.area.width and monitor.area.height]
    first = next((monitor for monitor in seen if monitor.primary), seen[0] if seen else None)
    return tuple(
        replace(monitor, primary=monitor is first)
        for monitor in sorted(seen, key=lambda monitor: monitor is not first)
    )


def _only(whole: Area) -> Display:
    return Display(name="screen", area=whole, primary=True)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _plausible(scale: float) -> float:
    least, most = _PLAUSIBLE
    return scale if least <= scale <= most else 0.0


def _numbers_in(settings: bytes) -> dict[str, int]:
    """The numbers among XSETTINGS: a byte order, a serial, a count, and then each by kind, name and serial."""
    order = ">" if settings[0] == 1 else "<"
    (count,) = struct.unpack_from(f"{order}I", settings, 8)
    at, numbers = 12, {}
    for _ in range(count):
        kind, length = struct.unpack_from(f"{order}BxH", settings, at)
        name = settings[at + 4 : at + 4 + length].decode("latin-1")
        at += 4 + _padded(length) + 4
        if kind == _XSETTINGS_NUMBER:
            (numbers[name],) = struct.unpack_from(f"{order}i", settings, at)
            at += 4
        elif kind == _XSETTINGS_TEXT:
            (length,) = struct.unpack_from(f"{order}I", settings, at)
            at += 4 + _padded(length)
        elif kind == _XSETTINGS_COLOUR:
            at += 8
        else:
            break
    return numbers


def _padded(length: int) -> int:
    return -(-length // 4) * 4
