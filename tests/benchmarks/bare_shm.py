"""The floor for a picture of the screen: one XShmGetImage after the other into the same memory, and nothing else."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Any

_ZPIXMAP, _ALL_PLANES = 2, 0xFFFFFFFF
_IPC_CREATE, _IPC_REMOVE, _OWNER_ONLY = 0o1000, 0, 0o600


class _Segment(ctypes.Structure):
    _fields_ = (
        ("number", ctypes.c_ulong),
        ("memory", ctypes.c_int),
        ("address", ctypes.c_void_p),
        ("read_only", ctypes.c_int),
    )


class _Image(ctypes.Structure):
    """The beginning of Xlib's XImage."""

    _fields_ = (
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("xoffset", ctypes.c_int),
        ("format", ctypes.c_int),
        ("data", ctypes.c_void_p),
    )


class BareShm:
    """Grabs the whole of a display of 24 bits by calling Xlib directly."""

    def __init__(self, display: str, size: tuple[int, int]) -> None:
        self._x, extension = _library("X11"), _library("Xext")
        libc = ctypes.CDLL(None)
        pointer = ctypes.c_void_p
        for function, result in ((self._x.XOpenDisplay, pointer), (self._x.XDefaultVisual, pointer)):
            function.restype = result
        self._x.XDefaultRootWindow.restype = ctypes.c_ulong
        extension.XShmCreateImage.restype = ctypes.POINTER(_Image)
        libc.shmat.restype = pointer
        self._display = pointer(self._x.XOpenDisplay(display.encode()))
        self._root = ctypes.c_ulong(self._x.XDefaultRootWindow(self._display))
        self._segment = _Segment()
        visual = pointer(self._x.XDefaultVisual(self._display, 0))
        self._image = extension.XShmCreateImage(
            self._display, visual, 24, _ZPIXMAP, None, ctypes.byref(self._segment), *size
        )
        self.bytes = size[0] * size[1] * 4
        self._segment.memory = libc.shmget(0, ctypes.c_size_t(self.bytes), _IPC_CREATE | _OWNER_ONLY)
        self._segment.address = libc.shmat(self._segment.memory, None, 0)
        self._image.contents.data = self._segment.address
        extension.XShmAttach(self._display, ctypes.byref(self._segment))
        self._x.XSync(self._display, 0)
        libc.shmctl(self._segment.memory, _IPC_REMOVE, None)
        self._get = extension.XShmGetImage

    def grab(self) -> None:
        """Have the server write the screen into the memory."""
        if not self._get(self._display, self._root, self._image, 0, 0, ctypes.c_ulong(_ALL_PLANES)):
            raise OSError("XShmGetImage failed")

    def pixels(self) -> bytes:
        """What it wrote last: B, G, R, X."""
        return ctypes.string_at(self._segment.address, self.bytes)


def _library(name: str) -> Any:  # noqa: ANN401 - so are ctypes' libraries
    found = ctypes.util.find_library(name)
    if found is None:
        raise SystemExit(f"This measures beside lib{name}, which is not installed.")
    return ctypes.CDLL(found)
