"""LibreOffice Writer: what it has is what it saves, as flat OpenDocument text."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from contextlib import contextmanager
from typing import TYPE_CHECKING

from typing_sinks.sink import Sink, activate, answering, running, save

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_DOCUMENT = f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="{_OFFICE}" xmlns:text="{_TEXT}" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.text"
><office:body><office:text><text:p></text:p></office:text></office:body></office:document>
"""

# It corrects what is typed unless told otherwise: capitals, dashes, quotation marks, lists, whole words.
_OFF = {
    "Common/AutoCorrect": (
        "UseReplacementTable TwoCapitalsAtStart CapitalAtStartSentence ChangeUnderlineWeight SetInetAttribute "
        "ChangeOrdinalNumber ChangeDash AddNonBreakingSpace TransliterateRTL ChangeAngleQuotes "
        "RemoveDoubleSpaces CorrectAccidentalCapsLock ReplaceSingleQuote ReplaceDoubleQuote"
    ),
    "Writer/AutoFunction/Format/Option": (
        "UseReplacementTable TwoCapitalsAtStart CapitalAtStartSentence ChangeUnderlineWeight SetInetAttribute "
        "ChangeOrdinalNumber ChangeDash AddNonBreakingSpace TransliterateRTL ChangeAngleQuotes"
    ),
    "Writer/AutoFunction/Format/ByInput": "Enable ChangeDash ChangeToTable DelSpacesAtStartEnd DelSpacesBetween",
    "Writer/AutoFunction/Format/ByInput/ApplyNumbering": "Enable",
    "Writer/AutoFunction/Completion": "Enable",
    "Linguistic/SpellChecking": "IsSpellAuto IsGrammarAuto",
    "Common/Misc": "FirstRun ShowTipOfTheDay",
    "Common/Save/Document": "WarnAlienFormat",
    "Recovery/AutoSave": "Enabled",
    "Recovery/RecoveryInfo": "Enabled",
}


@contextmanager
def libreoffice(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """LibreOffice Writer, with whatever toolkit it is installed for."""
    profile = folder / "libreoffice"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_settings())
    kept = folder / "libreoffice.fodt"
    kept.write_text(_DOCUMENT)
    command = ["soffice", "--norestore", "--nologo", "--nolockcheck", "--writer"]
    command += [f"-env:UserInstallation={profile.as_uri()}", str(kept)]
    with running(desktop, command):
        activate(desktop, kept.name)
        yield answering(Sink(kept.name, desktop, lambda: _typed(kept), save, drops=True))


def _settings() -> str:
    items = "".join(
        f'<item oor:path="/org.openoffice.Office.{path}"><prop oor:name="{name}" oor:op="fuse">'
        "<value>false</value></prop></item>\n"
        for path, names in _OFF.items()
        for name in names.split()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n' + items + "</oor:items>\n"
    )


def _typed(document: Path) -> str:
    """The text of the paragraphs; a document that is being written has none yet."""
    try:
        whole = ET.fromstring(document.read_text("utf-8"))  # noqa: S314 - a document of our own
    except ET.ParseError:
        return ""
    body = whole.find(f"{{{_OFFICE}}}body")
    assert body is not None
    return "\n".join("".join(_pieces(paragraph)) for paragraph in body.iter(f"{{{_TEXT}}}p"))


def _pieces(element: ET.Element) -> Iterator[str]:
    name = element.tag.rpartition("}")[2]
    if name == "s":
        yield " " * int(element.get(f"{{{_TEXT}}}c", "1"))
    elif name in {"tab", "line-break"}:
        yield "\t" if name == "tab" else "\n"
    yield element.text or ""
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""
