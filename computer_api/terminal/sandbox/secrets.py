"""What confined code must not read: a home folder is closed but for what tools need, and so is the environment.

A list of what is shown, not of what is hidden, since every program keeps its secrets at a place of its own. And a
folder that is closed stays so: a single file that is covered comes back when somebody replaces it by renaming, as
git, npm and shells do with theirs, and one that appears later was never covered.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# In a home folder, of the entries with a dot. Neither shells' start-up files, which export keys, nor configuration.
_SHOWN = """
.gitconfig .gitignore .gitignore_global .gitattributes .config/git/config .config/git/ignore
.config/git/attributes .pyenv .rbenv .nvm .volta .fnm .asdf .sdkman .rustup .bun/bin .deno/bin
.ghcup .cabal/bin .opam .dotnet .jdks .cargo/bin .cargo/registry .cargo/git .cargo/config.toml
.m2/repository .gem/ruby .nix-profile .conda/envs .conda/pkgs .julia/juliaup .juliaup .sbt/boot
.ivy2/cache .gradle/wrapper .local/bin .local/lib .local/pipx .local/opt .local/include
.local/share/pipx .local/share/uv .local/share/mise .local/share/pnpm .local/share/fnm
.local/share/virtualenvs .local/share/fonts .local/share/man .fonts .config/fontconfig
.cache/huggingface .cache/torch .cache/ms-playwright .cache/puppeteer .cache/uv .cache/pip
.cache/fontconfig
"""
_MOST_SHOWN = 60  # each costs time at every start; folders come first

SYSTEM = tuple(
    Path("/etc") / name
    for name in (
        "shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "ssl/private", "wireguard",
        "NetworkManager/system-connections", "ssh/ssh_host_rsa_key", "ssh/ssh_host_ecdsa_key",
        "ssh/ssh_host_ed25519_key", "krb5.keytab", "rancher", "kubernetes",
    )
)  # fmt: skip
"""Files and folders outside of homes that only the administrator may read, and so code that runs as that one."""

# Variables: the person's as far as programs need them, what the terminal finds what it started by, and what it sets
# against paging and questions;
_OF_THE_PERSON = """
PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM COLUMNS LINES TZ NO_COLOR OI_TERMINAL
PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER LESS GIT_TERMINAL_PROMPT DEBIAN_FRONTEND PYTHONUNBUFFERED
"""
# where tools are;
_OF_TOOLS = """
VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONHOME PYTHONIOENCODING
PYTHONUTF8 PYTHONDONTWRITEBYTECODE MPLBACKEND JAVA_HOME JDK_HOME M2_HOME MAVEN_HOME GRADLE_HOME GOROOT GOPATH
CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN NVM_DIR VOLTA_HOME NODE_PATH GEM_HOME GEM_PATH RBENV_ROOT DOTNET_ROOT
R_HOME R_LIBS R_LIBS_USER JULIA_DEPOT_PATH MANPATH INFOPATH LD_LIBRARY_PATH PKG_CONFIG_PATH CC CXX CFLAGS
XDG_CONFIG_HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS OMP_NUM_THREADS
"""
# and whom to trust.
_OF_TRUST = """
SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO PIP_CERT
"""
_NAMES = frozenset((_OF_THE_PERSON + _OF_TOOLS + _OF_TRUST).split())
_OF_THE_SYSTEM = frozenset(("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr"))
_CREDENTIALS = re.compile(r"://[^/\s@]*:[^/\s@]*@")


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The variables that confined code may have: known names only, and no value with a password in it."""
    return {
        name: value
        for name, value in given.items()
        if (name in _NAMES or name.startswith("LC_")) and not _CREDENTIALS.search(value)
    }


def homes(given: Mapping[str, str]) -> tuple[Path, ...]:
    """Every home folder that the person may have here: by the variables, by the user's number, and below /home.

    With ``sudo`` the person's is that of another user than the one who runs. A folder that holds the system, as a
    user without a home has, is none.
    """
    found = [Path(given["HOME"])] if given.get("HOME") else []
    found += _homes_by_user(given)
    with contextlib.suppress(OSError):
        found += Path("/home").iterdir()
    found.append(Path("/root"))
    real = dict.fromkeys(path.resolve() for path in found if path.is_absolute())
    return tuple(home for home in real if _is_folder(home) and not _holds_the_system(home))


def _homes_by_user(given: Mapping[str, str]) -> list[Path]:
    if sys.platform == "win32":
        return []
    import pwd

    found = []
    users: list[str | int] = [os.getuid()]
    users += [given[name] for name in ("SUDO_USER", "DOAS_USER", "USER") if given.get(name)]
    for user in users:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwuid(user) if isinstance(user, int) else pwd.getpwnam(user)
            found.append(Path(entry.pw_dir))
    return found


def shown(home: Path) -> tuple[Path, ...]:
    """What of a home folder may be read: what is not hidden by its name, and what tools keep there."""
    named = (home / name for name in _SHOWN.split())
    return (*_not_dotted(home), *(path for path in named if _exists(path)))


def _not_dotted(home: Path) -> tuple[Path, ...]:
    """The entries that a person sees, folders first."""
    try:
        with os.scandir(home) as entries:
            seen = [(entry.is_file(), entry.name) for entry in entries if _is_plain(entry)]
    except OSError:
        return ()
    return tuple(home / name for _, name in sorted(seen)[:_MOST_SHOWN])


def _is_plain(entry: object) -> bool:
    """Whether it is a folder or file, and neither hidden, a link nor a socket."""
    return (
        isinstance(entry, os.DirEntry)
        and not entry.name.startswith(".")
        and (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))
    )


def _holds_the_system(home: Path) -> bool:
    """Whether it is none of a person, as ``/nonexistent`` and ``/usr/sbin``."""
    first = home.parts[1:2]
    return first != ("root",) and (len(home.parts) < len(("/", "home", "x")) or first[0] in _OF_THE_SYSTEM)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def sockets(lines: Iterator[str] | list[str]) -> tuple[Path, ...]:
    """The paths of Unix sockets in what /proc/net/unix says, which has a line of headings."""
    listed = []
    for line in list(lines)[1:]:
        path = line.rstrip("\n").partition(" /")[2]
        if path:
            listed.append(Path("/" + path))
    return tuple(dict.fromkeys(listed))


def abstract_sockets(lines: Iterator[str] | list[str]) -> tuple[str, ...]:
    """The names of sockets that have no path, which nothing in the file system closes."""
    return tuple(
        dict.fromkeys(found[1] for line in lines if (found := re.search(r" (@\S.*)$", line.rstrip("\n"))))
    )
