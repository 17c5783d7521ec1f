# ruff: noqa: RUF001 - characters that look alike are what it is about
"""Lines of text as programs draw them, cut as proposals cut them, and what each says from left to right.

``alphabets_network.py`` learns from them, and says which packages and fonts they need. The texts are those of the
translations of installed programs: whole, in single words, and words with their letters shuffled, so that a network
learns letters rather than words. One text in twenty is held out, to measure with.
"""

from __future__ import annotations

import gettext
import random
import re
import unicodedata
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from zlib import crc32

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont, features

from computer_vision.look_alikes import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from computer_vision.recogniser import Crop

    Levels = NDArray[np.float32]  # of shape (rows, columns) 0 to 1, or (rows, columns, 3) 0 to 255
    Tone = list[int]  # blue, green, red

Choice = TypeVar("Choice")

TRANSLATIONS = Path("/usr/share/locale")


def span(first: int, last: int) -> list[str]:
    """The characters from one code point to another."""
    return [chr(code) for code in range(first, last + 1)]


LATIN = [
    *span(0x21, 0x7E),
    *(
        letter
        for letter in span(0xA1, 0x17F)
        if unicodedata.category(letter) != "Cf" and unicodedata.normalize("NFKC", letter) == letter
    ),
    *"ȘșȚțẞƒ",
]
MARKS = [*"–—‘’‚“”„†•‹›€₪₽№™←↑→↓↔−≈≠≤≥■□▲△▶▼▽◀◆◇○●★☆☐☑☒✓✔✕✖✗✘⋮⌘⌥⇧⏎"]
GREEK = [letter for letter in span(0x386, 0x3CE) if unicodedata.category(letter) in ("Lu", "Ll")]
CYRILLIC = [*span(0x400, 0x45F), *"ҐґҒғҚқҢңҮүҰұҺһӘәӨө"]
HEBREW = [*span(0x5D0, 0x5EA), "\u05f3", "\u05f4", "\u05be"]
ARABIC = [
    *span(0x621, 0x63A), *span(0x641, 0x64A), *"پچژکگیۀہھۂےںٹڈڑٱۃ",
    *span(0x660, 0x669), *span(0x6F0, 0x6F9), *"،؛؟٪٫٬",
]  # fmt: skip
ARABIC_LETTERS, VOWELLED = (
    ARABIC[:45],
    ARABIC[:36],
)  # those that are drawn at random, and that may carry a vowel
VOWELS = "\u064e\u064f\u0650\u0652\u0651"
EASTERN_DIGITS = "٠١٢٣٤٥٦٧٨٩"
CHARACTERS = list(dict.fromkeys((*LATIN, *MARKS, *GREEK, *CYRILLIC, *HEBREW, *ARABIC)))
KNOWN = {*CHARACTERS, " "}
SCRIPTS = {
    letter: script
    for script, letters in (("greek", GREEK), ("cyrillic", CYRILLIC), ("hebrew", HEBREW), ("arabic", ARABIC))
    for letter in letters
}

RIGHT_TO_LEFT, WITH_CAPITALS = ("arabic", "hebrew"), ("latin", "cyrillic", "greek")
NOTHING, NUMBER = "none", "number"  # what is not to be read, and what has no letters
MIXTURE = {"arabic": 36, "hebrew": 15, "cyrillic": 13, "greek": 8, "latin": 20, NOTHING: 4, NUMBER: 3}
LANGUAGES = {
    "arabic": {"ar": 6, "fa": 3, "ur": 1},
    "hebrew": {"he": 1},
    "cyrillic": {"ru": 5, "uk": 2, "bg": 1, "sr": 1, "be": 1, "kk": 1},
    "greek": {"el": 1},
    "latin": {
        "en": 6,
        **dict.fromkeys(("de", "fr", "es", "pl", "cs", "tr", "sv", "pt_BR", "hu", "ro"), 1),
    },
}
EAST_ASIAN = (
    "保存打开编辑文件新建删除设置关于帮助退出搜索查看工具确定取消"
    "はのをキャンセルファイル開く閉じる検索設定한국어파일편집보기도움말"
)
PARTED = (" • ", " · ", " | ", " › ", " / ", "/", ", ", " – ", "    ", "     ", " » ", " ● ", "\t")
LONGEST, LONGEST_OF_ALL = 56, 70  # characters of one text, and of several on a line
WHOLE = 48  # characters: of a longer text some words are drawn
HELD_OUT = 20  # one text in so many

