"""Make ``computer_vision/icon_space.npz``: what of a drawing tells meanings apart, and what only hands.

Linear discriminants of icons drawn twice (outlined and filled, by two hands, at other sizes): Tabler and Feather, both
under the MIT licence, and our own shapes. The sets of the test pages are not among them.

    python tests/icon_screens/train.py FOLDER_OF_UNPACKED_PACKAGES
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "vision"), str(ROOT / "tests")]

from computer_vision import drawing, icons, shapes  # noqa: E402 - the path comes first

CLASSES, DIMENSIONS, RIDGE = 2600, 128, 0.3


def shaken(svg: bytes, rng: np.random.Generator) -> np.ndarray | None:
    """The ink of a drawing at some small size, a little turned, stretched and shifted."""
    alpha = drawing.drawn(svg, int(rng.integers(14, 40)))[:, :, 3].astype(np.float32) / 255
    height, width = alpha.shape
    turn = cv2.getRotationMatrix2D(
        (width / 2, height / 2), float(rng.normal(0, 2)), float(rng.uniform(0.95, 1.05))
    )
    turn[:, 2] += rng.uniform(-0.5, 0.5, 2)
    alpha = cv2.warpAffine(np.pad(alpha, 2), turn, (width + 4, height + 4))
    alpha = cv2.resize(alpha, (max(4, round(alpha.shape[1] * (1 + rng.normal(0, 0.04)))), alpha.shape[0]))
    rows, columns = np.flatnonzero((alpha > 0.3).any(1)), np.flatnonzero((alpha > 0.3).any(0))
    if not rows.size:
        return None
    return icons.framed(alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def drawings(packages: Path, rng: np.random.Generator) -> dict[str, list[bytes]]:
    """Drawings of one thing, under its name."""
    tabler, feather = next(packages.glob("tabler-icons-*")), next(packages.glob("feather-icons-*"))
    files = sorted((tabler / "package/icons/outline").glob("*.svg"))
    found: dict[str, list[bytes]] = {}
    for at in rng.permutation(len(files))[:CLASSES]:
        name = files[at].name
        others = (tabler / "package/icons/filled" / name, feather / "package/dist/icons" / name)
        hands = [files[at], *(file for file in others if file.exists())]
        found[name] = [file.read_bytes().replace(b"currentColor", b"#000") for file in hands]
    return found | {f"our {name}": [d.encode() for d in shapes.drawings(name)] for name in shapes.names()}


def main() -> None:
    rng = np.random.default_rng(0)
    named: list[str] = []
    inks: list[np.ndarray] = []
    for name, hands in drawings(Path(sys.argv[1]), rng).items():
        for svg in [svg for svg in hands for _ in range(2)]:
            ink = shaken(svg, rng)
            if ink is not None:
                named.append(name)
                inks.append(ink)
    rows = np.concatenate(
        [icons.appearance(np.stack(inks[at : at + 500])) for at in range(0, len(inks), 500)]
    )
    middle = rows.mean(0)
    rows = rows.astype(np.float64) - middle
    _, which = np.unique(named, return_inverse=True)
    counts = np.bincount(which)
    centers = np.zeros((len(counts), rows.shape[1]))
    np.add.at(centers, which, rows)
    centers /= counts[:, None]
    apart = (rows - centers[which])[counts[which] > 1]
    within = apart.T @ apart / len(apart)
    within += RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    sizes, axes = np.linalg.eigh(within)
    white = axes / np.sqrt(sizes)
    gains, turned = np.linalg.eigh(white.T @ (centers.T @ centers / len(centers)) @ white)
    best = (white @ turned[:, ::-1][:, :DIMENSIONS]) * np.sqrt(
        gains[::-1][:DIMENSIONS] / (gains[::-1][:DIMENSIONS] + 1)
    )
    np.savez_compressed(
        ROOT / "vision/computer_vision/icon_space.npz",
        middle=middle.astype(np.float32),
        axes=best.astype(np.float16),
    )


if __name__ == "__main__":
    main()
