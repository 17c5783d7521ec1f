"""Browsers: pages as clean text with their links and fields, files with where they came from.

    page = computer.browser.open("example.org")
    page = computer.browser.follow(3)
    saved = computer.browser.download("Price list")

``page`` holds the values, ``browser`` the seam with its two implementations (``own``, ``screen``), ``browsing`` what
both share: numbers and names of links and fields, parts of long pages, addresses that may be reached.
"""

from __future__ import annotations

from computer_api.browser.page import Download, Field, Link, Page, Tab

__all__ = ["Download", "Field", "Link", "Page", "Tab"]
