"""torch.fx: the types that programs ask about and the marks that they set; symbolic tracing is not there."""

from .._absent_device import refuse_all, refusing_class

__all__ = ["Proxy", "GraphModule", "Graph", "Node", "Tracer", "Interpreter", "Transformer", "symbolic_trace", "wrap"]

_TEXT = "torch.fx.{}: there is no symbolic tracing"


def _type(name):
    return refusing_class(__name__, name, NotImplementedError, _TEXT.format(name))


Proxy = _type("Proxy")
GraphModule = _type("GraphModule")
Graph = _type("Graph")
Node = _type("Node")
Tracer = _type("Tracer")
CodeGen = _type("CodeGen")
Interpreter = _type("Interpreter")
Transformer = _type("Transformer")
refuse_all(__name__, ("symbolic_trace", "replace_pattern"), NotImplementedError, _TEXT.replace("{}", "{name}"))

_wrapped_names: set = set()


def wrap(fn_or_name):
    """Notes a function that tracing would record as one call."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__code__.co_name
    _wrapped_names.add(name)
    return fn_or_name
