"""Operator schemas as text: parsing them, and making the in-place and out forms as the registry does."""

import re
from dataclasses import dataclass, field, replace

MARK = re.compile(r"\(([a-z])(!?)[^)]*\)")
TYPE = r"(?P<type>[A-Za-z]+(?:\([^)]*\))?\??(?:\[\d*\])?\??)"
ARGUMENT = re.compile(TYPE + r"(?:\s+(?P<name>\w+))?(?:\s*=\s*(?P<default>.+))?$")
NAME = re.compile(r"(?:(?P<ns>\w+)::)?(?P<name>\w+)(?:\.(?P<overload>\w+))?$")


@dataclass(frozen=True)
class Argument:
    type: str  # without alias marks: "Tensor?", "int[2]"
    name: str = ""
    default: str | None = None
    keyword_only: bool = False
    alias: str = ""
    mutated: bool = False

    def text(self) -> str:
        kind = self.type
        if self.alias:
            kind = kind.replace("Tensor", f"Tensor({self.alias}{'!' if self.mutated else ''})", 1)
        return kind + (f" {self.name}" if self.name else "") + (f"={self.default}" if self.default is not None else "")


@dataclass(frozen=True)
class Schema:
    ns: str
    name: str
    overload: str
    args: tuple[Argument, ...]
    returns: tuple[Argument, ...]
    # What the definition says about it; filled in by definitions.py.
    base_name: str = ""
    forms: frozenset[str] = frozenset()
    traits: frozenset[str] = frozenset()
    doc: str = ""
    module: str = ""
    aliases: tuple[str, ...] = field(default=())
    file: str = ""

    @property
    def mutates(self) -> bool:
        return any(a.mutated for a in self.args)

    @property
    def full_name(self) -> str:
        return f"{self.ns}::{self.name}" + (f".{self.overload}" if self.overload else "")

    def text(self) -> str:
        args, star = [], False
        for a in self.args:
            if a.keyword_only and not star:
                args.append("*")
                star = True
            args.append(a.text())
        returns = ", ".join(r.text() for r in self.returns)
        if len(self.returns) != 1:
            returns = f"({returns})"
        return f"{self.full_name}({', '.join(args)}) -> {returns}"


def split_top(text: str) -> list[str]:
    """Splits at commas that are within no bracket and no quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def parse_argument(text: str, keyword_only: bool) -> Argument:
    found = ARGUMENT.match(text)
    if not found:
        raise ValueError(f"cannot parse the argument '{text}'")
    kind, mark = found["type"], MARK.search(found["type"])
    return Argument(
        type=MARK.sub("", kind),
        name=found["name"] or "",
        default=found["default"].strip() if found["default"] else None,
        keyword_only=keyword_only,
        alias=mark[1] if mark else "",
        mutated=bool(mark and mark[2]),
    )


def parse(text: str) -> Schema:
    head, _, tail = text.partition("(")
    name = NAME.match(head.strip())
    depth, end = 1, -1
    for i, c in enumerate(tail):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            end = i
            break
    arrow = tail[end + 1 :].strip()
    if not name or end < 0 or not arrow.startswith("->"):
        raise ValueError(f"cannot parse the schema '{text}'")
    args, keyword_only = [], False
    for part in split_top(tail[:end]):
        if part == "*":
            keyword_only = True
        else:
            args.append(parse_argument(part, keyword_only))
    result = arrow[2:].strip()
    if result.startswith("("):
        result = result[1:-1]
    returns = tuple(parse_argument(part, False) for part in split_top(result))
    return Schema(name["ns"] or "aten", name["name"], name["overload"] or "", tuple(args), returns)


def inplace_form(s: Schema, torchs: dict[str, str]) -> Schema:
    """`torchs`: torch's overloads of forms, by the overload as made."""
    name = "__i" + s.name[2:] if len(s.name) > 4 and s.name.startswith("__") else s.name + "_"
    args = (replace(s.args[0], alias="a", mutated=True), *s.args[1:])
    return replace(
        s,
        name=name,
        overload=torchs.get(s.overload, s.overload),
        args=args,
        returns=(Argument("Tensor", alias="a", mutated=True),),
    )


TENSOR_OPTIONS = {"dtype", "layout", "device", "pin_memory"}


def out_form(s: Schema, torchs: dict[str, str], taken: set[str]) -> Schema:
    overload = "out" if s.overload in ("", "Tensor") else f"{s.overload}_out"
    named = torchs.get(overload, overload)
    if named == overload and f"{s.ns}::{s.name}.{overload}" in taken:
        named = f"{s.overload}_out"
    outs, returns = [], []
    for i, r in enumerate(s.returns):
        name = "out" if len(s.returns) == 1 else r.name or f"out{i}"
        alias = chr(ord("a") + i)
        outs.append(Argument(r.type, name, None, True, alias, True))
        returns.append(replace(r, alias=alias, mutated=True))
    args = s.args
    if {a.name for a in args} >= TENSOR_OPTIONS:  # `out` has them
        args = tuple(a for a in args if a.name not in TENSOR_OPTIONS)
    return replace(s, overload=named, args=(*args, *outs), returns=tuple(returns))
