"""torch.distributed of a build without it: `is_available()` is False, and there is nothing else."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether process groups are built: False."""
    return False


class DistError(RuntimeError):
    """The base of errors of process groups."""


class DistBackendError(DistError):
    """A backend failed."""


class DistNetworkError(DistError):
    """The network failed."""


class DistStoreError(DistError):
    """The store failed."""


class QueueEmptyError(DistStoreError):
    """A queue of the store was empty."""


class _Stub:
    """Stands for types in annotations, as in torch's builds without distributed."""


GroupName = ProcessGroup = _Stub
