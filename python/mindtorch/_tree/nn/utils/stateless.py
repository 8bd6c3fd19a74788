"""Calls a module with other parameters and buffers than its own."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

from ..._root import torch
from ._named_member_accessor import NamedMemberAccessor

__all__ = ["functional_call"]


def _untie_named_tensors_map(module, parameters_and_buffers):
    """Extends `parameters_and_buffers` to all names of a tied tensor if one of them is given."""
    names_of = {}
    for named in (module.named_parameters, module.named_buffers):
        for name, tensor in named(remove_duplicate=False):
            names_of.setdefault(tensor, set()).add(name)
    given = set(parameters_and_buffers)
    untied = dict(parameters_and_buffers)
    for tied in names_of.values():
        named_here = tied & given
        if len(tied) < 2 or not named_here:
            continue
        if len(named_here) > 1 and len({parameters_and_buffers.get(name) for name in tied}) != 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, "
                "which are tied. Consider using tie_weights=False"
            )
        value = parameters_and_buffers[next(iter(named_here))]
        untied.update(dict.fromkeys(tied, value))
    return untied


@contextlib.contextmanager
def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False, stack_weights=False):
    """Inside, the module has the given tensors; in-place changes are copied to the dictionary."""
    tensors = parameters_and_buffers
    if tie_weights:
        tensors = _untie_named_tensors_map(module, parameters_and_buffers)
    accessor = NamedMemberAccessor(module)
    if strict:
        missing, unexpected = accessor.check_keys(tensors)
        problems = []
        if unexpected:
            problems.append(f"Unexpected key(s): {', '.join(map(repr, unexpected))}.")
        if missing:
            problems.append(f"Missing key(s): {', '.join(map(repr, missing))}.")
        if problems:
            lines = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{lines}")
    own = {}
    try:
        own, _ = accessor.swap_tensors_dict(tensors, allow_missing=True)
        yield
    finally:
        if stack_weights:  # undoes several swaps in reverse order
            own = dict(reversed(own.items()))
        used, _ = accessor.swap_tensors_dict(own, allow_missing=True)
        parameters_and_buffers.update({key: used[key] for key in parameters_and_buffers if key in used})


def functional_call(
    module: torch.nn.Module,
    parameters_and_buffers: dict[str, torch.Tensor],
    args: Any | tuple | None = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
):
    """Is the deprecated name of `torch.func.functional_call`: calls a module with other tensors than its own.

    Args:
        module (Module): the module.
        parameters_and_buffers (dict of str to Tensor): replacements of its tensors, by dotted name.
        args (tuple or object, optional): arguments of the call. Default: ``None``, none.
        kwargs (dict, optional): keyword arguments of the call. Default: ``None``.
        tie_weights (bool): whether tensors that are shared under several names change together.
            Default: ``True``.
        strict (bool): whether the names have to be exactly the module's. Default: ``False``.

    Returns:
        object: what the module returns.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     nn.utils.stateless.functional_call(
        ...         nn.Linear(1, 1, bias=False), {"weight": torch.tensor([[3.0]])}, torch.ones(1))
        tensor([3.])
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 "
        "and will be removed in a future version of PyTorch. "
        "Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    jit = torch.jit
    if jit.is_tracing() or isinstance(module, (jit.ScriptModule, jit.ScriptFunction)):
        raise RuntimeError("The stateless API can't be used with Jitted modules")
    if isinstance(module, torch.nn.DataParallel):
        raise RuntimeError("The stateless API can't be used with nn.DataParallel module")
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))
