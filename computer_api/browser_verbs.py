"""The browser, for people and for code steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.actions import Browse
from computer_api.arguments import as_text
from computer_api.browser.page import Download, Page, Tab

if TYPE_CHECKING:
    from computer_api.actions import BrowserVerb
    from computer_api.computer import Computer


class BrowserVerbs:
    """Pages as text and values: ``computer.browser.open("example.org").links``.

    Links, fields and buttons are named by the number in brackets that the text of the page has, or by what they say.
    It is the agent's own browser where there is one, else the person's, through the screen: see ``use``. What may be
    reached is what ``computer_api.browser.reach`` says.
    """

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def use(self, kind: str) -> None:
        """From now on the browser is ``own``, one of the agent's own, or ``screen``, the person's; ``auto`` chooses."""
        if kind not in {"auto", "own", "screen"}:
            raise ValueError(f"There is no browser {kind!r}; there are: auto, own, screen.")
        self._set(kind=kind)

    def setup(self, headless: bool = True) -> None:  # noqa: FBT001, FBT002 - the name and order are promised
        """Have the agent's own browser without a window, or with one."""
        self._set(headless=bool(headless))

    def open(self, url: str, *, new_tab: bool = False) -> Page:
        """Load an address and read it. Raises ``RefusedError`` for one that may not be reached."""
        return self._page("open", as_text("browser.open", url), new_tab=new_tab)

    def search(self, query: str, *, new_tab: bool = False) -> Page:
        """What a search engine finds."""
        return self._page("search", as_text("browser.search", query), new_tab=new_tab)

    def read(self) -> Page:
        """The page as it is now, from its beginning."""
        return self._page("read")

    def more(self) -> Page:
        """The next part of a long page."""
        return self._page("more")

    def follow(self, link: int | str, *, new_tab: bool = False) -> Page:
        """Follow a link, by its number or its text."""
        return self._page("follow", _named("browser.follow", link), new_tab=new_tab)

    def fill(self, field: int | str, text: str, *, secret: bool = False) -> str:
        """Make a field hold a text, a choice an option, a tick box ``on`` or ``off``; what it holds then.

        A line end at the end presses Enter, after which the page is read anew. ``secret`` texts are not recorded.
        """
        where, what = _named("browser.fill", field), as_text("browser.fill(text)", text)
        self._do(Browse(what="fill", where=where, text=what, secret=secret))
        result = self._computer.browsing.result
        return result if isinstance(result, str) else what.removesuffix("\n")

    def upload(self, field: int | str, path: str) -> str:
        """Give a file field a file of this computer; the name of the file.

        Raises ``UnsupportedError`` in the person's own browser, which asks for files in a dialog.
        """
        where, file = _named("browser.upload", field), as_text("browser.upload(path)", str(path))
        self._do(Browse(what="upload", where=where, text=file))
        return str(self._computer.browsing.result)

    def click(self, what: int | str) -> Page:
        """Click a button, a link or anything else with a number, and read what comes."""
        return self._page("click", _named("browser.click", what))

    def back(self) -> Page:
        """The page before this one."""
        return self._page("back")

    def forward(self) -> Page:
        """The page after this one."""
        return self._page("forward")

    def download(self, what: int | str, folder: str = "") -> Download:
        """Save a file, by its link or its address, in the folder for downloads or this one."""
        where = _named("browser.download", what)
        self._do(
            Browse(what="download", where=where, folder=as_text("browser.download(folder)", str(folder)))
        )
        result = self._computer.browsing.result
        assert isinstance(result, Download)  # noqa: S101 - a download that raises nothing brings one
        return result

    def tabs(self) -> tuple[Tab, ...]:
        """The open tabs."""
        self._do(Browse(what="tabs"))
        result = self._computer.browsing.result
        return result if isinstance(result, tuple) else ()

    def switch(self, tab: int) -> Page:
        """Make that tab the current one and read it."""
        return self._page("tab", _named("browser.switch", tab))

    def close_tab(self, tab: int | None = None) -> None:
        """Close a tab, the current one if none is said."""
        self._do(Browse(what="close_tab", where="" if tab is None else _named("browser.close_tab", tab)))

    def quit(self) -> None:
        """Close the browser."""
        self._do(Browse(what="quit"))

    # The names of Open Interpreter.

    def go_to_url(self, url: str) -> Page:
        """As ``open``."""
        return self.open(url)

    def fast_search(self, query: str) -> Page:
        """As ``search``."""
        return self.search(query)

    def search_google(self, query: str, delays: bool = True) -> Page:  # noqa: ARG002, FBT001, FBT002 - the signature is promised
        """As ``search``, which does not need its delays."""
        return self.search(query)

    def analyze_page(self, intent: str) -> str:
        """The page as text, for whoever asked to judge by it: no other model is asked about the ``intent``."""
        as_text("browser.analyze_page", intent)
        return self.read().text

    def _page(self, what: BrowserVerb, where: str = "", *, new_tab: bool = False) -> Page:
        self._do(Browse(what=what, where=where, new_tab=new_tab))
        result = self._computer.browsing.result
        assert isinstance(result, Page)  # noqa: S101 - these bring one, or raise
        return result

    def _do(self, action: Browse) -> None:
        self._computer.perform(action)

    def _set(self, **changes: object) -> None:
        options = self._computer.browsing.options
        changed = replace(options, **changes)  # type: ignore[arg-type]  # checked by those that call it
        if changed != options:
            self._computer.browsing.close()
            self._computer.browsing.options = changed


def _named(verb: str, what: object) -> str:
    """A number or a text as the action has it. Raises ``TypeError``."""
    if isinstance(what, int) and not isinstance(what, bool):
        return str(what)
    return as_text(verb, what)
