# ruff: noqa: E501, I001, PLR1714, PLR2004, RUF007 - tables of programs, options and cases, read best as they are
"""What a path leads to, by its words: the workspace, a secret, what runs at every start, the system, the agent's own.

Paths are resolved lexically: a link in the workspace that leads out of it is not seen here, the sandbox holds that.
"""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from computer_agent.approval.code.findings import Findings, quoted

if TYPE_CHECKING:
    from computer_agent.approval.code.assessment import Level
    from collections.abc import Iterable
    from pathlib import Path

HOLE = "\ufffc"
"""Stands in a text for a part that is only known when the code runs."""

_SECRETS = (
    ".ssh .aws .gnupg .config/gcloud .azure .kube .docker .netrc _netrc .npmrc .yarnrc .yarnrc.yml .pypirc"
    " .git-credentials .config/git/credentials .config/gh .config/hub .config/rclone .config/op .config/oi .mozilla"
    " .thunderbird .config/google-chrome .config/chromium .config/bravesoftware .config/microsoft-edge"
    " .config/opera .config/vivaldi .password-store .local/share/keyrings .local/share/oi .local/state/oi .claude"
    " .claude.json .codex .gemini .terraform.d .terraformrc .vault-token .pgpass .my.cnf .mylogin.cnf .s3cfg"
    " .boto .gem/credentials .cargo/credentials .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml"
    " .gradle/gradle.properties .subversion/auth .electrum .bitcoin .ethereum .monero .config/solana .config/gcloud"
    " .htpasswd .htdigest .smbcredentials .msmtprc .fetchmailrc .authinfo .authinfo.gpg .lesshst .viminfo"
    " .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history"
    " .history .config/fish/fish_history .local/share/fish .zhistory .sh_history .irb_history .rediscli_history"
    " library/keychains library/cookies library/messages library/mail .config/1password .config/bitwarden"
    " library/application@support/google/chrome library/application@support/firefox .config/keepassxc"
    " /etc/shadow /etc/gshadow /etc/shadow- /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private"
    " /etc/krb5.keytab /etc/security/opasswd /etc/wireguard /etc/openvpn /etc/networkmanager/system-connections"
    " /etc/netplan /etc/master.passwd /etc/ppp /etc/mysql/debian.cnf"
    " /root /run/secrets /var/run/secrets /run/credentials /run/user /dev/mem /dev/kmem /proc/kcore"
    " /var/lib/docker /var/lib/kubelet /etc/kubernetes /etc/letsencrypt /private/etc/master.passwd /dev/input"
    " /var/log/auth.log /var/log/secure /var/spool/mail /var/mail /var/backups /etc/docker/key.json"
)
_SECRET_PATHS = tuple(tuple(entry.replace("@", " ").split("/")) for entry in _SECRETS.split())
_SECRET_NAMES = re.compile(
    r"""(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:pem|key|p12|pfx|kdbx?|keystore|jks|ppk|asc|gpg|ovpn|agekey)
    |\.env(?:rc)?(?:\..*)?|.*\.env|credentials?(?:\.(?:json|ya?ml|toml|ini|csv|xml|txt|db))?
    |(?:.*[._-])?(?:passwords?|secrets?|passphrases?|apikeys?|api[_-]keys?|tokens?|private[_-]keys?)(?:\.(?:json|ya?ml|toml|ini|csv|xml|txt|db|env|conf|cfg|gpg|bak|properties))
    |wallet\.dat|login\ data|cookies|cookies\.sqlite|key[34]\.db|logins\.json|web\ data|local\ state
    |terraform\.tfstate(?:\..*)?|.*\.tfvars|master\.key|service[_-]?account.*\.json|client_secret.*\.json|kubeconfig
    |wp-config\.php|\.dockercfg|\.?netrc|ssh_host_.*_key|.*_history|shadow)""",
    re.VERBOSE,
)
_NO_SECRET = re.compile(r"\.env\.(?:example|sample|template|dist|test)|.*\.pub|cookies|.*\.asc")
_EXAMPLES = (
    ".env",
    "id_rsa",
    "id_ed25519",
    "credentials",
    "credentials.json",
    "server.pem",
    "server.key",
    "secrets.json",
)
_PROCESS = re.compile(
    r"/proc/[^/]+/(?:environ|mem|maps|fd|root|cwd|auxv|stack|syscall|pagemap|task)(?:/|$)", re.IGNORECASE
)
_PROCESS_PARTS = ("environ", "mem", "maps", "fd", "root", "cwd", "auxv", "task")

