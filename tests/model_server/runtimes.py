"""Local runtimes: which models they have, and in whose words they tell it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Flavour = Literal[
    "openai", "anthropic", "gemini", "ollama", "lmstudio", "jan", "vllm", "llamacpp", "llamafile"
]

_AT = "2026-01-01T00:00:00Z"
_TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
_TOOLS_TEMPLATE = "{% if tools %}{{ tools }}{% endif %}" + _TEMPLATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A model that a runtime has. ``context`` is in tokens; ``held`` is what it holds now, of what it could."""

    name: str
    sees: bool = False
    calls: bool = True
    thinks: bool = False
    context: int = 32768
    held: int | None = None
    loaded: bool = True
    embeds: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered: a body, or lines of a stream."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """One server's way to tell about itself. ``loading`` says that it is not ready yet.

    ``can_pull`` are the models that a pull finds, besides those it has.
    """

    flavour: Flavour
    models: tuple[Served, ...] = (Served(name="scripted", sees=True, context=128_000),)
    can_pull: tuple[str, ...] = ()
    loading: bool = False

    def speaks(self, path: str) -> bool:
        """Whether it answers questions to a model at that path; OpenAI's stand-in does at every one."""
        if self.flavour == "openai":
            return True
        if self.flavour == "gemini":
            return path.startswith("/v1beta/")
        if self.flavour == "anthropic":
            return path == "/v1/messages"
        return path.startswith("/v1/") or (self.flavour == "ollama" and path == "/api/chat")

    def answer(self, method: str, path: str, raw: bytes) -> Answer:
        """What is answered to a request that is no question to a model."""
        place = path.partition("?")[0].rstrip("/") or "/"
        if self.loading and self.flavour == "llamacpp":
            error = {"code": 503, "message": "Loading model", "type": "unavailable_error"}
            return _json({"error": error}, 503)
        if self.flavour == "ollama":
            answered = self._ollama(method, place, _object(raw))
            if answered is not None:
                return answered
        told = self._told(place) if method == "GET" else None
        return self._unknown(method, path) if told is None else told

    def _told(self, place: str) -> Answer | None:
        match (self.flavour, place):
            case (_, "/v1/models"):
                return _json(self._models())
            case ("gemini", "/v1beta/models"):
                return _json({"models": [_gemini(model) for model in self.models]})
            case ("lmstudio", "/api/v0/models"):
                return _json({"object": "list", "data": [_lmstudio(model) for model in self.models]})
            case ("lmstudio", "/api/v1/models"):
                return _json({"models": [_lmstudio_v1(model) for model in self.models]})
            case ("llamacpp" | "llamafile", "/props"):
                return _json(_props(self.models[0]))
            case ("llamacpp" | "llamafile", "/health"):
                return _json({"status": "ok"})
            case ("vllm", "/health" | "/version"):
                return Answer() if place == "/health" else _json({"version": "0.11.0"})
            case _:
                return None

    def _models(self) -> dict[str, Any]:
        if self.flavour == "anthropic":
            data = [
                {"type": "model", "id": one.name, "display_name": one.name, "created_at": _AT}
                for one in self.models
            ]
            return {"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]}
        listed: dict[str, Any] = {"object": "list", "data": [self._model(one) for one in self.models]}
        if self.flavour == "llamacpp":
            listed["models"] = [_llamacpp(one) for one in self.models]
        return listed

    def _model(self, model: Served) -> dict[str, Any]:
        """As OpenAI lists it, with what the runtime adds."""
        own = {"id": model.name, "object": "model", "created": 1, "owned_by": _OWNERS[self.flavour]}
        match self.flavour:
            case "vllm":
                return own | {
                    "root": model.name,
                    "parent": None,
                    "max_model_len": model.held or model.context,
                    "permission": [],
                }
            case "llamacpp":
                return own | {"meta": {"n_ctx_train": model.context, "n_params": 7_600_000_000, "size": 1}}
            case "lmstudio" | "llamafile":
                del own["created"]
                return own
            case _:
                return own

    def _ollama(self, method: str, place: str, given: Mapping[str, Any]) -> Answer | None:
        named = str(given.get("model") or given.get("name") or "")
        found = next((one for one in self.models if _same(one.name, named)), None)
        match (method, place):
            case ("GET", "/"):
                return Answer(body=b"Ollama is running", headers={"Content-Type": "text/plain"})
            case ("GET", "/api/version"):
                return _json({"version": "0.13.0"})
            case ("GET", "/api/tags"):
                return _json({"models": [_tag(one) for one in self.models]})
            case ("GET", "/api/ps"):
                held = [_tag(one) | {"context_length": one.held or 4096} for one in self.models if one.loaded]
                return _json({"models": held})
            case ("POST", "/api/show"):
                missing = {"error": f"model '{named}' not found"}
                return _json(missing, 404) if found is None else _json(_shown(found))
            case ("POST", "/api/pull"):
                return self._pulled(named, stream=given.get("stream") is not False)
            case _:
                return None

    def _pulled(self, named: str, *, stream: bool) -> Answer:
        if not any(_same(one, named) for one in (*self.can_pull, *(model.name for model in self.models))):
            steps: list[dict[str, Any]] = [
                {"status": "pulling manifest"},
                {"error": "pull model manifest: file does not exist"},
            ]
            return _lines(steps) if stream else _json(steps[1], 500)
        layer = {"status": "pulling 8934d96d3f08", "digest": "sha256:8934d96d3f08", "total": 1000}
        steps = [
            {"status": "pulling manifest"},
            layer,
            *(layer | {"completed": done} for done in (0, 400, 1000)),
            {"status": "verifying sha256 digest"},
            {"status": "writing manifest"},
            {"status": "success"},
        ]
        return _lines(steps) if stream else _json(steps[-1])

    def _unknown(self, method: str, path: str) -> Answer:
        """What each says of a path that it does not know; LM Studio says it with status 200."""
        match self.flavour:
            case "lmstudio":
                return _json({"error": f"Unexpected endpoint or method. ({method} {path})"})
            case "ollama":
                return Answer(404, b"404 page not found", {"Content-Type": "text/plain"})
            case "vllm":
                return _json({"detail": "Not Found"}, 404)
            case "llamacpp" | "llamafile":
                error = {"code": 404, "message": "File Not Found", "type": "not_found_error"}
                return _json({"error": error}, 404)
            case _:
                error = {"message": f"Invalid URL ({method} {path})", "type": "invalid_request_error"}
                return _json({"error": error | {"param": None, "code": None}}, 404)


_OWNERS: dict[Flavour, str] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "ollama": "library",
    "lmstudio": "organization_owner",
    "jan": "llama-server",
    "vllm": "vllm",
    "llamacpp": "llamacpp",
    "llamafile": "llamacpp",
}

