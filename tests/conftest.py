"""Holds for every test: nothing leaves this machine, and nothing of the person's is read or written.

The guards need no cooperation from what is tested: connections are watched with an audit hook, below every
library of this process; folders are moved with the environment, which child processes inherit.
"""

import ipaddress
import os
import socket
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A slow moment of a shared machine is no failure of a property.
# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile(
    "patient", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
if "CI" not in os.environ:
    settings.load_profile("patient")

_FOLDERS = {
    "HOME": "home",
    "XDG_CONFIG_HOME": "home/.config",
    "XDG_CACHE_HOME": "home/.cache",
    "XDG_DATA_HOME": "home/.local/share",
    "XDG_STATE_HOME": "home/.local/state",
}
# The person's desktop and session: a test that needs one starts its own.
_SESSION = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
    "SESSION_MANAGER",
)

# The files that take longest, the longest first: started last, one would leave every other core idle.
_LONGEST = (
    "test_bad_input.py",
    "test_stopping.py",
    "test_x11_typing.py",
    "test_displays.py",
    "test_typing_matrix.py",
    "test_forms.py",
    "test_incremental.py",
    "test_receipts.py",
    "test_replay.py",
    "test_doctor.py",
    "test_expecting.py",
    "test_code_and_approval.py",
    "test_python.py",
    "test_watch.py",
    "test_browser.py",
    "test_talk.py",
    "test_entering.py",
)

_OWN_NAME = socket.gethostname()
_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKING_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_refused: list[str] = []


class OutsideConnectionError(ConnectionError):
    """A test tried to reach something that is not this machine."""


def pytest_configure() -> None:
    sys.addaudithook(_refuse_outside)


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One process more than cores: a good part of the time goes by waiting for the programs that are driven."""
    cores = yield
    return cores if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else cores + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The sort is stable: within a file, and among the others, the random order stays.
    items.sort(
        key=lambda item: _LONGEST.index(item.path.name) if item.path.name in _LONGEST else len(_LONGEST)
    )
    if sys.platform != "linux":
        x11 = pytest.mark.skip(reason="starts an X server of its own, which this system has none of")
        for item in items:
            if "desktop" in item.keywords:
                item.add_marker(x11)


@pytest.fixture(scope="session", autouse=True)
def _away_from_the_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Take away the person's folders, screen, session bus and keys before anything else starts."""
    folder = tmp_path_factory.mktemp("session")
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", str(runtime))
        # Set in many containers; with it every `oi` that a test starts compiles its modules anew.
        environment.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        for name in (*_SESSION, *(name for name in os.environ if name.endswith("_API_KEY"))):
            environment.delenv(name, raising=False)
        _move_folders(environment, folder)
        yield


@pytest.fixture(autouse=True)
def _folders_of_its_own(tmp_path: Path) -> Iterator[None]:
    """Give each test an empty home, so that none finds what another left."""
    with pytest.MonkeyPatch.context() as environment:
        _move_folders(environment, tmp_path)
        yield


@pytest.fixture(autouse=True)
def outside_connections() -> Iterator[list[str]]:
    """Fail a test that reached outside even where the code under test swallowed the refusal."""
    _refused.clear()
    yield _refused
    attempts, _refused[:] = list(_refused), []
    if attempts:
        pytest.fail(f"reached for something outside this machine: {', '.join(attempts)}", pytrace=False)


def _move_folders(environment: pytest.MonkeyPatch, folder: Path) -> None:
    for name, below in _FOLDERS.items():
        environment.setenv(name, str(folder / below))
    (folder / _FOLDERS["HOME"]).mkdir()


def _refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    if event in _CONNECTING:
        sock, address = arguments[:2]
        internet = isinstance(sock, socket.socket) and sock.family in {socket.AF_INET, socket.AF_INET6}
        if not internet or not isinstance(address, tuple):
            return
        host = address[0]
    elif event in _LOOKING_UP:
        host = arguments[0]
    else:
        return
    if not _is_this_machine(host):
        _refused.append(f"{event} {host!r}")
        raise OutsideConnectionError(
            f"a test may only reach this machine, not {host!r} ({event}): start a server on 127.0.0.1 instead"
        )


def _is_this_machine(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode()
    if host is None or host in {"", "localhost", _OWN_NAME}:
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified
