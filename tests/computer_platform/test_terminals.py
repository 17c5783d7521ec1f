import pytest

from computer_platform.terminals import is_terminal


@pytest.mark.parametrize(
    "app",
    [
        *("XTerm", "UXTerm", "URxvt", "Lxterminal", "Xfce4-terminal", "Gnome-terminal", "konsole", "kitty"),
        *(
            "org.gnome.Console",
            "org.gnome.Ptyxis",
            "org.wezfurlong.wezterm",
            "st-256color",
            "Terminator",
            "tabby",
        ),
    ],
)
def test_terminals_are_known_by_the_class_of_their_windows(app: str) -> None:
    assert is_terminal(app)


@pytest.mark.parametrize(
    "app", ["", "Mousepad", "Determinant", "libreoffice-writer", "Chromium", "State", "Footnotes"]
)
def test_other_programs_are_none(app: str) -> None:
    assert not is_terminal(app)
