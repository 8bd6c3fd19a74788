"""How linear_cross_entropy splits its work: chunk sizes and precision of sums."""

from typing import Literal

from ..._root import torch

__all__ = ["LinearCrossEntropyOptions"]

_POLICIES = ("auto", "accurate", "balanced", "compact")

# The (policy, chunking) of "auto" for the CPU's half types, and for all others.
_CPU_HALF = ("accurate", "aspect_ratio")
_ELSEWHERE = ("compact", "aspect_ratio:2")


def _half_types():
    return (torch.float16, torch.bfloat16)


class LinearCrossEntropyOptions:
    """Says how F.linear_cross_entropy splits its work: sizes of chunks and precision of sums; immutable.

    What is ``None`` or ``"auto"`` is resolved when the loss is called.

    Args:
        allow_retain_graph (bool): whether backward may run again; keeps the gradients in memory.
            Default: ``False``.
        batch_chunk_size (int, optional): rows of the batch per chunk. Default: ``None``.
        chunking_method (str, optional): ``"auto"``, ``"aspect_ratio"`` or ``"aspect_ratio:K"``:
            as many rows as make the logits of a chunk about as large as the input, or a `K`-th
            of them. ``None`` takes `batch_chunk_size`, or the whole batch. Default: ``"auto"``.
        acc_policy (str): ``"auto"``, ``"accurate"``, ``"balanced"`` or ``"compact"``. Default:
            ``"auto"``.
        acc_dtype (torch.dtype, optional): dtype in which sums are kept; float32 for half precision
            inputs, else theirs. Default: ``None``.

    Raises:
        ValueError: for values that are not allowed, or when both ways of chunking disagree.

    Example:
        >>> options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
        >>> x, w, target = torch.zeros(4, 3), torch.zeros(5, 3), torch.tensor([0, 1, 2, 3])
        >>> F.linear_cross_entropy(x, w, target, options=options)
        tensor(1.6094)
    """

    __slots__ = ("allow_retain_graph", "batch_chunk_size", "chunking_method", "acc_policy", "acc_dtype")

    def __init__(
        self,
        allow_retain_graph: bool = False,
        batch_chunk_size: int | None = None,
        chunking_method: str | None = "auto",
        acc_policy: Literal["accurate", "balanced", "compact", "auto"] = "auto",
        acc_dtype: torch.dtype | None = None,
    ) -> None:
        values = (allow_retain_graph, batch_chunk_size, chunking_method, acc_policy, acc_dtype)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)
        self._check_options()

    def _check_options(self):
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method is not None and self.chunking_method != "auto":
            name, colon, factor = self.chunking_method.partition(":")
            factor = factor if colon else "1"
            if name != "aspect_ratio" or not factor.isdigit() or int(factor) == 0:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in (*_half_types(), torch.float32, torch.float64):
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, "
                f"got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )

    def _option_values(self):
        return tuple(getattr(self, name) for name in self.__slots__)

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot assign to field {name!r}")

    def __delattr__(self, name):
        raise AttributeError(f"cannot delete field {name!r}")

    def __repr__(self):
        fields = ", ".join(
            f"{name}={value!r}" for name, value in zip(self.__slots__, self._option_values(), strict=True)
        )
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other):
        return self._option_values() == other._option_values() if type(other) is type(self) else NotImplemented

    def __hash__(self):
        return hash(self._option_values())

    def __reduce__(self):
        return type(self), self._option_values()

    def _compute_batch_chunk_size(self, num_batches, in_features, num_classes, method=None):
        """Returns the rows per chunk for which a chunk's logits take about as much memory as the whole input."""
        method = str(self.chunking_method if method is None else method)
        if not method.startswith("aspect_ratio"):
            raise AssertionError(f"unhandled chunking_method: {method!r}")
        factor = int(method.partition(":")[2] or 1)
        ratio = -(-num_classes // in_features)
        target = -(-num_batches // ratio)
        power_of_two = 1 << (target - 1).bit_length()
        return min(power_of_two // factor, num_batches)

    def _adjust(self, num_batches, in_features, num_classes, dtype, device=None):
        """Returns these options with all choices made. `self` may be any object with these fields."""
        on_cpu_half = device is not None and device.type == "cpu" and dtype in _half_types()
        auto_policy, auto_chunking = _CPU_HALF if on_cpu_half else _ELSEWHERE
        policy = auto_policy if self.acc_policy == "auto" else self.acc_policy
        chunking = self.chunking_method
        if chunking == "auto":
            chunking = auto_chunking if self.batch_chunk_size is None else None

        given = self.batch_chunk_size
        size = num_batches if given is None else min(given, num_batches)
        if chunking is not None:
            size = LinearCrossEntropyOptions._compute_batch_chunk_size(
                self, num_batches, in_features, num_classes, chunking
            )
            if given is not None and given != size:
                raise ValueError(
                    f"batch_chunk_size (={given}) and chunking_method ('{chunking}') give "
                    f"different chunk sizes ({given} vs {size}); pass only one."
                )
        acc_dtype = self.acc_dtype
        if acc_dtype is None:
            acc_dtype = torch.float32 if self.acc_policy == "auto" and on_cpu_half else dtype
        return LinearCrossEntropyOptions(
            allow_retain_graph=self.allow_retain_graph,
            acc_policy=policy,
            chunking_method=chunking,
            batch_chunk_size=max(1, size),
            acc_dtype=acc_dtype,
        )
