"""Every setting there is: its key in files, its flags, its variable, its default. The parser is made from this table.

What holds is decided here, too: flags over environment over profile over the config file over defaults.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

Kind = Literal["text", "flag", "whole number", "number", "list"]

DEFAULT_MODELS = {
    "ANTHROPIC_API_KEY": "anthropic/claude-sonnet-4-5",
    "OPENAI_API_KEY": "openai/gpt-5",
    "GEMINI_API_KEY": "gemini/gemini-2.5-pro",
    "OPENROUTER_API_KEY": "openrouter/anthropic/claude-sonnet-4.5",
}
"""Which model runs when only a key is there: the first of these whose variable is set."""

FAST_MODELS = {
    "ANTHROPIC_API_KEY": "anthropic/claude-haiku-4-5",
    "OPENAI_API_KEY": "openai/gpt-5-mini",
    "GEMINI_API_KEY": "gemini/gemini-2.5-flash",
    "OPENROUTER_API_KEY": "openrouter/anthropic/claude-haiku-4.5",
}
"""The same where quick answers are wished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One setting."""

    key: str
    """Its name in files, and of the value that the parser leaves."""
    help: str
    flags: tuple[str, ...] = ()
    kind: Kind = "text"
    default: Any = None
    choices: tuple[str, ...] = ()
    variable: str | None = None
    """The variable of the environment that sets it."""
    metavar: str | None = None
    group: str = ""
    negatable: bool = False
    """Whether there is a ``--no-`` before its long flag."""
    in_files: bool = True
    """Whether profiles and the config file may set it."""


_CODE, _MODEL, _TALK = "code steps", "the model", "the conversation"

OPTIONS = (
    Option(
        key="profile",
        flags=("-p", "--profile"),
        variable="OI_PROFILE",
        help="settings by name, from a file or from an https address; `oi --profiles` shows where they are",
        metavar="NAME",
    ),
    Option(key="os", flags=("--os", "-os"), kind="flag", default=False, help="use the whole desktop"),
    Option(
        key="model",
        flags=("-m", "--model"),
        variable="OI_MODEL",
        help="steps, or a model as litellm names it",
    ),
    Option(
        key="desktop",
        flags=("--desktop",),
        choices=("x11", "private", "memory"),
        variable="OI_DESKTOP",
        help="default: what is there",
    ),
    Option(
        key="size",
        flags=("--size",),
        default="1280x800",
        variable="OI_SIZE",
        help="size of a private desktop, 1280x800",
    ),
    Option(
        key="screen",
        flags=("--screen",),
        variable="OI_SCREEN",
        help="the one monitor to work on, 0 is the primary; default: all",
        metavar="N",
    ),
    Option(
        key="glide",
        flags=("--glide",),
        kind="flag",
        default=False,
        help="move the pointer as a hand would, not at once",
    ),
    Option(
        key="reader",
        variable="OI_READER",
        help="what reads text from the screen: ppocr or tesseract",
    ),
    Option(
        key="approve",
        flags=("--approve",),
        choices=("plan", "ask", "auto", "all", "never"),
        default="ask",
        help="what is not known to change nothing: refused (plan), asked about (ask), asked about unless it is "
        "confined (auto), done (all); default: ask",
    ),
    Option(
        key="safe_mode",
        flags=("-safe", "--safe-mode", "--safe_mode"),
        choices=("off", "ask", "auto"),
        default="off",
        help="as in Open Interpreter: ask before each block, or judge each; both set -y aside",
    ),
    Option(
        key="share",
        flags=("--share",),
        choices=("ask", "wait", "off"),
        default="ask",
        help="when you use the mouse or the keyboard yourself; default: ask",
    ),
    Option(
        key="max_steps",
        flags=("--max-steps", "--max_steps"),
        kind="whole number",
        default=100,
        help="default: 100",
        metavar="N",
    ),
    Option(
        key="max_seconds",
        flags=("--max-seconds", "--max_seconds"),
        kind="number",
        default=1800.0,
        help="default: 1800",
        metavar="S",
    ),
    Option(
        key="max_budget",
        flags=("-b", "--max-budget", "--max_budget"),
        kind="number",
        help="dollars",
        metavar="USD",
    ),
    Option(
        key="trace",
        flags=("--trace",),
        in_files=False,
        help="folder for the trace; default: a new one in the state folder",
    ),
    Option(
        key="local",
        flags=("-l", "--local"),
        kind="flag",
        default=False,
        group=_MODEL,
        help="choose a model on this machine",
    ),
    Option(
        key="offline",
        flags=("-o", "--offline"),
        kind="flag",
        default=False,
        group=_MODEL,
        help="no network but the model's own server: all else is an error",
    ),
    Option(
        key="fast",
        kind="flag",
        default=False,
        group=_MODEL,
        help="where no model is named, the quick one of the first key that is set",
    ),
    Option(
        key="api_base",
        flags=("-ab", "--api-base", "--api_base"),
        variable="OI_API_BASE",
        group=_MODEL,
        help="address of a server",
        metavar="URL",
    ),
    Option(
        key="api_key",
        flags=("-ak", "--api-key", "--api_key"),
        variable="OI_API_KEY",
        group=_MODEL,
        help="key for it",
        metavar="KEY",
    ),
    Option(
        key="api_version",
        flags=("-av", "--api-version", "--api_version"),
        variable="OI_API_VERSION",
        group=_MODEL,
        help="version of its API",
        metavar="VERSION",
    ),
    Option(
        key="transport",
        flags=("--transport",),
        default="auto",
        variable="OI_TRANSPORT",
        group=_MODEL,
        help="auto, litellm or http; default: auto",
        metavar="NAME",
    ),
    Option(
        key="dialect",
        flags=("--dialect",),
        variable="OI_DIALECT",
        group=_MODEL,
        help="how it is spoken to; default: by its name",
        metavar="NAME",
    ),
    Option(
        key="grounder",
        flags=("--grounder",),
        variable="OI_GROUNDER",
        group=_MODEL,
        help="a second model that only points",
        metavar="MODEL[@URL]",
    ),
    Option(
        key="supports_vision",
        flags=("-lsv", "--supports-vision", "--llm_supports_vision"),
        kind="flag",
        negatable=True,
        group=_MODEL,
        help="whether it can see; default: found out",
    ),
    Option(
        key="supports_functions",
        flags=("-lsf", "--supports-functions", "--llm_supports_functions"),
        kind="flag",
        negatable=True,
        group=_MODEL,
        help="whether it can call tools; default: found out",
    ),
    Option(
        key="context_window",
        flags=("-cw", "--context-window", "--context_window"),
        kind="whole number",
        group=_MODEL,
        help="in tokens",
        metavar="N",
    ),
    Option(
        key="max_tokens",
        flags=("-x", "--max-tokens", "--max_tokens"),
        kind="whole number",
        group=_MODEL,
        help="of one reply",
        metavar="N",
    ),
    Option(
        key="temperature",
        flags=("-t", "--temperature"),
        kind="number",
        group=_MODEL,
        help="0 to 2",
        metavar="T",
    ),
    Option(
        key="custom_instructions",
        flags=("-ci", "--custom-instructions", "--custom_instructions", "--instructions"),
        default="",
        group=_MODEL,
        help="at the end of the system prompt; @FILE reads them",
        metavar="TEXT",
    ),
    Option(
        key="system_message",
        flags=("-sm", "--system-message", "--system_message"),
        group=_MODEL,
        help="in place of our own rules in the system prompt; @FILE reads it",
        metavar="TEXT",
    ),
    Option(
        key="observe",
        flags=("--observe",),
        choices=("picture", "marked", "text"),
        group=_MODEL,
        help="what it is shown: a picture, one with numbered elements, or words; default: as it can see",
    ),
    Option(
        key="pictures",
        flags=("--pictures",),
        choices=("full", "changed"),
        default="full",
        group=_MODEL,
        help="each time the whole picture, or only what changed while that is little; default: full",
    ),
    *(
        Option(
            key=f"{name}_template",
            flags=(f"--{name.replace('_', '-')}-template", f"--{name}_template"),
            group=_MODEL,
            help="for a model without tools",
            metavar="TEXT",
        )
        for name in ("user_message", "code_output", "empty_code_output")
    ),
    Option(
        key="workspace",
        flags=("--workspace",),
        group=_CODE,
        help="the folder they work in; default: this one",
        metavar="FOLDER",
    ),
    Option(
        key="sandbox",
        flags=("--sandbox",),
        variable="OI_SANDBOX",
        group=_CODE,
        help="auto, bwrap, landlock, seatbelt or none; default: auto",
        metavar="NAME",
    ),
    Option(
        key="access",
        flags=("--access",),
        variable="OI_ACCESS",
        group=_CODE,
        help="what they may change: read-only, workspace-write or full; default: workspace-write",
        metavar="WHAT",
    ),
    Option(
        key="writable",
        flags=("--writable",),
        kind="list",
        default=(),
        group=_CODE,
        help="a further place they may change",
        metavar="PATH",
    ),
    Option(
        key="max_output",
        flags=("-xo", "--max-output", "--max_output"),
        kind="whole number",
        group=_CODE,
        help="characters of an output that the model is shown, half of them from its end; default: 8000",
        metavar="N",
    ),
    Option(
        key="network",
        flags=("--network",),
        variable="OI_NETWORK",
        group=_CODE,
        help="off, on, or hosts such as example.org,.example.net; default: off",
        metavar="HOSTS",
    ),
    Option(
        key="browser",
        flags=("--browser",),
        variable="OI_BROWSER",
        group=_CODE,
        help="own (one of the agent's own), screen (yours), or a program; default: own where there is one",
        metavar="WHICH",
    ),
    Option(
        key="python",
        flags=("--python",),
        variable="OI_PYTHON",
        group=_CODE,
        help="the interpreter of Python steps",
        metavar="PROGRAM",
    ),
    Option(
        key="languages",
        flags=("--languages",),
        variable="OI_LANGUAGES",
        group=_CODE,
        help="a JSON file with further languages",
        metavar="FILE",
    ),
    Option(
        key="verbose",
        flags=("-v", "--verbose", "-debug", "--debug", "--debug_mode"),
        kind="flag",
        default=False,
        group=_TALK,
        help="say more of what is done",
    ),
    Option(
        key="plain",
        flags=("-pl", "--plain", "-s", "--stdin"),
        kind="flag",
        default=False,
        group=_TALK,
        help="plain text alone: no colours, no layout",
    ),
    Option(
        key="multi_line",
        flags=("-ml", "--multi-line", "--multi_line"),
        kind="flag",
        default=True,
        negatable=True,
        group=_TALK,
        help='whether """ begins and ends a text of several lines; default: it does',
    ),
    Option(
        key="loop",
        flags=("--loop",),
        kind="flag",
        default=False,
        group=_TALK,
        help="in a conversation, ask the model to go on until it says that the whole task is done",
    ),
    Option(
        key="highlight_active_line",
        kind="flag",
        default=True,
        group=_TALK,
        help="accepted, and changes nothing: no line of code is marked",
    ),
)
BY_KEY: Mapping[str, Option] = {option.key: option for option in OPTIONS}

