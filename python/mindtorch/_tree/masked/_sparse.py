"""Masked operations of sparse_coo and sparse_csr tensors: elements that the mask stores take part."""

import sys

torch = sys.modules[__package__.rpartition(".")[0]]


def convert_mask_to_layout(mask, input):
    """Returns the mask in the layout and shape of `input`."""
    if mask.shape != input.shape:
        mask = (mask if mask.layout is torch.strided else mask.to_dense()).expand(input.shape)
    if mask.layout is input.layout:
        return mask
    if input.layout is torch.strided:
        return mask.to_dense()
    if mask.layout is torch.strided or mask.layout is torch.sparse_coo:
        return mask.to_sparse(layout=input.layout)
    return mask.to_dense().to_sparse(layout=input.layout)


def where(mask, input, fill_value=0):
    """Returns the elements of `input` where the mask is true; zeros that are not stored count as elements. The value
    fills rows of dense dimensions that the mask has in part."""
    if mask.layout is torch.sparse_csr:
        return where(mask.to_sparse_coo(), input.to_sparse_coo(), fill_value).to_sparse_csr()
    if mask.dense_dim():
        mask = mask.coalesce()
        rows = input.coalesce().sparse_mask(mask).values()
        values = torch.where(mask.values(), rows, fill_value)
        return torch.sparse_coo_tensor(mask.indices(), values, input.shape, is_coalesced=True)
    indices = mask.indices()[:, mask.values()]
    everywhere = torch.ones(indices.size(1), dtype=torch.bool)
    return input.coalesce().sparse_mask(
        torch.sparse_coo_tensor(indices, everywhere, input.shape, is_coalesced=True, check_invariants=False)
    )


def _reduce_dense(name, values, dims, keepdim):
    if name == "prod":
        for d in reversed(dims):
            values = values.prod(d, keepdim=keepdim)
        return values
    return getattr(torch, name)(values, dims, keepdim) if dims else values


def _reduce_first_dim(name, values, identity):
    """Reduces along the first dimension; returns the identity if it is empty."""
    if not values.size(0):
        return identity.expand(values.shape[1:]).clone()
    return _reduce_dense(name, values, (0,), keepdim=False)


def _reduce_by_index(name, indices, values):
    """Reduces elements with equal indices; returns sorted unique indices and a value for each."""
    places, which = torch.unique(indices, dim=1, return_inverse=True)
    index = which.view(-1, *(1 for _ in values.shape[1:])).expand_as(values)
    empty = values.new_zeros((places.size(1), *values.shape[1:]))
    return places, empty.scatter_reduce(0, index, values, name, include_self=False)


def reduce_stored_elements(name, input, dims, keepdim, dtype, identity):
    """Returns the sum, prod, amax or amin (by name) of the stored elements over `dims`, in the layout of `input`."""
    if input.layout is torch.sparse_csr:
        if not keepdim:
            error = RuntimeError if name in ("sum", "prod") else AssertionError
            raise error("reduction operations on CSR tensors with keepdim=False is unsupported")
        indices, values, shape = _reduce_values(name, input.to_sparse_coo(), dims, True, dtype, identity)
        return torch.sparse_coo_tensor(indices, values, shape, is_coalesced=True).to_sparse_csr()
    input = input.coalesce()
    if input.dim() == 0:  # dimension 0 is accepted, and reduces nothing
        return torch.sparse_coo_tensor(input.indices(), input.values().to(dtype), input.shape)
    if set(range(input.sparse_dim())) <= set(dims):
        values = _reduce_dense(name, input.values().to(dtype), _dense_dims_among(input, dims), keepdim)
        dense = _reduce_first_dim(name, values, identity.to(dtype))
        return (dense[(None,) * input.sparse_dim()] if keepdim else dense).to_sparse()
    indices, values, shape = _reduce_values(name, input, dims, keepdim, dtype, identity)
    return torch.sparse_coo_tensor(indices, values, shape)


def _dense_dims_among(input, dims):
    """Returns the dense dimensions among `dims`, as dimensions of the values."""
    return tuple(d + 1 - input.sparse_dim() for d in dims if d >= input.sparse_dim())


def _reduce_values(name, input, dims, keepdim, dtype, identity):
    values = _reduce_dense(name, input.values().to(dtype), _dense_dims_among(input, dims), keepdim)
    shape = [1 if d in dims else size for d, size in enumerate(input.shape) if keepdim or d not in dims]
    sparse = [d for d in dims if d < input.sparse_dim()]
    indices = input.indices()
    if not sparse:
        return indices, values, shape
    if keepdim:
        indices = indices.clone()
        indices[sparse] = 0
    else:
        indices = indices[[d for d in range(input.sparse_dim()) if d not in sparse]]
    return (*_reduce_by_index(name, indices, values), shape)
