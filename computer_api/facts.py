"""Facts beside the screen: files, programs and web pages, and what they lack of what is expected."""

from __future__ import annotations

import glob
import os
import ssl
import sys
import urllib.error
import urllib.request
import zipfile
import zlib
from difflib import get_close_matches
from http.client import HTTPException
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree as ET

from computer_api.errors import UnsupportedError
from computer_api.receipt import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from http.client import HTTPMessage

    from computer_api.actions import ExpectFile, ExpectHttp, ExpectProcess

_CHUNK: Final = 1 << 20  # bytes read at a time
_MOST_READ: Final = 1 << 28  # of one file
_MOST_PAGE: Final = 1 << 22  # bytes of a page
_ENCODINGS: Final = ("utf-8", "utf-16-le", "utf-16-be", "cp1252")
_PAGE_SECONDS: Final = 5.0
_COMM: Final = 15  # bytes of a program's name that Linux keeps
_INTERPRETERS: Final = (
    "python",
    "sh",
    "bash",
    "dash",
    "zsh",
    "perl",
    "ruby",
    "node",
    "gjs",
    "php",
    "wish",
    "guile",
)
_ENDINGS: Final = (".bin", ".exe", ".py", ".sh", ".pl")  # that a person leaves out: soffice.bin


def file_lacks(action: ExpectFile, known: dict[str, tuple[int, int]]) -> str | None:
    """What is not as expected of the files that a path means, None if nothing.

    ``known`` remembers size and time of what was seen in the look before: what is still being written does not count.
    """
    pattern = os.path.expanduser(action.path)  # noqa: PTH111 - a pattern is no path
    # Path.glob takes no pattern that begins at the root
    matching = glob.glob(pattern, recursive=True)  # noqa: PTH207
    # os.path.exists takes what may not be looked at for missing, where Path.exists raises
    found = sorted(matching) or ([pattern] if os.path.exists(pattern) else [])  # noqa: PTH110
    if not found and (barred := _barred(pattern)):
        return barred
    if action.gone:
        return f'"{short(found[0])}" is there.' if found else None
    if not found:
        return _missing(action.path, Path(pattern))
    grown = [path for path in found if _still_changing(path, known)]
    still = [path for path in found if path not in grown]
    if action.holds is None or not still:
        return None if still else f'"{short(grown[0])}" is still being written.'
    lacking = [why for path in still if (why := _text_lacks(Path(path), action.holds)) is not None]
    return None if len(lacking) < len(still) else lacking[0]


def _barred(pattern: str) -> str | None:
    """Why nobody can tell whether there is such a file, None where one can."""
    try:
        Path(pattern).lstat()
    except PermissionError as error:
        return f'"{pattern}" cannot be looked at: {error.strerror}.'
    except (OSError, ValueError):
        return None
    return None


def _missing(path: str, pattern: Path) -> str:
    folder = pattern.parent
    if not folder.is_dir():
        return f'There is no file "{path}", and no folder "{folder}".'
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        return f'The folder "{folder}" cannot be read: {error.strerror}.'
    near = get_close_matches(pattern.name, names, n=3, cutoff=0.4) or names[:3]
    beside = f" In its folder: {_listed(near)}." if near else " Its folder is empty."
    return f'There is no file "{path}".{beside}'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _still_changing(path: str, known: dict[str, tuple[int, int]]) -> bool:
    """Whether a file was new or another at the look before."""
    try:
        state = Path(path).stat()
    except OSError:  # it went just now
        return True
    now = (state.st_size, state.st_mtime_ns)
    before, known[path] = known.get(path), now
    return before != now


def _text_lacks(path: Path, text: str) -> str | None:
    try:
        if path.is_dir():
            return f'"{path}" is a folder, which holds no text.'
        if not path.is_file():  # reading from a pipe or a device may never end
            return f'"{path}" is no file that can be read through.'
        if any(_holds(part, text) for part in _parts(path)):
            return None
    except OSError as error:
        return f'"{path}" cannot be read: {error.strerror}.'
    return f'"{path}" does not hold "{short(text)}".'


def _parts(path: Path) -> Iterator[bytes]:
    """The contents of a file in pieces; of an office document, which is an archive, the words of its pages."""
    if zipfile.is_zipfile(path):
        yield from _words_of_archive(path)
        return
    read = 0
    with path.open("rb") as file:
        end = b""
        while read < _MOST_READ and (chunk := file.read(_CHUNK)):
            read += len(chunk)
            yield end + chunk
            end = chunk[-4096:]  # a text may lie over the edge of two pieces