_OF_ONE_MODEL = (
    "api_base",
    "api_key",
    "api_version",
    "transport",
    "dialect",
    "supports_vision",
    "supports_functions",
    "context_window",
    "max_tokens",
)
"""What is said of one model, and is not true of a model of another provider."""
_FLAG, _VARIABLE, _FIRST_LAYER, _DEFAULT = 0, 1, 2, 1_000  # how strong: the lowest holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What a profile or the config file sets, in the values that the parser would leave."""

    source: str
    """In words, such as ``profile "fast"`` or the path of a file."""
    values: Mapping[str, Any]
    lines: Mapping[str, int] = field(default_factory=dict)
    """In which line each is set, where that is known."""
    notes: tuple[str, ...] = ()
    """What the person should know of it."""

    def place(self, key: str) -> str:
        """Where a value comes from, in words."""
        return f"{self.source}, line {self.lines[key]}" if key in self.lines else self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """A value that holds, and where it comes from in words. ``rank``: 0 a flag, 1 a variable, then layer by layer."""

    value: Any
    source: str
    rank: int = _DEFAULT

    @property
    def in_file(self) -> bool:
        """Whether a profile or the config file set it."""
        return _FIRST_LAYER <= self.rank < _DEFAULT

    @property
    def is_elsewhere(self) -> bool:
        """Whether it was set, but not on the command line."""
        return _FLAG < self.rank < _DEFAULT


