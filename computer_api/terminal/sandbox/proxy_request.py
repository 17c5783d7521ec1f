"""Reading what a program asks of the proxy, strictly: what two programs could read in two ways is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from computer_api.terminal.sandbox.hosts import host_name

_REQUEST_LINE = re.compile(rb"([A-Z][A-Z-]{0,31}) ([\x21-\x7e]+) (HTTP/1\.[01])")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)")
_AUTHORITY = re.compile(r"([^:@/\[\]\\%]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?")
_ABSOLUTE = re.compile(r"http://([^/?#\\]+)([/?][^#]*)?", re.IGNORECASE)
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: [\t\x20-\x7e\x80-\xff]*)?")
_DIGITS = re.compile(rb"[0-9]{1,18}")
_MOST_HEADERS = 100
_MOST_SHOWN = 100
# What is said to the next on the way only.
_OF_ONE_WAY = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer upgrade".split()
)

Headers = tuple[tuple[bytes, bytes], ...]


class BadRequestError(ValueError):
    """What was asked is not understood, or could be understood in two ways; says why.

    ``host`` is what it is about, where that is understood but never reached.
    """

    def __init__(self, message: str, *, host: str | None = None) -> None:
        super().__init__(message)
        self.host = host


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a program asks for, in which version of HTTP.

    ``path`` is None where it asks for a tunnel. ``length`` is that of the body in bytes, None if it comes in chunks.
    """

    method: str
    version: str
    host: str
    port: int
    path: str | None
    headers: Headers
    length: int | None

    def head(self) -> bytes:
        """How it is asked of the host itself."""
        default = 80
        host = self.host if self.port == default else f"{self.host}:{self.port}"
        chunked = ((b"Transfer-Encoding", b"chunked"),) if self.length is None else ()
        given = tuple(
            header for header in self.headers if header[0].lower() not in {b"host", b"transfer-encoding"}
        )
        headers = ((b"Host", host.encode()), *given, *chunked)
        return _written(f"{self.method} {self.path} {self.version}".encode(), headers)


def read_request(head: bytes) -> Request:
    """Read the head of a request, which ends with an empty line. Raises ``BadRequestError``."""
    line, headers = _split(head)
    match = _REQUEST_LINE.fullmatch(line)
    if match is None:
        raise BadRequestError("the first line is not that of an HTTP/1 request")
    method, target = match[1].decode(), match[2].decode()
    if method == "CONNECT":
        host, port = _authority(target, default=None)
        path = None
    else:
        absolute = _ABSOLUTE.fullmatch(target)
        if absolute is None:
            raise BadRequestError('a proxy is asked for "http://host/path", or to CONNECT to "host:443"')
        host, port = _authority(absolute[1], default=80)
        path = absolute[2] or "/"
        path = path if path.startswith("/") else f"/{path}"
    _check_host(headers, host)
    length = _length(headers)
    if path is None and length != 0:
        raise BadRequestError("CONNECT has no body")
    return Request(
        method=method,
        version=match[3].decode(),
        host=host,
        port=port,
        path=path,
        headers=_onward(headers),
        length=length,
    )


def read_answer(head: bytes) -> tuple[int, bytes]:
    """The status in the head of an answer, and how it is passed on. Raises ``BadRequestError``."""
    line, headers = _split(head)
    match = _STATUS_LINE.fullmatch(line)
    if match is None:
        raise BadRequestError("the first line is not that of an HTTP/1 answer")
    status = int(match[1])
    final = 200
    return status, _written(line, _onward(headers) if status >= final else headers)


def _split(head: bytes) -> tuple[bytes, Headers]:
    line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    if len(rest) > _MOST_HEADERS:
        raise BadRequestError(f"there are more than {_MOST_HEADERS} headers")
    headers = []
    for text in rest:
        match = _HEADER.fullmatch(text)
        if match is None:  # also one that goes on in a second line, and a space before the colon
            raise BadRequestError("a header is not written as one")
        headers.append((match[1], match[2].rstrip(b" \t")))
    return line, tuple(headers)


def _authority(text: str, *, default: int | None) -> tuple[str, int]:
    match = _AUTHORITY.fullmatch(text)
    if match is None or (match[2] is None and default is None):
        raise BadRequestError(f'"{text[:_MOST_SHOWN]}" is not a host by name, with a port')
    try:
        host = host_name(match[1])
    except ValueError as error:
        shown = match[1][:_MOST_SHOWN]
        raise BadRequestError(
            f'The host "{shown}" is not allowed by the sandbox: {error}', host=shown
        ) from error
    port = int(match[2]) if match[2] is not None else default or 0
    if not 0 < port < 2**16:
        raise BadRequestError(f'"{text}" has no port')
    return host, port


def _check_host(headers: Headers, host: str) -> None:
    """The host is said twice; it must be the same."""
    said = [value for name, value in headers if name.lower() == b"host"]
    if not said:
        return
    try:
        same = len(said) == 1 and _authority(said[0].decode("ascii"), default=80)[0] == host
    except ValueError:
        same = False
    if not same:
        raise BadRequestError("the Host header is of another host than the first line")


def _length(headers: Headers) -> int | None:
    """How long the body is; None if it comes in chunks."""
    lengths = [value for name, value in headers if name.lower() == b"content-length"]
    encodings = [value.lower() for name, value in headers if name.lower() == b"transfer-encoding"]
    if encodings:
        if encodings != [b"chunked"] or lengths:
            raise BadRequestError("the length of the body is said in two ways, or in an unknown one")
        return None
    if len(lengths) > 1 or not all(map(_DIGITS.fullmatch, lengths)):
        raise BadRequestError("the length of the body is not one number")
    return int(lengths[0]) if lengths else 0


def _onward(headers: Headers) -> Headers:
    """Without what was said to us only."""
    named = {
        name.strip().lower()
        for header, value in headers
        if header.lower() in {b"connection", b"proxy-connection"}
        for name in value.split(b",")
    }
    # What the message is made of is no matter of the connection, whatever that header says.
    dropped = _OF_ONE_WAY | (named - {b"host", b"content-length", b"transfer-encoding"})
    kept = tuple(header for header in headers if header[0].lower() not in dropped)
    return (*kept, (b"Connection", b"close"))


def _written(line: bytes, headers: Headers) -> bytes:
    return b"\r\n".join([line, *(name + b": " + value for name, value in headers), b"", b""])
