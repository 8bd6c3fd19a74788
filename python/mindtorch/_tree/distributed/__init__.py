"""torch.distributed: processes that compute together, on CPUs over TCP (the gloo backend)."""

import sys as _sys

from ._errors import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError


def is_available() -> bool:
    """Whether process groups are built: True."""
    return True


from .distributed_c10d import *  # noqa: E402, F403
from .distributed_c10d import (  # noqa: E402
    _all_gather_base,
    _Backend,
    _canonicalize_group_rank,
    _coalescing_manager,
    _CoalescingManager,
    _rank_not_in_group,
    _reduce_scatter_base,
    _Work,
)
from .rendezvous import _create_store_from_options  # noqa: E402

_sys.modules[__name__.replace(".distributed", "._C._distributed_c10d")] = distributed_c10d  # noqa: F405
