# ruff: noqa: I001 - tables of programs, options and cases, read best as they are
"""Programs that reach other machines: fetch, send, log in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.files import write_paths
from computer_agent.approval.code.words import Word

if TYPE_CHECKING:
    from computer_agent.approval.code.assessment import LabelName
    from collections.abc import Callable

    from computer_agent.approval.code.commands import Call
    from computer_agent.approval.code.shell import ShellJudge

_SENDS = re.compile(
    r"-d.*|--data.*|-F.*|--form.*|-T.*|--upload-file.*|--post-.*|--body-.*|--method=(?!GET|HEAD).*|--json.*|-K.*|--config.*|-u.*|--netrc.*|-n"
)
_READS_LIKE = re.compile(r"(?:describe|list|get|ls|show|view|status|search|whoami|version|diff|log|top)\b.*")


def fetch(judge: ShellJudge, call: Call) -> None:
    """``curl`` and ``wget``."""
    texts = call.texts
    sends = (
        any(_SENDS.fullmatch(text) for text in texts)
        if call.name in ("curl", "http", "https", "xh")
        else any(_SENDS.fullmatch(text) and text.startswith("--") for text in texts)
    )
    sends = sends or any(
        (a in ("-X", "--request") and b not in ("GET", "HEAD")) or re.fullmatch(r"-X(?!GET|HEAD).+", a)
        for a, b in zip(texts, [*texts[1:], ""], strict=False)
    )
    judge.findings.add(
        "high" if sends else "medium",
        "network",
        f"{'sends to' if sends else 'reaches'} another machine: {call.shown}",
    )
    for at, text in enumerate(texts):
        joined = re.fullmatch(r"(?:-o|-O|--output=|--output-document=|-P|--directory-prefix=)(/.*|~.*)", text)
        if joined:
            write_paths(judge, [Word((joined[1],), text)], "writes")
        elif text in ("-o", "--output", "-P", "--output-dir", "-D", "-c") or (
            text == "-O" and call.name == "wget"
        ):
            write_paths(judge, [word for word in call.args[at + 1 : at + 2] if word.text != "-"], "writes")
        elif re.fullmatch(r"-\w*o", text) and call.name == "curl":
            write_paths(judge, call.args[at + 1 : at + 2], "writes")
    if any("$" in word.raw and not word.known for word in call.args):
        judge.findings.add("high", "network", f"sends what is only known when it runs: {call.shown}")


def remote(judge: ShellJudge, call: Call) -> None:
    """Programs that log in elsewhere, send files or open connections."""
    judge.findings.add("high", "network", f"connects to another machine: {call.shown}")
    words = [word.text for word in call.args if not word.text.startswith("-")]
    for text in words:
        if " " in text or call.name == "ssh":
            judge.run_text(text)
    if call.name == "ssh" and len(words) > 1:
        judge.run_text(" ".join(words[1:]))


def look_up(judge: ShellJudge, call: Call) -> None:
    """Programs that only ask: ``ping``, ``dig``."""
    judge.findings.add("medium", "network", f"reaches another machine: {call.shown}")


def synchronize(judge: ShellJudge, call: Call) -> None:
    """``rsync`` and ``scp``: between machines or folders."""
    others = [word for word in call.args if not word.text.startswith("-")]
    if (
        call.name == "scp"
        or any(re.match(r"[\w.@-]+:|rsync://", word.text) for word in others)
        or any(text.startswith(("-e", "--rsh", "--rsync-path")) for text in call.texts)
    ):
        judge.findings.add("high", "network", f"copies between machines: {call.shown}")
    write_paths(judge, [word for word in others[-1:] if ":" not in word.text], "writes")
    deletes = any(text.startswith(("--del", "--remove")) for text in call.texts)
    judge.findings.add(
        "high" if deletes else "medium", "destructive" if deletes else "write", f"copies files: {call.shown}"
    )
    for word in others[:-1]:
        for path in judge.paths(word):
            if judge.places.holds_secrets(path):
                judge.findings.credential(f"copies secrets too: {call.shown}")


def service(judge: ShellJudge, call: Call) -> None:
    """Command lines of services elsewhere: ``aws``, ``kubectl``, ``docker``, ``gh``. What reads is told apart."""
    from computer_agent.approval.code.commands import is_harmless

    texts = [text for text in call.texts if not text.startswith("-")]
    joined = " ".join(call.texts)
    if re.search(
        r"secret|token|credential|password|ssm get-parameter|kms decrypt|get-session|print-access|vault|inspect|config",
        joined,
    ):
        judge.findings.credential(f"may show a secret: {call.shown}")
    elif is_harmless(judge, call):
        if call.name in ("kubectl", "helm"):
            return
        return
    reads = any(_READS_LIKE.fullmatch(text) for text in texts[:3]) and not re.search(
        r"delete|terminate|destroy|apply|create|update|put|remove|\brm\b|exec|\brun\b|scale|drain|stop|kill|prune|push|merge|close|-X|--method|cp\b|mv\b|sync",
        joined,
    )
    where: LabelName = "network" if call.name in ("gh", "glab", "hub", "heroku") else "infra"
    if reads:
        judge.findings.add("medium", "network", f"reaches another machine: {call.shown}")
    else:
        judge.findings.add("high", where, f"changes what runs or lies elsewhere: {call.shown}")
        judge.findings.network = judge.findings.network or call.name not in (
            "docker",
            "podman",
            "docker-compose",
        )
    for text in call.texts:
        if " " in text:
            judge.run_text(text)
    from computer_agent.approval.code.commands import scan

    scan(judge, call.args)


NETWORK: dict[str, Callable[[ShellJudge, Call], None]] = {
    **dict.fromkeys(
        [
            "curl",
            "wget",
            "http",
            "https",
            "xh",
            "aria2c",
            "axel",
            "youtube-dl",
            "yt-dlp",
            "lynx",
            "w3m",
            "links",
        ],
        fetch,
    ),
    **dict.fromkeys(
        [
            "ssh",
            "sftp",
            "ftp",
            "lftp",
            "telnet",
            "nc",
            "ncat",
            "netcat",
            "socat",
            "mosh",
            "sshfs",
            "ssh-copy-id",
            "mail",
            "mailx",
            "sendmail",
            "mutt",
            "msmtp",
            "swaks",
            "cloudflared",
            "ngrok",
            "openvpn",
            "wg-quick",
            "tftp",
            "smbclient",
            "autossh",
            "chisel",
        ],
        remote,
    ),
    **dict.fromkeys(
        [
            "ping",
            "ping6",
            "dig",
            "nslookup",
            "host",
            "whois",
            "traceroute",
            "tracepath",
            "mtr",
            "nmap",
            "drill",
            "arping",
        ],
        look_up,
    ),
    **dict.fromkeys(["rsync", "scp", "rclone", "s3cmd", "gsutil"], synchronize),
    **dict.fromkeys(
        [
            "aws",
            "gcloud",
            "az",
            "kubectl",
            "helm",
            "terraform",
            "tofu",
            "pulumi",
            "docker",
            "podman",
            "docker-compose",
            "gh",
            "glab",
            "hub",
            "heroku",
            "fly",
            "flyctl",
            "vercel",
            "netlify",
            "firebase",
            "wrangler",
            "ansible",
            "ansible-playbook",
            "oc",
            "eksctl",
            "doctl",
            "vagrant",
            "virsh",
            "nerdctl",
            "minikube",
            "kind",
            "nomad",
            "consul",
        ],
        service,
    ),
}
