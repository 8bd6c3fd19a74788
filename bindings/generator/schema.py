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


def make_schema(registry_entry: dict) -> Schema:
    return Schema(
        ns=registry_entry["ns"],
        name=registry_entry["name"],
        overload=registry_entry["overload"],
        text=registry_entry["schema"],
        args=tuple(Argument(**a) for a in registry_entry["args"]),
        returns=tuple(Argument(**r) for r in registry_entry["returns"]),
        base_name=registry_entry["base_name"],
        forms=frozenset(registry_entry["forms"]),
        traits=frozenset(registry_entry["traits"]),
        aliases=tuple(registry_entry["aliases"]),
        module=registry_entry["module"],
        doc=registry_entry["doc"],
        file=registry_entry["file"].removeprefix("impl/ops/"),
        gradient=registry_entry["gradient"]["kind"],
        differentiable=tuple(registry_entry["gradient"]["wrt"]),
        npu=tuple(registry_entry["npu"]),
    )


def read_registry(path: Path) -> list[Schema]:
    """Every operator, in the registry's order: by file, then in the order of the definitions."""
    return [make_schema(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
