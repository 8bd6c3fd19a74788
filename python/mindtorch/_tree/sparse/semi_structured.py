"""2:4 sparsity: two of four elements of a row are zero. Its kernels are CUDA's, so nothing is converted here."""

from .._tensor import Tensor

__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUTLASS",
    "SparseSemiStructuredTensorCUSPARSELT",
    "to_sparse_semi_structured",
]


class SparseSemiStructuredTensor(Tensor):
    """What 2:4 sparse matrices are in torch; for isinstance, since none can be made without CUDA."""

    __slots__ = ["packed", "meta", "packed_t", "meta_t", "compressed_swizzled_bitmask"]

    @staticmethod
    def __new__(
        cls,
        shape,
        packed,
        meta,
        packed_t,
        meta_t,
        compressed_swizzled_bitmask,
        fuse_transpose_cusparselt=False,
        alg_id_cusparselt=0,
        requires_grad=False,
    ):
        if packed is None and packed_t is None:
            raise ValueError("At least one of packed or packed_t must be provided")
        raise NotImplementedError(f"{cls.__name__}: there are no kernels for 2:4 sparse matrices in this build")

    @classmethod
    def from_dense(cls, original_tensor):
        """Converts a dense matrix, in a subclass."""
        raise NotImplementedError


class _OfCuda(SparseSemiStructuredTensor):
    __slots__ = ()

    @classmethod
    def from_dense(cls, original_tensor):
        """Raises a RuntimeError: only CUDA tensors can be converted, and there are none."""
        raise RuntimeError(
            f"Error original_tensor.device= {original_tensor.device} is not supported! "
            "Only CUDA tensors are currently supported."
        )


class SparseSemiStructuredTensorCUTLASS(_OfCuda):
    """The form of matrices that CUTLASS multiplies."""

    __slots__ = ()
    BACKEND = "cutlass"


class SparseSemiStructuredTensorCUSPARSELT(_OfCuda):
    """The form of matrices that cuSPARSELt multiplies."""

    __slots__ = ()
    BACKEND = "cusparselt"


def to_sparse_semi_structured(original_tensor, transposed=False, alg_id=0):
    """Raises a RuntimeError, as on every device but CUDA's."""
    return SparseSemiStructuredTensorCUTLASS.from_dense(original_tensor)
