"""Where the person's own settings are kept."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SHIPPED = Path(__file__).parent / "shipped"
"""The profiles that come with oi."""


def config_folder(environment: Mapping[str, str]) -> Path:
    """The folder of settings, as the platform has it; ``$XDG_CONFIG_HOME`` holds on all of them."""
    chosen = environment.get("XDG_CONFIG_HOME")
    if chosen:
        return Path(chosen) / "oi"
    if sys.platform == "win32":
        return Path(environment.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "oi"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "oi"
    return Path.home() / ".config" / "oi"


def config_file(environment: Mapping[str, str]) -> Path:
    """The file of settings that hold in every run."""
    return config_folder(environment) / "config.toml"


def profiles_folder(environment: Mapping[str, str]) -> Path:
    """The folder of the person's own profiles."""
    return config_folder(environment) / "profiles"
