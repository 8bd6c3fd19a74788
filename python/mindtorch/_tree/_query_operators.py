"""Operators that query a tensor: sizes, strides, device and others. They are defined when a program first names one."""

from ._root import torch

_SCHEMAS = {
    "aten": {
        "dim(Tensor self) -> int": lambda self: self.dim(),
        "is_contiguous(Tensor self) -> bool": lambda self: self.is_contiguous(),
        "is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool": (
            lambda self, memory_format: self.is_contiguous(memory_format=memory_format)
        ),
        "is_non_overlapping_and_dense(Tensor self) -> bool": lambda self: _is_dense(self),
        "numel(Tensor self) -> int": lambda self: self.numel(),
        "size.int(Tensor self, int dim) -> int": lambda self, dim: self.size(dim),
        "size(Tensor self) -> int[]": lambda self: list(self.size()),
        "stride.int(Tensor self, int dim) -> int": lambda self, dim: self.stride(dim),
        "stride(Tensor self) -> int[]": lambda self: list(self.stride()),
        "sym_numel(Tensor self) -> SymInt": lambda self: self.numel(),
        "sym_size.int(Tensor self, int dim) -> SymInt": lambda self, dim: self.size(dim),
        "sym_size(Tensor self) -> SymInt[]": lambda self: list(self.size()),
        "sym_storage_offset(Tensor self) -> SymInt": lambda self: self.storage_offset(),
        "sym_stride.int(Tensor self, int dim) -> SymInt": lambda self, dim: self.stride(dim),
        "sym_stride(Tensor self) -> SymInt[]": lambda self: list(self.stride()),
    },
    "prim": {
        "device(Tensor a) -> Device": lambda a: a.device,
        "layout(Tensor a) -> Layout": lambda a: a.layout,
    },
}
_libraries: dict = {}  # from namespace to the Library that keeps its operators


def _is_dense(tensor):
    """Whether the elements fill their part of memory without gaps and repetitions."""
    step = 1
    for stride, size in sorted((tensor.stride(dim), tensor.size(dim)) for dim in range(tensor.dim())):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def make_library(namespace, kernels, key):
    """Defines operators.

    Args:
        namespace (str): their namespace.
        kernels (dict): from schema to the function that runs.
        key (str): the dispatch key of the functions.

    Returns:
        Library: keeps them.
    """
    from .library import Library

    class OwnLibrary(Library):
        _reserved_namespaces = ()

    library = OwnLibrary(namespace, "FRAGMENT")
    for schema, function in kernels.items():
        library.define(schema)
        library.impl(schema.partition("(")[0], function, key)
    return library


def has_operator(kernels, name):
    """Whether one of the schemas has this name."""
    return any(schema.startswith((name + "(", name + ".")) for schema in kernels)


def define(namespace, name):
    """Defines the operators of a namespace, if one of them has this name.

    Args:
        namespace (str): ``"aten"`` or ``"prim"``; others have none.
        name (str): the operator's name.

    Returns:
        bool: whether there is such an operator, new or not.
    """
    schemas = _SCHEMAS.get(namespace, {})
    if not has_operator(schemas, name):
        return False
    if namespace not in _libraries:
        _libraries[namespace] = make_library(namespace, schemas, "CompositeImplicitAutograd")
    return True


def find(namespace, name):
    """Returns the packet of one of these operators.

    Args:
        namespace (str): its namespace.
        name (str): its name.

    Returns:
        OpOverloadPacket: the operator.
    """
    return getattr(getattr(torch.ops, namespace), name)
