"""What code tries in order to get out of its sandbox: each prints LEAK when it got somewhere.

Each is run without a sandbox first, where it must get somewhere (or the attempt proves nothing), unless it would harm
the machine there, or ``outside`` is false because not every machine lets it; then in the sandbox, where it must not.
``agent.py`` makes the targets, whose places are in ``T`` (Python) and in variables (shell).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Probe:
    """An attempt. ``root`` says that only root gets somewhere with it; ``target`` is to be as it was afterwards."""

    name: str
    code: str
    language: Literal["python", "shell"] = "python"
    outside: bool = True
    root: bool = False
    needs: str | None = None


HELPERS = """
import ctypes, errno, fcntl, json, os, signal, socket, stat, struct, subprocess, sys, time
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def leak(attempt, *arguments):
    try:
        result = attempt(*arguments)
    except OSError as error:
        print("refused:", error)
    else:
        print("LEAK", result)
def reads(path):
    leak(lambda: print(Path(path).read_bytes()[:100]))
def writes(path, data=b"owned"):
    leak(lambda: os.write(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), data))
def connects(family, address, kind=socket.SOCK_STREAM):
    def attempt():
        with socket.socket(family, kind) as connection:
            connection.settimeout(3)
            connection.connect(address)
            return connection.send(b"owned")
    leak(attempt)
def x11(address):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(3)
        connection.connect(address)
        connection.send(b"l\\0\\x0b\\0\\0\\0\\0\\0\\0\\0\\0\\0")
        answer = connection.recv(8)
        if answer[:1] != b"\\1":
            raise OSError("no desktop")
