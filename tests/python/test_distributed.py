"""torch.distributed over TCP.

Stores, groups, collectives, messages; each script's output is that of real torch's gloo.
"""

import datetime
import os
import socket
import subprocess
import sys
import threading
import time

import mindtorch as torch
import mindtorch.distributed as dist
import pytest
from distributed_ranks import assert_same_on_ranks, run_script_on_ranks


def test_questions_before_there_is_a_group():
    assert_same_on_ranks(
        """
        shown(dist.is_available); shown(dist.is_initialized)
        for call in (dist.get_rank, dist.get_world_size, dist.get_backend, dist.barrier):
            shown(call)
        shown(dist.all_reduce, torch.ones(2))
        shown(dist.destroy_process_group); shown(dist.new_group)
        shown(dist.get_node_local_rank); shown(dist.get_node_local_rank, 3)
        shown(dist.is_backend_available, "gloo"); shown(dist.is_backend_available, "nccl")
        shown(dist.is_gloo_available)
        shown(dist.Backend, "GLOO"); shown(dist.Backend, 3); shown(dist.get_default_backend_for_device, "cpu")
        shown(dist.init_process_group, "gloo", init_method="nothing://")
        shown(dist.init_process_group, "gloo", rank=0, world_size=1)
        shown(dist.init_process_group, "gloo", init_method="tcp://localhost")
        shown(dist.init_process_group, "gloo", init_method="file://")
        shown(dist.init_process_group, "gloo", init_method="tcp://localhost:1?rank=0", rank=0, world_size=1)
        shown(dist.init_process_group, "gloo", timeout=3)
        shown(dist.init_process_group, "nccl", store=dist.HashStore(), rank=0, world_size=1)
        shown(dist.init_process_group, "gloo", store=dist.HashStore(), rank=-1, world_size=1)
        print(sorted(name for name in dir(dist.ReduceOp.SUM) if name in ("name", "value")), dist.ReduceOp.SUM,
              repr(dist.ReduceOp.MAX), int(dist.ReduceOp.AVG), pickle.loads(pickle.dumps(dist.ReduceOp.MIN)))
        """,
        1,
        environment={"MASTER_ADDR": ""},
    )


def test_a_group_knows_its_ranks_and_names():
    assert_same_on_ranks(
        """
        join()
        print(dist.get_rank(), dist.get_world_size(), dist.get_backend(), dist.get_backend_config())
        world = dist.group.WORLD
        print(world.name(), world.group_name, world.group_desc, world.rank(), world.size(), dist.get_pg_count())
        shown(join)
        print(dist.get_process_group_ranks(None), dist.get_process_group_ranks(world))
        alone = dist.new_group([1], use_local_synchronization=True)
        print(alone is None, RANK)
        dist.destroy_process_group()
        print(dist.is_initialized())
        """
    )


def test_a_group_without_a_named_backend():
    assert_same_on_ranks(
        """
        store = dist.HashStore()
        dist.init_process_group(store=store, rank=0, world_size=1)
        print(dist.get_backend(), dist.get_backend_config())
        part = dist.new_group([0])
        print(dist.get_backend(part), dist.get_backend_config(part))
        """,
        1,
    )


@pytest.mark.parametrize("size", [2, 3])
def test_reductions_of_every_operation_and_dtype(size):
    assert_same_on_ranks(
        """
        join()
        dtypes = (torch.float32, torch.float64, torch.int32, torch.int64, torch.bool, torch.float16, torch.bfloat16,
                  torch.complex64, torch.uint8, torch.int16, torch.int8, torch.float8_e4m3fn)
        for op in "SUM AVG PRODUCT MIN MAX BAND BOR BXOR".split():
            for dtype in dtypes:
                value = torch.tensor([[1, 2, 3], [3, 2, 1], [2, 7, 0]][RANK]).to(dtype)
                shown(lambda: (dist.all_reduce(value, getattr(dist.ReduceOp, op)), value)[1])
        value = torch.arange(6.0).view(2, 3).t() + RANK
        print(dist.all_reduce(value), value, value._version)
        for shape in ((0,), (), (3, 0)):
            value = torch.ones(shape)
            dist.all_reduce(value); print(value)
        leaf = torch.ones(2, requires_grad=True)
        dist.all_reduce(leaf); print(leaf)
        value = torch.arange(4) + 10 * RANK
        dist.reduce(value, 1); print(value if RANK == 1 else None)
        shown(dist.all_reduce, [torch.ones(2)]); shown(dist.reduce, torch.ones(2), 7)
        big = torch.arange(200_003) % 1000 + RANK
        dist.all_reduce(big); print(int((big * torch.arange(200_003)).sum()))
        """,
        size,
    )


