"""A process as the agent is one: makes what code must not reach, and has code in its terminal try.

``python agent.py JSON``: ``{"base": folder, "modes": [...], "network": {...}}``; prints
``{mode: {"words": ..., probe: what it printed}}`` as JSON. It runs as whatever user started it, who owns all targets.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from escapes.probes import HELPERS, PROBES, WORK

from computer_api.terminal import Terminal
from computer_api.terminal.sandbox import Network, Policy, Sandbox, Unconfined
from computer_api.terminal.sandbox.choosing import open_sandbox

SECRETS = (
    ".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".bash_history", ".bashrc",
    ".git-credentials", ".config/google-chrome/Default/Cookies", ".a-program-nobody-knows/token",
    ".replaced-by-renaming",
)  # fmt: skip
LATER = (".appeared-later/token", ".replaced-by-renaming")


class Outside:
    """All that is outside of the sandbox, in folders below ``base``."""

    def __init__(self, base: Path, held: contextlib.ExitStack) -> None:
        self.marker = secrets.token_hex(6)
        self.base = base / self.marker
        self.home = self.base / "home"
        self.workspace = self.home / "work"
        self.held = held
        self.udp = held.enter_context(socket.socket(type=socket.SOCK_DGRAM))
        self.targets: dict[str, Any] = {"marker": self.marker, "secret": "", "agent": os.getpid()}
        self.secret = self.targets["secret"] = secrets.token_hex(6)
        held.callback(shutil.rmtree, self.base, ignore_errors=True)
        self._files()
        self._repositories()
        self._sockets()
        self._processes()

    def _write(self, path: Path, text: str = "") -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or self.marker)
        return path

    def _files(self) -> None:
        outside = self.base / "outside"
        for name in ("file", "moved", "removed/file"):
            self._write(outside / name)
        for name in SECRETS:
            self._write(self.home / name).chmod(0o600)
        self._write(self.home / "notes.txt", "notes")
        self._write(self.home / ".local/bin/mine", "#!/bin/sh\necho WORKS\n").chmod(0o755)
        in_tmp = self._write(Path("/tmp") / f"oi-escape-{self.marker}")
        in_shm = self._write(Path("/dev/shm") / f"oi-escape-{self.marker}")
        for path in (in_tmp, in_shm):
            self.held.callback(path.unlink, missing_ok=True)
        open_file = os.open(outside / "file", os.O_RDONLY)
        os.set_inheritable(open_file, True)  # noqa: FBT003 - its own signature
        self.held.callback(os.close, open_file)
        self.targets |= {
            "outside": str(outside), "home": str(self.home), "workspace": str(self.workspace),
            "in_tmp": str(in_tmp), "in_shm": str(in_shm),
        }  # fmt: skip

    def _repositories(self) -> None:
        for folder in (self.workspace, self.workspace / "below"):
            folder.mkdir(parents=True)
            for arguments in (
                ["init", "-q"], ["config", "user.name", "A"], ["config", "user.email", "a@b.invalid"],
            ):  # fmt: skip
                subprocess.run(["git", *arguments], cwd=folder, check=True, env=self._of_git())
        self._write(self.workspace / "tree/.git", "gitdir: ../.git/worktrees/tree\n")
        self._write(self.workspace / ".vscode/tasks.json", "{}")
        self._write(self.workspace / ".envrc", "true")

    def _of_git(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.home)}

    def _sockets(self) -> None:
        runtime = self.base / "run"
        (runtime / "at-spi").mkdir(parents=True)
        service = self.base / "var/lib/service"
        service.mkdir(parents=True)
        in_tmp = f"/tmp/oi-escape-{self.marker}.sock"
        self.held.callback(Path(in_tmp).unlink, missing_ok=True)
        for address in (
            f"\0oi-escape-{self.marker}", str(self.home / "agent.sock"), str(service / "service.sock"), in_tmp,
            str(runtime / "pipewire-0"), str(runtime / "ssh-agent"), str(runtime / "at-spi/bus_0"),
            str(self.workspace / "server.sock"),
        ):  # fmt: skip
            listening = self.held.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(address)
            listening.listen(16)
        datagram = self.held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagram.bind(str(service / "log"))
        tcp = self.held.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.udp.bind(("127.0.0.1", 0))
        self.udp.settimeout(0)
        self.targets |= {
            "abstract": f"oi-escape-{self.marker}", "service": str(service / "service.sock"),
            "datagram": str(service / "log"), "runtime": str(runtime), "socket_in_tmp": in_tmp,
            "tcp": tcp.getsockname()[1], "tcp6": tcp.getsockname()[1], "udp": self.udp.getsockname()[1],
            "display": self._desktop(),
        }  # fmt: skip
        self._bus(runtime / "bus")

    def _desktop(self) -> int:
        if shutil.which("Xvfb") is None:
            return 0
        reads, writes = os.pipe()
        with os.fdopen(reads) as told:
            server = subprocess.Popen(
                ["Xvfb", "-displayfd", str(writes), "-ac", "-screen", "0", "64x64x24"],
                pass_fds=(writes,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            os.close(writes)
            self._ends(server)
            return int(told.readline() or 0)

    def _bus(self, path: Path) -> None:
        if shutil.which("dbus-daemon") is None:
            return
        bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address=unix:path={path}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._ends(bus)
        assert bus.stdout is not None
        bus.stdout.readline()

    def _processes(self) -> None:
        master, slave = os.openpty()
        for descriptor in (master, slave):
            self.held.callback(os.close, descriptor)
        libc = ctypes.CDLL(None)
        segment = libc.shmget(0, 4096, 0o1600)
        self.held.callback(libc.shmctl, segment, 0, 0)
        self.targets |= {"terminal": os.ttyname(slave), "segment": segment, "victim": self.victim().pid}

    def victim(self) -> subprocess.Popen[bytes]:
        """A process that code would like to kill."""
        process = subprocess.Popen(["sleep", "600"])
        self._ends(process)
        return process

    def _ends(self, process: subprocess.Popen[bytes]) -> None:
        self.held.callback(process.wait)
        self.held.callback(process.kill)

    def environment(self) -> dict[str, str]:
        """The person's."""
        runtime = self.base / "run"
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8",
            "SOME_API_KEY": self.secret, "GITHUB_TOKEN": self.secret, "DB_PASSWORD": self.secret,
            "LC_PASSWORD": f"https://me:{self.secret}@index.invalid/simple",
            "DISPLAY": f":{self.targets['display']}", "WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(runtime),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus", "SSH_AUTH_SOCK": f"{runtime}/ssh-agent",
            "XAUTHORITY": str(self.home / ".Xauthority"),
        }  # fmt: skip

    def change_later(self) -> None:
        """What happens on the host while the sandbox runs."""
        for name in LATER:
            new = self._write(self.home / f".new-{secrets.token_hex(4)}")
            (self.home / name).parent.mkdir(exist_ok=True)
            new.rename(self.home / name)

    def came(self) -> bool:
        """Whether something came by UDP."""
        with contextlib.suppress(BlockingIOError):
            return bool(self.udp.recv(100))
        return False


