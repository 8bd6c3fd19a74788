"""The operators of the registry, as mindtorch_registry writes them: schemas and facts from their definitions."""

import json
from dataclasses import dataclass
from pathlib import Path

TENSOR_OPTIONS = {"dtype", "layout", "device", "pin_memory"}


@dataclass(frozen=True)
class Argument:
    type: str  # without alias marks: "Tensor?", "int[2]"
    name: str = ""
    default: str | None = None
    keyword_only: bool = False
    mutated: bool = False


@dataclass(frozen=True)
class Schema:
    ns: str
    name: str
    overload: str
    text: str  # "aten::add.Tensor(Tensor self, ...) -> Tensor"
    args: tuple[Argument, ...]
    returns: tuple[Argument, ...]
    base_name: str
    forms: frozenset[str]  # "function", "method", "inplace", "out"
    traits: frozenset[str]
    aliases: tuple[str, ...]
    module: str
    doc: str
    file: str  # path of the definition, starting with impl/ops
    gradient: str  # "formula", "steps" of other operators, "none", "missing"
    differentiable: tuple[str, ...]  # arguments with a derivative formula
    npu: tuple[str, ...]  # the aclnn operators that implement it

    @property
    def mutates(self) -> bool:
        return any(a.mutated for a in self.args)

    @property
    def full_name(self) -> str:
        return f"{self.ns}::{self.name}" + (f".{self.overload}" if self.overload else "")


def schema_of(entry: dict) -> Schema:
    return Schema(
        ns=entry["ns"],
        name=entry["name"],
        overload=entry["overload"],
        text=entry["schema"],
        args=tuple(Argument(**a) for a in entry["args"]),
        returns=tuple(Argument(**r) for r in entry["returns"]),
        base_name=entry["base_name"],
        forms=frozenset(entry["forms"]),
        traits=frozenset(entry["traits"]),
        aliases=tuple(entry["aliases"]),
        module=entry["module"],
        doc=entry["doc"],
        file=entry["file"].removeprefix("impl/ops/"),
        gradient=entry["gradient"]["kind"],
        differentiable=tuple(entry["gradient"]["wrt"]),
        npu=tuple(entry["npu"]),
    )


def read(path: Path) -> list[Schema]:
    """Every operator, in the registry's order: by file, then in the order of the definitions."""
    return [schema_of(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
