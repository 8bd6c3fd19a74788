"""Process groups and what their members do together.

Every rank calls the same collectives in the same order. With `async_op` a collective gives its Work at once; else it returns when it
is done. `group` None is the default group; a rank that is no member gets a warning and None. Ranks in arguments are global ones, but
for `group_src` and `group_dst`.
"""

import contextlib
import hashlib
import io
import os
import pickle
import sys
import warnings
from collections import namedtuple
from datetime import timedelta
from functools import wraps
from inspect import signature
from typing import NewType

from typing_extensions import deprecated

from .. import Tensor, empty, tensor, uint8, view_as_real
from .. import device as _device
from ._errors import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from ._gloo import Backend as _Backend
from ._gloo import ProcessGroupGloo
from ._groups import ProcessGroup
from ._stores import FileStore, HashStore, PrefixStore, Store, TCPStore
from ._work import (
    AllgatherOptions,
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOp,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
    Work,
)
from .constants import default_pg_nccl_timeout, default_pg_timeout
from .rendezvous import _create_store_from_options, register_rendezvous_handler, rendezvous

GroupName = NewType("GroupName", str)
_Work = Work

for _class in (Store, PrefixStore, ProcessGroup, ProcessGroupGloo, Work, ReduceOp):
    _class.__module__ = __name__


def supports_complex(reduceOp):
    """Whether a reduction takes complex tensors: sums and means do."""
    return reduceOp in (ReduceOp.SUM, ReduceOp.AVG, ReduceOp.PREMUL_SUM)


class Backend(str):
    """The name of a backend, in lower case: `Backend("GLOO") == Backend.GLOO == "gloo"`."""

    _BackendPlugin = namedtuple("_BackendPlugin", ["creator_fn", "extended_api"])
    _plugins = {}
    UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE = backend_list = [
        "undefined",
        "gloo",
        "nccl",
        "xccl",
        "ucc",
        "mpi",
        "fake",
    ]
    default_device_backend_map = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}
    backend_capability = {
        GLOO: ["cpu", "cuda"],
        NCCL: ["cuda"],
        XCCL: ["xpu"],
        UCC: ["cpu", "cuda"],
        MPI: ["cpu", "cuda"],
        FAKE: ["cpu", "cuda", "hpu", "xpu"],
    }
    backend_type_map = {
        name: getattr(ProcessGroup.BackendType, "CUSTOM" if name == "fake" else name.upper()) for name in backend_list
    }

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        value = getattr(Backend, name.upper(), Backend.UNDEFINED)
        return name.lower() if value == Backend.UNDEFINED else value

    @classmethod
    def register_backend(cls, name, func, extended_api=False, devices=None):
        """Makes `func(store, rank, size, timeout)`, or with `extended_api` `func(options, backend_options)`, give the backend `name`.

        What it gives is a Backend, or a ProcessGroup that serves whole. `devices` names the kinds of devices that it serves.
        """
        low = name.lower()
        if not hasattr(Backend, name.upper()):
            setattr(Backend, name.upper(), low)
        if low not in Backend.backend_list:
            Backend.backend_list.append(low)
        if devices is None:
            warnings.warn(
                f"Device capability of {name} unspecified, assuming `cpu` and `cuda` or `xpu`. Please specify it via the "
                "`devices` argument of `register_backend`.",
                stacklevel=2,
            )
        else:
            for kind in devices:
                if Backend.default_device_backend_map.get(kind) in (None, "fake"):
                    Backend.default_device_backend_map[kind] = low
        Backend.backend_capability[low] = (
            ["cpu", "cuda"] if devices is None else [devices] if isinstance(devices, str) else devices
        )
        Backend.backend_type_map[low] = ProcessGroup.BackendType.CUSTOM
        Backend._plugins[name.upper()] = Backend._BackendPlugin(func, extended_api)


class BackendConfig:
    """Which backend serves which kind of device: of a name, of "cpu:gloo,npu:hccl", or of this machine."""

    def __init__(self, backend):
        backend = str(backend)
        if backend == Backend.UNDEFINED:
            from ..accelerator import current_accelerator

            found = current_accelerator()
            kind = "cpu" if found is None else found.type
            if kind not in Backend.default_device_backend_map:
                raise ValueError(
                    f"We detected accelerator {kind} on your machine. But we don't know which communication backend to use for "
                    "this accelerator. Please specify the `backend` argument in the `init_process_group` call."
                )
            self.device_backend_map = {kind: Backend(Backend.default_device_backend_map[kind])}
        elif backend.lower() in Backend.backend_list:
            self.device_backend_map = dict.fromkeys(Backend.backend_capability[backend.lower()], Backend(backend))
        elif ":" in backend:
            self.device_backend_map = {}
            text = f"""The custom backend string argument is invalid: {backend}.
                Custom backend string is an experimental feature where the backend string must be in the format:
                "<device_type1>:<backend1>,<device_type2>:<backend2>...". e.g. 'cpu:gloo,cuda:nccl'"""
            for pair in backend.lower().split(","):
                if pair.count(":") != 1:
                    raise ValueError(f"Invalid device:backend pairing: {' ' * 37}{pair}. {text}")
                kind, name = pair.split(":")
                if kind in self.device_backend_map:
                    raise ValueError(f"Duplicate device type {kind} {' ' * 37}in backend string: {name}. {text}")
                self.device_backend_map[kind] = Backend(name)
        else:
            warnings.warn(
                f"Device capability of {backend} unknown, assuming `cpu` and `cuda`. You can specify it in `device:backend` format "
                "in `init_process_group` call.",
                stacklevel=2,
            )
            self.device_backend_map = dict.fromkeys(("cpu", "cuda", "xpu"), Backend(backend))

    def __repr__(self):
        return ",".join(f"{kind}:{name}" for kind, name in self.device_backend_map.items())

    def get_device_backend_map(self):
        """The names by kind of device."""
        return self.device_backend_map


