"""The exceptions of process groups and stores."""


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


for _class in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _class.__module__ = __package__
