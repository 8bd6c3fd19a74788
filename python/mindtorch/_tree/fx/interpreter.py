"""torch.fx.interpreter: runs a graph node by node, or transforms it to a new graph."""

import copy
import inspect
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from .. import nn
from ._compatibility import compatibility
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_aggregate, map_arg
from .proxy import Proxy

__all__ = ["Interpreter", "Transformer"]


def _find_last_uses(graph):
    """Returns, for each node, the nodes whose values are not needed after it."""
    seen, dying = set(), {}
    for user in reversed(graph.nodes):
        dying[user] = [node for node in user._input_nodes if node not in seen]
        seen.update(user._input_nodes)
    return dying


@compatibility(is_backward_compatible=True)
class Interpreter:
    """Runs a graph node by node.

    Override a method to change what the nodes of that kind do: the values may be of any type, so that an
    analysis is an interpreter too. `env` has the values of the nodes that ran.

    Args:
        module (Module): the module that has the graph and what its nodes name.
        garbage_collect_values (bool): drops a value from `env` after its last use. Default: ``True``.
        graph (Graph, optional): the graph to run. Default: ``module.graph``.

    Example:
        >>> class Count(torch.fx.Interpreter):
        ...     calls = 0
        ...     def call_function(self, target, args, kwargs):
        ...         self.calls += 1
        ...         return super().call_function(target, args, kwargs)
        >>> count = Count(torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1))
        >>> count.run(torch.tensor([-1.0, 2.0])), count.calls
        (tensor([1., 3.]), 2)
    """

    @compatibility(is_backward_compatible=True)
    def __init__(self, module: nn.Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph = module.graph if graph is None else graph
        self.env = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        if garbage_collect_values:
            self.user_to_last_uses = _find_last_uses(self.graph)

    @compatibility(is_backward_compatible=True)
    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Runs the graph.

        An error gets a line about the node that failed.

        Args:
            *args: the function's arguments.
            initial_env (dict, optional): values of nodes that are not to be run. Default: none.
            enable_io_processing (bool): lets the graph take nested arguments apart and put its result
                together. Default: ``True``.

        Returns:
            Any: the value of the output node; None without one.

        Raises:
            RuntimeError: when an argument is missing.
        """
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
                self._add_node_to_error(node, error)
                raise
            if self.garbage_collect_values:
                for done in self.user_to_last_uses.get(node, ()):
                    del self.env[done]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def _add_node_to_error(self, node, error):
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
    def boxed_run(self, args_list: list[Any]) -> Any:
        """Runs the graph for arguments in a list, which is emptied first.

        So each argument can be freed after its last use, while the graph still runs.

        Args:
            args_list (list): the graph's inputs, one for each placeholder (RuntimeError otherwise).

        Returns:
            Any: the value of the output node.
        """
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
    def run_node(self, n: Node) -> Any:
        """Computes the value of the node `n`, by the method that has the name of its op.

        The nodes among its arguments must have values in `env`.

        Returns:
            Any: the value.
        """
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def placeholder(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Gives the next argument of run; for ``*name``, a list of all that are left.

        Args:
            target (str): the parameter's name.
            args (tuple): its default, if it has one.
            kwargs (dict): empty.

        Returns:
            Any: the argument, or the default where none is left (RuntimeError without a default).
        """
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
    def get_attr(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Fetches the module's attribute at the dotted path `target`; `args` and `kwargs` are empty.

        Returns:
            Any: the attribute.
        """
        return self.fetch_attr(target)

    @compatibility(is_backward_compatible=True)
    def call_function(self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function `target` with the values `args` and `kwargs`.

        Returns:
            Any: what it returns.
        """
        if isinstance(target, str):
            raise AssertionError("target should not be a string for call_function")
        return target(*args, **kwargs)

    @compatibility(is_backward_compatible=True)
    def call_method(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the method named `target` of ``args[0]`` with the other values of `args` and `kwargs`.

        Returns:
            Any: what it returns.
        """
        owner, *rest = args
        return getattr(owner, target)(*rest, **kwargs)

    @compatibility(is_backward_compatible=True)
    def call_module(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the submodule at the dotted path `target` with the values `args` and `kwargs`.

        Returns:
            Any: what it returns.
        """
        return self.fetch_attr(target)(*args, **kwargs)

    @compatibility(is_backward_compatible=True)
    def output(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Gives the result of run: ``args[0]``; `target` is "output", and `kwargs` is empty.

        Returns:
            Any: the result.
        """
        return args[0]

    @compatibility(is_backward_compatible=True)
    def fetch_attr(self, target: str) -> Any:
        """Looks up an attribute of the module.

        Args:
            target (str): its dotted path.

        Returns:
            Any: the attribute.

        Raises:
            RuntimeError: when a part of the path is not there.
        """
        found, parts = self.module, target.split(".")
        for place, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: place + 1])}")
            found = getattr(found, part)
        return found

    @compatibility(is_backward_compatible=True)
    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Gives the arguments of the node `n` with values in the place of nodes.

        Returns:
            tuple: the positional ones and the named ones.
        """
        args, kwargs = self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)
        if not isinstance(args, tuple):
            raise AssertionError(f"Expected args to be tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"Expected kwargs to be dict, got {type(kwargs)}")
        return args, kwargs

    @compatibility(is_backward_compatible=True)
    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Replaces the nodes in a nested argument by their values.

        Args:
            args (Any): the argument.
            n (Node): the node that it is of, for the error (RuntimeError) where a value is missing.

        Returns:
            Any: the argument with values.
        """

        def value_of_node(node):
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[node]

        return map_arg(args, value_of_node)


# What a node made by a Transformer takes over from the meta of the node that it stands for.
_KEPT_META = (
    "ac_graph_id", "custom", "from_node", "nn_module_stack", "original_aten", "partitioner_tag", "quantization_tag",
    "recompute", "source_fn_stack", "stack_trace", "torch_fn",
)  # fmt: skip


class _TransformerTracer(Tracer):
    """Records the steps of a Transformer; every module remains one call."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        self.tensor_attrs = {}
        self.original = None  # the node that the next ones stand for

    def create_node(self, *args, **kwargs):
        node = super().create_node(*args, **kwargs)
        known = {} if self.original is None else self.original.meta
        node.meta.update({name: copy.copy(known[name]) for name in _KEPT_META if name in known})
        return node

    def is_leaf_module(self, m, module_qualified_name):
        return True


@compatibility(is_backward_compatible=True)
class Transformer(Interpreter):
    """Runs a graph on proxies, so that what its methods do makes a new graph.

    Without overrides `transform` gives a copy. Override a method to replace the nodes of that kind.

    Args:
        module (GraphModule): the module to transform; it is not changed.

    Example:
        >>> class Negate(torch.fx.Transformer):
        ...     def call_function(self, target, args, kwargs):
        ...         target = torch.neg if target is torch.relu else target
        ...         return super().call_function(target, args, kwargs)
        >>> gm = Negate(torch.fx.symbolic_trace(lambda x: torch.relu(x))).transform()
        >>> gm(torch.tensor([3.0]))
        tensor([-3.])
    """

    @compatibility(is_backward_compatible=True)
    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _TransformerTracer(self.new_graph)
        self.tracer.root = module

    @compatibility(is_backward_compatible=True)
    def placeholder(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Adds an input to the new graph.

        Args:
            target (str): the parameter's name.
            args (tuple): its default, if any.
            kwargs (dict): empty.

        Returns:
            Proxy: represents the input.
        """
        default = args[0] if args else inspect.Signature.empty
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    @compatibility(is_backward_compatible=True)
    def get_attr(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Records that the attribute at the path `target` is fetched; `args` and `kwargs` are empty.

        Returns:
            Proxy: represents the attribute.
        """
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def call_module(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Records a call of the submodule at the path `target` with `args` and `kwargs`, as one node.

        Returns:
            Proxy: represents the result.
        """
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def call_function(self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Records a call of the function `target` with `args` and `kwargs`.

        Returns:
            Proxy: represents the result.
        """
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    @compatibility(is_backward_compatible=True)
    def run_node(self, n: Node) -> Any:
        """Makes what stands for the node `n` in the new graph; it takes over the source location, among others.

        Returns:
            Any: made of proxies.
        """
        self.tracer.original = n
        return super().run_node(n)

    @compatibility(is_backward_compatible=True)
    def transform(self) -> GraphModule:
        """Runs the graph on proxies.

        Returns:
            GraphModule: a module with the new graph and this module's attributes.
        """
        result = super().run(enable_io_processing=False)
        if result is not None:
            made = self.new_graph.output(
                map_aggregate(result, lambda item: item.node if isinstance(item, Proxy) else item)
            )
            for name, value in self.graph.output_node().meta.items():
                made.meta[name] = value
        return GraphModule(self.module, self.new_graph)
