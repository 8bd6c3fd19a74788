"""What programs ask about an operator by its name: the rule for tensors without data, and its source location."""

from typing import Any, NamedTuple

from . import kernels


class _Rule(NamedTuple):
    func: Any
    source: str


class _FakeRule(NamedTuple):
    qualname: str

    @property
    def kernel(self):
        """The rule that is used, or None."""
        found = kernels.latest_kernel(self.qualname, "Meta")
        place = getattr(found and found.function, "place", None)
        return None if place is None else _Rule(found.function.function, place)


class SimpleOperatorEntry:
    """The entry of an operator.

    Args:
        qualname (str): ``namespace::name``.
    """

    def __init__(self, qualname: str):
        self.qualname = qualname
        self.fake_impl = _FakeRule(qualname)


class SimpleLibraryRegistry:
    """The entries of all operators."""

    def find(self, qualname: str) -> SimpleOperatorEntry:
        """Returns the entry of an operator.

        Args:
            qualname (str): ``namespace::name``.
        """
        return SimpleOperatorEntry(qualname.removesuffix(".default"))


singleton = SimpleLibraryRegistry()
