"""Servers of local models are found and told apart by their answers, within the time given, whatever else listens."""

import socket
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_servers import (
    JAN,
    JAN_WITH_A_KEY,
    LLAMA_CPP,
    LLAMAFILE,
    LM_STUDIO,
    LM_STUDIO_OLDER,
    SEES_AND_ACTS,
    VLLM,
    LocalServers,
    free_port,
    ollama,
    talking,
)
from model_server import ModelServer, Scripted
from model_server.runtimes import Runtime, Served

from computer_agent.local import answers
from computer_agent.local.server import Kind, LocalModel, LocalServer, Silent
from computer_agent.local.servers import Address, find, is_near, look, ollama_root, root_of, usual_roots
from computer_agent.models.model import ModelError

LONG = 30.0  # seconds that a busy machine may take where the answer comes at once


def looked(root: str, *, seconds: float = LONG, key: str | None = None) -> LocalServer | Silent:
    return look([Address(root=root, key=key)], seconds=seconds)[0]


def served(answers: dict[str, Any], **given: Any) -> LocalServer:  # noqa: ANN401 - arguments of LocalServers
    with LocalServers(answers, **given) as server:
        found = looked(server.root)
        assert isinstance(found, LocalServer), found
        suffix = "" if found.kind == "ollama" else "/v1"
        assert found.api_base == f"{server.root}{suffix}"
        return found


def test_ollama_tells_of_each_model_what_it_can_and_models_elsewhere_or_for_embeddings_are_left_out() -> None:
    found = served(ollama())
    assert found.kind == "ollama"
    assert found.models == (
        LocalModel(
            name="gemma3:4b",
            sees=True,
            calls_tools=False,
            context=131072,
            size_bytes=3_338_801_804,
            loaded=True,
            version="a2af6cc3eb7f",
        ),
        LocalModel(
            name=SEES_AND_ACTS,
            sees=True,
            calls_tools=True,
            context=262144,
            size_bytes=6_140_411_022,
            loaded=False,
            version="901cae732162",
        ),
    )


def test_a_newer_ollama_that_tells_abilities_in_its_list_is_not_asked_about_each_model() -> None:
    row = {
        "name": "qwen3:8b",
        "digest": "d1",
        "capabilities": ["completion", "tools"],
        "details": {"context_length": 40960},
    }
    with LocalServers(ollama(**{"/api/tags": {"models": [row]}})) as server:
        found = looked(server.root)
        assert "/api/show" not in server.paths()
    assert isinstance(found, LocalServer)
    assert found.models == (
        LocalModel(name="qwen3:8b", sees=False, calls_tools=True, context=40960, loaded=False, version="d1"),
    )


def test_the_context_of_an_ollama_model_is_the_one_its_own_file_wishes() -> None:
    wished = ollama(**{"/api/show": {"capabilities": ["completion"], "parameters": "num_ctx    16384"}})
    assert {model.context for model in served(wished).models} == {16384}


def test_an_ollama_without_models_is_still_one() -> None:
    empties: tuple[dict[str, Any], ...] = ({"models": []}, {"models": None})
    for empty in empties:
        found = served(ollama(**{"/api/tags": empty}))
        assert (found.kind, found.models) == ("ollama", ())


def test_lm_studio_tells_what_each_can_and_what_a_loaded_one_holds() -> None:
    found = served(LM_STUDIO)
    assert found.kind == "lm_studio"
    seen = [
        (model.name, model.sees, model.calls_tools, model.context, model.loaded) for model in found.models
    ]
    assert seen == [
        ("google/gemma-3-12b", True, True, 8192, True),
        ("local/plain", False, False, 4096, False),
    ]


def test_an_older_lm_studio_is_read_over_its_older_path() -> None:
    found = served(LM_STUDIO_OLDER)
    assert found.kind == "lm_studio"
    seen = [
        (model.name, model.sees, model.calls_tools, model.context, model.loaded) for model in found.models
    ]
    assert seen == [("qwen/qwen2.5-vl-7b", True, True, 16384, True), ("phi-4", False, None, 16384, False)]


def test_llama_cpp_is_not_taken_for_ollama_whose_list_it_imitates() -> None:
    found = served(LLAMA_CPP)
    assert found.kind == "llama.cpp"
    (model,) = found.models
    assert (model.name, model.sees, model.calls_tools, model.context, model.loaded) == (
        "Qwen.gguf",
        True,
        True,
        12288,
        True,
    )


