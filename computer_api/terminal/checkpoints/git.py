"""git as a store of ours: its plumbing only, and none of the person's settings, hooks or repositories.

Git is given its folder, its index and the files' folder by variables, so that it never looks for a repository. What a
workspace brings along (``.gitattributes`` with filters or line ends) is overruled by our own attributes.
"""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

from computer_api.terminal.checkpoints.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
    """The store in ``folder``, made when first used, for the files of one folder with one index."""

    def __init__(self, folder: Path, files: Path, index: str, environment: Mapping[str, str]) -> None:
        self.files = files
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
            "GIT_LITERAL_PATHSPECS": "1",
            "LC_ALL": "C.UTF-8",
        }

    def __call__(
        self, *words: str, given: bytes = b"", until: float | None = None, index: str = "", check: bool = True
    ) -> bytes:
        """What git prints. ``given`` is its input, ``index`` the ending of another index than the usual one.

        Raises ``CheckpointError`` when git is not there or fails, and when it is not done at the time ``until``.
        """
        self._make()
        seconds = None if until is None else max(0.0, until - time.monotonic())
        try:
            done = subprocess.run(
                ["git", *words],
                input=given,
                capture_output=True,
                cwd=self.files,
                env={**self._environment, "GIT_INDEX_FILE": f"{self._index}{index}"},
                timeout=seconds,
                check=False,
            )
        except FileNotFoundError:
            raise CheckpointError('Checkpoints need the program "git", which is not on the PATH.') from None
        except subprocess.TimeoutExpired:
            self._index.with_name(f"{self._index.name}{index}.lock").unlink(missing_ok=True)
            raise CheckpointError("copying the workspace took too long") from None
        if check and done.returncode != 0:
            why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise CheckpointError(f"git could not keep the workspace: {why.removeprefix('fatal: ')}")
        return done.stdout

    def forget_index(self, index: str) -> None:
        """Remove an index that was used for a moment."""
        self._index.with_name(self._index.name + index).unlink(missing_ok=True)

    def _make(self) -> None:
        """Make the store where there is none: what ``git init`` would make, without templates."""
        if (self._folder / "HEAD").exists():
            return
        for name in ("objects", "refs", "info"):
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._folder / "config").write_text(_CONFIG)
        (self._folder / "info" / "attributes").write_text(_ATTRIBUTES)
        (self._folder / "info" / "exclude").write_text(_EXCLUDED)
        (self._folder / "HEAD").write_text("ref: refs/heads/none\n")  # last: now it is whole
