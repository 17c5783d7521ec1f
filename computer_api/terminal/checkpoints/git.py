"""git as a store of ours: its plumbing only, and none of the person's settings, hooks or repositories.

Git is given its folder, its index and the files' folder by variables, so that it never looks for a repository. What a
workspace brings along (``.gitattributes`` with filters or line ends) is overruled by our own attributes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.terminal.checkpoints.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONFIG = """\
[core]
\trepositoryFormatVersion = 0
\tbare = false
\tfileMode = true
\tautocrlf = false
\tsafecrlf = false
\tcompression = 1
\tfsync = none
\thooksPath = /dev/null
\texcludesFile = /dev/null
\tattributesFile = /dev/null
\tprecomposeUnicode = false
\tprotectNTFS = false
\tprotectHFS = false
[gc]
\tauto = 0
[advice]
\tdetachedHead = false
"""
# Over any .gitattributes: files are stored and come back byte for byte.
_ATTRIBUTES = "* -text -filter -ident -eol -working-tree-encoding\n"
_EXCLUDED = """\
node_modules/
.venv/
venv/
__pycache__/
.mypy_cache/
.ruff_cache/
.pytest_cache/
.tox/
.cache/
build/
dist/
target/
"""


class Git:
    """The store in ``folder``, made when first used, for the files of one folder with one index.

    ``program`` is where git is, ``None`` where there is none.
    """

    def __init__(
        self, folder: Path, files: Path, index: str, environment: Mapping[str, str], *, program: str | None
    ) -> None:
        self.files = files
        self._program = program
        self._folder = folder / "git"
        self._index = folder / f"index-{index}"
        self._environment = {
            **{name: value for name, value in environment.items() if not name.startswith("GIT_")},
            "GIT_DIR": str(self._folder),
            "GIT_WORK_TREE": str(files),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C.UTF-8",
        }

    def __call__(
        self,
        *words: str,
        given: bytes = b"",
        until: float | None = None,
        index: str = "",
        fine: tuple[int, ...] = (0,),
    ) -> bytes:
        """What git prints. ``given`` is its input, ``index`` the ending of another index than the usual one.

        ``fine`` are the exit codes of success. Raises ``CheckpointError`` when git is not there or fails, and when it
        is not done at the time ``until``.
        """
        if self._program is None:
            raise CheckpointError('Checkpoints need the program "git", which is not on the PATH.')
        self._make()
        seconds = None if until is None else max(0.0, until - time.monotonic())
        try:
            done = subprocess.run(
                [self._program, *words],
                input=given,
                capture_output=True,
                cwd=self.files,
                env={**self._environment, "GIT_INDEX_FILE": f"{self._index}{index}"},
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self._index.with_name(f"{self._index.name}{index}.lock").unlink(missing_ok=True)
            raise CheckpointError("copying the workspace took too long") from None
        if done.returncode not in fine:
            why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise CheckpointError(f"git could not keep the workspace: {why.removeprefix('fatal: ')}")
        return done.stdout

    @property
    def modes(self) -> Path:
        """The file beside the index that says which files have other permissions than git can keep."""
        return self._index.with_name(f"{self._index.name}.modes")

    def forget_index(self, index: str = "") -> bool:
        """Remove an index that was used for a moment, or is broken, and say whether there was one."""
        file = self._index.with_name(self._index.name + index)
        there = file.exists()
        file.unlink(missing_ok=True)
        return there

    def _make(self) -> None:
        """Make the store where there is none: what ``git init`` would make, without templates."""
        head = self._folder / "HEAD"
        if head.exists() and head.stat().st_size:
            return
        for name in ("objects", "refs", "info"):
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._folder / "config").write_text(_CONFIG)
        (self._folder / "info" / "attributes").write_text(_ATTRIBUTES)
        (self._folder / "info" / "exclude").write_text(_EXCLUDED)
        head.write_text("ref: refs/heads/none\n")  # last: now it is whole


def git_outside(workspace: Path, environment: Mapping[str, str]) -> str | None:
    """Where git is, by the PATH, but never in the workspace: code wrote there, and shall not get out."""
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    for folder in filter(os.path.isabs, folders):  # others, "" too, start at the current folder
        found = shutil.which("git", path=folder)
        if found is None or Path(folder).resolve().is_relative_to(workspace):
            continue
        if not Path(found).resolve().is_relative_to(workspace):
            return found
    return None