def effective(
    flags: argparse.Namespace, environment: Mapping[str, str], layers: Sequence[Layer] = ()
) -> dict[str, Effective]:
    """Every setting's value and where it comes from; ``layers`` are the strongest first."""
    found = {option.key: _strongest(option, flags, environment, layers) for option in OPTIONS}
    found["model"] = _model(found, environment)
    for key in _OF_ONE_MODEL:
        found[key] = _of_this_model(key, found, layers)
    found["api_key"] = _for_this_address(found)
    return found


def filled(flags: argparse.Namespace, found: Mapping[str, Effective]) -> argparse.Namespace:
    """What the parser left, with the value that holds for each option."""
    from argparse import Namespace

    return Namespace(**{**vars(flags), **{key: each.value for key, each in found.items()}})


def key_that_is_set(environment: Mapping[str, str]) -> str | None:
    """The name of the first key that is set, whose model runs where none is named."""
    return next((key for key in DEFAULT_MODELS if environment.get(key)), None)


def _strongest(
    option: Option, flags: argparse.Namespace, environment: Mapping[str, str], layers: Sequence[Layer]
) -> Effective:
    return next(_said(option, flags, environment, layers), Effective(value=option.default, source="default"))


def _said(
    option: Option, flags: argparse.Namespace, environment: Mapping[str, str], layers: Sequence[Layer]
) -> Iterator[Effective]:
    """All that is said of a setting, the strongest first."""
    given = getattr(flags, option.key, None)
    if given is not None:
        yield Effective(value=given, source="the command line", rank=_FLAG)
    if option.variable is not None and environment.get(option.variable):
        yield Effective(value=environment[option.variable], source=option.variable, rank=_VARIABLE)
    for rank, layer in enumerate(layers, start=_FIRST_LAYER):
        if option.key in layer.values:
            yield Effective(value=layer.values[option.key], source=layer.place(option.key), rank=rank)


