# ruff: noqa: C901, E501, PLR0912 - tables of programs, options and cases, read best as they are
"""Tools for text with a language of their own: sed, awk and printf. Most of what they are asked to do only reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.commands import Call, note_reads
from computer_agent.approval.code.files import write_paths
from computer_agent.approval.code.findings import quoted
from computer_agent.approval.code.places import HOLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.shell import ShellJudge

_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)"
_SED = re.compile(
    rf"(?:\s|;|(?:{_ADDRESS}(?:,\+?{_ADDRESS}|~\d+)?)?\s*!?\s*"
    r"(?:[pdDPnNhHgGxlz={}]|[qQ]\d*|s([/|#,@:!_])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi0-9]*(?=\s*(?:;|\}|$)))(?=[\s;}]|$|(?<=\{)))*",
)
_AWK_STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"')
_AWK_PATTERNS = re.compile(r"/(?:[^/\\\n]|\\.)+/")


def sed(judge: ShellJudge, call: Call) -> None:
    """``sed``: harmless if its script only selects and replaces, and it writes no file."""
    scripts, files, writes, odd = [], [], False, False
    args = list(call.args)
    explicit = any(
        word.text in ("-e", "--expression") or word.text.startswith("--expression=") for word in args
    )
    while args:
        word, args = args[0], args[1:]
        text = word.text
        if text in ("-e", "--expression") and args:
            scripts.append(args[0])
            args = args[1:]
        elif re.fullmatch(r"-[nErsuz]*i.*|--in-place.*", text):
            writes = True
        elif re.fullmatch(r"-[nErsuz]+|--quiet|--silent|--regexp-extended|--debug", text):
            continue
        elif text.startswith("-") and len(text) > 1:
            odd = True
        elif not scripts and not explicit:
            scripts.append(word)
        else:
            files.append(word)
    if writes:
        write_paths(judge, files, "changes")
        judge.findings.add("medium", "write", f"changes files: {call.shown}")
    for script in scripts:
        if not script.known or not _SED.fullmatch(script.text):
            odd = True
            if re.search(
                r"(?:^|[;\d/$}\n])\s*e\b|/[gpIi0-9]*e[gpIi0-9]*\s*(?:$|[;}])|(?:^|[\s;\d/])[wW]\s*\S",
                script.text,
            ):
                judge.findings.add(
                    "high", "dynamic-command", f"makes sed run commands or write files: {quoted(script.text)}"
                )
                for text in re.split(r"/|\be\s", script.text):
                    judge.run_text(text)
    if odd:
        judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
    note_reads(judge, call, files)


def awk(judge: ShellJudge, call: Call) -> None:
    """``awk``: harmless if its program starts nothing, writes nothing and asks for no environment."""
    args, odd, program = list(call.args), False, None
    while args:
        word, args = args[0], args[1:]
        text = word.text
        if re.fullmatch(r"-[Fv]", text):
            args = args[1:]
        elif re.fullmatch(r"-F.+|-v\w+=.*|--csv|--re-interval", text):
            continue
        elif text.startswith("-") and len(text) > 1:
            odd = True
        else:
            program = word
            break
    if program is not None:
        bare = _AWK_PATTERNS.sub("R", _AWK_STRINGS.sub("S", program.text)).replace("||", " ")
        runs = re.search(r"system|getline|\||@", bare)
        if runs or not program.known or re.search(r"print[^;}\n]*>|ENVIRON|PROCINFO", bare):
            odd = True
        if runs:
            judge.findings.add(
                "high" if re.search(r"system|\|", bare) else "medium",
                "dynamic-command",
                f"makes awk run commands: {quoted(program.text)}",
            )
            for string in _AWK_STRINGS.finditer(program.text):
                judge.run_text(string[1])
    if odd or program is None:
        judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
    note_reads(judge, call, args)


def printf(judge: ShellJudge, call: Call) -> None:
    """``printf``: with ``-v`` it sets a variable."""
    if call.texts[:1] and call.texts[0].startswith("-v"):
        name = call.texts[0][2:] or (call.texts[1] if len(call.args) > 1 else "")
        judge.assign(name, (HOLE,))
        judge.findings.add("medium", "unknown", f"sets a variable: {call.shown}")


def read(judge: ShellJudge, call: Call) -> None:
    """``read``: sets variables to what comes in."""
    for text in call.texts:
        if re.fullmatch(r"\w+", text):
            judge.assign(text, (HOLE,))
        elif not re.fullmatch(r"-[rsaptnNdeu]+\S*", text):
            if "[" in text or HOLE in text:
                judge.state.names.distrust()  # a place in a list that the shell itself uses
            judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")


def compute(judge: ShellJudge, call: Call) -> None:
    """``let``, ``getopts``, ``mapfile``: set variables, and some compute with what may hold more than a number."""
    if any(text.startswith(("-C", "-tC")) for text in call.texts):
        judge.state.names.distrust()  # a command is run for each line
    for text in call.texts:
        name = re.match(r"[A-Za-z_]\w*", text)
        if name is not None:
            judge.assign(name[0], (HOLE,))
    judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")


def options_of_shell(judge: ShellJudge, call: Call) -> None:
    """``set``: options of the shell, or a list of all variables."""
    if not call.args:
        judge.findings.add("medium", "secret-read", 'lists all variables, which may hold secrets: "set"')
    elif not all(re.fullmatch(r"[-+][euxvfo]+|errexit|nounset|pipefail|xtrace", text) for text in call.texts):
        judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
        judge.state.variables.recent.update("123456789@*")
        if call.texts[0] != "--":
            judge.state.names.distrust()


TEXT_TOOLS: dict[str, Callable[[ShellJudge, Call], None]] = {
    "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "printf": printf, "read": read, "let": compute, "getopts": compute, "mapfile": compute, "readarray": compute, "set": options_of_shell,
}  # fmt: skip