@pytest.mark.parametrize(
    ("told", "kind", "name", "context"),
    [
        (VLLM, "vllm", "Qwen/Qwen2.5-VL-7B", 32768),
        (LLAMAFILE, "llamafile", "Llama-3.2-3B", None),
        (JAN, "jan", "jan-v1-4b", None),
        ({"/v1/models": {"data": [{"id": "mine"}]}}, "openai", "mine", None),
    ],
)
def test_what_a_server_does_not_say_is_unknown_and_not_no(
    told: dict[str, Any], kind: Kind, name: str, context: int | None
) -> None:
    found = served(told)
    assert (found.kind, [model.name for model in found.models]) == (kind, [name])
    assert (found.models[0].sees, found.models[0].calls_tools, found.models[0].context) == (
        None,
        None,
        context,
    )


@pytest.mark.parametrize(
    ("flavour", "kind"),
    [("ollama", "ollama"), ("lmstudio", "lm_studio"), ("llamacpp", "llama.cpp"), ("vllm", "vllm")],
)
def test_the_same_model_is_known_on_each_server_that_tells(flavour: Any, kind: Kind) -> None:  # noqa: ANN401 - a Literal
    model = Served(name="qwen/é:7b", sees=True, calls=True, context=65536, held=16384)
    with ModelServer(Scripted(()), runtime=Runtime(flavour=flavour, models=(model,))) as server:
        found = looked(server.address)
    assert isinstance(found, LocalServer)
    assert found.kind == kind
    (told,) = found.models
    assert (told.name, told.context) == ("qwen/é:7b", 16384)
    if kind != "vllm":  # which says nothing of abilities
        assert (told.sees, told.calls_tools) == (True, True)


def test_jan_that_wants_a_key_says_so_and_gets_only_the_key_that_was_given_for_it() -> None:
    with LocalServers(JAN_WITH_A_KEY) as server:
        found = looked(server.root)
        assert isinstance(found, LocalServer)
        assert (found.kind, found.models) == ("jan", ())
        assert f"--api-base {server.root}/v1 --api-key KEY" in found.note
        looked(server.root, key="secret-1")
        keys = [asked.headers.get("Authorization") for asked in server.asked]
    assert set(keys) == {None, "Bearer secret-1"}


def test_a_key_reaches_the_address_it_was_given_for_and_no_other() -> None:
    with LocalServers(VLLM) as own, LocalServers(ollama()) as other:
        found = find({}, given=f"{own.root}/v1", api_key="secret-1", roots=(other.root,), seconds=LONG)
        assert {"vllm", "ollama"} <= {each.kind for each in found if isinstance(each, LocalServer)}
        assert all(asked.headers["Authorization"] == "Bearer secret-1" for asked in own.asked)
        assert not [asked for asked in other.asked if "Authorization" in asked.headers]


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalServers({}) as proxy, LocalServers(VLLM) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.root)
        assert isinstance(looked(server.root), LocalServer)
        assert proxy.asked == []


def test_a_server_on_ipv6_alone_is_found_and_one_on_both_counts_once() -> None:
    try:
        with LocalServers(VLLM, host="::1") as server:
            found = looked(server.root)
    except OSError as missing:
        pytest.skip(f"no IPv6 here: {missing}")
    assert isinstance(found, LocalServer)
    assert found.api_base == f"{server.root}/v1"
    assert found.api_base.startswith("http://[::1]:")


def test_one_server_by_two_names_counts_once() -> None:
    with LocalServers(ollama()) as server:
        found = find({}, given=server.root, roots=(f"http://localhost:{server.port}",), seconds=LONG)
    assert [each.api_base for each in found if isinstance(each, LocalServer)].count(server.root) == 1
    assert f"http://localhost:{server.port}" not in {
        each.api_base for each in found if isinstance(each, LocalServer)
    }


def test_a_server_or_a_question_that_hangs_costs_the_time_given_and_hides_nothing_else() -> None:
    with talking(lambda _: None) as hanging, LocalServers(ollama(), hangs=frozenset({"/api/show"})) as server:
        began = time.monotonic()
        silent, found = look([Address(root=hanging), Address(root=server.root)], seconds=5.0)
        assert time.monotonic() - began < LONG
    assert silent == Silent(address=hanging, why="what listens there does not answer", alive=True)
    assert isinstance(found, LocalServer)
    assert [(model.name, model.sees) for model in found.models] == [
        ("gemma3:4b", None),
        (SEES_AND_ACTS, None),
        ("nomic-embed-text:latest", None),
    ]


