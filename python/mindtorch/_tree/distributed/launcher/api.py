"""The agent of one node: meets the other nodes, starts its workers with their ranks, and restarts them if they fail."""

import os
import re
import signal
import socket
import sys
import time
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from string import Template

from ..elastic.multiprocessing import DefaultLogsSpecs, SignalException, start_processes
from ..elastic.multiprocessing.errors import ChildFailedError
from ..elastic.utils.logging import get_logger

__all__ = ["LaunchConfig", "elastic_launch", "launch_agent"]

logger = get_logger(__name__)


@dataclass
class LaunchConfig:
    """What elastic_launch is to do: torchrun's options.

    Args:
        min_nodes, max_nodes (int): the number of nodes; must be equal.
        nproc_per_node (int): workers on each node.
        logs_specs (DefaultLogsSpecs, optional): where their output goes.
        run_id (str): the job's name, the same on its nodes. Default: a random one.
        role (str): the workers' name. Default: ``"default_role"``.
        rdzv_endpoint (str): "host:port" where the nodes meet.
        rdzv_backend (str): how: "c10d" or "static". Default: ``"etcd"``, which is not there.
        rdzv_configs (dict): further settings of the meeting.
        rdzv_timeout (int): seconds to wait for the other nodes. Default: 900.
        max_restarts (int): how often failed workers are started again. Default: ``3``.
        monitor_interval (float): seconds between two looks at the workers. Default: ``0.1``.
        start_method (str): how processes of functions start. Default: ``"spawn"``.
        log_line_prefix_template (str, optional): prefix of a worker's lines on the console.
        local_addr (str, optional): this node's address.
        signals_to_handle (str): signals that are passed to the workers.
        shutdown_timeout (int, optional): seconds from the end signal to SIGKILL. Default: 30.
    """

    min_nodes: int
    max_nodes: int
    nproc_per_node: int
    logs_specs: DefaultLogsSpecs | None = None
    run_id: str = ""
    role: str = "default_role"
    rdzv_endpoint: str = ""
    rdzv_backend: str = "etcd"
    rdzv_configs: dict = field(default_factory=dict)
    rdzv_timeout: int = -1
    max_restarts: int = 3
    monitor_interval: float = 0.1
    start_method: str = "spawn"
    log_line_prefix_template: str | None = None
    local_addr: str | None = None
    signals_to_handle: str = "SIGTERM,SIGINT,SIGHUP,SIGQUIT"
    shutdown_timeout: int | None = None

    def __post_init__(self):
        if self.rdzv_timeout != -1:
            self.rdzv_configs["timeout"] = self.rdzv_timeout
        self.rdzv_configs.setdefault("timeout", 900)
        self.logs_specs = self.logs_specs or DefaultLogsSpecs()
        if self.shutdown_timeout is None:
            self.shutdown_timeout = int(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "30"))
        if self.shutdown_timeout < 0:
            raise ValueError(f"shutdown_timeout must be non-negative, got {self.shutdown_timeout}")


def _split_endpoint(endpoint, default_port):
    """Splits "host:port", "host" or "[v6 address]:port" into host and port."""
    match = re.match(r"^(\[[\w.:]+\]|[\w.-]+)(?::(\d{1,5}))?$", endpoint.strip() or "localhost")
    if not match or int(match[2] or 0) >= 2**16:
        part = "port number" if match or ":" in endpoint else "hostname"
        must = {
            "port number": "an integer between 0 and 65536.",
            "hostname": "a dot-separated list of labels, an IPv4 address, or an IPv6 address.",
        }
        raise ValueError(f"The {part} of the rendezvous endpoint '{endpoint}' must be {must[part]}")
    return match[1].strip("[]"), int(match[2] or default_port)


def _is_this_machine(host):
    def resolve_addresses(name):
        try:
            return {info[4][0] for info in socket.getaddrinfo(name, None)}
        except OSError:
            return set()

    own = socket.gethostname()
    return host in (own, socket.getfqdn()) or bool(
        resolve_addresses(host) & (resolve_addresses(own) | {"127.0.0.1", "::1"})
    )


