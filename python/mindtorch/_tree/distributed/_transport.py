"""Messages between the processes of a group: a connection for each pair, over which tagged messages go in any order.

One thread per process reads all connections. A message goes straight into the memory that waits for it, or is kept
until somebody asks; so a sender never waits for more than the network, and two that send to each other do not wait for
ever.
"""

import fcntl
import os
import selectors
import socket
import struct
import threading
from ctypes import c_char

from ._stores import TCPStore

_SIOCGIFADDR = 0x8915  # Linux: the address of a network interface
_HEADER = struct.Struct("<qq")  # tag, size in bytes


def memory_of(tensor):
    """The bytes of a contiguous CPU tensor, which must outlive what is made of them."""
    size = tensor.numel() * tensor.element_size()
    return memoryview((c_char * size).from_address(tensor.data_ptr())).cast("B") if size else memoryview(bytearray())


class _Receipt:
    """A message that is waited for: the tensor it goes to, which it keeps, and whether it came."""

    def __init__(self, tensor):
        self.tensor, self.memory = tensor, memory_of(tensor)
        self.done, self.error, self.source = False, None, None


def _first(table, key):
    """Takes the first of a list in a table; None where there is none."""
    if not (found := table.get(key)):
        return None
    if len(found) == 1:
        del table[key]
    return found.pop(0)


