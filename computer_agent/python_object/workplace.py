"""What a Python object opens when it first needs it, and closes in the end: the session of its turns, and a screen."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from computer_agent.approval.approval import Refuse
from computer_agent.python_object.turn import TurnModel
from computer_agent.step import AtLine

if TYPE_CHECKING:
    from computer_agent.approval.approval import Proposal, Resolved
    from computer_agent.approval.modes import Said
    from computer_agent.conversation import Conversation
    from computer_agent.models.model import Model
    from computer_agent.python_object.turn import Turn
    from computer_agent.settings import Settings
    from computer_agent.step import Event, SafetyCheck
    from computer_api.computer import Computer

_NOBODY = "nobody can be asked now"


class Workplace:
    """Open what the settings say; what they change is opened anew. ``turn`` is the one that goes on."""

    def __init__(self) -> None:
        self._session = ExitStack()
        self._screen = ExitStack()
        self._made_for: Settings | None = None
        self._conversation: Conversation | None = None
        self._computer: Computer | None = None
        self.turn: Turn | None = None
        self.spent_before = 0.0  # dollars of turns that are forgotten: a budget holds for them, too

    def conversation(self, settings: Settings, model: Model | None, *, traced: bool) -> Conversation:
        """The conversation, open, with these settings. Without ``traced`` what is recorded of it is gone at the end.

        Raises ``DesktopUnavailable``, ``TraceError`` and ``UnsupportedError``.
        """
        wanted = _of_session(settings)
        if self._conversation is None or self._made_for != wanted:
            self.close_session()
            self._conversation = self._opened(settings, traced=traced)
            self._made_for = wanted
        session = self._conversation.session
        session.settings = replace(settings, traces=session.settings.traces)
        session.approve(settings.approval)
        if model is not None:
            session.model = model
        return self._conversation

    def rest(self) -> None:
        """A turn is over: nothing of it is held on to."""
        self.turn = None
        model = None if self._conversation is None else self._conversation.session.model
        if isinstance(model, TurnModel):
            model.rest()

    def computer(self) -> Computer | None:
        """The computer of the session, if that is open."""
        return None if self._conversation is None else self._conversation.session.computer

    def screen(self, settings: Settings) -> Computer:
        """A computer with a screen, for the person's own calls. Raises ``DesktopUnavailable``."""
        if self._computer is None:
            from computer_api.computer import Computer

            self._computer = self._screen.enter_context(
                Computer.open(
                    settings.desktop,
                    size=settings.size,
                    environment=settings.environment,
                    glide=settings.glide,
                    screen=settings.monitor,
                    reader=settings.reader,
                )
            )
        return self._computer

    def forget(self) -> None:
        """Forget what was said and what code has set."""
        self.forget_turns()
        if self._conversation is not None:
            self._conversation.reset()

    def forget_turns(self) -> None:
        """Forget what was said; what code has set stays."""
        if self._conversation is not None:
            self.spent_before += self._conversation.spent.dollars or 0.0
            self._conversation.exchanges.clear()
            self._conversation.past.clear()

    def close_session(self) -> None:
        """Close the session, and with it the programs in which code ran."""
        self.forget_turns()
        self._conversation = self._made_for = None
        self._session.close()

    def close(self) -> None:
        """Close all of it. What is needed afterwards is opened anew."""
        self.close_session()
        self._computer = None
        self._screen.close()

    def _opened(self, settings: Settings, *, traced: bool) -> Conversation:
        from computer_agent.assemble import Questions, session_for
        from computer_agent.conversation import Conversation
        from computer_agent.models.script import ScriptModel

        if not traced:
            folder = self._session.enter_context(TemporaryDirectory(prefix="oi-"))
            settings = replace(settings, traces=Path(folder))
        session = session_for(
            settings,
            ScriptModel(()),
            tell=self._told,
            questions=Questions(
                ask=lambda folder: partial(self._ask, folder),
                go_on=self._go_on,
                line=self._line,
                safety=self._set_aside,
            ),
            lasting=True,
        )
        opened = self._session.enter_context(session)
        opened.computer.on_line = lambda line: self._told(AtLine(line=line))
        return Conversation(opened)

    def _told(self, event: Event) -> None:
        if self.turn is not None:
            self.turn.tell(event)

    def _ask(self, folder: Path, proposal: Proposal, resolved: Resolved) -> Said:
        return Refuse(_NOBODY) if self.turn is None else self.turn.asked(folder, proposal, resolved)

    def _go_on(self, words: str) -> bool | None:
        return None if self.turn is None else self.turn.go_on(words)

    def _line(self, question: str, secret: bool) -> str | None:  # noqa: FBT001 - the seam's
        return None if self.turn is None else self.turn.line(question, secret=secret)

    def _set_aside(self, checks: tuple[SafetyCheck, ...]) -> bool:
        return self.turn is not None and self.turn.set_aside(checks)


def _of_session(settings: Settings) -> Settings:
    """What a session is opened for, without what may change from turn to turn."""
    from computer_agent.limits import Limits
    from computer_agent.model_settings import ModelSettings

    return replace(
        settings,
        model=None,
        llm=ModelSettings(),
        limits=Limits(),
        approval="plan" if settings.approval == "plan" else "ask",
        task="",
        sources={},
    )
