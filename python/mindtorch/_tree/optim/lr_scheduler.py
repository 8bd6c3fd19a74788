"""Learning rate schedules. Cyclic ones are in `_lr_cycles`."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

from .._root import torch
from .._method_copies import copies_methods
from ._elementwise import check
from ._lr_base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _assign_lrs,
    _check_is_optimizer,
    _enable_get_lr_call,
    _format_param,
    _initial_mode,
    _LRScheduler,
    _param_groups_val_list,
    _saved_callables,
    _update_param_group_val,
    _warn_get_lr_called_within_step,
)
from ._lr_cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR, ReduceLROnPlateau
from .optimizer import Optimizer

__all__ = [
    "LambdaLR",
    "MultiplicativeLR",
    "StepLR",
    "MultiStepLR",
    "ConstantLR",
    "LinearLR",
    "ExponentialLR",
    "SequentialLR",
    "CosineAnnealingLR",
    "ChainedScheduler",
    "ReduceLROnPlateau",
    "CyclicLR",
    "CosineAnnealingWarmRestarts",
    "OneCycleLR",
    "PolynomialLR",
    "LRScheduler",
]

for _cls in (
    LRScheduler,
    _LRScheduler,
    ReduceLROnPlateau,
    CyclicLR,
    CosineAnnealingWarmRestarts,
    OneCycleLR,
):
    _cls.__module__ = __name__
del _cls


@copies_methods("__init__", "state_dict", "load_state_dict")
class _ByFunction(LRScheduler):
    """Schedules given by one function of the epoch per group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        else:
            self.lr_lambdas = list(lr_lambda)
        self._check_user_functions()
        super().__init__(optimizer, last_epoch)

    def _check_user_functions(self):
        """Subclasses check their functions here."""

    def state_dict(self):
        """Returns all attributes but the optimizer.

        Of the functions only the attributes of callable objects are saved; plain functions and lambdas have
        to be given again.

        Returns:
            dict: the attributes by name.
        """
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = _saved_callables(self.lr_lambdas)
        return state

    def load_state_dict(self, state_dict):
        """Takes over what `state_dict` of a like schedule returned; functions keep their code.

        Args:
            state_dict (dict): attributes by name.
        """
        saved = state_dict["lr_lambdas"]
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, attributes in zip(self.lr_lambdas, saved, strict=False):
            if attributes is not None:
                function.__dict__.update(attributes)


