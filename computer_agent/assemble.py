"""Settings -> the parts of a run: the only place that builds things."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from computer_agent.approval.judge import Judge
from computer_agent.approval.modes import ByRisk, all_but_hard, auto, plan
from computer_agent.approval.modes import ask as ask_first
from computer_agent.confinement import Confinement
from computer_agent.context.provider import provider_of
from computer_agent.gate import ApprovalGate
from computer_agent.keeping import Keeping
from computer_agent.loop import Agent
from computer_agent.models.grounding import Grounded
from computer_agent.models.language_model import LanguageModel
from computer_agent.runs import registered
from computer_agent.settings import known_secrets
from computer_agent.sharing import Sharing, nobody_to_ask
from computer_agent.step import Printing
from computer_agent.trace.errors import TraceError
from computer_agent.trace.writer import TraceWriter
from computer_api.computer import Computer
from computer_api.geometry import Size
from computer_api.own_terminal import parents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_agent.approval import Proposal
    from computer_agent.approval.approval import Resolved
    from computer_agent.approval.modes import Ask, Said
    from computer_agent.confinement import AskDenied
    from computer_agent.models.model import Model
    from computer_agent.settings import Settings
    from computer_agent.sharing import GoOn
    from computer_agent.step import Event, SafetyCheck
    from computer_api.presence import Presence

_OWN_DESKTOPS = ("private", "memory")  # where a person has nothing of theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What a person is asked in a run.

    ``ask`` makes the question about an action for a trace folder, where its pictures are kept. ``go_on`` asks a person
    who uses the desktop themselves whether to go on, ``denied`` what to do about code that the sandbox stopped,
    ``line`` for what a program in the terminal waits for, and ``safety`` whether to set a provider's checks aside.
    """

    ask: Callable[[Path], Ask]
    go_on: GoOn = nobody_to_ask
    denied: AskDenied = lambda _action, _denials, _can_add: None
    line: Callable[[str, bool], str | None] = lambda _question, _secret: None
    safety: Callable[[tuple[SafetyCheck, ...]], bool] = lambda _checks: False


@contextmanager
def agent_for(
    settings: Settings,
    model: Model,
    *,
    tell: Callable[[Event], None],
    questions: Questions,
) -> Iterator[Agent]:
    """An agent on the desktop that the settings choose; closing it closes all it opened.

    Raises ``DesktopUnavailable``, ``TraceError``, and ``UnsupportedError`` when code cannot be confined as wanted.
    """
    from computer_platform import connect

    title = _title(settings)
    with ExitStack() as closing:
        confinement = Confinement(settings)
        halted = closing.enter_context(registered(title, settings.environment))
        desktop = connect(settings.desktop, size=settings.size, environment=settings.environment)
        closing.callback(desktop.close)
        folder = settings.trace or _new_folder(settings.traces)
        computer = closing.enter_context(
            Computer.on(
                desktop,
                environment=settings.environment,
                picture=provider_of(settings.model).limit,
                anchored=True,
                screen=settings.monitor,
                glide=settings.glide,
                reader=settings.reader,
                terminal=partial(confinement.terminal, spool=folder / "output"),
            )
        )
        trace = TraceWriter(folder)
        closing.callback(trace.close)
        area = computer.look().box
        trace.start(
            task=title,
            model=model.name,
            desktop=desktop.name,
            screen=Size(area.width, area.height),
            monitor=settings.monitor,
        )
        sharing = Sharing(
            presence=computer.presence,
            desktop=desktop,
            trace=trace,
            tell=tell,
            mode=settings.share,
            go_on=questions.go_on,
        )
        keeping = Keeping(settings, lambda words: tell(Printing(text=words)))
        closing.callback(keeping.close)
        private = desktop.name in _OWN_DESKTOPS
        judge = Judge(
            lambda: confinement.surroundings(private=private, undo=keeping.words),
            # Only `auto` asks by the names of what is clicked; to find them costs a look at the screen.
            names=settings.approval == "auto",
        )
        approval = ByRisk(
            _RULES[settings.approval], judge, _unheard(questions.ask(folder), computer.presence)
        )
        gate = ApprovalGate(computer, approval, trace, tell, sharing)
        gate.keep_secret(known_secrets(settings))
        computer.gate = gate
        gate.before_code, gate.after_code = keeping.before, keeping.after
        if _writes_code(settings):
            keeping.prepare()
        gate.on_denied = partial(confinement.denied, questions.denied)
        computer.on_question = gate.asking(questions.line)
        if desktop.name == "x11":
            computer.avoid(parents())
        if isinstance(model, LanguageModel | Grounded):
            model.on_notice = lambda words: tell(Printing(text=f"{words}\n"))
        computer.on_output = lambda text: tell(Printing(text=gate.hide(text)))
        gate.on_lost = judge.forget
        yield Agent(
            title=title,
            model=model,
            computer=computer,
            gate=gate,
            trace=trace,
            tell=tell,
            limits=settings.limits,
            halted=halted,
            set_aside=partial(_unheard_checks, questions.safety, computer.presence),
            lists_elements=model.observe != "picture",
        )


def _writes_code(settings: Settings) -> bool:
    """Whether code may come that writes: of steps and replays it is known before."""
    return settings.approval != "plan" and settings.model not in ("steps", "replay")


def model_for(settings: Settings, say: Callable[[str], None] = lambda _: None) -> Model:
    """The model that the settings name; ``say`` hears what takes a while. Raises ``ModelError`` and ``BadSetting``."""
    if settings.model == "steps":
        from computer_agent.models.steps import StepsModel

        return StepsModel(values=settings.named)
    from computer_agent.model_choice import chosen_model

    model = chosen_model(settings, say)
    model.warm_up()
    return model


def _new_folder(traces: Path) -> Path:
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


def _title(settings: Settings) -> str:
    """The task with secrets hidden. Raises ``BadSteps`` for steps that do not parse, before a desktop is opened."""
    if settings.model != "steps":
        return settings.task
    from computer_agent.models.steps import parse_steps, shown_task

    parse_steps(settings.task, settings.named)
    return shown_task(settings.task)


def _unheard(ask: Ask, presence: Presence) -> Ask:
    """The question, whose answer is no work of the person's on the desktop."""

    def asked(proposal: Proposal, resolved: Resolved) -> Said:
        with presence.asking():
            return ask(proposal, resolved)

    return asked


def _unheard_checks(
    ask: Callable[[tuple[SafetyCheck, ...]], bool], presence: Presence, checks: tuple[SafetyCheck, ...]
) -> bool:
    """The question about a provider's checks, whose answer is no work of the person's on the desktop."""
    with presence.asking():
        return ask(checks)


_RULES = {"plan": plan, "ask": ask_first, "auto": auto, "all": all_but_hard}
