"""COMPOUND_TEXT, in which programs from before Unicode give their titles: ISO 2022 with X's own sets."""

from __future__ import annotations

import re

# A sequence says which set the bytes below 0x80, or from 0xA0 on, are from now on.
_SWITCH = re.compile(
    rb"\x1b(?:(?P<utf8>%G)|(?P<back>%@)|(?P<wide>\$[()][A-C])|(?P<low>\([BJ])|(?P<high>-[A-Z])|(?P<kana>\)I))"
)
_WIDE = {b"A": "gb2312", b"B": "euc_jp", b"C": "euc_kr"}
_HIGH = {
    b"A": "latin-1", b"B": "iso8859_2", b"C": "iso8859_3", b"D": "iso8859_4", b"F": "iso8859_7",
    b"G": "iso8859_6", b"H": "iso8859_8", b"L": "iso8859_5", b"M": "iso8859_9", b"T": "iso8859_11",
}  # fmt: skip


def decoded(data: bytes) -> str:
    """The text; what belongs to a set that is not known becomes replacement characters."""
    text, low, high, at = "", "ascii", "latin-1", 0
    for switch in _SWITCH.finditer(data):
        text += _segment(data[at : switch.start()], low, high)
        low, high = _switched(switch, low, high)
        at = switch.end()
    return text + _segment(data[at:], low, high)


def _switched(switch: re.Match[bytes], low: str, high: str) -> tuple[str, str]:
    last = switch[0][-1:]
    match switch.lastgroup:
        case "utf8":
            return "utf-8", "utf-8"
        case "back":
            return "ascii", "latin-1"
        case "wide":
            return (_WIDE[last], high) if b"(" in switch[0] else (low, _WIDE[last])
        case "high":
            return low, _HIGH.get(last, "ascii")
        case "kana":
            return low, "shift_jis"  # which has the half-width ones at the same places
        case _:
            return "ascii", high


def _segment(data: bytes, low: str, high: str) -> str:
    if low == "utf-8":
        return data.decode("utf-8", "replace")
    runs = re.findall(rb"[\x00-\x20]+|[\x21-\x7f]+|[\x80-\xff]+", data)
    return "".join(_run(run, low, high) for run in runs)


def _run(run: bytes, low: str, high: str) -> str:
    if run[0] >= 0x80:  # noqa: PLR2004 - the upper half
        return run.decode(high, "replace")
    if low == "ascii" or run[0] <= 0x20:  # noqa: PLR2004 - controls and the space belong to no set
        return run.decode("ascii", "replace")
    # the codecs expect the sets of two bytes in the upper half
    return bytes(byte | 0x80 for byte in run).decode(low, "replace")
