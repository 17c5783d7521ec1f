"""A browser of the agent's own: an installed Chromium with an empty profile, driven through its protocol.

It needs the extra ``browser`` (playwright) and no display. The profile is a folder that goes away with it, also
when this process is killed: the library's own process sees that and ends the browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from computer_api.browser.browser import Patience
from computer_api.browser.event_loop import EventLoop
from computer_api.browser.programs import chromium
from computer_api.browser.reach import Reach
from computer_api.errors import ComputerError, NotFoundError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from pathlib import Path

    from playwright.async_api import Browser as Driven
    from playwright.async_api import BrowserContext, Download, Page, Playwright

    from computer_api.browser.browser import Saved, Source
    from computer_api.browser.page import Tab
    from computer_api.browser.reading import Control
    from computer_api.browser.tab import TabView

T = TypeVar("T")

_START_SECONDS = 60.0
_CALL_SECONDS = 60.0
_CLOSE_SECONDS = 15.0
_SEEN = (
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "HTTPS_PROXY", "HTTP_PROXY", "LANG", "LC_ALL", "LOCALAPPDATA",
    "NO_PROXY", "PATH", "PROGRAMFILES", "SYSTEMROOT", "TEMP", "TMPDIR", "TZ", "USER", "USERPROFILE", "WAYLAND_DISPLAY",
    "XAUTHORITY", "XDG_RUNTIME_DIR", "https_proxy", "http_proxy", "no_proxy",
)  # fmt: skip
"""What the browser sees of the environment: no keys."""
_OFFERS = "it offers the file "


class OwnBrowser:
    """Starts when it is first used. ``program`` is a path or a name, else what is installed is taken.

    ``check`` is called while it works, and raises to stop it. With ``headless=False`` its window is shown.
    """

    name = "own"

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        reach: Reach | None = None,
        check: Callable[[], None] = lambda: None,
        headless: bool = True,
        program: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._patience = patience or Patience()
        self._environment = environment
        self._reach = reach or Reach()
        self._check = check
        self._headless = headless
        self._program = program
        self._program_found = ""
        self._loop: EventLoop | None = None
        self._driver: Playwright | None = None
        self._driven: Driven | None = None
        self._context: BrowserContext | None = None
        self._tabs: list[TabView] = []
        self._current: TabView | None = None

    def version(self) -> str:
        """Start it if it is not running, and say what it is. Raises ``UnsupportedError`` when it does not start."""
        return self._do(self._version(), "The browser does not answer.")

    def go(self, url: str, *, new_tab: bool) -> None:
        """Load an address."""
        self._do(self._go(url, new_tab=new_tab), f'"{url}" was not loaded in {_CALL_SECONDS:g} s.')

    def source(self) -> Source:
        """The current tab's document."""
        return self._do(self._source(), "The page was not read in time.")

    def press(self, control: Control) -> None:
        """Click a control."""
        self._do(self._press(control), f'"{control.label}" was clicked, and the page did not become quiet.')

    def fill(self, control: Control, text: str) -> str:
        """Fill a field."""
        return self._do(self._fill(control, text), f'"{control.label}" was not filled in time.')

    def upload(self, field: Control, file: Path) -> None:
        """Give a file field the file."""
        self._do(self._upload(field, file), f'"{field.label}" did not take the file in time.')

    def back(self) -> None:
        """Go back."""
        self._do(self._step("before"), "The page before this one was not loaded in time.")

    def forward(self) -> None:
        """Go forward."""
        self._do(self._step("after"), "The page after this one was not loaded in time.")

    def tabs(self) -> tuple[Tab, ...]:
        """The open tabs."""
        return () if self._loop is None else self._do(self._listed(), "The tabs do not answer.")

    def switch(self, number: int) -> None:
        """Make a tab the current one."""
        self._current = self._tab(number)

    def close_tab(self, number: int | None) -> None:
        """Close a tab."""
        tab = self._here() if number is None else self._tab(number)
        self._do(tab.close(), "The tab does not close.")
        self._forget(tab)

    def download(self, what: Control | str, folder: Path, *, seconds: float) -> Saved:
        """Save a file."""
        late = f"The file was not complete after {seconds:g} s and was given up."
        return self._do(self._download(what, folder, seconds), late, seconds=seconds + _CALL_SECONDS)

    def close(self) -> None:
        """End the browser, its driver and the thread."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        with contextlib.suppress(ComputerError):
            loop.run(self._end(), seconds=_CLOSE_SECONDS, late="The browser does not end.", checked=False)
        loop.close()

    def _do(self, work: Coroutine[Any, Any, T], late: str, *, seconds: float = _CALL_SECONDS) -> T:
        if self._loop is None:
            try:
                self._loop = self._started()
            except BaseException:
                work.close()
                raise
        return self._loop.run(work, seconds=seconds, late=late)

    def _started(self) -> EventLoop:
        try:
            import playwright.async_api  # noqa: F401 - to say at once that it is not there
        except ImportError:
            raise UnsupportedError(
                'A browser of the agent\'s own needs the extra "browser": pip install "oi-desktop[browser]".'
            ) from None
        program = self._program_found = chromium(self._environment, self._program)
        if (
            not self._headless
            and not any(map(self._environment.get, ("DISPLAY", "WAYLAND_DISPLAY")))
            and os.name == "posix"
        ):
            raise UnsupportedError("There is no display to show the browser on: use it headless.")
        loop = EventLoop(self._check)
        try:
            loop.run(self._start(program), seconds=_START_SECONDS, late=f'"{program}" did not start.')
        except BaseException:
            self._loop = loop
            self.close()
            raise
        return loop

    async def _start(self, program: str) -> None:
        from playwright.async_api import Error, async_playwright

        root = hasattr(os, "geteuid") and os.geteuid() == 0  # for whom Chromium has no sandbox
        rules = self._reach.rules()
        self._driver = await async_playwright().start()
        try:
            self._driven = await self._driver.chromium.launch(
                executable_path=program,
                headless=self._headless,
                chromium_sandbox=not root,
                args=[f"--host-resolver-rules={rules}", "--no-proxy-server"] if rules else [],
                env={name: self._environment[name] for name in _SEEN if name in self._environment},
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                timeout=1000 * _START_SECONDS,
            )
            self._context = await self._driven.new_context(accept_downloads=True)
        except Error as error:
            raise UnsupportedError(
                f'The browser "{program}" does not start: {_last_words(str(error))}'
            ) from None
        self._context.on("page", self._opened)

    async def _version(self) -> str:
        assert self._driven is not None  # noqa: S101 - it was started
        return f"{self._program_found} {self._driven.version}"

    async def _end(self) -> None:
        self._tabs, self._current, self._context = [], None, None
        driven, self._driven = self._driven, None
        driver, self._driver = self._driver, None
        try:
            if driven is not None:
                await driven.close()
        finally:
            if driver is not None:
                await driver.stop()

    def _opened(self, page: Page) -> None:
        """A tab is there, whoever opened it: it is the current one."""
        from computer_api.browser.tab import TabView

        tab = TabView(page, self._patience)
        self._tabs.append(tab)
        self._current = tab
        page.on("close", lambda _page: self._forget(tab))
        page.on("download", lambda offered: self._offered(tab, offered))

    def _offered(self, tab: TabView, offered: Download) -> None:
        tab.notes.append(
            f'{_OFFERS}"{offered.suggested_filename}" ({offered.url[:300]}); save it with download'
        )

    def _forget(self, tab: TabView) -> None:
        if tab in self._tabs:
            at = self._tabs.index(tab)
            self._tabs.remove(tab)
            if self._current is tab:
                self._current = self._tabs[max(0, at - 1)] if self._tabs else None

    def _here(self) -> TabView:
        if self._current is None:
            raise NotFoundError("No page is open. Open one first.")
        return self._current

    def _tab(self, number: int) -> TabView:
        if not 1 <= number <= len(self._tabs):
            there = f"the tabs are 1 to {len(self._tabs)}" if self._tabs else "no tab is open"
            raise NotFoundError(f"There is no tab {number}; {there}.")
        return self._tabs[number - 1]

    async def _go(self, url: str, *, new_tab: bool) -> None:
        before = self._current
        if new_tab or before is None:
            await self._new_page()
        tab = self._here()
        try:
            await tab.load(url)
        except ComputerError:
            if tab is not before:
                await tab.close()
                self._forget(tab)
                self._current = before
            raise

    async def _new_page(self) -> Page:
        from playwright.async_api import Error

        assert self._context is not None  # noqa: S101 - it was started
        try:
            return await self._context.new_page()
        except Error:
            raise ComputerError("The browser has ended. Open the page again, which starts it anew.") from None

    async def _source(self) -> Source:
        tab = self._here()
        return await tab.source(self._tabs.index(tab) + 1)

    async def _press(self, control: Control) -> None:
        await self._here().press(control)
        await self._here().settle()

    async def _fill(self, control: Control, text: str) -> str:
        held = await self._here().fill(control, text)
        await self._here().settle()
        return held

    async def _upload(self, field: Control, file: Path) -> None:
        await self._here().upload(field, file)
        await self._here().settle()

    async def _step(self, how: Literal["before", "after"]) -> None:
        from playwright.async_api import Error

        tab = self._here()
        url, patience = tab.page.url, self._patience.answer
        go = tab.page.go_back if how == "before" else tab.page.go_forward
        try:
            await asyncio.wait_for(go(wait_until="commit", timeout=1000 * patience), patience + 5)
        except (TimeoutError, Error):
            raise ComputerError(f'The page {how} "{url}" was not loaded.') from None
        if tab.page.url == url:
            raise NotFoundError(f'There is no page {how} "{url}" in this tab.')
        await tab.settle()

    async def _listed(self) -> tuple[Tab, ...]:
        from computer_api.browser.page import Tab

        return tuple(
            [
                Tab(number=at, url=tab.page.url, title=await tab.title(), current=tab is self._current)
                for at, tab in enumerate(self._tabs, 1)
            ]
        )

    async def _download(self, what: Control | str, folder: Path, seconds: float) -> Saved:
        from computer_api.browser.saving import save_address, save_pressed

        if isinstance(what, str) or what.url:
            url = what if isinstance(what, str) else what.url
            before = self._current
            page = await self._new_page()
            try:
                return await save_address(page, url, folder, seconds=seconds)
            finally:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(page.close(), 5)
                self._current = before
        tab = self._here()
        element = await tab.element(what)
        try:
            return await save_pressed(tab.page, element, what, folder, seconds=seconds)
        finally:
            tab.notes = [note for note in tab.notes if not note.startswith(_OFFERS)]


def _last_words(log: str) -> str:
    """What a browser said that did not start: its gravest line, without where in its source that is."""
    lines = [line for line in log.splitlines() if "crashpad" not in line]
    found = next(
        (line for mark in ("FATAL", "ERROR") for line in lines if mark in line), lines[0] if lines else ""
    )
    return found.rpartition("] ")[2].strip()[:300]
