"""Settings -> the parts of a run: the only place that builds things."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from computer_agent.approval.judge import Judge
from computer_agent.confinement import Confinement
from computer_agent.context.provider import provider_of
from computer_agent.keeping import Keeping
from computer_agent.runs import registered
from computer_agent.session import Session, new_folder
from computer_agent.settings import known_secrets
from computer_agent.sharing import nobody_to_ask
from computer_agent.step import Printing
from computer_api.browser.options import BrowserOptions
from computer_api.browser.reach import Reach
from computer_api.computer import Computer
from computer_api.own_terminal import parents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_agent.approval.modes import Ask
    from computer_agent.confinement import AskDenied
    from computer_agent.gate import ApprovalGate
    from computer_agent.loop import Agent
    from computer_agent.models.model import Model
    from computer_agent.settings import Settings
    from computer_agent.sharing import GoOn
    from computer_agent.step import Event, SafetyCheck
    from computer_api.browser.options import BrowserKind

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
    """An agent on the desktop that the settings choose, for one run; closing it closes all it opened.

    Raises ``DesktopUnavailable``, ``TraceError``, and ``UnsupportedError`` when code cannot be confined as wanted.
    """
    title = _title(settings)
    with (
        registered(title, settings.environment) as halted,
        session_for(settings, model, tell=tell, questions=questions) as session,
        session.turn(title, halted) as agent,
    ):
        yield agent


@contextmanager
def session_for(
    settings: Settings,
    model: Model,
    *,
    tell: Callable[[Event], None],
    questions: Questions,
    lasting: bool = False,
) -> Iterator[Session]:
    """A computer as the settings choose it: a desktop, or without ``os`` its terminal alone. Closing it closes both.

    A ``lasting`` one keeps what code has set when Ctrl-C ends a block. Raises ``DesktopUnavailable``, ``TraceError``,
    and ``UnsupportedError`` when code cannot be confined as wanted.
    """
    from computer_platform import connect

    with ExitStack() as closing:
        confinement = Confinement(settings, lasting=lasting)
        name = settings.desktop if settings.os else "memory"  # which nothing is done on
        desktop = connect(name, size=settings.size, environment=settings.environment)
        closing.callback(desktop.close)
        folder = settings.trace or new_folder(settings.traces)
        computer = closing.enter_context(
            Computer.on(
                desktop,
                environment=settings.environment,
                picture=provider_of(settings.model).limit,
                anchored=True,
                screen=settings.monitor if settings.os else None,
                glide=settings.glide,
                reader=settings.reader,
                terminal=partial(confinement.terminal, spool=folder / "output"),
            )
        )
        keeping = Keeping(settings, lambda words: tell(Printing(text=words)))
        closing.callback(keeping.close)
        private = desktop.name in _OWN_DESKTOPS
        computer.browsing.options = browser_options(settings)
        judge = Judge(
            lambda: confinement.surroundings(private=private, undo=keeping.words),
            names=settings.approval == "auto",
            called=computer.browsing.called,
        )
        if _writes_code(settings):
            keeping.prepare()
        if desktop.name == "x11":
            computer.avoid(parents())

        def arranged(gate: ApprovalGate) -> None:
            gate.keep_secret(known_secrets(settings))
            gate.before_code, gate.after_code = keeping.before, keeping.after
            gate.on_denied = partial(confinement.denied, questions.denied)
            gate.on_lost = judge.forget

        yield Session(
            settings=settings,
            model=model,
            computer=computer,
            judge=judge,
            questions=questions,
            tell=tell,
            first_folder=folder,
            arranged=arranged,
        )


def browser_options(settings: Settings) -> BrowserOptions:
    """Without a desktop only a browser of the agent's own can be used; with one, yours can be."""
    wish = settings.code.browser
    kinds: dict[str, BrowserKind] = {"auto": "auto", "screen": "screen"} if settings.os else {}
    return BrowserOptions(
        kind=kinds.get(wish, "own"),
        program=None if wish in ("auto", "own", "screen") else wish,
        reach=Reach(network=settings.code.pages),
        environment=settings.environment,
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


def _title(settings: Settings) -> str:
    """The task with secrets hidden. Raises ``BadSteps`` for steps that do not parse, before a desktop is opened."""
    if settings.model != "steps":
        return settings.task
    from computer_agent.models.steps import parse_steps, shown_task

    parse_steps(settings.task, settings.named)
    return shown_task(settings.task)
