"""Stateful: an object whose state can be saved and loaded."""

from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["Stateful", "StatefulT"]


@runtime_checkable
class Stateful(Protocol):
    """Any object with these two methods, such as modules and optimizers.

    `save` stores the result of `state_dict`. `load` reads into the current result of `state_dict`, and passes it to
    `load_state_dict`.
    """

    def state_dict(self) -> dict[str, Any]:
        """Returns the state; its tensors may be overwritten while a checkpoint is loaded.

        Returns:
            dict[str, Any]: the state.
        """
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes a state back.

        Args:
            state_dict (dict[str, Any]): a state, of the structure that `state_dict` returns.
        """
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)


def _stateful_to_state_dict(state_dict: dict[str, Any]) -> dict[str, Any]:
    """Returns a dictionary with objects replaced by their states."""
    return {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()}