class _reduce_op:
    """The old name of ReduceOp."""

    @deprecated(
        "`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead",
        category=FutureWarning,
    )
    def __getattribute__(self, key):
        return ReduceOp.RedOpType.__members__ if key == "__members__" else getattr(ReduceOp, key)


reduce_op = _reduce_op()


class _World:
    """All groups of this process."""

    def __init__(self):
        self.default_pg, self.group_count = None, 0
        self.pg_map, self.pg_names, self.pg_group_ranks, self.pg_backend_config = {}, {}, {}, {}
        self.pg_coalesce_state, self.tags_to_pg, self.pg_to_tag = {}, {}, {}


_world = _World()


class _WorldMeta(type):
    WORLD = property(lambda cls: _world.default_pg, lambda cls, group: setattr(_world, "default_pg", group))


class group(metaclass=_WorldMeta):
    """Holds the default group, `group.WORLD`."""


class GroupMember(metaclass=_WorldMeta):
    """What `new_group` gives to those that are no members."""

    NON_GROUP_MEMBER = -100


def _check_valid_timeout(timeout):
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")


def is_mpi_available():
    """False."""
    return False


is_nccl_available = is_ucc_available = is_xccl_available = is_mpi_available


def is_gloo_available():
    """True: the backend of CPU tensors."""
    return True


def is_backend_available(backend):
    """Whether a backend, or each of "cpu:gloo,npu:hccl", can be used."""
    names = [pair.split(":")[1] for pair in backend.lower().split(",")] if ":" in backend else [backend.lower()]
    return all(name == "gloo" or name.upper() in Backend._plugins for name in names)


def is_initialized():
    """Whether there is a default group."""
    return _world.default_pg is not None


def is_torchelastic_launched():
    """Whether torchrun started this process."""
    return os.getenv("TORCHELASTIC_RUN_ID") is not None


def _get_default_group():
    if _world.default_pg is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _world.default_pg


def _get_default_store():
    return _world.pg_map[_get_default_group()][1]


def _group_or_default_group(group=None):
    return _get_default_group() if group is None or group is _world.default_pg else group


def _rank_not_in_group(group):
    return group == GroupMember.NON_GROUP_MEMBER


def _ranks_of(group):
    if group is _world.default_pg:
        return _world.pg_group_ranks.get(group) or {rank: rank for rank in range(group.size())}
    if group not in _world.pg_group_ranks:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    return _world.pg_group_ranks[group]


def get_group_rank(group, global_rank):
    """The rank inside of a group; ValueError where it is no member's."""
    ranks = _ranks_of(group)
    if global_rank not in ranks and group is not _world.default_pg:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.get(global_rank, global_rank)


def get_global_rank(group, group_rank):
    """The global rank of a group's rank."""
    for rank, inside in _ranks_of(group).items():
        if inside == group_rank:
            return rank
    if group is _world.default_pg:
        return group_rank
    raise ValueError(f"Group rank {group_rank} is not part of group {group}")


def get_process_group_ranks(group):
    """The global ranks of a group's members, in the order of their ranks there."""
    return list(_ranks_of(_group_or_default_group(group)))


def _known(group):
    group = _group_or_default_group(group)
    if _rank_not_in_group(group):
        raise ValueError("Invalid process group specified")
    if group not in _world.pg_map:
        raise ValueError(
            f"Process group {group} is not initialized in the world group map. Please initialize the group first."
        )
    return group


def get_backend_config(group=None):
    """Which backend serves which kind of device, as a string."""
    return str(_world.pg_backend_config[_known(group)])


def get_backend(group=None):
    """The name of a group's backend."""
    return Backend(_world.pg_map[_known(group)][0])


def get_default_backend_for_device(device):
    """The name of the backend for a kind of device."""
    kind = device.type if isinstance(device, _device) else _device(device).type
    if (name := Backend.default_device_backend_map.get(kind)) is None:
        raise ValueError(f"Default backend not registered for device : {device}")
    return name


def get_pg_count():
    """How many groups there are."""
    return _world.group_count


