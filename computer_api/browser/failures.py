"""What kept a page from being loaded, in a sentence."""

from __future__ import annotations

import re

from computer_api.errors import ComputerError, TimedOutError

INTERRUPTED = "interrupted by another navigation"
ABORTED = "net::ERR_ABORTED"
DOWNLOAD = "ownload is starting"
_WHY = {
    "NAME_NOT_RESOLVED": "its host was not found. Check its spelling, the connection, and what --network allows",
    "INTERNET_DISCONNECTED": "there is no connection to the internet",
    "CONNECTION_REFUSED": "nothing answers there (the connection was refused)",
    "ABORTED": "the load was broken off",
    "CONNECTION_RESET": "the server broke the connection off",
    "CONNECTION_CLOSED": "the server broke the connection off",
    "EMPTY_RESPONSE": "the server closed the connection without an answer",
    "CONNECTION_TIMED_OUT": "nobody answers there",
    "ADDRESS_UNREACHABLE": "its host cannot be reached",
    "TOO_MANY_REDIRECTS": "it leads in a circle",
    "UNSAFE_PORT": "browsers open nothing on that port",
    "INVALID_RESPONSE": "the server does not speak HTTP",
    "INVALID_HTTP_RESPONSE": "the server does not speak HTTP",
    "HTTP_RESPONSE_CODE_FAILURE": "the server answered with an error and no page",
    "BLOCKED_BY_CLIENT": "the browser does not open it",
}


def failure(url: str, said: str, *, seconds: float) -> ComputerError:
    """The error for what the library said when an address was to be loaded."""
    if "Timeout" in said:
        return TimedOutError(
            f'"{url}" did not answer within {seconds:g} s. Try again later, or another address.'
        )
    if DOWNLOAD in said or f'{INTERRUPTED} to "{url}"' in said:
        return ComputerError(f'"{url}" is a file, not a page. Save it with download.')
    found = re.search(r"net::ERR_(\w+)", said)
    name = "" if found is None else found[1]
    if name.startswith(("CERT_", "SSL_", "BAD_SSL")):
        return ComputerError(
            f'"{url}" was not loaded: its certificate is not valid ({name}), so that whoever answers may be another.'
        )
    why = _WHY.get(name) or name.replace("_", " ").lower() or said.splitlines()[0][:200]
    return ComputerError(f'"{url}" was not loaded: {why}.')
