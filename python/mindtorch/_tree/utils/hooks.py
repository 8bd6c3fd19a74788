"""Removable hook handles, and the implementation of nn.Module's full backward hooks."""

import warnings
import weakref
from collections import OrderedDict
from typing import Any

from .._root import torch

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks", "BackwardHook"]


class RemovableHandle:
    """Takes a hook back; what functions that register hooks return. Also a context that does so at its end.

    Args:
        hooks_dict (dict): the hooks, held weakly.
        extra_dict (dict or list of dict, optional): others that know the hook by the same number.

    Example:
        >>> x = torch.ones(1, requires_grad=True)
        >>> with x.register_hook(lambda grad: grad * 10):
        ...     (2 * x).backward()
        >>> x.grad
        tensor([20.])
    """

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id, RemovableHandle.next_id = RemovableHandle.next_id, RemovableHandle.next_id + 1
        extras = [extra_dict] if isinstance(extra_dict, dict) else extra_dict if isinstance(extra_dict, list) else []
        self.extra_dict_ref: tuple = tuple(weakref.ref(extra) for extra in extras)

    def remove(self) -> None:
        """Removes the hook; may be called again."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self):
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state) -> None:
        hooks = OrderedDict() if state[0] is None else state[0]
        self.hooks_dict_ref = weakref.ref(hooks)
        self.id = state[1]
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        extras = state[2] if len(state) > 2 and state[2] is not None else ()
        self.extra_dict_ref = tuple(weakref.ref(extra) for extra in extras)

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, type: Any, value: Any, tb: Any) -> None:
        self.remove()


def unserializable_hook(f):
    """Marks a hook whose loss on saving needs no warning.

    Args:
        f (callable): the hook.

    Returns:
        callable: `f`.

    Example:
        >>> @torch.utils.hooks.unserializable_hook
        ... def hook(grad):
        ...     return grad
    """
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor) -> None:
    """Warns of backward hooks of a tensor that will not be saved.

    Args:
        tensor (Tensor): the tensor.

    Example:
        >>> torch.utils.hooks.warn_if_has_hooks(torch.ones(1))
    """
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {repr(hook)} on tensor will not be serialized.  If this is expected, you can decorate "
                "the function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )


class BackwardHook:
    """Runs a module's full backward hooks, from nodes around its inputs and outputs.

    Args:
        module (Module): the module.
        user_hooks (list of callable): called with gradients of inputs and outputs.
        user_pre_hooks (list of callable): called with gradients of outputs, before.

    Example:
        >>> hook = torch.utils.hooks.BackwardHook(nn.ReLU(), [], [])
        >>> hook.setup_input_hook((torch.ones(1),))
        (tensor([1.]),)
    """

    def __init__(self, module, user_hooks, user_pre_hooks) -> None:
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        # The numbers of the module's inputs and outputs, and which of them are tensors in the graph; set when the
        # module runs.
        self.n_inputs = self.n_outputs = -1
        self.input_tensors_index = self.output_tensors_index = None
        self.grad_outputs = None

    def _pack_with_none(self, indices, values, size):
        packed = [None] * size
        for index, value in zip(indices, values, strict=True):
            packed[index] = value
        return tuple(packed)

    def _unpack_none(self, indices, values):
        return tuple(values[index] for index in indices)

    def _on_input_grads(self, grad_input, _):
        # The hook of the outputs has not run, so this backward pass did not go through the whole module: only its
        # inputs got gradients.
        if self.grad_outputs is None:
            return None
        grads = self._pack_with_none(self.input_tensors_index, grad_input, self.n_inputs)
        grads = self._run_user_hooks("hook", "grad_input", self.user_hooks, grads, self.grad_outputs)
        self.grad_outputs = None
        return self._unpack_none(self.input_tensors_index, grads)

    def _run_user_hooks(self, kind, what, hooks, grads, *others):
        """Calls hooks in order with the gradients; each may return replacements."""
        for hook in hooks:
            replaced = hook(self.module, grads, *others)
            given, expected = len(grads if replaced is None else replaced), len(grads)
            if given != expected:
                raise RuntimeError(
                    f"Backward {kind} returned an invalid number of {what}, got {given}, but expected {expected}"
                )
            grads = grads if replaced is None else replaced
        return grads

    def _run_hooks_without_input_grads(self):
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook"
            " for more details.",
            stacklevel=6,
        )
        no_grads = self._pack_with_none([], [], self.n_inputs)
        for hook in self.user_hooks:
            result = hook(self.module, no_grads, self.grad_outputs)
            if result is not None and not (isinstance(result, tuple) and all(entry is None for entry in result)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None "
                    "for all gradients."
                )
        self.grad_outputs = None

    def _on_output_grads(self, _, grad_output):
        self.grad_outputs = self._pack_with_none(self.output_tensors_index, grad_output, self.n_outputs)
        self.grad_outputs = self._run_user_hooks("pre hook", "grad_output", self.user_pre_hooks, self.grad_outputs)
        grads = self.grad_outputs
        if self.input_tensors_index is None:
            self._run_hooks_without_input_grads()
        if grads is None:
            return None
        if self.output_tensors_index is None:
            raise AssertionError("output_tensors_index should not be None when grad_outputs is not None")
        return tuple(grads[index] for index in self.output_tensors_index)

    def _apply_on_tensors(self, fn, args):
        indices = [index for index, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        tensors = [args[index] for index in indices]
        if not (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)):
            return args, None
        wrapped = torch.nn.modules._functions.BackwardHookFunction.apply(*tensors)
        if len(wrapped) == 0:
            raise RuntimeError("Cannot set Module backward hook for a Module with no input Tensors.")
        nodes = [
            tensor.grad_fn
            for tensor in wrapped
            if tensor.grad_fn is not None and tensor.grad_fn.name() == "BackwardHookFunctionBackward"
        ]
        if not nodes:
            raise RuntimeError(
                "Error while setting up backward hooks. Please open an issue with a code sample to reproduce this."
            )
        fn(nodes[0])
        replaced = list(args)
        for index, tensor in zip(indices, wrapped, strict=True):
            replaced[index] = tensor
        out = tuple(replaced) if type(args) is tuple else type(args)(*replaced)
        return out, indices

    def setup_input_hook(self, args):
        """Puts a node around the inputs.

        Args:
            args (tuple): the inputs.

        Returns:
            tuple: the inputs to use.
        """
        result, indices = self._apply_on_tensors(lambda node: node.register_hook(self._on_input_grads), args)
        self.n_inputs = len(args)
        self.input_tensors_index = indices
        return result

    def setup_output_hook(self, args):
        """Puts a node around the outputs.

        Args:
            args (Tensor or tuple): the outputs.

        Returns:
            Tensor or tuple: the outputs to use.
        """
        alone = not isinstance(args, tuple)
        if alone:
            args = (args,)
        result, indices = self._apply_on_tensors(lambda node: node.register_hook(self._on_output_grads), args)
        self.n_outputs = len(args)
        self.output_tensors_index = indices
        return result[0] if alone else result
