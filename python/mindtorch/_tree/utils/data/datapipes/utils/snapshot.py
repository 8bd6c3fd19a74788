"""Moves a graph of pipes to the position of an earlier pass."""

from ...graph_settings import apply_random_seed
from .._hook_iterator import _SnapshotState


def _simple_graph_snapshot_restoration(datapipe, n_iterations, rng=None):
    """Skips `n_iterations` items; the next iterator continues after them."""
    if datapipe._snapshot_state == _SnapshotState.Restored:
        raise RuntimeError(
            "Snapshot restoration cannot be applied. You can only restore simple snapshot to the graph if your graph "
            "has not been restored."
        )
    datapipe.reset()
    apply_random_seed(datapipe, rng)
    iterator = iter(datapipe)
    for _ in range(n_iterations):
        try:
            next(iterator)
        except StopIteration as error:
            raise RuntimeError(
                f"Fast-forward {datapipe} by {n_iterations} iterations exceeds the number of samples available."
            ) from error
    datapipe._fast_forward_iterator = iterator
    datapipe._snapshot_state = _SnapshotState.Restored
