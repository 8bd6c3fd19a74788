"""torch.fx: the types that programs ask about and the marks that they set; symbolic tracing is not there."""

from .._absent_device import refuse_all, refusing_class

__all__ = ["Proxy", "GraphModule", "Graph", "Node", "Tracer", "Interpreter", "Transformer", "symbolic_trace", "wrap"]

_TEXT = "torch.fx.{}: there is no symbolic tracing"


def _type(declaration):
    text = _TEXT.format(declaration.partition("(")[0])
    return refusing_class(__name__, declaration, NotImplementedError, text)


Proxy = _type("Proxy(node, tracer=None)")
ParameterProxy = _type("ParameterProxy(tracer, node, name, param)")
GraphModule = _type("GraphModule(*args, **kwargs)")
Graph = _type("Graph(owning_module=None, tracer_cls=None, tracer_extras=None)")
Node = _type("Node(graph, name, op, target, args, kwargs, return_type=None)")
Tracer = _type("Tracer(autowrap_modules=(), autowrap_functions=(), param_shapes_constant=False)")
CodeGen = _type("CodeGen()")
Interpreter = _type("Interpreter(module, garbage_collect_values=True, graph=None)")
Transformer = _type("Transformer(module)")
_FUNCTIONS = ("symbolic_trace(root, concrete_args=None)", "replace_pattern(gm, pattern, replacement)")
refuse_all(__name__, _FUNCTIONS, NotImplementedError, _TEXT.replace("{}", "{name}"))

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
