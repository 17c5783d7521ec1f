"""The vocabulary of AT-SPI2: roles and states by their numbers, and which roles are what to us."""

from __future__ import annotations

# Role and state names by their numbers in the AT-SPI2 specification.
ROLES = (
    "invalid", "accelerator label", "alert", "animation", "arrow", "calendar", "canvas", "check box",
    "check menu item", "color chooser", "column header", "combo box", "date editor", "desktop icon",
    "desktop frame", "dial", "dialog", "directory pane", "drawing area", "file chooser", "filler",
    "focus traversable", "font chooser", "frame", "glass pane", "html container", "icon", "image",
    "internal frame", "label", "layered pane", "list", "list item", "menu", "menu bar", "menu item",
    "option pane", "page tab", "page tab list", "panel", "password text", "popup menu", "progress bar",
    "push button", "radio button", "radio menu item", "root pane", "row header", "scroll bar",
    "scroll pane", "separator", "slider", "spin button", "split pane", "status bar", "table", "table cell",
    "table column header", "table row header", "tearoff menu item", "terminal", "text", "toggle button",
    "tool bar", "tool tip", "tree", "tree table", "unknown", "viewport", "window", "extended", "header",
    "footer", "paragraph", "ruler", "application", "autocomplete", "editbar", "embedded", "entry", "chart",
    "caption", "document frame", "heading", "page", "section", "redundant object", "form", "link",
    "input method window", "table row", "tree item", "document spreadsheet", "document presentation",
    "document text", "document web", "document email", "comment", "list box", "grouping", "image map",
    "notification", "info bar", "level bar", "title bar", "block quote", "audio", "video", "definition",
    "article", "landmark", "log", "marquee", "math", "rating", "timer", "static", "math fraction",
    "math root", "subscript", "superscript", "description list", "description term", "description value",
    "footnote", "content deletion", "content insertion", "mark", "suggestion", "push button menu",
)  # fmt: skip
STATES = (
    "invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled",
    "expandable", "expanded", "focusable", "focused", "has tooltip", "horizontal", "iconified", "modal",
    "multi line", "multiselectable", "opaque", "pressed", "resizable", "selectable", "selected",
    "sensitive", "showing", "single line", "stale", "transient", "vertical", "visible",
    "manages descendants", "indeterminate", "required", "truncated", "animated", "invalid entry",
    "supports autocompletion", "selectable text", "is default", "visited", "checkable", "has popup",
    "read only",
)  # fmt: skip
BIT = {name: 1 << number for number, name in enumerate(STATES)}

# Roles whose text is what they hold; that of others (a button, a label) is their name again.
TEXT_ROLES = frozenset(
    {"text", "entry", "terminal", "autocomplete", "editbar", "date editor", "spin button", "combo box",
     "document text"}
)  # fmt: skip
NUMBER_ROLES = frozenset({"slider", "progress bar", "dial", "level bar"})
# Boxes that only arrange others, and texts; without a name there is nothing to say about them.
LAYOUT_ROLES = frozenset(
    {"filler", "panel", "scroll pane", "split pane", "separator", "section", "redundant object", "viewport",
     "glass pane", "root pane", "layered pane", "unknown", "grouping", "internal frame", "extended",
     "label", "static", "form"}
)  # fmt: skip
# What is pressed, though it may show a drawing only.
PRESSED_ROLES = frozenset(
    {"push button", "toggle button", "push button menu", "check box", "radio button", "menu", "menu item",
     "page tab", "link", "icon", "combo box"}
)  # fmt: skip
# Words to read; what can be acted on is told before them.
WORDS_ROLES = frozenset({"label", "static", "paragraph", "heading", "caption", "section", "text container"})

SECRET = "password text"  # noqa: S105 - a role
PAGE = "document web"
PANE = "root pane"
CELL = "table cell"


def role_name(role: int) -> str:
    """The name of a role; ``unknown`` for numbers that came later than this vocabulary."""
    return ROLES[role] if 0 <= role < len(ROLES) else "unknown"


def role_words(roles: frozenset[str] | None) -> list[int]:
    """Roles as a search takes them, 32 in a signed number; without any, all are meant."""
    return _words(sum(1 << ROLES.index(role) for role in roles or () if role in ROLES), 4)


def state_words(*states: str) -> list[int]:
    """States as a search takes them."""
    return _words(sum(BIT[state] for state in states), 2)


def state_names(states: int) -> frozenset[str]:
    """The names of the states whose bits are set."""
    return frozenset(name for name, bit in BIT.items() if states & bit)


def _words(bits: int, count: int) -> list[int]:
    words = [bits >> 32 * place & 0xFFFFFFFF for place in range(count)]
    return [word - (1 << 32) if word >> 31 else word for word in words]
