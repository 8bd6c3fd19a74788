"""Exponential families: entropy from the log normalizer, by differentiation."""

from .._root import torch
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Density exp(natural parameters . statistics - log normalizer + carrier measure)."""

    @property
    def _natural_params(self) -> "tuple[torch.Tensor, ...]":
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self):
        """By the log normaliser's Bregman divergence."""
        params = [param.detach().requires_grad_() for param in self._natural_params]
        normalizer = self._log_normalizer(*params)
        # Their gradients are the expected statistics.
        expected = torch.autograd.grad(normalizer.sum(), params, create_graph=True)
        result = -self._mean_carrier_measure + normalizer
        for param, statistic in zip(params, expected):
            result = result - (param * statistic).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
