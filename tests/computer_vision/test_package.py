"""The package as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

import computer_vision


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'cv2', 'numpy', 'PIL', 'pytesseract'}"
    code = f"import sys, computer_vision, computer_vision.reader; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", computer_vision.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(computer_vision, name).__module__.startswith("computer_vision.")


def test_an_unknown_name_is_an_ordinary_attribute_error() -> None:
    with pytest.raises(AttributeError, match='"nothing"'):
        _ = computer_vision.nothing  # type: ignore[attr-defined] - the point of the test