def test_a_server_that_drips_is_given_up_like_one_that_hangs() -> None:
    stop = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        threading.Thread(target=dripping, args=(connection,)).start()

    def dripping(connection: socket.socket) -> None:
        try:
            while not stop.wait(0.05):
                connection.sendall(b"X-More: 1\r\n")
        except OSError:
            pass

    try:
        with talking(drip) as address:
            found = looked(address, seconds=0.5)
    finally:
        stop.set()
    assert found == Silent(address=address, why="what listens there does not answer", alive=True)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, "what answers there is no model server"),
        (
            {"/v1/models": b"<html>router</html>", "/api/tags": b"<html>"},
            "what answers there is no model server",
        ),
        ({"/v1/models": [1, 2]}, "what answers there is no model server"),
        ({"/v1/models": b"[" * 100_000}, "what answers there is no model server"),
        ({"/v1/models": 503}, "what answers there is not ready yet"),
        ({"/v1/models": 401}, "it wants a key"),
    ],
)
def test_what_is_no_model_server_is_told_with_the_reason(told: dict[str, Any], why: str) -> None:
    with LocalServers(told) as server:
        found = looked(server.root)
    assert isinstance(found, Silent)
    assert found.why.startswith(why)


def test_what_speaks_no_http_is_no_model_server() -> None:
    def greet(connection: socket.socket) -> None:
        connection.sendall(b"220 mail.example ESMTP\r\n")
        connection.shutdown(socket.SHUT_RDWR)

    with talking(greet) as address:
        assert looked(address) == Silent(address=address, why="what listens there does not speak HTTP")


def test_where_nothing_listens_only_the_address_that_was_given_is_told_of() -> None:
    nowhere = f"127.0.0.1:{free_port()}"
    found = find({}, given=f"{nowhere}/v1", roots=(f"http://127.0.0.1:{free_port()}",), seconds=LONG)
    assert found == (Silent(address=f"http://{nowhere}", why="nothing listens there"),)


def test_five_thousand_models_are_listed() -> None:
    rows = [{"id": f"org/模型-{number}:é", "owned_by": "vllm"} for number in range(5000)]
    found = served({"/v1/models": {"data": rows}})
    assert len(found.models) == 5000
    assert found.models[4999].name == "org/模型-4999:é"


@pytest.mark.parametrize(
    ("host", "root"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - not bound, but read
        (":8000", "http://127.0.0.1:8000"),
        ("box.lan:99", "http://box.lan:99"),
        ("http://box.lan", "http://box.lan:80"),
        ("https://box.lan/ollama/", "https://box.lan:443/ollama"),
        ("[::1]:11434", "http://[::1]:11434"),
        ("[::]", "http://127.0.0.1:11434"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(host: str, root: str) -> None:
    assert ollama_root(host) == root
    assert usual_roots({"OLLAMA_HOST": host})[0] == root


@pytest.mark.parametrize("address", ["http://", "ftp://x", "http://x:port", "http://[::1", ""])
def test_an_address_that_is_none_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(ModelError, match=r"such as http://127\.0\.0\.1:1234/v1, not"):
        root_of(address)


@pytest.mark.parametrize(
    ("api_base", "root"),
    [
        ("http://127.0.0.1:1234/v1", "http://127.0.0.1:1234"),
        ("127.0.0.1:1234/v1/", "http://127.0.0.1:1234"),
        ("https://box/openai/v1", "https://box/openai"),
    ],
)
def test_the_root_of_an_address_is_without_its_version(api_base: str, root: str) -> None:
    assert root_of(api_base) == root


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "models",
                    "data",
                    "name",
                    "model",
                    "key",
                    "id",
                    "details",
                    "capabilities",
                    "model_info",
                    "parameters",
                    "meta",
                    "type",
                    "state",
                    "config",
                    "loaded_instances",
                    "default_generation_settings",
                    "modalities",
                    "chat_template_caps",
                    "x.context_length",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(first=JSON, second=JSON)
def test_no_answer_breaks_the_reading(first: object, second: object) -> None:
    read = (
        *answers.ollama_models(first, second),
        *answers.lm_studio_models(first, second),
        *answers.llama_cpp_models(first, second),
        *answers.listed_models(first),
    )
    assert all(model.name for model in read)
    answers.ollama_shown(LocalModel(name="x"), first)
    answers.owner(first)


@pytest.mark.parametrize(
    ("root", "near"),
    [
        ("http://127.0.0.1:1", True),
        ("http://[::1]:1", True),
        ("http://192.168.1.7:1", True),
        ("http://localhost:1", True),
        ("http://box:1", True),
        ("http://box.lan.", True),
        ("https://api.example.com", False),
        ("https://8.8.8.8", False),
    ],
)
def test_a_server_of_the_house_is_told_from_one_of_the_internet(root: str, near: bool) -> None:  # noqa: FBT001 - a case
    assert is_near(root) is near


def test_a_server_of_the_internet_is_asked_for_its_list_alone_and_through_the_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with LocalServers({"http://api.example.com/v1/models": VLLM["/v1/models"]}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.root)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        found = looked("http://api.example.com", key="secret-1")
        assert proxy.paths() == ["http://api.example.com/v1/models"]
    assert isinstance(found, LocalServer)
    assert (found.kind, found.models[0].context) == ("openai", 32768)