OPENAI = Runtime(flavour="openai")


def _json(value: object, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value).encode())


def _lines(values: list[dict[str, Any]]) -> Answer:
    return Answer(lines=tuple(json.dumps(value) for value in values))


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw or b"{}")
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _same(name: str, asked: str) -> bool:
    """Ollama's names end with a tag, which may be left out when it is ``latest``."""
    return asked != "" and asked in {name, name.removesuffix(":latest")}


def _tag(model: Served) -> dict[str, Any]:
    return {
        "name": model.name,
        "model": model.name,
        "modified_at": _AT,
        "size": 4_700_000_000,
        "digest": "8934d96d3f08",
        "details": _details(model),
    }


def _details(model: Served) -> dict[str, Any]:
    family = model.name.partition(":")[0]
    return {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family],
        "parameter_size": "7.6B",
        "quantization_level": "Q4_K_M",
    }


def _shown(model: Served) -> dict[str, Any]:
    family = model.name.partition(":")[0]
    can = {"vision": model.sees, "tools": model.calls, "thinking": model.thinks}
    capabilities = (
        ["embedding"] if model.embeds else ["completion", *(name for name, has in can.items() if has)]
    )
    parameters = f"num_ctx                        {model.held}" if model.held else ""
    return {
        "modelfile": f"FROM {model.name}",
        "parameters": parameters,
        "template": "{{ .Prompt }}",
        "details": _details(model),
        "model_info": {
            "general.architecture": family,
            "general.parameter_count": 7_600_000_000,
            f"{family}.context_length": model.context,
        },
        "capabilities": capabilities,
        "modified_at": _AT,
    }


def _lmstudio(model: Served) -> dict[str, Any]:
    kind = "embeddings" if model.embeds else "vlm" if model.sees else "llm"
    listed: dict[str, Any] = {
        "id": model.name,
        "object": "model",
        "type": kind,
        "publisher": "lmstudio-community",
        "arch": "qwen2_vl",
        "compatibility_type": "gguf",
        "quantization": "Q4_K_M",
        "state": "loaded" if model.loaded else "not-loaded",
        "max_context_length": model.context,
    }
    if model.loaded:
        listed["loaded_context_length"] = model.held or 4096
    if model.calls:
        listed["capabilities"] = ["tool_use"]
    return listed


def _lmstudio_v1(model: Served) -> dict[str, Any]:
    """As LM Studio tells since 0.4."""
    listed: dict[str, Any] = {
        "type": "embedding" if model.embeds else "llm",
        "publisher": "lmstudio-community",
        "key": model.name,
        "display_name": model.name,
        "loaded_instances": [],
        "max_context_length": model.context,
        "format": "gguf",
    }
    if model.loaded:
        config = {"context_length": model.held or 4096}
        listed["loaded_instances"] = [{"id": model.name, "config": config}]
    if not model.embeds:
        listed["capabilities"] = {"vision": model.sees, "trained_for_tool_use": model.calls}
    return listed


def _llamacpp(model: Served) -> dict[str, Any]:
    capabilities = ["completion", "multimodal"] if model.sees else ["completion"]
    return {"name": model.name, "model": model.name, "type": "model", "capabilities": capabilities}


def _props(model: Served) -> dict[str, Any]:
    return {
        "default_generation_settings": {"id": 0, "n_ctx": model.held or model.context, "params": {}},
        "total_slots": 1,
        "model_path": f"/models/{model.name}",
        "chat_template": _TOOLS_TEMPLATE if model.calls else _TEMPLATE,
        "modalities": {"vision": model.sees, "audio": False},
        "build_info": "b7000-1a2b3c4d",
    }


def _gemini(model: Served) -> dict[str, Any]:
    return {
        "name": f"models/{model.name}",
        "displayName": model.name,
        "inputTokenLimit": model.context,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }
