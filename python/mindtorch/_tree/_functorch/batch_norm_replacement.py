"""Batch norms without running statistics, which functions of functions cannot update."""

from .._root import torch


def batch_norm_without_running_stats(module) -> None:
    if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.track_running_stats:
        module.running_mean = None
        module.running_var = None
        module.num_batches_tracked = None
        module.track_running_stats = False


def replace_all_batch_norm_modules_(root: "torch.nn.Module") -> "torch.nn.Module":
    """Makes every batch norm under a module use the statistics of its batch alone."""
    for module in root.modules():
        batch_norm_without_running_stats(module)
    return root


replace_all_batch_norm_modules_.__module__ = "torch.func"
