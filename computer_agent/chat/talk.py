"""A conversation on the terminal: read what the person says, do it, show it, keep it; again until they leave."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from computer_agent.assemble import Questions, session_for
from computer_agent.chat.commands import Commands
from computer_agent.chat.conversation_view import ConversationView
from computer_agent.chat.editor import editor
from computer_agent.chat.input import input_for
from computer_agent.chat.interrupts import Interrupts
from computer_agent.chat.keeping import Transcript
from computer_agent.chat.magic import parsed
from computer_agent.chat.named_pictures import named_pictures
from computer_agent.chat.pictures import PictureShow, opener, protocol_of
from computer_agent.chat.question import (
    DeniedQuestion,
    GoOnQuestion,
    InputQuestion,
    SafetyQuestion,
    TerminalQuestion,
)
from computer_agent.conversation import Conversation
from computer_agent.conversations.resuming import remembered
from computer_agent.loop_words import LOOP_MESSAGE, ends_loop
from computer_agent.models.grounding import Grounded
from computer_agent.models.language_model import LanguageModel
from computer_agent.step import Printing
from computer_agent.trace.errors import TraceError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from contextlib import AbstractContextManager

    from computer_agent.conversations.record import Kept
    from computer_agent.models.model import Model
    from computer_agent.session import Session
    from computer_agent.settings import Settings
    from computer_agent.step import Event, Finished

LEFT, NOT_DONE, STOPPED = 0, 1, 130

_PIECE = 4096  # characters of an output that are shown in a moment, on a busy machine, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a conversation begins.

    ``first`` is what is said at once; ``alone`` says that nothing more will be, as where the input is a pipe.
    ``resumed`` is an earlier conversation that it goes on with.
    """

    first: str = ""
    alone: bool = False
    resumed: Kept | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What whoever starts a conversation has for it.

    ``shown`` shows a run's events to its end, ``suspendable`` lets go of what is pressed before Ctrl-Z suspends us, and
    ``exit_code`` says how a run ended, and whether it had acted.
    """

    shown: Callable[[Generator[Event, None, None], Callable[[Event], None]], Finished | None]
    suspendable: Callable[[Callable[[], None]], AbstractContextManager[None]]
    exit_code: Callable[[Finished], int]


def talk(settings: Settings, model: Model, opening: Opening, around: Around) -> int:
    """Have the conversation; returns an exit code.

    Raises ``DesktopUnavailable``, ``TraceError``, and ``UnsupportedError`` when code cannot be confined as wanted.
    """
    view = ConversationView(verbose=settings.chat.verbose, plain=settings.chat.plain)
    interrupts = Interrupts()
    talks(model)
    transcript = Transcript(settings, lambda words: view.say(words, "red"), opening.resumed)

    def tell(event: Event) -> None:
        for part in parts(event):
            with interrupts.writing():
                transcript.take(part)
                view.show(part)

    with ExitStack() as opened:
        opened.callback(transcript.close)
        session = opened.enter_context(
            session_for(settings, model, tell=tell, questions=_questions(settings, view), lasting=True)
        )
        view.show_picture = _show_of(settings, session, view).show
        conversation = Conversation(session)
        if opening.resumed is not None:
            conversation.exchanges, conversation.past = remembered(opening.resumed.messages)
        opened.enter_context(around.suspendable(session.computer.let_go))
        opened.enter_context(interrupts.listening())
        return Talk(
            conversation=conversation,
            transcript=transcript,
            view=view,
            interrupts=interrupts,
            around=around,
        ).run(opening)


def parts(event: Event) -> Iterator[Event]:
    """The event; a long output in pieces, between which Ctrl-C is heard."""
    if not isinstance(event, Printing):
        yield event
        return
    for start in range(0, len(event.text), _PIECE):
        yield replace(event, text=event.text[start : start + _PIECE])


def talks(model: Model) -> None:
    """Words alone are an answer of the model from now on."""
    if isinstance(model, Grounded):
        model = model.planner
    if isinstance(model, LanguageModel):
        model.talks = True


@dataclass(slots=True, kw_only=True)
class Talk:
    """A conversation that goes on. ``pictures`` are shown to the model with the next words."""

    conversation: Conversation
    transcript: Transcript
    view: ConversationView
    interrupts: Interrupts
    around: Around
    pictures: list[bytes] = field(default_factory=list)

    @property
    def session(self) -> Session:
        """The computer that it is about."""
        return self.conversation.session

    def run(self, opening: Opening) -> int:
        """Talk until the person leaves, or to the end of the one turn there is."""
        if opening.alone:
            finished = self.turn(opening.first)
            if finished is None:
                return STOPPED if self.interrupts.leaves or self.interrupts.was_pressed else NOT_DONE
            return self.around.exit_code(finished)
        self._greet(opening)
        commands = Commands(self)
        source = input_for(
            self.session.settings.environment,
            self.session.settings.state / "history",
            quotes=self.session.settings.chat.multi_line,
            names=commands.names,
        )
        first = opening.first
        while not self.interrupts.leaves:
            try:
                text, first = first or source.read(), ""
                if text.strip() and not self._do(text, commands):
                    break
            except EOFError:
                break
            except KeyboardInterrupt:
                if not self.interrupts.pressed():
                    self.view.say("(Ctrl-C again leaves, and so does Ctrl-D.)", "dim")
        self._part()
        return STOPPED if self.interrupts.leaves else LEFT

    def _do(self, text: str, commands: Commands) -> bool:
        """A command to us, or words to the model; false when the person leaves."""
        self.interrupts.forget()
        magic = parsed(text)
        if magic is not None:
            return commands.do(magic)
        self.turn(text)
        return True

    def turn(self, words: str) -> Finished | None:
        """A turn with the model, with ``--loop`` as many as it takes, and at most as many as there may be steps."""
        finished = self._turn(words)
        settings = self.session.settings
        for _ in range(settings.limits.steps if settings.chat.loop and settings.model != "steps" else 0):
            if finished is None or finished.ending not in ("done", "gave up") or ends_loop(finished.words):
                break
            self.view.say("(--loop: it is asked to go on)", "dim")
            finished = self._turn(LOOP_MESSAGE)
        return finished

    def _turn(self, words: str) -> Finished | None:
        """One turn. Ctrl-C ends it, the conversation goes on."""
        settings = self.session.settings
        self.view.quiet_thoughts = settings.model == "steps"  # which are what is done, word for word
        if settings.model == "steps":  # each text stands for itself
            self.conversation = Conversation(self.session)
        pictures = (*self.pictures, *self._named_in(words))
        self.pictures.clear()
        self.transcript.said(words, pictures)
        finished = None
        try:
            with self._heeding(), closing(self.conversation.say(words, pictures=pictures)) as events:
                finished = self.around.shown(events, self._hear)
            if finished is None:
                self.view.say("Stopped.", "bold yellow")
        except KeyboardInterrupt:
            self.view.say("Stopped.", "bold yellow")
        except TraceError as error:
            self.view.say(str(error), "red")
        finally:
            self.transcript.end_turn()
            self.view.break_line()
        if self.view.console.is_terminal:
            self.view.say("")
        return finished

    @contextmanager
    def _heeding(self) -> Iterator[None]:
        """Meanwhile a stop gesture ends the turn; what the person did between turns is no interruption of it."""
        presence = self.session.computer.presence
        presence.stopped = ""
        presence.go_on()
        presence.on_stop = _interrupt_main_thread
        try:
            yield
        finally:
            presence.on_stop = _nothing

    def _hear(self, event: Event) -> None:
        with self.interrupts.writing():
            self.transcript.take(event)
            self.view.show(event)

    def _named_in(self, words: str) -> list[bytes]:
        """The pictures that the words name, as far as they can be read."""
        found = []
        for named in named_pictures(words, self.session.settings.code.workspace):
            if named.data is None:
                self.view.say(
                    f'     The picture "{named.path}" is not shown to the model: {named.why}.', "yellow"
                )
            else:
                found.append(named.data)
                self.view.say(f"     (with the picture {named.path.name})", "dim")
        return found

    def _greet(self, opening: Opening) -> None:
        settings = self.session.settings
        asks = (
            "asks about the worst alone" if self.session.mode == "all" else "asks before it changes anything"
        )
        desktop = " on the whole desktop" if settings.os else ""
        self.view.say(
            f"oi with {self.session.model.name}{desktop}; it {asks}. %help says more, Ctrl-D leaves.", "dim"
        )
        if opening.resumed is not None:
            count = len(self.conversation.exchanges)
            self.view.say(
                f"Going on with {count} turn{'' if count == 1 else 's'} of {opening.resumed.path.stem}: the model is "
                "told them in words. What code had set is gone.",
                "dim",
            )

    def _part(self) -> None:
        if self.transcript.path is not None:
            self.view.say(f"To go on: oi resume {self.transcript.path.stem}", "dim")


def _nothing() -> None:
    """Between turns there is nothing to stop."""


def _questions(settings: Settings, view: ConversationView) -> Questions:
    return Questions(
        ask=partial(TerminalQuestion, view, edit=editor(settings.environment)),
        go_on=GoOnQuestion(view),
        denied=DeniedQuestion(view),
        line=InputQuestion(view),
        safety=SafetyQuestion(view),
    )


def _show_of(settings: Settings, session: Session, view: ConversationView) -> PictureShow:
    """How pictures are shown here; on a desktop that the model uses no window is opened for them."""
    is_terminal = view.console.is_terminal and not settings.chat.plain

    def draw(codes: str) -> None:
        view.break_line()
        view.console.file.write(codes)
        view.console.file.flush()

    return PictureShow(
        folder=lambda: (session.traces[-1] if session.traces else settings.state) / "shown",
        say=lambda words: view.say(words, "dim"),
        draw=draw,
        protocol=protocol_of(settings.environment) if is_terminal else None,
        open_file=None if settings.os or not is_terminal else opener(settings.environment),
    )


def _interrupt_main_thread() -> None:
    """What a stop gesture does, heard on another thread: the same as Ctrl-C."""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
        return
    main = threading.main_thread().ident
    if main is not None:
        signal.pthread_kill(main, signal.SIGINT)
