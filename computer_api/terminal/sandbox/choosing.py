"""Choosing what confines code on this machine: the first that is there and holds, and a sentence that says which."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox.sandbox import Sandbox, Unconfined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_api.terminal.sandbox.policy import Policy

Wanted = Literal["auto", "bwrap", "landlock", "seatbelt", "none"]
Name = Literal["bwrap", "landlock", "seatbelt"]

_held: set[tuple[object, ...]] = set()  # what was tried in this process and held
_UBUNTU = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_DEBIAN = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST = Path("/proc/sys/user/max_user_namespaces")
_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """Whether code is confined, by what, and what that means, in a sentence."""

    confined: bool
    name: str
    words: str


def open_sandbox(
    wanted: Wanted, policy: Policy, environment: Mapping[str, str]
) -> tuple[Sandbox, Protection]:
    """The sandbox for the policy, tried out, and what it protects from.

    ``auto`` takes the best that holds on this machine, and none where there is none: then ``confined`` is false, and
    its words say why. Raises ``UnsupportedError``, with the reason, when a sandbox that was asked for by its name does
    not work here, or when the policy cannot be held by any.
    """
    if policy.access == "full" or wanted == "none":
        words = "code runs without a sandbox, as you asked"
        return Unconfined(), Protection(confined=False, name="none", words=words)
    reasons = []
    for name in _names() if wanted == "auto" else (wanted,):
        try:
            sandbox = _tried(name, policy, environment)
        except UnsupportedError as error:
            reasons.append(f"{name}: {_sentence(str(error))}")
        else:
            return sandbox, Protection(confined=True, name=name, words=_words(name, policy))
    why = " ".join(reasons) or f'there is none for "{sys.platform}".'
    if wanted != "auto":
        raise UnsupportedError(f"The sandbox does not work here. {why}")
    words = f"code runs without a sandbox, since none works here: {why}"
    return Unconfined(), Protection(confined=False, name="none", words=words)


def _names() -> tuple[Name, ...]:
    if sys.platform == "linux":
        return ("bwrap", "landlock")
    return ("seatbelt",) if sys.platform == "darwin" else ()


def _tried(name: Name, policy: Policy, environment: Mapping[str, str]) -> Sandbox:
    """The sandbox, which held the first time. Raises ``UnsupportedError``."""
    sandbox = _made(name, policy, environment)
    kind = (name, policy.access, policy.network.mode)
    if kind in _held:
        return sandbox
    try:
        _try_out(name, sandbox, policy, environment)
    except BaseException:
        sandbox.close()
        raise
    _held.add(kind)
    return sandbox


def _try_out(name: Name, sandbox: Sandbox, policy: Policy, environment: Mapping[str, str]) -> None:
    if sys.platform == "win32":
        return
    from computer_api.terminal.sandbox import self_test

    try:
        leaks = self_test.leaks(sandbox, policy, environment)
    except UnsupportedError as error:
        raise UnsupportedError(f"{_sentence(str(error))}{_advice(name)}") from error
    if leaks:
        raise UnsupportedError(f"it was tried out and does not hold: {', '.join(leaks)}.")


def _made(name: Name, policy: Policy, environment: Mapping[str, str]) -> Sandbox:
    if sys.platform == "linux" and name == "bwrap":
        from computer_api.terminal.sandbox.bwrap import Bwrap

        return Bwrap(policy, environment=environment)
    if sys.platform == "linux" and name == "landlock":
        from computer_api.terminal.sandbox.landlock import Landlock

        return Landlock(policy, environment=environment)
    if sys.platform == "darwin" and name == "seatbelt":
        from computer_api.terminal.sandbox.seatbelt import Seatbelt

        return Seatbelt(policy, environment=environment)
    raise UnsupportedError(f'it is not for "{sys.platform}".')


def _advice(name: Name) -> str:
    """What most likely keeps bwrap from working, and what would help."""
    if name != "bwrap":
        return ""
    if _says(_UBUNTU, "1"):
        return (
            " This system lets no program make user namespaces that has no AppArmor profile for it; "
            "give bwrap one, or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0."
        )
    if _says(_DEBIAN, "0"):
        return " User namespaces are off here; on: sudo sysctl kernel.unprivileged_userns_clone=1."
    if _says(_MOST, "0"):
        return " User namespaces are off here; on: sudo sysctl user.max_user_namespaces=15000."
    if any(path.exists() for path in _CONTAINERS):
        return " This is a container, which may make none; what confines code here is the container itself."
    return ""


def _says(path: Path, value: str) -> bool:
    try:
        return path.read_text().strip() == value
    except OSError:
        return False


def _words(name: Name, policy: Policy) -> str:
    writes = "writes nothing but temporary files"
    if policy.access == "workspace-write":
        places = ", ".join(str(path) for path in (policy.workspace, *policy.writable))
        writes = f"writes only to {places} and to temporary files"
    hosts = ", ".join(policy.network.hosts)
    reaches = {
        "off": "reaches no network",
        "on": "reaches every network, this machine itself too",
        "hosts": f"reaches only {hosts or 'no host'}",
    }[policy.network.mode]
    words = f"code is confined by {name}: it {writes}, {reaches}, and sees neither secrets nor the desktop"
    if name == "landlock":
        from computer_api.terminal.sandbox.landlock import WEAKNESSES

        words += f"; but {WEAKNESSES}"
    return words


def _sentence(text: str) -> str:
    return text if text.endswith(".") else text + "."
