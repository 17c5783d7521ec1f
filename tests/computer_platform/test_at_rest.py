"""Whether programs have nothing to do, as the kernel tells of their threads."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading

import pytest
from processes import killed_after
from xvfb import until

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


@pytest.mark.parametrize(("own_session", "rests"), [(True, True), (False, False)])
def test_a_job_that_is_stopped_in_a_terminal_rests_and_a_program_that_is_stopped_does_not(
    *, own_session: bool, rests: bool
) -> None:
    asleep = "import signal; print(flush=True); signal.pause()"
    started = [
        subprocess.Popen([sys.executable, "-c", asleep], stdout=subprocess.PIPE, start_new_session=apart)
        for apart in (False, own_session)
    ]
    with killed_after(started[0]) as program, killed_after(started[1]) as job:
        for one in (program, job):
            assert one.stdout is not None
            one.stdout.readline()
        family = (program.pid, job.pid)
        assert until(lambda: at_rest(family))
        job.send_signal(signal.SIGSTOP)
        assert os.waitid(os.P_PID, job.pid, os.WSTOPPED) is not None
        assert at_rest(family) == rests
