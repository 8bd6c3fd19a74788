"""out_dtype: calls an operator so that its result has a given number type."""

from .._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
from .._root import torch
from .._ops import HigherOrderOperator, OpOverload
from ..utils import _pytree as pytree

_aten = torch.ops.aten
ALLOWABLE_OPS = [
    _aten.linear.default, _aten.mm.default, _aten.conv2d.default, _aten.convolution.default, _aten.mul.Tensor,
    _aten.mul.Scalar, _aten.div.Tensor, _aten.div.Scalar,
]  # fmt: skip
_keys = torch._C.DispatchKey


class OutDtypeOperator(HigherOrderOperator):
    """Converts the tensors to the type that they and the result's type promote to, calls the operator, and converts
    its result.

    Example:
        >>> from torch._higher_order_ops.out_dtype import out_dtype
        >>> bytes = torch.full((1, 2), 100, dtype=torch.int8)
        >>> out_dtype(torch.ops.aten.mm.default, torch.int32, bytes, bytes.T)
        tensor([[20000]], dtype=torch.int32)
    """

    def __init__(self):
        super().__init__("out_dtype")

    def __call__(self, op, output_dtype, *args):
        """Calls `op`, one of ALLOWABLE_OPS, with `args`; returns its result in `output_dtype`."""
        if not isinstance(op, OpOverload):
            raise ValueError("out_dtype's first argument must be an OpOverload")
        if op._schema.is_mutable:
            raise ValueError("out_dtype's first argument needs to be a functional operator")
        returned = [str(one.type) for one in op._schema.returns]
        if returned != ["Tensor"]:
            raise ValueError(
                f"out_dtype's can only apply to ops that return a single tensorInstead got [{', '.join(returned)}]"
            )
        if op not in ALLOWABLE_OPS:
            raise ValueError(f"out_dtype only allows the following operators: {ALLOWABLE_OPS}.")
        return super().__call__(op, output_dtype, *args)


out_dtype = OutDtypeOperator()


@out_dtype.py_impl(_keys.CompositeExplicitAutograd)
def _compute_in_promoted_type(op, output_dtype, *args):
    computed, _ = elementwise_dtypes(
        *pytree.arg_tree_leaves(*args),
        torch.ones(1, dtype=output_dtype),
        type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT,
    )
    return op(*pytree.tree_map_only(torch.Tensor, lambda arg: arg.to(computed), args)).to(output_dtype)


@out_dtype.py_impl(_keys.Autograd)
def _refuse_backward(op, output_dtype, *args):
    with torch._C._AutoDispatchBelowAutograd():
        result = out_dtype(op, output_dtype, *args)
    tensors = [leaf for leaf in pytree.arg_tree_leaves(*args) if isinstance(leaf, torch.Tensor)]
    if not (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)):
        return result
    if result.is_floating_point() or result.is_complex():
        result = result.detach().requires_grad_()
    return torch._C._functions.DelayedError(b"Autograd not implemented for out_dtype", 1)(result)
