"""Key-value stores in which processes find each other: in memory, in a file, and over TCP."""

import fcntl
import os
import socket
import struct
import threading
import time
import weakref
from datetime import timedelta
from inspect import cleandoc

from ._errors import DistNetworkError, DistStoreError, QueueEmptyError

_TIMEOUT = timedelta(seconds=300)
_TURN = 0.05  # seconds that one request waits at most, so that others have their turn


class _Table:
    """What a store holds. Every method takes and gives bytes, as they travel to a server."""

    def __init__(self):
        self.values, self.queues = {}, {}
        self.changed = threading.Condition()

    def __call__(self, name, *arguments):
        """Runs a method; gives a list of bytes."""
        with self.changed:
            result = getattr(self, "do_" + name)(*arguments)
            self.changed.notify_all()
        return result if isinstance(result, list) else [b"%d" % result if isinstance(result, int) else result or b""]

    def put(self, key, value):
        self.values[key] = value

    def do_set(self, *pairs):
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            self.put(key, value)

    def do_get(self, *keys):
        return [self.values.get(key, b"") for key in keys]

    def do_add(self, key, amount):
        self.put(key, b"%d" % (int(self.values.get(key, b"0")) + int(amount)))
        return self.values[key]

    def do_append(self, key, value):
        self.put(key, self.values.get(key, b"") + value)

    def do_compare_set(self, key, expected, desired):
        if self.values.get(key, b"") == expected:
            self.put(key, desired)
        return self.values.get(key, expected)

    def do_delete_key(self, key):
        there = key in self.values
        if there:
            self.put(key, None)
            del self.values[key]
        return there

    def do_keys(self):
        return list(self.values)

    def do_check(self, seconds, *keys):
        return self.changed.wait_for(lambda: all(key in self.values for key in keys), float(seconds))

    def do_queue_push(self, key, value):
        self.queues.setdefault(key, []).append(value)

    def do_queue_pop(self, key, seconds):
        return [self.queues[key].pop(0)] if self.changed.wait_for(lambda: self.queues.get(key), float(seconds)) else []

    def do_queue_len(self, key):
        return len(self.queues.get(key, ()))


