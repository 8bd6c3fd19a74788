"""Copies state for saves that run while training continues."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from typing_extensions import deprecated

from ..._root import torch
from ._copies import Stage
from .metadata import STATE_DICT_TYPE

__all__ = ["AsyncStager", "BlockingAsyncStager", "DefaultStager", "StagingOptions"]


@runtime_checkable
class AsyncStager(Protocol):
    """Makes the copy that `async_save` writes.

    `async_save` calls `stage` and starts to write its result; if `should_synchronize_after_execute` is True, it calls
    `synchronize_staging` before it returns.
    """

    _synchronize_after_execute: bool = True

    @property
    def should_synchronize_after_execute(self) -> bool:
        """Whether `async_save` waits until the copy is complete (bool)."""
        return self._synchronize_after_execute

    def stage(self, state_dict: STATE_DICT_TYPE) -> Future[STATE_DICT_TYPE] | STATE_DICT_TYPE:
        """Returns a copy that later changes of the tensors do not reach.

        Args:
            state_dict (dict[str, Any]): the state to save.

        Returns:
            dict[str, Any] or Future: the copy.

        Raises:
            NotImplementedError: unless a subclass overrides it.
        """
        raise NotImplementedError(f"{self.__class__.__name__} must implement stage method")

    @deprecated(
        "`synchronize_staging` is deprecated and will be removed in future versions."
        "Please use staging_future from AsyncSaveResponse instead.",
        category=FutureWarning,
    )
    def synchronize_staging(self) -> None:
        """Waits until the copy is complete."""

    def close(self) -> None:
        """Frees memory and threads."""


@dataclass
class StagingOptions:
    """What a `DefaultStager` may use.

    Args:
        use_pinned_memory (bool): needs an accelerator. Default: ``True``.
        use_shared_memory (bool): whether copies are in memory that other processes can map. Default: ``True``.
        use_async_staging (bool): whether copies are made in a thread. Default: ``True``.
        use_non_blocking_copy (bool): needs an accelerator. Default: ``True``.
    """

    use_pinned_memory: bool = True
    use_shared_memory: bool = True
    use_async_staging: bool = True
    use_non_blocking_copy: bool = True


class DefaultStager(AsyncStager):
    """Copies into memory that it keeps from one save to the next. To be used by one thread at a time.

    Args:
        config (StagingOptions): what it may use. Default: everything.

    Raises:
        AssertionError: when non-blocking copies are wanted and there is no accelerator.
    """

    def __init__(self, config: StagingOptions = StagingOptions()) -> None:  # noqa: B008 (torch's signature; never changed)
        if config.use_non_blocking_copy and not torch.accelerator.is_available():
            raise AssertionError("Non-blocking copy requires that the current accelerator is available.")
        self._config, self._stage = config, Stage(config.use_shared_memory)
        self._thread = ThreadPoolExecutor(max_workers=1) if config.use_async_staging else None
        self._staging_future: Future[STATE_DICT_TYPE] | None = None

    def stage(self, state_dict: STATE_DICT_TYPE, **kwargs: Any) -> STATE_DICT_TYPE | Future[STATE_DICT_TYPE]:
        """Returns a copy on the CPU, in the memory of the copy before.

        Args:
            state_dict (dict[str, Any]): the state to copy.
            **kwargs (Any): without effect.

        Returns:
            dict[str, Any] or Future: the copy; a Future of it where `use_async_staging` is set.
        """
        if self._thread is None:
            return self._stage.copy(state_dict, reuse=True)
        self._staging_future = self._thread.submit(self._stage.copy, state_dict, reuse=True)
        return self._staging_future

    def synchronize_staging(self) -> None:
        """Waits until the copy is complete."""
        if self._staging_future is not None:
            self._staging_future.result()

    def close(self) -> None:
        """Ends the thread and frees the memory; the stager cannot be used afterwards."""
        if self._thread is not None:
            self._thread.shutdown(wait=True)
        self._stage.close()


class BlockingAsyncStager(AsyncStager):
    """Copies to the CPU before it returns. To be used by one thread at a time.

    Args:
        cache_staged_state_dict (bool): whether the memory of the copy before is used again: a save has to be over
            before the next begins. Default: ``False``.
        type_check (bool): without effect: what is no tensor is copied, whatever it is. Default: ``False``.
    """

    _synchronize_after_execute: bool = False

    def __init__(self, cache_staged_state_dict: bool = False, type_check: bool = False) -> None:
        self.cache_staged_state_dict, self.type_check = cache_staged_state_dict, type_check
        self._memory = Stage()

    def stage(self, state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
        """Returns a copy on the CPU.

        Args:
            state_dict (dict[str, Any]): the state to copy.

        Returns:
            dict[str, Any]: the copy.
        """
        return self._memory.copy(state_dict, reuse=self.cache_staged_state_dict)

    def synchronize_staging(self) -> None:
        """Does nothing: the copy is complete already."""

    def close(self) -> None:
        """Does nothing."""
