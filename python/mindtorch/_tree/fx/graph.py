"""torch.fx.graph: the list of nodes of one function; builds, changes and checks graphs."""

from __future__ import annotations

import contextlib
import copy
import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import nn
from .._root import torch
from . import _codegen
from ._codegen import (  # noqa: F401
    CodeGen,
    PythonCode,
    _PyTreeCodeGen,
    _PyTreeInfo,
    inplace_methods,
    magic_methods,
    reflectable_magic_methods,
)
from ._compatibility import compatibility
from ._names import (
    BUILTIN_OBJECTS as _custom_builtins,  # noqa: F401
)
from ._names import (
    _Namespace,
    _register_custom_builtin,  # noqa: F401
    is_magic,
    snake_case,
)
from .immutable_collections import immutable_dict
from .node import Argument, Node, _legal_ops, map_arg

if TYPE_CHECKING:
    from ._symbolic_trace import Tracer
    from .graph_module import GraphModule

__all__ = ["PythonCode", "CodeGen", "Graph"]


class _InsertPoint:
    """The position at which a graph inserts nodes; as a context, restores the previous one on exit."""

    def __init__(self, graph, new_insert):
        self.graph = graph
        self.orig_insert, graph._insert = graph._insert, new_insert

    def __enter__(self):
        pass

    def __exit__(self, *exc_info):
        self.graph._insert = self.orig_insert


class _node_list:
    """The nodes of a graph in order; nodes may be added and erased during iteration."""

    def __init__(self, graph, direction="_next"):
        if direction not in ("_next", "_prev"):
            raise AssertionError(f"direction must be '_next' or '_prev', got {direction}")
        self.graph, self.direction = graph, direction

    def __len__(self):
        return self.graph._len

    def __iter__(self):
        root = self.graph._root
        node = getattr(root, self.direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self):
        return iter(_node_list(self.graph, "_prev" if self.direction == "_next" else "_next"))


