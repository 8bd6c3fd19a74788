"""Rules of operators for tensors without data, and the context that torch.library.get_ctx returns to them."""

import contextlib
import threading

_running = threading.local()


def make_meta_kernel(function, qualname, place):
    """Wraps the rule as a kernel for meta tensors: while it runs, get_ctx returns the operator's context."""

    def rule(*args, **kwargs):
        former, _running.rule = getattr(_running, "rule", None), f"{qualname} ({place})"
        try:
            return function(*args, **kwargs)
        finally:
            _running.rule = former

    rule.function, rule.place = function, place
    return rule


class DynamicSizes:
    """The context of a rule whose results have sizes that depend on data; the caller chooses their number.

    Args:
        size (int): added to a rule's least size, as far as the largest allows.
    """

    def __init__(self, size: int) -> None:
        self._size = size

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> int:
        """Returns a size that depends on data.

        Args:
            min (int): least size. Default: ``0``.
            max (int, optional): largest size. Default: ``None``, any.

        Returns:
            int: a number within the bounds.

        Raises:
            ValueError: when a bound is not an int or negative.
        """
        for name, bound in (("min", min), ("max", max)):
            if not isinstance(bound, (int, type(None) if name == "max" else int)):
                raise ValueError(
                    f"ctx.new_dynamic_size(min={min}, max={max}): expected min and max to be statically known ints but "
                    "got SymInt. This is not supported."
                )
        if min < 0:
            raise ValueError(
                f"ctx.new_dynamic_size(min={min}, ...): expected min to be greater than or equal to 0: this API can "
                "only create non-negative sizes."
            )
        size = min + self._size
        return size if max is None or size < max else max

    create_unbacked_symint = new_dynamic_size  # its former name


@contextlib.contextmanager
def allow_data_dependent_sizes(size):
    """While it lasts, rules of this thread may have sizes that depend on data: the least plus `size`."""
    former, _running.sizes = getattr(_running, "sizes", None), DynamicSizes(size)
    try:
        yield
    finally:
        _running.sizes = former


def context():
    """Returns None outside of rules; inside, the context of `allow_data_dependent_sizes`, without which it raises."""
    rule = getattr(_running, "rule", None)
    if rule is None:
        return None
    sizes = getattr(_running, "sizes", None)
    if sizes is None:
        raise RuntimeError(
            f"{rule}: You're trying to run this operator with meta Tensors (as opposed to FakeTensors), but this "
            "operator may return an output Tensor with data-dependent shape. Meta Tensors don't support operators with "
            "outputs that have data-dependent shapes but FakeTensors do. If your operator does not return an output "
            "with data-dependent shape, make sure the FakeTensor and/or meta kernel does not call "
            "torch.library.get_ctx(). Otherwise, please use FakeTensors."
        )
    return sizes
