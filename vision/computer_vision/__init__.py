"""Pixels in, matches out: reading text, finding it, the fields beside it, and what changed.

Names are loaded when they are first used, so importing the package does not load OpenCV.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from computer_vision.change import changes, share
    from computer_vision.fields import field_beside, tick_beside
    from computer_vision.lines import Found, closest, find
    from computer_vision.marks import crop_with_target, numbered
    from computer_vision.picture import from_image, jpeg, png, resized, to_image
    from computer_vision.polyglot import PolyglotRecogniser
    from computer_vision.ppocr import PpocrRecogniser
    from computer_vision.reader import Line, Reader, ReaderUnavailable, Region, Word, open_reader
    from computer_vision.recogniser import Recogniser, Span
    from computer_vision.screen import ScreenReader
    from computer_vision.tesseract import ReadFailed, TesseractReader, TesseractRecogniser

__all__ = [
    "Found",
    "Line",
    "PolyglotRecogniser",
    "PpocrRecogniser",
    "ReadFailed",
    "Reader",
    "ReaderUnavailable",
    "Recogniser",
    "Region",
    "ScreenReader",
    "Span",
    "TesseractReader",
    "TesseractRecogniser",
    "Word",
    "changes",
    "closest",
    "crop_with_target",
    "field_beside",
    "find",
    "from_image",
    "jpeg",
    "numbered",
    "open_reader",
    "png",
    "resized",
    "share",
    "tick_beside",
    "to_image",
]

_HOMES = {
    "change": ("changes", "share"),
    "fields": ("field_beside", "tick_beside"),
    "lines": ("Found", "closest", "find"),
    "marks": ("crop_with_target", "numbered"),
    "picture": ("from_image", "jpeg", "png", "resized", "to_image"),
    "polyglot": ("PolyglotRecogniser",),
    "ppocr": ("PpocrRecogniser",),
    "reader": ("Line", "Reader", "ReaderUnavailable", "Region", "Word", "open_reader"),
    "recogniser": ("Recogniser", "Span"),
    "screen": ("ScreenReader",),
    "tesseract": ("ReadFailed", "TesseractReader", "TesseractRecogniser"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f'module "{__name__}" has no attribute "{name}"')
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return __all__
