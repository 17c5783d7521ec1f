"""How local runtimes say that something failed: each in its own words and shape, some with status 200."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model_server.protocols.protocol import Event, compact, words_of

if TYPE_CHECKING:
    from model_server.brain import Status
    from model_server.request import Request
    from model_server.runtimes import Flavour

_WORDS: dict[Flavour, dict[str, str]] = {
    "lmstudio": {
        "context": "The number of tokens to keep from the initial prompt is greater than the context length "
        "(n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a "
        "shorter input.",
        "no_model": "Model not found",
        "no_images": "Model does not support images. Please use a model that does.",
    },
    "llamacpp": {
        "context": "the request exceeds the available context size, try increasing it",
        "auth": "Invalid API Key",
        "overloaded": "Loading model",
        "no_images": "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    },
    "vllm": {
        "context": "This model's maximum context length is 8192 tokens. However, you requested 9500 tokens (9000 in "
        "the messages, 500 in the completion). Please reduce the length of the messages or completion.",
        "no_model": "The model `scripted` does not exist.",
        "no_images": "scripted is not a multimodal model",
    },
    "ollama": {
        "no_model": 'model "scripted" not found, try pulling it first',
        "no_images": "this model is missing data required for image input",
    },
}
_VLLM = {
    400: "BadRequestError",
    401: "AuthenticationError",
    404: "NotFoundError",
    503: "ServiceUnavailableError",
}
_LLAMACPP = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    503: "unavailable_error",
}
_OLLAMA = {400: "invalid_request_error", 404: "not_found_error"}


@dataclass(frozen=True, slots=True)
class LocalFailure:
    """A body, or an event in a stream that begins as if all were well."""

    body: dict[str, Any]
    event: Event | None = None


def local_failure(flavour: Flavour, fault: Status, request: Request) -> LocalFailure | None:
    """What the runtime says in chat completions; ``None`` where it says what the provider would."""
    if request.protocol != "chat" or flavour not in _WORDS:
        return None
    words = words_of(fault, _WORDS[flavour])
    match flavour:
        case "lmstudio":
            event = Event(compact({"error": {"message": words}, "message": words}), name="error")
            return LocalFailure({"error": words}, event if request.streamed else None)
        case "llamacpp":
            return LocalFailure({"error": _llamacpp(fault, words)})
        case "vllm":
            kind = _VLLM.get(fault.status, "InternalServerError")
            error = {"message": words, "type": kind, "param": None, "code": fault.status}
            return LocalFailure({"error": error})
        case _:
            kind = _OLLAMA.get(fault.status, "api_error")
            return LocalFailure({"error": {"message": words, "type": kind, "param": None, "code": None}})


def no_images(flavour: Flavour) -> tuple[int, str]:
    """Status and words for a picture where the model sees none; llama.cpp and Ollama call it their own failure."""
    words = _WORDS.get(flavour, {}).get(
        "no_images", "Invalid content type. image_url is only supported by certain models."
    )
    return (500 if flavour in {"llamacpp", "ollama"} else 400), words


def _llamacpp(fault: Status, words: str) -> dict[str, Any]:
    error = {"code": fault.status, "message": words, "type": _LLAMACPP.get(fault.status, "server_error")}
    if fault.kind == "context":
        return error | {"type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}
    return error
