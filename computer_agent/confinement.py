"""What holds the code of a run: its sandbox and its terminal, which the person may widen while it goes on."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.approval.judge import Surroundings
from computer_agent.code_settings import BadSetting
from computer_agent.gate import Offer
from computer_api.browser.reach import Reach
from computer_api.computer import visible_to_code
from computer_api.terminal.sandbox import Network, Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from computer_agent.settings import Settings
    from computer_api.actions import RunCode
    from computer_api.terminal import Answer, Terminal
    from computer_api.terminal.languages.language import Language
    from computer_api.terminal.sandbox import Denial, Sandbox
    from computer_api.terminal.sandbox.choosing import Protection

    Widening = Literal["outside", "add"]
    AskDenied = Callable[[RunCode, tuple[Denial, ...], bool], Widening | None]


class Confinement:
    """The sandbox that the settings choose, tried out, and the terminal in it. Raises ``UnsupportedError``.

    A ``lasting`` terminal goes on after a block that Ctrl-C ended; otherwise that block is its last one.
    """

    def __init__(self, settings: Settings, *, lasting: bool = False) -> None:
        self._settings = settings
        self._lasting = lasting
        self._policy = settings.code.policy
        if settings.approval == "plan":
            self._policy = replace(self._policy, access="read-only")
        self._sandbox, self.protection = self._opened(self._policy)
        self._terminal: Terminal | None = None

    def terminal(self, answer: Answer, spool: Path) -> Terminal:
        """The terminal of the run, which keeps long outputs in ``spool``."""
        from computer_api.terminal import Terminal

        settings = self._settings
        self._terminal = Terminal(
            cwd=settings.code.workspace,
            environment=visible_to_code(settings.environment),
            python=settings.code.python or sys.executable,
            languages=tuple(map(_language, settings.code.languages)),
            answer=answer,
            lasting=self._lasting,
            sandbox=self._sandbox,
            spool=spool,
            kept=None if settings.code.max_output is None else settings.code.max_output // 2,
        )
        return self._terminal

    def surroundings(self, *, private: bool, undo: str) -> Surroundings:
        """What a judge of risk must know."""
        return Surroundings(
            workspace=self._policy.workspace,
            home=Path(self._settings.environment.get("HOME") or Path.home()),
            confined=self.protection.confined,
            sandbox=self.protection.words,
            private=private,
            undo=undo,
            pages=Reach(network=self._settings.code.pages or Network()),
            pages_held=self._settings.code.pages is not None,
        )

    def denied(self, ask: AskDenied, action: RunCode, denials: tuple[Denial, ...]) -> Offer | None:
        """Ask the person what to do about code that was denied something."""
        wider = _widened(self._policy, denials)
        match ask(action, denials, wider is not None):
            case "outside":
                by, words = (
                    "the person, once outside the sandbox",
                    "The person let it out of the sandbox once",
                )
                return Offer(action=replace(action, outside=True), by=by, words=words)
            case "add" if wider is not None:
                self._sandbox, self.protection = self._opened(wider)
                self._policy = wider
                if self._terminal is not None:
                    self._terminal.confine(self._sandbox)
                what = ", ".join(denial.what for denial in denials)
                return Offer(
                    action=action, by=f"the person, who added {what}", words=f"The person added {what}"
                )
            case _:
                return None

    def _opened(self, policy: Policy) -> tuple[Sandbox, Protection]:
        from computer_api.terminal.sandbox.choosing import open_sandbox

        return open_sandbox(self._settings.code.sandbox, policy, self._settings.environment)


def _language(config: Mapping[str, object]) -> Language:
    """A language of the person's own. Raises ``BadSetting``."""
    if sys.platform != "win32":
        from computer_api.terminal.languages.program import program_language

        try:
            return program_language(config)
        except ValueError as error:
            raise BadSetting(f"--languages: {error}") from None
    raise BadSetting("--languages: code does not run on Windows yet.")


def _widened(policy: Policy, denials: tuple[Denial, ...]) -> Policy | None:
    """The policy with what was denied added to it, ``None`` where it cannot be."""
    hosts, network = list(policy.network.hosts), policy.network
    writable = list(policy.writable)
    for denial in denials:
        match denial.kind:
            case "write":
                writable.append(Path(denial.what))
            case "network" if network.mode != "on":
                hosts.append(denial.what)
                network = Network(mode="hosts", hosts=tuple(hosts))
            case _:
                return None
    return replace(policy, writable=tuple(writable), network=network)
