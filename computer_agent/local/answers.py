"""What servers answer, as models. Whatever is missing or of another type than expected is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from computer_agent.local.server import LocalModel

Json = Mapping[str, Any]


def ollama_models(tags: object, running: object = None) -> tuple[LocalModel, ...]:
    """The models of ``/api/tags``, loaded ones by ``/api/ps``, without those that run on Ollama's own computers."""
    loaded = {name(row): row for row in rows(running, "models")}
    return tuple(
        _ollama_model(row, None if running is None else loaded)
        for row in rows(tags, "models")
        if name(row) and not row.get("remote_host") and _chats(row.get("capabilities"))
    )


def ollama_shown(model: LocalModel, shown: object) -> LocalModel | None:
    """The model with what ``/api/show`` adds; ``None`` for one that cannot chat, such as for embeddings."""
    if not isinstance(shown, Mapping):
        return model
    able = shown.get("capabilities")
    if not _chats(able):
        return None
    architecture = shown.get("model_info")
    info: Json = architecture if isinstance(architecture, Mapping) else {}
    longest = next((count(value) for key, value in info.items() if key.endswith(".context_length")), None)
    return replace(
        model,
        sees=_among("vision", able),
        calls_tools=_among("tools", able),
        context=_wished_context(shown.get("parameters")) or longest or model.context,
    )


def lm_studio_models(native: object, older: object) -> tuple[LocalModel, ...]:
    """The models of ``/api/v1/models``, or of ``/api/v0/models`` where that is all there is."""
    found = [_lm_studio_model(row) for row in rows(native, "models") if text(row.get("key"))]
    if not found:
        found = [_older_lm_studio_model(row) for row in rows(older, "data") if text(row.get("id"))]
    return tuple(model for model in found if model is not None)


def llama_cpp_models(listed: object, props: object) -> tuple[LocalModel, ...]:
    """The models of ``/v1/models`` with the ``/props`` of the one that is loaded."""
    known: Json = props if isinstance(props, Mapping) else {}
    modalities, template = known.get("modalities"), known.get("chat_template_caps")
    settings = known.get("default_generation_settings")
    context = count(settings.get("n_ctx")) if isinstance(settings, Mapping) else None
    models = listed_models(listed)
    if len(models) > 1:  # one server for many models, whose props are its own
        return models
    return tuple(
        replace(
            model,
            sees=flag(modalities.get("vision")) if isinstance(modalities, Mapping) else None,
            calls_tools=flag(template.get("supports_tools"))
            if isinstance(template, Mapping)
            else ("tools" in text(known.get("chat_template")) or None),
            context=context or model.context,
            loaded=True,
            version=f"{text(known.get('model_path'))} {context} {text(known.get('build_info'))}".strip(),
        )
        for model in models
    )


def listed_models(listed: object) -> tuple[LocalModel, ...]:
    """The models of a plain ``/v1/models``, which says little more than names; vLLM adds the context."""
    return tuple(
        LocalModel(name=row["id"], context=_listed_context(row), size_bytes=_listed_size(row))
        for row in rows(listed, "data")
        if text(row.get("id"))
    )


def owner(listed: object) -> str:
    """Who owns the first model of ``/v1/models``: several servers put their own name there."""
    return next((text(row.get("owned_by")) for row in rows(listed, "data")), "").lower()


def rows(body: object, key: str) -> list[Json]:
    """The objects in the list that stands under ``key``."""
    found = body.get(key) if isinstance(body, Mapping) else None
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def name(row: Json) -> str:
    """What Ollama calls a model."""
    return text(row.get("model")) or text(row.get("name"))


def text(value: object) -> str:
    """The text, or "" for what is none."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """The number of something, of which there is at least one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def flag(value: object) -> bool | None:
    """True, false or unknown."""
    return value if isinstance(value, bool) else None


def _ollama_model(row: Json, loaded: Mapping[str, Json] | None) -> LocalModel:
    details = row.get("details")
    now = None if loaded is None else loaded.get(name(row))
    able = row.get("capabilities")
    return LocalModel(
        name=name(row),
        sees=_among("vision", able),
        calls_tools=_among("tools", able),
        context=count(details.get("context_length")) if isinstance(details, Mapping) else None,
        size_bytes=count(row.get("size")),
        loaded=None if loaded is None else now is not None,
        version=text(row.get("digest")) or None,
    )


def _chats(able: object) -> bool:
    """Whether it is not said that it cannot."""
    return not isinstance(able, list) or not able or "completion" in able


def _among(ability: str, able: object) -> bool | None:
    return ability in able if isinstance(able, list) and able else None


def _wished_context(parameters: object) -> int | None:
    """The ``num_ctx`` that stands in the model's own file."""
    for line in text(parameters).splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "num_ctx" and words[1].isdecimal():  # noqa: PLR2004 - a name and a value
            return count(int(words[1][:9]))
    return None


def _lm_studio_model(row: Json) -> LocalModel | None:
    if row.get("type") in {"embedding", "embeddings"}:
        return None
    able, loaded = row.get("capabilities"), rows(row, "loaded_instances")
    abilities: Json = able if isinstance(able, Mapping) else {}
    config = loaded[0].get("config") if loaded else None
    context = count(config.get("context_length")) if isinstance(config, Mapping) else None
    return LocalModel(
        name=row["key"],
        sees=flag(abilities.get("vision")),
        calls_tools=flag(abilities.get("trained_for_tool_use")),
        context=context or count(row.get("max_context_length")),
        size_bytes=count(row.get("size_bytes")),
        loaded=bool(loaded),
        version=f"{text(row.get('selected_variant'))} {context}",
    )


def _older_lm_studio_model(row: Json) -> LocalModel | None:
    kind, able = row.get("type"), row.get("capabilities")
    if kind in {"embedding", "embeddings"}:
        return None
    context = count(row.get("loaded_context_length"))
    return LocalModel(
        name=row["id"],
        sees=kind == "vlm" if text(kind) else None,
        calls_tools="tool_use" in able if isinstance(able, list) else None,
        context=context or count(row.get("max_context_length")),
        loaded=row.get("state") == "loaded",
        version=f"{text(row.get('quantization'))} {context}",
    )


def _listed_context(row: Json) -> int | None:
    meta = row.get("meta")
    inner: Json = meta if isinstance(meta, Mapping) else {}
    known = (
        row.get("max_model_len"),
        row.get("context_length"),
        inner.get("n_ctx"),
        inner.get("n_ctx_train"),
    )
    return next((number for number in map(count, known) if number), None)


def _listed_size(row: Json) -> int | None:
    meta = row.get("meta")
    return count(meta.get("size")) if isinstance(meta, Mapping) else None
