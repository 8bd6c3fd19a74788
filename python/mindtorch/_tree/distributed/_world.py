"""The groups of this process: creating and destroying them, and queries of ranks."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import warnings
from datetime import timedelta
from typing import Any

from .. import device as _device
from .._C import _processes
from ._backends import Backend, BackendConfig, _make_backend
from ._groups import ProcessGroup
from ._stores import HashStore, PrefixStore, Store
from .constants import default_pg_timeout
from .rendezvous import rendezvous


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
    """The result of `new_group` in processes that are not members."""

    NON_GROUP_MEMBER = -100


def _check_valid_timeout(timeout):
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")


def _check_timeout(timeout, backend):
    if timeout is None:
        if backend == Backend.NCCL:
            warnings.warn(
                "Attempted to get default timeout for nccl backend, but NCCL support is not compiled", stacklevel=3
            )
        timeout = default_pg_timeout
    _check_valid_timeout(timeout)
    return timeout


def is_nccl_available() -> bool:
    """Returns whether the NCCL, UCC and XCCL backends are available: they are not.

    Returns:
        bool: False.
    """
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_mpi_available() -> bool:
    """Returns whether the backend over the machine's MPI is available: whether its library and MPI's can be loaded.

    Returns:
        bool: whether it is.
    """
    return _processes.is_backend_available("mpi")


def is_gloo_available() -> bool:
    """Returns whether the backend of CPU tensors over the Gloo library is available.

    Returns:
        bool: whether it is.
    """
    return _processes.is_backend_available("gloo")


def is_hccl_available() -> bool:
    """Returns whether the backend of NPU tensors over the vendor's HCCL is available: whether there is an NPU.

    Returns:
        bool: whether it is.
    """
    from .. import npu

    return npu.is_available() and _processes.is_backend_available("hccl")


def is_backend_available(backend: str) -> bool:
    """Returns whether a backend can be used: gloo, mpi and hccl if they are available, and registered ones.

    Args:
        backend (str): its name, or several as "cpu:gloo,npu:hccl", which must all be available.

    Returns:
        bool: whether it can.
    """
    names = [pair.split(":")[1] for pair in backend.lower().split(",")] if ":" in backend else [backend.lower()]
    return all(
        (name in ("gloo", "mpi", "fake") and _processes.is_backend_available(name))
        or (name == "hccl" and is_hccl_available())
        or name.upper() in Backend._plugins
        for name in names
    )


def is_initialized() -> bool:
    """Returns whether there is a default group: whether init_process_group was called.

    Returns:
        bool: whether there is one.
    """
    return _world.default_pg is not None


def is_torchelastic_launched() -> bool:
    """Returns whether torchrun started this process, according to TORCHELASTIC_RUN_ID in the environment.

    Returns:
        bool: whether it did.
    """
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


def _ranks_of_group(group):
    if group is _world.default_pg:
        return _world.pg_group_ranks.get(group) or {rank: rank for rank in range(group.size())}
    if group not in _world.pg_group_ranks:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    return _world.pg_group_ranks[group]


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Returns a process's rank in a group.

    Args:
        group (ProcessGroup): the group.
        global_rank (int): the process's rank in the default group.

    Returns:
        int: its rank in `group`.

    Raises:
        ValueError: when it is no member.
    """
    ranks = _ranks_of_group(group)
    if global_rank not in ranks and group is not _world.default_pg:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.get(global_rank, global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Returns the global rank of a group's member.

    Args:
        group (ProcessGroup): the group.
        group_rank (int): the member's rank in it.

    Returns:
        int: its rank in the default group.

    Raises:
        ValueError: when the group has no such rank.
    """
    for rank, inside in _ranks_of_group(group).items():
        if inside == group_rank:
            return rank
    if group is _world.default_pg:
        return group_rank
    raise ValueError(f"Group rank {group_rank} is not part of group {group}")


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Lists the global ranks of a group's members.

    Args:
        group (ProcessGroup or None): the group; None is the default one.

    Returns:
        list[int]: the ranks, in the order of the members' ranks in `group`.
    """
    return list(_ranks_of_group(_group_or_default_group(group)))


def _check_member(group):
    group = _group_or_default_group(group)
    if _rank_not_in_group(group):
        raise ValueError("Invalid process group specified")
    if group not in _world.pg_map:
        raise ValueError(
            f"Process group {group} is not initialized in the world group map. Please initialize the group first."
        )
    return group


def _resolve_process_group(name):
    """Returns the group with a name."""
    for group, each in _world.pg_names.items():
        if each == name:
            return group
    raise RuntimeError(f"Could not resolve the process group registered under the name {name}")


def get_backend_config(group: ProcessGroup | None = None) -> str:
    """Returns which backend serves which kind of device.

    Args:
        group (ProcessGroup, optional): the group. Default: the default group.

    Returns:
        str: as "cpu:gloo,cuda:gloo".
    """
    return str(_world.pg_backend_config[_check_member(group)])


def get_backend(group: ProcessGroup | None = None) -> Backend:
    """Returns the name of a group's backend.

    Args:
        group (ProcessGroup, optional): the group. Default: the default group.

    Returns:
        str: its name, in lower case.

    Raises:
        ValueError: when there is no default group, or this process is no member.
    """
    return Backend(_world.pg_map[_check_member(group)][0])


def get_default_backend_for_device(device: str | _device) -> str:
    """Returns the name of the backend that a kind of device uses by default.

    Args:
        device (str or torch.device): the device.

    Returns:
        str: the name.

    Raises:
        ValueError: when none is known for it.
    """
    kind = device.type if isinstance(device, _device) else _device(device).type
    if (name := Backend.default_device_backend_map.get(kind)) is None:
        raise ValueError(f"Default backend not registered for device : {device}")
    return name


def get_pg_count() -> int:
    """Returns the number of groups that were made.

    Returns:
        int: the number.
    """
    return _world.group_count


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Returns this process's number on its machine, from LOCAL_RANK in the environment.

    Args:
        fallback_rank (int, optional): what to return where it is not set.

    Returns:
        int: the number.

    Raises:
        RuntimeError: when neither is given.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def get_rank(group: ProcessGroup | None = None) -> int:
    """Returns this process's rank in a group.

    Args:
        group (ProcessGroup, optional): the group. Default: the default group.

    Returns:
        int: the rank; -1 for what new_group gives those that are no members.

    Raises:
        ValueError: when there is no default group.
    """
    if _rank_not_in_group(group):
        return -1
    default = _get_default_group()
    return default.rank() if group is None or group is default else get_group_rank(group, default.rank())


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Returns the number of a group's members.

    Args:
        group (ProcessGroup, optional): the group. Default: the default group.

    Returns:
        int: the number; -1 for what new_group gives those that are no members.

    Raises:
        ValueError: when there is no default group.
    """
    return -1 if _rank_not_in_group(group) else _group_or_default_group(group).size()


def _set_pg_timeout(timeout, group=None):
    """Sets the timeout of a group's collectives."""
    _check_valid_timeout(timeout)
    _check_member(group).set_timeout(timeout)


def _process_group_name(ranks, hashed):
    if hashed:
        text = "_".join([*map(str, ranks), str(len(_world.pg_names))])
        return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    _world.group_count += 1
    return str(_world.group_count - 1)


def _create_process_group(size, rank, ranks, backend, store, name, options, timeout, device_id, description):
    """Creates a group with a backend for each device type and enters it in `_world`; NON_GROUP_MEMBER if `rank` is
    None."""
    if name in _world.pg_names.values():
        raise ValueError("The specified group name has already been created, please use a different group name")
    if device_id is not None and (device_id.index is None or device_id.type == "cpu"):
        raise ValueError("init_process_group device_id parameter must be an accelerator with an index")
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
    _world.pg_map[made] = (backend, prefix)
    _world.pg_names[made], _world.pg_backend_config[made] = name, str(config)
    _world.pg_to_tag[made] = f"ptd:{name}"
    for tag in (f"ptd:{name}", ""):
        _world.tags_to_pg.setdefault(tag, []).append(made)
    return made


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any | None = None,
    device_id: _device | int | None = None,
    _ranks: list[int] | None = None,
) -> None:
    """Makes the default group, of all processes of a program, and returns when all are connected.

    The processes find each other through `store`, or by the URL `init_method`.

    Args:
        backend (str, optional): "gloo", one that was registered, or several as "cpu:gloo,npu:name".
            Default: that of this machine's devices.
        init_method (str, optional): "env://" (from MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE),
            "tcp://host:port" or "file://path". Default: ``"env://"``.
        timeout (timedelta, optional): how long each collective waits. Default: 30 minutes.
        world_size (int): the number of processes; needed with `store`. Default: from the URL.
        rank (int): this process's number, from 0; needed with `store`. Default: from the URL.
        store (Store, optional): a store that all processes reach, in place of `init_method`.
        group_name (str): not looked at. Default: ``""``.
        pg_options (optional): for a registered backend.
        device_id (torch.device or int, optional): the accelerator that this process uses.
        _ranks (list[int], optional): the members' ranks, of which a group's name is made.

    Raises:
        ValueError: when there is a default group already, or the URL lacks something.
        AssertionError: when both or incomplete ways to meet are given.
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None:
        if init_method is not None:
            raise AssertionError("Cannot specify both init_method and store.")
        for holds, text in ((world_size > 0, "world_size must be positive"), (rank >= 0, "rank must be non-negative")):
            if not holds:
                raise AssertionError(f"{text} if using store")
    device_id = _check_device(device_id)
    if backend is None and device_id is not None:
        backend = Backend.default_device_backend_map.get(device_id.type)
    backend = Backend(backend or "undefined")
    timeout = _check_timeout(timeout, backend)
    name = _process_group_name(_ranks or [], bool(_ranks))
    names = [pair.split(":")[-1] for pair in backend.split(",")]
    from_mpi = backend == Backend.MPI or "mpi" in names and not (store or init_method or "RANK" in os.environ)
    if backend == Backend.FAKE and store is None and init_method is None:
        store = HashStore()  # a group of one process
    if from_mpi and _processes.is_backend_available("mpi"):
        if world_size != -1 or rank != -1:
            warnings.warn(
                f"For MPI backend, world_size ({world_size}) and rank ({rank}) are ignored since they are assigned by "
                "the MPI runtime."
            )
        rank, world_size, native = _processes.world("mpi")
        store = _wrap_native_store(native)
    elif store is None:
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, timeout=timeout))
        store.set_timeout(timeout)
        store = PrefixStore("default_pg", store)
    made = _create_process_group(
        world_size, rank, [], backend, store, name, pg_options, timeout, device_id, "default_pg"
    )
    _world.default_pg = made
    _world.pg_group_ranks[made] = {each: each for each in range(made.size())}
    _prefix_tracebacks(rank)


def _wrap_native_store(native):
    """Wraps a store of the library as a Store."""
    made = Store()
    made._store = native
    return made


def _check_device(device_id):
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
                f"device_id {device_id} is out of range. Please use a device index less than the number of "
                f"accelerators available: {device_count()}."
            )
    return device_id


def _prefix_tracebacks(rank):
    """From now on each line of an uncaught exception shows the rank that raised it."""
    hook = sys.excepthook

    def print_traceback_with_rank(*arguments):
        stream, sys.stderr = sys.stderr, io.StringIO()
        try:
            hook(*arguments)
            text = sys.stderr.getvalue()
        finally:
            sys.stderr = stream
        stream.write("\n".join(f"[rank{rank}]: {line}" if line else "" for line in text.split("\n")))
        stream.flush()

    sys.excepthook = print_traceback_with_rank


def destroy_process_group(group: ProcessGroup | None = None):
    """Ends a group and its connections.

    Args:
        group (ProcessGroup, optional): the group. Default: all groups, as for the default one.

    Returns:
        None.

    Raises:
        AssertionError: when there is no default group.
        ValueError: when the group has ended already.
    """
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
    use_local_synchronization: bool = False,
    group_desc=None,
    device_id: _device | None = None,
    sort_ranks: bool = True,
):
    """Makes a group of some members of the default group.

    Every process of the default group calls it, in the same order, members of the new group or not.

    Args:
        ranks (list[int], optional): the members' global ranks. Default: all.
        timeout (timedelta, optional): how long its collectives wait. Default: 30 minutes.
        backend (str, optional): its backend. Default: that of the default group.
        pg_options (optional): for a registered backend.
        use_local_synchronization (bool): only members call it; others get None. Default: ``False``.
        group_desc (str, optional): a text about the group.
        device_id (torch.device, optional): the accelerator that this process uses.
        sort_ranks (bool): ranks in the group go by global rank, not by the list. Default: ``True``.

    Returns:
        ProcessGroup: the group; ``GroupMember.NON_GROUP_MEMBER`` on processes that are no members.

    Raises:
        ValueError: when `ranks` has a rank twice or one out of range.
    """
    default = _get_default_group()
    default_backend, store = _world.pg_map[default]
    if device_id is None:
        device_id = default.bound_device_id
    elif default.bound_device_id is not None and device_id != default.bound_device_id:
        raise AssertionError("Mismatched bound device between new pg and the default pg.")
    backend = Backend(backend or default_backend)
    timeout = _check_timeout(timeout, backend)
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
    made = _create_process_group(
        len(ranks), place, ranks, backend, store, name, pg_options, timeout, device_id, group_desc
    )
    _world.pg_group_ranks[made] = {rank: inside for inside, rank in enumerate(ranks)}
    return made


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Cuts a group into groups of equal size, of neighbouring ranks.

    Args:
        group_size (int): the number of members of each; must divide that of `group`.
        group (ProcessGroup, optional): the group. Default: the default group.
        timeout (timedelta, optional): how long its collectives wait. Default: 30 minutes.
        backend (str, optional): its backend. Default: that of the default group.
        pg_options (optional): for a registered backend.
        group_desc (str, optional): a text about the groups.

    Returns:
        tuple: this process's group, and a list of all.

    Raises:
        ValueError: when `group_size` is missing or does not fit.
    """
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
    """Makes a group of each list of ranks.

    Args:
        ranks_per_subgroup_list (list[list[int]]): the global ranks of each group's members; no rank
            stands twice.
        timeout (timedelta, optional): how long its collectives wait. Default: 30 minutes.
        backend (str, optional): its backend. Default: that of the default group.
        pg_options (optional): for a registered backend.
        group_desc (str, optional): a text about the groups.

    Returns:
        tuple: this process's group (None where it has none), and a list of all.

    Raises:
        ValueError: when the list is empty or contains a rank twice.
    """
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


