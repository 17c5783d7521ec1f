"""The house keeps its floor plan, and coming in costs nothing and touches nothing."""

import json
import os
import site
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {
    "computer_agent": ROOT / "computer_agent",
    "computer_api": ROOT / "computer_api",
    "computer_vision": ROOT / "vision" / "computer_vision",
    "computer_platform": ROOT / "platform" / "computer_platform",
}
HEAVY = {"PIL", "Xlib", "cv2", "dbus_fast", "litellm", "mss", "numpy", "pytesseract", "rich"}

# Runs what it is told as `python` would, and notes afterwards what that brought with it.
PROBE = """
import atexit, json, runpy, sys
note, action, name = sys.argv[1:4]
sys.argv = ["oi", *sys.argv[4:]]
sockets = []
sys.addaudithook(lambda event, _: sockets.append(event) if event.startswith("socket.") else None)
brought = lambda: json.dumps({"modules": sorted(sys.modules), "sockets": sockets})
atexit.register(lambda: open(note, "w").write(brought()))
if action == "import":
    __import__(name)
else:
    runpy.run_module(name, run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("folder", ["platform", "vision"])
def test_a_plain_folder_is_no_package_and_holds_exactly_one(folder: str) -> None:
    assert not (ROOT / folder / "__init__.py").exists()
    children = {
        child.name for child in (ROOT / folder).iterdir() if child.is_dir() and child.name != "__pycache__"
    }
    assert children == {f"computer_{folder}"}


@pytest.mark.parametrize("start", [["-c"], ["-P", "-c"]], ids=["with this folder on the path", "without"])
def test_import_platform_from_the_repository_root_is_the_standard_library_s(start: list[str]) -> None:
    code = "import platform; print(platform.__file__); print(platform.system())"
    run = subprocess.run([sys.executable, *start, code], cwd=ROOT, capture_output=True, text=True, check=True)
    file, system = run.stdout.splitlines()
    assert Path(file).resolve().parent == Path(sysconfig.get_path("stdlib")).resolve()
    assert system


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_that_it_is_typed(package: str) -> None:
    assert (PACKAGES[package] / "py.typed").is_file()


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"base", "bases", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
    modules = [file for folder in PACKAGES.values() for file in folder.rglob("*.py")]
    assert modules
    assert not [
        file.relative_to(ROOT) for file in modules if empty & {file.stem.strip("_"), file.parent.name}
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_has_no_effects(package: str, tmp_path: Path) -> None:
    run, brought = _probe(tmp_path, "import", package)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert brought["sockets"] == []
    assert HEAVY.isdisjoint(brought["modules"]), HEAVY & set(brought["modules"])
    assert package in brought["modules"]


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_oi_answers_before_anything_heavy_is_imported(argument: str, tmp_path: Path) -> None:
    run, brought = _probe(tmp_path, "run", "computer_agent", argument)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.strip()
    assert brought["sockets"] == []
    assert HEAVY.isdisjoint(brought["modules"]), HEAVY & set(brought["modules"])
    assert "computer_agent.cli" in brought["modules"]


def test_oi_version_is_the_project_s(tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    run, _ = _probe(tmp_path, "run", "computer_agent", "--version")
    assert version in run.stdout.split()


def test_no_litellm_file_runs_at_every_start_of_python() -> None:
    """Two stolen releases, 1.82.7 and 1.82.8, were published; the second came with such a file."""
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    assert any(Path(folder).is_dir() for folder in folders)
    assert not [file for folder in folders for file in Path(folder).glob("*litellm*.pth")]


def test_the_locks_pin_every_package_with_hashes_and_name_no_place() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        pins = [line for line in text.splitlines() if line[:1].isalnum()]
        assert pins
        assert not [pin for pin in pins if "==" not in pin or not pin.endswith("\\")], (
            "pinned, and hashes follow"
        )
        assert not [word for word in ("://", "--index-url", "--find-links", str(ROOT)) if word in text]


def test_the_lock_to_run_and_the_lock_to_develop_agree() -> None:
    run, develop = (
        {line for line in (ROOT / name).read_text().splitlines() if line[:1].isalnum()}
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert _without_markers(run) <= _without_markers(develop)
    assert not [pin for pin in develop if pin.startswith(("litellm==1.82.7", "litellm==1.82.8"))]


def _without_markers(pins: set[str]) -> set[str]:
    return {pin.split()[0] for pin in pins}


def _probe(
    folder: Path, action: str, name: str, *arguments: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, list[str]]]:
    """Import or run `name` in a Python of its own, in an empty folder and home, with no display."""
    home, note = folder / "elsewhere", folder / "note.json"
    home.mkdir()
    run = subprocess.run(
        [sys.executable, "-c", PROBE, str(note), action, name, *arguments],
        cwd=home,
        capture_output=True,
        text=True,
        env={
            "PATH": os.defpath,
            "HOME": str(home),
            "PYTHONPATH": os.pathsep.join(str(p.parent) for p in PACKAGES.values()),
        },
        check=False,
        timeout=60,
    )
    assert not list(home.iterdir()), "it left something in the person's folders"
    return run, json.loads(note.read_text())
