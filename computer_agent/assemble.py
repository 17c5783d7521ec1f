"""Settings -> the parts of a run: the only place that builds things."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from computer_agent.approval import AllowAll, AskFirst, Never
from computer_agent.context.provider import provider_of
from computer_agent.gate import ApprovalGate
from computer_agent.loop import Agent
from computer_agent.runs import registered
from computer_agent.sharing import Sharing, nobody_to_ask
from computer_agent.step import Printing
from computer_agent.trace.errors import TraceError
from computer_agent.trace.writer import TraceWriter
from computer_api.computer import Computer, visible_to_code
from computer_api.geometry import Size
from computer_api.own_terminal import parents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_agent.approval import Approval, Proposal
    from computer_agent.approval.approval import Resolved
    from computer_agent.approval.modes import Ask, Said
    from computer_agent.models.model import Model
    from computer_agent.settings import Settings
    from computer_agent.sharing import GoOn
    from computer_agent.step import Event
    from computer_api.presence import Presence
    from computer_api.terminal import Answer, Terminal

_REPLY_SECONDS = 120.0  # how long a model may be silent


@contextmanager
def agent_for(
    settings: Settings,
    model: Model,
    *,
    tell: Callable[[Event], None],
    ask: Callable[[Path], Ask],
    go_on: GoOn = nobody_to_ask,
) -> Iterator[Agent]:
    """An agent on the desktop that the settings choose; closing it closes all it opened.

    ``ask`` makes the question for a trace folder: the pictures that go with questions are kept there. ``go_on`` asks
    a person who uses the desktop themselves whether to go on.
    Raises ``DesktopUnavailable`` and ``TraceError``.
    """
    from computer_platform import connect

    title = _title(settings)
    with ExitStack() as closing:
        halted = closing.enter_context(registered(title, settings.environment))
        desktop = connect(settings.desktop, size=settings.size, environment=settings.environment)
        closing.callback(desktop.close)
        computer = closing.enter_context(
            Computer.on(
                desktop,
                environment=settings.environment,
                picture=provider_of(settings.model).limit,
                anchored=True,
                screen=settings.monitor,
                glide=settings.glide,
                reader=settings.reader,
                terminal=partial(_terminal, settings),
            )
        )
        folder = settings.trace or _new_folder(settings.traces)
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
            go_on=go_on,
        )
        approval = _approval(settings, _unheard(ask(folder), computer.presence))
        gate = ApprovalGate(computer, approval, trace, tell, sharing)
        computer.gate = gate
        if desktop.name == "x11":
            computer.avoid(parents())
        computer.on_output = lambda text: tell(Printing(text=text))
        yield Agent(
            title=title,
            model=model,
            computer=computer,
            gate=gate,
            trace=trace,
            tell=tell,
            limits=settings.limits,
            halted=halted,
            lists_elements=settings.observe != "picture",
        )


def _terminal(settings: Settings, answer: Answer) -> Terminal:
    """The terminal of a run: a block that Ctrl-C ends is its last one."""
    from computer_api.terminal import Terminal

    return Terminal(environment=visible_to_code(settings.environment), answer=answer, lasting=False)


def model_for(settings: Settings) -> Model:
    """The model that the settings name. Raises ``ModelError``."""
    if settings.model == "steps":
        from computer_agent.models.steps import StepsModel

        return StepsModel(values=settings.named)
    from computer_agent.models.function_calling import FunctionCalling
    from computer_agent.models.litellm_model import LitellmModel

    dialect = FunctionCalling(
        provider=provider_of(settings.model), observe=settings.observe, pictures=settings.pictures
    )
    model = LitellmModel(
        settings.model or "",
        api_base=settings.api_base,
        api_key=settings.api_key,
        timeout=min(_REPLY_SECONDS, settings.limits.seconds),
        dialect=dialect,
    )
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


def _approval(settings: Settings, ask: Ask) -> Approval:
    match settings.approval:
        case "all":
            return AllowAll()
        case "never":
            return Never()
        case "ask":
            return AskFirst(ask)
