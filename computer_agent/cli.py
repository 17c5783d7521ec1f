"""`oi`: arguments -> settings -> exit code. Answers --version and --help before anything heavy is imported.

Exit codes: 0 done, 1 not done (a limit, a refusal, the model gave up), 2 cannot run here, 130 stopped.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from types import FrameType

    from computer_agent.conversations.record import Kept
    from computer_agent.loop import Agent
    from computer_agent.models.model import Model
    from computer_agent.profiles.choosing import Asking
    from computer_agent.settings import Settings
    from computer_agent.step import Event, Finished

DONE, NOT_DONE, CANNOT_RUN, STOPPED = 0, 1, 2, 130

_AGAIN_SECONDS = 1.0  # between two Ctrl-C that are two wishes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    _escape_what_cannot_be_written()
    try:
        with _stoppable(), _written():
            return _command(words)
    except KeyboardInterrupt:
        return _complain("Stopped.", STOPPED)
    except BrokenPipeError:  # whoever read us has gone
        _discard_output()
        return NOT_DONE
    except OSError as error:
        _discard_output()
        on = f' ("{error.filename}")' if error.filename else ""
        return _complain(f"oi had to end, since the system said: {error.strerror or error}{on}.", NOT_DONE)


def version() -> str:
    """The version of the installed package."""
    from importlib import metadata

    try:
        return metadata.version("oi-desktop")
    except metadata.PackageNotFoundError:
        return "from sources"


def _command(words: list[str]) -> int:
    match words:
        case ["--version" | "-V"]:
            return _say(f"oi {version()}")
        case ["help" | "--help" | "-h", *about]:
            return _say(_help(about))
        case ["watch" | "stop" | "undo" | "redo" | "diff" | "trace" | "resume" | "record" as name, *rest]:
            return _named(name)(rest, dict(os.environ))
        case ["conversations" | "--conversations" as name, *rest]:
            return _about_conversations(name, rest)
        case ["config" | "skills" | "--profiles" | "--reset_profile" | "--reset-profile" as name, *rest]:
            return _about_settings(name)(rest, dict(os.environ))
        case ["doctor", *rest]:
            return _with_settings(rest, _doctor)
        case ["replay", *rest]:
            return _replay(rest)
        case _:
            return _with_settings(words, _task)


def _help(about: Sequence[str]) -> str:
    """The page of help about that."""
    match about:
        case ["steps", *_]:
            from importlib import resources

            return resources.files("computer_agent").joinpath("prompts/steps.md").read_text("utf-8")
        case ["options", *_]:
            return _parser().format_help()
        case _:
            from computer_agent.flags import HELP

            return HELP


def _named(name: str) -> Callable[[Sequence[str], Mapping[str, str]], int]:
    """A command that has a parser of its own."""
    if name == "watch":
        from computer_agent.watch import watch

        return watch
    if name == "stop":
        from computer_agent.stop import stop

        return stop
    if name == "record":
        return lambda words, _environment: _record(words)
    if name == "trace":
        from computer_agent.trace.command import trace

        return trace
    if name == "resume":
        return lambda words, _environment: _resume(words)
    from computer_agent import undo

    return {"undo": undo.undo, "redo": undo.redo, "diff": undo.diff}[name]


def _about_settings(name: str) -> Callable[[Sequence[str], Mapping[str, str]], int]:
    """A command on the files of settings, or on skills."""
    from computer_agent.profiles import command

    if name == "skills":
        from computer_agent.skills.command import skills

        return lambda words, environment: skills(words, environment, _command)
    if name == "config":
        return lambda words, environment: command.config(words, environment, _asking())
    return command.profiles if name == "--profiles" else command.reset_profile


def _asking() -> Asking:
    """How the person on the terminal is asked, if there is one."""
    from computer_agent.chat.line import hidden, read_line
    from computer_agent.chat.view import TerminalView
    from computer_agent.profiles.choosing import Asking

    def ask(question: str, read: Callable[[str], str] = read_line) -> str | None:
        try:
            return read(question) if sys.stdin.isatty() else None
        except EOFError:
            return None

    return Asking(ask=ask, secret=partial(ask, read=partial(hidden, read_line)), say=TerminalView().say)


def _parser() -> argparse.ArgumentParser:
    from computer_agent.flags import parser

    return parser(version())


def _with_settings(words: list[str], then: Callable[[Settings], int]) -> int:
    """Read the settings and go on, or say in one sentence what is wrong with them."""
    from computer_agent.code_settings import BadSetting
    from computer_agent.models.model import ModelError
    from computer_agent.profiles.choosing import layers
    from computer_agent.settings import from_flags
    from computer_agent.trace.errors import TraceError
    from computer_platform.desktop import DesktopUnavailable

    flags, environment = _parser().parse_args(words), dict(os.environ)
    try:
        files = layers(flags, environment, _asking())
        for note in (note for layer in files for note in layer.notes):
            _complain(note, DONE)
        return then(from_flags(flags, environment, files))
    except (BadSetting, DesktopUnavailable, ModelError, TraceError) as error:
        return _complain(str(error), CANNOT_RUN)


def _task(settings: Settings) -> int:
    """A task on the desktop, or a conversation: without ``--os``, and where no task is given."""
    from computer_agent.assemble import model_for
    from computer_agent.chat.view import TerminalView

    chosen = _first_run(settings)
    if chosen is None:
        return CANNOT_RUN
    settings = _with_piped(_on_the_desktop(chosen))
    if not settings.task.strip() and not sys.stdin.isatty():
        return _complain('Say what to do: oi --os "fill in the travel form from trip.md".', CANNOT_RUN)
    if not (settings.os and settings.task.strip()):
        return _converse(settings)
    if settings.llm.local:
        settings = _with_local_model(settings)
    with _offline(settings):
        return _run(
            settings, model_for(settings, TerminalView().say), quiet_thoughts=settings.model == "steps"
        )


def _on_the_desktop(settings: Settings) -> Settings:
    """Steps, where the first run or a person's file has named them and not this command, are for the desktop."""
    from dataclasses import replace

    named_now = settings.sources.get("model") == "the command line"
    return settings if settings.model != "steps" or named_now else replace(settings, os=True)


