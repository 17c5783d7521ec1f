"""What people install is what is here, nothing else: the source archive, the wheel made of it, its `oi`."""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGES = {"computer_agent", "computer_api", "computer_vision", "computer_platform"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that was built from it, as an installer would."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    run = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (file,) = built.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def packed(wheel: Path) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_exactly_the_four_packages(packed: set[str]) -> None:
    top = {name.partition("/")[0] for name in packed}
    metadata = {name for name in top if name.endswith(".dist-info")}
    assert len(metadata) == 1
    assert top - metadata == PACKAGES


def test_each_package_in_the_wheel_says_that_it_is_typed(packed: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= packed


def test_the_wheel_holds_every_file_of_the_packages_that_git_knows(packed: set[str]) -> None:
    folders = ["computer_agent", "computer_api", "vision/computer_vision", "platform/computer_platform"]
    listing = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("these are the sources without their repository")
    known = [name for name in listing.stdout.split("\0") if name and (ROOT / name).exists()]
    assert known
    assert {name.removeprefix("vision/").removeprefix("platform/") for name in known} <= packed


def test_the_prompts_are_packed(packed: set[str]) -> None:
    prompts = {
        f"computer_agent/prompts/{file.name}" for file in (ROOT / "computer_agent" / "prompts").glob("*.md")
    }
    assert prompts, "there are prompts"
    assert prompts <= packed


def test_the_weights_that_read_text_are_packed_whole_with_their_notice(wheel: Path) -> None:
    folder = "computer_vision/weights/"
    with zipfile.ZipFile(wheel) as archive:
        notice = archive.read(folder + "NOTICE").decode()
        sums = dict(re.findall(r"^([0-9a-f]{64})  (\S+)$", notice, re.MULTILINE))
        packed = {name.removeprefix(folder) for name in archive.namelist() if name.startswith(folder)}
        theirs = {name for name in packed if name.startswith("ppocr")}
        assert theirs == set(sums.values())
        assert len(theirs) == 5
        own = {f"{name}_{part}" for name in ("hangul", "alphabets") for part in ("rec.onnx", "dict.txt")}
        assert own | {"scripts.tsv"} <= packed
        for digest, name in sums.items():
            assert hashlib.sha256(archive.read(folder + name)).hexdigest() == digest, name
    assert "Apache License" in notice


def test_the_wheel_holds_no_tests_no_fixtures_and_no_leftovers(packed: set[str]) -> None:
    odd = ("tests/", "fixtures/", "/test_", "conftest", "__pycache__", ".pyc", ".lock", ".ci", ".github")
    assert not [name for name in packed if any(part in name for part in odd)]


def test_the_wheel_carries_the_license(packed: set[str]) -> None:
    assert [name for name in packed if name.endswith(".dist-info/licenses/LICENSE")]


def test_the_source_archive_is_enough_to_build_and_test(built: Path) -> None:
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {
        "LICENSE",
        "Makefile",
        "README.md",
        "pyproject.toml",
        "requirements.lock",
        "requirements-dev.lock",
    }
    assert needed | {".ci/run", ".ci/setup", "tests/conftest.py", "vision/computer_vision/py.typed"} <= names
    assert not [
        name for name in names if name.startswith((".venv", ".make", ".git/", "demo-run", "bench-run"))
    ]


def test_the_installed_oi_says_its_version_without_any_dependency(wheel: Path, tmp_path: Path) -> None:
    """Nothing but the wheel is installed: what is heavy is imported later, where it is used."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    bin_folder = home / ("Scripts" if sys.platform == "win32" else "bin")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(home),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*install, str(wheel)], env=environment, check=True, timeout=120)
    run = subprocess.run(
        [bin_folder / "oi", "--version"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert PROJECT["version"] in run.stdout.split()
