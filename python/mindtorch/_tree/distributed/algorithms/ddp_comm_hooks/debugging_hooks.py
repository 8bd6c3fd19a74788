"""A communication hook for measurements."""

from typing import Any

from ...._root import torch
from ..._reducer import GradBucket

__all__ = ["noop_hook"]


def noop_hook(_: Any, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    """Leaves each process its own gradients, without communication: for measurements.

    Args:
        _ (Any): not looked at.
        bucket (GradBucket): the gradients, as one flat tensor.

    Returns:
        Future[Tensor]: the gradients to use.
    """
    future = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future
