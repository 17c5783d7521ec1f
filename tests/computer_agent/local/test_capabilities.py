"""What a model can do is found out once for each version of it, and the person's word is stronger."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from local_servers import LLAMA_CPP, LM_STUDIO, SEES_AND_ACTS, VLLM, LocalServers, free_port, ollama

from computer_agent.local import capabilities
from computer_agent.local.capabilities import (
    Capabilities,
    Patience,
    hosted,
    probe,
    said,
)
from computer_agent.model_settings import ModelSettings
from computer_agent.models.model import ModelError

LONG = 30.0
MODEL = "Qwen/Qwen2.5-VL-7B"
FULL = Capabilities(sees=True, calls_tools=True, context_window=32_768, max_tokens=4096)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def probed(server: LocalServers, model: str, state: Path, *, trial: float = LONG) -> Capabilities:
    return probe(f"{server.root}/v1", model, state=state, patience=Patience(LONG, trial))


def test_what_ollama_tells_is_taken_and_its_window_is_kept_to_what_a_machine_holds(state: Path) -> None:
    with LocalServers(ollama()) as server:
        found = probed(server, SEES_AND_ACTS, state)
    assert found == FULL
    assert found.context_window == 32_768


def test_what_was_found_out_is_not_asked_again(state: Path) -> None:
    with LocalServers(counting(plain=10, tools=90, picture=80)) as server:
        first = probed(server, MODEL, state)
        asked = server.paths().count("/v1/chat/completions")
        assert probed(server, MODEL, state) == first == FULL
        assert server.paths().count("/v1/chat/completions") == asked == 4


def test_a_model_that_was_pulled_again_is_asked_again(state: Path) -> None:
    with LocalServers(ollama()) as server:
        assert probed(server, SEES_AND_ACTS, state).sees is True
        row = {"name": SEES_AND_ACTS, "digest": "another", "details": {}}
        server.answers["/api/tags"] = {"models": [row]}
        server.answers["/api/show"] = {
            "capabilities": ["completion"],
            "model_info": {"x.context_length": 4096},
        }
        assert probed(server, SEES_AND_ACTS, state) == Capabilities(
            sees=False, calls_tools=False, context_window=4096, max_tokens=1024
        )


def test_the_same_name_at_another_server_is_another_model(state: Path) -> None:
    with LocalServers(counting(plain=10, tools=90, picture=80)) as first:
        assert probed(first, MODEL, state).sees is True
    with LocalServers(counting(plain=10, tools=90, picture=10)) as second:
        assert probed(second, MODEL, state).sees is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"x": 1}',
        "[" * 100_000,
        lambda key: json.dumps({key: 5}),
        lambda key: json.dumps({key: {"version": "", "sees": "yes", "calls_tools": []}}),
        lambda key: json.dumps(
            {key: {"version": "", "sees": True, "calls_tools": True, "context_window": "x"}}
        ),
        lambda key: json.dumps(
            {key: {"version": "", "sees": True, "calls_tools": True, "context_window": -1}}
        ),
    ],
)
def test_a_broken_cache_is_as_good_as_none_and_is_written_anew(
    text: str | Callable[[str], str], state: Path
) -> None:
    with LocalServers(counting(plain=10, tools=90, picture=80)) as server:
        key = json.dumps([server.root, MODEL])
        file = state / capabilities.FILE
        state.mkdir()
        file.write_text(text if isinstance(text, str) else text(key))
        assert probed(server, MODEL, state) == FULL
        assert json.loads(file.read_text())[key]["sees"] is True
    assert [each.name for each in state.iterdir()] == [capabilities.FILE]


def test_a_state_folder_that_cannot_be_written_to_only_costs_the_questions(state: Path) -> None:
    state.write_text("a file where the folder should be")
    with LocalServers(VLLM | counting(plain=10, tools=90, picture=80)) as server:
        assert probed(server, MODEL, state).sees is True


@pytest.mark.parametrize(
    ("tools", "picture", "calls_tools", "sees"),
    [
        (90, 80, True, True),
        (10, 80, False, True),  # left out in silence
        (90, 11, True, False),
        (400, 500, False, False),  # refused
        (500, 422, False, False),
        (429, 503, None, None),  # another day perhaps
    ],
)
def test_what_the_server_does_not_tell_is_tried(
    tools: int,
    picture: int,
    calls_tools: bool | None,  # noqa: FBT001 - what is expected
    sees: bool | None,  # noqa: FBT001 - what is expected
    state: Path,
) -> None:
    with LocalServers(counting(plain=10, tools=tools, picture=picture)) as server:
        found = probed(server, MODEL, state)
        bodies = [asked.body for asked in server.asked if asked.method == "POST"]
    assert (found.calls_tools, found.sees) == (calls_tools, sees)
    assert {(body["model"], body["max_tokens"]) for body in bodies} == {(MODEL, 1)}


def test_a_model_that_tools_make_blind_is_one_that_calls_none(state: Path) -> None:
    with LocalServers(counting(plain=10, tools=90, picture=80, both=91)) as server:
        found = probed(server, MODEL, state)
    assert (found.sees, found.calls_tools) == (True, False)


@pytest.mark.parametrize(("both", "calls_tools"), [(160, True), (90, False), (500, False)])
def test_what_lm_studio_says_of_tools_is_tried_once_since_they_can_make_it_blind(
    both: int,
    calls_tools: bool,  # noqa: FBT001 - what is expected
    state: Path,
) -> None:
    model = "google/gemma-3-12b"
    answer = counted({(0, 0): 10, (1, 0): 90, (0, 1): 80, (1, 1): both})
    with LocalServers(LM_STUDIO | {"/v1/chat/completions": answer}) as server:
        assert probed(server, model, state).calls_tools is calls_tools
        assert probed(server, model, state).calls_tools is calls_tools
        assert server.paths().count("/v1/chat/completions") == 4


def test_a_trial_is_told_before_it_begins(state: Path) -> None:
    said: list[str] = []
    with LocalServers(counting(plain=10, tools=90, picture=80)) as server:
        for _ in range(2):
            probe(f"{server.root}/v1", MODEL, state=state, patience=Patience(LONG, LONG), say=said.append)
    assert said == [f'What "{MODEL}" can do is not all told by vLLM: trying it, once.']


def test_without_counts_of_tokens_it_stays_unknown_and_is_tried_again(state: Path) -> None:
    with LocalServers(VLLM | {"/v1/chat/completions": {"choices": []}}) as server:
        found = probed(server, MODEL, state)
        assert (found.sees, found.calls_tools, found.context_window) == (None, None, 32768)
        server.answers |= counting(plain=10, tools=90, picture=80)
        assert probed(server, MODEL, state) == FULL


def test_a_server_that_fails_at_the_plain_question_is_asked_nothing_more(state: Path) -> None:
    with LocalServers(VLLM | {"/v1/chat/completions": 500}) as server:
        assert probed(server, MODEL, state).sees is None
        assert server.paths().count("/v1/chat/completions") == 1


def test_nothing_is_tried_where_no_time_is_given_for_it(state: Path) -> None:
    with LocalServers(counting(plain=10, tools=90, picture=80)) as server:
        assert probed(server, MODEL, state, trial=0).sees is None
        assert "/v1/chat/completions" not in server.paths()


def test_a_dead_server_leaves_all_unknown(state: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}/v1"
    assert probe(address, MODEL, state=state, patience=Patience(LONG, LONG)) == Capabilities()


def test_an_address_that_is_none_is_refused(state: Path) -> None:
    with pytest.raises(ModelError, match="ftp://x"):
        probe("ftp://x", MODEL, state=state)


def test_what_an_lm_studio_model_holds_is_known_once_it_is_loaded(state: Path) -> None:
    with LocalServers(LM_STUDIO) as server:
        assert probed(server, "google/gemma-3-12b", state) == Capabilities(
            sees=True, calls_tools=True, context_window=8192, max_tokens=2048
        )
        assert probed(server, "local/plain", state).context_window is None


def test_what_a_server_tells_now_is_stronger_than_what_was_kept(state: Path) -> None:
    with LocalServers(counting(plain=10, tools=90, picture=80)) as server:
        assert probed(server, MODEL, state).context_window == 32768
        restarted = {**VLLM["/v1/models"]["data"][0], "max_model_len": 8192}
        server.answers["/v1/models"] = {"data": [restarted]}
        assert probed(server, MODEL, state).context_window == 8192


def test_a_llama_cpp_that_is_started_otherwise_is_asked_again(state: Path) -> None:
    with LocalServers(LLAMA_CPP) as server:
        assert probed(server, "Qwen.gguf", state).context_window == 12288
        smaller = {"default_generation_settings": {"n_ctx": 4096}}
        server.answers["/props"] = LLAMA_CPP["/props"] | smaller
        assert probed(server, "Qwen.gguf", state).context_window == 4096


def test_what_was_tried_holds_for_the_model_that_was_tried_and_not_for_the_next_of_that_name(
    state: Path,
) -> None:
    props = {"default_generation_settings": {"n_ctx": 4096}, "model_path": "/models/first.gguf"}
    chat = "/v1/chat/completions"
    silent = LLAMA_CPP | {"/props": props, chat: counting(plain=10, tools=90, picture=10)[chat]}
    with LocalServers(silent) as server:
        assert probed(server, "Qwen.gguf", state).sees is False
        server.answers["/props"] = props | {"model_path": "/models/second.gguf"}
        server.answers[chat] = counting(plain=10, tools=90, picture=80)[chat]
        assert probed(server, "Qwen.gguf", state).sees is True


def test_the_word_of_the_person_is_stronger() -> None:
    settings = ModelSettings(supports_vision=False, context_window=8000)
    assert said(settings).over(FULL) == Capabilities(
        sees=False, calls_tools=True, context_window=8000, max_tokens=4096
    )
    assert said(ModelSettings()).over(FULL) == FULL


def test_a_hosted_model_is_read_from_the_table() -> None:
    assert hosted("anthropic/claude-sonnet-4-5") == Capabilities(
        sees=True, calls_tools=True, context_window=200_000, max_tokens=64_000
    )
    assert hosted("nobody/nothing") == Capabilities()


def counting(*, plain: int, tools: int, picture: int, both: int | None = None) -> dict[str, Any]:
    """vLLM, whose prompts have so many tokens; a number above 399 is the status that refuses."""
    together = tools + picture - plain if both is None else both
    return VLLM | {
        "/v1/chat/completions": counted({(0, 0): plain, (1, 0): tools, (0, 1): picture, (1, 1): together})
    }


def counted(numbers: dict[tuple[int, int], int]) -> Callable[[dict[str, Any]], Any]:
    def answer(body: dict[str, Any]) -> Any:  # noqa: ANN401 - an Answer
        number = numbers["tools" in body, isinstance(body["messages"][0]["content"], list)]
        return number if number >= 400 else {"choices": [], "usage": {"prompt_tokens": number}}

    return answer
