"""Whether programs have nothing to do, as the kernel tells of their threads."""

from __future__ import annotations

import ctypes
import os
import sys
import threading

import pytest

if sys.platform != "linux":
    pytest.skip("only Linux tells of threads in this way", allow_module_level=True)

from computer_platform.x11.at_rest import at_rest

_SET_NAME = 15


def test_a_thread_may_have_any_name() -> None:
    named, over = threading.Event(), threading.Event()

    def sleep() -> None:  # the kernel cuts a name after 15 bytes, perhaps in the middle of a character
        ctypes.CDLL(None).prctl(_SET_NAME, b") R \xc3", 0, 0, 0)
        named.set()
        over.wait()

    thread = threading.Thread(target=sleep)
    thread.start()
    try:
        assert named.wait(20)
        assert not at_rest((os.getpid(),))  # this very thread runs
    finally:
        over.set()
        thread.join()