def _with_piped(settings: Settings) -> Settings:
    """The settings with what is piped in as the task, or, where there is one, below it."""
    from dataclasses import replace

    from computer_agent.chat.piped import piped

    if settings.os and settings.task.strip():
        return settings
    text = piped(wait=not settings.task.strip())
    return replace(settings, task="\n\n".join(filter(None, [settings.task, text]))) if text else settings


def _converse(settings: Settings, resumed: Kept | None = None) -> int:
    """Talk on the terminal; where the input is a pipe, for one turn."""
    from computer_agent.assemble import model_for
    from computer_agent.chat.talk import Around, Opening, talk
    from computer_agent.chat.view import TerminalView

    if settings.llm.local:
        settings = _with_local_model(settings)
    if settings.model == "steps" and not settings.os:
        return _complain("Steps are for the desktop: oi --os --model steps ...", CANNOT_RUN)
    opening = Opening(first=settings.task, alone=not sys.stdin.isatty(), resumed=resumed)
    around = Around(
        shown=shown,
        suspendable=_suspendable,
        exit_code=lambda finished: _exit_code(finished, acted=finished.spent.steps > 0),
    )
    with _offline(settings):
        return talk(settings, model_for(settings, TerminalView().say), opening, around)


def _first_run(settings: Settings) -> Settings | None:
    """The settings with a model, which who has named none is asked for; ``None`` when nobody decides.

    Raises ``BadSetting`` where nobody can be asked.
    """
    from computer_agent.code_settings import BadSetting
    from computer_agent.settings import THREE_WAYS

    if settings.model is not None or settings.llm.local:
        return settings
    if not sys.stdin.isatty():
        raise BadSetting(THREE_WAYS)
    from computer_agent.first_run import first_run

    return first_run(settings, _asking())


def _with_local_model(settings: Settings) -> Settings:
    """A model of this machine, which the person takes from a menu on the terminal, if there is one."""
    from computer_agent.chat.line import read_line
    from computer_agent.chat.view import TerminalView
    from computer_agent.model_choice import chosen_locally

    def ask(question: str) -> str | None:
        try:
            return read_line(question)
        except EOFError:
            return None

    return chosen_locally(settings, ask=ask if sys.stdin.isatty() else None, say=TerminalView().say)


@contextmanager
def _offline(settings: Settings) -> Iterator[None]:
    """While ``--offline`` is set, the model's own server is all of the network that there is."""
    if not settings.llm.offline:
        yield
        return
    from computer_agent.local.offline import offline
    from computer_agent.model_choice import reached

    with offline(reached(settings), settings.environment):
        yield


def _replay(words: Sequence[str]) -> int:
    """Do what was recorded again."""
    from computer_agent.trace.replay_command import Ways, replay

    def run(settings: Settings, model: Model, opened: Callable[[Agent], None]) -> int:
        return _run(settings, model, quiet_thoughts=True, opened=opened)

    return replay(words, Ways(with_settings=_with_settings, run=run, asking=_asking()))


