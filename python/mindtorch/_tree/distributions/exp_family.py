"""Exponential families: derives the entropy from the log normalizer by differentiation."""

import functools

from .._root import torch
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Base class of distributions whose density has the form of an exponential family.

    ``p(x) = exp(t . s(x) - F(t) + k(x))`` with natural parameters t, statistics s, log normaliser F
    and carrier measure k. From F alone come the entropy (its gradient is the expected statistics) and
    the KL divergence of two members, a Bregman divergence (Nielsen and Nock 2010).

    A subclass defines `_natural_params`, `_log_normalizer` and `_mean_carrier_measure`.

    Args:
        batch_shape (torch.Size): shape of the batch. Default: ``torch.Size([])``.
        event_shape (torch.Size): shape of one event. Default: ``torch.Size([])``.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Example:
        >>> poisson = torch.distributions.Poisson(torch.tensor([1.0]))
        >>> isinstance(poisson, torch.distributions.ExponentialFamily)
        True
    """

    @property
    def _natural_params(self) -> "tuple[torch.Tensor, ...]":
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self):
        """Computed from the log normaliser's Bregman divergence."""
        leaves = [param.detach().requires_grad_() for param in self._natural_params]
        normalizer = self._log_normalizer(*leaves)
        statistics = torch.autograd.grad(normalizer.sum(), leaves, create_graph=True)  # their expectations
        products = map(torch.mul, leaves, statistics)
        inner = (torch.sum(product.reshape(*self._batch_shape, -1), dim=-1) for product in products)
        return functools.reduce(torch.sub, inner, normalizer - self._mean_carrier_measure)
