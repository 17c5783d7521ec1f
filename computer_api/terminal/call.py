"""What code in a worker asks of the terminal's process, and what it gets back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """``computer.mouse.click("Save")`` has the path ("mouse", "click") and the args ("Save",).

    Arguments are JSON values. A program that waits for a line of input has the path ("input",)
    and the last line it printed as its one argument.
    """

    path: tuple[str, ...]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A JSON value, or a picture as PNG, or an error as its class name and message."""

    value: Any = None
    png: bytes | None = None
    error: tuple[str, str] | None = None


Answer = Callable[[Call], Reply]