def test_sums_have_the_same_bits_on_every_rank_and_on_real_torch():
    ranks = assert_same_on_ranks(
        """
        import hashlib
        join()
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
            for size in (1, 7, 5000, 300_000):
                torch.manual_seed(RANK)
                value = torch.randn(size).to(dtype)
                dist.all_reduce(value)
                print(dtype, size, hashlib.sha1(value.to(torch.float64).numpy().tobytes()).hexdigest())
        """,
        3,
    )
    assert ranks[0] == ranks[1] == ranks[2] and len(ranks[0]) == 16


@pytest.mark.parametrize("size", [2, 3])
def test_collectives_that_move_tensors(size):
    assert_same_on_ranks(
        """
        join()
        n = WORLD_SIZE
        for source in range(n):
            value = torch.arange(3) + 10 * RANK
            dist.broadcast(value, source); print(value)
        value = torch.arange(6).view(2, 3).t() + 10 * RANK
        dist.broadcast(value, group_src=1); print(value)
        shown(dist.broadcast, torch.ones(2)); shown(dist.broadcast, torch.ones(2), 9)
        outputs = [torch.zeros(2) for _ in range(n)]
        print(dist.all_gather(outputs, torch.ones(2) * RANK), outputs)
        outputs = [torch.zeros(2, 2).t() for _ in range(n)]
        dist.all_gather(outputs, torch.arange(4.0).view(2, 2).t() + RANK); print(outputs)
        for wrong in ([torch.zeros(2)] * (n + 1), [torch.zeros(3)] * n, [torch.zeros(2).long()] * n):
            shown(dist.all_gather, wrong, torch.ones(2))
        output = torch.zeros(2 * n)
        shown(dist.all_gather_into_tensor, output, torch.ones(2) * RANK); print(output)
        shown(dist.all_gather_single, torch.zeros(2 * n + 1), torch.ones(2))
        shown(dist.all_gather_single, torch.zeros(2 * n).long(), torch.ones(2))
        output = torch.zeros(2)
        dist.reduce_scatter(output, [torch.ones(2) * (k + 1) * (RANK + 1) for k in range(n)]); print(output)
        shown(dist.reduce_scatter_tensor, output, torch.arange(2.0 * n)); print(output)
        outputs = [torch.zeros(2) for _ in range(n)] if RANK == 1 else None
        dist.gather(torch.ones(2) * RANK, outputs, 1); print(outputs)
        shown(dist.gather, torch.ones(2), [torch.zeros(2)] * n if RANK != 0 else None, 0)
        inputs = [torch.ones(2) * k for k in range(n)] if RANK == 0 else None
        dist.scatter(output, inputs, 0); print(output)
        shown(dist.scatter, output, [torch.zeros(2)] * n if RANK != 0 else None, 0)
        outputs = [torch.zeros(1) for _ in range(n)]
        dist.all_to_all(outputs, [torch.ones(1) * (10 * RANK + k) for k in range(n)]); print(outputs)
        output = torch.zeros(2 * n)
        dist.all_to_all_single(output, torch.arange(2.0 * n) + 10 * RANK); print(output)
        sizes = [k + 1 for k in range(n)]
        received = [RANK + 1] * n
        output = torch.zeros(sum(received), 2)
        rows = torch.arange(2.0 * sum(sizes)).view(-1, 2) + 100 * RANK
        dist.all_to_all_single(output, rows, received, sizes)
        print(output)
        shown(dist.all_to_all_single, torch.zeros(4), torch.arange(4.0), [1] * n, [1] * n)
        print(dist.barrier(), dist.monitored_barrier())
        """,
        size,
    )


