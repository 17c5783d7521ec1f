"""Makes ``weights/ppocrv6_small_rec.onnx`` and its list of characters from the network that rapidocr ships.

    python tests/screens/smaller_network.py FOLDER-OF-THE-UNPACKED-WHEEL

Needs the package ``onnx``, which nothing else does. Three things are changed: of the 18,708 characters those stay
that PP-OCR's smallest network knows too, kana, and the Chinese characters of the Japanese standard JIS X 0208; weights
are stored as 16-bit floats; and what the network sees before it names characters is a second answer, "features".
"""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

WEIGHTS = Path(__file__).resolve().parents[2] / "vision" / "computer_vision" / "weights"
NETWORK, CHARACTERS = "ppocrv6_small_rec.onnx", "ppocrv6_small_dict.txt"
PUBLISHED = "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884"
HEAD = ("linear_8.w_0", "linear_8.b_0")  # the last dimension is that of the characters
FLOAT = 1  # ONNX's number for 32-bit floats
FEW = 256  # numbers: fewer stay as they are


def main() -> None:
    onnx: Any = import_module("onnx")
    published = (Path(sys.argv[1]) / "rapidocr" / "models" / "PP-OCRv6_rec_small.onnx").read_bytes()
    assert sha256(published).hexdigest() == PUBLISHED, "this is another network"
    model = onnx.load_model_from_string(published)
    known = next(entry.value for entry in model.metadata_props if entry.key == "character").split("\n")
    staying = wanted(known)
    kept = [number for number, character in enumerate(known) if character in staying]
    reduce(model, [0, *(number + 1 for number in kept), len(known) + 1])
    onnx.checker.check_model(model)
    (WEIGHTS / CHARACTERS).write_text("".join(f"{known[number]}\n" for number in kept), encoding="utf-8")
    written = model.SerializeToString(deterministic=True)
    (WEIGHTS / NETWORK).write_bytes(written)
    print(f"{len(kept)} characters, {len(written)} bytes, SHA-256 {sha256(written).hexdigest()}")


def wanted(known: list[str]) -> set[str]:
    """The characters that stay: the smallest network's, the Japanese standard's, and kana of half width."""
    tiny = (WEIGHTS / "ppocrv6_tiny_dict.txt").read_text(encoding="utf-8").split("\n")
    cells = (bytes([row, column]) for row in range(0xA1, 0xFF) for column in range(0xA1, 0xFF))
    standard = "".join(cell.decode("euc_jp", errors="ignore") for cell in cells)
    kana = {character for character in known if "\u3041" <= character[0] <= "\u30ff"}
    return {*tiny, *standard, *kana, *map(chr, range(0xFF66, 0xFFA0))} - {"", " "}


def reduce(model: Any, columns: list[int]) -> None:  # noqa: ANN401 - onnx has no types
    """Keep these columns of the answer, halve the weights, and answer with the features too."""
    helper, numpy_helper = import_module("onnx.helper"), import_module("onnx.numpy_helper")
    graph = model.graph
    tensors, casts = [], []
    for tensor in graph.initializer:
        numbers = numpy_helper.to_array(tensor)
        if tensor.name in HEAD:
            numbers = numbers[..., columns]
        if numbers.dtype == np.float32 and numbers.size >= FEW:
            half = f"{tensor.name}.half"
            tensors.append(numpy_helper.from_array(numbers.astype(np.float16), half))
            casts.append(helper.make_node("Cast", [half], [tensor.name], to=FLOAT))
        else:
            tensors.append(numpy_helper.from_array(numbers, tensor.name))
    nodes = list(graph.node)
    seen = next(node for node in nodes if node.op_type == "AveragePool").input[0]
    casts.append(helper.make_node("Identity", [seen], ["features"]))
    for field, entries in ((graph.initializer, tensors), (graph.node, [*nodes, *casts])):
        del field[:]
        field.extend(entries)
    graph.node.sort(key=lambda node: node.op_type != "Cast")  # what is used comes after what makes it
    graph.output[0].type.tensor_type.shape.dim[2].dim_value = len(columns)
    graph.output.append(helper.make_tensor_value_info("features", FLOAT, ["lines", 384, 3, "steps"]))
    del graph.value_info[:], model.metadata_props[:]


if __name__ == "__main__":
    main()
