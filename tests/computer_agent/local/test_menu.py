"""``oi --local``: the list, what is remembered, what is started and fetched, and what is said where nothing works."""

import json
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_servers import (
    LM_STUDIO,
    OLLAMA_TAGS,
    SEES_AND_ACTS,
    VLLM,
    LocalServers,
    free_port,
    ollama,
    talking,
)
from model_server import ModelServer, Scripted
from model_server.runtimes import Runtime

from computer_agent.local.menu import FILE, NOTHING_INSTALLED, Choice, Menu, NoLocalModel, Wishes
from computer_agent.local.programs import installed
from computer_agent.local.pulling import SUGGESTED, Progress, _lines, named
from computer_agent.models.model import ModelError

LONG = 30.0


class Person:
    """Answers in turn, keeps what was asked and said. An answer that can be called is, and gives the answer."""

    def __init__(self, *answers: str | Callable[[], str | None] | None) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.said: list[str] = []

    def ask(self, question: str) -> str | None:
        self.asked.append(question)
        assert self.answers, f"nothing more is answered, but asked: {question}"
        answer = self.answers.pop(0)
        return answer() if callable(answer) else answer

    @property
    def heard(self) -> str:
        return "\n".join(self.said)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def choose(
    person: Person,
    state: Path,
    root: str,
    *,
    wishes: Wishes | None = None,
    path: str | None = None,
    nobody: bool = False,
) -> Choice:
    """The server at ``root`` is named by the person; with ``path``, where programs are, it is only looked for there."""
    wishes = wishes or Wishes()
    menu = Menu(
        ask=None if nobody else person.ask,
        say=person.said.append,
        state=state,
        environment={"OLLAMA_HOST": root, "PATH": path or "", "HOME": str(state)},
        roots=(root,),
        seconds=LONG,
    )
    return menu.choose(wishes if path is not None else replace(wishes, api_base=root))


def test_the_best_comes_first_and_enter_takes_it(state: Path) -> None:
    person = Person("")
    with LocalServers(ollama()) as server:
        choice = choose(person, state, server.root)
    assert (choice.name, choice.api_base, choice.kind) == (
        f"ollama_chat/{SEES_AND_ACTS}",
        server.root,
        "ollama",
    )
    assert (choice.model.sees, choice.model.calls_tools) == (True, True)
    rows = [line.split() for line in person.heard.splitlines() if line.strip()[:1].isdecimal()]
    assert rows == [
        ["1", SEES_AND_ACTS, "Ollama", "yes", "yes", "256k", "6.1", "GB", "best"],
        ["2", "gemma3:4b", "Ollama", "yes", "no", "128k", "3.3", "GB"],
    ]
    assert f'[Enter] takes "{SEES_AND_ACTS}"' in person.asked[0]


@pytest.mark.parametrize("answer", ["2", "gemma3:4b", "GEMMA", " gemma3 "])
def test_a_number_a_name_or_a_part_of_one_takes_that(answer: str, state: Path) -> None:
    with LocalServers(ollama()) as server:
        assert choose(Person(answer), state, server.root).model.name == "gemma3:4b"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("0", 'No model has "0"'),
        ("3", '2 models have "3"'),
        ("99999999999999999999", "No model has"),
        (":", '2 models have ":"'),
        ("x\x1b[2J", 'No model has "x⟨U+001B⟩[2J"'),
    ],
)
def test_what_names_none_or_several_is_asked_again(answer: str, told: str, state: Path) -> None:
    person = Person(answer, "1")
    with LocalServers(ollama()) as server:
        assert choose(person, state, server.root).model.name == SEES_AND_ACTS
    assert told in person.heard
    assert "from 1 to 2" in person.heard


def test_the_choice_is_the_default_of_next_time(state: Path) -> None:
    with LocalServers(ollama()) as server:
        choose(Person("2"), state, server.root)
        again = Person("")
        assert choose(again, state, server.root).model.name == "gemma3:4b"
    assert "taken last time" in again.heard
    assert '[Enter] takes "gemma3:4b"' in again.asked[0]


