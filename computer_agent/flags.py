"""The flags of `oi`: one for each option of the table, and those of Open Interpreter, accepted or answered."""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from computer_agent.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.options import Option

HELP = """\
oi - does things on your computer: it asks before, and says what changed

  oi                          talk: it writes code and runs it when you say yes
  oi --os "fill in the form"  one task on the whole desktop
  oi replay TRACE             a recorded run again, without a model

  oi config [path|edit]       each setting, and where it comes from
  oi doctor                   what works here, and what to do about the rest
  oi trace                    recorded runs: list, show, view, export, remove
  oi record                   show it yourself once: a trace to replay
  oi skills                   tasks under a name, done again with other values
  oi conversations            what was talked about: list, search, show, export
  oi resume [NAME]            the newest or that conversation, or a broken run
  oi stop [PID|all]           halt the newest run, one, or all
  oi watch                    see a private desktop in the browser
  oi diff, undo, redo [N]     what code changed in this folder; take it back

  -m MODEL, --local           which model, or one of this machine
  -p NAME                     a profile: default, os, local, fast, safe, yours
  -y                          ask about the worst alone

More: oi help options; oi help steps (plain English, no model); oi COMMAND -h"""

REPLACED = {
    ("-sp", "--speak_messages"): "Nothing is spoken here: pipe what oi prints to a program that speaks.",
    ("--codestral",): "Name the model: oi --local --model codestral.",
    ("--llama3",): "Name the model: oi --local --model llama3.",
    ("--groq",): "Name the model: oi --model groq/llama-3.3-70b-versatile, with GROQ_API_KEY set.",
    ("--assistant",): "Name the model: oi --model NAME, or keep it in a profile: oi --profile NAME.",
    (
        "-vi",
        "--vision",
    ): "A model that can see is shown pictures by itself; --supports-vision says that one can.",
    ("--voice",): "Nothing is heard or spoken here.",
    (
        "--local_models",
    ): "Models live with their programs, such as Ollama and LM Studio: oi --local lists them.",
    (
        "--server",
        "--serve",
    ): "There is no server yet; in Python, `from computer_agent import interpreter` is the way.",
    ("--contribute_conversation",): "Nothing is ever uploaded, so there is nothing to contribute.",
    ("--provider",): "The provider stands before the model's name: --model anthropic/claude-sonnet-4-5.",
    ("--tools",): "Without --os code alone is run; with it the whole desktop is the tool.",
    (
        "--allowed-commands",
    ): "What may run is asked about, or decided by --approve, and confined by --sandbox.",
    (
        "--allowed-paths",
    ): "Name what code may change: --workspace FOLDER, --writable PATH, --access read-only.",
    ("--interactive", "--no-interactive"): "Without a task oi talks; with one it does that and ends.",
    ("--input",): 'The task stands by itself: oi --os "fill in the form", or in a file: --file task.txt.',
    ("--save-profile",): "A profile is a text file: `oi --profiles` says where it goes.",
    (
        "--profiles",
        "--reset_profile",
        "--reset-profile",
        "--conversations",
    ): "It stands by itself, as in: oi --profiles.",
}
"""Flags of Open Interpreter, and of its 1.0 preview, that are answered with what replaced them."""

IGNORED = {
    ("-dt", "--disable_telemetry"): "there is no telemetry",
}
"""Flags that ask for what is so anyway."""


def parser(version: str) -> argparse.ArgumentParser:
    """The parser of a run. What was not given it leaves as ``None``: defaults are the table's."""
    made = _Parser(prog="oi", usage="oi [options] [TASK...]", add_help=True, allow_abbrev=False)
    made.add_argument("task", nargs="*", help="what to do, in words or in steps", metavar="TASK")
    made.add_argument("--file", help="read the task from this UTF-8 text file")
    made.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value that steps name as $NAME, or a secret that a replay types",
    )
    groups: dict[str, Any] = {"": made}
    for option in OPTIONS:
        if option.group not in groups:
            groups[option.group] = made.add_argument_group(option.group)
        if option.flags:
            _add(groups[option.group], option)
    _add_shorthands(made)
    for ignored in IGNORED:
        made.add_argument(*ignored, action="store_true", dest="_ignored", help=argparse.SUPPRESS)
    for flags, answer in REPLACED.items():
        made.add_argument(*flags, action=_Replaced, const=answer, nargs="?", help=argparse.SUPPRESS)
    made.add_argument("-V", "--version", action="version", version=f"oi {version}")
    return made


def _add(to: Any, option: Option) -> None:  # noqa: ANN401 - a parser or one of its groups, whose class is private
    given: dict[str, Any] = {"dest": option.key, "default": None, "help": option.help}
    if option.kind == "flag":
        action = argparse.BooleanOptionalAction if option.negatable else "store_true"
        to.add_argument(*option.flags, action=action, **given)
        return
    types = {"whole number": int, "number": float}
    to.add_argument(
        *option.flags,
        action="append" if option.kind == "list" else "store",
        type=types.get(option.kind, str),
        choices=option.choices or None,
        metavar=option.metavar,
        **given,
    )


def _add_shorthands(to: argparse.ArgumentParser) -> None:
    """Flags that say a value of another one."""
    say = to.add_argument_group("in short")
    say.add_argument(
        "-y",
        "--yes",
        "--auto_run",
        "--auto-run",
        dest="approve",
        action="store_const",
        const="all",
        help="--approve all: allow all but a short list, which is always asked about",
    )
    say.add_argument(
        "--private", dest="desktop", action="store_const", const="private", help="--desktop private"
    )
    say.add_argument(
        "-f", "--fast", dest="profile", action="store_const", const="fast", help="--profile fast"
    )
    say.add_argument(
        "--no-tool-calling",
        dest="supports_functions",
        action="store_false",
        default=None,
        help="--no-supports-functions",
    )
    say.add_argument("--max-turns", dest="max_steps", type=int, help="--max-steps", metavar="N")
    say.add_argument(
        "-nhl",
        "--no_highlight_active_line",
        dest="highlight_active_line",
        action="store_false",
        default=None,
        help="accepted, and changes nothing: no line of code is marked",
    )


class _Replaced(argparse.Action):
    """A flag that is answered in one sentence."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        del namespace, values
        parser.exit(2, f"{option_string}: {self.const}\n")


class _Parser(argparse.ArgumentParser):
    """Complains in one line, with the flag that was perhaps meant."""

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ")
        near = self._nearest(unknown.split()[0]) if unknown != message and unknown else None
        hint = f" Did you mean {near}?" if near else ""
        sys.stdout.flush()
        self.exit(2, f"oi: {message}.{hint} `oi help options` lists them all.\n")

    def _nearest(self, flag: str) -> str | None:
        known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        near = difflib.get_close_matches(flag.partition("=")[0].replace("_", "-"), known, n=1)
        return near[0] if near else None
