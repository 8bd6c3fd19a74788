"""torch.distributed: process groups, on CPUs over TCP (the gloo backend).

Many single-process programs call `is_available` and `is_initialized`; everything else is loaded on first use.
"""

import sys as _sys

from .._absent_modules import define_absent_modules
from .._lazy import lazy_attributes as _lazy_attributes
from ._errors import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError

# Submodules, and names that are in one of them and not in `distributed_c10d`.
_later = _lazy_attributes(
    __name__,
    ("algorithms", "constants", "device_mesh", "distributed_c10d", "nn", "optim", "rendezvous", "rpc", "utils"),
    dict.fromkeys(
        "BuiltinCommHookType GradBucket Reducer _broadcast_coalesced _compute_bucket_assignment_by_size "
        "_DEFAULT_FIRST_BUCKET_BYTES _register_builtin_comm_hook _register_comm_hook "
        "_verify_params_across_processes".split(),
        "_reducer",
    )
    | dict.fromkeys(("DeviceMesh", "init_device_mesh"), "device_mesh"),
)


def is_available() -> bool:
    """Returns whether process groups are built.

    Returns:
        bool: True.
    """
    return True


def is_initialized() -> bool:
    """Returns whether there is a default group: whether init_process_group was called.

    Returns:
        bool: whether there is one.
    """
    world = _sys.modules.get(__name__ + "._world")
    return world is not None and world.is_initialized()


def __getattr__(name):
    try:
        return _later(name)
    except AttributeError:
        offered = [] if name.startswith("__") and name != "__all__" else _import_distributed_c10d().__all__
        if name == "__all__":
            return ["is_available", *offered]
        if name not in offered and name not in _import_distributed_c10d()._offered:
            raise
        globals()[name] = getattr(_import_distributed_c10d(), name)
        return globals()[name]


def __dir__():
    return sorted({*globals(), *_import_distributed_c10d().__all__})


def _import_distributed_c10d():
    from . import distributed_c10d

    return distributed_c10d


define_absent_modules(__name__)
