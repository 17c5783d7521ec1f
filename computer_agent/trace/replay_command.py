"""`oi replay`: do what was recorded again, without a model, and say what became of each step."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.trace.errors import TraceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_agent.loop import Agent
    from computer_agent.profiles.choosing import Asking
    from computer_agent.settings import Settings
    from computer_agent.trace.healing import Healer
    from computer_agent.trace.reader import Trace
    from computer_agent.trace.replay import ReplayModel
    from computer_agent.trace.replay_result import ReplayResult

DONE, NOT_DONE, WRONG = 0, 1, 2
_WHICH = "Say which trace: oi replay TRACE; `oi trace list` lists them."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the command line lends: settings from flags, a run with the view on the terminal, the person there."""

    with_settings: Callable[[list[str], Callable[[Settings], int]], int]
    run: Callable[[Settings, ReplayModel, Callable[[Agent], None]], int]
    asking: Asking


def replay(words: Sequence[str], ways: Ways) -> int:
    """Replay the trace that is named first; returns an exit code."""
    match list(words):
        case [trace, *rest] if not trace.startswith("-"):
            own, rest = _parser().parse_known_args(rest)
            if own.accept is not None:
                from computer_agent.trace.command import trace as trace_command

                out = [] if own.out is None else ["-o", own.out]
                return ways.with_settings(
                    rest,
                    lambda settings: trace_command(["heal", trace, own.accept, *out], settings.environment),
                )
            return ways.with_settings(rest, lambda settings: _replay(trace, settings, own, ways))
        case _:
            sys.stderr.write(f"{_WHICH}\n")
            return WRONG


def _parser() -> argparse.ArgumentParser:
    """What only a replay has, beside the options of every run."""
    parser = argparse.ArgumentParser(prog="oi replay", add_help=False, allow_abbrev=False)
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="K")
    parser.add_argument("--until", dest="last", type=int, default=None, metavar="K")
    parser.add_argument("--speed", default=None, type=_speed, metavar="X")
    parser.add_argument("--step", action="store_true")
    parser.add_argument("--heal", choices=("off", "ask", "model"), default="off")
    parser.add_argument("--accept", default=None, metavar="HEALED")
    parser.add_argument("--out", default=None, metavar="FOLDER")
    return parser


def _speed(words: str) -> float:
    """How many times as fast as recorded. Raises ``ArgumentTypeError``."""
    try:
        speed = 1.0 if words.casefold() == "real" else float(words)
    except ValueError:
        speed = 0.0
    if not 0.0 < speed <= 1000.0:  # noqa: PLR2004 - a faster one is none at all
        raise argparse.ArgumentTypeError(
            f'--speed takes "real", or how many times as fast as recorded, not "{words}"'
        )
    return speed


def _replay(name: str, settings: Settings, own: argparse.Namespace, ways: Ways) -> int:
    from computer_agent.trace.reader import read
    from computer_agent.trace.replay import ReplayModel
    from computer_agent.trace.replay_gate import Replaying
    from computer_agent.trace.storage import found

    recorded = read(found(name, settings.traces))
    replaying = Replaying(
        speed=own.speed,
        step=_asked_before_each(ways.asking) if own.step else None,
        heal=_healer(own.heal, settings, recorded, ways.asking),
    )
    model = ReplayModel(recorded, values=settings.values, first=own.first, last=own.last)
    placed = settings_for(recorded, settings if own.out is None else replace(settings, trace=Path(own.out)))
    folders: list[Path] = []

    def opened(agent: Agent) -> None:
        folders.append(agent.trace.folder)
        model.attach(agent, replaying)

    code = ways.run(placed, model, opened)
    if folders:
        for line in kept(model, recorded, folders[0], name):
            ways.asking.say(line)
    return code


