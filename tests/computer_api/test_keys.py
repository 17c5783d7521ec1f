import importlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.keys import UnknownKeyError, key_name, keys_text, on_platform, parse_keys
from computer_platform.x11.keysyms import canonical, of_character

MODIFIERS = ["Control_L", "Alt_L", "Shift_L", "Super_L", "ISO_Level3_Shift"]
NAMED = [
    *("Return", "Escape", "BackSpace", "Delete", "Page_Up", "Page_Down", "Left", "Caps_Lock", "space", "Tab"),
    *("F1", "F24", "KP_0", "KP_Enter", "KP_Divide", "XF86AudioMute", "Print", "Menu", "Scroll_Lock"),
]
# Old Sun keys, and switches of input methods.
NOT_ON_ANY_KEYBOARD = {f"L{number}" for number in range(1, 11)} | {f"R{number}" for number in range(1, 16)}
NOT_ON_ANY_KEYBOARD |= {
    *("Eisu_Shift", "Hankaku", "Hiragana_Katakana", "Kana_Shift", "Mae_Koho", "Massyo", "MultipleCandidate"),
    *("PreviousCandidate", "SingleCandidate", "Touroku", "Zen_Koho", "Zenkaku", "script_switch"),
    *("Greek_accentdieresis", "Greek_horizbar", "Greek_switch"),
}
characters = st.characters(exclude_categories=["C", "Z"])


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        # xdotool and Anthropic
        ("ctrl+shift+Page_Down", ("Control_L", "Shift_L", "Page_Down")),
        ("Return", ("Return",)),
        ("BackSpace", ("BackSpace",)),
        ("Next", ("Page_Down",)),
        ("super+d", ("Super_L", "d")),
        ("KP_Enter", ("KP_Enter",)),
        ("slash", ("/",)),
        ("Adiaeresis", ("Ä",)),
        ("adiaeresis", ("ä",)),
        ("lstroke", ("ł",)),
        ("ssharp", ("ß",)),
        ("EuroSign", ("€",)),
        ("U20AC", ("€",)),
        ("Greek_OMEGA", ("Ω",)),
        ("Greek_iotaaccentdieresis", ("ΐ",)),
        ("Greek_eta", ("η",)),
        ("Cyrillic_zhe", ("ж",)),
        ("Cyrillic_SHORTI", ("Й",)),
        ("Ukrainian_yi", ("ї",)),
        ("dead_acute", ("dead_acute",)),
        ("KP_Page_Up", ("KP_Page_Up",)),
        ("XF86MonBrightnessCycle", ("XF86MonBrightnessCycle",)),
        ("ISO_Next_Group", ("ISO_Next_Group",)),
        # pyautogui
        ("ctrlleft", ("Control_L",)),
        ("prntscrn", ("Print",)),
        ("num7", ("KP_7",)),
        ("volumeup", ("XF86AudioRaiseVolume",)),
        ("browserback", ("XF86Back",)),
        ("optionright", ("Alt_R",)),
        # pynput
        ("ctrl_l", ("Control_L",)),
        ("alt_gr", ("ISO_Level3_Shift",)),
        ("cmd", ("Super_L",)),
        ("page_up", ("Page_Up",)),
        ("media_volume_mute", ("XF86AudioMute",)),
        ("media_eject", ("XF86Eject",)),
        ("Key.page_up", ("Page_Up",)),
        # browsers
        ("KeyA", ("a",)),
        ("Digit7", ("7",)),
        ("ControlLeft", ("Control_L",)),
        ("ArrowDown", ("Down",)),
        ("BracketLeft", ("[",)),
        ("Backquote", ("`",)),
        ("NumpadEnter", ("KP_Enter",)),
        # OpenAI
        ("ARROWLEFT", ("Left",)),
        ("PAGEUP", ("Page_Up",)),
        ("CTRL", ("Control_L",)),
        ("ESC", ("Escape",)),
        ("/", ("/",)),
        # Gemini
        ("control+a", ("Control_L", "a")),
        ("ControlOrMeta+c", ("Primary", "c")),
        ("equals", ("=",)),
        ("multiply", ("KP_Multiply",)),
        # UI-TARS
        ("ctrl c", ("Control_L", "c")),
        ("ctrl shift left", ("Control_L", "Shift_L", "Left")),
        # plain words
        ("page up", ("Page_Up",)),
        ("ctrl page down", ("Control_L", "Page_Down")),
        ("left arrow", ("Left",)),
        ("caps-lock", ("Caps_Lock",)),
        ("Print Screen", ("Print",)),
    ],
)
def test_every_vocabulary_means_the_same_keys(text: str, keys: tuple[str, ...]) -> None:
    assert parse_keys(text) == keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("+", ("+",)),
        ("-", ("-",)),
        (" ", ("space",)),
        ("\n", ("Return",)),
        ("ctrl++", ("Control_L", "+")),
        ("ctrl+plus", ("Control_L", "+")),
        ("ctrl--", ("Control_L", "-")),
        ("ctrl+-", ("Control_L", "-")),
        ("ctrl -", ("Control_L", "-")),
        ("ctrl-+", ("Control_L", "+")),
        ("ctrl + shift + t", ("Control_L", "Shift_L", "t")),
        ("ctrl-l", ("Control_L", "l")),
        ("alt-left", ("Alt_L", "Left")),
        ("shift left", ("Shift_L", "Left")),
        ("ctrl_left", ("Control_L",)),
    ],
)
def test_separators_are_keys_where_a_key_is_due(text: str, keys: tuple[str, ...]) -> None:
    assert parse_keys(text) == keys


