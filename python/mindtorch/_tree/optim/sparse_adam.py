"""SparseAdam."""

from .._root import torch
from . import _functional as F
from ._elementwise import check, check_betas, check_lr, step_without_grad, zeros
from .optimizer import Optimizer, ParamsT, _to_scalar

__all__ = ["SparseAdam"]


def _positions(groups, wanted):
    return [[i, j] for i, group in enumerate(groups) for j, param in enumerate(group["params"]) if wanted(param)]


class SparseAdam(Optimizer):
    """Adam for sparse gradients: only the rows that a gradient names are updated, their moments too."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        check_lr(lr, exclusive=True)
        check(0.0 < eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        sparse = _positions(self.param_groups, lambda p: p.is_sparse)
        if sparse:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        complex_ = _positions(self.param_groups, lambda p: p.is_complex())
        if complex_:
            raise ValueError(f"Complex params at indices {complex_}: SparseAdam does not support complex parameters")

    def step(self, closure=None):
        """One update of all parameters; returns what `closure` returned."""
        return step_without_grad(self, closure, self._update_group)

    def _update_group(self, group):
        params = [p for p in group["params"] if p.grad is not None]
        states = []
        for p in params:
            if not p.grad.is_sparse:
                raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
            state = self.state[p]
            if len(state) == 0:
                state.update({"step": 0, "exp_avg": zeros(p), "exp_avg_sq": zeros(p)})
            state["step"] += 1
            states.append(state)
        beta1, beta2 = group["betas"]
        F.sparse_adam(
            params,
            [p.grad for p in params],
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [state["step"] for state in states],
            eps=group["eps"],
            beta1=beta1,
            beta2=beta2,
            lr=_to_scalar(group["lr"]),
            maximize=group.get("maximize", False),
        )
