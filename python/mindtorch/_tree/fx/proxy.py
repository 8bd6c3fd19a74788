"""torch.fx.proxy: proxies that record operations, and the base class of the tracers that store them."""

from __future__ import annotations

import collections
import copy
import dataclasses
import dis
import enum
import operator
import sys
import traceback
from os import path as _path
from typing import Any

from .. import nn
from .. import overrides as _overrides
from .._root import torch
from ..utils import _pytree as pytree
from ._compatibility import compatibility
from .graph import magic_methods, reflectable_magic_methods
from .node import Node, base_types, map_aggregate
from .operator_schemas import check_for_mutable_operation

__all__ = [
    *("TracerBase", "GraphAppendingTracer", "TraceError", "Proxy", "Attribute"),
    *("ParameterProxy", "Scope", "ScopeContextManager"),
]

_HERE = _path.dirname(_path.dirname(_path.abspath(__file__))) + _path.sep


@compatibility(is_backward_compatible=False)
class Scope:
    """Says which module the traced program is in.

    Args:
        module_path (str): its dotted path from the root.
        module_type (type or None): its class.

    Example:
        >>> torch.fx.proxy.Scope("block.act", nn.ReLU).module_path
        'block.act'
    """

    def __init__(self, module_path, module_type):
        self.module_path, self.module_type = module_path, module_type


@compatibility(is_backward_compatible=False)
class ScopeContextManager:
    """Lets a Scope read as another one for a block, and gives it.

    Args:
        scope (Scope): the scope to change.
        current_scope (Scope): what it reads as.

    Example:
        >>> from torch.fx.proxy import Scope, ScopeContextManager
        >>> scope = Scope("", None)
        >>> with ScopeContextManager(scope, Scope("block", nn.Sequential)):
        ...     print(scope.module_path)
        block
    """

    def __init__(self, scope, current_scope):
        self._scope, self._former = scope, copy.copy(scope)
        self._copy_scope_from(current_scope)

    def _copy_scope_from(self, scope):
        self._scope.module_path, self._scope.module_type = scope.module_path, scope.module_type

    def __enter__(self):
        return self._scope

    def __exit__(self, *args):
        self._copy_scope_from(self._former)


@compatibility(is_backward_compatible=True)
class TraceError(ValueError):
    """Raised if the traced program needs a value that is known only when it runs."""


