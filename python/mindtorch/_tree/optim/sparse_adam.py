"""SparseAdam."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from . import _functional as F
from ._elementwise import check, check_betas, check_learning_rate, run_step_without_grad, zeros
from .optimizer import Optimizer, ParamsT, _to_scalar

__all__ = ["SparseAdam"]


def _list_positions(groups, wanted):
    return [[i, j] for i, group in enumerate(groups) for j, param in enumerate(group["params"]) if wanted(param)]


class SparseAdam(Optimizer):
    """Adam for sparse gradients, such as those of embeddings: moments of untouched rows stay as they are.

    For the elements that a gradient names, with values g, at step t:

        m = m + (1 - beta1) * (g - m)
        v = v + (1 - beta2) * (g ** 2 - v)
        p = p - lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t) * m / (sqrt(v) + eps)

    This is a masked Adam, not Adam on the dense gradient: there all moments would decay in every step.

    Args:
        params (iterable): tensors to optimise, ``(name, tensor)`` pairs, or dicts with the key
            ``"params"`` and options of that group.
        lr (float or Tensor): learning rate, above zero. Default: ``1e-3``.
        betas (tuple of float): decay rates of m and v, in [0, 1). Default: ``(0.9, 0.999)``.
        eps (float): added to the denominator, above zero. Default: ``1e-8``.
        maximize (bool): ascends instead of descends (negates the gradient). Default: ``False``.

    Raises:
        ValueError: when a parameter is sparse or complex, or a number is out of its range.
        RuntimeError: in `step`, when a gradient is dense.

    Example:
        >>> table = nn.Embedding(3, 2, sparse=True, _weight=torch.ones(3, 2))
        >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
        >>> table(torch.tensor([1])).sum().backward()
        >>> optimizer.step()
        >>> table.weight.detach()
        tensor([[1.0000, 1.0000],
                [0.9000, 0.9000],
                [1.0000, 1.0000]])
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_learning_rate(lr, exclusive=True)
        check(0.0 < eps, "Invalid epsilon value: {}", eps)
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        sparse = _list_positions(self.param_groups, lambda p: p.is_sparse)
        if sparse:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        complex_ = _list_positions(self.param_groups, lambda p: p.is_complex())
        if complex_:
            raise ValueError(f"Complex params at indices {complex_}: SparseAdam does not support complex parameters")

    def step(self, closure=None):
        """Updates the rows that the sparse gradients name.

        Args:
            closure (callable, optional): computes the loss again, with gradients, and returns it.

        Returns:
            What `closure` returned, or None without one.
        """
        return run_step_without_grad(self, closure, self._update_group)

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
