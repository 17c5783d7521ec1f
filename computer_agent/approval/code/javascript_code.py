# ruff: noqa: C901, E501, PLR0912, PLR1714, PLR2004 - tables of programs, options and cases, read best as they are
"""The judge of JavaScript: every name and property that a harmless block uses is on a list, the rest is told in words."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from computer_agent.approval.code.findings import Findings, quoted
from computer_agent.approval.code.places import HOLE, Places, note_removal, note_write

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Parser

    from computer_agent.approval.code.session import Names

_GLOBALS = frozenset(
    [
        "console",
        "Math",
        "JSON",
        "Array",
        "String",
        "Number",
        "Boolean",
        "Date",
        "Map",
        "Set",
        "WeakMap",
        "RegExp",
        "Error",
        "TypeError",
        "RangeError",
        "BigInt",
        "Intl",
        "parseInt",
        "parseFloat",
        "isNaN",
        "isFinite",
        "undefined",
        "NaN",
        "Infinity",
        "Promise",
        "structuredClone",
        "encodeURIComponent",
        "decodeURIComponent",
        "encodeURI",
        "decodeURI",
        "computer",
        "arguments",
        "Object",
        "Symbol",
        "performance",
        "__dirname",
        "__filename",
    ]
)
_PROPERTIES = frozenset(
    [
        "log",
        "error",
        "warn",
        "info",
        "table",
        "dir",
        "debug",
        "time",
        "timeEnd",
        "group",
        "groupEnd",
        "length",
        "push",
        "pop",
        "shift",
        "unshift",
        "slice",
        "splice",
        "concat",
        "join",
        "map",
        "filter",
        "reduce",
        "reduceRight",
        "forEach",
        "find",
        "findIndex",
        "findLast",
        "some",
        "every",
        "includes",
        "indexOf",
        "lastIndexOf",
        "sort",
        "reverse",
        "flat",
        "flatMap",
        "fill",
        "keys",
        "values",
        "entries",
        "from",
        "of",
        "isArray",
        "at",
        "toSorted",
        "toReversed",
        "with",
        "split",
        "trim",
        "trimStart",
        "trimEnd",
        "toUpperCase",
        "toLowerCase",
        "replace",
        "replaceAll",
        "startsWith",
        "endsWith",
        "padStart",
        "padEnd",
        "repeat",
        "charAt",
        "charCodeAt",
        "codePointAt",
        "substring",
        "substr",
        "match",
        "matchAll",
        "search",
        "test",
        "exec_",
        "localeCompare",
        "normalize",
        "toString",
        "toFixed",
        "toPrecision",
        "toLocaleString",
        "parse",
        "stringify",
        "now",
        "getTime",
        "getFullYear",
        "getMonth",
        "getDate",
        "getDay",
        "getHours",
        "getMinutes",
        "getSeconds",
        "toISOString",
        "toLocaleDateString",
        "toLocaleTimeString",
        "toJSON",
        "UTC",
        "getTimezoneOffset",
        "abs",
        "ceil",
        "floor",
        "round",
        "max",
        "min",
        "pow",
        "sqrt",
        "random",
        "PI",
        "E",
        "sin",
        "cos",
        "tan",
        "atan",
        "atan2",
        "log10",
        "log2",
        "exp",
        "hypot",
        "trunc",
        "sign",
        "cbrt",
        "get",
        "set",
        "has",
        "add",
        "delete",
        "size",
        "clear",
        "freeze",
        "fromEntries",
        "is",
        "assign",
        "create_",
        "message",
        "stack",
        "name",
        "then",
        "catch",
        "finally",
        "all",
        "allSettled",
        "race",
        "resolve",
        "any",
        "isInteger",
        "isSafeInteger",
        "MAX_SAFE_INTEGER",
        "MIN_SAFE_INTEGER",
        "EPSILON",
        "fromCharCode",
        "fromCodePoint",
        "raw",
        "format",
        "NumberFormat",
        "DateTimeFormat",
        "groupBy",
        "index",
        "input",
        "groups",
        "iterator",
        "version_",
        "basename",
        "dirname",
        "extname",
        "relative",
        "isAbsolute",
        "sep",
        "readFileSync",
        "readdirSync",
        "existsSync",
        "statSync",
        "lstatSync",
        "isFile",
        "isDirectory",
        "mtime",
        "cwd",
        "platform",
        "arch",
        "cpus",
        "totalmem",
        "freemem",
        "hostname",
        "uptime",
        "homedir",
        "tmpdir",
        "release",
        "type",
        "EOL",
        "performance",
    ]
)
_READING_MODULES = frozenset(["path", "os", "fs", "url", "util", "assert", "querystring"])
_WRITES = re.compile(
    r"(?:write|append|mkdir|copy|link|symlink|chmod|chown|truncate|createWriteStream|cp|mkdtemp)\w*"
)
_REMOVES = re.compile(r"(?:rm|rmdir|unlink|rename)(?:Sync)?")
_RUNS = re.compile(r"(?:exec|execSync|spawn|spawnSync|execFile|execFileSync|fork)")
_MODULES = {
    "child_process": "starts programs",
    "cluster": "starts programs",
    "worker_threads": "starts programs",
    "vm": "runs code that is made when it runs",
}
_NETWORK = frozenset(
    [
        "http",
        "https",
        "net",
        "dgram",
        "dns",
        "tls",
        "http2",
        "axios",
        "node-fetch",
        "undici",
        "ws",
        "got",
        "request",
        "superagent",
        "nodemailer",
        "ssh2",
        "socket.io-client",
    ]
)
_EVIL = frozenset({"eval", "Function", "execScript", "importScripts"})
_HIDDEN = frozenset(
    [
        "constructor",
        "__proto__",
        "prototype",
        "__defineGetter__",
        "__defineSetter__",
        "defineProperty",
        "setPrototypeOf",
        "mainModule",
        "binding",
        "dlopen",
        "_load",
        "caller",
        "callee",
    ]
)
_PROCESS = frozenset(
    [
        "version",
        "versions",
        "platform",
        "arch",
        "argv",
        "cwd",
        "pid",
        "uptime",
        "memoryUsage",
        "stdout",
        "hrtime",
    ]
)
_CHANGES_THE_SESSION = frozenset(
    [
        "chdir",
        "_load",
        "_extensions",
        "_resolveFilename",
        "_compile",
        "cache",
        "syncBuiltinESMExports",
        "createRequire",
        "register",
        "umask",
        "setUncaughtExceptionCaptureCallback",
        "loadEnvFile",
    ]
)
"""What changes the meaning of later blocks: where relative paths lead, what is loaded."""
_HARMLESS_MODULES = frozenset({"path", "os", "url", "util", "assert", "querystring"})
_REACHING_MODULES = frozenset(
    ["module", "vm", "repl", "inspector", "v8", "async_hooks", "process", "worker_threads"]
)
_READING_OPTIONS = frozenset({"encoding", "withFileTypes", "recursive", "throwIfNoEntry", "bigint"})
_MOST_NODES = 60_000
_MOST_DEPTH = 150


def judge_javascript(
    code: str, places: Places, names: Names, findings: Findings, run_text: Callable[[str], None]
) -> None:
    """Note what a block of JavaScript does, and remember in ``names`` what it defines."""
    root = _parser().parse(code.encode(errors="replace")).root_node
    if root.has_error:
        findings.add("medium", "unparsed", f"cannot be parsed: {quoted(code)}")
    judge = _JavaScriptJudge(places, names, findings, run_text)
    judge.block(root)


class _JavaScriptJudge:
    def __init__(
        self, places: Places, names: Names, findings: Findings, run_text: Callable[[str], None]
    ) -> None:
        self._places = places
        self._names = names
        self._found = findings
        self._run_text = run_text
        self._own: set[str] = set()
        self._modules = {
            name for name, level in names.levels.items() if level == "low" and name in names.modules
        }
        self._nodes = 0

    def block(self, root: Node) -> None:
        """Judge all of it. A name that is bound anywhere in it is its own."""
        if root.named_child_count and self._names.distrusted != "low":
            self._found.add(
                "medium", "dynamic-command", "runs after code that may have changed what names mean"
            )
        self._bind(root)
        self._visit(root, 0)
        self._names.modules |= self._modules
        level = self._found.level
        for name in self._own:
            self._names.define(name, "low" if level == "low" else "medium")
        if self._found.dynamic:
            self._names.distrust()

    def _bind(self, root: Node) -> None:
        waiting = [root]
        count = 0
        while waiting and count < _MOST_NODES:
            node = waiting.pop()
            count += 1
            waiting += node.named_children
            target = _target(node)
            value = node.child_by_field_name("value")
            if (
                target is not None
                and target.type == "identifier"
                and value is not None
                and _is_loading(value)
            ):
                self._modules.add(_source(target))
            if node.type == "import_clause":
                self._modules.update(_names_in(node))
            if target is not None:
                for name in _names_in(target):
                    self._own.add(name)
                    if name in _GLOBALS:
                        self._found.add("medium", "dynamic-command", f"gives {quoted(name)} another meaning")
                        self._names.define(name, "medium")

    def _visit(self, node: Node, depth: int) -> None:
        self._nodes += 1
        if self._nodes > _MOST_NODES or depth > _MOST_DEPTH:
            self._found.add("high", "unparsed", "is longer or deeper nested than is read here")
            return
        kind = node.type
        if kind == "identifier":
            self._identifier(_source(node))
            self._passed_on(node)
        elif kind == "import_specifier":
            self._taken(node.child_by_field_name("name"), node.child_by_field_name("alias"), module=True)
        elif kind == "object_pattern":
            self._pattern(node)
        elif (
            kind in ("property_identifier", "private_property_identifier", "shorthand_property_identifier")
            and node.parent is not None
            and node.parent.type == "member_expression"
        ):
            self._property(node)
        elif kind == "call_expression" or kind == "new_expression":
            self._call(node)
        elif kind == "subscript_expression":
            self._subscript(node)
        elif kind in ("string", "template_string"):
            self._text(_literal(node) or "")
        elif kind in ("import_statement", "export_statement"):
            for child in node.named_children:
                if child.type == "string":
                    self._module(_literal(child) or HOLE)
        elif (
            kind in ("assignment_expression", "augmented_assignment_expression")
            and node.named_children
            and node.named_children[0].type in ("member_expression", "subscript_expression")
        ):
            self._found.add("medium", "dynamic-command", f"changes an object: {quoted(_source(node))}")
        elif kind == "with_statement" or (kind == "unary_expression" and _source(node).startswith("delete")):
            self._found.add("medium", "dynamic-command", f"changes what names mean: {quoted(_source(node))}")
        for child in node.named_children:
            self._visit(child, depth + 1)

    def _passed_on(self, node: Node) -> None:
        """A module, or what loads one, is only followed where one sees what is taken of it."""
        name, parent = _source(node), node.parent
        if parent is None or parent.type in ("import_clause", "namespace_import"):
            return
        owner = parent.type in ("member_expression", "subscript_expression") and _is_field(node, "object")
        if name == "require":
            seen = parent.type == "call_expression" and _is_field(node, "function")
        elif name in ("process", "computer"):
            seen = owner and parent.type == "member_expression" and "computer" not in self._own
            if seen and name == "computer":
                seen = _called(parent) or not re.match(r"computer\??\.(?:terminal|files)$", _source(parent))
                above = parent.parent
                seen = seen or (above is not None and above.type == "member_expression" and _called(above))
        elif name in self._modules:
            seen = owner or (parent.type == "variable_declarator" and self._unpacks(parent, node))
        else:
            return
        if not seen:
            self._found.add("medium", "dynamic-command", f"passes {quoted(name)} on, which can do anything")
            self._found.environment = self._found.environment or name == "process"

    def _unpacks(self, declarator: Node, node: Node) -> bool:
        name = declarator.child_by_field_name("name")
        return name is not None and (name.type == "object_pattern" or name.id == node.id)

    def _pattern(self, node: Node) -> None:
        """``{ a: b } = …``: what is taken under another name is that all the same."""
        parent = node.parent
        value = (
            None
            if parent is None
            else parent.child_by_field_name("value") or parent.child_by_field_name("right")
        )
        module = value is not None and (_is_loading(value) or _source(value) in self._modules)
        for child in node.named_children:
            if child.type == "pair_pattern":
                self._taken(
                    child.child_by_field_name("key"), child.child_by_field_name("value"), module=module
                )
            elif child.type in ("shorthand_property_identifier_pattern", "object_assignment_pattern"):
                self._taken(child, child, module=module)
            elif child.type == "rest_pattern" and module:
                self._found.add(
                    "medium", "dynamic-command", f"takes all of a module: {quoted(_source(node))}"
                )

    def _taken(self, key: Node | None, alias: Node | None, *, module: bool) -> None:
        if key is None:
            return
        name = _literal(key) or _source(key)
        risky = name in _HIDDEN or name in _CHANGES_THE_SESSION or name in ("env", "require")
        risky = (
            risky
            or any(one.fullmatch(name) for one in (_WRITES, _REMOVES, _RUNS))
            or key.type == "computed_property_name"
        )
        renamed = alias is not None and alias.id != key.id
        if risky or (module and (name not in _PROPERTIES or renamed)):
            self._found.add(
                "medium", "dynamic-command", f"takes {quoted(name)}, which is not known to be harmless"
            )

    def _identifier(self, name: str) -> None:
        level = self._names.of(name)
        if name in _EVIL:
            self._found.add("high", "dynamic-command", f"runs code that is made when it runs: {quoted(name)}")
        elif name in ("Reflect", "globalThis", "global", "module", "exports", "Proxy", "window"):
            self._found.add("medium", "dynamic-command", f"reaches into what names mean: {quoted(name)}")
        elif name in ("fetch", "XMLHttpRequest", "WebSocket", "EventSource"):
            self._found.add("medium", "network", f"reaches another machine: {quoted(name)}")
        elif level is not None and level != "low" and name not in self._own - _GLOBALS:
            self._found.add(level, "dynamic-command", f"uses {quoted(name)}, which earlier code has defined")
        elif name in ("require", "process"):
            return
        elif name not in _GLOBALS and name not in self._own and level is None:
            self._found.add("medium", "unknown", f"uses {quoted(name)}, which is not known")
        elif self._names.distrusted != "low":
            self._found.add(
                "medium", "dynamic-command", f"uses {quoted(name)}, which earlier code may have changed"
            )

    def _property(self, node: Node) -> None:
        name, owner = _source(node), _source(node.parent).split(".")[0] if node.parent is not None else ""
        owner = owner.rstrip("?")
        if name in _CHANGES_THE_SESSION:
            self._found.add("medium", "dynamic-command", f"changes what later code means: {quoted(name)}")
        if (
            owner in self._modules
            and node.parent is not None
            and name.endswith("Sync")
            and not _called(node.parent)
        ):
            self._found.add("medium", "dynamic-command", f"passes {quoted(name)} on")
        if owner == "computer" and "computer" not in self._own:
            return
        within = None if node.parent is None else node.parent.child_by_field_name("object")
        if within is not None and _source(within) == "process":
            if name in ("env", "mainModule", "report"):
                self._found.add("medium", "secret-read", f"reads the environment: {quoted(name)}")
            elif name not in (
                "version",
                "versions",
                "platform",
                "arch",
                "argv",
                "cwd",
                "pid",
                "uptime",
                "memoryUsage",
                "stdout",
                "hrtime",
            ):
                self._found.add(
                    "medium", "kill" if name in ("kill", "abort") else "unknown", f"uses process.{name}"
                )
        elif name in _HIDDEN:
            self._found.add("medium", "dynamic-command", f"reaches into what names mean: {quoted(name)}")
        elif name not in _PROPERTIES and name not in self._own:
            self._found.add("medium", "unknown", f"uses {quoted(name)}, which is not known to be harmless")

    def _subscript(self, node: Node) -> None:
        index = node.child_by_field_name("index")
        owner = node.child_by_field_name("object")
        base = "" if owner is None else re.split(r"\W", _source(owner).lstrip("("))[0]
        if (
            base in self._modules
            or base in ("require", "process", "computer", "await", "module")
            or _called(node)
        ):
            self._found.add(
                "medium", "dynamic-command", f"takes what is only known when it runs: {quoted(_source(node))}"
            )
        if (
            index is None
            or index.type == "number"
            or (index.type == "identifier" and len(_source(index)) == 1)
        ):
            return
        text = _literal(index)
        if text is None or HOLE in text or text in _HIDDEN or _RUNS.fullmatch(text):
            self._found.add(
                "medium",
                "dynamic-command",
                f"reads a property that is only known when it runs: {quoted(_source(node))}",
            )
        elif text not in _PROPERTIES:
            self._found.add("medium", "unknown", f"uses {quoted(text)}, which is not known to be harmless")

    def _call(self, node: Node) -> None:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        arguments = node.child_by_field_name("arguments")
        args = (
            []
            if arguments is None
            else [child for child in arguments.named_children if child.type != "comment"]
        )
        path = "" if function is None else _source(function)
        name = re.split(r"\.|\?\.", path)[-1]
        first = _literal(args[0]) if args else None
        if path in ("require", "import"):
            self._module(first or HOLE)
            if (first or "").removeprefix("node:") not in _HARMLESS_MODULES and not _is_followed(node):
                self._found.add("medium", "dynamic-command", f"passes a module on: {quoted(_source(node))}")
        elif path.startswith("computer.") and "computer" not in self._own:
            if path.startswith("computer.terminal"):
                self._found.add("medium", "unknown", f"runs other code: {quoted(_source(node))}")
                for text in (_literal(arg) for arg in args):
                    self._run_text((text or "x").replace(HOLE, "x"))
            elif path.startswith("computer.files") and name not in ("read", "search", "list"):
                self._found.add("medium", "write", f"writes a file: {quoted(_source(node))}")
        elif _RUNS.fullmatch(name) and not (name == "exec" and function is not None and "/" in path):
            self._program(node, args, first)
        elif _REMOVES.fullmatch(name):
            self._remove(node, first, whole="recursive" in _source(node))
        elif _WRITES.fullmatch(name):
            self._found.add("medium", "write", f"writes a file: {quoted(_source(node))}")
            second = _literal(args[1]) if len(args) > 1 and re.match(r"copy|link|symlink|cp", name) else None
            for text in filter(None, (first, second)):
                for where in self._places.resolve(text, (self._places.workspace,)):
                    note_write(self._found, self._places.where(where), "writes to")
        elif (name == "fetch" and re.search(r"method|body", _source(node))) or (
            name in ("post", "put", "request") and self._found.network
        ):
            self._found.add("high", "network", f"sends to another machine: {quoted(_source(node))}")
        elif name == "assign" and (not args or args[0].type != "object"):
            self._found.add("medium", "dynamic-command", f"changes an object: {quoted(_source(node))}")
        elif name.startswith("read") and not all(_reads_only(arg) for arg in args[1:]):
            self._found.add(
                "medium", "write", f"opens a file in a way that may change it: {quoted(_source(node))}"
            )
        elif name.startswith("read") and first is None:
            self._found.add(
                "medium", "unknown", f"reads a file that is only known when it runs: {quoted(_source(node))}"
            )

    def _program(self, node: Node, args: list[Node], first: str | None) -> None:
        self._found.add("medium", "unknown", f"starts a program: {quoted(_source(node))}")
        if first is None or HOLE in first:
            self._found.add(
                "high", "dynamic-command", f"starts what is only known when it runs: {quoted(_source(node))}"
            )
        words = [first or ""]
        if len(args) > 1 and args[1].type == "array":
            words += [_literal(child) or HOLE for child in args[1].named_children]
        if any(HOLE in word for word in words):
            self._found.add(
                "high", "dynamic-command", f"starts what is only known when it runs: {quoted(_source(node))}"
            )
        self._run_text(" ".join(words).replace(HOLE, "x"))

    def _remove(self, node: Node, first: str | None, *, whole: bool) -> None:
        if first is None or HOLE in first:
            self._found.add(
                "high",
                "recursive-delete" if whole else "destructive",
                f"deletes what is only known when it runs: {quoted(_source(node))}",
            )
            return
        for where in self._places.resolve(first, (self._places.workspace,)):
            note_removal(self._found, self._places, where, whole=whole)

    def _module(self, name: str) -> None:
        plain = name.removeprefix("node:")
        root = plain.partition("/")[0]
        if HOLE in name:
            self._found.add("high", "dynamic-command", "loads a module that is only known when it runs")
        elif root in _MODULES and root not in _REACHING_MODULES:
            self._found.add("medium", "unknown", f"loads {quoted(name)}, which {_MODULES[root]}")
        elif root in _NETWORK:
            self._found.add("medium", "network", f"loads {quoted(name)}, which reaches other machines")
        elif root in _REACHING_MODULES:
            self._found.add(
                "medium", "dynamic-command", f"loads {quoted(name)}, which can change what names mean"
            )
        elif root not in _READING_MODULES:
            self._found.add("medium", "unknown", f"loads {quoted(name)}, which is not known to be harmless")

    def _text(self, text: str) -> None:
        if len(text) < 4096 and "\n" not in text and ("." in text or "/" in text or text.startswith("~")):
            for part in {text, text.lstrip("/" + HOLE)}:
                if part and any(
                    self._places.is_secret(path)
                    for path in self._places.resolve(part, (self._places.workspace,))
                ):
                    self._found.credential(
                        f"names {quoted(text.replace(HOLE, '…'))}, which may hold a secret"
                    )


def _is_field(node: Node, field: str) -> bool:
    found = None if node.parent is None else node.parent.child_by_field_name(field)
    return found is not None and found.id == node.id


def _called(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "call_expression" and _is_field(node, "function")


def _is_followed(node: Node) -> bool:
    """Whether one sees what is taken of a module that is loaded here."""
    above = node.parent
    if above is not None and above.type == "await_expression":
        above = above.parent
    return above is not None and above.type in (
        "variable_declarator",
        "member_expression",
        "subscript_expression",
        "expression_statement",
        "parenthesized_expression",
    )


def _is_loading(node: Node) -> bool:
    """Whether a value is a module: ``require("fs")``, ``await import("fs")``, and a part of one."""
    return re.match(r"\(*\s*(?:require\s*\(|await\s+import\s*\(|process\b)", _source(node)) is not None


def _reads_only(options: Node) -> bool:
    """Whether the options of a reading function leave the file as it is."""
    if options.type in ("string", "arrow_function", "null"):
        return True
    if options.type != "object":
        return False
    for pair in options.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        name = "" if key is None else _literal(key) or _source(key)
        if pair.type != "pair" or value is None:
            return False
        if name not in _READING_OPTIONS and not (name == "flag" and _literal(value) in ("r", "rs")):
            return False
    return True


def _target(node: Node) -> Node | None:
    """What a node gives a meaning."""
    match node.type:
        case (
            "variable_declarator"
            | "function_declaration"
            | "class_declaration"
            | "generator_function_declaration"
            | "function_expression"
        ):
            return node.child_by_field_name("name")
        case "assignment_expression" | "augmented_assignment_expression" | "for_in_statement":
            left = node.child_by_field_name("left")
            return (
                left
                if left is not None and left.type in ("identifier", "array_pattern", "object_pattern")
                else None
            )
        case "formal_parameters" | "import_clause":
            return node
        case "arrow_function" | "catch_clause":
            return node.child_by_field_name("parameter")
        case _:
            return None


def _names_in(node: Node) -> list[str]:
    names, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(_source(one))
        waiting += one.named_children
    return names


def _literal(node: Node) -> str | None:
    """A text as far as it is known, with holes; ``None`` if it is none."""
    if node.type == "string":
        return _unescaped(_source(node)[1:-1])
    if node.type == "template_string":
        return re.sub(r"\$\{[^}]*\}", HOLE, _unescaped(_source(node)[1:-1]))
    if node.type == "binary_expression" and len(node.named_children) == 2:
        left, right = (_literal(child) for child in node.named_children)
        return None if left is None and right is None else (left or HOLE) + (right or HOLE)
    return None


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        digits = found[1] or found[2] or found[3]
        number = int(digits, 16) if digits else 0
        return (
            (chr(number) if number <= 0x10FFFF else HOLE)
            if digits
            else {"n": "\n", "t": "\t"}.get(found[4], found[4])
        )

    return re.sub(
        r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|(.))", one, text, flags=re.DOTALL
    )


@cache
def _parser() -> Parser:
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_javascript.language()))


def _source(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