@compatibility(is_backward_compatible=True)
class TracerBase:
    """Creates nodes and proxies in `graph`. Subclasses override these methods to change what is recorded, and how."""

    record_stack_traces = False
    _record_forward_stack_traces_only = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    @compatibility(is_backward_compatible=True)
    def create_node(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Adds a node, and notes the module that the program is in.

        Args:
            kind (str): the kind of step, as "call_function".
            target (Callable or str): what is called or fetched.
            args (tuple), kwargs (dict): arguments that create_arg has made.
            name (str, optional), type_expr (optional): as of Graph.create_node.

        Returns:
            Node: the new node.
        """
        if kind == "call_function" and self.check_mutable_operations:
            check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        scope = getattr(self, "scope", None)
        if scope is not None:
            self.node_name_to_scope[node.name] = (scope.module_path, scope.module_type)
        if self.record_stack_traces and not node.stack_trace:
            frames = [
                frame for frame in traceback.extract_stack(sys._getframe(1)) if not frame.filename.startswith(_HERE)
            ]
            if frames:
                node.stack_trace = "".join(traceback.StackSummary.from_list(frames).format()).strip()
        if getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        return node

    @compatibility(is_backward_compatible=True)
    def proxy(self, node: Node) -> Proxy:
        """Creates the Proxy for the value of `node`."""
        return Proxy(node, self)

    @compatibility(is_backward_compatible=True)
    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        """Adds a node whose arguments may hold proxies.

        Args:
            kind (str): the kind of step.
            target (Callable or str): what is called or fetched.
            args (tuple), kwargs (dict): the arguments.
            name (str, optional), type_expr (optional): as of Graph.create_node.
            proxy_factory_fn (Callable, optional): makes the proxy from the node. Default: `self.proxy`.

        Returns:
            Proxy: represents the value of the node.
        """
        node_args, node_kwargs = self.create_arg(args), self.create_arg(kwargs)
        if not isinstance(node_args, tuple):
            raise AssertionError(f"Expected args_ to be tuple, got {type(node_args)}")
        if not isinstance(node_kwargs, dict):
            raise AssertionError(f"Expected kwargs_ to be dict, got {type(node_kwargs)}")
        node = self.create_node(kind, target, node_args, node_kwargs, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    @compatibility(is_backward_compatible=True)
    def create_arg(self, a):
        """Returns the representation of a value among a node's arguments.

        A proxy gives its node; tuples, lists, dicts, slices and ranges are gone through; a dataclass becomes a
        call of its class; plain values stay.

        Args:
            a (Any): the value.

        Returns:
            Argument: what the node takes.

        Raises:
            NotImplementedError: when the type is none of these.
            RuntimeError: when a key of a dict is a proxy.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(item) for item in a]
            return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return self._create_dict(a)
        if isinstance(a, (slice, range)):
            return type(a)(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, torch._ops.OpOverload):
            return a
        if dataclasses.is_dataclass(a):
            fields = {field.name: self.create_arg(getattr(a, field.name)) for field in dataclasses.fields(a)}
            return self.create_node("call_function", a.__class__, (), fields)
        if isinstance(a, (*base_types, enum.Enum)) or a is None or a is ...:
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _create_dict(self, a):
        made = {}
        for key, value in a.items():
            if not isinstance(key, str):
                key = self.create_arg(key)
                for leaf in pytree.tree_leaves(key, is_leaf=lambda item: isinstance(item, Node)):
                    if isinstance(leaf, Node):
                        raise RuntimeError(
                            f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {leaf}"
                        )
            made[key] = self.create_arg(value)
        return made

    @compatibility(is_backward_compatible=True)
    def to_bool(self, obj: Proxy) -> bool:
        """Implements ``bool(obj)`` for the Proxy `obj`: here always a TraceError."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    @compatibility(is_backward_compatible=True)
    def iter(self, obj):
        """Implements ``iter(obj)`` for the Proxy `obj`: here a TraceError, since the length is unknown."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or"
            " as a *args or **kwargs function argument. See the torch.fx docs on pytorch.org for a "
            "more detailed explanation of what types of control flow can be traced, and check out the"
            " Proxy docstring for help troubleshooting Proxy iteration errors"
        )

    @compatibility(is_backward_compatible=True)
    def keys(self, obj):
        """Implements ``obj.keys()`` for the Proxy `obj`: a recorded call.

        Overrides must return an iterator to support ``**obj``.
        """
        return Attribute(obj, "keys")()


@compatibility(is_backward_compatible=False)
class GraphAppendingTracer(TracerBase):
    """Records to a graph that there is: for proxies that are made by hand.

    Args:
        graph (Graph): the graph.

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = torch.fx.Proxy(graph.placeholder("x"), torch.fx.proxy.GraphAppendingTracer(graph))
        >>> (x + 1).node.name
        'add'
    """

    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope = {}


def assert_fn(x):
    """The recorded form of an assert statement, for tracers that trace asserts."""
    if not x:
        raise AssertionError("Assertion failed")


def _read_bytecode_instruction(frame, offset):
    """Returns the name and argument of the instruction at `offset` of the code that `frame` runs."""
    code = frame.f_code.co_code
    argument, place, scale = code[offset + 1], offset - 2, 256
    while place >= 0 and dis.opname[code[place]] == "EXTENDED_ARG":
        argument, place, scale = argument + code[place + 1] * scale, place - 2, scale * 256
    return dis.opname[code[offset]], argument


def _is_asserting(frame):
    """Whether `frame` evaluates the bool for an assert statement."""
    name, _ = _read_bytecode_instruction(frame, frame.f_lasti)
    following = [item for item in dis.get_instructions(frame.f_code) if item.offset >= frame.f_lasti][:2]
    return name == "POP_JUMP_FORWARD_IF_TRUE" and following[-1].opname == "LOAD_ASSERTION_ERROR"


