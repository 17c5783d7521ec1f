"""What a model server on this machine is, and what each of its models can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["ollama", "lm_studio", "jan", "llamafile", "llama.cpp", "vllm", "openai"]
"""Which program serves; ``openai`` is any other that speaks chat completions."""
KINDS: tuple[Kind, ...] = get_args(Kind)

NAMES: dict[Kind, str] = {
    "ollama": "Ollama",
    "lm_studio": "LM Studio",
    "jan": "Jan",
    "llamafile": "Llamafile",
    "llama.cpp": "llama.cpp",
    "vllm": "vLLM",
    "openai": "another server",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """One model of a server. What its server does not say is ``None``, which means unknown and not no.

    ``context`` is in tokens: as it is loaded, else the most it can be loaded with. ``version`` changes when another
    model gets the same name, or the same is loaded otherwise.
    """

    name: str
    sees: bool | None = None
    calls_tools: bool | None = None
    context: int | None = None
    size_bytes: int | None = None
    loaded: bool | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A server that answered. ``api_base`` is what a client is told: Ollama's without ``/v1``, all others' with it.

    ``note`` says in a sentence why its models cannot be used, such as for want of a key; else it is empty.
    """

    kind: Kind
    api_base: str
    models: tuple[LocalModel, ...] = ()
    note: str = ""

    def model(self, name: str) -> LocalModel | None:
        """The model of exactly that name; Ollama also knows ``x:latest`` as ``x``."""
        names = {name, f"{name}:latest"} if self.kind == "ollama" else {name}
        return next((model for model in self.models if model.name in names), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """An address where no model server answered, and why, as the end of a sentence about it.

    ``alive`` where it may yet be one: it took the connection and said nothing in time, or that it is not ready.
    """

    address: str
    why: str
    alive: bool = False
