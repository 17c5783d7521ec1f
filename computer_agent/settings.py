"""Settings: flags over environment over profile over config file over defaults. The only reader of the environment."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from computer_agent.chat_settings import ChatSettings, chat_from_flags
from computer_agent.code_settings import BadSetting, CodeSettings, code_from_flags
from computer_agent.limits import Limits
from computer_agent.model_settings import ModelSettings, model_from_flags
from computer_agent.options import BY_KEY, effective, filled
from computer_api.terminal.sandbox import Network
from computer_platform import NAMES
from computer_vision.reader import ENGINES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from computer_agent.options import Effective, Layer
    from computer_vision.reader import EngineName

ApprovalMode = Literal["plan", "ask", "auto", "all"]
SafeMode = Literal["off", "ask", "auto"]
ShareMode = Literal["ask", "wait", "off"]

_MODES: dict[str, ApprovalMode] = {
    "plan": "plan",
    "ask": "ask",
    "auto": "auto",
    "all": "all",
}  # strictest first

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$")
_SHORTEST_SECRET = 12  # characters: what is shorter stands in other words, too

THREE_WAYS = """\
No model is named and no key is set, so there is nobody to decide. There are three ways:

  1. A key:           export ANTHROPIC_API_KEY=...   (or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY)
                      oi --os "fill in the travel form from trip.md"
  2. A local model:   oi --os --model openai/NAME --api-base http://127.0.0.1:1234/v1 "..."
  3. No model at all: oi --os --model steps 'open "mousepad"; type "Hello"; expect "Hello"'
                      (`oi help steps` shows the language)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a run can be told."""

    os: bool = False
    """Whether the whole desktop is the tool."""
    task: str = ""
    """What to do, in words, or the steps."""
    model: str | None = None
    """``steps``, or a model as litellm names it: ``anthropic/claude-sonnet-4-5``."""
    llm: ModelSettings = field(default_factory=ModelSettings)
    """Where a language model is and how it is asked."""
    desktop: str | None = None
    """``x11``, ``private``, ``memory``; ``None`` takes what is there."""
    size: tuple[int, int] = (1280, 800)
    """Size of a new private desktop, in pixels."""
    screen: int | Literal["all"] | None = None
    """The one monitor to work on, 0 being the primary, or all; ``None``, all, where nobody said."""
    glide: bool = False
    """Whether the pointer moves as a hand would, instead of at once."""
    approval: ApprovalMode = "ask"
    """What is done unasked: what changes nothing, and with ``auto`` what is confined, with ``all`` nearly all. With
    ``plan`` the rest is refused."""
    share: ShareMode = "ask"
    """When the person uses the desktop themselves: ask whether to go on, wait for quiet, or take no notice."""
    limits: Limits = field(default_factory=Limits)
    """Steps, seconds and money."""
    trace: Path | None = None
    """Folder of the trace; ``None`` makes a new one under ``traces``."""
    traces: Path = Path()
    """Where traces go that were given no folder."""
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Values that steps name as ``$NAME`` beside the environment's, and the secret texts that a replay types."""
    reader: EngineName | None = None
    """What reads text from the screen: ``ppocr`` or ``tesseract``; ``None`` takes what can run here."""
    code: CodeSettings = field(default_factory=CodeSettings)
    """How code steps run."""
    chat: ChatSettings = field(default_factory=ChatSettings)
    """How a conversation on the terminal looks."""
    profile: str | None = None
    """The profile that was named."""
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Where each value comes from, in words, by the key of its option."""
    state: Path = Path()
    """Where what outlives a run is kept, such as checkpoints."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The process's environment, for the desktop and the programs on it."""

    @property
    def monitor(self) -> int | None:
        """The one monitor to work on, ``None`` for all."""
        return None if self.screen == "all" else self.screen

    @property
    def named(self) -> Mapping[str, str]:
        """What steps may name as ``$NAME``: the values given, over the environment."""
        return {**self.environment, **self.values}


def from_flags(
    flags: argparse.Namespace, environment: Mapping[str, str], layers: Sequence[Layer] = ()
) -> Settings:
    """The settings that flags, environment and ``layers``, the profile and then the config file, say.

    Raises ``BadSetting``, which names the file that a value comes from.
    """
    found = effective(flags, environment, layers)
    sources = {key: each.source for key, each in found.items()}
    try:
        return replace(_settings(filled(flags, found), environment), sources=sources)
    except BadSetting as error:
        raise BadSetting(_with_place(str(error), found)) from None


