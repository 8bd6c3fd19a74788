"""What the typed layers of other languages share: the operators that they have, and the words of their names."""

import re
from collections import defaultdict
from dataclasses import dataclass

from .schema import Argument, Schema

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


@dataclass(frozen=True)
class Operator:
    schema: Schema
    words: tuple[str, ...]  # of the name: "sum", "dim", "int", "list"
    suffix: str  # "", "inplace" or "out"
    is_method: bool  # its first argument is a tensor

    @property
    def required_arguments(self) -> list[tuple[int, Argument]]:
        return [(i, a) for i, a in enumerate(self.schema.args) if not is_optional(a)]

    @property
    def optional_arguments(self) -> list[tuple[int, Argument]]:
        return [(i, a) for i, a in enumerate(self.schema.args) if is_optional(a)]

    @property
    def written_arguments(self) -> list[Argument]:
        """The arguments that the operator returns after writing to them, if it returns nothing else."""
        mutated = [a for a in self.schema.args if a.mutated]
        return mutated if self.suffix and len(mutated) == len(self.schema.returns) else []


def is_optional(a: Argument) -> bool:
    """Whether a call may omit the argument. Tensors without a default may not: torch passes their None by position."""
    return a.default is not None or (a.type.endswith("?") and a.type != "Tensor?")


def is_public_forward_operator(s: Schema) -> bool:
    return not s.base_name.startswith("_") and "_backward" not in s.base_name


def split_name_into_words(name: str) -> list[str]:
    return [word.lower() for word in WORD.findall(name)]


def form_suffix_of(s: Schema) -> str:
    return "out" if "out" in s.forms else "inplace" if s.name.endswith("_") else ""


def make_operators(ops: list[Schema]) -> list[Operator]:
    """The public operators, sorted by name.

    The overload without a name, else the one named Tensor, else the only one, needs no words of its overload.
    """
    groups: dict[tuple[str, str], list[Schema]] = defaultdict(list)
    for s in ops:
        if is_public_forward_operator(s):
            groups[s.base_name.removesuffix("_"), form_suffix_of(s)].append(s)
    bases = {base for base, _ in groups}
    made = []
    for (base, suffix), group in groups.items():
        overloads = [s.overload for s in group]
        plain = next((name for name in ("", "Tensor") if name in overloads), overloads[0] if len(group) == 1 else None)
        for s in group:
            words = split_name_into_words(base)
            if s.overload != plain:
                extra = split_name_into_words(s.overload)
                if suffix == "out" and extra[-1] == "out":
                    extra.pop()
                # scatter.reduce must not have the name of scatter_reduce.
                words += ["overload", *extra] if extra and "_".join(words + extra) in bases else extra
            is_method = bool(s.args) and s.args[0].type == "Tensor"
            made.append(Operator(s, tuple(words), suffix, is_method))
    return sorted(made, key=lambda operator: (operator.words, operator.suffix))


def strip_type_modifiers(kind: str) -> str:
    """A type without what makes it optional and without the length of a list; symbolic ints are ints."""
    kind = re.sub(r"\[\d+\]", "[]", kind.removesuffix("?")).replace("SymInt", "int")
    return {"Dimname": "str"}.get(kind, kind)
