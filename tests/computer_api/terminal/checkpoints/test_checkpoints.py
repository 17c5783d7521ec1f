"""Checkpoints: what a block changed comes back, and nothing else is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from computer_api.terminal.checkpoints import Checkpoint, CheckpointError, Checkpoints

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files are compared with their POSIX modes")

ENVIRONMENT = {"PATH": os.environ["PATH"]}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "work"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def checkpoints(tmp_path: Path, workspace: Path) -> Checkpoints:
    return opened(tmp_path, workspace)


def opened(tmp_path: Path, workspace: Path) -> Checkpoints:
    return Checkpoints(workspace, tmp_path / "state", home=tmp_path / "home", environment=ENVIRONMENT)


def take(checkpoints: Checkpoints, title: str = "a block") -> Checkpoint:
    return checkpoints.take(title, seconds=60)


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def contents(folder: Path) -> dict[str, tuple[str, object, int]]:
    """Every file of a folder: its kind, what it holds, whether it may be run."""
    found: dict[str, tuple[str, object, int]] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()), 0)
        elif path.is_file():
            found[name] = ("file", path.read_bytes(), path.stat().st_mode & 0o111)
    return found


def spoil(folder: Path) -> None:
    """What a bad block does."""
    (folder / "changed.txt").write_text("other")
    (folder / "deleted.txt").unlink()
    (folder / "made.txt").write_text("new")
    (folder / "deep" / "in" / "it.bin").unlink()
    (folder / "deep" / "in").rmdir()
    (folder / "run.sh").chmod(0o644)
    (folder / "link").unlink()
    (folder / "link").symlink_to("nowhere")
    (folder / "folder").mkdir()
    (folder / "folder" / "made.txt").write_text("new")


def fill(folder: Path) -> None:
    (folder / "changed.txt").write_text("one\r\ntwo\n")
    (folder / "deleted.txt").write_text("here")
    (folder / "deep" / "in").mkdir(parents=True)
    (folder / "deep" / "in" / "it.bin").write_bytes(bytes(range(256)))
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("changed.txt")
    (folder / "na\u00efve \u4f60\u597d.txt").write_text("letters")


def test_what_a_block_did_is_taken_back_byte_for_byte(checkpoints: Checkpoints, workspace: Path) -> None:
    fill(workspace)
    before = contents(workspace)
    one = take(checkpoints)
    spoil(workspace)
    assert contents(workspace) != before
    restored = checkpoints.restore(one)
    assert contents(workspace) == before
    assert not (workspace / "folder").exists()
    assert all(change.kept is None for change in restored.changes)
    what = {change.path: change.what for change in restored.changes}
    assert what["made.txt"] == "deleted"
    assert what["deleted.txt"] == "made"
    assert what["changed.txt"] == "changed"


def test_an_undo_is_undone(checkpoints: Checkpoints, workspace: Path) -> None:
    fill(workspace)
    one = take(checkpoints)
    spoil(workspace)
    spoilt = contents(workspace)
    restored = checkpoints.restore(one)
    assert checkpoints.next_redo() == restored.before
    checkpoints.restore(restored.before, "redo")
    assert contents(workspace) == spoilt
    assert checkpoints.next_redo() is None


def test_each_undo_goes_back_one_block_further(checkpoints: Checkpoints, workspace: Path) -> None:
    file = workspace / "a"
    for text in ("1", "2", "3"):
        take(checkpoints, f"block {text}")
        file.write_text(text)
    for expected in ("2", "1"):
        back = checkpoints.next_undo()
        assert back is not None
        checkpoints.restore(back)
        assert file.read_text() == expected
    back = checkpoints.next_undo()
    assert back is not None
    checkpoints.restore(back)
    assert not file.exists()
    assert checkpoints.next_undo() is None


def test_after_an_undo_and_another_block_undo_takes_back_that_block(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    file = workspace / "a"
    take(checkpoints)
    file.write_text("1")
    checkpoints.restore(checkpoints.numbered(1))
    third = take(checkpoints)
    file.write_text("2")
    assert checkpoints.next_undo() == third
    assert checkpoints.next_redo() is None


def test_after_a_redo_undo_takes_back_the_same_block_again(checkpoints: Checkpoints, workspace: Path) -> None:
    file = workspace / "a"
    for text in ("1", "2"):
        take(checkpoints, f"block {text}")
        file.write_text(text)
    for _ in range(2):
        back = checkpoints.next_undo()
        assert back is not None
        assert back.title == "block 2"
        undone = checkpoints.restore(back)
        assert file.read_text() == "1"
        assert checkpoints.next_redo() == undone.before
        checkpoints.restore(undone.before, "redo")
        assert file.read_text() == "2"


def test_the_difference_names_files_and_lines(checkpoints: Checkpoints, workspace: Path) -> None:
    fill(workspace)
    one = take(checkpoints)
    (workspace / "deleted.txt").write_text("there\n")
    assert [(change.path, change.what) for change in checkpoints.changes_since(one)] == [
        ("deleted.txt", "changed")
    ]
    assert "-here" in checkpoints.difference(one)
    assert "+there" in checkpoints.difference(one)
    two = take(checkpoints)
    (workspace / "deleted.txt").write_text("elsewhere")
    assert "elsewhere" not in checkpoints.difference(one, two)


def test_nothing_changed_is_an_empty_difference(checkpoints: Checkpoints, workspace: Path) -> None:
    fill(workspace)
    one = take(checkpoints)
    assert checkpoints.difference(one) == ""
    assert checkpoints.restore(one).changes == ()


def test_the_persons_repository_is_not_touched(checkpoints: Checkpoints, workspace: Path) -> None:
    fill(workspace)
    git(workspace, "init")
    git(workspace, "add", "--all")
    git(workspace, "commit", "-m", "first")
    (workspace / "changed.txt").write_text("not committed")
    (workspace / "staged.txt").write_text("staged")
    git(workspace, "add", "staged.txt")
    index = (workspace / ".git" / "index").read_bytes()
    before = {path: path.read_bytes() for path in (workspace / ".git").rglob("*") if path.is_file()}
    one = take(checkpoints)
    spoil(workspace)
    checkpoints.restore(one)
    assert {path: path.read_bytes() for path in (workspace / ".git").rglob("*") if path.is_file()} == before
    assert (workspace / ".git" / "index").read_bytes() == index
    assert (workspace / "changed.txt").read_text() == "not committed"
    assert git(workspace, "status", "--porcelain") == " M changed.txt\nA  staged.txt\n"


def test_files_of_a_repository_below_the_workspace_come_back(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    inner = workspace / "lib" / "inner"
    deepest = inner / "deepest"
    deepest.mkdir(parents=True)
    for folder in (inner, deepest):
        git(folder, "init")
        fill(folder)
        git(folder, "add", "changed.txt")
        git(folder, "commit", "-m", "first")
    before = contents(workspace)
    one = take(checkpoints)
    for folder in (inner, deepest):
        spoil(folder)
    assert {change.path for change in checkpoints.changes_since(one)} >= {
        "lib/inner/changed.txt",
        "lib/inner/deepest/deleted.txt",
    }
    checkpoints.restore(one)
    assert contents(workspace) == before


def test_a_workspace_brings_no_filters_hooks_and_line_ends_along(
    checkpoints: Checkpoints, workspace: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    (workspace / ".gitattributes").write_text(
        "* text eol=lf filter=bad ident\n*.bin working-tree-encoding=UTF-16\n"
    )
    git(workspace, "init")
    git(workspace, "config", "filter.bad.clean", f"touch {ran}; cat")
    git(workspace, "config", "filter.bad.smudge", f"touch {ran}; cat")
    git(workspace, "config", "core.fsmonitor", f"touch {ran}")
    hook = workspace / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (workspace / "dos.txt").write_bytes(b"$Id$ one\r\ntwo\r\n")
    (workspace / "a.bin").write_bytes(b"\xff\xfe\x00")
    one = take(checkpoints)
    (workspace / "dos.txt").unlink()
    (workspace / "a.bin").unlink()
    checkpoints.restore(one)
    assert (workspace / "dos.txt").read_bytes() == b"$Id$ one\r\ntwo\r\n"
    assert (workspace / "a.bin").read_bytes() == b"\xff\xfe\x00"
    assert not ran.exists()


def test_what_is_ignored_or_large_is_named_and_left_alone(checkpoints: Checkpoints, workspace: Path) -> None:
    (workspace / ".gitignore").write_text("*.log\n")
    (workspace / "run.log").write_text("1")
    (workspace / "node_modules").mkdir()
    (workspace / "node_modules" / "a.js").write_text("1")
    with (workspace / "large.bin").open("wb") as file:
        file.truncate(6 * 1024 * 1024)
    (workspace / "kept.txt").write_text("1")
    one = take(checkpoints)
    assert set(checkpoints.left_out()) == {"run.log", "node_modules/", "large.bin"}
    (workspace / "run.log").write_text("2")
    (workspace / "kept.txt").write_text("2")
    checkpoints.restore(one)
    assert (workspace / "run.log").read_text() == "2"
    assert (workspace / "kept.txt").read_text() == "1"
    assert (workspace / "large.bin").stat().st_size == 6 * 1024 * 1024


def grow(workspace: Path) -> None:
    (workspace / "a").unlink()
    with (workspace / "a").open("wb") as file:
        file.truncate(6 * 1024 * 1024)


def turn_into_a_folder(workspace: Path) -> None:
    (workspace / "a").unlink()
    (workspace / "a").mkdir()
    with (workspace / "a" / "large").open("wb") as file:
        file.truncate(6 * 1024 * 1024)


@pytest.mark.parametrize("change", [grow, turn_into_a_folder])
def test_what_no_checkpoint_holds_is_never_overwritten(
    checkpoints: Checkpoints, workspace: Path, change: Callable[[Path], None]
) -> None:
    (workspace / "a").write_text("small")
    (workspace / "b").write_text("1")
    one = take(checkpoints)
    change(workspace)
    (workspace / "b").write_text("2")
    size = sum(path.lstat().st_size for path in workspace.rglob("*") if path.is_file())
    restored = checkpoints.restore(one)
    assert sum(path.lstat().st_size for path in workspace.rglob("*") if path.is_file()) == size
    assert (workspace / "b").read_text() == "1"
    assert all(one.kept for one in restored.changes if one.path != "b")


def test_nothing_is_written_through_a_link_that_leads_out_of_the_workspace(
    checkpoints: Checkpoints, workspace: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace / "folder").mkdir()
    (workspace / "folder" / "a").write_text("1")
    one = take(checkpoints)
    (workspace / "folder" / "a").unlink()
    (workspace / "folder").rmdir()
    (workspace / "folder").symlink_to(outside)
    (outside / "a").write_text("theirs")
    checkpoints.restore(one)
    assert (outside / "a").read_text() == "theirs"


def test_a_file_and_a_folder_change_places(checkpoints: Checkpoints, workspace: Path) -> None:
    (workspace / "a").write_text("file")
    (workspace / "b").mkdir()
    (workspace / "b" / "c").write_text("in it")
    before = contents(workspace)
    one = take(checkpoints)
    (workspace / "a").unlink()
    (workspace / "a").mkdir()
    (workspace / "a" / "x").write_text("1")
    (workspace / "b" / "c").unlink()
    (workspace / "b").rmdir()
    (workspace / "b").write_text("now a file")
    checkpoints.restore(one)
    assert contents(workspace) == before


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b/c", "b/d/e", "f g", "-x", "h\nl", "*"]),
            st.binary(max_size=9),
            max_size=5,
        ),
        min_size=2,
        max_size=3,
    )
)
def test_going_to_any_checkpoint_gives_its_files(
    tmp_path_factory: pytest.TempPathFactory, data: list[dict[str, bytes]]
) -> None:
    root = tmp_path_factory.mktemp("any")
    workspace = root / "home" / "work"
    workspace.mkdir(parents=True)
    checkpoints = opened(root, workspace)
    taken = []
    for files in data:
        for path in sorted(workspace.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        for name, content in files.items():
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_bytes(content)
        taken.append((take(checkpoints), contents(workspace)))
    for one, expected in reversed(taken):
        checkpoints.restore(one)
        assert contents(workspace) == expected


@pytest.mark.parametrize("up", [0, 1, 2])
def test_a_home_and_what_holds_it_are_refused(tmp_path: Path, up: int) -> None:
    home = tmp_path / "a" / "home"
    home.mkdir(parents=True)
    folder = [home, home.parent, Path("/")][up]
    with pytest.raises(CheckpointError, match="holds your whole home"):
        Checkpoints(folder, tmp_path / "state", home=home, environment=ENVIRONMENT)


def test_without_git_the_sentence_says_so(tmp_path: Path, workspace: Path) -> None:
    without = Checkpoints(
        workspace, tmp_path / "state", home=tmp_path / "home", environment={"PATH": str(tmp_path)}
    )
    with pytest.raises(CheckpointError, match='need the program "git"'):
        take(without)


def test_a_checkpoint_that_takes_too_long_is_given_up_and_the_next_one_is_taken(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    fill(workspace)
    with pytest.raises(CheckpointError, match="too long"):
        checkpoints.take("a block", seconds=0.0)
    assert take(checkpoints).trees.keys() == {""}


def test_the_first_copy_is_made_in_the_background(checkpoints: Checkpoints, workspace: Path) -> None:
    fill(workspace)
    before = contents(workspace)
    one = checkpoints.prepare().take("a block", seconds=60)
    spoil(workspace)
    checkpoints.restore(one)
    assert contents(workspace) == before


def test_several_threads_take_checkpoints_one_after_the_other(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    fill(workspace)
    threads = [threading.Thread(target=take, args=(checkpoints, str(number))) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.number for one in checkpoints.all()] == [1, 2, 3, 4]


def test_a_line_that_was_torn_is_dropped(checkpoints: Checkpoints, workspace: Path, tmp_path: Path) -> None:
    fill(workspace)
    take(checkpoints)
    (lines,) = (tmp_path / "state").glob("*/checkpoints")
    lines.write_text(lines.read_text() + '{"number": 2, "ti')
    assert [one.number for one in opened(tmp_path, workspace).all()] == [1]


def test_old_checkpoints_are_forgotten_and_the_newest_still_restore(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    for number in range(53):
        (workspace / "a").write_text(str(number))
        take(checkpoints)
    checkpoints.prune()
    kept = checkpoints.all()
    assert [kept[0].number, kept[-1].number] == [4, 53]
    checkpoints.restore(kept[0])
    assert (workspace / "a").read_text() == "3"
    with pytest.raises(CheckpointError, match="go from 4"):
        checkpoints.numbered(1)


def ran(checkpoints: Checkpoints, block: Callable[[], object]) -> Checkpoint:
    """A block with its checkpoint, and a note when it had ended."""
    one = take(checkpoints)
    block()
    checkpoints.ended(one, seconds=60)
    return one


def test_each_redo_goes_one_block_forward_and_then_there_is_none(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    file = workspace / "a"
    for text in ("1", "2"):
        ran(checkpoints, lambda text=text: file.write_text(text))  # type: ignore[misc]  # mypy knows no such default
    for _ in range(2):
        back = checkpoints.next_undo()
        assert back is not None
        checkpoints.restore(back)
    assert not file.exists()
    for expected in ("1", "2"):
        forward = checkpoints.next_redo()
        assert forward is not None
        checkpoints.restore(forward, "redo")
        assert file.read_text() == expected
    assert checkpoints.next_redo() is None


def test_what_a_person_changed_after_a_block_is_left_alone(checkpoints: Checkpoints, workspace: Path) -> None:
    for name in ("code", "both", "person"):
        (workspace / name).write_text("old")
    one = ran(checkpoints, lambda: [(workspace / name).write_text("code") for name in ("code", "both")])
    for name in ("both", "person", "letter"):
        (workspace / name).write_text("by hand")
    seen = {change.path: change.kept for change in checkpoints.going_to(one)}
    restored = checkpoints.restore(one)
    assert {change.path: change.kept for change in restored.changes} == seen
    assert seen.pop("code") is None
    assert set(seen) == {"both"}
    assert "not by a code step" in str(seen["both"])
    assert (workspace / "code").read_text() == "old"
    assert {(workspace / name).read_text() for name in ("both", "person", "letter")} == {"by hand"}
    checkpoints.restore(one, everything=True)
    assert (workspace / "both").read_text() == "old"
    assert not (workspace / "letter").exists()


def test_permissions_come_back_as_narrow_as_they_were(checkpoints: Checkpoints, workspace: Path) -> None:
    for name in ("changed", "deleted"):
        (workspace / name).write_text("secret")
        (workspace / name).chmod(0o600)
    (workspace / "program").write_text("secret")
    (workspace / "program").chmod(0o700)
    one = take(checkpoints)
    (workspace / "changed").write_text("other")
    (workspace / "deleted").unlink()
    (workspace / "program").unlink()
    checkpoints.restore(one)
    modes = {path.name: path.stat().st_mode & 0o777 for path in workspace.iterdir()}
    assert modes == {"changed": 0o600, "deleted": 0o600, "program": 0o700}


@pytest.mark.parametrize("name", ["git~1", "a\\b", ":(top)x", "-f", "a\nb", "\udcff", " "])
def test_every_name_comes_back(checkpoints: Checkpoints, workspace: Path, name: str) -> None:
    (workspace / name).write_text("old")
    one = take(checkpoints)
    (workspace / name).unlink()
    (workspace / f"new{name}").write_text("new")
    checkpoints.restore(one)
    assert [path.name for path in workspace.iterdir()] == [name]


def test_what_was_ignored_is_not_deleted_though_a_block_has_changed_the_ignore_file(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    (workspace / ".gitignore").write_text("secret*\n")
    (workspace / "secret").write_text("mine")
    one = take(checkpoints)
    (workspace / ".gitignore").write_text("")
    (workspace / "made").write_text("new")
    restored = checkpoints.restore(one)
    assert contents(workspace).keys() == {".gitignore", "secret"}
    assert [change.path for change in restored.changes if change.kept is not None] == ["secret"]


def test_a_large_file_is_neither_deleted_nor_given_an_older_content(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    file, other = workspace / "file", workspace / "other"
    file.write_text("older")
    other.write_text("older")
    take(checkpoints)
    for each in (file, other):
        each.write_bytes(bytes(6_000_000))
    one = take(checkpoints)
    assert set(one.left_out) == {"file", "other"}
    file.write_text("cut short")
    other.unlink()
    restored = checkpoints.restore(one)
    assert file.read_text() == "cut short"
    assert not other.exists()
    assert {change.path for change in restored.changes if change.kept is not None} == {"file", "other"}


@pytest.mark.parametrize("lost", ["repository", "history"])
def test_files_of_a_repository_that_a_block_deleted_come_back(
    checkpoints: Checkpoints, workspace: Path, lost: str
) -> None:
    below = workspace / "deep" / "below"
    below.mkdir(parents=True)
    git(below, "init", "--quiet")
    (below / "file").write_text("old")
    one = take(checkpoints)
    shutil.rmtree(below if lost == "repository" else below / ".git")
    if lost == "history":
        (below / "file").write_text("new")
    assert [change.path for change in checkpoints.changes_since(one)] == ["deep/below/file"]
    checkpoints.restore(one)
    assert (below / "file").read_text() == "old"


def test_a_repository_that_a_block_made_is_left_alone_and_named(
    checkpoints: Checkpoints, workspace: Path
) -> None:
    one = take(checkpoints)
    (workspace / "cloned").mkdir()
    git(workspace / "cloned", "init", "--quiet")
    restored = checkpoints.restore(one)
    assert (workspace / "cloned" / ".git").is_dir()
    assert [(change.path, change.kept is None) for change in restored.changes] == [("cloned/", False)]


@pytest.mark.parametrize("where", ["relative", "absolute", "link"])
def test_no_git_that_lies_in_the_workspace_is_run(tmp_path: Path, workspace: Path, where: str) -> None:
    trap = workspace / "bin" / "git"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\ntouch {workspace}/ran\n")
    trap.chmod(0o755)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "git").symlink_to(trap)
    first = {"relative": "bin", "absolute": str(trap.parent), "link": str(tmp_path / "links")}[where]
    checkpoints = Checkpoints(
        workspace,
        tmp_path / "state",
        home=tmp_path / "home",
        environment={"PATH": f"{first}:{ENVIRONMENT['PATH']}"},
    )
    take(checkpoints)
    assert not (workspace / "ran").exists()


@pytest.mark.parametrize("broken", ["lock", "index", "head", "journal", "objects"])
def test_what_a_process_that_was_killed_left_keeps_no_later_checkpoint_out(
    checkpoints: Checkpoints, workspace: Path, tmp_path: Path, broken: str
) -> None:
    (workspace / "file").write_text("old")
    take(checkpoints)
    (store,) = (tmp_path / "state").iterdir()
    match broken:
        case "lock":
            (store / "index-top.lock").touch()
        case "index":
            (store / "index-top").write_bytes(b"broken")
        case "head":
            (store / "git" / "HEAD").write_bytes(b"")
        case "journal":
            with (store / "checkpoints").open("ab") as journal:
                journal.write(b'{"number": \xff')
        case _:
            shutil.rmtree(store / "git" / "objects")
            (store / "git" / "objects").mkdir()
    (workspace / "file").write_text("newer")
    two = take(checkpoints)
    (workspace / "file").write_text("newest")
    assert checkpoints.all()[-1] == two
    checkpoints.restore(two)
    assert (workspace / "file").read_text() == "newer"


def test_a_copy_that_fails_leaves_nothing_half_written(
    checkpoints: Checkpoints, workspace: Path, tmp_path: Path
) -> None:
    take(checkpoints)
    (store,) = (tmp_path / "state").iterdir()
    half_written = store / "git" / "objects" / "ab" / "tmp_obj_x"
    half_written.parent.mkdir()
    half_written.touch()
    (workspace / "a").write_text("1")
    with pytest.raises(CheckpointError):
        checkpoints.take("too slow", seconds=0.000_001)
    assert not half_written.exists()


_AS_NOBODY = """
import os, sys
from pathlib import Path
from computer_api.terminal.checkpoints import Checkpoints
workspace, store = Path(sys.argv[1]), Path(sys.argv[2])
import json, threading, computer_api.terminal.checkpoints.shadow  # while they may be read
if os.getuid() == 0:
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
for name in ("closed/file", "protected/file", "unreadable", "a"):
    (workspace / name).parent.mkdir(exist_ok=True)
    (workspace / name).write_text("old")
