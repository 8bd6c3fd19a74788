"""How pruning modifies a module: a mask as buffer, the original as parameter, their product before each forward."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..._root import torch


class BasePruningMethod(ABC):
    """Is the base of pruning methods: a subclass sets `PRUNING_TYPE` and writes `compute_mask`.

    `PRUNING_TYPE` says what a later method sees where the parameter is pruned already:
    ``"unstructured"`` only the elements that are left, ``"structured"`` the slices that are
    left, ``"global"`` all.

    Example:
        >>> from torch.nn.utils import prune
        >>> class Negative(prune.BasePruningMethod):
        ...     PRUNING_TYPE = "unstructured"
        ...     def compute_mask(self, t, default_mask):
        ...         return default_mask * (t >= 0)
        >>> Negative().prune(torch.tensor([-1.0, 2.0]))
        tensor([-0., 2.])
    """

    _tensor_name: str

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """Computes the mask; every method writes its own.

        Args:
            t (Tensor): values, or scores in their place.
            default_mask (Tensor): the mask so far, of the same shape.

        Returns:
            Tensor: the mask, zero where `default_mask` is zero or this method prunes.
        """

    def apply_mask(self, module):
        """Returns the product of mask and original parameter of `module`."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def _combine_with_earlier_methods(cls, module, name, *args, **kwargs):
        """Returns a method for one tensor, or a container of all methods that prune it."""
        present = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(present) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
                "Use a PruningContainer."
            )
        method = cls(*args, **kwargs)
        method._tensor_name = name
        for key, before in present:
            del module._forward_pre_hooks[key]
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container.add_pruning_method(method)
            method = container
        return method

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prunes one parameter of a module; further methods add to those applied before.

        Args:
            module (Module): changed in place.
            name (str): the parameter.
            *args: arguments of the method.
            importance_scores (Tensor, optional): scores in place of the values. Default: ``None``.
            **kwargs: keyword arguments of the method.

        Returns:
            BasePruningMethod: the method, or a container of all.
        """
        method = cls._combine_with_earlier_methods(module, name, *args, **kwargs)
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {importance_scores.shape} vs {original.shape}"
            )
        first = not isinstance(method, PruningContainer)
        if first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            before = torch.ones_like(original)
        else:
            before = getattr(module, name + "_mask").detach().clone(memory_format=torch.contiguous_format)
        try:
            mask = method.compute_mask(importance_scores, default_mask=before)
            module.register_buffer(name + "_mask", mask)
            # The masked tensor is a plain attribute, because the Parameter is registered as the unpruned original.
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """Returns a pruned copy of a tensor.

        Args:
            t (Tensor): the tensor.
            default_mask (Tensor, optional): a mask to begin with. Default: ``None``, ones.
            importance_scores (Tensor, optional): scores in place of the values. Default: ``None``.

        Returns:
            Tensor: `t` times the mask.
        """
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        default_mask = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module) -> None:
        """Replaces the mask and the original of `module` by a plain parameter with the pruned values."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = pruned.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Holds the methods that prune one parameter; the last one prunes what the others left.

    Args:
        *args: methods for the same parameter.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = prune.random_unstructured(nn.Linear(2, 3), "weight", amount=1)
        >>> layer = prune.l1_unstructured(layer, "weight", amount=1)
        >>> hook = next(iter(layer._forward_pre_hooks.values()))
        >>> type(hook).__name__, len(hook), layer.weight_mask.sum()
        ('PruningContainer', 2, tensor(4.))
    """

    def __init__(self, *args) -> None:
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method) -> None:
        """Adds `method`, which must prune the same parameter; otherwise TypeError or ValueError."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on "
                f"the parameter named '{self._tensor_name}' to PruningContainer {self}."
                f" Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    @staticmethod
    def _index_unpruned(method, t, mask):
        """Returns an index of the elements that earlier methods left for this one."""
        if method.PRUNING_TYPE == "unstructured":
            return mask == 1
        every = [slice(None)] * t.dim()
        if method.PRUNING_TYPE == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
                )
            rank = t.dim()
            dim = method.dim + rank if method.dim < 0 else method.dim
            if dim < 0:
                raise IndexError(f"Index is out of bounds for tensor with dimensions {rank}")
            # A channel counts as pruned if none of its elements is left.
            every[dim] = mask.sum(dim=[d for d in range(rank) if d != dim]) != 0
        elif method.PRUNING_TYPE != "global":
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        return tuple(every)

    def compute_mask(self, t, default_mask):
        """Computes the mask of the last method on top of the mask so far.

        Args:
            t (Tensor): values or scores.
            default_mask (Tensor): the mask so far.

        Returns:
            Tensor: the mask of all.
        """
        method = self._pruning_methods[-1]
        combined = default_mask.to(dtype=t.dtype)
        left = self._index_unpruned(method, t, default_mask)
        partial = method.compute_mask(t[left], default_mask=default_mask[left])
        combined[left] = partial.to(dtype=combined.dtype)
        return combined
