"""Tensors of every layout, for both libraries, and the outcomes of functions and gradients of them."""

from outcomes import outcome

PLAIN = ["csr", "csc", "bsr", "bsc"]


def make_compressed_tensors(torch):
    """A tensor of each kind; some rows and columns have no elements."""
    dense = torch.arange(16.0).reshape(4, 4)
    dense[1] = 0
    dense[2, 0] = 0
    dense[:, 3] = 0
    dense[3, 3] = 5
    hybrid, batched, empty = torch.stack([dense, dense * 2], -1), torch.stack([dense, dense * 3]), torch.zeros(4, 4)
    made = {"dense": dense, "coo": dense.to_sparse(), "hybrid_coo": hybrid.to_sparse(2)}
    made |= {"batched_coo": batched.to_sparse(), "empty_coo": empty.to_sparse()}
    for name in PLAIN:
        block = {"blocksize": (2, 2)} if name.startswith("b") else {}
        layout = getattr(torch, f"sparse_{name}")
        made[name] = dense.to_sparse(layout=layout, **block)
        made[f"hybrid_{name}"] = hybrid.to_sparse(layout=layout, dense_dim=1, **block)
        made[f"batched_{name}"] = batched.to_sparse(layout=layout, **block)
        made[f"empty_{name}"] = empty.to_sparse(layout=layout, **block)
    csr = made["csr"]
    made["narrow_csr"] = torch.ops.aten._sparse_csr_tensor_unsafe(
        csr.crow_indices().int(), csr.col_indices().int(), csr.values(), [4, 4]
    )
    places, values = torch.tensor([[1, 0, 1], [0, 1, 0]]), torch.tensor([1.0, 2.0, 3.0])
    made["repeated_coo"] = torch.ops.aten._sparse_coo_tensor_unsafe(places, values, [2, 2])
    return made


def differentiate(torch, function, *inputs, like_result=True):
    """The node's name, the result, and the gradients, for an incoming gradient in the result's layout or a dense one.
    """
    inputs = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*inputs)
    if result.grad_fn is None:
        return result.requires_grad, result
    gradient = result.detach() if like_result else torch.ones(result.shape, dtype=result.dtype)
    grads = torch.autograd.grad(result, inputs, gradient, allow_unused=True)
    return type(result.grad_fn).__name__, result.detach(), list(grads)


def run_on_both_libraries(mt, oracle, function):
    """The outcomes of `function(torch, tensors)` here and in torch; for failed assertions within torch, only the
    type."""
    ours, theirs = (
        outcome(lambda torch: function(torch, make_compressed_tensors(torch)), torch)[0] for torch in (mt, oracle)
    )
    if isinstance(theirs, tuple) and "INTERNAL ASSERT" in str(theirs[1]) and isinstance(ours, tuple):
        return ours[0], theirs[0]
    return ours, theirs
