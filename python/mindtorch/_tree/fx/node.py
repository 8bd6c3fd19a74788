"""torch.fx.node: one step of a graph, its arguments, and maps over nested arguments."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .. import _C, amp
from .._root import torch
from ._compatibility import compatibility
from ._names import _find_module_of_method, _get_qualified_name, _type_repr, torch_path  # noqa: F401
from .immutable_collections import immutable_dict, immutable_list

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Node", "map_arg", "map_aggregate", "has_side_effect"]

base_types = (
    str,
    int,
    float,
    bool,
    complex,
    torch.dtype,
    torch.Tensor,
    torch.device,
    torch.memory_format,
    torch.layout,
)
base_types += tuple(getattr(torch, name) for name in ("SymInt", "SymBool", "SymFloat") if hasattr(torch, name))
Target = Argument = object  # for annotations

_legal_ops = dict.fromkeys(("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"))
_side_effectful_functions = {torch._assert, operator.setitem, _C._set_grad_enabled}
_side_effectful_functions |= {
    getattr(place, name)
    for place, name in ((torch, "_assert_async"), (amp, "_enter_autocast"), (amp, "_exit_autocast"))
    if hasattr(place, name)
}


@compatibility(is_backward_compatible=False)
def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keeps calls of a function from being removed as dead code.

    Graph.eliminate_dead_code erases a call whose result nothing uses, unless the function is known to do
    more than compute its result. This adds `fn` to those functions. May be used as a decorator.

    Args:
        fn (Callable): the target of call_function nodes.

    Returns:
        Callable: `fn` itself.

    Example:
        >>> @torch.fx.has_side_effect
        ... def log(x):
        ...     pass
        >>> graph = torch.fx.Graph()
        >>> node = graph.call_function(log, (graph.placeholder("x"),))
        >>> node.is_impure()
        True
    """
    _side_effectful_functions.add(fn)
    return fn


