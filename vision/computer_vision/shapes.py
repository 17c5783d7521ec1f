# ruff: noqa: E501 - an outline is one line, whatever its length
"""A small vocabulary of icon shapes, drawn for this project: outlined and filled, a few styles of each.

A drawing is an SVG document of 24 by 24 units, black on nothing.
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin
from typing import Final

_WIDTHS: Final = (1.6, 2.6)  # strokes of thin and of bold icon sets, in units


def names() -> tuple[str, ...]:
    """Every shape that is drawn."""
    return tuple(_drawings())


def drawings(name: str) -> tuple[str, ...]:
    """All drawings of a shape. Raises ``KeyError`` for a shape that is not drawn."""
    return tuple(document for drawing in _drawings()[name] for document in _documents(drawing))


def _documents(drawing: tuple[str, str]) -> list[str]:
    """The outlined parts in each width of stroke, with the filled parts."""
    lines, solids = drawing
    filled = f'<path d="{solids}" fill="#000" fill-rule="evenodd"/>' if solids else ""
    stroke = 'fill="none" stroke="#000" stroke-linecap="round" stroke-linejoin="round"'
    widths = _WIDTHS if lines else (0.0,)
    outlined = [f'<path d="{lines}" {stroke} stroke-width="{width}"/>' if lines else "" for width in widths]
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">'
    return [f"{head}{outline}{filled}</svg>" for outline in outlined]


def _ring(x: float, y: float, radius: float) -> str:
    """A circle."""
    return (
        f"M{x - radius} {y}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0z"
    )


def _bar(x: float, y: float, width: float, height: float) -> str:
    """A rectangle."""
    return f"M{x} {y}h{width}v{height}h{-width}z"


def _polygon(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points) + "z"


def _polar(radius: float, turn: float) -> tuple[float, float]:
    """A place around the middle; ``turn`` is a part of a full turn, from the top."""
    return 12 + radius * sin(2 * pi * turn), 12 - radius * cos(2 * pi * turn)


def _star(points: int, outer: float, inner: float) -> str:
    corners = [_polar(inner if at % 2 else outer, at / (2 * points)) for at in range(2 * points)]
    return _polygon(corners)


def _gear(teeth: int, outer: float, inner: float, wide: float = 0.22) -> str:
    """A toothed wheel: each tooth narrows outwards."""
    corners = []
    for tooth in range(teeth):
        middle = tooth / teeth
        for radius, off in ((inner, -wide * 1.35), (outer, -wide), (outer, wide), (inner, wide * 1.35)):
            corners.append(_polar(radius, middle + off / teeth))
    return _polygon(corners)


def _turned(path: list[tuple[float, float]], quarter: int, *, closed: bool = False) -> str:
    """A line of points, turned clockwise by quarters around the middle."""
    points = path
    for _ in range(quarter):
        points = [(24 - y, x) for x, y in points]
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points) + ("z" if closed else "")


_HEAD: Final = [(5.0, 11.0), (12.0, 4.0), (19.0, 11.0)]
_SHAFT: Final = [(12.0, 4.0), (12.0, 20.0)]
_BLOCK_ARROW: Final = [
    (12.0, 3.0),
    (20.0, 12.0),
    (15.0, 12.0),
    (15.0, 21.0),
    (9.0, 21.0),
    (9.0, 12.0),
    (4.0, 12.0),
]
_CHEVRON: Final = [(5.0, 15.5), (12.0, 8.5), (19.0, 15.5)]
_TRIANGLE: Final = [(12.0, 6.0), (21.0, 18.0), (3.0, 18.0)]


def _arrow(quarter: int) -> list[tuple[str, str]]:
    return [
        (_turned(_HEAD, quarter) + _turned(_SHAFT, quarter), ""),
        (_turned([(8.0, 9.0), (12.0, 4.0), (16.0, 9.0)], quarter) + _turned(_SHAFT, quarter), ""),
        ("", _turned(_BLOCK_ARROW, quarter, closed=True)),
        (
            _turned(_SHAFT, quarter),
            _turned([(12.0, 2.0), (18.0, 10.0), (6.0, 10.0)], quarter, closed=True),
        ),
    ]


def _chevron(quarter: int) -> list[tuple[str, str]]:
    narrow = [(3.0, 16.5), (12.0, 7.5), (21.0, 16.5)]
    return [(_turned(_CHEVRON, quarter), ""), (_turned(narrow, quarter), "")]


def _triangle(quarter: int) -> list[tuple[str, str]]:
    return [("", _turned(_TRIANGLE, quarter, closed=True))]


_LENS: Final = _ring(10, 10, 6.5) + "M15 15L21 21"
_LENS_BOLD: Final = _ring(9.5, 9.5, 6) + "M14 14L21 21"
_PAGE: Final = "M6 2.5h8l5 5v14h-13z"
_HEART: Final = "M12 20.5C5 15 2.5 12 2.5 8.3C2.5 5.3 4.8 3.5 7.2 3.5C9.3 3.5 11 4.6 12 6.5C13 4.6 14.7 3.5 16.8 3.5C19.2 3.5 21.5 5.3 21.5 8.3C21.5 12 19 15 12 20.5z"
_BELL: Final = "M5 17.5C6.6 16 6.5 13.5 6.5 10.5C6.5 7 8.8 4.5 12 4.5C15.2 4.5 17.5 7 17.5 10.5C17.5 13.5 17.4 16 19 17.5z"
_CLOUD_ARROW_DOWN: Final = "M12 3v12M7 10.5l5 5l5 -5"
_CLOUD_ARROW_UP: Final = "M12 15.5v-12M7 8l5 -5l5 5"
_TRAY: Final = "M3.5 15.5v5h17v-5"
_LOCK_BODY: Final = _bar(5, 10.5, 14, 10.5)
_LOCK_BOW: Final = "M8 10.5v-3.5a4 4 0 0 1 8 0v3.5"
_CIRCLE: Final = _ring(12, 12, 9.5)
_SIGN: Final = "M12 3L22 20.5H2z"
_CAMERA: Final = "M2.5 7h4.5l2 -3h6l2 3h4.5v13h-19z"
_SPEAKER: Final = "M3 9h4l5.5 -4.5v15l-5.5 -4.5h-4z"
_PIN: Final = "M12 22C7.5 16.5 5 13 5 9.5C5 5.6 8.1 2.5 12 2.5C15.9 2.5 19 5.6 19 9.5C19 13 16.5 16.5 12 22z"
_BUBBLE: Final = "M3 3.5h18v13.5h-11l-5 4.5v-4.5h-2z"
_HANDSET: Final = "M6.5 3L10 8L8 10.5C9 12.8 11.2 15 13.5 16L16 14L21 17.5C20.5 20 19 21 17 21C10 20.5 3.5 14 3 7C3 5 4 3.5 6.5 3z"
_HOUSE: Final = "M4 10.5L12 3.5L20 10.5V20.5H4z"
_PLANE: Final = "M2 12L22 3L14.5 21.5L11 13z"


@cache
def _drawings() -> dict[str, list[tuple[str, str]]]:
    """Each shape's drawings: what is outlined, and what is filled."""
    return {**_controls(), **_arrows(), **_things(), **_signs(), **_documents_and_devices()}


