"""What of the file system confined code sees: mounts, as bwrap is told them.

Each mount belongs to a path, and they are made from the outermost path inwards, so that the nearest one decides: a
workspace in a home folder that is closed is open, and the ``.git/hooks`` in it are not.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_api.terminal.sandbox.policy import Policy

Kind = Literal["read", "written", "closed", "covered"]

_SYSTEM = (
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var",
)
# In /proc, what lets root change the whole machine, with no right but its number.
_SETTINGS = (
    "sys",
    "irq",
    "bus",
    "fs",
    "acpi",
    "scsi",
    "driver",
    "asound",
    "dynamic_debug",
    "mtrr",
    "sysrq-trigger",
)
# What starts programs when somebody opens the workspace, enters it, or uses git in it.
_TRUSTED_FOLDERS = (".vscode", ".idea")
_TRUSTED_FILES = """
.envrc .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin
.zlogout .inputrc .gitmodules .gitconfig .mcp.json .npmrc .pre-commit-config.yaml .claude .codex
.cursor .husky .devcontainer
"""
_TRUSTED_IN_GIT = ("hooks", "config", "config.worktree", "info/attributes")
_DEPTH_OF_REPOSITORIES, _MOST_REPOSITORIES, _MOST_LOOKED_AT = 3, 20, 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A path, and what is seen there.

    It is itself, or ``source`` in its stead, to ``read`` or to be ``written``, or it is empty: ``closed`` a folder,
    ``covered`` a file.
    """

    path: Path
    kind: Kind
    source: Path | None = None

    def arguments(self) -> tuple[str, ...]:
        """How bwrap is told."""
        source, path = str(self.source or self.path), str(self.path)
        if self.kind == "closed":
            return ("--tmpfs", path)
        if self.kind == "covered":
            return ("--ro-bind", "/dev/null", path)
        return ("--bind" if self.kind == "written" else "--ro-bind", source, path)


@dataclass(slots=True, kw_only=True)
class View:
    """What one worker sees.

    ``kept`` is the folder on the host where temporary files of all of them are; ``missing`` are folders that have to
    be made on the host, for what is not there cannot be kept from being made.
    """

    homes: tuple[Path, ...]
    kept: Path
    missing: list[Path] = field(default_factory=list)
    mounts: dict[Path, Mount] = field(default_factory=dict)

    def add(self, path: Path, kind: Kind, source: Path | None = None) -> None:
        """See that there, unless a later one says otherwise about the same path."""
        self.mounts[path] = Mount(path=path, kind=kind, source=source)

    def in_order(self) -> list[Mount]:
        """From the outermost inwards."""
        return sorted(self.mounts.values(), key=lambda mount: len(mount.path.parts))

    def around(self, path: Path) -> Mount | None:
        """The mount that decides about a path: the nearest one."""
        return next((self.mounts[place] for place in (path, *path.parents) if place in self.mounts), None)

    def sees(self, path: Path) -> bool:
        """Whether what the host has at that path is there inside as well."""
        mount = self.around(path)
        return mount is None or (mount.source is None and mount.kind in {"read", "written"})

    def has(self, path: Path) -> bool:
        """Whether there is something at that path inside, be it another thing than on the host."""
        mount = self.around(path)
        if mount is not None and mount.source is not None:
            return (mount.source / path.relative_to(mount.path)).exists()
        return self.sees(path) and path.exists()

    def arguments(self) -> list[str]:
        """All of them as bwrap is told; folders that are closed cannot be written to either."""
        self._clear_the_way()
        told = [argument for mount in self.in_order() for argument in mount.arguments()]
        for mount in self.in_order():
            if mount.kind == "closed" and mount.path in self.homes:
                told += ["--remount-ro", str(mount.path)]
        return told

    def is_outdated(self) -> bool:
        """Whether something that is to be seen or covered is gone since."""
        sources = (mount.source or mount.path for mount in self.mounts.values() if mount.kind != "closed")
        return not all(os.path.lexists(source) for source in sources)

    def _clear_the_way(self) -> None:
        """Remove links from where mounts are to be made in folders that confined code has written to.

        bwrap would follow them, and make the missing folder where they lead.
        """
        for mount in self.mounts.values():
            above = self.around(mount.path.parent)
            if above is None or above.source is None:
                continue
            place = above.source
            for part in mount.path.relative_to(above.path).parts:
                place /= part
                if place.is_symlink():
                    place.unlink()


def view(policy: Policy, homes: tuple[Path, ...], kept: Path) -> View:
    """What the policy shows, but for what a single command needs. Raises ``UnsupportedError``."""
    seen = View(homes=homes, kept=kept)
    seen.add(Path("/run"), "closed")
    seen.add(Path("/tmp"), "written", kept / "tmp")  # noqa: S108 - it is what is confined
    seen.add(Path("/var/tmp"), "written", kept / "var-tmp")  # noqa: S108
    changes_settings = os.access("/proc/sys/kernel/core_pattern", os.W_OK)  # as root
    for path in (Path("/proc") / name for name in _SETTINGS):
        if changes_settings and path.exists():
            seen.add(path, "read")
    for path in secrets.SYSTEM:
        if os.access(path, os.R_OK):
            seen.add(path, "closed" if path.is_dir() else "covered")
    for home in homes:
        _close(seen, home)
    for root in roots(policy):
        _open(seen, root, writable=policy.access == "workspace-write")
    return seen


