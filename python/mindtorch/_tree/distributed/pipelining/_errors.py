"""The error of stages whose tensors differ from what was announced, and the description of tensors in errors."""

from ... import Tensor
from ...utils._pytree import tree_map

__all__ = ["PipeliningMetadataError", "describe_shapes"]


class PipeliningMetadataError(RuntimeError):
    """A stage's inputs or outputs cannot be sent, or differ from the declared ones."""


def describe_shapes(values):
    """Returns the values, with each tensor replaced by its shape and type."""

    def describe_shape(value):
        if not isinstance(value, Tensor):
            return value if isinstance(value, (int, float, bool, str)) else str(value)
        return f"Tensor({value.shape}, grad={value.requires_grad}, dtype={value.dtype})"

    return tree_map(describe_shape, values)