def _controls() -> dict[str, list[tuple[str, str]]]:
    return {
        "gear": [
            (_gear(8, 10.5, 7.8) + _ring(12, 12, 3.2), ""),
            (_gear(6, 10.5, 7.5, 0.2) + _ring(12, 12, 3.2), ""),
            ("", _gear(8, 11, 8) + _ring(12, 12, 3.5)),
            ("", _gear(6, 11, 7.5) + _ring(12, 12, 4)),
            ("", _gear(8, 11, 7.2, 0.16) + _ring(12, 12, 5.2)),
            (_ring(12, 12, 7) + _ring(12, 12, 2.5) + "".join(
                "M{:.2f} {:.2f}L{:.2f} {:.2f}".format(*_polar(7, at / 8), *_polar(10.5, at / 8)) for at in range(8)
            ), ""),
        ],
        "sliders": [
            ("M3 6h11M18 6h3M3 12h3M10 12h11M3 18h9M16 18h5M14 3.5v5M10 9.5v5M16 15.5v5", ""),
            ("M3 7h18M3 17h18", _ring(8, 7, 3) + _ring(16, 17, 3)),
        ],
        "menu": [
            ("M3 6h18M3 12h18M3 18h18", ""),
            ("", _bar(2, 4, 20, 3.4) + _bar(2, 10.3, 20, 3.4) + _bar(2, 16.6, 20, 3.4)),
            ("M3 7.5h18M3 12h18M3 16.5h18", ""),
        ],
        "dots vertical": [
            ("", _ring(12, 4.5, 2) + _ring(12, 12, 2) + _ring(12, 19.5, 2)),
            ("", _ring(12, 5, 1.4) + _ring(12, 12, 1.4) + _ring(12, 19, 1.4)),
            ("", _ring(12, 4, 2.7) + _ring(12, 12, 2.7) + _ring(12, 20, 2.7)),
        ],
        "dots": [
            ("", _ring(4.5, 12, 2) + _ring(12, 12, 2) + _ring(19.5, 12, 2)),
            ("", _ring(5, 12, 1.4) + _ring(12, 12, 1.4) + _ring(19, 12, 1.4)),
            ("", _ring(4, 12, 2.7) + _ring(12, 12, 2.7) + _ring(20, 12, 2.7)),
        ],
        "cross": [
            ("M5 5L19 19M19 5L5 19", ""),
            ("", _polygon([(4, 7), (7, 4), (12, 9), (17, 4), (20, 7), (15, 12), (20, 17), (17, 20), (12, 15),
                           (7, 20), (4, 17), (9, 12)])),
        ],
        "cross in circle": [
            (_CIRCLE + "M8.5 8.5L15.5 15.5M15.5 8.5L8.5 15.5", ""),
            ("", _CIRCLE + _polygon([(7.5, 9), (9, 7.5), (12, 10.5), (15, 7.5), (16.5, 9), (13.5, 12), (16.5, 15),
                                     (15, 16.5), (12, 13.5), (9, 16.5), (7.5, 15), (10.5, 12)])),
        ],
        "plus": [
            ("M12 4V20M4 12H20", ""),
            ("", _bar(10, 3, 4, 18) + _bar(3, 10, 7, 4) + _bar(14, 10, 7, 4)),
        ],
        "plus framed": [
            (_CIRCLE + "M12 7.5v9M7.5 12h9", ""),
            (_bar(3, 3, 18, 18) + "M12 7.5v9M7.5 12h9", ""),
            ("", _CIRCLE + _polygon([(11, 7), (13, 7), (13, 11), (17, 11), (17, 13), (13, 13), (13, 17), (11, 17),
                                     (11, 13), (7, 13), (7, 11), (11, 11)])),
        ],
        "minus": [("M4 12H20", "")],
        "check": [
            ("M4 12.5L9.5 18L20 6.5", ""),
            ("M3 13L8.5 18.5L21.5 5.5", ""),
            ("", _polygon([(2.5, 12.5), (5.5, 9.5), (9, 13), (18.5, 4), (21.5, 7), (9, 19)])),
        ],
        "check in circle": [(_CIRCLE + "M8 12.5L11 15.5L16.5 9", "")],
        "play": [
            ("M6 3.5L20 12L6 20.5z", ""),
            ("", "M6 3L21 12L6 21z"),
            ("", "M8 5L19 12L8 19z"),
        ],
        "pause": [
            ("M8 4.5v15M16 4.5v15", ""),
            ("", _bar(5, 4, 5, 16) + _bar(14, 4, 5, 16)),
            (_bar(5.5, 4, 4, 16) + _bar(14.5, 4, 4, 16), ""),
        ],
        "square": [(_bar(4.5, 4.5, 15, 15), ""), ("", _bar(4, 4, 16, 16))],
        "full screen": [
            ("M4 9V4H9M15 4H20V9M20 15V20H15M9 20H4V15", ""),
            ("M14 4h6v6M20 4L13.5 10.5M10 20H4V14M4 20L10.5 13.5", ""),
        ],
        "list": [
            ("M9 5.5h12M9 12h12M9 18.5h12", _ring(4, 5.5, 1.4) + _ring(4, 12, 1.4) + _ring(4, 18.5, 1.4)),
            ("", _bar(8, 4, 14, 3) + _bar(8, 10.5, 14, 3) + _bar(8, 17, 14, 3) + _bar(2, 4, 3.5, 3)
             + _bar(2, 10.5, 3.5, 3) + _bar(2, 17, 3.5, 3)),
        ],
        "grid": [
            (_bar(3.5, 3.5, 6.5, 6.5) + _bar(14, 3.5, 6.5, 6.5) + _bar(3.5, 14, 6.5, 6.5) + _bar(14, 14, 6.5, 6.5), ""),
            ("", _bar(3, 3, 8, 8) + _bar(13, 3, 8, 8) + _bar(3, 13, 8, 8) + _bar(13, 13, 8, 8)),
            ("", "".join(_bar(x, y, 4.4, 4.4) for x in (3, 9.8, 16.6) for y in (3, 9.8, 16.6))),
            (_bar(3, 3, 18, 18) + "M3 9h18M3 15h18M9 3v18M15 3v18", ""),
        ],
        "filter": [
            ("M3 4H21L14.2 12.5V20L9.8 17.5V12.5z", ""),
            ("", "M2.5 3.5H21.5L14.5 12.5V21L9.5 18V12.5z"),
            ("M4 6.5h16M7.5 12h9M10.5 17.5h3", ""),
        ],
    }  # fmt: skip


