"""Key-value stores through which processes find each other: in memory, in a file, and over TCP.

These are torch's classes over the library's stores (mindtorch/distributed.h).
"""

import os
from datetime import timedelta

from .._C import _processes

_TIMEOUT = timedelta(seconds=300)


class Store:
    """The base of stores, through which processes find each other: a table of bytes by key.

    Keys are strings; values are bytes, or strings, which are encoded. Several threads may use a store. Methods that
    wait for keys raise DistStoreError after `timeout`.
    """

    _store = None  # the library's store
    _timeout = _TIMEOUT

    def __init__(self):
        pass

    @property
    def timeout(self):
        """How long `get` and `wait` wait, a timedelta (5 minutes unless set)."""
        return self._timeout if self._store is None else self._store.timeout

    def set_timeout(self, timeout):
        """Sets how long `get`, `wait` and `queue_pop` wait.

        Args:
            timeout (timedelta): how long; 5 minutes at first.
        """
        if self._store is None:
            self._timeout = timeout
        else:
            self._store.set_timeout(timeout)

    def _call_native_store(self, name, *arguments):
        if self._store is None:
            raise NotImplementedError(f"{type(self).__name__} does not implement {name}")
        return getattr(self._store, name)(*arguments)

    def _handle(self):
        """Returns the library's store; for a program's own class, one that calls this object."""
        return _processes.python_store(self) if self._store is None else self._store

    def set(self, key, value):
        """Stores `value` (str or bytes) under `key`; replaces an existing value."""
        self._call_native_store("set", key, value)

    def multi_set(self, keys, values):
        """Stores each of `values` under the key with the same index in `keys`."""
        self._call_native_store("multi_set", keys, values)

    def get(self, key):
        """Returns the value of `key`, bytes; waits for it."""
        return self._call_native_store("get", key)

    def multi_get(self, keys):
        """Returns a list of the values of `keys`; waits for all of them."""
        return self._call_native_store("multi_get", keys)

    def add(self, key, amount):
        """Adds the int `amount` to the value of `key` (0 if it does not exist) and returns the sum."""
        return self._call_native_store("add", key, amount)

    def append(self, key, value):
        """Appends `value` to the value of `key`, empty if it does not exist."""
        self._call_native_store("append", key, value)

    def check(self, keys):
        """Returns whether all of `keys` exist, without waiting."""
        return self._call_native_store("check", keys)

    def wait(self, keys, timeout=None):
        """Waits until keys exist.

        Args:
            keys (list[str]): the keys.
            timeout (timedelta, optional): how long to wait. Default: the store's.

        Raises:
            DistStoreError: when they are not there in time.
        """
        self._call_native_store("wait", keys, timeout)

    def barrier(self, key, world_size, timeout=None):
        """Waits until the given number of callers have called it for one key.

        Args:
            key (str): the key.
            world_size (int): the number of callers.
            timeout (timedelta, optional): how long to wait. Default: the store's.

        Raises:
            DistStoreError: when some do not call it in time.
        """
        self._call_native_store("barrier", key, world_size, timeout)

    def delete_key(self, key):
        """Removes `key`; returns whether it existed."""
        return self._call_native_store("delete_key", key)

    def num_keys(self):
        """Returns the number of keys."""
        return self._call_native_store("num_keys")

    def list_keys(self):
        """Returns a list of all keys."""
        return self._call_native_store("list_keys")

    def compare_set(self, key, expected_value, desired_value):
        """Stores a value where the present one is the expected one.

        Args:
            key (str): the key.
            expected_value (str): what must be there; "" where the key may be missing.
            desired_value (str): what to store.

        Returns:
            bytes: the value afterwards; `expected_value` if the key is missing.
        """
        return self._call_native_store("compare_set", key, expected_value, desired_value)

    def queue_push(self, key, value):
        """Appends `value` to the queue named `key`."""
        self._call_native_store("queue_push", key, value)

    def queue_pop(self, key, block=True):
        """Takes the first value of a queue.

        Args:
            key (str): the queue's name.
            block (bool): waits for one. Default: ``True``.

        Returns:
            bytes: the value.

        Raises:
            QueueEmptyError: when the queue is empty and `block` is False.
        """
        return self._call_native_store("queue_pop", key, block)

    def queue_len(self, key):
        """Returns the number of values in the queue named `key`."""
        return self._call_native_store("queue_len", key)

    def has_extended_api(self):
        """Returns whether the store has append, multi_get, multi_set and queues: True."""
        return True

    def clone(self):
        """Returns another client of the same table."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._store = self._call_native_store("clone")
        return made


class HashStore(Store):
    """A Store in this process's memory, for its threads."""

    def __init__(self):
        self._store = _processes.hash_store()


class PrefixStore(Store):
    """A view of another store: puts a prefix and a slash before all keys.

    Args:
        prefix (str): the prefix.
        store (Store): the other store.
    """

    def __init__(self, prefix, store):
        if store is None:
            raise ValueError("store argument cannot be None")
        self._under, self._store = store, _processes.prefix_store(prefix, store._handle())

    underlying_store = property(lambda self: self._under, doc="The store without the prefix.")

    @property
    def _underlying_non_prefix_store(self):
        store = self._under
        return store._underlying_non_prefix_store if isinstance(store, PrefixStore) else store

    def num_keys(self):
        """Returns the number of all keys of the other store, with or without the prefix."""
        return self._under.num_keys()


class FileStore(Store):
    """A Store in a file that all its processes can open.

    Args:
        file_name (str): the path; made where it is missing.
        world_size (int): the last of so many users removes the file. Default: ``-1``, it stays.
    """

    def __init__(self, file_name, world_size=-1):
        self.path = os.fspath(file_name)
        self._store = _processes.file_store(self.path, world_size)


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

    MINDTORCH_STORE_SECRET in the environment is a secret that both ends must know, where it is set: who does not is
    refused before anything else is read. MINDTORCH_STORE_ADDRESS is the address that the server listens on;
    all of this machine's where it is not set.

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
        if world_size == 0:
            raise ValueError("TCPStore world size cannot be 0")
        self.host, self.libuvBackend = host_name, use_libuv
        self._store = _processes.tcp_store(
            host_name,
            port,
            world_size or 0,
            is_master,
            timeout,
            wait_for_workers,
            multi_tenant,
            master_listen_fd,
            os.environ.get("MINDTORCH_STORE_ADDRESS"),
            os.environ.get("MINDTORCH_STORE_SECRET"),
        )

    port = property(lambda self: self._store.port, doc="The server's port.")

    def __repr__(self):
        return self._store.description
