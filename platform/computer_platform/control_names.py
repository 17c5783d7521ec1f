"""How the names of controls are compared."""


def folded_name(name: str) -> str:
    """A name as names are compared: GTK4 doubles some ("7 7"), menus underline a letter and end in dots."""
    words = name.replace("_", "").casefold().rstrip(" :.…").split()
    half = len(words) // 2
    return " ".join(words[:half] if half and words[:half] == words[half:] else words)