checkpoints = Checkpoints(workspace, store, home=Path("/nowhere"), environment={"PATH": "/usr/bin:/bin"})
one = checkpoints.take("a block", seconds=60)
for name in ("protected/file", "protected/made", "a"):
    (workspace / name).write_text("new")
for name, mode in (("closed", 0), ("unreadable", 0), ("protected", 0o555)):
    (workspace / name).chmod(mode)
restored = checkpoints.restore(one)
for name, mode in (("closed", 0o755), ("unreadable", 0o644), ("protected", 0o755)):
    (workspace / name).chmod(mode)
print(*sorted(change.path for change in restored.changes if change.kept is None))
print(*sorted(change.path for change in restored.changes if change.kept is not None))
"""


@pytest.mark.skipif(
    shutil.which("git", path="/usr/bin:/bin") is None, reason="nobody may reach git elsewhere"
)
def test_what_may_not_be_read_or_written_is_left_alone_and_the_rest_comes_back() -> None:
    with tempfile.TemporaryDirectory() as folder:  # others may not enter pytest's own
        Path(folder).chmod(0o777)
        places = [Path(folder) / "work", Path(folder) / "state"]
        for place in places:
            place.mkdir()
            place.chmod(0o777)
        done = subprocess.run(
            [sys.executable, "-c", _AS_NOBODY, *map(str, places)],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[4],
        )
        assert done.stdout.splitlines() == [
            "a",
            "closed/file protected/file protected/made unreadable",
        ], done.stderr
        assert (places[0] / "closed" / "file").read_text() == "old"
