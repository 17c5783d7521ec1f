"""The system prompt: the rules in ``prompts/os.md``, this computer, and the person's own instructions.

It is made once a run, so that a provider's cache holds it: it names the day and not the hour.
"""

from __future__ import annotations

import datetime as dt
import platform
import shutil
import sys
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.settings import Settings

_PROMPTS = Path(__file__).parent / "prompts"
_DESKTOPS = {
    "x11": "the person's own",
    "private": "one of your own, which only you use",
    "memory": "an imagined one",
}
_SHELLS = ("bash", "zsh", "sh", "pwsh", "node", "ruby", "Rscript", "java")


def rules(*, os: bool = True) -> str:
    """How to work, whatever the computer: with all of it, or with its terminal alone."""
    return _read("os.md" if os else "terminal.md")


def system_prompt(settings: Settings, *, today: dt.date | None = None) -> str:
    """All of it for a run with these settings."""
    mine = settings.llm.system_message or rules(os=settings.os)
    parts = [mine, _this_computer(settings, today or dt.datetime.now().astimezone().date())]
    instructions = settings.llm.custom_instructions.strip()
    if instructions:
        parts.append(Template(_read("instructions.md")).substitute(instructions=instructions))
    return "\n\n".join(parts)


def _this_computer(settings: Settings, today: dt.date) -> str:
    return Template(_read("this_computer.md" if settings.os else "this_terminal.md")).substitute(
        system=_system(),
        desktop=_DESKTOPS.get(settings.desktop or "", "what there is"),
        primary="Command" if sys.platform == "darwin" else "Ctrl",
        languages=", ".join(_languages(settings.environment)),
        workspace=settings.code.workspace,
        today=today.strftime("%Y-%m-%d, %A"),
    )


def _system() -> str:
    """The operating system as people call it."""
    if sys.platform == "linux":
        try:
            return platform.freedesktop_os_release()["PRETTY_NAME"]
        except (OSError, KeyError):
            return "Linux"
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return f"{platform.system()} {platform.release()}"


def _languages(environment: Mapping[str, str]) -> list[str]:
    found = [name for name in _SHELLS if shutil.which(name, path=environment.get("PATH"))]
    named = {"node": "javascript", "Rscript": "r", "pwsh": "powershell"}
    return [
        f"python {platform.python_version()}",
        *(["shell"] if {"bash", "sh", "zsh", "pwsh"} & set(found) else []),
        *(named.get(name, name) for name in found),
    ]


def _read(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()
