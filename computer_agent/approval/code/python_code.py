# ruff: noqa: PLR2004 - tables of programs, options and cases, read best as they are
"""The judge of Python: every name and attribute that a harmless block uses is on a list, the rest is told in words."""

from __future__ import annotations

import ast
import shlex
from typing import TYPE_CHECKING

from computer_agent.approval.code.findings import Findings, quoted
from computer_agent.approval.code.other import judge_other
from computer_agent.approval.code.places import HOLE, Places, note_removal, note_write

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.session import Names

    Run = Callable[[str], None]

_BUILTINS = frozenset(
    [
        "abs",
        "all",
        "any",
        "ascii",
        "bin",
        "bool",
        "bytearray",
        "bytes",
        "chr",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "format",
        "frozenset",
        "hash",
        "hex",
        "id",
        "int",
        "isinstance",
        "issubclass",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "next",
        "oct",
        "ord",
        "pow",
        "print",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "tuple",
        "zip",
        "True",
        "False",
        "None",
        "NotImplemented",
        "Ellipsis",
        "Exception",
        "ValueError",
        "TypeError",
        "KeyError",
        "IndexError",
        "RuntimeError",
        "StopIteration",
        "ZeroDivisionError",
        "AttributeError",
        "OSError",
        "FileNotFoundError",
        "AssertionError",
        "ArithmeticError",
        "OverflowError",
        "UnicodeError",
        "NotImplementedError",
        "KeyboardInterrupt",
        "LookupError",
        "PermissionError",
        "computer",
        "__name__",
        "display",
        "object",
        "callable",
    ]
)
_MODULES = frozenset(
    [
        "math",
        "cmath",
        "json",
        "datetime",
        "re",
        "statistics",
        "time",
        "collections",
        "itertools",
        "functools",
        "random",
        "string",
        "textwrap",
        "decimal",
        "fractions",
        "operator",
        "calendar",
        "unicodedata",
        "pprint",
        "typing",
        "dataclasses",
        "enum",
        "bisect",
        "heapq",
        "copy",
        "hashlib",
        "base64",
        "difflib",
        "uuid",
        "csv",
        "numbers",
        "platform",
        "keyword",
        "pathlib",
        "os",
        "sys",
        "collections.abc",
        "os.path",
        "zoneinfo",
        "__future__",
        "abc",
        "html",
        "colorsys",
        "struct",
        "binascii",
    ]
)
_ATTRIBUTES = frozenset(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "sort",
        "reverse",
        "index",
        "count",
        "items",
        "keys",
        "values",
        "get",
        "setdefault",
        "update",
        "add",
        "discard",
        "union",
        "intersection",
        "difference",
        "symmetric_difference",
        "issubset",
        "issuperset",
        "isdisjoint",
        "split",
        "rsplit",
        "splitlines",
        "join",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "title",
        "capitalize",
        "casefold",
        "swapcase",
        "startswith",
        "endswith",
        "replace",
        "find",
        "rfind",
        "rindex",
        "zfill",
        "center",
        "ljust",
        "rjust",
        "partition",
        "rpartition",
        "encode",
        "decode",
        "isdigit",
        "isalpha",
        "isalnum",
        "isspace",
        "isupper",
        "islower",
        "isnumeric",
        "isdecimal",
        "isidentifier",
        "removeprefix",
        "removesuffix",
        "expandtabs",
        "translate",
        "maketrans",
        "most_common",
        "elements",
        "total",
        "popleft",
        "appendleft",
        "rotate",
        "fromkeys",
        "copy",
        "remove",
        "clear",
        "move_to_end",
        "match",
        "search",
        "findall",
        "finditer",
        "sub",
        "subn",
        "fullmatch",
        "compile",
        "group",
        "groups",
        "groupdict",
        "start",
        "end",
        "span",
        "escape",
        "IGNORECASE",
        "MULTILINE",
        "DOTALL",
        "VERBOSE",
        "I",
        "M",
        "S",
        "X",
        "pattern",
        "sqrt",
        "floor",
        "ceil",
        "pi",
        "e",
        "tau",
        "inf",
        "nan",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "exp",
        "log",
        "log2",
        "log10",
        "pow",
        "factorial",
        "gcd",
        "lcm",
        "comb",
        "perm",
        "prod",
        "hypot",
        "degrees",
        "radians",
        "isclose",
        "isnan",
        "isinf",
        "isfinite",
        "fabs",
        "fsum",
        "trunc",
        "dist",
        "cbrt",
        "isqrt",
        "sinh",
        "cosh",
        "tanh",
        "modf",
        "fmod",
        "copysign",
        "mean",
        "median",
        "mode",
        "stdev",
        "pstdev",
        "variance",
        "pvariance",
        "fmean",
        "quantiles",
        "multimode",
        "harmonic_mean",
        "geometric_mean",
        "correlation",
        "dumps",
        "loads",
        "now",
        "today",
        "utcnow",
        "date",
        "time",
        "datetime",
        "timedelta",
        "timezone",
        "utc",
        "fromisoformat",
        "isoformat",
        "strftime",
        "strptime",
        "year",
        "month",
        "day",
        "hour",
        "minute",
        "second",
        "microsecond",
        "weekday",
        "isoweekday",
        "isocalendar",
        "days",
        "seconds",
        "total_seconds",
        "fromtimestamp",
        "timestamp",
        "astimezone",
        "min",
        "max",
        "tzinfo",
        "combine",
        "toordinal",
        "fromordinal",
        "ctime",
        "perf_counter",
        "monotonic",
        "process_time",
        "sleep",
        "localtime",
        "gmtime",
        "mktime",
        "Counter",
        "defaultdict",
        "OrderedDict",
        "deque",
        "namedtuple",
        "ChainMap",
        "chain",
        "combinations",
        "permutations",
        "product",
        "repeat",
        "cycle",
        "count",
        "islice",
        "groupby",
        "accumulate",
        "zip_longest",
        "takewhile",
        "dropwhile",
        "starmap",
        "tee",
        "pairwise",
        "batched",
        "combinations_with_replacement",
        "from_iterable",
        "random",
        "randint",
        "choice",
        "choices",
        "sample",
        "shuffle",
        "uniform",
        "seed",
        "gauss",
        "randrange",
        "normalvariate",
        "ascii_letters",
        "ascii_lowercase",
        "ascii_uppercase",
        "digits",
        "punctuation",
        "whitespace",
        "hexdigits",
        "printable",
        "wrap",
        "fill",
        "dedent",
        "indent",
        "shorten",
        "Decimal",
        "Fraction",
        "numerator",
        "denominator",
        "quantize",
        "real",
        "imag",
        "conjugate",
        "bit_length",
        "as_integer_ratio",
        "is_integer",
        "itemgetter",
        "add",
        "mul",
        "monthrange",
        "month_name",
        "day_name",
        "monthcalendar",
        "isleap",
        "category",
        "name",
        "normalize",
        "pprint",
        "pformat",
        "field",
        "asdict",
        "astuple",
        "Enum",
        "IntEnum",
        "auto",
        "bisect",
        "bisect_left",
        "bisect_right",
        "insort",
        "heappush",
        "heappop",
        "heapify",
        "nlargest",
        "nsmallest",
        "deepcopy",
        "md5",
        "sha1",
        "sha256",
        "sha512",
        "hexdigest",
        "digest",
        "b64encode",
        "b64decode",
        "urlsafe_b64encode",
        "unified_diff",
        "ndiff",
        "get_close_matches",
        "SequenceMatcher",
        "ratio",
        "uuid4",
        "uuid1",
        "uuid5",
        "DictReader",
        "reader",
        "fieldnames",
        "system_",
        "machine",
        "python_version",
        "release",
        "node",
        "processor",
        "python_implementation",
        "kwlist",
        "version",
        "version_info",
        "platform",
        "maxsize",
        "argv",
        "byteorder",
        "float_info",
        "getrecursionlimit",
        "executable",
        "cwd",
        "getcwd",
        "listdir",
        "cpu_count",
        "getpid",
        "sep",
        "linesep",
        "curdir",
        "exists",
        "isfile",
        "isdir",
        "islink",
        "getsize",
        "getmtime",
        "basename",
        "dirname",
        "abspath",
        "normpath",
        "join_",
        "splitext",
        "relpath",
        "commonpath",
        "commonprefix",
        "scandir",
        "walk",
        "stat",
        "st_size",
        "st_mtime",
        "st_mode",
        "fspath",
        "is_dir",
        "is_file",
        "is_symlink",
        "Path",
        "PurePath",
        "PosixPath",
        "home",
        "iterdir",
        "glob",
        "rglob",
        "suffix",
        "suffixes",
        "stem",
        "parent",
        "parents",
        "parts",
        "anchor",
        "as_posix",
        "with_suffix",
        "with_name",
        "with_stem",
        "relative_to",
        "is_relative_to",
        "joinpath",
        "read_text",
        "read_bytes",
        "resolve",
        "absolute",
        "expanduser",
        "samefile",
        "read",
        "readline",
        "readlines",
        "seek",
        "tell",
        "close",
        "closed",
        "ZoneInfo",
        "key",
        "args",
        "bit_count",
        "to_bytes",
        "from_bytes",
        "hex",
        "fromhex",
        "unpack",
        "unpack_from",
        "calcsize",
        "path",
        "strip_",
        "rglob_",
        "lru_cache",
        "cache",
        "reduce",
        "partial",
        "read_table",
        "name_",
        "lineno",
        "msg",
        "doc",
        "pos",
        "unescape",
        "dataclass",
        "total_ordering",
        "cached_property",
        "wraps",
    ]
)
_EVIL_NAMES = frozenset({"eval", "exec", "compile", "__import__"})
_NETWORK = frozenset(
    [
        "requests",
        "urllib",
        "urllib3",
        "http",
        "socket",
        "ssl",
        "smtplib",
        "ftplib",
        "telnetlib",
        "imaplib",
        "poplib",
        "aiohttp",
        "httpx",
        "websockets",
        "websocket",
        "paramiko",
        "xmlrpc",
        "socketserver",
        "asyncssh",
        "fabric",
        "nntplib",
        "boto3",
        "botocore",
        "openai",
        "anthropic",
        "slack_sdk",
        "twilio",
        "pika",
        "redis",
        "pymongo",
        "psycopg2",
        "mysql",
    ]
)
_SENDS = frozenset(
    [
        "post",
        "put",
        "patch",
        "delete",
        "sendmail",
        "send_message",
        "sendall",
        "sendto",
        "send",
        "storbinary",
        "upload_file",
        "put_object",
        "connect",
        "exec_command",
    ]
)
_DANGEROUS_MODULES = frozenset(
    ["ctypes", "cffi", "_ctypes", "pickle", "marshal", "shelve", "dill", "cloudpickle"]
)
_RUNNERS = frozenset(
    [
        "system",
        "popen",
        "run",
        "call",
        "check_call",
        "check_output",
        "Popen",
        "getoutput",
        "getstatusoutput",
        "spawnl",
        "spawnle",
        "spawnlp",
        "spawnv",
        "spawnve",
        "spawnvp",
        "execl",
        "execle",
        "execlp",
        "execv",
        "execve",
        "execvp",
        "execvpe",
        "posix_spawn",
        "create_subprocess_shell",
        "create_subprocess_exec",
        "startfile",
        "spawn",
    ]
)
_RUNNING_MODULES = frozenset(
    {"os", "subprocess", "asyncio", "pty", "commands", "popen2", "pexpect", "sh", "plumbum", "posix"}
)
_REMOVERS = frozenset(
    ["remove", "unlink", "rmdir", "removedirs", "rmtree", "move", "rename", "replace", "renames", "truncate"]
)
_WRITERS = frozenset(
    [
        "write_text",
        "write_bytes",
        "touch",
        "mkdir",
        "makedirs",
        "symlink_to",
        "hardlink_to",
        "chmod",
        "chown",
        "copy",
        "copyfile",
        "copy2",
        "copytree",
        "link",
        "symlink",
        "mkfifo",
        "to_csv",
        "to_excel",
        "to_json",
        "to_parquet",
        "to_pickle",
        "savefig",
        "save",
        "dump",
    ]
)
_SECRET_ATTRIBUTES = frozenset({"environ", "getenv", "environb", "getenvb", "get_password", "getpass"})
_TAMPERS = frozenset(
    [
        "setattr",
        "delattr",
        "globals",
        "locals",
        "vars",
        "getattr",
        "__builtins__",
        "builtins",
        "breakpoint",
        "settrace",
        "setprofile",
        "modules",
        "meta_path",
        "path_hooks",
        "excepthook",
        "displayhook",
    ]
)
_CHANGES_THE_SESSION = frozenset(
    [
        "chdir",
        "fchdir",
        "chroot",
        "putenv",
        "unsetenv",
        "reload",
        "f_globals",
        "f_builtins",
        "currentframe",
        "_getframe",
        "addsitedir",
    ]
)
"""What changes the meaning of later blocks: where relative paths lead, what modules are."""
_REACHING_MODULES = frozenset(
    [
        "builtins",
        "importlib",
        "imp",
        "runpy",
        "site",
        "sitecustomize",
        "usercustomize",
        "gc",
        "code",
        "codeop",
        "pkgutil",
        "zipimport",
        "mock",
        "unittest",
        "wrapt",
        "pdb",
        "bdb",
    ]
)
"""With these a block can change what later ones mean; that it did is not seen."""
_OF_MODULE = {
    "os": frozenset(
        [
            "path",
            "sep",
            "linesep",
            "curdir",
            "getcwd",
            "listdir",
            "cpu_count",
            "getpid",
            "scandir",
            "walk",
            "stat",
            "fspath",
            "name",
            "environ",
            "getenv",
        ]
    ),
    "sys": frozenset(
        [
            "version",
            "version_info",
            "platform",
            "maxsize",
            "argv",
            "byteorder",
            "float_info",
            "getrecursionlimit",
            "executable",
            "path",
        ]
    ),
    "pathlib": frozenset({"Path", "PurePath", "PosixPath"}),
}
"""Of these modules no other name is harmless, though a text or a list may have a method of that name."""
_PATH_CLASSES = frozenset({"Path", "PosixPath", "WindowsPath", "PurePath"})
_DATE_PARTS = frozenset({"year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold"})
_SHOWING = frozenset({"print", "len", "list", "tuple", "enumerate", "sorted", "repr", "str"})
_DECORATORS = frozenset(
    [
        "property",
        "staticmethod",
        "classmethod",
        "dataclass",
        "lru_cache",
        "cache",
        "total_ordering",
        "cached_property",
        "wraps",
    ]
)
_METHODS = frozenset({"__init__", "__repr__", "__str__", "__len__", "__eq__", "__post_init__"})
_MOST_NODES = 60_000


