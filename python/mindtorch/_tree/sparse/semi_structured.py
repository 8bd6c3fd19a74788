"""2:4 sparsity: two of four elements of a row are zero. Its kernels exist for CUDA only, so nothing is converted
here."""

from __future__ import annotations

from .._root import torch
from .._tensor import Tensor

__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUTLASS",
    "SparseSemiStructuredTensorCUSPARSELT",
    "to_sparse_semi_structured",
]


class SparseSemiStructuredTensor(Tensor):
    """The type of 2:4 sparse matrices; for isinstance, since none can be made without CUDA.

    Args:
        shape (torch.Size): shape of the matrix.
        packed, meta, packed_t, meta_t, compressed_swizzled_bitmask (Tensor, optional): its parts.
        fuse_transpose_cusparselt (bool): for cuSPARSELt. Default: ``False``.
        alg_id_cusparselt (int): for cuSPARSELt. Default: ``0``.
        requires_grad (bool): whether it requires gradients. Default: ``False``.

    Raises:
        NotImplementedError: always, in this build.

    Example:
        >>> isinstance(torch.eye(4), torch.sparse.SparseSemiStructuredTensor)
        False
    """

    __slots__ = ["packed", "meta", "packed_t", "meta_t", "compressed_swizzled_bitmask"]

    @staticmethod
    def __new__(
        cls, shape: torch.Size, packed: torch.Tensor | None, meta: torch.Tensor | None, packed_t: torch.Tensor | None,
        meta_t: torch.Tensor | None, compressed_swizzled_bitmask: torch.Tensor | None,
        fuse_transpose_cusparselt: bool = False, alg_id_cusparselt: int = 0, requires_grad: bool = False,
    ):  # fmt: skip
        if packed is None and packed_t is None:
            raise ValueError("At least one of packed or packed_t must be provided")
        raise NotImplementedError(f"{cls.__name__}: there are no kernels for 2:4 sparse matrices in this build")

    @classmethod
    def from_dense(cls, original_tensor):
        """Converts a dense matrix; subclasses define it.

        Args:
            original_tensor (Tensor): the matrix.
        """
        raise NotImplementedError


class _OfCuda(SparseSemiStructuredTensor):
    __slots__ = ()

    @classmethod
    def from_dense(cls, original_tensor):
        """Raises RuntimeError: only CUDA tensors can be converted, and there are none.

        Args:
            original_tensor (Tensor): the matrix.
        """
        raise RuntimeError(
            f"Error original_tensor.device= {original_tensor.device} is not supported! "
            "Only CUDA tensors are currently supported."
        )


class SparseSemiStructuredTensorCUTLASS(_OfCuda):
    """The form of 2:4 sparse matrices that CUTLASS multiplies; for isinstance, as its base.

    Args:
        shape (torch.Size): shape of the matrix.
        packed, meta, packed_t, meta_t, compressed_swizzled_bitmask (Tensor, optional): its parts.
        fuse_transpose_cusparselt (bool): for cuSPARSELt. Default: ``False``.
        alg_id_cusparselt (int): for cuSPARSELt. Default: ``0``.
        requires_grad (bool): whether it requires gradients. Default: ``False``.

    Example:
        >>> isinstance(torch.eye(4), torch.sparse.SparseSemiStructuredTensorCUTLASS)
        False
    """

    __slots__ = ()
    BACKEND = "cutlass"


class SparseSemiStructuredTensorCUSPARSELT(_OfCuda):
    """The form of 2:4 sparse matrices that cuSPARSELt multiplies; for isinstance, as its base.

    Args:
        shape (torch.Size): shape of the matrix.
        packed, meta, packed_t, meta_t, compressed_swizzled_bitmask (Tensor, optional): its parts.
        fuse_transpose_cusparselt (bool): for cuSPARSELt. Default: ``False``.
        alg_id_cusparselt (int): for cuSPARSELt. Default: ``0``.
        requires_grad (bool): whether it requires gradients. Default: ``False``.

    Example:
        >>> isinstance(torch.eye(4), torch.sparse.SparseSemiStructuredTensorCUSPARSELT)
        False
    """

    __slots__ = ()
    BACKEND = "cusparselt"


def to_sparse_semi_structured(
    original_tensor: torch.Tensor, transposed: bool = False, alg_id: int = 0
) -> torch.sparse.semi_structured.SparseSemiStructuredTensor:
    """Raises RuntimeError: only CUDA tensors can be converted to 2:4 sparsity.

    Args:
        original_tensor (Tensor): the matrix.
        transposed (bool): ignored. Default: ``False``.
        alg_id (int): ignored. Default: ``0``.

    Returns:
        Nothing, since it always raises.

    Raises:
        RuntimeError: always, in this build.

    Example:
        >>> try:
        ...     torch.sparse.to_sparse_semi_structured(torch.eye(64))
        ... except RuntimeError:
        ...     print("CUDA only")
        CUDA only
    """
    return SparseSemiStructuredTensorCUTLASS.from_dense(original_tensor)