def test_a_capital_letter_means_shift_only_when_it_stands_alone() -> None:
    assert parse_keys("A") == ("A",)
    assert parse_keys("ctrl+A") == ("Control_L", "a")
    assert parse_keys("CTRL+SHIFT+É") == ("Control_L", "Shift_L", "é")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ""),
        ("   ", "   "),
        ("ctrl+", "ctrl+"),
        ("ctrl+nonsense", "nonsense"),
        ("hello world", "hello"),
        ("ctrl+\x00", "\x00"),
        ("\x07", "\x07"),
        ("\u2028", "\u2028"),
    ],
)
def test_a_name_that_is_no_key_is_refused_with_the_name_in_quotes(text: str, named: str) -> None:
    with pytest.raises(UnknownKeyError, match=f'"{re.escape(named)}"'):
        parse_keys(text)


def test_the_error_names_the_nearest_key() -> None:
    with pytest.raises(UnknownKeyError, match=r'no key "pgupp"; the nearest is "pgup"'):
        parse_keys("ctrl+pgupp")
    with pytest.raises(UnknownKeyError, match=r'for the key \+ itself write "ctrl\+\+"'):
        parse_keys("ctrl+")


@pytest.mark.parametrize(
    "name", ["Key.nonsense", "U110000", "U0007", "Greek_zhe", "Cyrillic_zz", "qgrave", "fn"]
)
def test_a_name_that_only_looks_like_a_key_is_refused(name: str) -> None:
    with pytest.raises(UnknownKeyError, match=f'no key "{re.escape(name)}"'):
        parse_keys(name)


def test_the_key_of_menu_shortcuts_is_the_platforms_where_it_is_asked_for() -> None:
    for word in ("ctrlorcmd", "ControlOrMeta", "CommandOrControl", "primary"):
        assert parse_keys(f"{word}+c") == ("Primary", "c")
    assert [on_platform(key, "macos") for key in ("Primary", "Control_L", "c")] == [
        "Super_L",
        "Control_L",
        "c",
    ]
    assert [on_platform(key, "x11") for key in ("Primary", "Super_L", "c")] == ["Control_L", "Super_L", "c"]


@pytest.mark.parametrize(
    "group", ["miscellany", "latin1", "latin2", "latin3", "latin4", "greek", "cyrillic", "xf86"]
)
def test_nearly_every_name_that_x_gives_a_key_is_understood(group: str) -> None:
    keysyms = vars(importlib.import_module(f"Xlib.keysymdef.{group}"))
    names = [name[3:].replace("XF86_", "XF86") for name in keysyms if name.startswith("XK_")]
    unknown = {name for name in names if not _known(name)}
    assert unknown <= NOT_ON_ANY_KEYBOARD


@pytest.mark.parametrize("group", ["latin1", "latin2", "greek", "cyrillic"])
def test_a_character_by_its_name_is_the_one_that_its_keysym_gives(group: str) -> None:
    keysyms = vars(importlib.import_module(f"Xlib.keysymdef.{group}"))
    named = {name[3:]: number for name, number in keysyms.items() if name.startswith("XK_") and len(name) > 4}
    wrong = {
        name: character
        for name, number in named.items()
        if _known(name)
        and len(character := key_name(name)) == 1
        and canonical(number) >= 0x01000000  # those that the keysym table knows in Unicode
        and of_character(character) != canonical(number)
    }
    assert wrong == {}


def _known(name: str) -> bool:
    try:
        return bool(parse_keys(name))
    except UnknownKeyError:
        return False


def test_a_combination_is_not_the_name_of_one_key() -> None:
    with pytest.raises(UnknownKeyError, match='"ctrl\\+c"'):
        key_name("ctrl+c")


@given(st.sampled_from(MODIFIERS + NAMED) | characters)
def test_a_canonical_name_is_its_own_canonical_name(name: str) -> None:
    assert key_name(name) == name
    assert parse_keys(name) == (name,)


@given(st.sampled_from(MODIFIERS + NAMED), st.sampled_from([str.lower, str.upper, str.title]))
def test_case_and_underscores_of_a_name_do_not_matter(name: str, change: "type[str]") -> None:
    assert key_name(change(name)) == name
    assert key_name(change(name).replace("_", "")) == name


keys = st.one_of(
    st.sampled_from(MODIFIERS + NAMED).map(lambda key: (key,)),
    characters.map(lambda key: (key,)),
    st.lists(
        st.sampled_from(MODIFIERS + NAMED)
        | characters.filter(lambda key: len(key.lower()) != 1 or key == key.lower()),
        min_size=2,
        max_size=4,
    ).map(tuple),
)


@given(keys)
def test_what_is_written_is_read_back(chord: tuple[str, ...]) -> None:
    assert parse_keys(keys_text(chord)) == chord


@given(st.text(max_size=20))
def test_any_text_gives_keys_or_one_clear_error(text: str) -> None:
    try:
        names = parse_keys(text)
    except UnknownKeyError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
    else:
        assert names
        assert all(key_name(name) == name for name in names)
