"""The object that Open Interpreter's users know: ``from computer_agent import interpreter, Interpreter``.

    for chunk in interpreter.chat("Plot the numbers in data.csv", stream=True, display=False):
        ...

Its attributes, methods and messages are the classic's; under them are the loop, the gate and the terminal that `oi`
uses. ``README.md`` beside this has the table of what maps to what, and where it differs.
"""

from __future__ import annotations

import threading
import time
import warnings
import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from computer_agent.loop_words import ends_loop
from computer_agent.python_object import conversations
from computer_agent.python_object.attributes import Attributes
from computer_agent.python_object.computer import Computer
from computer_agent.python_object.handover import Handover
from computer_agent.python_object.llm import USUAL_MODEL, Llm
from computer_agent.python_object.turn import NOBODY_ASKED, Asker, Turn, TurnError, TurnModel
from computer_agent.python_object.wording import Wording, usual_system_message, words_of
from computer_agent.python_object.workplace import Workplace

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import TracebackType

    from computer_agent.conversation import Conversation
    from computer_agent.lmc import Chunk
    from computer_agent.settings import ApprovalMode, Settings
    from computer_agent.step import Finished
    from computer_api.computer import Computer as OurComputer

__all__ = ["Interpreter", "OpenInterpreter", "TurnError"]

_BETWEEN = "\n\n"
_OF_MODEL = (
    "temperature",
    "supports_vision",
    "supports_functions",
    "context_window",
    "max_tokens",
    "api_base",
    "api_key",
    "api_version",
)
"""What flags and the object name alike."""


