"""A mixture of distributions of one family."""

from .._root import torch
from . import constraints
from .categorical import Categorical
from .constraints import MixtureSameFamilyConstraint
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one family, weighted by a categorical.

    The components are the last batch dimension of one distribution: ``p(x) = sum_k w_k p_k(x)``. Mean
    and variance follow from the laws of total expectation and variance. There is no `rsample`.

    Args:
        mixture_distribution (Categorical): weights over K components.
        component_distribution (Distribution): its last batch dimension has size K.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when the types or the shapes do not fit.

    Example:
        >>> weights = torch.distributions.Categorical(torch.tensor([0.25, 0.75]))
        >>> normals = torch.distributions.Normal(torch.tensor([0.0, 4.0]), torch.tensor([1.0, 1.0]))
        >>> mixture = torch.distributions.MixtureSameFamily(weights, normals)
        >>> mixture.mean, mixture.variance
        (tensor(3.), tensor(4.))
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    has_rsample = False
    _expanded = {"_component_distribution": 1, "_mixture_distribution": 0}

    def __init__(
        self,
        mixture_distribution: torch.distributions.categorical.Categorical,
        component_distribution: torch.distributions.distribution.Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        mixture_batch = mixture_distribution.batch_shape
        batch_shape = component_distribution.batch_shape[:-1]
        for size1, size2 in zip(reversed(mixture_batch), reversed(batch_shape)):
            if size1 != 1 and size2 != 1 and size1 != size2:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_batch}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch_shape})"
                )
        count, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != components:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({components})"
            )
        self._num_component = count
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(batch_shape=batch_shape, event_shape=event_shape, validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        new._num_component, new._event_ndims = self._num_component, self._event_ndims

    @constraints.dependent_property
    def support(self):
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> torch.distributions.categorical.Categorical:
        """The categorical over the components."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> torch.distributions.distribution.Distribution:
        """The components, along the last batch dimension."""
        return self._component_distribution

    def _weighted_sum(self, values):
        probs = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return torch.sum(probs * values, dim=-1 - self._event_ndims)

    @property
    def mean(self) -> torch.Tensor:
        return self._weighted_sum(self.component_distribution.mean)

    @property
    def variance(self) -> torch.Tensor:
        within = self._weighted_sum(self.component_distribution.variance)
        between = self._weighted_sum((self.component_distribution.mean - self._pad(self.mean)).pow(2.0))
        return within + between

    def cdf(self, x):
        """Computes the weighted sum of the components' cdf.

        Args:
            x (Tensor): values in the support.

        Returns:
            Tensor: probabilities of a draw of at most `x`.
        """
        return torch.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        """Computes the log density, by a logsumexp over the components.

        Args:
            x (Tensor): values in the support.

        Returns:
            Tensor: one number per event.
        """
        self._check_sample(x)
        component = self.component_distribution.log_prob(self._pad(x))
        weight = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(component + weight, dim=-1)

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            index = chosen.reshape(chosen.shape + torch.Size([1] * (self._event_ndims + 1)))
            index = index.repeat(torch.Size([1] * (chosen.dim() + 1)) + self.event_shape)
            return torch.gather(drawn, dim, index).squeeze(dim)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x):
        own, theirs = len(self.batch_shape), len(self.mixture_distribution.batch_shape)
        extra = 0 if theirs == 1 else own - theirs
        return x.reshape(x.shape[:-1] + torch.Size(extra * [1]) + x.shape[-1:] + torch.Size(self._event_ndims * [1]))

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
