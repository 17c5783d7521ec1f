"""The allow-list of hosts: what is matched, what is understood, and what programs get in a network of their own."""

from __future__ import annotations

import contextlib
import http.server
import ipaddress
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Self

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import Command
from computer_api.terminal.sandbox.hosts import Host, Rules, host_name, is_public
from computer_api.terminal.sandbox.proxy import Proxy, Visit, variables
from computer_api.terminal.sandbox.proxy_request import BadRequestError, read_answer, read_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 30


# Names.


@pytest.mark.parametrize(
    "written",
    ["example.org", "EXAMPLE.org", "example.org.", "Example.Org.", "\uff45xample.org", "example\u3002org"],
)
def test_one_name_is_one_host_however_it_is_written(written: str) -> None:
    assert host_name(written) == "example.org"


def test_an_international_name_is_the_one_that_is_looked_up() -> None:
    assert host_name("Bücher.example") == host_name("xn--bcher-kva.example") == "xn--bcher-kva.example"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "[::1]",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.1",
        "1.2.3.4.",
        "example.1",
        "example.0x",
    ],
)
def test_no_writing_of_an_address_is_a_name(address: str) -> None:
    with pytest.raises(ValueError, match="by name, not by address"):
        host_name(address)


@pytest.mark.parametrize(
    "text",
    ["", ".", "..", "a..b", "a b", "a/b", "a@b", "a%2eb", "::1", "-a", "a-", "a" * 64, "a." * 127 + "ab",
     "a\nb", "a\0b", "a\tb", "*.a", "a#b", "a?b", "a\\b"],
)  # fmt: skip
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is not a name"):
        host_name(text)


@given(st.text())
def test_a_name_is_plain_and_stays_what_it_is(text: str) -> None:
    with contextlib.suppress(ValueError):
        name = host_name(text)
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.")
        assert host_name(name) == host_name(name.upper() + ".") == name


@pytest.mark.parametrize(
    ("hosts", "name", "port", "allowed"),
    [
        (["example.org"], "example.org", 443, True),
        (["example.org"], "example.org", 80, True),
        (["example.org"], "example.org", 22, False),
        (["example.org"], "www.example.org", 443, False),
        (["example.org"], "notexample.org", 443, False),
        (["example.org"], "example.org.evil.net", 443, False),
        ([".example.org"], "www.example.org", 443, True),
        ([".example.org"], "a.b.example.org", 443, True),
        ([".example.org"], "example.org", 443, True),
        ([".example.org"], "notexample.org", 443, False),
        ([".example.org"], "www.example.org", 8080, False),
        (["example.org:8443"], "example.org", 8443, True),
        (["example.org:8443"], "example.org", 443, False),
        (["example.org:8443", "example.org"], "example.org", 443, True),
        ([".example.org:22"], "git.example.org", 22, True),
        (["Bücher.example"], "xn--bcher-kva.example", 443, True),
        ([], "example.org", 443, False),
    ],
)
def test_a_host_is_allowed_exactly_as_it_was_written(
    hosts: list[str], name: str, port: int, *, allowed: bool
) -> None:
    refusal = Rules.written(hosts).refusal(name, port)
    assert (refusal is None) == allowed
    assert allowed or name in (refusal or "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("https://example.org", "not a port"),
        ("*.example.org", "not a name"),
        (".org", "allow too much"),
        (".", "not a name"),
        ("", "not a name"),
        ("10.0.0.1", "not by address"),
        ("10.0.0.1:80", "not by address"),
        ("[::1]:80", "not a port"),
        ("example.org:", "not a port"),
        ("example.org:0", "not a port"),
        ("example.org:65536", "not a port"),
        ("example.org:+80", "not a port"),
        ("example.org/path", "not a name"),
        ("straße.example", "two names"),
    ],
)
def test_a_host_that_cannot_be_allowed_is_refused_with_how_to_write_one(text: str, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why) as error:
        Rules.written([text])
    assert str(error.value).startswith(f'"{text}" is not a host that can be allowed')
    assert 'Write "example.org"' in str(error.value)