class Interpreter(Attributes):
    """A conversation with a model that runs code, as an object. Several are independent of each other.

    What can be set is in ``Attributes``. Close it, or use it as a context manager, to end its programs early.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._usual: tuple[tuple[str, ...], Settings] | None = None  # what these options say
        if self.conversation_history_path is None:
            self.conversation_history_path = str(Path(self.get_oi_dir()) / "conversations")
        given: tuple[Llm | None, Computer | None] = self.llm, self.computer
        self.llm = given[0] or Llm(self, self._usual_model())
        if self.options and given[0] is None:
            self._take_options()
        self.computer = given[1] or Computer(self)
        self.computer.import_computer_api = self.import_computer_api
        self.computer.import_skills = self.import_skills
        self._handover: Handover | None = None
        self._thread: threading.Thread | None = None
        self._seen: list[Chunk] = []  # the messages as the turn before left them
        self._keeper = conversations.Keeper()
        self._workplace = Workplace()
        self._closing = weakref.finalize(self, self._workplace.close)

    def chat(
        self,
        message: str | Chunk | list[Chunk] | None = None,
        display: bool = True,  # noqa: FBT001, FBT002 - the classic's
        stream: bool = False,  # noqa: FBT001, FBT002 - the same
        blocking: bool = True,  # noqa: FBT001, FBT002 - the same
    ) -> Any:  # noqa: ANN401 - a list, a generator or None
        """Do a turn: the messages after the person's, with ``stream`` a generator of its chunks.

        A list replaces ``messages``; without a message code that waits at their end is run, or, with ``display``, a
        conversation begins at the terminal. ``display`` shows it on the terminal and asks there whether code may run;
        without it, going on after a confirmation is a yes, and closing the generator a no. Without ``blocking`` it
        returns at once: see ``wait``.
        Raises ``ModelError``, ``TurnError``, ``BadSetting``, ``DesktopUnavailable`` and what ``llm.completions`` does.
        """
        if not blocking:
            self.responding = True
            self._thread = threading.Thread(
                target=self._do, args=(message,), kwargs={"display": display}, name="oi-chat", daemon=True
            )
            self._thread.start()
            return None
        if message is None and not self._waits():
            if display and not stream:
                return self._talk()
            raise ValueError('chat(display=False) needs a message: chat("...", display=False).')
        if stream:
            return self._chunks(message, "terminal" if display else "consumer")
        return self._do(message, display=display)

    def wait(self) -> list[Chunk]:
        """Wait until a turn that was begun without ``blocking`` is over; the messages that it brought."""
        if self._thread is not None:
            self._thread.join()
        while self.responding:
            time.sleep(0.05)
        return self.messages[self.last_messages_count :]

    def reset(self) -> None:
        """End every program in which code ran, and forget all messages."""
        self.stop()
        self.computer.terminate()
        self._workplace.forget()
        self.messages = []
        self._seen = []
        self.last_messages_count = 0
        self.conversation_filename = None

    def stop(self) -> None:
        """End the turn that goes on, from another thread."""
        handover = self._handover
        if handover is not None and not handover.is_over():
            handover.wish_end()
            handover.abandon()
            self._break_off()

    def close(self) -> None:
        """End its programs and let go of the desktop; what is needed afterwards is opened anew."""
        self._workplace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def local_setup(self) -> None:
        """Choose a model of this machine from a menu on the terminal. Raises ``ModelError``."""
        from computer_agent.chat.line import read_line
        from computer_agent.chat.view import TerminalView
        from computer_agent.model_choice import chosen_locally

        def ask(question: str) -> str | None:
            try:
                return read_line(question)
            except EOFError:
                return None

        settings = replace(self.settings(), model=None)
        chosen = chosen_locally(settings, ask=ask, say=TerminalView().say)
        self.llm.model = chosen.model or self.llm.model
        self.llm.api_base = chosen.llm.api_base
        self.offline = True

    def display_message(self, markdown: str) -> None:
        """Write something on the terminal."""
        from computer_agent.chat.view import TerminalView

        TerminalView().say(markdown)

    def get_oi_dir(self) -> str:
        """The folder of settings and conversations."""
        from computer_agent.profiles.folders import config_folder

        return str(config_folder(self.variables()))

    def settings(self) -> Settings:
        """What holds now, as `oi` would have it. Raises ``BadSetting``."""
        from computer_agent.settings import approval_mode

        settings = self.llm.applied(self._usual_settings())
        llm = replace(settings.llm, offline=self.offline, custom_instructions=self.custom_instructions)
        if self.system_message != usual_system_message():
            llm = replace(llm, system_message=self.system_message)
        return replace(
            settings,
            os=self.os,
            llm=llm,
            approval=approval_mode(self._approval(settings.approval), self.safe_mode),
        )

    def _approval(self, usual: ApprovalMode) -> ApprovalMode:
        """``auto_run`` lets all through, unless this is only to look."""
        return "all" if self.auto_run and usual != "plan" else usual

    def wording(self) -> Wording:
        """How the model is spoken to."""
        from computer_agent.system_prompt import system_prompt

        settings = self.settings()
        own = replace(
            settings, os=False, llm=replace(settings.llm, system_message=self.system_message or " ")
        )
        more = (self.llm.execution_instructions, *self.computer.languages_now.system_messages())
        return Wording(
            system="\n\n".join(filter(None, (system_prompt(own).strip(), *more))),
            user_message=self.user_message_template,
            always_user_message=self.always_apply_user_message_template,
            code_output=self.code_output_template,
            empty_code_output=self.empty_code_output_template,
            output_sender=self.code_output_sender,
        )

    def screen(self) -> OurComputer:
        """The computer with the screen, for the person's own calls. Raises ``DesktopUnavailable``."""
        if self.os:
            return self.code_computer()
        return self._workplace.screen(self._usual_settings())

    def code_computer(self) -> OurComputer:
        """The computer on which code runs. Raises ``RuntimeError`` while a block of a turn does."""
        if self._workplace.turn is not None and self._workplace.turn.runs_code:
            raise RuntimeError("A block of code is running in this interpreter: let it end first.")
        conversation = self._workplace.conversation(self.settings(), None, traced=self.conversation_history)
        return conversation.session.computer

    def interrupt_code(self) -> None:
        """Stop code that runs; callable from another thread."""
        computer = self._workplace.computer()
        if computer is not None:
            computer.interrupt()

    def forget_code(self) -> None:
        """End the programs in which code ran."""
        computer = self._workplace.computer()
        if computer is not None:
            computer.forget_code()

    def _do(self, message: str | Chunk | list[Chunk] | None, *, display: bool) -> list[Chunk]:
        for _chunk in self._chunks(message, "terminal" if display else "nobody"):
            pass
        return self.messages[self.last_messages_count :]

    def _chunks(
        self, message: str | Chunk | list[Chunk] | None, asker: Asker
    ) -> Generator[Chunk, None, None]:
        self._alone()
        self._take(message)
        unasked: list[bool] = []
        self._handover = Handover(
            lambda handover: unasked.append(self._turn(handover, asker)),
            on_close=self._break_off,
            stopped=self._stop_wished,
        )
        self.responding = True
        try:
            yield from self._handover.chunks()
        finally:
            self.responding = False
            self._keep(now=True)
            if any(unasked):
                warnings.warn(NOBODY_ASKED, stacklevel=2)

    def _alone(self) -> None:
        """End a turn whose chunks nobody reads any more. Raises ``RuntimeError`` while one is at work."""
        if self._handover is None:
            return
        self._handover.abandon()
        if not self._handover.is_over():
            raise RuntimeError(
                "This interpreter is in the middle of a turn: wait for its end, or end it with stop()."
            )

    def _take(self, message: str | Chunk | list[Chunk] | None) -> None:
        """Add the person's message, or take the list in place of all."""
        match message:
            case list():
                self.messages = message
            case dict():
                self.messages.append({"role": "user", "type": "message", **message})
            case str():
                self.messages.append({"role": "user", "type": "message", "content": message})
            case None:
                pass
            case _:
                raise TypeError(f"chat takes a text, a message or a list of messages, not {message!r}.")
        self.last_messages_count = len(self.messages)
        self._keep(now=True)

    def _turn(self, handover: Handover, asker: Asker) -> bool:
        """Do the turn on the thread of its own; whether it ended because nobody was asked. Raises what ends it."""
        if not self._goes_on():
            self._workplace.forget_turns()
        settings = _within_budget(self.settings(), self._workplace.spent_before)
        turn = Turn(
            handover=handover,
            messages=self.messages,
            max_output=self.max_output,
            kept=self._keep,
            languages=self.computer.languages_now,
            asker=asker,
            each=settings.approval == "ask" and asker != "terminal",
            pictures=self.os and self.computer.emit_images,
            view=self._view() if asker == "terminal" else None,
            edit=self._editor() if asker == "terminal" else None,
        )
        self._workplace.turn = turn
        model = self.llm.for_turn(lambda: self.messages, settings)
        conversation = self._workplace.conversation(
            settings, TurnModel(model, turn), traced=self.conversation_history
        )
        try:
            finished = self._talk_through(turn, conversation, getattr(model, "dialect", None))
        finally:
            self._workplace.rest()
            self._seen = list(self.messages)
        turn.end()
        if finished.ending in ("failed", "limit"):
            raise turn.error or TurnError(finished.words)
        return turn.unasked

    def _talk_through(self, turn: Turn, conversation: Conversation, dialect: object) -> Finished:
        """One turn, or with ``loop`` as many as it takes, and at most as many as a run may have steps."""
        from computer_agent.python_object.dialect import Execute

        words, pictures = self._said(anew=not conversation.exchanges)
        model = _inner(conversation)
        try:
            finished = turn.talk(conversation, words, pictures)
            for _ in range(conversation.session.settings.limits.steps):
                if not self.loop or finished.ending not in ("done", "gave up") or self._broken():
                    break
                turn.say(_BETWEEN)
                if isinstance(dialect, Execute):
                    dialect.more = ({"role": "user", "type": "message", "content": self.loop_message},)
                conversation.session.model = TurnModel(model, turn)
                finished = turn.talk(conversation, self.loop_message, ())
        finally:
            if isinstance(dialect, Execute):
                dialect.more = ()
        return finished

    def _goes_on(self) -> bool:
        """Whether the messages begin with those that the turn before left, which are some."""
        kept = self.messages[: len(self._seen)]
        same = len(kept) == len(self._seen) and all(a is b for a, b in zip(kept, self._seen, strict=True))
        return bool(self._seen) and same

    def _said(self, *, anew: bool) -> tuple[str, tuple[bytes, ...]]:
        """What the person says in this turn, and the pictures that they show; ``anew`` with all that was said."""
        from computer_agent.python_object.pictures import bytes_of

        own = self.messages if anew else self.messages[len(self._seen) :]
        theirs = [one for one in own if one["role"] == "user"]
        words = [str(one["content"]) for one in theirs if one["type"] == "message"]
        if anew and len(theirs) < len(own):
            words = list(words_of(own))
        pictures = tuple(
            data for one in theirs if one["type"] == "image" and (data := bytes_of(one)) is not None
        )
        return "\n".join(words) or "(go on)", pictures

    def _broken(self) -> bool:
        last = self.messages[-1] if self.messages else {}
        return ends_loop(str(last.get("content", "")), self.loop_breakers)

    def _waits(self) -> bool:
        """Whether the messages end with code that was not run."""
        last = self.messages[-1] if self.messages else {}
        return last.get("type") == "code" and last.get("role") != "computer"

    def _talk(self) -> list[Chunk]:
        """A conversation at the terminal, until the input ends."""
        from computer_agent.python_object.talking import talk

        before = list(self.messages)
        talk(self)
        kept = sum(1 for old, now in zip(before, self.messages, strict=False) if old is now)
        return self.messages[kept:]

    def _take_options(self) -> None:
        """Have the attributes that nobody has set say what the flags, and a profile among them, say."""
        usual, llm = self._usual_settings(), self.llm
        llm.model = usual.model or llm.model
        for name in _OF_MODEL:
            value = getattr(usual.llm, name)
            if value is not None:
                setattr(llm, name, value)
        llm.max_budget = usual.limits.dollars
        self.custom_instructions = self.custom_instructions or usual.llm.custom_instructions
        if self.system_message == usual_system_message():
            self.system_message = usual.llm.system_message or self.system_message
        self.offline = self.offline or usual.llm.offline
        self.auto_run = self.auto_run or usual.approval == "all"
        self.os = self.os or usual.os
        self.loop = self.loop or usual.chat.loop
        self.verbose = self.verbose or usual.chat.verbose
        if self.max_output == Attributes.max_output:
            self.max_output = usual.code.max_output or self.max_output

    def _stop_wished(self) -> bool:
        """Whether somebody wants the turn to end; without the methods of ``AsyncInterpreter`` nobody can."""
        return False

    def _break_off(self) -> None:
        self.computer.languages_now.stop()
        self.interrupt_code()

    def _view(self) -> Any:  # noqa: ANN401 - the terminal's
        from computer_agent.chat.conversation_view import ConversationView

        return ConversationView(verbose=self.verbose or self.debug, plain=self.plain_text_display)

    def _editor(self) -> Any:  # noqa: ANN401 - the terminal's
        from computer_agent.chat.editor import editor

        return editor(self.variables())

    def _keep(self, *, now: bool = False) -> None:
        """Write the messages down as they are."""
        if not self.conversation_history or not self.messages:
            return
        if self.conversation_filename is None:
            first = str(self.messages[0].get("content", ""))
            self.conversation_filename = conversations.file_name(first, time.localtime())
        path = Path(self.conversation_history_path or ".") / self.conversation_filename
        try:
            self._keeper.write(path, self.messages, now=now)
        except OSError as error:
            self.conversation_history = False
            warnings.warn(
                f'The conversation cannot be kept in "{path}": {error.strerror}. Set conversation_history_path.',
                stacklevel=2,
            )

    def _usual_model(self) -> str:
        """The model that is asked unless somebody says otherwise: the one whose key is set."""
        from computer_agent.options import DEFAULT_MODELS, key_that_is_set

        named = self.variables().get("OI_MODEL")
        key = key_that_is_set(self.variables())
        return named or (USUAL_MODEL if key in (None, "OPENAI_API_KEY") else DEFAULT_MODELS[key or ""])

    def _usual_settings(self) -> Settings:
        """What flags, a profile that they name, and the environment say; the config file is that of `oi` alone."""
        options = tuple(self.options)
        if self._usual is None or self._usual[0] != options:
            from computer_agent.flags import parser
            from computer_agent.profiles.choosing import Asking, named
            from computer_agent.settings import from_flags

            flags, variables = parser("").parse_args(list(options)), self.variables()
            files = (named(flags.profile, variables, Asking()),) if flags.profile else ()
            self._usual = options, from_flags(flags, variables, files)
        return self._usual[1]


OpenInterpreter = Interpreter
"""The classic's name of the class."""


def _within_budget(settings: Settings, spent: float) -> Settings:
    """The settings with what is left of the budget."""
    dollars = settings.limits.dollars
    if dollars is None:
        return settings
    return replace(settings, limits=replace(settings.limits, dollars=max(dollars - spent, 0.0)))


def _inner(conversation: Conversation) -> Any:  # noqa: ANN401 - any model
    model = conversation.session.model
    return model.inner if isinstance(model, TurnModel) else model
