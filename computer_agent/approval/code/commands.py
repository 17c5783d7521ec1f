"""The judge of one shell command, by its words: what it wraps, what it is known to do, and whether it is harmless."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from computer_agent.approval.code import harmless
from computer_agent.approval.code.findings import Findings, quoted
from computer_agent.approval.code.places import HOLE
from computer_agent.approval.code.words import Word

if TYPE_CHECKING:
    from computer_agent.approval.code.shell import ShellJudge

_PROGRAM_FOLDERS = frozenset(
    ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"]
)
_TELL_NO_CONTENT = frozenset(
    [
        "echo",
        "printf",
        "true",
        "false",
        ":",
        "test",
        "[",
        "cd",
        "basename",
        "dirname",
        "which",
        "type",
        "sleep",
        "expr",
        "seq",
        "pwd",
    ]
)
_RECURSIVE = frozenset({"rg", "ag", "ack", "grep", "egrep", "fgrep"})
_MOST_SCANNED = 40
_VARIANT = re.compile(r"(python|pip|ruby|perl|php|lua|node|pypy|tclsh|gcc|clang)-?[\d.]+")


class Input(NamedTuple):
    """From where a command's input comes: a ``pipe`` from the commands ``source``, a ``text`` of the code, a file."""

    kind: Literal["none", "pipe", "text", "file"] = "none"
    text: str = ""
    source: str = ""


class Call(NamedTuple):
    """One command: its name as the shell would find it, its other words, its input, and how the name is written."""

    name: str
    args: list[Word]
    input: Input
    head: Word

    @property
    def texts(self) -> list[str]:
        """The words as texts, of several possible values the first."""
        return [word.text for word in self.args]

    @property
    def shown(self) -> str:
        """The command in quotes, as labels show it."""
        return quoted(" ".join([self.name, *(word.raw for word in self.args)]).replace(HOLE, "…"))


def judge_call(judge: ShellJudge, call: Call) -> None:
    """Note what a command does, in the findings of its block."""
    for value in call.head.values:
        _judge_one(judge, call._replace(name=value))


def _judge_one(judge: ShellJudge, call: Call) -> None:
    from computer_agent.approval.code.programs import SPECIALISTS

    found = judge.findings
    if HOLE in call.name or not call.name.strip():
        found.add(
            "high",
            "dynamic-command",
            f"runs a command that is only known when it runs: {quoted(call.head.raw)}",
        )
        scan(judge, call.args)
        return
    if re.search(r"[*?\[\s]", call.name) and call.name != "[":
        found.add("high", "dynamic-command", f"runs what a pattern matches: {quoted(call.head.raw)}")
    level = judge.state.names.of(call.name)
    if level is not None and level != "low":
        found.add(level, "dynamic-command", f"runs {quoted(call.name)}, which the code has defined itself")
    elif level is None and judge.state.names.distrusted != "low":
        found.add(
            "medium", "dynamic-command", f"runs {quoted(call.name)}, which earlier code may have changed"
        )
    _note_secrets(judge, call)
    folder, slash, name = call.name.rpartition("/")
    name = name.removesuffix(".exe").casefold() if slash or not call.name.islower() else name
    specialist = SPECIALISTS.get(_family(name))
    if slash and folder not in _PROGRAM_FOLDERS:
        found.add("medium", "unknown", f"runs the program {quoted(call.name)}")
    if level is not None and specialist is None and name not in harmless.ANY_ARGUMENTS:
        return
    call = call._replace(name=name)
    if specialist is not None and not _tells_version(call):
        specialist(judge, call)
    elif not is_harmless(judge, call):
        found.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
        scan(judge, call.args)


def _tells_version(call: Call) -> bool:
    return len(call.args) == 1 and call.name in harmless.VERSION_ONLY and _is_version(call)


def _is_version(call: Call) -> bool:
    text = call.args[0].text
    return text in harmless.VERSION_WORDS and (
        text != "-v" or call.name in ("node", "npm", "ruby", "php", "go")
    )


def is_harmless(judge: ShellJudge, call: Call) -> bool:
    """Whether a command is on the allow-list with all its words. What it reads is noted if that is only known later."""
    name = call.name
    if _tells_version(call):
        return True
    if name in harmless.ANY_ARGUMENTS:
        read = call.args
    else:
        rest = harmless.harmless_by_options(name, call.args)
        if rest is None:
            return False
        read = rest
    note_reads(judge, call, read)
    return True


