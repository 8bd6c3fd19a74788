"""Approximate singular values of matrices of low rank, by random projection (Halko, Martinsson and Tropp, 2009)."""

from __future__ import annotations

import sys

from ._linalg_utils import get_floating_dtype, is_sparse
from .overrides import handle_torch_function, has_torch_function

__all__ = ["svd_lowrank", "pca_lowrank"]

torch = sys.modules[__package__]


def get_approximate_basis(
    A: torch.Tensor, q: int, niter: int | None = 2, M: torch.Tensor | None = None
) -> torch.Tensor:
    """Returns q orthonormal columns that nearly span ``A - M``, by random projection.

    Algorithm 4.4 of Halko, Martinsson and Tropp (2011), with `niter` subspace iterations.

    Args:
        A (Tensor): matrices ``(*, m, n)``.
        q (int): number of columns.
        niter (int, optional): subspace iterations. Default: ``2``.
        M (Tensor, optional): subtracted from A.

    Returns:
        Tensor: ``(*, m, q)``.
    """

    def multiply_projected(X, transposed):
        result = (A.mH if transposed else A) @ X
        return result if M is None else result - (M.mH if transposed else M) @ X

    dtype = A.dtype if A.is_complex() else get_floating_dtype(A)
    Q = torch.linalg.qr(multiply_projected(torch.randn(A.shape[-1], q, dtype=dtype, device=A.device), False)).Q
    for _ in range(2 if niter is None else niter):
        Q = torch.linalg.qr(multiply_projected(Q, True)).Q
        Q = torch.linalg.qr(multiply_projected(Q, False)).Q
    return Q


def svd_lowrank(
    A: torch.Tensor, q: int | None = 6, niter: int | None = 2, M: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Computes an approximate singular value decomposition of a matrix of low rank, or of ``A - M``.

    By random projection (Halko, Martinsson and Tropp 2011, "Finding structure with randomness",
    algorithms 4.4 and 5.1): for large or sparse matrices; `torch.linalg.svd` is exact and for small
    ones faster. Seed the generator for reproducible results.

    Args:
        A (Tensor): matrices ``(*, m, n)``, dense or sparse.
        q (int, optional): a little more than the rank. Default: ``6``.
        niter (int, optional): subspace iterations, for precision. Default: ``2``.
        M (Tensor, optional): subtracted, broadcast to A; for sparse A it stays dense.

    Returns:
        tuple of Tensor: U ``(*, m, q)``, S ``(*, q)``, V ``(*, n, q)`` with ``A - M ~ U diag(S) V^H``.

    Example:
        >>> _ = torch.manual_seed(0)
        >>> A = torch.outer(torch.arange(1.0, 5.0), torch.ones(3))
        >>> U, S, V = torch.svd_lowrank(A, q=2)
        >>> torch.allclose(U * S @ V.T, A, atol=1e-4)
        True
    """
    operands = (A, M)
    if not {type(x) for x in operands} <= {torch.Tensor, type(None)} and has_torch_function(operands):
        return handle_torch_function(svd_lowrank, operands, A, q=q, niter=niter, M=M)
    q = 6 if q is None else q
    wide = A.shape[-2] < A.shape[-1]
    M = None if M is None else M.broadcast_to(A.size())
    if wide:
        A, M = A.mH, None if M is None else M.mH
    Q = get_approximate_basis(A, q, niter=niter, M=M)
    B = Q.mH @ A
    if M is not None:
        B = B - Q.mH @ M
    U, S, Vh = torch.linalg.svd(B, full_matrices=False)
    U, V = Q.matmul(U), Vh.mH
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(
    A: torch.Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Computes an approximate principal component analysis of the columns of a matrix, by `svd_lowrank`.

    Rows are samples. The columns of V are the principal directions, ``A @ V[:, :k]`` projects on the
    first k, and ``S ** 2 / (m - 1)`` are variances.

    Args:
        A (Tensor): matrices ``(*, m, n)``, dense or sparse.
        q (int, optional): a little more than the rank. Default: ``min(6, m, n)``.
        center (bool): subtracts the mean of each column. Default: ``True``.
        niter (int): subspace iterations. Default: ``2``.

    Returns:
        tuple of Tensor: U ``(*, m, q)``, S ``(*, q)``, V ``(*, n, q)``.

    Raises:
        ValueError: when `q` or `niter` is out of range.

    Example:
        >>> _ = torch.manual_seed(0)
        >>> A = torch.outer(torch.arange(1.0, 6.0), torch.tensor([3.0, 4.0]))
        >>> U, S, V = torch.pca_lowrank(A)
        >>> torch.allclose(V[:, 0].abs(), torch.tensor([0.6, 0.8]))
        True
    """
    if type(A) is not torch.Tensor and has_torch_function((A,)):
        return handle_torch_function(pca_lowrank, (A,), A, q=q, center=center, niter=niter)
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not center:
        return svd_lowrank(A, q, niter=niter, M=None)
    if is_sparse(A):  # A stays sparse: the row offset is a separate argument
        if A.dim() != 2:
            raise ValueError("pca_lowrank input is expected to be 2-dimensional tensor")
        means = torch.sparse.sum(A, dim=(-2,)).to_dense() / m
        return svd_lowrank(A, q, niter=niter, M=means.expand(m, n))
    return svd_lowrank(A - A.mean(dim=(-2,), keepdim=True), q, niter=niter, M=None)
