# ruff: noqa: E501 - tables of programs, options and cases, read best as they are
"""Languages that have no parser here: never harmless, and worse where a plainly dangerous call stands in the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.findings import Findings, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.assessment import LabelName

_RUNS = re.compile(
    r"""(?:\bsystem2?|\bexec\w*|\bspawn\w*|\bpopen\w*|\bshell_exec|\bpassthru|\bIO\.popen|\bOpen3\.\w+|\bdo\ shell\ script|\bProcessBuilder|%x|\bqx|\bgetRuntime\(\)\.exec)
    \s*[({[\s]?\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\{([^}]*)\})|`([^`\n]+)`""",
    re.VERBOSE,
)
_DANGEROUS: tuple[tuple[str, LabelName, str], ...] = (
    (
        r"\b(?:rm_rf|rm_r|remove_entry\w*|unlink|File\.delete|FileUtils\.rm\w*|file\.remove|Files\.delete\w*|deleteRecursively|remove_dir_all|remove_file|rmtree|os\.remove)\b",
        "destructive",
        "deletes files",
    ),
    (
        r"\b(?:Net::HTTP|open-uri|URI\.open|HttpClient|URLConnection|LWP|download\.file|httr|TCPSocket|Socket|fsockopen|curl_exec|reqwest|http\.Get)\b",
        "network",
        "reaches other machines",
    ),
    (
        r"\b(?:eval|instance_eval|class_eval|Invoke-Expression|loadstring)\b",
        "dynamic-command",
        "runs code that is only known when it runs",
    ),
)
_POWERSHELL: tuple[tuple[str, LabelName, str], ...] = (
    (r"\b(?:Remove-Item|rm|del|rd|rmdir|erase|ri)\b[^\n|;]*(?:-r\w*|/s)", "recursive-delete", "deletes a folder and all in it"),
    (r"\b(?:Remove-\w+|Clear-\w+|Format-Volume|Clear-Disk|Initialize-Disk|Remove-Partition)\b", "destructive", "deletes or empties"),
    (r"\b(?:iex|Invoke-Expression|Invoke-Command|Add-Type|EncodedCommand|-enc|-e\s+[A-Za-z0-9+/=]{20,}|DownloadString|ScriptBlock)\b", "dynamic-command", "runs code that is only known when it runs"),
    (r"\b(?:Invoke-WebRequest|iwr|curl|wget|Invoke-RestMethod|irm|Start-BitsTransfer|DownloadFile|WebClient|Send-MailMessage|Test-NetConnection)\b", "network", "reaches other machines"),
    (r"\b(?:Set-ExecutionPolicy|Start-Process[^\n]*RunAs|Set-MpPreference|Disable-\w+|Add-MpPreference|Set-Acl|takeown|icacls)\b", "privilege", "changes who may do what"),
    (r"\b(?:Register-ScheduledTask|schtasks|New-Service|Set-Service|Stop-Service|Set-ItemProperty|New-ItemProperty|reg\s+add|sc\.exe)\b|\$PROFILE", "persistence", "changes lasting settings"),
    (r"\b(?:Stop-Computer|Restart-Computer|shutdown)\b", "power", "turns the machine off"),
    (r"\b(?:Stop-Process|taskkill|spps)\b", "kill", "ends programs"),
    (r"\b(?:Get-Credential|ConvertFrom-SecureString|Get-Secret|vaultcmd|cmdkey)\b|\$env:|Env:", "secret-read", "reads what may be secret"),
)  # fmt: skip


def judge_other(language: str, code: str, findings: Findings, run_text: Callable[[str], None]) -> None:
    """Note what a block of a language without a parser may do."""
    findings.add("medium", "unknown", f"is {language}, which is not read closely: {quoted(code)}")
    powershell = language in ("powershell", "pwsh", "ps1")
    for pattern, name, words in _POWERSHELL if powershell else _DANGEROUS:
        found = re.search(pattern, code, re.IGNORECASE if powershell else 0)
        if found:
            findings.add(
                "high" if name not in ("network", "secret-read") else "medium",
                name,
                f"{words}: {quoted(found[0])}",
            )
    if not powershell:
        for found in list(_RUNS.finditer(code))[:20]:
            command = next(text for text in found.groups() if text is not None)
            findings.add("medium", "unknown", f"runs a command: {quoted(command)}")
            run_text(command)
            if '"' in command or "," in command:
                run_text(" ".join(re.findall(r"[^\s\"',]+", command)))
