"""torch.fx.interpreter: runs a graph node by node, and makes a new graph from what that does."""

import inspect
from contextlib import contextmanager

from ._compatibility import compatibility
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import map_aggregate, map_arg
from .proxy import Proxy

__all__ = ["Interpreter", "Transformer"]


def _last_uses(graph):
    """For each node, the nodes whose values nothing after it needs."""
    seen, dying = set(), {}
    for user in reversed(graph.nodes):
        dying[user] = [node for node in user._input_nodes if node not in seen]
        seen.update(user._input_nodes)
    return dying


@compatibility(is_backward_compatible=True)
class Interpreter:
    """Runs a GraphModule (or `graph` with a module's attributes). Override a method to change what its nodes do.

    `env` has the values of the nodes that ran; with `garbage_collect_values`, only those that are still needed.
    """

    @compatibility(is_backward_compatible=True)
    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph = module.graph if graph is None else graph
        self.env = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        if garbage_collect_values:
            self.user_to_last_uses = _last_uses(self.graph)

    @compatibility(is_backward_compatible=True)
    def run(self, *args, initial_env=None, enable_io_processing=True):
        """The graph's result for these arguments; `initial_env` has values of nodes that are not to be run."""
        self.env = {} if initial_env is None else initial_env
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                self._explain(node, error)
                raise
            if self.garbage_collect_values:
                for done in self.user_to_last_uses.get(node, ()):
                    del self.env[done]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def _explain(self, node, error):
        if not self.extra_traceback:
            return
        text = f"While executing {node.format_node()}"
        text = f"{error.args[0]}\n\n{text}" if error.args else str(text)
        text += f"\nOriginal traceback:\n{node.stack_trace}"
        text += "\nUse tlparse to see full graph. (https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"
        error.args = (text, *error.args[1:])
        if isinstance(error, KeyError):
            raise RuntimeError(*error.args) from error

    @compatibility(is_backward_compatible=True)
    def boxed_run(self, args_list):
        """As run, for a list of arguments that is emptied, so that each can be freed after its last use."""
        inputs = [node for node in self.graph.nodes if node.op == "placeholder"]
        if len(inputs) != len(args_list):
            detail = "extra arguments" if len(args_list) > len(inputs) else "missing arguments"
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(inputs)} arguments for placeholders "
                f"but received {len(args_list)} ({detail})"
            )
        env = dict(zip(inputs, args_list))
        args_list.clear()
        return self.run(initial_env=env)

    @contextmanager
    def _set_current_node(self, node):
        yield

    @compatibility(is_backward_compatible=True)
    def run_node(self, n):
        """The value of one node: what the method named as its op gives for its target and arguments."""
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def placeholder(self, target, args, kwargs):
        """The next argument of run; all that are left for `*target`."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration as stop:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from stop

    @compatibility(is_backward_compatible=True)
    def get_attr(self, target, args, kwargs):
        """The module's attribute at the path `target`."""
        return self.fetch_attr(target)

    @compatibility(is_backward_compatible=True)
    def call_function(self, target, args, kwargs):
        """What the function `target` gives."""
        if isinstance(target, str):
            raise AssertionError("target should not be a string for call_function")
        return target(*args, **kwargs)

    @compatibility(is_backward_compatible=True)
    def call_method(self, target, args, kwargs):
        """What the method `target` of the first argument gives."""
        owner, *rest = args
        return getattr(owner, target)(*rest, **kwargs)

    @compatibility(is_backward_compatible=True)
    def call_module(self, target, args, kwargs):
        """What the submodule at the path `target` gives."""
        return self.fetch_attr(target)(*args, **kwargs)

    @compatibility(is_backward_compatible=True)
    def output(self, target, args, kwargs):
        """The result of run."""
        return args[0]

    @compatibility(is_backward_compatible=True)
    def fetch_attr(self, target):
        """The module's attribute at this dotted path."""
        found, parts = self.module, target.split(".")
        for place, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: place + 1])}")
            found = getattr(found, part)
        return found

    @compatibility(is_backward_compatible=True)
    def fetch_args_kwargs_from_env(self, n):
        """The arguments of `n` with values in the place of nodes."""
        args, kwargs = self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)
        if not isinstance(args, tuple):
            raise AssertionError(f"Expected args to be tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"Expected kwargs to be dict, got {type(kwargs)}")
        return args, kwargs

    @compatibility(is_backward_compatible=True)
    def map_nodes_to_values(self, args, n):
        """`args` with values in the place of nodes."""

        def value_of(node):
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[node]

        return map_arg(args, value_of)


class _TransformerTracer(Tracer):
    """Records what a Transformer does; every module stays one call."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        self.tensor_attrs = {}

    def is_leaf_module(self, m, module_qualified_name):
        return True


@compatibility(is_backward_compatible=True)
class Transformer(Interpreter):
    """Runs a GraphModule on proxies: `transform` gives the module that what the overridden methods do makes."""

    @compatibility(is_backward_compatible=True)
    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _TransformerTracer(self.new_graph)
        self.tracer.root = module

    @compatibility(is_backward_compatible=True)
    def placeholder(self, target, args, kwargs):
        """A new input."""
        default = args[0] if args else inspect.Signature.empty
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    @compatibility(is_backward_compatible=True)
    def get_attr(self, target, args, kwargs):
        """The attribute, recorded."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def call_module(self, target, args, kwargs):
        """The module's call, recorded."""
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def call_function(self, target, args, kwargs):
        """The function's call, recorded."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def transform(self):
        """The new GraphModule."""
        result = super().run(enable_io_processing=False)
        if result is not None:
            made = self.new_graph.output(
                map_aggregate(result, lambda item: item.node if isinstance(item, Proxy) else item)
            )
            for name, value in self.graph.output_node().meta.items():
                made.meta[name] = value
        return GraphModule(self.module, self.new_graph)
