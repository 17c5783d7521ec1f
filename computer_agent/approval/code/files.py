# ruff: noqa: ARG001, E501, FURB171 - tables of programs, options and cases, read best as they are
"""What programs do to files: remove, move, copy, overwrite, change who may read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.findings import quoted
from computer_agent.approval.code.places import HOLE, note_removal, note_write
from computer_agent.approval.code.words import Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.commands import Call
    from computer_agent.approval.code.shell import ShellJudge

_VALUED = {
    "truncate": "sr", "touch": "dtr", "mkdir": "m", "install": "mogt", "cp": "tS", "mv": "tS", "ln": "tS", "split": "abCln", "chmod": "", "shred": "ns",
    "csplit": "fbn", "dd": "", "patch": "pidBoF", "mkfifo": "m", "mknod": "m", "mktemp": "p",
}  # fmt: skip


def _others(call: Call) -> list[Word]:
    """The words that are no options."""
    rest: list[Word] = []
    args = list(call.args)
    while args:
        word, args = args[0], args[1:]
        if word.text == "--":
            return rest + args
        if word.text.startswith("-") and len(word.text) > 1:
            if len(word.text) == 2 and word.text[1] in _VALUED.get(call.name, ""):  # noqa: PLR2004 - one letter
                args = args[1:]
        else:
            rest.append(word)
    return rest


def _has(call: Call, letters: str, *long: str) -> bool:
    for text in call.texts:
        if text.startswith("--"):
            if long and text.startswith(long):
                return True
        elif text.startswith("-") and not set(letters).isdisjoint(text):
            return True
    return False


def write_paths(judge: ShellJudge, words: list[Word], verb: str) -> None:
    """Note that the files that words name are written."""
    for word in words:
        for path in judge.paths(word):
            note_write(judge.findings, judge.places.where(path), verb)
            if judge.places.is_secret(path):
                judge.findings.credential(f"{verb} {quoted(path)}, which may hold a secret")


def remove(judge: ShellJudge, call: Call) -> None:
    """``rm`` and its like."""
    whole = _has(call, "rR", "--rec", "--dir") or call.name in (
        "rmtree",
        "trash",
        "srm",
        "rimraf",
        "trash-put",
        "gio",
    )
    if _has(call, "", "--no-preserve-root"):
        judge.findings.forbid(
            "recursive-delete",
            f"deletes even the root: {call.shown}",
            "it deletes everything on this machine",
        )
    targets = _others(call)
    if not targets and call.input.kind != "none":
        judge.findings.add("medium", "destructive", f"deletes: {call.shown}")
    for word in targets:
        for path in judge.paths(word):
            note_removal(
                judge.findings,
                judge.places,
                path,
                whole=whole or (call.name in ("shred",) and "/dev/" in path),
            )
    judge.findings.add("medium", "destructive", f"deletes: {call.shown}")


def move(judge: ShellJudge, call: Call) -> None:
    """``mv``: what was there is gone, what it lands on as well."""
    others = _others(call)
    write_paths(judge, others, "moves or overwrites")
    for word in others:
        for path in judge.paths(word):
            vital = judge.places.vital(path)
            if vital is not None and word is not others[-1]:
                judge.findings.forbid(
                    "recursive-delete", f"moves {vital} away: {call.shown}", f"it moves {vital} away"
                )
    _into_folder(judge, call, "moves or overwrites")
    judge.findings.add("medium", "write", f"moves: {call.shown}")
    _note_copies(judge, call, others)


def copy(judge: ShellJudge, call: Call) -> None:
    """``cp``, ``install`` and ``ln``: the last of the words is written."""
    others = _others(call)
    if not _into_folder(judge, call, "writes"):
        write_paths(judge, others[-1:], "writes")
    for word in others[:-1]:
        for path in judge.paths(word):
            if judge.places.holds_secrets(path) and _has(call, "raR", "--rec", "--archive"):
                judge.findings.credential(f"copies all of {quoted(path)}, secrets too")
    judge.findings.add("medium", "write", f"writes: {call.shown}")
    _note_copies(judge, call, others)


def _note_copies(judge: ShellJudge, call: Call, others: list[Word]) -> None:
    """Remember a link, or a copy of a secret, as what it leads to."""
    places, findings = judge.places, judge.findings
    listed = _has(call, "t", "--target-directory")
    sources = others if listed or len(others) == 1 else others[:-1]
    folders = judge.state.folders or (HOLE,)
    into = [path for word in others[-1:] for path in judge.paths(word)]
    if listed:
        into = [
            path
            for at, text in enumerate(call.texts)
            if text.startswith(("-t", "--target-directory"))
            for path in places.resolve(
                text.partition("=")[2] or " ".join(call.texts[at + 1 : at + 2]) or ".", folders
            )
        ]
    elif len(others) == 1:
        into = list(folders)
    links = call.name in ("ln", "link") or _has(call, "sl", "--symbolic-link", "--link")
    for word in sources:
        targets = [*judge.paths(word), *(one for value in word.values for one in places.resolve(value, into))]
        if any(
            places.is_secret(path) or (links and (places.holds_secrets(path) or not places.contains(path)))
            for path in targets
        ):
            names = {value.rstrip("/").rpartition("/")[2] for value in word.values}
            places.copies.update(f"{folder}/{name}" for folder in into for name in names)
            places.copies.update(path for path in into if path not in (places.workspace, *folders))
            findings.credential(f"leads to or holds what may be secret: {call.shown}")


def _into_folder(judge: ShellJudge, call: Call, verb: str) -> bool:
    """The folder that ``-t`` names."""
    texts = call.texts
    for at, word in enumerate(call.args):
        if word.text == "-t" and at + 1 < len(texts):
            write_paths(judge, [call.args[at + 1]], verb)
            return True
        if word.text.startswith("--target-directory="):
            write_paths(judge, [Word((word.text.partition("=")[2],), word.raw)], verb)
            return True
    return False


def write(judge: ShellJudge, call: Call) -> None:
    """Programs whose every word is a file that they make or change."""
    others = _others(call)
    destroys = call.name in ("truncate",)
    write_paths(judge, others, "empties or cuts" if destroys else "writes")
    if call.name == "tee" and not others:
        return
    judge.findings.add("medium", "write", f"writes: {call.shown}")


def mode(judge: ShellJudge, call: Call) -> None:
    """``chmod``, ``chown`` and their like."""
    others = _others(call)
    found = judge.findings
    whole = _has(call, "R", "--rec")
    if call.name == "chmod" and any(
        re.search(r"[ugoa]*[+=]\w*s|^[246-7]\d{3}$", text) for text in call.texts
    ):
        found.add("high", "privilege", f"lets a program run with its owner's rights: {call.shown}")
    if call.name in ("setcap", "chattr", "setfacl"):
        found.add("high", "privilege", f"changes the rights to files: {call.shown}")
    targets = others if _has(call, "", "--reference") else others[1:]
    write_paths(judge, targets or others, "changes the rights to")
    for word in targets:
        for path in judge.paths(word):
            if whole and (vital := judge.places.vital(path)) is not None and (vital != "the whole workspace"):
                found.add("high", "destructive", f"changes the rights to {vital}: {call.shown}")
    found.add("medium", "write", f"changes the rights to files: {call.shown}")


def disk_dump(judge: ShellJudge, call: Call) -> None:
    """``dd``: copies byte by byte, devices too."""
    for word in call.args:
        name, _, value = word.text.partition("=")
        if name == "of":
            write_paths(judge, [Word((value,), word.raw)], "writes to")
        elif (
            name == "if"
            and judge.places.where(judge.places.resolve(value, judge.state.folders)[0]).kind == "device"
        ):
            judge.findings.add("high", "secret-read", f"reads a whole device: {call.shown}")
    judge.findings.add("medium", "write", f"copies bytes: {call.shown}")


def format_disk(judge: ShellJudge, call: Call) -> None:
    """Programs that lay out or wipe disks."""
    if call.name in ("fdisk", "parted", "sfdisk", "lsblk") and _has(call, "l", "--list"):
        judge.findings.add("medium", "unknown", f"lists disks: {call.shown}")
        return
    judge.findings.forbid(
        "destructive", f"formats or wipes a disk: {call.shown}", "it formats or wipes a disk"
    )


def find(judge: ShellJudge, call: Call) -> None:
    """``find``: names files, removes them, runs a command for each, or writes what it found."""
    roots = _roots(call.args)
    args = call.args
    at = 0
    while at < len(args):
        text = args[at].text
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i in range(at + 1, len(args)) if args[i].text in (";", "\\;", "+")), len(args))
            _run_for_each(judge, call, args[at + 1 : end], roots)
            at = end
        elif text == "-delete":
            for word in roots:
                for path in judge.paths(word):
                    found = judge.places.where(path)
                    note_removal(
                        judge.findings,
                        judge.places,
                        path,
                        whole=len(args) - len(roots) == 1 or found.kind not in ("inside", "temporary"),
                    )
        elif text in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            write_paths(judge, args[at + 1 : at + 2], "writes")
            judge.findings.add("medium", "write", f"writes: {call.shown}")
        elif (text.startswith("-") and text not in _FINDS) or not args[at].known:
            judge.findings.add("medium", "unknown", f"runs {call.shown}, which is not known to be harmless")
        at += 1


_FINDS = frozenset(
    [
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-regex",
        "-iregex",
        "-type",
        "-size",
        "-mtime",
        "-mmin",
        "-atime",
        "-amin",
        "-ctime",
        "-cmin",
        "-newer",
        "-newermt",
        "-maxdepth",
        "-mindepth",
        "-depth",
        "-d",
        "-print",
        "-print0",
        "-printf",
        "-ls",
        "-empty",
        "-perm",
        "-user",
        "-group",
        "-uid",
        "-gid",
        "-links",
        "-inum",
        "-samefile",
        "-prune",
        "-o",
        "-or",
        "-a",
        "-and",
        "-not",
        "-L",
        "-H",
        "-P",
        "-xdev",
        "-mount",
        "-follow",
        "-readable",
        "-writable",
        "-executable",
        "-quit",
        "-true",
        "-false",
        "-nouser",
        "-nogroup",
        "-xtype",
        "-lname",
        "-ilname",
        "-daystart",
        "-regextype",
        "-noleaf",
        "-E",
        "-X",
        "-s",
        "-x",
        "-cnewer",
        "-anewer",
        "-used",
        "-fstype",
        "-warn",
        "-nowarn",
        "-O1",
        "-O2",
        "-O3",
    ]
) | frozenset(
    f"{sign}{number}{unit}" for sign in "-" for number in range(1001) for unit in ("", "k", "M", "G", "c")
)


def _roots(args: list[Word]) -> list[Word]:
    roots: list[Word] = []
    for word in args:
        if word.text in ("-L", "-H", "-P"):
            continue
        if word.text.startswith("-") or word.text in ("(", "!", "\\(", "\\!"):
            break
        roots.append(word)
    return roots or [Word((".",), ".")]


def _run_for_each(judge: ShellJudge, call: Call, inner: list[Word], roots: list[Word]) -> None:
    from computer_agent.approval.code.commands import Input

    if not inner:
        return
    each = tuple(
        f"{value.rstrip('/')}/*" if value != "/" else "/*" for root in roots for value in root.values
    ) or (HOLE,)
    words: list[Word] = []
    for word in inner:
        if word.text == "{}":
            words.append(Word(each, "./*"))
        else:
            words.append(
                Word(
                    tuple(value.replace("{}", HOLE) if "{}" in value else value for value in word.values),
                    word.raw,
                )
            )
    before = len(judge.commands)
    judge.call(words, Input())
    del judge.commands[before:]
    judge.commands.append(None)
    if inner[0].text.rpartition("/")[2] in ("rm", "shred", "unlink"):
        for root in roots:
            for path in judge.paths(root):
                if judge.places.where(path).kind not in ("inside", "temporary"):
                    note_removal(judge.findings, judge.places, path, whole=True)


def archive(judge: ShellJudge, call: Call) -> None:
    """``tar``: lists, packs, unpacks, and runs programs if told to."""
    texts = call.texts
    runs = re.compile(
        r"--(?:to-c|use-comp|checkpoint-a|rsh|info-script|new-volume|rmt|to-command|compress-program).*|-I.*|-F.*"
    )
    first = texts[0] if texts else ""
    letters = "".join(text.lstrip("-") for text in texts if re.fullmatch(r"-\w+", text)) + (
        first if first.isalpha() else ""
    )
    if any(runs.fullmatch(text) for text in texts) or ("I" in letters or "F" in letters):
        judge.findings.add("high", "dynamic-command", f"makes tar run a program: {call.shown}")
        for text in texts:
            judge.run_text(text.partition("=")[2].removeprefix("exec="))
        return
    lists = ("t" in letters or "--list" in texts) and not set(letters) - set("tvfzjJaPpk")
    plain = all(
        not text.startswith("--")
        or text.partition("=")[0]
        in ("--list", "--file", "--gzip", "--verbose", "--wildcards", "--exclude", "--strip-components")
        for text in texts
    )
    if lists and plain and all(word.known for word in call.args):
        return
    changes = re.match(r"-?\w*f$", first)
    targets = (
        [call.args[1]]
        if changes and len(call.args) > 1 and not first.lstrip("-").startswith("x") and "x" not in letters
        else []
    )
    targets += [
        call.args[at + 1] for at, text in enumerate(texts[:-1]) if text in ("-C", "--directory", "-d")
    ]
    write_paths(judge, [word for word in targets if word.text != "-"], "writes")
    judge.findings.add("medium", "write", f"packs or unpacks: {call.shown}")
    for word in call.args:
        for path in judge.paths(word) if not word.text.startswith("-") else ():
            if judge.places.holds_secrets(path):
                judge.findings.credential(f"packs all of {quoted(path)}, secrets too")
    if "P" in letters or "--absolute-names" in texts:
        judge.findings.add("high", "write", f"may write outside the workspace: {call.shown}")


def unpack(judge: ShellJudge, call: Call) -> None:
    """``unzip``, ``gzip`` and others that are harmless only with some of their options."""
    from computer_agent.approval.code.commands import is_harmless

    if is_harmless(judge, call):
        return
    targets = [call.args[at + 1] for at, text in enumerate(call.texts[:-1]) if text in ("-d", "-o", "-C")]
    write_paths(judge, targets, "writes")
    judge.findings.add("medium", "write", f"packs or unpacks: {call.shown}")


def edit(judge: ShellJudge, call: Call) -> None:
    """Editors and ``patch``: they may change their files, and run what they are told to."""
    write_paths(judge, _others(call), "opens to edit")
    judge.findings.add("medium", "write", f"edits: {call.shown}")
    for text in call.texts:
        if "!" in text or "system(" in text:
            judge.findings.add("high", "dynamic-command", f"makes an editor run a command: {quoted(text)}")
            judge.run_text(text.partition("!")[2])


def change_folder(judge: ShellJudge, call: Call) -> None:
    """``cd``: what comes after is meant from there."""
    others = [word for word in call.args if word.text not in ("-P", "-L", "-e", "--", "-n")]
    if call.name == "popd" or (others and others[0].text == "-") or (call.name == "pushd" and not others):
        judge.state.enter(None)
    else:
        target = others[0] if others else Word((judge.places.home,), "~")
        paths = judge.paths(target)
        judge.state.enter(
            None if any(char in path for path in paths for char in HOLE + "*?[") else tuple(paths)
        )


FILES: dict[str, Callable[[ShellJudge, Call], None]] = {
    **dict.fromkeys(["rm", "unlink", "rmdir", "shred", "srm", "trash", "trash-put", "rimraf", "del"], remove),
    **dict.fromkeys(["cp", "install", "ln", "rename", "link"], copy),
    **dict.fromkeys(
        [
            "touch",
            "mkdir",
            "truncate",
            "tee",
            "mkfifo",
            "mknod",
            "split",
            "csplit",
            "fallocate",
            "sponge",
            "mktemp",
            "dos2unix",
            "unix2dos",
        ],
        write,
    ),
    **dict.fromkeys(["chmod", "chown", "chgrp", "setcap", "chattr", "setfacl"], mode),
    **dict.fromkeys(
        [
            "mkfs",
            "fdisk",
            "sfdisk",
            "parted",
            "wipefs",
            "sgdisk",
            "gdisk",
            "cfdisk",
            "mkswap",
            "blkdiscard",
            "cryptsetup",
            "hdparm",
            "mke2fs",
            "newfs",
            "dban",
            "badblocks",
            "zpool",
            "lvremove",
            "vgremove",
            "pvremove",
            "mdadm",
            "partprobe",
        ],
        format_disk,
    ),
    **dict.fromkeys(
        [
            "unzip",
            "gzip",
            "gunzip",
            "cpio",
            "bzip2",
            "bunzip2",
            "xz",
            "unxz",
            "zstd",
            "7z",
            "7za",
            "zip",
            "rar",
            "unrar",
            "ar",
            "pax",
        ],
        unpack,
    ),
    **dict.fromkeys(
        ["vi", "vim", "nvim", "ex", "ed", "nano", "emacs", "pico", "joe", "micro", "patch", "view"], edit
    ),
    **dict.fromkeys(["cd", "pushd", "popd"], change_folder),
    "mv": move,
    "dd": disk_dump,
    "find": find,
    "tar": archive,
    "bsdtar": archive,
}
