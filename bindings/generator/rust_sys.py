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


def rust_name(name: str) -> str:
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
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def accept(self, token: str) -> bool:
        if self.next == token:
            self.place += 1
            return True
        return False

    def expect(self, *tokens: str):
        for token in tokens:
            if not self.accept(token):
                raise ValueError(f"expected {token} instead of {' '.join(self.tokens[self.place : self.place + 8])}")

    # ---- types and declarators

    def base(self) -> tuple[str, bool]:
        """The type that a declaration begins with, and whether it is const."""
        const = self.accept("const")
        self.accept("struct")
        name = self.take()
        const = self.accept("const") or const
        if name == "void":
            return "c_void", const
        return NUMBERS.get(name, name), const

    def declarator(self, kind: str, const: bool) -> tuple[str, str]:
        """A name and its whole type."""
        while self.accept("*"):
            kind = f"*{'const' if const else 'mut'} {kind}"
            const = self.accept("const")
        if self.accept("("):
            self.expect("*")
            name = self.take()
            self.expect(")")
            return name, self.function_pointer(kind)
        name = self.take() if re.match(r"\w", self.next) else ""
        if self.accept("["):
            kind = f"[{kind}; {self.take()}]"
            self.expect("]")
        return name, kind

    def function_pointer(self, result: str) -> str:
        params = ", ".join(f"{rust_name(name)}: {kind}" for name, kind in self.parameters())
        return f'Option<unsafe extern "C" fn({params}){returned(result)}>'

    def parameters(self) -> list[tuple[str, str]]:
        self.expect("(")
        if self.tokens[self.place : self.place + 2] == ["void", ")"]:
            self.place += 2
            return []
        found = []
        while True:
            found.append(self.declarator(*self.base()))
            if not self.accept(","):
                self.expect(")")
                return found

    # ---- declarations

    def fields(self, owner: str) -> list[str]:
        """The fields of a struct or a union up to its brace; inner ones without a name get one."""
        lines = []
        while not self.accept("}"):
            if self.next in ("union", "struct") and self.tokens[self.place + 1] == "{":
                self.inner(owner, lines)
                continue
            base = self.base()
            while True:
                name, kind = self.declarator(*base)
                lines.append(f"    pub {rust_name(name)}: {kind},")
                if not self.accept(","):
                    break
            self.expect(";")
        return lines

    def inner(self, owner: str, lines: list[str]):
        kind = self.take()
        self.expect("{")
        end, depth = self.place, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.tokens[end], 0)
            end += 1
        field = self.tokens[end]
        fields = self.fields(f"{owner}_{field}")
        self.made.append(f"{DERIVES}pub {kind} {owner}_{field} {{\n" + "\n".join(fields) + "\n}\n")
        self.expect(field, ";")
        lines.append(f"    pub {rust_name(field)}: {owner}_{field},")

    def typedef(self):
        if self.accept("struct"):
            name = self.take()
            if self.accept("{"):
                fields = self.fields(name)
                self.made.append(f"{DERIVES}pub struct {name} {{\n" + "\n".join(fields) + "\n}\n")
                self.expect(name, ";")
                return
            if self.next == name:
                self.expect(name, ";")
                if name not in self.opaque:
                    self.made.append(OPAQUE.format(name=name))
                    self.opaque.add(name)
                return
            self.place -= 2
            self.expect("struct")
        name, kind = self.declarator(*self.base())
        self.expect(";")
        self.made.append(f"pub type {name} = {kind};\n")

    def enumeration(self):
        self.expect("{")
        lines = []
        while not self.accept("}"):
            name = self.take()
            self.expect("=")
            value = []
            while self.next not in (",", "}"):
                value.append(self.take())
            lines.append(f"pub const {name}: i32 = {' '.join(value).replace('- ', '-')};")
            self.accept(",")
        self.expect(";")
        self.made.append("\n".join(lines) + "\n")

    def function(self):
        base = self.base()
        kind, const = base
        while self.accept("*"):
            kind = f"*{'const' if const else 'mut'} {kind}"
            const = False
        name = self.take()
        params = ", ".join(f"{rust_name(param)}: {param_kind}" for param, param_kind in self.parameters())
        self.expect(";")
        self.functions.append(f"    pub fn {name}({params}){returned(kind)};")

    def parse(self):
        while self.place < len(self.tokens):
            if self.accept("typedef"):
                self.typedef()
            elif self.accept("enum"):
                self.enumeration()
            elif self.accept("MT_API"):
                self.function()
            elif not self.accept("}"):  # of extern "C"
                raise ValueError(f"an unknown declaration: {' '.join(self.tokens[self.place : self.place + 12])}")


def returned(kind: str) -> str:
    return "" if kind == "c_void" else f" -> {kind}"


def text(headers: Path) -> str:
    types, functions = [], []
    for header in HEADERS:
        parser = Parser((headers / f"{header}.h").read_text(encoding="utf-8"))
        parser.parse()
        for name, value in parser.defines:
            types.append(f"pub const {name}: {'&str' if value[0] == chr(34) else 'i32'} = {value};\n")
        types += parser.made
        functions += parser.functions
    return HEAD + "\n".join(types) + '\nextern "C" {\n' + "\n".join(functions) + "\n}\n"