def get_node_local_rank(fallback_rank=None):
    """LOCAL_RANK, or `fallback_rank` where that is not set."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def get_rank(group=None):
    """This process's rank in a group; -1 where it is no member."""
    if _rank_not_in_group(group):
        return -1
    default = _get_default_group()
    return default.rank() if group is None or group is default else get_group_rank(group, default.rank())


def get_world_size(group=None):
    """How many members a group has; -1 where this process is none."""
    return -1 if _rank_not_in_group(group) else _group_or_default_group(group).size()


def _set_pg_timeout(timeout, group=None):
    """Sets how long the collectives of a group wait."""
    _check_valid_timeout(timeout)
    _known(group).set_timeout(timeout)


def _process_group_name(ranks, hashed):
    if hashed:
        text = "_".join([*map(str, ranks), str(len(_world.pg_names))])
        return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    _world.group_count += 1
    return str(_world.group_count - 1)


def _make_group(size, rank, ranks, backend, store, name, options, timeout, tag, device_id, description):
    """A group with a backend for each kind of device, entered in `_world`; NON_GROUP_MEMBER where `rank` is None."""
    if name in _world.pg_names.values():
        raise ValueError("The specified group name has already been created, please use a different group name")
    if device_id is not None and (device_id.index is None or device_id.type == "cpu"):
        raise ValueError("init_process_group device_id parameter must be an accelerator with an index")
    _check_valid_timeout(timeout)
    if rank is None:
        return GroupMember.NON_GROUP_MEMBER
    prefix = PrefixStore(f"{name}/", store)
    made, config = ProcessGroup(prefix, rank, size), BackendConfig(backend)
    backends = {}
    for kind, backend_name in config.get_device_backend_map().items():
        if backend_name not in backends:
            backends[backend_name] = _make_backend(
                backend_name, PrefixStore(f"{kind}/", prefix), rank, size, ranks, name, options, timeout
            )
        if isinstance(backends[backend_name], ProcessGroup):
            made = backends[backend_name]
            break
        made._register_backend(_device(kind), Backend.backend_type_map[backend_name], backends[backend_name])
    made._set_group_name(name)
    made._set_group_desc(description or "undefined")
    made.bound_device_id = device_id
    _world.pg_map[made] = (backend if backend != Backend.UNDEFINED else next(iter(backends)), prefix)
    _world.pg_names[made], _world.pg_backend_config[made] = name, str(config)
    tag = f"user:{tag}" if tag else f"ptd:{name}"
    _world.pg_to_tag[made] = tag
    for each in {tag, tag if tag.startswith("user:") else ""}:
        _world.tags_to_pg.setdefault(each, []).append(made)
    return made


def _make_backend(name, store, rank, size, ranks, group_name, options, timeout):
    if name == Backend.GLOO:
        return ProcessGroupGloo(store, rank, size, timeout)
    if name.upper() not in Backend._plugins:
        kinds = {"nccl": "NCCL", "xccl": "XCCL"}
        if name == Backend.MPI:
            raise RuntimeError(
                "Distributed package doesn't have MPI built in. MPI is only included if you build PyTorch from source on a host "
                "that has MPI installed."
            )
        if name in kinds:
            raise RuntimeError(f"Distributed package doesn't have {kinds[name]} built in")
        raise AssertionError(f"Unknown c10d backend type {name.upper()}")
    creator, extended = Backend._plugins[name.upper()]
    if not extended:
        return creator(store, rank, size, timeout)
    description = _Backend.Options(name, timeout)
    description.store, description.group_rank, description.group_size = store, rank, size
    description.timeout, description.group_id, description.global_ranks_in_group = timeout, group_name, ranks
    return creator(description, options)


