"""The screen as it was last seen, with the lines that may stand on it, kept up to date at little cost.

After a change the same lines are proposed as on a picture that is seen for the first time. What decides on them is
of two kinds. Carets and the maps of edges are made by operators that reach only so far, so they are worked out anew
where a changed pixel has a say, from a window wide enough that its own edges have none. The connected parts of words
have any size: a window around what changed grows until it cuts none of the old ones, and then it cuts none of the new
ones either, because outside of it nothing changed. Joining these parts to lines is quick and done for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from computer_vision import carets, proposals
from computer_vision.change import changes, share
from computer_vision.proposals import Piece, lines_of, maps_of, pieces, scale_of
from computer_vision.reader import Region
from computer_vision.regions import grown, overlap, union

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Boxes = NDArray[np.int32]  # of shape (n, 4): left, top, right, bottom of each

MUCH: Final = 0.5  # of the picture: from there on all of it is as quick


class Sheet:
    """A picture and the regions of its lines: ``bare`` is the picture without carets, ``lines`` the regions."""

    def __init__(self, pixels: Pixels) -> None:
        self._shown = pixels.copy()
        self.bare = carets.without_carets(self._shown)
        if self.bare is self._shown:
            self.bare = self._shown.copy()
        self._gray = np.asarray(cv2.cvtColor(self.bare, cv2.COLOR_BGRA2GRAY), dtype=np.uint8)
        height, width = self._gray.shape
        self._whole = Region(0, 0, width, height)
        self._scale = scale_of(height)
        self._maps = maps_of(self._gray, self._scale)
        self._keep(pieces(self._maps, self._whole, self._scale))

    def _keep(self, found: Sequence[Piece]) -> None:
        self._pieces = found
        self._boxes: Boxes = np.array(
            [(box.left, box.top, box.right, box.bottom) for box, _ in found], dtype=np.int32
        ).reshape(-1, 4)
        blobs = (blob for piece in found for blob in piece.blobs)
        self.lines = lines_of(blobs, self._maps.borders, self._scale)

    def changed(self, pixels: Pixels) -> tuple[Region, ...] | None:
        """Where the picture is another than the one before; None where it has another size or is mostly new."""
        if pixels.shape != self._shown.shape:
            return None
        where = changes(self._shown, pixels, threshold=0)
        return None if share(where, (self._whole.width, self._whole.height)) > MUCH else where

    def update(self, pixels: Pixels, where: Iterable[Region]) -> list[Region]:
        """Take over the picture, which is new in these regions. Returns where it is new without its carets."""
        where = list(where)
        for region in where:
            self._shown[_in(region)] = pixels[_in(region)]
        bared = [new for region in where if (new := self._without_carets(region))]
        for region in bared:
            self._gray[_in(region)] = cv2.cvtColor(
                np.ascontiguousarray(self.bare[_in(region)]), cv2.COLOR_BGRA2GRAY
            )
        mapped = [new for region in bared if (new := self._map(region))]
        if mapped:
            self._join(mapped)
        return bared

    def _around(self, region: Region, rows: int, columns: int) -> Region:
        return grown(region, rows, columns, self._whole)

    def _without_carets(self, region: Region) -> Region | None:
        """Take the carets out where a changed region has a say; returns where that made a difference."""
        reach = carets.REACH_UP, carets.REACH_SIDE
        inner = self._around(region, *reach)
        window = self._around(inner, *reach)
        shown = self._shown[_in(window)]
        gray = np.asarray(cv2.cvtColor(np.ascontiguousarray(shown), cv2.COLOR_BGRA2GRAY), dtype=np.uint8)
        bare = shown.copy()
        for caret in carets.carets(gray):
            rows = slice(caret.top, caret.bottom)
            bare[rows, caret.left : caret.right] = shown[rows, caret.left - 1 : caret.left]
        new = bare[inner.top - window.top :, inner.left - window.left :][: inner.height, : inner.width]
        old = self.bare[_in(inner)]
        difference = _differing(inner, (new != old).any(axis=2))
        self.bare[_in(inner)] = new
        return difference

    def _map(self, region: Region) -> Region | None:
        """Make the maps anew where a changed region has a say; returns where they are others now."""
        reach = proposals.reach(self._scale)
        inner = self._around(region, *reach)
        window = self._around(inner, *reach)
        differs = np.zeros((inner.height, inner.width), dtype=bool)
        for mine, made in zip(self._maps, maps_of(self._gray[_in(window)], self._scale), strict=True):
            new = made[inner.top - window.top :, inner.left - window.left :][: inner.height, : inner.width]
            differs |= new != mine[_in(inner)]
            mine[_in(inner)] = new
        return _differing(inner, differs)

    def _join(self, where: list[Region]) -> None:
        """Find the connected parts anew in and around these regions."""
        windows, touched = self._closed(where)
        kept = [piece for piece, gone in zip(self._pieces, touched.tolist(), strict=True) if not gone]
        found = [piece for window in windows for piece in pieces(self._maps, window, self._scale)]
        self._keep(kept + found)

    def _closed(self, where: list[Region]) -> tuple[list[Region], NDArray[np.bool_]]:
        """Windows around regions that cut no old part, apart from each other; and which old parts are in them."""
        waiting = list(where)
        done: list[Region] = []
        gone = np.zeros(len(self._boxes), dtype=bool)
        while waiting:
            window = waiting.pop()
            near = self._around(window, 1, 1)
            left, top, right, bottom = self._boxes.T
            touching = (left < near.right) & (right > near.left) & (top < near.bottom) & (bottom > near.top)
            others = [other for other in done if overlap(near, other)]
            done = [other for other in done if other not in others]
            parts = self._boxes[touching]
            if parts.size:
                (left, top), (right, bottom) = parts[:, :2].min(axis=0), parts[:, 2:].max(axis=0)
                others.append(Region(int(left), int(top), int(right - left), int(bottom - top)))
            larger = union((window, *others))
            gone |= touching
            if larger == window:
                done.append(window)
            else:
                waiting.append(larger)
        return done, gone


def _in(region: Region) -> tuple[slice, slice]:
    return slice(region.top, region.bottom), slice(region.left, region.right)


def _differing(region: Region, differs: NDArray[np.bool_]) -> Region | None:
    """The smallest part of a region that holds all that differs."""
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not rows.size:
        return None
    top, left = int(rows[0]), int(columns[0])
    return Region(region.left + left, region.top + top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)