class Store:
    """The base of the stores in which processes find each other: a table of bytes by key.

    Keys are strings; values bytes, or strings, which are encoded. Any number of threads may use one. What
    waits for keys does so for `timeout`, then raises DistStoreError.
    """

    def __init__(self):
        self._timeout = _TIMEOUT

    timeout = property(
        lambda self: self._timeout, doc="How long `get` and `wait` wait, a timedelta (5 minutes unless set)."
    )

    def set_timeout(self, timeout):
        """Sets how long `get`, `wait` and `queue_pop` wait.

        Args:
            timeout (timedelta): how long; 5 minutes at first.
        """
        self._timeout = timeout

    def _ask(self, name, *arguments):
        """Runs a method of the table."""
        raise NotImplementedError(f"{type(self).__name__} does not implement {name}")

    def _call(self, name, *arguments):
        return self._ask(name, *(a.encode() if isinstance(a, str) else bytes(memoryview(a)) for a in arguments))

    def _until(self, timeout, answer, arguments, name, text):
        """Asks in short turns until the answer is not `answer`."""
        seconds = timeout.total_seconds()
        end = time.monotonic() + seconds
        while (result := self._call(name, *arguments)) == answer:
            if time.monotonic() > end:
                raise self._late(text, int(seconds * 1000))
        return result

    def _late(self, keys, milliseconds):
        return DistStoreError("Wait timeout")

    def set(self, key, value):
        """Stores `value` (str or bytes) under `key`, in place of what was there."""
        self._call("set", key, value)

    def multi_set(self, keys, values):
        """Stores each of `values` under the key of the same index in `keys`."""
        self._call("set", *(item for pair in zip(keys, values, strict=True) for item in pair))

    def get(self, key):
        """Returns the value of `key`, bytes; waits for it."""
        return self.multi_get([key])[0]

    def multi_get(self, keys):
        """Returns a list of the values of `keys`; waits for all of them."""
        self._wait(keys, self.timeout)
        return self._call("get", *keys)

    def add(self, key, amount):
        """Adds the int `amount` to the value of `key`, 0 where there is none; returns the sum."""
        return int(self._call("add", key, b"%d" % amount)[0])

    def append(self, key, value):
        """Appends `value` to the value of `key`, empty where there is none."""
        self._call("append", key, value)

    def check(self, keys):
        """Returns whether all of `keys` are there, without waiting."""
        return self._call("check", "0", *keys)[0] == b"1"

    def wait(self, keys, timeout=None):
        """Waits until keys are there.

        Args:
            keys (list[str]): the keys.
            timeout (timedelta, optional): how long to wait. Default: the store's.

        Raises:
            DistStoreError: when they are not there in time.
        """
        self._wait(keys, timeout or self.timeout)

    def _wait(self, keys, timeout):
        self._until(timeout, [b"0"], (str(_TURN), *keys), "check", keys)

    def delete_key(self, key):
        """Removes `key`; returns whether it was there."""
        return self._call("delete_key", key)[0] == b"1"

    def num_keys(self):
        """Returns the number of keys."""
        return len(self._call("keys"))

    def list_keys(self):
        """Returns a list of all keys."""
        return [key.decode() for key in self._call("keys")]

    def compare_set(self, key, expected_value, desired_value):
        """Stores a value where the present one is the expected one.

        Args:
            key (str): the key.
            expected_value (str): what must be there; "" where the key may be missing.
            desired_value (str): what to store.

        Returns:
            bytes: what is there then; `expected_value` where the key is missing.
        """
        return self._call("compare_set", key, expected_value, desired_value)[0]

    def queue_push(self, key, value):
        """Puts `value` at the end of the queue named `key`."""
        self._call("queue_push", key, value)

    def queue_pop(self, key, block=True):
        """Takes the first value of a queue.

        Args:
            key (str): the queue's name.
            block (bool): waits for one. Default: ``True``.

        Returns:
            bytes: the value.

        Raises:
            QueueEmptyError: when there is none and `block` is False.
        """
        if block:
            return self._until(self.timeout, [], (key, str(_TURN)), "queue_pop", [key])[0]
        if not (answer := self._call("queue_pop", key, "0")):
            raise QueueEmptyError("queue is empty")
        return answer[0]

    def queue_len(self, key):
        """Returns the number of values in the queue named `key`."""
        return int(self._call("queue_len", key)[0])

    def has_extended_api(self):
        """Returns whether there are append, multi_get, multi_set and queues: True."""
        return True


class HashStore(Store):
    """A Store in this process's memory, for its threads."""

    def __init__(self):
        super().__init__()
        self._ask = _Table()


class PrefixStore(Store):
    """A view of another store: puts a prefix and a slash before all keys.

    Args:
        prefix (str): the prefix.
        store (Store): the other store.
    """

    def __init__(self, prefix, store):
        self._prefix, self._store = prefix + "/", store

    underlying_store = property(lambda self: self._store, doc="The store without the prefix.")
    timeout = property(lambda self: self._store.timeout)

    def set_timeout(self, timeout):
        """Sets how long the other store waits: `timeout`, a timedelta."""
        self._store.set_timeout(timeout)

    @property
    def _underlying_non_prefix_store(self):
        store = self._store
        return store._underlying_non_prefix_store if isinstance(store, PrefixStore) else store

    def _passed_on(name):
        def method(self, key, *arguments, **options):
            key = self._prefix + key if isinstance(key, str) else [self._prefix + each for each in key]
            return getattr(self._store, name)(key, *arguments, **options)

        method.__name__ = name
        method.__doc__ = (
            f"{cleandoc(getattr(Store, name).__doc__)}\n\nThe prefix goes before `key`, one or a list; "
            "`arguments` and `options` are the others."
        )
        return method

    (
        set,
        get,
        add,
        append,
        check,
        wait,
        multi_get,
        multi_set,
        delete_key,
        compare_set,
        queue_push,
        queue_pop,
        queue_len,
    ) = map(
        _passed_on,
        "set get add append check wait multi_get multi_set delete_key compare_set queue_push queue_pop "
        "queue_len".split(),
    )
    del _passed_on

    def num_keys(self):
        """Returns the number of all keys of the other store, with the prefix or not."""
        return self._store.num_keys()

    def list_keys(self):
        """Returns a list of all keys of the other store, with their prefixes."""
        return self._store.list_keys()


