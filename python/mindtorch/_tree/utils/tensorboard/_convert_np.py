"""Converts logged values to arrays."""

import numpy as np

from ..._root import torch


def make_np(x):
    """Converts a tensor, an array or a number to an array; a meta tensor, which has no values, to one random number."""
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if not isinstance(x, torch.Tensor):
        raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")
    if x.is_meta:
        return np.random.randn(1)
    return (x.half() if x.dtype == torch.bfloat16 else x).detach().cpu().numpy()