def settings_for(recorded: Trace, settings: Settings) -> Settings:
    """The settings that a replay of this trace runs with."""
    from computer_agent.trace.variables import filled, variable_names
    from computer_platform import NAMES

    header = recorded.header
    known = header.desktop if header.desktop in NAMES else None
    open_names = variable_names(recorded)
    return replace(
        settings,
        os=header.screen is not None,  # else it was a conversation about code
        task=filled(recorded, settings.values).header.task,
        model="replay",
        # where it was recorded: a task from a private desktop, or from one monitor, is not let loose on all the rest
        desktop=settings.desktop or known,
        screen=header.monitor if settings.screen is None else settings.screen,
        # what is given for a name is no secret; all else is hidden wherever it shows
        values={name: value for name, value in settings.values.items() if name.casefold() not in open_names},
    )


def kept(model: ReplayModel, recorded: Trace, folder: Path, name: str = "TRACE") -> Iterator[str]:
    """Keep the result and what was healed beside the trace of the replay; what is worth saying of them."""
    from computer_agent.trace.healing import write_healed
    from computer_agent.trace.reader import read
    from computer_agent.trace.replay_result import with_pictures, write_result

    result = with_pictures(model.result, recorded, read(folder))
    write_result(result, recorded, folder)
    yield from told(result, recorded, folder)
    if model.healed:
        file = write_healed(model.healed, recorded, folder, model.unfilled)
        yield from (f"Step {healed.number}: {healed.sentence()}." for healed in model.healed)
        yield f"Look through {file}, then keep it with: oi trace heal {name} {file}"


def told(result: ReplayResult, recorded: Trace, folder: Path) -> Iterator[str]:
    """The step at which it went otherwise, expected above seen, and where their pictures are."""
    failed = result.failed
    if failed is None:
        return
    how = "stopped before step" if failed.outcome == "stopped" else "diverged at step"
    yield f"{how} {failed.number}: {failed.action}"
    yield f"  expected  {failed.expected}"
    yield f"  seen      {failed.seen}"
    before = failed.outcome == "stopped"
    pictures = failed.pictures
    expected = pictures.recorded_before if before else pictures.recorded_after or pictures.recorded_before
    seen = pictures.seen_before if before else pictures.seen_after or pictures.seen_before
    for word, image, place in (("recorded", expected, recorded.folder), ("now", seen, folder)):
        if image is not None:
            yield f"  {word:<9} {place / 'images' / image}"
    yield f"  side by side: oi trace view {folder}"


def _asked_before_each(asking: Asking) -> Callable[[str], bool]:
    """Ask on the terminal before each step. Raises ``TraceError`` where there is none."""
    if not sys.stdin.isatty():
        raise TraceError("--step asks before each step, and the input is not a terminal here.")

    def ask(words: str) -> bool:
        answer = asking.ask(f"{words}  [Enter goes on, q stops] ")
        return answer is not None and answer.strip().casefold() not in ("q", "quit", "n", "no")

    return ask


def _healer(how: str, settings: Settings, recorded: Trace, asking: Asking) -> Healer | None:
    """Who finds lost targets. Raises ``TraceError`` where nobody can be asked, ``ModelError`` and ``BadSetting``."""
    from computer_agent.trace.healing import AskingModel, AskingPerson

    if how == "off":
        return None
    person = AskingPerson(recorded=recorded, ask=asking.ask, say=asking.say) if sys.stdin.isatty() else None
    if how == "ask":
        if person is None:
            raise TraceError("--heal ask asks where a target is now, and the input is not a terminal here.")
        return person
    from computer_agent.code_settings import BadSetting
    from computer_agent.model_choice import model_in
    from computer_agent.models.grounding import pointing

    name = settings.model
    if name is None or name in ("steps", "replay"):
        raise BadSetting("--heal model asks a model where a target is now: name one with --model.")
    model = model_in(lambda _able: pointing(name), settings, asking.say)
    return AskingModel(model=model, recorded=recorded, say=asking.say, person=person)