def judge_python(code: str, places: Places, names: Names, findings: Findings, run_text: Run) -> None:
    """Note what a block of Python does, and remember in ``names`` what it defines."""
    try:
        _judge(code, places, names, findings, run_text)
    finally:
        if findings.dynamic:
            names.distrust()


def _judge(code: str, places: Places, names: Names, findings: Findings, run_text: Run) -> None:
    lines = code.split("\n")
    for line in lines:
        if line.lstrip().startswith(("!", "%")):
            findings.add("medium", "unparsed", f"is not plain Python: {quoted(line)}")
            run_text(line.lstrip().lstrip("!%").removeprefix("sx ").removeprefix("system "))
    try:
        tree = ast.parse("\n".join("" if line.lstrip().startswith(("!", "%")) else line for line in lines))
        judge = _PythonJudge(places, names, findings, run_text)
        if sum(1 for _ in ast.walk(tree)) > _MOST_NODES:
            findings.add("high", "unparsed", "is longer than is read here")
            return
        judge.block(tree)
    except (SyntaxError, ValueError):
        findings.add("medium", "unparsed", f"cannot be parsed: {quoted(code)}")
        judge_other("python", code, findings, run_text)
    except (RecursionError, MemoryError):
        findings.add("high", "unparsed", "is deeper nested than is read here")