def roots(policy: Policy) -> tuple[Path, ...]:
    """The workspace, and what was added to it, where they really are. Raises ``UnsupportedError``."""
    real = tuple(dict.fromkeys(path.resolve() for path in (policy.workspace, *policy.writable)))
    for root in real if policy.access == "workspace-write" else ():
        if str(root) in _SYSTEM and root != Path.home():
            raise UnsupportedError(
                f'The workspace "{root}" holds the system itself, which code must not write to; '
                "choose a folder of your own."
            )
        if not root.exists():
            raise UnsupportedError(f'The workspace "{root}" does not exist; make it first.')
    return real


def _close(seen: View, home: Path) -> None:
    """Show of a home what tools need, with a cache of its own."""
    if not is_reached(home):
        return
    seen.add(home, "closed")
    if seen.homes[0] == home:
        seen.add(home / ".cache", "written", seen.kept / "cache")
    for path in filter(is_reached, secrets.shown(home)):
        seen.add(path, "read")


def _open(seen: View, root: Path, *, writable: bool) -> None:
    if root == root.parent:  # all is shown to be read already, but for what is closed in it
        return
    if root in seen.homes:  # what starts programs at login lies in it: only the folders that a person sees
        for folder in secrets.shown(root):
            if folder.is_dir() and folder.parent == root and not folder.name.startswith("."):
                _open(seen, folder, writable=writable)
        return
    seen.add(root, "written" if writable else "read")
    if writable and root.is_dir():
        for path, kind in _trusted(root):
            seen.add(path, kind)
        for path in (root / name for name in _TRUSTED_FOLDERS):
            if not path.exists() and not path.is_symlink():
                seen.missing.append(path)
                seen.add(path, "read")


def _trusted(root: Path) -> Iterator[tuple[Path, Kind]]:
    """What in a writable folder must stay as it is."""
    for name in (*_TRUSTED_FOLDERS, *_TRUSTED_FILES.split()):
        path = root / name
        if path.exists() and not path.is_symlink():
            yield path, "read"
    for git in repositories(root):
        yield from _trusted_in_git(git)


def _trusted_in_git(git: Path) -> Iterator[tuple[Path, Kind]]:
    """What makes git run programs. The folder is a mount itself, since a mount cannot be renamed."""
    if git.is_file():  # where a work tree's repository is
        yield git, "read"
        return
    yield git, "written"
    modules = [path.parent for path in sorted((git / "modules").glob("**/HEAD"))[:_MOST_REPOSITORIES]]
    for folder in (git, *modules):
        if folder != git:
            yield folder, "written"
        for name in _TRUSTED_IN_GIT:
            path = folder / name
            if path.exists() and not path.is_symlink():
                yield path, "read"


def repositories(root: Path) -> list[Path]:
    """The ``.git`` of the folder and of those some levels below, as far as a quick look finds them."""
    found: list[Path] = []
    looked_at = 0
    level = [root]
    for _ in range(_DEPTH_OF_REPOSITORIES):
        below: list[Path] = []
        for folder in level:
            entries = _entries(folder)
            looked_at += len(entries)
            found += [
                Path(entry.path) for entry in entries if entry.name == ".git" and not entry.is_symlink()
            ]
            below += [Path(entry.path) for entry in entries if _is_worth_a_look(entry)]
            if looked_at > _MOST_LOOKED_AT:
                return found[:_MOST_REPOSITORIES]
        level = below
    return found[:_MOST_REPOSITORIES]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_worth_a_look(entry: os.DirEntry[str]) -> bool:
    return (
        not entry.name.startswith(".")
        and entry.name != "node_modules"
        and entry.is_dir(follow_symlinks=False)
    )


def is_trusted(path: Path) -> bool:
    """Whether it is, by its name, what must stay as it is in a folder that can be written."""
    return bool({".git", *_TRUSTED_FOLDERS, *_TRUSTED_FILES.split()} & set(path.parts))


def needed(program: str, homes: tuple[Path, ...] = ()) -> tuple[Path, ...]:
    """Where a program and what it needs are: an interpreter brings a folder, and a link leads to another."""
    found = []
    for path in dict.fromkeys((Path(program), Path(program).resolve())):
        prefix = path.parent.parent
        is_installed = path.parent.name == "bin" and len(prefix.parts) > len(("/", "home", "somebody"))
        holds_a_home = any(home.is_relative_to(prefix) for home in homes)
        found.append(prefix if is_installed and not holds_a_home else path)
    return tuple(found)


def is_reached(path: Path) -> bool:
    """Whether code gets to it: inside, root has no more rights to others' folders than others."""
    if sys.platform == "win32":
        return False
    groups = {os.getegid(), *os.getgroups()}
    try:
        folders = [folder.stat() for folder in path.parents]
    except OSError:
        return False
    for folder in folders:
        who = 6 if folder.st_uid == os.geteuid() else 3 if folder.st_gid in groups else 0
        if not folder.st_mode >> who & 1:
            return False
    return True


def is_socket(path: Path) -> bool:
    """Whether it is there and a socket."""
    try:
        return stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return False
