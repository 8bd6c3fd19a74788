"""torch's Triton kernels for block-sparse matrices: there are none, and so the names of those that torch has only
with Triton are None, as in a build of torch without it."""

from .._absent_device import define_refusing_functions
from .._root import torch

bsr_dense_mm = bsr_softmax = sampled_addmm = _scaled_dot_product_attention = None


def broadcast_batch_dims(f_name, *tensors):
    """Returns the shape that all dimensions of some matrices but the last two broadcast to.

    Args:
        f_name (str): the function that an error names.
        *tensors (Tensor): matrices, or batches of them.

    Returns:
        torch.Size: the shape.

    Raises:
        ValueError: when they do not broadcast.
    """
    try:
        return torch.broadcast_shapes(*(tensor.shape[:-2] for tensor in tensors))
    except RuntimeError:
        raise ValueError(f"{f_name}(): inputs' batch dimensions are not broadcastable!") from None


def tile_to_blocksize(t, blocksize):
    """Returns a matrix as a matrix of blocks.

    Args:
        t (Tensor): a matrix, or a batch of them, of shape (\\*, m, n).
        blocksize (tuple of int): rows and columns of a block, (r, c).

    Returns:
        Tensor: a view of shape (\\*, m / r, n / c, r, c).
    """
    *batch, rows, columns = t.shape
    height, width = blocksize
    return t.view([*batch, rows // height, height, columns // width, width]).transpose(-3, -2)


define_refusing_functions(
    __name__,
    (
        "bsr_dense_addmm(input, bsr, dense, *, beta=1, alpha=1, left_alpha=None, right_alpha=None, out=None, "
        "skip_checks=False, max_grid=None, meta=None)",
        "bsr_scatter_mm(bsr, other, indices_data=None, out=None)",
        "launch_kernel(kernel, tensor_dims_map, full_grid, grid_blocks=None)",
        "prepare_inputs(bsr, *dense_tensors)",
        "ptr_stride_extractor(*tensors)",
        "scatter_mm(blocks, others, indices_data, *, accumulators=None)",
    ),
    NotImplementedError,
    "torch.sparse._triton_ops.{name}: there are no Triton kernels",
)
