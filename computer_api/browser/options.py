"""Which browser is used, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from computer_api.browser.browser import Patience
from computer_api.browser.programs import chromium
from computer_api.browser.reach import Reach
from computer_api.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_api.acting import Acting
    from computer_api.browser.browser import Browser

BrowserKind = Literal["auto", "own", "screen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserOptions:
    """``own`` is a browser of the agent's own, ``screen`` the person's; ``auto`` takes the first that is there.

    ``program`` is the browser's path or name. ``search`` is the address of a search, with ``{query}`` in it.
    ``downloads`` is where files go when no folder is named; without it the person's folder for them.
    """

    kind: BrowserKind = "auto"
    program: str | None = None
    headless: bool = True
    reach: Reach = field(default_factory=Reach)
    search: str = "https://html.duckduckgo.com/html/?q={query}"
    downloads: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    patience: Patience = field(default_factory=Patience)

    def folder(self) -> Path:
        """Where files go."""
        if self.downloads is not None:
            return self.downloads
        usual = Path(self.environment.get("HOME") or Path.home()) / "Downloads"
        return usual if usual.is_dir() else Path.cwd()


def open_browser(options: BrowserOptions, acting: Acting, check: Callable[[], None]) -> Browser:
    """The browser that the options choose; it starts when it is first used. Raises ``UnsupportedError``."""
    if options.kind == "own" or (options.kind == "auto" and _own_is_here(options)):
        from computer_api.browser.own import OwnBrowser

        return OwnBrowser(
            environment=options.environment,
            reach=options.reach,
            check=check,
            headless=options.headless,
            program=options.program,
            patience=options.patience,
        )
    if options.kind == "auto" and acting.desktop.windows is None:
        raise UnsupportedError(
            'There is no browser to use: install Chromium and the extra "browser" (pip install "oi-desktop[browser]"), '
            "or work on a desktop with a browser."
        )
    from computer_api.browser.screen import ScreenBrowser

    return ScreenBrowser(
        acting, program=options.program, environment=options.environment, patience=options.patience
    )


def _own_is_here(options: BrowserOptions) -> bool:
    try:
        return find_spec("playwright") is not None and bool(chromium(options.environment, options.program))
    except UnsupportedError:
        return False
