"""The multivariate normal distribution."""

import math

from .._root import torch
from . import constraints
from .distribution import Distribution
from ._parameters import MATRIX_FORMS, factor_matrix, find_only_given
from ._parameters import precision_to_scale_tril as _precision_to_scale_tril  # noqa: F401  (libraries import it from here)
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _batch_mv(bmat, bvec):
    """Multiplies a matrix with a vector, for batches of both."""
    return torch.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(bL, bx):
    """Computes x' (L L')^-1 x for a batch of factors and a larger batch of vectors.

    Reshapes the vectors' batch so that each factor solves for all its vectors at once.
    """
    size = bx.size(-1)
    batch_shape = bx.shape[:-1]
    outer = len(batch_shape) - (bL.dim() - 2)
    split = list(bx.shape[:outer])
    for factor_size, vector_size in zip(bL.shape[:-2], bx.shape[outer:-1]):
        split += [vector_size // factor_size, factor_size]
    bx = bx.reshape(split + [size])
    pairs = range(outer, len(split), 2)
    order = [*range(outer), *pairs, *(pair + 1 for pair in pairs), len(split)]
    bx = bx.permute(order)
    factors = bL.reshape(-1, size, size)
    vectors = bx.reshape(-1, factors.size(0), size).permute(1, 2, 0)
    solved = torch.linalg.solve_triangular(factors, vectors, upper=False).pow(2).sum(-2).t()
    permuted = solved.reshape(bx.shape[:-1])
    inverse = list(range(outer))
    count = len(pairs)
    for index in range(count):
        inverse += [outer + index, outer + count + index]
    return permuted.permute(inverse).reshape(batch_shape)


class MultivariateNormal(Distribution):
    """The multivariate normal distribution.

    Log density ``-(n * log(2 * pi) + log det(S) + (x - loc)' inv(S) (x - loc)) / 2``. Give exactly
    one of the covariance S, its inverse, or its lower Cholesky factor; all work is done with the
    factor, which is cheapest to pass. The other two are computed on request.

    Args:
        loc (Tensor): mean ``(*, n)``.
        covariance_matrix (Tensor, optional): S ``(*, n, n)``, positive definite.
        precision_matrix (Tensor, optional): the inverse of S.
        scale_tril (Tensor, optional): L with ``L L' = S``, lower triangular with a positive diagonal.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when not exactly one matrix is given, or it is not as required.

    Example:
        >>> normal = torch.distributions.MultivariateNormal(torch.zeros(2), 4 * torch.eye(2))
        >>> normal.scale_tril
        tensor([[2., 0.],
                [0., 2.]])
        >>> normal.log_prob(torch.zeros(2))  # -log(2 * pi * 4)
        tensor(-3.2242)
    """

    arg_constraints = {"loc": constraints.real_vector, **MATRIX_FORMS}
    support = constraints.real_vector
    has_rsample = True
    _expanded = {"loc": 1, "covariance_matrix": 2, "scale_tril": 2, "precision_matrix": 2}

    def __init__(
        self,
        loc: torch.Tensor,
        covariance_matrix: torch.Tensor | None = None,
        precision_matrix: torch.Tensor | None = None,
        scale_tril: torch.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = find_only_given(
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        if name is None:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_matrix(name, matrix)

    def _finish_expand(self, new, batch_shape) -> None:
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril

    def _expand_to_batch(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> torch.Tensor:
        return self._expand_to_batch(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> torch.Tensor:
        return self._expand_to_batch(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @lazy_property
    def precision_matrix(self) -> torch.Tensor:
        return self._expand_to_batch(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> torch.Tensor:
        return self.loc

    @property
    def mode(self) -> torch.Tensor:
        return self.loc

    @property
    def variance(self) -> torch.Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        noise = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, noise)

    def _half_log_det(self):
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value):
        self._check_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det()

    def entropy(self):
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
