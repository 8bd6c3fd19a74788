"""torch.fx.passes.infra.pass_base: what a pass is and what it gives."""

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
    """A change of GraphModules: calling it checks what it requires, makes it, and checks what it ensures."""

    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module):
        """Makes the change; a PassResult, or None."""

    def requires(self, graph_module):  # noqa: B027
        """Raises where the pass cannot be made on this module."""

    def ensures(self, graph_module):  # noqa: B027
        """Raises where the changed module is not as it should be."""
