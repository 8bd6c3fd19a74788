"""One operator call on distributed tensors: its arguments, and the global description of its results."""

import functools
import warnings

from ..._root import torch
from ...utils import _pytree as pytree
from ._dtensor_spec import DTensorSpec, tensor_meta_of, make_replicated_spec

# Whether operators treat plain tensors as replicated DTensors; True inside an `implicit_replication` block.
allows_plain_tensors = False


class Call:
    """An operator and its arguments. Rules read it.

    `inputs` are the global descriptions of the tensor arguments in order, `outputs` those of the results, `specs` the
    specs of the arguments. `call["dim"]` is an argument by its name in the schema.
    """

    def __init__(self, func, args, kwargs):
        self.func, self.args, self.kwargs = func, args, kwargs
        self.leaves, self.structure = pytree.tree_flatten((args, kwargs))
        dtensor = torch.distributed.tensor.DTensor
        self.places = [index for index, leaf in enumerate(self.leaves) if isinstance(leaf, torch.Tensor)]
        self.mesh = next(leaf._spec.mesh for leaf in self.leaves if isinstance(leaf, dtensor))
        self.specs, self.locals = [], []
        for index in self.places:
            leaf = self.leaves[index]
            if not isinstance(leaf, dtensor):
                self._check_plain_tensor(leaf)
                self.specs.append(make_replicated_spec(self.mesh, tensor_meta_of(leaf)))
                self.locals.append(leaf)
                continue
            if leaf._spec.mesh != self.mesh:
                self._raise_for_different_mesh(leaf._spec.mesh)
            self.specs.append(leaf._spec)
            self.locals.append(leaf._local_tensor)
        self.inputs = [spec.tensor_meta for spec in self.specs]
        self.outputs = []

    def _raise_for_different_mesh(self, other):
        leaves = [leaf._spec if hasattr(leaf, "_spec") else leaf for leaf in self.leaves]
        args, kwargs = self.rebuild_arguments(leaves)
        shown = ", ".join(map(_format_nested, [*args, *kwargs.values()]))
        raise RuntimeError(
            f"Cannot run {self.func} on inputs with different meshes: got {self.mesh} and {other}"
            f"\n\nSharding propagation failed for {self.func}({shown}) on {other})"
        )

    def _check_plain_tensor(self, tensor):
        if tensor.numel() == 1 and tensor.ndim == 1:
            warnings.warn(
                "Found a non-scalar tensor with numel=1 and ndim!=0, "
                "we are implicitly creating a replicated DTensor for it. "
                "However, please consider changing it to a scalar tensor "
                "or explicitly create a DTensor under distributed environment."
            )
        elif tensor.ndim and not allows_plain_tensors:
            raise RuntimeError(
                f"{self.func} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before "
                "calling distributed operators!"
            )

    def __getitem__(self, name):
        for index, argument in enumerate(self.func._schema.arguments):
            if argument.name == name:
                value = self.args[index] if index < len(self.args) else self.kwargs.get(name, argument.default_value)
                return 1 if value == "Mean" else value  # the schema's name for the default reduction
        raise KeyError(name)

    def has(self, name) -> bool:
        """Returns whether the operator has an argument of this name."""
        return any(argument.name == name for argument in self.func._schema.arguments)

    def dims(self, name="dim", ndim=None):
        """Returns the dimensions that an argument names, counted from the start; all of them if it names none."""
        ndim = len(self.inputs[0].shape) if ndim is None else ndim
        given = self[name]
        if given is None or given == []:
            return list(range(ndim))
        return [dim % max(ndim, 1) for dim in ([given] if isinstance(given, int) else given)]

    def rebuild_arguments(self, leaves):
        """Returns args and kwargs with other leaves."""
        return pytree.tree_unflatten(leaves, self.structure)

    def describe_outputs(self):
        """Finds the global description of the results: the operator runs on tensors without data."""
        leaves = list(self.leaves)
        for index, meta in zip(self.places, self.inputs):
            leaves[index] = meta
        try:
            key = tuple(leaves), tuple(map(type, leaves))
            self.outputs, self.result_structure = _run_on_meta_tensors_cached(self.func, self.structure, key)
        except TypeError:
            self.outputs, self.result_structure = _run_on_meta_tensors(self.func, self.structure, leaves)

    def text(self) -> str:
        """Returns the call as error messages show it."""
        leaves = list(self.leaves)
        for index, spec in zip(self.places, self.specs):
            leaves[index] = spec
        args, kwargs = self.rebuild_arguments(leaves)
        shown = [_format_nested(arg) for arg in args] + [_format_nested(value) for value in kwargs.values()]
        return f"{self.func}({', '.join(shown)}) on {self.mesh})"


def _format_nested(value):
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(_format_nested, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return str(value)


def _run_on_meta_tensors(func, structure, leaves):
    from ._dtensor_spec import TensorMeta

    made = [
        torch.empty_strided(leaf.shape, leaf.stride, dtype=leaf.dtype, device="meta")
        if isinstance(leaf, TensorMeta)
        else leaf
        for leaf in leaves
    ]
    args, kwargs = pytree.tree_unflatten(made, structure)
    if "device" in kwargs and kwargs["device"] is not None:
        kwargs["device"] = torch.device("meta")
    results, result_structure = pytree.tree_flatten(func(*args, **kwargs))
    return [
        tensor_meta_of(result) if isinstance(result, torch.Tensor) else None for result in results
    ], result_structure


@functools.lru_cache(maxsize=4096)
def _run_on_meta_tensors_cached(func, structure, key):
    return _run_on_meta_tensors(func, structure, key[0])
