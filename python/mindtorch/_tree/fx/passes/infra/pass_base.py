"""torch.fx.passes.infra.pass_base: the base class of passes, and their result."""

import abc
from typing import NamedTuple

from ..._compatibility import compatibility
from ...graph_module import GraphModule

__all__ = ["PassResult", "PassBase"]


@compatibility(is_backward_compatible=False)
class PassResult(NamedTuple):
    """The module after a pass, and whether the pass changed it."""

    graph_module: GraphModule
    modified: bool


@compatibility(is_backward_compatible=False)
class PassBase(abc.ABC):
    """A transformation of GraphModules: calling it checks the requirements, runs it, and checks the result."""

    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module):
        """Transforms the module; returns a PassResult, or None."""

    def requires(self, graph_module):  # noqa: B027
        """Raises if the pass cannot run on this module."""

    def ensures(self, graph_module):  # noqa: B027
        """Raises if the transformed module is invalid."""