def _arrows() -> dict[str, list[tuple[str, str]]]:
    round_left = "M6.5 8.5A7.8 7.8 0 1 1 4.5 14"
    return {
        "arrow up": _arrow(0),
        "arrow right": _arrow(1),
        "arrow down": _arrow(2),
        "arrow left": _arrow(3),
        "chevron up": _chevron(0),
        "chevron right": _chevron(1),
        "chevron down": _chevron(2),
        "chevron left": _chevron(3),
        "triangle up": _triangle(0),
        "triangle right": _triangle(1),
        "triangle down": _triangle(2),
        "triangle left": _triangle(3),
        "turn clockwise": [
            ("M17.5 8.5A7.8 7.8 0 1 0 19.5 14M20 3.5V9H14.5", ""),
            ("M18.5 12a6.5 6.5 0 1 1 -2.2 -4.9", "M12.5 10.5h8v-8z"),
            ("M19.5 12a7.5 7.5 0 1 1 -7.5 -7.5", "M12 0.5v8l5 -4z"),
        ],
        "turn both": [
            ("M20 11A8 8 0 0 0 5.5 7.5L3 10M3 4V10H9M4 13A8 8 0 0 0 18.5 16.5L21 14M21 20V14H15", ""),
            ("M5 11A7.2 7.2 0 0 1 18.5 8.5M19 13A7.2 7.2 0 0 1 5.5 15.5M19 3.5V9H13.5M5 20.5V15H10.5", ""),
        ],
        "turn back": [
            (round_left + "M4 3.5V9H9.5", ""),
            ("M5.5 12a6.5 6.5 0 1 0 2.2 -4.9", "M11.5 10.5h-8v-8z"),
            ("M4.5 12a7.5 7.5 0 1 0 7.5 -7.5", "M12 0.5v8l-5 -4z"),
        ],
        "undo": [
            ("M9 4L4 9L9 14M4 9H14A5.5 5.5 0 0 1 14 20H8", ""),
            ("M8.5 5L3.5 10L8.5 15M3.5 10H13.5C17.5 10 20.5 13 20.5 19", ""),
            ("M9 14L4 9L9 4M20 20V13A4 4 0 0 0 16 9H4", ""),
            ("M6 10.5C10 6.5 17.5 7.5 20.5 16", "M2.5 6v9.5h9.5z"),
        ],
        "redo": [
            ("M15 4L20 9L15 14M20 9H10A5.5 5.5 0 0 0 10 20H16", ""),
            ("M15.5 5L20.5 10L15.5 15M20.5 10H10.5C6.5 10 3.5 13 3.5 19", ""),
            ("M15 14L20 9L15 4M4 20V13A4 4 0 0 1 8 9H20", ""),
            ("M18 10.5C14 6.5 6.5 7.5 3.5 16", "M21.5 6v9.5h-9.5z"),
        ],
        "download": [
            (_CLOUD_ARROW_DOWN + _TRAY, ""),
            ("M4 20.5h16", "M9 3h6v7h4.5l-7.5 7.5l-7.5 -7.5h4.5z"),
            ("M12 3v12M7 10.5l5 5l5 -5M4 20.5h16", ""),
        ],
        "upload": [
            (_CLOUD_ARROW_UP + _TRAY, ""),
            ("M4 20.5h16", "M9 17.5h6v-7h4.5l-7.5 -7.5l-7.5 7.5h4.5z"),
            ("M12 16v-12.5M7 8l5 -5l5 5M4 20.5h16", ""),
        ],
        "leave": [
            ("M10 3.5H4V20.5H10M9.5 12H21M16.5 7.5L21 12L16.5 16.5", ""),
            ("", "M3 3h9v3h-6v12h6v3h-9zM9 10h6v-4l7 6l-7 6v-4h-6z"),
        ],
        "new window": [("M11 4H4V20H20V13M14 4H20V10M20 4L11 13", "")],
    }