class _LoggedTable(_Table):
    """A table whose changes are records at the end of a file: length of key, length of value (-1: removed), both."""

    def __init__(self, path):
        super().__init__()
        self.path, self.position = path, 0

    def __call__(self, name, *arguments):
        with self.changed, open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644), "r+b", buffering=0) as self.file:
            fcntl.flock(self.file, fcntl.LOCK_EX)
            self.read()
            return super().__call__(name, *arguments)

    def read(self):
        self.file.seek(self.position)
        data, place = self.file.read(), 0
        while place < len(data):
            key_size, size = struct.unpack_from("<qq", data, place)
            place += 16 + key_size + max(size, 0)
            key = data[place - max(size, 0) - key_size : place - max(size, 0)]
            super().put(key, data[place - size : place] if size > 0 else b"")
            if size < 0:
                del self.values[key]
        self.position += place

    def put(self, key, value):
        record = struct.pack("<qq", len(key), -1 if value is None else len(value)) + key + (value or b"")
        self.file.seek(0, os.SEEK_END)
        self.position += self.file.write(record)
        super().put(key, value)

    def do_check(self, seconds, *keys):
        return all(key in self.values for key in keys)


class FileStore(Store):
    """A Store in a file that all its processes can open.

    Args:
        file_name (str): the path; made where it is missing.
        world_size (int): the last of so many users removes the file. Default: ``-1``, it stays.
    """

    def __init__(self, file_name, world_size=-1):
        super().__init__()
        self.path = file_name
        self._ask = _LoggedTable(file_name)
        self.add("efcount/", 1)
        weakref.finalize(self, self._leave, self._ask, world_size)

    def _wait(self, keys, timeout):
        end = time.monotonic() + timeout.total_seconds()
        while not self.check(keys):
            if time.monotonic() > end:
                raise RuntimeError(
                    f"Timeout waiting for key: {keys[0]} after {int(timeout.total_seconds() * 1000)} ms"
                    if len(keys) == 1
                    else "Wait timeout"
                )
            time.sleep(0.01)

    @staticmethod
    def _leave(table, world_size):
        if os.path.exists(table.path) and table("add", b"efcount/", b"-1") == [b"0"] and world_size > 0:
            os.unlink(table.path)


def _send(connection, fields):
    connection.sendall(b"".join([struct.pack("<I", len(fields)), *(struct.pack("<Q", len(f)) + f for f in fields)]))


def _exactly(connection, size):
    data = connection.recv(size, socket.MSG_WAITALL) if size else b""
    if len(data) != size:
        raise ConnectionError("connection closed")
    return data


def _receive(connection):
    (count,) = struct.unpack("<I", _exactly(connection, 4))
    return [_exactly(connection, struct.unpack("<Q", _exactly(connection, 8))[0]) for _ in range(count)]


class _Server:
    """Answers the clients of a TCPStore, a thread for each: a request is a method's name and its arguments."""

    tenants = {}  # by port, for stores of this process that share one

    def __init__(self, port, descriptor):
        self.table = _Table()
        try:
            self.listener = (
                socket.create_server(("", port), backlog=2048)
                if descriptor is None
                else socket.socket(fileno=descriptor)
            )
        except OSError as error:
            raise DistNetworkError(
                "The server socket has failed to listen on any local network address. "
                f"port: {port}, useIpv6: false, code: -{error.errno}, name: EADDRINUSE, message: address already in use"
            ) from None
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            while True:
                name, *arguments = _receive(connection)
                _send(connection, self.table(name.decode(), *arguments))
        except OSError:  # the client has gone
            connection.close()