def init_process_group(
    backend=None,
    init_method=None,
    timeout=None,
    world_size=-1,
    rank=-1,
    store=None,
    group_name="",
    pg_options=None,
    device_id=None,
    _ranks=None,
):
    """Makes the default group, of all processes of a program, and returns when all have come.

    They find each other through `store`, with `world_size` and `rank`; or by `init_method`: "env://" (the default; MASTER_ADDR,
    MASTER_PORT, RANK and WORLD_SIZE), "tcp://host:port" or "file://path". `backend` is "gloo", one that was registered, "cpu:gloo,npu:name",
    or None: that of this machine's devices. `timeout` limits each collective (30 minutes). ValueError where there is a group already.
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if store is not None:
        if not world_size > 0:
            raise AssertionError("world_size must be positive if using store")
        if not rank >= 0:
            raise AssertionError("rank must be non-negative if using store")
    device_id = _checked_device(device_id)
    if backend is None and device_id is not None:
        backend = Backend.default_device_backend_map.get(device_id.type)
    backend = Backend(backend or "undefined")
    timeout = default_pg_timeout if timeout is None else timeout
    _check_valid_timeout(timeout)
    name = _process_group_name(_ranks or [], bool(_ranks))
    if store is None:
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, timeout=timeout))
        store.set_timeout(timeout)
        store = PrefixStore("default_pg", store)
    made = _make_group(world_size, rank, [], backend, store, name, pg_options, timeout, None, device_id, "default_pg")
    _world.default_pg = made
    _world.pg_group_ranks[made] = {each: each for each in range(made.size())}
    _prefix_tracebacks(rank)


def _checked_device(device_id):
    from ..accelerator import current_accelerator, device_count

    found = current_accelerator()
    if isinstance(device_id, int):
        if found is None:
            raise ValueError(
                "device_id is an int, but no accelerator support is found from the current compilation. "
                "Please use a different compiled version that supports your accelerator."
            )
        device_id = _device(found.type, device_id)
    if device_id is not None and device_id.type != "cpu":
        if found is None or device_id.type != found.type:
            raise ValueError(
                f"device_id {device_id} does not match the current compilation's accelerator support: {found}. "
                "Please use a different compiled version that supports your accelerator."
            )
        if device_id.index is None:
            raise ValueError("Please use a device_id with index.")
        if device_id.index >= device_count():
            raise ValueError(
                f"device_id {device_id} is out of range. Please use a device index less than the number of accelerators "
                f"available: {device_count()}."
            )
    return device_id


def _prefix_tracebacks(rank):
    """From now on each line of an uncaught exception says which rank raised it."""
    hook = sys.excepthook

    def prefixed(*arguments):
        stream, sys.stderr = sys.stderr, io.StringIO()
        try:
            hook(*arguments)
            text = sys.stderr.getvalue()
        finally:
            sys.stderr = stream
        stream.write("\n".join(f"[rank{rank}]: {line}" if line else "" for line in text.split("\n")))
        stream.flush()

    sys.excepthook = prefixed


def destroy_process_group(group=None):
    """Ends a group; without one, or with the default group, all groups."""
    if _rank_not_in_group(group):
        return
    group = _world.default_pg if group is None else group
    if group is None:
        raise AssertionError("Process group cannot be None")
    if group not in _world.pg_map:
        raise ValueError("Invalid process group specified")
    if group is _world.default_pg:
        for each in sorted(_world.pg_names, key=_world.pg_names.get, reverse=True):
            each.shutdown()
        _world.__init__()
        return
    group.shutdown()
    for table in (
        _world.pg_map,
        _world.pg_names,
        _world.pg_group_ranks,
        _world.pg_backend_config,
        _world.pg_coalesce_state,
    ):
        table.pop(group, None)
    tag = _world.pg_to_tag.pop(group)
    for each in {tag, ""}:
        if group in _world.tags_to_pg.get(each, ()):
            _world.tags_to_pg[each].remove(group)


def new_group(
    ranks=None,
    timeout=None,
    backend=None,
    pg_options=None,
    use_local_synchronization=False,
    group_desc=None,
    device_id=None,
    sort_ranks=True,
):
    """A group of some of the default group's members (None: all), in their order there unless `sort_ranks` is false.

    Every process calls it, members or not, unless `use_local_synchronization`. Gives NON_GROUP_MEMBER to the others.
    """
    default = _get_default_group()
    default_backend, store = _world.pg_map[default]
    if device_id is None:
        device_id = default.bound_device_id
    elif default.bound_device_id is not None and device_id != default.bound_device_id:
        raise AssertionError("Mismatched bound device between new pg and the default pg.")
    backend = Backend(backend or default_backend)
    timeout = default_pg_timeout if timeout is None else timeout
    _check_valid_timeout(timeout)
    if use_local_synchronization and ranks is not None and get_rank() not in ranks:
        return None
    size = default.size()
    ranks = list(range(size)) if ranks is None else sorted(ranks) if sort_ranks else list(ranks)
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    if len(ranks) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in ranks:
        if not 0 <= rank < size:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    place = ranks.index(default.rank()) if default.rank() in ranks else None
    name = _process_group_name(ranks, use_local_synchronization)
    made = _make_group(len(ranks), place, ranks, backend, store, name, pg_options, timeout, None, device_id, group_desc)
    _world.pg_group_ranks[made] = {rank: inside for inside, rank in enumerate(ranks)}
    return made


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Cuts a group into groups of `group_size`; gives this process's, and all."""
    if group_size is None:
        raise ValueError(
            "Default group size only takes effect when CUDA is available."
            "If your subgroup using a backend that does not depend on CUDA,"
            "please pass in 'group_size' correctly."
        )
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    world_size = get_world_size(group)
    if world_size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({world_size})")
    if world_size % group_size != 0:
        raise ValueError(f"The world size ({world_size}) must be divisible by '{group_size=}'")
    ranks = get_process_group_ranks(group)
    parts = [ranks[start : start + group_size] for start in range(0, len(ranks), group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Makes a group of each list of ranks, which may not overlap; gives this process's (None where it has none), and all."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    subgroups, mine, seen = [], None, {}
    for ranks in ranks_per_subgroup_list:
        subgroups.append(new_group(ranks, timeout, backend, pg_options, group_desc=group_desc))
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {ranks}")
            seen[rank] = ranks
            if rank == get_rank():
                mine = subgroups[-1]
    return mine, subgroups


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None):
    """Cuts a group by its backend, which gloo cannot: RuntimeError."""
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    if _get_default_group().bound_device_id is None:
        raise RuntimeError("No device associated with the default pg, not safe to split any process groups")
    raise RuntimeError("No backend for the parent process group or its backend does not support splitting")


def _check_single_tensor(param, param_name):
    if not isinstance(param, Tensor):
        raise TypeError(
            f"""Invalid function argument. Expected parameter `{param_name}` of type torch.Tensor
             but got {type(param)} instead."""
        )


def _check_tensor_list(param, param_name):
    text = (
        f"Invalid function argument. Expected parameter `{param_name}` of type List[torch.Tensor]\n             but got"
    )
    if not isinstance(param, list):
        raise TypeError(f"{text} {type(param)} instead.")
    if not all(isinstance(each, Tensor) for each in param):
        raise TypeError(f"{text} {type(param)} with elements of type {[type(each) for each in param]}.")


def _ensure_all_tensors_same_dtype(*tensors):
    last = None
    for each in tensors:
        for one in each if isinstance(each, (list, tuple)) else (each,):
            dtype = one.dtype.to_real() if one.dtype.is_complex else one.dtype
            if last not in (None, dtype):
                raise ValueError(f"Invalid usage of tensors with different dtypesFound {last} and  {one.dtype}")
            last = dtype


def _real(tensor):
    return view_as_real(tensor) if tensor.is_complex() else tensor


def _reals(tensors):
    return [_real(tensor) for tensor in tensors]


def _canonicalize_group_rank(group, global_rank=None, group_rank=None, return_global=False):
    if group_rank is not None:
        if global_rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        return get_global_rank(group, group_rank) if return_global else group_rank
    if global_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    return global_rank if return_global else get_group_rank(group, global_rank)


def _check_not_self_rank(group, rank, kind):
    if group.rank() == rank:
        raise ValueError(f"Invalid {kind} rank: {kind} rank should not be the same as the rank of the current process.")


def _member(function):
    """A function of a group's members: the default group where none is given, and a warning elsewhere."""
    parameters = list(signature(function).parameters)
    place = parameters.index("group")

    @wraps(function)
    def called(*arguments, **options):
        group = arguments[place] if len(arguments) > place else options.get("group")
        if _rank_not_in_group(group):
            rank = -1 if _world.default_pg is None else _world.default_pg.rank()
            warnings.warn(
                f"Running {function.__name__} on global rank {rank} which does not belong to the given group.",
                stacklevel=2,
            )
            return None
        return function(*arguments, **options)

    return called


def _done(work, async_op):
    if async_op:
        return work
    work.wait()
    return None


@_member
def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor to a rank; gives a Work."""
    group = _group_or_default_group(group)
    group_dst = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    _check_not_self_rank(group, group_dst, "destination")
    return group.send([_real(tensor)], group_dst, tag)


@_member
def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Fills a tensor with what a rank (None: any) sends; gives a Work."""
    _check_single_tensor(tensor, "tensor")
    group = _group_or_default_group(group)
    if src is None and group_src is None:
        return group.recv_anysource([_real(tensor)], tag)
    return group.recv([_real(tensor)], _canonicalize_group_rank(group, src, group_src), tag)


@_member
def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor to a rank."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Fills a tensor with what a rank (None: any) sends; gives the sender's rank, -1 where this process is no member."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    if src is not None:
        return src
    return get_global_rank(_group_or_default_group(group), work._source_rank())


class P2POp:
    """One sending or receiving of `batch_isend_irecv`: `op` is `isend` or `irecv`."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
            )
        _check_single_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        self.group = _group_or_default_group(group)
        self.peer = _canonicalize_group_rank(self.group, peer, group_peer, True)
        self.group_peer = _canonicalize_group_rank(self.group, peer, group_peer)

    def __repr__(self):
        ends = (get_rank(self.group), self.group_peer)
        source, target = ends if self.op is isend else ends[::-1]
        return (
            f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, group_dst={target},  "
            f"{self.tensor.shape}, {self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list):
    """Starts several sendings and receivings of one group; gives their Works."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    if any(op.group != p2p_op_list[0].group for op in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    return [op.op(op.tensor, op.peer, op.group, op.tag) for op in p2p_op_list]


class _CoalescingManager:
    def __init__(self):
        self.works = []

    def append(self, work=None):
        if work:
            self.works.append(work)

    def wait(self):
        for work in self.works:
            work.wait()


@contextlib.contextmanager
def _coalescing_manager(group=None, device=None, async_ops=False):
    """Collectives of one kind inside run together at its end."""
    group = _group_or_default_group(group)
    if _world.pg_coalesce_state.get(group):
        raise ValueError("ProcessGroup has non-empty op list at the start of coalescing")
    calls = _world.pg_coalesce_state[group] = []
    manager = _CoalescingManager()
    yield manager
    del _world.pg_coalesce_state[group]
    if len({name for name, _ in calls}) > 1:
        raise RuntimeError(
            "Coalescing manager requires all collectives to be the same type, "
            f"but got mixed types: { ({name for name, _ in calls}) }"
        )
    manager.works = [start() for _, start in calls]
    if not async_ops:
        manager.wait()


def _coalesced(group, name, start):
    """Whether a collective was put off to the end of a coalescing manager."""
    if group not in _world.pg_coalesce_state:
        return False
    _world.pg_coalesce_state[group].append((name, start))
    return True


def _root(group, rank, group_rank, default=True):
    if rank is None and group_rank is None and default:
        rank = 0
    return _canonicalize_group_rank(group, rank, group_rank)


@_member
def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Copies the source's tensor to those of all ranks, of the same shape and dtype."""
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, src, group_src)
    _check_single_tensor(tensor, "tensor")
    return _done(group.broadcast([_real(tensor)], BroadcastOptions(rootRank=root, asyncOp=async_op)), async_op)


