"""Which model servers run on this machine: all usual ports asked at once, and told apart by what they answer."""

from __future__ import annotations

import ipaddress
import json
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from computer_agent.local import answers
from computer_agent.local.server import LocalModel, LocalServer, Silent
from computer_agent.models.model import ModelError

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Mapping, Sequence

    import httpx

    from computer_agent.local.server import Kind

SECONDS = 1.0  # which only something that hangs takes: all are asked at once, and answer in a tenth of it
USUAL_PORTS: dict[Kind, int] = {
    "ollama": 11434,
    "lm_studio": 1234,
    "jan": 1337,
    "llamafile": 8080,
    "llama.cpp": 8080,
    "vllm": 8000,
}
_LOOPBACK = ("127.0.0.1", "[::1]")
_ANYWHERE = {"0.0.0.0", "::", ""}  # noqa: S104 - a server that listens there is asked on this machine
_HOUSES = (".local", ".lan", ".home", ".home.arpa", ".internal", ".localhost")
_MOST_BYTES = 16_000_000
_AT_ONCE = 4  # questions to one server: some take five connections, and more wait for a second
_OK, _NOT_READY, _NO_KEY = 200, 503, frozenset({401, 403})
_KEY_WANTED = "it wants a key: --api-base {base} --api-key KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where to ask: ``root`` is the address without ``/v1``. Only what the person named is given their ``key``."""

    root: str
    key: str | None = None


def find(
    environment: Mapping[str, str],
    *,
    given: str | None = None,
    api_key: str | None = None,
    roots: Sequence[str] | None = None,
    seconds: float = SECONDS,
) -> tuple[LocalServer | Silent, ...]:
    """The servers at ``roots``, by default those of ``usual_roots``, and at ``given``, which alone gets the key.

    Where nothing listens nothing is returned, but for ``given``. Raises ``ModelError`` for an address that is none.
    """
    own = None if given is None else root_of(given)
    looked_at = usual_roots(environment) if roots is None else roots
    usual = [Address(root=root) for root in looked_at if root != own]
    asked = usual if own is None else [Address(root=own, key=api_key), *usual]
    found = look(asked, seconds=seconds)
    return tuple(
        each
        for place, each in enumerate(found)
        if (isinstance(each, LocalServer) and not _is_twin(each, found[:place]))
        or (isinstance(each, Silent) and (each.alive or each.address == own))
    )


def look(
    addresses: Sequence[Address], *, seconds: float = SECONDS, only: Collection[str] | None = None
) -> tuple[LocalServer | Silent, ...]:
    """What answers at each address, in their order. What is not known within ``seconds`` stays unknown.

    ``only`` names the models that are worth further questions; ``None``: all. A server out in the internet is asked
    for its list of models alone, through the environment's proxies.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:  # a loop of its own: the caller may be inside one
        return thread.submit(asyncio.run, _look(addresses, seconds, only)).result()


def usual_roots(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Where servers listen that were not told otherwise, and where ``OLLAMA_HOST`` says."""
    own = environment.get("OLLAMA_HOST", "").strip()
    roots = [] if not own else [ollama_root(own)]
    roots += [f"http://{host}:{port}" for port in USUAL_PORTS.values() for host in _LOOPBACK]
    return tuple(dict.fromkeys(roots))


def ollama_root(host: str) -> str:
    """``OLLAMA_HOST`` as an address: host, port or both, with or without a scheme. Raises ``ModelError``."""
    scheme, separator, rest = host.strip().partition("://")
    if not separator:
        scheme, rest = "http", host.strip()
    usual = (
        {"http": 80, "https": 443}.get(scheme, USUAL_PORTS["ollama"]) if separator else USUAL_PORTS["ollama"]
    )
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        name, port = parts.hostname or "", parts.port or usual
    except ValueError:
        raise ModelError(
            f'OLLAMA_HOST is a host and a port, such as 127.0.0.1:11434, not "{host}".'
        ) from None
    name = "127.0.0.1" if name in _ANYWHERE else name
    return f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}{parts.path.rstrip('/')}"