class TCPStore(Store):
    """A Store that a server in one process keeps for clients on any machine.

    Args:
        host_name (str): the server's host.
        port (int): its port; 0 takes a free one on the server, which `port` of the store then says.
        world_size (int, optional): the number of clients.
        is_master (bool): starts the server in this process. Default: ``False``.
        timeout (timedelta): how long to wait for the server, the clients and keys. Default: 5 minutes.
        wait_for_workers (bool): lets the server wait for `world_size` clients. Default: ``True``.
        multi_tenant (bool): shares the server that an earlier store of this process has on that port.
            Default: ``False``.
        master_listen_fd (int, optional): a socket for the server that listens already.
        use_libuv (bool): not looked at, but kept. Default: ``True``.

    Raises:
        DistNetworkError: when the server cannot be reached in time, or cannot listen.
        DistStoreError: when clients are missing.
    """

    def __init__(
        self,
        host_name,
        port,
        world_size=None,
        is_master=False,
        timeout=_TIMEOUT,
        wait_for_workers=True,
        multi_tenant=False,
        master_listen_fd=None,
        use_libuv=True,
    ):
        super().__init__()
        self._timeout, self.libuvBackend, self._server = timeout, use_libuv, None
        if is_master:
            self._server = _Server.tenants.get(port) if multi_tenant else None
            if self._server is None:
                self._server = _Server(port, master_listen_fd)
                if multi_tenant:
                    _Server.tenants[self._server.port] = self._server
            port = self._server.port
        self.host, self.port = host_name, port
        self._lock = threading.Lock()
        self._connection = self._connect()
        if wait_for_workers and world_size and is_master:
            self._wait_for_workers(world_size)
        elif wait_for_workers:
            self.add("init/", 1)

    def _connect(self):
        seconds = self._timeout.total_seconds()
        end = time.monotonic() + seconds
        while True:
            try:
                connection = socket.create_connection((self.host, self.port), max(end - time.monotonic(), 0.01))
                break
            except OSError:
                if time.monotonic() > end:
                    raise DistNetworkError(
                        f"The client socket has timed out after {int(seconds * 1000)}ms while trying to connect to "
                        f"({self.host}, {self.port})."
                    ) from None
                time.sleep(0.05)
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _wait_for_workers(self, count):
        end = time.monotonic() + self._timeout.total_seconds()
        joined = self.add("init/", 1)
        while joined < count:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {int(self._timeout.total_seconds()) + 1} seconds waiting for clients. "
                    f"{joined}/{count} clients joined."
                )
            time.sleep(0.01)
            joined = self.add("init/", 0)

    def _ask(self, name, *arguments):
        with self._lock:
            try:
                _send(self._connection, [name.encode(), *arguments])
                return _receive(self._connection)
            except OSError as error:
                raise DistNetworkError(f"The store's server at {self.host}:{self.port} is gone: {error}") from None

    def _late(self, keys, milliseconds):
        return DistStoreError(f"wait timeout after {milliseconds}ms, keys: {', '.join('/' + key for key in keys)}")

    def list_keys(self):
        return [key for key in super().list_keys() if key != "init/"]

    def clone(self):
        """Returns another client of the same server."""
        return TCPStore(self.host, self.port, None, False, self._timeout, False)

    def __repr__(self):
        server = "<nullptr>" if self._server is None else f"TCPServer(port={self.port})"
        (address, near), (peer, far) = self._connection.getsockname()[:2], self._connection.getpeername()[:2]
        sockets = f"fd={self._connection.fileno()}, addr=[{address}]:{near}, remote=[{peer}]:{far}"
        return f"TCPStore(client=TCPClient(SocketImpl({sockets})), server={server})"