# What is not drawn, or not told apart: marks of direction, the stroke that lengthens Arabic words, vowels.
UNSEEN = re.compile(
    "[\u00ad\u0640\u064b-\u0652\u0591-\u05bd\u05bf\u05c1\u05c2\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u0670]"
)
PLACEHOLDER = re.compile(r"%[-+0-9.$]*l*[a-zA-Z%]|\{[^}]*\}|<[^>]*>|&\w+;")

# Fonts of symbols, of ornaments and of handwriting, which no program has for its texts.
AVOIDED = re.compile(
    "Math|Symbol|Emoji|Musi|Nastaliq|Ornament|Zapf|Color|Keyboard|Variable|VF|Stam|Rashi|Dorot|KacstPen|KacstArt"
    "|KacstDecorative|KacstTitle|Hosny|AlYarmook|Quran|Rehan|Granada|Cortoba|Graph|Ostorah|Sindibad|Electron|Salem"
    "|Shado|Kayrawan|Furat|Tarablus|Tholoth|Jet$|Nice|Petra|Rasheeq|Hani|Haramain|Mashq|Metal|Sharjah|Dimnah|Hor$"
    "|Khalid|AlMateen|Homa|Nask[hi]*$|Salina",
    re.IGNORECASE,
)
OF_NOTO = re.compile(
    "Noto(Sans|Serif|SansMono|SansDisplay|SansArabic|SansArabicUI|NaskhArabic|NaskhArabicUI|KufiArabic|SansHebrew"
    "|SerifHebrew|RashiHebrew|LoopedThai)-"
)
# How often the fonts are drawn that programs have by default; once, all others.
FAVOURED = {
    "DejaVuSans": 14, "DejaVuSans-Bold": 6, "DejaVuSansMono": 4, "DejaVuSansCondensed": 2,
    "NotoSansArabic-Regular": 6, "NotoSansArabicUI-Regular": 5, "NotoSansArabic-Bold": 2,
    "NotoSansHebrew-Regular": 6, "NotoSans-Regular": 5, "NotoSans-Bold": 2,
    "LiberationSans-Regular": 8, "LiberationSans-Bold": 3,
    "NotoNaskhArabic-Regular": 3, "NotoNaskhArabicUI-Regular": 4, "NotoKufiArabic-Regular": 3,
    "FreeSans": 3, "DroidSansFallback": 0, "DroidNaskh-Regular": 3, "Roboto-Regular": 3, "OpenSans-Regular": 3,
    "Cantarell-Regular": 4, "Inter-Regular": 4, "Amiri-Regular": 2,
}  # fmt: skip
OF_EAST_ASIA = "DroidSansFallbackFull.ttf"
NEEDED = {  # a font that has all of these is one for that script
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويء",
    "hebrew": "".join(HEBREW[:27]),
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщьыэюяАБВ",
    "greek": "αβγδεζηθικλμνξοπρστυφχψωΩ",
    "latin": "".join(span(0x21, 0x7E)) + "äöüéèßñç",
}

# Pixels of the letters' height, as often as programs have them.
SIZES = (
    9,
    10,
    10,
    11,
    11,
    11,
    12,
    12,
    12,
    13,
    13,
    13,
    13,
    14,
    14,
    14,
    15,
    15,
    16,
    16,
    17,
    18,
    20,
    22,
    24,
    26,
    28,
    32,
)
FINER = {
    1: 6,
    3: 2,
    4: 2,
}  # times as large as it is drawn, then made smaller: letters stand between two pixels
WIDEST = 1400  # pixels of a line
MARGIN = 8  # pixels around a drawn text
INKED = 0.25  # of full ink: what proposals take for ink
BRIGHTNESS = (0.11, 0.59, 0.3)  # shares of blue, green and red
LEGIBLE = 60  # grey levels between letters and what is behind them


