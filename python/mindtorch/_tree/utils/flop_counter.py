"""Counts the operations of products, convolutions and attention; a multiplication and its addition count as two."""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from collections.abc import Callable
from math import prod
from typing import Any

from .._root import torch
from ._python_dispatch import TorchDispatchMode
from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

aten = torch.ops.aten

# Maps operators (without overload) to functions of a call's arguments and `out_val`, its result.
flop_registry: dict = {}


def get_shape(i):
    """Returns the shape of a tensor, and other things as they are.

    Args:
        i (Any): the thing.

    Returns:
        torch.Size or Any: the shape.
    """
    return i.shape if isinstance(i, torch.Tensor) else i


def shape_wrapper(f):
    """Makes a formula of shapes into one of tensors.

    Args:
        f (callable): takes shapes, and that of the result as `out_shape`.

    Returns:
        callable: takes tensors, and the result as `out_val`.
    """

    @functools.wraps(f)
    def count_from_shapes(*args, out_val=None, **kwargs):
        args, kwargs, out_shape = torch.utils._pytree.tree_map(get_shape, (args, kwargs, out_val))
        return f(*args, out_shape=out_shape, **kwargs)

    return count_from_shapes


def register_flop_formula(targets, get_raw=False) -> Callable:
    """Returns a decorator that makes a function the formula of operators for FlopCounterMode.

    Args:
        targets (OpOverloadPacket or list of them): such as ``torch.ops.aten.mm``.
        get_raw (bool): gives the function tensors and `out_val`, instead of shapes and `out_shape`.
            Default: ``False``.

    Returns:
        callable: the decorator.

    Raises:
        ValueError: when a target is no operator packet.
        RuntimeError: when one has a formula.

    Example:
        >>> from torch.utils.flop_counter import register_flop_formula
        >>> @register_flop_formula(torch.ops.aten.hypot)
        ... def hypot_flop(a_shape, b_shape, out_shape=None, **kwargs):
        ...     return 4 * a_shape.numel()
    """

    def register_fun(flop_formula):
        formula = flop_formula if get_raw else shape_wrapper(flop_formula)
        for target in torch.utils._pytree.tree_leaves(targets):
            if not isinstance(target, torch._ops.OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket "
                    "(i.e. torch.ops.mylib.foo), JitFunction, or HigherOrderOperator, "
                    f"got {target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = formula
        return formula

    return register_fun


@register_flop_formula(aten.mm)
def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs) -> int:
    """Counts the operations of a matrix product."""
    (m, k), (k2, n) = a_shape, b_shape
    if k != k2:
        raise AssertionError(f"matmul: inner dimensions must match (k == k2), got {k} and {k2}")
    return 2 * m * k * n


@register_flop_formula(aten.addmm)
def addmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs) -> int:
    return mm_flop(a_shape, b_shape)


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape, b_shape, out_shape=None, **kwargs) -> int:
    """Counts the operations of a batch of matrix products."""
    (b, m, k), (b2, k2, n) = a_shape, b_shape
    for what, one, other in (
        ("batch dimensions must match (b == b2)", b, b2),
        ("inner dimensions must match (k == k2)", k, k2),
    ):
        if one != other:
            raise AssertionError(f"bmm: {what}, got {one} and {other}")
    return 2 * b * m * k * n


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs) -> int:
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: list[int], w_shape: list[int], out_shape: list[int], transposed: bool = False) -> int:
    """Counts the operations of a convolution: the whole weight for each position of the output (if transposed, of the
    input)."""
    places = x_shape if transposed else out_shape
    return 2 * x_shape[0] * prod(places[2:]) * prod(w_shape)


@register_flop_formula([aten.convolution, aten._convolution, aten._slow_conv2d_forward, aten.convolution_overrideable])
def conv_flop(x_shape, w_shape, _b, _s, _p, _d, transposed, *args, out_shape=None, **kwargs) -> int:
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


