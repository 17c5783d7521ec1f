"""Programs that serve models: which are installed, and starting one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from computer_agent.hosts import is_here
from computer_agent.local.server import LocalServer, Silent
from computer_agent.local.servers import ollama_root
from computer_agent.models.model import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from computer_agent.local.server import Kind

_POLL_SECONDS = 0.2
_OWN_GROUP = 0x200 if sys.platform == "win32" else 0  # so that Ctrl-C is not for it
_RUNNING: list[subprocess.Popen[bytes]] = []  # kept, since they outlive what started them
_LAST_WORDS = 400  # characters of what a program said before it ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An installed program, and the command that starts its server."""

    kind: Kind
    command: tuple[str, ...]

    @property
    def words(self) -> str:
        """The command as a person types it."""
        return " ".join([Path(self.command[0]).name, *self.command[1:]])


def installed(environment: Mapping[str, str]) -> Iterator[Program]:
    """Those on the ``PATH``, and ``lms``, which LM Studio puts into its own folder. A Llamafile is a model itself."""
    ollama = _which("ollama", environment)
    if ollama is not None and not _is_elsewhere(environment):
        yield Program(kind="ollama", command=(ollama, "serve"))
    lms = _which("lms", environment) or _own_lms(environment)
    if lms is not None:
        yield Program(kind="lm_studio", command=(lms, "server", "start"))
    for file in _llamafiles(environment):
        yield Program(kind="llamafile", command=(str(file), "--server", "--nobrowser"))


@contextmanager
def started(
    program: Program, environment: Mapping[str, str], log: Path
) -> Iterator[Callable[[], str | None]]:
    """Start it, apart from this process and its terminal; what it says goes into ``log``.

    Gives a function that says with what words it ended, ``None`` as long as it has not, or has ended well, as ``lms``
    does when its server runs. Left by an exception, such as Ctrl-C, it is stopped again. Raises ``ModelError``.
    """
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("wb") as said:
        try:
            process = subprocess.Popen(
                program.command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=sys.platform != "win32",
                creationflags=_OWN_GROUP,
            )
        except OSError as error:
            raise ModelError(f'"{program.words}" cannot be started: {error.strerror}.') from None

    def failed() -> str | None:
        return _end(log) if process.poll() else None

    try:
        yield failed
    except BaseException:
        with suppress(ProcessLookupError):
            process.terminate()
        process.wait()
        raise
    if process.poll() is None:
        _RUNNING.append(process)


def answered(
    look: Callable[[], Sequence[LocalServer | Silent]],
    program: Program,
    failed: Callable[[], str | None],
    seconds: float,
) -> LocalServer | None:
    """Wait until its server answers; ``None`` when it has not in that time. Raises ``ModelError`` when it ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = [each for each in look() if isinstance(each, LocalServer) and each.kind == program.kind]
        if found:
            return found[0]
        words = failed()
        if words is not None:
            raise ModelError(f'"{program.words}" ended at once. It said: "{words}".')
        time.sleep(_POLL_SECONDS)
    return None


def _is_elsewhere(environment: Mapping[str, str]) -> bool:
    """Whether ``OLLAMA_HOST`` names another machine, on which nothing can be started from here."""
    host = environment.get("OLLAMA_HOST", "").strip()
    return bool(host) and not is_here(urlsplit(ollama_root(host)).hostname or "")


def _which(name: str, environment: Mapping[str, str]) -> str | None:
    import shutil

    return shutil.which(name, path=environment.get("PATH", ""))


def _own_lms(environment: Mapping[str, str]) -> str | None:
    home = environment.get("HOME") or environment.get("USERPROFILE")
    return None if not home else _which("lms", {"PATH": str(Path(home) / ".lmstudio" / "bin")})


def _llamafiles(environment: Mapping[str, str]) -> list[Path]:
    """Files with a model in them that can be run."""
    folders = [Path(folder) for folder in environment.get("PATH", "").split(os.pathsep) if folder]
    found: list[Path] = []
    for folder in folders:
        with suppress(OSError):
            found += sorted(file for file in folder.glob("*.llamafile*") if os.access(file, os.X_OK))
    return [file for file in found if file.name.endswith((".llamafile", ".llamafile.exe"))]


def _end(log: Path) -> str:
    """The last of what it said, on one line."""
    try:
        said = log.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace")
    except OSError:
        said = ""
    return " ".join("".join(char if char.isprintable() else " " for char in said).split()) or "nothing"
