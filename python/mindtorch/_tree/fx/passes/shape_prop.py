"""torch.fx.passes.shape_prop: runs a graph and records the shape, dtype and layout of every value."""

import traceback
from typing import Any, NamedTuple

from ..._root import torch
from .._compatibility import compatibility
from ..interpreter import Interpreter
from ..node import map_aggregate

__all__ = ["TensorMetadata", "ShapeProp"]


@compatibility(is_backward_compatible=True)
class TensorMetadata(NamedTuple):
    """The properties of a tensor that passes use in place of the tensor."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple
    memory_format: Any
    is_quantized: bool
    qparams: dict


def _extract_tensor_metadata(result, include_contiguity=True):
    formats = (torch.contiguous_format, torch.channels_last, torch.channels_last_3d)
    if not include_contiguity:
        formats = ()
    memory_format = next((each for each in formats if result.is_contiguous(memory_format=each)), None)
    return TensorMetadata(
        result.shape,
        result.dtype,
        result.requires_grad,
        result.stride(),
        memory_format,
        False,
        {},
    )


@compatibility(is_backward_compatible=True)
class ShapeProp(Interpreter):
    """Runs a GraphModule; sets "tensor_meta" in a node's meta if its value has tensors, and "type"."""

    def __init__(self, gm, fake_mode=None):
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError("torch.fx.passes.shape_prop.ShapeProp: there are no fake tensors")

    def run_node(self, n):
        """Runs a node, and records its value's properties."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        found = False

        def record_metadata(value):
            nonlocal found
            if not isinstance(value, torch.Tensor):
                return value
            found = True
            return _extract_tensor_metadata(value)

        meta = map_aggregate(result, record_metadata)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        """Runs the graph on these arguments; returns its result."""
        return super().run(*args)