@compatibility(is_backward_compatible=True)
class Graph:
    """A function as a list of nodes: its inputs, what it calls, and its output.

    A tracer makes one from a program (symbolic_trace); it can also be built by hand. GraphModule makes it
    run. New nodes go to the insert point: the end, unless inserting_before or inserting_after moved it.

    Args:
        owning_module (GraphModule, optional): the module that get_attr and call_module nodes refer to.
            Default: ``None``.
        tracer_cls (type, optional): the Tracer class that made the graph; pickling a GraphModule uses it.
            Default: ``None``.
        tracer_extras (dict, optional): further arguments of that tracer's `trace`. Default: ``None``.

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> y = graph.call_function(torch.relu, (x,))
        >>> _ = graph.output(y)
        >>> print(graph)
        graph():
            %x : [num_users=1] = placeholder[target=x]
            %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
            return relu
        >>> torch.fx.GraphModule(nn.Module(), graph)(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def __init__(
        self,
        owning_module: GraphModule | None = None,
        tracer_cls: type[Tracer] | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert = self._root.prepend
        self._len = 0
        self._graph_namespace = _Namespace()
        self._owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()
        self._co_fields = {}

    @property
    def owning_module(self):
        """The GraphModule that runs this graph, if any."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module):
        self._owning_module = module

    @property
    def nodes(self):
        """All nodes in their order; can be iterated, reversed and counted."""
        return _node_list(self)

    def output_node(self) -> Node:
        """Returns the last node, which must be the output (AssertionError)."""
        node = next(iter(reversed(self.nodes)))
        if node.op != "output":
            raise AssertionError(f"Expected output node, got op={node.op}")
        return node

    def find_nodes(self, *, op: str, target: Any | None = None, sort: bool = True) -> list[Node]:
        """Lists the nodes of one kind.

        Args:
            op (str): the kind, as "call_module".
            target (Any, optional): the target that they must have; "call_function" needs one. Default: any.
            sort (bool): in the order of the graph, which they are here in any case. Default: ``True``.

        Returns:
            list[Node]: the nodes.
        """
        if op == "call_function" and target is None:
            raise AssertionError("target must not be None for call_function op")
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def _target_to_str(self, target):
        name = target if isinstance(target, str) else getattr(target, "__name__", None)
        if name is None:
            if not callable(target):
                raise AssertionError(f"Expected target to be str, got {type(target)}")
            name = type(target).__name__
        return snake_case(name[2:-2] if is_magic(name) else name)

    @compatibility(is_backward_compatible=True)
    def create_node(
        self,
        op: str,
        target: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Makes a node and puts it at the insert point.

        Args:
            op (str): the kind of step; see Node.
            target (Callable or str): what is called or fetched.
            args (tuple, optional): positional arguments. Default: none.
            kwargs (dict, optional): named arguments. Default: none.
            name (str, optional): the wanted name; a number is added where it is taken. Default: made from
                `target`.
            type_expr (Any, optional): the type of the value, for the generated code. Default: ``None``.

        Returns:
            Node: the new node.
        """
        args, kwargs = args or (), kwargs or immutable_dict()
        if not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        name = self._graph_namespace.create_name(self._target_to_str(target) if name is None else name, None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", None) or ():
            hook(node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    @compatibility(is_backward_compatible=True)
    def erase_node(self, to_erase: Node) -> None:
        """Removes a node that nothing uses.

        A node that is erased already gives a warning.

        Args:
            to_erase (Node): the node.

        Raises:
            RuntimeError: when the node has users, or is of another graph.
        """
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} "
                f"users in the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", None) or ():
            hook(to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs(*(map_arg(part, lambda node: None) for part in (to_erase.args, to_erase.kwargs)))

    @compatibility(is_backward_compatible=True)
    def inserting_before(self, n: Node | None = None):
        """Makes new nodes go before a node.

        As a context manager, the former insert point comes back at the end.

        Args:
            n (Node, optional): the node. Default: the start of the graph.

        Returns:
            a context manager.

        Example:
            >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
            >>> add = gm.graph.output_node().args[0]
            >>> with gm.graph.inserting_before(add):
            ...     neg = gm.graph.call_function(torch.neg, (add.args[0],))
            >>> add.update_arg(0, neg)
            >>> _ = gm.recompile()
            >>> gm(torch.tensor([3.0]))
            tensor([-2.])
        """
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    @compatibility(is_backward_compatible=True)
    def inserting_after(self, n: Node | None = None):
        """Makes new nodes go after a node.

        As a context manager, the former insert point comes back at the end. Nodes that are made one after
        another each go directly after `n`, so they end in reverse order.

        Args:
            n (Node, optional): the node. Default: the end of the graph.

        Returns:
            a context manager.
        """
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    @compatibility(is_backward_compatible=True)
    def placeholder(
        self, name: str, type_expr: Any | None = None, default_value: Any = inspect.Signature.empty
    ) -> Node:
        """Adds an input of the function.

        Args:
            name (str): the parameter's name; ``*name`` and ``**name`` take the further arguments.
            type_expr (Any, optional): its annotation in the generated code. Default: ``None``.
            default_value (Any, optional): its default. Default: it has none.

        Returns:
            Node: the new node.
        """
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def get_attr(self, qualified_name: str, type_expr: Any | None = None) -> Node:
        """Adds a step that fetches an attribute of the owning module.

        A path at which the module has no parameter, buffer or submodule gives a warning.

        Args:
            qualified_name (str): its dotted path, as "layer.weight".
            type_expr (Any, optional): type of the value. Default: ``None``.

        Returns:
            Node: the new node.
        """
        if self.owning_module is not None and not _has_reference(self.owning_module, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! "
                "Call GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add "
                "the necessary Parameter, or nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def call_module(
        self,
        module_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Adds a call of a submodule of the owning module.

        Args:
            module_name (str): its dotted path; AttributeError where the owning module has none there.
            args (tuple, optional), kwargs (dict, optional): the arguments. Default: none.
            type_expr (Any, optional): type of the result. Default: ``None``.

        Returns:
            Node: the new node.
        """
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def call_method(
        self,
        method_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Adds a call of a method.

        Args:
            method_name (str): the method's name.
            args (tuple, optional): the object, then the positional arguments.
            kwargs (dict, optional): named arguments. Default: none.
            type_expr (Any, optional): type of the result. Default: ``None``.

        Returns:
            Node: the new node.
        """
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
        name: str | None = None,
    ) -> Node:
        """Adds a call of a function.

        Args:
            the_function (Callable): the function, of Python or an operator.
            args (tuple, optional), kwargs (dict, optional): the arguments. Default: none.
            type_expr (Any, optional): type of the result. Default: ``None``.
            name (str, optional): the requested name of the node. Default: made from the function's.

        Returns:
            Node: the new node.
        """
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def output(self, result: Any, type_expr: Any | None = None):
        """Adds the output, which comes last.

        Args:
            result (Any): what the function returns: a node, or nodes nested in tuples, lists and dicts.
            type_expr (Any, optional): the function's return annotation. Default: ``None``.

        Returns:
            Node: the new node.
        """
        return self.create_node(op="output", target="output", args=(result,), type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Copies a node of another graph to the insert point, with a copy of its `meta`.

        Args:
            node (Node): the other graph's node.
            arg_transform (Callable): takes a node among its arguments, gives this graph's node that replaces
                it.

        Returns:
            Node: the copy.
        """
        given = []
        for name, kind in (("args", tuple), ("kwargs", dict)):
            given.append(map_arg(getattr(node, name), arg_transform))
            if not isinstance(given[-1], kind):
                raise AssertionError(f"Expected {name} to be {kind.__name__}, got {type(given[-1])}")
        made = self.create_node(node.op, node.target, *given, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    @compatibility(is_backward_compatible=True)
    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False):
        """Copies the nodes of a graph to the insert point, all but its output.

        Args:
            g (Graph): the graph to copy.
            val_map (dict[Node, Node]): for nodes of `g` that are not to be copied (its inputs, often), the
                nodes that replace them; gets the copies of the others.
            return_output_node (bool): gives a pair of the result and the output node of `g`.
                Default: ``False``.

        Returns:
            Any: what `g` returns, in terms of this graph's nodes; None where it has no output.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    def __deepcopy__(self, memo=None):
        made = Graph(tracer_cls=self._tracer_cls)
        copied = {}
        result = made.graph_copy(self, copied, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        if result is not None:
            value, output = result
            node = made.output(value, type_expr=getattr(output, "type", None))
            node.meta = copy.copy(output.meta)
        return made

    @compatibility(is_backward_compatible=True)
    def python_code(self, root_module: str, **style):
        """Writes the Python source of the function.

        Args:
            root_module (str): the name by which the code reaches attributes, as "self".
            **style: `verbose` adds types, shapes and stack traces as comments; `expanded_def` writes one
                parameter a line; others that torch has are accepted.

        Returns:
            PythonCode: the source (`src`) and the global names that it needs (`globals`).

        Example:
            >>> graph = torch.fx.symbolic_trace(lambda x: x + 1).graph
            >>> print(graph.python_code("self").src.strip())
            def forward(self, x):
                add = x + 1;  x = None
                return add
        """
        namespace = _Namespace()

        def name_in_code(node):
            return namespace.create_name(node.name, node)

        former = [(node, node._repr_fn) for node in self.nodes]
        for node, _ in former:
            node._repr_fn = name_in_code
        try:
            return self._python_code(root_module, namespace, **style)
        finally:
            for node, repr_fn in former:
                node._repr_fn = repr_fn

    def _python_code(self, root_module, namespace, **style):
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, **style)

    def __str__(self):
        return "\n    ".join(["graph():", *(node.format_node() for node in self.nodes)])

    @compatibility(is_backward_compatible=True)
    def print_tabular(self) -> None:
        """Prints the nodes as a table of op, name, target and arguments; needs the package tabulate."""
        try:
            from tabulate import tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. "
                "Run `pip install tabulate` to install the library."
            )
            raise
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    @compatibility(is_backward_compatible=True)
    def lint(self) -> None:
        """Checks that the graph is well formed.

        Raises:
            RuntimeError: when a name stands twice, an argument comes after its user or from another graph, or
                an attribute or submodule is missing in the owning module.
            ValueError: when a target has the wrong type.
        """
        names, defined = set(), set()
        for node in self.nodes:
            if node.op not in _legal_ops:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for arg in node._input_nodes:
                start = f"Argument '{arg}' of Node '{node}' "
                if arg.graph is not self:
                    raise RuntimeError(
                        f"{start}does not belong to this Graph, "
                        f"but was used as an argument! If you are copying nodes from another graph, make "
                        f"sure to use ``arg_transform`` on node_copy() to remap values\n{self}"
                    )
                if arg not in defined:
                    raise RuntimeError(
                        f"{start}was used before it has been "
                        f"defined! Please check that Nodes in the graph are topologically ordered\n{self}"
                    )
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            defined.add(node)
            names.add(node.name)
        for node in self.nodes if self.owning_module else ():
            self._lint_target(node)

    def _lint_target(self, node):
        wanted = "Callable" if node.op == "call_function" else "str"
        if not (callable(node.target) if node.op == "call_function" else isinstance(node.target, str)):
            kind = torch.typename(node.target)
            raise ValueError(f"Node {node} target {node.target} has type {kind} but a {wanted} is expected")
        if node.op not in ("get_attr", "call_module"):
            return
        owner, atoms = self.owning_module, node.target.split(".")
        for place, atom in enumerate(atoms):
            found, path = getattr(owner, atom, None), ".".join(atoms[:place])
            if found is None:
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {atom} of {path}"
                )
            if node.op == "call_module" and not isinstance(found, nn.Module):
                raise RuntimeError(f"Node {node} target {node.target} {atom} of {path} does not reference an nn.Module")
            owner = found

    @compatibility(is_backward_compatible=True)
    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erases the nodes whose values nothing uses and that do nothing else.

        Runs lint first. Graphs of GraphModules that are called as functions are cleaned too.

        Args:
            is_impure_node (Callable, optional): says whether a node must stay. Default: Node.is_impure.

        Returns:
            bool: whether any was erased.

        Example:
            >>> def f(x):
            ...     unused = x * 2
            ...     return x + 1
            >>> graph = torch.fx.symbolic_trace(f).graph
            >>> graph.eliminate_dead_code(), [node.name for node in graph.nodes]
            (True, ['x', 'add', 'output'])
        """
        self.lint()
        keep = is_impure_node or (lambda node: node.is_impure(impure_random=True))
        dead = 0
        for node in reversed(self.nodes):
            if not node.users and not keep(node):
                self.erase_node(node)
                dead += 1
        for node in self.nodes:
            if isinstance(node.target, torch.fx.GraphModule):
                dead += node.target.graph.eliminate_dead_code(is_impure_node)
        return dead > 0

    def set_codegen(self, codegen: CodeGen) -> None:
        """Sets the CodeGen `codegen` that writes the source from now on."""
        self._codegen = codegen

    def process_inputs(self, *args: Any) -> Any:
        """Converts the function's arguments `args` to the graph's inputs: flattens nested ones."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Converts the graph's result `out` to the function's result; the inverse of process_inputs."""
        return self._codegen.process_outputs(out)

    def on_generate_code(self, make_transformer):
        """Sends generated code through a function that may change its lines.

        As a context manager, the former function comes back at the end.

        Args:
            make_transformer (Callable): takes the function that is set now (or None), gives the new one, which
                takes the list of lines of the body and returns another.

        Returns:
            a context manager.
        """
        codegen, former = self._codegen, self._codegen._body_transformer
        codegen._body_transformer = make_transformer(former)
        restore = contextlib.ExitStack()
        restore.callback(setattr, codegen, "_body_transformer", former)
        return restore

    def _clear_nodes(self):
        for node in reversed(self.nodes):
            node.meta.clear()
            self.erase_node(node)


def _has_reference(module, qualified_name):
    path, _, name = qualified_name.rpartition(".")
    try:
        owner = module.get_submodule(path)
    except AttributeError:
        warnings.warn(f"Failed to fetch module {path}!", stacklevel=4)
        return False
    if not hasattr(owner, name):
        return False
    value = getattr(owner, name)
    return isinstance(value, (nn.Module, nn.Parameter)) or name in owner._buffers


_type_repr = _codegen._type_repr
