"""GradScaler: keeps small gradients above a narrow dtype's underflow by scaling the loss."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from .._root import torch

__all__ = ["OptState", "GradScaler"]


class _MultiDeviceReplicator:
    """Copies of one tensor, created per device on first use."""

    def __init__(self, master_tensor: torch.Tensor) -> None:
        self.master = master_tensor
        self._per_device_tensors = {}

    def get(self, device: torch.device) -> torch.Tensor:
        if device not in self._per_device_tensors:
            copied = self.master.to(device=device, non_blocking=True, copy=True)
            self._per_device_tensors[device] = copied
        return self._per_device_tensors[device]


class OptState(Enum):
    """The state of an optimizer between two calls of `GradScaler.update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _require_condition(condition, message) -> None:
    if not condition:
        raise AssertionError(message)


def _unscale_and_check(grads, found_inf, inv_scale) -> None:
    fused = getattr(torch, "_amp_foreach_non_finite_check_and_unscale_", None)
    if fused is not None:
        fused(grads, found_inf, inv_scale)
        return
    for grad in grads:
        if not torch.isfinite(grad).all():
            found_inf.fill_(1.0)
        grad.mul_(inv_scale.to(grad.dtype))


def _update_scale(scale, tracker, found_inf, growth_factor, backoff_factor, growth_interval) -> None:
    fused = getattr(torch, "_amp_update_scale_", None)
    if fused is not None:
        fused(scale, tracker, found_inf, growth_factor, backoff_factor, growth_interval)
    elif found_inf.item() > 0:
        scale.mul_(backoff_factor)
        tracker.fill_(0)
    elif tracker.item() + 1 < growth_interval:
        tracker.add_(1)
    else:
        grown = scale.item() * growth_factor
        # The scale itself must not overflow.
        if grown <= torch.finfo(torch.float32).max:
            scale.fill_(grown)
        tracker.fill_(0)


# Attributes that `state_dict` saves under the same names.
_SETTINGS = ("growth_factor", "backoff_factor", "growth_interval")


class GradScaler:
    """Scales losses, so that small float16 gradients do not vanish, and skips steps with infinite ones.

    One iteration is ``scaler.scale(loss).backward()``, ``scaler.step(optimizer)``,
    ``scaler.update()``; to clip gradients, call ``scaler.unscale_(optimizer)`` before. After a step
    with an inf or NaN gradient the scale is multiplied by `backoff_factor`; after `growth_interval`
    good steps in a row by `growth_factor` (Micikevicius et al. 2018, "Mixed precision training",
    section 3.2).

    Args:
        device (str): the kind of device. Default: ``"cuda"``, which is disabled with a warning here.
        init_scale (float): first scale. Default: ``65536.0``.
        growth_factor (float): above 1. Default: ``2.0``.
        backoff_factor (float): below 1. Default: ``0.5``.
        growth_interval (int): good steps before the scale grows. Default: ``2000``.
        enabled (bool): False makes all methods pass things through. Default: ``True``.

    Raises:
        AssertionError: when a factor is out of its range.

    Example:
        >>> p = torch.ones(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([p], lr=0.5)
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.scale(p.sum()).backward()
        >>> p.grad  # scaled
        tensor([4.])
        >>> _ = scaler.step(optimizer)
        >>> scaler.update()
        >>> p.detach(), scaler.get_scale()
        (tensor([0.5000]), 4.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device in ("cuda", "npu") and enabled:
            if getattr(torch, device).amp.common.amp_definitely_not_available():
                warnings.warn(
                    f"torch.{device}.amp.GradScaler is enabled, but {device.upper()} is not available.  Disabling.",
                    stacklevel=2,
                )
                self._enabled = False
        if not self._enabled:
            return
        _require_condition(growth_factor > 1.0, "The growth factor must be > 1.0.")
        _require_condition(backoff_factor < 1.0, "The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker = None
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _check_scale_growth_tracker(self, funcname: str):
        for name in ("_scale", "_growth_tracker"):
            _require_condition(
                getattr(self, name) is not None,
                f"Attempted {funcname} but {name} is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration.",
            )
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self, dev) -> None:
        _require_condition(self._growth_tracker is None, "_growth_tracker initialized before _scale")
        for name, dtype in (("scale", torch.float32), ("growth_tracker", torch.int32)):
            first = getattr(self, f"_init_{name}")
            setattr(self, f"_{name}", torch.full((), first, dtype=dtype, device=dev))

    def scale(self, outputs: torch.Tensor | Iterable[torch.Tensor]) -> torch.Tensor | Iterable[torch.Tensor]:
        """Multiplies a loss, or several at any depth, by the current scale.

        Args:
            outputs (Tensor or iterable of Tensor): what backward is called on.

        Returns:
            Tensor or iterable of Tensor: the scaled ones.

        Raises:
            ValueError: for anything but tensors.
        """
        return self._scale_all(outputs, []) if self._enabled else outputs

    def _scale_all(self, value, replicas):
        """Scales tensors at any depth; `replicas` gets the scale's copies on their devices when the first is needed."""
        if isinstance(value, torch.Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(value.device)
            if not replicas:
                replicas.append(_MultiDeviceReplicator(self._scale))
            return value * replicas[0].get(value.device)
        if isinstance(value, Iterable):
            scaled = (self._scale_all(one, replicas) for one in value)
            return type(value)(scaled) if isinstance(value, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16: bool):
        per_device_inv_scale = _MultiDeviceReplicator(inv_scale)
        per_device_found_inf = _MultiDeviceReplicator(found_inf)
        groups = defaultdict(list)
        with torch.no_grad():
            for param in (param for group in optimizer.param_groups for param in group["params"]):
                _require_condition(
                    isinstance(param, torch.Tensor), f"expected param to be torch.Tensor, got {type(param).__name__}"
                )
                if param.grad is None:
                    continue
                if not allow_fp16 and param.grad.dtype == torch.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if param.grad.is_sparse and param.grad.dtype is torch.float16:
                    # Summing duplicates may overflow, and the check must see that.
                    param.grad = param.grad.coalesce()
                grad = param.grad._values() if param.grad.is_sparse else param.grad
                groups[(grad.device, grad.dtype)].append(grad)
            for (device, _), grads in groups.items():
                _unscale_and_check(grads, per_device_found_inf.get(device), per_device_inv_scale.get(device))
        return per_device_found_inf._per_device_tensors

    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        """Divides the gradients of an optimizer's parameters by the scale, in place, before `step`.

        Args:
            optimizer (Optimizer): the optimizer whose gradients to unscale.

        Raises:
            RuntimeError: when called twice, or after `step`, before `update`.
            ValueError: when a gradient is float16.
        """
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        # In double: the reciprocal of a large float32 may be subnormal.
        inv_scale = scale.double().reciprocal().float()
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inv_scale, found_inf, False)
        state["stage"] = OptState.UNSCALED

    def _maybe_opt_step(self, optimizer, optimizer_state, *args: Any, **kwargs: Any):
        if any(found.item() for found in optimizer_state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def _step_with_own_scaling(self, optimizer, state, args, kwargs):
        """For optimizers that unscale gradients in their kernel."""
        takes_scaler = "grad_scaler" in inspect.signature(optimizer.step).parameters
        if takes_scaler:
            warnings.warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near "
                "future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and "
                "let the optimizer use them directly.",
                FutureWarning,
                stacklevel=3,
            )
            kwargs["grad_scaler"] = self
        else:
            if state["stage"] is OptState.READY:
                self._check_inf_per_device(optimizer)
            scale = self._get_scale_async()
            found = [value.to(scale.device, non_blocking=True) for value in state["found_inf_per_device"].values()]
            given = getattr(optimizer, "grad_scale", None)
            if state["stage"] != OptState.UNSCALED:
                given = scale * (1 if given is None else given)
            optimizer.grad_scale = given
            optimizer.found_inf = sum(found)
        result = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        if not takes_scaler:
            del optimizer.grad_scale
            del optimizer.found_inf
        return result

    def step(self, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> float | None:
        """Unscales gradients where that was not done, and calls ``optimizer.step()`` unless one is not finite.

        Args:
            optimizer (Optimizer): the optimizer.
            *args, **kwargs: passed to its `step`; no closure.

        Returns:
            What `optimizer.step` returned; None for a skipped step.

        Raises:
            RuntimeError: when called twice before `update`, or with a closure.
            AssertionError: when `scale` was never called or no gradient exists.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_with_own_scaling(optimizer, state, args, kwargs)
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        _require_condition(state["found_inf_per_device"], "No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _set_scale(self, new_scale) -> None:
        if isinstance(new_scale, float):
            self._scale.fill_(new_scale)
            return
        _require_condition(
            new_scale.device.type == self._device and new_scale.numel() == 1 and not new_scale.requires_grad,
            "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
            "requires_grad=False.",
        )
        self._scale.copy_(new_scale)

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Adjusts the scale; call it once at the end of an iteration.

        Args:
            new_scale (float or Tensor, optional): sets the scale to this instead.

        Raises:
            AssertionError: when there was no step since the last call.
        """
        if not self._enabled:
            return
        scale, tracker = self._check_scale_growth_tracker("update")
        if new_scale is not None:
            self._set_scale(new_scale)
        else:
            found = [
                value.to(device=scale.device, non_blocking=True)
                for state in self._per_optimizer_states.values()
                for value in state["found_inf_per_device"].values()
            ]
            _require_condition(found, "No inf checks were recorded prior to update.")
            _update_scale(
                scale, tracker, sum(found[1:], found[0]), self._growth_factor, self._backoff_factor,
                self._growth_interval,
            )  # fmt: skip
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _get_scale_async(self):
        return self._scale

    def get_scale(self) -> float:
        """Returns the scale.

        Returns:
            float: the scale; 1.0 where disabled.
        """
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """Returns what the scale is multiplied by after `growth_interval` good steps.

        Returns:
            float: the factor.
        """
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets what the scale is multiplied by after `growth_interval` good steps.

        Args:
            new_factor (float): the factor.
        """
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Returns what the scale is multiplied by after a skipped step.

        Returns:
            float: the factor.
        """
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets what the scale is multiplied by after a skipped step.

        Args:
            new_factor (float): the factor.
        """
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Returns the number of good steps in a row before the scale grows.

        Returns:
            int: the number.
        """
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of good steps in a row before the scale grows.

        Args:
            new_interval (int): the number.
        """
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self) -> bool:
        """Returns whether the scaler scales.

        Returns:
            bool: False if tensors are returned unscaled.
        """
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Returns scale, factors, interval and count of good steps, as a dict that can be saved.

        Returns:
            dict: empty where disabled.
        """
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            **{name: getattr(self, f"_{name}") for name in _SETTINGS},
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` returned.

        Args:
            state_dict (dict): the saved state.

        Raises:
            RuntimeError: when it is empty.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        for name in _SETTINGS:
            setattr(self, f"_{name}", state_dict[name])
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        for tensor, value in ((self._scale, self._init_scale), (self._growth_tracker, self._init_growth_tracker)):
            if tensor is not None:
                tensor.fill_(value)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            _require_condition(
                not self._per_optimizer_states,
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                "scaler.update().",
            )
            # Stores numbers instead of tensors, which are made again when they are needed.
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _check_inf_per_device(self, optimizer):
        device = self._check_scale_growth_tracker("_check_inf_per_device")[0].device
        # Unscaling by 1 only checks all gradients.
        one = torch.ones((), dtype=torch.float32, device=device)
        found = self._unscale_grads_(optimizer, one, torch.zeros_like(one), True)
        self._per_optimizer_states[id(optimizer)].update(found_inf_per_device=found)
        return found

    def _found_inf_per_device(self, optimizer):
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