@pytest.mark.parametrize(
    "address",
    ["0.0.0.1", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "192.0.0.8",
     "192.168.1.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1",
     "fd12::1", "ff02::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
     "2002:7f00:1::", "2001:0:1::1", "2001:db8::1", "64:ff9b:1::1",
         "::127.0.0.1", "192.88.99.1", "2001:10::1", "3fff::1", "5f00::1"],
)  # fmt: skip
def test_addresses_of_no_public_network_are_known(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    assert not Rules.written(["example.org"]).allow_address(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "64:ff9b::101:101"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert Rules.written(["example.org"]).allow_address(address)


def test_a_range_that_was_added_is_allowed_and_no_other() -> None:
    rules = Rules.written(["intranet"], ranges=["10.1.0.0/16"])
    assert rules.allow_address("10.1.2.3")
    assert not rules.allow_address("10.2.0.1")
    with pytest.raises(UnsupportedError, match=r"10\.1\.0\.0/16"):
        Rules.written([], ranges=["all"])


# Requests.


def asked(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def test_a_request_is_handed_on_without_what_was_said_to_the_proxy() -> None:
    request = read_request(
        asked(
            "POST http://Example.org:8080?q HTTP/1.1",
            "Host: example.org:8080",
            "Proxy-Authorization: Basic c2VjcmV0",
            "Proxy-Connection: keep-alive, X-Own",
            "X-Own: 1",
            "Upgrade: h2c",
            "Content-Length: 3",
            "Accept: a, b",
        )
    )
    assert (request.host, request.port, request.path, request.length) == ("example.org", 8080, "/?q", 3)
    assert request.head() == asked(
        "POST /?q HTTP/1.1",
        "Host: example.org:8080",
        "Content-Length: 3",
        "Accept: a, b",
        "Connection: close",
    )


def test_the_length_of_a_body_cannot_be_hidden_from_the_host() -> None:
    request = read_request(
        asked(
            "POST http://a.org/ HTTP/1.1",
            "Connection: content-length, host",
            "Content-Length: 3",
            "Host: a.org",
        )
    )
    assert b"Content-Length: 3" in request.head()
    assert request.head().count(b"Host: a.org") == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["GET / HTTP/1.1", "Host: a.org"],
        ["GET https://a.org/ HTTP/1.1"],
        ["GET ftp://a.org/ HTTP/1.1"],
        ["GET http:/a.org/ HTTP/1.1"],
        ["GET http:///x HTTP/1.1"],
        ["GET http://a.org/ HTTP/2.0"],
        ["GET http://a.org/"],
        ["GET  http://a.org/ HTTP/1.1"],
        ["get http://a.org/ HTTP/1.1"],
        ["GET http://a.org/a b HTTP/1.1"],
        ["GET http://a.org/\xe9 HTTP/1.1"],
        ["GET http://a.org/#x HTTP/1.1"],
        ["GET http://user@a.org/ HTTP/1.1"],
        ["GET http://b.org@a.org/ HTTP/1.1"],
        ["GET http://a.org\\@b.org/ HTTP/1.1"],
        ["GET http://a%2eorg/ HTTP/1.1"],
        ["GET http://a.org:0/ HTTP/1.1"],
        ["GET http://a.org:99999/ HTTP/1.1"],
        ["GET http://a.org:80:80/ HTTP/1.1"],
        ["GET http://\xfcber.org/ HTTP/1.1"],
        ["GET http://a.org/ HTTP/1.1", "Host: b.org"],
        ["GET http://a.org/ HTTP/1.1", "Host: a.org", "Host: b.org"],
        ["GET http://a.org/ HTTP/1.1", "Host: a.org", "Host: a.org"],
        ["GET http://a.org/ HTTP/1.1", "Host: a.org, b.org"],
        ["GET http://a.org/ HTTP/1.1", "Host:"],
        ["GET http://a.org/ HTTP/1.1", "Host : a.org"],
        ["GET http://a.org/ HTTP/1.1", " Host: b.org"],
        ["GET http://a.org/ HTTP/1.1", "X: 1", "\tHost: b.org"],
        ["GET http://a.org/ HTTP/1.1", "X: a\nHost: b.org"],
        ["GET http://a.org/ HTTP/1.1", "X: a\rHost: b.org"],
        ["GET http://a.org/ HTTP/1.1", "X: a\0b"],
        ["GET http://a.org/ HTTP/1.1", "no colon"],
        ["GET http://a.org/ HTTP/1.1", ": nameless"],
        ["GET http://a.org/ HTTP/1.1", *(f"X{number}: 1" for number in range(101))],
        ["POST http://a.org/ HTTP/1.1", "Content-Length: 1", "Content-Length: 2"],
        ["POST http://a.org/ HTTP/1.1", "Content-Length: 1", "Content-Length: 1"],
        ["POST http://a.org/ HTTP/1.1", "Content-Length: 1, 1"],
        ["POST http://a.org/ HTTP/1.1", "Content-Length: +1"],
        ["POST http://a.org/ HTTP/1.1", "Content-Length: -1"],
        ["POST http://a.org/ HTTP/1.1", "Content-Length: 0x1"],
        ["POST http://a.org/ HTTP/1.1", "Content-Length:"],
        ["POST http://a.org/ HTTP/1.1", "Content-Length: 1", "Transfer-Encoding: chunked"],
        ["POST http://a.org/ HTTP/1.1", "Transfer-Encoding: gzip, chunked"],
        ["POST http://a.org/ HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
        ["POST http://a.org/ HTTP/1.1", "Transfer-Encoding: xchunked"],
        ["POST http://a.org/ HTTP/1.1", "Transfer-Encoding: chunked\x0b"],
        ["CONNECT a.org HTTP/1.1"],
        ["CONNECT a.org:x HTTP/1.1"],
        ["CONNECT a.org:443/ HTTP/1.1"],
        ["CONNECT http://a.org:443 HTTP/1.1"],
        ["CONNECT a.org:443 HTTP/1.1", "Host: b.org:443"],
        ["CONNECT a.org:443 HTTP/1.1", "Content-Length: 5"],
        ["CONNECT a.org:443 HTTP/1.1", "Transfer-Encoding: chunked"],
    ],
)
def test_what_could_be_read_in_two_ways_is_not_read(lines: list[str]) -> None:
    with pytest.raises(BadRequestError):
        read_request(asked(*lines))


@pytest.mark.parametrize(
    "target", ["127.0.0.1", "[::1]", "127.1", "2130706433", "[::ffff:1.2.3.4]", "1.2.3.4."]
)
@pytest.mark.parametrize("form", ["GET http://{}/ HTTP/1.1", "CONNECT {}:443 HTTP/1.1"])
def test_an_address_is_named_in_its_refusal(form: str, target: str) -> None:
    with pytest.raises(BadRequestError) as error:
        read_request(asked(form.format(target)))
    assert error.value.host == target


@given(st.binary(max_size=300))
@example(b"\r\n\r\n")
def test_no_head_is_anything_but_read_or_refused(head: bytes) -> None:
    for read in (read_request, read_answer):
        with contextlib.suppress(BadRequestError):
            read(head)


def test_an_answer_is_handed_on_as_the_last_of_its_connection() -> None:
    status, head = read_answer(
        asked("HTTP/1.1 200 OK", "Connection: keep-alive, X", "X: 1", "Content-Length: 2")
    )
    assert status == 200
    assert head == asked("HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close")


# The proxy.


class Origin(http.server.BaseHTTPRequestHandler):
    """A server that says what it was asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = f"{self.command} {self.path} at {self.headers['Host']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = self._body()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"]))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Print nothing."""


class Origins(http.server.ThreadingHTTPServer):
    """One that stays quiet about those who hang up."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing."""


@pytest.fixture
def origin() -> Iterator[int]:
    with Origins(("127.0.0.1", 0), Origin) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


class Served:
    """A proxy that leads to servers of this machine, and what it told."""

    def __init__(self, *hosts: str, look_up: Callable[[str, int], tuple[str, ...]] | None = None) -> None:
        self.visits: list[Visit] = []
        self.looked_up: list[str] = []
        self._answer = look_up
        self.proxy = Proxy(
            Rules.written(hosts, ranges=["127.0.0.1/32"]), on_visit=self.visits.append, look_up=self._look_up
        )

    def _look_up(self, host: str, port: int) -> tuple[str, ...]:
        self.looked_up.append(host)
        return self._answer(host, port) if self._answer else ("127.0.0.1",)

    def __enter__(self) -> Self:
        self.port = self.proxy.listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.proxy.close()

    def says(self, sent: bytes) -> bytes:
        """All that comes back on a connection over which that was sent."""
        with self.connected() as connection:
            connection.sendall(sent)
            return until_the_end(connection)

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), SECONDS)