def test_a_model_of_last_time_that_is_gone_is_told_of(state: Path) -> None:
    with LocalServers(ollama()) as server:
        choose(Person("2"), state, server.root)
    person = Person("")
    with LocalServers(VLLM) as other:
        assert choose(person, state, other.root).model.name == "Qwen/Qwen2.5-VL-7B"
    assert 'The model of last time, "gemma3:4b" (Ollama), is not there now.' in person.heard


@pytest.mark.parametrize("text", ["", "[]", "{", '{"kind": 5, "model": []}', '{"kind": "x", "model": "y"}'])
def test_a_broken_memory_is_as_good_as_none(text: str, state: Path) -> None:
    state.mkdir()
    (state / FILE).write_text(text)
    with LocalServers(ollama()) as server:
        assert choose(Person(""), state, server.root).model.name == SEES_AND_ACTS
    assert json.loads((state / FILE).read_text())["model"] == SEES_AND_ACTS


def test_a_state_folder_that_cannot_be_written_to_is_told_of_and_hinders_nothing(state: Path) -> None:
    state.write_text("a file where the folder should be")
    person = Person("")
    with LocalServers(ollama()) as server:
        assert choose(person, state, server.root).model.name == SEES_AND_ACTS
    assert "cannot be remembered" in person.heard


def test_where_nobody_can_be_asked_the_one_of_last_time_is_taken(state: Path) -> None:
    with LocalServers(ollama()) as server:
        choose(Person("2"), state, server.root)
        nobody = Person()
        assert choose(nobody, state, server.root, nobody=True).model.name == "gemma3:4b"
    assert nobody.said == []


def test_where_nobody_can_be_asked_the_only_one_is_taken(state: Path) -> None:
    with LocalServers(VLLM) as server:
        choice = choose(Person(), state, server.root, nobody=True)
    assert choice.name == "openai/Qwen/Qwen2.5-VL-7B"
    assert choice.api_base == f"{server.root}/v1"


@pytest.mark.parametrize("nobody", [True, False])
def test_where_nobody_can_be_asked_and_there_are_several_it_is_said_what_to_do(
    nobody: bool,  # noqa: FBT001 - a case
    state: Path,
) -> None:
    with (
        LocalServers(ollama()) as server,
        pytest.raises(NoLocalModel, match=r'2 models .* --local --model NAME.*"gemma3:4b"'),
    ):
        choose(Person(None), state, server.root, nobody=nobody)


@pytest.mark.parametrize("name", ["gemma3:4b", "ollama_chat/gemma3:4b", "ollama/gemma3:4b"])
def test_a_model_that_is_named_is_taken_unasked(name: str, state: Path) -> None:
    with LocalServers(ollama()) as server:
        assert choose(Person(), state, server.root, wishes=Wishes(model=name)).model.name == "gemma3:4b"


def test_a_model_that_is_named_and_not_there_is_told_with_those_that_are(state: Path) -> None:
    with LocalServers(ollama()) as server, pytest.raises(NoLocalModel, match=r'no model "x" .*"gemma3:4b"'):
        choose(Person(), state, server.root, wishes=Wishes(model="x"))


def test_quitting_takes_nothing(state: Path) -> None:
    with LocalServers(ollama()) as server, pytest.raises(NoLocalModel, match="No model was taken"):
        choose(Person("q"), state, server.root)
    assert not (state / FILE).exists()


def test_names_that_would_move_the_cursor_are_shown_and_asked_for_as_they_are(state: Path) -> None:
    name = "evil\x1b[2J/模型:é"
    person = Person("1")
    with LocalServers({"/v1/models": {"data": [{"id": name}]}}) as server:
        assert choose(person, state, server.root).model.name == name
    assert "\x1b" not in person.heard + "".join(person.asked)
    assert "evil⟨U+001B⟩[2J/模型:é" in person.heard


def test_of_a_huge_list_a_page_is_shown_and_the_rest_is_taken_by_name(state: Path) -> None:
    rows = [{"id": f"org/model-{number:04}"} for number in range(2000)]
    person = Person("model-1999")
    with LocalServers({"/v1/models": {"data": rows}}) as server:
        assert choose(person, state, server.root).model.name == "org/model-1999"
    assert len(person.heard.splitlines()) < 40
    assert "and 1970 more" in person.heard


