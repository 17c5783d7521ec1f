"""Trains ``weights/hangul_rec.onnx``, which reads Korean in what PP-OCR's small network sees.

    python tests/screens/hangul_network.py FOLDER-OF-FONTS [--lines 12000] [--epochs 7]

Needs the packages ``jax``, ``optax`` and ``onnx``, which nothing else does, Debian's font packages fonts-noto-cjk,
fonts-nanum, fonts-unfonts-core, fonts-baekmuk and fonts-takao-gothic (unpacked in the folder, or installed in it), and
the translations of installed programs. About half an hour on two cores.

Each syllable of Korean is a first consonant, a vowel and a last consonant or none: the network scores these 68 parts,
and a syllable's score is the sum of its parts'. So every syllable is learned from all that share its parts. Lines are
drawn from half of the texts of programs, syllables at random, numbers, dates and English; one in six is in another
script, of which nothing is to be read.
"""

from __future__ import annotations

import argparse
import gettext
import random
import re
import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if __name__ == "__main__":  # run as a program, it is not on the path of the tests
    sys.path[:0] = [
        str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "vision", "platform", "")
    ]

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from computer_vision.networks import FEATURES, SMALL, loaded
from computer_vision.ppocr import page_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from computer_vision.recogniser import Crop

    Numbers = NDArray[np.float32]

WEIGHTS = Path(__file__).resolve().parents[2] / "vision" / "computer_vision" / "weights"
TRANSLATIONS = Path("/usr/share/locale")
KOREAN = ("Nanum*", "UnDotum*", "UnBatang*", "UnGraphic*", "dotum*", "gulim*", "batang*", "NotoS*CJK*")
OTHERS = {
    "ja": ("Takao*", "NotoS*CJK*"),
    "zh_CN": ("NotoS*CJK*",),
    **dict.fromkeys(("ru", "ar", "he"), ("DejaVu*",)),
}
SIZES = (10, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 16, 16, 17, 18, 20, 22, 24, 26, 28, 32)
ROWS, WIDEST, LONGEST = 48, 900, 24  # of the network, columns of a line, characters of a line
SEEN, FIRST, SECOND = 1152, 192, 256  # numbers that describe four columns, and those of the two layers

