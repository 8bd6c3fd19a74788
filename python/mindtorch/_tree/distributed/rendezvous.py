"""Rendezvous: how processes find each other.

Handlers of `env://`, `tcp://host:port` and `file://path` yield a store, this process's rank and the number of
processes.
"""

from __future__ import annotations

import numbers
import os
from urllib.parse import urlparse, urlunparse

from ._stores import FileStore, TCPStore
from .constants import default_pg_timeout

__all__ = ["register_rendezvous_handler", "rendezvous"]

_rendezvous_handlers = {}


def register_rendezvous_handler(scheme, handler):
    """Makes a function serve the URLs of a scheme in init_process_group and rendezvous.

    Args:
        scheme (str): the part before "://".
        handler (Callable): ``handler(url, timeout=...)``, an iterator of (store, rank, world size).

    Returns:
        None.

    Raises:
        RuntimeError: when the scheme has a handler.
    """
    if scheme in _rendezvous_handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _rendezvous_handlers[scheme] = handler


def _query_to_dict(query):
    return dict(pair.split("=") for pair in query.split("&") if pair)


def _rendezvous_helper(url, rank, world_size_opt, **kwargs):
    parts = urlparse(url)
    world_size = -1 if world_size_opt is None else world_size_opt
    if world_size_opt is None and parts.scheme == "env":
        rank, world_size = (int(os.environ.get(name, value)) for name, value in (("RANK", rank), ("WORLD_SIZE", -1)))
    if rank != -1 or world_size != -1 or world_size_opt is None:
        query = _query_to_dict(parts.query)
        if "rank" in query or "world_size" in query:
            raise AssertionError(f"The url: {url} has node-specific arguments(rank, world_size) already.")
        if rank != -1:
            query["rank"] = rank
        if world_size != -1 or world_size_opt is None:
            query["world_size"] = world_size
        parts = parts._replace(query="&".join(f"{name}={value}" for name, value in query.items()))
    if parts.scheme not in _rendezvous_handlers:
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    return _rendezvous_handlers[parts.scheme](urlunparse(parts), **kwargs)


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs):
    """Meets the other processes of a program.

    Args:
        url (str): "env://", "tcp://host:port", "file://path", or of a registered scheme.
        rank (int): this process's number; may stand in the URL ("?rank=0"). Default: ``-1``, it does.
        world_size (int): the number of processes, likewise. Default: ``-1``.
        **kwargs: `timeout` (timedelta): how long to wait for the others.

    Returns:
        Iterator: its first element is (store, rank, world size).

    Raises:
        ValueError: when the URL or the environment lacks something.
        RuntimeError: when the scheme is not known, or an argument has the wrong type.
    """
    if not isinstance(url, (str, bytes)):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    for name, number in {"rank": rank, "world_size": world_size}.items():
        if not isinstance(number, numbers.Integral):
            raise RuntimeError(f"`{name}` must be an integer. {number}")
    return _rendezvous_helper(url, rank, world_size, **kwargs)


def _create_store_from_options(backend_options, rank):
    return next(_rendezvous_helper(backend_options.init_method, rank, None))[0]


def _create_c10d_store(hostname, port, rank, world_size, timeout, use_libuv=True):
    """Connects to the launcher's store if there is one; otherwise rank 0 serves the store."""
    if not 0 <= port < 2**16:
        raise ValueError(f"port must have value from 0 to 65535 but was {port}.")
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        return TCPStore(hostname, port, world_size, False, timeout)
    return TCPStore(hostname, port, world_size, rank == 0, timeout, multi_tenant=True, use_libuv=use_libuv)


def _error(scheme, text):
    return ValueError(f"Error initializing torch.distributed using {scheme}:// rendezvous: {text}")


def _parse_rank_and_world_size(scheme, query):
    for name, text in (("rank", "rank"), ("world_size", "world size")):
        if name not in query:
            raise _error(scheme, f"{text} parameter missing")
    return int(query["rank"]), int(query["world_size"])


def _yield_store_once(store, rank, world_size, text):
    yield store, rank, world_size
    raise RuntimeError(f"Unable to perform {text} method")


def _file_handler(url, **kwargs):
    parts = urlparse(url)
    if not parts.path:
        raise _error("file", "path missing")
    rank, world_size = _parse_rank_and_world_size("file", _query_to_dict(parts.query))
    yield from _yield_store_once(FileStore(parts.path, world_size), rank, world_size, "rerendezvous using file://")


def _tcp_handler(url, timeout=default_pg_timeout, **kwargs):
    parts = urlparse(url)
    if parts.port is None:
        raise _error("tcp", "port number missing")
    rank, world_size = _parse_rank_and_world_size("tcp", _query_to_dict(parts.query))
    store = _create_c10d_store(parts.hostname, parts.port, rank, world_size, timeout)
    yield from _yield_store_once(store, rank, world_size, "re-rendezvous using tcp://")


def _env_handler(url, timeout=default_pg_timeout, **kwargs):
    query = _query_to_dict(urlparse(url).query)

    def read_variable(name):
        if not os.environ.get(name):
            raise _error("env", f"environment variable {name} expected, but not set")
        return os.environ[name]

    rank = int(query["rank"] if "rank" in query else read_variable("RANK"))
    world_size = int(query["world_size"] if "world_size" in query else read_variable("WORLD_SIZE"))
    store = _create_c10d_store(
        read_variable("MASTER_ADDR"), int(read_variable("MASTER_PORT")), rank, world_size, timeout
    )
    yield from _yield_store_once(store, rank, world_size, "re-rendezvous using env://")


for _scheme, _handler in (("tcp", _tcp_handler), ("env", _env_handler), ("file", _file_handler)):
    register_rendezvous_handler(_scheme, _handler)
