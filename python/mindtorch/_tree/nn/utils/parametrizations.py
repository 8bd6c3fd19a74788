"""Ready-made parametrizations: orthogonal, weight norm, spectral norm."""

from __future__ import annotations

from enum import Enum, auto

from ..._root import torch
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from . import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _is_orthogonal(Q, eps=None):
    n, k = Q.size(-2), Q.size(-1)
    identity = torch.eye(k, dtype=Q.dtype, device=Q.device)
    tolerance = 10.0 * n * torch.finfo(Q.dtype).eps  # a good size for rounding errors
    return torch.allclose(Q.mH @ Q, identity, atol=tolerance)


def _make_orthogonal(A):
    """Returns A's factor Q with the signs that make R's diagonal positive, which is unique."""
    reflectors, scales = torch.geqrf(A)
    signs = torch.linalg.diagonal(reflectors).sgn()
    return torch.linalg.householder_product(reflectors, scales).mul_(signs[..., None, :])


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _transpose_if_wide(X):
    """Returns X or its transpose with at least as many rows as columns, and whether it was transposed."""
    wide = X.size(-2) < X.size(-1)
    return (X.mT if wide else X), wide


def _multiply_reflections(X):
    """Returns the product of the Householder reflections whose vectors are below X's diagonal, which contains signs."""
    vectors, signs = X.tril(-1), torch.linalg.diagonal(X).int()
    scales = 2.0 / ((vectors * vectors).sum(-2) + 1.0)
    return torch.linalg.householder_product(vectors, scales) * signs[..., None, :]


def _make_skew(X):
    """Returns the skew-Hermitian matrix with X's lower triangle, with as many columns as X has rows."""
    lower, missing = X.tril(), X.size(-2) - X.size(-1)
    if missing:
        lower = F.pad(lower, (0, missing))
    return lower - lower.mH


def _map_by_cayley(A):
    """Returns (I - A / 2)^-1 (I + A / 2), which is orthogonal for skew-symmetric A."""
    identity = torch.eye(A.size(-1), dtype=A.dtype, device=A.device)
    return torch.linalg.solve(identity.sub(A, alpha=0.5), identity.add(A, alpha=0.5))


