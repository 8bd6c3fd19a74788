"""Writes the declarations of the crate mindtorch-sys: types, constants and functions of the public C headers.

The headers use a small part of C: opaque and plain structs, enumerations, function pointers and functions. Anything
else is an error here. dlpack.h declares the types of another project, and box.h and ops.h have inline functions only.
"""

import re
from pathlib import Path

HEADERS = ("base", "arguments", "op", "tensor", "autograd", "device", "dispatch", "distributed", "io", "iter", "kernel")
HEADERS += ("library", "npu", "pipeline", "profiler", "runtime", "transform")
HEAD = """\
// Declarations of MindTorch's C ABI. Written by bindings/generate.py from the headers in capi/include/mindtorch.

use std::os::raw::{c_char, c_void};

"""
NUMBERS = {"int32_t": "i32", "int64_t": "i64", "uint8_t": "u8", "uint32_t": "u32", "uint64_t": "u64", "size_t": "usize"}
NUMBERS |= {"double": "f64", "char": "c_char", "int16_t": "i16", "uint16_t": "u16", "float": "f32"}
RUST_KEYWORDS = {"as", "type", "ref", "match", "move", "in", "fn", "where", "use", "self", "box", "mod", "loop"}
TOKEN = re.compile(r'"[^"]*"|\w+|<<|[*(),\[\]{};=|-]')
OPAQUE = "#[repr(C)]\npub struct {name} {{\n    _private: [u8; 0],\n}}\n"
DERIVES = "#[repr(C)]\n#[derive(Clone, Copy)]\n"


def escape_rust_keyword(name: str) -> str:
    return name + "_" if name in RUST_KEYWORDS else name


