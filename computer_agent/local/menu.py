"""``oi --local``: the models of this machine in a numbered list, one of which the person takes.

It asks and says through a seam, so that the terminal's view stays the only one that prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible
from computer_agent.local import programs, pulling, servers
from computer_agent.local.kept import read_object, write_object
from computer_agent.local.server import KINDS, NAMES, LocalModel, LocalServer, Silent
from computer_agent.models.model import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from computer_agent.local.programs import Program
    from computer_agent.local.server import Kind

FILE = "local.json"
_SHOWN = 30  # models that are listed; the others are taken by name
_GIVEN_SECONDS = 5.0  # for a server that was named: it is there, and may be busy
_WAIT_SECONDS = 60.0  # for a server that was started

NOTHING_INSTALLED = """\
No model runs on this machine, and no program for one is installed. The three simplest ways:

  1. Ollama      Install it from ollama.com, then: oi --local
                 It fetches a model for you and starts by itself.
  2. LM Studio   Install it from lmstudio.ai, load a model, and switch its server on (Developer > Start server).
  3. Llamafile   Download one file with a model in it from github.com/mozilla-ai/llamafile and run it.

A server somewhere else is named by its address: oi --local --api-base http://HOST:PORT/v1"""


class NoLocalModel(ModelError):
    """No model of this machine was taken; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The model that was taken, and where it is served."""

    kind: Kind
    api_base: str
    model: LocalModel

    @property
    def name(self) -> str:
        """As litellm names it: with the word for whom to ask before it."""
        return f"{'ollama_chat' if self.kind == 'ollama' else 'openai'}/{self.model.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the person said beside ``--local``: a model's name, a server's address and its key, and ``--offline``."""

    model: str | None = None
    api_base: str | None = None
    api_key: str | None = None
    offline: bool = False


