"""torch.export: there is no graph capture; each function raises NotImplementedError with its name."""

from __future__ import annotations

from typing import Any

from .._absent_device import define_refusing_functions, make_refusing_class
from .._absent_modules import define_absent_modules

__all__ = ["Dim", "ExportedProgram", "export", "load", "register_dataclass", "save", "unflatten"]

define_absent_modules(__name__)  # first: one has the name of a function


def _make_refusing_type(declaration):
    text = f"torch.export.{declaration.partition('(')[0]}: there is no graph capture"
    return make_refusing_class(__name__, declaration, NotImplementedError, text)


Dim = _make_refusing_type("Dim(name, *, min=None, max=None): A dimension whose size may vary.")
ExportedProgram = _make_refusing_type(
    "ExportedProgram(root, graph, graph_signature, state_dict, range_constraints, module_call_graph, "
    "example_inputs=None, constants=None, *, verifiers=None): A captured program."
)
define_refusing_functions(
    __name__,
    (
        "export(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False, preserve_module_call_signature=(), "
        "prefer_deferred_runtime_asserts_over_guards=False): Captures a module as a graph.",
        "load(f, *, extra_files=None, expected_opset_version=None): Loads a captured program.",
        "save(ep, f, *, extra_files=None, opset_version=None, pickle_protocol=2): Writes a captured program.",
        "unflatten(module, flat_args_adapter=None): Brings a captured program's submodules back.",
    ),
    NotImplementedError,
    "torch.export.{name}: there is no graph capture",
)


def register_dataclass(cls: type[Any], *, serialized_type_name: str | None = None) -> None:
    """Makes a dataclass a node of pytrees, so that its fields are gone through.

    Args:
        cls (type): the dataclass.
        serialized_type_name (str, optional): its name in saved specs. Default: ``None``.
    """
    from ..utils._pytree import register_dataclass as register

    register(cls, serialized_type_name=serialized_type_name)
