"""Linear algebra helpers, and the old functions that moved to torch.linalg."""

from __future__ import annotations

import sys

torch = sys.modules[__package__]


def is_sparse(A: torch.Tensor) -> bool:
    """Whether A is a sparse matrix."""
    if isinstance(A, torch.Tensor):
        return A.layout == torch.sparse_coo
    raise TypeError(f"expected Tensor but got {type(A)}")


def get_floating_dtype(A: torch.Tensor) -> torch.dtype:
    """The dtype to compute in: A's if it is a floating one, else float32."""
    return A.dtype if A.dtype in (torch.float16, torch.float32, torch.float64) else torch.float32


def matmul(A: torch.Tensor | None, B: torch.Tensor) -> torch.Tensor:
    """A @ B, where A may be None for the identity."""
    return B if A is None else torch.matmul(A, B)


def bform(X: torch.Tensor, A: torch.Tensor | None, Y: torch.Tensor) -> torch.Tensor:
    """X^T A Y."""
    return matmul(X.mT, matmul(A, Y))


def qform(A: torch.Tensor | None, S: torch.Tensor) -> torch.Tensor:
    """S^T A S."""
    return bform(S, A, S)


def basis(A: torch.Tensor) -> torch.Tensor:
    """An orthogonal basis of A's columns."""
    return torch.linalg.qr(A).Q


def symeig(A: torch.Tensor, largest: bool | None = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Eigenvalues and eigenvectors of a symmetric matrix, the smallest or the largest first."""
    values, vectors = torch.linalg.eigh(A, UPLO="U")
    if largest:
        values, vectors = torch.flip(values, dims=(-1,)), torch.flip(vectors, dims=(-1,))
    return values, vectors


_REMOVED = "This function was deprecated since version 1.9 and is now removed."


def matrix_rank(input, tol=None, symmetric=False, *, out=None) -> torch.Tensor:
    """Raises RuntimeError: `torch.linalg.matrix_rank` took its place.

    Args:
        input, tol, symmetric, out: ignored.

    Returns:
        Nothing, since it always raises.
    """
    raise RuntimeError(
        _REMOVED + "\nPlease use the `torch.linalg.matrix_rank` function instead. "
        "The parameter 'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'."
    )


def _describe_replacement(old, new):
    """Returns the part of a text that shows a call's replacement; `old` ends with the blank or line end after it."""
    return f"{old}should be replaced with:\n{new}"


def solve(input: torch.Tensor, A: torch.Tensor, *, out=None) -> tuple[torch.Tensor, torch.Tensor]:
    """Raises RuntimeError: `torch.linalg.solve`, with its arguments the other way round, took its place.

    Args:
        input, A, out: ignored.

    Returns:
        Nothing, since it always raises.
    """
    raise RuntimeError(
        _REMOVED + " `torch.solve` is deprecated in favor of `torch.linalg.solve`. "
        "`torch.linalg.solve` has its arguments reversed and does not return the LU factorization.\n\n"
        "To get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n"
        + _describe_replacement("X = torch.solve(B, A).solution ", "X = torch.linalg.solve(A, B)")
    )


def lstsq(input: torch.Tensor, A: torch.Tensor, *, out=None) -> tuple[torch.Tensor, torch.Tensor]:
    """Raises RuntimeError: `torch.linalg.lstsq`, with its arguments the other way round, took its place.

    Args:
        input, A, out: ignored.

    Returns:
        Nothing, since it always raises.
    """
    raise RuntimeError(
        _REMOVED + " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n"
        "`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in the returned tuple "
        "(although it returns other information about the problem).\n\n"
        "To get the QR decomposition consider using `torch.linalg.qr`.\n\n"
        "The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of the "
        "returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the "
        "returned named tuple.\n\n"
        "The unpacking of the solution, as in\n"
        + _describe_replacement(
            "X, _ = torch.lstsq(B, A).solution[:A.size(1)]\n", "X = torch.linalg.lstsq(A, B).solution"
        )
    )


def _symeig(input, eigenvectors=False, upper=True, *, out=None):
    """Raises RuntimeError: `torch.linalg.eigh` took its place.

    Args:
        input, eigenvectors, upper, out: ignored.

    Returns:
        Nothing, since it always raises.
    """
    raise RuntimeError(
        _REMOVED + " The default behavior has changed from using the upper triangular portion of the matrix by default "
        "to using the lower triangular portion.\n\n"
        + _describe_replacement(
            "L, _ = torch.symeig(A, upper=upper) ", "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')"
        )
        + "\n\nand\n\n"
        + _describe_replacement(
            "L, V = torch.symeig(A, eigenvectors=True) ", "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
        )
    )


def eig(self: torch.Tensor, eigenvectors: bool = False, *, e=None, v=None) -> tuple[torch.Tensor, torch.Tensor]:
    """Raises RuntimeError: `torch.linalg.eig`, which returns complex tensors, took its place.

    Args:
        self, eigenvectors, e, v: ignored.

    Returns:
        Nothing, since it always raises.
    """
    raise RuntimeError(
        _REMOVED + " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` "
        "rather than real tensors mimicking complex tensors.\n\n"
        + _describe_replacement("L, _ = torch.eig(A) ", "L_complex = torch.linalg.eigvals(A)")
        + "\n\nand\n\n"
        + _describe_replacement("L, V = torch.eig(A, eigenvectors=True) ", "L_complex, V_complex = torch.linalg.eig(A)")
    )