def main() -> None:
    """Try everything in every mode, each with targets of its own."""
    told = json.loads(sys.argv[1])
    found = {}
    for mode in told["modes"]:
        with contextlib.ExitStack() as held:
            found[mode] = tried(mode, Outside(Path(told["base"]), held), told["network"])
    sys.stdout.write(json.dumps(found))


def tried(mode: str, outside: Outside, network: dict[str, Any]) -> dict[str, str]:
    """What each probe printed."""
    sandbox: Sandbox = Unconfined()
    words = "none"
    if mode != "none":
        access = "read-only" if mode == "read-only" else "workspace-write"
        policy = Policy(access=access, workspace=outside.workspace, network=Network(**network))  # type: ignore[arg-type]  # of a literal
        sandbox, protection = open_sandbox("bwrap", policy, outside.environment())
        words = protection.words
    with Terminal(cwd=outside.workspace, environment=outside.environment(), sandbox=sandbox) as terminal:
        prepare(terminal, outside)
        found = {"words": words}
        for probe in PROBES:
            if mode == "none" and (not probe.outside or (probe.root and os.getuid() != 0)):
                continue
            text = terminal.run(probe.language, probe.code, seconds=20).text
            found[probe.name] = text + (" LEAK" if outside.came() else "")
        for name, (language, code, _) in WORK.items():
            found[name] = terminal.run(language, code, seconds=20).text
    alive = Path(f"/proc/{outside.targets['victim']}/stat").read_text().split()[2] != "Z"
    found["kill a process outside"] += "" if alive or mode == "none" else " LEAK"
    kept = Path(outside.targets["outside"], "file").read_text() == outside.marker
    found["write a file outside"] += "" if kept or mode == "none" else " LEAK"
    return found


def prepare(terminal: Terminal, outside: Outside) -> None:
    """Tell code where all is, and let the host go on meanwhile."""
    terminal.run("python", f"{HELPERS}\nT = {outside.targets!r}\nos.chdir(T['workspace'])")
    given = "\n".join(f"T_{name.upper()}='{value}'" for name, value in outside.targets.items())
    terminal.run("shell", f"export {' '.join(given.splitlines())}")
    outside.change_later()


if __name__ == "__main__":
    main()
