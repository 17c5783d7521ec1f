"""Languages that a program runs: one process for each block, by a table or by configuration."""

import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.errors import UnsupportedError
from computer_api.terminal import Answer, Terminal
from computer_api.terminal.languages.program import (
    HTML,
    PROGRAMS,
    ProgramLanguage,
    ProgramWorker,
    program_language,
)
from computer_api.terminal.place import Place
from computer_api.terminal.worker import Block

if TYPE_CHECKING:
    from computer_api.terminal.languages.language import Language

ENVIRONMENT = {"PATH": os.environ["PATH"]}
# A language that is there wherever these tests run.
DASH = ProgramLanguage(name="dash", aliases=("posix",), extension=".sh", argv=("sh", "{file}"))


def terminal_with(folder: Path, *languages: ProgramLanguage) -> Terminal:
    return Terminal(cwd=folder, environment=ENVIRONMENT, languages=languages)


HELLO = {
    "ruby": "puts 'hello'",
    "r": "cat('hello\\n')",
    "java": 'public class Any { public static void main(String[] a) { System.out.println("hello"); } }',
    "perl": 'print "hello\\n";',
    "php": '<?php echo "hello\\n";',
    "lua": "print('hello')",
    "go": 'package main\nimport "fmt"\nfunc main() { fmt.Println("hello") }',
    "deno": "console.log('hello')",
    "typescript": "const word: string = 'hello'\nconsole.log(word)",
    "applescript": 'return "hello"',
}


@pytest.mark.parametrize("language", PROGRAMS, ids=lambda language: language.name)
def test_each_built_in_language_runs_where_its_program_is(tmp_path: Path, language: ProgramLanguage) -> None:
    if shutil.which(language.argv[0]) is None:
        pytest.skip(f'"{language.argv[0]}" is not installed')
    # Go keeps what it has compiled at home.
    with Terminal(cwd=tmp_path, environment={**ENVIRONMENT, "HOME": str(tmp_path)}) as terminal:
        output = terminal.run(language.name, HELLO[language.name])
    assert (output.text, output.exit_code, output.ok) == ("hello\n", 0, True)


def test_a_language_by_configuration_is_known_by_its_names_and_runs_the_block(tmp_path: Path) -> None:
    config = {"name": "Dash", "aliases": ["POSIX"], "extension": ".sh", "argv": ["sh", "{file}", "word"]}
    with terminal_with(tmp_path, program_language(config)) as terminal:
        assert "dash" in terminal.languages()
        assert terminal.run("posix", "echo $1; pwd; basename $0").text == f"word\n{tmp_path}\nblock.sh\n"


def test_output_comes_as_it_is_printed_in_order_and_with_the_exit_code(tmp_path: Path) -> None:
    pieces: list[str] = []
    (tmp_path / "go").touch()

    def look(text: str) -> None:
        pieces.append(text)
        (tmp_path / "go").unlink(missing_ok=True)

    code = "echo out; while [ -e go ]; do :; done; echo err >&2; printf é; exit 3"
    with terminal_with(tmp_path, DASH) as terminal:
        output = terminal.run("dash", code, on_output=lambda chunk: look(chunk.text), seconds=20)
    assert "".join(pieces) == output.text == "out\nerr\né"
    assert (output.exit_code, output.ok, output.lost_state) == (3, False, False)


def test_nothing_is_kept_between_blocks_and_nothing_is_said_to_be_lost(tmp_path: Path) -> None:
    with terminal_with(tmp_path, DASH) as terminal:
        assert terminal.run("dash", "x=kept").ok
        output = terminal.run("dash", 'echo "[$x]"')
    assert (output.text, output.lost_state) == ("[]\n", False)


def test_a_program_that_reads_input_finds_its_end(tmp_path: Path) -> None:
    with terminal_with(tmp_path, DASH) as terminal:
        assert terminal.run("dash", "cat; echo end", seconds=20).text == "end\n"


@pytest.mark.parametrize(
    ("code", "at_most"),
    [("sleep 60", 2.0), ("trap '' INT; while :; do :; done", 6.0)],
    ids=["polite", "deaf"],
)
def test_a_block_that_takes_too_long_is_interrupted_and_then_killed(
    tmp_path: Path, code: str, at_most: float
) -> None:
    with terminal_with(tmp_path, DASH) as terminal:
        before = time.monotonic()
        output = terminal.run("dash", code, seconds=0.2)
        assert time.monotonic() - before < at_most
        assert (output.timed_out, output.ok, output.lost_state) == (True, False, False)
        assert output.text == "[stopped: it was not done after 0.2 s]\n"
        assert terminal.run("dash", "echo next").text == "next\n"


def test_an_interrupt_ends_the_block(tmp_path: Path) -> None:
    with terminal_with(tmp_path, DASH) as terminal:
        output = terminal.run("dash", "echo on; sleep 60", on_output=lambda _: terminal.interrupt())
    assert output.text == "on\n[stopped: it was interrupted]\n"
    assert not output.ok


def test_what_a_block_left_running_ends_with_it(tmp_path: Path) -> None:
    with terminal_with(tmp_path, DASH) as terminal:
        child = int(terminal.run("dash", "sleep 60 >/dev/null & echo $!").text)
    end = time.monotonic() + 10
    while Path(f"/proc/{child}").exists() and time.monotonic() < end:
        pass
    assert not Path(f"/proc/{child}").exists()