@register_flop_formula(aten.convolution_backward)
def conv_backward_flop(grad, x, w, _b, _s, _p, _d, transposed, _o, _g, output_mask, out_shape, **kwargs) -> int:
    """Counts the operations of the gradients that `output_mask` selects: of the input, and of the weight."""

    def transpose(shape):  # batch and channels are swapped
        return [shape[1], shape[0], *shape[2:]]

    total = 0
    if output_mask[0]:
        total += conv_flop_count(grad, w, get_shape(out_shape[0]), not transposed)
    if output_mask[1]:  # one of them is the kernel that slides over the other
        over, kernel = (grad, x) if transposed else (x, grad)
        total += conv_flop_count(transpose(over), transpose(kernel), transpose(get_shape(out_shape[1])))
    return total


def _check_heads(name, heads, key_heads) -> None:
    if heads < key_heads or heads % key_heads != 0:
        raise AssertionError(f"{name}: query heads ({heads}) must be a multiple of key/value heads ({key_heads})")


def sdpa_flop_count(query_shape, key_shape, value_shape) -> int:
    """Counts the operations of attention (batch, heads, length, width): scores, and their product with the values."""
    (b, h, q, d), (kb, kh, k, kd), (vb, vh, vk, vd) = query_shape, key_shape, value_shape
    if not (b == kb == vb and kh == vh and d == kd and k == vk):
        shapes = f"q={query_shape}, k={key_shape}, v={value_shape}"
        raise AssertionError(f"sdpa_flop_count: query/key/value shapes are incompatible: {shapes}")
    _check_heads("sdpa_flop_count", h, kh)
    return 2 * b * h * q * k * (d + vd)


def sdpa_backward_flop_count(grad_out_shape, query_shape, key_shape, value_shape) -> int:
    """Counts the operations of attention's gradients: the scores again, and two products for each of the forward's
    two."""
    (b, h, q, d), (kb, kh, k, kd), (vb, vh, vk, vd) = query_shape, key_shape, value_shape
    gb, gh, gq, gd = grad_out_shape
    if not (b == kb == vb == gb and kh == vh and h == gh):
        raise AssertionError("sdpa_backward_flop_count: batch/heads mismatch among tensors")
    _check_heads("sdpa_backward_flop_count", h, kh)
    if not (d == kd and vd == gd and k == vk and q == gq):
        raise AssertionError("sdpa_backward_flop_count: grad_out/value/key/query shapes are incompatible")
    return 2 * b * h * q * k * (3 * d + 2 * vd)


def _count_recurrent_layer(input, _batch_sizes, _hx, _cx, w_ih, w_hh, b_ih, *args, **kwargs):
    total = 2 * prod(input.shape[:-1]) * (prod(w_ih.shape) + prod(w_hh.shape))
    return (aten.mm if b_ih is None else aten.addmm), total


def _count_attention(query, key, value, *args, **kwargs):
    # torch counts no FLOPs for the CPU's fused attention kernel; attention of meta tensors counts as matrix products.
    return (aten.bmm, sdpa_flop_count(query.shape, key.shape, value.shape)) if query.is_meta else None


def _count_attention_backward(grad_out, *args, **kwargs):
    return (counted := _count_attention(*args)) and (aten.bmm, 2 * counted[1])


# {operator that is one call here and several in torch: function that returns the operator under which torch counts
# the FLOPs, and their number}
_COUNTED_AS_TORCHS = {
    aten._rnn_layer: _count_recurrent_layer,
    aten._scaled_dot_product_flash_attention_for_cpu: _count_attention,
    aten._scaled_dot_product_flash_attention_for_cpu_backward: _count_attention_backward,
}

suffixes = ["", "K", "M", "B", "T"]