_STARTUP = (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout"
    " .kshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc .xserverrc .vimrc .exrc"
    " .vim/plugin .config/nvim .emacs .emacs.d .gitconfig .config/git .pam_environment .envrc .config/autostart"
    " .config/systemd .config/environment.d .config/fish .config/plasma-workspace .config/upstart .config/pip"
    " .local/share/applications .local/share/systemd .local/share/dbus-1 .local/bin bin/. .ssh .git/hooks .git/config"
    " .git/modules .git/info/attributes .vscode .idea .husky library/launchagents library/launchdaemons"
    " library/startupitems library/loginitems startup .mozilla .config/google-chrome .config/chromium .tmux.conf"
    " .screenrc .gdbinit .lldbinit .pythonrc .pdbrc .irbrc .pryrc .rprofile .npmrc .yarnrc .curlrc .wgetrc .gnupg .aws"
    " /etc/cron.d /etc/cron.daily /etc/cron.hourly /etc/cron.weekly /etc/cron.monthly /etc/crontab /etc/anacrontab"
    " /var/spool/cron /etc/systemd /lib/systemd /usr/lib/systemd /etc/init.d /etc/rc.local /etc/rc.d /etc/profile"
    " /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshrc /etc/zshenv /etc/environment /etc/ld.so.preload"
    " /etc/ld.so.conf /etc/ld.so.conf.d /etc/pam.d /etc/xdg/autostart /etc/update-motd.d /etc/udev /etc/sudoers"
    " /etc/sudoers.d /etc/ssh /etc/apt/apt.conf.d /etc/modules /etc/modules-load.d /library/launchdaemons"
    " /library/launchagents /etc/skel /etc/inittab"
)
_STARTUP_PATHS = tuple(tuple(entry.split("/")) for entry in _STARTUP.split())
_STARTUP_NAMES = frozenset(
    {"sitecustomize.py", "usercustomize.py", "microsoft.powershell_profile.ps1", "profile.ps1"}
)
_AGENT_PARENTS = frozenset(
    {".config", "share", "state", ".cache", "application support", "preferences", "xdg_config_home"}
)
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/var/folders")  # noqa: S108 - names of folders, none is made
_SYSTEM = [
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/boot",
    "/sys",
    "/proc",
    "/var",
    "/opt",
    "/srv",
    "/run",
    "/dev",
    "/root",
    "/snap",
    "/nix",
    "/system",
    "/library",
    "/applications",
    "/private",
    "/cores",
    "/windows",
    "/mnt",
    "/media",
    "/volumes",
]
_HARMLESS_DEVICES = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/zero", "/dev/stdin"}
)
_DEVICE = re.compile(
    r"/dev/(?:[shv]d|xvd|nvme|mmcblk|r?disk|mapper|dm-|loop|md\d|mem|kmem|port|sg\d|sr\d|nbd|ram|block|mtd|zram)"
    r"|/proc/sysrq|/dev/[*?[]"
)
_GLOB = re.compile(r"[*?\[]|" + HOLE)
_ANYTHING = re.compile(r"(?:\*|\.\*|\?\*|\.\?\*|\.\[!\.\]\*|\[!\.\]\*|\.|\.\.?)")


class Where(NamedTuple):
    """What a path that would be changed leads to: ``kind``, and the path as a person may read it."""

    kind: str
    path: str


