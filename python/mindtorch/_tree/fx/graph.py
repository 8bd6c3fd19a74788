"""torch.fx.graph: the list of nodes that stands for one function, and how it is built, changed and checked."""

import contextlib
import copy
import inspect
import warnings

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
from .node import Node, _legal_ops, map_arg

__all__ = ["PythonCode", "CodeGen", "Graph"]


class _InsertPoint:
    """Where a graph's new nodes go; leaving it as a context brings the former place back."""

    def __init__(self, graph, new_insert):
        self.graph = graph
        self.orig_insert, graph._insert = graph._insert, new_insert

    def __enter__(self):
        pass

    def __exit__(self, *exc_info):
        self.graph._insert = self.orig_insert


class _node_list:
    """The nodes of a graph in their order; nodes may be added and erased while one goes through them."""

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
    """What a function does, as a list of nodes: placeholders for its inputs, calls, and the output."""

    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
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

    def output_node(self):
        """The last node, which must be the output."""
        node = next(iter(reversed(self.nodes)))
        if node.op != "output":
            raise AssertionError(f"Expected output node, got op={node.op}")
        return node

    def find_nodes(self, *, op, target=None, sort=True):
        """The nodes with this op, and this target where one is given (call_function needs one), in order."""
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
    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        """Makes a node and puts it at the insert point. `name` is a wish; the node's name is made unique."""
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
    def erase_node(self, to_erase):
        """Takes a node that nothing uses out of the graph."""
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
    def inserting_before(self, n=None):
        """New nodes go before `n`, or to the start of the graph; as a context, while it lasts."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    @compatibility(is_backward_compatible=True)
    def inserting_after(self, n=None):
        """New nodes go after `n`, or to the end of the graph; as a context, while it lasts."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    @compatibility(is_backward_compatible=True)
    def placeholder(self, name, type_expr=None, default_value=inspect.Signature.empty):
        """An input of the function; `*name` and `**name` stand for its further arguments."""
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def get_attr(self, qualified_name, type_expr=None):
        """The attribute of the owning module at this dotted path."""
        if self.owning_module is not None and not _has_reference(self.owning_module, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! "
                "Call GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add "
                "the necessary Parameter, or nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        """A call of the submodule at this dotted path."""
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        """A call of the method of this name; the first argument is the object."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def output(self, result, type_expr=None):
        """What the function returns: a node or what nests nodes."""
        return self.create_node(op="output", target="output", args=(result,), type_expr=type_expr)

    @compatibility(is_backward_compatible=True)
    def node_copy(self, node, arg_transform=lambda x: x):
        """A copy of another graph's node in this one; `arg_transform` maps the nodes among its arguments."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        if not isinstance(args, tuple):
            raise AssertionError(f"Expected args to be tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"Expected kwargs to be dict, got {type(kwargs)}")
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    @compatibility(is_backward_compatible=True)
    def graph_copy(self, g, val_map, return_output_node=False):
        """Copies the nodes of `g` to the insert point; gives what takes the place of its output (None without one).

        `val_map` has what stands for nodes of `g` that are not to be copied, and gets the copies.
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
    def python_code(self, root_module, **style):
        """The source of the function; attributes are reached through the name `root_module`."""
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
    def print_tabular(self):
        """Prints the nodes as a table; needs the package tabulate."""
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
    def lint(self):
        """Raises unless names are unique, arguments come before their users, and attributes are there."""
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
    def eliminate_dead_code(self, is_impure_node=None):
        """Erases the nodes that nothing uses and that do nothing else; whether there were any."""
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

    def set_codegen(self, codegen):
        """Lets `codegen` write the source from now on."""
        self._codegen = codegen

    def process_inputs(self, *args):
        """The graph's inputs from the function's arguments."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        """The function's result from the graph's."""
        return self._codegen.process_outputs(out)

    def on_generate_code(self, make_transformer):
        """Sends generated code through `make_transformer(the one before)`: a function of a list of lines.

        As a context, the one before comes back at its end.
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