class Line(NamedTuple):
    """A line as it is cut from a screen, and the shapes of its letters from left to right."""

    crop: Crop
    label: str


class Font(NamedTuple):
    """A font's file, its name, and the characters that it has."""

    path: str
    name: str
    covers: frozenset[str]


class Inked(NamedTuple):
    """A picture of a text, where its letters are (top, bottom, left, right), and what is behind them."""

    picture: Levels
    box: tuple[int, int, int, int]
    ground: Tone
    ink: Tone


def fonts_in(folder: Path) -> list[Font]:
    """The fonts in which programs write."""
    found = []
    for path in sorted([*folder.rglob("*.ttf"), *folder.rglob("*.otf")]):
        noto = "noto" in path.relative_to(folder).parts
        if not AVOIDED.search(path.stem) and (not noto or OF_NOTO.match(path.stem)):
            found.append(font_at(path))
    return found


def font_at(path: Path) -> Font:
    """A font, from its file."""
    with import_module("fontTools.ttLib").TTFont(path, fontNumber=0, lazy=True) as font:
        return Font(str(path), path.stem, frozenset(map(chr, font.getBestCmap() or {})))


@lru_cache(maxsize=1024)
def face(path: str, size: int) -> ImageFont.FreeTypeFont:
    """A font in one size, which joins letters and orders them."""
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.RAQM)


def texts_of(language: str, dice: random.Random) -> list[str]:
    """The texts of installed programs in a language; the English ones are what German ones stand for."""
    found: dict[str, None] = {}
    folder = TRANSLATIONS / ("de" if language == "en" else language) / "LC_MESSAGES"
    for key, value in (pair for path in sorted(folder.glob("*.mo")) for pair in pairs_of(path)):
        text = key if language == "en" else value
        for part in text.split("\x04")[-1].split("\n"):
            said = cleaned(PLACEHOLDER.sub(lambda _: filling(dice), part))
            if 1 <= len(said) <= 200 and KNOWN.issuperset(said):
                found[said] = None
    return list(found)


def pairs_of(path: Path) -> Iterator[tuple[str, str]]:
    """The texts of a file of translations, and what they are in its language; none of a broken one."""
    try:
        with path.open("rb") as file:
            entries = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined] # it has no other way
    except (OSError, ValueError):
        return
    for key, value in entries.items():
        yield key[0] if isinstance(key, tuple) else key, value


def filling(dice: random.Random) -> str:
    """What a program puts in the place of a placeholder: a number, or nothing."""
    number = str(dice.randrange(100))
    return dice.choice(["", number])


def cleaned(text: str) -> str:
    """The text as it is drawn."""
    seen = UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return " ".join(seen.replace("_", "").replace("…", "...").split())


def is_held_out(text: str) -> bool:
    """Whether nothing may be learned from a text."""
    return crc32(text.encode()) % HELD_OUT == 0


