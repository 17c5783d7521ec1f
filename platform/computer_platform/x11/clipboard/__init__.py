"""The clipboard and the primary selection of an X display: read, owned, and lent for a paste.

X keeps no content: the program that copied answers each paste, in pieces when it is long, and what it
holds ends with it unless somebody else takes it over.
"""

from __future__ import annotations

from computer_platform.x11.clipboard.clipboard import X11Clipboard
from computer_platform.x11.clipboard.lending import Loan

__all__ = ["Loan", "X11Clipboard"]
