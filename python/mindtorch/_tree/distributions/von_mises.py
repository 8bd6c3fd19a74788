"""The von Mises distribution on the circle."""

import math

from .._root import torch
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, evaluate_polynomial, lazy_property

__all__ = ["VonMises"]

# Abramowitz and Stegun 9.8.1 to 9.8.4: the modified Bessel functions I0 and I1 below and above 3.75.
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1,
     -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1,
     0.1787654e-1, -0.420059e-2),
)  # fmt: skip


def _log_modified_bessel_fn(x, order=0):
    if order not in (0, 1):
        raise AssertionError(f"order must be 0 or 1, got {order}")
    small = evaluate_polynomial((x / 3.75) * (x / 3.75), _SMALL[order])
    small = (x.abs() * small if order == 1 else small).log()
    large = x - 0.5 * x.log() + evaluate_polynomial(3.75 / x, _LARGE[order]).log()
    return torch.where(x < 3.75, small, large)


def _draw_angles(concentration, r, shape):
    """Samples angles around 0, by rejection from a wrapped Cauchy distribution (Best and Fisher 1979).

    Uses random numbers in torch's order: each round samples all elements, and a later acceptance replaces an earlier
    one.
    """
    options = {"dtype": concentration.dtype, "device": concentration.device}
    angle = torch.zeros(shape, **options)
    pending = torch.ones(shape, dtype=torch.bool, device=concentration.device)
    while pending.any():
        first, second, third = torch.rand((3, *shape), **options).unbind()
        z = (math.pi * first).cos()
        cosine = (1 + r * z) / (r + z)
        c = concentration * (r - cosine)
        accepted = (c * (2 - c) - second > 0) | ((c / second).log() + 1 - c >= 0)
        angle = torch.where(accepted, (third - 0.5).sign() * cosine.acos(), angle)
        pending &= ~accepted
    return angle


class VonMises(Distribution):
    """The von Mises distribution of angles, the circular analogue of the normal.

    Density ``exp(concentration * cos(x - loc)) / (2 * pi * I0(concentration))``. Draws lie in [-pi, pi)
    (rejection, Best and Fisher 1979, in double precision). `variance` is the circular one,
    1 - I1 / I0; the Bessel functions are polynomials of Abramowitz and Stegun, 9.8.

    Args:
        loc (Tensor or float): mean angle, in radians.
        concentration (Tensor or float): concentration, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> angles = torch.distributions.VonMises(torch.tensor([0.0]), torch.tensor([4.0]))
        >>> draws = angles.sample((100,))
        >>> bool((draws.abs() <= torch.pi).all())
        True
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: torch.Tensor, concentration: torch.Tensor, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)

    def expand(self, batch_shape, _instance=None):
        return type(self)(
            self.loc.expand(batch_shape),
            self.concentration.expand(batch_shape),
            validate_args=self.__dict__.get("_validate_args"),
        )

    def log_prob(self, value):
        self._check_sample(value)
        density = self.concentration * torch.cos(value - self.loc)
        return density - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration, order=0)

    # Samples in double, because the acceptance test cancels in single precision.
    @lazy_property
    def _loc(self):
        return self.loc.to(torch.double)

    @lazy_property
    def _concentration(self):
        return self.concentration.to(torch.double)

    @lazy_property
    def _proposal_r(self):
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            angle = _draw_angles(self._concentration, self._proposal_r, self._extended_shape(sample_shape))
            return ((angle + math.pi + self._loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self) -> torch.Tensor:
        return self.loc

    @property
    def mode(self) -> torch.Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> torch.Tensor:
        log_ratio = _log_modified_bessel_fn(self.concentration, order=1) - _log_modified_bessel_fn(
            self.concentration, order=0
        )
        return 1 - log_ratio.exp()