@compatibility(is_backward_compatible=True)
class Proxy:
    """Stands for the value of a node while a program is traced.

    What is done with it (operators, methods, attributes, functions of torch) becomes nodes of the graph.
    What needs the value itself (``if``, ``len``, a loop over it) raises; unpacking into a fixed number of
    names works.

    Args:
        node (Node): the node whose value it represents.
        tracer (TracerBase, optional): what records. Default: one that appends to the node's graph.

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = torch.fx.Proxy(graph.placeholder("x"))
        >>> y = torch.relu(x) + 1
        >>> _ = graph.output(y.node)
        >>> [node.name for node in graph.nodes]
        ['x', 'relu', 'add', 'output']
    """

    @compatibility(is_backward_compatible=True)
    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, k):
        # Creates the node only when the value is used: most attributes are methods that are called.
        return Attribute(self, k)

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, d):
        self.__dict__ = d

    def __deepcopy__(self, memo):
        # Without this, copying would record a lookup of the attribute __deepcopy__.
        fields = {key: copy.deepcopy(value, memo) for key, value in self.__dict__.items()}
        for name in ("node", "tracer"):
            if name not in fields:
                raise AssertionError(f"'{name}' not in new_dict during proxy unpickling")
        made = Proxy(fields["node"], fields["tracer"])
        made.__dict__.update(fields)
        return made

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self):
        frame = sys._getframe(1)
        name, count = _read_bytecode_instruction(frame, frame.f_lasti)
        if name == "UNPACK_SEQUENCE":
            return (self[place] for place in range(count))
        return self.tracer.iter(self)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self):
        if self.tracer.trace_asserts and _is_asserting(sys._getframe(1)):
            self.tracer.create_proxy("call_function", assert_fn, (self,), {})
            return True
        return self.tracer.to_bool(self)

    @compatibility(is_backward_compatible=True)
    def keys(self) -> Proxy:
        """Records a call of ``keys()``."""
        return self.tracer.keys(self)

    def __len__(self):
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want "
            "this call to be recorded, please call torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(cls, orig_method, types, args=None, kwargs=None):
        args, kwargs = args or (), kwargs or {}
        tracers = {}

        def collect_tracer(item):
            if isinstance(item, cls):
                tracers[item.tracer] = None

        map_aggregate(args, collect_tracer)
        map_aggregate(kwargs, collect_tracer)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        tracer = next(iter(tracers))
        if _overrides.is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


@compatibility(is_backward_compatible=True)
class Attribute(Proxy):
    """Stands for an attribute of a Proxy.

    Becomes a node when its value is used, and a method call when it is called.

    Args:
        root (Proxy): the object.
        attr (str): the attribute's name.

    Example:
        >>> x = torch.fx.Proxy(torch.fx.Graph().placeholder("x"))
        >>> x.relu().node.op, x.shape.node.op
        ('call_method', 'call_function')
    """

    @compatibility(is_backward_compatible=True)
    def __init__(self, root, attr):
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node = None

    @property
    def node(self):
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


@compatibility(is_backward_compatible=False)
class ParameterProxy(Proxy):
    """Represents a parameter, and returns numbers for queries of its shape.

    Args:
        tracer (TracerBase): what records.
        node (Node): the node that fetches the parameter.
        name (str): its path.
        param (Parameter): the parameter.

    Example:
        >>> node = torch.fx.Graph().placeholder("w")
        >>> torch.fx.proxy.ParameterProxy(None, node, "w", nn.Parameter(torch.ones(2, 3))).size()
        torch.Size([2, 3])
    """

    def __init__(self, tracer, node, name, param):
        super().__init__(node, tracer)
        if not isinstance(param, nn.Parameter):
            raise AssertionError(f"Expected Parameter, got {type(param)}")
        self.param, self.name = param, name

    def __repr__(self):
        return f"ParameterProxy({self.name})"

    @property
    def shape(self):
        return self.param.shape

    @property
    def ndim(self):
        return self.param.ndim

    def size(self):
        """Returns the parameter's shape."""
        return self.param.size()

    def dim(self):
        """Returns the number of the parameter's dimensions."""
        return self.param.dim()

    def numel(self):
        """Returns the number of the parameter's elements."""
        return self.param.numel()

    def nelement(self):
        """Returns the number of the parameter's elements."""
        return self.param.nelement()


def _add_operator(name, reflected):
    target = getattr(operator, name, None)  # Python 3 has no operator.div
    if reflected:

        def method(self, rhs):
            return self.tracer.create_proxy("call_function", target, (rhs, self), {})
    else:

        def method(*args, **kwargs):
            return args[0].tracer.create_proxy("call_function", target, args, kwargs)

    method.__name__ = f"__{'r' if reflected else ''}{name.strip('_')}__"
    method.__qualname__ = f"Proxy.{method.__name__}"
    setattr(Proxy, method.__name__, method)


for _name in magic_methods:
    if hasattr(operator, _name):
        _add_operator(_name, reflected=False)
for _name in reflectable_magic_methods:
    if hasattr(operator, _name):
        _add_operator(_name, reflected=True)
