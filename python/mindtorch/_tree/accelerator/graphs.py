"""torch.accelerator.Graph: a graph of the current accelerator."""

from __future__ import annotations

from .._root import torch
from ._utils import require_accelerator_module

__all__ = ["Graph"]


class Graph:
    """Records the work of the current stream, to run it again; a block, or between two calls.

    Args:
        keep_graph (bool): keeps the recording after it was made ready. Default: ``False``.
        pool (tuple of int, optional): pool of memory to share with another graph.
        capture_error_mode (str): which calls are errors while recording. Default: ``"default"``.

    Raises:
        RuntimeError: without an accelerator.
    """

    def __init__(
        self, keep_graph: bool = False, *, pool: tuple[int, int] | None = None, capture_error_mode: str = "default"
    ) -> None:
        self._graph = require_accelerator_module().NPUGraph(keep_graph)
        self.graph_pool = pool
        self.capture_error_mode = capture_error_mode

    def capture_begin(self) -> None:
        """Starts recording the current stream."""
        mode = "global" if self.capture_error_mode == "default" else self.capture_error_mode
        self._graph.capture_begin(self.graph_pool, mode)

    def capture_end(self) -> None:
        """Ends the recording."""
        self._graph.capture_end()

    def instantiate(self) -> None:
        """Does nothing: a recorded graph can be replayed immediately."""

    def replay(self) -> None:
        """Replays the recorded work on the current stream."""
        self._graph.replay()

    def reset(self) -> None:
        """Drops the recorded work."""
        self._graph.reset()

    def pool(self) -> tuple[int, int]:
        """Returns the name of the graph's pool of memory.

        Returns:
            tuple of int: the name.
        """
        return self._graph.pool()

    def __enter__(self) -> None:
        torch.accelerator.synchronize()
        torch.accelerator.empty_cache()
        torch.accelerator.empty_host_cache()
        self.capture_begin()

    def __exit__(self, *exc_info: object) -> None:
        self.capture_end()
