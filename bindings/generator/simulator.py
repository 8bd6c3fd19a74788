"""Writes the list of aclnn operators for the NPU simulator: those that definitions name."""

from .schema import Schema


def generate_npu_operator_list(ops: list[Schema]) -> str:
    names = sorted({name for s in ops for name in s.npu})
    return "// Generated from the registry of operators.\n" + "".join(f"MT_SIM_OPERATOR({name})\n" for name in names)
