"""A trace in a zip is read as its folder is, and a zip that would do harm is refused with a sentence."""

from __future__ import annotations

import shutil
import stat
import warnings
import zipfile
from pathlib import Path

import pytest

from computer_agent.trace.archive import contents, is_archive, names, pack
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import read

FIXTURE = Path(__file__).parents[3] / "fixtures" / "traces" / "contact_form"


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    pack(FIXTURE, tmp_path / "run.trace")
    return tmp_path / "run.trace"


def test_a_zip_reads_as_its_folder_does(packed: Path) -> None:
    inside, outside = read(packed), read(FIXTURE)
    assert (inside.header, inside.steps, inside.ending) == (outside.header, outside.steps, outside.ending)
    seen = outside.steps[0].observation
    assert seen is not None
    assert seen.image is not None
    assert inside.image(seen.image) == outside.image(seen.image) is not None


def test_a_folder_that_was_zipped_by_its_name_reads_too(tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / "into" / "run1")
    shutil.make_archive(str(tmp_path / "run1"), "zip", tmp_path / "into", "run1")
    assert read(tmp_path / "run1.zip").steps == read(FIXTURE).steps


def test_nothing_is_unpacked_to_the_disk(packed: Path) -> None:
    trace = read(packed)
    for name in names(packed):
        contents(packed, name)
    assert trace.steps
    assert [found for found in packed.parent.rglob("*") if found.is_file()] == [packed]


def test_what_belongs_to_the_run_only_is_packed_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(FIXTURE, folder)
    (folder / "lock").write_text("{}")
    (folder / "reserve").write_bytes(bytes(10))
    (folder / "trace.html").write_text("made from it")
    (folder / "output").mkdir()
    (folder / "output" / "1.txt").write_text("printed")
    (tmp_path / "private.txt").write_text("not of this run")
    (folder / "output" / "linked.txt").symlink_to(tmp_path / "private.txt")
    pack(folder, tmp_path / "out.zip")
    images = [f"images/{file.name}" for file in (FIXTURE / "images").iterdir()]
    assert names(tmp_path / "out.zip") == tuple(sorted(["trace.jsonl", "output/1.txt", *images]))
    assert stat.S_IMODE((tmp_path / "out.zip").stat().st_mode) == 0o600


def test_a_file_that_is_there_is_not_written_over(packed: Path) -> None:
    before = packed.read_bytes()
    with pytest.raises(TraceError, match="is there already"):
        pack(FIXTURE, packed)
    assert packed.read_bytes() == before


def test_what_is_no_folder_with_a_trace_is_not_packed(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="in one file already"):
        pack(packed, tmp_path / "again.zip")
    with pytest.raises(TraceError, match="There is no trace"):
        pack(tmp_path, tmp_path / "again.zip")
    assert not (tmp_path / "again.zip").exists()


def zipped(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of a second file of a name
        for name, data in members:
            archive.writestr(name, data)
    return path


TRACE = ("trace.jsonl", (FIXTURE / "trace.jsonl").read_bytes())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../trace.jsonl", "leads out of it"),
        ("images/../../x.png", "leads out of it"),
        ("/etc/passwd", "is none of a file in it"),
        ("C:/x.png", "is none of a file in it"),
        ("images\\x.png", "is none of a file in it"),
        ("./trace2", "leads out of it"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(TraceError, match=why):
        read(zipped(tmp_path / "bad.zip", TRACE, (name, b"x")))


@pytest.mark.parametrize("second", ["trace.jsonl", "TRACE.jsonl"])
def test_two_files_of_one_name_are_refused(tmp_path: Path, second: str) -> None:
    with pytest.raises(TraceError, match="twice"):
        read(zipped(tmp_path / "bad.zip", TRACE, (second, b"x")))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", TRACE, ("images/x.png", bytes(20_000_000)))
    with pytest.raises(TraceError, match="claims to be 20000000 bytes"):
        read(bomb)


def test_a_file_that_is_larger_than_it_says_is_not_unpacked_further(tmp_path: Path) -> None:
    data = bytearray(zipped(tmp_path / "lying.zip", TRACE).read_bytes())
    size = len(TRACE[1]).to_bytes(4, "little")
    assert data.count(size) == 2
    (tmp_path / "lying.zip").write_bytes(data.replace(size, (100).to_bytes(4, "little")))
    with pytest.raises(TraceError, match=r'"trace\.jsonl" is damaged'):
        read(tmp_path / "lying.zip")


def test_a_zip_cut_off_anywhere_or_changed_is_an_error_of_the_trace(packed: Path) -> None:
    data = packed.read_bytes()
    for cut in range(4, len(data), max(1, len(data) // 50)):
        packed.write_bytes(data[:cut])
        with pytest.raises(TraceError):
            read(packed)


def test_a_zip_without_a_trace_says_so(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r'there is no "trace\.jsonl" in it'):
        read(zipped(tmp_path / "other.zip", ("readme.txt", b"x")))
    with pytest.raises(TraceError, match=r'there is no "trace\.jsonl" in it'):
        read(zipped(tmp_path / "two.zip", ("a/trace.jsonl", b"x"), ("b/trace.jsonl", b"x")))


def test_only_what_begins_as_a_zip_is_taken_for_one(tmp_path: Path, packed: Path) -> None:
    assert is_archive(packed)
    assert not is_archive(FIXTURE)
    assert not is_archive(FIXTURE / "trace.jsonl")
    assert not is_archive(tmp_path / "nothing")
