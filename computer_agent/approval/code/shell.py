# ruff: noqa: SIM102 - tables of programs, options and cases, read best as they are
"""The judge of shell code: walks the syntax tree of bash and judges each command that is or may be run."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from computer_agent.approval.code.commands import Call, Input, judge_call, scan
from computer_agent.approval.code.findings import Findings, quoted
from computer_agent.approval.code.places import HOLE, Places, note_write
from computer_agent.approval.code.words import Reader, Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Parser

    from computer_agent.approval.code.session import ShellState

_MOST_DEPTH = 60
_MOST_NODES = 60_000
_MOST_NESTING = 6
_SOCKET_FILE = re.compile(r"/dev/(?:tcp|udp)\b\S*")
_MOST_PIECES = 500
_MOST_DOCUMENTS = 200
_STRUCTURE = frozenset(
    [
        "program",
        "compound_statement",
        "do_group",
        "subshell",
        "list",
        "if_statement",
        "elif_clause",
        "else_clause",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "case_statement",
        "case_item",
        "negated_command",
        "pipeline",
        "command",
        "redirected_statement",
        "function_definition",
        "variable_assignment",
        "variable_assignments",
        "declaration_command",
        "unset_command",
        "test_command",
        "command_substitution",
        "process_substitution",
        "comment",
        "word",
        "string",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "number",
        "concatenation",
        "simple_expansion",
        "expansion",
        "arithmetic_expansion",
        "binary_expression",
        "unary_expression",
        "parenthesized_expression",
        "postfix_expression",
        "ternary_expression",
        "test_operator",
        "variable_name",
        "special_variable_name",
        "subscript",
        "array",
        "file_redirect",
        "heredoc_redirect",
        "heredoc_start",
        "heredoc_body",
        "heredoc_content",
        "heredoc_end",
        "herestring_redirect",
        "file_descriptor",
        "string_content",
        "command_name",
        "brace_expression",
        "regex",
        "extglob_pattern",
    ]
)
_WORDS = frozenset(
    [
        "word",
        "string",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "number",
        "concatenation",
        "simple_expansion",
        "expansion",
        "arithmetic_expansion",
        "brace_expression",
        "process_substitution",
        "command_substitution",
        "regex",
        "extglob_pattern",
        "test_operator",
        "special_variable_name",
        "variable_name",
    ]
)
_TEXTS = frozenset(
    {"string", "heredoc_body", "translated_string", "heredoc_redirect", "regex", "raw_string", "word"}
)
_JOINING = re.compile(rb"(?:[ \t\r\n;&]|\\\n)*")
_CONTINUED = re.compile(rb"(?:\\\n)*")
_NUMBER = re.compile(r"[-+]?\d+")
_NUMERIC = frozenset(
    [
        "RANDOM",
        "SECONDS",
        "LINENO",
        "EPOCHSECONDS",
        "UID",
        "EUID",
        "PPID",
        "COLUMNS",
        "LINES",
        "BASHPID",
        "SHLVL",
    ]
)
_COMPARES = re.compile(r"-(?:eq|ne|lt|le|gt|ge)")
_PLAIN_ENVIRONMENT = (
    frozenset(
        [
            "PATH",
            "USER",
            "LOGNAME",
            "SHELL",
            "LANG",
            "LANGUAGE",
            "TERM",
            "HOSTNAME",
            "OSTYPE",
            "HOSTTYPE",
            "MACHTYPE",
            "OLDPWD",
            "EDITOR",
            "VISUAL",
            "PAGER",
            "TMPDIR",
            "BASH_VERSION",
            "ZSH_VERSION",
            "VIRTUAL_ENV",
            "CONDA_DEFAULT_ENV",
            "CONDA_PREFIX",
            "JAVA_HOME",
            "GOPATH",
            "GOROOT",
            "PYTHONPATH",
            "NODE_ENV",
            "CI",
            "TZ",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "XDG_CACHE_HOME",
            "XDG_RUNTIME_DIR",
            "XDG_SESSION_TYPE",
            "XDG_CURRENT_DESKTOP",
            "DESKTOP_SESSION",
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "PS1",
            "COLORTERM",
            "LC_ALL",
            "LC_CTYPE",
            "BASH",
            "NVM_DIR",
            "PIPESTATUS",
            "REPLY",
            "OPTARG",
            "OPTIND",
            "FUNCNAME",
            "BASH_SOURCE",
            "DIRSTACK",
            "GROUPS",
            "HISTSIZE",
            "MANPATH",
            "LD_LIBRARY_PATH",
        ]
    )
    | _NUMERIC
)
_CHANGING = re.compile(
    r"(?:.*PATH|LD_.*|DYLD_.*|BASH.*|ENV|SHELL.*|ZDOTDIR|GIT_.*|.*PAGER.*|.*EDITOR.*|VISUAL|BROWSER|LESS.*|.*OPTIONS?|.*OPTS?"
    r"|.*FLAGS|PYTHON.*|NODE.*|NPM_.*|PERL.*|RUBY.*|GEM_.*|PROMPT.*|PS[0-4]|IFS|HOME|PWD|OLDPWD|.*PROXY.*|.*_proxy|XDG_.*"
    r"|.*CONFIG.*|.*CONF|.*RC|.*INIT.*|.*STARTUP.*|.*COMMAND.*|.*PRELOAD.*|.*LIBS?|.*ASKPASS.*|SSH.*|DOCKER.*|KUBE.*|AWS.*"
    r"|.*TOKEN.*|TERMINFO.*|TERMCAP|TMPDIR|GLIBC.*|MALLOC.*|GCONV.*|LOCPATH|NLSPATH|HOSTALIASES|RES_.*|OI_.*|TAR.*|ZIP.*|GREP_.*"
    r"|RIPGREP.*|FZF.*|MAN.*|JAVA_.*|_JAVA.*|CLASSPATH|FPATH|fpath|path|cdpath|CC|CXX|LD|MAKE.*|RUST.*|CARGO.*|GO.*|SUDO.*"
    r"|functions|aliases|commands|options|precmd.*|preexec.*|chpwd.*|HIST.*|SYSTEMD.*|BAT_.*|PSQL.*|EXINIT|VIM.*|OPENSSL.*)"
)
_LOADS_CODE = re.compile(
    r"LD_.*|DYLD_.*|BASH_ENV|ENV|PROMPT_COMMAND|BASH_FUNC.*|GIT_(?:SSH|EXTERNAL|PROXY|EXEC|ASKPASS|EDITOR).*|PYTHONSTARTUP|PERL5.*|RUBYOPT|NODE_OPTIONS|LESSOPEN|LESSCLOSE|.*ASKPASS.*|GCONV_PATH|ZDOTDIR|PS[0-4]"
)
_HARMLESS_VALUES = {
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("IFS", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
}
_SAFE_ENVIRONMENT = re.compile(
    r"LC_\w+|LANG|LANGUAGE|TZ|COLUMNS|LINES|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|TERM|BLOCK_SIZE|TIME_STYLE|GREP_COLORS?|QUOTING_STYLE|POSIXLY_CORRECT|DEBIAN_FRONTEND|CI"
)
_MAY_CHANGE = re.compile(
    r"\(\s*\)|\b(?:function|alias|cd|pushd|popd|hash|enable|trap|exec|set|shopt|source|eval|bind|declare|typeset)\b|PATH=|^\s*\.\s",
    re.MULTILINE,
)
"""What changes the meaning of later commands, in a block that cannot be read well enough to tell how."""
_CODE_IN_TEXT = re.compile(r"\$\(|`|\[\$")


_NO_INPUT = Input()


@dataclass(frozen=True, slots=True)
class _Context:
    """What a command gets: from where its input comes, and whether it may not run at all."""

    input: Input = _NO_INPUT
    depth: int = 0


class ShellJudge:
    """Judges one block. ``nesting`` counts how many strings of code lie around this one."""

    def __init__(self, places: Places, state: ShellState, findings: Findings, *, nesting: int = 0) -> None:
        self.places = places
        self.state = state
        self.findings = findings
        self.nesting = nesting
        self.scanning = False
        self.commands: list[tuple[str, ...] | None] = []
        """The words of each command in their order; ``None`` for what has no prefix that says what it does."""
        self._reader = Reader(state.variables, self._inside)
        self._context = _Context()
        self._nodes = 0
        self._piece = b""
        for name, values in (
            ("HOME", (places.home,)),
            ("PWD", state.folders or (HOLE,)),
            ("XDG_CONFIG_HOME", (f"{places.home}/.config",)),
            ("XDG_STATE_HOME", (f"{places.home}/.local/state",)),
            ("XDG_DATA_HOME", (f"{places.home}/.local/share",)),
        ):
            state.variables.values.setdefault(name, values)

    def judge(self, code: str) -> Findings:
        """Judge the block, and remember in the state what it defines."""
        source = code.encode(errors="replace")
        if code.strip() and self.nesting == 0 and self.state.names.distrusted != "low":
            self.findings.add(
                "medium", "dynamic-command", "runs after code that may have changed what commands mean"
            )
        if any(char in code for char in "\0\r\f\v\x1b\x08") or any(
            "\ue000" <= char <= "\uf8ff" or char == HOLE for char in code
        ):
            self.findings.add("medium", "unparsed", "holds characters that no plain command has")
        if code.count("<<") > _MOST_DOCUMENTS:
            self.findings.add("high", "unparsed", "holds more texts for programs than are read here")
            return self.findings
        if (reached := _SOCKET_FILE.search(code)) is not None:
            self.findings.add("high", "network", f"connects to {quoted(reached[0])}")
        if re.search(
            r"(?<!\\)\n[ \t]*\\[^\n]", code
        ):  # the parser takes such a line for more of the one before
            self._judge_pieces(re.sub(r"\n([ \t]*)\\(?=[^\n])", r"\n\1", code))
            self.findings.add(
                "high", "unparsed", "holds a line that begins with a backslash, which is read in two ways"
            )
        tree = _parser().parse(source)
        root = tree.root_node
        if root.has_error:
            self._unparsed(_broken(root))
            self._judge_pieces(code)
            if _MAY_CHANGE.search(code):
                self.state.names.distrust()
        self._visit(root, _Context())
        return self.findings

    def _judge_pieces(self, code: str) -> None:
        """Code that cannot be parsed may run all the same: look for what is plainly dangerous between its marks."""
        if self.nesting >= _MOST_NESTING:
            return
        for piece in re.split(r"[;&|\n(){}`]+", code.replace("\\\n", " "))[:_MOST_PIECES]:
            bare = re.sub(r"[\"'\\]", "", piece)
            for text in dict.fromkeys((bare, bare.replace(",", " "))):
                words = [Word((part,), part) for part in text.split()[:40]]
                scan(self, words)

    def run_text(self, text: str) -> None:
        """Judge a string that a command runs as shell code of its own."""
        if HOLE in text:
            self.state.names.distrust()
            self.findings.add(
                "high",
                "dynamic-command",
                f"runs code that is only known when it runs: {quoted(text.replace(HOLE, '…'))}",
            )
        if self.nesting >= _MOST_NESTING:
            self.findings.add("high", "unparsed", "nests code in strings deeper than is read here")
            return
        inner = ShellJudge(self.places, self.state, self.findings, nesting=self.nesting + 1)
        inner.scanning = self.scanning
        inner.judge(text.replace(HOLE, "x"))

    def paths(self, word: Word) -> list[str]:
        """The absolute paths that a word may mean, wherever the shell may be."""
        return [path for value in word.values for path in self.places.resolve(value, self.state.folders)]

    def assign(self, name: str, values: tuple[str, ...]) -> None:
        """Judge that a variable is set, and remember it."""
        found = self.findings
        self.state.hidden_code = self.state.hidden_code or any(
            _CODE_IN_TEXT.search(value) for value in values
        )
        if name == "IFS":
            self.state.variables.split = False
        if name.startswith("OI_"):
            found.forbid(
                "persistence",
                f"changes the agent's own setting {name}",
                f"it changes the agent's own setting {name}",
            )
        elif all((name, value) in _HARMLESS_VALUES for value in values) or _SAFE_ENVIRONMENT.fullmatch(name):
            pass
        elif _LOADS_CODE.fullmatch(name):
            found.add("high", "dynamic-command", f"sets {name}, which makes other commands run code")
            self.state.names.distrust()
        elif _CHANGING.fullmatch(name):
            found.add("medium", "dynamic-command", f"sets {name}, which changes what later commands do")
            self.state.names.distrust()
        self.state.variables.assign(name, values)

    def _unparsed(self, text: str) -> None:
        self.findings.add("medium", "unparsed", f"is not plain shell code here: {quoted(text)}")

    def _inside(self, node: Node) -> tuple[str, ...]:
        """Judge the code of a substitution; what it gives is not known."""
        for child in node.named_children:
            self._visit(child, replace(self._context, input=Input(), depth=self._context.depth + 1))
        return (HOLE,)

    def _visit(self, node: Node, context: _Context) -> None:
        self._nodes += 1
        if context.depth > _MOST_DEPTH or self._nodes > _MOST_NODES:
            self.findings.add("high", "unparsed", "is longer or deeper nested than is read here")
            return
        if node.type not in _STRUCTURE and node.is_named:
            self._unparsed(_text(node))
        if node.type not in _TEXTS and node.child_count:
            self._covered(node)
        visit = _VISITS.get(node.type)
        before, self._context = self._context, context
        if visit is not None:
            visit(self, node, context)
        elif node.type in _WORDS:
            self._reader.words([node])
        else:
            self._children(node, context)
        self._context = before

    def _children(self, node: Node, context: _Context) -> None:
        inner = replace(context, depth=context.depth + 1)
        for child in node.named_children:
            self._visit(child, inner)

    def _covered(self, node: Node) -> None:
        """Text between the parts of a node that is more than blanks means that the tree leaves something out."""
        source, at = node.text or b"", node.start_byte
        for child in node.children:
            gap = source[at - node.start_byte : child.start_byte - node.start_byte]
            if node.type == "command" and b"\n" in gap.replace(b"\\\n", b""):
                self.findings.add(
                    "high", "unparsed", f"is read otherwise here than by the shell: {quoted(_text(node))}"
                )
            if gap and not _JOINING.fullmatch(gap):
                self._unparsed(gap.decode(errors="replace"))
            at = max(at, child.end_byte)

    def _list(self, node: Node, context: _Context) -> None:
        """``a && b``: where b runs, a has succeeded, so that a ``cd`` in a holds; elsewhere it may have failed."""
        inner = replace(context, depth=context.depth + 1)
        before = self.state.folders
        certain = any(child.type == "&&" for child in node.children)
        for child in node.children:
            if child.is_named:
                if not certain and before is not None:
                    self.state.maybe_in(before)
                self._visit(child, inner)

    def _statements(self, node: Node, context: _Context) -> None:
        """One after the other: each may have failed to change the folder. A subshell changes none around it."""
        before = self.state.folders
        inner = replace(context, depth=context.depth + 1)
        for child in node.named_children:
            self._visit(child, inner)
            if before is not None:
                self.state.maybe_in(before)

    def _pipeline(self, node: Node, context: _Context) -> None:
        given, source = context.input, ""
        for child in node.named_children:
            if child.type == "comment":
                continue
            self.commands.append(None)
            self._visit(child, replace(context, input=given, depth=context.depth + 1))
            source = source if given.kind == "none" else given.source
            given = Input("pipe", source=_source(child))

    def _redirected(self, node: Node, context: _Context) -> None:
        given = self._given(node.children, context.input)
        for child in node.named_children:
            if "redirect" in child.type:
                self._redirect(child, context)
            else:
                self._visit(child, replace(context, input=given, depth=context.depth + 1))

    def _given(self, children: list[Node], given: Input) -> Input:
        """Where a command's input comes from, by its redirections."""
        for child in children:
            if child.type == "herestring_redirect" and child.named_children:
                given = Input("text", text=self._reader.values(child.named_children[-1])[0])
            elif child.type == "heredoc_redirect":
                body = next((part for part in child.children if part.type == "heredoc_body"), None)
                literal = "'" in _text(child.children[1]) or '"' in _text(child.children[1])
                text = "" if body is None else (_text(body) if literal else self._reader.values(body)[0])
                given = Input("text", text=text)
            elif child.type == "file_redirect" and any(
                part.type in ("<", "<&", "<>") for part in child.children
            ):
                given = Input("file")
        return given

    def _redirect(self, node: Node, context: _Context) -> None:
        if node.type != "file_redirect":
            for child in node.children:
                if child.type == "heredoc_start" and not re.fullmatch(
                    r"\\?(['\"]?)[A-Za-z_]\w*\1", _text(child)
                ):
                    self._unparsed(_text(child))
                self._note_expansions(child)
                if child.is_named and child.type not in ("heredoc_start", "heredoc_end"):
                    self._visit(child, replace(context, input=Input("pipe"), depth=context.depth + 1))
            return
        operator = next((child.type for child in node.children if not child.is_named), ">")
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        for word in self._reader.words(targets) if targets else []:
            self._redirect_to(operator, word)

    def _redirect_to(self, operator: str, word: Word) -> None:
        if operator in (">&", "<&", ">&-", "<&-") and re.fullmatch(r"\d+-?|-", word.text):
            return
        for path in self.paths(word):
            found = self.places.where(path)
            if found.kind == "network" or (
                operator not in ("<", "<&") and "process_substitution" not in word.raw
            ):
                if not word.raw.startswith((">(", "<(")):
                    note_write(self.findings, found, "writes to")
                    if found.kind != "nothing":
                        self.commands.append(None)
            if self.places.is_secret(path):
                self.findings.credential(f"opens {quoted(path)}, which may hold a secret")
            elif operator in ("<", "<>") and HOLE in path and not word.raw.startswith("<("):
                self.findings.add(
                    "medium", "unknown", f"reads a file that is only known when it runs: {quoted(word.raw)}"
                )

    def _command(self, node: Node, context: _Context) -> None:
        groups: list[list[Node]] = []
        assignments: list[Node] = []
        end = -1
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(child)
            elif "redirect" in child.type:
                self._redirect(child, context)
            elif child.type == "comment":
                continue
            elif (
                groups
                and child.start_byte >= end
                and _CONTINUED.fullmatch(
                    (node.text or b"")[end - node.start_byte : child.start_byte - node.start_byte]
                )
            ):
                groups[-1].append(child)
            else:
                groups.append([child])
            end = child.end_byte
        for assignment in assignments:
            self._assignment(assignment, context)
            self.commands.append(None)
        words = [word for group in groups for word in self._reader.words(group)]
        self._note_expansions(node)
        self.call(words, self._given(node.children, context.input))

    def call(self, words: list[Word], given: Input) -> None:
        """Judge one command by its words."""
        if not words:
            return
        exact = all(word.known and len(word.values) == 1 for word in words)
        self.commands.append(tuple(word.text for word in words) if exact else None)
        judge_call(self, Call(words[0].text.replace("\\", ""), words[1:], given, words[0]))

    def _assignment(self, node: Node, context: _Context) -> None:
        name = _text(node.children[0])
        value = node.children[-1] if node.child_count > 2 else None  # noqa: PLR2004 - name, =, value
        if node.children[0].type == "subscript":
            self._visit(node.children[0], context)
            self.assign(name.partition("[")[0], (HOLE,))
            self._arithmetic(node.children[0], context)
        elif value is None:
            self.assign(name, ("",))
        elif value.type == "array":
            self._children(value, context)
            self.assign(name, (HOLE,))
        else:
            values = self._reader.values(value)
            self._note_expansions(value)
            for path in (path for one in values for path in self.places.resolve(one, self.state.folders)):
                if HOLE not in path and self.places.is_secret(path):
                    self.findings.credential(f"names {quoted(path)}, which may hold a secret")
            appended = any(child.type == "+=" for child in node.children)
            self.assign(
                name,
                tuple(old + new for old in self.state.variables.read(name) for new in values)
                if appended
                else values,
            )

    def _declaration(self, node: Node, context: _Context) -> None:
        keyword = _text(node.children[0])
        options = [_text(child) for child in node.named_children if _text(child).startswith("-")]
        assigned = [child for child in node.named_children if child.type == "variable_assignment"]
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assignment(child, context)
            elif child.type != "variable_name":
                for word in self._reader.words([child]):
                    if not word.known:
                        self.findings.add(
                            "medium",
                            "dynamic-command",
                            f"declares what is only known when it runs: {quoted(_text(node))}",
                        )
        if any("i" in option or "n" in option for option in options):
            self.findings.add("medium", "unknown", f"declares a number or a name: {quoted(_text(node))}")
            self.state.names.distrust()
        shows = (
            keyword != "local"
            and not assigned
            and not any(child.type == "variable_name" for child in node.named_children)
        )
        if shows and not any("f" in option.lower() for option in options):
            self.findings.add(
                "medium", "secret-read", f'lists all variables, which may hold secrets: "{keyword}"'
            )
        self.commands.append(None)

    def _unset(self, node: Node, context: _Context) -> None:
        self._children(node, context)
        for child in node.named_children:
            if _CHANGING.fullmatch(_text(child)):
                self.assign(_text(child), ("",))

    def _function(self, node: Node, context: _Context) -> None:
        """Judged where it is defined as if it were called, for it may be. Its name stays in memory with its level."""
        name_node = next((child for child in node.children if child.type == "word"), None)
        name = "" if name_node is None else _text(name_node)
        body = Findings()
        names = self.state.names
        names.define(name, "low")
        outer, self.findings = self.findings, body
        for child in node.named_children:
            if "redirect" in child.type:
                self._redirect(child, context)
            elif child is not name_node and child.id != (name_node.id if name_node else 0):
                self._visit(child, replace(context, input=Input(), depth=context.depth + 1))
        if name and re.search(rf"(?:^|[\s{{;|&(]){re.escape(name)}\s*[|&]", _text(node).partition(")")[2]):
            body.add("high", "destructive", f"starts copies of itself without end: {quoted(_text(node))}")
        self.findings = outer
        outer.absorb(body)
        self.commands.append(None)
        define_name(self, name, body)

    def _for(self, node: Node, context: _Context) -> None:
        values: list[str] = []
        name = ""
        for child in node.named_children:
            if child.type == "variable_name" and not name:
                name = _text(child)
            elif child.type == "do_group":
                self.assign(name, tuple(values) if values and len(values) <= 12 else (HOLE,))  # noqa: PLR2004 - few enough to follow
                self._visit(child, replace(context, depth=context.depth + 1))
            else:
                self._note_expansions(child)
                values += [value for word in self._reader.words([child]) for value in self._named(word)]
        self.commands.append(None)

    def _named(self, word: Word) -> tuple[str, ...]:
        """What a loop goes over. A glob may match a file whose name begins as an option does."""
        for path in self.paths(word):
            if word.known and self.places.is_secret(path):
                self.findings.credential(f"names {quoted(path)}, which may hold a secret")
        return (
            (HOLE,)
            if word.raw[:1] in ("*", "?", "[") and not word.raw.startswith("*/") and len(word.raw) == 1
            else word.values
        )

    def _c_style_for(self, node: Node, context: _Context) -> None:
        for child in node.named_children:
            if child.type == "variable_assignment" and child.named_children[-1].type == "number":
                self.state.variables.assign(_text(child.children[0]), ("1",))
        self._arithmetic(node, context)

    def _compound(self, node: Node, context: _Context) -> None:
        if node.children and node.children[0].type == "((":
            self._arithmetic(node, context)
        else:
            self._statements(node, context)

    def _arithmetic(self, node: Node, context: _Context) -> None:
        """An arithmetic expression runs what stands in the text of a variable, so that this must be a number."""
        for child in node.named_children:
            if child.type in ("variable_name", "word") and _CHANGING.fullmatch(_text(child)):
                self.state.names.distrust()
            if child.type in ("variable_name", "simple_expansion", "word") and not self._is_number(
                _text(child)
            ):
                self.findings.add(
                    "medium",
                    "dynamic-command",
                    f"computes with {quoted(_text(child))}, which may hold more than a number",
                )
            if child.type in ("do_group", "compound_statement"):
                self._visit(child, context)
            elif child.type in ("command_substitution", "string", "expansion", "concatenation", "subscript"):
                self.findings.add(
                    "medium",
                    "dynamic-command",
                    f"computes with {quoted(_text(child))}, which may hold more than a number",
                )
                self._reader.words([child])
            elif child.named_child_count:
                self._arithmetic(child, context)

    def _is_number(self, text: str) -> bool:
        name = text.strip("${}")
        if (
            (_NUMBER.fullmatch(name) and not text.startswith("$"))
            or name in _NUMERIC
            or text in ("$#", "$?", "$$")
        ):
            return True
        if name not in self.state.variables.values and not text.startswith("$"):
            self.state.variables.values.setdefault(name, ("0",))
            return name.islower()
        return all(_NUMBER.fullmatch(value) for value in self.state.variables.read(name))

    def _test(self, node: Node, context: _Context) -> None:
        self._children(node, context)
        text = _text(node)
        self._note_expansions(node)
        computes = text.startswith("[[") and _COMPARES.search(text)
        if re.search(r"\s-[vR]\s", text) or (
            computes and not all(self._is_number(part) for part in re.findall(r"\$\{?\w+\}?|\$[#?]", text))
        ):
            self.findings.add(
                "medium", "dynamic-command", f"computes with what may hold more than a number: {quoted(text)}"
            )

    def _case_item(self, node: Node, context: _Context) -> None:
        for child in node.named_children:
            if child.type in _WORDS:
                self._reader.words([child])
            else:
                self._visit(child, replace(context, depth=context.depth + 1))

    def _note_expansions(self, node: Node) -> None:
        """Judge the variables that a command's words read: one of the environment may hold a secret."""
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one.type in ("command_substitution", "process_substitution", "do_group"):
                continue
            if one.type == "arithmetic_expansion":
                self._arithmetic(one, self._context)
            if one.type in ("simple_expansion", "expansion"):
                self._note_expansion(one)
            waiting += one.named_children

    def _note_expansion(self, node: Node) -> None:
        text = _text(node)
        named = [part for child in node.named_children for part in (child, *child.named_children)]
        name = next(
            (_text(part) for part in named if part.type in ("variable_name", "special_variable_name")), ""
        )
        if re.match(r"\$\{\w+:?=", text):
            self.assign(name, (HOLE,))
        if text.startswith("${!") or "@P" in text or (node.type == "expansion" and re.search(r":?=", text)):
            self.findings.add(
                "medium", "dynamic-command", f"reads or sets a variable by way of another: {quoted(text)}"
            )
        if any(child.type == "subscript" for child in node.named_children) and not re.fullmatch(
            r"\$\{#?!?\w+\[(?:@|\*|\d+)\][^$`]*\}", text
        ):
            self.findings.add("medium", "dynamic-command", f"computes the place in a list: {quoted(text)}")
        if node.type == "expansion" and re.search(r":(?![-=?+ ])[^}]*[A-Za-z]", text):
            self.findings.add("medium", "dynamic-command", f"computes a part of a text: {quoted(text)}")
        if name in self.state.variables.secret:
            self.findings.add("medium", "secret-read", f"tells {name}, which may hold a secret")
        if (
            name
            and name not in self.state.variables.values
            and name not in _PLAIN_ENVIRONMENT
            and (name.isidentifier() and name != "_")
        ):
            self.findings.add(
                "medium", "secret-read", f"reads {name} of the environment, which may hold a secret"
            )