def _of_reduction(options, op, async_op):
    if not isinstance(op, (ReduceOp, ReduceOp.RedOpType)) or op == ReduceOp.PREMUL_SUM:
        raise TypeError(
            "(): incompatible function arguments. The following argument types are supported:\n"
            f"    1. (self: torch._C._distributed_c10d.{options.__name__}, arg0: torch._C._distributed_c10d.ReduceOp) -> None\n\n"
            f"Invoked with: {options()}, {op!r}"
        )
    return options(reduceOp=op, asyncOp=async_op)


def _refuse_complex(name, tensors, op):
    if any(tensor.is_complex() for tensor in tensors) and not supports_complex(op):
        raise ValueError(f"{name} does not support {op} on complex tensors")


@_member
def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins the tensors of all ranks, in place."""
    _check_single_tensor(tensor, "tensor")
    _refuse_complex("all_reduce", [tensor], op)
    options = _of_reduction(AllreduceOptions, op, async_op)
    group = _group_or_default_group(group)
    if _coalesced(group, "all_reduce", lambda: group.allreduce([_real(tensor)], options)):
        return _IllegalWork() if async_op else None
    return _done(group.allreduce([_real(tensor)], options), async_op)


class _IllegalWork(Work):
    """The work of a collective inside of a coalescing manager, which alone can be waited for."""

    def __getattribute__(self, name):
        if name in ("is_success", "exception", "wait", "source_rank", "result", "synchronize", "is_completed"):
            raise ValueError(f"Illegal to call {name} on IllegalWork object")
        return object.__getattribute__(self, name)


@_member
@deprecated(
    "`torch.distributed.all_reduce_coalesced` will be deprecated. If you must use it, please revisit our documentation later at "
    "https://pytorch.org/docs/main/distributed.html#collective-functions",
    category=FutureWarning,
)
def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins each of several tensors, of one dtype, with those of all ranks, in place."""
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    _check_tensor_list(tensors, "tensor")
    _ensure_all_tensors_same_dtype(tensors)
    _refuse_complex("all_reduce", tensors, op)
    options = _of_reduction(AllreduceCoalescedOptions, op, async_op)
    return _done(_group_or_default_group(group).allreduce_coalesced(_reals(tensors), options), async_op)


