"""Learning rate schedules with cycles, and the one that monitors a metric; `lr_scheduler` exports them."""

from __future__ import annotations

import functools
import math
import types
import warnings
from collections.abc import Callable
from math import inf
from typing import Any, Literal, SupportsFloat

from .._root import torch
from ._elementwise import check
from ._lr_base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _assign_lrs,
    _check_is_optimizer,
    _enable_get_lr_call,
    _format_param,
    _update_param_group_val,
    _warn_get_lr_called_within_step,
)


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rates by `factor` when a metric has not improved for more than `patience` epochs.

    `step` takes the metric. It counts as better than the best so far when, in mode ``"min"``,
    ``metric < best * (1 - threshold)`` (threshold_mode ``"rel"``) or ``metric < best - threshold``
    (``"abs"``), in mode ``"max"`` when it exceeds ``best * (1 + threshold)`` or ``best + threshold``.
    NaN is never better. A reduction is left out where it changes the rate by `eps` or less.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        mode (str): ``"min"`` or ``"max"``, whether the metric shall fall or rise. Default: ``"min"``.
        factor (float): what rates are multiplied by, below 1. Default: ``0.1``.
        patience (int): epochs without improvement that are let pass. Default: ``10``.
        threshold (float): smallest change that counts. Default: ``1e-4``.
        threshold_mode (str): ``"rel"`` or ``"abs"``. Default: ``"rel"``.
        cooldown (int): epochs after a reduction that do not count. Default: ``0``.
        min_lr (float or list): lower bound, of all groups or of each. Default: ``0``.
        eps (float): smallest change of a rate. Default: ``1e-8``.

    Raises:
        ValueError: when `factor` is 1 or more, a mode is unknown, or `min_lr` has a wrong length.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        >>> for loss in (3.0, 2.0, 2.0, 2.0):
        ...     optimizer.step()
        ...     scheduler.step(loss)
        >>> scheduler.get_last_lr()
        [0.1]
    """

    def __init__(
        self, optimizer: torch.optim.Optimizer, mode: Literal["min", "max"] = "min", factor: float = 0.1,
        patience: int = 10, threshold: float = 1e-4, threshold_mode: Literal["rel", "abs"] = "rel", cooldown: int = 0,
        min_lr: list[float] | float = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        _check_is_optimizer(optimizer)
        groups = len(optimizer.param_groups)
        bounds = list(min_lr) if isinstance(min_lr, (list, tuple)) else None
        if bounds is not None and len(bounds) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(bounds)}")
        self.factor, self.optimizer = factor, optimizer
        # The lower bound for parameter groups that are added later; None if each group got its own bound.
        self.default_min_lr = min_lr if bounds is None else None
        self.min_lrs = [min_lr] * groups if bounds is None else bounds
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch, self._last_lr = 0, self._current_lrs()
        self._init_is_better(mode=mode, threshold=threshold, threshold_mode=threshold_mode)
        self._reset()

    def _reset(self):
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch=None) -> None:
        """Takes the metric of this epoch and reduces the rates when it has not improved for too long.

        Args:
            metrics (float or Tensor): the metric, one number.
            epoch (int, optional): deprecated: number of this epoch.
        """
        metric = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        has_improved, is_cooling = self._is_better(metric, self.best), self.in_cooldown
        if has_improved:
            self.best = metric
        self.cooldown_counter -= is_cooling
        self.num_bad_epochs = 0 if has_improved or is_cooling else self.num_bad_epochs + 1
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._current_lrs()

    def _reduce_lr(self, epoch):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new "
                    "param group being added to the optimizer. Please modify the `min_lrs` field to match the "
                    "length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            before = float(group["lr"])
            after = max(before * self.factor, lowest)
            if before - after > self.eps:
                _update_param_group_val(group, "lr", after)

    @property
    def in_cooldown(self):
        """Whether bad epochs are currently ignored."""
        return self.cooldown_counter > 0

    def _is_better(self, a, best):
        relative = self.threshold_mode == "rel"
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if relative else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if relative else best + self.threshold)

    def _init_is_better(self, mode, threshold, threshold_mode):
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = inf if mode == "min" else -inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of a like schedule returned.

        Args:
            state_dict (dict): attributes by name.
        """
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)


