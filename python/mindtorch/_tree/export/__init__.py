"""torch.export: there is no graph capture; each entry raises NotImplementedError with its name."""

from .._absent_device import refuse_all, refusing_class

__all__ = ["Dim", "ExportedProgram", "export", "export_for_training", "load", "register_dataclass", "save", "unflatten"]


def _type(name):
    text = f"torch.export.{name}: there is no graph capture"
    return refusing_class(__name__, name, NotImplementedError, text)


Dim = _type("Dim")
ExportedProgram = _type("ExportedProgram")
refuse_all(
    __name__,
    ("export", "export_for_training", "load", "save", "unflatten"),
    NotImplementedError,
    "torch.export.{name}: there is no graph capture",
)


def register_dataclass(cls, *, serialized_type_name=None) -> None:
    """Makes a dataclass a node of pytrees."""
    from ..utils._pytree import register_dataclass as register

    register(cls, serialized_type_name=serialized_type_name)
