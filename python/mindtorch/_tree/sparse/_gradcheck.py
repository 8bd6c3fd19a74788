"""gradcheck of sparse inputs: passes their values, dense tensors, and makes sparse tensors for the function."""

from .._root import torch
from .._tensor import Tensor


class _Sparse:
    """Everything of a sparse tensor except its values, between two arguments of gradcheck."""

    def __init__(self, tensor):
        self.layout, self.shape = tensor.layout, tensor.shape
        if self.layout is torch.sparse_coo:
            self.indices, self.coalesced = tensor._indices(), tensor.is_coalesced()
        else:
            self.indices = torch._utils._compressed_and_plain_indices(tensor)

    def make_tensor_from(self, values):
        if self.layout is torch.sparse_coo:
            return torch.sparse_coo_tensor(self.indices, values, self.shape, is_coalesced=self.coalesced)
        return torch.sparse_compressed_tensor(*self.indices, values, self.shape, layout=self.layout)


def _is_sparse_leaf_to_check(argument):
    return isinstance(argument, Tensor) and argument.requires_grad and argument.layout is not torch.strided


def _store_all_elements(tensor):
    """Returns the same elements, with zeros in place of those that were not stored."""
    blocked = tensor.layout in (torch.sparse_bsr, torch.sparse_bsc)
    batch = 0 if tensor.layout is torch.sparse_coo else torch._utils._compressed_and_plain_indices(tensor)[0].dim() - 1
    options = {"layout": tensor.layout, "dense_dim": tensor.dense_dim()}
    if blocked:
        options["blocksize"] = tuple(tensor.values().shape[batch + 1 : batch + 3])
    everywhere = torch.ones(tensor.shape, device=tensor.device, dtype=torch.bool).to_sparse(**options)
    return tensor.to_dense().sparse_mask(everywhere)


def _split_into_components(arguments, masked):
    parts = []
    for argument in arguments:
        if not _is_sparse_leaf_to_check(argument):
            parts.append(argument)
            continue
        sparse = argument.detach() if masked else _store_all_elements(argument.detach())
        values = sparse._values() if sparse.layout is torch.sparse_coo else sparse.values()
        parts += [_Sparse(sparse), values.detach().requires_grad_()]
    return tuple(parts)


def _join_components(parts):
    whole, i = [], 0
    while i < len(parts):
        part = parts[i]
        i += 1
        if isinstance(part, _Sparse):
            part = part.make_tensor_from(parts[i])
            i += 1
        whole.append(part)
    return whole


def _densify_results(results, masked):
    def densify(result):
        return result.to_dense(masked_grad=masked) if _is_sparse_leaf_to_check(result) else result

    if isinstance(results, (list, tuple)):
        return tuple(densify(result) for result in results)
    return densify(results)


def with_sparse_support(gradcheck):
    """Implements torch.sparse.as_sparse_gradcheck."""

    def gradcheck_with_sparse_support(func, inputs, **kwargs):
        masked = kwargs.pop("masked", False)

        def func_of_values(*parts):
            return _densify_results(func(*_join_components(parts)), masked)

        arguments = inputs if isinstance(inputs, (list, tuple)) else (inputs,)
        return gradcheck(func_of_values, _split_into_components(arguments, masked), **kwargs)

    return gradcheck_with_sparse_support