def test_a_program_that_crashes_is_named_with_its_signal(tmp_path: Path) -> None:
    with terminal_with(tmp_path, DASH) as terminal:
        output = terminal.run("dash", "kill -SEGV $$")
    assert (output.text, output.exit_code) == ("[sh was ended by SIGSEGV]\n", -11)


def test_files_of_blocks_are_gone_when_the_terminal_is_closed(tmp_path: Path) -> None:
    with terminal_with(tmp_path, DASH) as terminal:
        file = Path(terminal.run("dash", 'echo "$0"').text.strip())
        assert file.exists()
    assert not file.parent.exists()


def test_a_program_that_is_missing_is_one_sentence_that_names_both(tmp_path: Path) -> None:
    language = ProgramLanguage(name="befunge", extension=".bf", argv=("befunge-93", "{file}"))
    sentence = (
        'The language "befunge" needs the program "befunge-93", which is not on the PATH; '
        "install it, or use another language."
    )
    assert language.missing(ENVIRONMENT) == sentence
    with terminal_with(tmp_path, language) as terminal, pytest.raises(UnsupportedError) as raised:
        terminal.run("befunge", "@")
    assert str(raised.value) == sentence


def test_a_page_is_handed_on_as_html_and_stays_in_its_file() -> None:
    with Terminal(environment=ENVIRONMENT) as terminal:
        output = terminal.run("html", "<p>é</p>")
    page = Path(output.text.removeprefix("The page is in ").removesuffix(".\n"))
    assert output.html == ("<p>é</p>",)
    assert page.read_text(encoding="utf-8") == "<p>é</p>"
    assert page.suffix == ".html"
    shutil.rmtree(page.parent)


def test_names_and_aliases_of_the_built_in_languages_are_all_different() -> None:
    languages: tuple[Language, ...] = (*PROGRAMS, HTML)
    names = [name for language in languages for name in (language.name, *language.aliases)]
    assert len(names) == len(set(names))
    assert all("{file}" in language.argv for language in PROGRAMS)


class UpperCase(ProgramWorker):
    """Changes the block before the program has it."""

    def _begin(self, block: Block, code: str) -> None:
        super()._begin(block, code.upper())


@dataclass(frozen=True, kw_only=True)
class Shouting:
    """A language as a class of one's own."""

    name: str = "shouting"
    aliases: tuple[str, ...] = ("loud",)

    def missing(self, environment: Mapping[str, str]) -> str | None:
        return None

    def worker(self, place: Place, answer: Answer | None) -> ProgramWorker:
        language = ProgramLanguage(name=self.name, extension=".txt", argv=("cat", "{file}"))
        return UpperCase(place, answer, language=language)


def test_a_class_of_one_s_own_is_a_language(tmp_path: Path) -> None:
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, languages=(Shouting(),)) as terminal:
        assert "shouting" in terminal.languages()
        assert terminal.run("loud", "hello").text == "HELLO"


GOOD: dict[str, object] = {"name": "ruby", "extension": ".rb", "argv": ["ruby", "{file}"]}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"colour": 1}, 'A language has no "colour"; it has name, aliases, extension and argv.'),
        ({"name": None}, 'The "name" of a language is missing; it must be a text.'),
        ({"name": 7}, 'The "name" of a language is "7"; it must be a text.'),
        ({"name": " "}, 'The "name" of a language is empty; write the word that blocks are marked with.'),
        ({"extension": None}, 'The "extension" of the language "ruby" is missing; it must be a text.'),
        (
            {"extension": "rb"},
            'The "extension" of the language "ruby" is "rb"; write it with its dot, as in ".rb".',
        ),
        (
            {"extension": "./../x"},
            'The "extension" of the language "ruby" is "./../x"; write it with its dot, as in ".rb".',
        ),
        ({"argv": None}, 'The "argv" of the language "ruby" is missing; it must be a list of texts.'),
        ({"argv": "ruby"}, 'The "argv" of the language "ruby" is "ruby"; it must be a list of texts.'),
        (
            {"argv": ["ruby"]},
            (
                'The "argv" of the language "ruby" is "ruby"; write its program and where the file goes, '
                'as in ["ruby", "{file}"].'
            ),
        ),
        (
            {"argv": ["{file}"]},
            (
                'The "argv" of the language "ruby" is "{file}"; write its program and where the file goes, '
                'as in ["ruby", "{file}"].'
            ),
        ),
        ({"aliases": "rb"}, 'The "aliases" of the language "ruby" is "rb"; it must be a list of texts.'),
        ({"aliases": [1]}, 'The "aliases" of the language "ruby" is "[1]"; it must be a list of texts.'),
    ],
)
def test_a_wrong_configuration_is_one_sentence(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        program_language({**GOOD, **change})
    assert str(raised.value) == sentence


@given(
    st.dictionaries(
        st.sampled_from(["name", "aliases", "extension", "argv"]),
        st.one_of(
            st.text(max_size=4),
            st.none(),
            st.integers(),
            st.lists(st.sampled_from(["ruby", "{file}", "", "-x={file}"]), max_size=3),
        ),
    )
)
def test_any_configuration_is_a_usable_language_or_a_value_error(config: dict[str, object]) -> None:
    try:
        language = program_language(config)
    except ValueError:
        return  # with a sentence, as above
    assert language.name == language.name.strip().lower() != ""
    assert language.argv[0]
    assert any("{file}" in word for word in language.argv[1:])
