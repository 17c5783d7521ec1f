"""The judge of code: which parser a language has, and what earlier blocks of a session have changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from computer_agent.approval.code.assessment import Assessment, Label
from computer_agent.approval.code.findings import Findings
from computer_agent.approval.code.languages import canonical
from computer_agent.approval.code.places import Places
from computer_agent.approval.code.session import Names, ShellState
from computer_agent.approval.code.visible import has_bidi, hides

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST = 30_000
_VERBS = frozenset(
    [
        "git",
        "docker",
        "kubectl",
        "npm",
        "pip",
        "pip3",
        "cargo",
        "go",
        "systemctl",
        "apt",
        "brew",
        "yarn",
        "pnpm",
        "make",
        "uv",
        "poetry",
        "conda",
        "helm",
        "gh",
        "aws",
        "gcloud",
        "az",
        "terraform",
    ]
)
"""Programs whose first word says what they do: it belongs to the prefix."""
_NEVER_A_PREFIX = frozenset(
    [
        "sh",
        "bash",
        "zsh",
        "dash",
        "env",
        "sudo",
        "eval",
        "exec",
        "python",
        "python3",
        "node",
        "perl",
        "ruby",
        "xargs",
        "find",
        "ssh",
        ".",
        "source",
        "trap",
        "alias",
        "cd",
        "export",
        "awk",
    ]
)
"""Of these the first word says nothing about what is run."""
_RUNNING = frozenset(
    ["run", "run-script", "exec", "x", "dlx", "shell", "bisect", "submodule", "rebase", "filter-branch"]
)
"""Verbs whose further words may name another program to run."""
_PLAIN = frozenset(
    [
        "basename",
        "bzip2",
        "cat",
        "chmod",
        "cmp",
        "comm",
        "cp",
        "cut",
        "diff",
        "dirname",
        "du",
        "echo",
        "file",
        "fmt",
        "fold",
        "grep",
        "gunzip",
        "gzip",
        "head",
        "join",
        "ln",
        "ls",
        "md5sum",
        "mkdir",
        "mktemp",
        "mv",
        "nl",
        "od",
        "paste",
        "printf",
        "readlink",
        "realpath",
        "rm",
        "rmdir",
        "sha256sum",
        "stat",
        "tac",
        "tail",
        "tee",
        "touch",
        "tr",
        "truncate",
        "uniq",
        "unxz",
        "unzip",
        "wc",
        "xz",
        "zcat",
    ]
)
"""Programs that do one thing with the files they are given, and run no other program."""
_LONGEST_PREFIX = 5  # words, of a program that nothing is known about


class Assessor:
    """Judges the blocks of one session, and remembers which names the earlier ones have defined.

    What a block defines counts from the moment it was assessed, run or not: that can only make later ones look worse.
    """

    def __init__(self, *, workspace: Path, home: Path) -> None:
        self._places = Places(workspace, home)
        self._shell = ShellState((self._places.workspace,))
        self._names: dict[str, Names] = {}
        self._credentials = False

    def assess(self, language: str, code: str) -> Assessment:
        """How risky a block is, after the blocks that were assessed before it."""
        findings, commands = self._judge(canonical(language), code)
        findings.close(credentials_before=self._credentials)
        self._credentials = self._credentials or findings.credentials
        self._remember(findings)
        return self._for_people(findings.assessment(_prefix(commands)))

    def _remember(self, findings: Findings) -> None:
        """What a block may have left: a secret in files or variables, a program that git runs from now on."""
        variables = self._shell.variables
        if findings.credentials:
            self._places.copies.update(path for path in findings.written if path != self._places.workspace)
        if findings.credentials or findings.environment:
            variables.secret |= variables.recent - {"HOME", "PWD", "OLDPWD"}
        variables.recent.clear()
        if any(
            part in (".git", ".gitconfig", ".gitattributes", ".gitmodules") or path.endswith(".config/git")
            for path in findings.written
            for part in path.split("/")
        ):
            self._shell.names.define("git", "medium")

    def _for_people(self, found: Assessment) -> Assessment:
        """With each thing said once, and paths of the workspace as they are written there."""
        within = f'"{self._places.workspace}/'
        said = {label.words.replace(within, '"'): label.name for label in found.labels}
        return replace(found, labels=tuple(Label(name=name, words=words) for words, name in said.items()))

    def matches_prefix(self, language: str, code: str, prefix: tuple[str, ...]) -> bool:
        """Whether a block consists only of commands that begin with these words, and is neither dynamic nor high."""
        if not prefix or canonical(language) != "shell":
            return False
        findings, commands = self._judge("shell", code)
        if findings.level == "high" or findings.hard is not None or findings.dynamic or not commands:
            return False
        return all(words is not None and words[: len(prefix)] == prefix for words in commands)

    def forget(self, language: str | None = None) -> None:
        """The state of a language's worker was lost, or that of all: what was defined there is gone."""
        if language is None:
            self._names.clear()
        else:
            self._names.pop(canonical(language), None)
        if language is None or canonical(language) == "shell":
            self._shell = ShellState((self._places.workspace,))

    def _judge(self, language: str, code: str) -> tuple[Findings, list[tuple[str, ...] | None]]:
        findings = Findings()
        _note_hidden(findings, code)
        if len(code) > _LONGEST:
            findings.add("high", "unparsed", f"is longer than is read here: {len(code):,} characters")
            return findings, []
        if language != "shell":
            self._judge_text(language, code, findings)
            return findings, []
        from computer_agent.approval.code.shell import ShellJudge

        judge = ShellJudge(self._places, self._shell, findings)
        try:
            judge.judge(code)
        except RecursionError:
            findings.add("high", "unparsed", "is deeper nested than is read here")
        return findings, judge.commands

    def _judge_text(self, language: str, code: str, findings: Findings) -> None:
        from computer_agent.approval.code.languages import judge_text

        judge_text(language, code, self._places, findings, 0, self._names.setdefault(language, Names()))


def _note_hidden(findings: Findings, code: str) -> None:
    if has_bidi(code):
        findings.add("high", "unparsed", "holds controls that make it read otherwise than it runs")
    elif hides(code):
        findings.add("medium", "unparsed", "holds characters that are not seen")


def _prefix(commands: list[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The first words of a block of one plain command."""
    if len(commands) != 1 or commands[0] is None:
        return None
    words = commands[0]
    if words[0] in _NEVER_A_PREFIX or "/" in words[0]:
        return None
    if words[0] in _PLAIN:
        return words[:1]
    if words[0] in _VERBS and len(words) > 1 and words[1] not in _RUNNING:
        return None if words[1].startswith("-") else words[:2]
    # Any other may be one that runs what it is given, as `time` and `nohup` do: its prefix is all of it.
    runs = any(word in _NEVER_A_PREFIX for word in words)
    return None if runs or len(words) == 1 or len(words) > _LONGEST_PREFIX else words


def assess(language: str, code: str, *, workspace: Path, home: Path) -> Assessment:
    """How risky a block of code is by itself. Paths are resolved by their words alone, not on the disk."""
    return Assessor(workspace=workspace, home=home).assess(language, code)


def matches_prefix(language: str, code: str, prefix: tuple[str, ...], *, workspace: Path, home: Path) -> bool:
    """Whether a block consists only of commands that begin with these words, and is neither dynamic nor high."""
    return Assessor(workspace=workspace, home=home).matches_prefix(language, code, prefix)
