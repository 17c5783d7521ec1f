"""The functions that shell code defines, for shells that cannot be asked for them."""

from __future__ import annotations


def defined(code: str) -> dict[str, str]:
    """The text of each function that the code defines outside of functions, the last one of a name."""
    import tree_sitter
    import tree_sitter_bash

    source = code.encode("utf-8", "surrogateescape")
    tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language())).parse(source)
    functions: dict[str, str] = {}
    rest = [tree.root_node]
    while rest:
        node = rest.pop()
        name = node.child_by_field_name("name")
        if node.type != "function_definition" or name is None:
            rest.extend(reversed(node.children))
        elif not node.has_error:
            text = source[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
            named = source[name.start_byte : name.end_byte].decode("utf-8", "surrogateescape")
            functions.pop(named, None)
            functions[named] = text
    return functions