def _resume(words: Sequence[str]) -> int:
    """Go on with a run that broke off, as a run of its own, or with a conversation."""
    from computer_agent.resume import resumed, told_apart
    from computer_agent.trace.reader import read
    from computer_agent.trace.storage import found

    match told_apart(words):
        case (name, *rest), unknown if not name.startswith("-"):
            return _with_settings(
                list(rest),
                lambda settings: (
                    _go_on(settings, name)
                    if _is_conversation(name, settings)
                    else _task(
                        resumed(read(found(name, settings.traces)), settings, unknown, _ask_whether_done)
                    )
                ),
            )
        case rest, _:
            return _with_settings(list(rest), _go_on)


def _is_conversation(name: str, settings: Settings) -> bool:
    """Whether that names a conversation and not a trace. Raises ``TraceError`` where it names neither."""
    from computer_agent.conversations import storage as conversations
    from computer_agent.conversations.record import ConversationError
    from computer_agent.trace.errors import TraceError
    from computer_agent.trace.storage import found

    try:
        found(name, settings.traces)
    except TraceError as no_trace:
        try:
            return bool(conversations.found(name, conversations.folder_of(settings.state)))
        except ConversationError as no_conversation:
            raise TraceError(f"{no_trace} {no_conversation}") from None
    return name.endswith(".jsonl")


def _go_on(settings: Settings, name: str | None = None) -> int:
    """Go on with an earlier conversation, by default with the newest."""
    from dataclasses import replace

    from computer_agent.conversations.record import ConversationError, read
    from computer_agent.conversations.storage import folder_of, found, newest

    folder = folder_of(settings.state)
    try:
        kept = read(newest(folder) if name is None else found(name, folder))
    except ConversationError as error:
        return _complain(str(error), CANNOT_RUN)
    settings = replace(
        settings, model=settings.model or kept.header.model or None, os=settings.os or kept.header.os
    )
    chosen = _first_run(settings)
    if chosen is None:
        return CANNOT_RUN
    settings = _with_piped(chosen)
    if not settings.task.strip() and not sys.stdin.isatty():
        return _complain('Say how to go on: echo "and now as a table" | oi resume', CANNOT_RUN)
    return _converse(settings, kept)


def _about_conversations(name: str, words: Sequence[str]) -> int:
    """A command on kept conversations; with two dashes: go on with the one that the person picks of the list."""
    from computer_agent.conversations.command import conversations, picked

    if name == "conversations":
        return conversations(words, dict(os.environ))
    path = picked(dict(os.environ), _asking().ask)
    if path is None:
        return DONE
    return _with_settings(list(words), lambda settings: _go_on(settings, path))


def _record(words: Sequence[str]) -> int:
    """Record what the person does at their desktop."""
    from computer_agent.recording.command import flags_of, record

    flags = flags_of(words)
    where = [] if flags.trace is None else ["--trace", flags.trace]
    return _with_settings(where, lambda settings: record(flags.task, settings))


def _ask_whether_done(what: str) -> Literal["done", "again"] | None:
    """Ask the person about a step without a result; ``None`` where nobody can be asked, or says nothing clear."""
    from computer_agent.chat.line import read_line

    if not sys.stdin.isatty():
        return None
    try:
        said = read_line(f"{what}\nWas it done? [y = go on after it / n = do it again] ")
    except EOFError:
        return None
    answers: dict[str, Literal["done", "again"]] = {"y": "done", "yes": "done", "n": "again", "no": "again"}
    return answers.get(said.strip().casefold())


def _doctor(settings: Settings) -> int:
    from computer_agent.doctor import doctor

    return doctor(settings)


def _nothing_more(_agent: Agent) -> None:
    """Nothing is to be done with an agent but to run it."""


