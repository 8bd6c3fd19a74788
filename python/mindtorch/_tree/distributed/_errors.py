"""The exceptions of process groups and stores."""


class DistError(RuntimeError):
    """The base of errors of process groups."""


class DistBackendError(DistError):
    """Raised if a backend fails."""


class DistNetworkError(DistError):
    """Raised for a network error."""


class DistStoreError(DistError):
    """Raised for an error of the store."""


class QueueEmptyError(DistStoreError):
    """Raised if a queue of the store is empty."""


for _class in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _class.__module__ = __package__