def test_asynchronous_work():
    assert_same_on_ranks(
        """
        join()
        value = torch.arange(4.0) + RANK
        work = dist.all_reduce(value, async_op=True)
        print(work.wait(), work.is_completed(), work.result(), work.get_future().value(), value)
        doubled = dist.all_reduce(value, async_op=True).get_future().then(lambda future: future.value()[0] * 2)
        print(doubled.wait())
        works = [dist.all_reduce(torch.ones(1000), async_op=True) for _ in range(20)]
        works += [dist.broadcast(torch.ones(3), 0, async_op=True), dist.barrier(async_op=True)]
        print([work.wait() for work in works])
        """
    )


def test_messages():
    assert_same_on_ranks(
        """
        join()
        other = 1 - RANK
        value = torch.zeros(2)
        if RANK == 0:
            dist.send(torch.ones(2) * 7, 1)
            print(dist.isend(torch.ones(2, 2) * 8, 1, tag=3).wait())
        else:
            print(dist.recv(value, 0), value)
            square = torch.zeros(2, 2)
            print(dist.recv(square, tag=3), square)
        value = torch.zeros(3)
        ops = [dist.P2POp(dist.isend, torch.ones(3) * RANK, other), dist.P2POp(dist.irecv, value, other)]
        print(ops[0])
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        print(value)
        shown(dist.send, value, RANK); shown(dist.P2POp, dist.all_reduce, value, 1); shown(dist.batch_isend_irecv, [])
        shown(dist.send, [value], other); shown(dist.isend, value); shown(dist.send, torch.ones(2, 2).t(), other)
        shown(dist.recv, torch.ones(2, 2).t(), other)
        big = torch.full((2_000_000,), float(RANK))
        receiving = dist.irecv(into := torch.empty(2_000_000), other)
        dist.send(big, other)
        receiving.wait(); print(into.sum())
        """
    )


def test_groups_of_some_ranks():
    assert_same_on_ranks(
        """
        join()
        pair = dist.new_group([2, 0])
        value = torch.ones(1) * (RANK + 1)
        shown(dist.all_reduce, value, group=pair); print(value)
        shown(dist.get_rank, pair); shown(dist.get_world_size, pair)
        shown(dist.get_process_group_ranks, pair) if RANK != 1 else None
        if RANK != 1:
            print(dist.get_group_rank(pair, 2), dist.get_global_rank(pair, 0), dist.get_global_rank(pair, 1))
            value = torch.ones(1) * RANK
            dist.broadcast(value, 2, group=pair); print(value)
            dist.broadcast(value, group=pair, group_src=0); print(value)
            print(pair.group_name, pair.group_desc, dist.get_backend(pair))
        shown(dist.new_group, [0, 0]); shown(dist.new_group, [0, 5]); shown(dist.new_group, [0, 1, 2, 3])
        mine, every = dist.new_subgroups_by_enumeration([[0], [1, 2]])
        value = torch.ones(1) * RANK
        dist.all_reduce(value, group=mine); print(value, len(every))
        shown(dist.new_subgroups); shown(dist.new_subgroups, 2); shown(dist.new_subgroups, 0)
        shown(dist.new_subgroups, 9)
        unsorted = dist.new_group([2, 1, 0], sort_ranks=False)
        print(dist.get_rank(unsorted), dist.get_process_group_ranks(unsorted))
        dist.destroy_process_group(unsorted)
        dist.destroy_process_group()
        """,
        3,
    )


def test_objects():
    assert_same_on_ranks(
        """
        join()
        outputs = [None, None]
        dist.all_gather_object(outputs, {"rank": RANK, "list": [1] * (RANK * 50)}); print(outputs)
        outputs = [None, None] if RANK == 0 else None
        dist.gather_object(("from", RANK), outputs, 0); print(outputs)
        objects = [RANK, "a" * RANK, {1: 2}] if RANK == 1 else [None] * 3
        dist.broadcast_object_list(objects, 1); print(objects)
        output = [None]
        dist.scatter_object_list(output, ["x", {"y": 1}] if RANK == 0 else None, 0); print(output)
        shown(dist.scatter_object_list, [], None, 0)
        if RANK == 0:
            dist.send_object_list([1, "two"], 1)
        else:
            objects = [None, None]
            print(dist.recv_object_list(objects, 0), objects)
        tensors = [torch.arange(3) + RANK]
        dist.broadcast_object_list(tensors, 0); print(tensors)
        """
    )


