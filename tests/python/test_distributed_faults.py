"""Ranks that die or stop, unknown clients of stores and groups, secrets: clear errors in time, never a hang."""

import datetime
import os
import socket
import threading
import time

import mindtorch.distributed as dist
import pytest
from distributed_ranks import run_script_on_ranks

SHORT = datetime.timedelta(seconds=2)


@pytest.mark.parametrize("seed", range(3))
def test_a_rank_killed_at_a_random_moment_is_named_by_the_others(seed):
    script = f"""
        import random, signal, threading
        join(timeout=60)
        dist.barrier()
        if RANK == 1:
            moment = random.Random({seed}).uniform(0.05, 0.5)
            threading.Timer(moment, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        begin = datetime.datetime.now()
        try:
            while True:
                dist.all_reduce(torch.ones(200_000))
        except dist.DistBackendError as error:
            took = (datetime.datetime.now() - begin).total_seconds()
            print("rank 1 is gone" in str(error) or "rank 2 is gone" in str(error) or "rank 0 is gone" in str(error),
                  f"of rank {{RANK}} in group" in str(error), took < 55)
            os._exit(0)
        """
    lines = run_script_on_ranks(script, 3, casualties=[1])
    assert lines[0] == lines[2] == ["True True True"]


def test_a_rank_that_stops_is_a_timeout_of_the_others():
    script = """
        import signal
        join(timeout=2)
        dist.barrier()
        if RANK == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        begin = datetime.datetime.now()
        try:
            dist.all_reduce(torch.ones(200_000))
        except dist.DistBackendError as error:
            print("2000ms" in str(error) or "is gone" in str(error), (datetime.datetime.now() - begin).seconds < 10)
            os._exit(0)
        """
    lines = run_script_on_ranks(script, 3, casualties=[1])
    assert lines[0] == lines[2] == ["True True"]


def test_strangers_at_a_groups_port_change_nothing():
    script = """
        import random, socket, struct, time
        from mindtorch.distributed import TCPStore
        port = int(os.environ["STORE_PORT"])
        store = TCPStore("127.0.0.1", port, None, RANK == 0, datetime.timedelta(seconds=20))
        strangers = []
        if RANK == 1:
            entry = store.get("0//cpu//0/0")  # where rank 0 listens: a length and its name, a length and its address
            name, = struct.unpack_from("<Q", entry)
            family, place = struct.unpack_from("<H", entry, 16 + name)[0], struct.unpack_from(">H", entry, 18 + name)[0]
            assert family == socket.AF_INET
            random.seed(0)
            for kind in range(600):
                stranger = socket.create_connection(("127.0.0.1", place))
                if kind % 4 == 0:
                    stranger.close()  # a port scan
                    continue
                if kind % 4 == 1:
                    stranger.sendall(struct.pack("<q", kind % 3))  # claims a place, as Gloo would have numbered it
                if kind % 4 == 2:
                    stranger.sendall(random.randbytes(random.randrange(1, 64)))
                strangers.append(stranger)  # the others are silent
        dist.init_process_group("gloo", store=store, rank=RANK, world_size=2, timeout=datetime.timedelta(seconds=20))
        value = torch.ones(3) * (RANK + 1)
        dist.all_reduce(value)
        print(value)
        """
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert run_script_on_ranks(script, environment={"STORE_PORT": str(port)}) == [["tensor([3., 3., 3.])"]] * 2


def test_missing_member_is_named():
    store = dist.HashStore()
    begin = time.monotonic()
    with pytest.raises(dist.DistStoreError, match="Wait timeout"):
        dist.ProcessGroupGloo(store, 0, 2, SHORT)
    assert time.monotonic() - begin < 8


def test_a_malformed_entry_of_a_peer_is_refused():
    for entry in (b"", b"\xff" * 8, b"\x02" + bytes(7) + b"vm" + b"\xff" * 8, bytes(4096)):
        store = dist.HashStore()
        store.set("0/1", entry)
        with pytest.raises(dist.DistStoreError, match="a peer's entry is malformed"):
            dist.ProcessGroupGloo(store, 0, 2, SHORT)


def test_a_store_with_a_secret_keeps_others_out(monkeypatch):
    monkeypatch.setenv("MINDTORCH_STORE_SECRET", "open sesame")
    server = dist.TCPStore("127.0.0.1", 0, None, True, SHORT)
    client = dist.TCPStore("127.0.0.1", server.port, None, False, SHORT)
    client.set("a", "b")
    for other in ("wrong", None):
        if other is None:
            monkeypatch.delenv("MINDTORCH_STORE_SECRET")
        else:
            monkeypatch.setenv("MINDTORCH_STORE_SECRET", other)
        with pytest.raises(dist.DistNetworkError):
            dist.TCPStore("127.0.0.1", server.port, None, False, SHORT)
    assert server.get("a") == b"b"


def test_store_listens_on_the_given_address(monkeypatch):
    monkeypatch.setenv("MINDTORCH_STORE_ADDRESS", "127.0.0.2")
    server = dist.TCPStore("127.0.0.2", 0, None, True, SHORT)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), 1)


def test_a_store_of_a_programs_own_serves_a_group():
    class Own(dist.Store):
        def __init__(self):
            super().__init__()
            self.table = dist.HashStore()
            self.calls = []

        def set(self, key, value):
            self.calls.append(key)
            self.table.set(key, value)

        def get(self, key):
            return self.table.get(key)

        def wait(self, keys, timeout=None):
            self.table.wait(keys, timeout)

    store = Own()
    groups = [None, None]

    def make_group(rank):
        groups[rank] = dist.ProcessGroupGloo(dist.PrefixStore("own", store), rank, 2, datetime.timedelta(seconds=20))

    threads = [threading.Thread(target=make_group, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(store.calls) == ["own/0/0", "own/0/1"]
    assert all(group.size() == 2 for group in groups)


def test_nothing_is_left_behind():
    def list_descriptors():
        return len(os.listdir("/proc/self/fd"))

    def start_and_destroy_group():
        store = dist.TCPStore("127.0.0.1", 0, None, True, SHORT)
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        dist.barrier()
        dist.destroy_process_group()

    start_and_destroy_group()
    before, threads = list_descriptors(), len(os.listdir("/proc/self/task"))
    for _ in range(5):
        start_and_destroy_group()
    assert list_descriptors() <= before and len(os.listdir("/proc/self/task")) <= threads