def test_what_a_server_does_not_say_is_shown_as_unknown_and_stands_between_yes_and_no(state: Path) -> None:
    models = [
        {"type": "llm", "key": "blind", "capabilities": {"vision": False, "trained_for_tool_use": True}},
        {"type": "llm", "key": "untold"},
        {"type": "llm", "key": "full", "capabilities": {"vision": True, "trained_for_tool_use": True}},
    ]
    person = Person("")
    with LocalServers(LM_STUDIO | {"/api/v1/models": {"models": models}}) as server:
        choose(person, state, server.root)
    rows = [line.split() for line in person.heard.splitlines() if line.strip()[:1].isdecimal()]
    assert [row[1] for row in rows] == ["full", "untold", "blind"]
    assert rows[1][4:7] == ["unknown", "unknown", "unknown"]


def test_an_address_where_nothing_listens_is_told(state: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(NoLocalModel, match=f'"{address}" cannot be used: nothing listens there'):
        choose(Person(), state, address)


def test_an_address_that_hangs_is_told(state: Path) -> None:
    person = Person()
    with talking(lambda _: None) as address:
        menu = Menu(ask=person.ask, say=person.said.append, state=state, environment={}, seconds=0.5)
        with pytest.raises(NoLocalModel, match="what listens there does not answer"):
            menu.choose(Wishes(api_base=address))


def test_a_server_that_wants_a_key_is_told_with_the_words_to_give_it(state: Path) -> None:
    with LocalServers({"/v1/models": 401}) as server, pytest.raises(NoLocalModel, match="--api-key KEY"):
        choose(Person(), state, server.root)


EMPTY: dict[str, Any] = {"/api/tags": {"models": []}}


def test_an_ollama_without_a_model_is_given_one(state: Path) -> None:
    person = Person("", "")
    with ModelServer(
        Scripted(()), runtime=Runtime(flavour="ollama", models=(), can_pull=("qwen3-vl:8b",))
    ) as server:
        with pytest.raises(AssertionError, match="nothing more is answered"):  # it has none after that either
            choose(person, state, server.address)
        assert "POST /api/pull" in server.asked
    assert 'Fetching "qwen3-vl:8b"' in person.heard
    assert '"qwen3-vl:8b" is there.' in person.heard


def pulls(*lines: Any, then: dict[str, Any] | None = None) -> tuple[dict[str, Any], list[str]]:  # noqa: ANN401 - JSON
    """An Ollama without a model, whose pulls give these lines; afterwards it has the models of ``then``."""
    wanted: list[str] = []
    told = ollama(**EMPTY)

    def pull(body: dict[str, Any]) -> Iterator[Any]:
        wanted.append(body["model"])
        yield from lines
        if then is not None:
            told["/api/tags"] = then

    told["/api/tags"] = {"models": []}
    told["/api/pull"] = pull
    return told, wanted


def serving(told: dict[str, Any]) -> LocalServers:
    server = LocalServers({})
    server.answers = told  # what a pull changes is answered next
    return server


def test_how_far_it_is_is_told_each_tenth_and_then_the_model_can_be_taken(state: Path) -> None:
    layer = {"status": "pulling 1", "digest": "sha256:1", "total": 6_000_000_000}
    steps = [layer | {"completed": 6_000_000 * number} for number in range(0, 1001, 3)]
    told, wanted = pulls(
        {"status": "pulling manifest"}, layer, *steps, {"status": "success"}, then=OLLAMA_TAGS
    )
    person = Person("3", "")
    with serving(told) as server:
        assert choose(person, state, server.root).model.name == SEES_AND_ACTS
    assert wanted == ["qwen2.5vl:7b"]
    shares = [line for line in person.said if "%" in line]
    assert len(shares) == 10
    assert shares[5] == "   50 %  3.0 of 6.0 GB"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([{"error": "pull model manifest: file does not exist"}], "cannot be fetched: pull model manifest"),
        ([{"status": "pulling manifest"}], "Ollama ended before it was whole"),
        ([[], 5, {"status": 7}, {"digest": 5, "total": "x"}, {"error": "no\x1b space"}], "no⟨U+001B⟩ space"),
    ],
)
def test_a_fetch_that_fails_is_told_and_another_may_be_tried(
    lines: list[Any], told: str, state: Path
) -> None:
    answers, wanted = pulls(*lines)
    person = Person("no/such:1b", "q")
    with serving(answers) as server, pytest.raises(NoLocalModel, match="No model was taken"):
        choose(person, state, server.root)
    assert wanted == ["no/such:1b"]
    assert told in person.heard