class Parser:
    def __init__(self, text: str):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
        self.defines = re.findall(r'^#define (MT_\w+) (\d+|"[^"]*")$', text, re.MULTILINE)
        text = re.sub(r'extern "C" \{|^#.*?(?<!\\)$', " ", text, flags=re.MULTILINE | re.DOTALL)
        self.tokens = TOKEN.findall(text)
        self.place = 0
        self.made: list[str] = []
        self.functions: list[str] = []
        self.opaque: set[str] = set()

    # ---- tokens

    @property
    def next_token(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take_token(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def accept_token(self, token: str) -> bool:
        if self.next_token == token:
            self.place += 1
            return True
        return False

    def expect_tokens(self, *tokens: str):
        for token in tokens:
            if not self.accept_token(token):
                raise ValueError(f"expected {token} instead of {' '.join(self.tokens[self.place : self.place + 8])}")

    # ---- types and declarators

    def parse_base_type(self) -> tuple[str, bool]:
        """The type that a declaration begins with, and whether it is const."""
        const = self.accept_token("const")
        self.accept_token("struct")
        name = self.take_token()
        const = self.accept_token("const") or const
        if name == "void":
            return "c_void", const
        return NUMBERS.get(name, name), const

    def parse_declarator(self, base_type: str, is_const: bool) -> tuple[str, str]:
        """A name and its whole type."""
        while self.accept_token("*"):
            base_type = f"*{'const' if is_const else 'mut'} {base_type}"
            is_const = self.accept_token("const")
        if self.accept_token("("):
            self.expect_tokens("*")
            name = self.take_token()
            self.expect_tokens(")")
            return name, self.parse_function_pointer(base_type)
        name = self.take_token() if re.match(r"\w", self.next_token) else ""
        if self.accept_token("["):
            base_type = f"[{base_type}; {self.take_token()}]"
            self.expect_tokens("]")
        return name, base_type

    def parse_function_pointer(self, result_type: str) -> str:
        params = ", ".join(f"{escape_rust_keyword(name)}: {kind}" for name, kind in self.parse_parameters())
        return f'Option<unsafe extern "C" fn({params}){write_return_clause(result_type)}>'

    def parse_parameters(self) -> list[tuple[str, str]]:
        self.expect_tokens("(")
        if self.tokens[self.place : self.place + 2] == ["void", ")"]:
            self.place += 2
            return []
        found = []
        while True:
            found.append(self.parse_declarator(*self.parse_base_type()))
            if not self.accept_token(","):
                self.expect_tokens(")")
                return found

    # ---- declarations

    def parse_fields(self, owner_type: str) -> list[str]:
        """The fields of a struct or a union up to its brace; inner ones without a name get one."""
        lines = []
        while not self.accept_token("}"):
            if self.next_token in ("union", "struct") and self.tokens[self.place + 1] == "{":
                self.parse_inner_type(owner_type, lines)
                continue
            base = self.parse_base_type()
            while True:
                name, kind = self.parse_declarator(*base)
                lines.append(f"    pub {escape_rust_keyword(name)}: {kind},")
                if not self.accept_token(","):
                    break
            self.expect_tokens(";")
        return lines

    def parse_inner_type(self, owner_type: str, field_lines: list[str]):
        kind = self.take_token()
        self.expect_tokens("{")
        end, depth = self.place, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.tokens[end], 0)
            end += 1
        field = self.tokens[end]
        fields = self.parse_fields(f"{owner_type}_{field}")
        self.made.append(f"{DERIVES}pub {kind} {owner_type}_{field} {{\n" + "\n".join(fields) + "\n}\n")
        self.expect_tokens(field, ";")
        field_lines.append(f"    pub {escape_rust_keyword(field)}: {owner_type}_{field},")

    def parse_typedef(self):
        if self.accept_token("struct"):
            name = self.take_token()
            if self.accept_token("{"):
                fields = self.parse_fields(name)
                self.made.append(f"{DERIVES}pub struct {name} {{\n" + "\n".join(fields) + "\n}\n")
                self.expect_tokens(name, ";")
                return
            if self.next_token == name:
                self.expect_tokens(name, ";")
                if name not in self.opaque:
                    self.made.append(OPAQUE.format(name=name))
                    self.opaque.add(name)
                return
            self.place -= 2
            self.expect_tokens("struct")
        name, kind = self.parse_declarator(*self.parse_base_type())
        self.expect_tokens(";")
        self.made.append(f"pub type {name} = {kind};\n")

    def parse_enumeration(self):
        self.expect_tokens("{")
        lines = []
        while not self.accept_token("}"):
            name = self.take_token()
            self.expect_tokens("=")
            value = []
            while self.next_token not in (",", "}"):
                value.append(self.take_token())
            lines.append(f"pub const {name}: i32 = {' '.join(value).replace('- ', '-')};")
            self.accept_token(",")
        self.expect_tokens(";")
        self.made.append("\n".join(lines) + "\n")

    def parse_function(self):
        base = self.parse_base_type()
        kind, const = base
        while self.accept_token("*"):
            kind = f"*{'const' if const else 'mut'} {kind}"
            const = False
        name = self.take_token()
        params = ", ".join(
            f"{escape_rust_keyword(param)}: {param_kind}" for param, param_kind in self.parse_parameters()
        )
        self.expect_tokens(";")
        self.functions.append(f"    pub fn {name}({params}){write_return_clause(kind)};")

    def parse_header(self):
        while self.place < len(self.tokens):
            if self.accept_token("typedef"):
                self.parse_typedef()
            elif self.accept_token("enum"):
                self.parse_enumeration()
            elif self.accept_token("MT_API"):
                self.parse_function()
            elif not self.accept_token("}"):  # of extern "C"
                raise ValueError(f"an unknown declaration: {' '.join(self.tokens[self.place : self.place + 12])}")


def write_return_clause(kind: str) -> str:
    return "" if kind == "c_void" else f" -> {kind}"


def generate_ffi_source(headers: Path) -> str:
    types, functions = [], []
    for header in HEADERS:
        parser = Parser((headers / f"{header}.h").read_text(encoding="utf-8"))
        parser.parse_header()
        for name, value in parser.defines:
            types.append(f"pub const {name}: {'&str' if value[0] == chr(34) else 'i32'} = {value};\n")
        types += parser.made
        functions += parser.functions
    return HEAD + "\n".join(types) + '\nextern "C" {\n' + "\n".join(functions) + "\n}\n"
