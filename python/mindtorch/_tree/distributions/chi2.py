"""The chi-squared distribution."""

from .._root import torch
from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution: the sum of `df` squared standard normals.

    It is Gamma(df / 2, 1 / 2): mean df, variance 2 * df, support x >= 0.

    Args:
        df (Tensor or float): degrees of freedom, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> chi2 = torch.distributions.Chi2(torch.tensor([3.0]))
        >>> chi2.mean, chi2.variance
        (tensor([3.]), tensor([6.]))
    """

    arg_constraints = {"df": constraints.positive}
    _expanded = Gamma._expanded

    def __init__(self, df: torch.Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> torch.Tensor:
        return self.concentration * 2
