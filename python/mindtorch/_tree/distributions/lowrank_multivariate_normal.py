"""The multivariate normal distribution with covariance W W' + D: W has few columns, D is diagonal."""

import math

from .._root import torch
from . import constraints
from .distribution import Distribution
from .multivariate_normal import _batch_mahalanobis, _batch_mv
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _plus_identity(matrix):
    size = matrix.size(-1)
    matrix = matrix.contiguous()
    matrix.view(-1, size * size)[:, :: size + 1] += 1
    return matrix


def _batch_capacitance_tril(W, D):
    """Returns the Cholesky factor of I + W' D^-1 W, for the matrix inversion lemma."""
    return torch.linalg.cholesky(_plus_identity(torch.matmul(W.mT / D.unsqueeze(-2), W)))


def _batch_lowrank_logdet(W, D, capacitance_tril):
    return 2 * capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W, D, x, capacitance_tril):
    projected = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


def _find_shape_error(loc, cov_factor, cov_diag):
    """Returns the error in the parameters' shapes, or None."""
    size = loc.shape[-1:]
    if not size:
        return "loc must be at least one-dimensional."
    if cov_factor.dim() < 2:
        return "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
    if cov_factor.size(-2) != loc.size(-1):
        return f"cov_factor must be a batch of matrices with shape {loc.size(-1)} x m"
    return None if cov_diag.shape[-1:] == size else f"cov_diag must be a batch of vectors with shape {size}"


class LowRankMultivariateNormal(Distribution):
    """The multivariate normal with covariance ``W W' + diag(d)``, W = `cov_factor` with few columns.

    Determinant and inverse come from the k x k matrix ``I + W' diag(1/d) W`` (the matrix determinant
    lemma and Woodbury's identity), so the cost grows with n * k ** 2 rather than n ** 3.

    Args:
        loc (Tensor): mean ``(*, n)``.
        cov_factor (Tensor): W ``(*, n, k)``.
        cov_diag (Tensor): d ``(*, n)``, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Attributes:
        covariance_matrix, precision_matrix, scale_tril (Tensor): ``(*, n, n)``, computed when asked
            for.

    Raises:
        ValueError: when shapes do not fit or a parameter is out of its range.

    Example:
        >>> normal = torch.distributions.LowRankMultivariateNormal(
        ...     torch.zeros(2), torch.tensor([[1.0], [0.0]]), torch.ones(2)
        ... )
        >>> normal.covariance_matrix
        tensor([[2., 0.],
                [0., 1.]])
    """

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints._with_event_dim(constraints.real, 2),
        "cov_diag": constraints._with_event_dim(constraints.positive, 1),
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True
    _expanded = {"loc": 1, "cov_diag": 1, "cov_factor": 2}

    def __init__(
        self, loc: torch.Tensor, cov_factor: torch.Tensor, cov_diag: torch.Tensor, validate_args: bool | None = None
    ) -> None:
        fault = _find_shape_error(loc, cov_factor, cov_diag)
        if fault is not None:
            raise ValueError(fault)
        matrices = [loc[..., None], cov_factor, cov_diag[..., None]]
        try:
            means, self.cov_factor, diagonals = torch.broadcast_tensors(*matrices)
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = means[..., 0], diagonals[..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], self.loc.shape[-1:], validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))

    def _expand_to_batch(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> torch.Tensor:
        return self.loc

    @property
    def mode(self) -> torch.Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> torch.Tensor:
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> torch.Tensor:
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._expand_to_batch(root * torch.linalg.cholesky(_plus_identity(torch.matmul(scaled, scaled.mT))))

    @lazy_property
    def covariance_matrix(self) -> torch.Tensor:
        factor = self._unbroadcasted_cov_factor
        return self._expand_to_batch(torch.matmul(factor, factor.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> torch.Tensor:
        weighted = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        inner = torch.linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        return self._expand_to_batch(torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - inner.mT @ inner)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        options = {"dtype": self.loc.dtype, "device": self.loc.device}
        low_rank = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], **options)
        diagonal = _standard_normal(shape, **options)
        return (
            self.loc
            + _batch_mv(self._unbroadcasted_cov_factor, low_rank)
            + self._unbroadcasted_cov_diag.sqrt() * diagonal
        )

    def _log_det(self):
        return _batch_lowrank_logdet(
            self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril
        )

    def log_prob(self, value):
        self._check_sample(value)
        distance = _batch_lowrank_mahalanobis(
            self._unbroadcasted_cov_factor,
            self._unbroadcasted_cov_diag,
            value - self.loc,
            self._capacitance_tril,
        )
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self):
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
