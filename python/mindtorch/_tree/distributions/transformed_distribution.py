"""TransformedDistribution: the distribution of transformed samples of another one."""

from .._root import torch
from . import constraints
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of ``y = f(x)`` for x of a base distribution and invertible transforms f.

    ``log p(y) = log p(x) - log |det dy/dx|`` with ``x = f^-1(y)``. `cdf` and `icdf` need transforms
    of known `sign`. `rsample` exists where the base has it.

    Args:
        base_distribution (Distribution): distribution of x.
        transforms (Transform or list of Transform): applied in order.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when `transforms` are no transforms, or the base has too few dimensions.

    Example:
        >>> d = torch.distributions
        >>> log_normal = d.TransformedDistribution(d.Normal(0.0, 1.0), [d.ExpTransform()])
        >>> log_normal.log_prob(torch.tensor(1.0)) == d.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
        tensor(True)
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    _expanded = {}

    def __init__(
        self,
        base_distribution: torch.distributions.distribution.Distribution,
        transforms: torch.distributions.transforms.Transform | list[torch.distributions.transforms.Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(transform, Transform) for transform in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        whole = ComposeTransform(self.transforms)
        domain_dim, codomain_dim = whole.domain.event_dim, whole.codomain.event_dim
        if len(base_shape) < domain_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {domain_dim}, but got {base_shape}."
            )
        forward_shape = whole.forward_shape(base_shape)
        needed = whole.inverse_shape(forward_shape)
        if base_shape != needed:
            # The transforms' own parameters broadcast the base.
            base_distribution = base_distribution.expand(needed[: len(needed) - base_event_dim])
        extra = domain_dim - base_event_dim
        self.base_dist = Independent(base_distribution, extra) if extra > 0 else base_distribution
        event_dim = max(codomain_dim, base_event_dim + codomain_dim - domain_dim)
        if len(forward_shape) < event_dim:
            raise AssertionError(f"forward_shape length {len(forward_shape)} must be >= event_dim {event_dim}")
        cut = len(forward_shape) - event_dim
        super().__init__(forward_shape[:cut], forward_shape[cut:], validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        base_shape = ComposeTransform(self.transforms).inverse_shape(batch_shape + self.event_shape)
        new.base_dist = self.base_dist.expand(base_shape[: len(base_shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        return constraints._with_event_dim(self.transforms[-1].codomain, len(self.event_shape))

    @property
    def has_rsample(self) -> bool:
        return self.base_dist.has_rsample

    def _forward(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        self._check_sample(value)
        event_dim = len(self.event_shape)
        result = 0.0
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            term = transform.log_abs_det_jacobian(before, value)
            result = result - _sum_rightmost(term, event_dim - transform.domain.event_dim)
            value = before
        base = self.base_dist.log_prob(value)
        return result + _sum_rightmost(base, event_dim - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value):
        """Complements a probability where the transforms decrease."""
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._forward(self.base_dist.icdf(self._monotonize_cdf(value)))
