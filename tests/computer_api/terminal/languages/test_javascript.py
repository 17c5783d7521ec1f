"""The JavaScript worker: cells as at the prompt of Node.js, and a computer whose calls are promises."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import killed_after

from computer_api.errors import NotFoundError, UnsupportedError
from computer_api.terminal import Call, Output, Reply, Terminal
from computer_api.terminal.languages.javascript import JavaScriptLanguage, JavaScriptWorker
from computer_api.terminal.languages.javascript_imports import prepared
from computer_api.terminal.place import Place

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")

ENVIRONMENT = {"PATH": os.environ["PATH"]}
PATIENCE = 20.0  # seconds that a case may take on a busy machine
PNG = b"\x89PNG\r\n\x1a\n and the rest"


class Owner:
    """Answers calls, and remembers them."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def answer(self, call: Call) -> Reply:
        self.calls.append(call)
        match call.path:
            case ("display", "width"):
                return Reply(value=1280)
            case ("screenshot",):
                return Reply(png=PNG)
            case ("find",):
                raise NotFoundError('There is no "Save"; the closest is "Safe".')
            case ("broken",):
                raise ValueError("a mistake of ours")
            case ("deep",):
                raise RecursionError("it goes too deep")
            case ("odd",):
                return Reply(error=("OddError", "It is odd."))
            case _:
                return Reply(value=[*call.args, dict(call.kwargs)])


@pytest.fixture
def owner() -> Owner:
    return Owner()


