"""torch.pipeline: defers operators until a result is read. An addition of this library."""

from . import _C


class pipeline:
    """A block whose operator calls wait until a result is looked at. An addition of this library.

    Calls give tensors with shape and dtype at once, and run when a value is needed: printing,
    reading, comparing, `backward()`, asking for `grad_fn`, and leaving the block run what waits.
    Chains of pointwise operators then go through memory once. Results are those of running at once,
    bit for bit.

    Calls that record a gradient, draw numbers, write to ``out=``, or cannot tell a shape from shapes
    alone run at once, after those that wait. Arguments that do not fit are refused by the call; what
    fails later raises where it runs, and names itself and the line that queued it. Pipelines belong
    to a thread, and nest.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> with torch.pipeline():
        ...     y = (x * 2 + 1).sqrt()
        >>> y
        tensor([1.7321, 2.2361])
    """

    def __enter__(self):
        _C._pipeline_enter()
        return self

    def __exit__(self, *exception):
        _C._pipeline_exit()

    @staticmethod
    def flush():
        """Runs the deferred calls of this thread."""
        _C._pipeline_flush()

    @staticmethod
    def statistics() -> dict[str, int]:
        """Returns counts of this thread's calls.

        Returns:
            dict: calls that were `queued`, `flushes`, `chains` of pointwise calls, and calls `chained` so.
        """
        return _C._pipeline_stats()


pipeline.__module__ = __name__.rpartition(".")[0]
