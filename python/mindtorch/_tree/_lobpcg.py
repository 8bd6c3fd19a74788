"""torch.lobpcg: a few extreme eigenpairs of a large symmetric matrix, or pencil, without factoring it.

Knyazev, "Toward the optimal preconditioned eigensolver", 2001; the orthogonal bases after Stathopoulos and Wu,
"A block orthogonalization procedure", 2002.
"""

from __future__ import annotations

import sys

from . import _linalg_utils as _utils
from .overrides import handle_torch_function, has_torch_function

__all__ = ["lobpcg"]

torch = sys.modules[__package__]


def lobpcg(
    A: torch.Tensor, k: int | None = None, B: torch.Tensor | None = None, X: torch.Tensor | None = None,
    n: int | None = None, iK: torch.Tensor | None = None, niter: int | None = None, tol: float | None = None,
    largest: bool | None = None, method: str | None = None, tracker: None = None,
    ortho_iparams: dict[str, int] | None = None, ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """Finds a few extreme eigenvalues and eigenvectors of a symmetric matrix, or of a pencil, iteratively.

    Solves ``A X = B X diag(E)`` for positive definite B without factoring A: for large sparse
    matrices (Knyazev 2001, "Toward the optimal preconditioned eigensolver"; bases after Stathopoulos
    and Wu 2002). A pair counts as converged when ``|A x - B x e| <= tol * |x| * (|A| + |e| * |B|)``.
    Gradients exist for A without B, where all eigenvalues are distinct.

    Args:
        A (Tensor): symmetric matrices ``(*, m, m)``, dense or sparse; ``m >= 3 * n``.
        k (int, optional): number of eigenpairs. Default: columns of X, or 1.
        B (Tensor, optional): positive definite matrices ``(*, m, m)``. Default: the identity.
        X (Tensor, optional): first approximation of the vectors ``(*, m, n)``. Default: random.
        n (int, optional): size of the random approximation. Default: k.
        iK (Tensor, optional): preconditioner, applied to residuals. Default: the identity.
        niter (int, optional): largest number of iterations. Default: 1000.
        tol (float, optional): relative tolerance. Default: root of the machine epsilon.
        largest (bool, optional): largest eigenvalues, else smallest. Default: True.
        method (str, optional): ``"ortho"`` or ``"basic"``. Default: ``"ortho"``.
        tracker (callable, optional): called with the running LOBPCG object after each step; may set
            ``bvars["force_stop"]``.
        ortho_iparams, ortho_fparams, ortho_bparams (dict, optional): details of the method ``"ortho"``.

    Returns:
        tuple of Tensor: eigenvalues ``(*, k)`` and eigenvectors ``(*, m, k)``.

    Raises:
        ValueError: when the matrix is too small.

    Example:
        >>> _ = torch.manual_seed(0)
        >>> values, vectors = torch.lobpcg(torch.diag(torch.arange(1.0, 10.0)), k=1)
        >>> torch.allclose(values, torch.tensor([9.0]), atol=1e-3)
        True
    """
    operands = (A, B, X, iK)
    settings = (niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams)
    if not {type(t) for t in operands} <= {torch.Tensor, type(None)} and has_torch_function(operands):
        names = ("niter", "tol", "largest", "method", "tracker", "ortho_iparams", "ortho_fparams", "ortho_bparams")
        keywords = {"k": k, "B": B, "X": X, "n": n, "iK": iK, **dict(zip(names, settings, strict=True))}
        return handle_torch_function(lobpcg, operands, A, **keywords)
    if A.requires_grad or (B is not None and B.requires_grad):
        A_sym = (A + A.mT) / 2
        B_sym = None if B is None else (B + B.mT) / 2
        return _Differentiable.apply(A_sym, k, B_sym, X, n, iK, *settings)
    return _lobpcg(A, k, B, X, n, iK, *settings)


class _Differentiable(torch.autograd.Function):
    """The pairs as a function of a dense A; the derivative needs all of A's eigenpairs."""

    @staticmethod
    def forward(ctx, A, k, B, *rest):
        E, X = _lobpcg(A, k, B, *(value.contiguous() if isinstance(value, torch.Tensor) else value for value in rest))
        ctx.largest = True if rest[5] is None else rest[5]
        ctx.save_for_backward(A, B, E, X)
        return E, X

    @staticmethod
    def backward(ctx, gE, gX):
        A, B, E, X = ctx.saved_tensors
        if B is not None:
            raise ValueError(
                "lobpcg.backward: derivatives with respect to the pencil of A and B are not implemented; B must be None"
            )
        values, vectors = torch.linalg.eigh(A.to_dense() if A.is_sparse else A)
        count, k = values.shape[-1], E.shape[-1]
        place = torch.arange(k, device=A.device)
        own = torch.zeros(count, k, dtype=torch.bool, device=A.device)
        own[count - 1 - place if ctx.largest else place, place] = True
        gaps = (E.unsqueeze(-2) - values.unsqueeze(-1)).masked_fill(own, 1)
        inner = (vectors.mT @ gX / gaps).masked_fill(own, 0)
        gA = (X * gE.unsqueeze(-2) + vectors @ inner) @ X.mT
        return (gA, *[None] * 13)


_ROUNDING = {torch.float32: 1.2e-07, torch.float64: 2.23e-16}


def _lobpcg(A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams):
    assert A.shape[-2] == A.shape[-1], f"A must be square, got shape {A.shape}"
    if B is not None:
        assert A.shape == B.shape, f"A and B must have same shape, got {A.shape} vs {B.shape}"
    dtype = _utils.get_floating_dtype(A)
    if tol is None:
        tol = _ROUNDING[dtype] ** 0.5
    m = A.shape[-1]
    columns = None if X is None else X.shape[-1]
    if k is None:
        k = 1 if columns is None else columns
    n = next(count for count in (columns, n, k) if count is not None)
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
    method = "ortho" if method is None else method
    iparams = {"m": m, "n": n, "k": k, "niter": 1000 if niter is None else niter}
    fparams = {"tol": tol}
    bparams = {"largest": True if largest is None else largest}
    if method == "ortho":
        iparams.update({"ortho_i_max": 3, "ortho_j_max": 3, **(ortho_iparams or {})})
        fparams.update({f"ortho_tol{suffix}": tol for suffix in ("", "_drop", "_replace")} | (ortho_fparams or {}))
        bparams.update({"ortho_use_drop": False, **(ortho_bparams or {})})

    def solve_matrix_or_batch(A, B, X):
        X = torch.randn((m, n), dtype=dtype, device=A.device) if X is None else X
        assert len(X.shape) == 2 and X.shape == (m, n), f"X shape mismatch: got {X.shape}, expected ({m}, {n})"
        worker = LOBPCG(A, B, X, iK, iparams, fparams, bparams, method, tracker)
        worker.run()
        return worker.E[:k], worker.X[:, :k]

    if A.ndim == 2:
        return solve_matrix_or_batch(A, B, X)
    batch = A.shape[:-2]
    flat_A, flat_B = A.reshape(-1, m, m), None if B is None else B.reshape(-1, m, m)
    flat_X = None if X is None else X.reshape(-1, *X.shape[-2:])
    pairs = [
        solve_matrix_or_batch(flat_A[i], None if B is None else flat_B[i], None if X is None else flat_X[i])
        for i in range(flat_A.shape[0])
    ]
    values, vectors = zip(*pairs, strict=True)
    return torch.stack(values).reshape(*batch, k), torch.stack(vectors).reshape(*batch, m, k)


class LOBPCG:
    """The state of one run of `lobpcg`, which trackers receive.

    E and X are the eigenpairs so far, R the residuals, S the basis that they were sought in; `ivars`,
    `fvars`, `bvars` and `tvars` hold the state.

    Args:
        A, B, X, iK (Tensor or None): as in `lobpcg`.
        iparams, fparams, bparams (dict): integer, float and bool settings.
        method (str): ``"ortho"`` or ``"basic"``.
        tracker (callable, optional): called after each step.
    """

    def __init__(
        self,
        A: torch.Tensor | None,
        B: torch.Tensor | None,
        X: torch.Tensor,
        iK: torch.Tensor | None,
        iparams: dict[str, int],
        fparams: dict[str, float],
        bparams: dict[str, bool],
        method: str,
        tracker: None,
    ) -> None:
        self.A, self.B, self.X, self.iK = A, B, X, iK
        self.iparams, self.fparams, self.bparams, self.method, self.tracker = iparams, fparams, bparams, method, tracker
        m, n = iparams["m"], iparams["n"]
        shapes = {"E": (n,), "R": (m, n), "S": (m, 3 * n)}
        for name, shape in shapes.items():
            setattr(self, name, torch.zeros(shape, dtype=X.dtype, device=X.device))
        self.tvars = {}
        self.ivars = {"istep": 0}
        self.fvars, self.bvars = {"_": 0.0}, {"_": False}

    def __str__(self):
        state = {**self.ivars, **self.fvars, **self.bvars, **self.tvars}
        parts = [self.__class__.__name__, f"  iparams={self.iparams}", f"  fparams={self.fparams}"]
        return "\n".join([*parts, f"  bparams={self.bparams}", *(f"  {name}={value}" for name, value in state.items())])

    def run(self):
        """Runs steps until enough pairs have converged or the number of iterations is reached."""
        self.update()
        while not self.stop_iteration():
            self.update()

    def stop_iteration(self):
        """Returns whether the run is over.

        Returns:
            bool: True when enough pairs have converged, no iterations are left, or a tracker said so.
        """
        enough = self.ivars["converged_count"] >= self.iparams["k"]
        return bool(self.bvars.get("force_stop", False) or self.ivars["iterations_left"] == 0 or enough)

    def update(self):
        """One step: the first finds the pairs within X, each later one within X, P and the preconditioned residuals."""
        if self.ivars["istep"] == 0:
            self._measure_norms()
            self.S = self._orthonormal_basis(self.X)
            self._rayleigh_ritz(self.S)
            self.P = self.X[:, :0]
        else:
            W = _utils.matmul(self.iK, self.R[:, self.ivars["converged_count"] :])
            self.S = self._orthonormal_basis(torch.cat([self.X, self.P, W], -1))
            self._rayleigh_ritz(self.S)
        self._update_residual()
        self.ivars["istep"] += 1
        self.ivars["iterations_left"] -= 1
        if self.tracker is not None:
            self.call_tracker()

    def call_tracker(self):
        """Passes the state to the tracker, which may set bvars["force_stop"]."""
        self.tracker(self)

    def _measure_norms(self):
        X_norm = float(torch.norm(self.X))
        scale = X_norm**-1
        self.fvars["X_norm"] = X_norm
        self.fvars["A_norm"] = float(torch.norm(_utils.matmul(self.A, self.X))) * scale
        self.fvars["B_norm"] = float(torch.norm(_utils.matmul(self.B, self.X))) * scale
        self.ivars.update(iterations_left=self.iparams["niter"], converged_count=0, converged_end=0)

    def _update_residual(self):
        E = self.E
        AX = _utils.matmul(self.A, self.X)
        self.R = AX - _utils.matmul(self.B, self.X) * E
        bound = torch.norm(self.X, 2, (0,)) * (self.fvars["A_norm"] + E.abs() * self.fvars["B_norm"])
        rerr = torch.norm(self.R, 2, (0,)) / bound
        self.tvars["rerr"] = rerr
        count = 0
        while count < rerr.shape[0] and float(rerr[count]) <= self.fparams["tol"]:
            count += 1
        self.ivars["converged_count"] = max(count, self.ivars["converged_count"])

    def _orthonormal_basis(self, S):
        """Orthonormal columns (in the product of B) that span S, for the method "ortho"; S itself for "basic"."""
        if self.method != "ortho":
            return S
        for _ in range(self.iparams["ortho_i_max"]):
            S = self._orthonormalize_by_svqb(S)
        return S

    def _orthonormalize_by_svqb(self, S):
        """Scales and rotates S so that S^T B S is the identity; drops directions lost to rounding."""
        gram = _utils.qform(self.B, S)
        scale = gram.diagonal().clamp(min=torch.finfo(S.dtype).tiny).rsqrt()
        values, vectors = _utils.symeig(gram * scale * scale.unsqueeze(-1), largest=True)
        kept = values > values[0] * torch.finfo(S.dtype).eps * S.shape[-1]
        kept[: self.iparams["n"]] = True
        floor = float(values[0]) * torch.finfo(S.dtype).eps
        return S * scale @ (vectors[:, kept] * values[kept].clamp(min=floor).rsqrt())

    def _rayleigh_ritz(self, S):
        """Returns the best pairs within S; P is their component outside the first columns of S."""
        n, previous = self.iparams["n"], self.X
        projected = _utils.qform(self.A, S)
        if self.method == "ortho":
            turn = torch.eye(S.shape[-1], dtype=S.dtype, device=S.device)
        else:
            turn = self._whiten(_utils.qform(self.B, S))
            projected = _utils.qform(projected, turn)
        E, Z = _utils.symeig(projected, self.bparams["largest"])
        self.E, self.X = E[:n], S @ (turn @ Z[:, :n])
        self.P = self.X - previous @ torch.linalg.lstsq(previous, self.X).solution
        self.ivars["converged_end"] = S.shape[-1]

    def _whiten(self, gram):
        """C with C^T gram C = 1, columns scaled first (Duersch, Shao, Yang and Gu, 2018)."""
        scale = gram.diagonal().clamp(min=torch.finfo(gram.dtype).tiny).rsqrt()
        values, vectors = _utils.symeig(gram * scale * scale.unsqueeze(-1), largest=True)
        kept = values > values[0] * torch.finfo(gram.dtype).eps * gram.shape[-1]
        kept[: self.iparams["n"]] = True
        return scale.unsqueeze(-1) * (vectors[:, kept] * values[kept].clamp(min=torch.finfo(gram.dtype).tiny).rsqrt())