@_member
def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Joins the tensors of all ranks in that of one."""
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    options = _of_reduction(ReduceOptions, op, async_op)
    options.rootRank = root
    return _done(group.reduce([tensor], options), async_op)


def _object_to_tensor(obj, device=None, group=None):
    data = pickle.dumps(obj)
    return tensor(bytearray(data), dtype=uint8), tensor([len(data)])


def _tensor_to_object(value, size, group=None):
    return pickle.loads(
        bytes(value[: int(size)].untyped_storage()[: int(size)])
        if value.storage_offset() == 0
        else bytes(value[: int(size)].tolist())
    )


@_member
def all_gather_object(object_list, obj, group=None):
    """Fills the list with the pickled objects of all ranks. Unpickling runs code: trust the members."""
    group = _group_or_default_group(group)
    data, size = _object_to_tensor(obj)
    sizes = [tensor([0]) for _ in range(group.size())]
    all_gather(sizes, size, group)
    longest = max(map(int, sizes))
    outputs = [empty(longest, dtype=uint8) for _ in sizes]
    all_gather(outputs, data.resize_(longest), group)
    for place, (output, size) in enumerate(zip(outputs, sizes, strict=True)):
        object_list[place] = _tensor_to_object(output, size)


@_member
def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """Fills the list of one rank with the pickled objects of all. Unpickling runs code: trust the members."""
    group = _group_or_default_group(group)
    root = _root(group, dst, group_dst)
    here = group.rank() == root
    _validate_output_list_for_rank(group.rank(), root, object_gather_list)
    data, size = _object_to_tensor(obj)
    sizes = [tensor([0]) for _ in range(group.size())]
    all_gather(sizes, size, group)
    longest = max(map(int, sizes))
    outputs = [empty(longest, dtype=uint8) for _ in sizes] if here else None
    gather(data.resize_(longest), outputs, group=group, group_dst=root)
    for place, output in enumerate(outputs or ()):
        object_gather_list[place] = _tensor_to_object(output, sizes[place])


def _pack(objects):
    pairs = [_object_to_tensor(each) for each in objects]
    sizes = tensor([int(size) for _, size in pairs])
    whole = empty(int(sizes.sum()), dtype=uint8)
    for part, (data, _) in zip(whole.split(sizes.tolist()), pairs, strict=True):
        part.copy_(data)
    return sizes, whole


def _unpack(sizes, whole, objects):
    for place, part in enumerate(whole.split(sizes.tolist())):
        objects[place] = _tensor_to_object(part.clone(), part.numel())


@_member
def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """Sends pickled objects to a rank."""
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, dst, group_dst)
    _check_not_self_rank(group, root, "destination")
    for each in _pack(object_list):
        send(each, group=group, group_dst=root)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """Fills the list with what a rank sends (None: any); gives its rank. Unpickling runs code: trust the sender."""
    if _rank_not_in_group(group):
        return -1
    group = _group_or_default_group(group)
    sizes = tensor([0] * len(object_list))
    source = recv(sizes, src, group, group_src=group_src)
    whole = empty(int(sizes.sum()), dtype=uint8)
    recv(whole, source, group)
    _unpack(sizes, whole, object_list)
    return source


@_member
def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Fills the lists of all ranks, of one length, with the pickled objects of one. Unpickling runs code: trust the source."""
    group = _group_or_default_group(group)
    root = _root(group, src, group_src)
    here = group.rank() == root
    sizes, whole = _pack(object_list) if here else (tensor([0] * len(object_list)), None)
    broadcast(sizes, group=group, group_src=root)
    whole = whole if here else empty(int(sizes.sum()), dtype=uint8)
    broadcast(whole, group=group, group_src=root)
    if not here:
        _unpack(sizes, whole, object_list)


