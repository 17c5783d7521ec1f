"""The first `oi` of somebody who has set nothing: what there is, one question, one try, and it is kept."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible
from computer_agent.code_settings import BadSetting
from computer_agent.local.menu import Choice, NoLocalModel, offered
from computer_agent.local.server import NAMES
from computer_agent.model_settings import key_of
from computer_agent.models.model import ModelError
from computer_agent.options import DEFAULT_MODELS
from computer_agent.profiles.folders import config_file
from computer_agent.profiles.writing import keep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from computer_agent.profiles.choosing import Asking
    from computer_agent.settings import Settings

MODELS: Mapping[str, str] = {
    **DEFAULT_MODELS,
    "GROQ_API_KEY": "groq/llama-3.3-70b-versatile",
    "MISTRAL_API_KEY": "mistral/mistral-large-latest",
    "DEEPSEEK_API_KEY": "deepseek/deepseek-chat",
    "XAI_API_KEY": "xai/grok-4",
}
"""A model for each provider whose key may be there, by the variable it stands in."""

_SHAPES = (
    (re.compile(r"sk-ant-"), "ANTHROPIC_API_KEY"),
    (re.compile(r"sk-or-"), "OPENROUTER_API_KEY"),
    (re.compile(r"AIza"), "GEMINI_API_KEY"),
    (re.compile(r"gsk_"), "GROQ_API_KEY"),
    (re.compile(r"xai-"), "XAI_API_KEY"),
    (re.compile(r"sk-"), "OPENAI_API_KEY"),
)  # how the keys of providers begin, the closest first
_LONGEST_KEY = 400
_SHOWN = 8
_TRY_SECONDS = 60.0  # a model of this machine may have to be loaded first
_STEPS = """\
Steps need no model. One a line, or with ";" between them:
  open "mousepad"; type "Hello"; press ctrl+s; expect "Hello"
