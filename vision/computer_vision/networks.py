"""The networks that read lines: their files, which come inside this package, how they run and what they answer.

Each is convolutional along the line: it sees 48 rows and as many columns as there are, and says every so many columns
which character is there. They stay in memory: nothing is started for a reading.
"""

from __future__ import annotations

import math
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from computer_vision.reader import ReaderUnavailable
from computer_vision.scripts import HAN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    import onnxruntime
    from numpy.typing import NDArray

    from computer_vision.alignment import Chances

    Pages = NDArray[np.float32]  # of shape (pages, 3, rows, columns), -1 to 1


class File(NamedTuple):
    """A network's file, and its SHA-256."""

    name: str
    digest: str


class Weights(NamedTuple):
    """A network, and the file of the characters that its answers stand for, a line for each.

    A ``head`` is a network that reads another alphabet in what this one sees. ``whole`` is one that names all of the
    characters in it, of which this one names the first ones; a network has one or the other. ``larger`` is how many
    times larger than they are its letters are shown to the network at most.
    """

    network: File
    characters: File
    head: Weights | None = None
    whole: File | None = None
    larger: float = math.inf


TINY: Final = Weights(
    File("ppocrv6_tiny_rec.onnx", "4d915b6510a93010164ca3398d554dceef842c729c8eecdc5f26d1d0117e64db"),
    File("ppocrv6_tiny_dict.txt", "4b1d43662ae612e1de94f78e8cafacd27ce9b44bafc341c8b675bf16d62319fe"),
    whole=File("ppocrv6_tiny_whole.onnx", "75d28b53a3dddebb662f1f7e036621963ce416288b7fc058ea910f0f16a533a0"),
    larger=2.9,
)
"""Latin and Chinese, about 3 ms a line. Small letters are read better, and sooner, when they do not fill its rows."""
HANGUL_HEAD: Final = Weights(
    File("hangul_rec.onnx", "24eccda888f0ed48939342bf3df7953f55d961284a3f5725747fdc344d112c0e"),
    File("hangul_dict.txt", "5eaef287c7c44207feb62d08e30348110223191f1927319071954bd179b97d92"),
)
SMALL: Final = Weights(
    File("ppocrv6_small_rec.onnx", "4454904ee4c18c092855799c0bf954b9724aae6be37606c16627ef51c3da9997"),
    File("ppocrv6_small_dict.txt", "317cc3a6a7996287a630b21f953977807fd408ec839572347852a0e913d268c9"),
    HANGUL_HEAD,
)
"""Japanese and Korean too, and all of it better; five times the cost."""

FEATURES: Final = "features"  # what the networks call what they see, and a head what it takes
ROWS: Final = 48  # what the networks take
SPACE: Final = " "
HINT: Final = 0.001  # chance of any of the common Chinese characters: with less there is none of the others


class Alphabet(NamedTuple):
    """The characters that the columns of an answer stand for, and the other way round; the first is none."""

    characters: tuple[str, ...]
    columns: Mapping[str, int]


class Network(NamedTuple):
    """The weights, ready to run, and what their answers, one for each alphabet, stand for.

    ``chinese`` is the first column of the common Chinese characters.
    """

    session: onnxruntime.InferenceSession
    alphabets: tuple[Alphabet, ...]
    head: onnxruntime.InferenceSession | None = None
    whole: onnxruntime.InferenceSession | None = None
    chinese: int = 0
    larger: float = math.inf

    def run(self, pages: Pages, *, whole: bool = False) -> list[list[Chances]]:
        """For each page and each alphabet the chances, of shape (steps, characters).

        The characters that come seldom are among these where there may be one, or with ``whole``.
        """
        answer, *seen = self.session.run(None, {"x": pages})
        answers = _by_page(answer, pages)
        if self.whole is not None:
            features = _by_page(seen[0], pages)
            return [
                [_answer(self.whole, steps) if whole or self._may_be_chinese(one) else one]
                for one, steps in zip(answers, features, strict=True)
            ]
        if self.head is not None:
            others = _by_page(_answer(self.head, seen[0]), pages)
            return [list(both) for both in zip(answers, others, strict=True)]
        return [[one] for one in answers]

    def _may_be_chinese(self, chances: Chances) -> bool:
        return bool(chances[:, self.chinese :].sum(axis=1).max() > HINT)


def _answer(head: onnxruntime.InferenceSession, seen: object) -> NDArray[np.float32]:
    (answer,) = head.run(None, {FEATURES: seen})
    return np.asarray(answer, dtype=np.float32)


def _by_page(answer: object, pages: Pages) -> NDArray[np.float32]:
    """What was answered for all steps, of shape (pages, steps, numbers)."""
    rows = np.asarray(answer, dtype=np.float32)
    return rows.reshape(len(pages), -1, rows.shape[-1])


@cache
def loaded(weights: Weights) -> Network:
    """A network, from the files of this package: one for all that read. Raises ``ReaderUnavailable``."""
    try:
        import onnxruntime
    except ImportError as missing:
        raise ReaderUnavailable(
            f'Reading text from the screen needs "onnxruntime", which cannot be loaded here ({missing}); install it '
            'with pip, or the system\'s package "tesseract-ocr", which is used where it is not there.'
        ) from None
    network = Network(
        _session(onnxruntime, weights.network), (_alphabet(weights.characters),), larger=weights.larger
    )
    if weights.whole is not None:
        characters = network.alphabets[0].characters
        chinese = next(column for column, character in enumerate(characters) if HAN.match(character))
        return network._replace(whole=_session(onnxruntime, weights.whole), chinese=chinese)
    if weights.head is None:
        return network
    head = _session(onnxruntime, weights.head.network)
    return network._replace(head=head, alphabets=(*network.alphabets, _alphabet(weights.head.characters)))


def _session(runtime: ModuleType, file: File) -> onnxruntime.InferenceSession:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only: it writes to the terminal
    session: onnxruntime.InferenceSession = runtime.InferenceSession(
        _content(file), options, providers=["CPUExecutionProvider"]
    )
    return session


def _alphabet(file: File) -> Alphabet:
    lines = [line for line in _content(file).decode().split("\n") if line]
    known = ("", *lines) if SPACE in lines else ("", *lines, SPACE)
    return Alphabet(known, {character: number for number, character in enumerate(known)})


def _content(file: File) -> bytes:
    try:
        content = (resources.files("computer_vision") / "weights" / file.name).read_bytes()
    except FileNotFoundError as missing:
        raise ReaderUnavailable(
            f'The file "{missing.filename}" of this package is missing; install the package again.'
        ) from None
    if sha256(content).hexdigest() != file.digest:
        raise ReaderUnavailable(f'The file "{file.name}" is damaged; install the package again.')
    return content
