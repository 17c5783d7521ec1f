"""``interpreter.computer``: code in all languages, and the desktop under the names of Open Interpreter."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from computer_agent.lmc import Fold, Recorder
from computer_agent.python_object.direct import Direct, let_through
from computer_agent.python_object.handover import Handover
from computer_agent.python_object.hands import Clipboard, Display, Keyboard, Mouse
from computer_agent.python_object.languages import Languages
from computer_agent.python_object.programs import (
    Browser,
    Calendar,
    Contacts,
    Docs,
    Files,
    Mail,
    Sms,
    Terminal,
)
from computer_agent.step import AtLine, Deciding, Done, NotDone, Performed, Printing
from computer_api.actions import RunCode
from computer_api.errors import ComputerError, UnsupportedError
from computer_api.skill_verbs import SkillVerbs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from PIL.Image import Image

    from computer_agent.lmc import Chunk
    from computer_agent.python_object.interpreter import Interpreter
    from computer_agent.step import Event, Outcome
    from computer_api.ai_verbs import AiVerbs
    from computer_api.computer import Computer as OurComputer
    from computer_api.os_verbs import OsVerbs
    from computer_api.vision_verbs import VisionVerbs

_STATE = (
    "api_base",
    "emit_images",
    "import_computer_api",
    "import_skills",
    "max_output",
    "offline",
    "debug",
    "save_skills",
    "verbose",
)
_MODULES = ("display", "mouse", "keyboard", "clipboard", "files", "browser", "skills", "terminal", "docs")


class Computer:
    """The computer of one interpreter. Calls here are the person's own: nobody is asked about them."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._direct = Direct(interpreter.screen, self._asked)
        self.languages_now = Languages(self)
        self.emit_images = True
        self.import_computer_api = False
        self.import_skills = False
        self.save_skills = True
        self.api_base = ""
        self.display = Display(self._direct)
        self.mouse = Mouse(self._direct)
        self.keyboard = Keyboard(self._direct)
        self.clipboard = Clipboard(self._direct)
        self.files = Files()
        self.browser = Browser(self._direct)
        self.mail = Mail()
        self.sms = Sms()
        self.calendar = Calendar()
        self.contacts = Contacts()
        self._skills = SkillVerbs()
        self.docs = Docs(self._signatures)
        self.terminal = Terminal(self)

    @property
    def os(self) -> OsVerbs:
        """The desktop as a whole: ``notify``, ``get_selected_text``, and ours, ``open``."""
        from computer_api.os_verbs import OsVerbs

        return OsVerbs(cast("OurComputer", self._direct))

    @property
    def vision(self) -> VisionVerbs:
        """Pictures: ``ocr``, ``query``, ``load``."""
        from computer_api.vision_verbs import VisionVerbs

        return VisionVerbs(cast("OurComputer", self._direct))

    @property
    def ai(self) -> AiVerbs:
        """The model beside the conversation: ``chat``, ``query``, ``summarize``."""
        from computer_api.ai_verbs import AiVerbs

        return AiVerbs(cast("OurComputer", self._direct))

    @property
    def skills(self) -> SkillVerbs:
        """Tasks that were done once and are done again: ``list``, ``search``, ``run``, ``save``, ``new_skill``."""
        if self._skills.kept is None:
            from computer_agent.skills.running import SkillsOf

            settings = self._interpreter.settings()
            self._skills.kept = SkillsOf(cast("OurComputer", self._direct), settings.state, settings.traces)
        return self._skills

    @property
    def languages(self) -> list[type[Any]]:
        """The classes of the languages that are enabled, to which one of a person's own may be added."""
        return self.languages_now.enabled

    @languages.setter
    def languages(self, value: Sequence[type[Any]]) -> None:
        self.languages_now.enabled = list(value)

    @property
    def offline(self) -> bool:
        """As ``interpreter.offline``."""
        return self._interpreter.offline

    @offline.setter
    def offline(self, value: bool) -> None:
        self._interpreter.offline = value

    @property
    def max_output(self) -> int:
        """As ``interpreter.max_output``."""
        return self._interpreter.max_output

    @max_output.setter
    def max_output(self, value: int) -> None:
        self._interpreter.max_output = value

    @property
    def verbose(self) -> bool:
        """As ``interpreter.verbose``."""
        return self._interpreter.verbose

    @verbose.setter
    def verbose(self, value: bool) -> None:
        self._interpreter.verbose = value

    @property
    def debug(self) -> bool:
        """As ``interpreter.debug``."""
        return self._interpreter.debug

    @debug.setter
    def debug(self, value: bool) -> None:
        self._interpreter.debug = value

    @property
    def system_message(self) -> str:
        """Every call with its meaning, a line each."""
        return "\n".join(self._signatures())

    @overload
    def run(
        self,
        language: str,
        code: str,
        stream: Literal[False] = ...,
        display: bool = ...,  # noqa: FBT001 - the classic's
    ) -> list[Chunk]: ...
    @overload
    def run(
        self,
        language: str,
        code: str,
        stream: Literal[True],
        display: bool = ...,  # noqa: FBT001 - the classic's
    ) -> Generator[Chunk, None, None]: ...

    def run(
        self,
        language: str,
        code: str,
        stream: bool = False,  # noqa: FBT001, FBT002 - the classic's
        display: bool = False,  # noqa: FBT001, FBT002 - the same
    ) -> list[Chunk] | Generator[Chunk, None, None]:
        """Run code: a list of what it came to, or with ``stream`` a generator of the chunks; none has a role.

        ``display`` shows it on the terminal, too. Raises ``UnsupportedError`` for a language that is not enabled.
        """
        if stream:
            return self._streamed(language, code, display=display)
        return self._run(language, code, lambda _chunk: None, display=display)

    def exec(self, code: str) -> list[Chunk]:
        """Run code in the shell."""
        return self.run("shell", code)

    def stop(self) -> None:
        """Stop code that runs; what it has set stays."""
        self.languages_now.stop()
        self._interpreter.interrupt_code()

    def terminate(self) -> None:
        """End the programs in which code ran: what they had set is gone."""
        self.languages_now.terminate()
        self._interpreter.forget_code()

    def screenshot(self, **how: Any) -> Image:  # noqa: ANN401 - as display.view
        """As ``display.view``."""
        return self.display.view(**how)

    view = screenshot

    def to_dict(self) -> dict[str, Any]:
        """What is set here, as JSON values."""
        return {name: getattr(self, name) for name in _STATE}

    def load_dict(self, data: Mapping[str, Any]) -> None:
        """Set what ``to_dict`` gave; other names are passed over."""
        for name in _STATE:
            if name in data:
                setattr(self, name, data[name])

    def _streamed(self, language: str, code: str, *, display: bool) -> Generator[Chunk, None, None]:
        def work(handover: Handover) -> None:
            self._run(language, code, handover.give, display=display)

        yield from Handover(work, on_close=self.stop).chunks()

    def _run(self, language: str, code: str, give: Callable[[Chunk], None], *, display: bool) -> list[Chunk]:
        """Run it and hand over each chunk; the messages that they come to."""
        why = self.languages_now.why_not(language, code)
        if why is not None and code.strip():
            raise UnsupportedError(why)
        messages: list[Chunk] = []
        fold = Fold(
            Recorder(messages, self.max_output),
            own=lambda name: self.languages_now.own(name) is not None,
        )
        show = self._shown() if display else lambda _event: None

        def take(chunks: Any) -> None:  # noqa: ANN401 - an iterator of chunks
            for chunk in chunks:
                if chunk["role"] == "computer" and "content" in chunk:
                    give(_without_role(chunk))

        def tell(event: Event) -> None:
            show(event)
            take(fold.take(event))

        action = RunCode(language=self.languages_now.in_terminal(language), code=code)
        tell(Deciding(action=action, nested=False))
        tell(
            Performed(
                outcome=self._outcome(action, language, tell, lambda one: take(fold.ran(one))), nested=False
            )
        )
        list(fold.recorder.end())
        return [_without_role(one) for one in messages if one["role"] == "computer" and one["content"] != ""]

    def _outcome(
        self, action: RunCode, language: str, tell: Callable[[Event], None], take: Callable[[Chunk], None]
    ) -> Outcome:
        own = self.languages_now.own(language)
        try:
            if own is not None:
                return Done(action=action, receipt=self.languages_now.run(own, action.code, take))
            computer = self._interpreter.code_computer()
            heard, computer.on_output = computer.on_output, lambda text: tell(Printing(text=text))
            lines, computer.on_line = computer.on_line, lambda line: tell(AtLine(line=line))
            try:
                with let_through(computer):
                    return Done(action=action, receipt=computer.perform(action))
            finally:
                computer.on_output, computer.on_line = heard, lines
        except ComputerError as error:
            return NotDone(action=action, why=str(error), kind="error")

    @staticmethod
    def _shown() -> Callable[[Event], None]:
        from computer_agent.chat.view import TerminalView

        return TerminalView().show

    def _asked(self, words: str, pictures: tuple[str, ...]) -> str:
        """What the model answers to words and pictures, beside the conversation."""
        messages: list[Chunk] = [
            *({"role": "user", "type": "image", "format": "path", "content": path} for path in pictures),
            {"role": "user", "type": "message", "content": words},
        ]
        chunks = self._interpreter.llm.run(messages)
        return "".join(chunk["content"] for chunk in chunks if chunk["type"] == "message").strip()

    def _signatures(self) -> list[str]:
        lines = []
        for module in (*_MODULES, "os", "vision", "ai"):
            owner = type(getattr(self, module))
            for name, verb in inspect.getmembers(owner, inspect.isfunction):
                if not name.startswith("_"):
                    lines.append(_line(f"computer.{module}.{name}", verb))
        return lines


def _line(name: str, verb: Callable[..., object]) -> str:
    """A call with its arguments and the first line of what it means."""
    signature = inspect.signature(verb)
    arguments = ", ".join(str(one) for one in list(signature.parameters.values())[1:])
    first = (inspect.getdoc(verb) or "").split("\n")[0]
    return f"{name}({arguments})  # {first}"


def _without_role(chunk: Chunk) -> Chunk:
    return {key: value for key, value in chunk.items() if key != "role"}