class _Reader:
    """The thread that reads: it knows the connections of all groups of this process."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.process = os.getpid()
        threading.Thread(target=self.run, name="torch.distributed", daemon=True).start()

    current = None

    @classmethod
    def get(cls):
        """This process's: a fork has no threads of its parent's."""
        if cls.current is None or cls.current.process != os.getpid():
            cls.current = cls()
        return cls.current

    def run(self):
        while True:
            for key, _ in self.selector.select():
                key.data.read()


class _Link:
    """The connection to one peer."""

    def __init__(self, mesh, peer, connection):
        self.mesh, self.peer, self.connection = mesh, peer, connection
        self.sending = threading.Lock()
        self.header, self.filled = bytearray(_HEADER.size), 0
        self.message = None  # (tag, memory, receipt) that is being read
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            connection.setsockopt(socket.SOL_SOCKET, option, 4 << 20)

    def send(self, tag, memory):
        """Sends a header and the memory; returns when the network has it."""
        with self.sending:
            if len(memory) < 1 << 16:
                self.connection.sendall(_HEADER.pack(tag, len(memory)) + bytes(memory))
            else:
                self.connection.sendall(_HEADER.pack(tag, len(memory)))
                self.connection.sendall(memory)

    def read(self):
        """Reads what has come; called by the reader alone."""
        try:
            while True:
                if self.message is None:
                    target = memoryview(self.header)
                else:
                    target = self.message[1]
                if self.filled < len(target):
                    got = self.connection.recv_into(target[self.filled :], 0, socket.MSG_DONTWAIT)
                    if got == 0:
                        raise ConnectionError
                    self.filled += got
                if self.filled == len(target):
                    self.filled = 0
                    if self.message is None:
                        tag, size = _HEADER.unpack(self.header)
                        self.message = tag, *self.mesh.destination(self.peer, tag, size)
                        if size:
                            continue
                    self.mesh.arrived(self.peer, *self.message)
                    self.message = None
        except BlockingIOError:
            pass
        except OSError:
            self.mesh.lost(self)


class Mesh:
    """The connections of one group.

    Every process listens, and calls those of lower rank; the store holds the addresses.
    """

    def __init__(self, store, rank, size, timeout):
        self.rank, self.size, self.timeout = rank, size, timeout
        self.changed = threading.Condition()
        self.wanted, self.kept = {}, {}  # by (peer, tag): receipts in their order; messages in theirs
        self.failed = {}  # peers whose connection is closed
        self.links = {}
        if size > 1:
            self._connect(store)

    def _connect(self, store):
        with socket.create_server((self._address(store), 0), backlog=self.size) as server:
            store.set(f"address/{self.rank}", "%s:%d" % server.getsockname()[:2])
            for peer in range(self.rank):
                host, port = store.get(f"address/{peer}").decode().rsplit(":", 1)
                connection = socket.create_connection((host, int(port)), self.timeout.total_seconds())
                connection.settimeout(None)
                connection.sendall(struct.pack("<q", self.rank))
                self.links[peer] = _Link(self, peer, connection)
            server.settimeout(self.timeout.total_seconds())
            while len(self.links) < self.size - 1:
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    raise RuntimeError(
                        f"Gloo connectFullMesh failed with timeout: {self.size - 1 - len(self.links)} of "
                        f"{self.size} processes did not connect"
                    ) from None
                connection.settimeout(None)
                (peer,) = struct.unpack("<q", connection.recv(8, socket.MSG_WAITALL))
                self.links[peer] = _Link(self, peer, connection)
        for link in self.links.values():
            _Reader.get().selector.register(link.connection, selectors.EVENT_READ, link)

    @staticmethod
    def _address(store):
        """Where peers reach this machine: GLOO_SOCKET_IFNAME's address, else that by which it reaches a TCPStore."""
        if name := os.environ.get("GLOO_SOCKET_IFNAME"):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                request = struct.pack("256s", name.split(",")[0].encode()[:15])
                return socket.inet_ntoa(fcntl.ioctl(probe, _SIOCGIFADDR, request)[20:24])
        store = getattr(store, "_underlying_non_prefix_store", store)
        return store._connection.getsockname()[0] if isinstance(store, TCPStore) else "127.0.0.1"

    def send(self, peer, tag, tensor):
        """Sends a contiguous tensor's bytes; returns when the network has them."""
        if peer in self.failed:
            raise self.failed[peer]
        if peer not in self.links:
            raise RuntimeError(f"Pair is not connected (rank {self.rank} <--> rank {peer})")
        try:
            self.links[peer].send(tag, memory_of(tensor))
        except OSError:
            self.lost(self.links[peer])
            raise self.failed[peer] from None

    def post(self, peer, tag, tensor):
        """Says which tensor a message shall go to; `peer` None takes that of anyone. Gives a receipt for `wait`."""
        if peer is not None and peer not in self.links:
            raise RuntimeError(f"Pair is not connected (rank {self.rank} <--> rank {peer})")
        receipt = _Receipt(tensor)
        with self.changed:
            for source in range(self.size) if peer is None else (peer,):
                if (kept := _first(self.kept, (source, tag))) is not None:
                    self._finish(receipt, source, kept)
                    return receipt
            if peer in self.failed:
                receipt.error, receipt.done = self.failed[peer], True
            else:
                self.wanted.setdefault((peer, tag), []).append(receipt)
        return receipt

    def wait(self, receipt, timeout=None):
        """Returns when the message is there; RuntimeError where the peer is gone or the time is over."""
        if not receipt.done:
            seconds = (timeout or self.timeout).total_seconds()
            with self.changed:
                if not self.changed.wait_for(lambda: receipt.done, seconds):
                    raise RuntimeError(f"Timed out waiting {int(seconds * 1000)}ms for recv operation to complete")
        if receipt.error is not None:
            raise receipt.error

    def _next(self, peer, tag):
        return _first(self.wanted, (peer, tag)) or _first(self.wanted, (None, tag))

    def destination(self, peer, tag, size):
        """Where a message of this size goes, and whose it is: memory that waits, or new."""
        with self.changed:
            receipt = self._next(peer, tag)
        if receipt is not None and len(receipt.memory) == size:
            return receipt.memory, receipt
        return memoryview(bytearray(size)), receipt

    def arrived(self, peer, tag, memory, receipt):
        """Gives a whole message to who waits for it, or keeps it."""
        with self.changed:
            receipt = receipt or self._next(peer, tag)
            if receipt is not None:
                self._finish(receipt, peer, memory)
                self.changed.notify_all()
            else:
                self.kept.setdefault((peer, tag), []).append(memory)

    @staticmethod
    def _finish(receipt, peer, memory):
        if memory is receipt.memory:
            pass
        elif len(memory) > len(receipt.memory):
            receipt.error = RuntimeError(
                f"A message of {len(memory)} bytes came from rank {peer} for a tensor of {len(receipt.memory)}"
            )
        else:
            receipt.memory[: len(memory)] = memory
        receipt.done, receipt.source = True, peer

    def lost(self, link):
        """Ends what waits for a peer whose connection is closed."""
        try:
            _Reader.get().selector.unregister(link.connection)
        except (KeyError, ValueError):
            pass
        try:
            host, port = link.connection.getpeername()[:2]
        except OSError:
            host, port = "rank", link.peer
        error = RuntimeError(f"Connection closed by peer [{host}]:{port}")
        with self.changed:
            self.failed[link.peer] = error
            message = link.message[2:] if link.message else ()
            for receipt in [*message, *(r for (p, _), w in self.wanted.items() if p == link.peer for r in w)]:
                if receipt is not None:
                    receipt.error, receipt.done = error, True
            self.changed.notify_all()
        link.connection.close()

    def close(self):
        """Closes all connections."""
        for link in self.links.values():
            if link.peer not in self.failed:
                self.lost(link)
        self.links.clear()
