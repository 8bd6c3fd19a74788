"""torch.sparse: functions of sparse tensors, and whether new ones are checked."""

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
    "addmm",
    "check_sparse_tensor_invariants",
    "mm",
    "sum",
    "softmax",
    "log_softmax",
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUTLASS",
    "SparseSemiStructuredTensorCUSPARSELT",
    "to_sparse_semi_structured",
    "as_sparse_gradcheck",
]

addmm = _C._sparse._sparse_addmm
log_softmax = _C._sparse._sparse_log_softmax
mm = _C._sparse._sparse_mm
sampled_addmm = _C._sparse.sparse_sampled_addmm
softmax = _C._sparse._sparse_softmax
spdiags = _C._sparse._spdiags
spsolve = _C._sparse._spsolve

# torch.sparse.FloatTensor and its kin: types of tensors of coordinates, called with indices, values and a size.
globals().update(_C._sparse_tensor_types)


def sum(input: Tensor, dim=None, dtype=None) -> Tensor:
    """Sums of a tensor of coordinates over some of its dimensions, or over all.

    Where sparse dimensions remain the result is a tensor of coordinates, and dense where they are all summed over.
    Gradients of `input` are sparse, at its elements alone.

    Args:
        input: a tensor of layout torch.sparse_coo, of any dtype; integers and bools are summed as int64 by default.
        dim: an int or several; None for all dimensions.
        dtype: the dtype of the result.

    Raises:
        RuntimeError: where `input` has another layout.
    """
    if dim is None:
        return torch._sparse_sum(input) if dtype is None else torch._sparse_sum(input, dtype=dtype)
    return torch._sparse_sum(input, dim) if dtype is None else torch._sparse_sum(input, dim, dtype=dtype)


class check_sparse_tensor_invariants:
    """Whether the parts of new sparse tensors are checked in full: for a block, a function, or from now on.

    Unchecked parts that do not fit (an index outside of the size, say) give errors later, or wrong results. Checks take
    time, so at first nothing is checked but shapes and dtypes, and the first sparse tensor that a program makes warns
    of it; `disable()` and `check_invariants=False` say that this is intended.

        with torch.sparse.check_sparse_tensor_invariants():
            torch.sparse_coo_tensor([[5]], [1.0], (3,))  # RuntimeError

    As a decorator it holds for the calls of a function. An instance may be entered once at a time.
    """

    @staticmethod
    def is_enabled() -> bool:
        """Whether new sparse tensors are checked."""
        return _C._check_sparse_tensor_invariants()

    @staticmethod
    def enable() -> None:
        """Has new sparse tensors checked from now on."""
        _C._set_check_sparse_tensor_invariants(True)

    @staticmethod
    def disable() -> None:
        """Has new sparse tensors unchecked from now on."""
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

    def __call__(self, mth):
        def test_mth(*args, **kwargs):
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


def as_sparse_gradcheck(gradcheck):
    """Makes a gradcheck function take functions of sparse tensors, and functions whose results are sparse.

    By default all elements are variables, and each input is checked as one that stores all of them; with `masked=True`
    (of the function that is returned) only those that it stores are.
    """
    from ._gradcheck import with_sparse_support

    return with_sparse_support(gradcheck)
