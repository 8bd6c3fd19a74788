"""A communication hook that averages over all processes at first, and then within subgroups only."""

import logging

from ...._root import torch
from ... import distributed_c10d as dist
from . import default_hooks as default

logger = logging.getLogger("torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook")


class PostLocalSGDState:
    """Averages over `process_group` for `start_localSGD_iter` passes, then over `subgroup` (None: this machine's).

    With `post_local_gradient_allreduce` False, gradients then stay those of each process.
    """

    def __init__(self, process_group, subgroup, start_localSGD_iter, post_local_gradient_allreduce=True):
        logger.info("Local SGD will be started after %s iterations", start_localSGD_iter)
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket):
        """Counts a pass at its last bucket."""
        self.iter += bucket.is_last()
        if self.iter == self.start_localSGD_iter:
            logger.info("Start to apply local SGD after %s iterations.", self.iter)


def post_localSGD_hook(state, bucket):
    """Averages the bucket as the state says. Parameters are to be averaged now and then by somebody else."""
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
