"""`oi skills`: the tasks that are kept under a name; one is done again with `oi skills run NAME`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from computer_agent.settings import state_folder
from computer_agent.skills import keeping
from computer_api.errors import ComputerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from computer_agent.skills.keeping import Skill

DONE, NOT_DONE, WRONG = 0, 1, 2
_USAGE = """\
oi skills                               the tasks that are kept under a name
oi skills save NAME [TRACE] [name=TEXT] keep a recorded run, by default the newest that was done;
                                        each TEXT becomes a parameter wherever it stands in it
oi skills run NAME [--var name=TEXT]    do it again; all options of `oi replay` hold
oi skills remove NAME                   remove one for good"""


def skills(words: Sequence[str], environment: Mapping[str, str], oi: Callable[[list[str]], int]) -> int:
    """Do one of the commands on skills; ``oi`` does another command of `oi`. Returns an exit code."""
    state = state_folder(environment)
    folder = keeping.folder_of(state)
    try:
        match list(words):
            case [] | ["list"]:
                return _say(_listed(keeping.skills(folder)))
            case ["save", name, *rest]:
                traces = [word for word in rest if "=" not in word]
                values = dict(word.split("=", 1) for word in rest if "=" in word)
                trace = keeping.trace_meant(traces[0] if traces else None, state / "traces")
                return _say([f"Kept. {_told(keeping.save(folder, name, trace, values))}"])
            case ["run", name, *rest]:
                return oi([*_command(keeping.named(folder, name)), *rest])
            case ["remove", name]:
                return _say([f'Removed "{keeping.remove(folder, name)}".'])
            case ["-h" | "--help" | "help", *_]:
                return _say(_USAGE.splitlines())
            case other:
                return _complain(f'"oi skills {" ".join(other)}" is not known.\n{_USAGE}')
    except ComputerError as error:
        return _complain(str(error))


def _command(skill: Skill) -> list[str]:
    """The words of the command that does it again."""
    file = str(skill.file)
    if skill.file.suffix == ".steps":
        return ["--os", "--model", "steps", "--file", file]
    return ["replay", file]


def _listed(found: Sequence[Skill]) -> list[str]:
    if not found:
        return ["No skill is kept yet. After a task that went well: oi skills save NAME"]
    return [_told(skill) for skill in found]


def _told(skill: Skill) -> str:
    takes = "".join(f' --var {name}="{default or "TEXT"}"' for name, default in skill.variables.items())
    return f'{skill.name}: {" ".join(skill.what.split())[:200]}\n    oi skills run "{skill.name}"{takes}'


def _say(lines: Sequence[str]) -> int:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return DONE


def _complain(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return WRONG
