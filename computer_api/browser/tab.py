"""One tab of the agent's own browser: load, wait until it is quiet, read, click and fill."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from playwright.async_api import Error
from playwright.async_api import TimeoutError as TooLong

from computer_api.browser.browser import Source
from computer_api.browser.failures import ABORTED, DOWNLOAD, INTERRUPTED, failure
from computer_api.browser.snapshot import snapshot
from computer_api.errors import ComputerError, NotFoundError, NotTypedError, TimedOutError, UnsupportedError

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Dialog, ElementHandle, Page, Request, Response

    from computer_api.browser.browser import Patience
    from computer_api.browser.reading import Control
    from computer_api.browser.snapshot import Snapshot

_QUIET_SECONDS = 3.0
_POLL_SECONDS = 0.05
_QUIET_POLLS = 3
_TRIES = 3
_AGAIN_SECONDS = 0.2
_LARGEST = 30_000_000  # bytes of a page
_STOPPED = "the page had not finished loading after {:g} s and was stopped"
_CUT = "the page is very long; what follows is left out"
_PAGES = ("text/", "application/xhtml", "application/xml", "application/json", "application/javascript")
_SIZE = "() => [document.getElementsByTagName('*').length, document.documentElement?.textContent.length ?? 0].join()"


class TabView:
    """A tab, with how many of its requests are under way and what was read of it last."""

    def __init__(self, page: Page, patience: Patience) -> None:
        self.page = page
        self.patience = patience
        self.notes: list[str] = []
        self._under_way: set[Request] = set()
        self._shown: Snapshot | None = None
        page.on("request", self._began)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("dialog", self._answered)

    def _began(self, request: Request) -> None:
        self._under_way.add(request)

    def _ended(self, request: Request) -> None:
        self._under_way.discard(request)

    async def _answered(self, dialog: Dialog) -> None:
        """A page's question is answered with no, so that the page goes on; leaving it is allowed."""
        if dialog.type == "beforeunload":
            await dialog.accept()
            return
        self.notes.append(f'the page said "{dialog.message[:200]}", which was answered with Cancel or OK')
        await (dialog.accept() if dialog.type == "alert" else dialog.dismiss())

    async def load(self, url: str) -> None:
        """Load an address and wait until it is quiet. Raises ``ComputerError``."""
        try:
            response = await self._gone_to(url)
        except Error as error:
            raise failure(url, str(error), seconds=self.patience.answer) from None
        if response is not None:
            await self._refuse(response)
        await self.settle()

    async def _gone_to(self, url: str) -> Response | None:
        patience = 1000 * self.patience.answer
        for _ in range(_TRIES):
            try:
                return await self.page.goto(url, wait_until="commit", timeout=patience)
            except Error as error:
                said = str(error)
                if isinstance(error, TooLong):
                    await self._stop()  # else it goes on, and meets the next one
                if f'{INTERRUPTED} to "{url}"' in said:
                    raise  # a viewer of files, which loads it a second time
                if not any(one in said for one in (INTERRUPTED, ABORTED)) or DOWNLOAD in said:
                    raise
            await asyncio.sleep(_AGAIN_SECONDS)  # what was loaded before is still ending
        return await self.page.goto(url, wait_until="commit", timeout=patience)

    async def _refuse(self, response: Response) -> None:
        """Raise for what is no page, or too large a one, once nothing more of it is loaded."""
        headers = response.headers
        kind = headers.get("content-type", "text/html").split(";")[0].strip().lower()
        size = headers.get("content-length", "")
        if not kind.startswith(_PAGES) and not kind.endswith(("+xml", "+json")):
            why = f'"{response.url}" is a file ({kind}), not a page. Save it with download.'
        elif size.isdecimal() and int(size) > _LARGEST:
            why = (
                f'"{response.url}" has {int(size) / 1e6:,.0f} MB, too much for a page. Save it with download.'
            )
        else:
            if response.status >= 400:  # noqa: PLR2004 - HTTP's
                self.notes.append(f"the server answered {response.status} {response.status_text}".rstrip())
            return
        with contextlib.suppress(Error):
            await self.page.goto("about:blank", timeout=1000 * self.patience.act)
        raise ComputerError(why)

    async def settle(self) -> None:
        """Wait until the document is there and quiet, so long as it may take."""
        try:
            await self.page.wait_for_load_state("domcontentloaded", timeout=1000 * self.patience.parsed)
        except TooLong:
            self.notes.append(_STOPPED.format(self.patience.parsed))
            await self._stop()
            return
        except Error:
            return  # it was closed; reading it says so
        with contextlib.suppress(Error):
            await self.page.wait_for_load_state("load", timeout=1000 * self.patience.loaded)
        await self._quiet()

    async def _stop(self) -> None:
        with contextlib.suppress(Error, asyncio.TimeoutError):
            await asyncio.wait_for(self.page.evaluate("window.stop()"), self.patience.act)

    async def _quiet(self) -> None:
        """Wait until nothing is under way and the document keeps its size."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _QUIET_SECONDS
        last, same = "", 0
        while same < _QUIET_POLLS and loop.time() < deadline:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                size = await asyncio.wait_for(self.page.evaluate(_SIZE), deadline + 1 - loop.time())
            except (TimeoutError, Error):  # it is being replaced, or is busy
                size = ""
            quiet = size == last and size != "" and not self._under_way
            last, same = size, same + 1 if quiet else 0

    async def source(self, number: int) -> Source:
        """What it shows now. Raises ``ComputerError`` when it does not answer."""
        try:
            shown = await asyncio.wait_for(snapshot(self.page.main_frame), self.patience.read)
            self._shown = shown
            title = await self.page.title()
        except TimeoutError:
            raise await self._hung() from None
        except Error as error:
            raise self._broken(error) from None
        notes, self.notes = [*self.notes, *([_CUT] if shown.cut else [])], []
        return Source(html=shown.html, url=self.page.url, title=title, tab=number, notes=tuple(notes))

    async def _refuse_to_hang(self) -> None:
        """Raise ``TimedOutError`` if the page does not answer at all, once its tab is closed."""
        try:
            await asyncio.wait_for(self.page.evaluate("1"), self.patience.act)
        except TimeoutError:
            raise await self._hung() from None

    async def _hung(self) -> TimedOutError:
        url = self.page.url
        await self.close()
        return TimedOutError(f'"{url}" is busy and does not answer; its tab was closed.')

    async def title(self) -> str:
        """Its title, ``""`` while it does not answer."""
        try:
            return await asyncio.wait_for(self.page.title(), self.patience.act)
        except (TimeoutError, Error):
            return ""

    async def close(self) -> None:
        """Close it, even if it hangs."""
        with contextlib.suppress(Error, asyncio.TimeoutError):
            await asyncio.wait_for(self.page.close(), self.patience.act)

    async def element(self, control: Control) -> ElementHandle:
        """The element of a control that was read last. Raises ``NotFoundError`` when it is not there any more."""
        found = None
        if self._shown is not None and control.mark is not None:
            with contextlib.suppress(Error):
                found = await self._shown.element(control.mark)
        if found is None:
            raise NotFoundError(
                f"{_named(control)} is not there any more: the page has changed. Read it again."
            )
        return found

    async def press(self, control: Control) -> None:
        """Click it. Raises ``ComputerError`` when it cannot be clicked."""
        element = await self.element(control)
        try:
            if control.kind == "choice":
                raise UnsupportedError(f"{_named(control)} is a choice: fill it with one of its options.")
            await element.click(timeout=1000 * self.patience.act)
        except Error as error:
            if isinstance(error, TooLong):
                await self._refuse_to_hang()
            raise self._not_done(control, "clicked", error) from None
        await asyncio.sleep(_POLL_SECONDS)  # for what the click sets off to begin

    async def fill(self, control: Control, text: str) -> str:
        """Make it hold the text, and what it holds then. Raises ``ComputerError`` when it does not."""
        element = await self.element(control)
        enter = control.kind in {"text", "secret"} and text.endswith("\n")
        wanted = text.removesuffix("\n") if enter else text
        try:
            held = await self._filled(element, control, wanted)
            if enter:
                await element.press("Enter", timeout=1000 * self.patience.act)
                await asyncio.sleep(_POLL_SECONDS)
        except Error as error:
            raise self._not_done(control, "filled", error) from None
        return held

    async def upload(self, field: Control, file: Path) -> None:
        """Give a file field the file. Raises ``ComputerError`` when it does not take it."""
        element = await self.element(field)
        try:
            await element.set_input_files(file, timeout=1000 * self.patience.act)
        except Error as error:
            raise self._not_done(field, "given the file", error) from None

    async def _filled(self, element: ElementHandle, control: Control, text: str) -> str:
        patience = 1000 * self.patience.act
        match control.kind:
            case "choice":
                if text not in control.options:
                    offered = ", ".join(f'"{one}"' for one in control.options)
                    raise NotFoundError(f'{_named(control)} does not offer "{text}"; it offers {offered}.')
                await element.select_option(label=text, timeout=patience)
                return text
            case "tick":
                if text not in {"on", "off"}:
                    raise ComputerError(f'{_named(control)} is a tick box: fill it with "on" or "off".')
                await element.set_checked(text == "on", timeout=patience)
                return text
            case "text" | "secret":
                await element.fill(text, timeout=patience)
                held = await element.evaluate("field => field.value ?? field.innerText")
                if held.split() != text.split():
                    shown = "" if control.kind == "secret" else f' and holds "{held}"'
                    raise NotTypedError(
                        f"{_named(control)} did not take the text as it is{shown}.",
                        *(() if control.kind == "secret" else (text, held)),
                    )
                return str(held)
            case _:
                raise UnsupportedError(f"{_named(control)} holds no text. Click it, or do it on the screen.")

    def _not_done(self, control: Control, verb: str, error: Error) -> ComputerError:
        said = str(error)
        if "intercepts pointer events" in said:
            return ComputerError(
                f"{_named(control)} was not {verb}: something of the page covers it, such as a notice."
            )
        if isinstance(error, TooLong):
            return ComputerError(f"{_named(control)} could not be {verb}: it is hidden, disabled or moving.")
        return self._broken(error)

    def _broken(self, error: Error) -> ComputerError:
        said = str(error)
        if "crashed" in said:
            return ComputerError(f'The page "{self.page.url}" has crashed. Open it again.')
        if "closed" in said:
            return ComputerError("The tab is closed. Open a page.")
        return ComputerError(f"The page could not do that: {said.splitlines()[0][:200]}. Read it again.")


def _named(control: Control) -> str:
    return f'[{control.number}] "{control.label}"'
