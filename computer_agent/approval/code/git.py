# ruff: noqa: C901, PLR0912 - tables of programs, options and cases, read best as they are
"""What git commands do: the readers are on the allow-list with their options, the rest is told in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.findings import quoted
from computer_agent.approval.code.harmless import GIT, GIT_FIRST

if TYPE_CHECKING:
    from computer_agent.approval.code.commands import Call
    from computer_agent.approval.code.shell import ShellJudge
    from computer_agent.approval.code.words import Word

_BEFORE = {
    "-C": 2,
    "-c": 2,
    "--git-dir": 2,
    "--work-tree": 2,
    "--namespace": 2,
    "--exec-path": 1,
    "--config-env": 2,
}
_QUIET_BEFORE = frozenset(
    {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"}
)
_FETCHES = frozenset(
    ["fetch", "pull", "clone", "ls-remote", "remote-update", "submodule", "svn", "lfs", "archive"]
)
_LOSES = {
    "reset": re.compile(r"--hard|--merge|--keep"),
    "clean": re.compile(r"-\w*[fxX]|--force"),
    "checkout": re.compile(r"--|-f|--force|\.|-B"),
    "restore": re.compile(r".*"),
    "switch": re.compile(r"-f|--force|--discard-changes|-C"),
    "branch": re.compile(r"-\w*[dDfMC]|--delete|--force"),
    "tag": re.compile(r"-\w*[df]|--delete|--force"),
    "stash": re.compile(r"drop|clear"),
    "reflog": re.compile(r"expire|delete"),
    "rebase": re.compile(r".*"),
    "commit": re.compile(r"--amend"),
    "filter-branch": re.compile(r".*"),
    "filter-repo": re.compile(r".*"),
    "update-ref": re.compile(r".*"),
    "gc": re.compile(r"--prune.*|--aggressive"),
    "prune": re.compile(r".*"),
    "replace": re.compile(r".*"),
    "worktree": re.compile(r"remove|prune"),
    "remote": re.compile(r"remove|rm|set-url|rename"),
    "submodule": re.compile(r"deinit|foreach"),
    "rm": re.compile(r".*"),
    "symbolic-ref": re.compile(r".*"),
    "fast-import": re.compile(r".*"),
    "read-tree": re.compile(r".*"),
    "checkout-index": re.compile(r".*"),
    "bisect": re.compile(r"run"),
}
_SETS_PROGRAM = re.compile(
    r"(?:core\.(?:pager|editor|fsmonitor|sshcommand|hookspath|askpass|gitproxy|worktree)|alias\..*|.*\.(?:textconv|command|cmd|driver|clean|smudge|process|program|helper|path|external|uploadpack|receivepack|editor|pager)|pager\..*|diff\.external|sequence\.editor|credential\..*|url\..*|include.*|protocol\..*|http\..*)",
    re.IGNORECASE,
)


_TELLS_ONLY = re.compile(
    r"user\.(?:name|email)|color\..*|init\.defaultbranch|push\.(?:default|autosetupremote)|pull\.(?:rebase|ff)|advice\..*"
    r"|branch\.(?:sort|autosetuprebase)|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|abbrev)|log\.(?:date|decorate)"
    r"|fetch\.prune|merge\.(?:conflictstyle|ff)|rerere\.enabled|commit\.verbose|column\..*|tag\.sort",
    re.IGNORECASE,
)
"""Settings that make git run nothing."""


def git(judge: ShellJudge, call: Call) -> None:
    """Judge a git command."""
    found = judge.findings
    args = _after_globals(judge, call)
    if not args:
        if any(word.text not in ("--version", "--help", "-v", "-h") for word in call.args):
            found.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
        return
    verb, rest = args[0].text, args[1:]
    texts = [word.text for word in rest]
    if _is_reading(verb, rest):
        if any(_secret_object(judge, word) for word in rest):
            found.credential(f"shows what may hold a secret: {call.shown}")
        return
    if verb == "push":
        _push(judge, call, texts)
    elif verb == "credential" or verb.startswith("credential-"):
        found.credential(f"reads saved passwords: {call.shown}")
    elif verb == "config":
        _config(judge, call, texts)
    elif verb in _FETCHES or (verb == "remote" and "update" in texts):
        found.add("medium", "network", f"reaches another machine: {call.shown}")
        _programs_in_options(judge, call, texts)
    elif verb in ("send-email", "request-pull", "daemon", "instaweb", "imap-send", "p4"):
        found.add("high", "network", f"sends to another machine, or serves it: {call.shown}")
    else:
        found.add("medium", "write", f"changes the repository: {call.shown}")
        _programs_in_options(judge, call, texts)
    loses = _LOSES.get(verb)
    if loses is not None and (any(loses.fullmatch(text) for text in texts) or loses.pattern == ".*"):
        found.add("high", "history-rewrite", f"loses work or rewrites history: {call.shown}")
    if verb in ("rebase", "bisect", "submodule", "filter-branch", "difftool", "mergetool"):
        for text in texts:
            if " " in text:
                judge.run_text(text)


def _after_globals(judge: ShellJudge, call: Call) -> list[Word]:
    """The words from the subcommand on. What stands before may run programs."""
    args = list(call.args)
    while args and args[0].text.startswith("-"):
        text = args[0].text
        name, equals, value = text.partition("=")
        if text == "-c" or name == "--config-env":
            setting = args[1].text if len(args) > 1 else ""
            if _SETS_PROGRAM.match(setting) or "$" in setting or not args[1:2] or not args[1].known:
                judge.findings.add("high", "dynamic-command", f"makes git run a program: {quoted(setting)}")
                judge.run_text(setting.partition("=")[2].lstrip("!"))
            elif not re.match(r"(?:color|user|log|status|diff)\.", setting):
                judge.findings.add("medium", "unknown", f"sets what git does: {quoted(setting)}")
        elif name in ("--exec-path", "--git-dir", "--work-tree", "--namespace"):
            judge.findings.add("medium", "unknown", f"has git work elsewhere: {quoted(value or text)}")
        elif text not in _QUIET_BEFORE and text != "-C":
            judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
        args = args[1 if equals else _BEFORE.get(name, 1) :]
    if args and not args[0].known:
        judge.findings.add(
            "high", "dynamic-command", f"runs a command that is only known when it runs: {call.shown}"
        )
    return args


def _is_reading(verb: str, rest: list[Word]) -> bool:
    options = GIT.get(verb)
    if options is None:
        return False
    others = options.others(rest)
    if others is None:
        return False
    first = others[0].text if others else ""
    if verb in GIT_FIRST:
        return first in GIT_FIRST[verb]
    if verb in ("branch", "tag"):
        asks = any(
            re.match(
                r"-l$|--list|--contains|--no-contains|--merged|--no-merged|--points-at|-n\d*$", word.text
            )
            for word in rest
        )
        return not others or asks
    if verb == "config":
        asks = any(re.match(r"--get|--list|-l$", word.text) for word in rest)
        return asks or len(others) == 1 or first in ("list", "get")
    return True


def _secret_object(judge: ShellJudge, word: Word) -> bool:
    return any(
        judge.places.is_secret(path)
        for part in word.text.split(":")
        if part
        for path in judge.places.resolve(part, judge.state.folders)
    )


def _push(judge: ShellJudge, call: Call, texts: list[str]) -> None:
    forces = any(
        re.fullmatch(r"--force.*|-\w*f\w*|--mirror|--delete|-d|--prune|\+.+|:.+", text) for text in texts
    )
    judge.findings.add("high", "network", f"sends commits to another machine: {call.shown}")
    if forces:
        judge.findings.forbid(
            "history-rewrite",
            f"overwrites what others have: {call.shown}",
            "it overwrites commits on another machine",
        )
    _programs_in_options(judge, call, texts)


def _config(judge: ShellJudge, call: Call, texts: list[str]) -> None:
    key = next((text for text in texts if not text.startswith("-") and text != "set"), "")
    if not _TELLS_ONLY.fullmatch(key) or any(text.startswith(("-f", "--file")) for text in texts):
        judge.state.names.define("git", "medium")
    if any(_SETS_PROGRAM.fullmatch(text) for text in texts) or any(
        text in ("--edit", "-e") for text in texts
    ):
        judge.findings.add("high", "persistence", f"makes git run a program from now on: {call.shown}")
        for text in texts:
            if text.startswith("!") or " " in text:
                judge.run_text(text.lstrip("!"))
    elif any(text in ("--global", "--system", "--file", "-f") for text in texts):
        judge.findings.add(
            "high", "persistence", f"changes git's settings outside the workspace: {call.shown}"
        )
    else:
        judge.findings.add("medium", "write", f"changes git's settings: {call.shown}")


def _programs_in_options(judge: ShellJudge, call: Call, texts: list[str]) -> None:
    """Options that name a program, and addresses that are one."""
    for at, text in enumerate(texts):
        name, equals, value = text.partition("=")
        value = value if equals else " ".join(texts[at + 1 : at + 2])
        if (
            name
            in (
                "--upload-pack",
                "--receive-pack",
                "--exec",
                "-u",
                "-x",
                "--extcmd",
                "--open-files-in-pager",
                "-O",
            )
            and value
        ):
            if name in ("-u", "-x") and call.texts[:1] not in (
                ["clone"],
                ["ls-remote"],
                ["fetch"],
                ["rebase"],
                ["difftool"],
            ):
                continue
            judge.findings.add("high", "dynamic-command", f"makes git run a program: {quoted(value)}")
            judge.run_text(value)
        elif text.startswith(("ext::", "fd::")) or name in ("--ext-diff", "--template", "--config"):
            judge.findings.add("high", "dynamic-command", f"makes git run a program: {quoted(text)}")
        elif name in ("--output", "-o") and value:
            from computer_agent.approval.code.files import write_paths
            from computer_agent.approval.code.words import Word

            write_paths(judge, [Word((value,), value)], "writes")
