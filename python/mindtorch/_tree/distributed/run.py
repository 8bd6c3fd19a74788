"""torchrun: starts a program several times on each node, and restarts it if it fails."""

import os
import sys
import uuid
from argparse import REMAINDER, ArgumentParser
from importlib import import_module

from .. import _utils, accelerator
from .elastic.multiprocessing import DefaultLogsSpecs, Std
from .elastic.multiprocessing.errors import record
from .elastic.utils.logging import get_logger
from .launcher.api import LaunchConfig, elastic_launch

logger = get_logger(__name__)

# torchrun's options: name, default, meaning. The default "flag" makes a switch, "-" means None, a number sets the type.
_OPTIONS = """
--nnodes 1 how many nodes take part
--nproc-per-node 1 workers on each node: a number, auto, cpu or gpu
--rdzv-backend static how the nodes meet: static or c10d
--rdzv-endpoint - HOST:PORT where the nodes meet
--rdzv-id none the name of this job, the same on its nodes
--rdzv-conf - further settings of the meeting: KEY=VALUE,...
--standalone flag one node that needs no meeting place; overrides --rdzv-*
--max-restarts 0 how often failed workers are started again
--monitor-interval 0.1 seconds between two looks at the workers
--start-method spawn how processes of --run-path start: spawn, fork or forkserver
--event-log-handler null accepted; no events are recorded
--role default a name for the workers
-m/--module flag run the script as a module, as python -m does
--no-python flag run the script itself, not Python with it
--run-path flag run the script, an absolute path, by runpy in processes of this interpreter
--log-dir - folder of log files, a subfolder for each run
-r/--redirects 0 streams that go to log files: 1 stdout, 2 stderr, 3 both, or by local rank 0:1,1:2
-t/--tee 0 streams that go to log files and the console, as for --redirects
--local-ranks-filter - local ranks whose output the console shows: 0,1
--node-rank 0 number of this node (static)
--master-addr 127.0.0.1 address of node 0 (static)
--master-port - port of node 0 (static), 29500 by default
--local-addr - address of this node, in place of its own name
--signals-to-handle SIGTERM,SIGINT,SIGHUP,SIGQUIT signals that are passed to the workers
--shutdown-timeout - seconds between the end signal and SIGKILL, 30 by default
"""
_INTEGERS = "max_restarts", "node_rank", "master_port", "shutdown_timeout"


def get_args_parser() -> ArgumentParser:
    """Makes the parser of torchrun's options; PET_<NAME> in the environment is an option's default.

    Returns:
        ArgumentParser: the parser.
    """
    parser = ArgumentParser(description="Starts a program as workers of distributed training")
    for line in _OPTIONS.strip().split("\n"):
        words, default, meaning = line.split(" ", 2)
        names = words.split("/")
        dest = names[-1][2:].replace("-", "_")
        names += [f"--{dest}"] if "_" in dest else []
        given = os.environ.get(f"PET_{dest.upper()}")
        if default == "flag":
            parser.add_argument(*names, action="store_true", default=bool(int(given or 0)), help=meaning)
        else:
            default = given or (None if default == "-" else default)
            kind = int if dest in _INTEGERS else float if dest == "monitor_interval" else str
            parser.add_argument(*names, default=default, type=kind, help=meaning)
    parser.add_argument("training_script", help="the program, followed by its arguments")
    parser.add_argument("training_script_args", nargs=REMAINDER)
    return parser


def parse_args(args):
    """Parses torchrun's options.

    Args:
        args (list[str] or None): the words; None is sys.argv.

    Returns:
        Namespace: the options.
    """
    return get_args_parser().parse_args(args)


def parse_min_max_nnodes(nnodes: str) -> tuple[int, int]:
    """Parses a number of nodes.

    Args:
        nnodes (str): "N" or "MIN:MAX".

    Returns:
        tuple[int, int]: the two numbers, or one twice.

    Raises:
        RuntimeError: when there are more than two.
    """
    numbers = nnodes.split(":")
    if len(numbers) > 2:
        raise RuntimeError(f'nnodes={nnodes} is not in "MIN:MAX" format')
    return int(numbers[0]), int(numbers[-1])


def determine_local_world_size(nproc_per_node: str) -> int:
    """Decides the number of workers on this node.

    Args:
        nproc_per_node (str): a number; "auto", that of accelerators or CPUs; "cpu", "gpu", "xpu" or "npu".

    Returns:
        int: the number.

    Raises:
        ValueError: when it is none of these, or there is no such device.
    """
    try:
        return int(nproc_per_node)
    except ValueError as e:
        if nproc_per_node == "auto" and accelerator.is_available():
            return accelerator.device_count()
        if nproc_per_node in ("auto", "cpu"):
            return _utils.cpu_count()
        if nproc_per_node not in ("gpu", "xpu", "npu"):
            raise ValueError(f"Unsupported nproc_per_node value: {nproc_per_node}") from e
        name = "cuda" if nproc_per_node == "gpu" else nproc_per_node
        module = import_module("." + name, __package__.rpartition(".")[0])
        if not module.is_available():
            raise ValueError(f"{name.capitalize()} is not available.") from e
        return module.device_count()