class Menu:
    """One choosing.

    ``ask`` shows a question and gives the answer, or ``None`` at the end of input; it is ``None`` itself where nobody
    can be asked. ``say`` shows a text of one or more lines. ``state`` is the folder in which the choice is remembered,
    ``environment`` that of the programs that are started. ``roots`` is where servers are looked for, by default at the
    usual addresses, for ``seconds``.
    """

    def __init__(
        self,
        *,
        ask: Callable[[str], str | None] | None,
        say: Callable[[str], None],
        state: Path,
        environment: Mapping[str, str],
        roots: Sequence[str] | None = None,
        seconds: float = servers.SECONDS,
    ) -> None:
        self._asks = ask
        self._say = say
        self._file = state / FILE
        self._state = state
        self._environment = environment
        self._look = partial(servers.find, environment, seconds=seconds)
        self._roots = roots

    def choose(self, wishes: Wishes | None = None) -> Choice:
        """The model that is to be used, which is remembered. Raises ``NoLocalModel``, or ``ModelError`` for an address.

        ``KeyboardInterrupt`` passes through, but for one that ends the fetching of a model.
        """
        wishes = wishes or Wishes()
        choice = None
        while choice is None:
            found = self._found(wishes)
            choices = sorted(_choices(found), key=_worth, reverse=True)
            if wishes.model is not None and any(isinstance(each, LocalServer) for each in found):
                choice = self._named(wishes.model, choices)
            elif choices:
                choice = self._taken(choices, found, wishes)
            else:
                self._begin(found, wishes)
        self._remember(choice)
        return choice

    def _found(self, wishes: Wishes) -> tuple[LocalServer | Silent, ...]:
        if wishes.api_base is None:
            return self._look(roots=self._roots)
        mine = self._look(roots=(), given=wishes.api_base, api_key=wishes.api_key, seconds=_GIVEN_SECONDS)
        for each in mine:
            why = each.why if isinstance(each, Silent) else each.note
            if why:
                raise NoLocalModel(f'"{visible(wishes.api_base)}" cannot be used: {why}.')
        return mine

    def _named(self, name: str, choices: Sequence[Choice]) -> Choice:
        """The model of that name, with or without litellm's word before it."""
        bare = name.removeprefix("ollama_chat/").removeprefix("ollama/").removeprefix("openai/")
        for choice in choices:
            server = LocalServer(kind=choice.kind, api_base=choice.api_base, models=(choice.model,))
            if server.model(name) or server.model(bare):
                return choice
        there = f"There are: {_listed(choices)}." if choices else "There is none at all."
        raise NoLocalModel(f'There is no model "{visible(name)}" on this machine. {there}')

    def _taken(
        self, choices: Sequence[Choice], found: Sequence[LocalServer | Silent], wishes: Wishes
    ) -> Choice | None:
        """The one the person takes; ``None`` when something changed and all is to be looked at again."""
        usual, remembered = self._usual(choices)
        if self._asks is None:
            return _unasked(choices, usual, remembered=remembered)
        more = self._more(found, wishes)
        self._show(choices, usual, remembered)
        while True:
            answer = self._ask(_question(usual, more))
            if answer is None:
                return _unasked(choices, usual, remembered=remembered)
            answer = answer.strip()
            if answer.lower() in {"q", "quit"}:
                raise NoLocalModel("No model was taken.")
            if answer.lower() in more:
                more[answer.lower()].run()
                return None
            picked = usual if not answer else self._picked(answer, choices)
            if picked is not None:
                return picked

    def _picked(self, answer: str, choices: Sequence[Choice]) -> Choice | None:
        """By its number, its name or a part of it that only one has."""
        if answer.isdecimal() and 1 <= int(answer[:6]) <= len(choices):
            return choices[int(answer[:6]) - 1]
        exact = [choice for choice in choices if choice.model.name == answer]
        fitting = exact or [choice for choice in choices if answer.lower() in choice.model.name.lower()]
        if len(fitting) == 1 or exact:
            return fitting[0]
        what = f"{len(fitting)} models have" if fitting else "No model has"
        self._say(
            f'{what} "{visible(answer)}" in the name. Type a number from 1 to {len(choices)}, or more of a name.'
        )
        return None

    def _usual(self, choices: Sequence[Choice]) -> tuple[Choice, bool]:
        """What Enter takes, and whether it is the one remembered: else it is the best."""
        kept = read_object(self._file)
        for choice in choices:
            if (kept.get("api_base"), kept.get("model")) == (choice.api_base, choice.model.name):
                return choice, True
        if isinstance(kept.get("model"), str) and kept.get("kind") in KINDS:
            where = NAMES[kept["kind"]]
            self._say(f'The model of last time, "{visible(kept["model"])}" ({where}), is not there now.')
        return choices[0], False

    def _remember(self, choice: Choice) -> None:
        kept = {"kind": choice.kind, "api_base": choice.api_base, "model": choice.model.name}
        try:
            write_object(self._file, kept)
        except OSError as error:
            self._say(f'The choice cannot be remembered in "{self._file}": {error.strerror}.')

    def _show(self, choices: Sequence[Choice], usual: Choice, remembered: bool) -> None:  # noqa: FBT001
        marks = dict.fromkeys(choices, "") | {usual: "taken last time" if remembered else "best"}
        table = [("", "model", "server", "sees", "tools", "context", "size", "")]
        table += [
            (str(number), *_columns(choice), marks[choice])
            for number, choice in enumerate(choices[:_SHOWN], 1)
        ]
        rest = len(choices) - _SHOWN
        left = [f"  and {rest} more, which are taken by a part of their name"] if rest > 0 else []
        self._say("\n".join(["Models on this machine:", "", *_aligned(table), *left, ""]))

    def _more(self, found: Sequence[LocalServer | Silent], wishes: Wishes) -> dict[str, _More]:
        """What can be done beside taking one of the list, by the letter for it."""
        more: dict[str, _More] = {}
        ollama = _ollama(found)
        if ollama is not None and not wishes.offline:
            more["p"] = _More("[p]ull another", lambda: self._pull(ollama))
        idle = self._idle(found, wishes)
        if idle:
            more["s"] = _More(f"[s]tart {NAMES[idle[0].kind]}", lambda: self._start(idle[0]))
        return more

    def _begin(self, found: Sequence[LocalServer | Silent], wishes: Wishes) -> None:
        """Where no model is there yet: fetch one, or start a program. Raises ``NoLocalModel``."""
        for each in found:
            if isinstance(each, LocalServer) and each.note:
                self._say(f"{NAMES[each.kind]} runs at {visible(each.api_base)}, but {each.note}")
            elif isinstance(each, Silent):
                self._say(f"At {visible(each.address)} {each.why}.")
        ollama = _ollama(found)
        startable = self._idle(found, wishes)
        if ollama is not None and not wishes.offline:
            self._say("Ollama runs and has no model yet.")
            if not self._pull(ollama):
                raise NoLocalModel("No model was taken.")
        elif startable:
            self._offer(startable)
        elif any(isinstance(each, LocalServer) for each in found):
            raise NoLocalModel(
                f"{_serving(found)}, but no model can be used. Load one there, then: oi --local"
            )
        else:
            raise NoLocalModel(NOTHING_INSTALLED)

    def _idle(self, found: Sequence[LocalServer | Silent], wishes: Wishes) -> list[Program]:
        """The programs that could be started, where the person has not named a server."""
        running = {each.kind for each in found if isinstance(each, LocalServer)}
        installed = programs.installed(self._environment) if wishes.api_base is None else ()
        return [program for program in installed if program.kind not in running]

    def _offer(self, startable: Sequence[Program]) -> None:
        for program in startable:
            name = NAMES[program.kind]
            answer = self._ask(f"{name} is installed and does not run. Start it? [Enter] yes  [n]o: ")
            if answer is None:
                raise NoLocalModel(
                    f"No model runs on this machine. Start one, such as: {program.words}. Then: oi --local"
                )
            if answer.strip().lower() in {"", "y", "yes"}:
                self._start(program)
                return
        raise NoLocalModel("No model was taken.")

    def _start(self, program: Program) -> None:
        """Start it and wait until it answers. It goes on running after this run."""
        name = NAMES[program.kind]
        self._say(f"Starting {name}: {program.words}")
        log = self._state / f"{program.kind}.log"
        with programs.started(program, self._environment, log) as failed:
            look = partial(self._look, roots=self._roots)
            server = programs.answered(look, program, failed, _WAIT_SECONDS)
        if server is None:
            raise NoLocalModel(f'{name} was started but does not answer. What it said is in "{log}".')
        self._say(f"{name} runs now, and goes on running when oi ends.")

    def _pull(self, ollama: LocalServer) -> bool:
        """Ask which model to fetch, and try to; false if none is wished. Raises ``NoLocalModel`` if nobody is there."""
        self._say("\n".join(["Models that can be fetched:", "", *_aligned(pulling.table()), ""]))
        while True:
            answer = self._ask("Which? [Enter] the first, a number, the name of any other, [q] none: ")
            if answer is None:
                first = pulling.SUGGESTED[0].name
                raise NoLocalModel(f"Ollama has no model yet. Fetch one, such as: ollama pull {first}")
            answer = answer.strip()
            if answer.lower() in {"q", "quit"}:
                return False
            name = pulling.named(answer)
            if name is not None:
                pulling.pull(ollama.api_base, name, say=self._say)
                return True
            self._say(f"Type a number from 1 to {len(pulling.SUGGESTED)}, or a name.")

    def _ask(self, question: str) -> str | None:
        return None if self._asks is None else self._asks(question)


