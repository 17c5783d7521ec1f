"""A trace in one file: a zip with the same names as the folder, read without unpacking it.

Whatever a zip says of itself is checked before a byte of it is used: it may come from anybody.
"""

from __future__ import annotations

import errno
import os
import struct
import zipfile
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from computer_agent.trace.errors import TraceError
from computer_agent.trace.record import FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["contents", "is_archive", "names", "pack"]

FOLDERS = ("images", "output", "questions")
REPLAY = "replay.json"
HEALED = "healed.json"

MOST_FILES = 100_000
LARGEST_FILE = 512 * 1024**2  # bytes, unpacked
LARGEST = 4 * 1024**3  # bytes of all files together, unpacked
MOST_SHRUNK = 200  # text that repeats itself shrinks to a hundredth; a bomb to a thousandth
_SMALL = 1024**2  # a file that may shrink as it likes
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """Where a file stands in the zip: ``offset`` of its local header, sizes in bytes."""

    offset: int
    packed: int
    size: int
    deflated: bool
    crc: int


def is_archive(path: Path) -> bool:
    """Whether the file begins as a zip does, whatever it is called."""
    try:
        with path.open("rb") as file:
            return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except OSError:
        return False


def contents(path: Path, name: str) -> bytes:
    """The bytes of one file of a trace, which is a folder or a zip; ``name`` is as in ``images/1f2e….png``.

    Raises ``OSError`` when there is no such file, and ``TraceError`` when the zip must not be read.
    """
    if path.is_dir():
        return (path / name).read_bytes()
    members = _members(path)
    if name not in members:
        raise FileNotFoundError(errno.ENOENT, f'it holds no "{name}"', str(path))
    return _unpacked(path, name, members[name])


def names(path: Path) -> tuple[str, ...]:
    """The files of a trace's zip, sorted. Raises as ``contents`` does."""
    return tuple(sorted(_members(path)))


def pack(folder: Path, out: Path) -> int:
    """Write the trace in ``folder`` as one zip, whole or not at all, for its owner only; gives its size in bytes.

    Raises ``TraceError`` when there is no trace, or ``out`` is there already, and ``OSError``.
    """
    if is_archive(folder):
        raise TraceError(f'The trace "{folder}" is in one file already.')
    if not (folder / FILE).is_file():
        raise TraceError(f'There is no trace in "{folder}" to put into a zip.')
    if out.exists():
        raise TraceError(f'"{out}" is there already; name another file for the zip.')
    part = out.with_name(f".{out.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)  # before it holds anything
    try:
        with zipfile.ZipFile(part, "w") as archive:
            for file in _packable(folder):
                pressed = zipfile.ZIP_STORED if file.suffix in (".png", ".jpg") else zipfile.ZIP_DEFLATED
                archive.write(file, file.relative_to(folder).as_posix(), pressed)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return out.stat().st_size


def _packable(folder: Path) -> Iterator[Path]:
    """The files of the trace itself: no lock, no page made from it, and nothing that a link leads to."""
    yield folder / FILE
    yield from (folder / name for name in (REPLAY, HEALED) if _is_plain(folder / name))
    for name in FOLDERS:
        if not (folder / name).is_symlink():
            files = (file for file in (folder / name).rglob("*") if file.suffix != ".part")
            yield from sorted(filter(_is_plain, files))


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _members(path: Path) -> Mapping[str, _Member]:
    about = path.stat()
    return _checked(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)
def _checked(path: Path, _changed: int, size: int) -> Mapping[str, _Member]:
    """What the zip holds, once it is known to be harmless; kept as long as the file is the same."""
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
    except (zipfile.BadZipFile, struct.error, UnicodeError, NotImplementedError) as error:
        raise TraceError(f'"{path}" is no zip that can be read: {error}.') from error
    if len(listed) > MOST_FILES:
        raise _refused(path, f"it holds {len(listed)} files; a trace has at most {MOST_FILES}")
    files = [info for info in listed if not info.is_dir()]
    for info in files:
        _check(path, info)
    _check_together(path, files, size)
    start = _start(path, files)
    return {
        info.filename.removeprefix(start): _Member(
            offset=info.header_offset,
            packed=info.compress_size,
            size=info.file_size,
            deflated=info.compress_type == zipfile.ZIP_DEFLATED,
            crc=info.CRC,
        )
        for info in files
        if info.filename.startswith(start)
    }


def _check(path: Path, info: zipfile.ZipInfo) -> None:
    name = info.filename
    # ``orig_filename`` still has what Python cuts off or turns around: a zero byte, a backslash.
    parts = info.orig_filename.split("/")
    if "\\" in info.orig_filename or "\0" in info.orig_filename or ":" in parts[0] or "" in parts:
        raise _refused(path, f'the name "{name!a}" is none of a file in it')
    if any(part in (".", "..") for part in parts):
        raise _refused(path, f'the name "{name}" leads out of it')
    if info.flag_bits & 0x1:
        raise _refused(path, f'"{name}" in it is encrypted')
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _refused(path, f'"{name}" is packed in a way that traces do not use')
    if info.file_size > LARGEST_FILE:
        raise _refused(
            path, f'"{name}" would be {info.file_size} bytes large, more than the {LARGEST_FILE} of a trace'
        )
    if info.file_size > max(_SMALL, MOST_SHRUNK * info.compress_size):
        raise _refused(path, f'"{name}" claims to be {info.file_size} bytes, in {info.compress_size}')


def _check_together(path: Path, files: list[zipfile.ZipInfo], size: int) -> None:
    seen: set[str] = set()
    for info in files:
        folded = info.filename.casefold()
        if folded in seen:
            raise _refused(path, f'it holds "{info.filename}" twice')
        seen.add(folded)
    if sum(info.compress_size for info in files) > size:
        raise _refused(path, "its files lie over each other")
    if (unpacked := sum(info.file_size for info in files)) > LARGEST:
        raise _refused(path, f"its files would be {unpacked} bytes together, more than {LARGEST}")


def _start(path: Path, files: list[zipfile.ZipInfo]) -> str:
    """``""``, or the one folder in the zip that the trace is in, as when a folder was zipped by its name."""
    found = [info.filename for info in files if info.filename.split("/")[-1] == FILE]
    if FILE in found:
        return ""
    if len(found) == 1 and found[0].count("/") == 1:
        return found[0].removesuffix(FILE)
    raise TraceError(f'"{path}" is not a trace: there is no "{FILE}" in it.')


def _unpacked(path: Path, name: str, member: _Member) -> bytes:
    """One file. It is unpacked no further than to the size that was checked."""
    with path.open("rb") as file:
        file.seek(member.offset)
        header = file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
            raise _refused(path, f'"{name}" is not where the zip says')
        *_, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        file.seek(name_length + extra_length, os.SEEK_CUR)
        data = file.read(member.packed)
    if member.deflated:
        unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = unpacking.decompress(data, member.size + 1)
        except zlib.error as error:
            raise _refused(path, f'"{name}" is damaged ({error})') from error
    if len(data) != member.size or zlib.crc32(data) != member.crc:
        raise _refused(path, f'"{name}" is damaged')
    return data


def _refused(path: Path, why: str) -> TraceError:
    return TraceError(f'The zip "{path}" is not read: {why}.')