def test_coalesced_collectives_run_when_the_manager_ends():
    assert_same_on_ranks(
        """
        join()
        from importlib import import_module
        manager = import_module(dist.__name__ + ".distributed_c10d")._coalescing_manager
        tensors = [torch.ones(k + 1) * (RANK + 1) for k in range(3)]
        with manager():
            for tensor in tensors:
                dist.all_reduce(tensor)
        print(tensors)
        with manager(async_ops=True) as waiting:
            outputs = [torch.zeros(2 * k) for k in (1, 2)]
            for output, k in zip(outputs, (1, 2)):
                dist.all_gather_single(output, torch.ones(k) * RANK)
        waiting.wait(); print(outputs)
        shown(dist.all_reduce_coalesced, tensors); print(tensors)
        """
    )


def test_a_process_that_dies_ends_the_waiting_of_the_others():
    script = """
        join()
        dist.barrier()
        if RANK == 1:
            os._exit(0)
        begin = datetime.datetime.now()
        try:
            dist.all_reduce(torch.ones(2))
        except RuntimeError as error:
            print("rank 1 is gone" in str(error), (datetime.datetime.now() - begin).seconds < 20)
        """
    assert run_script_on_ranks(script) == [["True True"], []]


def test_a_collective_that_others_do_not_call_ends_with_the_timeout():
    script = """
        join(timeout=2)
        if RANK == 0:
            try:
                dist.all_reduce(torch.ones(2))
            except RuntimeError as error:
                print(error)
        else:
            import time; time.sleep(4)
        """
    text = "Timed out waiting 2000ms for recv operation to complete"
    assert run_script_on_ranks(script) == [[f'{text} (all_reduce number 1 of rank 0 in group "0")'], []]


def test_monitored_barrier_names_the_rank_that_is_missing():
    script = """
        join()
        if RANK != 2:
            try:
                dist.monitored_barrier(timeout=datetime.timedelta(seconds=2))
            except RuntimeError as error:
                print(str(error).splitlines()[0])
        else:
            import time; time.sleep(3)
        """
    lines = run_script_on_ranks(script, 3)
    assert lines[0] == ["[Rank 0]: Rank 2 failed to pass monitoredBarrier in 2000 ms"]


STORE = """
    shown(store.set, "a", "b"); shown(store.get, "a"); shown(store.add, "n", 3); shown(store.add, "n", 4)
    shown(store.get, "n"); shown(store.check, ["a", "z"]); shown(store.check, ["a", "n"])
    shown(store.compare_set, "k", "", "v"); shown(store.compare_set, "k", "x", "w")
    shown(store.compare_set, "k", "v", "w")
    shown(store.set, "bytes", b"\\xff\\x00"); shown(store.get, "bytes"); shown(store.delete_key, "a")
    shown(store.timeout.__str__); shown(store.append, "k", "zz"); shown(store.get, "k")
    shown(store.multi_set, ["m1", "m2"], ["1", ""]); shown(store.multi_get, ["m1", "m2"])
    store.set_timeout(datetime.timedelta(milliseconds=300))
    shown(store.get, "absent"); shown(store.wait, ["m1"])
"""


@pytest.mark.parametrize(
    "made",
    [
        "dist.HashStore()",
        "dist.FileStore(os.environ['MEETING_PLACE'], 1)",
        "dist.PrefixStore('p', dist.HashStore())",
        "dist.TCPStore('localhost', 0, 1, True)",
    ],
)
def test_stores(made):
    queues = 'shown(store.queue_push, "q", "1"); shown(store.queue_len, "q"); shown(store.queue_pop, "q")'
    assert_same_on_ranks(
        f"    store = {made}\n" + STORE + ("" if "File" in made else f"    {queues}; shown(store.num_keys)\n"), 1
    )


def test_stores_refuse_arguments_that_could_only_hang_or_fail_later():
    assert_same_on_ranks(
        """
    second = datetime.timedelta(seconds=1)
    shown(dist.TCPStore, "localhost", 0, 0, True, second); shown(dist.TCPStore, "localhost", 0, world_size=0)
    shown(dist.PrefixStore, "p", None)
    """,
        1,
    )


