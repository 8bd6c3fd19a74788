"""Device meshes match real torch on each rank; names of sharding APIs exist."""

import pytest
from distributed_ranks import assert_same_on_ranks, run_script_on_ranks

MESHES = """
join()
from {torch}.distributed.device_mesh import DeviceMesh, init_device_mesh
warnings.simplefilter("ignore")
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
for part in (mesh, mesh["dp"], mesh["tp"], mesh["dp", "tp"], mesh["tp"]._flatten(), mesh._flatten(), mesh["dp_tp"]):
    print(part, part.mesh.tolist(), part.mesh.dtype, part.shape, part.ndim, part.size(), part.mesh_dim_names,
          part.device_type, part.get_coordinate(), part.get_rank())
    print([dist.get_process_group_ranks(group) for group in part.get_all_groups()])
print(mesh.get_local_rank("dp"), mesh.get_local_rank(1), mesh["tp"].get_local_rank(), mesh.size(0), mesh.size(-1))
print(mesh["dp"] == mesh["dp"], mesh["dp"] == mesh["tp"], hash(mesh["dp"]) == hash(mesh["dp"]))
print(mesh["dp", "tp"] is mesh)
print(mesh.get_group("dp_tp").size(), mesh["tp"].get_group().group_desc, mesh.get_group("tp") is mesh["tp"].get_group())
cube = init_device_mesh("cpu", (2, 1, 2), mesh_dim_names=("a", "b", "c"))
for part in (cube, cube["a", "c"], cube["b"], cube["a", "b"]._flatten("ab"), cube["a", "c"]["c"]):
    print(part, part.mesh.tolist(), part.get_coordinate())
total = torch.full((2,), float(RANK))
dist.all_reduce(total, group=cube.get_group("c"))
print(total.tolist())
given = DeviceMesh("cpu", [[3, 1], [0, 2]])
print(given, given.mesh.tolist(), given.get_coordinate(), given.get_local_rank(0))
part = DeviceMesh("cpu", [1, 3])
print(part, part.get_coordinate())
with mesh:
    pass
shown(lambda: mesh.get_group())
shown(lambda: mesh.get_local_rank())
shown(lambda: mesh["no"])
shown(lambda: mesh["tp", "dp"])
shown(lambda: mesh["dp", "dp_tp"])
shown(lambda: given["dp"])
shown(lambda: given._flatten())
shown(lambda: given.get_group("dp"))
shown(lambda: mesh.get_group("no"))
shown(lambda: cube["a", "c"]._flatten("ab"))
shown(lambda: cube["a", "c"]._flatten("b"))
shown(lambda: init_device_mesh("cpu", (8,)))
shown(lambda: init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "a")))
shown(lambda: init_device_mesh("cpu", (2, 2), mesh_dim_names=("a",)))
shown(lambda: init_device_mesh("cpu:0", (4,)))
"""


def test_meshes_of_four_ranks(oracle):
    ours, theirs = (
        run_script_on_ranks(MESHES.format(torch=library), 4, library, timeout=240) for library in ("mindtorch", "torch")
    )
    assert ours == theirs


def test_a_mesh_starts_the_default_group(oracle):
    # The helper sets RANK and WORLD_SIZE. Each library has its own port, and so its own store.
    assert_same_on_ranks(
        """
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(29620 + ("mindtorch" in torch.__version__)))
        mesh = dist.device_mesh.init_device_mesh("cpu", (1,))
        print(dist.is_initialized(), mesh)
        """,
        world_size=1,
    )


def test_placements_describe_sharding(same_as_oracle):
    same_as_oracle(
        """
import copy, pickle
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.placement_types import _StridedShard
all = [Shard(0), Shard(-1), Replicate(), Partial(), Partial("avg"), _StridedShard(0, split_factor=2)]
for p in all:
    print(repr(p), str(p), p.is_shard(), p.is_shard(0), p.is_replicate(), p.is_partial(), isinstance(p, Placement))
    print([p == other for other in all], pickle.loads(pickle.dumps(p)) == p, copy.deepcopy(p), type(p).__module__)
print(len({Shard(0), Shard(0), Replicate(), Replicate()}), Shard(dim=1).dim, Partial("max").reduce_op)
print(Partial("max").is_partial("max"), Partial("max").is_partial("sum"), isinstance(all, DTensor))
"""
    )


@pytest.mark.parametrize(
    "expression",
    [
        "torch.distributed.autograd.context()",
        "torch.distributed.checkpoint.hf_storage.HuggingFaceStorageReader('x')",
    ],
)
def test_missing_features_raise(run_as_torch, expression):
    module, _, name = expression.partition("(")[0].rpartition(".")
    code = f"import torch, {module}\ntry:\n    {expression}\nexcept NotImplementedError as e:\n    print(e)"
    assert run_as_torch(code).ok() == f"{module}.{name} is not in this build\n"


def test_the_former_name_of_sharded_tensors_means_the_same(run_as_torch):
    code = """
import torch.distributed._tensor as former, torch.distributed.tensor as tensor
from torch.distributed._tensor.experimental import implicit_replication
print(former.DTensor is tensor.DTensor, former.Shard is tensor.Shard, former.zeros is tensor.zeros)
print(implicit_replication is tensor.experimental.implicit_replication, torch.distributed.autograd.is_available())
"""
    assert run_as_torch("import torch, torch.distributed.autograd\n" + code).ok() == "True True True\nTrue False\n"
