"""Batch norms without running statistics, because function transforms cannot update these."""

from __future__ import annotations

from .._root import torch


def batch_norm_without_running_stats(module: torch.nn.modules.module.Module) -> None:
    """Drops the running statistics of a batch norm; does nothing to other modules.

    Args:
        module (Module): the module, changed in place.
    """
    if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.track_running_stats:
        module.running_mean = None
        module.running_var = None
        module.num_batches_tracked = None
        module.track_running_stats = False


def replace_all_batch_norm_modules_(root: "torch.nn.Module") -> "torch.nn.Module":
    """Drops the running statistics of all batch norms in a module, since function transforms cannot update them.

    They then use the statistics of each batch, in evaluation too.

    Args:
        root (Module): the module, changed in place.

    Returns:
        Module: `root`.

    Example:
        >>> model = torch.func.replace_all_batch_norm_modules_(nn.Sequential(nn.BatchNorm1d(2)))
        >>> model[0].running_mean is None
        True
    """
    for module in root.modules():
        batch_norm_without_running_stats(module)
    return root


replace_all_batch_norm_modules_.__module__ = "torch.func"