def test_tcp_stores_of_several_clients():
    server = dist.TCPStore("localhost", 0, None, True)
    client = dist.TCPStore("localhost", server.port, None, False, datetime.timedelta(seconds=1))
    thread = threading.Timer(0.2, lambda: server.set("late", "value"))
    thread.start()
    assert client.get("late") == b"value"
    assert client.clone().add("n", 2) == 2 and server.add("n", 1) == 3
    with pytest.raises(dist.DistStoreError, match=r"^wait timeout after 1000ms, keys: /never$"):
        client.get("never")
    with pytest.raises(dist.QueueEmptyError, match="^queue is empty$"):
        client.queue_pop("q", block=False)
    with pytest.raises(dist.DistNetworkError, match="EADDRINUSE, message: address already in use$"):
        dist.TCPStore("localhost", server.port, None, True)
    with pytest.raises(dist.DistStoreError, match="1/2 clients joined.$"):
        dist.TCPStore("localhost", 0, 2, True, datetime.timedelta(seconds=1))


def test_missing_store_is_reported():
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
    begin = time.monotonic()
    with pytest.raises(
        dist.DistNetworkError, match=rf"timed out after 500ms while trying to connect to \(localhost, {port}\)"
    ):
        dist.TCPStore("localhost", port, None, False, datetime.timedelta(seconds=0.5))
    assert time.monotonic() - begin < 20


def test_the_last_user_removes_a_file_store(tmp_path):
    path = str(tmp_path / "store")
    first, second = dist.FileStore(path, 2), dist.FileStore(path, 2)
    first.set("a", "b")
    assert second.get("a") == b"b"
    del first
    assert os.path.exists(path)
    del second
    assert not os.path.exists(path)


@pytest.mark.parametrize("method", ["env://", "tcp://localhost:{port}"])
def test_rendezvous_by_variables_and_by_address(method):
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
    script = f"""
        options = {{}} if {method!r} == "env://" else dict(rank=RANK, world_size=WORLD_SIZE)
        dist.init_process_group("gloo", init_method={method.format(port=port)!r}, **options)
        value = torch.ones(1) * RANK
        dist.all_reduce(value); print(value)
        """
    environment = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
    assert run_script_on_ranks(script, environment=environment) == [["tensor([1.])"]] * 2


def test_exception_names_the_rank_that_raised_it():
    script = (
        "import mindtorch.distributed as dist\n"
        "dist.init_process_group('gloo', store=dist.HashStore(), rank=0, world_size=1)\n"
        "raise ValueError('so')"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 1
    assert "[rank0]: Traceback (most recent call last):" in ended.stderr and "[rank0]: ValueError: so" in ended.stderr


def test_a_backend_of_the_programs_own():
    class Group(dist.ProcessGroup):
        def __init__(self, rank, size):
            super().__init__(rank, size)

        def getBackendName(self):  # noqa: N802
            return "mine"

        def allreduce(self, tensors, opts=None):
            tensors[0].mul_(10)
            work = torch.futures.Future()
            work.set_result(tensors)
            return work

    dist.Backend.register_backend("mine", lambda store, rank, size, timeout: Group(rank, size), devices=["cpu"])
    dist.init_process_group("mine", store=dist.HashStore(), rank=0, world_size=1)
    try:
        value = torch.ones(2)
        dist.all_reduce(value)
        assert value.tolist() == [10, 10] and dist.get_backend() == "mine" == dist.Backend.MINE
    finally:
        dist.destroy_process_group()


def test_gloo_refuses_to_split_or_shrink_a_group():
    assert_same_on_ranks(
        """
        for ranks in ([0], [], "0"):
            shown(dist.shrink_group, ranks)
        join()
        part = dist.new_group([0, 1])
        for ranks in ([1], [0, 1, 2], [-1], ["a"], [], (1,), None):
            shown(dist.shrink_group, ranks)
        shown(dist.shrink_group, [1], shrink_flags=9); shown(dist.shrink_group, [1], None, 1)
        if RANK < 2:
            shown(dist.shrink_group, [1], part)
        shown(dist.shrink_group, [0], dist.new_group([RANK], use_local_synchronization=True))
        shown(dist.split_group, None, []); shown(dist.split_group, None, [[0], [1, 2]])
        """,
        3,
    )
