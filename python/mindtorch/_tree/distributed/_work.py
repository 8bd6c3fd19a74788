"""Types of collectives: reductions, options, and works in progress."""

import enum
from datetime import timedelta

from ..futures import Future


class ReduceOp:
    """Says how the elements of a reduction are joined.

    `SUM`, `AVG` (the sum divided by the number of ranks), `PRODUCT`, `MIN`, `MAX`, and by bits `BAND`, `BOR`
    and `BXOR`. `PREMUL_SUM` is there for other backends.

    Args:
        op (ReduceOp.RedOpType): one of these.
    """

    class RedOpType(enum.Enum):
        SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)

        __str__ = lambda self: f"RedOpType.{self.name}"  # noqa: E731
        __int__ = lambda self: self.value  # noqa: E731
        __index__ = __int__
        __hash__ = lambda self: self.value  # noqa: E731

    def __init__(self, op):
        self.op = op

    def __eq__(self, other):
        return self.op == (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self):
        return self.op.value


for _member in ReduceOp.RedOpType:
    setattr(ReduceOp, _member.name, _member)
ReduceOp.RedOpType.__qualname__ = "ReduceOp.RedOpType"


class _Options:
    """The arguments of a collective other than its tensors."""

    def __init__(self, **fields):
        self.__dict__.update(self._defaults, **fields)

    _defaults = {}


def _make_options_class(name, **defaults):
    defaults |= {"timeout": timedelta(milliseconds=-1), "asyncOp": True}
    text = f"""The arguments of a collective other than its tensors: attributes {", ".join(defaults)}.

Args:
    **fields: values of attributes; the others have their defaults.
"""
    members = {"_defaults": defaults, "__module__": "torch.distributed.distributed_c10d", "__doc__": text}
    return type(name, (_Options,), members)


AllreduceOptions = _make_options_class("AllreduceOptions", reduceOp=ReduceOp.SUM)
AllreduceCoalescedOptions = _make_options_class("AllreduceCoalescedOptions", reduceOp=ReduceOp.SUM)
AllgatherOptions = _make_options_class("AllgatherOptions")
AllToAllOptions = _make_options_class("AllToAllOptions")
BarrierOptions = _make_options_class("BarrierOptions", device_ids=None, device=None)
BroadcastOptions = _make_options_class("BroadcastOptions", rootRank=0, rootTensor=0)
GatherOptions = _make_options_class("GatherOptions", rootRank=0)
ReduceOptions = _make_options_class("ReduceOptions", reduceOp=ReduceOp.SUM, rootRank=0, rootTensor=0)
ReduceScatterOptions = _make_options_class("ReduceScatterOptions", reduceOp=ReduceOp.SUM)
ScatterOptions = _make_options_class("ScatterOptions", rootRank=0)


class Work:
    """A collective on its way. Its tensors have their results once `wait` has returned.

    Args:
        result (list[Tensor], optional): the tensors that `result` gives.
        work (optional): the library's own work, which backends of the library give.
    """

    _future = None

    def __init__(self, result=None, work=None):
        self._work, self._result = work, result  # the library's work; None for a program's own class

    def _require_backend_work(self):
        if self._work is None:
            raise RuntimeError(f"{type(self).__name__} has no work of a backend")
        return self._work

    def wait(self, timeout=timedelta(0)):
        """Waits for the end, and raises the work's error.

        Args:
            timeout (timedelta): how long to wait; 0 means the group's own. Default: 0.

        Returns:
            bool: True.
        """
        return self._require_backend_work().wait(timeout)

    synchronize = wait

    def is_completed(self):
        """Returns whether the work has ended, successfully or not."""
        return self._require_backend_work().is_completed()

    def is_success(self):
        """Returns whether the work has succeeded."""
        return self.is_completed() and self.exception() is None

    def exception(self):
        """Returns the error of the work, or None."""
        return self._require_backend_work().exception()

    def result(self):
        """Returns the tensors that a collective produces, a list; RuntimeError if it has none."""
        if self._result is None:
            raise RuntimeError("result() not implemented.")
        return self._result

    def get_future(self):
        """Returns a torch.futures.Future of the result."""
        if self._future is None:
            future = self._future = Future()

            def copy_result_to_future(error):
                if error is None:
                    future.set_result(self._result)
                else:
                    future.set_exception(error)

            self._require_backend_work().then(copy_result_to_future)
        return self._future

    def source_rank(self):
        """Returns the rank that sent a received message; RuntimeError for other works."""
        return self._require_backend_work().source_rank()

    _source_rank = source_rank