class _PythonJudge(ast.NodeVisitor):
    """Visits one block."""

    def __init__(self, places: Places, names: Names, findings: Findings, run_text: Run) -> None:
        self._places = places
        self._names = names
        self._found = findings
        self._run_text = run_text
        self._own: set[str] = set()
        self._modules: dict[str, str] = {}
        self._plain: set[int] = set()
        """Nodes that stand where all that they can do is seen: the function of a call, the owner of an attribute."""

    def block(self, tree: ast.Module) -> None:
        """Judge all of it. A name that is bound anywhere in it is its own."""
        if tree.body and self._names.distrusted != "low":
            self._found.add(
                "medium", "dynamic-command", "runs after code that may have changed what names mean"
            )
        for node in ast.walk(tree):
            self._note_plain(node)
            for name in _bound(node):
                self._own.add(name)
                if name in _BUILTINS and not isinstance(node, ast.arg):
                    self._found.add("medium", "dynamic-command", f"gives {quoted(name)} another meaning")
                    self._names.define(name, "medium")
        self.visit(tree)
        level = self._found.level
        for name in self._own:
            self._names.define(name, "low" if level == "low" else "medium")

    def _note_plain(self, node: ast.AST) -> None:
        match node:
            case ast.Call(func=function, args=args):
                self._plain.add(id(function))
                called = function.id if isinstance(function, ast.Name) else ""
                for arg in args:
                    named = isinstance(arg, ast.Name) and called in ("map", "isinstance", "issubclass")
                    self._plain.update({id(arg)} if named or called in _SHOWING else ())
            case ast.Attribute(
                value=ast.Attribute(attr="environ") as owner, attr="get" | "items" | "keys" | "values"
            ):
                self._plain.add(id(owner))
            case ast.Attribute(value=owner):
                self._plain.add(id(owner) if isinstance(owner, ast.Name) else 0)
            case (
                ast.For(iter=over) | ast.comprehension(iter=over) | ast.Subscript(value=over, ctx=ast.Load())
            ):
                self._plain.add(id(over))
            case ast.arg(annotation=ast.expr() as kind) | ast.AnnAssign(annotation=kind):
                self._plain.update(id(part) for part in ast.walk(kind))
            case ast.FunctionDef(returns=ast.expr() as kind):
                self._plain.update(id(part) for part in ast.walk(kind))
            case _:
                pass

    def _dynamic(self, node: ast.AST, words: str) -> None:
        """Note what may change the meaning of later blocks."""
        self._found.add("medium", "dynamic-command", f"{words}: {quoted(ast.unparse(node)[:200])}")
        self._names.distrust()

    def _medium(self, node: ast.AST, words: str) -> None:
        self._found.add("medium", "unknown", f"{words}: {quoted(ast.unparse(node)[:200])}")

    def visit_Import(self, node: ast.Import) -> None:
        """Modules that are imported."""
        for alias in node.names:
            self._modules[alias.asname or alias.name.partition(".")[0]] = alias.name
            self._import(alias.name)
            if alias.asname and alias.name.partition(".")[0] in _OF_MODULE and alias.asname != alias.name:
                self._medium(node, "gives a module another name")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Names that are imported from a module."""
        module = node.module or "."
        self._import(module)
        for alias in node.names:
            self._modules[alias.asname or alias.name] = f"{module}.{alias.name}"
            if alias.asname and alias.asname != alias.name and module.partition(".")[0] in _OF_MODULE:
                self._medium(node, "gives what it imports another name")
            if module in _OF_MODULE and alias.name not in _OF_MODULE[module]:
                self._medium(node, "imports what is not known to be harmless")
            if alias.name in _CHANGES_THE_SESSION or (module, alias.name) in (
                ("sys", "path"),
                ("os", "environ"),
            ):
                self._dynamic(node, "may change what later code means")
            if alias.name == "*":
                self._names.distrust()
                if module.partition(".")[0] in _RUNNING_MODULES:
                    self._found.add(
                        "high",
                        "dynamic-command",
                        f"takes every name of {quoted(module)}, which starts programs",
                    )
                self._medium(node, "imports every name of a module")
            elif (
                module in _MODULES
                and alias.name not in _ATTRIBUTES
                and module not in ("typing", "__future__", "collections.abc", "abc")
            ):
                self._attribute(node, alias.name)

    def _import(self, module: str) -> None:
        root = module.partition(".")[0]
        if root in _REACHING_MODULES:
            self._found.add(
                "medium", "dynamic-command", f"imports {quoted(module)}, which can change what names mean"
            )
            self._names.distrust()
        elif root in _NETWORK and module not in ("urllib.parse", "http"):
            self._found.add("medium", "network", f"imports {quoted(module)}, which reaches other machines")
        elif root in _DANGEROUS_MODULES:
            self._found.add("high", "dynamic-command", f"imports {quoted(module)}, which can run anything")
        elif module not in _MODULES:
            self._found.add(
                "medium", "unknown", f"imports {quoted(module)}, which is not known to be harmless"
            )

    def visit_Name(self, node: ast.Name) -> None:
        """A name that is read."""
        if not isinstance(node.ctx, ast.Load):
            return
        name = node.id
        if name in _EVIL_NAMES:
            self._found.add("high", "dynamic-command", f"runs code that is made when it runs: {quoted(name)}")
            return
        level = self._names.of(name)
        module = self._modules.get(name, name) in _OF_MODULE or name == "computer"
        if id(node) not in self._plain and module:
            self._found.add("medium", "dynamic-command", f"passes {quoted(name)} on, which can do anything")
        elif id(node) not in self._plain and name in _PATH_CLASSES:
            self._medium(node, "gives a class another name")
        if name in _TAMPERS:
            self._found.add("medium", "dynamic-command", f"may change what names mean: {quoted(name)}")
        elif level is not None and level != "low" and name not in self._own - _BUILTINS:
            self._found.add(level, "dynamic-command", f"uses {quoted(name)}, which earlier code has defined")
        elif name not in _BUILTINS and name not in self._own and level is None:
            self._found.add("medium", "unknown", f"uses {quoted(name)}, which is not known")
        elif self._names.distrusted != "low":
            self._found.add(
                "medium", "dynamic-command", f"uses {quoted(name)}, which earlier code may have changed"
            )

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """An attribute that is read or set."""
        chain = _chain(node)
        owner = node.value
        if chain[:1] == ["computer"] and "computer" not in self._own and isinstance(node.ctx, ast.Load):
            if id(node) not in self._plain and chain[1:2] in (["terminal"], ["files"]):
                self._dynamic(node, "passes on what can run code")
            return
        if not isinstance(node.ctx, ast.Load) and not (isinstance(owner, ast.Name) and owner.id == "self"):
            self._found.add(
                "medium", "dynamic-command", f"sets or deletes an attribute: {quoted(ast.unparse(node))}"
            )
            if isinstance(owner, ast.Name) and (
                owner.id in _BUILTINS or owner.id in self._modules or owner.id in _MODULES
            ):
                self._names.distrust()
        elif not (isinstance(owner, ast.Name) and owner.id == "self" and not node.attr.startswith("__")):
            self._attribute(node, node.attr)
            self._of_module(node, chain)
        self.visit(owner)

    def _of_module(self, node: ast.Attribute, chain: list[str]) -> None:
        """What only the modules of the system have, or what has a harmless namesake there."""
        listed = _OF_MODULE.get(self._modules.get(chain[0], chain[0]))
        if node.attr in _CHANGES_THE_SESSION:
            self._dynamic(node, "changes what later code means")
        elif len(chain) == 2 and listed is not None and node.attr not in listed:
            self._medium(node, "uses what is not known to be harmless")
        elif listed is not None and node.attr in ("path", "environ") and id(node) not in self._plain:
            if self._modules.get(chain[0], chain[0]) == "sys" or node.attr == "environ":
                self._dynamic(node, "may change where modules are found")
        elif node.attr == "replace" and id(node) not in self._plain:
            self._medium(node, "passes on what may move files")
        elif node.attr in _PATH_CLASSES and id(node) not in self._plain:
            self._medium(node, "gives a class another name")

    def _attribute(self, node: ast.AST, name: str) -> None:
        if name in _SECRET_ATTRIBUTES:
            self._found.add("medium", "secret-read", f"reads the environment or a password: {quoted(name)}")
        elif name in _TAMPERS or (name.startswith("__") and name not in _METHODS):
            self._found.add("medium", "dynamic-command", f"reaches into what names mean: {quoted(name)}")
        elif name in _RUNNERS and name not in ("run", "call", "spawn"):
            self._found.add("high", "dynamic-command", f"starts a program: {quoted(name)}")
        elif name in _REMOVERS - {"replace", "remove"}:
            self._found.add("medium", "destructive", f"deletes or moves files: {quoted(name)}")
        elif name not in _ATTRIBUTES:
            self._medium(node, "uses what is not known to be harmless")

    def visit_Constant(self, node: ast.Constant) -> None:
        """A text may be a path, or reach into an object when it is formatted."""
        if isinstance(node.value, str):
            self._note_text(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A text that is put together."""
        self._note_text(_text(node) or "")
        self.generic_visit(node)

    def _note_text(self, text: str) -> None:
        if "__" in text and ("{" in text or text.startswith("__")):
            self._found.add("medium", "dynamic-command", f"reaches into an object by a text: {quoted(text)}")
        if len(text) < 4096 and "\n" not in text and ("." in text or "/" in text or text.startswith("~")):
            for path in self._paths(text):
                if self._places.is_secret(path):
                    self._found.credential(
                        f"names {quoted(text.replace(HOLE, '…'))}, which may hold a secret"
                    )

    def _paths(self, text: str) -> list[str]:
        return self._places.resolve(
            text,
            (self._places.workspace, self._places.home)
            if text.startswith(".")
            else (self._places.workspace,),
        )

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function: its body is judged as if it ran."""
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """As a function."""
        self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name.startswith("__") and node.name not in _METHODS:
            self._found.add(
                "medium", "dynamic-command", f"changes what an operation does: {quoted(node.name)}"
            )
        self._decorators(node.decorator_list)
        self.generic_visit(node)

    def _decorators(self, decorators: list[ast.expr]) -> None:
        for decorator in decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if _chain(target)[-1:] and _chain(target)[-1] not in _DECORATORS:
                self._medium(decorator, "wraps a function in another")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class: with a metaclass or hooks it runs code where none is seen."""
        self._decorators(node.decorator_list)
        if node.keywords:
            self._medium(node.keywords[0].value, "has another make a class")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """A call: what is known to be risky is told in words, the rest by its name."""
        chain = _chain(node.func)
        name = chain[-1] if chain else ""
        origin = self._modules.get(chain[0], chain[0]) if chain else ""
        if chain[:1] == ["computer"] and "computer" not in self._own:
            self._computer(node, chain)
        elif name == "open" or (name == "open" and origin in ("io", "codecs")):
            self._open(node)
        elif name in _EVIL_NAMES:
            self._evaluate(node)
        elif name in _RUNNERS and (origin.partition(".")[0] in _RUNNING_MODULES or len(chain) != 1):
            self._program(node, name)
        elif name in _REMOVERS:
            self._remover(node, name, origin.partition(".")[0])
        elif name in _WRITERS:
            self._write(node, name)
        elif name in _SENDS and self._found.network:
            self._found.add("high", "network", f"sends to another machine: {quoted(ast.unparse(node)[:200])}")
        if chain == ["open"] and "open" not in self._own and self._names.of("open") is None:
            for part in (*node.args, *(one.value for one in node.keywords)):
                self.visit(part)
        else:
            self.generic_visit(node)

    def _remover(self, node: ast.Call, name: str, module: str) -> None:
        if module in ("os", "shutil", "pathlib") or name in ("unlink", "rmtree", "rmdir"):
            self._removal(node, name)
        elif name == "replace" and isinstance(node.func, ast.Attribute) and _may_move(node, node.func):
            self._found.add(
                "medium", "destructive", f"may move a file over another: {quoted(ast.unparse(node)[:200])}"
            )

    def _evaluate(self, node: ast.Call) -> None:
        text = _text(node.args[0]) if node.args else None
        self._found.add(
            "high",
            "dynamic-command",
            f"runs code that is made when it runs: {quoted(ast.unparse(node)[:200])}",
        )
        if text and HOLE not in text and len(text) < 100_000:
            inner = Findings()
            judge_python(text, self._places, self._names, inner, self._run_text)
            self._found.absorb(inner)

    def _program(self, node: ast.Call, name: str) -> None:
        words = [_text(part) for part in _parts(node)]
        shown = quoted(ast.unparse(node)[:200])
        self._found.add("medium", "unknown", f"starts a program: {shown}")
        if not words or any(word is None or HOLE in word for word in words):
            self._found.add("high", "dynamic-command", f"starts what is only known when it runs: {shown}")
        known = [word.replace(HOLE, "x") for word in words if word is not None]
        listed = bool(node.args) and isinstance(node.args[0], (ast.List, ast.Tuple))
        if name.startswith(("exec", "spawn", "posix", "create_subprocess_exec")) or listed:
            self._run_text(
                shlex.join(
                    known[1:] if name.startswith(("execv", "execl", "spawn")) and len(known) > 2 else known
                )
            )
        elif known:
            self._run_text(known[0])

    def _removal(self, node: ast.Call, name: str) -> None:
        whole = name in ("rmtree", "removedirs")
        texts = [_text(part) for part in node.args]
        if not texts and isinstance(node.func, ast.Attribute):
            texts = [_path_text(node.func.value)]
        for text in texts or [None]:
            if text is None or HOLE in text:
                self._found.add(
                    "high",
                    "recursive-delete" if whole else "destructive",
                    f"deletes what is only known when it runs: {quoted(ast.unparse(node)[:200])}",
                )
            else:
                for path in self._paths(text):
                    note_removal(self._found, self._places, path, whole=whole)

    def _write(self, node: ast.Call, name: str) -> None:
        module = isinstance(node.func, ast.Attribute) and _chain(node.func.value)[:1] in (["os"], ["shutil"])
        if isinstance(node.func, ast.Attribute) and not node.args and name == "copy":
            return
        text = _text(node.args[-1]) if module and node.args else None
        if not module and isinstance(node.func, ast.Attribute):
            text = _path_text(node.func.value) or (
                _text(node.args[0]) if node.args and name.startswith(("to_", "save")) else None
            )
        self._write_to(text, node)

    def _write_to(self, text: str | None, node: ast.AST) -> None:
        self._found.add("medium", "write", f"writes a file: {quoted(ast.unparse(node)[:200])}")
        if text is not None:
            for path in self._paths(text):
                note_write(self._found, self._places.where(path), "writes to")

    def _open(self, node: ast.Call) -> None:
        mode_node = (
            node.args[1]
            if len(node.args) > 1
            else next((one.value for one in node.keywords if one.arg == "mode"), None)
        )
        mode = "r" if mode_node is None else _text(mode_node)
        target = _text(node.args[0]) if node.args else None
        if isinstance(node.func, ast.Attribute):
            mode = _text(node.args[0]) if node.args else mode
            target = _path_text(node.func.value)
        if mode is None or set(mode) & set("wax+") or HOLE in mode:
            self._write_to(target, node)
        elif target is None or HOLE in target:
            self._medium(node, "reads a file that is only known when it runs")
        if any(one.arg in ("opener", None) for one in node.keywords) or any(
            isinstance(part, ast.Starred) for part in node.args
        ):
            self._medium(node, "opens a file its own way")

    def _computer(self, node: ast.Call, chain: list[str]) -> None:
        if chain[1:2] in (["terminal"], ["files"]) and len(chain) != 3:
            self._dynamic(node, "runs code by way of another name")
        elif chain[1:2] == ["terminal"] and chain[-1] in ("run", "answer"):
            texts = [_text(part) for part in [*node.args, *(one.value for one in node.keywords)]]
            known = [text for text in texts if text is not None]
            self._found.add("medium", "unknown", f"runs other code: {quoted(ast.unparse(node)[:200])}")
            if known:
                self._run_text(max(known, key=len))
        elif chain[1:2] == ["files"] and chain[-1] not in ("read", "search", "list"):
            self._write_to(_text(node.args[0]) if node.args else None, node)