def _set_momentum(group, momentum, use_beta1):
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def _has_beta1(optimizer):
    """Whether momentum is called beta1; raises for an optimizer with neither."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def _set_initial_momentums(optimizer, largest, base, use_beta1):
    for high, low, group in zip(largest, base, optimizer.param_groups, strict=True):
        _set_momentum(group, high, use_beta1)
        group["max_momentum"] = high
        group["base_momentum"] = low


class CyclicLR(LRScheduler):
    """Moves the rate up and down between two bounds, and the momentum the other way round.

    At iteration i (Smith 2017, "Cyclical learning rates for training neural networks"), with
    ``x = i mod (up + down)``:

        height = x / up  while rising,  (up + down - x) / down  while falling
        lr = base_lr + (max_lr - base_lr) * height * scale
        momentum = max_momentum - (max_momentum - base_momentum) * height * scale

    The scale is 1 (``"triangular"``), ``1 / 2 ** (cycle - 1)`` (``"triangular2"``, cycles counted from
    1) or ``gamma ** i`` (``"exp_range"``). Call `step` after every batch.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        base_lr (float or list): lower bound, of all groups or of each; the first rate.
        max_lr (float or list): upper bound, before scaling.
        step_size_up (int): iterations up. Default: ``2000``.
        step_size_down (int, optional): iterations down. Default: as many as up.
        mode (str): ``"triangular"``, ``"triangular2"`` or ``"exp_range"``; ignored with `scale_fn`.
            Default: ``"triangular"``.
        gamma (float): base of ``"exp_range"``. Default: ``1.0``.
        scale_fn (callable, optional): function of one number that replaces the mode's scale.
        scale_mode (str): what `scale_fn` gets, ``"cycle"`` or ``"iterations"``. Default: ``"cycle"``.
        cycle_momentum (bool): also moves ``momentum``, or the first of ``betas``. Default: ``True``.
        base_momentum (float or list): lower bound of the momentum. Default: ``0.8``.
        max_momentum (float or list): upper bound of the momentum, the first one. Default: ``0.9``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when the mode is unknown, a list has a wrong length, or the optimizer has no
            momentum.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.25, 1.25, step_size_up=2)
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(scheduler.get_last_lr()[0])
        >>> rates
        [0.25, 0.75, 1.25, 0.75, 0.25]
    """

    def __init__(
        self, optimizer: torch.optim.Optimizer, base_lr: float | list[float], max_lr: float | list[float],
        step_size_up: int = 2000, step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        _check_is_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _format_param("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            _assign_lrs(optimizer, base_lrs)
        self.max_lrs = _format_param("max_lr", optimizer, max_lr)
        step_size_up = float(step_size_up)
        step_size_down = step_size_up if step_size_down is None else float(step_size_down)
        self.total_size = step_size_up + step_size_down
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _has_beta1(optimizer)
            self.base_momentums = _format_param("base_momentum", optimizer, base_momentum)
            self.max_momentums = _format_param("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                _set_initial_momentums(optimizer, self.max_momentums, self.base_momentums, self.use_beta1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self):
        if self._scale_fn_custom is not None:
            return
        if self.mode == "exp_range":
            self._scale_fn_ref = functools.partial(self._exp_range_scale_fn, self.gamma)
            self.scale_mode = "iterations"
        else:
            plain = self.mode == "triangular"
            self._scale_fn_ref = self._triangular_scale_fn if plain else self._triangular2_scale_fn
            self.scale_mode = "cycle"

    def scale_fn(self, x) -> float:
        """Returns the factor that the height of a cycle is multiplied by.

        Args:
            x (int): number of the cycle (from 1) or of the iteration (from 0), by `scale_mode`.

        Returns:
            float: the factor.
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return self._scale_fn_ref(x)

    @staticmethod
    def _triangular_scale_fn(x):
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x):
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma, x):
        return gamma**x

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        within = 1.0 + self.last_epoch / self.total_size - cycle
        rising = within <= self.step_ratio
        height = within / self.step_ratio if rising else (within - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            groups = self.optimizer.param_groups
            for low, high, group in zip(self.base_momentums, self.max_momentums, groups, strict=True):
                _set_momentum(group, high - (high - low) * height * scale, self.use_beta1)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Returns all attributes but the optimizer.

        Of a `scale_fn` of the caller only the attributes of a callable object are saved; a plain function
        has to be given again.

        Returns:
            dict: the attributes by name.
        """
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        custom = state["_scale_fn_custom"]
        plain = custom is None or isinstance(custom, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else custom.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of a like schedule returned.

        Args:
            state_dict (dict): attributes by name; the entry of the scale function is removed from it.
        """
        attributes = state_dict.pop("_scale_fn_custom")
        super().load_state_dict(state_dict)
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lets the rate fall along half a cosine, again and again, each cycle `T_mult` times as long.

    ``lr = eta_min + (base_lr - eta_min) * (1 + cos(pi * T_cur / T_i)) / 2`` (Loshchilov and Hutter
    2017, "SGDR", equation 5), with T_cur epochs since the last restart and T_i the length of this
    cycle.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        T_0 (int): length of the first cycle.
        T_mult (int): factor of the lengths, at least 1. Default: ``1``.
        eta_min (float): lowest rate. Default: ``0.0``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when `T_0` or `T_mult` is no integer of at least 1.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(round(scheduler.get_last_lr()[0], 4))
        >>> rates
        [1.0, 0.5, 1.0, 0.5, 1.0]
    """

    def __init__(
        self, optimizer: torch.optim.Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        check(not T_0 <= 0 and isinstance(T_0, int), "Expected positive integer T_0, but got {}", T_0)
        check(not T_mult < 1 and isinstance(T_mult, int), "Expected integer T_mult >= 1, but got {}", T_mult)
        is_number = isinstance(eta_min, (float, int))
        check(is_number, "Expected float or int eta_min, but got {} of type {}", eta_min, type(eta_min))
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min, self.T_cur = T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        low = self.eta_min
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [low + (base - low) * height / 2 for base in self.base_lrs]

    def _advance_by_one(self):
        """Counts one epoch, and begins the next cycle at the end of this one."""
        is_over, self.T_cur = divmod(self.T_cur + 1, self.T_i)
        if is_over:
            self.T_i *= self.T_mult

    def _move_to_epoch(self, epoch):
        """Finds the cycle that contains `epoch`, which may be fractional."""
        if epoch < self.T_0:
            self.T_i = self.T_0
            self.T_cur = epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n

    def step(self, epoch=None) -> None:
        """Moves one epoch on, or to the given one, and sets the learning rates.

        Args:
            epoch (float, optional): epoch to move to; may be fractional, as ``epoch + batch / batches``.

        Raises:
            ValueError: when `epoch` is negative.
        """
        if epoch is None and self.last_epoch >= 0:
            self._advance_by_one()
            self.last_epoch += 1
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._move_to_epoch(epoch)
            self.last_epoch = math.floor(epoch)
        with _enable_get_lr_call(self):
            self._set_lrs(self.get_lr())


def _make_phase(end_step, start_lr, end_lr, start_momentum, end_momentum):
    return {
        "end_step": end_step,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }


class OneCycleLR(LRScheduler):
    """Raises the rate to `max_lr`, then lets it fall far below its start, once; momentum the other way.

    Smith and Topin 2019 ("Super-convergence"), by default in two phases: ``initial = max_lr /
    div_factor`` rises to `max_lr` in the first ``pct_start * total_steps`` steps, then falls to
    ``initial / final_div_factor``. With `three_phase`, it falls to ``initial`` as fast as it rose, and
    then to the minimum. Between the ends a and b of a phase, at share x, the rate is
    ``b + (a - b) * (1 + cos(pi * x)) / 2`` or ``a + (b - a) * x``. Call `step` after every batch.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        max_lr (float or list): highest rate, of all groups or of each.
        total_steps (int, optional): length of the cycle.
        epochs (int, optional): without `total_steps`, the length is ``epochs * steps_per_epoch``.
        steps_per_epoch (int, optional): see `epochs`.
        pct_start (float): share of the steps that rise, a float in [0, 1]. Default: ``0.3``.
        anneal_strategy (str): ``"cos"`` or ``"linear"``. Default: ``"cos"``.
        cycle_momentum (bool): also moves ``momentum``, or the first of ``betas``. Default: ``True``.
        base_momentum (float or list): momentum at the highest rate. Default: ``0.85``.
        max_momentum (float or list): momentum at both ends. Default: ``0.95``.
        div_factor (float): `max_lr` divided by the first rate. Default: ``25.0``.
        final_div_factor (float): first rate divided by the last. Default: ``1e4``.
        three_phase (bool): falls to the first rate in a phase of its own. Default: ``False``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when no length is given, a number is out of its range, the optimizer has no
            momentum, or, in `step`, the cycle is over.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(
        ...     optimizer, max_lr=1.0, total_steps=5, pct_start=0.4, anneal_strategy="linear"
        ... )
        >>> rates = [scheduler.get_last_lr()[0]]
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(round(scheduler.get_last_lr()[0], 4))
        >>> rates
        [0.04, 1.0, 0.6667, 0.3333, 0.0]
    """

    def __init__(
        self, optimizer: torch.optim.Optimizer, max_lr: float | list[float], total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos", cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85, max_momentum: float | list[float] = 0.95, div_factor: float = 25.0,
        final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        _check_is_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = self._count_steps(total_steps, epochs, steps_per_epoch)
        last = self.total_steps - 1
        rise = _make_phase(
            float(pct_start * self.total_steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"
        )
        if three_phase:
            turn = float(2 * pct_start * self.total_steps) - 2
            self._schedule_phases = [
                rise,
                _make_phase(turn, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                _make_phase(last, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases = [
                rise,
                _make_phase(last, "max_lr", "min_lr", "base_momentum", "max_momentum"),
            ]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy

        max_lrs = _format_param("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for highest, group in zip(max_lrs, optimizer.param_groups, strict=True):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _has_beta1(optimizer)
            largest = _format_param("max_momentum", optimizer, max_momentum)
            base = _format_param("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                _set_initial_momentums(optimizer, largest, base, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _count_steps(total_steps, epochs, steps_per_epoch):
        if total_steps is not None:
            named = {"total_steps": total_steps}
        elif epochs is not None and steps_per_epoch is not None:
            named = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        for name, value in named.items():
            if value <= 0 or not isinstance(value, int):
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        return math.prod(named.values())

    def _anneal_func(self, *args, **kwargs):
        if not hasattr(self, "_anneal_func_type"):  # state of versions that saved the function itself
            return self.anneal_func(*args, **kwargs)
        if self._anneal_func_type == "cos":
            return self._annealing_cos(*args, **kwargs)
        if self._anneal_func_type == "linear":
            return self._annealing_linear(*args, **kwargs)
        raise ValueError(f"Unknown _anneal_func_type: {self._anneal_func_type}")

    @staticmethod
    def _annealing_cos(start, end, pct):
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start, end, pct):
        return (end - start) * pct + start

    def _find_current_phase(self):
        """Returns the phase of this step, and the completed fraction of that phase."""
        start = 0.0
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if self.last_epoch <= end or phase is self._schedule_phases[-1]:
                return phase, (self.last_epoch - start) / (end - start)
            start = end
        raise AssertionError("a schedule has at least one phase")

    def get_lr(self) -> list[float | torch.Tensor]:
        _warn_get_lr_called_within_step(self)
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phase, progress = self._find_current_phase()
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], progress))
            if self.cycle_momentum:
                momentum = self._anneal_func(group[phase["start_momentum"]], group[phase["end_momentum"]], progress)
                _set_momentum(group, momentum, self.use_beta1)
        return lrs
