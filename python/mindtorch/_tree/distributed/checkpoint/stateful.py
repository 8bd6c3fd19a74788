"""Stateful: what has a state to be saved, and takes it back."""

from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["Stateful", "StatefulT"]


@runtime_checkable
class Stateful(Protocol):
    """Any object with both of these methods, as modules and optimizers are.

    `save` stores what `state_dict` returns. `load` reads into what `state_dict` returns at that time, and passes it to
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
    """A dictionary with the states of objects in their place."""
    return {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()}
