"""torch.distributed of a build without it: `is_available()` is False, and there is nothing else."""

__all__ = ["is_available"]


def is_available() -> bool:
    return False


class DistError(RuntimeError):
    """The base of errors of process groups."""


class DistBackendError(DistError):
    pass


class DistNetworkError(DistError):
    pass


class DistStoreError(DistError):
    pass


class QueueEmptyError(DistStoreError):
    pass


class _Stub:
    """Stands for types in annotations, as in torch's builds without distributed."""


GroupName = ProcessGroup = _Stub
