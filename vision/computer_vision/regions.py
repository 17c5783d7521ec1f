"""Arithmetic of regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_vision.reader import Region

if TYPE_CHECKING:
    from collections.abc import Iterable


def union(regions: Iterable[Region]) -> Region:
    """The smallest region that holds all of them."""
    regions = tuple(regions)
    left, top = min(r.left for r in regions), min(r.top for r in regions)
    right, bottom = max(r.right for r in regions), max(r.bottom for r in regions)
    return Region(left, top, right - left, bottom - top)


def overlap(one: Region, other: Region) -> int:
    """How many pixels both hold."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return max(0, width) * max(0, height)


def grown(region: Region, rows: int, columns: int, within: Region) -> Region:
    """The region with so many rows above and below and columns at its sides, as far as they are within another."""
    left, top = max(within.left, region.left - columns), max(within.top, region.top - rows)
    right, bottom = min(within.right, region.right + columns), min(within.bottom, region.bottom + rows)
    return Region(left, top, right - left, bottom - top)
