"""Anomaly detection: forward tracebacks for failing backward nodes, and a check of gradients for NaN."""

import warnings

from .. import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class detect_anomaly:
    """Inside the block, errors in backward show where forward was, and NaN gradients raise.

    For debugging: it is slow, and warns of that.

    Args:
        check_nan (bool): raises RuntimeError when a gradient is NaN. Default: ``True``.

    Example:
        >>> import warnings
        >>> x = torch.tensor([0.0], requires_grad=True)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     with torch.autograd.detect_anomaly():
        ...         try:
        ...             (x.sqrt() * 0).sum().backward()
        ...         except RuntimeError as error:
        ...             print("NaN found:", "nan" in str(error))
        NaN found: True
    """

    def __init__(self, check_nan=True) -> None:
        self.prev = _C.is_anomaly_enabled()
        self.check_nan = check_nan
        self.prev_check_nan = _C.is_anomaly_check_nan_enabled()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        _C.set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *args: object) -> None:
        _C.set_anomaly_enabled(self.prev, self.prev_check_nan)


class set_detect_anomaly:
    """Turns anomaly detection on or off: at once, or for a block. See `detect_anomaly`.

    Args:
        mode (bool): whether to detect.
        check_nan (bool): raises RuntimeError when a gradient is NaN. Default: ``True``.

    Example:
        >>> with torch.autograd.set_detect_anomaly(True):
        ...     torch.is_anomaly_enabled()
        True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = _C.is_anomaly_enabled()
        self.prev_check_nan = _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        _C.set_anomaly_enabled(self.prev, self.prev_check_nan)