def _words_of_archive(path: Path) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".xml") and member.file_size < _MOST_READ:
                    root = ET.fromstring(archive.read(member))  # noqa: S314 - the text of it only
                    yield "".join(root.itertext()).encode()
                    yield "\n".join(root.itertext()).encode()
                else:
                    yield member.filename.encode()
    except (zipfile.BadZipFile, zlib.error, EOFError, ET.ParseError, NotImplementedError, RuntimeError):
        yield path.read_bytes()  # it is damaged, or locked


def _holds(part: bytes, text: str) -> bool:
    for encoding in _ENCODINGS:
        try:
            sought = text.encode(encoding)
        except UnicodeEncodeError:
            continue
        if sought in part or sought.replace(b"\n", b"\r\n") in part:
            return True
    return False


def program_lacks(action: ExpectProcess) -> str | None:
    """What is not as expected of the programs that run. Raises ``UnsupportedError`` where they cannot be listed."""
    running = _programs()
    wanted = _plain(action.name)
    here = wanted in running
    if here is not action.gone:
        return None
    if action.gone:
        return f'The program "{action.name}" still runs.'
    near = get_close_matches(wanted, running, n=3, cutoff=0.5)
    beside = f" Those that do: {_listed(near)}." if near else ""
    return f'No program "{action.name}" runs.{beside}'


def _programs() -> frozenset[str]:
    """The names of all programs that run, but for our own."""
    if not sys.platform.startswith("linux"):
        raise UnsupportedError(f"Programs cannot be listed on {sys.platform} yet; expect a window instead.")
    own = {str(os.getpid()), "self", "thread-self"}
    names: set[str] = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and folder.name not in own:
            names |= _names(folder)
    return frozenset(names)


def _names(folder: Path) -> set[str]:
    """What a program is called: by the system, and by its command line, that of a script's interpreter too."""
    try:
        state = (folder / "stat").read_text(errors="replace")
        words = (folder / "cmdline").read_bytes().split(b"\0")
    except OSError:  # it ended
        return set()
    before, _, after = state.rpartition(")")  # a name may hold brackets
    name = before.partition("(")[2]
    if after.split()[0] in {"Z", "X"}:  # it has ended, and nobody has asked how
        return set()
    called = _called([os.fsdecode(word) for word in words if word])
    names = {_plain(word) for word in called}
    if len(name.encode()) < _COMM or not called:
        names.add(_plain(name))
    return names


def _called(words: list[str]) -> list[str]:
    """The program of a command line, and the script if it is one that runs scripts."""
    if not words or _plain(words[0]).rstrip("0123456789.") not in _INTERPRETERS:
        return words[:1]
    return words[:1] + [word for word in words[1:] if not word.startswith("-")][:1]


def _plain(name: str) -> str:
    """A program's name without its folder and ending, in small letters."""
    name = Path(name).name.casefold()
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)


def page_lacks(action: ExpectHttp) -> str | None:
    """What is not as expected of the answer of a web address."""
    if not action.url.lower().startswith(("http://", "https://")):
        raise UnsupportedError(f'A web address begins with http:// or https://, not "{short(action.url)}".')
    try:
        status, body = _fetched(action.url, min(_PAGE_SECONDS, max(0.5, action.seconds)))
    except urllib.error.URLError as error:
        return f'"{short(action.url)}" does not answer: {_told(error.reason)}.'
    except (OSError, HTTPException, ValueError) as error:
        return f'"{short(action.url)}" does not answer: {str(error) or type(error).__name__}.'
    if status != action.status:
        return f'"{short(action.url)}" answers {status}, not {action.status}.'
    if action.holds is not None and not _holds(body, action.holds):
        return f'"{short(action.url)}" answers {status}, without "{short(action.holds)}" in it.'
    return None


def _told(reason: object) -> str:
    """Why there is no answer, without the places in code and the numbers that systems put around it."""
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted, {reason.verify_message}"
    if isinstance(reason, OSError):
        return reason.strerror or str(reason) or type(reason).__name__
    return str(reason)


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows an answer that sends on to another page of the same host, and no other: that one was not asked for."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The request for the other page; None takes the answer as it is."""
        if urlsplit(newurl).hostname != urlsplit(req.full_url).hostname:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fetched(url: str, seconds: float) -> tuple[int, bytes]:
    """Status and body of a GET; no proxy, which would be a setting of the environment."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _SameHost)
    address = quote(url, safe="%/:=&?~#+!$,;'@()*[]")  # a path as people write it, with ü in it
    request = urllib.request.Request(address, headers={"User-Agent": "oi"})  # noqa: S310 - the scheme was looked at
    try:
        with opener.open(request, timeout=seconds) as answer:
            return answer.status, answer.read(_MOST_PAGE)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(_MOST_PAGE)