def until_the_end(connection: socket.socket) -> bytes:
    said = b""
    while data := connection.recv(65536):
        said += data
    return said


def refused(host: str) -> str:
    return f'The host "{host}" is not allowed by the sandbox: add it to the allowed hosts, or run this once outside.'


def test_an_allowed_host_is_reached_and_told(origin: int) -> None:
    with Served(f"files.test:{origin}") as served:
        said = served.says(
            asked(f"GET http://FILES.test.:{origin}/x HTTP/1.1", f"Host: FILES.test.:{origin}")
        )
        assert said.startswith(b"HTTP/1.1 200 OK\r\n")
        assert said.endswith(f"\r\n\r\nGET /x at files.test:{origin}".encode())
        assert served.visits == [Visit(host="files.test", port=origin)]
        assert served.proxy.refusals() == ()


def test_another_host_is_refused_in_a_sentence_without_being_looked_up() -> None:
    with Served("files.test") as served:
        said = served.says(asked("GET http://evil.test/ HTTP/1.1"))
        sentence = refused("evil.test")
        assert said.startswith(b"HTTP/1.1 403 " + sentence.encode() + b"\r\n")
        assert said.endswith(b"\r\n\r\n" + sentence.encode() + b"\n")
        assert served.looked_up == []
        assert served.visits == [Visit(host="evil.test", port=80, refusal=sentence)]
        assert [(denial.kind, denial.what, denial.words) for denial in served.proxy.refusals()] == [
            ("network", "evil.test", sentence)
        ]
        assert served.proxy.refusals() == ()