def root_of(api_base: str) -> str:
    """The address without ``/v1``; ``http`` where no scheme is said. Raises ``ModelError``."""
    address = api_base if "://" in api_base else f"http://{api_base}"
    try:
        parts = urlsplit(address)
        good = (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        good = False
    if not good:
        raise ModelError(
            f'The address of a model\'s server is such as http://127.0.0.1:1234/v1, not "{api_base}".'
        )
    return address.rstrip("/").removesuffix("/v1").rstrip("/")


def is_near(root: str) -> bool:
    """Whether the host of an address is this machine or one of the same house: by a number, or by a short name."""
    host = (urlsplit(root).hostname or "").rstrip(".")
    with suppress(ValueError):
        return not ipaddress.ip_address(host).is_global
    return "." not in host or host.endswith(_HOUSES)


def _is_twin(server: LocalServer, before: Sequence[LocalServer | Silent]) -> bool:
    """Whether it is one that answered already, over the other family of addresses or by another name."""
    port = urlsplit(server.api_base).port
    return any(
        isinstance(other, LocalServer)
        and urlsplit(other.api_base).port == port
        and (other.kind, [model.name for model in other.models])
        == (server.kind, [model.name for model in server.models])
        for other in before
    )


class _Answer(NamedTuple):
    """``status`` 0: no HTTP. ``body`` None: no JSON. ``late``: nothing in time."""

    status: int = 0
    body: object = None
    late: bool = False


async def _look(
    addresses: Sequence[Address], seconds: float, only: Collection[str] | None
) -> tuple[LocalServer | Silent, ...]:
    import asyncio

    import anyio.lowlevel
    import httpx

    await anyio.lowlevel.checkpoint()  # else httpx loads it with the first question, in the servers' time
    secure = any(address.root.startswith("https:") for address in addresses)  # certificates take long to load
    client = partial(
        httpx.AsyncClient,
        verify=secure,
        timeout=None,  # each question ends at `until`
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        headers={"Connection": "close"},  # a server with one thread serves the next question then
    )
    # A proxy knows nothing of this machine's servers, and must not see the questions.
    async with client(trust_env=False) as near, client(trust_env=True) as far:
        until = asyncio.get_running_loop().time() + seconds
        conversations = [
            _Conversation(near if is_near(address.root) else far, address, until, only)
            for address in addresses
        ]
        return tuple(await asyncio.gather(*(conversation.result() for conversation in conversations)))


class _Conversation:
    """The questions to one address."""

    def __init__(
        self, http: httpx.AsyncClient, address: Address, until: float, only: Collection[str] | None
    ) -> None:
        import asyncio

        self._http = http
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._root = address.root
        self._headers = {} if address.key is None else {"Authorization": f"Bearer {address.key}"}
        self._until = until
        self._only = only

    async def result(self) -> LocalServer | Silent:
        import asyncio

        if not is_near(self._root):
            return await self._listed()
        why = await self._unconnected()
        if why is not None:
            return why
        paths = ("/api/tags", "/api/version", "/api/v1/models", "/api/v0/models", "/props", "/v1/models")
        tags, version, native, older, props, listed = await asyncio.gather(*map(self._ask, paths))
        if _is_ollama(tags.body, version.body):
            return await self._ollama(tags.body)
        models = answers.lm_studio_models(native.body, older.body)
        if models or _is_empty_lm_studio(native.body, older.body):
            return self._server("lm_studio", models)
        owner = answers.owner(listed.body)
        if owner == "vllm":
            return self._server("vllm", answers.listed_models(listed.body))
        if owner in {"llamacpp", "llamafile"} or _has_settings(props.body):
            kind: Kind = "llamafile" if owner == "llamafile" else "llama.cpp"
            return self._server(kind, answers.llama_cpp_models(listed.body, props.body))
        return await self._other(listed, (tags, version, native, older, props))

    async def _listed(self) -> LocalServer | Silent:
        """A server that is not for questions about what program it is."""
        listed = await self._ask("/v1/models")
        models = answers.listed_models(listed.body)
        return self._server("openai", models) if models else self._silent([listed])

    async def _other(self, listed: _Answer, rest: Sequence[_Answer]) -> LocalServer | Silent:
        """A server that says nothing of itself but perhaps in its manual."""
        models = answers.listed_models(listed.body)
        refused = listed.status in _NO_KEY
        if models or refused or isinstance(listed.body, dict):
            manual = (await self._ask("/openapi.json")).body
            info = manual.get("info") if isinstance(manual, dict) else None
            title = answers.text(info.get("title") if isinstance(info, dict) else None)
            is_jan = "jan api" in title.lower() or urlsplit(self._root).port == USUAL_PORTS["jan"]
            if models or (is_jan and not refused):
                return self._server("jan" if is_jan else "openai", models)
            if is_jan:
                wanted = _KEY_WANTED.format(base=f"{self._root}/v1")
                return LocalServer(kind="jan", api_base=f"{self._root}/v1", note=wanted)
        return self._silent((listed, *rest))

    def _silent(self, got: Sequence[_Answer]) -> Silent:
        if any(answer.status in _NO_KEY for answer in got):
            return Silent(address=self._root, why=_KEY_WANTED.format(base=f"{self._root}/v1"))
        if any(answer.status == _NOT_READY for answer in got):
            return Silent(address=self._root, why="what answers there is not ready yet", alive=True)
        if any(answer.status for answer in got):
            return Silent(address=self._root, why="what answers there is no model server")
        if any(answer.late for answer in got):
            return Silent(address=self._root, why="what listens there does not answer", alive=True)
        there = "what listens there does not speak HTTP" if is_near(self._root) else "it cannot be reached"
        return Silent(address=self._root, why=there)

    async def _ollama(self, tags: object) -> LocalServer:
        import asyncio

        running = await self._ask("/api/ps")
        models = answers.ollama_models(tags, running.body)

        async def shown(model: LocalModel) -> LocalModel | None:
            if self._only is not None and model.name not in self._only:
                return model
            if model.sees is not None and model.context is not None:
                return model
            answer = await self._ask("/api/show", {"model": model.name})
            return answers.ollama_shown(model, answer.body) if answer.status == _OK else model

        full = await asyncio.gather(*map(shown, models))
        return LocalServer(
            kind="ollama", api_base=self._root, models=tuple(model for model in full if model is not None)
        )

    def _server(self, kind: Kind, models: tuple[LocalModel, ...]) -> LocalServer:
        return LocalServer(kind=kind, api_base=f"{self._root}/v1", models=models)

    async def _unconnected(self) -> Silent | None:
        """Why there is nobody to talk to."""
        import asyncio

        parts = urlsplit(self._root)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            async with asyncio.timeout_at(self._until):
                _, writer = await asyncio.open_connection(parts.hostname, port)
        except TimeoutError:
            return Silent(address=self._root, why="it cannot be reached")
        except (OSError, UnicodeError):
            return Silent(address=self._root, why="nothing listens there")
        writer.close()
        return None

    def _ask(self, path: str, body: Mapping[str, str] | None = None) -> Coroutine[None, None, _Answer]:
        return self._answer("GET" if body is None else "POST", f"{self._root}{path}", body)

    async def _answer(self, method: str, url: str, body: Mapping[str, str] | None) -> _Answer:
        import asyncio

        import httpx

        try:
            async with (
                asyncio.timeout_at(self._until),
                self._gate,
                self._http.stream(method, url, json=body, headers=self._headers) as response,
            ):
                said = await _limited(response)
                status = response.status_code
        except TimeoutError:
            return _Answer(late=True)
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            return _Answer()
        with suppress(ValueError, RecursionError):
            return _Answer(status=status, body=json.loads(said) if status == _OK else None)
        return _Answer(status=status)


async def _limited(response: httpx.Response) -> bytes:
    """The body, cut off where nobody's list of models is as long: what is cut is no JSON."""
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _MOST_BYTES:
            break
    return b"".join(pieces)


def _is_ollama(tags: object, version: object) -> bool:
    """llama.cpp answers there too, but with its own list in the same body."""
    if not isinstance(tags, dict) or "models" not in tags or "data" in tags:
        return False
    listed = answers.rows(tags, "models")
    if not listed:
        return isinstance(version, dict) and bool(answers.text(version.get("version")))
    return any(answers.name(row) and ("digest" in row or "details" in row) for row in listed)


def _is_empty_lm_studio(native: object, older: object) -> bool:
    """It has embeddings alone, or nothing yet; other servers answer these paths with an error."""
    if isinstance(native, dict) and isinstance(native.get("models"), list):
        return not native["models"] or any("key" in row for row in answers.rows(native, "models"))
    return isinstance(older, dict) and any("state" in row for row in answers.rows(older, "data"))


def _has_settings(props: object) -> bool:
    return isinstance(props, dict) and "default_generation_settings" in props
