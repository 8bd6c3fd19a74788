"""Communication hooks that average gradients, in their own precision or in half."""

from ...._root import torch
from ... import distributed_c10d as dist
from ..._reducer import GradBucket

__all__ = [
    "allreduce_hook",
    "fp16_compress_hook",
    "bf16_compress_hook",
    "fp16_compress_wrapper",
    "bf16_compress_wrapper",
]


def _all_reduce_average(process_group, tensor):
    """Returns a future of the list of the one tensor, divided in place before the sum, so that half types do not
    overflow."""
    group = process_group if process_group is not None else dist.group.WORLD
    tensor.div_(group.size())
    return dist.all_reduce(tensor, group=group, async_op=True).get_future()


def _allreduce_fut(process_group, tensor):
    return _all_reduce_average(process_group, tensor).then(lambda future: future.value()[0])


def allreduce_hook(process_group: dist.ProcessGroup, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    """Averages gradients over all processes, as DistributedDataParallel does without a hook.

    Args:
        process_group (ProcessGroup or None): the group; None is the default one.
        bucket (GradBucket): the gradients, as one flat tensor.

    Returns:
        Future[Tensor]: the gradients to use.
    """
    return _allreduce_fut(process_group, bucket.buffer())


def _compress_hook(dtype, process_group, bucket):
    buffer = bucket.buffer()
    return _all_reduce_average(process_group, buffer.to(dtype)).then(lambda future: buffer.copy_(future.value()[0]))


def fp16_compress_hook(process_group: dist.ProcessGroup, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    """Averages gradients over all processes, in float16 on the way.

    Args:
        process_group (ProcessGroup or None): the group; None is the default one.
        bucket (GradBucket): the gradients, as one flat tensor.

    Returns:
        Future[Tensor]: the gradients to use.
    """
    return _compress_hook(torch.float16, process_group, bucket)


def bf16_compress_hook(process_group: dist.ProcessGroup, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    """Averages gradients over all processes, in bfloat16 on the way.

    Args:
        process_group (ProcessGroup or None): the group; None is the default one.
        bucket (GradBucket): the gradients, as one flat tensor.

    Returns:
        Future[Tensor]: the gradients to use.
    """
    return _compress_hook(torch.bfloat16, process_group, bucket)


def _make_compressing_hook(hook, dtype):
    def reduce_compressed(hook_state, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
        bucket.set_buffer(bucket.buffer().to(dtype))
        return hook(hook_state, bucket).then(lambda future: bucket.buffer().copy_(future.value()))

    return reduce_compressed


def fp16_compress_wrapper(hook):
    """Makes a hook that gives another one the gradients in float16, and casts the result back.

    Args:
        hook (Callable): ``hook(state, bucket)``.

    Returns:
        Callable: the hook.
    """
    wrapper = _make_compressing_hook(hook, torch.float16)
    wrapper.__name__ = "fp16_compress_wrapper_hook"
    return wrapper


def bf16_compress_wrapper(hook):
    """Makes a hook that gives another one the gradients in bfloat16, and casts the result back.

    Args:
        hook (Callable): ``hook(state, bucket)``.

    Returns:
        Callable: the hook.
    """
    wrapper = _make_compressing_hook(hook, torch.bfloat16)
    wrapper.__name__ = "bf16_compress_wrapper_hook"
    return wrapper