@pytest.mark.parametrize("target", ["127.0.0.1", "[::1]", "2130706433"])
def test_an_address_is_refused_in_a_sentence(target: str) -> None:
    with Served("files.test") as served:
        said = served.says(asked(f"CONNECT {target}:443 HTTP/1.1"))
        assert said.startswith(b"HTTP/1.1 403 ")
        assert (
            f'The host "{target}" is not allowed by the sandbox: hosts are allowed by name' in said.decode()
        )
        assert [visit.host for visit in served.visits] == [target]


def test_a_host_at_another_port_is_refused_with_what_to_add() -> None:
    with Served("files.test") as served:
        said = served.says(asked("CONNECT files.test:22 HTTP/1.1"))
        assert b'add "files.test:22" to the allowed hosts' in said


def test_a_tunnel_leads_both_ways_until_both_have_ended() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with Served(f"files.test:{port}") as served, served.connected() as connection:
            connection.sendall(asked(f"CONNECT files.test:{port} HTTP/1.1") + b"early")
            there, _ = server.accept()
            with there:
                assert connection.recv(4096) == b"HTTP/1.1 200 Connection established\r\n\r\n"
                assert there.recv(5, socket.MSG_WAITALL) == b"early"
                connection.sendall(b"a" * 300_000)
                connection.shutdown(socket.SHUT_WR)
                assert until_the_end(there) == b"a" * 300_000
                there.sendall(b"late answer")
                there.shutdown(socket.SHUT_WR)
                assert until_the_end(connection) == b"late answer"