def _things() -> dict[str, list[tuple[str, str]]]:
    return {
        "search": [
            (_LENS, ""),
            (_LENS_BOLD, ""),
            (_ring(14, 9.5, 6) + "M9.5 14L3.5 20.5", ""),
        ],
        "zoom in": [(_LENS + "M10 7v6M7 10h6", ""), (_LENS_BOLD + "M9.5 6.5v6M6.5 9.5h6", "")],
        "zoom out": [(_LENS + "M7 10h6", ""), (_LENS_BOLD + "M6.5 9.5h6", "")],
        "home": [
            (_HOUSE + "M9.5 20.5v-6.5h5v6.5", ""),
            ("M2.5 12L12 3.5L21.5 12M5 10.5V20.5H19V10.5", ""),
            (_HOUSE, ""),
            ("", "M1.5 12.5L12 3L22.5 12.5H19.5V21H14.5V14.5H9.5V21H4.5V12.5z"),
        ],
        "star": [(_star(5, 10.2, 4.3), ""), ("", _star(5, 11, 4.6))],
        "heart": [(_HEART, ""), ("", _HEART)],
        "trash": [
            ("M3.5 6.5H20.5M9 6.5V3.5H15V6.5M5.5 6.5L6.5 21H17.5L18.5 6.5M10 10.5V17M14 10.5V17", ""),
            ("M4 6H20M9 5.5V3.5H15V5.5M6 6V21H18V6", ""),
            ("", "M9 2.5H15L16 4H20V6.5H4V4H8zM5.5 8H18.5V21.5H5.5z"),
            ("", "M9 2H15L16 3.5H20.5V6H3.5V3.5H8zM5 7.5H19L18 22H6zM8.5 10V19H9.8V10zM11.3 10V19H12.7V10zM14.2 10V19H15.5V10z"),
        ],
        "pencil": [
            ("M4 20L5 15.5L16.5 4L20 7.5L8.5 19z", ""),
            ("M4 20L5 15.5L16.5 4L20 7.5L8.5 19zM14 6.5L17.5 10", ""),
            ("", "M3 21V17L14 6L18 10L7 21zM15.2 4.8L17.5 2.5L21.5 6.5L19.2 8.8z"),
            ("M12 4H4V20H20V12M9 15L10 11.5L18.5 3L21 5.5L12.5 14z", ""),
        ],
        "floppy": [
            ("M4 4H16.5L20 7.5V20H4zM8 4V9H15V4M7.5 20V13.5H16.5V20", ""),
            ("M4 4H16.5L20 7.5V20H4zM7 7.5H14.5" + _ring(12, 14.5, 2.5), ""),
            ("", "M3 3H17L21 7V21H3zM6 5V10H15.5V5z" + _ring(12, 15.5, 3.2)),
            ("", "M3 3H17L21 7V21H3zM7 4.5V9.5H15.5V4.5zM6.5 13V20H17.5V13z"),
        ],
        "folder": [
            ("M3 5H9.5L12 8H21V19.5H3z", ""),
            ("", "M2.5 4.5H10L12.5 7H21.5V20H2.5z"),
            ("M3 5H9.5L12 8H21V19.5H3zM3 8H12", ""),
            ("M3 19.5V5H9L11.5 7.5H19V10.5M3 19.5L6.5 10.5H22.5L19 19.5z", ""),
            ("", "M2 19V4.5H9.5L11.5 6.5H19V9.5H6L2.5 18zM7 11H23L19.5 20H3.5z"),
        ],
        "share": [
            ("M8.5 10.5L15.5 6.5M8.5 13.5L15.5 17.5" + _ring(6, 12, 2.9) + _ring(18, 5.2, 2.9) + _ring(18, 18.8, 2.9), ""),
            ("M6 12L18 5.2M6 12L18 18.8", _ring(6, 12, 3.6) + _ring(18, 5.2, 3.6) + _ring(18, 18.8, 3.6)),
        ],
        "lock": [
            (_LOCK_BODY + _LOCK_BOW, ""),
            (_LOCK_BOW, _LOCK_BODY),
            (_LOCK_BOW, _LOCK_BODY + _ring(12, 15.7, 2.1)),
        ],
        "person": [
            (_ring(12, 7.5, 4) + "M4 20.5C4 16.5 7.5 14.5 12 14.5C16.5 14.5 20 16.5 20 20.5", ""),
            (_ring(12, 7.5, 4) + "M4 20.5C4 16.5 7.5 14.5 12 14.5C16.5 14.5 20 16.5 20 20.5z", ""),
            ("", _ring(12, 7.5, 4.6) + "M3.5 21C3.5 16.5 7.5 14 12 14C16.5 14 20.5 16.5 20.5 21z"),
            (_CIRCLE + _ring(12, 9.5, 3.2) + "M5.8 18.8C7.5 14.5 16.5 14.5 18.2 18.8", ""),
        ],
        "bell": [
            (_BELL + "M10 20.5C11 21.8 13 21.8 14 20.5", ""),
            ("M12 2.5v2", _BELL + "M9.5 19H14.5C14.5 23 9.5 23 9.5 19z"),
        ],
        "mail": [
            (_bar(2.5, 5, 19, 14.5) + "M3 6L12 13L21 6", ""),
            ("", "M2 4.5H22V7L12 13.5L2 7zM2 9.2L12 15.7L22 9.2V19.5H2z"),
            ("", _bar(2, 4.5, 20, 15) + "M4 6.5V8.2L12 13.3L20 8.2V6.5L12 11.5z"),
        ],
        "camera": [
            (_CAMERA + _ring(12, 13, 4), ""),
            ("", _CAMERA + _ring(12, 13.2, 4.6)),
            ("", _CAMERA + _ring(12, 13.2, 5) + _ring(12, 13.2, 3)),
        ],
        "video": [(_bar(2.5, 6, 12.5, 12) + "M15 11L21.5 7V17L15 13", ""), ("", _bar(2, 5.5, 14, 13) + "M16.5 11L22 7V17L16.5 13z")],
        "microphone": [
            ("M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1 -6 0v-6a3 3 0 0 1 3 -3zM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21.5M8.5 21.5H15.5", ""),
            ("M5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21.5", "M12 2a3.4 3.4 0 0 1 3.4 3.4v6a3.4 3.4 0 0 1 -6.8 0v-6a3.4 3.4 0 0 1 3.4 -3.4z"),
        ],
        "eye": [
            ("M1.5 12C4.5 7 8 5 12 5C16 5 19.5 7 22.5 12C19.5 17 16 19 12 19C8 19 4.5 17 1.5 12z" + _ring(12, 12, 3.2), ""),
            ("", "M1 12C4 7 8 4.5 12 4.5C16 4.5 20 7 23 12C20 17 16 19.5 12 19.5C8 19.5 4 17 1 12z" + _ring(12, 12, 5) + _ring(12, 12, 3)),
        ],
        "scissors": [
            (_ring(6, 6, 3) + _ring(6, 18, 3) + "M8.5 8L20.5 19.5M8.5 16L20.5 4.5", ""),
            (_ring(6, 18.5, 3) + _ring(18, 18.5, 3) + "M8 16L17 3M16 16L7 3", ""),
            ("M7 7.5L21 20.5M7 16.5L21 3.5", _ring(5.5, 6, 3.8) + _ring(5.5, 6, 1.5) + _ring(5.5, 18, 3.8) + _ring(5.5, 18, 1.5)),
        ],
        "link": [
            ("M10 14L14 10M9 10L5 14A3.8 3.8 0 0 0 10.3 19.3L13 16.5M15 14L19 10A3.8 3.8 0 0 0 13.7 4.7L11 7.5", ""),
            ("M10 7.5H7A4.5 4.5 0 0 0 7 16.5H10M14 7.5H17A4.5 4.5 0 0 1 17 16.5H14M8 12H16", ""),
        ],
        "paperclip": [
            ("M20.5 11L12 19.5A5 5 0 0 1 4.8 12.4L13.5 3.8A3.4 3.4 0 0 1 18.3 8.6L9.8 17A1.7 1.7 0 0 1 7.4 14.6L15 7", ""),
            ("M17 6V16.5A5 5 0 0 1 7 16.5V6A3.5 3.5 0 0 1 14 6V16A1.7 1.7 0 0 1 10.6 16V7", ""),
        ],
        "cart": [
            ("M1.5 3H5L7.5 15H18.5L21 7H6" + _ring(8.5, 19.5, 1.3) + _ring(17.5, 19.5, 1.3), ""),
            ("M1.5 2.5H4.5", _ring(8, 20, 2.2) + _ring(18, 20, 2.2) + "M4 3.5H22L19.5 14.5H8.5V17H6.5L3.5 4z"),
        ],
        "bookmark": [("M6 3H18V21L12 16.5L6 21z", ""), ("", "M5.5 2.5H18.5V22L12 17L5.5 22z")],
        "send": [
            ("M21.5 2.5L10.5 13.5M21.5 2.5L14.5 21.5L10.5 13.5L2.5 9.5z", ""),
            ("", "M2 3L22.5 12L2 21V14L16 12L2 10z"),
            ("", "M22.5 1.5L17 22L11 16L19.5 5L7.5 13.5L1.5 11z"),
            ("", _PLANE),
        ],
        "tag": [("M3 3H12L21.5 12.5L12.5 21.5L3 12z" + _ring(7.5, 7.5, 1.2), "")],
        "flag": [("M5 21.5V3.5H19L16 8.5L19 13.5H5", "")],
        "key": [(_ring(7.5, 16, 4.5) + "M11 12.5L20.5 3M16.5 7L19.5 10", "")],
        "bulb": [(_ring(12, 9.5, 6.5) + "M9.5 16V20H14.5V16", "")],
    }  # fmt: skip