@pytest.fixture
def terminal(tmp_path: Path, owner: Owner) -> Iterator[Terminal]:
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, answer=owner.answer) as started:
        yield started


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """One for all cases that leave nothing behind, so that Node.js starts once for them."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "mine.js").write_text("exports.seven = 7\n")
    (folder / "mine.mjs").write_text("export const eight = 8\nexport default 'default'\n")
    (folder / "data.json").write_text('{"nine": 9}\n')
    with Terminal(cwd=folder, environment=ENVIRONMENT) as started:
        yield started


def run(terminal: Terminal, code: str, seconds: float = PATIENCE) -> Output:
    output = terminal.run("javascript", code, seconds=seconds)
    assert seconds < PATIENCE or not output.timed_out
    return output


def printed(terminal: Terminal, code: str) -> str:
    return run(terminal, code).text


@dataclass(frozen=True, kw_only=True)
class Case:
    """Blocks that are run one after the other, and what the last of them prints."""

    name: str
    blocks: tuple[str, ...]
    text: str
    ok: bool = True


def case(name: str, *blocks: str, text: str, ok: bool = True) -> Case:
    return Case(name=name, blocks=blocks, text=text, ok=ok)


# What was tried with the classic's Node.js (16 pass) and with a prototype (22 pass: not import()).
CASES = (
    case("the last value", "1 + 1", text="2\n"),
    case("let, again", "let l1 = 1", "let l1 = 2", "l1", text="2\n"),
    case("const, again", "const c1 = 1", "const c1 = 2; c1", text="2\n"),
    case("class, again", "class K {}", "class K { three() { return 3 } }", "new K().three()", text="3\n"),
    case("a function is kept", "function four() { return 4 }", "four()", text="4\n"),
    case("await", "await new Promise(done => setTimeout(() => done(5), 1))", text="5\n"),
    case("const and await", "const c2 = await Promise.resolve(6)", "c2", text="6\n"),
    case("import()", "(await import('node:path')).posix.sep", text="'/'\n"),
    case("import", "import { sep as s1, join } from 'path'", "join('a', s1, 'b')", text="'a/b'\n"),
    case("require of a file", "require('./mine').seven", text="7\n"),
    case(
        "lines",
        "for (const n of [1, 2]) {\n\n  // both\n  console.log(\n    n\n  )\n}",
        text="1\n2\n",
    ),
    case(
        "import( in a template",
        "`import('fs') ${1 + 1} import.meta`",
        text="\"import('fs') 2 import.meta\"\n",
    ),
    case(
        "an object",
        "({ a: [1, { b: null }], 'c-d': new Map([[1, 2n]]) })",
        text="{ a: [ 1, { b: null } ], 'c-d': Map(1) { 1 => 2n } }\n",
    ),
    case(
        "an error",
        "\n  null.x",
        text="Uncaught TypeError: Cannot read properties of null (reading 'x')\n    at CELL:2:8\n",
        ok=False,
    ),
    case("state after an error", "let s2 = 8; throw new Error('no')", "s2", text="8\n"),
    case(
        "a syntax error",
        "let y = ;",
        text="CELL, line 1\nlet y = ;\n        ^\nUncaught SyntaxError: Unexpected token ';'\n",
        ok=False,
    ),
    case("both streams", "console.log(1); console.error(2); console.log(3)", text="1\n2\n3\n"),
    case("no end of line", "process.stdout.write('no end'); undefined", text="no end"),
    case(
        "what looks like a record",
        'console.log(\'{"done": 1, "ok": true, "exit": 0}\'); 9',
        text='{"done": 1, "ok": true, "exit": 0}\n9\n',
    ),
    case(
        "stdin is at its end",
        "let got = ''; for await (const some of process.stdin) got += some; got",
        text="''\n",
    ),
    case(
        "an error in a timer",
        "setTimeout(() => { throw 'late' }, 1); await new Promise(done => setTimeout(done, 20)); 10",
        text="Uncaught 'late'\n10\n",
    ),
    case("a rejection", "Promise.reject('why'); 11", text="11\nUncaught (in promise) 'why'\n"),
    case("exit", "let s3 = 12", "process.exit(0); console.log('never')", "s3", text="12\n"),
)


def test_the_table_has_all_23_cases() -> None:
    assert len({one.name for one in CASES}) == 23


@needs_node
@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
def test_the_cases_of_the_table(shared: Terminal, one: Case) -> None:
    if "stdin" in one.name:  # it can be read once
        with Terminal(environment=ENVIRONMENT) as fresh:
            output = run(fresh, one.blocks[0])
    else:
        output = [run(shared, block) for block in one.blocks][-1]
    assert without_numbers(output.text) == one.text
    assert output.ok == one.ok
    assert not output.lost_state


def without_numbers(text: str) -> str:
    return re.sub(r"<cell_\d+>", "CELL", text)


@needs_node
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("undefined", ""),
        ("null", "null\n"),
        ("'text'", "'text'\n"),
        ("-0", "-0\n"),
        ("10n", "10n\n"),
        ("Symbol('s')", "Symbol(s)\n"),
        ("'\\ud800'.length", "1\n"),
        ("/a'b/g", "/a'b/g\n"),
        ("{ a: 1, b: [2] }", "{ a: 1, b: [ 2 ] }\n"),
        ("{ console.log(1) }", "1\n"),
        ("{}", "{}\n"),
        ("", ""),
        ("// only a remark", ""),
        ("'use strict'; undefined", ""),
        ("console.log('😀 é'); '😀'", "😀 é\n'😀'\n"),
        ("function* count() { yield 1; yield 2 }\n[...count()]", "[ 1, 2 ]\n"),
        (
            "async function* twice() { yield 1; yield 2 }\nfor await (const n of twice()) console.log(n)",
            "1\n2\n",
        ),
        ("JSON.stringify({ a: [1, '\\n'] })", '\'{"a":[1,"\\\\n"]}\'\n'),
        ("const main = async () => { await 1; console.log('in main') }\nmain()", "in main\n"),
        ("Promise.resolve(13)", "13\n"),
        ("if (true) { const inner = 1 }\ntypeof inner", "'undefined'\n"),
        ("eval('1 + 1')", "2\n"),
        ("require.main === module", "true\n"),
        ("os.EOL + path.sep", "'\\n/'\n"),
        ("const fs = require('fs'); typeof fs.existsSync", "'function'\n"),
        ("process.argv.length", "1\n"),
        ("this === globalThis", "true\n"),
        (
            "import whole, { eight } from './mine.mjs'; import * as all from './mine.mjs'\n[whole, eight, all.eight]",
            "[ 'default', 8, 8 ]\n",
        ),
        ("import { default as again } from './mine.mjs'; again", "'default'\n"),
        ("import './mine.mjs'; import fs2 from 'fs'; typeof fs2.existsSync", "'function'\n"),
        ("(await import(`./${'mine'}.mjs`)).eight", "8\n"),
        ("const words = 'import x from \"y\"'; /import('a')/.test(words) // import('z')", "false\n"),
        ("import.meta.filename === __filename && import.meta.url.startsWith('file:///')", "true\n"),
        ("child_process.execSync('echo child').toString()", "'child\\n'\n"),
        (
            "console.log('A'); child_process.spawnSync('echo', ['B'], { stdio: 'inherit' }); console.error('C')",
            "A\nB\nC\n",
        ),
        (
            (
                "const { Worker } = require('worker_threads')\n"
                "const later = new Worker('console.log(1)', { eval: true })\n"
                "await new Promise(done => later.on('exit', done)); 14"
            ),
            "1\n14\n",
        ),
        ("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)", "'timed-out'\n"),
        ("await require('timers/promises').setTimeout(1, 'slept')", "'slept'\n"),
        ("await util.promisify(setTimeout)(1, 'slept')", "'slept'\n"),
    ],
)
def test_a_cell_shows_its_last_value_and_what_it_prints(shared: Terminal, code: str, text: str) -> None:
    output = run(shared, code)
    assert (output.text, output.ok) == (text, True)


@needs_node
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("throw 5", "Uncaught 5\n"),
        ("class Own extends Error {}; throw new Own('mine')", "Uncaught Own"),
        ("function f() { throw new Error('deep') }\n\n f()", "at f (CELL:1:22)\n    at CELL:3:2\n"),
        ("import 'fs'; null.x", "at CELL:1:19\n"),
        ("import {\n sep } from 'path'\n\n  null.x", "at CELL:4:8\n"),
        ("const e = '😀'; await import('fs'); null.x", "at CELL:1:42\n"),
        ("JSON.parse('{')", "Uncaught SyntaxError: "),
        ("foo(", "CELL, line 1\nfoo(\n    ^\nUncaught SyntaxError: "),
        ("(async () => { throw new Error('rejected') })()", "Uncaught Error: rejected\n"),
        ("const r = () => r(); r()", "Uncaught RangeError: Maximum call stack size exceeded\n"),
        ("import { nothing } from 'fs'", "does not provide an export named 'nothing'"),
        ("import x from 'not-there'", "Cannot find package 'not-there'"),
        ("import('fs').nothing()", "import(...).nothing is not a function"),
        ("await import('fs'); let y = ;", "\nawait import('fs'); let y = ;\n"),
        (
            "try { null.x } catch (error) { console.log(error) } throw 1",
            "reading 'x')\n    at CELL:1:12\nUncaught 1\n",
        ),
        ("process.exitCode = 4; throw 1", "Uncaught 1\n"),
        ("({ [util.inspect.custom]() { throw new Error('shy') } })", "Uncaught Error: shy\n"),
    ],
)
def test_an_error_is_told_with_its_place_and_without_our_frames(
    shared: Terminal, code: str, said: str
) -> None:
    output = run(shared, code)
    text = without_numbers(output.text)
    assert said in text
    assert "javascript_worker" not in text
    assert "node:" not in text
    assert not output.ok
    assert not output.lost_state


@needs_node
def test_values_and_errors_are_told_whatever_a_cell_makes_of_the_streams(terminal: Terminal) -> None:
    printed(terminal, "process.stdout.write = process.stderr.write = () => true; undefined")
    assert printed(terminal, "console.log('hidden'); 1") == "1\n"
    assert printed(terminal, "throw 2") == "Uncaught 2\n"


@needs_node
@pytest.mark.parametrize(
    ("code", "ok", "exit_code"),
    [
        ("process.exit()", True, 0),
        ("process.exit(3)", False, 3),
        ("await 1; process.exit(3)", False, 3),
        (
            "try { process.exit(0) } catch { console.log('caught') } finally { console.log('finally') }",
            True,
            0,
        ),
        ("process.exitCode = 4", False, 4),
        ("setTimeout(() => process.exit(5), 1); await new Promise(() => {})", False, 5),
    ],
)
def test_leaving_ends_the_cell_and_not_the_worker(
    terminal: Terminal, code: str, *, ok: bool, exit_code: int
) -> None:
    printed(terminal, "const kept = 1")
    output = run(terminal, code)
    assert (output.ok, output.exit_code, output.lost_state) == (ok, exit_code, False)
    assert output.text in {"", "4\n"}
    assert printed(terminal, "kept") == "1\n"


@needs_node
@pytest.mark.parametrize(
    "code",
    [
        "while (true) {}",
        "for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }",
        "await null; while (true) {}",
        "await new Promise(() => {})",
        "for (;;) await null",
        "for (;;) { await new Promise(done => setTimeout(done, 5)) }",
        "setTimeout(() => { for (;;); }, 1); await new Promise(() => {})",
        "setImmediate(() => { for (;;); }); await new Promise(() => {})",
        "process.nextTick(() => { for (;;); }); await new Promise(() => {})",
        "const again = () => Promise.resolve().then(again); await again()",
        "fs.readFile('/etc/passwd', () => { for (;;); }); await new Promise(() => {})",
        "child_process.execSync('sleep 60')",
        "for (;;) { try { child_process.execSync('sleep 60') } catch {} }",
        "const sleeper = child_process.spawn('sleep', ['60']); await new Promise(done => sleeper.on('exit', done))",
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
        "/(a+)+b/.test('a'.repeat(60))",
        "for (let n = 0; ; n++) console.log(n)",
        "[1, 2].sort(() => { for (;;); })",
    ],
)
def test_an_interrupt_reaches_whatever_the_cell_is_doing(shared: Terminal, code: str) -> None:
    printed(shared, "const kept = 1")
    output = run(shared, code, seconds=0.05)
    assert (output.timed_out, output.ok, output.lost_state) == (True, False, False)
    assert printed(shared, "kept") == "1\n"
    assert printed(shared, "await new Promise(done => setTimeout(done, 1)); kept") == "1\n"


@needs_node
def test_a_first_message_loads_nothing_that_a_stop_could_leave_half_loaded(terminal: Terminal) -> None:
    told = printed(
        terminal,
        "const before = process.moduleLoadList.length; console.log('on', {a: 1}); console.table([[1]]);\n"
        "process.moduleLoadList.slice(before)",
    )
    assert told.startswith("on { a: 1 }\n")
    assert told.endswith("\n[]\n")


@needs_node
def test_a_loop_that_was_stopped_while_it_waited_does_not_go_on(terminal: Terminal, owner: Owner) -> None:
    ticking = "for (;;) { await new Promise(done => setTimeout(done, 5)); console.log('tick') }"
    run(terminal, ticking, seconds=0.05)
    assert printed(terminal, "await new Promise(done => setTimeout(done, 50))") == ""
    run(terminal, "setInterval(() => console.log('tick'), 5); for (;;);", seconds=0.05)
    assert printed(terminal, "await new Promise(done => setTimeout(done, 50))") == ""
    run(terminal, "for (;;) { try { await computer.mouse.click('again') } catch {} }", seconds=0.05)
    before = len(owner.calls)
    assert printed(terminal, "await new Promise(done => setTimeout(done, 50)); 1") == "1\n"
    assert len(owner.calls) == before


@needs_node
def test_a_hundred_thousand_lines_all_arrive_in_order(terminal: Terminal) -> None:
    pieces: list[str] = []
    terminal.run(
        "javascript",
        "for (let n = 0; n < 100000; n++) console.log(n)",
        on_output=lambda chunk: pieces.append(chunk.text),
    )
    assert "".join(pieces) == "".join(f"{number}\n" for number in range(100_000))


@needs_node
def test_a_line_of_a_megabyte_and_bytes_that_are_no_text_come_whole(terminal: Terminal) -> None:
    pieces: list[str] = []
    code = "console.log('é'.repeat(1 << 20)); process.stdout.write(Buffer.from([0xff, 65, 10])); undefined"
    terminal.run("javascript", code, on_output=lambda chunk: pieces.append(chunk.text))
    assert "".join(pieces) == "é" * (1 << 20) + "\n\ufffdA\n"


@needs_node
def test_a_child_that_makes_the_pipe_non_blocking_loses_nothing(terminal: Terminal) -> None:
    child = (
        "child_process.spawnSync('node', ['-e', 'process.stdout.write(`child\\\\n`)'], { stdio: 'inherit' })"
    )
    pieces: list[str] = []
    terminal.run(
        "javascript",
        f"{child}\nprocess.stdout.write('x'.repeat(3e6)); undefined",
        on_output=lambda chunk: pieces.append(chunk.text),
    )
    assert "".join(pieces) == "child\n" + "x" * 3_000_000


@needs_node
def test_what_runs_on_tells_its_output_with_the_next_block(terminal: Terminal) -> None:
    printed(
        terminal, "const ticking = setInterval(() => console.log('late'), 5)"
    )  # perhaps one comes before its end
    seen, end = "", time.monotonic() + PATIENCE
    while "late" not in seen and time.monotonic() < end:
        seen += printed(terminal, "await new Promise(done => setTimeout(done, 20))")
    assert "late\n" in seen
    printed(terminal, "clearInterval(ticking)")


@needs_node
def test_a_server_of_an_earlier_cell_goes_on_serving(terminal: Terminal) -> None:
    printed(
        terminal,
        "const server = http.createServer((_, answer) => answer.end('served'))\n"
        "await new Promise(done => server.listen(0, '127.0.0.1', done))",
    )
    ask = "await (await fetch(`http://127.0.0.1:${server.address().port}`)).text()"
    assert printed(terminal, ask) == "'served'\n"


@needs_node
@pytest.mark.parametrize("code", ["process.abort()", "process.kill(process.pid, 'SIGKILL')"])
def test_a_crash_is_named_and_the_loss_is_said(terminal: Terminal, code: str) -> None:
    printed(terminal, "const kept = 1")
    output = run(terminal, code)
    assert output.lost_state
    assert "(SIG" in output.text.splitlines()[-1]
    assert "what earlier blocks set is gone" in output.text
    assert printed(terminal, "typeof kept") == "'undefined'\n"


@needs_node
def test_a_cell_that_takes_all_memory_ends_the_worker_and_not_the_next_cell(tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "NODE_OPTIONS": "--max-old-space-size=40"}
    with Terminal(cwd=tmp_path, environment=environment) as terminal:
        output = run(terminal, "const all = []; for (;;) all.push(new Array(1e4).fill({}))")
        assert output.lost_state
        assert "heap" in output.text
        assert printed(terminal, "1") == "1\n"


@needs_node
def test_records_that_a_cell_forges_break_nothing(terminal: Terminal) -> None:
    forged = '[]\\n7\\nnope\\n{"png": "?"}\\n{"call": 1}\\n{"done": true, "ok": 1}\\n{"done": 99}\\n\\xff\\n'
    code = (
        "for (const fd of fs.readdirSync('/proc/self/fd').map(Number)) {\n"
        f"  if (fd > 2) try {{ if (fs.fstatSync(fd).isSocket()) fs.writeSync(fd, '{forged}') }} catch {{}}\n"
        "}\n'still here'"
    )
    assert printed(terminal, code) == "'still here'\n"
    assert printed(terminal, "1") == "1\n"


@needs_node
def test_a_mistake_in_what_answers_is_raised_here_and_does_not_hold_the_cell(terminal: Terminal) -> None:
    with pytest.raises(ValueError, match="a mistake of ours"):
        run(terminal, "await computer.broken()")
    assert printed(terminal, "1") == "1\n"


@needs_node
def test_what_goes_too_deep_for_us_is_the_cell_s_error(terminal: Terminal) -> None:
    assert "it goes too deep" in run(terminal, "await computer.deep()").text


@needs_node
def test_a_cell_uses_the_computer_with_arguments_by_name(terminal: Terminal, owner: Owner) -> None:
    clicked = printed(terminal, "await computer.mouse.click('Save', { count: 2 })")
    assert clicked == "[ 'Save', { count: 2 } ]\n"
    assert owner.calls == [Call(path=("mouse", "click"), args=("Save",), kwargs={"count": 2})]


@needs_node
def test_a_value_of_the_computer_is_a_promise_and_its_picture_in_words_says_so(terminal: Terminal) -> None:
    assert printed(terminal, "(await computer.display.width) / 2") == "640\n"
    assert printed(terminal, "computer.display.width") == "1280\n"
    assert printed(terminal, "computer.display") == "<computer.display: its calls and values are promises>\n"
    assert "promises" in printed(terminal, "computer")
    assert "cannot be changed" in printed(terminal, "computer.mouse = 1")


@needs_node
def test_an_error_of_the_computer_is_an_error_of_its_name(terminal: Terminal) -> None:
    text = without_numbers(printed(terminal, "\nawait computer.find('Save')"))
    assert text.startswith('Uncaught NotFoundError: There is no "Save"; the closest is "Safe".\n')
    assert "at CELL:2:16\n" in text
    caught = (
        "try { await computer.find('Save') } catch (error) { console.log(error instanceof NotFoundError, "
        "error instanceof ComputerError, error instanceof Error, error.name) }"
    )
    assert printed(terminal, caught) == "true true true NotFoundError\n"
    assert printed(terminal, "await computer.odd()").startswith("Uncaught OddError: It is odd.\n")


@needs_node
def test_several_calls_at_once_are_all_answered(terminal: Terminal, owner: Owner) -> None:
    code = "(await Promise.all([...Array(200).keys()].map(n => computer.echo(n)))).every(([n], i) => n === i)"
    assert printed(terminal, code) == "true\n"
    assert len(owner.calls) == 200
    too_many = "await Promise.all([...Array(1001).keys()].map(n => computer.echo(n)))"
    assert "More than 1000 calls" in printed(terminal, too_many)


@needs_node
def test_a_cell_is_not_done_before_the_calls_that_it_does_not_await(terminal: Terminal, owner: Owner) -> None:
    assert printed(terminal, "computer.echo(1).then(() => computer.echo(2)); 3") == "3\n"
    assert [call.args for call in owner.calls] == [(1,), (2,)]
    assert "Uncaught (in promise) NotFoundError" in printed(terminal, "computer.find('x'); 3")


@needs_node
def test_a_call_after_its_block_has_ended_is_an_error_that_says_so(
    terminal: Terminal, owner: Owner, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    code = (
        "const keep = error => { fs.writeFileSync('part', error.message); fs.renameSync('part', 'said') }\n"
        "const look = () => fs.existsSync('go') ? computer.echo(1).catch(keep) : setTimeout(look, 1)\n"
        "void look()"
    )
    printed(terminal, code)
    (tmp_path / "go").touch()
    end = time.monotonic() + PATIENCE
    while not said.exists() and time.monotonic() < end:
        threading.Event().wait(0.01)
    assert said.read_text() == (
        "computer.echo was called after its block had ended; await such calls in the block."
    )
    assert owner.calls == []


@needs_node
@pytest.mark.parametrize(
    ("given_", "named"),
    [
        ("() => 1", "[Function (anonymous)]"),
        ("NaN", "NaN"),
        ("10n", "10n"),
        ("{ a: [new Map()] }", "Map(0) {}"),
    ],
)
def test_an_argument_that_cannot_be_sent_is_named(terminal: Terminal, given_: str, named: str) -> None:
    text = printed(terminal, f"await computer.echo({given_})")
    assert f"TypeError: echo takes text, numbers, lists and objects only, and was given {named}." in text
    assert printed(terminal, "await computer.echo(1)") == "[ 1, {} ]\n"


@needs_node
def test_a_screenshot_is_a_buffer_and_a_picture_as_last_value_is_shown(terminal: Terminal) -> None:
    assert printed(terminal, "const shot = await computer.screenshot(); Buffer.isBuffer(shot)") == "true\n"
    output = run(terminal, "shot")
    assert (output.text, output.images) == ("", (PNG,))
    assert run(terminal, "Buffer.from('no picture')").images == ()


@needs_node
def test_without_a_computer_a_call_says_so() -> None:
    with Terminal(environment=ENVIRONMENT) as terminal:
        assert "UnsupportedError: This terminal has no computer" in printed(
            terminal, "await computer.mouse.click('Save')"
        )


@needs_node
def test_no_call_passes_after_an_interrupt() -> None:
    done: list[Call] = []

    def answer(call: Call) -> Reply:
        done.append(call)
        watched.interrupt()
        return Reply()

    with Terminal(environment=ENVIRONMENT, answer=answer) as watched:
        output = run(watched, "for (;;) { try { await computer.click() } catch {} }")
        assert not output.ok
    assert len(done) <= 2


PARENT = """
import os, sys
from computer_api.terminal import Terminal
terminal = Terminal(environment={"PATH": os.environ["PATH"]})
terminal.run("javascript", sys.argv[1], on_output=lambda chunk: print(chunk.text, end="", flush=True))
"""


@needs_node
@pytest.mark.parametrize(
    "code",
    [
        "console.log(process.pid); for (;;);",
        "console.log(child_process.spawn('sleep', ['60']).pid); for (;;);",
    ],
    ids=["node", "a child of node"],
)
def test_what_runs_dies_with_a_parent_that_is_killed(code: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", PARENT, code]
    with killed_after(subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.kill()
        parent.wait()
        end = time.monotonic() + PATIENCE
        while is_alive(child) and time.monotonic() < end:
            threading.Event().wait(0.01)
        assert not is_alive(child)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def node_that_says(folder: Path, text: str) -> dict[str, str]:
    program = folder / "node"
    program.write_text(f"#!/bin/sh\necho '{text}'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"PATH": str(folder)}


def test_a_node_that_is_missing_or_too_old_is_one_sentence(tmp_path: Path) -> None:
    language = JavaScriptLanguage()
    assert language.missing({"PATH": str(tmp_path)}) == (
        'JavaScript needs "node", which is not on the PATH; install Node.js 18 or newer.'
    )
    old = node_that_says(tmp_path, "v16.20.2")
    sentence = (
        f'JavaScript needs Node.js 18 or newer, and "{tmp_path}/node" is version 16; install a newer one.'
    )
    assert language.missing(old) == sentence
    with pytest.raises(UnsupportedError, match="is version 16"):
        language.worker(Place(cwd=None, environment=old), None)


def test_a_program_that_is_no_node_is_told_from_one(tmp_path: Path) -> None:
    assert "does not tell its version" in str(JavaScriptLanguage().missing(node_that_says(tmp_path, "hello")))


PIECES = st.sampled_from(
    [
        "import a from 'x';",
        'import * as b from "y"',
        "import { c, d as e } from 'é😀'",
        "import {\n  f,\r\n  g\n} from 'z';",
        "const h = await import('fs')",
        "'import i from \"j\"'",
        "`import(${1})`",
        "// import k from 'l'",
        "/* import('m')\n😀 */",
        "/import('n')/",
        "import.meta.url",
        "let o = 1",
        "😀",
        "'unclosed",
        "{",
    ]
)


@given(st.lists(PIECES, max_size=8).map("\n".join))
def test_rewriting_leaves_every_character_in_its_line_and_column(code: str) -> None:
    cell = prepared(code)
    if cell.code.startswith("("):
        return
    before, after = code.split("\n"), cell.code.split("\n")
    assert [len(line.encode("utf-16-le")) for line in before] == [
        len(line.encode("utf-16-le")) for line in after
    ]


@given(st.text(alphabet=st.sampled_from("import(x) from'\"`\n\\é😀"), max_size=40))
def test_words_in_a_string_are_never_rewritten(text: str) -> None:
    code = f"const s = {json.dumps(text)} // import('x')"
    assert prepared(code).code == code
    assert prepared(code).first is None


def test_an_import_moves_before_the_cell_on_its_own_line() -> None:
    cell = prepared("let a = 1\nimport b, { c as d } from 'e'\n[1].map(String)")
    assert cell.first is not None
    assert cell.first.startswith("\nconst {default: b} = await ")
    assert "{c: d}" in cell.first
    assert cell.code == "let a = 1\n;" + " " * 28 + "\n[1].map(String)"


@given(
    st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"")), max_size=6), st.integers(1, 7)
)
def test_records_are_found_however_they_are_cut(lines: list[bytes], size: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    worker = JavaScriptWorker(Place(cwd=None, environment={}), None, node="node", values=frozenset())
    pending, found = bytearray(), []
    for start in range(0, len(stream), size):
        pending += stream[start : start + size]
        found += worker.split(pending)
    worker.close()
    assert found == lines
    assert pending == b""