def test_a_name_that_leads_into_a_private_network_is_refused(origin: int) -> None:
    with Served(
        f"files.test:{origin}", look_up=lambda _host, _port: ("127.0.0.2", "10.0.0.1", "fe80::1%lo")
    ) as served:
        said = served.says(asked(f"GET http://files.test:{origin}/ HTTP/1.1"))
        assert said.startswith(
            b'HTTP/1.1 403 The host "files.test" is not allowed by the sandbox at "127.0.0.2"'
        )
        assert [denial.what for denial in served.proxy.refusals()] == ["files.test"]


def test_a_name_is_looked_up_once_and_what_was_checked_is_reached(origin: int) -> None:
    answers = iter([("10.0.0.1", "127.0.0.1"), ("10.0.0.1",)])
    with Served(f"files.test:{origin}", look_up=lambda _host, _port: next(answers)) as served:
        said = served.says(asked(f"GET http://files.test:{origin}/ HTTP/1.1"))
        assert said.startswith(b"HTTP/1.1 200 ")
        assert served.looked_up == ["files.test"]


def test_a_host_that_is_nowhere_or_does_not_answer_is_told_from_a_refused_one() -> None:
    def look_up(host: str, _port: int) -> tuple[str, ...]:
        if host == "nowhere.test":
            raise socket.gaierror(-2, "Name or service not known")
        return ("127.0.0.1",)

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with Served("nowhere.test", f"files.test:{port}", look_up=look_up) as served:
        assert b'502 The host "nowhere.test" was not found.' in served.says(
            asked("CONNECT nowhere.test:443 HTTP/1.1")
        )
        assert b"does not answer at port" in served.says(asked(f"GET http://files.test:{port}/ HTTP/1.1"))
        assert served.proxy.refusals() == ()


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (["Content-Length: 200000"], b"x" * 200_000),
        (["Transfer-Encoding: chunked"], b"3;name=value\r\nxyz\r\n5\r\nabcde\r\n0\r\nX-Late: 1\r\n\r\n"),
    ],
)
def test_a_body_arrives_and_nothing_after_it(origin: int, headers: list[str], body: bytes) -> None:
    second = asked(f"GET http://files.test:{origin}/second HTTP/1.1")
    with Served(f"files.test:{origin}") as served:
        said = served.says(asked(f"POST http://files.test:{origin}/ HTTP/1.1", *headers) + body + second)
        _, _, answer = said.partition(b"\r\n\r\n")
        assert answer == (b"x" * 200_000 if b"xyz" not in body else b"xyzabcde")
        assert said.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "body", [b"z\r\n", b"-1\r\n", b"3\r\nabcdef\r\n0\r\n\r\n", b"1" * 70_000, b"+3\r\nabc\r\n"]
)
def test_a_body_in_chunks_that_are_none_is_refused(origin: int, body: bytes) -> None:
    with Served(f"files.test:{origin}") as served:
        said = served.says(
            asked(f"POST http://files.test:{origin}/ HTTP/1.1", "Transfer-Encoding: chunked") + body
        )
        assert said.startswith(b"HTTP/1.1 400 ")


def test_an_endless_head_is_refused(origin: int) -> None:
    with Served(f"files.test:{origin}") as served, served.connected() as connection:
        connection.sendall(b"GET http://files.test/ HTTP/1.1\r\nX: " + b"x" * 70_000)
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