class Places:
    """The folders that a session knows, and what a path means to them. Paths are those of POSIX."""

    def __init__(self, workspace: Path, home: Path) -> None:
        self.workspace = _plain(str(workspace))
        self.home = _plain(str(home))
        self.copies: set[str] = set()
        """Paths of the session that hold a secret, or lead to one or to what is not known, whatever their names."""

    def resolve(self, text: str, folders: Iterable[str] | None) -> list[str]:
        """The absolute paths that a text may mean in any of the folders. Where the folder is not known, it is a hole."""
        text = text.replace("\\", "/") if re.match(r"[A-Za-z]:\\", text) else text
        if text.startswith("file://"):
            text = text.removeprefix("file://")
        if text.startswith("~"):
            user, slash, rest = text.partition("/")
            home = self.home if user in ("~", "~+", "~-") else f"{posixpath.dirname(self.home)}/{user[1:]}"
            return [_plain(home + slash + rest)]
        if text.startswith("/"):
            return [_plain(text)]
        return [_plain(f"{folder}/{text}") for folder in ((HOLE,) if folders is None else folders)]

    def is_secret(self, path: str) -> bool:
        """Whether an absolute path leads to what holds secrets, or over it."""
        if self.copies and any(self._may_meet(path, copy) for copy in self.copies):
            return True
        parts = path.casefold().split("/")
        own_root = self.home == "/root" or self.workspace.startswith("/root/")
        if _PROCESS.match(path) or (path.startswith("/proc") and _globbed(parts, _PROCESS_PARTS)):
            return True
        for secret in _SECRET_PATHS:
            if secret == ("", "root") and own_root:
                continue
            if _leads_over(parts, secret):
                return True
        return any(_is_secret_name(part) for part in parts)

    def keeps_secrets(self, folder: str) -> bool:
        """Whether a folder is one for secrets; that a copy of one lies somewhere in it does not make it one."""
        copies, self.copies = self.copies, {copy for copy in self.copies if _within(folder, copy)}
        try:
            return self.is_secret(folder)
        finally:
            self.copies = copies

    def contains(self, path: str) -> bool:
        """Whether an absolute path is known to lie in the workspace, or where anybody may write."""
        return HOLE not in path and any(_within(path, folder) for folder in (self.workspace, *_TEMPORARY))

    @staticmethod
    def _may_meet(path: str, copy: str) -> bool:
        """Whether a path, which may be a pattern, is a copy, below it, or a folder above it."""
        if _within(path, copy) or _within(copy, path) or HOLE in copy:
            return True
        return bool(_GLOB.search(path)) and fnmatchcase(copy, path.replace(HOLE, "*"))

    def holds_secrets(self, path: str) -> bool:
        """Whether what reads all below an absolute path would come upon secrets."""
        return (
            path == "/"
            or _within(self.home, path)
            or path in ("/etc", "/proc", "/home", "/var", "/run", "/root", "/Users")
        )

    def where(self, path: str) -> Where:  # noqa: C901, PLR0911 - one table of cases in their order
        """What an absolute path that would be written or removed leads to."""
        folded = path.casefold()
        parts = folded.split("/")
        if path in _HARMLESS_DEVICES or path.startswith("/dev/fd/"):
            return Where("nothing", path)
        if path.startswith(("/dev/tcp/", "/dev/udp/")):
            return Where("network", path)
        if _DEVICE.match(path):
            return Where("device", path)
        if self._is_agents(parts):
            return Where("agent", path)
        if (
            any(_leads_over(parts, entry) for entry in _STARTUP_PATHS)
            or parts[-1] in _STARTUP_NAMES
            or folded.endswith(".pth")
        ):
            return Where("startup", path)
        if ".git" in parts:
            return Where("repository", path)
        if _within(path, self.workspace):
            return Where("unknown" if HOLE in path else "inside", path)
        if any(_within(path, folder) for folder in _TEMPORARY):
            return Where("unknown" if HOLE in path else "temporary", path)
        if HOLE in path.split("/", 2)[1]:
            return Where("unknown", path)
        if any(_within(folded, folder) for folder in _SYSTEM) and not _within(path, self.home):
            return Where("system", path)
        return Where("outside", path)

    def vital(self, path: str) -> str | None:
        """How a person calls what is lost when all at an absolute path is removed; ``None`` if it is no such folder."""
        folder, _, last = path.rpartition("/")
        if _ANYTHING.fullmatch(last):
            path = folder or "/"
        if path == "/":
            return "everything on this machine"
        if _within(self.home, path):
            return "the home folder"
        if _within(self.workspace, path):
            return "the whole workspace"
        if path.count("/") == 1 and (
            path.casefold() in _SYSTEM or path in ("/home", "/Users") or _GLOB.search(path)
        ):
            return f"the system's folder {path}"
        return None

    def _is_agents(self, parts: list[str]) -> bool:
        pairs = zip(parts, parts[1:], strict=False)
        return any(second in ("oi", "oi.toml") and first in _AGENT_PARENTS for first, second in pairs)


