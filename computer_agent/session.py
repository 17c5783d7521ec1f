"""One computer with its gate, on which a run is done, or one turn of a conversation after the other."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from computer_agent.advice import adviser
from computer_agent.approval.approval import Refuse
from computer_agent.approval.modes import ByRisk, all_but_hard, auto, plan
from computer_agent.approval.modes import ask as ask_first
from computer_agent.gate import ApprovalGate
from computer_agent.loop import Agent
from computer_agent.models.grounding import Grounded
from computer_agent.models.language_model import LanguageModel
from computer_agent.sharing import Sharing
from computer_agent.skills.running import SkillsOf
from computer_agent.step import Printing, Writing
from computer_agent.trace.errors import TraceError
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import (
    AnswerPrompt,
    AskModel,
    Browse,
    ExpectFile,
    ExpectHttp,
    ExpectProcess,
    RunCode,
    Wait,
)
from computer_api.errors import UnsupportedError
from computer_api.geometry import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_agent.approval import Proposal
    from computer_agent.approval.approval import Allow, Resolved, Risk
    from computer_agent.approval.judge import Judge
    from computer_agent.approval.modes import Ask, Rule, Said
    from computer_agent.assemble import Questions
    from computer_agent.models.model import Model
    from computer_agent.settings import ApprovalMode, Settings
    from computer_agent.step import Event, SafetyCheck
    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_api.presence import Presence
    from computer_api.receipt import Receipt

_RULES: dict[ApprovalMode, Rule] = {"plan": plan, "ask": ask_first, "auto": auto, "all": all_but_hard}
_NEEDS_NO_SCREEN = (RunCode, AnswerPrompt, Browse, AskModel, Wait, ExpectFile, ExpectHttp, ExpectProcess)


@dataclass(slots=True, kw_only=True)
class Session:
    """What a run needs, open; ``assemble.session_for`` makes and closes it.

    ``model`` may be replaced between turns. ``traces`` are the folders of the turns so far, ``first_folder`` that of
    the first, in which the terminal keeps long outputs. ``arranged`` completes the gate when it is made. ``mode`` says
    what is asked about; ``approve`` changes it.
    """

    settings: Settings
    model: Model
    computer: Computer
    judge: Judge
    questions: Questions
    tell: Callable[[Event], None]
    first_folder: Path
    arranged: Callable[[ApprovalGate], None]
    traces: list[Path] = field(default_factory=list)
    mode: ApprovalMode = field(init=False)
    _gate: ApprovalGate | None = field(default=None, init=False)
    _approval: ByRisk = field(init=False)
    _ask: Ask | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.mode = self.settings.approval
        self._approval = ByRisk(self._rule, self.judge, self._asked)

    def approve(self, mode: ApprovalMode) -> None:
        """Ask about other actions from now on."""
        self.mode = mode
        # Only `auto` asks by the names of what is clicked; to find them costs a look at the screen.
        self.judge.look_for_names(mode == "auto")

    @contextmanager
    def turn(self, title: str, halted: Callable[[], None] = lambda: None) -> Iterator[Agent]:
        """An agent for one task, with a trace of its own. ``halted`` is called when nothing acts any more.

        Raises ``TraceError``.
        """
        trace = TraceWriter(self._folder())
        try:
            self.traces.append(trace.folder)
            self._ask = self.questions.ask(trace.folder)
            self._approval.end_turn()
            gate = self._gate_to(trace)
            area = self.computer.look().box
            trace.start(
                task=title,
                model=self.model.name,
                desktop=self.computer.desktop.name,
                screen=Size(area.width, area.height) if self.settings.os else None,
                monitor=self.settings.monitor,
            )
            self._listen(gate)
            yield self._agent(title, gate, trace, halted)
        finally:
            trace.close()

    def _folder(self) -> Path:
        return new_folder(self.settings.traces) if self.traces else self.first_folder

    def _gate_to(self, trace: TraceWriter) -> ApprovalGate:
        """The gate, which records into that trace from now on; it knows the secrets of all turns."""
        if self._gate is not None:
            self._gate.record_in(trace)
            return self._gate
        computer = self.computer
        sharing = Sharing(
            presence=computer.presence,
            desktop=computer.desktop,
            trace=trace,
            tell=self.tell,
            mode=self.settings.share,
            go_on=self.questions.go_on,
        )
        gate = self._gate = ApprovalGate(computer, self._approval, trace, self.tell, sharing)
        computer.gate = gate if self.settings.os else partial(_without_screen, gate)
        computer.on_question = gate.asking(self.questions.line)
        computer.on_output = lambda text: self.tell(Printing(text=gate.hide(text)))
        self.arranged(gate)
        return gate

    def _listen(self, gate: ApprovalGate) -> None:
        """Pass on what the model says beside its decisions."""
        model, tell = self.model, self.tell
        self.computer.advise = adviser(lambda: self.model)
        self.computer.skills.kept = SkillsOf(self.computer, self.settings.state, self.settings.traces)
        if isinstance(model, LanguageModel | Grounded):
            model.on_notice = lambda words: tell(Printing(text=f"{words}\n"))
        if isinstance(model, LanguageModel):
            model.on_code = lambda language, text: tell(Writing(language=language, text=gate.hide(text)))

    def _agent(self, title: str, gate: ApprovalGate, trace: TraceWriter, halted: Callable[[], None]) -> Agent:
        return Agent(
            title=title,
            model=self.model,
            computer=self.computer,
            gate=gate,
            trace=trace,
            tell=self.tell,
            limits=self.settings.limits,
            halted=halted,
            set_aside=partial(_unheard_checks, self.questions.safety, self.computer.presence),
            lists_elements=self.settings.os and self.model.observe != "picture",
            looks=self.settings.os,
        )

    def _rule(self, risk: Risk) -> Allow | Refuse | None:
        return _RULES[self.mode](risk)

    def _asked(self, proposal: Proposal, resolved: Resolved) -> Said:
        """What the person says, whose answer is no work of theirs on the desktop."""
        if self._ask is None:
            return Refuse("nobody can be asked now")
        with self.computer.presence.asking():
            return self._ask(proposal, resolved)


def new_folder(traces: Path) -> Path:
    """A folder named by the time, which no other run has. Raises ``TraceError``."""
    name = time.strftime("%Y-%m-%d_%H-%M-%S")
    for number in count(1):
        folder = traces / (name if number == 1 else f"{name}_{number}")
        try:
            folder.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            if not traces.is_dir():
                raise TraceError(
                    f'Traces go into "{traces}", which is no folder. Name one with --trace.'
                ) from None
        except OSError as error:
            raise TraceError(
                f'No trace can be written in "{traces}": {error.strerror}. Name another folder with --trace.'
            ) from None
        else:
            return folder
    raise AssertionError  # count() has no end


def _without_screen(gate: ApprovalGate, action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
    """Let through what needs no screen. Raises ``UnsupportedError`` for the rest."""
    if isinstance(action, _NEEDS_NO_SCREEN):
        return gate(action, perform)
    raise UnsupportedError("There is no desktop in this conversation: start it with --os for that.")


def _unheard_checks(
    ask: Callable[[tuple[SafetyCheck, ...]], bool], presence: Presence, checks: tuple[SafetyCheck, ...]
) -> bool:
    """The question about a provider's checks, whose answer is no work of the person's on the desktop."""
    with presence.asking():
        return ask(checks)