def define_name(judge: ShellJudge, name: str, body: Findings) -> None:
    """Remember a function or an alias, and that those which call it may do what it does."""
    names = judge.state.names
    names.define(name, body.level)
    if body.level != "low":
        for other in list(names.levels):
            names.define(other, "medium")


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _broken(root: Node) -> str:
    """The text where the parser lost its way."""
    node = root
    while True:
        below = next((child for child in node.children if child.has_error), None)
        if below is None or node.is_error:
            return _text(node)
        node = below


def _source(node: Node) -> str:
    """The words of a stage of a pipeline, for the one that reads names from it."""
    return _text(node) if node.type == "command" else ""


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


_VISITS: dict[str, Callable[[ShellJudge, Node, _Context], None]] = {
    "program": ShellJudge._statements,  # noqa: SLF001 - a table of its own methods
    "do_group": ShellJudge._statements,  # noqa: SLF001
    "subshell": ShellJudge._statements,  # noqa: SLF001
    "compound_statement": ShellJudge._compound,  # noqa: SLF001
    "list": ShellJudge._list,  # noqa: SLF001
    "pipeline": ShellJudge._pipeline,  # noqa: SLF001
    "redirected_statement": ShellJudge._redirected,  # noqa: SLF001
    "file_redirect": ShellJudge._redirect,  # noqa: SLF001
    "heredoc_redirect": ShellJudge._redirect,  # noqa: SLF001
    "herestring_redirect": ShellJudge._redirect,  # noqa: SLF001
    "command": ShellJudge._command,  # noqa: SLF001
    "variable_assignment": ShellJudge._assignment,  # noqa: SLF001
    "declaration_command": ShellJudge._declaration,  # noqa: SLF001
    "unset_command": ShellJudge._unset,  # noqa: SLF001
    "function_definition": ShellJudge._function,  # noqa: SLF001
    "for_statement": ShellJudge._for,  # noqa: SLF001
    "c_style_for_statement": ShellJudge._c_style_for,  # noqa: SLF001
    "arithmetic_expansion": ShellJudge._arithmetic,  # noqa: SLF001
    "test_command": ShellJudge._test,  # noqa: SLF001
    "case_item": ShellJudge._case_item,  # noqa: SLF001
}
