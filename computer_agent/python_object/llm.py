"""``interpreter.llm``: which model, how it is asked, and the place for a function of a person's own instead of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from computer_agent.python_object.handover import Handover
from computer_agent.step import Answer, Observation
from computer_api.actions import RunCode

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from computer_agent.lmc import Chunk
    from computer_agent.local.capabilities import Capabilities
    from computer_agent.models.grounding import Grounded
    from computer_agent.models.language_model import LanguageModel
    from computer_agent.python_object.completions import Completions
    from computer_agent.python_object.dialect import Execute
    from computer_agent.python_object.interpreter import Interpreter
    from computer_agent.settings import Settings

USUAL_MODEL = "gpt-4o"
_SHARE_OF_REPLY = 0.2  # of the window, for the longest reply
_PROVIDERS = frozenset(
    {
        *("anthropic", "azure", "azure_ai", "bedrock", "cohere", "custom_openai", "deepseek", "fireworks_ai"),
        *("gemini", "groq", "hosted_vllm", "huggingface", "llamafile", "lm_studio", "mistral", "ollama"),
        *(
            "ollama_chat",
            "openai",
            "openai_like",
            "openrouter",
            "perplexity",
            "together_ai",
            "vertex_ai",
            "xai",
        ),
    }
)
_OLDEST_NAMES = {"i": "The hosted model is gone. Set llm.model to one of a provider, or one of this machine."}


class Llm:
    """The model. ``None`` is found out when it is first asked.

    ``completions`` is a function in place of any model: called as litellm's ``completion``, it yields chunks as OpenAI
    streams them. ``vision_renderer`` puts a picture into words for a model that cannot see.
    """

    def __init__(self, interpreter: Interpreter, model: str) -> None:
        self._interpreter = interpreter
        self.model = model
        self._temperature: float | None = None
        self.supports_vision: bool | None = None
        self.supports_functions: bool | None = None
        self.context_window: int | None = None
        self.max_tokens: int | None = None
        self.api_base: str | None = None
        self.api_key: str | None = None
        self.api_version: str | None = None
        self.max_budget: float | None = None
        self.execution_instructions: str = ""
        self.vision_renderer: Callable[..., str] | None = None
        self.completions: Completions | None = None
        self._made: tuple[object, LanguageModel | Grounded] | None = None

    @property
    def temperature(self) -> float:
        """How freely it chooses; as long as nobody sets it, it is left to the provider."""
        return self._temperature or 0.0

    @temperature.setter
    def temperature(self, value: float | None) -> None:
        self._temperature = value

    def run(self, messages: Sequence[Chunk]) -> Generator[Chunk, None, None]:
        """What the model says to these LMC messages, as chunks without a role; nothing is run or kept.

        Raises ``ModelError``.
        """

        def work(handover: Handover) -> None:
            model = self.over_messages(lambda: messages)
            told = 0

            def say(chunk: Chunk) -> None:
                handover.give(chunk)

            def code(language: str, text: str) -> None:
                nonlocal told
                told += len(text)
                if text:
                    say({"type": "code", "format": language, "content": text})

            model.on_code = code
            seen = Observation(screenshot=None)
            reply = model.decide(
                "", (), seen, lambda text: say({"type": "message", "content": text}) if text else None
            )
            if not isinstance(reply, Answer) and not told:
                for action in reply.actions:
                    if isinstance(action, RunCode):
                        say({"type": "code", "format": action.language, "content": action.code})

        yield from Handover(work).chunks()

    def load(self) -> None:
        """Find out what is not set: what the model can do, how many tokens it holds. Raises ``ModelError``."""
        from computer_agent.model_choice import abilities

        if self.completions is not None:
            return
        able = abilities(self._interpreter.settings(), lambda _words: None)
        if self.supports_vision is None:
            self.supports_vision = able.sees
        if self.supports_functions is None:
            self.supports_functions = able.calls_tools
        if self.context_window is None:
            self.context_window = able.context_window
        if self.max_tokens is None and self.context_window is not None:
            self.max_tokens = able.max_tokens or int(self.context_window * _SHARE_OF_REPLY)

    def named(self) -> str:
        """The model as litellm names it: one of an own server without its provider is as OpenAI's."""
        from computer_agent.code_settings import BadSetting

        if self.model in _OLDEST_NAMES and self.completions is None:
            raise BadSetting(_OLDEST_NAMES[self.model])
        provider, slash, _ = self.model.partition("/")
        if self.api_base and not (slash and provider in _PROVIDERS):
            return f"openai/{self.model}"
        return self.model

    def applied(self, settings: Settings) -> Settings:
        """The settings with what is set here."""
        from computer_agent.model_settings import key_of

        llm = replace(
            settings.llm,
            api_base=self.api_base or settings.llm.api_base,
            api_key=key_of(self.api_key, "llm.api_key") or settings.llm.api_key,
            api_version=self.api_version or settings.llm.api_version,
            supports_vision=self.supports_vision,
            supports_functions=self.supports_functions,
            context_window=self.context_window,
            max_tokens=self.max_tokens,
            temperature=self._temperature,
        )
        limits = replace(settings.limits, dollars=self.max_budget or settings.limits.dollars)
        return replace(settings, model=self.named(), llm=llm, limits=limits)

    def over_messages(
        self, messages: Callable[[], Sequence[Chunk]], settings: Settings | None = None
    ) -> LanguageModel:
        """The model, shown these messages."""
        from computer_agent.model_choice import model_in
        from computer_agent.python_object.dialect import Execute

        interpreter = self._interpreter
        settings = settings or interpreter.settings()

        def dialect(able: Capabilities) -> Execute:
            window = able.context_window
            reply = self.max_tokens or able.max_tokens or 0
            return Execute(
                messages,
                interpreter.wording,
                lambda: interpreter.computer.languages_now.offered(settings.environment.get("PATH")),
                functions=able.calls_tools if self.completions is not None else able.calls_tools is not False,
                sees=able.sees is not False,
                window=None if window is None else max(window - reply, window // 2),
                describe=self._described if self.vision_renderer is not None else None,
            )

        model = model_in(dialect, settings, lambda _words: None, transport=self._transport(settings))
        model.talks = True
        return model

    def for_turn(
        self, messages: Callable[[], Sequence[Chunk]], settings: Settings
    ) -> LanguageModel | Grounded:
        """The model of the next turn: the one of the turn before, unless something of it was changed."""
        wanted = (settings.os, settings.model, settings.llm, settings.limits, self.completions)
        if self._made is None or self._made[0] != wanted:
            made = self._on_screen(settings) if settings.os else self.over_messages(messages, settings)
            self._made = (wanted, made)
        return self._made[1]

    def _on_screen(self, settings: Settings) -> LanguageModel | Grounded:
        """The model that is shown the screen, in the dialect that suits it."""
        from computer_agent.model_choice import chosen_model, language_model

        transport = self._transport(settings)
        if transport is None:
            model = chosen_model(settings, lambda _words: None)
        else:
            model = language_model(settings, lambda _words: None)
            model.transport = transport
        if hasattr(model, "talks"):
            model.talks = True
        return model

    def _transport(self, settings: Settings) -> Any:  # noqa: ANN401 - ours on a function, or None for the usual one
        if self.completions is None:
            return None
        from computer_agent.models import prices
        from computer_agent.python_object.completions import CompletionsTransport

        llm = settings.llm
        asked = {
            "temperature": llm.temperature,
            "max_tokens": llm.max_tokens,
            "api_base": llm.api_base,
            "api_key": llm.api_key,
            "api_version": llm.api_version,
        }
        more = {name: value for name, value in asked.items() if value is not None}
        name = settings.model or ""
        return CompletionsTransport(self.completions, name, more, prices.row(name))

    def _described(self, message: Chunk) -> str:
        assert self.vision_renderer is not None  # noqa: S101 - only passed on where there is one
        return str(self.vision_renderer(lmc=message))
