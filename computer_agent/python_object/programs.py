"""The modules of ``computer`` for programs and services: files and browser as ours, what is not here with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from computer_api.errors import ComputerError, UnsupportedError
from computer_api.files import Files as OurFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.python_object.direct import Direct


class Files(OurFiles):
    """Files: ``search``, ``edit``, and ours, ``read`` and ``write``.

    ``edit`` changes what stands there exactly once, or as often as ``count`` says; else nothing is written, and the
    error names the lines.
    """

    def __init__(self) -> None:
        super().__init__(ComputerError)


class Browser:
    """The browser: our own verbs, and the classic's names for some of them."""

    def __init__(self, direct: Direct) -> None:
        self._direct = direct

    def setup(self, headless: bool = True) -> Any:  # noqa: ANN401, FBT001, FBT002 - the classic's
        """Choose a browser of the agent's own, seen or unseen."""
        return self._verbs().setup(headless)

    def search(self, query: str) -> Any:  # noqa: ANN401 - what our verb gives
        """Search the web."""
        return self._verbs().search(query)

    def fast_search(self, query: str) -> Any:  # noqa: ANN401 - what our verb gives
        """Search the web."""
        return self._verbs().fast_search(query)

    def search_google(self, query: str, delays: bool = True) -> Any:  # noqa: ANN401, FBT001, FBT002 - the classic's
        """Search the web."""
        return self._verbs().search_google(query, delays)

    def go_to_url(self, url: str) -> Any:  # noqa: ANN401 - what our verb gives
        """Open an address."""
        return self._verbs().go_to_url(url)

    def analyze_page(self, intent: str) -> Any:  # noqa: ANN401 - what our verb gives
        """The page as text with what can be done on it."""
        return self._verbs().analyze_page(intent)

    def quit(self) -> Any:  # noqa: ANN401 - what our verb gives
        """End the browser of the agent's own."""
        return self._verbs().quit()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - open, read, follow and the rest of ours
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._verbs(), name)

    def _verbs(self) -> Any:  # noqa: ANN401 - ours, or an error
        from computer_api.browser_verbs import BrowserVerbs

        direct: Any = self._direct
        return BrowserVerbs(direct)


class _Absent:
    """A service that only the classic's macOS scripts knew."""

    _why: str

    def _no(self) -> NoReturn:
        raise UnsupportedError(self._why)


class Mail(_Absent):
    """The classic's scripts for macOS Mail."""

    _why = (
        "computer.mail drove Mail on macOS alone, and is not here: let the agent use the mail program on the screen "
        "(os=True), or write the mail in Python."
    )

    def get(self, number: int = 5, unread: bool = False) -> NoReturn:  # noqa: ARG002, FBT001, FBT002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()

    def send(self, to: str, subject: str, body: str, attachments: Sequence[str] | None = None) -> NoReturn:  # noqa: ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()

    def unread_count(self) -> NoReturn:
        """Raises ``UnsupportedError``."""
        self._no()


class Sms(_Absent):
    """The classic's scripts for macOS Messages."""

    _why = (
        "computer.sms drove Messages on macOS alone, and is not here: let the agent use the program on the screen "
        "(os=True)."
    )

    def send(self, to: str, msg: str) -> NoReturn:  # noqa: ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()

    def get(self, contact: str | None = None, limit: int = 10, substring: str | None = None) -> NoReturn:  # noqa: ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()


class Calendar(_Absent):
    """The classic's scripts for macOS Calendar."""

    _why = (
        "computer.calendar drove Calendar on macOS alone, and is not here: let the agent use the program on the "
        "screen (os=True), or read and write .ics files in Python."
    )

    def get_events(self, start: Any, end: Any = None) -> NoReturn:  # noqa: ANN401, ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()

    def create_event(
        self,
        title: str,  # noqa: ARG002 - the classic's
        start: Any,  # noqa: ANN401, ARG002 - the same
        end: Any,  # noqa: ANN401, ARG002 - the same
        location: str = "",  # noqa: ARG002 - the same
        notes: str = "",  # noqa: ARG002 - the same
        calendar: str | None = None,  # noqa: ARG002 - the same
    ) -> NoReturn:
        """Raises ``UnsupportedError``."""
        self._no()

    def delete_event(self, title: str, start: Any, calendar: str | None = None) -> NoReturn:  # noqa: ANN401, ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()

    def get_first_calendar(self) -> NoReturn:
        """Raises ``UnsupportedError``."""
        self._no()


class Contacts(_Absent):
    """The classic's scripts for macOS Contacts."""

    _why = (
        "computer.contacts drove Contacts on macOS alone, and is not here: let the agent use the program on the "
        "screen (os=True)."
    )

    def get_phone_number(self, contact_name: str) -> NoReturn:  # noqa: ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()

    def get_email_address(self, contact_name: str) -> NoReturn:  # noqa: ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()

    def get_full_names_from_first_name(self, first_name: str) -> NoReturn:  # noqa: ARG002 - the classic's
        """Raises ``UnsupportedError``."""
        self._no()


class Docs:
    """What ``computer`` can do, searched by words."""

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        self._lines = lines

    def search(self, query: str) -> str:
        """The calls whose line has one of these words."""
        words = query.lower().split()
        return "\n".join(line for line in self._lines() if any(word in line.lower() for word in words))


class Terminal:
    """Code and its languages: the same as on ``computer`` itself."""

    def __init__(self, computer: Any) -> None:  # noqa: ANN401 - the one that it belongs to
        self._computer = computer

    @property
    def languages(self) -> list[type[Any]]:
        """The classes of the languages that are enabled."""
        enabled: list[type[Any]] = self._computer.languages
        return enabled

    @languages.setter
    def languages(self, value: Sequence[type[Any]]) -> None:
        self._computer.languages = value

    def get_language(self, language: str) -> type[Any] | None:
        """The class of that name or alias."""
        found: type[Any] | None = self._computer.languages_now.find(language)
        return found

    def run(self, language: str, code: str, stream: bool = False, display: bool = False) -> Any:  # noqa: ANN401, FBT001, FBT002 - the classic's
        """Run code; as ``computer.run``."""
        return self._computer.run(language, code, stream=stream, display=display)

    def stop(self) -> None:
        """Stop what runs."""
        self._computer.stop()

    def terminate(self) -> None:
        """End the programs in which code ran."""
        self._computer.terminate()

    def sudo_install(self, package: str) -> NoReturn:
        """Raises ``UnsupportedError``: nothing is installed unasked."""
        raise UnsupportedError(
            f'"{package}" is not installed from here: install it yourself, with the system\'s own package manager.'
        )