def _run(
    settings: Settings,
    model: Model,
    *,
    quiet_thoughts: bool,
    opened: Callable[[Agent], None] = _nothing_more,
) -> int:
    """Do the task with the view on the terminal; ``opened`` is called with the agent before it begins."""
    from computer_agent.assemble import Questions, agent_for
    from computer_agent.chat.editor import editor
    from computer_agent.chat.question import (
        DeniedQuestion,
        GoOnQuestion,
        InputQuestion,
        SafetyQuestion,
        TerminalQuestion,
    )
    from computer_agent.chat.view import TerminalView
    from computer_agent.loop import run
    from computer_agent.step import Deciding

    view = TerminalView(quiet_thoughts=quiet_thoughts)
    acted = False

    def tell(event: Event) -> None:
        nonlocal acted
        acted = acted or isinstance(event, Deciding)
        view.show(event)

    questions = Questions(
        ask=partial(TerminalQuestion, view, edit=editor(settings.environment)),
        go_on=GoOnQuestion(view),
        denied=DeniedQuestion(view),
        line=InputQuestion(view),
        safety=SafetyQuestion(view),
    )
    with agent_for(settings, model, tell=tell, questions=questions) as agent:
        agent.computer.presence.on_stop = _stop_main_thread
        opened(agent)
        if settings.desktop is None and agent.computer.desktop.name == "private":
            view.say(
                f"{_no_screen(settings)}, so the work is done on a private desktop; `oi watch` shows it."
            )
        with _suspendable(agent.computer.let_go), closing(run(settings.task, agent)) as events:
            finished = shown(events, view.show)
    return STOPPED if finished is None else _exit_code(finished, acted=acted)


def shown(events: Generator[Event, None, None], show: Callable[[Event], None]) -> Finished | None:
    """Show a run's events to its end. A Ctrl-C meanwhile is the run's to hear, which then says how it ended."""
    from computer_agent.step import Finished

    finished = None
    event = next(events, None)
    while event is not None:
        finished = event if isinstance(event, Finished) else None
        try:
            show(event)
        except KeyboardInterrupt as stop:
            event = events.throw(stop)
        else:
            event = next(events, None)
    return finished


def _no_screen(settings: Settings) -> str:
    """Why the person's own screen was not taken."""
    display = settings.environment.get("DISPLAY")
    return f'The screen "{display}" does not answer' if display else "There is no screen here"


def _exit_code(finished: Finished, *, acted: bool) -> int:
    match finished.ending:
        case "done":
            return DONE
        case "stopped":
            return STOPPED
        case "failed" if not acted:
            return CANNOT_RUN
        case _:
            return NOT_DONE


@contextmanager
def _stoppable() -> Iterator[None]:
    """A polite kill ends a run as Ctrl-C does, and so does closing its terminal: keys released, trace closed.

    Pressed again at once, Ctrl-C says nothing new, and must not break off the release of keys; after a moment it may.
    """
    heard = -_AGAIN_SECONDS

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal heard
        if time.monotonic() - heard >= _AGAIN_SECONDS:
            heard = time.monotonic()
            raise KeyboardInterrupt

    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        numbers.append(signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        usual = handler in (signal.default_int_handler, signal.SIG_DFL)
        if number == signal.SIGTERM or usual:  # else `nohup` wants it unheard
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _suspendable(let_go: Callable[[], None]) -> Iterator[None]:
    """Before Ctrl-Z suspends us nothing stays pressed: with Ctrl held down nobody could type ``fg``."""
    if sys.platform == "win32" or signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:
        yield
        return

    def suspend(number: int, _frame: FrameType | None) -> None:
        let_go()
        signal.signal(number, signal.SIG_DFL)  # not SIGSTOP: where no shell could wake us this does nothing
        os.kill(os.getpid(), number)
        signal.signal(number, suspend)

    signal.signal(signal.SIGTSTP, suspend)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)


def _stop_main_thread() -> None:
    """What a stop gesture does, heard on another thread: the same as Ctrl-C."""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGTERM)
        return
    main = threading.main_thread().ident
    if main is not None:
        signal.pthread_kill(main, signal.SIGTERM)  # to that thread, so that what it waits for ends


@contextmanager
def _written() -> Iterator[None]:
    """What was said is written when the command ends, while a failure to do so can still be told."""
    try:
        yield
    finally:
        sys.stdout.flush()


def _open_closed_streams() -> None:
    """Point standard streams that were closed, as in `oi ... <&-`, at nothing.

    Python has ``None`` for them, and the next file that is opened would get their number: a trace would be
    written to as if it were the terminal.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as we live
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - the same
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - the same


def _escape_what_cannot_be_written() -> None:
    """Characters that the terminal's encoding has not are written as escapes, instead of ending what goes on."""
    from io import TextIOWrapper

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """What is still to be written to standard output goes nowhere: another try at the end would fail too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _say(words: str) -> int:
    sys.stdout.write(words.rstrip("\n") + "\n")
    return DONE


def _complain(words: str, code: int) -> int:
    with suppress(OSError):  # nobody can be told, but the exit code still says it
        sys.stderr.write(words.rstrip("\n") + "\n")
    return code
