"""Operators that no table describes: those that return numbers, and those over lists."""

from ...._root import torch
from ... import _functional_collectives as collectives
from .._layout import is_shard_placement
from .._redistribute import redistribute
from .._dtensor_spec import make_replicated_spec


def _gather_whole_tensor(tensor):
    return redistribute(
        tensor._local_tensor, tensor._spec, make_replicated_spec(tensor._spec.mesh, tensor._spec.tensor_meta)
    )


def _run_item(func, args, kwargs):
    """Returns the only element, of the complete tensor."""
    return _gather_whole_tensor(args[0]).item()


def _run_equal(func, args, kwargs):
    """Returns whether all ranks have equal pieces."""
    first, second = args
    mesh = first._spec.mesh
    if first.shape != second.shape:
        return False
    if first._spec.placements == second._spec.placements:
        same = torch.equal(first._local_tensor, second._local_tensor)
    else:
        same = torch.equal(_gather_whole_tensor(first), _gather_whole_tensor(second))
    flag = torch.tensor(int(same), device=first._local_tensor.device)
    for mesh_dim, placement in enumerate(first._spec.placements):
        if is_shard_placement(placement) or placement.is_partial():
            flag = collectives.all_reduce(flag, "min", (mesh, mesh_dim))
    return bool(flag)


def _run_foreach(func, args, kwargs):
    """Runs the operator for single tensors on each element of the lists."""
    name = func._schema.name.removeprefix("aten::_foreach_")
    single = getattr(torch.ops.aten, _SINGLE.get(name, name))
    lists = [arg for arg in args if isinstance(arg, (list, tuple))]
    count = len(lists[0])
    pick = lambda value, index: value[index] if isinstance(value, (list, tuple)) else value
    by_name = name.rstrip("_") in ("addcmul", "addcdiv")
    results = []
    for index in range(count):
        mine = [pick(arg, index) for arg in args]
        named = {key: pick(value, index) for key, value in kwargs.items()}
        if by_name and len(mine) > 3:
            named["value"] = mine.pop()
            if isinstance(named["value"], torch.Tensor):
                named["value"] = named["value"].item()
        elif name.rstrip("_") in ("add", "sub") and len(mine) > 2:
            named["alpha"] = mine.pop()
        results.append(single(*mine, **named))
    return None if not func._schema.returns else results


_SINGLE = {"norm": "linalg_vector_norm", "maximum": "maximum", "clamp_max": "clamp_max"}


class _Special(dict):
    def get(self, name):
        return _run_foreach if name.startswith("_foreach_") else super().get(name)


SPECIAL = _Special(
    {
        "_local_scalar_dense": _run_item,
        "equal": _run_equal,
        "is_same_size": lambda func, args, kwargs: args[0].shape == args[1].shape,
    }
)