def test_one_connection_too_many_is_refused() -> None:
    with Served("files.test") as served, contextlib.ExitStack() as held:
        for _ in range(128):
            held.enter_context(served.connected())
        said = served.says(asked("GET http://files.test/ HTTP/1.1"))
        assert said.startswith(b"HTTP/1.1 503 More than 128 connections are open.")


def test_closing_cuts_connections_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        served = Served(f"files.test:{port}")
        with served, served.connected() as idle, served.connected() as connection:
            connection.sendall(asked(f"CONNECT files.test:{port} HTTP/1.1"))
            there, _ = server.accept()
            with there:
                there.sendall(b"x")
                assert connection.recv(4096).startswith(b"HTTP/1.1 200")
                served.proxy.close()
                assert until_the_end(there) == b""
                until_the_end(connection)
                assert until_the_end(idle) == b""
    served.proxy.close()
    assert set(threading.enumerate()) <= before
    with pytest.raises(ConnectionRefusedError):
        served.connected()


def test_it_ends_though_a_name_is_still_looked_up() -> None:
    asking, answered = threading.Event(), threading.Event()

    def look_up(_host: str, _port: int) -> tuple[str, ...]:
        asking.set()
        answered.wait(SECONDS)
        return ("127.0.0.1",)

    with Served("slow.test", look_up=look_up) as served, served.connected() as connection:
        connection.sendall(asked("CONNECT slow.test:443 HTTP/1.1"))
        assert asking.wait(SECONDS)
        served.proxy.close()
        assert until_the_end(connection) == b""
        answered.set()


def test_a_rule_that_was_never_used_starts_no_thread() -> None:
    before = threading.active_count()
    proxy = Proxy(Rules.written(["example.org"]))
    assert threading.active_count() == before
    proxy.close()


# In a network of its own.

BWRAP = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net", "--unshare-pid",
         "--unshare-user", "--tmpfs", "/var/tmp", "--die-with-parent", "--")  # fmt: skip
needs_bwrap = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="bwrap makes the network of its own"
)


def inside(served: Served, *argv: str) -> subprocess.Popen[bytes]:
    command = Command(
        argv=argv,
        environment={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "TMPDIR": "/var/tmp"},
        cwd=None,
    )
    with served.proxy.reached_from(command) as given:
        return subprocess.Popen(
            [*BWRAP, *given.argv],
            env=dict(given.environment),
            pass_fds=given.inherited,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )


def output(process: subprocess.Popen[bytes]) -> str:
    printed, _ = process.communicate(timeout=SECONDS)
    return printed.decode()


FETCH = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=20).read().decode())"


@needs_bwrap
def test_a_program_inside_reaches_an_allowed_host_and_is_told_of_others(origin: int) -> None:
    with Served(f"files.test:{origin}") as served:
        assert output(inside(served, sys.executable, "-c", FETCH, f"http://files.test:{origin}/x")) == (
            f"GET /x at files.test:{origin}\n"
        )
        assert refused("evil.test") in output(
            inside(served, sys.executable, "-c", FETCH, "https://evil.test/")
        )


@needs_bwrap
def test_there_is_no_way_around_the_proxy(origin: int) -> None:
    direct = f"import socket; socket.create_connection(('127.0.0.1', {origin}), 5)"
    with Served(f"files.test:{origin}") as served:
        assert "Connection refused" in output(inside(served, sys.executable, "-c", direct))
        assert served.visits == []


@needs_bwrap
def test_several_sandboxes_reach_it_at_once(origin: int) -> None:
    with Served(f"files.test:{origin}") as served:
        running = [
            inside(served, sys.executable, "-c", FETCH, f"http://files.test:{origin}/{number}")
            for number in range(3)
        ]
        assert [output(process) for process in running] == [
            f"GET /{number} at files.test:{origin}\n" for number in range(3)
        ]


