"""biject_to and transform_to: registries of transforms from the reals to a constrained region."""

import functools

from ..types import _Number
from . import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Finds a transform from unconstrained tensors to those that satisfy a constraint.

    There are two registries. ``biject_to(constraint)`` gives a bijective transform with a Jacobian, for
    densities; ``transform_to(constraint)`` gives one that need not be bijective but suits optimisation
    (for a simplex a softmax instead of stick breaking). Both are called with a constraint.

    Args:
        constraint (Constraint): when called, the region to reach.

    Returns:
        Transform: when called, a transform onto that region.

    Raises:
        NotImplementedError: when called with a constraint of unknown type.

    Example:
        >>> positive = torch.distributions.constraints.positive
        >>> torch.distributions.transform_to(positive)(torch.tensor([0.0]))
        tensor([1.])
        >>> torch.distributions.biject_to(positive).inv(torch.tensor([1.0]))
        tensor([0.])
    """

    def __init__(self):
        self._registry = {}
        super().__init__()

    def register(self, constraint, factory=None):
        """Registers a function that makes the transform for a type of constraint.

        Args:
            constraint (type or Constraint): the constraint's class, or an object of it.
            factory (callable, optional): from a constraint to a `Transform`. Without one the result is a
                decorator.

        Returns:
            callable: the factory, or a decorator.

        Raises:
            TypeError: when `constraint` is no constraint.
        """
        if factory is None:
            return functools.partial(self.register, constraint)
        kind = constraint if isinstance(constraint, type) else type(constraint)
        if issubclass(kind, constraints.Constraint):
            self._registry[kind] = factory
            return factory
        raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")

    def __call__(self, constraint):
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _register_in(registries, *known):
    def decorate(factory):
        for registry in registries:
            for constraint in known:
                registry.register(constraint, factory)
        return factory

    return decorate


_BOTH = (biject_to, transform_to)


@_register_in(_BOTH, constraints.real)
def _to_real(constraint):
    return transforms.identity_transform


for _registry in _BOTH:

    def _to_independent(constraint, registry=_registry):
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    def _to_cat(constraint, registry=_registry):
        parts = [registry(part) for part in constraint.cseq]
        return transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    def _to_stack(constraint, registry=_registry):
        return transforms.StackTransform([registry(part) for part in constraint.cseq], constraint.dim)

    _registry.register(constraints.independent, _to_independent)
    _registry.register(constraints.cat, _to_cat)
    _registry.register(constraints.stack, _to_stack)


def _to_half_line(bound, sign):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(bound, sign)])


@_register_in(_BOTH, constraints.greater_than, constraints.greater_than_eq)
def _to_greater_than(constraint):
    return _to_half_line(constraint.lower_bound, 1)


@_register_in(_BOTH, constraints.less_than)
def _to_less_than(constraint):
    return _to_half_line(constraint.upper_bound, -1)


def _is_number(value, number) -> bool:
    return isinstance(value, _Number) and value == number


@_register_in(_BOTH, constraints.interval, constraints.half_open_interval)
def _to_interval(constraint):
    if _is_number(constraint.lower_bound, 0) and _is_number(constraint.upper_bound, 1):
        return transforms.SigmoidTransform()
    scale = constraint.upper_bound - constraint.lower_bound
    return transforms.ComposeTransform(
        [transforms.SigmoidTransform(), transforms.AffineTransform(constraint.lower_bound, scale)]
    )


@_register_in((biject_to,), constraints.simplex)
def _biject_to_simplex(constraint):
    return transforms.StickBreakingTransform()


@_register_in((transform_to,), constraints.simplex)
def _transform_to_simplex(constraint):
    return transforms.SoftmaxTransform()


@_register_in((transform_to,), constraints.lower_cholesky)
def _transform_to_lower_cholesky(constraint):
    return transforms.LowerCholeskyTransform()


@_register_in((transform_to,), constraints.positive_definite, constraints.positive_semidefinite)
def _transform_to_positive_definite(constraint):
    return transforms.PositiveDefiniteTransform()


@_register_in(_BOTH, constraints.corr_cholesky)
def _to_corr_cholesky(constraint):
    return transforms.CorrCholeskyTransform()