class LambdaLR(_ByFunction):
    """Sets the rate to the initial rate times a function of the epoch: ``lr = base_lr * f(epoch)``.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        lr_lambda (callable or list): function of the epoch (int), for all groups or one for each.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when the number of functions is not that of the groups.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=2.0)
        >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [1.0]
    """

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        return [base * function(self.last_epoch) for function, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_ByFunction):
    """Multiplies the current rate by a function of the epoch: ``lr(e) = lr(e - 1) * f(e)``.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        lr_lambda (callable or list): function of the epoch (int), for all groups or one for each.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when the number of functions is not that of the groups.
        TypeError: for anything but functions.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def _check_user_functions(self):
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self._is_initial:
            return self._current_lrs()
        return [
            group["lr"] * function(self.last_epoch)
            for function, group in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        ]


class StepLR(LRScheduler):
    """Multiplies the rate by `gamma` every `step_size` epochs: ``base_lr * gamma ** (epoch // step_size)``.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        step_size (int): epochs between two changes.
        gamma (float): factor. Default: ``0.1``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current_lrs()
        return self._scaled_lrs(self.gamma)

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the rate by `gamma` at each of the given epochs.

    ``lr = base_lr * gamma ** (number of milestones <= epoch)``; a milestone given twice counts twice.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        milestones (iterable of int): the epochs.
        gamma (float): factor. Default: ``0.1``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self.last_epoch not in self.milestones:
            return self._current_lrs()
        return self._scaled_lrs(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiplies the initial rate by `factor` in the first `total_iters` epochs; then the rate is as given.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        factor (float): factor, in [0, 1]. Default: ``1/3``.
        total_iters (int): epochs with the factor. Default: ``5``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when `factor` is out of its range.
        ZeroDivisionError: in `step` at the end of the first phase, when `factor` is 0.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(scheduler.get_last_lr()[0])
        >>> rates
        [0.5, 0.5, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0:
            return self._scaled_lrs(self.factor)
        if self.last_epoch != self.total_iters:
            return self._current_lrs()
        return self._scaled_lrs(1.0 / self.factor)

    def _get_closed_form_lr(self):
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Moves a factor of the rate on a line from `start_factor` to `end_factor` in `total_iters` epochs.

    ``lr = base_lr * (start + (end - start) * min(epoch, total_iters) / total_iters)``.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        start_factor (float): first factor, in (0, 1]. Default: ``1/3``.
        end_factor (float): last factor, in [0, 1]. Default: ``1.0``.
        total_iters (int): epochs until `end_factor`. Default: ``5``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when a factor is out of its range.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(scheduler.get_last_lr()[0])
        >>> rates
        [0.5, 0.75, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        starts, ends = not (start_factor > 1.0 or start_factor <= 0), not (end_factor > 1.0 or end_factor < 0)
        check(starts, "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        check(ends, "Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0:
            return self._scaled_lrs(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current_lrs()
        span = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * span
        return self._scaled_lrs(1.0 + span / before)

    def _get_closed_form_lr(self):
        span = self.end_factor - self.start_factor
        passed = min(self.total_iters, self.last_epoch)
        return [base * (self.start_factor + span * passed / self.total_iters) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the rate by `gamma` every epoch: ``lr = base_lr * gamma ** epoch``.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        gamma (float): factor.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        return self._current_lrs() if self._is_initial else self._scaled_lrs(self.gamma)

    def _get_closed_form_lr(self):
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Lets the rate fall to zero along a power: ``lr = base_lr * (1 - epoch / total_iters) ** power``.

    From epoch `total_iters` on the rate is zero.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        total_iters (int): epochs until zero. Default: ``5``.
        power (float): exponent; 1 is a line. Default: ``1.0``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2.0)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5625]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current_lrs()
        now = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled_lrs((now / before) ** self.power)

    def _get_closed_form_lr(self):
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Lets the rate fall along half a cosine to `eta_min` in `T_max` epochs; then it rises again.

    ``lr = eta_min + (base_lr - eta_min) * (1 + cos(pi * epoch / T_max)) / 2`` (Loshchilov and Hutter
    2017, "SGDR", equation 5, without restarts). `step` computes each rate from the one before, so that
    changes made by other schedules stay.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        T_max (int): epochs until the lowest rate.
        eta_min (float): lowest rate. Default: ``0.0``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(round(scheduler.get_last_lr()[0], 4))
        >>> rates
        [1.0, 0.5, 0.0]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self._is_initial:
            return self._current_lrs()
        low = self.eta_min
        if self._step_count == 1 and self.last_epoch > 0:
            height = 1 + math.cos(self.last_epoch * math.pi / self.T_max)
            return [low + (base - low) * height / 2 for base in self.base_lrs]
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # At the cosine's minimum the recursive formula below would divide by zero.
            rise = 1 - math.cos(math.pi / self.T_max)
            return [
                group["lr"] + (base - low) * rise / 2
                for base, group in zip(self.base_lrs, self.optimizer.param_groups, strict=True)
            ]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (group["lr"] - low) + low for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self):
        low = self.eta_min
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [low + (base - low) * height / 2 for base in self.base_lrs]


@copies_methods("state_dict", "load_state_dict")
class _Composite(LRScheduler):
    """Schedules composed of schedules."""

    def _check_schedulers(self, schedulers, optimizer):
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it "
                    "requires additional kwargs to be specified when calling `step`, "
                    f"but got one at index {i} in the given schedulers sequence."
                )
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but "
                    f"got scheduler {type(scheduler).__name__} at index {i} has {scheduler.optimizer}, "
                    f"which is different from {type(optimizer).__name__}."
                )

    def state_dict(self):
        """Returns all attributes but the optimizer, with the schedules replaced by their own state dicts.

        Returns:
            dict: the attributes by name.
        """
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict):
        """Takes over what `state_dict` of a like schedule returned.

        Args:
            state_dict (dict): attributes by name; ``"_schedulers"`` holds the state of each schedule.
        """
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            scheduler.load_state_dict(saved)


class SequentialLR(_Composite):
    """Runs one schedule after the other; `milestones` are the epochs at which the next one begins.

    A schedule begins at its own epoch 0, from the initial rate (by its closed form where it has one).

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        schedulers (list of LRScheduler): schedules of this optimizer, no ReduceLROnPlateau.
        milestones (list of int): one epoch less than there are schedules.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when there is no schedule, the numbers do not fit, or the optimizers differ.
        TypeError: for anything but schedules.

    Example:
        >>> lr = torch.optim.lr_scheduler
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> warm_up = lr.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> scheduler = lr.SequentialLR(optimizer, [warm_up, lr.ExponentialLR(optimizer, 0.1)], [2])
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(scheduler.get_last_lr()[0])
        >>> rates
        [0.5, 0.5, 1.0, 0.1]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_schedulers(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each schedule took its first step when it was created: undoes all of them, then takes the one that counts.
        _assign_lrs(optimizer, [group["initial_lr"] for group in optimizer.param_groups])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None) -> None:
        """Takes back one step of all schedules inside, composites included.

        Args:
            sched (LRScheduler, optional): the schedule to begin with. Default: this one.
        """
        scheduler = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for inner in scheduler._schedulers:
                self.recursive_undo(inner)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self) -> None:
        """Advances one epoch: steps the schedule that is active in this epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)  # this schedule begins
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composite):
    """Steps all schedules together, each on the rate that the one before it left.

    Only schedules that change the rate step by step combine in this way (not LambdaLR, which sets it).

    Args:
        schedulers (list of LRScheduler): schedules of one optimizer, no ReduceLROnPlateau.
        optimizer (Optimizer, optional): their optimizer. Default: that of the first schedule.

    Raises:
        ValueError: when there is no schedule or the optimizers differ.
        TypeError: for anything but schedules.

    Example:
        >>> lr = torch.optim.lr_scheduler
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> constant = lr.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> scheduler = lr.ChainedScheduler([constant, lr.ExponentialLR(optimizer, 0.5)])
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(scheduler.get_last_lr()[0])
        >>> rates
        [0.5, 0.25, 0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check_schedulers(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = _param_groups_val_list(schedulers[-1].optimizer, "lr")

    def step(self) -> None:
        """Advances one epoch: steps all schedules in order."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = _param_groups_val_list(self._schedulers[-1].optimizer, "lr")