`oi help steps` shows them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A model that could decide, and the words that tell where it comes from."""

    model: str
    why: str
    api_base: str | None = None


def first_run(settings: Settings, asking: Asking, *, roots: Sequence[str] | None = None) -> Settings | None:
    """The settings with a model that answered, which is kept in the config file; ``None`` when the person leaves.

    It asks one question, and again only when what was taken does not work. ``roots`` is where servers of models are
    looked for, by default at the usual addresses of this machine. ``KeyboardInterrupt`` passes through.
    """
    offers = _offers(settings, roots)
    asking.say(_menu(offers))
    while True:
        answer = asking.ask(_question(offers))
        if answer is None or answer.strip().casefold() in {"q", "quit", "exit"}:
            return None
        try:
            taken = _taken(answer.strip(), offers, settings, asking)
            if taken is not None:
                return _ready(taken, asking)
        except (BadSetting, ModelError) as error:
            asking.say(f"{error}\nTake another one, or mend that and try again.")


def _offers(settings: Settings, roots: Sequence[str] | None) -> tuple[Offer, ...]:
    """What is there: keys in the environment, then the models that are served here."""
    keys = [
        Offer(model=model, why=f"{variable} is set")
        for variable, model in MODELS.items()
        if settings.environment.get(variable)
    ]
    try:
        local = offered(settings.environment, roots=roots)
    except ModelError:  # OLLAMA_HOST is no address: that is said where Ollama is wanted
        local = ()
    return tuple([*keys, *map(_of_choice, local)][:_SHOWN])


def _of_choice(choice: Choice) -> Offer:
    model = choice.model
    able = [word for word, flag in (("sees", model.sees), ("calls tools", model.calls_tools)) if flag]
    why = ", ".join([f"{NAMES[choice.kind]} on this machine", *able])
    return Offer(model=choice.name, why=why, api_base=choice.api_base)


def _menu(offers: Sequence[Offer]) -> str:
    width = max((len(visible(offer.model)) for offer in offers), default=0)
    lines = [
        f"  {number}  {visible(offer.model):<{width}}  {offer.why}" for number, offer in enumerate(offers, 1)
    ]
    found = (
        "What shall decide what is done?" if offers else "No key is set and no model runs on this machine."
    )
    return "\n".join(
        [
            f"oi has no model yet. {found}",
            "",
            *lines,
            "  k  a key that you paste: Anthropic, OpenAI, Gemini, OpenRouter, Groq, xAI",
            "  l  a model of this machine: find, start or fetch one (Ollama, LM Studio ...)",
            "  s  nobody: steps in plain English, which you write yourself",
            "",
        ]
    )


def _question(offers: Sequence[Offer]) -> str:
    numbers = f"[Enter] takes 1, or {'a number, ' if len(offers) > 1 else ''}" if offers else ""
    return f"{numbers}k, l, s, or q to leave: "


def _taken(answer: str, offers: Sequence[Offer], settings: Settings, asking: Asking) -> Settings | None:
    """The settings with what the answer takes; ``None`` for an answer that says nothing."""
    match answer.casefold():
        case "" if offers:
            return _with(settings, offers[0])
        case number if number.isdecimal() and 1 <= int(number[:4]) <= len(offers):
            return _with(settings, offers[int(number[:4]) - 1])
        case "k":
            return _pasted(asking.secret("The key (it is not shown): ") or "", settings)
        case "l":
            return _looked_for(settings, asking)
        case "s":
            asking.say(_STEPS)
            return replace(settings, model="steps", os=True)
        case _ if any(shape.match(answer) for shape, _ in _SHAPES):
            return _pasted(answer, settings)
        case _:
            asking.say(f'"{visible(answer)}" is none of these.')
            return None


def _with(settings: Settings, offer: Offer) -> Settings:
    llm = settings.llm if offer.api_base is None else replace(settings.llm, api_base=offer.api_base)
    return replace(settings, model=offer.model, llm=llm)


def _pasted(key: str, settings: Settings) -> Settings | None:
    """The settings with a key and the model of the provider whose keys look like that. Raises ``BadSetting``."""
    key = key_of(key[:_LONGEST_KEY], "what you pasted") or ""
    if not key:
        return None
    for shape, variable in _SHAPES:
        if shape.match(key):
            return replace(settings, model=MODELS[variable], llm=replace(settings.llm, api_key=key))
    raise BadSetting(
        "Whose key that is cannot be seen from how it begins. Set it as the variable of its provider, such as "
        "MISTRAL_API_KEY, and start oi again; or name the model: oi --model mistral/NAME --api-key KEY."
    )


def _looked_for(settings: Settings, asking: Asking) -> Settings | None:
    """What the longer menu of `oi --local` leads to."""
    from computer_agent.model_choice import chosen_locally

    try:
        return chosen_locally(settings, ask=asking.ask, say=asking.say)
    except NoLocalModel as none:
        asking.say(str(none))
        return None


def _ready(settings: Settings, asking: Asking) -> Settings:
    """Try it, keep it, and say what this desktop lacks. Raises ``ModelError`` and ``BadSetting`` if it fails."""
    if settings.model != "steps":
        asking.say(f"Trying {visible(settings.model or '')} ...")
        asking.say(f"It answers ({_tried(settings, asking):.1f} s).")
    _keep(settings, asking)
    _say_what_is_missing(settings, asking)
    return settings


def _tried(settings: Settings, asking: Asking) -> float:
    """How many seconds the answer to one tiny request took."""
    from computer_agent.assemble import model_for
    from computer_agent.models.language_model import LanguageModel
    from computer_agent.step import Observation

    began = time.monotonic()
    brief = replace(settings, limits=replace(settings.limits, seconds=_TRY_SECONDS))
    model = model_for(brief, asking.say)
    if isinstance(model, LanguageModel):
        model.talks = True  # words are enough
    model.decide("Answer with: ready.", (), Observation(screenshot=None), lambda _text: None)
    return time.monotonic() - began


def _keep(settings: Settings, asking: Asking) -> None:
    """Write it into the config file; a key only when the person says so."""
    file = config_file(settings.environment)
    values = {"model": settings.model, "api_base": settings.llm.api_base}
    kept = {key: value for key, value in values.items() if value is not None}
    if settings.llm.api_key is not None and settings.sources.get("api_key") in (None, "default"):
        answer = asking.ask(f'Keep the key in "{file}", where only you can read it? [y/N] ')
        if (answer or "").strip().casefold() not in {"y", "yes"}:
            variable = next(name for name, model in MODELS.items() if model == settings.model)
            asking.say(f"It is used now and kept nowhere. To have it again: export {variable}=...")
            return
        kept["api_key"] = settings.llm.api_key
    keep(file, kept)
    asking.say(f'Kept in "{file}". `oi config` shows it, `oi config edit` changes it.')


def _say_what_is_missing(settings: Settings, asking: Asking) -> None:
    """On a desktop, what a task on the whole of it would lack."""
    on_a_desktop = sys.platform in ("darwin", "win32") or settings.environment.get("DISPLAY")
    if not on_a_desktop:
        return
    from computer_agent.doctor import looked_over

    missing = [f"  {finding.name}: {finding.words}" for finding in looked_over(settings)]
    if missing:
        asking.say("\n".join(["For tasks on the desktop (oi --os) there is to mend:", *missing]))
    else:
        asking.say('The desktop can be used, too: oi --os "..."; `oi doctor` tries each part of it.')
