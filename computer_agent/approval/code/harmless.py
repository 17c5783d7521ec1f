# ruff: noqa: E501, W291 - tables of programs, options and cases, read best as they are
"""The allow-list: which programs, with which of their options, are known to read only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from computer_agent.approval.code.words import Word

_ANY = """
ls dir vdir cat head tail wc nl tac rev cut tr paste join fold fmt expand unexpand column comm cmp diff diff3  grep
egrep fgrep zgrep zcat bzcat xzcat zstdcat od hexdump strings base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum
sha512sum b2sum cksum sum md5 stat du df pwd echo true false : test [ basename dirname realpath readlink seq expr numfmt
which whereis type whoami id groups users who w uname arch nproc uptime free lscpu lspci lsusb lsmem vmstat getconf locale
logname tty cal ncal factor sleep jobs times pgrep pidof pstree readelf exa eza lsd apropos whatis tput clear
break continue return exit shift wait getopts caller dirs help iostat mpstat tsort  pathchk sw_vers lsmod lsblk
look  jot  bc  cksum findmnt fc-list       
"""
"""These read, and have no option that writes or runs something."""
ANY_ARGUMENTS = frozenset(_ANY.split())
NAMES_ONLY = frozenset(
    [
        "ls",
        "dir",
        "vdir",
        "stat",
        "du",
        "df",
        "pwd",
        "echo",
        "true",
        "false",
        ":",
        "test",
        "[",
        "basename",
        "dirname",
        "realpath",
        "readlink",
        "seq",
        "expr",
        "which",
        "whereis",
        "type",
        "printf",
        "whoami",
        "id",
        "groups",
        "who",
        "w",
        "uname",
        "sleep",
        "break",
        "continue",
        "return",
        "exit",
        "shift",
        "wait",
        "tput",
        "clear",
        "exa",
        "eza",
        "lsd",
    ]
)
"""Of these the words may be unknown: what they tell of a file is no more than its name and its size."""

_VERSION = """
python python3 python2 pip pip3 node npm npx yarn pnpm ruby gem perl php java javac go cargo rustc rustup gcc g++ clang
clang++ cc c++ make cmake ninja git docker docker-compose kubectl helm terraform aws gcloud az gh curl wget tar zip unzip
ffmpeg ffprobe vim nvim emacs bash zsh sh fish tmux screen ssh rsync sed awk gawk find xargs jq rg fd bat tree psql mysql
sqlite3 redis-cli mongo nginx apache2 httpd systemctl brew apt apt-get dpkg snap flatpak poetry uv pipx conda mamba pytest
ruff black mypy flake8 pylint isort tox nox pre-commit hatch deno bun tsc eslint prettier webpack vite mvn gradle sbt scala
kotlin swift dotnet R Rscript julia lua ghc stack cabal elixir erl mix composer bundle rails ansible vagrant virtualbox
podman buildah skopeo code convert magick pandoc latex pdflatex xelatex gpg openssl openssh nmap bwrap strace gdb lldb
valgrind man less more sort uniq hostname date cp mv rm mkdir chmod
"""
VERSION_ONLY = frozenset(_VERSION.split())
VERSION_WORDS = frozenset({"--version", "-V", "-version", "version", "--help", "-v"})


_GLOBS = ("*", "?", "[")


@dataclass(frozen=True, slots=True)
class Options:
    """Which options a program may have. ``short`` may be joined, those of ``valued`` take the rest or the next word.

    ``most`` is how many other words there may be. ``first`` is what the first of them must be, where it says what is done.
    """

    short: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    most: int = 10_000
    numbers: bool = False

    def others(self, args: list[Word]) -> list[Word] | None:
        """The words that are no options; ``None`` if one is an option that is not allowed, or may be one."""
        rest: list[Word] = []
        waiting = list(reversed(args))
        while waiting:
            word = waiting.pop()
            text = word.text
            if (
                not word.known
                or word.raw[:1] in _GLOBS
                or any(value.startswith("-") for value in word.values[1:])
            ):
                return None
            if text == "--":
                rest += reversed(waiting)
                break
            if not text.startswith("-") or text == "-":
                rest.append(word)
            elif (takes := self._takes(text)) is None or (takes and waiting and not waiting.pop().known):
                return None
        return rest if len(rest) <= self.most else None

    def _takes(self, text: str) -> bool | None:
        """Whether an option takes the next word; ``None`` if it is not allowed."""
        if text.startswith("--"):
            name, equals, _ = text.partition("=")
            if name + "=" in self.long:
                return not equals
            return False if name in self.long else None
        if self.numbers and text[1:].isdigit():
            return False
        if text in self.long:
            return False
        if text + "=" in self.long:
            return True
        for at, letter in enumerate(text[1:], 2):
            if letter in self.valued:
                return at == len(text)
            if letter not in self.short:
                return None
        return False


def _options(
    short: str = "", valued: str = "", long: str = "", *, most: int = 10_000, numbers: bool = False
) -> Options:
    return Options(short, valued, frozenset(long.split()), most, numbers)


OPTIONS = {
    "sort": _options(
        "bdfgiMhnRrVcCmsuz",
        "kt",
        "--reverse --unique --numeric-sort --human-numeric-sort --version-sort --key= --field-separator= --ignore-case --check --stable --zero-terminated",
    ),
    "uniq": _options(
        "cdDiuz",
        "fsw",
        "--count --repeated --unique --ignore-case --skip-fields= --skip-chars= --all-repeated",
        most=1,
        numbers=True,
    ),
    "tree": _options(
        "adflxCpsuhDFJXnQNirtcvU",
        "LPI",
        "--dirsfirst --noreport --du --gitignore --prune --charset= --filelimit= --si --matchdirs --ignore-case --sort=",
    ),
    "file": _options("bikLhNnprsSzZ0EIv", "F", "--brief --mime --mime-type --mime-encoding --dereference"),
    "date": _options(
        "uIR",
        "dr",
        "--utc --date= --iso-8601 --rfc-3339= --rfc-email --universal --reference= -Iseconds -Idate",
    ),
    "hostname": _options("fsdiIAa", long="--fqdn --short --ip-address --all-ip-addresses", most=0),
    "less": _options("NSRFXiIMmEe", long="--RAW-CONTROL-CHARS --LINE-NUMBERS"),
    "more": _options("dflpcsu"),
    "man": _options("kfwa", most=2),
    "rg": _options(
        "ilnNcvwxoUuSFPHhILazqs.0pbL",
        "ABCeEgmtTMrjd",
        "--files --type-list --hidden --no-ignore --ignore-case --line-number --no-line-number --files-with-matches --files-without-match --count --count-matches --glob= --iglob= --type= --type-not= --max-count= --max-depth= --json --stats --word-regexp --fixed-strings --multiline --only-matching --no-heading --heading --color= --sort= --sortr= --context= --after-context= --before-context= --smart-case --pcre2 --invert-match --no-filename --with-filename --vimgrep --trim --max-columns= --follow --column --pretty --no-messages --case-sensitive --replace= --regexp=",
    ),
    "ag": _options(
        "lLcivwQSasUuGgtoHnz",
        "ABCGm",
        "--hidden --nocolor --nogroup --color --count --files-with-matches --ignore= --ignore-dir= --python --js",
    ),
    "ack": _options("lLcivwQhHn", "ABCm", "--nocolor --nogroup --count"),
    "fd": _options(
        "HIsigaLp0luUF1",
        "detEScTM",
        "--hidden --no-ignore --type= --extension= --max-depth= --min-depth= --exact-depth= --exclude= --glob --regex --fixed-strings --absolute-path --full-path --follow --size= --changed-within= --changed-before= --color= --case-sensitive --ignore-case",
    ),
    "bat": _options(
        "npAPfS",
        "lrH",
        "--plain --number --show-all --language= --line-range= --style= --color= --paging=never --theme=",
    ),
    "ps": _options(
        "eAadfjlFHLTxZwN",
        "popCuUgtsGkq",
        "--sort= --forest --pid= --ppid= --no-headers --headers --user= --cols= --deselect -ef -eF -aux",
    ),
    "top": _options("bcHi", "nopuwd", most=0, long="-l="),
    "lsof": _options("nPlRUtabOw", "iupcdgFs+"),
    "ss": _options(
        "tulnpasemoirxw460HO", "fA", "--tcp --udp --listening --numeric --processes --all --summary", most=3
    ),
    "netstat": _options(
        "tulnpasrieovWc46x", "fp", "--tcp --udp --listening --numeric --programs --all --route", most=0
    ),
    "ifconfig": _options("a", most=1),
    "arp": _options("an", most=0),
    "dmesg": _options(
        "THkxLPe",
        "lf",
        "--human --ctime --level= --facility= --since= --until= --reltime --color= --nopager",
        most=0,
    ),
    "journalctl": _options(
        "xenrqkabm",
        "unpotSUgb",
        "--no-pager --since= --until= --unit= --user --lines= --output= --priority= --boot --list-boots --disk-usage --reverse --grep= --catalog --pager-end --dmesg --no-hostname --utc",
        most=1,
    ),
    "jq": _options(
        "rcnsSMCaejR",
        long="--raw-output --compact-output --null-input --slurp --sort-keys --exit-status --raw-input --tab --indent= -rc -cr",
    ),
    "yq": _options("rPCMe", "o", "--raw-output --prettyPrint --no-colors --exit-status"),
    "xxd": _options("bupEei", "clsgo", most=1),
    "lshw": _options(long="-short -class= -C= -businfo", most=1),
    "lsattr": _options("adlpRvV"),
    "getfacl": _options("aceEsRLPtpn"),
    "getent": _options(most=3),
    "hash": _options(most=0),
    "umask": _options("Sp", most=0),
    "ulimit": _options("aHS", most=0),
    "stty": _options("a", most=0),
    "last": _options("adFiRwx", "n", most=2, numbers=True),
    "locate": _options("icblrAeqw", "n", "--limit= --ignore-case --basename --count"),
    "mdfind": _options("0", long="-name= -onlyin="),
    "objdump": _options("dDhtTxsSfprCwaGgjMrR", "j"),
    "otool": _options("LltdhvV"),
    "zipinfo": _options("12slmvhtTzC"),
    "unzip": _options("lvZt1qp"),
    "gunzip": _options("lctvq"),
    "gzip": _options("lctvdqk"),
    "cpio": _options("tvi"),
    "pdfinfo": _options("", "fl", "-meta -box -enc="),
    "ffprobe": _options(
        "",
        "",
        "-v= -hide_banner -show_format -show_streams -of= -print_format= -show_entries= -select_streams= -i=",
    ),
    "soxi": _options("Trcsdb"),
    "xmllint": _options(long="--noout --format --xpath= --nonet --valid --recover"),
    "shellcheck": _options("ax", "sefSoC", "--shell= --exclude= --severity= --format="),
    "timedatectl": _options(long="--no-pager", most=0),
    "hostnamectl": _options(long="--no-pager", most=0),
    "loginctl": _options(long="--no-pager", most=0),
    "sysctl": _options("aneN", most=5),
    "sestatus": _options("vb", most=0),
    "getenforce": _options(most=0),
    "ip": _options(
        "468ojsdbrhc",
        "f",
        "-4 -6 -br -brief -color -json -details -s -o -c -j -p -pretty -oneline -stats -statistics -family=",
    ),
    "lpstat": _options("tparvd"),
    "xrandr": _options("q", long="--query --listmonitors --current --verbose --props", most=0),
    "xdpyinfo": _options(most=0),
    "wmctrl": _options("lpGxdm", most=0),
    "xprop": _options(long="-root -id= -name=", most=4),
    "fc-match": _options("sva"),
    "iconv": _options("lcs", "ft", "--list --from-code= --to-code="),
    "mount": _options("lv", "t", most=0),
    "rpm": _options(
        "qailRVpf", long="-qa -qi -ql -qf -qR --query --all --whatprovides= --last --info --list"
    ),
    "dpkg": _options(
        "lLsSpICc",
        long="--list --listfiles --status --search --get-selections --print-architecture --audit --verify",
    ),
    "dpkg-query": _options("lLsSWp", "f", "--list --listfiles --status --search --show --showformat="),
    "apt-cache": _options("qn", long="--names-only --installed"),
    "pacman": _options(long="-Q -Qi -Ql -Qs -Qe -Qm -Qo -Qq -Qdt -Si -Ss"),
    "shuf": _options("ezr", "in", "--echo --head-count= --input-range="),
    "nm": _options("ABCDglnoPpruSsv"),
    "size": _options("ABdoxt"),
}
"""These can write or run something: an option that is not here makes them unknown."""

SUBCOMMANDS: dict[str, dict[str, Options]] = {
    "systemctl": dict.fromkeys(
        [
            "status",
            "list-units",
            "list-unit-files",
            "list-timers",
            "list-sockets",
            "list-dependencies",
            "is-active",
            "is-enabled",
            "is-failed",
            "cat",
            "show",
            "get-default",
        ],
        _options(
            "alnqr",
            "tpno",
            "--no-pager --all --type= --state= --user --failed --plain --full --lines= --property= --no-legend --output=",
        ),
    )
    | {"": _options(long="--no-pager --failed --user --all --type= --state=", most=0)},
    "docker": {
        **dict.fromkeys(
            ["ps", "images", "version", "info", "top", "port", "history", "diff", "stats"],
            _options(
                "aqlns",
                "fn",
                "--all --quiet --no-trunc --filter= --format= --last= --size --latest --digests --no-stream --human",
            ),
        ),
        "logs": _options("tf", "n", "--tail= --since= --until= --timestamps --details --follow"),
    },
    "podman": {
        "ps": _options("aqlns", "f", "--all --quiet --filter= --format="),
        "images": _options("aq", "f", "--all --quiet --format="),
    },
    "kubectl": {
        "get": _options(
            "Aw",
            "nlo",
            "--all-namespaces --namespace= --selector= --output= --watch --show-labels --sort-by= --no-headers --field-selector=",
        ),
        "describe": _options("A", "nl", "--namespace= --all-namespaces --selector="),
        "logs": _options(
            "fp",
            "ncl",
            "--tail= --since= --namespace= --container= --follow --previous --timestamps --all-containers",
        ),
        "version": _options(long="--client --short --output=", most=0),
        "top": _options("A", "n", "--namespace= --all-namespaces --containers"),
        "api-resources": _options("o", long="--output= --namespaced="),
        "explain": _options(),
        "cluster-info": _options(most=0),
    },
    "pip": {
        "list": _options(
            "o", long="--outdated --format= --not-required --user --local --disable-pip-version-check", most=0
        ),
        "freeze": _options("l", long="--all --local --user", most=0),
        "show": _options("fv", long="--files --verbose"),
        "check": _options(most=0),
    },
    "npm": {
        "ls": _options(
            "gal", long="--depth= --all --global --json --long --parseable --prod --dev --production"
        ),
        "list": _options(
            "gal", long="--depth= --all --global --json --long --parseable --prod --dev --production"
        ),
        "prefix": _options("g", most=0),
        "root": _options("g", most=0),
        "why": _options(),
        "explain": _options(),
    },
    "yarn": {"list": _options(long="--depth= --pattern="), "why": _options()},
    "brew": {
        "list": _options("1", long="--versions --cask --formula --formulae"),
        "leaves": _options(most=0),
        "config": _options(most=0),
        "deps": _options(long="--tree --installed"),
    },
    "apt": {
        "list": _options("a", long="--installed --upgradable --all-versions --manual-installed"),
        "show": _options("a"),
        "search": _options("n", long="--names-only --full"),
        "policy": _options(),
        "depends": _options(),
    },
    "apt-mark": {"showmanual": _options(), "showauto": _options(), "showhold": _options()},
    "snap": {"list": _options(long="--all")},
    "flatpak": {"list": _options(long="--app --runtime --columns="), "info": _options()},
    "conda": {
        "list": _options("n", long="--name= --json"),
        "info": _options("e", long="--envs --json", most=0),
    },
    "go": {"version": _options("m"), "doc": _options("acu", long="-all -short -src")},
    "cargo": {"version": _options()},
    "rustup": {"show": _options(most=1), "toolchain": _options(most=1), "target": _options(most=1)},
    "tmux": {
        "ls": _options(most=0),
        "list-sessions": _options(most=0),
        "list-windows": _options("a", most=0),
        "list-panes": _options("a", most=0),
    },
    "nmcli": {
        **dict.fromkeys(["device", "dev", "d", "connection", "con", "c", "general", "g"], _options(most=0))
    },
    "gsettings": {
        "get": _options(most=2),
        "list-schemas": _options(),
        "list-keys": _options(),
        "list-recursively": _options(),
    },
    "defaults": {"domains": _options(most=0)},
    "diskutil": {"list": _options(), "info": _options()},
    "launchctl": {"list": _options(most=1), "print": _options(most=1)},
    "helm": {
        "list": _options("Aa", "n", "--all-namespaces --namespace="),
        "ls": _options("Aa", "n", "--all-namespaces"),
        "version": _options(),
        "status": _options("", "n"),
    },
    "terraform": {"version": _options(most=0), "providers": _options(most=0)},
    "openssl": {"version": _options("a", most=0)},
    "pyenv": {"versions": _options(most=0), "version": _options(most=0)},
    "nvm": {"ls": _options(most=0), "current": _options(most=0)},
    "poetry": {"show": _options("tlo", long="--tree --latest --outdated")},
}
SUBCOMMANDS["pip3"] = SUBCOMMANDS["pip"]
_READING_IP = frozenset(
    [
        "a",
        "addr",
        "address",
        "l",
        "link",
        "r",
        "route",
        "n",
        "neigh",
        "neighbour",
        "rule",
        "maddr",
        "tunnel",
        "netconf",
    ]
)
_READING_IP_VERBS = frozenset({"show", "list", "ls", "s", "get"})

REQUIRED = {"unzip": "lvZtp", "gzip": "lct", "gunzip": "lct", "cpio": "t", "rpm": "q"}
"""Without one of these letters in their options they write."""

GIT = {
    "status": _options(
        "sbuvz",
        "",
        "--short --branch --porcelain --long --ignored --verbose --show-stash --untracked-files= -uno -uall -unormal --renames --no-renames",
    ),
    "log": _options(
        "pgiEFGzmcrsuwbLt",
        "nSGLULI",
        "--oneline --graph --all --decorate --stat --patch --no-patch --author= --committer= --since= --until= --after= --before= --grep= --format= --pretty --pretty= --abbrev-commit --name-only --name-status --follow --no-merges --merges --max-count= --reverse --shortstat --numstat --date= --first-parent --branches --tags --remotes --decorate= --no-color --color --color= --no-pager --date-order --topo-order --summary --left-right --cherry-pick --full-history --simplify-merges --no-ext-diff --no-textconv --diff-filter= --skip= --word-diff --merge --source --relative-date --dirstat -M -C",
        numbers=True,
    ),
    "diff": _options(
        "pwbBzMCaR",
        "UGSlOI",
        "--cached --staged --stat --name-only --name-status --numstat --shortstat --summary --check --color --color= --no-color --word-diff --word-diff= --color-words --ignore-space-change --ignore-all-space --ignore-blank-lines --unified= --diff-filter= --no-ext-diff --no-textconv --merge-base --exit-code --quiet --minimal --patience --histogram --relative --no-prefix --raw --no-renames --find-renames --compact-summary --patch --ignore-space-at-eol -W --function-context --dirstat --text --no-index",
    ),
    "blame": _options("welsftncMCp", "L", "--date= --show-email --porcelain --line-porcelain --root"),
    "branch": _options(
        "avrqi",
        "",
        "--list --all --remotes --show-current --contains= --no-contains= --merged --no-merged --merged= --sort= --format= --verbose -vv --column --no-column --points-at=",
    ),
    "tag": _options(
        "l", "n", "--list --sort= --contains= --merged --no-merged --points-at= --format= --column"
    ),
    "remote": _options("v", "", "--verbose", most=3),
    "stash": _options("p", "", "--stat --patch --name-only", most=2),
    "rev-parse": _options(
        "q",
        "",
        "--abbrev-ref --show-toplevel --git-dir --short --short= --verify --is-inside-work-tree --show-prefix --all --branches --is-bare-repository --absolute-git-dir --git-common-dir --symbolic-full-name --show-cdup",
    ),
    "ls-files": _options(
        "cdmosiutvzk",
        "xX",
        "--cached --deleted --modified --others --stage --ignored --exclude-standard --unmerged --killed --exclude= --full-name --error-unmatch --directory --eol",
    ),
    "ls-tree": _options("rtdlz", "", "--name-only --name-status --full-name --long --full-tree --abbrev"),
    "describe": _options(
        "", "", "--tags --always --all --long --dirty --abbrev= --match= --exact-match --contains"
    ),
    "shortlog": _options(
        "snec", "", "--summary --numbered --email --all --no-merges --since= --until= --group="
    ),
    "reflog": _options("n", "n", "--all --date= --oneline --format= --pretty=", numbers=True),
    "rev-list": _options(
        "n",
        "n",
        "--count --all --max-count= --since= --until= --author= --oneline --objects --left-right --no-merges --merges --first-parent --reverse",
        numbers=True,
    ),
    "merge-base": _options("a", "", "--is-ancestor --all --fork-point --octopus"),
    "cherry": _options("v"),
    "name-rev": _options("", "", "--tags --name-only --always"),
    "for-each-ref": _options(
        "", "", "--sort= --format= --count= --points-at= --merged --no-merged --contains"
    ),
    "show-ref": _options("sd", "", "--heads --tags --head --hash --verify --abbrev"),
    "count-objects": _options("vH"),
    "cat-file": _options("tspe", "", ""),
    "check-ignore": _options("vqnz", "", "--verbose --no-index"),
    "check-attr": _options("a"),
    "var": _options(most=1),
    "version": _options("", "", "--build-options"),
    "help": _options("ag", most=1),
    "whatchanged": _options("p", "n", "--oneline --stat --since="),
    "grep": _options(
        "nilLcwvEFPGhHopqzIar",
        "eABCmf",
        "--cached --untracked --no-index --line-number --count --ignore-case --files-with-matches --files-without-match --word-regexp --name-only --heading --break --and --or --not --show-function --function-context --max-depth= --color --no-color -W",
    ),
    "config": _options(
        "l",
        "",
        "--get= --get-all= --list --show-origin --show-scope --global --local --system --name-only --get-regexp=",
    ),
    "worktree": _options("v", "", "--porcelain", most=1),
    "submodule": _options("", "", "--recursive", most=1),
    "verify-commit": _options("v"),
    "diff-tree": _options("rp", "", "--no-commit-id --name-only --name-status --stat --root"),
}
GIT["show"] = GIT["log"]
GIT_FIRST = {
    "remote": frozenset({"", "show", "get-url"}),
    "stash": frozenset({"list", "show"}),
    "reflog": frozenset({"", "show", "HEAD"}),
    "worktree": frozenset({"list"}),
    "submodule": frozenset({"", "status"}),
}
"""Of these the first word says what is done, and only these read."""


def harmless_by_options(name: str, args: list[Word]) -> list[Word] | None:
    """The words of a known command that are no options, if all its options are known to read only."""
    if name == "ip":
        return _harmless_ip(args)
    if name in REQUIRED and not _has_letter(args, REQUIRED[name]):
        return None
    if name in OPTIONS:
        rest = OPTIONS[name].others(args)
        return None if rest is None or _changes(name, rest) else rest
    known = SUBCOMMANDS.get(name)
    if known is None:
        return None
    if not args or args[0].text.startswith("-"):
        return known[""].others(args) if "" in known else None
    verb = known.get(args[0].text) if args[0].known and len(args[0].values) == 1 else None
    return None if verb is None else verb.others(args[1:])


def _harmless_ip(args: list[Word]) -> list[Word] | None:
    rest = OPTIONS["ip"].others(args)
    if rest is None or not rest or rest[0].text not in _READING_IP:
        return None
    return rest if len(rest) == 1 or rest[1].text in _READING_IP_VERBS else None


def _has_letter(args: list[Word], letters: str) -> bool:
    return any(word.text.startswith("-") and not set(letters).isdisjoint(word.text) for word in args)


def _changes(name: str, rest: list[Word]) -> bool:
    """Whether the words that are no options make a program write, or tell what only its owner should know."""
    texts = [word.text for word in rest]
    match name:
        case "date":
            return any(not text.startswith("+") for text in texts)
        case "ps":
            return any("e" in text and not text.isdigit() for text in texts)
        case "less" | "more" | "bat" | "lsof":
            return any(text.startswith("+") for text in texts)
        case "jq" | "yq":
            return any("env" in text.casefold() or "load" in text or "system" in text for text in texts)
        case "sysctl":
            return any("=" in text for text in texts)
        case "getent":
            return (
                not texts
                or texts[0] not in {"passwd", "group", "hosts", "services", "protocols"}
                or (len(texts) > 1 and texts[0] == "hosts")
            )
        case _:
            return False