def calls(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result == -1 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
        print("refused:", ctypes.get_errno())
    else:
        print("LEAK", result, ctypes.get_errno())
ARM = os.uname().machine == "aarch64"
def number(intel, arm):
    return arm if ARM else intel
"""

_FILES = [
    Probe(name="write into the home", code="writes(T['home'] + '/new')"),
    Probe(name="write a file outside", code="writes(T['outside'] + '/file')"),
    Probe(name="make a file outside", code="writes(T['outside'] + '/new')"),
    Probe(name="write in /etc", code="writes('/etc/oi-escape-' + T['marker'])", root=True, outside=False),
    Probe(name="write by /proc/self/root", code="writes('/proc/self/root' + T['outside'] + '/file')"),
    Probe(name="write by a way back from the workspace", code="writes(T['workspace'] + '/../../outside/file')"),
    Probe(name="empty a file outside", code="leak(os.truncate, T['outside'] + '/file', 0)"),
    Probe(name="change the mode of a file outside", code="leak(os.chmod, T['outside'] + '/file', 0o777)"),
    Probe(name="change the times of a file outside", code="leak(os.utime, T['outside'] + '/file', (1, 1))"),
    Probe(
        name="put an attribute on a file outside",
        code="leak(os.setxattr, T['outside'] + '/file', 'user.x', b'1')",
        outside=False,
    ),
    Probe(name="move a file of outside in", code="leak(os.rename, T['outside'] + '/moved', T['workspace'] + '/m')"),
    Probe(
        name="remove a folder outside",
        language="shell",
        code='rm -rf "$T_OUTSIDE/removed"; [ -e "$T_OUTSIDE/removed" ] || echo LEAK',
    ),
    Probe(
        name="write through a symbolic link that leads out",
        language="shell",
        code='ln -sf "$T_OUTSIDE/file" link; echo owned > link && echo LEAK',
    ),
    Probe(
        name="hard link of a file outside", code="leak(os.link, T['outside'] + '/file', T['workspace'] + '/hard')"
    ),
    Probe(
        name="hard link of a secret",
        code="leak(os.link, T['home'] + '/.ssh/id_ed25519', T['workspace'] + '/key')",
    ),
    Probe(name="a file of another program in /tmp", code="reads(T['in_tmp'])"),
    Probe(name="shared memory of another program", code="reads(T['in_shm'])"),
]  # fmt: skip
_SECRETS = [
    Probe(name=f"read ~/{path}", code=f"reads(T['home'] + '/{path}')")
    for path in (
        ".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".bash_history", ".bashrc",
        ".git-credentials", ".config/google-chrome/Default/Cookies", ".a-program-nobody-knows/token",
        ".appeared-later/token", ".replaced-by-renaming",
    )
] + [
    Probe(name="read /etc/shadow", code="print(Path('/etc/shadow').read_text()); reads('/etc/shadow') if "
          "Path('/etc/shadow').read_bytes() else print('empty')", root=True),
    Probe(name="read a secret by /proc/1/root", code="reads('/proc/1/root' + T['home'] + '/.ssh/id_ed25519')",
          outside=False),
    Probe(name="read a secret by the root of a process outside",
          code="reads('/proc/%d/root%s/.ssh/id_ed25519' % (T['agent'], T['home']))"),
    Probe(name="read the environment of a process outside", code="reads('/proc/%d/environ' % T['agent'])"),
    Probe(name="variables with secrets",
          code="print('LEAK' if any(T['secret'] in value for value in os.environ.values()) else 'none')"),
    Probe(name="variables that lead to the desktop",
          code="print('LEAK' if os.environ.keys() & {'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'SSH_AUTH_SOCK', "
               "'DBUS_SESSION_BUS_ADDRESS', 'AT_SPI_BUS_ADDRESS', 'XDG_RUNTIME_DIR'} else 'none')"),
    Probe(name="descriptors of the agent",
          code="names = [os.readlink(f'/proc/self/fd/{name}') for name in os.listdir('/proc/self/fd') "
               "if os.path.lexists(f'/proc/self/fd/{name}')]\n"
               "print(names, 'LEAK' if any(T['marker'] in name for name in names) else '')"),
]  # fmt: skip
_SOCKETS = [
    Probe(name="TCP to this machine", code="connects(socket.AF_INET, ('127.0.0.1', T['tcp']))"),
    Probe(name="TCP to this machine by IPv6", code="connects(socket.AF_INET6, ('::1', T['tcp6']))", outside=False),
    Probe(
        name="UDP to this machine",
        code="with socket.socket(type=socket.SOCK_DGRAM) as s:\n"
        "  s.sendto(b'owned', ('127.0.0.1', T['udp']))\nprint('sent')",
    ),
    Probe(name="an abstract socket", code="connects(socket.AF_UNIX, '\\0' + T['abstract'])"),
    Probe(name="the agent's socket in the home", code="connects(socket.AF_UNIX, T['home'] + '/agent.sock')"),
    Probe(name="a socket in a folder of a service", code="connects(socket.AF_UNIX, T['service'])"),
    Probe(name="a socket in a runtime folder", code="connects(socket.AF_UNIX, T['runtime'] + '/pipewire-0')"),
    Probe(name="the agent of ssh", code="connects(socket.AF_UNIX, T['runtime'] + '/ssh-agent')"),
    Probe(name="the accessibility bus", code="connects(socket.AF_UNIX, T['runtime'] + '/at-spi/bus_0')"),
    Probe(name="a socket in /tmp", code="connects(socket.AF_UNIX, T['socket_in_tmp'])"),
    Probe(name="a socket in the workspace", code="connects(socket.AF_UNIX, T['workspace'] + '/server.sock')"),
    Probe(
        name="a datagram socket", code="connects(socket.AF_UNIX, T['datagram'], kind=socket.SOCK_DGRAM)"
    ),
    Probe(
        name="the desktop by its path",
        code="leak(x11, '/tmp/.X11-unix/X%d' % T['display'])",
        needs="Xvfb",
    ),
    Probe(
        name="the desktop by its abstract socket",
        code="leak(x11, '\\0/tmp/.X11-unix/X%d' % T['display'])",
        needs="Xvfb",
        outside=False,
    ),
    Probe(
        name="the desktop by a program",
        language="shell",
        code='xdpyinfo -display ":$T_DISPLAY" >/dev/null 2>&1 && echo LEAK || '
        'xset -display ":$T_DISPLAY" q >/dev/null 2>&1 && echo LEAK',
        needs="Xvfb",
        outside=False,
    ),
    Probe(
        name="the session bus",
        language="shell",
        code='DBUS_SESSION_BUS_ADDRESS="unix:path=$T_RUNTIME/bus" dbus-send --session --print-reply '
        "--dest=org.freedesktop.DBus / org.freedesktop.DBus.GetId && echo LEAK",
        needs="dbus-daemon",
    ),
    Probe(
        name="systemd-run",
        language="shell",
        code='for bus in "$T_RUNTIME/bus" /run/user/$(id -u)/bus; do XDG_RUNTIME_DIR="$T_RUNTIME" '
        'DBUS_SESSION_BUS_ADDRESS="unix:path=$bus" systemd-run --user --wait true && echo LEAK; done; true',
        outside=False,
    ),
    Probe(name="events of devices", code="leak(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 15)"),
    Probe(name="audit messages", code="leak(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 9)", outside=False),
    Probe(name="raw packets", code="leak(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)", root=True),
    Probe(name="packets of the network card", code="leak(socket.socket, 17, socket.SOCK_RAW, 768)", root=True),
    Probe(name="sockets to the host of this machine", code="leak(socket.socket, 40, socket.SOCK_STREAM)",
          outside=False),
    Probe(name="sockets to the kernel's cryptography", code="leak(socket.socket, 38, socket.SOCK_SEQPACKET)",
          outside=False),
]  # fmt: skip
_CHILD = """
child = os.fork()
if child == 0:
    time.sleep(30); os._exit(0)
try:
    {attempt}
finally:
    os.kill(child, 9); os.waitpid(child, 0)
"""
_KERNEL = [
    Probe(name="a user namespace", language="shell", code="unshare --user --map-root-user true && echo LEAK"),
    Probe(
        name="a user namespace by clone",
        code="clone = ctypes.c_long(number(56, 220))\n"
        "pid = libc.syscall(clone, ctypes.c_long(0x10000000 | 17), None, None, None, None)\n"
        "if pid == 0: os._exit(0)\n"
        "print('LEAK' if pid > 0 else 'refused')",
    ),
    Probe(
        name="a user namespace by clone3",
        code="arguments = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17)\n"
        "pid = libc.syscall(ctypes.c_long(435), ctypes.byref(arguments), ctypes.c_long(64))\n"
        "if pid == 0: os._exit(0)\n"
        "print('LEAK' if pid > 0 else 'refused')",
    ),
    Probe(
        name="a mount", language="shell", code="mount -t tmpfs none /mnt && umount /mnt && echo LEAK", root=True,
        outside=False,
    ),
    Probe(
        name="make the root writable again",
        language="shell",
        code="mount -o remount,bind,rw / && echo LEAK",
        outside=False,
    ),
    Probe(name="the new calls to mount", code="calls(430, b'tmpfs', 0)", root=True),
    Probe(name="enter the namespaces of another process",
          code="calls(number(308, 268), os.open('/proc/self/ns/mnt', os.O_RDONLY), 0)", outside=False),
    Probe(name="another root", code="leak(os.chroot, '/')", root=True),
    Probe(name="trace a process", code=_CHILD.format(attempt="calls(number(101, 117), 16, child, 0, 0)")),
    Probe(
        name="read the memory of a process by its number",
        code="buffer = ctypes.create_string_buffer(8); v = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)\n"
        "calls(number(310, 270), os.getpid(), ctypes.byref(v), 1, ctypes.byref(v), 1, 0)",
    ),
    Probe(name="signal a process outside", code="leak(os.kill, T['agent'], 0)"),
    Probe(name="kill a process outside", code="leak(os.kill, T['victim'], 9)"),
    Probe(name="list processes outside",
          code="print('LEAK' if os.path.exists('/proc/%d/status' % T['agent']) else 'none')"),
    Probe(name="priority of a process outside", code="leak(os.setpriority, os.PRIO_PROCESS, T['agent'], 0)"),
    Probe(name="keys of the kernel", code="calls(number(248, 217), b'user', b'x', b'y', 1, -3)"),
    Probe(name="bpf", code="calls(number(321, 280), 0, 0, 0)", root=True),
    Probe(name="userfaultfd", code="calls(number(323, 282), 1)"),
    Probe(name="io_uring", code="calls(425, 1, ctypes.create_string_buffer(120))", outside=False),
    Probe(name="performance events", code="calls(number(298, 241), ctypes.create_string_buffer(112), 0, -1, -1, 0)",
          outside=False),
    Probe(name="files by handle", code="calls(number(304, 265), -1, ctypes.create_string_buffer(64), 0)", root=True),
    Probe(name="descriptors of another process", code="calls(438, -1, 0, 0)", outside=True),
    Probe(name="the numbers of x32", code="print('LEAK' if libc.syscall(ctypes.c_long(0x40000000 + 39)) > 0 else 'no')",
          outside=False),
    Probe(name="shared memory of System V", code="leak_or = libc.shmat(T['segment'], None, 0o10000) & 0xffffffff\n"
          "print('LEAK' if leak_or != 0xffffffff else 'refused')"),
    Probe(
        name="type into the terminal",
        language="shell",
        code="python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b\" \")' && echo LEAK",
        outside=False,
    ),
    Probe(name="the terminal of another program", code="writes(T['terminal'])"),
    Probe(name="block devices", code="print('LEAK' if any(stat.S_ISBLK(os.stat('/dev/' + name).st_mode) for name in "
          "os.listdir('/dev') if os.path.exists('/dev/' + name)) else 'none')", outside=False),
    Probe(name="make a block device", root=True,
          code="leak(os.mknod, T['workspace'] + '/disk', 0o600 | stat.S_IFBLK, os.makedev(7, 0))"),
    Probe(name="make a character device", root=True,
          code="leak(os.mknod, T['workspace'] + '/memory', 0o600 | stat.S_IFCHR, os.makedev(1, 1))"),
    Probe(name="devices of input, memory and messages",
          code="found = [name for name in ('uinput', 'input', 'mem', 'kmem', 'kmsg', 'port', 'kvm', 'fuse', 'vsock', "
               "'hidraw0', 'dri', 'snd', 'video0', 'tty0', 'console') if os.path.exists('/dev/' + name)]\n"
               "print(found, 'LEAK' if found else 'none')"),
    Probe(name="what runs when a program crashes",
          code="writes('/proc/sys/kernel/core_pattern', Path('/proc/sys/kernel/core_pattern').read_bytes())",
          root=True),
    Probe(name="settings of the kernel",
          code="writes('/proc/sys/vm/swappiness', Path('/proc/sys/vm/swappiness').read_bytes())", root=True),
    Probe(name="the magic keys of the kernel",
          code="leak(lambda: os.close(os.open('/proc/sysrq-trigger', os.O_WRONLY)))",
          outside=False, root=True),
    Probe(name="/sys",
          code="found = []\nfor folder, _, names in os.walk('/sys/kernel'):\n"
               "  for name in names:\n"
               "    try: os.close(os.open(os.path.join(folder, name), os.O_WRONLY | 2048)); found.append(name)\n"
               "    except OSError: pass\n"
               "  if len(found) > 3: break\n"
               "print(found, 'LEAK' if found else 'none')", root=True, outside=False),
    Probe(name="control groups",
          code="found = []\nfor folder, _, names in os.walk('/sys/fs/cgroup'):\n"
               "  for name in {'cgroup.procs', 'tasks', 'release_agent'} & set(names):\n"
               "    try: os.close(os.open(os.path.join(folder, name), os.O_WRONLY)); found.append(name)\n"
               "    except OSError: pass\n"
               "print(found, 'LEAK' if found else 'none')", root=True, outside=False),
    Probe(name="gain rights by a program that has them",
          code="print('LEAK' if 'NoNewPrivs:\\t0' in Path('/proc/self/status').read_text() else 'none')"),
    Probe(name="capabilities",
          code="status = Path('/proc/self/status').read_text()\n"
               "print('none' if 'CapBnd:\\t0000000000000000' in status else 'LEAK')"),
    Probe(name="sudo", language="shell", code="sudo -n true && echo LEAK", outside=False),
    Probe(name="the clock", code="calls(number(227, 112), 0, 0)", root=True),
    Probe(name="the name of the machine", code="calls(number(170, 161), b'owned', 0)", outside=False),
]  # fmt: skip
_WORKSPACE = [
    Probe(name="a hook of git", code="writes(T['workspace'] + '/.git/hooks/pre-commit')"),
    Probe(name="settings of git", language="shell", code="git config core.fsmonitor 'touch owned' && echo LEAK"),
    Probe(name="another repository in its place",
          code="old, new = T['workspace'] + '/.git', T['workspace'] + '/.git-old'\n"
               "leak(lambda: os.rename(old, new) or os.rename(new, old))"),
    Probe(name="other hooks in their place",
          code="leak(os.rename, T['workspace'] + '/.git/hooks', T['workspace'] + '/.git/h')"),
    Probe(name="a hook of a repository below", code="writes(T['workspace'] + '/below/.git/hooks/pre-commit')"),
    Probe(name="where a work tree's repository is", code="writes(T['workspace'] + '/tree/.git')"),
    Probe(name="settings of an editor", code="writes(T['workspace'] + '/.vscode/tasks.json')"),
    Probe(name="settings of an editor that were not there",
          code="leak(lambda: (os.makedirs(T['workspace'] + '/.idea', exist_ok=True), "
               "os.close(os.open(T['workspace'] + '/.idea/x', os.O_CREAT | os.O_WRONLY))))"),
    Probe(name="what runs when a folder is entered", code="writes(T['workspace'] + '/.envrc')"),
    Probe(name="a start-up file of the shell", code="writes(T['home'] + '/.bashrc')"),
    Probe(name="what starts with the desktop",
          code="leak(lambda: (os.makedirs(T['home'] + '/.config/autostart', exist_ok=True), "
               "os.close(os.open(T['home'] + '/.config/autostart/x.desktop', os.O_CREAT | os.O_WRONLY))))"),
    Probe(name="a program that runs as its owner",
          code="Path('program').write_text('x'); leak(os.chmod, 'program', 0o4755)"),
    Probe(name="a file made as one that runs as its owner",
          code="leak(lambda: os.close(os.open('setuid-' + T['marker'], os.O_CREAT | os.O_WRONLY, 0o4755)))"),
]  # fmt: skip

PROBES = (*_FILES, *_SECRETS, *_SOCKETS, *_KERNEL, *_WORKSPACE)

WORK = {
    "a file in the workspace": ("python", "Path('made').write_text('x'); print('WOR' + 'KS')", "workspace-write"),
    "a temporary file": ("python", "import tempfile; tempfile.NamedTemporaryFile().write(b'x'); print('WORKS')", None),
    "temporary files that stay": ("shell", "echo WORKS > /tmp/kept; cat /tmp/kept", None),
    "a file of the system": ("python", "print('WORKS' if Path('/etc/hosts').exists() else 'none')", None),
    "a file that the person sees": (
        "python", "print('WORKS' if Path(T['home'], 'notes.txt').read_text() else '')", None,
    ),
    "a program of the person's": ("shell", '"$T_HOME/.local/bin/mine"', None),
    "threads and programs": (
        "python",
        "import threading\nt = threading.Thread(target=subprocess.run, args=(['echo', 'WORKS'],))\nt.start(); t.join()",
        None,
    ),
    "processes that share": (
        "python",
        "import multiprocessing as shared\nq = shared.get_context('fork').Queue(); q.put('WORKS'); print(q.get())",
        None,
    ),
    "a server of its own": (
        "python",
        "s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); print('WORKS')",
        None,
    ),
    "git": (
        "shell",
        (
            "git init -q new && cd new && echo x > f && git add f "
            "&& git -c user.name=a -c user.email=a@b commit -qm x "
            "&& git log --oneline | grep -q x && cd .. && echo WORKS"
        ),
        "workspace-write",
    ),
    "a commit in the workspace": (
        "shell", "echo $$ > g && git add g && git commit -qm y && echo WORKS", "workspace-write",
    ),
    "node": ("shell", "command -v node >/dev/null || echo WORKS; node -e 'console.log(\"WORKS\")'", None),
    "the shell's own terminal": ("shell", "tty >/dev/null && [ -t 0 ] && echo ok > /dev/tty && echo WORKS", None),
}  # fmt: skip
"""What must work: the language, code that prints WORKS, and the one policy that lets it, if not both do."""
