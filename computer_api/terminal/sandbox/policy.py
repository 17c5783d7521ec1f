"""What code may reach: a policy, which a sandbox enforces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Access = Literal["read-only", "workspace-write", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Which hosts may be reached: none (``off``), all (``on``), or those in ``hosts``.

    A host is exact (``example.org``) or, with a leading dot, a suffix (``.example.org``).
    """

    mode: Literal["off", "on", "hosts"] = "off"
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """``full`` confines nothing; the others let code write temporary folders of its own, and read all but secrets.

    Secret is what a home folder holds, but for what is not hidden by its name and what tools keep there.
    ``workspace-write`` adds the workspace, and ``writable`` what the person added to it, in which git's hooks and
    settings and those of editors stay as they are. Of a workspace that is a home only the folders that a person sees
    can be written.
    """

    access: Access
    workspace: Path
    writable: tuple[Path, ...] = ()
    network: Network = Network()
