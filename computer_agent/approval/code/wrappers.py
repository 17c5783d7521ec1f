"""Commands that run another command: taken off, and the other judged in their place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from computer_agent.approval.code.commands import Call, Input, scan
from computer_agent.approval.code.findings import Findings, quoted
from computer_agent.approval.code.places import HOLE
from computer_agent.approval.code.words import Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.shell import ShellJudge


class _Shape(NamedTuple):
    """How a wrapper is called: options that take a word, words before the command, and options that are harmless."""

    valued: str = ""
    before: int = 0
    harmless: str = ""


_QUIET = {
    "timeout": _Shape("ks", 1, "-k -s -v --foreground --preserve-status --verbose --kill-after --signal"),
    "nice": _Shape("n", 0, "-n --adjustment"),
    "ionice": _Shape("cn", 0, "-c -n -t"),
    "time": _Shape("f", 0, "-p -v -f"),
    "stdbuf": _Shape("ioe", 0, "-i -o -e -oL -eL -o0 -e0 -i0"),
    "command": _Shape("", 0, "-p"),
    "builtin": _Shape(),
    "chronic": _Shape(),
    "unbuffer": _Shape(),
}
"""These change nothing about a command but its speed, or how its output comes."""
_LOUD = {
    "nohup": _Shape(),
    "setsid": _Shape("", 0),
    "exec": _Shape("a"),
    "coproc": _Shape(),
    "flock": _Shape("wE", 1),
    "taskset": _Shape("", 1),
    "chrt": _Shape("", 1),
    "strace": _Shape("eopsuPX"),
    "ltrace": _Shape("eopsu"),
    "gdb": _Shape("x"),
    "busybox": _Shape(),
    "toybox": _Shape(),
    "torify": _Shape(),
    "proxychains": _Shape("f"),
    "firejail": _Shape(),
    "fakeroot": _Shape(),
    "npx": _Shape("p"),
    "bunx": _Shape(),
    "uvx": _Shape(),
    "entr": _Shape(),
    "caffeinate": _Shape("tw"),
    "dbus-run-session": _Shape(),
    "xvfb-run": _Shape("nsefp"),
    "bwrap": _Shape(),
    "start-stop-daemon": _Shape(),
    "noglob": _Shape(),
    "nocorrect": _Shape(),
    "rlwrap": _Shape(),
    "catchsegv": _Shape(),
    "prlimit": _Shape(),
    "cgexec": _Shape("g"),
    "ld.so": _Shape(),
    "pkexec": _Shape("u"),
    "unshare": _Shape("SGRw"),
    "nsenter": _Shape("tSG"),
    "chroot": _Shape("", 1),
    "systemd-run": _Shape("puGMHE"),
    "runuser": _Shape("ugGls"),
    "run-parts": _Shape(),
}
_CHANGES_MEANING = [
    "enable",
    "hash",
    "shopt",
    "bind",
    "complete",
    "compopt",
    "emulate",
    "setopt",
    "unsetopt",
    "autoload",
    "zmodload",
    "zle",
    "disable",
    "zstyle",
    "functions",
]
_MANAGERS = frozenset({"unshare", "nsenter", "chroot", "systemd-run", "bwrap"})
_LISTERS = re.compile(
    r"\s*(?:find|fd|git\s+ls-files|ls|rg\b.*\s(?:-\w*l\w*|--files\S*)|grep\b.*\s-\w*[lL]\w*)(?:\s|$)"
)


def quiet(judge: ShellJudge, call: Call) -> None:
    """A wrapper that is harmless itself."""
    shape = _QUIET[call.name]
    if call.name == "command" and call.texts[:1] in (["-v"], ["-V"]):
        return
    inner, options = _taken_off(call, shape)
    known = set(shape.harmless.split())
    odd = [option for option in options if option.partition("=")[0] not in known and option[:2] not in known]
    if odd or not inner:
        judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
    _run(judge, call, inner, careful=bool(odd))


def loud(judge: ShellJudge, call: Call) -> None:
    """A wrapper that does something of its own, or that is not known well."""
    shape = _LOUD[call.name]
    found = judge.findings
    if call.name in _MANAGERS:
        found.add("high", "privilege", f"runs a command outside of where it would run: {call.shown}")
    elif call.name in ("pkexec", "runuser"):
        _privilege(judge, call)
    elif call.name in ("npx", "bunx", "uvx"):
        found.add("high", "package-install", f"fetches a package and runs it: {call.shown}")
    else:
        found.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
    inner, _ = _taken_off(call, shape)
    if call.name in ("exec", "coproc"):
        judge.state.names.distrust()  # alone it redirects all that follows
    _run(judge, call, inner, careful=True)


def privileged(judge: ShellJudge, call: Call) -> None:
    """``sudo`` and its like: always asked about, and the command judged."""
    _privilege(judge, call)
    inner, _ = _taken_off(call, _Shape("ugpCrhTRDt"))
    while inner and "=" in inner[0].text.split("/")[0]:
        inner = inner[1:]
    for at, text in enumerate(call.texts[:-1]):
        if text in ("-c", "--command"):
            judge.run_text(call.texts[at + 1])
    _run(judge, call, inner, careful=True)


def _privilege(judge: ShellJudge, call: Call) -> None:
    judge.findings.forbid(
        "privilege", f"runs with another user's rights: {call.shown}", f"it runs {quoted(call.name)}"
    )


def environment(judge: ShellJudge, call: Call) -> None:
    """``env``: alone it lists what may be secret, before a command it changes what that gets."""
    args = list(call.args)
    while args:
        text = args[0].text
        name, equals, value = text.partition("=")
        if text in ("-S", "--split-string") and len(args) > 1:
            judge.run_text(" ".join(word.text for word in args[1:]))
            return
        if text.startswith(("-S", "--split-string=")):
            judge.run_text(
                " ".join(
                    [
                        text.removeprefix("--split-string=").removeprefix("-S"),
                        *(word.text for word in args[1:]),
                    ]
                )
            )
            return
        if text in ("-u", "--unset", "-C", "--chdir"):
            args = args[2:]
        elif text.startswith("-"):
            args = args[1:]
        elif equals and re.fullmatch(r"\w+", name):
            judge.assign(name, (value,))
            args = args[1:]
        else:
            break
        if text not in ("-i", "-", "-0") and not equals:
            judge.findings.add("medium", "unknown", f"changes what a command finds around it: {call.shown}")
    if args:
        judge.call(args, call.input)
    elif call.texts[:1] != ["-i"]:
        judge.findings.add(
            "medium", "secret-read", f"lists the environment, which may hold secrets: {call.shown}"
        )


def xargs(judge: ShellJudge, call: Call) -> None:
    """``xargs``: a command with words that only its input tells."""
    inner, options = _taken_off(call, _Shape("IdEnLPsa"))
    odd = [
        one
        for one in options
        if not re.fullmatch(
            r"-[0rtnLPId]\S*|-[nLPId]|--null|--no-run-if-empty|--max-args=\d+|--max-procs=\d+", one
        )
    ]
    if odd:
        judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
    given = _given_names(judge, call)
    mark = next((call.texts[at + 1] for at, text in enumerate(call.texts[:-1]) if text == "-I"), None)
    mark = mark or next((text[2:] for text in call.texts if re.fullmatch(r"-I\S+", text)), None)
    if not inner:
        return
    if mark:
        words = [
            Word(tuple(value.replace(mark, given.text) for value in word.values), word.raw) for word in inner
        ]
    else:
        words = [*inner, given]
    judge.call(words, Input("pipe"))
    if odd:
        scan(judge, inner)


def _given_names(judge: ShellJudge, call: Call) -> Word:
    """The names that a lister before in the pipeline gives: some path in the folder, or nobody knows."""
    if call.input.kind == "pipe" and _LISTERS.match(call.input.source) and judge.state.folders is not None:
        roots = re.findall(r"(?:find|ls|fd)\s+((?:[~/.\w][\w./~-]*\s+)*)", call.input.source + " ")
        paths = roots[0].split() if roots else []
        if not re.search(r"[$`]", call.input.source) and all(not path.startswith("-") for path in paths):
            return Word(tuple(f"{path.rstrip('/')}/*" for path in paths) or ("./*",), "./*")
    return Word((HOLE,), "…")


def evaluate(judge: ShellJudge, call: Call) -> None:
    """``eval``: its words together are code."""
    judge.run_text(" ".join(call.texts))
    judge.commands.append(None)


def source(judge: ShellJudge, call: Call) -> None:
    """``.`` and ``source``: a file is run, and may change what every name means."""
    target = call.args[0] if call.args else None
    if target is None:
        return
    if target.raw.startswith("<(") or target.text in ("/dev/stdin", "/dev/fd/0") or call.input.kind == "pipe":
        judge.findings.add("high", "pipe-to-shell", f"runs as code what a command tells: {call.shown}")
    judge.findings.add("medium", "unknown", f"runs the script {quoted(target.raw)}")
    if not target.text.endswith("bin/activate"):
        judge.state.names.distrust()


def trap(judge: ShellJudge, call: Call) -> None:
    """``trap``: code that runs at a signal or at the end."""
    texts = call.texts[1:] if call.texts[:1] == ["--"] else call.texts
    if not texts or texts[0] in ("-p", "-l", "-"):
        return
    judge.run_text(texts[0])
    judge.findings.add("medium", "unknown", f"runs code at a later time: {call.shown}")
    judge.state.names.distrust()


def meaning(judge: ShellJudge, call: Call) -> None:
    """``enable``, ``hash -p``, ``shopt``: builtins that let later words mean something else."""
    if call.name in ("enable", "hash", "shopt", "bind", "complete", "disable", "functions") and not call.args:
        return
    if call.name == "hash" and call.texts in (["-r"], ["-l"]):
        return
    judge.findings.add("medium", "dynamic-command", f"changes what later commands mean: {call.shown}")
    judge.state.names.distrust()


def alias(judge: ShellJudge, call: Call) -> None:
    """``alias``: a name that stands for code, judged at once and wherever the name is used."""
    from computer_agent.approval.code.shell import define_name

    for text in call.texts:
        name, equals, code = text.partition("=")
        if equals:
            outer, judge.findings = judge.findings, Findings()
            judge.run_text(code)
            judge.findings.add("medium", "dynamic-command", f"lets {quoted(name)} mean {quoted(code)}")
            define_name(judge, name, judge.findings)
            outer.absorb(judge.findings)
            judge.findings = outer


def watch(judge: ShellJudge, call: Call) -> None:
    """``watch``, ``parallel``, ``script -c``, ``tmux new``: their words together are code."""
    judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
    inner, _ = _taken_off(call, _Shape("nIjcSLsxty"))
    if inner:
        judge.run_text(" ".join(word.text for word in inner))
    for at, text in enumerate(call.texts[:-1]):
        if text in ("-c", "--command"):
            judge.run_text(call.texts[at + 1])
    if call.name in ("tmux", "screen"):
        for text in call.texts[1:]:
            if " " in text:
                judge.run_text(text)
    scan(judge, call.args)


def _taken_off(call: Call, shape: _Shape) -> tuple[list[Word], list[str]]:
    """The words of the command that is wrapped, and the wrapper's options."""
    args, options, before = list(call.args), [], shape.before
    while args:
        text = args[0].text
        if text == "--":
            args = args[1:]
            break
        if text.startswith(("-", "+")) and len(text) > 1:
            options.append(text)
            takes = (len(text) == 2 and text[1] in shape.valued) or (  # noqa: PLR2004 - one letter
                text
                in (
                    "--signal",
                    "--kill-after",
                    "--adjustment",
                    "--user",
                    "--group",
                    "--close-from",
                    "--chdir",
                )
            )
            args = args[2:] if takes else args[1:]
        elif before:
            before -= 1
            args = args[1:]
        else:
            break
    return args[before:] if before else args, options


def _run(judge: ShellJudge, call: Call, inner: list[Word], *, careful: bool) -> None:
    if inner:
        outer = len(judge.commands)
        judge.call(inner, call.input)
        del judge.commands[outer:]
    if careful:
        scan(judge, call.args)


WRAPPERS: dict[str, Callable[[ShellJudge, Call], None]] = {
    **dict.fromkeys(_QUIET, quiet),
    **dict.fromkeys(_LOUD, loud),
    **dict.fromkeys(("sudo", "doas", "su", "sudoedit", "gosu", "run0"), privileged),
    **dict.fromkeys((".", "source"), source),
    **dict.fromkeys(("watch", "parallel", "script", "tmux", "screen", "hyperfine"), watch),
    "env": environment,
    "xargs": xargs,
    "eval": evaluate,
    "trap": trap,
    **dict.fromkeys(_CHANGES_MEANING, meaning),
    "alias": alias,
}