def note_reads(judge: ShellJudge, call: Call, read: list[Word]) -> None:
    """Note what a reading command reads that is only known when it runs, or that lies above secrets."""
    if call.name in harmless.NAMES_ONLY:
        if call.name in ("test", "[") and any(text in ("-v", "-R") for text in call.texts):
            judge.findings.add("medium", "dynamic-command", f"computes the place in a list: {call.shown}")
        return
    unknown = next((word for word in read if not word.known), None)
    if unknown is not None:
        judge.findings.add(
            "medium", "unknown", f"reads what is only known when it runs: {quoted(unknown.raw)}"
        )
    recursive = call.name in ("rg", "ag", "ack") or (
        call.name in _RECURSIVE
        and any(
            re.match(r"-[a-zA-Z]*[rR]|--(?:dereference-)?recursive|--directories", text)
            for text in call.texts
        )
    )
    if not recursive:
        return
    folders = judge.state.folders
    searched = [path for word in read for path in judge.paths(word)] + list(folders or (HOLE,))
    for path in searched:
        if judge.places.holds_secrets(path.removesuffix("/*")) or (HOLE in path and folders is None):
            judge.findings.add(
                "medium", "secret-read", f"searches all of {quoted(path.replace(HOLE, '…'))}, secrets too"
            )


def _note_secrets(judge: ShellJudge, call: Call) -> None:
    if call.name in _TELL_NO_CONTENT:
        return
    folders = judge.state.folders
    if folders is None:
        _note_unknown_folder(judge, call)
    elif any(judge.places.keeps_secrets(folder) for folder in folders):
        judge.findings.credential(f"works where secrets are kept: {call.shown}")
    whole = bool(judge.places.copies) or not all(judge.places.contains(folder) for folder in folders or ())
    for word in call.args:
        for value in word.values:
            for part in _path_parts(value) | ({value} if whole and value and value[0] != "-" else set()):
                for path in judge.places.resolve(part, judge.state.folders):
                    if judge.places.is_secret(path):
                        judge.findings.credential(
                            f"names {quoted(part.replace(HOLE, '…'))}, which may hold a secret"
                        )
                        return


def _note_unknown_folder(judge: ShellJudge, call: Call) -> None:
    relative = [text for text in call.texts if not text.startswith(("/", "~", "-"))]
    if relative and call.name not in harmless.NAMES_ONLY and call.name != "git":
        judge.findings.add("medium", "unknown", f"reads in a folder that is not known: {call.shown}")


def _path_parts(value: str) -> set[str]:
    """The parts of a word that may be paths: all of it, and what follows ``=``, ``@`` or ``:`` or a short option."""
    if len(value) > 4096 or "\n" in value:  # noqa: PLR2004 - no path is as long
        return set()
    parts = {value}
    for mark in "=@:,":
        if mark in value:
            parts.update(value.split(mark)[1:])
    if value.startswith("-") and len(value) > 2:  # noqa: PLR2004 - an option and what is joined to it
        parts.add(value[2:])
    return {part for part in parts if part and ("." in part or "/" in part or part.startswith("~"))} | (
        {value} if value in ("id_rsa", "id_ed25519", "id_ecdsa", "credentials", "shadow") else set()
    )


def scan(judge: ShellJudge, args: list[Word]) -> None:
    """Look for a dangerous command among the words of one that is not known, and that may run it."""
    from computer_agent.approval.code.programs import SPECIALISTS

    if judge.scanning:
        return
    judge.scanning = True
    outer = judge.findings
    for at, word in enumerate(args[:_MOST_SCANNED]):
        name = word.text.rpartition("/")[2]
        if _family(name) in SPECIALISTS or " " in word.text:
            judge.findings = Findings()
            if " " in word.text:
                judge.run_text(word.text)
            else:
                judge_call(judge, Call(name, args[at + 1 :], Input(), Word((name,), word.raw)))
            if judge.findings.level == "high" and not _only_dynamic(judge.findings):
                outer.absorb(judge.findings)
    judge.findings = outer
    judge.scanning = False


def _only_dynamic(found: Findings) -> bool:
    """Prose among the words of a command reads as odd shell code: only what is plainly dangerous counts there."""
    return found.hard is None and all(
        label.name in ("dynamic-command", "unparsed", "unknown") for label in found.labels
    )


def _family(name: str) -> str:
    """The name without what only tells the variant: ``mkfs.ext4``, ``python3.11``, ``pip3``."""
    if name.startswith("mkfs"):
        return "mkfs"
    found = _VARIANT.fullmatch(name)
    return found[1] if found else name
