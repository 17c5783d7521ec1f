"""The Browser seam: one tab at a time is looked at and acted in, whoever draws it.

Two implementations: ``own.OwnBrowser`` starts one that belongs to the agent and speaks its protocol;
``screen.ScreenBrowser`` uses the person's through the screen, with keys and the clipboard.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from computer_api.browser.page import Tab
    from computer_api.browser.reading import Control


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The tab's document as it is shown now, as HTML; an element may say its own number as ``data-oi``.

    ``held`` is what fields hold, by their labels, where the document does not say it. ``notes`` say what is missing or
    happened meanwhile.
    """

    html: str
    url: str
    title: str
    tab: int = 1
    held: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a page may take, in seconds.

    ``answer``: until its server answers. ``parsed``: until its document is there; then it is stopped, and what there
    is is read. ``loaded``: until its pictures and scripts are there, which is only waited for. ``act``: a click.
    ``read``: until it tells what it shows; then its tab is closed.
    """

    answer: float = 20.0
    parsed: float = 10.0
    loaded: float = 4.0
    act: float = 5.0
    read: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A file that has come down completely, and the address that it came from in the end."""

    path: Path
    url: str


class Browser(Protocol):
    """What a browser can be asked. Each call ends in bounded time, and raises ``ComputerError`` in one sentence."""

    name: str

    def go(self, url: str, *, new_tab: bool) -> None:
        """Load an address, in the current tab or in a new one that becomes the current."""
        ...

    def source(self) -> Source:
        """The current tab's document."""
        ...

    def press(self, control: Control) -> None:
        """Click a link, a button or a tick box of the source that was given last, and wait for what follows."""
        ...

    def fill(self, control: Control, text: str) -> str:
        """Make a field hold the text, a choice be that option, a tick box be ``on`` or ``off``; what it holds then.

        A line end at the end of the text presses Enter.
        """
        ...

    def upload(self, field: Control, file: Path) -> None:
        """Give a file field the file. Raises ``UnsupportedError`` where that is not possible."""
        ...

    def back(self) -> None:
        """The page before this one."""
        ...

    def forward(self) -> None:
        """The page after this one."""
        ...

    def tabs(self) -> tuple[Tab, ...]:
        """The open tabs, in the order of their numbers."""
        ...

    def switch(self, number: int) -> None:
        """Make that tab the current one."""
        ...

    def close_tab(self, number: int | None) -> None:
        """Close a tab, the current one if none is said."""
        ...

    def download(self, what: Control | str, folder: Path, *, seconds: float) -> Saved:
        """Save what an address leads to, or what a click brings, in the folder; nothing there is overwritten."""
        ...

    def close(self) -> None:
        """End what was started for it, and remove what that left; further calls start anew."""
        ...
