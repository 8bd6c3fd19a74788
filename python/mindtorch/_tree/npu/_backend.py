"""Access to `_C`'s NPU functions: without a device they are missing, as torch.cuda's are in a CPU build."""

from .. import _C

NO_DEVICE = "Torch not compiled with NPU enabled"


def has_device() -> bool:
    """Whether a device and a library for it are available."""
    return _C._npu_getDeviceCount() > 0


class _Backend:
    def __getattr__(self, name):
        if not has_device() and not _C._npu_isInBadFork():  # a forked child had one, and raises with an explanation
            raise AttributeError(f"module 'torch._C' has no attribute '{name}'")
        return getattr(_C, name)


backend = _Backend()
