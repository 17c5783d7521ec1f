"""The names that the packages promise are there, and those that are used from outside are promised."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("computer_agent", "computer_api", "computer_platform", "computer_vision")
ELSEWHERE = () if sys.platform == "linux" else ("x11", "atspi", "private", "guardian", "person", "serving")


def modules() -> list[str]:
    """Every module of the four packages that can be imported here."""
    found = []
    for package in PACKAGES:
        found.append(package)
        path = importlib.import_module(package).__path__
        found += [
            module.name
            for module in pkgutil.walk_packages(path, f"{package}.")
            if not module.name.endswith(("__main__", "worker", "guardian"))
            and not any(part in ELSEWHERE for part in module.name.split("."))
        ]
    return found


def promising() -> list[str]:
    return [name for name in modules() if hasattr(importlib.import_module(name), "__all__")]


@pytest.mark.parametrize("name", promising())
def test_every_name_that_is_promised_is_there_once_and_in_order(name: str) -> None:
    module = importlib.import_module(name)
    promised = list(module.__all__)
    assert len(set(promised)) == len(promised)
    for one in promised:
        assert getattr(module, one) is not None
        assert not one.startswith("_")
    namespace: dict[str, object] = {}
    exec(f"from {name} import *", namespace)  # noqa: S102 - what a person would write
    assert set(promised) <= namespace.keys()


def test_the_computer_can_be_used_from_its_package_alone() -> None:
    import computer_api

    assert set(computer_api.__all__) == {"Computer", "ElementTarget", "IconTarget", "Pixel", "TextTarget"}


def test_every_action_is_a_public_frozen_value_with_its_meaning() -> None:
    from typing import get_args

    from computer_api import actions

    defined = {
        value
        for value in vars(actions).values()
        if inspect.isclass(value) and value.__module__ == actions.__name__
    }
    assert defined == set(get_args(actions.Action))
    for action in defined:
        assert action.__doc__
        assert dataclasses.is_dataclass(action)
        blank = action.__new__(action)
        for spot in dataclasses.fields(action):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(blank, spot.name, None)
        assert not hasattr(blank, "__dict__")


def test_every_error_of_the_tree_is_promised_and_drawn() -> None:
    from computer_api import errors

    defined = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, Exception)
    }
    assert defined == set(errors.__all__)
    assert errors.__doc__ is not None
    for name in defined:
        assert name in errors.__doc__


def test_the_worker_knows_the_errors_that_can_arrive_there() -> None:
    from computer_api import errors

    words = (ROOT / "computer_api" / "terminal" / "languages" / "python_worker.py").read_text(
        encoding="utf-8"
    )
    for name in errors.__all__:
        error = getattr(errors, name)
        if issubclass(error, errors.ComputerError):
            assert f'"{name}"' in words or f"class {name}" in words


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_nothing_heavy_and_says_nothing(package: str) -> None:
    program = (
        f"import sys, {package}\n"
        "heavy = {'cv2', 'mss', 'Xlib', 'dbus_fast', 'litellm', 'rich', 'PIL'} & sys.modules.keys()\n"
        "sys.exit(repr(heavy) if heavy else 0)\n"
    )
    paths = ":".join(str(ROOT / floor) for floor in (".", "vision", "platform"))
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": paths, "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize("name", modules())
def test_every_module_says_what_it_is_for(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    assert module.__doc__.strip().splitlines()[0].endswith((".", ":", "?", "!"))
