"""torch.fx: programs as graphs: traces modules and functions symbolically, changes and runs the graphs."""

from . import _compatibility, node, graph  # noqa: F401, I001
from ._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = [
    *("symbolic_trace", "Tracer", "wrap", "Graph", "GraphModule", "Interpreter", "Transformer", "Node", "Proxy"),
    *("replace_pattern", "has_side_effect", "map_arg", "PH", "ProxyableClassMeta", "CodeGen"),
]
