"""Process groups and stores with real torch on one end."""

import subprocess
import sys

import pytest
from distributed_ranks import run_script_on_ranks

IMPORTS = {"torch": "import torch", "mindtorch": "import mindtorch as torch, mindtorch.distributed"}

SERVER = """
store = torch.distributed.TCPStore("127.0.0.1", 0, None, True)
print(store.port, flush=True)
sys.stdin.read()
"""

CLIENT = """
dist = torch.distributed
seconds = lambda number: datetime.timedelta(seconds=number)
store = dist.TCPStore("127.0.0.1", int(sys.argv[1]), None, False, seconds(5))

def print_result_or_error(function, *arguments):
    try:
        print(function(*arguments))
    except Exception as error:
        print(type(error).__name__, error)

store.set("a", "b")
print_result_or_error(store.get, "a")
print_result_or_error(store.add, "n", 5)
print_result_or_error(store.add, "n", -2)
print_result_or_error(store.check, ["a"])
print_result_or_error(store.check, ["a", "absent"])
print_result_or_error(store.compare_set, "a", "b", "c")
print_result_or_error(store.compare_set, "q", "x", "y")
print_result_or_error(store.delete_key, "a")
print_result_or_error(store.num_keys)
store.append("n", "7"); store.multi_set(["x", "y"], [b"\\xff\\x00", ""])
print_result_or_error(store.multi_get, ["n", "x", "y"])
store.queue_push("k", "v")
print_result_or_error(store.queue_len, "k")
print_result_or_error(store.queue_pop, "k")
print_result_or_error(store.queue_pop, "k", False)
print(sorted(store.list_keys()))
print_result_or_error(store.wait, ["never"], seconds(0.3))
print_result_or_error(store.barrier, "one", 1, seconds(1))
print_result_or_error(store.barrier, "two", 2, seconds(0.3))
store.set("big", "x" * (3 << 20)); print(len(store.get("big")))
print_result_or_error(store.clone().get, "n")
"""


def python_command(library, text, **options):
    return [sys.executable, "-c", f"import datetime, sys\n{IMPORTS[library]}\n{text}"], options


def run_client(server, client):
    """The output of a client that talks to a server."""
    command, _ = python_command(server, SERVER)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            command, _ = python_command(client, CLIENT)
            command.append(process.stdout.readline().strip())
            ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        finally:
            process.kill()
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_tcp_store_serves_and_is_served_by_real_torch():
    expected = run_client("torch", "torch")
    assert len(expected.splitlines()) == 19
    for server, client in (("torch", "mindtorch"), ("mindtorch", "torch"), ("mindtorch", "mindtorch")):
        assert run_client(server, client) == expected, (server, client)


@pytest.mark.parametrize("libraries", [("torch", "torch", "mindtorch", "mindtorch"), ("mindtorch", "torch") * 2])
def test_ranks_of_both_libraries_compute_together(libraries):
    script = """
        join()
        value = torch.arange(100003.0) * (RANK + 1)
        dist.all_reduce(value); print(float(value.double().sum()))
        value = torch.ones(1000, dtype=torch.bfloat16) * (RANK + 1)
        dist.all_reduce(value, dist.ReduceOp.MAX); print(value.unique())
        value = torch.full((5,), float(RANK)); dist.broadcast(value, 2); print(value)
        outputs = [torch.zeros(2) for _ in range(4)]; dist.all_gather(outputs, torch.ones(2) * RANK); print(outputs)
        value = torch.ones(3) * RANK; dist.reduce(value, 1); print(value if RANK == 1 else None)
        outputs = [torch.zeros(1) for _ in range(4)] if RANK == 3 else None
        dist.gather(torch.ones(1) * RANK, outputs, 3); print(outputs)
        value = torch.zeros(1); dist.scatter(value, [torch.ones(1) * k for k in range(4)] if RANK == 0 else None, 0)
        print(value)
        value = torch.zeros(4); dist.all_to_all_single(value, torch.arange(4.0) + 10 * RANK); print(value)
        value = torch.zeros(2); dist.reduce_scatter(value, [torch.ones(2) * (RANK + 1) * k for k in range(4)])
        print(value)
        dist.reduce_scatter_single(value, torch.arange(8.0) * (RANK + 1)); print(value)
        dist.barrier()
        value = torch.zeros(2)
        if RANK == 0:
            dist.send(torch.ones(2) * 7, 1)
        if RANK == 1:
            dist.recv(value, 0)
        print(value)
        objects = [None] * 4; dist.all_gather_object(objects, ("rank", RANK)); print(objects)
        dist.barrier()
        """
    assert run_script_on_ranks(script, 4, libraries) == run_script_on_ranks(script, 4, "torch")