class _Agent:
    """Meets the other agents in a store that one agent serves, also for the workers."""

    def __init__(self, config, entrypoint, args):
        from .. import PrefixStore, TCPStore

        self.config, self.entrypoint, self.args, self.workers = config, entrypoint, args, None
        self.restarts = self.round = 0
        options, endpoint, static = config.rdzv_configs, config.rdzv_endpoint, config.rdzv_backend == "static"
        if config.min_nodes != config.max_nodes:
            raise NotImplementedError("nodes cannot come and go here: give --nnodes one number")
        if not static and config.rdzv_backend != "c10d":
            raise ValueError(
                f"The rendezvous backend '{config.rdzv_backend}' is not registered. Did you forget to call `register`?"
            )
        if static and not endpoint:
            raise ValueError("Endpoint is missing in endpoint. Try to add --master-addr and --master-port")
        host, port = _split_endpoint(endpoint, -1 if static else 29400)
        if port == -1:
            raise ValueError(f"port is missing in endpoint: {endpoint}. Try to specify --master-port")
        if static and "rank" not in options:
            raise ValueError("rank is absent in RendezvousParameters.Try add --node-rank to the cmd request")
        self.node = int(options["rank"]) if static else None
        serves = options.get("is_host", _is_this_machine(host) if self.node is None else self.node == 0)
        timeout = timedelta(seconds=int(options["timeout"] if static else options.get("read_timeout", 60)))
        try:
            serves = str(serves).lower() in ("1", "true", "t", "yes", "y")
            self.store = TCPStore(host, port, is_master=serves, timeout=timeout, multi_tenant=True)
        except RuntimeError:
            if static or not serves:
                raise
            serves = False  # another agent on this machine serves it
            self.store = TCPStore(host, port, is_master=False, timeout=timeout)
        self.part = lambda name: PrefixStore(f"{config.run_id}/{name}", self.store)
        self.host = (host if static else config.local_addr or socket.getfqdn()) if serves else None

    def _do_other_nodes_wait(self):
        """Whether a node whose workers failed has joined the next round."""
        return self.node is None and self.part(self.round + 1).add("joined", 0) > 0

    def start(self):
        config, count, nodes = self.config, self.config.nproc_per_node, self.config.max_nodes
        self.round += 1
        self.met = self.part(self.round)
        if self.host:  # restarted workers must not find the keys of the previous ones
            self.fresh = self.store if self.round == 1 else type(self.store)(self.host, 0, is_master=True)
            self.met.set("address", f"{self.host} {self.fresh.port}")
        node = self.met.add("joined", 1) - 1 if self.node is None else self.node
        self.met.set(f"workers_{node}", str(count))
        self.met.wait([f"workers_{n}" for n in range(nodes)], timedelta(seconds=int(config.rdzv_configs["timeout"])))
        sizes = [int(self.met.get(f"workers_{n}")) for n in range(nodes)]
        self.first, world = sum(sizes[:node]), sum(sizes)
        address, port = self.met.get("address").decode().split()
        envs, args, prefixes = {}, {}, {}
        for rank in range(count):
            envs[rank] = {
                "RANK": self.first + rank,
                "LOCAL_RANK": rank,
                "GROUP_RANK": node,
                "ROLE_RANK": self.first + rank,
                "ROLE_NAME": config.role,
                "LOCAL_WORLD_SIZE": count,
                "WORLD_SIZE": world,
                "GROUP_WORLD_SIZE": nodes,
                "ROLE_WORLD_SIZE": world,
                "MASTER_ADDR": address,
                "MASTER_PORT": port,
                "TORCHELASTIC_RESTART_COUNT": self.restarts,
                "TORCHELASTIC_MAX_RESTARTS": config.max_restarts,
                "TORCHELASTIC_RUN_ID": config.run_id,
                "TORCHELASTIC_USE_AGENT_STORE": True,
                "TORCH_NCCL_ASYNC_ERROR_HANDLING": os.getenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"),
            }
            envs[rank] = {name: str(value) for name, value in envs[rank].items()}
            names = {"role_name": config.role, "rank": self.first + rank, "local_rank": rank}
            prefix = Template(config.log_line_prefix_template or "[${role_name}${local_rank}]:")
            prefixes[rank] = prefix.safe_substitute(names)
            args[rank] = [
                Template(arg).safe_substitute(local_rank=rank) if isinstance(arg, str) else arg for arg in self.args
            ]
        self.workers = start_processes(
            config.role, self.entrypoint, args, envs, config.logs_specs, prefixes, config.start_method
        )

    def run(self):
        """Returns how the workers ended, by local rank."""
        death_sig = signal.SIGTERM
        try:
            self.start()
            while True:
                time.sleep(self.config.monitor_interval)
                result = self.workers.wait(0)
                if result is None and not self._do_other_nodes_wait():
                    continue
                if result is not None:
                    if not result.is_failed():
                        self._wait_for_other_nodes()
                        return result
                    if self.restarts == self.config.max_restarts:
                        return result
                    self.restarts += 1
                self.workers.close()
                self.start()
        except SignalException as e:
            logger.warning("Received %s death signal, shutting down workers", e.sigval)
            death_sig = e.sigval
            raise
        finally:
            if self.workers:
                self.workers.close(death_sig, self.config.shutdown_timeout)

    def _wait_for_other_nodes(self, seconds=300):
        """Keeps the store alive until all nodes are done."""
        end = time.monotonic() + seconds
        try:
            self.met.add("done", 1)
            while self.met.add("done", 0) < self.config.max_nodes and time.monotonic() < end:
                time.sleep(0.1)
        except RuntimeError:
            pass  # the server saw that all are done, and exited


def launch_agent(config: LaunchConfig, entrypoint, args: list) -> dict:
    """Runs workers on this node, and starts them again where they fail.

    Args:
        config (LaunchConfig): how.
        entrypoint (Callable or str): a function, or the path of a program.
        args (list): its arguments; ``${local_rank}`` in a str is replaced by the worker's local rank.

    Returns:
        dict[int, Any]: what the workers returned, by rank.

    Raises:
        ChildFailedError: when a worker failed for good.
    """
    if not config.run_id:
        config.run_id = str(uuid.uuid4().int)
        logger.warning("config has no run_id, generated a random run_id: %s", config.run_id)
    os.environ["TORCHELASTIC_SIGNALS_TO_HANDLE"] = config.signals_to_handle
    agent = _Agent(config, entrypoint, args)
    result = agent.run()
    values, failures = (
        {agent.first + rank: value for rank, value in results.items()}
        for results in (result.return_values, result.failures)
    )
    if not failures:
        return values
    name = getattr(entrypoint, "__name__", entrypoint)
    if entrypoint == sys.executable:
        name = next((arg for arg in args if arg[0] != "-"), "")
    raise ChildFailedError(name, failures)


class elastic_launch:
    """Launches workers when called with their arguments: ``elastic_launch(config, entrypoint)(*args)``.

    See launch_agent for what a call returns and raises.

    Args:
        config (LaunchConfig): how.
        entrypoint (Callable or str): a function, or the path of a program.
    """

    def __init__(self, config: LaunchConfig, entrypoint):
        self._config, self._entrypoint = config, entrypoint

    def __call__(self, *args):
        return launch_agent(self._config, self._entrypoint, list(args))