class Writer:
    """Says what lines say."""

    def __init__(self, dice: random.Random, texts: Mapping[str, Sequence[str]]) -> None:
        self._dice, self._texts = dice, texts
        self._words = {
            language: [word for text in own for word in text.split()] for language, own in texts.items()
        }

    def line(self) -> tuple[str, str]:
        """The script of a line, and its text, or several with what parts them on a screen."""
        dice = self._dice
        script, text = self._text()
        if script == NOTHING or dice.random() > 0.16:
            return script, text
        between = dice.choice(PARTED)
        for _ in range(dice.choice([1, 1, 2])):
            other, more = self._text()
            if other == script:
                text += between.replace("\t", " " * dice.randrange(3, 8)) + more
        return script, text[:LONGEST_OF_ALL].strip()

    def _text(self) -> tuple[str, str]:
        dice = self._dice
        script = weighted(dice, MIXTURE)
        if script == NOTHING:
            return script, "".join(dice.choices(EAST_ASIAN, k=dice.randrange(1, 12)))
        if script == NUMBER:
            return "latin", number(dice)
        language = weighted(dice, LANGUAGES[script])
        text = self._extended(self._said(script, language), script)
        if script in WITH_CAPITALS and dice.random() < 0.12:
            text = text.upper()
        return script, text[:LONGEST].strip()

    def _said(self, script: str, language: str) -> str:
        """A text of a program, some words, or words that nobody knows."""
        dice = self._dice
        kind = dice.random()
        if kind < 0.45:
            return self._excerpt(dice.choice(self._texts[language]))
        if kind < 0.8:
            many = weighted(dice, {1: 5, 2: 4, 3: 2, 4: 1})
            return " ".join(dice.choice(self._words[language]) for _ in range(many))
        many = weighted(dice, {1: 5, 2: 3, 3: 1})
        return " ".join(self._unknown(script, language) for _ in range(many))

    def _excerpt(self, text: str) -> str:
        words = text.split()
        if len(text) <= WHOLE:
            return text
        start = self._dice.randrange(len(words))
        return " ".join(words[start : start + self._dice.randrange(1, 7)])

    def _unknown(self, script: str, language: str) -> str:
        dice = self._dice
        letters = list(dice.choice(self._words[language]))
        if dice.random() < 0.6:
            dice.shuffle(letters)
        elif script == "arabic":
            letters = [dice.choice(ARABIC_LETTERS) for _ in letters]
        return "".join(letters)

    def _extended(self, text: str, script: str) -> str:
        """The text, some with a number or an English word beside it."""
        dice = self._dice
        if dice.random() < 0.12:
            return f"{text} {number(dice)}"
        if script == "arabic" and dice.random() < 0.08:
            return f"{text} " + "".join(dice.choice(EASTERN_DIGITS) for _ in range(dice.randrange(1, 5)))
        if script != "latin" and dice.random() < 0.07:
            after, before = dice.choice(self._words["en"]), dice.choice(self._words["en"])
            return dice.choice([f"{text} {after}", f"{before} {text}"])
        return text


def number(dice: random.Random) -> str:
    """A number, a time, a date, a price, or the name of a product."""

    def digits(many: int) -> str:
        return "".join(dice.choice("0123456789") for _ in range(many))

    def capital() -> str:
        return dice.choice("ABCDEFGHKLMNPRSTVX")

    form = dice.randrange(8)
    return (
        digits(dice.randrange(1, 6)),
        f"{digits(2)}:{digits(2)}",
        f"{digits(2)}.{digits(2)}.{digits(4)}",
        f"{digits(dice.randrange(1, 4))},{digits(2)} €",
        f"${digits(dice.randrange(1, 4))}.{digits(2)}",
        f"{digits(4)}-{digits(2)}-{digits(2)}",
        f"{capital()}{capital()}-{digits(dice.randrange(2, 6))}",
        f"{digits(dice.randrange(1, 3))} %",
    )[form]


def weighted(dice: random.Random, choices: Mapping[Choice, int]) -> Choice:
    """One of the choices, as often as its number says."""
    return dice.choices(list(choices), list(choices.values()))[0]