def _model(found: Mapping[str, Effective], environment: Mapping[str, str]) -> Effective:
    """The model that is named; without one the one of a key, or of this machine."""
    model, local, fast = found["model"], found["local"], found["fast"]
    if local.value and model.rank > local.rank:
        return Effective(value=None, source="to be chosen on this machine", rank=local.rank)
    if model.value or local.value:
        return replace(model, value=model.value or None)
    key = key_that_is_set(environment)
    if key is None:
        return Effective(value=None, source="default")
    return Effective(value=(FAST_MODELS if fast.value else DEFAULT_MODELS)[key], source=f"{key} is set")


def _of_this_model(key: str, found: Mapping[str, Effective], layers: Sequence[Layer]) -> Effective:
    """A value that a file gives for its own model, unless a model of another provider was named over it."""
    value, model = found[key], found["model"]
    if not value.in_file or model.rank >= value.rank:
        return value
    theirs = layers[value.rank - _FIRST_LAYER].values.get("model")
    if not theirs or _provider(theirs) == _provider(model.value):
        return value
    source = f'default, since that of {value.source} is for "{theirs}"'
    return Effective(value=BY_KEY[key].default, source=source)


def _for_this_address(found: Mapping[str, Effective]) -> Effective:
    """A key that stands in a file goes nowhere but to the address of that file."""
    key, address = found["api_key"], found["api_base"]
    if not key.in_file or key.rank == address.rank or not address.value:
        return key
    return Effective(value=None, source=f"default, since that of {key.source} is for another address")


def _provider(model: str | None) -> str:
    return (model or "").partition("/")[0]
