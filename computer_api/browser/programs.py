"""Which browser is installed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

CHROMIUMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
    "vivaldi",
)
_ON_MACOS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
)
_ON_WINDOWS = (
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)


def chromium(environment: Mapping[str, str], named: str | None = None) -> str:
    """The path of an installed browser of Chromium's family. Raises ``UnsupportedError`` when there is none."""
    if named is not None:
        found = shutil.which(named, path=environment.get("PATH", ""))
        if found is None:
            raise UnsupportedError(
                f'There is no browser "{named}". Give the path of an installed Chromium or Chrome.'
            )
        return found
    for name in CHROMIUMS:
        if found := shutil.which(name, path=environment.get("PATH", "")):
            return found
    for path in _usual(environment):
        if path.is_file():
            return str(path)
    raise UnsupportedError(
        "No browser is installed that can be driven: install Chromium, Google Chrome or Microsoft Edge "
        f"(looked for: {', '.join(CHROMIUMS)})."
    )


def _usual(environment: Mapping[str, str]) -> list[Path]:
    if sys.platform == "darwin":
        return [Path(path) for path in _ON_MACOS]
    if sys.platform == "win32":
        roots = [environment.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        return [Path(root) / rest for root in roots if root for rest in _ON_WINDOWS]
    return []