class Lines:
    """Lines without end, the same ones for a seed; from the texts for learning or from those that are held out."""

    def __init__(self, folder: Path, seed: int, *, held_out: bool = False) -> None:
        assert features.check("raqm"), "Pillow cannot join Arabic letters here"
        self._dice, self._noise = random.Random(seed), np.random.default_rng(seed)  # noqa: S311 - to make the same
        fillings = random.Random(seed)  # noqa: S311 - to make the same again
        texts = {
            language: [text for text in texts_of(language, fillings) if is_held_out(text) == held_out]
            for languages in LANGUAGES.values()
            for language in languages
        }
        self._writer = Writer(self._dice, texts)
        fonts = fonts_in(folder)
        self._fonts = {
            script: {font: FAVOURED.get(font.name, 1) for font in fonts if font.covers.issuperset(letters)}
            for script, letters in NEEDED.items()
        }
        self._east_asian = font_at(next(folder.rglob(OF_EAST_ASIA)))

    def __iter__(self) -> Iterator[Line]:
        while True:
            line = self._drawn()
            if line is not None:
                yield line

    def _drawn(self) -> Line | None:
        """A line; None of one that no font has, or that shows nothing."""
        script, text = self._writer.line()
        if not text.strip() or not (script == NOTHING or KNOWN.issuperset(text)):
            return None
        font = self._font(script, text)
        if font is None:
            return None
        label, direction = self._read(script, text)
        size, finer, coloured = (
            self._dice.choice(SIZES),
            weighted(self._dice, FINER),
            self._dice.random() < 0.12,
        )
        shown = self._vowelled(text) if script == "arabic" and self._dice.random() < 0.04 else text
        letters = self._letters(shown, face(font.path, size * finer), finer, direction)
        if letters is None:
            return None
        inked = self._inked(letters, coloured=coloured)
        if inked is None:
            return None
        crop = self._cut(self._underlined(inked))
        crop = self._beside(self._framed(crop, inked), inked)
        return Line(np.clip(crop + 0.5, 0, 255).astype(np.uint8), label)

    def _font(self, script: str, text: str) -> Font | None:
        """A font that has all of the text."""
        if script == NOTHING:
            return self._east_asian
        for _ in range(4):
            font = weighted(self._dice, self._fonts[script])
            if font.covers.issuperset(set(text) - {" "}):
                return font
        return None

    def _read(self, script: str, text: str) -> tuple[str, str | None]:
        """The shapes of the letters from left to right, and the direction in which the line is written."""
        if script == NOTHING:
            return "", None
        leftward = script in RIGHT_TO_LEFT and self._dice.random() < 0.95
        said = shapes(" ".join(text.split()))
        label = import_module("bidi.algorithm").get_display(said, base_dir="R" if leftward else "L")
        return label, "rtl" if leftward else "ltr"

    def _vowelled(self, text: str) -> str:
        """Arabic with some of the vowels, which are not to be read."""
        dice = self._dice
        return "".join(
            letter + (dice.choice(VOWELS) if dice.random() < 0.4 and letter in VOWELLED else "")
            for letter in text
        )

    def _letters(
        self, text: str, font: ImageFont.FreeTypeFont, finer: int, direction: str | None
    ) -> Levels | None:
        """How much of each pixel is ink, 0 to 1; None of what is too wide or nothing."""
        dice = self._dice
        left, top, right, bottom = font.getbbox(text, direction=direction)
        width, height = int(right - left), int(bottom - top)
        if width < 2 or height < 2 or width > WIDEST * finer:
            return None
        margin = MARGIN * finer
        mask = Image.new("L", (width + 2 * margin, height + 2 * margin), 0)
        within = [dice.randrange(finer) if finer > 1 else 0 for _ in range(2)]  # of a pixel
        place = (margin - left + within[0], margin - top + within[1])
        ImageDraw.Draw(mask).text(place, text, 255, font=font, direction=direction)
        letters: Levels = np.asarray(mask, np.float32) / np.float32(255)
        if finer > 1:
            rows, columns = letters.shape
            smaller = cv2.resize(letters, (columns // finer, rows // finer), interpolation=cv2.INTER_AREA)
            letters = np.asarray(smaller, np.float32)
        if dice.random() < 0.25:  # bolder or thinner
            letters = np.clip(letters, 0, 1) ** dice.uniform(0.7, 1.35)
        return letters

    def _inked(self, letters: Levels, *, coloured: bool) -> Inked | None:
        """The letters in ink, some smoothed in colours, as for flat screens; None where they are too faint."""
        cover = np.repeat(letters[:, :, None], 3, 2)
        if coloured:
            aside = [np.roll(letters, by, 1) * 0.33 + letters * 0.67 for by in (-1, 1)]
            cover = np.stack([aside[0], letters, aside[1]], 2)
        ink, ground = self._colours()
        behind = self._behind(letters.shape, ground)
        picture = behind * (1 - cover) + np.array(ink, np.float32) * cover
        rows, columns = np.nonzero(letters > INKED)
        if not len(rows):
            return None
        box = int(rows.min()), int(rows.max()) + 1, int(columns.min()), int(columns.max()) + 1
        return Inked(picture, box, ground, ink)

    def _behind(self, shape: tuple[int, ...], ground: Tone) -> Levels:
        """What is behind the letters: one colour, some with a gradient or with noise."""
        behind = np.broadcast_to(np.array(ground, np.float32), (*shape, 3)).copy()
        if self._dice.random() < 0.06:
            behind += np.linspace(0, self._dice.uniform(-25, 25), shape[0])[:, None, None]
        if self._dice.random() < 0.04:
            behind += self._noise.normal(0, self._dice.uniform(1, 5), behind.shape)
        return behind

    def _colours(self) -> tuple[Tone, Tone]:
        """The ink, and what is behind it."""
        ink, ground = self._pair_of_colours()
        if self._dice.random() < 0.3:
            ground = self._tinted(ground, 8)
            ink = self._tinted(ink, 20)
        return ink, ground

    def _pair_of_colours(self) -> tuple[Tone, Tone]:
        """Dark on light, light on dark, either of them dimmed, or any two that can be told apart."""
        level, kind = self._dice.randrange, self._dice.random()
        if kind < 0.4:
            ground = level(238, 256)
            return [level(0, 90)] * 3, [ground] * 3
        if kind < 0.6:
            ground = level(15, 70)
            return [level(170, 256)] * 3, [ground] * 3
        if kind < 0.72:
            ground = level(225, 256)
            return [ground - level(45, 130)] * 3, [ground] * 3
        if kind < 0.78:
            ground = level(20, 70)
            return [ground + level(45, 110)] * 3, [ground] * 3
        while True:
            any_ground = [level(0, 256) for _ in range(3)]
            ink = self._dice.choice([[255] * 3, [0] * 3, [level(0, 256) for _ in range(3)]])
            if abs(np.dot(any_ground, BRIGHTNESS) - np.dot(ink, BRIGHTNESS)) > LEGIBLE:
                return ink, any_ground

    def _tinted(self, tone: Tone, most: int) -> Tone:
        return [min(255, max(0, level + self._dice.randrange(-most, most + 1))) for level in tone]

    def _underlined(self, inked: Inked) -> Inked:
        """Some lines are underlined, as links are, with a stroke or dots; proposals take that for letters."""
        dice = self._dice
        if dice.random() >= 0.09:
            return inked
        top, bottom, left, right = inked.box
        row = min(len(inked.picture) - 1, bottom + dice.randrange(-1, 3))
        step = dice.choice([1, 1, 2, 3, 4])
        picture = inked.picture.copy()
        for start in range(max(1, step // 2)):
            picture[row, left + start : right : step] = inked.ink
        return inked._replace(picture=picture, box=(top, max(bottom, row + 1), left, right))

    def _cut(self, inked: Inked) -> Levels:
        """The line with as much around it as proposals leave, a pixel more or less."""
        dice = self._dice
        top, bottom, left, right = inked.box
        room = max(2, round(0.16 * (bottom - top)))
        top -= room - dice.choice([-1, 0, 0, 0, 0, 1])
        bottom += room + dice.choice([-1, 0, 0, 0, 0, 1])
        left -= 3 - dice.choice([-2, -1, 0, 0, 0, 1])
        right += 3 + dice.choice([-1, 0, 0, 0, 1, 2])
        if dice.random() < 0.05:
            top -= dice.randrange(4)
            bottom += dice.randrange(4)
        crop = filled((bottom - top, right - left), inked.ground)
        above, before = max(top, 0), max(left, 0)
        part = inked.picture[above:bottom, before:right]
        rows, columns = part.shape[:2]
        crop[above - top : above - top + rows, before - left : before - left + columns] = part
        return crop

    def _framed(self, crop: Levels, inked: Inked) -> Levels:
        """Some lines within the frame of a button, some a little wider or narrower."""
        dice = self._dice
        if dice.random() < 0.08:
            above, beside = dice.randrange(1, 7), dice.randrange(1, 9)
            wider = cv2.copyMakeBorder(crop, above, above, beside, beside, cv2.BORDER_REPLICATE)
            corner = (wider.shape[1] - 1, wider.shape[0] - 1)
            cv2.rectangle(wider, (0, 0), corner, between(inked, 0.4).tolist(), 1)
            crop = np.asarray(wider, np.float32)
        if dice.random() < 0.1:
            wide = dice.uniform(0.92, 1.2)
            stretched = cv2.resize(crop, None, fx=wide, fy=1.0, interpolation=cv2.INTER_LINEAR)
            crop = np.asarray(stretched, np.float32)
        return crop

    def _beside(self, crop: Levels, inked: Inked) -> Levels:
        """What stands beside a text on its line: a border, a caret, an icon."""
        dice = self._dice
        height, width = crop.shape[:2]
        if dice.random() < 0.05:
            crop[dice.choice([0, height - 1])] = between(inked, 0.5)
        if dice.random() < 0.05:
            crop[:, dice.choice([0, width - 1])] = between(inked, 0.5)
        if dice.random() < 0.12:
            side, gap = max(8, int(height * dice.uniform(0.5, 0.9))), dice.randrange(0, 9)
            place = filled((height, side + gap), inked.ground)
            above, before = (height - side) // 2, 0 if dice.random() < 0.5 else gap
            square = place[above : above + side, before : before + side]
            square[:] = self._icon(np.ascontiguousarray(square), inked.ink)
            both = [place, crop] if dice.random() < 0.5 else [crop, place[:, ::-1]]
            crop = np.concatenate(both, axis=1)
        return crop

    def _icon(self, icon: Levels, ink: Tone) -> Levels:
        """A circle, a square, a menu, an outline, a shape, a tick, or a lens."""
        dice = self._dice
        rows, columns = icon.shape[:2]
        middle, corner, kind = (rows // 2, rows // 2), (rows - 2, rows - 2), dice.randrange(7)

        def point() -> tuple[int, int]:
            return dice.randrange(1, max(2, columns - 1)), dice.randrange(1, max(2, rows - 1))

        if kind == 0:
            thick = dice.choice([1, 1, -1])
            cv2.circle(icon, middle, max(2, rows // 2 - 1), ink, thick, cv2.LINE_AA)
        elif kind == 1:
            cv2.rectangle(icon, (1, 1), corner, ink, 1)
        elif kind == 2:
            for row in range(2, rows - 1, max(2, rows // 4)):
                cv2.line(icon, (1, row), (rows - 2, row), ink, 1)
        elif kind == 3:
            cv2.polylines(icon, [np.array([point() for _ in range(4)], np.int32)], True, ink, 1, cv2.LINE_AA)  # noqa: FBT003 - closed
        elif kind == 4:
            cv2.fillPoly(icon, [np.array([point() for _ in range(4)], np.int32)], ink, cv2.LINE_AA)
        elif kind == 5:
            cv2.line(icon, (1, rows // 2), (rows // 3, rows - 2), ink, 1, cv2.LINE_AA)
            cv2.line(icon, (rows // 3, rows - 2), (rows - 2, 2), ink, 1, cv2.LINE_AA)
        else:
            cv2.circle(icon, middle, max(2, rows // 3), ink, 1, cv2.LINE_AA)
            cv2.line(icon, point(), point(), ink, 1, cv2.LINE_AA)
        return icon


def filled(shape: tuple[int, int], tone: Tone) -> Levels:
    """A picture of one colour."""
    return np.broadcast_to(np.array(tone, np.float32), (*shape, 3)).copy()


def between(inked: Inked, share: float) -> NDArray[np.float32]:
    """A colour with so much of the ink's."""
    return np.array(inked.ground, np.float32) * (1 - share) + np.array(inked.ink, np.float32) * share
