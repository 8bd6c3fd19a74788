"""torch.export: there is no graph capture; each entry raises NotImplementedError with its name."""

from .._absent_device import refuse_all, refusing_class

__all__ = ["Dim", "ExportedProgram", "export", "load", "register_dataclass", "save", "unflatten"]


def _type(declaration):
    text = f"torch.export.{declaration.partition('(')[0]}: there is no graph capture"
    return refusing_class(__name__, declaration, NotImplementedError, text)


Dim = _type("Dim(name, *, min=None, max=None)")
ExportedProgram = _type(
    "ExportedProgram(root, graph, graph_signature, state_dict, range_constraints, module_call_graph, "
    "example_inputs=None, constants=None, *, verifiers=None)"
)
refuse_all(
    __name__,
    (
        "export(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False, preserve_module_call_signature=(), "
        "prefer_deferred_runtime_asserts_over_guards=False)",
        "load(f, *, extra_files=None, expected_opset_version=None)",
        "save(ep, f, *, extra_files=None, opset_version=None, pickle_protocol=2)",
        "unflatten(module, flat_args_adapter=None)",
    ),
    NotImplementedError,
    "torch.export.{name}: there is no graph capture",
)


def register_dataclass(cls, *, serialized_type_name=None) -> None:
    """Makes a dataclass a node of pytrees."""
    from ..utils._pytree import register_dataclass as register

    register(cls, serialized_type_name=serialized_type_name)
