"""One turn of the Python object: the loop on a thread, its events as chunks, its questions as confirmations."""

from __future__ import annotations

import sys
import threading
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from computer_agent.approval.approval import Allow, Refuse, Stop
from computer_agent.approval.modes import Edited
from computer_agent.lmc import Fold, Recorder
from computer_agent.models.model import ModelError
from computer_agent.step import Act, Finished, Writing
from computer_api.actions import RunCode
from computer_api.errors import Stopped, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from computer_agent.approval.approval import Proposal, Resolved
    from computer_agent.approval.modes import Said
    from computer_agent.chat.view import TerminalView
    from computer_agent.context.history import Observe
    from computer_agent.conversation import Conversation
    from computer_agent.lmc import Chunk
    from computer_agent.models.model import Model
    from computer_agent.python_object.handover import Handover
    from computer_agent.python_object.languages import Languages
    from computer_agent.step import Answer, Event, Observation, SafetyCheck, Step
    from computer_api.actions import Action
    from computer_api.gate import Gate
    from computer_api.receipt import Receipt

Asker = Literal["consumer", "terminal", "nobody"]
"""Who is asked whether code may run: who iterates over the chunks, the person at the terminal, or nobody at all."""

NOBODY_ASKED = (
    "The code was not run: nobody was asked. Set auto_run to True, or iterate over chat(..., stream=True), "
    "where going on after a confirmation is a yes."
)
_NO_TERMINAL = "nobody can be asked here, since the input is no terminal; set auto_run to True to allow it"

Answered = TypeVar("Answered")


class TurnError(Exception):
    """A turn ended before the model was done: a limit was reached, or it could not go on. The message says why."""


