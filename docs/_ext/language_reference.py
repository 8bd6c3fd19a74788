"""Writes the reference of operators in other languages: a page of signatures for each, from the registry."""

from collections.abc import Callable
from pathlib import Path

from generator import calls, go, node, rust, schema, typed
from operator_reference import FAMILIES
from plain_docs import indent_lines, write_code_block


def go_signatures() -> Callable[[typed.Operator], list[str]]:
    return lambda operator: [go.write_go_signature(operator)]


def rust_signatures() -> Callable[[typed.Operator], list[str]]:
    options = rust.Options()
    return lambda operator: rust.write_rust_signatures(operator, options.options_struct_name(operator))


# For each language: the title of its page, the highlighter of its code, its signatures, and the introduction.
LANGUAGES = {
    "go": (
        "Operators in Go",
        "go",
        go_signatures(),
        "Methods and functions of the package ``mindtorch``. ``options`` are the functions ``With...`` with torch's "
        "names of the optional arguments, for example ``WithDtype``; :doc:`/languages/go` explains the rules of names.",
    ),
    "node": (
        "Operators in Node.js",
        "typescript",
        node.list_shortest_signature,
        "Methods of ``Tensor`` and functions of the module ``mindtorch``, as TypeScript declares them; each has a "
        "second form, ``NAMEAsync``, that returns a promise. Optional arguments may also follow by position; "
        ":doc:`/languages/node` explains the rest.",
    ),
    "rust": (
        "Operators in Rust",
        "rust",
        rust_signatures(),
        "Methods of ``Tensor`` and functions of the crate ``mindtorch``. The structs of options have a field for each "
        "optional argument, with torch's name; :doc:`/languages/rust` explains the rules of names.",
    ),
}


LANGUAGES |= {
    name: (
        f"Operators in {language.name}",
        language.highlighting,
        calls.make_call_writer(language),
        f"Calls by name, with the defaults of optional arguments, which a call may omit, and the types of the schema; "
        f":doc:`/languages/{name}` explains how values convert.",
    )
    for name, language in calls.LANGUAGES.items()
}


def write_page(language: str, operators: list[typed.Operator]) -> str:
    title, highlighting, signatures, introduction = LANGUAGES[language]
    lines = [title, "=" * len(title), "", introduction, ""]
    for family, heading in FAMILIES.items():
        members = [operator for operator in operators if operator.schema.file.split("/")[0] == family]
        if members:
            shown = [line for operator in members for line in signatures(operator)]
            lines += [heading, "-" * len(heading), "", *write_code_block(shown, highlighting)]
    return "\n".join(lines) + "\n"


def write_pages(root: Path) -> dict[str, str]:
    operators = typed.make_operators(schema.read_registry(root / "build/release/generated/registry.json"))
    made = {f"{language}.rst": write_page(language, operators) for language in LANGUAGES}
    title = "Operators in other languages"
    introduction = "All operators: typed functions in Go, Rust and TypeScript, calls by name in the others."
    lines = [title, "=" * len(title), "", introduction, "", ".. toctree::", "   :maxdepth: 1", ""]
    made["index.rst"] = "\n".join([*lines, *indent_lines(list(LANGUAGES), 3), ""])
    return made
