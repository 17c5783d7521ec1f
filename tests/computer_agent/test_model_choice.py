"""Which model, spoken to how, carried by what: as the settings, its name, and its server say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, Runtime, Scripted, Served
from oi_process import ABLE

from computer_agent.cli import _parser
from computer_agent.code_settings import BadSetting
from computer_agent.context.history import History
from computer_agent.model_choice import chosen_locally, chosen_model, language_model, reached
from computer_agent.model_settings import Templates
from computer_agent.models.coordinates import PIXELS, Relative
from computer_agent.models.dialects.anthropic_computer import AnthropicComputer
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.dialects.gemini_computer import GeminiComputer
from computer_agent.models.dialects.openai_computer import OpenAIComputer
from computer_agent.models.dialects.printed import Printed
from computer_agent.models.dialects.table import NAMES, Shown, dialect_name, dialect_of, wire_of
from computer_agent.models.dialects.ui_tars import UiTars
from computer_agent.models.grounding import Grounded, Pointer
from computer_agent.models.model import NoKey
from computer_agent.models.transports.http import Http
from computer_agent.models.transports.litellm import Litellm
from computer_agent.models.usage import dollars_of
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.ollama import OllamaWire
from computer_agent.settings import from_flags
from computer_agent.step import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_agent.models.language_model import LanguageModel
    from computer_agent.settings import Settings

BLANK = Observation(screenshot=None)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path


def settings(state: Path, *words: str, **environment: str) -> Settings:
    return from_flags(_parser().parse_args(["--os", *words]), {"XDG_STATE_HOME": str(state), **environment})


def model(state: Path, *words: str, **environment: str) -> LanguageModel:
    return language_model(settings(state, *words, **environment), lambda _: None)


# ------------------------------------------------------------------ the dialect


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("anthropic/claude-sonnet-4-5", "functions"),
        ("openai/gpt-5", "functions"),
        ("gemini/gemini-2.5-pro", "functions"),
        ("gemini/gemini-2.5-computer-use-preview-10-2025", "gemini-2.5-browser"),
        ("openai/computer-use-preview", "openai-computer-preview"),
        ("openai/ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5"),
        ("openai/ui-tars-72b-dpo", "ui-tars-1.0"),
        ("volcengine/doubao-1.5-vision-pro", "doubao"),
        ("ollama_chat/ui-tars:7b", "ui-tars-1.0"),
        ("openai/ByteDance-Seed/UI-TARS-7B-SFT", "ui-tars-1.0"),
        ("volcengine/doubao-1-5-ui-tars", "doubao"),
        ("hosted_vllm/xlangai/OpenCUA-7B", "opencua"),
        ("openai/microsoft/Fara-7B", "qwen-2.5"),
        ("openai/something-new", "functions"),
    ],
)
def test_a_model_is_spoken_to_as_the_table_says(name: str, dialect: str) -> None:
    assert dialect_name(name, named=None, calls_tools=None) == dialect


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("anthropic/claude-3-5-sonnet-20241022", "anthropic-20241022"),
        ("anthropic/claude-3-7-sonnet", "anthropic-20250124"),
        ("anthropic/claude-sonnet-4-5", "anthropic-20250124"),
        ("anthropic/claude-haiku-4-5", "anthropic-20250124"),
        ("anthropic/claude-opus-4-5-20251101", "anthropic-20251124"),
        ("anthropic/claude-sonnet-4-6", "anthropic-20251124"),
        ("openai/gpt-5.4", "openai-computer"),
        ("openai/computer-use-preview", "openai-computer-preview"),
        ("gemini/gemini-3.5-flash", "gemini-desktop"),
        ("openai/qwen3-vl-8b", "qwen-3"),
        ("ollama_chat/qwen2.5vl:7b", "qwen-2.5"),
        ("moonshot/kimi-k2.6", "kimi"),
        ("openai/glm-4.5v", "glm"),
    ],
)
def test_native_is_the_vendors_own_tool_for_that_version(name: str, dialect: str) -> None:
    assert dialect_name(name, named="native", calls_tools=None) == dialect


def test_a_ui_tars_of_unknown_version_is_asked_about_and_not_guessed() -> None:
    with pytest.raises(BadSetting, match="Which UI-TARS"):
        dialect_name("openai/ui-tars", named=None, calls_tools=None)
    assert dialect_name("openai/ui-tars", named="ui-tars-1.5", calls_tools=None) == "ui-tars-1.5"


def test_a_model_that_calls_no_tools_writes_its_calls_as_text() -> None:
    assert dialect_name("openai/small", named=None, calls_tools=False) == "printed"
    assert dialect_name("openai/small", named="functions", calls_tools=False) == "functions"


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("qwen3", 'There is no dialect "qwen3". Did you mean "qwen-3'),
        ("native", '"openai/small" has no computer tool of its own'),
        ("zulu", "They are: native, functions, printed"),
    ],
)
def test_a_dialect_that_there_is_not_is_named_with_the_nearest(named: str, words: str) -> None:
    with pytest.raises(BadSetting) as raised:
        dialect_name("openai/small", named=named, calls_tools=None)
    assert words in str(raised.value)


@pytest.mark.parametrize("name", NAMES)
def test_each_dialect_of_the_table_makes_a_prompt_on_its_wire(name: str) -> None:
    shown = Shown(system="Work.", history=History(), templates=Templates(), space=PIXELS)
    assert dialect_of(name, shown).prompt("Save it", [], BLANK).wire == wire_of(name)


def test_families_that_were_taught_thousandths_are_told_to_count_so(state: Path) -> None:
    for name, space in (
        ("gemini/gemini-2.5-pro", Relative(1000)),
        ("openrouter/qwen/qwen3-vl-235b", Relative(1000)),
        ("anthropic/claude-sonnet-4-5", PIXELS),
        ("openai/gpt-5", PIXELS),
    ):
        dialect = model(state, "--model", name, "--llm_supports_functions").dialect
        assert isinstance(dialect, FunctionCalling)
        assert dialect.space == space
        said = dialect.prompt("Save it", [], BLANK)
        assert ("0 to 1000" in said.system) == (space != PIXELS)
        assert ("1000 at the right" in str(said.tools)) == (space != PIXELS)


# ------------------------------------------------------------------ what carries it


def test_hosted_models_go_through_litellm_and_their_own_tools_straight_to_the_vendor(state: Path) -> None:
    assert isinstance(model(state, "--model", "anthropic/claude-sonnet-4-5").transport, Litellm)
    keys = {"ANTHROPIC_API_KEY": "sk-a", "OPENAI_API_KEY": "sk-o", "GOOGLE_API_KEY": "sk-g"}
    for name, dialect, kind, key, host in (
        ("anthropic/claude-sonnet-4-5", "native", AnthropicComputer, "sk-a", "api.anthropic.com"),
        ("openai/gpt-5.4", "native", OpenAIComputer, "sk-o", "api.openai.com"),
        ("gemini/gemini-3.5-flash", "native", GeminiComputer, "sk-g", "generativelanguage.googleapis.com"),
    ):
        made = model(state, "--model", name, "--dialect", dialect, **keys)
        assert isinstance(made.dialect, kind)
        assert isinstance(made.transport, Http)
        assert made.transport.api_key == key
        assert host in made.transport.api_base
        assert made.transport.asking.model == name.partition("/")[2]


def test_a_vendors_tool_at_another_host_goes_through_litellm(state: Path) -> None:
    bedrock = model(state, "--model", "bedrock/us.anthropic.claude-sonnet-4-5", "--dialect", "native")
    assert isinstance(bedrock.transport, Litellm)


def test_a_key_of_the_environment_is_not_sent_to_another_address(state: Path) -> None:
    words = ("--model", "anthropic/claude-sonnet-4-5", "--dialect", "native")
    made = model(state, *words, "--api-base", "http://127.0.0.1:9/v1", ANTHROPIC_API_KEY="sk-a")
    assert isinstance(made.transport, Http)
    assert made.transport.api_key is None


def test_litellm_can_be_wished_for_a_server_of_ones_own(state: Path) -> None:
    words = ("--model", "openai/x", "--api-base", "http://127.0.0.1:9/v1")
    assert isinstance(model(state, *words).transport, Http)
    assert isinstance(model(state, *words, "--transport", "litellm").transport, Litellm)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic/claude-opus-4-5", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-3.5-flash", "GEMINI_API_KEY or GOOGLE_API"),
    ],
)
def test_a_vendors_tool_without_a_key_is_said_before_anything_is_opened(
    state: Path, name: str, variable: str
) -> None:
    with pytest.raises(NoKey, match=f"Set {variable}"):
        model(state, "--model", name, "--dialect", "native")


@pytest.mark.parametrize(
    ("words", "base"),
    [
        (("--model", "openai/x", "--api-base", "http://127.0.0.1:9"), "http://127.0.0.1:9/v1"),
        (("--model", "openai/x", "--api-base", "http://127.0.0.1:9/"), "http://127.0.0.1:9/v1"),
        (("--model", "openai/x", "--api-base", "http://127.0.0.1:9/api/"), "http://127.0.0.1:9/api/"),
        (("--model", "gemini/gemini-3.5-flash", "--dialect", "native"), "http://proxy.test/v1beta"),
        (("--model", "anthropic/claude-opus-4-5", "--dialect", "native"), "http://proxy.test/v1"),
    ],
)
def test_an_address_without_a_path_is_that_of_the_first_version(
    state: Path, words: tuple[str, ...], base: str
) -> None:
    proxy = "http://proxy.test"
    made = model(state, *words, *ABLE, ANTHROPIC_BASE_URL=proxy, GEMINI_BASE_URL=proxy)
    assert isinstance(made.transport, Http)
    assert made.transport.api_base == base


def test_a_key_that_no_header_can_hold_is_named_by_where_it_is_and_not_said(state: Path) -> None:
    for key in ("schl\u00fcssel", "two words", "line\nbreak"):
        with pytest.raises(BadSetting, match="The key in --api-key has a character") as refused:
            settings(state, "--model", "openai/x", "--api-key", key)
        assert key not in str(refused.value)
    assert settings(state, "--model", "openai/x", OI_API_KEY=" sk-a\n").llm.api_key == "sk-a"


def test_a_model_of_this_machine_is_free_whatever_carries_it(state: Path) -> None:
    words = ("--model", "openai/x", "--api-base", "http://127.0.0.1:9/v1", *ABLE)
    for transport in ("http", "litellm"):
        made = model(state, *words, "--transport", transport)
        assert isinstance(made.transport, Http | Litellm)
        assert made.transport.prices is not None
        assert dollars_of(made.transport.prices, (1000, 0, 0, 1000)) == 0


# ------------------------------------------------------------------ what a server says


@pytest.fixture
def ollama() -> Iterator[ModelServer]:
    models = (
        Served(name="blind:1b", sees=False, calls=False, context=8192),
        Served(name="able:8b", sees=True, calls=True, context=131072),
    )
    with ModelServer(Scripted([]), runtime=Runtime(flavour="ollama", models=models)) as server:
        yield server


def test_a_model_that_neither_sees_nor_calls_tools_gets_words_and_writes_its_calls(
    state: Path, ollama: ModelServer
) -> None:
    blind = model(state, "--model", "ollama_chat/blind:1b", "--api-base", ollama.address)
    assert isinstance(blind.dialect, Printed)
    assert (blind.observe, blind.window) == ("text", 8192)
    assert (blind.dialect.history.kept, blind.dialect.history.chunk) == (1, 1)
    able = model(state, "--model", "ollama_chat/able:8b", "--api-base", ollama.address)
    assert isinstance(able.dialect, FunctionCalling)
    assert able.observe == "picture"
    assert isinstance(able.transport, Http)
    assert isinstance(able.transport.wire, OllamaWire)
    assert able.transport.wire.context == able.window == 32768
    assert ollama.requests == []  # it told all of it, so nothing was tried


def test_the_persons_word_is_stronger_than_the_servers(state: Path, ollama: ModelServer) -> None:
    words = ("--model", "ollama_chat/blind:1b", "--api-base", ollama.address)
    told = ("--llm_supports_vision", "--llm_supports_functions", "--context-window", "50000", "-x", "99")
    made = model(state, *words, *told)
    assert (made.observe, made.window) == ("picture", 50000)
    assert isinstance(made.dialect, FunctionCalling)
    assert isinstance(made.transport, Http)
    assert made.transport.asking.max_tokens == 99


def test_a_model_of_this_machine_is_taken_from_the_menu(state: Path, ollama: ModelServer) -> None:
    said: list[str] = []
    wishes = settings(state, "--local", "--api-base", ollama.address)
    chosen = chosen_locally(wishes, ask=lambda _: "1", say=said.append)
    assert chosen.model == "ollama_chat/able:8b"  # the best comes first
    assert chosen.llm.api_base == ollama.address
    assert "able:8b" in "\n".join(said)
    again = chosen_locally(wishes, ask=None, say=said.append)  # nobody to ask: the remembered one
    assert again.model == "ollama_chat/able:8b"


# ------------------------------------------------------------------ offline


def test_offline_reaches_the_models_own_server_and_no_hosted_model(state: Path) -> None:
    assert reached(settings(state, "--offline", "--model", "steps")) == ()
    here = ("--offline", "--model", "openai/x", "--api-base", "http://127.0.0.1:9/v1")
    assert reached(settings(state, *here)) == ("http://127.0.0.1:9/v1",)
    with pytest.raises(BadSetting, match=r"--local.*--api-base"):
        reached(settings(state, "--offline", "--model", "openai/gpt-5"))
    with pytest.raises(BadSetting, match="exclude each other"):
        settings(state, "--offline", "--network", "on")


def test_a_server_that_speaks_chat_completions_is_spoken_to_in_them(state: Path) -> None:
    made = model(state, "--model", "openai/x", "--api-base", "http://127.0.0.1:9/v1")
    assert isinstance(made.transport, Http)
    assert isinstance(made.transport.wire, ChatWire)
    tars = model(state, "--model", "openai/ui-tars-1.5-7b", "--api-base", "http://127.0.0.1:9/v1")
    assert isinstance(tars.dialect, UiTars)


def test_a_dialect_of_places_on_pictures_is_not_spoken_to_a_model_that_is_shown_none(state: Path) -> None:
    words = ("-m", "openai/ui-tars-1.5-7b", "-ab", "http://127.0.0.1:9/v1", "--supports-functions")
    with pytest.raises(BadSetting, match="is about places on pictures"):
        model(state, *words, "--no-supports-vision")
    assert isinstance(model(state, *words, "--supports-vision").dialect, UiTars)
    blind = model(state, *words, "--no-supports-vision", "--dialect", "functions")
    assert isinstance(blind.dialect, FunctionCalling)


# ------------------------------------------------------------------ a second model that points


def chosen(state: Path, *words: str) -> LanguageModel | Grounded:
    return chosen_model(settings(state, *words), lambda _: None)


def test_a_grounder_is_asked_at_its_own_server_and_is_not_given_the_planners_key(state: Path) -> None:
    pair = chosen(
        state, "-m", "gpt-4o", "-ak", "secret", "--grounder", "openai/ui-tars-1.5-7b@http://127.0.0.1:9/v1"
    )
    assert isinstance(pair, Grounded)
    assert (pair.name, pair.grounder.name) == ("gpt-4o", "openai/ui-tars-1.5-7b")
    assert isinstance(pair.grounder.dialect, Pointer)
    transport = pair.grounder.transport
    assert isinstance(transport, Http)
    assert (transport.api_base, transport.api_key) == ("http://127.0.0.1:9/v1", None)


def test_without_one_the_model_is_alone(state: Path) -> None:
    assert not isinstance(chosen(state, "-m", "gpt-4o"), Grounded)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--dialect", "ui-tars-1.5", "--grounder", "openai/gta1-7b"), "add --dialect functions"),
        (("--grounder", "acme/seer"), 'Nobody knows how "acme/seer" counts places'),
    ],
)
def test_a_grounder_that_does_not_fit_is_told(state: Path, words: tuple[str, ...], told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        chosen(state, "-m", "gpt-4o", *words)


def test_offline_reaches_the_servers_of_both(state: Path) -> None:
    words = ("-m", "openai/a", "-ab", "http://127.0.0.1:8/v1", "--grounder")
    assert reached(settings(state, *words, "openai/gta1@http://127.0.0.1:9/v1")) == (
        "http://127.0.0.1:8/v1",
        "http://127.0.0.1:9/v1",
    )
    with pytest.raises(BadSetting, match='"openai/gta1" is somewhere on the internet'):
        reached(settings(state, *words, "openai/gta1"))


@pytest.mark.parametrize(
    "words", [("--observe", "marked"), ("--pictures", "changed"), ("--no-llm_supports_vision",)]
)
def test_a_vendors_own_tool_is_shown_whole_pictures(state: Path, words: tuple[str, ...]) -> None:
    native = ("--model", "anthropic/claude-sonnet-4-5", "--dialect", "native")
    with pytest.raises(BadSetting, match="is shown whole pictures"):
        model(state, *native, *words)


def test_a_model_of_this_machine_costs_nothing_and_one_elsewhere_what_nobody_knows(state: Path) -> None:
    for words, dollars in (
        (("--model", "openai/gpt-4o", "--api-base", "http://127.0.0.1:9/v1"), 0.0),
        (("--model", "ollama_chat/x", "--api-base", "http://localhost:9"), 0.0),
        (("--model", "openai/gpt-4o", "--api-base", "http://192.0.2.1:9/v1", "--transport", "litellm"), None),
        (("--model", "nobody/knows", "--api-key", "x"), None),
    ):
        able = ("--llm_supports_vision", "--llm_supports_functions", "--context-window", "9000")
        assert model(state, *words, *able).budget.foreseen(1000, 0) == dollars
    known = model(state, "--model", "anthropic/claude-sonnet-4-5").budget.foreseen(1000, 0)
    assert known is not None
    assert known > 0