def test_ctrl_c_ends_the_fetch_and_not_the_menu(state: Path) -> None:
    layer = {"status": "pulling 1", "digest": "sha256:1", "total": 1000}

    def interrupted() -> Iterator[Any]:
        yield layer | {"completed": 100}
        os.kill(os.getpid(), signal.SIGINT)
        server.closing.wait(LONG)  # as a long fetch would go on

    told, _ = pulls(then=None)
    told["/api/pull"] = lambda _: interrupted()

    def quit_it() -> str:
        server.closing.set()
        return "q"

    person = Person("1", quit_it)
    with serving(told) as server, pytest.raises(NoLocalModel, match="No model was taken"):
        choose(person, state, server.root)
    assert "Stopped. What has come is kept" in person.heard


def test_an_ollama_that_goes_away_while_it_fetches_is_told(state: Path) -> None:
    def gone(_: object) -> Iterator[Any]:
        yield {"status": "pulling manifest"}
        raise ConnectionResetError

    told, _ = pulls()
    told["/api/pull"] = gone
    with serving(told) as server, pytest.raises(NoLocalModel, match="No model was taken"):
        choose(Person("1", "q"), state, server.root)


def test_offline_fetches_nothing(state: Path) -> None:
    person = Person("q")
    with LocalServers(ollama()) as server, pytest.raises(NoLocalModel):
        choose(person, state, server.root, wishes=Wishes(offline=True))
    assert "[p]ull" not in person.asked[0]
    with LocalServers(ollama(**EMPTY)) as server, pytest.raises(NoLocalModel, match="no model can be used"):
        choose(Person(), state, server.root, wishes=Wishes(offline=True))


def test_another_model_can_be_fetched_beside_those_there(state: Path) -> None:
    told, wanted = pulls({"status": "success"})
    told["/api/tags"] = OLLAMA_TAGS
    with serving(told) as server:
        assert choose(Person("p", "5", "gemma3:12b", "2"), state, server.root).model.name == "gemma3:4b"
    assert wanted == ["gemma3:12b"]


@given(
    cuts=st.lists(st.integers(1, 40), min_size=1, max_size=30),
    lines=st.lists(
        st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=4), min_size=1), max_size=6
    ),
)
def test_lines_are_the_same_however_they_are_cut(cuts: list[int], lines: list[dict[str, Any]]) -> None:
    data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode(
        "utf-8", "surrogatepass"
    )
    pieces: list[bytes] = []
    while data:
        size = cuts[len(pieces) % len(cuts)]
        pieces.append(data[:size])
        data = data[size:]
    assert list(_lines(iter(pieces))) == list(_lines(iter([b"".join(pieces)])))


def test_progress_counts_all_parts_and_never_goes_back() -> None:
    progress = Progress()
    told = [
        progress.line({"digest": digest, "total": total, "completed": done})
        for digest, total, done in [
            ("a", 100, 50),
            ("b", 100, 0),
            ("a", 100, 100),
            ("b", 100, 200),
            ("b", 0, 0),
        ]
    ]
    assert [line[:6] if line else None for line in told] == ["   50 ", None, None, "  100 ", None]


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("", SUGGESTED[0].name),
        ("4", "gemma3:4b"),
        ("0", None),
        ("5", None),
        ("x y", None),
        ("a/b:c", "a/b:c"),
    ],
)
def test_a_suggestion_is_named_by_its_number(answer: str, name: str | None) -> None:
    assert named(answer) == name


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!{sys.executable}\n{text}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


