"""Spectral normalisation by a forward hook: the form that precedes parametrizations."""

from __future__ import annotations

from ..._root import torch
from .. import functional as F
from ..parameter import Parameter
from ._weight_hook import check_initialized, check_no_second_norm_hook, pop_first_hook
from .parametrizations import _default_dim, sample_unit_vector, run_power_iteration

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "spectral_norm",
    "remove_spectral_norm",
]


class SpectralNorm:
    """Is the forward pre-hook of `spectral_norm`.

    Args:
        name (str): the parameter. Default: ``"weight"``.
        n_power_iterations (int): steps at each forward in training mode, above zero. Default:
            ``1``.
        dim (int): the dimension of outputs. Default: ``0``.
        eps (float): smallest norm that is divided by. Default: ``1e-12``.

    Example:
        >>> from torch.nn.utils.spectral_norm import SpectralNorm
        >>> SpectralNorm(dim=1).reshape_weight_to_matrix(torch.ones(2, 3, 4)).shape
        torch.Size([3, 8])
    """

    _version = 1  # 1 saves v and no longer the normalised weight

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: torch.Tensor) -> torch.Tensor:
        """Returns `weight` as a matrix: the dimension of outputs first, all others flattened."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: torch.nn.Module, do_power_iteration: bool) -> torch.Tensor:
        """Computes the normalised weight.

        Args:
            module (Module): holds the trained tensor and the vectors, which move in place.
            do_power_iteration (bool): whether they move.

        Returns:
            Tensor: the weight.
        """
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with torch.no_grad():
                run_power_iteration(((matrix.t(), u, v), (matrix, v, u)), self.n_power_iterations, self.eps)
                # Copies, because the next iteration writes buffers that this graph would reference.
                u, v = u.clone(), v.clone()
        return weight / torch.dot(u, matrix.mv(v))

    def remove(self, module: torch.nn.Module) -> None:
        """Replaces the hook of `module` by a plain parameter with its normalised value."""
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, weight_mat, u, target_sigma):
        """Returns a v such that u = normalize(W v) and u^T W v is the target."""
        gram_inverse = weight_mat.t().mm(weight_mat).pinverse()
        v = torch.linalg.multi_dot([gram_inverse, weight_mat.t(), u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / torch.dot(u, torch.mv(weight_mat, v)))

    @staticmethod
    def apply(module: torch.nn.Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Puts a hook on a module.

        Args:
            module (Module): the module.
            name (str): the parameter.
            n_power_iterations (int): steps at each forward.
            dim (int): the dimension of outputs.
            eps (float): smallest norm that is divided by.

        Returns:
            SpectralNorm: the hook.
        """
        check_no_second_norm_hook(module, SpectralNorm, name, "spectral")
        fn = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        check_initialized(weight, SpectralNorm, "spectral")
        with torch.no_grad():
            sizes = fn.reshape_weight_to_matrix(weight).shape
            vectors = [sample_unit_vector(weight, size, eps) for size in sizes]
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        # A plain tensor, because the hook cannot replace a parameter.
        setattr(module, name, weight.data)
        for suffix, vector in zip("uv", vectors):
            module.register_buffer(f"{name}_{suffix}", vector)
        module.register_forward_pre_hook(fn)
        module._register_state_dict_hook(SpectralNormStateDictHook(fn))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(fn))
        return fn


class SpectralNormLoadStateDictPreHook:
    """Computes the vector `v` where a state_dict of an old version lacks it.

    Args:
        fn (SpectralNorm): the hook whose state it is.

    Example:
        >>> from torch.nn.utils.spectral_norm import SpectralNorm, SpectralNormLoadStateDictPreHook
        >>> SpectralNormLoadStateDictPreHook(SpectralNorm()).fn.name
        'weight'
    """

    def __init__(self, fn) -> None:
        self.fn = fn

    def __call__(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        fn = self.fn
        version = local_metadata.get("spectral_norm", {}).get(fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + fn.name
        if version is None and key not in state_dict and all(key + s in state_dict for s in ("_orig", "_u", "_v")):
            return  # new state whose metadata was lost
        missing = [key + s for s in ("_orig", "", "_u") if key + s not in state_dict]
        if missing:
            if strict:
                missing_keys.extend(missing)
            return
        with torch.no_grad():
            original = state_dict[key + "_orig"]
            sigma = (original / state_dict.pop(key)).mean()
            matrix = fn.reshape_weight_to_matrix(original)
            state_dict[key + "_v"] = fn._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """Notes the version of the saved state in the metadata of a state_dict.

    Args:
        fn (SpectralNorm): the hook whose state it is.

    Example:
        >>> layer = nn.utils.spectral_norm(nn.Linear(2, 3))
        >>> layer.state_dict()._metadata[""]["spectral_norm"]
        {'weight.version': 1}
    """

    def __init__(self, fn) -> None:
        self.fn = fn

    def __call__(self, module, state_dict, prefix, local_metadata):
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: torch.nn.Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> torch.nn.Module:
    """Divides a weight by its largest singular value before each forward (Miyato et al. 2018).

    The older form of `parametrizations.spectral_norm`: the trained tensor is ``<name>_orig``,
    the vectors of the power iteration are the buffers ``<name>_u`` and ``<name>_v``.

    Args:
        module (Module): changed in place.
        name (str): the parameter. Default: ``"weight"``.
        n_power_iterations (int): steps at each forward in training mode, above zero. Default:
            ``1``.
        eps (float): smallest norm that is divided by. Default: ``1e-12``.
        dim (int, optional): the dimension of outputs; all others are flattened. Default:
            ``None``, 1 for transposed convolutions, else 0.

    Returns:
        Module: `module`.

    Raises:
        RuntimeError: when the parameter is normalised already.

    Example:
        >>> layer = nn.utils.spectral_norm(nn.Linear(4, 6))
        >>> layer.weight_orig.shape, layer.weight_u.shape, layer.weight_v.shape
        (torch.Size([6, 4]), torch.Size([6]), torch.Size([4]))
    """
    dim = _default_dim(module) if dim is None else dim
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: torch.nn.Module, name: str = "weight") -> torch.nn.Module:
    """Undoes `spectral_norm`: the parameter is plain again and keeps its normalised value.

    Args:
        module (Module): changed in place.
        name (str): the parameter. Default: ``"weight"``.

    Returns:
        Module: `module`.

    Raises:
        ValueError: when it was not applied.

    Example:
        >>> layer = nn.utils.spectral_norm(nn.Linear(2, 3))
        >>> sorted(name for name, _ in nn.utils.remove_spectral_norm(layer).named_parameters())
        ['bias', 'weight']
    """
    fn = pop_first_hook(module._forward_pre_hooks, lambda h: isinstance(h, SpectralNorm) and h.name == name)
    if fn is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    fn.remove(module)
    pop_first_hook(module._state_dict_hooks, lambda h: isinstance(h, SpectralNormStateDictHook) and h.fn.name == name)
    pop_first_hook(
        module._load_state_dict_pre_hooks,
        lambda h: (
            isinstance(getattr(h, "hook", h), SpectralNormLoadStateDictPreHook)
            and getattr(h, "hook", h).fn.name == name
        ),
    )
    return module
