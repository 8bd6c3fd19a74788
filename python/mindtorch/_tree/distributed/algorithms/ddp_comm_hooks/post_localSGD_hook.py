"""A communication hook that averages over all processes at first, and later within subgroups only."""

import logging

from ...._root import torch
from ... import distributed_c10d as dist
from . import default_hooks as default

logger = logging.getLogger("torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook")


class PostLocalSGDState:
    """The state of post_localSGD_hook: over which processes gradients are averaged, and until when.

    Args:
        process_group (ProcessGroup or None): the group of the first passes; None is the default one.
        subgroup (ProcessGroup or None): the group afterwards; None is made by new_subgroups.
        start_localSGD_iter (int): the number of the first passes.
        post_local_gradient_allreduce (bool): averages over `subgroup` afterwards; else each process keeps
            its own gradients. Default: ``True``.
    """

    def __init__(self, process_group, subgroup, start_localSGD_iter, post_local_gradient_allreduce=True):
        logger.info("Local SGD will be started after %s iterations", start_localSGD_iter)
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket):
        """Counts a pass when `bucket` is its last one."""
        self.iter += bucket.is_last()
        if self.iter == self.start_localSGD_iter:
            logger.info("Start to apply local SGD after %s iterations.", self.iter)


def post_localSGD_hook(state, bucket):
    """Averages gradients over all processes at first, and then within subgroups only.

    The program averages parameters over all processes itself from then on.

    Args:
        state (PostLocalSGDState): the groups and the number of first passes.
        bucket (GradBucket): the gradients, as one flat tensor.

    Returns:
        Future[Tensor]: the gradients to use.
    """
    if state.iter < state.start_localSGD_iter:
        state.maybe_increase_iter(bucket)
        return default._allreduce_fut(state.process_group, bucket.buffer())
    if not state.post_local_gradient_allreduce:
        future = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future
    if state.subgroup is None:
        state.subgroup, _ = dist.new_subgroups()
    return default._allreduce_fut(state.subgroup, bucket.buffer())