@dataclass(kw_only=True)
class Turn:
    """What one turn needs. ``asker`` is whoever approves, ``view`` shows the events, where a person watches.

    ``start`` begins a turn of the conversation with the person's words. ``each`` says whether every block of code is
    asked about, and not only what is risky.
    """

    handover: Handover
    messages: list[Chunk]
    max_output: int
    kept: Callable[[], None]
    languages: Languages
    asker: Asker
    each: bool
    pictures: bool = False
    view: TerminalView | None = None
    edit: Callable[[str, str], str] | None = None
    unasked: bool = False
    error: ModelError | None = None
    _fold: Fold = field(init=False)
    _approved: Action | None = field(default=None, init=False)  # by going on after its confirmation
    _depth: int = field(default=0, init=False)
    _inner: Gate | None = field(default=None, init=False)
    _unknown: list[RunCode] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._fold = Fold(
            Recorder(self.messages, self.max_output, kept=self.kept),
            own=lambda language: self.languages.own(language) is not None,
            pictures=self.pictures,
        )

    @property
    def runs_code(self) -> bool:
        """Whether a block of code runs just now."""
        return self._depth > 0

    def notice(self, words: str) -> None:
        """What happens beside the turn, such as another try; shown where a person watches."""
        if self.view is not None:
            self.view.say(words)

    def talk(self, conversation: Conversation, words: str, pictures: tuple[bytes, ...]) -> Finished:
        """Do a turn of the conversation, to its end."""
        finished: Finished | None = None
        try:
            with closing(conversation.say(words, pictures=pictures)) as events:
                for event in events:
                    finished = event if isinstance(event, Finished) else None
                    self.tell(event)
                    if finished is None and self._inner is None:
                        self._stand_at(conversation)
        finally:
            if self._inner is not None:
                conversation.session.computer.gate, self._inner = self._inner, None
        assert finished is not None  # noqa: S101 - for the type checker: it is the last event
        return finished

    def say(self, words: str) -> None:
        """Something that is neither the model's nor the person's: what stands between two of its messages."""
        self._give(self._fold.recorder.add({"role": "assistant", "type": "message", "content": words}))

    def end(self) -> None:
        """Close what is open."""
        for flag in self._fold.recorder.end():
            self.handover.give(flag, last=True)

    def tell(self, event: Event) -> None:
        """Hand over what an event says. Raises ``Stopped`` when an end is wanted."""
        if self.view is not None:
            self.view.show(event)
        if isinstance(event, Finished) and self.handover.closed:
            return
        self._give(self._fold.take(event))

    def asked(self, folder: Path, proposal: Proposal, resolved: Resolved) -> Said:
        """What is said about a proposal by whoever is asked."""
        action = proposal.action
        if action == self._approved:
            self._approved = None
            return Allow("the person")
        if self.asker == "terminal":
            return self._asked_on_terminal(folder, proposal, resolved)
        if self.asker == "nobody":
            return self._nobody()
        self._give(self._fold.asked(action))
        edited = self._fold.edited(action)
        if edited is not None:
            self._approved = edited  # whoever changed it has said yes to that
            return Edited(edited)
        return Allow("the person")

    def go_on(self, words: str) -> bool | None:
        """Whether to go on, after the person used the desktop; ``None`` where nobody can be asked."""
        from computer_agent.chat.question import GoOnQuestion

        return self._at_terminal(lambda view: GoOnQuestion(view)(words), None)

    def line(self, question: str, *, secret: bool) -> str | None:
        """The line for a program that waits, ``None`` where nobody can be asked."""
        from computer_agent.chat.question import InputQuestion

        return self._at_terminal(lambda view: InputQuestion(view)(question, secret), None)

    def set_aside(self, checks: tuple[SafetyCheck, ...]) -> bool:
        """Whether the person sets a provider's safety checks aside."""
        from computer_agent.chat.question import SafetyQuestion

        return self._at_terminal(lambda view: SafetyQuestion(view)(checks), False)  # noqa: FBT003 - the answer

    def pending(self) -> RunCode | None:
        """The code that the messages end with, to be run before the model is asked."""
        last = self.messages[-1] if self.messages else {}
        if last.get("type") != "code" or last.get("role") == "computer":
            return None
        self._fold.resume(str(last["content"]))
        return RunCode(language=str(last.get("format") or "python"), code=str(last["content"]))

    def _stand_at(self, conversation: Conversation) -> None:
        """Take our place before the gate: what cannot run is not asked about, and each block is."""
        from computer_agent.advice import adviser

        computer, model = conversation.session.computer, conversation.session.model
        self._inner, computer.gate = computer.gate, self._gate
        computer.advise = adviser(lambda: model.inner if isinstance(model, TurnModel) else model)

    def _gate(self, action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        assert self._inner is not None  # noqa: S101 - it is there before us
        if isinstance(action, RunCode) and not self._depth:
            self._check(action)
            if self.each:
                action = self._confirmed(action)
            own = self.languages.own(action.language)
            if own is None:
                action = replace(action, language=self.languages.in_terminal(action.language))
            else:
                perform = self._performing(own)
        self._depth += 1
        try:
            return self._inner(action, perform)
        finally:
            self._depth -= 1

    def _performing(self, language: type[Any]) -> Callable[[Action], Receipt]:
        """What runs the code of a person's own language, once the gate has let it through."""

        def perform(action: Action) -> Receipt:
            assert isinstance(action, RunCode)  # noqa: S101 - for the type checker
            return self.languages.run(language, action.code, lambda chunk: self._give(self._fold.ran(chunk)))

        return perform

    def _check(self, action: RunCode) -> None:
        """Raise ``UnsupportedError`` for what cannot run, and ``Stopped`` when the model wants it once more."""
        why = self.languages.why_not(action.language, action.code)
        if why is None:
            return
        self._give(self._fold.not_run(action, why))
        if action in self._unknown:
            raise Stopped(why)
        self._unknown.append(action)
        raise UnsupportedError(why)

    def _confirmed(self, action: RunCode) -> RunCode:
        """The code as the consumer wants it run. Raises ``Stopped`` if it is not to run."""
        if self.asker == "nobody":
            self._give(self._fold.shown(action))
            self.unasked = True
            raise Stopped(NOBODY_ASKED)
        self._give(self._fold.asked(action))
        self._approved = self._fold.edited(action) or action
        assert isinstance(self._approved, RunCode)  # noqa: S101 - for the type checker
        return self._approved

    def _nobody(self) -> Said:
        if self.each:
            self.unasked = True
            return Stop()
        return Refuse("nobody can be asked here, and this is always asked about")

    def _asked_on_terminal(self, folder: Path, proposal: Proposal, resolved: Resolved) -> Said:
        from computer_agent.chat.question import TerminalQuestion

        refused: Said = Refuse(_NO_TERMINAL)
        return self._at_terminal(
            lambda view: TerminalQuestion(view, folder, edit=self.edit)(proposal, resolved), refused
        )

    def _at_terminal(self, ask: Callable[[TerminalView], Answered], otherwise: Answered) -> Answered:
        """Ask on the consumer's thread, if that is the one that Ctrl-C reaches."""
        view = self.view
        if self.asker != "terminal" or view is None:
            return otherwise

        def asked() -> Answered:
            on_main = threading.current_thread() is threading.main_thread()
            return ask(view) if on_main and sys.stdin is not None and sys.stdin.isatty() else otherwise

        return self.handover.ask(asked)

    def _give(self, chunks: Iterator[Chunk]) -> None:
        for chunk in chunks:
            self.handover.give(chunk)


class TurnModel:
    """The model of a turn: code that waits is run before it is asked, and asking it can be broken off."""

    def __init__(self, inner: Model, turn: Turn) -> None:
        self.inner = inner
        self._turn: Turn | None = turn
        self._asked = False

    def rest(self) -> None:
        """Let go of the turn, which is over: the session holds on to us until the next."""
        from computer_agent.models.script import ScriptModel

        self.inner, self._turn = ScriptModel(()), None

    @property
    def name(self) -> str:
        """As the person named it."""
        return self.inner.name

    @property
    def observe(self) -> Observe:
        """How it is shown the screen."""
        return self.inner.observe

    def decide(
        self, task: str, past: Sequence[Step], now: Observation, on_delta: Callable[[str], None]
    ) -> Act | Answer:
        """The code that waits, or what the model decides. Raises ``ModelError``."""
        turn = self._turn
        assert turn is not None  # noqa: S101 - nobody decides after the turn
        pending = None if self._asked else turn.pending()
        self._asked = True
        if pending is not None:
            return Act(thought="", actions=(pending,))

        def take(told: tuple[str, str] | str) -> None:
            if isinstance(told, str):
                on_delta(told)
            else:
                turn.tell(Writing(language=told[0], text=told[1]))

        def ask(tell: Callable[[Any], None]) -> Act | Answer:
            listen(self.inner, lambda language, text: tell((language, text)), turn.notice)
            return self.inner.decide(task, past, now, tell)

        try:
            return turn.handover.aside(ask, take)
        except ModelError as error:
            turn.error = error
            raise


def listen(model: Model, on_code: Callable[[str, str], None], on_notice: Callable[[str], None]) -> None:
    """Hear the code that a language model writes, while it does, and what else it has to say."""
    from computer_agent.models.grounding import Grounded
    from computer_agent.models.language_model import LanguageModel

    if isinstance(model, LanguageModel):
        model.on_code = on_code
    if isinstance(model, LanguageModel | Grounded):
        model.on_notice = on_notice