class _Orthogonal(Module):
    def __init__(
        self, weight, orthogonal_map: torch.nn.utils.parametrizations._OrthMaps, *, use_trivialization=True
    ) -> None:
        super().__init__()
        # Products of Householder reflections do not cover all complex unitary matrices.
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        tall, was_wide = _transpose_if_wide(X)
        if self.orthogonal_map == _OrthMaps.householder:
            basis = _multiply_reflections(tall)
        else:
            of_skew = _map_by_cayley if self.orthogonal_map == _OrthMaps.cayley else torch.matrix_exp
            basis = of_skew(_make_skew(tall))[..., : tall.size(-1)]
        if hasattr(self, "base"):
            basis = self.base @ basis
        return basis.mT if was_wide else basis

    def right_inverse(self, Q: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return self._right_inverse(Q)

    def _right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        given = Q
        Q, transposed = _transpose_if_wide(Q)
        n, k = Q.size(-2), Q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map in (_OrthMaps.cayley, _OrthMaps.matrix_exp):
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential "
                    "or the Cayley parametrizations when use_trivialization=False."
                )
            A, tau = torch.geqrf(Q)
            diagonal = A.diagonal(dim1=-2, dim2=-1)
            diagonal.sign_()
            diagonal[tau == 0.0] *= -1  # the identity in place of a reflection
            return A.mT if transposed else A
        # The given matrix becomes the base, which the orthogonal map multiplies; the map starts at the identity.
        if n == k:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        else:
            filler = torch.randn(*(Q.size()[:-2] + (n, n - k)), dtype=Q.dtype, device=Q.device)
            Q = _make_orthogonal(torch.cat([Q, filler], dim=-1))
        self.base = Q
        start = torch.zeros_like(given)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def _tensor_named(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def orthogonal(
    module: torch.nn.Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> torch.nn.Module:
    """Keeps a matrix orthogonal: parametrizes it such that its shorter side is orthonormal.

    Complex matrices stay unitary; of more dimensions the last two count. With
    `use_trivialization` the map starts at the present matrix, made orthogonal, as its base
    (Lezcano-Casado 2019).

    Args:
        module (Module): changed in place.
        name (str): the parameter. Default: ``"weight"``.
        orthogonal_map (str, optional): ``"matrix_exp"``, ``"cayley"`` or ``"householder"``.
            Default: ``None``, the first for square and complex matrices, else the last.
        use_trivialization (bool): whether there is a base; needed to assign to the tensor for
            the first two maps. Default: ``True``.

    Returns:
        Module: `module`.

    Raises:
        ValueError: for an unknown map, a tensor of fewer than two dimensions, or no such tensor.

    Example:
        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(6, 9))
        >>> torch.allclose(layer.weight.T @ layer.weight, torch.eye(6), atol=1e-5)
        True
    """
    weight = _tensor_named(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, parametrization, unsafe=True)
    return module


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return torch._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return torch.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: torch.nn.Module, name: str = "weight", dim: int = 0):
    """Splits a weight into a length and a direction, which are trained: ``w = g * v / ||v||``.

    Salimans and Kingma 2016, eq. 2. They are ``parametrizations.<name>.original0`` and
    ``original1``. A state_dict of the older `torch.nn.utils.weight_norm` can be loaded.

    Args:
        module (Module): changed in place.
        name (str): the parameter. Default: ``"weight"``.
        dim (int or None): the dimension with a length for each index; ``None`` is one length
            for all. Default: ``0``.

    Returns:
        Module: `module`.

    Example:
        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(4, 6))
        >>> layer.parametrizations.weight.original0.shape, layer.weight.shape
        (torch.Size([6, 1]), torch.Size([6, 4]))
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename_old_weight_norm_keys(state_dict, prefix, *_):
        """State saved with torch.nn.utils.weight_norm."""
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename_old_weight_norm_keys)
    return module


def sample_unit_vector(like, size, eps):
    """Returns a random vector of length 1."""
    return F.normalize(like.new_empty(size).normal_(0, 1), dim=0, eps=eps)


def run_power_iteration(sides, steps, eps):
    """Runs a power iteration: each step sets target to the direction of matrix @ source, for (matrix, source, target).

    Works in place, because replicas of DataParallel share the vectors.
    """
    for _ in range(steps):
        for matrix, source, target in sides:
            F.normalize(matrix.mv(source), dim=0, eps=eps, out=target)


class _SpectralNorm(Module):
    def __init__(self, weight: torch.Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % rank, eps
        if rank == 1:  # the norm of a vector needs no iteration
            return
        self.n_power_iterations = n_power_iterations
        matrix = self._reshape_weight_to_matrix(weight)
        for name, size in zip(("_u", "_v"), matrix.shape):
            self.register_buffer(name, sample_unit_vector(matrix, size, eps))
        self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight):
        if weight.ndim < 2:
            raise AssertionError(f"Expected weight to have more than 1 dimension, got {weight.ndim}")
        return (weight.movedim(self.dim, 0) if self.dim else weight).flatten(1)

    def _power_method(self, weight_mat, n_power_iterations):
        if weight_mat.ndim <= 1:
            raise AssertionError(f"Expected weight_mat to have more than 1 dimension, got {weight_mat.ndim}")
        with torch.no_grad():
            sides = ((weight_mat, self._v, self._u), (weight_mat.H, self._u, self._v))
            run_power_iteration(sides, n_power_iterations, self.eps)

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return (
            F.normalize(weight, dim=0, eps=self.eps)
            if weight.ndim == 1
            else weight / self._largest_singular_value(weight)
        )

    def _largest_singular_value(self, weight):
        """Returns the largest singular value, from the vectors of the power iteration."""
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Copies, because the next iteration writes the buffers that this graph would reference.
        left, right = self._u.clone(), self._v.clone()
        return torch.vdot(left, matrix.mv(right))

    def right_inverse(self, value: torch.Tensor) -> torch.Tensor:
        return value  # any weight is a valid original


def _default_dim(module):
    """Returns the dimension of a layer's output channels."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def spectral_norm(
    module: torch.nn.Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> torch.nn.Module:
    """Divides a weight by its largest singular value: ``w / sigma(w)`` (Miyato et al. 2018).

    `sigma` is approximated by power iteration, `n_power_iterations` steps at each access in
    training mode, none in evaluation mode. A vector is divided by its norm.

    Args:
        module (Module): changed in place.
        name (str): the parameter. Default: ``"weight"``.
        n_power_iterations (int): steps, above zero. Default: ``1``.
        eps (float): smallest norm that is divided by. Default: ``1e-12``.
        dim (int, optional): the dimension of outputs; all others are flattened. Default:
            ``None``, 1 for transposed convolutions, else 0.

    Returns:
        Module: `module`.

    Raises:
        ValueError: when there is no such tensor or `n_power_iterations` is not positive.

    Example:
        >>> layer = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 6), n_power_iterations=50)
        >>> round(torch.linalg.matrix_norm(layer.weight, 2).item(), 2)
        1.0
    """
    weight = _tensor_named(module, name)
    dim = _default_dim(module) if dim is None else dim
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