def offered(
    environment: Mapping[str, str], *, roots: Sequence[str] | None = None, seconds: float = servers.SECONDS
) -> tuple[Choice, ...]:
    """The models that are served on this machine now, the best first; raises ``ModelError`` for an address."""
    found = servers.find(environment, roots=roots, seconds=seconds)
    return tuple(sorted(_choices(found), key=_worth, reverse=True))


@dataclass(frozen=True, slots=True)
class _More:
    """Something else that can be done, in the words of the question."""

    words: str
    run: Callable[[], object]


def _choices(found: Sequence[LocalServer | Silent]) -> Iterator[Choice]:
    for server in found:
        if isinstance(server, LocalServer):
            yield from (
                Choice(kind=server.kind, api_base=server.api_base, model=model) for model in server.models
            )


def _worth(choice: Choice) -> tuple[int, int, int, int, int]:
    """Best first: what sees and calls tools, then what is loaded already, then what holds more."""
    model = choice.model
    sees, calls = _known(model.sees), _known(model.calls_tools)
    return (min(sees, calls), sees + calls, _known(model.loaded), model.context or 0, model.size_bytes or 0)


def _known(flag: bool | None) -> int:  # noqa: FBT001 - what is judged
    """Unknown is worth more than no and less than yes."""
    return {True: 2, None: 1, False: 0}[flag]


def _columns(choice: Choice) -> tuple[str, str, str, str, str, str]:
    model = choice.model
    size = "" if model.size_bytes is None else f"{model.size_bytes / 1e9:.1f} GB"
    context = "unknown" if model.context is None else _tokens(model.context)
    where = NAMES[choice.kind]
    return (visible(model.name), where, _word(model.sees), _word(model.calls_tools), context, size)


def _word(flag: bool | None) -> str:  # noqa: FBT001 - what is said
    return {True: "yes", False: "no", None: "unknown"}[flag]


def _tokens(number: int) -> str:
    return f"{number // 1024}k" if number >= 1024 else str(number)  # noqa: PLR2004 - as windows are named


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(["", *(cell.ljust(width) for cell, width in zip(row, widths, strict=True))]).rstrip()
        for row in table
    ]


def _question(usual: Choice, more: Mapping[str, _More]) -> str:
    others = "".join(f"  {each.words}" for each in more.values())
    return f'[Enter] takes "{visible(usual.model.name)}", or a number or name{others}  [q]uit: '


def _unasked(choices: Sequence[Choice], usual: Choice, *, remembered: bool) -> Choice:
    """Where nobody can be asked: the one of last time, or the only one."""
    if remembered or len(choices) == 1:
        return usual
    raise NoLocalModel(
        f"There are {len(choices)} models on this machine and nobody to choose, since the input is not a terminal. "
        f"Name one: --local --model NAME. There are: {_listed(choices)}."
    )


def _listed(choices: Sequence[Choice]) -> str:
    names = [f'"{visible(choice.model.name)}"' for choice in choices]
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _ollama(found: Sequence[LocalServer | Silent]) -> LocalServer | None:
    return next((each for each in found if isinstance(each, LocalServer) and each.kind == "ollama"), None)


def _serving(found: Sequence[LocalServer | Silent]) -> str:
    names = dict.fromkeys(NAMES[each.kind] for each in found if isinstance(each, LocalServer))
    run = "runs" if len(names) == 1 else "run"
    return f"{' and '.join(names)} {run}"
