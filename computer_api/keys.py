"""One vocabulary of keys.

The canonical name of a key is its X keysym name (``Control_L``, ``Return``, ``Page_Up``, ``F5``); a key
that writes one character is that character (``a``, ``A``, ``/``, ``é``), except ``space``. The names of
xdotool (every X keysym), pyautogui, pynput, Anthropic, OpenAI, Gemini and browsers, and plain words, are understood.

``Primary`` is the key of menu shortcuts on the desktop that it is pressed on: Control, and Command on macOS. It is
what ``ctrlorcmd`` or ``ControlOrMeta`` mean; ``ctrl`` and ``cmd`` are always the keys of these names.
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from computer_api.errors import ComputerError
from computer_api.key_characters import character_named

__all__ = ["UnknownKeyError", "key_name", "keys_text", "on_platform", "parse_keys"]


class UnknownKeyError(ComputerError):
    """No key has that name; the message holds the name in quotes and the nearest known one."""


def parse_keys(text: str) -> tuple[str, ...]:
    """A key or a combination, ``ctrl+shift+t``, as canonical names in the order given.

    Keys are joined by ``+``, ``-`` or spaces; ``+`` and ``-`` are keys where a key is due (``ctrl++``).
    A letter in a combination is the key without shift (``ctrl+A`` is ctrl and a); alone, ``A`` is shift
    and a. Raises ``UnknownKeyError``.
    """
    if len(text) == 1:
        return (key_name(text),)
    names = tuple(key_name(word) for word in _joined(_split(text)))
    return names if len(names) == 1 else tuple(_unshifted(name) for name in names)


def key_name(word: str) -> str:
    """The canonical name of one key. Raises ``UnknownKeyError``."""
    if len(word) == 1 and word not in _CONTROL:
        if word.isprintable() and not word.isspace():
            return word
        raise _unknown(word)
    name = _CONTROL.get(word) or _NAMES.get(_folded(word)) or _by_form(word)
    if name is None:
        raise _unknown(word)
    return name


def on_platform(key: str, desktop: str) -> str:
    """The key to press on a desktop of that name for a canonical key: ``Primary`` is another one on macOS."""
    if key != "Primary":
        return key
    return "Super_L" if desktop == "macos" else "Control_L"


def keys_text(keys: tuple[str, ...]) -> str:
    """Canonical names as a person writes them, ``ctrl+s``; ``parse_keys`` reads it back."""
    return "+".join(_SHORT.get(key, key) for key in keys)


# Canonical name: other names, the shortest for reading first. A name of several words is also known
# as one word and with underscores (page up, pageup, page_up). Case does not matter.
_TABLE: dict[str, tuple[str, ...]] = {
    "Primary": (
        *("ctrlorcmd", "controlormeta", "cmdorctrl", "commandorcontrol", "controlorcommand", "ctrlormeta"),
        *("primary", "accel"),
    ),
    "Control_L": ("ctrl", "control", "ctrl_l", "ctrlleft", "controlleft"),
    "Control_R": ("ctrl_r", "ctrlright", "controlright"),
    "Alt_L": ("alt", "option", "opt", "altleft", "optionleft"),
    "Alt_R": ("altright", "optionright"),
    "ISO_Level3_Shift": ("alt gr",),
    "Shift_L": ("shift", "shiftleft"),
    "Shift_R": ("shiftright",),
    "Super_L": (
        *("super", "win", "windows", "cmd", "command", "meta", "winleft", "superleft", "metaleft"),
        *("cmd_l", "win_l", "meta_l", "command_l", "cmdleft", "commandleft"),
    ),
    "Super_R": ("winright", "cmd_r", "win_r", "meta_r", "command_r", "superright", "commandright"),
    "Return": ("enter", "carriage return"),
    "Escape": ("escape", "esc"),
    "BackSpace": ("backspace", "back space", "bksp"),
    "Delete": ("delete", "del"),
    "Insert": ("insert", "ins"),
    "Tab": ("tab",),
    "ISO_Left_Tab": ("back tab",),
    "space": ("space", "spacebar", "space bar"),
    "Page_Up": ("pageup", "page up", "pgup", "prior"),
    "Page_Down": ("pagedown", "page down", "pgdn", "pgdown", "next"),
    "Home": ("home",),
    "End": ("end",),
    "Left": ("left", "arrow left", "left arrow"),
    "Right": ("right", "arrow right", "right arrow"),
    "Up": ("up", "arrow up", "up arrow"),
    "Down": ("down", "arrow down", "down arrow"),
    "Print": ("print screen", "print", "prtsc", "prtscr", "prntscrn"),
    "Menu": ("menu", "apps", "context menu"),
    "Caps_Lock": ("capslock", "caps lock"),
    "Num_Lock": ("numlock", "num lock"),
    "Scroll_Lock": ("scrolllock", "scroll lock"),
    "Pause": ("pause",),
    "Break": ("break",),
    "Help": ("help",),
    "Clear": ("clear",),
    "Select": ("select",),
    "Execute": ("execute",),
    "Cancel": ("cancel",),
    "Undo": ("undo",),
    "Redo": ("redo",),
    "Find": ("find",),
    "Mode_switch": ("modechange",),
    "Henkan": ("convert", "henkan_mode"),
    "Muhenkan": ("nonconvert",),
    "Kana_Lock": ("kana",),
    "Kanji": ("kanji",),
    "Hangul": ("hangul", "hanguel"),
    "Hangul_Hanja": ("hanja",),
    "Linefeed": (),
    "Begin": (),
    "Sys_Req": ("sysrq",),
    "Multi_key": ("compose",),
    "Hyper_L": ("hyper",),
    "Hyper_R": (),
    "Shift_Lock": (),
    "Hiragana": (),
    "Katakana": (),
    "Romaji": (),
    "Zenkaku_Hankaku": (),
    "Eisu_toggle": (),
    **{
        f"KP_{name}": ()
        for name in ("Home", "Up", "Down", "Left", "Right", "Page_Up", "Page_Down", "End", "Begin")
    },
    **{
        f"KP_{name}": ()
        for name in ("Insert", "Delete", "Prior", "Next", "Space", "Tab", "F1", "F2", "F3", "F4")
    },
    **{
        f"dead_{name}": ()
        for name in ("grave", "acute", "circumflex", "tilde", "diaeresis", "abovering", "cedilla")
    },
    **{
        f"dead_{name}": ()
        for name in ("caron", "ogonek", "abovedot", "belowdot", "breve", "macron", "doubleacute")
    },
    "KP_Add": ("add", "numadd"),
    "KP_Subtract": ("subtract", "numsubtract"),
    "KP_Multiply": ("multiply", "nummultiply"),
    "KP_Divide": ("divide", "numdivide"),
    "KP_Decimal": ("decimal", "numdecimal"),
    "KP_Separator": ("separator",),
    "KP_Equal": ("numequal",),
    "KP_Enter": ("numenter", "num enter", "numpadenter"),
    **{f"KP_{digit}": (f"num{digit}", f"numpad{digit}") for digit in range(10)},
    **{f"F{number}": () for number in range(1, 36)},
    "XF86AudioRaiseVolume": ("volume up", "media volume up"),
    "XF86AudioLowerVolume": ("volume down", "media volume down"),
    "XF86AudioMute": ("volume mute", "media volume mute", "mute"),
    "XF86AudioPlay": ("play pause", "media play pause", "media play"),
    "XF86AudioStop": ("media stop",),
    "XF86AudioNext": ("next track", "media next"),
    "XF86AudioPrev": ("prev track", "previous track", "media previous"),
    "XF86Eject": ("media eject", "eject"),
    "XF86AudioMedia": ("launch media select",),
    "XF86Mail": ("launch mail",),
    "XF86Launch1": ("launchapp1",),
    "XF86Launch2": ("launchapp2",),
    "XF86Back": ("browser back",),
    "XF86Forward": ("browser forward",),
    "XF86Refresh": ("browser refresh",),
    "XF86Stop": ("browser stop",),
    "XF86Search": ("browser search",),
    "XF86Favorites": ("browser favorites",),
    "XF86HomePage": ("browser home",),
    "XF86Sleep": ("sleep",),
    "XF86MonBrightnessUp": ("brightness up",),
    "XF86MonBrightnessDown": ("brightness down",),
    "+": ("plus",),
    "-": ("minus", "hyphen", "dash"),
    "=": ("equal", "equals"),
    "/": ("slash",),
    "\\": ("backslash",),
    ",": ("comma",),
    ".": ("period", "dot"),
    ";": ("semicolon",),
    ":": ("colon",),
    "!": ("exclam",),
    "?": ("question",),
    "@": ("at",),
    "#": ("numbersign", "hash"),
    "$": ("dollar",),
    "%": ("percent",),
    "^": ("asciicircum", "caret"),
    "&": ("ampersand",),
    "*": ("asterisk",),
    "(": ("parenleft",),
    ")": ("parenright",),
    "[": ("bracketleft", "left bracket"),
    "]": ("bracketright", "right bracket"),
    "{": ("braceleft",),
    "}": ("braceright",),
    "<": ("less",),
    ">": ("greater",),
    "|": ("bar", "pipe"),
    "_": ("underscore",),
    "~": ("asciitilde", "tilde"),
    "`": ("grave", "backtick", "backquote", "quoteleft"),
    "'": ("apostrophe", "quoteright", "quote"),
    '"': ("quotedbl",),
    "¥": ("yen",),
    "€": ("eurosign",),
}
_CONTROL = {" ": "space", "\t": "Tab", "\n": "Return", "\r": "Return", "\b": "BackSpace", "\x1b": "Escape"}


# ``Key.enter`` is pynput's, ``KeyA`` and ``Digit1`` a browser's; of X's XF86 and ISO names there are hundreds.
_PYNPUT = re.compile(r"Key\.(\w+)")
_BROWSER = re.compile(r"Key([A-Z])|Digit([0-9])")
_OF_X = re.compile(r"XF86\w+|ISO_[A-Z]\w+")


def _by_form(word: str) -> str | None:
    """The canonical name of a key that is known by the form of its name."""
    if (found := _PYNPUT.fullmatch(word)) is not None:
        return _NAMES.get(_folded(found[1]))
    if (found := _BROWSER.fullmatch(word)) is not None:
        return (found[1] or found[2]).lower()
    return word if _OF_X.fullmatch(word) else character_named(word)


def _folded(word: str) -> str:
    return "".join(word.casefold().replace("_", " ").split())


_NAMES = {
    _folded(name): canonical
    for canonical, others in _TABLE.items()
    for name in (canonical, *others)
    if len(name) > 1
}
# What only words joined by a space or a dash may mean: "page up" is one key, "shift left" is two.
_SEVERAL = {tuple(name.split()) for others in _TABLE.values() for name in others if " " in name}
_SEVERAL |= {tuple(name.casefold().split("_")) for name in _TABLE if re.fullmatch(r"[A-Z]\w+_[A-Z]\w+", name)}
_LONGEST = max(len(words) for words in _SEVERAL)
# Signs that are separators are written by name; other one-character keys are written as themselves.
_SHORT = {
    canonical: others[0].replace(" ", "_")
    for canonical, others in _TABLE.items()
    if others and (len(canonical) > 1 or canonical in "+-")
}

_KEY = re.compile(r"[+-]|[^+\-\s]+")
_SEPARATOR = re.compile(r"\s*[+-]\s*(?=\S)|\s+")


def _split(text: str) -> list[tuple[str, str]]:
    """The words of a combination, each with the separator before it."""
    rest = text.strip()
    words: list[tuple[str, str]] = []
    separator = ""
    while key := _KEY.match(rest):
        words.append((separator, key[0]))
        rest = rest[key.end() :]
        if not rest:
            return words
        gap = _SEPARATOR.match(rest)
        if gap is None:
            break
        separator = gap[0].strip() or " "
        rest = rest[gap.end() :]
    if rest in {"+", "-"} and words:
        raise UnknownKeyError(
            f'"{text}" ends where a key is due; for the key {rest} itself write "{text.strip()}{rest}".'
        )
    raise _unknown(text)


def _joined(words: list[tuple[str, str]]) -> list[str]:
    """The same words, those that are one name together put together: ``page up``."""
    found: list[str] = []
    start = 0
    while start < len(words):
        end = start + 1
        for stop in range(min(len(words), start + _LONGEST), start + 1, -1):
            inner = words[start:stop]
            together = tuple(word.casefold() for _, word in inner)
            if together in _SEVERAL and all(gap != "+" for gap, _ in inner[1:]):
                end = stop
                break
        found.append(" ".join(word for _, word in words[start:end]))
        start = end
    return found


def _unshifted(name: str) -> str:
    lower = name.lower()
    return lower if len(name) == len(lower) == 1 else name


def _unknown(word: str) -> UnknownKeyError:
    near = get_close_matches(_folded(word), _NAMES, n=1, cutoff=0.6)
    hint = f'the nearest is "{near[0]}"' if near else "names are as in ctrl, enter, page_up"
    return UnknownKeyError(
        f'There is no key "{word}"; {hint}. A key that writes a character is that character.'
    )