def _may_move(node: ast.Call, function: ast.Attribute) -> bool:
    """Whether this is the ``replace`` of a path: that of a text has two arguments, that of a date has names."""
    if _chain(function)[-2:-1] and _chain(function)[-2] in _PATH_CLASSES:
        return True
    keywords = {one.arg for one in node.keywords}
    if any(isinstance(arg, ast.Starred) for arg in node.args) or not keywords <= _DATE_PARTS:
        return True
    return len(node.args) == 1 and not keywords


def _bound(node: ast.AST) -> list[str]:
    """The names that a node gives a meaning."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name.partition(".")[0] for alias in names]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case _:
            return []


def _chain(node: ast.AST) -> list[str]:
    """``a.b.c`` as its names; what is not made of names begins with an empty one."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    names.append(node.id if isinstance(node, ast.Name) else "")
    return names[::-1]


def _text(node: ast.AST) -> str | None:
    """A text as far as it is known, with holes; ``None`` if nothing of it is."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(data)):
            return data.decode(errors="replace")
        case ast.JoinedStr(values=values):
            return "".join(_text(value) or HOLE for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (_text(left) or HOLE) + (_text(right) or HOLE)
        case ast.Call(func=ast.Attribute(attr="join"), args=[ast.List(elts=parts)]):
            return " ".join(_text(part) or HOLE for part in parts)
        case _:
            return _path_text(node)


def _path_text(node: ast.AST) -> str | None:
    match node:
        case ast.Call(
            func=ast.Name(id="Path" | "str" | "PurePath")
            | ast.Attribute(attr="Path" | "expanduser" | "PosixPath"),
            args=[first, *_],
        ):
            return _text(first)
        case ast.Call(func=ast.Attribute(attr="home")):
            return "~"
        case ast.Call(func=ast.Attribute(attr="cwd" | "getcwd")):
            return "."
        case ast.Call(func=ast.Attribute(value=inner, attr="expanduser" | "resolve" | "absolute"), args=[]):
            return _path_text(inner)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            before, after = _text(left), _text(right)
            return None if before is None and after is None else f"{before or HOLE}/{after or HOLE}"
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="path"), attr="join"), args=parts) if parts:
            return "/".join(_text(part) or HOLE for part in parts)
        case _:
            return None


def _parts(node: ast.Call) -> list[ast.expr]:
    """The words of a command in a call."""
    if node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
        return list(node.args[0].elts)
    return list(node.args) or [one.value for one in node.keywords if one.arg == "args"]
