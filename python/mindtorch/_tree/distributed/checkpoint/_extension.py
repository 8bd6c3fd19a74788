"""Transforms the bytes of items between memory and files, as compression does."""

import abc
from collections.abc import Sequence
from typing import IO

from .._refusing import define_names_that_raise_when_used

__all__ = ["Extension", "StreamTransformExtension", "ZStandard", "ExtensionRegistry"]


class Extension(abc.ABC):
    """Transforms how items are stored. A checkpoint names the extensions that wrote it, by descriptors."""

    @staticmethod
    @abc.abstractmethod
    def registry_name() -> str:
        """Returns the class's name in a registry.

        Returns:
            str: the name.
        """

    @staticmethod
    @abc.abstractmethod
    def from_descriptor(version: str) -> "Extension":
        """Makes the extension that wrote a checkpoint.

        Args:
            version (str): what follows the name in the descriptor.

        Returns:
            Extension: the extension.
        """

    @abc.abstractmethod
    def get_descriptor(self) -> str:
        """Returns this extension's descriptor in checkpoints.

        Returns:
            str: its name, or ``"name/version"``.
        """


class StreamTransformExtension(Extension):
    """Transforms the bytes of items, one by one."""

    @abc.abstractmethod
    def transform_to(self, output: IO[bytes]) -> IO[bytes]:
        """Returns a file whose bytes, changed, go to another.

        Args:
            output (file): the other; closing the returned one closes it.

        Returns:
            file: to be written.
        """

    @abc.abstractmethod
    def transform_from(self, input: IO[bytes]) -> IO[bytes]:
        """Returns a file of the bytes as they were before `transform_to`.

        Args:
            input (file): the changed bytes.

        Returns:
            file: to be read.
        """


define_names_that_raise_when_used(__name__, "ZStandard")


class ExtensionRegistry:
    """The extensions that a reader supports, by name."""

    def __init__(self) -> None:
        self.extensions: dict[str, type[Extension]] = {}

    def register(self, cls: type[Extension]) -> None:
        """Adds a class.

        Args:
            cls (type): the class.
        """
        self.extensions[cls.registry_name()] = cls

    def from_descriptor_list(self, descriptors: Sequence[str]) -> Sequence[Extension]:
        """Makes the extensions that descriptors name.

        Args:
            descriptors (sequence of str): the descriptors.

        Returns:
            list[Extension]: an extension each.

        Raises:
            ValueError: when no class has the name.
        """
        found = []
        for descriptor in descriptors:
            name, _, version = descriptor.partition("/")
            if name not in self.extensions:
                raise ValueError(f"Unknown extension {name=}")
            found.append(self.extensions[name].from_descriptor(version))
        return found
