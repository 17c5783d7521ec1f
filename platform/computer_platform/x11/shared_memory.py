"""Pictures that the X server writes straight into memory that we read: MIT-SHM, on our own connection.

The memory of a picture is lent with it and comes back when nobody holds the picture any more, so that none is
copied and none is changed under somebody's hands.
"""

from __future__ import annotations

import ctypes
import weakref
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import Xlib.error
from Xlib import X
from Xlib.protocol import rq

from computer_platform.desktop import Area

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

    from computer_platform.x11.connection import Connection

_FEWEST_LENT, _MOST_LENT = 3, 8  # pictures that may be held without copying
_MOST_BYTES = 128 * 2**20  # of more than the fewest
_BYTES_A_PIXEL = 4
_DEPTHS = (24, 32)
_ALL_PLANES = 0xFFFFFFFF
_IPC_PRIVATE, _IPC_CREATE, _IPC_REMOVE = 0, 0o1000, 0
_OWNER_ONLY = 0o600


class NoSharedMemory(Exception):
    """The server cannot share memory with us: it runs on another machine, or in another container."""


class _Attach(rq.Request):  # type: ignore[misc]  # python-xlib is not typed
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(1),
        rq.RequestLength(),
        rq.Card32("segment"),
        rq.Card32("memory"),
        rq.Bool("read_only"),
        rq.Pad(3),
    )


class _Detach(rq.Request):  # type: ignore[misc]  # python-xlib is not typed
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(2), rq.RequestLength(), rq.Card32("segment"))


class _GetImage(rq.ReplyRequest):  # type: ignore[misc]  # python-xlib is not typed
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(4),
        rq.RequestLength(),
        rq.Drawable("drawable"),
        rq.Int16("x"),
        rq.Int16("y"),
        rq.Card16("width"),
        rq.Card16("height"),
        rq.Card32("plane_mask"),
        rq.Card8("format"),
        rq.Pad(3),
        rq.Card32("segment"),
        rq.Card32("offset"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("depth"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card32("visual"),
        rq.Card32("size"),
        rq.Pad(16),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    """Memory that both ends see: where it is here, and the server's number for it."""

    address: int
    size: int
    number: int


class SharedMemory:
    """Grabs areas of the root window. Raises ``NoSharedMemory`` when made where the server cannot share any."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._free: deque[_Segment] = deque()  # finalizers put into it, whatever thread they run on
        self._made = 0
        self._closed = False
        self._opcode = _opcode(connection)
        self._free.append(self._tried(self._segment(_BYTES_A_PIXEL)))  # fails at once where it cannot work

    def grab(self, area: Area) -> NDArray[uint8] | None:
        """What the area shows, (height, width, 4); None when not all of it is on the screen."""
        size = area.width * area.height * _BYTES_A_PIXEL
        segment = self._take(size)
        try:
            self._get(area, segment)
        except Xlib.error.BadMatch:
            self._free.append(segment)
            return None
        memory = (ctypes.c_uint8 * size).from_address(segment.address)
        shape = (area.height, area.width, _BYTES_A_PIXEL)
        pixels: NDArray[uint8] = np.frombuffer(memoryview(memory), np.uint8).reshape(shape)
        if self._made - len(self._free) > max(_FEWEST_LENT, min(_MOST_LENT, _MOST_BYTES // segment.size)):
            pixels = pixels.copy()
            self._free.append(segment)
            return pixels
        weakref.finalize(memory, self._back, segment).atexit = False
        return pixels

    def _get(self, area: Area, segment: _Segment) -> None:
        """Have the server write what the area shows into the memory."""
        _GetImage(
            display=self._connection.server.display,
            opcode=self._opcode,
            drawable=self._connection.root.id,
            x=area.left,
            y=area.top,
            width=area.width,
            height=area.height,
            plane_mask=_ALL_PLANES,
            format=X.ZPixmap,
            segment=segment.number,
            offset=0,
        )

    def _tried(self, segment: _Segment) -> _Segment:
        """The segment, if it is ours that the server writes to: elsewhere another memory may have its number."""
        for before in (0x00, 0xFF):
            ctypes.memset(segment.address, before, _BYTES_A_PIXEL)
            self._get(Area(0, 0, 1, 1), segment)
            if ctypes.string_at(segment.address, _BYTES_A_PIXEL) != bytes([before] * _BYTES_A_PIXEL):
                return segment
        raise NoSharedMemory("The X server's memory is not ours.")

    def close(self) -> None:
        """Give the free memory back; what is lent goes with the pictures. The connection may be closed already."""
        while self._free:
            _libc().shmdt(self._free.pop().address)
        self._closed = True

    def _back(self, segment: _Segment) -> None:
        """Nobody holds the picture any more."""
        if self._closed:
            _libc().shmdt(segment.address)
        else:
            self._free.append(segment)

    def _take(self, size: int) -> _Segment:
        """Memory of at least that size; smaller ones are from before the screen grew."""
        while self._free:
            segment = self._free.pop()
            if segment.size >= size:
                return segment
            _Detach(display=self._connection.server.display, opcode=self._opcode, segment=segment.number)
            _libc().shmdt(segment.address)
            self._made -= 1
        return self._segment(size)

    def _segment(self, size: int) -> _Segment:
        libc = _libc()
        memory = libc.shmget(_IPC_PRIVATE, size, _IPC_CREATE | _OWNER_ONLY)
        if memory < 0:
            raise NoSharedMemory("The system gives no shared memory.")
        try:
            address = libc.shmat(memory, None, 0)
            if address in (None, ctypes.c_void_p(-1).value):
                raise NoSharedMemory("The system does not let us use shared memory.")
            display, refused = self._connection.server.display, Xlib.error.CatchError()
            number = display.allocate_resource_id()
            _Attach(
                display=display,
                opcode=self._opcode,
                segment=number,
                memory=memory,
                read_only=False,
                onerror=refused,
            )
            self._connection.sync()
            if refused.get_error() is not None:
                libc.shmdt(address)
                raise NoSharedMemory("The X server cannot use our memory.")
        finally:
            libc.shmctl(memory, _IPC_REMOVE, None)  # it goes when both ends have let go, however they end
        self._made += 1
        return _Segment(address=address, size=size, number=number)


def _opcode(connection: Connection) -> int:
    screen = connection.server.screen()
    formats = {one.depth: one.bits_per_pixel for one in connection.server.display.info.pixmap_formats}
    extension = connection.server.query_extension("MIT-SHM")
    if extension is None or not extension.present:
        raise NoSharedMemory("The X server does not know MIT-SHM.")
    if screen.root_depth not in _DEPTHS or formats[screen.root_depth] != 8 * _BYTES_A_PIXEL:
        raise NoSharedMemory("The X server's pixels are not four bytes.")
    return int(extension.major_opcode)


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None)
    libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
    libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    libc.shmat.restype = ctypes.c_void_p
    libc.shmdt.argtypes = [ctypes.c_void_p]
    libc.shmctl.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    return libc