def get_suffix_str(number) -> str:
    return suffixes[max(0, min(len(suffixes) - 1, (len(str(number)) - 2) // 3))]


def convert_num_with_suffix(number, suffix) -> str:
    return f"{number / 1000 ** suffixes.index(suffix):.3f}{suffix}"


def convert_to_percent_str(num, denom) -> str:
    return "0%" if denom == 0 else f"{num / denom:.2%}"


def _print_table(rows) -> str:
    # Prints as the package tabulate does.
    if all(not row[1][-1].isalpha() for row in rows):  # it prints numbers without units as short as they are
        rows = [(module, f"{float(flops):g}", share) for module, flops, share in rows]
    titles = ("Module", "FLOP", "% Total")
    a, b, c = (max(len(title) + 2, *(len(row[at]) for row in rows)) for at, title in enumerate(titles))
    lines = (titles, ("-" * a, "-" * b, "-" * c), *rows)
    return "\n".join(f"{module:<{a}}  {flops:>{b}}  {share:>{c}}" for module, flops, share in lines)


class FlopCounterMode:
    """Counts the floating-point operations of matrix products, convolutions and attention in its block.

    A product and its addition count as two. Backward passes inside the block are counted, too.

    Args:
        mods (Module or list of Module, optional): not needed any more.
        depth (int): how deep modules are listed. Default: ``2``.
        display (bool): prints a table at the end. Default: ``True``.
        custom_mapping (dict, optional): from operators to formulas, as `register_flop_formula` takes
            them.

    Example:
        >>> from torch.utils.flop_counter import FlopCounterMode
        >>> with FlopCounterMode(display=False) as counter:
        ...     _ = torch.ones(2, 3) @ torch.ones(3, 4)
        >>> counter.get_total_flops()  # 2 * 2 * 3 * 4
        48
    """

    def __init__(
        self,
        mods: torch.nn.modules.module.Module | list[torch.nn.modules.module.Module] | None = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        self.depth = depth
        self.display = display
        self.mode = None
        own = {
            target: formula if getattr(formula, "_get_raw", False) else shape_wrapper(formula)
            for target, formula in (custom_mapping or {}).items()
        }
        self.flop_registry = {**flop_registry, **own}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        """Returns the number of all operations.

        Returns:
            int: the number.
        """
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict:
        """Returns the counts by module and operator.

        Returns:
            dict: from names of modules, and ``"Global"``, to dicts from operators to counts.
        """
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_table(self, depth=None) -> str:
        """Returns the counts as a table of modules and their operators.

        Args:
            depth (int, optional): how deep modules are listed. Default: as constructed.

        Returns:
            str: the table.
        """
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        unit = get_suffix_str(total)

        def module_rows(module, indent):
            counts = self.flop_counts[module]
            named = [(module, sum(counts.values())), *((f" - {operator}", count) for operator, count in counts.items())]
            return [
                (" " * indent + name, convert_num_with_suffix(count, unit), convert_to_percent_str(count, total))
                for name, count in named
            ]

        depth = float("inf") if depth is None else depth
        shown = [module for module in sorted(self.flop_counts) if module != "Global" and module.count(".") < depth]
        rows = [row for module in shown for row in module_rows(module, module.count("."))]
        # Prints a row for all modules only if no module has all operations.
        if not any(sum(self.flop_counts[module].values()) >= total for module in shown):
            rows = module_rows("Global", 0) + [(" " + name, *others) for name, *others in rows]
        return _print_table(rows)

    def __enter__(self):
        self.flop_counts.clear()
        self.mode = _FlopCounterMode(self)
        for context in (self.mod_tracker, self.mode):
            context.__enter__()
        return self

    def __exit__(self, *args):
        mode, self.mode = self.mode, None
        if mode is None:
            raise AssertionError("Internal error: FlopCounter.__exit__ called but mode is None")
        result = mode.__exit__(*args)
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table(self.depth))
        return result

    def _count_flops(self, func_packet, out, args, kwargs):
        counted = None
        if func_packet in self.flop_registry:
            counted = func_packet, self.flop_registry[func_packet](*args, **kwargs, out_val=out)
        elif func_packet in _COUNTED_AS_TORCHS:
            counted = _COUNTED_AS_TORCHS[func_packet](*args, **kwargs)
        for module in self.mod_tracker.parents if counted else ():
            self.flop_counts[module][counted[0]] += counted[1]
        return out


class _FlopCounterMode(TorchDispatchMode):
    def __init__(self, counter: FlopCounterMode) -> None:
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        with self:  # composite operators are counted by their parts
            made_of_others = func.decompose(*args, **kwargs)
        if made_of_others is not NotImplemented:
            return made_of_others
        out = func(*args, **kwargs)
        return self.counter._count_flops(func._overloadpacket, out, args, kwargs)
