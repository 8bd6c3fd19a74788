"""Spectral normalisation by a forward hook: the form before parametrizations."""

from ..._root import torch
from .. import functional as F
from ..parameter import Parameter, UninitializedParameter
from .parametrizations import _default_dim

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "spectral_norm",
    "remove_spectral_norm",
]


class SpectralNorm:
    """Divides a weight by its largest singular value before each forward."""

    _version = 1  # 1 saves v and no longer the normalised weight

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight):
        """The weight with `dim` first and all else flattened."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module, do_power_iteration):
        """The normalised weight; power iterations move u and v in place."""
        weight = getattr(module, self.name + "_orig")
        u = getattr(module, self.name + "_u")
        v = getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    v = F.normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(torch.mv(matrix, v), dim=0, eps=self.eps, out=u)
                # Copies, since the next iteration writes what this graph would hold.
                u = u.clone(memory_format=torch.contiguous_format)
                v = v.clone(memory_format=torch.contiguous_format)
        return weight / torch.dot(u, torch.mv(matrix, v))

    def remove(self, module):
        """Makes the weight a parameter again."""
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, weight_mat, u, target_sigma):
        """A v such that u = normalize(W v) and u^T W v is the target."""
        gram_inverse = weight_mat.t().mm(weight_mat).pinverse()
        v = torch.linalg.multi_dot([gram_inverse, weight_mat.t(), u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / torch.dot(u, torch.mv(weight_mat, v)))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        """Hooks a module."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        fn = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. "
                "Make sure to run the dummy forward before applying spectral normalization"
            )
        with torch.no_grad():
            height, width = fn.reshape_weight_to_matrix(weight).size()
            u = F.normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=fn.eps)
            v = F.normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=fn.eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        # A plain tensor, since a parameter cannot be replaced by the hook.
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(fn)
        module._register_state_dict_hook(SpectralNormStateDictHook(fn))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(fn))
        return fn


class SpectralNormLoadStateDictPreHook:
    """Reads state without v."""

    def __init__(self, fn):
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
    """Notes the version in the metadata."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, module, state_dict, prefix, local_metadata):
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divides a weight by its largest singular value (Miyato et al. 2018)."""
    dim = _default_dim(module) if dim is None else dim
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def _drop(hooks, matches):
    """Removes the first hook that matches; whether there was one."""
    for key, hook in hooks.items():
        if matches(hook):
            del hooks[key]
            return hook
    return None


def remove_spectral_norm(module, name="weight"):
    """Undoes `spectral_norm`."""
    fn = _drop(module._forward_pre_hooks, lambda h: isinstance(h, SpectralNorm) and h.name == name)
    if fn is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    fn.remove(module)
    _drop(module._state_dict_hooks, lambda h: isinstance(h, SpectralNormStateDictHook) and h.fn.name == name)
    _drop(
        module._load_state_dict_pre_hooks,
        lambda h: (
            isinstance(getattr(h, "hook", h), SpectralNormLoadStateDictPreHook)
            and getattr(h, "hook", h).fn.name == name
        ),
    )
    return module
