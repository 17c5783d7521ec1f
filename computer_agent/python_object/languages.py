"""The languages of the Python object: those of our terminal by their names, and classes of a person's own.

A class of their own has a ``name``, perhaps ``aliases``, ``file_extension`` and ``system_message``; ``run(code)``
yields LMC chunks without a role, ``stop()`` halts and keeps what was set, ``terminate()`` drops it.
"""

from __future__ import annotations

import inspect
import shutil
import traceback
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

from computer_api.errors import ComputerError
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_agent.lmc import Chunk


class BuiltIn:
    """A language that our terminal runs, in a worker of its own."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    file_extension: ClassVar[str]
    program: ClassVar[str | None] = None
    """What has to be installed for it."""


class Python(BuiltIn):
    """Python."""

    name = "Python"
    aliases = ("py", "python3")
    file_extension = "py"


class Shell(BuiltIn):
    """The person's shell."""

    name = "Shell"
    aliases = ("bash", "sh", "zsh", "bat", "console", "terminal")
    file_extension = "sh"


class JavaScript(BuiltIn):
    """JavaScript, by Node."""

    name = "JavaScript"
    aliases = ("js", "node")
    file_extension = "js"
    program = "node"


class HTML(BuiltIn):
    """Pages, which are shown."""

    name = "HTML"
    aliases = ("htm",)
    file_extension = "html"


class AppleScript(BuiltIn):
    """AppleScript."""

    name = "AppleScript"
    aliases = ("osascript",)
    file_extension = "applescript"
    program = "osascript"


class R(BuiltIn):
    """R."""

    name = "R"
    aliases = ("rscript",)
    file_extension = "r"
    program = "Rscript"


class PowerShell(BuiltIn):
    """PowerShell."""

    name = "PowerShell"
    aliases = ("pwsh", "ps1")
    file_extension = "ps1"
    program = "pwsh"


class Ruby(BuiltIn):
    """Ruby."""

    name = "Ruby"
    aliases = ("rb", "irb")
    file_extension = "rb"
    program = "ruby"


class Java(BuiltIn):
    """Java."""

    name = "Java"
    file_extension = "java"
    program = "java"


BUILT_IN: tuple[type[BuiltIn], ...] = (
    Shell,
    Python,
    JavaScript,
    HTML,
    AppleScript,
    R,
    PowerShell,
    Ruby,
    Java,
)
# What the terminal itself knows by another name than the classic does.
_IN_TERMINAL = {"bat": "shell", "irb": "ruby"}


class Languages:
    """Which languages there are, as ``enabled`` lists their classes, and the objects of those of a person's own.

    ``computer`` goes to a constructor that takes an argument.
    """

    def __init__(self, computer: object) -> None:
        self._computer = computer
        self.enabled: list[type[Any]] = list(BUILT_IN)
        self._objects: dict[type[Any], Any] = {}

    def names(self) -> tuple[str, ...]:
        """The names of all, in lower case."""
        return tuple(dict.fromkeys(str(one.name).lower() for one in self.enabled))

    def offered(self, path: str | None) -> tuple[str, ...]:
        """The names of those that can run with the programs on this ``PATH``."""
        there = (
            one
            for one in self.enabled
            if not _is_built_in(one) or one.program is None or shutil.which(one.program, path=path)
        )
        return tuple(dict.fromkeys(str(one.name).lower() for one in there))

    def find(self, name: str) -> type[Any] | None:
        """The class of that name or alias, in upper or lower case."""
        wanted = name.strip().lower()
        for one in self.enabled:
            known = (one.name, *(getattr(one, "aliases", None) or ()))
            if wanted in (str(word).lower() for word in known):
                return one
        return None

    def own(self, name: str) -> type[Any] | None:
        """The class of a person's own of that name."""
        found = self.find(name)
        return None if found is None or _is_built_in(found) else found

    def in_terminal(self, name: str) -> str:
        """The same language as the terminal calls it."""
        wanted = name.strip().lower()
        return _IN_TERMINAL.get(wanted, wanted)

    def why_not(self, language: str, code: str) -> str | None:
        """Why that cannot be run at all, in a sentence for the model, or ``None``."""
        if not code.strip():
            return "The code is empty, so there is nothing to run."
        if self.find(language) is not None:
            return None
        near = get_close_matches(language.strip().lower(), self.names(), 1, 0.7)
        hint = f'Did you mean "{near[0]}"?' if near else f"Use one of: {', '.join(self.names())}."
        return f'The language "{language}" is not enabled here. {hint}'

    def system_messages(self) -> Iterator[str]:
        """What languages of a person's own tell the model."""
        for one in self.enabled:
            words = getattr(one, "system_message", "")
            if words and not _is_built_in(one):
                yield str(words).strip()

    def run(self, language: type[Any], code: str, take: Callable[[Chunk], None]) -> Receipt:
        """Run code in a language of a person's own; ``take`` gets each chunk. Raises ``ComputerError`` if it does."""
        runner = self._object(language)
        printed: list[str] = []
        chunks = _chunks(runner, code)
        try:
            while (chunk := _next(chunks)) is not None:
                _check(language, chunk)
                if chunk.get("type") == "console" and chunk.get("format") == "output":
                    printed.append(str(chunk.get("content", "")))
                take(chunk)
        except BaseException:
            self._halt(runner)
            raise
        return Receipt(effect="unknown", output="".join(printed))

    def stop(self) -> None:
        """Halt those that run."""
        for runner in tuple(self._objects.values()):
            self._halt(runner)

    def terminate(self) -> None:
        """Drop all that was set in them."""
        for runner in tuple(self._objects.values()):
            end = getattr(runner, "terminate", None)
            if callable(end):
                end()
        self._objects.clear()

    def _object(self, language: type[Any]) -> Any:  # noqa: ANN401 - of a person's own class
        if language not in self._objects:
            self._objects[language] = language(self._computer) if _takes_one(language) else language()
        return self._objects[language]

    @staticmethod
    def _halt(runner: Any) -> None:  # noqa: ANN401 - the same
        halt = getattr(runner, "stop", None)
        if callable(halt):
            halt()


def _chunks(runner: Any, code: str) -> Iterator[Chunk]:  # noqa: ANN401 - of a person's own class
    yield from runner.run(code)


def _next(chunks: Iterator[Chunk]) -> Chunk | None:
    """The next chunk. What the language itself raises becomes a ``ComputerError`` with where it came from."""
    try:
        return next(chunks, None)
    except Exception as error:
        raise ComputerError(traceback.format_exc().rstrip()) from error


def _check(language: type[Any], chunk: object) -> None:
    """Raise ``ComputerError`` for what is no chunk."""
    if not isinstance(chunk, dict) or "type" not in chunk or "content" not in chunk:
        raise ComputerError(
            f'The language "{language.name}" yields dicts with a type and a content; it yielded {chunk!r}.'
        )


def _is_built_in(language: type[Any]) -> bool:
    return issubclass(language, BuiltIn)


def _takes_one(language: type[Any]) -> bool:
    """Whether its constructor takes an argument."""
    with suppress(TypeError, ValueError):
        return any(
            one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
            for one in inspect.signature(language).parameters.values()
        )
    return False
