"""Offline, only the model's server is reached, and the screen. Tried in processes of their own: a hook never goes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from local_servers import VLLM, LocalServers, free_port, talking

from computer_agent.local.offline import OfflineError, _display, offline
from computer_agent.models.model import ModelError
from computer_agent.models.transports.failures import Asked, failure_of

BEGIN = """
import asyncio, os, socket, sys
from computer_agent.local.offline import offline
from computer_agent.models.model import ModelError
server, other, port = sys.argv[1:4]
port = int(port)

def told(attempt):
    try:
        attempt()
    except ModelError as refused:
        return str(refused)
    except OSError as error:
        return type(error).__name__
    return "reached"
"""


def run(code: str, server: str, other: str = "http://127.0.0.1:1", **environment: str) -> list[str]:
    port = server.rpartition(":")[2].partition("/")[0]
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + code, server, other, port],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_chosen_server_is_reached_by_each_of_its_names_and_no_other_port_is() -> None:
    code = """
import httpx
get = lambda url, **more: lambda: httpx.get(url + "/v1/models", **more).raise_for_status()
with offline([server + "/v1"], {}):
    print(told(get(server)))
    print(told(get(f"http://localhost:{port}")))
    print(told(get(other)))
    print(told(get("http://example.org")))
    os.environ["HTTP_PROXY"] = other  # a proxy would take it anywhere
    print(told(get("http://example.org")))
print(told(get(other, trust_env=False)))
"""
    with LocalServers(VLLM) as server, LocalServers(VLLM) as other:
        said = run(code, server.root, other.root)
        assert len(other.asked) == 1
    address = server.root.removeprefix("http://")
    assert said[:2] == ["reached", "reached"]
    assert said[2] == (
        f'"{other.root.removeprefix("http://")}" was to be reached, but with --offline only {address} may be. '
        "Leave --offline out to allow the network."
    )
    assert said[3].startswith('"example.org" was to be reached')
    assert said[4].startswith(f'"{other.root.removeprefix("http://")}" was to be reached')
    assert said[5] == "reached"


def test_our_own_client_says_what_was_refused_instead_of_hiding_it() -> None:
    code = """
from computer_agent.models.dialect import Prompt
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
model = Http("openai/x", wire=ChatWire(), asking=Asking(model="x"), api_base=other + "/v1")
with offline([server], {}):
    print(told(lambda: model.ask(Prompt(wire="chat", system="", messages=()), print)))
"""
    other = f"http://127.0.0.1:{free_port()}"
    with LocalServers(VLLM) as server:
        assert run(code, server.root, other)[0].startswith(
            f'"{other.removeprefix("http://")}" was to be reached'
        )


def test_a_library_that_takes_the_refusal_for_a_failed_connection_does_not_hide_it() -> None:
    refusal = OfflineError("it was to be reached")

    class APIConnectionError(Exception):
        pass

    wrapped = APIConnectionError("Connection error.")
    wrapped.__cause__ = refusal
    failure = failure_of(wrapped, Asked(model="openai/x"))
    assert (failure.error, failure.passing) == (refusal, False)


def test_every_other_way_out_is_closed(tmp_path: Path) -> None:
    code = """
import urllib.request
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.sendto(b"x", ("192.0.2.1", 53))
def message():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.sendmsg([b"x"], [], 0, ("192.0.2.1", 53))
def raw():
    with socket.socket() as connecting:
        connecting.connect(("192.0.2.1", 443))
def quiet():
    with socket.socket() as connecting:
        connecting.setblocking(False)
        connecting.connect_ex(("192.0.2.1", 443))
def six():
    with socket.socket(socket.AF_INET6) as connecting:
        connecting.connect(("2001:db8::1", 443))
def asynchronous():
    asyncio.run(asyncio.wait_for(asyncio.open_connection("192.0.2.1", 443), 5))
with offline([server], {}):
    for attempt in (udp, message, raw, quiet, six, asynchronous,
                    lambda: socket.gethostbyname("example.org"),
                    lambda: socket.gethostbyaddr("example.org"),
                    lambda: socket.getaddrinfo(b"example.org", 443),
                    lambda: socket.getnameinfo(("example.org", 443), 0),
                    lambda: urllib.request.urlopen("http://example.org/")):
        print(told(attempt))
"""
    said = run(code, "http://127.0.0.1:9")
    expected = ["192.0.2.1:53"] * 2 + ["192.0.2.1:443"] * 2 + ["[2001:db8::1]:443", "192.0.2.1:443"]
    expected += ["example.org"] * 5
    assert [line.split('"')[1] if line.startswith('"') else line for line in said] == expected


@pytest.mark.skipif(sys.platform == "win32", reason="sockets of files")
def test_what_stays_inside_the_machine_is_open(tmp_path: Path) -> None:
    code = f"""
path = {str(tmp_path / "socket")!r}
listening = socket.socket(socket.AF_UNIX)
listening.bind(path)
listening.listen()
def connect():
    with socket.socket(socket.AF_UNIX) as connecting:
        connecting.connect(path)
async def loop():
    await asyncio.get_running_loop().run_in_executor(None, print, "thread")
with offline([server], {{}}):
    print(told(connect))
    asyncio.run(loop())
    print(told(lambda: socket.getaddrinfo("localhost", 80)))
    print(told(lambda: socket.getaddrinfo("192.0.2.1", 80)))
    print(told(lambda: socket.create_server(("127.0.0.1", 0)).close()))
"""
    assert run(code, "http://127.0.0.1:9") == ["reached", "thread", "reached", "reached", "reached"]


def test_a_server_is_reached_by_a_name_that_leads_there() -> None:
    code = """
with offline([f"http://127.1:{port}"], {}):
    print(told(lambda: socket.create_connection(("127.0.0.1", port)).close()))
    print(told(lambda: socket.create_connection(("127.1", port)).close()))
    print(told(lambda: socket.create_connection(("127.0.0.2", port)).close()))
"""
    with LocalServers(VLLM) as server:
        said = run(code, server.root)
    assert said[:2] == ["reached", "reached"]
    assert said[2].startswith('"127.0.0.2:')


def test_a_display_over_tcp_is_still_reached() -> None:
    code = """
with offline([server], {"DISPLAY": f"localhost:{int(other.rpartition(':')[2]) - 6000}.0"}):
    address = ("127.0.0.1", int(other.rpartition(":")[2]))
    print(told(lambda: socket.create_connection(address).close()))
"""
    with talking(lambda _: None) as display:
        assert run(code, "http://127.0.0.1:9", display) == ["reached"]


@pytest.mark.parametrize(
    ("display", "where"),
    [
        (":0", None),
        ("", None),
        ("unix:0", None),
        ("/private/tmp/launch/org.xquartz:0", None),
        (":x", None),
        ("localhost:10.0", "localhost:6010"),
        ("tcp/box:1", "box:6001"),
        ("[::1]:2", "[::1]:6002"),
    ],
)
def test_a_display_is_somewhere_or_here(display: str, where: str | None) -> None:
    found = _display(display)
    assert (None if found is None else str(found)) == where


@pytest.mark.parametrize("address", ["127.0.0.1", "ftp://x", "http://", "http://x:port", ""])
def test_a_server_without_an_address_is_refused(address: str) -> None:
    with (
        pytest.raises(ModelError, match=f'such as http://127.0.0.1:11434, not "{address}"'),
        offline([address], {}),
    ):
        pytest.fail("it was taken")
