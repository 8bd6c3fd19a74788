"""Collectives as operators (torch.ops._c10d_functional and others), in a group of one process."""

PROGRAM = """
import torch, torch.distributed as dist
import torch.distributed._functional_collectives

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
group, x = dist.group.WORLD.group_name, torch.arange(3.0)
ops, older = torch.ops._c10d_functional, torch.ops.c10d_functional
gradient, wait = torch.ops._c10d_functional_autograd, ops.wait_tensor


def show(value):
    if isinstance(value, list):
        return [show(one) for one in value]
    return wait(value).tolist()


"""
CALLS = {
    "all_reduce": 'show(ops.all_reduce(x, "sum", group))',
    "all_reduce in place": 'r = ops.all_reduce_(x, "sum", group)\nprint(r is x, show(r))',
    "all_reduce of a list": 'show(ops.all_reduce_coalesced([x, x + 1], "max", group))',
    "all_gather": "show(ops.all_gather_into_tensor(x, 1, group))",
    "all_gather into a tensor": "o = torch.empty(3)\nshow(ops.all_gather_into_tensor_out(x, 1, group, out=o)), show(o)",
    "all_gather of a list": "show(ops.all_gather_into_tensor_coalesced([x, x + 1], 1, group))",
    "reduce_scatter": 'show(ops.reduce_scatter_tensor(x, "sum", 1, group))',
    "reduce_scatter of a list": 'show(ops.reduce_scatter_tensor_coalesced([x, x + 1], "sum", 1, group))',
    "broadcast": "show(ops.broadcast(x, 0, group))",
    "all_to_all": "show(ops.all_to_all_single(x, [3], [3], group))",
    "older forms": 'show(older.all_reduce(x, "sum", "", [0], 1)), show(older.all_gather_into_tensor(x, "", [0], 1))',
    "older lists": 'show(older.all_reduce_coalesced([x, x], "sum", "", [0], 1))',
    "older exchange": 'show(older.all_to_all_single(x, None, None, "", [0], 1))',
    "older broadcast": 'show(older.broadcast(x, 0, "", [0], 1))',
    "gradient of the wrapper": "x.requires_grad_()\nops._wrap_tensor_autograd(2 * x).sum().backward()\nx.grad.tolist()",
    "names": "str(ops.all_reduce.default), str(torch.ops.c10d.scatter_.default)",
    "unknown group": 'try: ops.all_reduce(x, "sum", "nothing")\nexcept RuntimeError as error: print(error)',
    "unknown operator": 'hasattr(torch.ops._c10d_functional, "nothing"), hasattr(torch.ops.c10d, "nothing")',
}  # fmt: skip


def test_collective_operators_give_torchs_results(same_as_oracle):
    program = PROGRAM
    for name, call in CALLS.items():
        *lines, last = call.split("\n")
        shown = last if last.startswith(("print(", "except ")) else f"print({name!r}, {last})"
        program += "\n".join(["x = torch.arange(3.0)", *lines, shown, ""])
    same_as_oracle(program + "dist.destroy_process_group()")


def test_gradient_of_a_gathered_tensor_is_that_of_its_piece(run_as_torch):
    lines = "\nx.requires_grad_()\ngradient.all_gather_into_tensor(x, 1, group).square().sum().backward()\n"
    assert run_as_torch(PROGRAM + lines + "print(x.grad.tolist())").ok() == "[0.0, 2.0, 4.0]\n"


def test_operators_of_group_objects_refuse_calls_by_name(run_as_torch):
    lines = "\ntry: torch.ops.c10d.scatter_([x], [[x]], None, 0)\nexcept NotImplementedError as error: print(error)\n"
    assert "c10d::scatter_" in run_as_torch(PROGRAM + lines).ok()
