"""Which judge reads which language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.approval.code.session import Names, ShellState

if TYPE_CHECKING:
    from computer_agent.approval.code.findings import Findings
    from computer_agent.approval.code.places import Places

_KNOWN = {
    **dict.fromkeys(("shell", "sh", "bash", "zsh"), "shell"),
    **dict.fromkeys(("python", "py", "python3"), "python"),
    **dict.fromkeys(("javascript", "js", "node", "nodejs"), "javascript"),
}
_MOST_NESTING = 6


def canonical(language: str) -> str:
    """The one name of a language that has several."""
    folded = language.strip().casefold()
    return _KNOWN.get(folded, folded)


def judge_text(
    language: str, code: str, places: Places, findings: Findings, nesting: int, names: Names | None = None
) -> None:
    """Judge code that is not shell, or that stands in a string of other code and has a state of its own."""
    from computer_agent.approval.code.other import judge_other
    from computer_agent.approval.code.shell import ShellJudge

    def run_text(text: str) -> None:
        ShellJudge(places, ShellState((places.workspace,)), findings, nesting=nesting + 1).judge(text)

    if nesting > _MOST_NESTING:
        findings.add("high", "unparsed", "nests code in strings deeper than is read here")
        return
    language = canonical(language)
    if language == "shell":
        run_text(code)
    elif language == "python":
        from computer_agent.approval.code.python_code import judge_python

        judge_python(code, places, names or Names(), findings, run_text)
    elif language == "javascript":
        from computer_agent.approval.code.javascript_code import judge_javascript

        judge_javascript(code, places, names or Names(), findings, run_text)
    else:
        judge_other(language, code, findings, run_text)
