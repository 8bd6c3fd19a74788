"""The names of torch.distributed, in the module that torch reports for them."""

import sys
from typing import NewType

from typing_extensions import deprecated

from .. import _C
from ._backends import Backend, BackendConfig
from ._checks import _canonicalize_group_rank, supports_complex
from ._collectives import *  # noqa: F403
from ._collectives import _all_gather_base, _coalescing_manager, _CoalescingManager, _reduce_scatter_base
from ._errors import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from ._gloo import Backend as _Backend
from ._gloo import ProcessGroupGloo, ProcessGroupHCCL
from ._groups import ProcessGroup
from ._objects import *  # noqa: F403
from ._objects import _object_to_tensor, _tensor_to_object
from ._stores import FileStore, HashStore, PrefixStore, Store, TCPStore
from ._work import *  # noqa: F403
from ._world import *  # noqa: F403
from ._world import (
    _get_default_group,
    _get_default_store,
    _group_or_default_group,
    _rank_not_in_group,
    _resolve_process_group,
    _set_pg_timeout,
    _world,
)
from .constants import default_pg_nccl_timeout, default_pg_timeout
from .rendezvous import _create_store_from_options, register_rendezvous_handler, rendezvous

GroupName = NewType("GroupName", str)
GroupName.__doc__ = """Names the type of groups' names in annotations; a str when it runs.

Args:
    x (str): the name.

Returns:
    str: the name.
"""
_Work = Work  # noqa: F405


class _reduce_op:
    """The old name of ReduceOp."""

    @deprecated(
        "`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead",
        category=FutureWarning,
    )
    def __getattribute__(self, key):
        return ReduceOp.RedOpType.__members__ if key == "__members__" else getattr(ReduceOp, key)


reduce_op = _reduce_op()


_ours = {
    name: value
    for name, value in globals().items()
    if issubclass(type(value), (type, type(supports_complex))) and value.__module__.startswith(__package__)
}
for _value in _ours.values():
    if "._errors" not in _value.__module__ and "." in _value.__module__.removeprefix(__package__):
        _value.__module__ = __name__
__all__ = [name for name in _ours if name[0] != "_"] + ["GroupName", "default_pg_timeout", "reduce_op"]
_offered = [name for name in _ours if name[0] == "_"]  # by torch.distributed as well
_C._distributed_c10d = sys.modules[_C.__name__ + "._distributed_c10d"] = sys.modules[__name__]