@compatibility(is_backward_compatible=True)
def map_aggregate(a, fn: Callable[[Any], Any]):
    """Applies a function to every leaf of a nested value.

    A leaf is anything but a tuple, list, dict or slice. Named tuples keep their type; lists and dicts come out
    immutable, as a node's arguments have to be.

    Args:
        a (Any): the nested value.
        fn (Callable): takes a leaf, gives what replaces it.

    Returns:
        Any: a value of the same nesting as `a`.

    Example:
        >>> torch.fx.node.map_aggregate((1, [2, 3]), lambda n: n * 10)
        (10, [20, 30])
    """
    if isinstance(a, tuple):
        items = [map_aggregate(item, fn) for item in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return immutable_list([map_aggregate(item, fn) for item in a])
    if isinstance(a, dict):
        return immutable_dict([(key, map_aggregate(value, fn)) for key, value in a.items()])
    if isinstance(a, slice):
        return slice(*(map_aggregate(part, fn) for part in (a.start, a.stop, a.step)))
    return fn(a)


@compatibility(is_backward_compatible=True)
def map_arg(a, fn: Callable[[Node], Any]):
    """Applies a function to every Node in a nested value.

    Other values are unchanged. Lists and dicts come out immutable, as from map_aggregate.

    Args:
        a (Any): a node's argument: nodes and plain values, nested in tuples, lists, dicts and slices.
        fn (Callable): takes a Node, gives what replaces it.

    Returns:
        Any: a value of the same nesting as `a`.

    Raises:
        AssertionError: when `fn` cannot be called.

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> torch.fx.map_arg((x, [x, 1]), lambda node: node.name)
        ('x', ['x', 1])
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda item: fn(item) if isinstance(item, Node) else item)


def _format_arg(arg, max_list_len=float("inf")):
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()
    if isinstance(arg, (list, tuple)):
        shown = [_format_arg(item) for place, item in enumerate(arg) if place < max_list_len]
        rest = f", ...[total_len={len(arg)}]" if len(arg) >= max_list_len + 1 else ""
        if isinstance(arg, list):
            return f"[{', '.join(shown)}{rest}]"
        return f"({', '.join(shown)}{',' if len(arg) == 1 else ''}{rest})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {_format_arg(value)}' for key, value in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


@compatibility(is_backward_compatible=True)
class Node:
    """One step of a Graph: what is done, to what, and with which arguments.

    A graph makes its nodes (Graph.create_node and its short forms); they are ordered, and ``a < b`` says
    whether `a` comes first. Six kinds of step exist:

    - "placeholder": an input; `target` is the parameter's name, `args` holds its default, if any.
    - "get_attr": the attribute of the owning module at the dotted path `target`.
    - "call_function": a call of the function `target`.
    - "call_module": a call of the submodule at the dotted path `target`.
    - "call_method": a call of the method `target` of the first argument.
    - "output": the result; ``args[0]`` is what the function returns.

    `users` has the nodes that take this one as an argument, `all_input_nodes` those that it takes. `meta` is
    a dict for passes to write into.

    Args:
        graph (Graph): the graph that the node is for.
        name (str): the name of the value; unique in its graph.
        op (str): the kind of step.
        target (Callable or str): what is called or fetched.
        args (tuple): positional arguments; nodes may be nested in tuples, lists, dicts and slices.
        kwargs (dict): named arguments.
        return_type (Any, optional): the type of the value, for the generated code. Default: ``None``.

    Raises:
        AssertionError: when `op` is none of these.
        ValueError: when `target` is no callable ("call_function") or no str (the others).

    Example:
        >>> def double_relu(x):
        ...     return torch.relu(x) * 2
        >>> for node in torch.fx.symbolic_trace(double_relu).graph.nodes:
        ...     print(node.op, node.name, node.args)
        placeholder x ()
        call_function relu (x,)
        call_function mul (relu, 2)
        output output (mul,)
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any | None = None,
    ) -> None:
        if op not in _legal_ops:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        wanted = "Callable" if op == "call_function" else "str"
        if not (callable(target) if op == "call_function" else isinstance(target, str)):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {torch.typename(target)} "
                f"but a {wanted} is expected"
            )
        self.graph, self._name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users, self._input_nodes, self.meta = {}, {}, {}
        self._args, self._kwargs = (), immutable_dict()
        self._prev = self._next = self
        self._erased = False
        self._repr_fn = None
        self._sort_key = Fraction(0)
        self._update_args_kwargs(args, kwargs)

    def _update_args_kwargs(self, args, kwargs):
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._input_nodes = {}

        def record_input_node(node):
            self._input_nodes[node] = None
            node.users[self] = None
            return node

        self._args, self._kwargs = map_arg(args, record_input_node), map_arg(kwargs, record_input_node)

    @property
    def name(self):
        """The name of the value; unique in its graph."""
        return self._name

    @name.setter
    def name(self, value):
        if not isinstance(value, str):
            raise AssertionError(f"Expected value to be str, got {type(value)}")
        hooks = getattr(self.graph.owning_module, "_replace_hooks", ())
        for user in self.users if hooks else ():
            for hook in hooks:
                hook(old=self, new=value, user=user)
        self._name = value

    @property
    def args(self):
        """The positional arguments: a tuple, possibly with nested lists, dicts, slices and other nodes. Assign to
        change."""
        return self._args

    @args.setter
    def args(self, value):
        self._update_args_kwargs(value, self._kwargs)

    @property
    def kwargs(self):
        """The named arguments, an immutable dict. Assign to change."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, value):
        self._update_args_kwargs(self._args, value)

    @property
    def all_input_nodes(self):
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    @property
    def next(self):
        """The node after this one; the graph's root after the last."""
        return self._next

    @property
    def prev(self):
        """The node before this one; the graph's root before the first."""
        return self._prev

    def _unlink(self):
        self._prev._next, self._next._prev = self._next, self._prev

    def prepend(self, x: Node) -> None:
        """Moves the node `x` to just before this one.

        Both must belong to one graph (AssertionError). Does not check that the arguments of `x` precede it: use
        Graph.lint.
        """
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._unlink()
        before, root = self._prev, self.graph._root
        before._next = self._prev = x
        x._prev, x._next = before, self
        if self is root:
            x._sort_key = Fraction(0) if before is root else Fraction(before._sort_key.__floor__() + 1)
        elif before is root:
            x._sort_key = Fraction(self._sort_key.__ceil__() - 1)
        else:
            x._sort_key = (before._sort_key + self._sort_key) / 2

    def append(self, x: Node) -> None:
        """Moves the node `x` to just after this one; see prepend."""
        if self is not x:
            self._next.prepend(x)

    def _remove_from_list(self):
        self._unlink()

    def __lt__(self, other):
        return self._sort_key < other._sort_key

    def __gt__(self, other):
        return self._sort_key > other._sort_key

    def __le__(self, other):
        return self is other or self < other

    def __ge__(self, other):
        return self is other or self > other

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replaces a positional argument.

        Args:
            idx (int): its index; IndexError where there is none.
            arg (Argument): the new value.
        """
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Inserts a positional argument; those at and after the index move on by one.

        Args:
            idx (int): index of the new argument, from 0 to their number (AssertionError beyond).
            arg (Argument): its value.
        """
        if not 0 <= idx <= len(self.args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Sets a named argument, new or not.

        Args:
            key (str): its name.
            arg (Argument): its value.
        """
        self.kwargs = {**self.kwargs, key: arg}

    @property
    def stack_trace(self):
        """The source location in the traced program that made this node, if the tracer recorded it."""
        return self.meta.get("stack_trace", None)

    @stack_trace.setter
    def stack_trace(self, trace):
        self.meta["stack_trace"] = trace

    def __repr__(self):
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target):
        if isinstance(target, str):
            return target
        module = getattr(target, "__module__", None)
        if module in ("builtins", "_operator") and getattr(target, "__name__", None) is not None:
            return f"{module.lstrip('_')}.{target.__name__}"
        return _get_qualified_name(target)

    @compatibility(is_backward_compatible=True)
    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """Describes this node in one line, as str(graph) shows it.

        Args:
            placeholder_names (list[str], optional): a list that is not empty: a placeholder is appended to it
                instead, as for a signature.
            maybe_return_typename (list[str], optional): a list of one item, which the output node sets to its
                return annotation.
            include_tensor_metadata (bool): shows dtype, shape, stride and device of the value that a pass
                noted in `meta`. Default: ``False``.

        Returns:
            str or None: the line; None for a placeholder that went into `placeholder_names`.
        """
        typename = f"{_type_repr(self.type)} " if self.type else ""
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        if self.op == "placeholder":
            if placeholder_names:
                placeholder_names.append(f"{self.target}: {typename}".rstrip() if self.type else self.target)
                return None
            tail = f"(default={self.args[0]})" if self.args else ""
        elif self.op == "get_attr":
            tail = ""
        else:
            tail = f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
            value = self.meta.get("val", self.meta.get("tensor_meta", self.meta.get("example_value")))
            if include_tensor_metadata and isinstance(value, torch.Tensor):
                from ..utils._dtype_abbrs import dtype_abbrs

                shape, stride = list(value.shape), list(value.stride())
                typename = f'Tensor "{dtype_abbrs[value.dtype]}{shape}{stride}{value.device}"'
        target = self._pretty_print_target(self.target)
        return f"%{self.name} : {typename}[num_users={len(self.users)}] = {self.op}[target={target}]{tail}"

    def _replace_input_with(self, old_input, new_input):
        def swap_input(node):
            return new_input if node is old_input else node

        self._update_args_kwargs(map_arg(self._args, swap_input), map_arg(self._kwargs, swap_input))

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Takes one node in the place of another among this node's arguments.

        Args:
            old_input (Node): the node that is an argument now, wherever it is nested.
            new_input (Node): the node that replaces it.
        """
        for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
            hook(old=old_input, new=new_input.name, user=self)
        self._replace_input_with(old_input, new_input)

    @compatibility(is_backward_compatible=True)
    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *, propagate_meta: bool = False
    ) -> list[Node]:
        """Lets the users of this node take another one.

        Args:
            replace_with (Node): the node that they take from now on.
            delete_user_cb (Callable, optional): ``delete_user_cb(user)`` says whether a user is changed.
                Default: all are.
            propagate_meta (bool): copies this node's `meta` to `replace_with`, which must have none yet
                (AssertionError). Default: ``False``.

        Returns:
            list[Node]: the users that were changed.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), "
                    "but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = []
        for user in list(self.users):
            if delete_user_cb is None or delete_user_cb(user):
                user.replace_input_with(self, replace_with)
                changed.append(user)
        return changed

    @compatibility(is_backward_compatible=False)
    def is_impure(self, impure_random: bool = True) -> bool:
        """Tells whether a removal of this node could change more than its own value.

        So it is for inputs and the output, functions given to has_side_effect, operators that write to their
        arguments, and modules with a true attribute `_is_impure`.

        Args:
            impure_random (bool): counts functions that draw random numbers, since a removal changes what the
                later ones draw. Default: ``True``.

        Returns:
            bool: whether it could.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(owner.get_submodule(self.target), "_is_impure", False)
        if self.op != "call_function":
            return False
        if self.target in _side_effectful_functions:
            return True
        schema = getattr(self.target, "_schema", None)
        if schema is not None and getattr(schema, "is_mutable", False):
            return True
        return impure_random and _draws_random_numbers(self.target)

    @compatibility(is_backward_compatible=False)
    def normalized_arguments(
        self,
        root: torch.nn.Module,
        arg_types: tuple[Any] | None = None,
        kwarg_types: dict[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ):
        """Gives the arguments of this call by the names of their parameters, defaults filled in.

        Args:
            root (Module): the module that call_module targets are looked up in.
            arg_types, kwarg_types (optional): types of the arguments; only there for functions with overloads.
            normalize_to_only_use_kwargs (bool): names the positional ones too. Default: ``False``.

        Returns:
            ArgsKwargsPair or None: the arguments; None where the signature is not known.
        """
        from .operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs
            )
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    def _rename(self, candidate):
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, self.name)

    def __getstate__(self):
        return self.__dict__ | {"_name": self._name}

    def __setstate__(self, state):
        self.__dict__.update(state)


def _draws_random_numbers(function):
    names = ("rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal", "poisson")
    names += ("bernoulli", "multinomial")
    if isinstance(function, torch._ops.OpOverload):
        return function.__name__.partition(".")[0] in names
    return isinstance(function, types.BuiltinFunctionType) and any(
        getattr(torch, name, None) is function for name in names
    )