def _settings(flags: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings of flags that each have the value that holds."""
    if flags.desktop not in (None, "", *NAMES):
        raise BadSetting(f'There is no desktop "{flags.desktop}". Choose one of: {", ".join(NAMES)}.')
    llm, code = model_from_flags(flags), code_from_flags(flags)
    if llm.offline and code.network.mode != "off":
        raise BadSetting("--offline and --network exclude each other: leave one of them out.")
    if llm.offline:
        code = replace(code, pages=Network())
    return Settings(
        os=flags.os,
        task=_task(flags),
        model=flags.model,
        llm=llm,
        desktop=flags.desktop or None,
        size=parse_size(flags.size),
        screen=parse_screen(flags.screen or ""),
        glide=flags.glide,
        approval=approval_mode(flags.approve, flags.safe_mode),
        share=flags.share,
        limits=_limits(flags),
        trace=_folder(flags.trace),
        traces=state_folder(environment) / "traces",
        values=dict(_assignment(words) for words in flags.var),
        reader=_reader(flags.reader),
        code=code,
        chat=chat_from_flags(flags),
        profile=flags.profile or None,
        state=state_folder(environment),
        environment=environment,
    )


def _with_place(message: str, found: Mapping[str, Effective]) -> str:
    """The message, and where the value stands that it is about, unless that is the flag itself."""
    said = set(re.findall(r"--[\w-]+", message))
    for key, each in found.items():
        if said.intersection(BY_KEY[key].flags) and each.is_elsewhere:
            return f"{message} It is set in {each.source}."
    return message


def known_secrets(settings: Settings) -> frozenset[str]:
    """Keys and passwords that this process was given: what a program prints of them is hidden from the model."""
    named = {value for name, value in settings.environment.items() if _SECRET_NAME.search(name)}
    given = {settings.llm.api_key or ""}
    return frozenset(text for text in named | given if len(text) >= _SHORTEST_SECRET)


def approval_mode(approve: str, safe_mode: SafeMode) -> ApprovalMode:
    """The mode of approval. ``safe_mode``, as the classic has it, never lets more through than it says itself.

    Its ``ask`` asks before each block, its ``auto`` judges each and asks about the risky ones; both set ``-y`` aside.
    """
    mode: ApprovalMode = "plan" if approve == "never" else _MODES[approve]
    strictness = tuple(_MODES.values())
    if safe_mode == "off":
        return mode
    return min(mode, safe_mode, key=strictness.index)


def _reader(name: str | None) -> EngineName | None:
    for engine in ENGINES:
        if engine == name:
            return engine
    if name:
        raise BadSetting(f'OI_READER cannot be "{name}". Choose one of: {", ".join(ENGINES)}.')
    return None


def _folder(trace: str | None) -> Path | None:
    if (
        trace is not None and not trace.strip()
    ):  # the current folder, which nobody means to fill with pictures
        raise BadSetting(f'--trace takes a folder for the trace, such as --trace run1, not "{trace}".')
    return None if trace is None else Path(trace)


def _limits(flags: argparse.Namespace) -> Limits:
    given = {
        "--max-steps": flags.max_steps,
        "--max-seconds": flags.max_seconds,
        "--max-budget": flags.max_budget,
    }
    for flag, value in given.items():
        if value is not None and not value > 0:  # "nan" is not more than anything, and would never be reached
            raise BadSetting(f'{flag} takes a number above 0, not "{value:g}".')
    return Limits(steps=flags.max_steps, seconds=flags.max_seconds, dollars=flags.max_budget)


def _assignment(words: str) -> tuple[str, str]:
    name, equals, value = words.partition("=")
    if not (name and equals):
        raise BadSetting(f'A value is given as NAME=VALUE, such as --var secret1=hunter2, not "{words}".')
    return name, value


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where this user's runs are kept: ``$XDG_STATE_HOME/oi``, by default under ``~/.local/state``."""
    state = environment.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "oi"


def parse_size(text: str) -> tuple[int, int]:
    """``1280x800`` as two numbers. Raises ``BadSetting``."""
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise BadSetting(f'A size is width x height in pixels, such as 1280x800, not "{text}".')
    if not (320 <= int(width) <= 16384 and 200 <= int(height) <= 16384):  # noqa: PLR2004 - what Xvfb takes
        raise BadSetting(f'A desktop is between 320x200 and 16384x16384 pixels, not "{text}".')
    return int(width), int(height)


def parse_screen(text: str) -> int | Literal["all"] | None:
    """``1`` as a number, ``all``, or ``None`` for nothing. Raises ``BadSetting``."""
    if not text:
        return None
    if text == "all":
        return "all"
    if not (text.isascii() and text.isdecimal()):
        raise BadSetting(f'A screen is 0 (the primary), 1, 2 and so on, or "all", not "{text}".')
    return int(text)


def _task(flags: argparse.Namespace) -> str:
    """The task from the words, or from the file that ``--file`` names. Raises ``BadSetting``."""
    if flags.file is None:
        return " ".join(flags.task)
    path = Path(flags.file)
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin with a mark
    except UnicodeDecodeError as error:
        raise BadSetting(
            f'The task file "{path}" is not UTF-8 text: byte {error.start} is '
            f"0x{error.object[error.start]:02x}. Save it as UTF-8."
        ) from None
    except OSError as error:
        raise BadSetting(f'The task file "{path}" cannot be read: {error.strerror}.') from None
    return "\n".join(filter(None, [" ".join(flags.task), text]))