@_member
def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
):
    """Gives each rank, in its list's first place, its object of the list of one. Unpickling runs code: trust the source."""
    group = _group_or_default_group(group)
    root = _root(group, src, group_src)
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    data = sizes = None
    longest = tensor([0])
    if group.rank() == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        data, sizes = map(list, zip(*map(_object_to_tensor, scatter_object_input_list), strict=True))
        longest = max(sizes).clone()
        for each in data:
            each.resize_(int(longest))
    broadcast(longest, group=group, group_src=root)
    output, size = empty(int(longest), dtype=uint8), tensor([0])
    scatter(output, data, group=group, group_src=root)
    scatter(size, sizes, group=group, group_src=root)
    scatter_object_output_list[0] = _tensor_to_object(output, size)


@_member
def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Fills the list with the tensors of all ranks."""
    _check_tensor_list(tensor_list, "tensor_list")
    _check_single_tensor(tensor, "tensor")
    _ensure_all_tensors_same_dtype(tensor_list, tensor)
    group = _group_or_default_group(group)
    return _done(group.allgather([_reals(tensor_list)], [_real(tensor)], AllgatherOptions(asyncOp=async_op)), async_op)


@_member
def all_gather_single(output_tensor, input_tensor, group=None, async_op=False):
    """Fills a tensor with those of all ranks, one after another or each at a place of a new first dimension."""
    _check_single_tensor(input_tensor, "input_tensor")
    _check_single_tensor(output_tensor, "output_tensor")
    group, options = _group_or_default_group(group), AllgatherOptions(asyncOp=async_op)
    output, value = _real(output_tensor), _real(input_tensor)
    if _coalesced(group, "all_gather_single", lambda: group._allgather_base(output, value, options)):
        return _IllegalWork() if async_op else None
    return _done(group._allgather_base(output, value, options), async_op)


@deprecated(
    "`torch.distributed.all_gather_into_tensor` is deprecated. Please use `torch.distributed.all_gather_single` instead.",
    category=FutureWarning,
)
def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """The old name of `all_gather_single`."""
    return all_gather_single(output_tensor, input_tensor, group, async_op)


@deprecated(
    "`torch.distributed._all_gather_base` is a private function and will be deprecated. "
    "Please use `torch.distributed.all_gather_single` instead.",
    category=FutureWarning,
)
def _all_gather_base(output_tensor, input_tensor, group=None, async_op=False):
    return all_gather_single(output_tensor, input_tensor, group, async_op)


@_member
@deprecated(
    "`torch.distributed.all_gather_coalesced` will be deprecated. If you must use it, please revisit our documentation later at "
    "https://pytorch.org/docs/main/distributed.html#collective-functions",
    category=FutureWarning,
)
def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """Fills a list for each rank with its several tensors."""
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(input_tensor_list)
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for each in output_tensor_lists:
        _check_tensor_list(each, "output_tensor_lists")
    group = _group_or_default_group(group)
    lists = [_reals(each) for each in output_tensor_lists]
    return _done(
        group.allgather_coalesced(lists, _reals(input_tensor_list), AllgatherOptions(asyncOp=async_op)), async_op
    )


def _validate_output_list_for_rank(my_rank, dst, gather_list):
    if dst == my_rank:
        if not gather_list:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    elif gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")


@_member
def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Fills the list of one rank with the tensors of all."""
    _check_single_tensor(tensor, "tensor")
    if gather_list:
        _check_tensor_list(gather_list, "gather_list")
    _ensure_all_tensors_same_dtype(tensor, gather_list or [])
    group = _group_or_default_group(group)
    root = _root(group, dst, group_dst)
    _validate_output_list_for_rank(group.rank(), root, gather_list)
    outputs = [_reals(gather_list)] if group.rank() == root else []
    return _done(group.gather(outputs, [_real(tensor)], GatherOptions(rootRank=root, asyncOp=async_op)), async_op)


