# ruff: noqa: E501 - tables of programs, options and cases, read best as they are
"""Programs that run code: given as a word, piped in, or in a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.commands import Call, judge_call, scan
from computer_agent.approval.code.places import HOLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.shell import ShellJudge

_CODE_OPTION = {
    "python": "-c", "node": "-e", "perl": "-e", "ruby": "-e", "php": "-r", "lua": "-e", "osascript": "-e", "rscript": "-e", "pwsh": "-c",
    "deno": "eval", "bun": "-e", "julia": "-e", "tclsh": "-c", "pypy": "-c", "powershell": "-c",
}  # fmt: skip
_LANGUAGES = {
    "pypy": "python",
    "deno": "javascript",
    "bun": "javascript",
    "node": "javascript",
    "pwsh": "powershell",
}


def shell(judge: ShellJudge, call: Call) -> None:
    """``sh`` and its like."""
    texts = call.texts
    for at, text in enumerate(texts):
        if re.fullmatch(r"-\w*c\w*", text) and at + 1 < len(texts):
            rest = [later for later in texts[at + 1 :] if later != "--"]
            for value in call.args[texts.index(rest[0], at + 1)].values if rest else ():
                judge.run_text(value)
            if any(
                word.text.startswith("-") and word.text not in ("-c", "-lc", "-ec", "-xc", "-e", "-x", "-u")
                for word in call.args[:at]
            ):
                judge.findings.add(
                    "medium", "unknown", f"runs {call.shown}, which is not known to be harmless"
                )
            return
    _file_or_input(judge, call)


def interpreter(judge: ShellJudge, call: Call) -> None:
    """Python, node, perl and others: their code is judged by the judge of their language."""
    from computer_agent.approval.code.languages import judge_text

    name = re.sub(r"-?[\d.]+$", "", call.name)
    option = _CODE_OPTION[name]
    language = _LANGUAGES.get(name, name)
    texts = call.texts
    for at, text in enumerate(texts[:-1]):
        joined = re.fullmatch(rf"-\w*{option[-1]}", text) is not None and not text.startswith("--")
        if text in (option, "--eval", "-p", "--print", "--command", "-Command") or (
            joined and option.startswith("-")
        ):
            for value in call.args[at + 1].values:
                if HOLE in value:
                    judge.findings.add(
                        "high", "dynamic-command", f"runs code that is only known when it runs: {call.shown}"
                    )
                judge_text(
                    language, value.replace(HOLE, "x"), judge.places, judge.findings, judge.nesting + 1
                )
            if at or name == "perl":
                judge.findings.add(
                    "medium", "unknown", f"runs {call.shown}, which is not known to be harmless"
                )
            return
    if call.input.kind == "text" and (not texts or texts[0] == "-"):
        judge_text(language, call.input.text, judge.places, judge.findings, judge.nesting + 1)
        return
    if name in ("python", "pypy") and len(texts) > 1 and texts[0] == "-m":
        _module(judge, call)
        return
    _file_or_input(judge, call)


def _module(judge: ShellJudge, call: Call) -> None:
    module = call.texts[1]
    if module in ("pip", "venv", "ensurepip", "pipx", "uv"):
        judge_call(
            judge, call._replace(name="pip", args=call.args[2:], head=call.args[1].__class__(("pip",), "pip"))
        )
    if module in ("http.server", "smtpd", "ftplib", "telnetlib"):
        judge.findings.add("high", "network", f"serves files to other machines: {call.shown}")
    judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")


def _file_or_input(judge: ShellJudge, call: Call) -> None:
    """A script, which is not read here, or what comes in."""
    script = next((word for word in call.args if not word.text.startswith("-")), None)
    if (
        script is not None
        and (script.raw.startswith(("<(", '"$(')) or script.text in ("/dev/stdin", "/dev/fd/0"))
    ) or (script is None and call.input.kind == "pipe"):
        judge.findings.add("high", "pipe-to-shell", f"runs as code what another command tells: {call.shown}")
    elif call.input.kind == "text" and (script is None or "-s" in call.texts):
        judge.run_text(call.input.text)
    if call.input.kind == "pipe" and "-s" in call.texts:
        judge.findings.add("high", "pipe-to-shell", f"runs as code what another command tells: {call.shown}")
    judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not read here")
    scan(judge, call.args)


INTERPRETERS: dict[str, Callable[[ShellJudge, Call], None]] = {
    **dict.fromkeys(
        ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash", "mksh", "csh", "tcsh"], shell
    ),
    **dict.fromkeys([*_CODE_OPTION, "python3", "python2"], interpreter),
}
