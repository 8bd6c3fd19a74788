"""The Wishart distribution."""

import math
import warnings

from .._root import torch
from ..types import _Number
from . import constraints
from ._parameters import MATRIX_FORMS, factor_matrix, find_only_given
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .utils import lazy_property

__all__ = ["Wishart"]

_LOG_2 = math.log(2)


def _mvdigamma(x, p: int):
    """Returns the logarithmic derivative of the multivariate gamma function."""
    if not (x > (p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    steps = torch.arange(p, dtype=x.dtype, device=x.device) / 2
    return (x[..., None] - steps).digamma().sum(-1)


class Wishart(ExponentialFamily):
    """The Wishart distribution of positive definite matrices.

    With p x p scale matrix V and n = `df`: log density
    ``(n - p - 1) / 2 * log det(X) - tr(inv(V) X) / 2`` minus
    ``n * p / 2 * log(2) + n / 2 * log det(V) + log Gamma_p(n / 2)``. Mean n * V. Draws use Bartlett's
    decomposition; singular ones are drawn again. Give exactly one of V, its inverse, or its lower
    Cholesky factor.

    Args:
        df (Tensor or float): degrees of freedom, above ``p - 1``.
        covariance_matrix (Tensor, optional): V ``(*, p, p)``, positive definite.
        precision_matrix (Tensor, optional): the inverse of V.
        scale_tril (Tensor, optional): L with ``L L' = V``, lower triangular with a positive diagonal.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        AssertionError: when not exactly one matrix is given.
        ValueError: when `df` or the matrix is out of its range.

    Example:
        >>> wishart = torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2))
        >>> wishart.mean
        tensor([[3., 0.],
                [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _expanded = {
        "df": 0,
        "covariance_matrix": 2,
        "scale_tril": 2,
        "precision_matrix": 2,
        "_unbroadcasted_scale_tril": 2,
    }

    @property
    def arg_constraints(self):
        return {**MATRIX_FORMS, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(
        self,
        df: torch.Tensor | int | float | bool,
        covariance_matrix: torch.Tensor | None = None,
        precision_matrix: torch.Tensor | None = None,
        scale_tril: torch.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = find_only_given(
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        if name is None:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, _Number):
            batch_shape = torch.Size(matrix.shape[:-2])
            self.df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        event_shape = matrix.shape[-2:]
        if self.df.le(event_shape[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}.")
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        if self.df.lt(event_shape[-1]).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_matrix(name, matrix)
        self._set_up_chi2_distributions(self.batch_shape, event_shape[-1])

    def _set_up_chi2_distributions(self, batch_shape, size) -> None:
        self._batch_dims = [-(dim + 1) for dim in range(len(batch_shape))]
        factor = self._unbroadcasted_scale_tril
        steps = torch.arange(size, dtype=factor.dtype, device=factor.device).expand(batch_shape + (-1,))
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - steps)

    def _finish_expand(self, new, batch_shape) -> None:
        new._set_up_chi2_distributions(batch_shape, self.event_shape[-1])

    def _expand_to_batch(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> torch.Tensor:
        return self._expand_to_batch(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> torch.Tensor:
        return self._expand_to_batch(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self) -> torch.Tensor:
        factor = self._unbroadcasted_scale_tril
        identity = torch.eye(self._event_shape[-1], device=factor.device, dtype=factor.dtype)
        return self._expand_to_batch(torch.cholesky_solve(identity, factor))

    def _as_matrix(self, value):
        return value.view(self._batch_shape + (1, 1))

    @property
    def mean(self) -> torch.Tensor:
        return self._as_matrix(self.df) * self.covariance_matrix

    @property
    def mode(self) -> torch.Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = torch.nan
        return self._as_matrix(factor) * self.covariance_matrix

    @property
    def variance(self) -> torch.Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        outer = torch.einsum("...i,...j->...ij", diagonal, diagonal)
        return self._as_matrix(self.df) * (covariance.pow(2) + outer)

    def _bartlett_sampling(self, sample_shape=torch.Size()):
        lengths = self._dist_chi2.rsample(sample_shape).sqrt()
        size, options = lengths.size(-1), {"dtype": lengths.dtype, "device": lengths.device}
        below = torch.ones(size, size, dtype=torch.bool, device=lengths.device).tril(-1)
        normals = torch.randn((*sample_shape, *self._batch_shape, size * (size - 1) // 2), **options)
        lengths = lengths.clamp(min=torch.finfo(lengths.dtype).eps)
        factor = self._unbroadcasted_scale_tril @ torch.diag_embed(lengths).masked_scatter(below, normals)
        return factor @ factor.mT

    def _any_in_batch(self, flags):
        return flags.amax(self._batch_dims) if self._batch_shape else flags

    def rsample(
        self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size(), max_try_correction=None
    ) -> torch.Tensor:
        """Draws positive definite matrices that are differentiable functions of the parameters.

        Args:
            sample_shape (torch.Size): how many draws, as a shape. Default: one, ``torch.Size([])``.
            max_try_correction (int, optional): how often singular draws are drawn again. Default: 10.

        Returns:
            Tensor: draws of shape ``sample_shape + batch_shape + (p, p)``.
        """
        tries = 10 if max_try_correction is None else max_try_correction
        sample = self._bartlett_sampling(torch.Size(sample_shape))
        # As torch does, samples the valid ones again the first time, to use the same random numbers.
        singular = self._any_in_batch(self.support.check(sample))
        if singular.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(tries):
                again = self._bartlett_sampling(singular[singular].shape)
                sample[singular] = again
                singular[singular.clone()] = self._any_in_batch(~self.support.check(again))
                if not singular.any():
                    break
        return sample

    def _log_det_scale_tril(self):
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value):
        self._check_sample(value)
        nu, p = self.df, self._event_shape[-1]
        trace = torch.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return (
            -nu * (p * _LOG_2 / 2 + self._log_det_scale_tril())
            - torch.mvlgamma(nu / 2, p=p)
            + (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet
            - trace / 2
        )

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        return (
            (p + 1) * (p * _LOG_2 / 2 + self._log_det_scale_tril())
            + torch.mvlgamma(nu / 2, p=p)
            - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p)
            + nu * p / 2
        )

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        return half * (-torch.linalg.slogdet(-2 * x).logabsdet + _LOG_2 * p) + torch.mvlgamma(half, p=p)
