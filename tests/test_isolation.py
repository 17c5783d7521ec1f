"""The guards of conftest.py: a guard that nobody has seen refuse is no guard."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_a_connection_to_another_machine_is_refused(
    address: tuple[str, int], outside_connections: list[str]
) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as client, pytest.raises(ConnectionError, match="may only reach this machine"):
        client.connect(address)
    assert outside_connections == [f"socket.connect {address[0]!r}"]
    outside_connections.clear()


def test_looking_up_another_machines_name_is_refused(outside_connections: list[str]) -> None:
    with pytest.raises(ConnectionError, match=r"'example\.invalid'"):
        socket.getaddrinfo("example.invalid", 443)
    outside_connections.clear()


def test_a_datagram_to_another_machine_is_refused(outside_connections: list[str]) -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as client,
        pytest.raises(ConnectionError, match=r"192\.0\.2\.1"),
    ):
        client.sendto(b"x", ("192.0.2.1", 9))
    outside_connections.clear()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_on_this_machine_is_reached(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection((host, server.getsockname()[1]), timeout=5).close()


def test_a_test_fails_where_the_code_under_test_swallowed_the_refusal(tmp_path: Path) -> None:
    careless = tmp_path / "test_careless.py"
    careless.write_text(
        "import contextlib, socket\n"
        "def test_it():\n"
        "    with contextlib.suppress(OSError), socket.socket() as client:\n"
        "        client.connect(('192.0.2.1', 80))\n"
    )
    run = _pytest(careless)
    assert run.returncode == 1, run.stdout
    assert "reached for something outside this machine: socket.connect '192.0.2.1'" in run.stdout


def test_a_test_that_stays_on_this_machine_passes_under_the_same_guards(tmp_path: Path) -> None:
    careful = tmp_path / "test_careful.py"
    careful.write_text("def test_it():\n    pass\n")
    run = _pytest(careful)
    assert run.returncode == 0, run.stdout


def test_home_and_the_folders_for_settings_and_caches_are_the_tests_own(tmp_path: Path) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        assert Path(os.environ[name]).is_relative_to(tmp_path), name
    assert Path.home().is_relative_to(tmp_path)


def test_no_test_sees_the_persons_screen_or_keys() -> None:
    assert not {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"} & os.environ.keys()
    assert not [name for name in os.environ if name.endswith("_API_KEY")]


def _pytest(file: Path) -> subprocess.CompletedProcess[str]:
    arguments = [
        "-p",
        "conftest",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(file.parent),
        "-c",
        os.devnull,
        str(file),
    ]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        check=False,
        timeout=60,
    )
