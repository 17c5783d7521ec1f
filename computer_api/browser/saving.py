"""Files from the agent's own browser: an address is saved as it comes, whatever it is, or what a click brings."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from computer_api.browser.browser import Saved
from computer_api.browser.failures import failure
from computer_api.browser.names import free_path
from computer_api.errors import ComputerError, NotFoundError, TimedOutError

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import CDPSession, Download, ElementHandle, Page

    from computer_api.browser.reading import Control

_ANSWER_SECONDS = 20.0
_GOOD = range(200, 300)


async def save_address(page: Page, url: str, folder: Path, *, seconds: float) -> Saved:
    """Save what an address gives, in a tab of its own. Raises ``ComputerError``."""
    protocol = await page.context.new_cdp_session(page)
    refused: list[str] = []
    pending: set[asyncio.Task[None]] = set()

    def paused(event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(_as_attachment(protocol, event, refused))
        pending.add(task)
        task.add_done_callback(pending.discard)

    protocol.on("Fetch.requestPaused", paused)
    patterns = [{"urlPattern": "*", "requestStage": "Response", "resourceType": "Document"}]
    await protocol.send("Fetch.enable", {"patterns": patterns})
    offered: asyncio.Future[Download] = asyncio.get_running_loop().create_future()
    page.once("download", lambda download: offered.set_result(download))  # noqa: PLW0108 - it takes no built-in
    try:
        await page.goto(url, wait_until="commit", timeout=1000 * _ANSWER_SECONDS)
    except Error as error:
        if "ownload is starting" not in str(error) and "ERR_ABORTED" not in str(error):
            raise failure(url, str(error), seconds=_ANSWER_SECONDS) from None
    if refused:
        raise NotFoundError(f'"{url}" was not saved: the server answered {refused[0]}.')
    try:
        download = await asyncio.wait_for(offered, _ANSWER_SECONDS)
    except TimeoutError:
        raise ComputerError(f'"{url}" gave nothing that can be saved.') from None
    return await _kept(download, folder, seconds=seconds)


async def _as_attachment(protocol: CDPSession, event: dict[str, Any], refused: list[str]) -> None:
    """Let the answer go on, marked as a file to save; redirects as they are."""
    request = {"requestId": event["requestId"]}
    status = event.get("responseStatusCode", 0)
    with contextlib.suppress(Error):  # the tab may be closed by now
        if status in _GOOD:
            headers = event.get("responseHeaders", [])
            names = {one["name"].lower() for one in headers}
            if "content-disposition" not in names:
                headers = [*headers, {"name": "Content-Disposition", "value": "attachment"}]
            else:
                headers = [_attached(one) for one in headers]
            await protocol.send(
                "Fetch.continueResponse", {**request, "responseCode": status, "responseHeaders": headers}
            )
            return
        if status >= 400:  # noqa: PLR2004 - HTTP's
            refused.append(f"{status} {event.get('responseStatusText', '')}".strip())
        await protocol.send("Fetch.continueRequest", request)


def _attached(header: dict[str, str]) -> dict[str, str]:
    if header["name"].lower() != "content-disposition" or not header["value"].lower().startswith("inline"):
        return header
    return {**header, "value": "attachment" + header["value"][len("inline") :]}


async def save_pressed(
    page: Page, element: ElementHandle, control: Control, folder: Path, *, seconds: float
) -> Saved:
    """Click, and save the file that this brings. Raises ``ComputerError``."""
    try:
        async with page.expect_download(timeout=1000 * _ANSWER_SECONDS) as expected:
            await element.click(timeout=5000)
        download = await expected.value
    except Error:
        raise ComputerError(
            f'[{control.number}] "{control.label}" was clicked and brought no file within {_ANSWER_SECONDS:g} s.'
        ) from None
    return await _kept(download, folder, seconds=seconds)


async def _kept(download: Download, folder: Path, *, seconds: float) -> Saved:
    """Wait for all of it, and put it in the folder under a name that is free."""
    try:
        why = await asyncio.wait_for(download.failure(), seconds)
    except TimeoutError:
        with contextlib.suppress(Error):
            await download.cancel()
        raise TimedOutError(
            f'"{download.url}" was not complete after {seconds:g} s, so nothing was saved.'
        ) from None
    if why is not None:
        raise ComputerError(f'"{download.url}" broke off ({why}), so nothing was saved. Try again.')
    path = free_path(folder, download.suggested_filename)
    try:
        await download.save_as(path)
    except (Error, OSError) as error:
        raise ComputerError(
            f'The file cannot be written in "{folder}": {str(error).splitlines()[0]}.'
        ) from None
    return Saved(path=path, url=download.url)