def split_group(
    parent_pg: ProcessGroup | None = None, split_ranks: list | None = None, timeout: timedelta | None = None,
    pg_options: Any | None = None, group_desc: str | None = None, backend: str | Backend | None = None,
) -> ProcessGroup | None:  # fmt: skip
    """Cuts a group by its backend, which gloo cannot: always raises; use new_group.

    Args:
        parent_pg (ProcessGroup, optional): the group.
        split_ranks (list[list[int]], optional): the members of each part.
        timeout, pg_options, group_desc, backend (optional): not looked at.

    Returns:
        ProcessGroup: nothing, since it always raises.

    Raises:
        ValueError: when `split_ranks` is missing.
        RuntimeError: in every other case.
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    if _get_default_group().bound_device_id is None:
        raise RuntimeError("No device associated with the default pg, not safe to split any process groups")
    raise RuntimeError("No backend for the parent process group or its backend does not support splitting")


SHRINK_DEFAULT, SHRINK_ABORT = 0, 1


def shrink_group(
    ranks_to_exclude: list[int], group: ProcessGroup | None = None, shrink_flags: int = SHRINK_DEFAULT,
    pg_options: Any | None = None,
) -> ProcessGroup:  # fmt: skip
    """Makes a group without some ranks by its backend. Neither gloo nor mpi can, so it always raises; use new_group.

    Args:
        ranks_to_exclude (list[int]): ranks that leave, at least one.
        group (ProcessGroup, optional): the group to shrink. Default: the default group.
        shrink_flags (int): 0, or 1 to end collectives that still run (`SHRINK_ABORT`).
        pg_options (optional): not read.

    Returns:
        ProcessGroup: nothing, because it always raises.

    Raises:
        TypeError: if `ranks_to_exclude` is not a list, or the backend cannot shrink groups.
        ValueError: if there is no group, the list is empty, the flags are unknown, or the group has only one rank.
        NotImplementedError: if a registered backend supports shrinking.
    """
    if not isinstance(ranks_to_exclude, list):
        raise TypeError(
            f"ranks_to_exclude must be a list, but got {type(ranks_to_exclude).__name__}. "
            "Example: [1, 3, 5] to exclude ranks 1, 3, and 5."
        )
    if not ranks_to_exclude:
        raise ValueError(
            "ranks_to_exclude cannot be empty. To shrink a group, you must specify at least one rank to exclude. "
            "Example: [failed_rank_id]"
        )
    if shrink_flags not in (SHRINK_DEFAULT, SHRINK_ABORT):
        raise ValueError(
            f"Invalid shrink_flags value: {shrink_flags}. Must be one of: SHRINK_DEFAULT (0) or SHRINK_ABORT (1). "
            "Use SHRINK_ABORT to abort ongoing operations before shrinking."
        )
    shrinking = _get_default_group() if group is None else group
    if shrinking.size() < 2:
        raise ValueError(
            f"Cannot shrink a process group with size {shrinking.size()}. Group must have at least 2 ranks to support "
            "shrinking."
        )
    if not any(backend.supports_shrinking for backend in shrinking._backends.values()):
        raise TypeError(f"Process group backend for '{shrinking.group_name}' does not support shrinking operations.")
    raise NotImplementedError("shrink_group: a registered backend's shrink is not called yet")
