"""The backend mpi, with ranks from mpirun."""

import os
import shutil
import subprocess
import sys
import textwrap

import mindtorch.distributed as dist
import pytest
from distributed_ranks import run_script_on_ranks

pytestmark = pytest.mark.skipif(
    not (shutil.which("mpirun") and dist.is_mpi_available()), reason="no MPI here, or the library was built without it"
)

MPIRUN = ["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.getuid() == 0 else [])]


def run_under_mpi(script, tmp_path, size=3, timeout=90):
    path = tmp_path / "script.py"
    prelude = (
        "import datetime, os, sys\nimport mindtorch as torch, mindtorch.distributed as dist\n"
        "dist.init_process_group('mpi')\nRANK, WORLD_SIZE = dist.get_rank(), dist.get_world_size()\n"
        f"sys.stdout = open(os.path.join({str(tmp_path)!r}, f'out{{RANK}}'), 'w')\n"
    )
    path.write_text(prelude + textwrap.dedent(script) + "\nsys.stdout.close()\ndist.destroy_process_group()\n")
    ended = subprocess.run(
        [*MPIRUN, "-n", str(size), sys.executable, str(path)], capture_output=True, text=True, timeout=timeout
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return [(tmp_path / f"out{rank}").read_text().splitlines() for rank in range(size)]


SCRIPT = """
    dtypes = (torch.float32, torch.float64, torch.int32, torch.int64, torch.bool, torch.float16, torch.bfloat16,
              torch.uint8, torch.int8)
    for op in "SUM PRODUCT MIN MAX BAND BOR BXOR".split():
        for dtype in dtypes:
            if "B" not in op or not dtype.is_floating_point:
                value = torch.tensor([[1, 2, 3], [3, 2, 1], [2, 7, 0]][RANK]).to(dtype)
                dist.all_reduce(value, getattr(dist.ReduceOp, op)); print(op, value)
    for source in range(3):
        value = torch.arange(3) + 10 * RANK
        dist.broadcast(value, source); print(value)
    value = torch.arange(4) + 10 * RANK
    dist.reduce(value, 1); print(value if RANK == 1 else None)
    outputs = [torch.zeros(2, 2).t() for _ in range(3)]
    dist.all_gather(outputs, torch.arange(4.0).view(2, 2).t() + RANK); print(outputs)
    outputs = [torch.zeros(2) for _ in range(3)] if RANK == 1 else None
    dist.gather(torch.ones(2) * RANK, outputs, 1); print(outputs)
    value = torch.zeros(2)
    dist.scatter(value, [torch.ones(2) * k for k in range(3)] if RANK == 0 else None, 0); print(value)
    dist.reduce_scatter(value, [torch.ones(2) * (k + 1) * (RANK + 1) for k in range(3)]); print(value)
    rows = torch.arange(12.0).view(6, 2) + 100 * RANK
    value = torch.zeros((RANK + 1) * 3, 2)
    dist.all_to_all_single(value, rows, [RANK + 1] * 3, [1, 2, 3]); print(value)
    value = torch.zeros(2, dtype=torch.complex64)
    if RANK == 0:
        dist.send(torch.ones(2, dtype=torch.complex64) * 7j, 1, tag=5)
    if RANK == 1:
        print(dist.recv(value, tag=5), value)
    objects = [None] * 3
    dist.all_gather_object(objects, {"rank": RANK, "list": [1] * (RANK * 50)}); print(objects)
    works = [dist.all_reduce(torch.ones(1000), async_op=True) for _ in range(20)]
    print([work.wait() for work in works])
    print(dist.barrier())
"""


def test_collectives_are_those_of_torchs_gloo(tmp_path):
    assert run_under_mpi(SCRIPT, tmp_path) == run_script_on_ranks("join()\n" + textwrap.dedent(SCRIPT), 3, "torch")


def test_groups_of_some_ranks(tmp_path):
    script = """
        pair = dist.new_group([2, 0])
        value = torch.ones(1) * (RANK + 1)
        if RANK != 1:
            dist.all_reduce(value, group=pair)
        print(value, dist.get_backend())
        """
    assert run_under_mpi(script, tmp_path) == [["tensor([4.]) mpi"], ["tensor([2.]) mpi"], ["tensor([4.]) mpi"]]


def test_a_collective_that_others_do_not_call_ends_with_the_timeout(tmp_path):
    script = """
        dist.barrier()
        if RANK == 0:
            try:
                dist.distributed_c10d._set_pg_timeout(datetime.timedelta(seconds=1))
                dist.all_reduce(torch.ones(2))
            except dist.DistBackendError as error:
                print(error)
        sys.stdout.close()
        os._exit(0)
        """
    path = tmp_path
    with pytest.raises(AssertionError):  # mpirun reports processes that leave without MPI_Finalize
        run_under_mpi(script, path, 2)
    text = 'Timed out waiting 1000ms for the collective to complete (all_reduce number 2 of rank 0 in group "0")'
    assert (path / "out0").read_text().splitlines() == [text]
