"""Code that tries to get out (see escapes/probes.py), as root and as an ordinary user, with what confines it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from escapes.probes import PROBES, WORK, Probe

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import Policy
from computer_api.terminal.sandbox.choosing import open_sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bwrap is for Linux")

REPOSITORY = Path(__file__).resolve().parents[4]
AGENT = REPOSITORY / "tests" / "escapes" / "agent.py"
NOBODY = 65534
CONFINED = ("read-only", "workspace-write")
# With the network on, code reaches what listens on this machine; the words of the protection say so.
REACHED = {"TCP to this machine", "TCP to this machine by IPv6", "UDP to this machine"}

Found = dict[str, dict[str, str]]


def why_not() -> str | None:
    """Why bwrap does not work on this machine, in the self-test's own words."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            policy = Policy(access="workspace-write", workspace=Path(folder))
            open_sandbox("bwrap", policy, {"HOME": folder})[0].close()
    except UnsupportedError as error:
        return str(error)
    return None


@pytest.fixture(scope="session")
def works() -> None:
    if (reason := why_not()) is not None:
        pytest.skip(reason)


def visible_folder() -> Path:
    """A new folder that the sandbox does not hide by itself, as it does what is below /tmp."""
    return Path(
        tempfile.mkdtemp(prefix=".oi-escapes-", dir="/opt" if os.access("/opt", os.W_OK) else REPOSITORY)
    )


def everything_tried(user: int | None, network: Mapping[str, object], modes: tuple[str, ...]) -> Found:
    """What every probe printed in each mode, for another user than this one if ``user`` is given."""
    base = visible_folder()
    try:
        switch = []
        if user is not None:
            os.chown(base, user, user)
            switch = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
        told = json.dumps({"base": str(base), "modes": modes, "network": network})
        folders = [REPOSITORY, *(REPOSITORY / name for name in ("vision", "platform", "tests"))]
        path = os.pathsep.join(map(str, [*folders, sysconfig.get_path("purelib")]))
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(base),
            "PYTHONPATH": path,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        argv = [*switch, interpreter(switch), str(AGENT), told]
        done = subprocess.run(
            argv, cwd=base, env=environment, capture_output=True, text=True, timeout=200, check=False
        )
        assert done.returncode == 0, done.stderr
        found: Found = json.loads(done.stdout)
        return found
    finally:
        shutil.rmtree(base, ignore_errors=True)


def interpreter(switch: list[str]) -> str:
    """One that the user may run, of this version: root's own may be in root's home."""
    check = f"import sys; assert sys.version_info[:2] == {sys.version_info[:2]}, sys.version; open({str(AGENT)!r})"
    for python in (sys.executable, "/usr/bin/python3"):
        if (
            subprocess.run([*switch, "env", python, "-c", check], capture_output=True, check=False).returncode
            == 0
        ):
            return python
    pytest.skip("an ordinary user can run no Python of this version here, or not read this repository")


@pytest.fixture(scope="session", params=["root", "nobody"])
def found(request: pytest.FixtureRequest, works: None) -> Found:
    """What happened as that user."""
    if os.getuid() != 0:
        if request.param == "root":
            pytest.skip("only root can try as root; run the tests as root too")
        return everything_tried(None, {"mode": "off"}, ("none", *CONFINED))
    return everything_tried(
        NOBODY if request.param == "nobody" else None, {"mode": "off"}, ("none", *CONFINED)
    )


@pytest.fixture(scope="session")
def found_with_network(works: None) -> Found:
    user = NOBODY if os.getuid() == 0 else None
    return everything_tried(user, {"mode": "on"}, ("workspace-write",))


def escaped(text: str) -> bool:
    return "LEAK" in text


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_no_attempt_gets_out_and_without_a_sandbox_it_does(found: Found, probe: Probe) -> None:
    for mode in CONFINED:
        assert not escaped(found[mode][probe.name]), mode
    is_there = probe.needs is None or shutil.which(probe.needs) is not None
    if probe.name in found["none"] and is_there:
        assert escaped(found["none"][probe.name]), found["none"][probe.name]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_with_the_network_on_no_attempt_gets_further_than_that(
    found_with_network: Found, probe: Probe
) -> None:
    assert escaped(found_with_network["workspace-write"][probe.name]) <= (probe.name in REACHED)


@pytest.mark.parametrize("mode", CONFINED)
@pytest.mark.parametrize("name", WORK)
def test_what_must_workworks(found: Found, name: str, mode: str) -> None:
    _, _, only = WORK[name]
    assert ("WORKS" in found[mode][name]) == (only in {None, mode}), found[mode][name]


def test_the_sandbox_is_on_where_bwrap_can_make_namespaces() -> None:
    bare = "bwrap --unshare-user-try --unshare-pid --unshare-net --ro-bind / / --proc /proc true"
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed")
    if subprocess.run(bare.split(), capture_output=True, check=False).returncode != 0:
        pytest.skip(why_not() or "bwrap can make no namespaces here")
    assert why_not() is None