def _signs() -> dict[str, list[tuple[str, str]]]:
    question = "M9 9.2A3 3 0 1 1 13.2 12C12.3 12.5 12 13 12 14"
    letter = _bar(10.9, 10.5, 2.2, 6.5) + _ring(12, 7.6, 1.35)
    mark = _bar(10.9, 8.5, 2.2, 6) + _ring(12, 17.3, 1.35)
    return {
        "info": [(_CIRCLE + "M12 11.5V16.5", _ring(12, 7.8, 1.2)), ("", _CIRCLE + letter)],
        "help": [
            (_CIRCLE + question, _ring(12, 17, 1.2)),
            ("M8 8.2A4 4 0 1 1 14 11.5C12.5 12.4 12 13.2 12 15", _ring(12, 19.5, 1.5)),
        ],
        "warning": [
            (_SIGN + "M12 9.5V14", _ring(12, 17.2, 1.1)),
            ("", "M12 2L23 21.5H1z" + mark),
        ],
        "error": [(_CIRCLE + "M12 7V12.5", _ring(12, 16.2, 1.2))],
        "clock": [
            (_CIRCLE + "M12 6.5V12L15.5 14.5", ""),
            (_CIRCLE + "M12 6.5V12H16", ""),
            ("", _CIRCLE + "M11 6V13H16.5V11H13V6z"),
        ],
        "forbidden": [(_CIRCLE + "M5.5 5.5L18.5 18.5", "")],
        "globe": [(_CIRCLE + "M2.5 12H21.5M12 2.5C7 7.5 7 16.5 12 21.5C17 16.5 17 7.5 12 2.5", "")],
        "sun": [(_ring(12, 12, 4) + "".join(
            "M{:.2f} {:.2f}L{:.2f} {:.2f}".format(*_polar(7.5, at / 8), *_polar(10.5, at / 8)) for at in range(8)
        ), "")],
        "moon": [("M20.5 14A9 9 0 1 1 10 3.5A7 7 0 0 0 20.5 14z", "")],
        "power": [("M12 3V12M7 6.5A8 8 0 1 0 17 6.5", "")],
        "pin": [(_PIN + _ring(12, 9.5, 2.6), ""), ("", _PIN + _ring(12, 9.5, 2.6))],
    }  # fmt: skip


def _documents_and_devices() -> dict[str, list[tuple[str, str]]]:
    return {
        "printer": [
            ("M6.5 9V3H17.5V9M6.5 17.5H3V9H21V17.5H17.5" + _bar(6.5, 14, 11, 7), ""),
            ("", "M6.5 3H17.5V7H6.5zM3 8.5H21V17H18V13H6V17H3zM7.5 14.5H16.5V21H7.5z"),
            ("", "M6 2.5H18V7H6zM2 8H22V17H18V21.5H6V17H2zM8 14.5V19.5H16V14.5z"),
        ],
        "calendar": [
            (_bar(3.5, 5, 17, 16) + "M3.5 10H20.5M8 2.5V6.5M16 2.5V6.5", ""),
            ("M8 2V6M16 2V6", "M3 4.5H21V21.5H3zM5 10V19.5H19V10z"),
            ("M7.5 2V5M16.5 2V5", "M3 4H21V8H3zM3 9.5H21V21.5H3z"),
        ],
        "copy": [
            (_bar(8.5, 8.5, 12, 12.5) + "M15.5 8.5V3.5H3.5V16H8.5", ""),
            ("", "M4 1.5H16V3.8H5.5V17H3V1.5zM7.5 5.5H20.5V22.5H7.5zM9.8 7.8V20.2H18.2V7.8z"),
            (_bar(3.5, 8.5, 12, 12.5) + "M8.5 8.5V3.5H20.5V16H15.5", ""),
            ("", "M8 2H21V16H8zM3 7H6.5V17.5H16V22H3z"),
        ],
        "clipboard": [
            ("M8.5 4.5H5V21.5H19V4.5H15.5" + _bar(8.5, 2.5, 7, 4), ""),
            ("", "M9 2H15L15.5 3.5H20V22H4V3.5H8.5zM6.5 6V19.5H17.5V6H16V8H8V6z"),
            ("", "M8 3H4V20H9V9H16V3H12zM11 11H21V22H11z"),
        ],
        "image": [
            (_bar(3, 4, 18, 16) + _ring(8.5, 9, 1.7) + "M4 19L15.5 10L21 15", ""),
            ("", _bar(2.5, 3.5, 19, 17) + "M5 17.5L9 12.5L12 15.5L15.5 11L19.5 17.5z"),
        ],
        "page": [(_PAGE + "M14 2.5V8H19", ""), (_PAGE, "")],
        "new page": [(_PAGE + "M14 2.5V8H19M12 11.5V18.5M8.5 15H15.5", "")],
        "speaker": [
            (_SPEAKER + "M16 9A4.5 4.5 0 0 1 16 15M18.5 6A8.5 8.5 0 0 1 18.5 18", ""),
            ("M16.5 8.5A4.5 4.5 0 0 1 16.5 15.5M19 5A9 9 0 0 1 19 19", _SPEAKER),
        ],
        "mute": [(_SPEAKER + "M16 9L22 15M22 9L16 15", "")],
        "phone": [(_HANDSET, ""), ("", _HANDSET)],
        "bubble": [
            (_BUBBLE, ""),
            ("", _BUBBLE),
            ("M12 3.5C17.5 3.5 21 7 21 11C21 15 17.5 18.5 12 18.5C10.5 18.5 9.3 18.3 8.2 17.8L3.5 20L4.7 15.5C3.5 14 3 12.5 3 11C3 7 6.5 3.5 12 3.5z", ""),
        ],
        "code": [("M8 6L2.5 12L8 18M16 6L21.5 12L16 18", "")],
        "split view": [(_bar(3, 4, 18, 16) + "M9.5 4V20", "")],
        "puzzle": [("M9 5A2.3 2.3 0 0 1 13.5 5V6.5H18.5V11.5H20A2.3 2.3 0 0 1 20 16H18.5V21H4V6.5H9z", "")],
    }  # fmt: skip