@needs_bwrap
def test_what_is_served_inside_is_reached_inside() -> None:
    code = (
        "import http.server, threading, urllib.request as u\n"
        "s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
        "threading.Thread(target=s.handle_request).start()\n"
        "print(u.urlopen(f'http://localhost:{s.server_port}/', timeout=20).status)"
    )
    with Served("files.test") as served:
        assert output(inside(served, sys.executable, "-c", code)).endswith("200\n")
        assert served.visits == []


@needs_bwrap
def test_the_way_out_ends_with_the_sandbox() -> None:
    with Served("files.test") as served:
        process = inside(served, "sh", "-c", "echo up; exec sleep 100")
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        assert len(served.proxy._served) > 1
        process.kill()
        process.communicate(timeout=SECONDS)
        assert serves(served, 1)


def serves(served: Served, number: int) -> bool:
    """Whether so many are served before long, this machine being one."""
    deadline = time.monotonic() + SECONDS
    while len(served.proxy._served) != number and time.monotonic() < deadline:
        time.sleep(0.01)
    return len(served.proxy._served) == number


@needs_bwrap
def test_a_command_that_is_never_started_leaves_nothing() -> None:
    with Served("files.test") as served:
        with served.proxy.reached_from(Command(argv=("true",), environment={}, cwd=None)):
            assert serves(served, 2)
        assert serves(served, 1)


@needs_bwrap
@pytest.mark.parametrize("gone", [socket.SHUT_RDWR, socket.SHUT_WR], ids=["before", "after"])
def test_without_its_proxy_a_command_does_not_start(gone: int) -> None:
    ours, theirs = socket.socketpair()
    ours.shutdown(gone)
    with Served("files.test") as served, ours, theirs:
        command = Command(argv=("echo", "started"), environment={}, cwd=None)
        with served.proxy.reached_from(command) as given:
            os.dup2(theirs.fileno(), given.inherited[-1])
            done = subprocess.run(
                [*BWRAP, *given.argv],
                pass_fds=given.inherited,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
    assert done.returncode == 125
    assert done.stdout == b""
    assert b"could not be confined: the proxy that it would reach the network through is gone" in done.stderr


@needs_bwrap
@pytest.mark.parametrize("program", ["git", "curl", "node", "pip"])
def test_programs_find_the_proxy_by_themselves(origin: int, program: str) -> None:
    if program != "pip" and shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    url = f"http://files.test:{origin}/"
    node = f"fetch('{url}').then(r => r.text()).then(console.log, e => console.log(e.cause))"
    argv = {
        "git": ["git", "ls-remote", f"{url}repository"],
        "curl": ["curl", "-sS", url],
        "node": ["node", "-e", node],
        "pip": [sys.executable, "-m", "pip", "download", "--retries=0", "--no-cache-dir", "--disable-pip-version-check",
                "--trusted-host=files.test", f"--index-url={url}simple", "nothing", "-d", "/var/tmp/downloads"],
    }[program]  # fmt: skip
    with Served(f"files.test:{origin}") as served:
        printed = output(inside(served, *argv))
        if program == "node" and not served.visits:
            pytest.skip("this Node.js does not read NODE_USE_ENV_PROXY: needs 22.21 or 24")
        assert {visit.host for visit in served.visits} == {"files.test"}, printed
        assert all(visit.refusal is None for visit in served.visits)


def test_programs_are_told_in_every_way_that_is_in_use() -> None:
    told = variables(3128)
    assert {
        told[name] for name in ("HTTP_PROXY", "https_proxy", "ALL_PROXY", "PIP_PROXY", "npm_config_proxy")
    } == {"http://127.0.0.1:3128"}
    assert "127.0.0.1" in told["NO_PROXY"].split(",")


def test_a_host_knows_the_names_below_it() -> None:
    assert Host.written(".example.org").is_at("www.example.org")
    assert not Host.written("example.org").is_at("www.example.org")
