"""Approximate singular values of matrices of low rank, by random projection (Halko, Martinsson and Tropp, 2009)."""

import sys

from ._linalg_utils import get_floating_dtype, is_sparse
from .overrides import handle_torch_function, has_torch_function

__all__ = ["svd_lowrank", "pca_lowrank"]

torch = sys.modules[__package__]


def get_approximate_basis(A, q, niter=2, M=None):
    """q orthonormal columns that nearly span A - M: algorithm 4.4 of the paper, with `niter` subspace iterations."""

    def project(X, transposed):
        result = (A.mH if transposed else A) @ X
        return result if M is None else result - (M.mH if transposed else M) @ X

    dtype = A.dtype if A.is_complex() else get_floating_dtype(A)
    Q = torch.linalg.qr(project(torch.randn(A.shape[-1], q, dtype=dtype, device=A.device), False)).Q
    for _ in range(2 if niter is None else niter):
        Q = torch.linalg.qr(project(Q, True)).Q
        Q = torch.linalg.qr(project(Q, False)).Q
    return Q


def svd_lowrank(A, q=6, niter=2, M=None):
    """U, S and V of a matrix of rank about `q`, or of A - M."""
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


def pca_lowrank(A, q=None, center=True, niter=2):
    """The principal components of the columns of A."""
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
    if is_sparse(A):  # stays sparse: what is taken off each row is an argument of its own
        if A.dim() != 2:
            raise ValueError("pca_lowrank input is expected to be 2-dimensional tensor")
        means = torch.sparse.sum(A, dim=(-2,)).to_dense() / m
        return svd_lowrank(A, q, niter=niter, M=means.expand(m, n))
    return svd_lowrank(A - A.mean(dim=(-2,), keepdim=True), q, niter=niter, M=None)
