"""Queues that pickle with multiprocessing's reductions (Python's own do so too in current versions)."""

import io
import multiprocessing.queues
import pickle
from multiprocessing.reduction import ForkingPickler


class ConnectionWrapper:
    """A connection whose objects are pickled by multiprocessing's rules, tensors as shared memory.

    Args:
        conn (Connection): the connection.
    """

    def __init__(self, conn):
        self.conn = conn

    def send(self, obj):
        """Sends an object.

        Args:
            obj (Any): the object.
        """
        buffer = io.BytesIO()
        ForkingPickler(buffer, pickle.HIGHEST_PROTOCOL).dump(obj)
        self.send_bytes(buffer.getvalue())

    def recv(self):
        """Receives an object.

        Returns:
            Any: the object.
        """
        return pickle.loads(self.recv_bytes())

    def __getattr__(self, name):
        if "conn" in self.__dict__:
            return getattr(self.conn, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'conn'")


class Queue(multiprocessing.queues.Queue):
    """A queue that shares tensors between processes instead of copying them.

    Args:
        *args, **kwargs: as for `multiprocessing.Queue`.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._reader = ConnectionWrapper(self._reader)
        self._writer = ConnectionWrapper(self._writer)
        self._send = self._writer.send
        self._recv = self._reader.recv


class SimpleQueue(multiprocessing.queues.SimpleQueue):
    """A simple queue that shares tensors between processes instead of copying them.

    Args:
        ctx (context, optional): context of multiprocessing. Default: the current one.
    """

    def __init__(self, *, ctx=None):
        super().__init__(ctx=multiprocessing.get_context() if ctx is None else ctx)
        self._reader = ConnectionWrapper(self._reader)
        self._writer = ConnectionWrapper(self._writer)