def _yield_configuration_pairs(text):
    for pair in filter(None, (text or "").strip().split(",")):
        key, _, value = map(str.strip, pair.partition("="))
        if not key:
            raise ValueError(
                "The rendezvous configuration string must be in format <key1>=<value1>,...,<keyN>=<valueN>."
            )
        if not value:
            raise ValueError(f"The rendezvous configuration option '{key}' must have a value specified.")
        yield key, value


def config_from_args(args):
    """Makes of parsed options what elastic_launch needs.

    Args:
        args (Namespace): of parse_args.

    Returns:
        tuple: a LaunchConfig, the program or function to run, and its arguments.
    """
    least, most = parse_min_max_nnodes(args.nnodes)
    if not 0 < least <= most:
        raise AssertionError(f"min_nodes must be > 0 and <= max_nodes, got min_nodes={least}, max_nodes={most}")
    if args.max_restarts < 0:
        raise AssertionError("max_restarts must be >= 0")
    static, workers = args.rdzv_backend == "static", determine_local_world_size(args.nproc_per_node)
    if not static and not args.rdzv_endpoint:
        logger.warning("master_addr is only used for static rdzv_backend and when rdzv_endpoint is not specified.")
    if not static and args.node_rank != 0:
        text = "node_rank is only used for static rdzv_backend. It will be ignored for rdzv_backend=%s."
        logger.warning(text, args.rdzv_backend)
    if "OMP_NUM_THREADS" not in os.environ and workers > 1:
        stars = "*" * 41
        logger.warning(
            f"\n{stars}\nSetting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid "
            "your system being overloaded, please further tune the variable for optimal performance in your "
            f"application as needed. \n{stars}"
        )
        os.environ["OMP_NUM_THREADS"] = "1"
    try:
        shown = {*map(int, args.local_ranks_filter.split(","))} if args.local_ranks_filter else None
    except ValueError as e:
        raise ValueError(
            "--local_ranks_filter must be a comma-separated list of integers e.g. --local_ranks_filter=0,1,2"
        ) from e
    same = "role rdzv_backend max_restarts monitor_interval start_method local_addr signals_to_handle shutdown_timeout"
    config = LaunchConfig(
        least,
        most,
        workers,
        DefaultLogsSpecs(args.log_dir, Std.from_str(args.redirects), Std.from_str(args.tee), shown),
        args.rdzv_id,
        rdzv_endpoint=args.rdzv_endpoint or (f"{args.master_addr}:{args.master_port}" if static else ""),
        rdzv_configs=dict(_yield_configuration_pairs(args.rdzv_conf), **({"rank": args.node_rank} if static else {})),
        log_line_prefix_template=os.getenv("TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE"),
        **{name: getattr(args, name) for name in same.split()},
    )
    program, before = args.training_script, []
    if args.run_path:
        program, before = run_script_path, [program]
    elif not args.no_python:
        before = ["-u", *(["-m"] if args.module else []), program]
        program = os.getenv("PYTHON_EXEC", sys.executable)
    elif args.module:
        raise ValueError("Don't use both the '--no-python' flag and the '--module' flag at the same time.")
    if not getattr(args, "use_env", True):
        before.append("--local-rank=${local_rank}")
    return config, program, before + args.training_script_args


def run_script_path(training_script: str, *training_script_args: str) -> None:
    """Runs a script in this interpreter, as __main__.

    Args:
        training_script (str): its path.
        *training_script_args (str): its arguments.
    """
    import runpy

    sys.argv = [training_script, *training_script_args]
    runpy.run_path(training_script, run_name="__main__")


def run(args) -> None:
    """Launches what parsed options say, and returns when the workers have ended.

    Args:
        args (Namespace): of parse_args.

    Raises:
        ChildFailedError: when a worker failed for good.
    """
    alone = args.rdzv_backend == "static" and not args.rdzv_endpoint and args.master_port is None
    if args.standalone or (alone and parse_min_max_nnodes(args.nnodes)[1] == 1):
        args.rdzv_backend, args.rdzv_endpoint, args.rdzv_id = "c10d", "localhost:0", str(uuid.uuid4())
    args.master_port = args.master_port or 29500
    config, program, program_args = config_from_args(args)
    elastic_launch(config, program)(*program_args)


@record
def main(args=None) -> None:
    """Runs the command torchrun.

    Args:
        args (list[str], optional): its words. Default: sys.argv.
    """
    run(parse_args(args))


if __name__ == "__main__":
    main()
