"""The program of system calls, run on one call at a time as the kernel would."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import seccomp

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
INTEL, ARM = 0xC000003E, 0xC00000B7


def outcome(program: bytes, number: int, *arguments: int, architecture: int = INTEL) -> int:
    """What classic BPF answers about a call: the few instructions that the program uses."""
    wide = [*arguments, *[0] * (6 - len(arguments))]
    looked_at = struct.pack("=IIQ6Q", number, architecture, 0, *[argument & (2**64 - 1) for argument in wide])
    instructions = list(struct.iter_unpack("=HBBI", program))
    at, value = 0, 0
    while True:
        code, yes, no, k = instructions[at]
        at += 1
        if code == 0x20:
            [value] = struct.unpack_from("=I", looked_at, k)
        elif code == 0x54:
            value &= k
        elif code == 0x06:
            return int(k)
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += yes if holds else no


@pytest.mark.parametrize(
    ("machine", "architecture", "numbers"),
    [
        ("x86_64", INTEL, {"ptrace": 101, "mount": 165, "unshare": 272, "bpf": 321, "io_uring_setup": 425}),
        ("aarch64", ARM, {"ptrace": 117, "mount": 40, "unshare": 97, "bpf": 280, "io_uring_setup": 425}),
    ],
)
def test_calls_are_refused_on_every_processor(
    machine: str, architecture: int, numbers: dict[str, int]
) -> None:
    program = seccomp.program(machine=machine)
    for number in numbers.values():
        assert outcome(program, number, architecture=architecture) == EPERM
    assert outcome(program, 435, architecture=architecture) == ENOSYS
    assert outcome(program, 437, architecture=architecture) == ENOSYS
    assert outcome(program, 0, architecture=architecture) == ALLOW


def test_a_call_of_another_processor_kills_and_one_of_x32_is_refused() -> None:
    program = seccomp.program(machine="x86_64")
    assert outcome(program, 0, architecture=ARM) == KILL
    assert outcome(program, 0, architecture=0x40000003) == KILL  # 32 bits
    assert outcome(program, 0x40000000) == EPERM
    assert outcome(seccomp.program(machine="aarch64"), 0, architecture=INTEL) == KILL


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        (56, (17,), ALLOW), (56, (0x10000000 | 17,), EPERM), (56, (0x01200011,), ALLOW), (56, (0x40000000,), EPERM),
        (16, (0, 0x5412), EPERM), (16, (0, 0x5412 | 1 << 32), EPERM), (16, (0, 0x541C), EPERM),
        (16, (0, 0x5401), ALLOW),
        (90, (0, 0o755), ALLOW), (90, (0, 0o4755), EPERM), (90, (0, 0o2755), EPERM), (268, (0, 0, 0o4000), EPERM),
        (452, (0, 0, 0o4000), EPERM), (91, (0, 0o1777), ALLOW),
        (2, (0, 0o101, 0o4755), EPERM), (2, (0, 0, 0o4755), ALLOW), (257, (0, 0, 0o101, 0o4755), EPERM),
        (257, (0, 0, 0o101, 0o644), ALLOW), (257, (0, 0, 0o20200002, 0o4755), EPERM), (85, (0, 0o4755), EPERM),
        (133, (0, 0o10644), ALLOW), (133, (0, 0o14644), EPERM),
        (41, (1, 1), ALLOW), (41, (2, 1), ALLOW), (41, (10, 2), ALLOW), (41, (16, 3, 0), ALLOW),
        (41, (16, 3, 15), EPERM),
        (41, (17, 3), EPERM), (41, (38, 5), EPERM), (41, (40, 1), EPERM), (53, (1, 2), ALLOW),
    ],
)  # fmt: skip
def test_some_calls_depend_on_what_they_are_given(
    call: int, arguments: tuple[int, ...], expected: int
) -> None:
    assert outcome(seccomp.program(machine="x86_64"), call, *arguments) == expected


def test_sockets_are_narrowed_where_there_is_no_network_namespace() -> None:
    internet = seccomp.program(sockets="internet", shared_memory=False, machine="x86_64")
    none = seccomp.program(sockets="none", shared_memory=False, machine="x86_64")
    assert [outcome(internet, 41, family, 1) for family in (1, 2, 10, 16)] == [EPERM, ALLOW, ALLOW, ALLOW]
    assert [outcome(none, 41, family, 1) for family in (1, 2, 10, 16)] == [EPERM] * 4
    assert outcome(none, 53, 1, 1 | 0o2000000) == ALLOW
    assert outcome(none, 53, 1, 2 | 0o2000000) == EPERM
    assert outcome(none, 29) == EPERM
    assert outcome(seccomp.program(machine="x86_64"), 29) == ALLOW


@given(st.integers(0, 0x3FFFFFFF), st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_every_call_comes_to_one_of_three_ends(number: int, arguments: list[int]) -> None:
    for machine, architecture in (("x86_64", INTEL), ("aarch64", ARM)):
        found = outcome(seccomp.program(machine=machine), number, *arguments, architecture=architecture)
        assert found in {ALLOW, EPERM, ENOSYS}
        assert number < 512 or found == ALLOW


def test_an_unknown_processor_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r'"riscv64".*x86_64, aarch64'):
        seccomp.program(machine="riscv64")