@_member
def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Gives each rank its tensor of the list of one."""
    _check_single_tensor(tensor, "tensor")
    if scatter_list:
        _check_tensor_list(scatter_list, "scatter_list")
    _ensure_all_tensors_same_dtype(tensor, scatter_list or [])
    group = _group_or_default_group(group)
    root = _root(group, src, group_src)
    if group.rank() == root:
        if not scatter_list:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    elif scatter_list:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    inputs = [_reals(scatter_list)] if group.rank() == root else []
    return _done(group.scatter([_real(tensor)], inputs, ScatterOptions(rootRank=root, asyncOp=async_op)), async_op)


@_member
def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins each rank's list of tensors, and gives every rank the one of its place."""
    _check_single_tensor(output, "output")
    _check_tensor_list(input_list, "input_list")
    _ensure_all_tensors_same_dtype(output, input_list)
    _refuse_complex("reduce_scatter", [output], op)
    options, group = _of_reduction(ReduceScatterOptions, op, async_op), _group_or_default_group(group)
    return _done(group.reduce_scatter([_real(output)], [_reals(input_list)], options), async_op)


@_member
def reduce_scatter_single(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins the tensors of all ranks, and gives every rank its share of the first dimension."""
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _refuse_complex("reduce_scatter_single", [input], op)
    options, group = _of_reduction(ReduceScatterOptions, op, async_op), _group_or_default_group(group)
    output, value = _real(output), _real(input)
    if _coalesced(group, "reduce_scatter_single", lambda: group._reduce_scatter_base(output, value, options)):
        return _IllegalWork() if async_op else None
    return _done(group._reduce_scatter_base(output, value, options), async_op)


@deprecated(
    "`torch.distributed.reduce_scatter_tensor` is deprecated. Please use `torch.distributed.reduce_scatter_single` instead.",
    category=FutureWarning,
)
def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """The old name of `reduce_scatter_single`."""
    return reduce_scatter_single(output, input, op, group, async_op)


@deprecated(
    "`torch.distributed._reduce_scatter_base` is a private function and will be deprecated. "
    "Please use `torch.distributed.reduce_scatter_single` instead.",
    category=FutureWarning,
)
def _reduce_scatter_base(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    return reduce_scatter_single(output, input, op, group, async_op)


@_member
def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Sends rows of a tensor to each rank, as many as `input_split_sizes` says (else as many each), and fills another likewise."""
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _ensure_all_tensors_same_dtype(output, input)
    options, group = AllToAllOptions(asyncOp=async_op), _group_or_default_group(group)
    sizes = list(output_split_sizes or ()), list(input_split_sizes or ())
    return _done(group.alltoall_base(_real(output), _real(input), *sizes, options), async_op)


@_member
def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Sends the tensor of each place to that rank, and fills those of the other list."""
    _check_tensor_list(output_tensor_list, "output_tensor_list")
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(output_tensor_list, input_tensor_list)
    options, group = AllToAllOptions(asyncOp=async_op), _group_or_default_group(group)
    return _done(group.alltoall(_reals(output_tensor_list), _reals(input_tensor_list), options), async_op)


@_member
def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """Ends when all ranks have come."""
    if device_ids is not None and not isinstance(device_ids, list):
        raise TypeError("Invalid function argument: device_ids type should be List[int]")
    return _done(
        _group_or_default_group(group).barrier(BarrierOptions(asyncOp=async_op, device_ids=device_ids)), async_op
    )


@_member
def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """A barrier whose rank 0 says which rank (with `wait_all_ranks`: which ranks) did not come in time."""
    if get_backend(group) != Backend.GLOO:
        raise ValueError("monitored_barrier is only implemented for GLOO backend.")
    if isinstance(timeout, float):
        warnings.warn(
            f"Please specify timeout arg as a timedelta. Converting current value of {timeout} assuming it represents seconds",
            stacklevel=2,
        )
        timeout = timedelta(seconds=timeout)
    timeout = default_pg_timeout if timeout is None else timeout
    _check_valid_timeout(timeout)
    return _group_or_default_group(group).monitored_barrier(timeout, wait_all_ranks=wait_all_ranks)


__all__ = [name for name in dir() if name[0] != "_"]