SERVE = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
tiny = {"name": "tiny:1b", "digest": "d", "details": {}}
answers = {"/api/version": {"version": "1"}, "/api/tags": {"models": [tiny]}}
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(answers[self.path]).encode() if self.path in answers else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
assert sys.argv[1:] == ["serve"]
host, port = os.environ["OLLAMA_HOST"].removeprefix("http://").split(":")
server = HTTPServer((host, int(port)), Handler)
open(os.environ["HOME"] + "/pid", "w").write(str(os.getpid()))
server.serve_forever()
"""


INTERRUPT_ONCE = """\
        if "/" not in answers:
            answers["/"] = "asked"
            os.kill(os.getppid(), 2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
def test_a_program_that_is_installed_is_started_and_waited_for_and_goes_on(
    tmp_path: Path, state: Path
) -> None:
    state.mkdir()
    program(tmp_path / "bin", "ollama", SERVE)
    root = f"http://127.0.0.1:{free_port()}"
    person = Person("", lambda: "tiny:1b")
    try:
        choice = choose(person, state, root, path=str(tmp_path / "bin"))
    finally:
        _end(state / "pid")
    assert (choice.model.name, choice.api_base) == ("tiny:1b", root)
    assert "Ollama is installed and does not run. Start it?" in person.asked[0]
    assert "goes on running" in person.heard


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
def test_ctrl_c_while_it_starts_stops_it_again(tmp_path: Path, state: Path) -> None:
    state.mkdir()
    program(tmp_path / "bin", "ollama", SERVE.replace("        body =", f"{INTERRUPT_ONCE}        body ="))
    root = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(KeyboardInterrupt):
        choose(Person(""), state, root, path=str(tmp_path / "bin"))
    with pytest.raises(ProcessLookupError):
        os.kill(int((state / "pid").read_text()), 0)


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
def test_a_program_that_ends_at_once_is_told_with_its_last_words(tmp_path: Path, state: Path) -> None:
    program(tmp_path / "bin", "ollama", "import sys; sys.exit('Error: \\x1b address already in use')")
    with pytest.raises(
        ModelError, match=r'"ollama serve" ended at once\. It said: "Error: address already in use"'
    ):
        choose(
            Person("y"),
            state,
            f"http://127.0.0.1:{free_port()}",
            path=str(tmp_path / "bin"),
        )


@pytest.mark.parametrize(
    ("answer", "told"),
    [("n", "No model was taken"), (None, r"Start one, such as: ollama serve\. Then: oi --local")],
)
def test_a_program_is_not_started_unasked(answer: str | None, told: str, tmp_path: Path, state: Path) -> None:
    program(tmp_path / "bin", "ollama", "raise SystemExit(1)")
    with pytest.raises(NoLocalModel, match=told):
        choose(Person(answer), state, f"http://127.0.0.1:{free_port()}", path=str(tmp_path / "bin"))
    assert not (state / "ollama.log").exists()


def test_where_nothing_is_installed_the_three_simplest_ways_are_said(state: Path) -> None:
    with pytest.raises(NoLocalModel) as raised:
        choose(Person(), state, f"http://127.0.0.1:{free_port()}", path="")
    assert str(raised.value) == NOTHING_INSTALLED
    assert len(NOTHING_INSTALLED.splitlines()) < 24


def test_programs_are_found_on_the_path_that_is_given_and_lms_in_its_own_folder(tmp_path: Path) -> None:
    program(tmp_path / "bin", "ollama", "")
    program(tmp_path / "bin", "Qwen3-VL.llamafile", "")
    (tmp_path / "bin" / "not-run.llamafile").write_text("")
    program(tmp_path / ".lmstudio" / "bin", "lms", "")
    found = list(
        installed({"PATH": f"{tmp_path / 'bin'}{os.pathsep}{tmp_path / 'none'}", "HOME": str(tmp_path)})
    )
    assert [each.words for each in found] == [
        "ollama serve",
        "lms server start",
        "Qwen3-VL.llamafile --server --nobrowser",
    ]
    elsewhere = {"PATH": str(tmp_path / "bin"), "OLLAMA_HOST": "http://box:11434"}
    assert [each.kind for each in installed(elsewhere)] == ["llamafile"]
    assert list(installed({})) == []
    assert shutil.which("python3", path="") is None  # an empty path is not the usual one


def _end(file: Path) -> None:
    with suppress(FileNotFoundError, ProcessLookupError, ValueError):
        os.kill(int(file.read_text()), signal.SIGTERM)
