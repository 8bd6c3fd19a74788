"""torch.sparse: functions of sparse tensors, and whether new ones are checked."""

import contextlib

from .. import _C
from .._root import torch
from .._tensor import Tensor
from .semi_structured import (
    SparseSemiStructuredTensor,
    SparseSemiStructuredTensorCUSPARSELT,
    SparseSemiStructuredTensorCUTLASS,
    to_sparse_semi_structured,
)

__all__ = [
    "addmm", "check_sparse_tensor_invariants", "mm", "sum", "softmax", "log_softmax", "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUTLASS", "SparseSemiStructuredTensorCUSPARSELT", "to_sparse_semi_structured",
    "as_sparse_gradcheck",
]  # fmt: skip

addmm = _C._sparse._sparse_addmm
log_softmax = _C._sparse._sparse_log_softmax
mm = _C._sparse._sparse_mm
sampled_addmm = _C._sparse.sparse_sampled_addmm
softmax = _C._sparse._sparse_softmax
spdiags = _C._sparse._spdiags
spsolve = _C._sparse._spsolve

# torch.sparse.FloatTensor and similar: types of sparse_coo tensors, called with indices, values and a size.
globals().update(_C._sparse_tensor_types)


def sum(input: Tensor, dim: tuple[int] | None = None, dtype: int | None = None) -> Tensor:
    """Sums a COO tensor over some of its dimensions, or over all.

    Where sparse dimensions remain the result is a COO tensor, and dense where all of them are summed
    over. Gradients of `input` are sparse, at its stored elements alone.

    Args:
        input (Tensor): of layout torch.sparse_coo; integers and bools are summed in int64 by default.
        dim (int or tuple of int, optional): dimensions to sum over; None for all. Default: ``None``.
        dtype (torch.dtype, optional): dtype of the result.

    Returns:
        Tensor: the sums.

    Raises:
        RuntimeError: when `input` has another layout.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [2.0, 3.0]]).to_sparse()
        >>> torch.sparse.sum(x)
        tensor(6.)
        >>> torch.sparse.sum(x, 1).to_dense()
        tensor([1., 5.])
    """
    if dim is None:
        return torch._sparse_sum(input) if dtype is None else torch._sparse_sum(input, dtype=dtype)
    return torch._sparse_sum(input, dim) if dtype is None else torch._sparse_sum(input, dim, dtype=dtype)


class check_sparse_tensor_invariants(contextlib.ContextDecorator):
    """Turns full checks of new sparse tensors on or off: for a block, a decorated function, or from now on.

    Unchecked parts that do not fit (an index outside of the size, say) give errors later, or wrong
    results. Checks take time, so at first only shapes and dtypes are checked, and the first sparse
    tensor that a program makes warns of that; `disable()` and ``check_invariants=False`` say that it
    is intended. An object may be entered once at a time.

    Args:
        enable (bool): whether to check. Default: ``True``.

    Example:
        >>> with torch.sparse.check_sparse_tensor_invariants():
        ...     try:
        ...         torch.sparse_coo_tensor([[5]], [1.0], (3,))
        ...     except RuntimeError:
        ...         print("refused")
        refused
    """

    @staticmethod
    def is_enabled() -> bool:
        """Returns whether new sparse tensors are checked in full.

        Returns:
            bool: the current setting.
        """
        return _C._check_sparse_tensor_invariants()

    @staticmethod
    def enable() -> None:
        """Enables full checks of new sparse tensors."""
        _C._set_check_sparse_tensor_invariants(True)

    @staticmethod
    def disable() -> None:
        """Disables checks of new sparse tensors."""
        _C._set_check_sparse_tensor_invariants(False)

    def __init__(self, enable=True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated."
                " Use a different context manager instance for context nesting."
            )
        self.saved_state = self.is_enabled()
        _C._set_check_sparse_tensor_invariants(self.state)

    def __exit__(self, type, value, traceback) -> None:
        if self.saved_state is None:
            raise AssertionError("saved_state should not be None on exit")
        _C._set_check_sparse_tensor_invariants(self.saved_state)
        self.saved_state = None

    def _recreate_cm(self):
        # As a decorator: each call gets its own context, so that calls may nest.
        return type(self)(self.state)


def as_sparse_gradcheck(gradcheck):
    """Makes a gradcheck function take functions of sparse tensors, and functions whose results are sparse.

    By default all elements are variables, and each input is checked as one that stores all of them;
    with ``masked=True`` (of the function that is returned) only those that it stores are.

    Args:
        gradcheck (callable): `torch.autograd.gradcheck` or the like.

    Returns:
        callable: with the parameters of `gradcheck`, and `masked`.

    Example:
        >>> check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
        >>> x = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
        >>> check(lambda x: x * 2, (x,), masked=True)
        True
    """
    from ._gradcheck import with_sparse_support

    return with_sparse_support(gradcheck)