def note_write(findings: Findings, found: Where, verb: str) -> None:
    """Note what writing to (``verb``) such a place means."""
    at = f"{verb} {quoted(found.path.replace(HOLE, '…'))}"
    findings.written[found.path] = None
    match found.kind:
        case "nothing":
            return
        case "device":
            findings.forbid("destructive", f"{at}, a device", f"it {at}, which is a device")
        case "agent":
            findings.forbid(
                "persistence", f"{at}, the agent's own settings", f"it {at}, the agent's own settings"
            )
        case "network":
            findings.add("high", "network", f"connects to {quoted(found.path)}")
        case "startup":
            findings.add("high", "persistence", f"{at}, which other programs run or obey later")
        case "repository":
            findings.add("high", "history-rewrite", f"{at}, inside a repository's own folder")
        case "system":
            findings.add("high", "system-write", f"{at}, a folder of the system")
        case "outside":
            findings.add("high", "write", f"{at}, outside the workspace")
        case _:
            findings.add("medium", "write", at)


def note_removal(findings: Findings, places: Places, path: str, *, whole: bool) -> None:
    """Note that what is at an absolute path is removed; ``whole``: with all that is in it."""
    vital = places.vital(path) if whole else None
    verb = "deletes a folder and all in it:" if whole else "deletes"
    shown = quoted(path.replace(HOLE, "…"))
    if vital is not None:
        findings.forbid("recursive-delete", f"deletes {vital}: {shown}", f"it deletes {vital}")
        return
    found = places.where(path)
    note_write(findings, found, verb)
    level: Level = "medium" if found.kind in ("inside", "temporary", "nothing") else "high"
    findings.add(level, "recursive-delete" if whole else "destructive", f"{verb} {shown}")


def _plain(path: str) -> str:
    """Normalized; a leading drive of Windows counts as a folder."""
    path = path.replace("\\", "/") if re.match(r"[A-Za-z]:", path) else path
    if path.startswith(HOLE):
        return "/" + posixpath.normpath(path) if ".." not in path else f"/{HOLE}"
    parts = path.split("/")
    if any(HOLE in part for part in parts) and ".." in parts:
        return f"/{HOLE}"
    plain = posixpath.normpath("/" + path.lstrip("/"))
    return "/" + plain.lstrip("/")


def _within(path: str, folder: str) -> bool:
    return path == folder or folder == "/" or path.startswith(folder + "/")


def _leads_over(parts: list[str], entry: tuple[str, ...]) -> bool:
    """Whether the parts of a path hold those of an entry, one after the other; from the root if the entry begins there."""
    length = len(entry)
    if entry[0] == "":
        return len(parts) >= length and all(_matches(parts[at], entry[at]) for at in range(length))
    first = entry[0]
    for start in range(1, len(parts) - length + 1):
        if _matches(parts[start], first) and all(
            _matches(parts[start + at], entry[at]) for at in range(1, length)
        ):
            return True
    return False


def _matches(part: str, name: str) -> bool:
    if part == name:
        return True
    if not _GLOB.search(part):
        return False
    return not _only_visible(part, name) and fnmatchcase(name, part.replace(HOLE, "*").replace("[^", "[!"))


def _only_visible(pattern: str, name: str) -> bool:
    """A pattern that begins with a wild card does not match names that begin with a dot, and a bare one is no hint."""
    return (name.startswith(".") and pattern[0] in "*?[") or pattern.strip("*" + HOLE) == ""


def _globbed(parts: list[str], names: tuple[str, ...]) -> bool:
    return len(parts) > 3 and any(
        _GLOB.search(parts[3]) and fnmatchcase(name, parts[3].replace(HOLE, "*")) for name in names
    )


def _is_secret_name(part: str) -> bool:
    if not part or _NO_SECRET.fullmatch(part):
        return False
    if _SECRET_NAMES.fullmatch(part):
        return True
    return bool(_GLOB.search(part)) and any(_matches(part, name) for name in _EXAMPLES)
