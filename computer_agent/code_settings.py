"""Settings of the terminal: what code may reach, in which folder it works, which programs run it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from computer_api.terminal.sandbox import Access, Network, Policy

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

Name = TypeVar("Name", bound=str)
SandboxName = Literal["auto", "bwrap", "landlock", "seatbelt", "none"]
SANDBOXES: tuple[SandboxName, ...] = get_args(SandboxName)
ACCESSES: tuple[Access, ...] = get_args(Access)


class BadSetting(Exception):
    """A flag or a variable has a value that cannot be used; the message says which and what would work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSettings:
    """How code steps run."""

    sandbox: SandboxName = "auto"
    """Which sandbox holds them; ``auto`` takes the best that works here."""
    access: Access = "workspace-write"
    """What they may change: nothing, the workspace, or everything."""
    network: Network = field(default_factory=Network)
    """Which hosts they may reach."""
    pages: Network | None = None
    """Which hosts the browser may reach; ``None`` is all, and a question about each but this machine."""
    browser: str = "auto"
    """``own``, ``screen``, ``auto``, or the program of a browser of the agent's own."""
    workspace: Path = field(default_factory=Path)
    """The folder they work in, absolute."""
    writable: tuple[Path, ...] = ()
    """Further folders and files they may change."""
    max_output: int | None = None
    """How many characters of an output are kept for the model, half of them from its end."""
    python: str | None = None
    """The interpreter of Python steps; ``None`` takes the one that oi runs on."""
    languages: tuple[Mapping[str, object], ...] = ()
    """Further languages: a name, aliases, an extension and an argv with ``{file}`` each."""

    @property
    def policy(self) -> Policy:
        """The same as what a sandbox enforces."""
        return Policy(
            access=self.access, workspace=self.workspace, writable=self.writable, network=self.network
        )


_SHORTEST_OUTPUT, _LONGEST_OUTPUT = 100, 8000


def _max_output(count: int | None) -> int | None:
    """The count, if that many characters can be shown. Raises ``BadSetting``."""
    if count is None or _SHORTEST_OUTPUT <= count <= _LONGEST_OUTPUT:
        return count
    raise BadSetting(
        f'--max-output takes {_SHORTEST_OUTPUT} to {_LONGEST_OUTPUT} characters, not "{count}". What is longer is kept '
        "in a file, which the model is told of."
    )


def code_from_flags(flags: argparse.Namespace) -> CodeSettings:
    """The settings of the terminal that flags, each with the value that holds, say. Raises ``BadSetting``."""
    workspace = _existing(flags.workspace or ".", "--workspace")
    if not workspace.is_dir():
        raise BadSetting(f'--workspace takes a folder, and "{workspace}" is a file.')
    whole = workspace == Path(workspace.anchor)  # that holds everything is no workspace to write in
    usual: Access = "read-only" if whole else "workspace-write"
    access = _chosen(flags.access, ACCESSES, "--access", usual)
    if access == "workspace-write" and whole:
        raise BadSetting(
            f'Code would write in its workspace, and "{workspace}" holds the whole system: start oi in a folder '
            "of the task, name one with --workspace, or let code only read with --access read-only."
        )
    return CodeSettings(
        sandbox=_chosen(flags.sandbox, SANDBOXES, "--sandbox", "auto"),
        access=access,
        network=_network(flags.network or "off"),
        pages=_network(flags.network) if flags.network else None,
        browser=flags.browser or "auto",
        workspace=workspace,
        writable=tuple(_existing(path, "--writable") for path in flags.writable),
        max_output=_max_output(flags.max_output),
        python=flags.python or None,
        languages=_languages(flags.languages),
    )


def _chosen(given: str | None, known: tuple[Name, ...], flag: str, usual: Name) -> Name:
    if not given:
        return usual
    for name in known:
        if name == given:
            return name
    raise BadSetting(f'{flag} cannot be "{given}". Choose one of: {", ".join(known)}.')


def _existing(path: str, flag: str) -> Path:
    try:
        found = Path(path).expanduser().absolute()
    except RuntimeError:
        raise BadSetting(f'{flag} names "{path}", and nobody here has that name.') from None
    if not found.exists():
        raise BadSetting(f'{flag} names "{path}", which is not there.')
    return found.resolve()


def _network(words: str) -> Network:
    """``off``, ``on``, or hosts with commas between them."""
    if words in ("off", "on"):
        return Network(mode="on" if words == "on" else "off")
    hosts = tuple(filter(None, (host.strip() for host in words.split(","))))
    bad = next((host for host in hosts if "/" in host or " " in host or "*" in host), None)
    if not hosts or bad is not None:
        raise BadSetting(
            f'--network takes off, on, or hosts such as example.org,.example.net, not "{bad or words}".'
        )
    return Network(mode="hosts", hosts=hosts)


def _languages(file: str | None) -> tuple[Mapping[str, object], ...]:
    """The list in a JSON file."""
    if not file:
        return ()
    try:
        found = json.loads(Path(file).expanduser().read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadSetting(f'The languages file "{file}" cannot be read: {error.strerror}.') from None
    except ValueError as error:
        raise BadSetting(f'The languages file "{file}" is not JSON: {error}.') from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise BadSetting(
            f'The languages file "{file}" is a list of objects such as '
            '{"name": "lua", "extension": ".lua", "argv": ["lua", "{file}"]}.'
        )
    return tuple(found)