SYLLABLES = [
    bytes([row, column]).decode("euc_kr") for row in range(0xB0, 0xC9) for column in range(0xA1, 0xFF)
]
PLAIN = [*map(chr, range(33, 127)), *"·…\u00d7□■℃→「」\u201c\u201d\u2018\u2019"]
CHARACTERS = ["", *PLAIN, *SYLLABLES, " "]
CODES = np.array([ord(syllable) - 0xAC00 for syllable in SYLLABLES])
PARTS = (CODES // 588, 19 + CODES // 28 % 21, 40 + CODES % 28)  # columns of the 68 parts, for each syllable
NONE_AND_PLAIN = 1 + len(PLAIN)


class Sample(NamedTuple):
    """What the network sees of a line, of shape (steps, SEEN), and the numbers of its characters."""

    seen: NDArray[np.float16]
    labels: NDArray[np.int32]


def main() -> None:
    asked = argparse.ArgumentParser(description="Train the network that reads Korean.")
    asked.add_argument("fonts", type=Path)
    asked.add_argument("--lines", type=int, default=12_000)
    asked.add_argument("--epochs", type=int, default=7)
    options = asked.parse_args()
    samples = list(drawn_samples(options.fonts, options.lines))
    written = exported(trained(samples, options.epochs))
    (WEIGHTS / "hangul_rec.onnx").write_bytes(written)
    (WEIGHTS / "hangul_dict.txt").write_text("\n".join(CHARACTERS[1:-1]) + "\n", encoding="utf-8")
    print(f"{len(samples)} lines, {len(written)} bytes, SHA-256 {sha256(written).hexdigest()}")


def drawn_samples(fonts: Path, many: int) -> Iterator[Sample]:
    """Lines as they are drawn, Korean ones first, then a sixth as many of other scripts."""
    dice = random.Random(1)  # noqa: S311 - to make the same again
    korean, english = texts_of("ko", half=0), texts_of("ko", translated=False)
    faces = [(path, 1) for start in KOREAN for path in sorted(fonts.rglob(start))]
    made = 0
    while made < many:
        text = said(dice, korean, english)
        sample = sampled(dice, text, dice.choice(faces), text)
        if sample is not None:
            made += 1
            yield sample
    others = {language: texts_of(language) for language in OTHERS}
    for _ in range(many // 6):
        language = dice.choice([name for name, texts in others.items() if texts])
        text = dice.choice(others[language])[:20]
        left = (
            "".join(letter for letter in text if " " <= letter <= "~") if language in ("ja", "zh_CN") else ""
        )
        faces = [(path, 0) for start in OTHERS[language] for path in sorted(fonts.rglob(start))]
        sample = sampled(dice, text, dice.choice(faces), " ".join(left.split()))
        if sample is not None:
            yield sample


def texts_of(language: str, *, translated: bool = True, half: int | None = None) -> list[str]:
    """The short texts of installed programs in a language, or those that they stand for; or half of them."""
    known, found = {*CHARACTERS, " "}, set()
    for path in sorted((TRANSLATIONS / language / "LC_MESSAGES").glob("*.mo")):
        if re.search(r"iso[_-]|libc\.mo|pg_|libpq", path.name):
            continue
        with path.open("rb") as file:
            pairs = gettext.GNUTranslations(file)._catalog.items()  # type: ignore[attr-defined] # it has no other way
        entries = (value if translated else key for key, value in pairs)
        found |= {re.sub("[_&]", "", text).strip().rstrip(".…:") for text in entries if isinstance(text, str)}
    short = {text for text in found if 2 <= len(text) <= 16 and not re.search(r"[%{\n]", text)}
    if language == "ko":
        short = {text for text in short if known.issuperset(text)}
    return sorted(text for text in short if half is None or sum(map(ord, text)) % 2 == half)


def said(dice: random.Random, korean: Sequence[str], english: Sequence[str]) -> str:
    """What a line says."""
    kind = dice.random()
    if kind < 0.44:
        text = dice.choice(korean)
    elif kind < 0.72:
        letters = [
            dice.choice(SYLLABLES if dice.random() < 0.75 else korean)[0] for _ in range(dice.randint(2, 9))
        ]
        text = "".join(letters)
    elif kind < 0.82:
        number = dice.randint(1, 99)
        forms = "{0}월 {1}일|{0},{1}00원|오전 {0}:{1}|오후 {0}시 {1}분|{0}개|{0}층|{0}{1}호|{0}%|{2} ({0})|20{0}년"
        text = dice.choice(forms.split("|")).format(number, dice.randint(10, 59), dice.choice(korean)[:4])
    elif kind < 0.9:
        text = f"{dice.choice(korean)} {dice.choice(korean)}"
    else:
        text = dice.choice(english)
    return " ".join(text.split())[:22].strip()


def sampled(dice: random.Random, text: str, face: tuple[Path, int], read: str) -> Sample | None:
    """A drawn line as the network sees it; None of one that is too long or shows nothing."""
    crop = drawn(dice, text, face)
    if crop is None or crop.shape[1] * ROWS / crop.shape[0] > WIDEST or len(read) > LONGEST:
        return None
    (seen,) = loaded(SMALL).session.run([FEATURES], {"x": page_of(crop)[None]})
    steps = seen[0].reshape(SEEN, -1).T
    labels = np.array([CHARACTERS.index(letter, 1) for letter in read], np.int32)
    needed = len(labels) + int((labels[1:] == labels[:-1]).sum())
    even = steps[: len(steps) // 2 * 2].astype(np.float16)
    return Sample(even, labels) if needed <= len(even) // 2 else None


def drawn(dice: random.Random, text: str, face: tuple[Path, int]) -> Crop | None:
    """A line of text as a screen shows it: light or dark, dimmed, blurred, underlined, in a frame."""
    path, index = face
    font = ImageFont.truetype(
        str(path), size := dice.choice(SIZES), index=index if path.suffix == ".ttc" else 0
    )
    ground, ink = colours(dice)
    image = Image.new("RGB", (int(font.getlength(text)) + 30, int(2.6 * size)), ground)
    pen = ImageDraw.Draw(image)
    pen.text((8 + dice.random(), 0.6 * size), text, font=font, fill=ink)
    pixels = np.asarray(image)
    marked = np.abs(pixels.astype(int) - ground).max(axis=2) > 18  # grey levels
    if not marked.any():
        return None
    rows, columns = np.flatnonzero(marked.any(axis=1)), np.flatnonzero(marked.any(axis=0))
    if dice.random() < 0.1:
        pen.line((8, rows[-1] + 2, columns[-1], rows[-1] + 2), fill=ink)
    high = int(rows[-1] + 1 - rows[0])
    room = int(high * dice.uniform(0.2, 0.6)) if dice.random() < 0.25 else max(2, round(0.16 * high))
    top, left = max(0, rows[0] - room + dice.randint(-1, 1)), max(0, columns[0] - 3 + dice.randint(-1, 1))
    crop = np.ascontiguousarray(np.asarray(image)[top : rows[-1] + 1 + room, left : columns[-1] + 4, ::-1])
    if dice.random() < 0.12:
        cv2.rectangle(crop, (0, 0), (crop.shape[1] - 1, crop.shape[0] - 1), ink[::-1], 1)
    if dice.random() < 0.15:
        crop = np.asarray(cv2.GaussianBlur(crop, (3, 3), dice.uniform(0.3, 0.7)), dtype=np.uint8)
    return crop


def colours(dice: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What is behind the letters, and the letters."""
    dark = dice.random() < 0.55
    level = dice.randint(10, 110) if dark else dice.randint(215, 255)
    ground = [min(255, max(0, level + dice.randint(-40, 40))) for _ in range(3)]
    ink = [dice.randint(190, 255) if dark else dice.randint(0, 90)] * 3
    share = dice.uniform(0.35, 0.6) if dice.random() < 0.2 else 1.0  # disabled
    return tuple(ground), tuple(
        int(share * one + (1 - share) * other) for one, other in zip(ink, ground, strict=True)
    )


def trained(samples: Sequence[Sample], epochs: int, together: int = 16) -> dict[str, Numbers]:
    """The weights, by connectionist temporal classification."""
    jax, optax = import_module("jax"), import_module("optax")
    numbers = started(samples)
    rate = optax.cosine_onecycle_schedule(epochs * (len(samples) // together), 2e-3, 0.15)
    way = optax.chain(optax.clip_by_global_norm(5.0), optax.adam(rate))
    state = way.init(numbers)

    def loss(numbers: Any, batch: Any, key: Any) -> Any:  # noqa: ANN401 - jax
        seen, there, labels, beyond = batch
        lost = optax.ctc_loss(answers(jax, numbers, seen, there, key), 1 - there, labels, beyond)
        return (lost / jax.numpy.maximum(1, LONGEST - beyond.sum(1))).mean()

    @jax.jit  # type: ignore[untyped-decorator] # jax is loaded where it is used
    def step(numbers: Any, state: Any, batch: Any, key: Any) -> Any:  # noqa: ANN401 - jax
        lost, slopes = jax.value_and_grad(loss)(numbers, batch, key)
        slopes |= {name: 0 * slopes[name] for name in ("mean", "spread")}
        updates, state = way.update(slopes, state, numbers)
        return optax.apply_updates(numbers, updates), state, lost

    dice, key = random.Random(0), jax.random.PRNGKey(1)  # noqa: S311 - see above
    for epoch in range(epochs):
        total = []
        for batch in batches(samples, together, dice):
            key, own = jax.random.split(key)
            numbers, state, lost = step(numbers, state, batch, own)
            total.append(float(lost))
        print(f"epoch {epoch + 1}: {np.mean(total):.3f} a character", flush=True)
    return {name: np.asarray(value) for name, value in numbers.items()}


def started(samples: Sequence[Sample]) -> dict[str, Numbers]:
    """Weights to begin with."""
    dice = np.random.default_rng(0)
    some = np.concatenate([sample.seen for sample in samples[::40]]).astype(np.float32)

    def normal(*shape: int, times: float = 1.0) -> Numbers:
        spread = times * np.sqrt(2 / np.prod(shape[:-1]))
        return np.asarray(spread * dice.standard_normal(shape), dtype=np.float32)

    bias = np.zeros(NONE_AND_PLAIN + 1 + 68, np.float32)
    bias[0] = 2  # mostly nothing
    return {
        "mean": some.mean(axis=0), "spread": some.std(axis=0) + 1e-3,
        "w1": normal(SEEN, FIRST), "b1": np.zeros(FIRST, np.float32),
        "w2": normal(3, 2 * FIRST, SECOND), "b2": np.zeros(SECOND, np.float32),
        "w3": normal(3, SECOND, SECOND, times=0.5), "b3": np.zeros(SECOND, np.float32),
        "w4": normal(SECOND, len(bias), times=0.3), "b4": bias,
    }  # fmt: skip


def answers(jax: Any, numbers: Any, seen: Any, there: Any, key: Any) -> Any:  # noqa: ANN401 - jax
    """The scores of all characters at each step; ``exported`` says the same in ONNX."""

    def beside(layer: Any, weights: Any) -> Any:  # noqa: ANN401 - jax
        wide = jax.numpy.pad(layer, ((0, 0), (1, 1), (0, 0)))
        return wide[:, :-2] @ weights[0] + wide[:, 1:-1] @ weights[1] + wide[:, 2:] @ weights[2]

    def dropped(layer: Any, key: Any) -> Any:  # noqa: ANN401 - jax
        return layer * jax.random.bernoulli(key, 0.9, layer.shape) / 0.9

    keys, relu = jax.random.split(key), jax.nn.relu
    layer = dropped((seen - numbers["mean"]) / numbers["spread"], keys[0])
    layer = relu(layer @ numbers["w1"] + numbers["b1"])
    layer = layer.reshape(len(seen), -1, 2 * FIRST) * there[:, :, None]
    layer = relu(beside(layer, numbers["w2"]) + numbers["b2"]) * there[:, :, None]
    layer = dropped(layer + relu(beside(layer, numbers["w3"]) + numbers["b3"]), keys[1])
    scores = layer @ numbers["w4"] + numbers["b4"]
    parts = scores[..., NONE_AND_PLAIN + 1 :]
    syllables = sum(parts[..., columns] for columns in PARTS)
    return jax.numpy.concatenate(
        [scores[..., :NONE_AND_PLAIN], syllables, scores[..., NONE_AND_PLAIN : NONE_AND_PLAIN + 1]], -1
    )


def batches(
    samples: Sequence[Sample], together: int, dice: random.Random
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Lines of about the same length: what is seen, where there is something, the labels, where there is none."""
    order = sorted(range(len(samples)), key=lambda number: len(samples[number].seen) + 8 * dice.random())
    chunks = [order[start : start + together] for start in range(0, len(order) - together + 1, together)]
    dice.shuffle(chunks)
    for chunk in chunks:
        longest = -(-max(len(samples[number].seen) for number in chunk) // 32) * 32
        seen = np.zeros((together, longest, SEEN), np.float32)
        there = np.zeros((together, longest // 2), np.float32)
        labels, beyond = np.zeros((together, LONGEST), np.int32), np.ones((together, LONGEST), np.float32)
        for place, number in enumerate(chunk):
            sample = samples[number]
            seen[place, : len(sample.seen)] = sample.seen
            there[place, : len(sample.seen) // 2] = 1
            labels[place, : len(sample.labels)] = sample.labels
            beyond[place, : len(sample.labels)] = 0
        yield seen, there, labels, beyond


def exported(numbers: dict[str, Numbers]) -> bytes:
    """The network as ONNX, its weights stored as 16-bit floats."""
    onnx: Any = import_module("onnx")
    helper, numpy_helper = import_module("onnx.helper"), import_module("onnx.numpy_helper")
    made, tensors = [], []

    def stored(name: str, values: Any) -> None:  # noqa: ANN401 - an array of any kind
        if np.asarray(values).dtype == np.float32:
            tensors.append(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
            made.append(helper.make_node("Cast", [f"{name}.half"], [name], to=1))
        else:
            tensors.append(numpy_helper.from_array(values, name))

    first = numbers["w1"] / numbers["spread"][:, None]
    stored("w1", first.T.reshape(FIRST, SEEN // 3, 3, 1))
    stored("b1", numbers["b1"] - numbers["mean"] @ first)
    pairs = numbers["w2"].reshape(6, FIRST, SECOND).transpose(2, 1, 0)[:, :, None]
    for name, values in (("w2", pairs), ("w3", numbers["w3"].transpose(2, 1, 0)[:, :, None])):
        stored(name, values)
    for name in ("b2", "b3", "w4", "b4"):
        stored(name, numbers[name])
    own = NONE_AND_PLAIN
    columns = {
        "plain": np.arange(own), "space": np.array([own]),
        **{f"part{number}": own + 1 + part for number, part in enumerate(PARTS)},
    }  # fmt: skip
    node = helper.make_node
    made += [
        node("Conv", [FEATURES, "w1", "b1"], ["a"], kernel_shape=[3, 1]), node("Relu", ["a"], ["b"]),
        node("Conv", ["b", "w2", "b2"], ["c"], kernel_shape=[1, 6], strides=[1, 2], pads=[0, 2, 0, 2]),
        node("Relu", ["c"], ["d"]),
        node("Conv", ["d", "w3", "b3"], ["e"], kernel_shape=[1, 3], pads=[0, 1, 0, 1]), node("Relu", ["e"], ["f"]),
        node("Add", ["d", "f"], ["g"]), node("Squeeze", ["g", "rows"], ["h"]),
        node("Transpose", ["h"], ["i"], perm=[0, 2, 1]), node("MatMul", ["i", "w4"], ["j"]),
        node("Add", ["j", "b4"], ["k"]),
    ]  # fmt: skip
    stored("rows", np.array([2]))
    for name, chosen in columns.items():
        stored(f"{name}.columns", chosen.astype(np.int32))
        made.append(node("Gather", ["k", f"{name}.columns"], [name], axis=2))
    made += [
        node("Sum", ["part0", "part1", "part2"], ["syllables"]),
        node("Concat", ["plain", "syllables", "space"], ["scores"], axis=2),
        node("Softmax", ["scores"], ["fetch_name_0"], axis=2),
    ]
    seen = helper.make_tensor_value_info(FEATURES, 1, ["lines", SEEN // 3, 3, "steps"])
    answer = helper.make_tensor_value_info("fetch_name_0", 1, ["lines", "half", len(CHARACTERS)])
    graph = helper.make_graph(made, "hangul", [seen], [answer], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    written: bytes = model.SerializeToString(deterministic=True)
    return written


if __name__ == "__main__":
    main()
