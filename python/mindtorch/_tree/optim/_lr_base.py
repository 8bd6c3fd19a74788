"""The base of learning rate schedules."""

from __future__ import annotations

import functools
import types
import warnings
import weakref
from typing import Any

from .._root import torch
from .optimizer import Optimizer, _to_scalar

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)


def _check_is_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _copy_tensor_value(value):
    """Returns a copy of a tensor (schedules change learning rates in place); numbers unchanged."""
    return value.clone() if isinstance(value, torch.Tensor) else value


def _format_param(name, optimizer, param):
    """Returns one value per parameter group."""
    groups = len(optimizer.param_groups)
    if not isinstance(param, (list, tuple)):
        param = [param] * groups
    elif len(param) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(param)} values, param_groups has {groups}."
        )
    return [_copy_tensor_value(value) for value in param]


def _param_groups_val_list(optimizer, key):
    return [_copy_tensor_value(group[key]) for group in optimizer.param_groups]


def _update_param_group_val(param_group, key, val):
    if isinstance(param_group[key], torch.Tensor):
        param_group[key].fill_(_to_scalar(val))
    else:
        param_group[key] = val


class LRScheduler:
    """Base class of learning rate schedules: sets the rate of each group when `step` is called.

    A subclass defines `get_lr`. Making a schedule takes its first step, which sets the rate of epoch 0;
    each later ``step()``, called after the optimizer's, moves one epoch on. An epoch is whatever lies
    between two calls. Rates that are tensors are changed in place.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Attributes:
        base_lrs (list): initial rate of each group, also stored there as ``"initial_lr"``.
        last_epoch (int): the current epoch, counted from 0.

    Raises:
        TypeError: when `optimizer` is no Optimizer.
        KeyError: when `last_epoch` is not -1 and a group has no ``"initial_lr"``.

    Example:
        >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [base * 0.5**self.last_epoch for base in self.base_lrs]
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = Halving(optimizer)
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_is_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", _copy_tensor_value(group["lr"]))
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(
                        f"param 'initial_lr' is not specified in param_groups[{i}] "
                        "when resuming scheduler with last_epoch >= 0.\n"
                        "This typically happens when:\n"
                        "1. You're trying to resume training from a checkpoint but haven't properly loaded "
                        "the optimizer state\n"
                        "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                    )
        self.base_lrs = _param_groups_val_list(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._watch_optimizer_step()
        self._initial_step()

    def _watch_optimizer_step(self):
        """Makes the optimizer record calls of its step, to warn about a wrong order."""
        optimizer = self.optimizer
        if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
            return
        alive = weakref.ref(optimizer)
        function = optimizer.step.__func__

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            owner = alive()
            owner._opt_called = True
            return function.__get__(owner, type(owner))(*args, **kwargs)

        wrapper._wrapped_by_lr_sched = True
        optimizer.step = wrapper

    def _initial_step(self):
        self._step_count = 0
        with _initial_mode(self):
            self.step()

    def state_dict(self) -> dict[str, Any]:
        """Returns all attributes but the optimizer, as a dict that can be saved.

        Returns:
            dict: the attributes by name; save the optimizer's own state separately.
        """
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of a like schedule returned; the optimizer's rates are not changed.

        Args:
            state_dict (dict): attributes by name.
        """
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[float | torch.Tensor]:
        """Returns the learning rates that the last step set.

        Returns:
            list: one rate (float, or Tensor where the group's rate is one) per group.
        """
        return self._last_lr

    def get_lr(self) -> list[float | torch.Tensor]:
        """Computes the learning rates of the current epoch; `step` calls it, programs call `get_last_lr`.

        Returns:
            list: one rate per group.
        """
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Moves one epoch on and sets the learning rates.

        Call it after the optimizer's `step`; the other order loses the first rate and warns.

        Args:
            epoch (int, optional): deprecated: the epoch to move to, by the closed form where there is one.
        """
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _check_order(self):
        """Warns if the first step after the initial one precedes the optimizer's."""
        link = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                f"`lr_scheduler.step()`. See more details at {link}",
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                f"details at {link}",
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch=None):
        with _enable_get_lr_call(self):
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                values = self._get_closed_form_lr() if hasattr(self, "_get_closed_form_lr") else self.get_lr()
        self._set_lrs(values)

    def _set_lrs(self, values):
        _assign_lrs(self.optimizer, values)
        self._last_lr = self._current_lrs()

    def _current_lrs(self):
        return _param_groups_val_list(self.optimizer, "lr")

    def _scaled_lrs(self, factor):
        return [group["lr"] * factor for group in self.optimizer.param_groups]


def _assign_lrs(optimizer, values):
    for group, lr in zip(optimizer.param_groups, values, strict=True):
        _update_param_group_val(group, "lr", lr)


def _warn_get_lr_called_within_step(lr_scheduler):
    if not lr_scheduler._get_lr_called_within_step:
        warnings.warn(
            "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
            UserWarning,
            stacklevel=2,
        )


class _LRScheduler(LRScheduler):
    """The old name of the base class."""


class _enable_get_lr_call:
    """Inside, `get_lr` is called by the schedule itself."""

    _flag = "_get_lr_called_within_step"

    def __init__(self, o):
        self.o = o

    def __enter__(self):
        setattr(self.o, self._flag, True)

    def __exit__(self, *error):
        setattr(self.o, self._flag, False)


class _initial_mode(_enable_get_lr_call):
    """Inside, `step` sets the first learning rate instead of the next."""

    _flag = "_is_initial"

    def __init__(self, o):
        super().__init__(o)


def _saved_callables(functions):
    """Returns the state of functions that can be saved: attributes of callable objects, None for plain functions."""
    return [None if isinstance(fn, types.FunctionType) else fn.__dict__.copy() for fn in functions]
