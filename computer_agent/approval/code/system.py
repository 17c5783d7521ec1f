"""Programs that change the system, install, end what runs, show secrets, or reach past the agent's own questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.commands import Call, is_harmless, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.assessment import LabelName
    from computer_agent.approval.code.shell import ShellJudge

    Rule = Callable[[ShellJudge, Call], None]


def _high(name: LabelName, words: str) -> Rule:
    """A rule for programs that are harmless only where the allow-list says so."""

    def rule(judge: ShellJudge, call: Call) -> None:
        if not is_harmless(judge, call):
            judge.findings.add("high", name, f"{words}: {call.shown}")
            scan(judge, call.args)

    return rule


def _forbidden(name: LabelName, words: str, hard: str) -> Rule:
    def rule(judge: ShellJudge, call: Call) -> None:
        if not is_harmless(judge, call):
            judge.findings.forbid(name, f"{words}: {call.shown}", hard)

    return rule


def _secret(judge: ShellJudge, call: Call) -> None:
    judge.findings.credential(f"shows what may be secret: {call.shown}")
    if any(re.search(r"--export|dump|export|delete|rm\b|reset", text) for text in call.texts):
        judge.findings.add("high", "secret-read", f"gives secrets out or loses them: {call.shown}")


def _environment(judge: ShellJudge, call: Call) -> None:
    judge.findings.add("medium", "secret-read", f"shows what may be secret: {call.shown}")


def _history(judge: ShellJudge, call: Call) -> None:
    if any(text.startswith("-") for text in call.texts):
        judge.findings.add("high", "destructive", f"changes the record of commands: {call.shown}")
    judge.findings.add(
        "medium", "secret-read", f"shows earlier commands, which may hold secrets: {call.shown}"
    )


def _kill(judge: ShellJudge, call: Call) -> None:
    if call.texts[:1] in (["-l"], ["-L"]):
        return
    wide = call.name not in ("kill", "skill") or any(
        text in ("-1", "1", "0") for text in call.texts[1:] or call.texts
    )
    wide = wide or any(not word.known for word in call.args)
    judge.findings.add("high" if wide else "medium", "kill", f"ends programs that run: {call.shown}")


def _package(judge: ShellJudge, call: Call) -> None:
    if is_harmless(judge, call):
        return
    texts = [text for text in call.texts if not text.startswith("-")]
    verb = texts[0] if texts else ""
    if verb in (
        "run",
        "test",
        "start",
        "exec",
        "build",
        "check",
        "clippy",
        "fmt",
        "vet",
        "bench",
        "doc",
        "t",
        "run-script",
        "tree",
        "metadata",
        "config",
        "outdated",
        "view",
        "audit",
        "search",
        "info",
        "env",
        "lint",
        "init",
        "new",
        "fetch",
        "clean",
        "cache",
    ) and call.name not in ("apt", "apt-get", "brew", "dnf", "yum", "pacman"):
        judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
        scan(judge, call.args)
    elif verb in (
        "publish",
        "upload",
        "push",
        "unpublish",
        "deprecate",
        "yank",
        "login",
        "adduser",
        "token",
        "owner",
    ):
        judge.findings.add("high", "network", f"publishes to everybody, or changes what is: {call.shown}")
    else:
        judge.findings.add(
            "high", "package-install", f"installs or removes packages, whose code runs: {call.shown}"
        )
        judge.findings.network = True


def _scheduled(judge: ShellJudge, call: Call) -> None:
    if call.texts == ["-l"]:
        judge.findings.add("medium", "unknown", f"lists what runs at set times: {call.shown}")
        return
    judge.findings.add("high", "persistence", f"lets something run later, or again and again: {call.shown}")
    if call.input.kind == "text":
        judge.run_text(call.input.text)


def _database(judge: ShellJudge, call: Call) -> None:
    text = " ".join([*call.texts, call.input.text])
    if re.search(
        r"\b(?:drop|delete|truncate|update|alter|flushall|flushdb|dropdatabase|remove|deletemany|grant|shutdown)\b|\.shell|\.system|\\!|\bprogram\b",
        text,
        re.IGNORECASE,
    ):
        judge.findings.add(
            "high", "destructive", f"changes a database, or has it run a program: {call.shown}"
        )
    judge.findings.add("medium", "unknown", f"talks to a database: {call.shown}")


def _agent(judge: ShellJudge, call: Call) -> None:
    judge.findings.forbid(
        "privilege",
        f"starts or changes the agent itself: {call.shown}",
        "it starts the agent itself, with rights of its own",
    )


def _power(judge: ShellJudge, call: Call) -> None:
    judge.findings.add("high", "power", f"turns the machine off or restarts it: {call.shown}")


def _services(judge: ShellJudge, call: Call) -> None:
    if is_harmless(judge, call):
        return
    verbs = set(call.texts)
    if verbs & {"poweroff", "reboot", "halt", "suspend", "hibernate", "kexec", "rescue", "emergency"}:
        _power(judge, call)
    kept = bool(verbs & {"enable", "load", "bootstrap", "edit", "link", "set-default", "submit"})
    judge.findings.add(
        "high", "persistence" if kept else "infra", f"changes what runs on this machine: {call.shown}"
    )


SYSTEM: dict[str, Rule] = {
    **dict.fromkeys(
        ["shutdown", "reboot", "halt", "poweroff", "init", "telinit", "pm-suspend", "pm-hibernate"], _power
    ),
    **dict.fromkeys(
        [
            "systemctl",
            "service",
            "launchctl",
            "rc-service",
            "update-rc.d",
            "chkconfig",
            "supervisorctl",
            "pm2",
            "loginctl",
            "initctl",
            "sc",
        ],
        _services,
    ),
    **dict.fromkeys(["kill", "pkill", "killall", "xkill", "killall5", "skill", "fuser"], _kill),
    **dict.fromkeys(["crontab", "at", "batch", "anacron"], _scheduled),
    **dict.fromkeys(
        [
            "apt",
            "apt-get",
            "aptitude",
            "dnf",
            "yum",
            "zypper",
            "pacman",
            "apk",
            "brew",
            "snap",
            "flatpak",
            "port",
            "nix-env",
            "nix",
            "choco",
            "winget",
            "scoop",
            "pip",
            "pip3",
            "pipx",
            "npm",
            "yarn",
            "pnpm",
            "gem",
            "cargo",
            "go",
            "composer",
            "conda",
            "mamba",
            "uv",
            "poetry",
            "bundle",
            "rustup",
            "dpkg",
            "rpm",
            "easy_install",
            "cpan",
            "luarocks",
            "twine",
            "cabal",
            "stack",
            "mix",
            "hex",
            "pipenv",
            "corepack",
            "nvm",
            "pyenv",
            "hatch",
            "flit",
            "emerge",
            "pkg",
            "installer",
            "softwareupdate",
            "mas",
        ],
        _package,
    ),
    **dict.fromkeys(
        [
            "useradd",
            "userdel",
            "usermod",
            "groupadd",
            "groupdel",
            "groupmod",
            "adduser",
            "deluser",
            "passwd",
            "chpasswd",
            "visudo",
            "vipw",
            "chsh",
            "newgrp",
            "gpasswd",
            "dscl",
            "sudo-rs",
        ],
        _high("privilege", "changes who may do what on this machine"),
    ),
    **dict.fromkeys(
        [
            "iptables",
            "ip6tables",
            "nft",
            "ufw",
            "firewall-cmd",
            "route",
            "ifup",
            "ifdown",
            "nmcli",
            "ip",
            "ifconfig",
            "hostnamectl",
            "timedatectl",
            "networksetup",
            "scutil",
            "tc",
            "brctl",
        ],
        _high("infra", "changes the network or the settings of this machine"),
    ),
    **dict.fromkeys(
        [
            "mount",
            "umount",
            "swapon",
            "swapoff",
            "insmod",
            "rmmod",
            "modprobe",
            "depmod",
            "losetup",
            "dmsetup",
            "update-grub",
            "grub-install",
            "efibootmgr",
            "sysctl",
            "ldconfig",
            "kexec",
            "update-alternatives",
            "dpkg-reconfigure",
            "localectl",
            "hwclock",
            "nvram",
            "bless",
            "pmset",
            "debconf-set-selections",
            "fsck",
            "tune2fs",
            "e2fsck",
            "lvcreate",
        ],
        _high("system-write", "changes the system"),
    ),
    **dict.fromkeys(
        ["setenforce", "csrutil", "spctl", "aa-disable", "aa-teardown", "aa-complain"],
        _forbidden(
            "privilege",
            "takes a protection of this machine away",
            "it disables a sandbox or protection of this machine",
        ),
    ),
    **dict.fromkeys(
        [
            "xdotool",
            "ydotool",
            "wtype",
            "xte",
            "dotool",
            "dbus-send",
            "gdbus",
            "busctl",
            "qdbus",
            "dbus-monitor",
            "xinput",
            "wmctrl",
            "osascript-ui",
            "cliclick",
            "kdialog",
            "xev",
            "import",
            "scrot",
            "xwd",
            "gnome-screenshot",
            "grim",
            "screencapture",
            "maim",
            "flameshot",
            "spectacle",
            "setxkbmap",
            "xmodmap",
        ],
        _high("privilege", "reaches the desktop past the agent's own questions"),
    ),
    **dict.fromkeys(
        [
            "defaults",
            "gsettings",
            "dconf",
            "kwriteconfig5",
            "reg",
            "regedit",
            "plutil",
            "PlistBuddy",
            "xdg-mime",
            "xdg-settings",
            "systemd-tmpfiles",
            "loginitems",
        ],
        _high("persistence", "changes lasting settings"),
    ),
    **dict.fromkeys(
        [
            "pass",
            "secret-tool",
            "gpg",
            "gpg2",
            "security",
            "op",
            "bw",
            "vault",
            "keyring",
            "lpass",
            "sops",
            "age",
            "ssh-add",
            "ssh-agent",
            "kwallet-query",
            "ssh-keygen",
            "openssl",
            "certutil",
            "keepassxc-cli",
            "chamber",
            "doppler",
            "infisical",
        ],
        _secret,
    ),
    **dict.fromkeys(["printenv", "xclip", "xsel", "pbpaste", "wl-paste", "compgen"], _environment),
    **dict.fromkeys(
        [
            "psql",
            "mysql",
            "mariadb",
            "sqlite3",
            "mongo",
            "mongosh",
            "redis-cli",
            "mongodump",
            "pg_dump",
            "mysqldump",
            "dropdb",
            "createdb",
            "cqlsh",
            "influx",
            "clickhouse-client",
            "mysqladmin",
            "pg_restore",
            "duckdb",
        ],
        _database,
    ),
    **dict.fromkeys(["oi", "interpreter", "oi-computer"], _agent),
    "history": _history,
    "fc": _history,
}
SYSTEM["openssl"] = lambda judge, call: None if is_harmless(judge, call) else _environment(judge, call)
