"""torch.fx.symbolic_trace: runs a program on proxies and records its operations as a graph."""

from __future__ import annotations

import collections
import copy
import functools
import inspect
import math
import types
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .. import _C, nn
from .._root import torch
from ..utils import _pytree as pytree
from ._compatibility import compatibility
from ._patching import (  # noqa: F401
    _autowrap_check,
    _create_wrapped_func,
    _create_wrapped_method,
    _find_proxy,
    _new_patcher,
    _patch_wrapped_functions,
    _Patcher,
    _wrapped_fns_to_patch,
    _wrapped_methods_to_patch,
    wrap,
)
from .graph import Graph, _PyTreeCodeGen, _PyTreeInfo
from .node import base_types
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase  # noqa: F401

if TYPE_CHECKING:
    from .graph_module import GraphModule

# Packages with a trace of their own take these and the names above from here.
ScriptObject = _C.ScriptObject
_orig_module_call = nn.Module.__call__
_orig_module_getattr = nn.Module.__getattr__

_is_fx_tracing_flag = False
_proxyable_classes: dict = {}


def is_fx_tracing() -> bool:
    """Returns whether this process is making a symbolic trace now."""
    return _is_fx_tracing_flag


def is_fx_symbolic_tracing() -> bool:
    """Returns whether this process is making a symbolic trace now, outside torch.compile."""
    return _is_fx_tracing_flag


class PHBase:
    """Marks an entry of concrete_args that remains an input."""

    def __repr__(self):
        return "PH"


PH = PHBase()


@compatibility(is_backward_compatible=False)
class PHWithMeta(PHBase):
    """A PH whose attributes are copied to its placeholder's node."""

    def __init__(self, ph_key=None):
        super().__init__()
        self.ph_key = ph_key


def _transfer_attrs(fr, to):
    for name in dir(fr):
        value = getattr(fr, name)
        if not callable(value) and not name.startswith("__") and not hasattr(to, name):
            setattr(to, name, value)


@compatibility(is_backward_compatible=False)
class ProxyableClassMeta(type):
    """Metaclass of classes whose construction from proxies is recorded as a call of the class.

    Outside a trace, and for arguments without proxies, the class is constructed as usual. An instance that
    a trace meets becomes an attribute of the traced module.

    Args:
        name (str): the name of the class.
        bases (tuple): its bases.
        attrs (dict): its attributes.

    Example:
        >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
        ...     def __init__(self, left, right):
        ...         self.left, self.right = left, right
        >>> def f(x):
        ...     return Pair(x, 2).left + 1
        >>> nodes = torch.fx.symbolic_trace(f).graph.nodes
        >>> Pair in [node.target for node in nodes]
        True
    """

    def __init__(cls, name, bases, attrs):
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args, **kwargs):
        proxy = _find_proxy(args, kwargs) if is_fx_tracing() else None
        if proxy is None:
            return super().__call__(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", cls, args, kwargs)


def _patch_function(fn, nargs):
    """Wraps `fn` so that its first `nargs` locals, including * and ** parameters, are plain positional parameters."""
    starred = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    code = fn.__code__
    code = code.replace(co_argcount=nargs, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=code.co_flags & ~starred)
    return FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def _assert_is_none(value, msg):
    if value is not None:
        raise AssertionError(msg)


@compatibility(is_backward_compatible=True)
class Tracer(TracerBase):
    """Makes a Graph from a module's forward or a function, by running it on proxies.

    Override is_leaf_module to say which modules stay one call, and the other methods to record
    differently. A trace has one path: what depends on values (``if x.sum() > 0``) raises a TraceError.

    Args:
        autowrap_modules (tuple of modules): calls of their functions with a proxy among the arguments are
            recorded as one node. Default: ``(math,)``.
        autowrap_functions (tuple of Callable): the same for single functions. Default: ``()``.
        param_shapes_constant (bool): shapes of parameters are numbers, not proxies. Default: ``False``.

    Example:
        >>> class Flat(torch.fx.Tracer):
        ...     def is_leaf_module(self, m, module_qualified_name):
        ...         return False
        >>> model = nn.Sequential(nn.ReLU())
        >>> [node.op for node in torch.fx.Tracer().trace(model).nodes]
        ['placeholder', 'call_module', 'output']
        >>> [node.op for node in Flat().trace(model).nodes]
        ['placeholder', 'call_function', 'output']
    """

    def __init__(
        self,
        autowrap_modules: tuple[types.ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        super().__init__()
        functions = [
            value
            for module in autowrap_modules
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        ]
        self._autowrap_function_ids = {id(function) for function in [*functions, *autowrap_functions]}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls = {}
        self.node_name_to_scope = {}
        self._qualname_counter = collections.defaultdict(int)

    _qualname_counter = collections.defaultdict(int)

    def get_fresh_qualname(self, prefix: str) -> str:
        """Returns the first of `prefix` + "0", "1", ... that is not an attribute of the root yet."""
        number = self._qualname_counter[prefix]
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        self._qualname_counter[prefix] = number + 1
        return f"{prefix}{number}"

    @compatibility(is_backward_compatible=True)
    def create_arg(self, a: Any):
        """Returns the representation of a value among a node's arguments.

        As TracerBase.create_arg; parameters, buffers and submodules of the root become get_attr nodes, and
        other tensors are kept as attributes of the root.

        Args:
            a (Any): the value.

        Returns:
            Argument: what the node takes.

        Raises:
            NameError: when `a` is a Parameter that is not the root's.
        """
        if isinstance(a, nn.Parameter):
            for name, parameter in self.root.named_parameters():
                if a is parameter:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, torch.Tensor):
            for name, buffer in self.root.named_buffers():
                if a is buffer:
                    return self.create_node("get_attr", name, (), {})
        elif isinstance(a, nn.Module):
            for name, module in self.root.named_modules():
                if a is module:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            items = tuple(self.create_arg(item) for item in a)
            return self.create_node("call_function", a.__class__, items, {})
        prefix = "_tensor_constant" if isinstance(a, torch.Tensor) else None
        if type(a) in _proxyable_classes:
            prefix = f"_{a.__class__.__name__}_constant_"
        if prefix is None:
            return super().create_arg(a)
        path = self.tensor_attrs.get(a)
        if path is None:
            path = self.get_fresh_qualname(prefix)
            self.tensor_attrs[a] = path
            setattr(self.root, path, a)
        return self.create_node("get_attr", path, (), {})

    @compatibility(is_backward_compatible=True)
    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        """Decides whether a call of a module is one node; otherwise its forward is traced.

        Args:
            m (Module): the module.
            module_qualified_name (str): its dotted path from the root.

        Returns:
            bool: here, whether it is one of torch.nn's own but Sequential.
        """
        own = tuple(f"{torch.__name__}.{package}" for package in ("nn", "ao.nn"))
        return m.__module__.startswith(own) and not isinstance(m, nn.Sequential)

    @compatibility(is_backward_compatible=True)
    def path_of_module(self, mod: torch.nn.Module) -> str:
        """Returns the dotted path of the submodule `mod` from the root; NameError if it is not a submodule."""
        paths = self.submodule_paths or {module: name for name, module in self.root.named_modules()}
        path = paths.get(mod)
        if path is None:
            raise NameError("module is not installed as a submodule")
        return path

    @compatibility(is_backward_compatible=True)
    def call_module(
        self, m: torch.nn.Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Decides what a call of a submodule gives: a node for a leaf, else what its forward does.

        Args:
            m (Module): the module.
            forward (Callable): runs it.
            args (tuple), kwargs (dict): the arguments of the call.

        Returns:
            Any: its result, made of proxies.
        """
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            calls = self.num_calls.get(path, 0)
            self.num_calls[path] = calls + 1
            key = f"{path}@{calls}" if calls else path
            self.module_stack[key] = (scope.module_path, scope.module_type)
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.pop(key, None)

    @compatibility(is_backward_compatible=False)
    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Decides what reading a module's parameter, buffer or submodule gives.

        Args:
            attr (str): the attribute's name.
            attr_val (Any): its value.
            parameter_proxy_cache (dict): the proxies of this trace by path; gets new ones.

        Returns:
            Any: a Proxy for a parameter (and, with `proxy_buffer_attributes`, a buffer), else the value.
        """

        def find_proxy(members):
            for name, member in members:
                if attr_val is member:
                    if name not in parameter_proxy_cache:
                        factory = None
                        if self.param_shapes_constant:
                            factory = functools.partial(self._parameter_proxy, name, attr_val)
                        parameter_proxy_cache[name] = self.create_proxy(
                            "get_attr", name, (), {}, proxy_factory_fn=factory
                        )
                    return parameter_proxy_cache[name]
            return None

        found = None
        if isinstance(attr_val, nn.Parameter):
            found = find_proxy(self.root.named_parameters())
        if found is None and self.proxy_buffer_attributes and isinstance(attr_val, torch.Tensor):
            found = find_proxy(self.root.named_buffers())
        return attr_val if found is None else found

    def _parameter_proxy(self, name, param, node):
        return ParameterProxy(self, node, name, param)

    def _proxy_placeholder(self, name, concrete_args, sig, fn_for_analysis):
        """Returns the proxy for the parameter `name`, or its concrete value, which an assertion guards."""
        if concrete_args is not None and name in concrete_args:
            default = sig.parameters[name].default
            default = () if default is inspect.Parameter.empty else (default,)
            count = 0

            def specialize_argument(value):
                nonlocal count
                count += 1
                out = self.create_proxy("placeholder", f"{name}_{count}", default, {})
                return self._specialize(name, value, out)

            return pytree.tree_map(specialize_argument, concrete_args[name])
        default = () if name[0] == "*" else (sig.parameters[name].default,)
        if default == (inspect.Parameter.empty,):
            default = ()
        annotation = fn_for_analysis.__annotations__.get(name, None)
        return self.create_proxy("placeholder", name, default, {}, type_expr=annotation)

    def _specialize(self, name, value, out):
        if isinstance(value, PHBase):
            if value is not PH:
                _transfer_attrs(fr=value, to=out.node)
            return out
        message = f"{name} has been specialized to have value {value} but got another value"
        if type(value) in base_types and type(value) is not torch.Tensor:
            torch._assert(out == value, message)
        elif value is None:
            self.create_proxy("call_function", _assert_is_none, (out, message), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to "
                f"specialized function. It is up to the user to make sure that your inputs match the "
                f"inputs you specialized the function with.",
                stacklevel=2,
            )
        return value

    @compatibility(is_backward_compatible=True)
    def create_args_for_root(
        self,
        root_fn: Callable[..., Any],
        is_module: bool,
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ):
        """Makes the function to run and the proxies to run it on.

        Args:
            root_fn (Callable): the function, or the forward of the root's class.
            is_module (bool): whether the root is a module, which then is the first argument.
            concrete_args (dict or tuple, optional): as of trace.

        Returns:
            tuple: the function, and a list of its arguments.
        """
        plain = inspect.unwrap(root_fn)
        code, sig = plain.__code__, inspect.signature(plain)
        count = code.co_argcount + code.co_kwonlyargcount
        names = iter(code.co_varnames)
        args = []
        if is_module:
            if count == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            next(names)
            args.append(self.root)
        parameters = [next(names) for _ in range(len(args), count)]
        if isinstance(concrete_args, tuple):
            if len(parameters) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(parameters)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(parameters, concrete_args))
        args += [self._proxy_placeholder(name, concrete_args, sig, plain) for name in parameters]
        starred = [
            stars + next(names)
            for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**"))
            if code.co_flags & flag
        ]
        args += [self._proxy_placeholder(name, concrete_args, sig, plain) for name in starred]
        if starred or code.co_kwonlyargcount > 0:
            root_fn = _patch_function(root_fn, len(args))

        flat_args, in_spec = pytree.tree_flatten(tuple(args))
        if all(child.is_leaf() for child in in_spec.children()):
            return root_fn, args
        self.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(list(code.co_varnames[:count]), in_spec, None))

        def flatten_fn(*leaves):
            result = root_fn(*pytree.tree_unflatten(list(leaves), in_spec))
            out, out_spec = pytree.tree_flatten(result)
            self.graph._codegen.pytree_info = self.graph._codegen.pytree_info._replace(out_spec=out_spec)
            return out

        return flatten_fn, flat_args

    def _enter_module(self, cls):
        """Records the names in the root, a module of this class; returns its method that is traced."""
        if not hasattr(cls, self.traced_func_name):
            raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {cls.__name__}")
        self.submodule_paths = {module: name for name, module in self.root.named_modules()}
        self.root_module_name = self.root._get_name()
        return getattr(cls, self.traced_func_name)

    def _set_root(self, root):
        """Makes `root`, or an empty module for a function, the root; returns the function to trace."""
        is_module = isinstance(root, nn.Module)
        self.root = root if is_module else nn.Module()
        fn = self._enter_module(type(root)) if is_module else root
        if not isinstance(fn, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(fn)}")
        self.tensor_attrs = {
            value: f"{path}.{name}" if path else name
            for path, module in self.root.named_modules()
            for name, value in vars(module).items()
            if isinstance(value, torch.Tensor)
        }
        return fn

    @compatibility(is_backward_compatible=True)
    def trace(self, root: torch.nn.Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Traces a module's forward, or a function.

        Args:
            root (Module or function): what to trace.
            concrete_args (dict, optional): values for parameters that are not to become free inputs; for
                plain values the graph asserts at run time that the input equals them. ``torch.fx.PH`` inside a
                nested value stands for an input. Default: all parameters are inputs.

        Returns:
            Graph: what it does.

        Raises:
            TraceError: when control flow depends on an input's value.
        """
        global _is_fx_tracing_flag
        former, _is_fx_tracing_flag = _is_fx_tracing_flag, True
        try:
            fn = self._set_root(root)
            self.graph = Graph(tracer_cls=getattr(self, "__class__", None))
            code = fn.__code__
            self.graph._co_fields = {name: getattr(code, name) for name in ("co_name", "co_filename", "co_firstlineno")}
            fn_globals = fn.__globals__
            fn, args = self.create_args_for_root(fn, isinstance(root, nn.Module), concrete_args)
            with _new_patcher() as patcher:
                self._patch_modules(patcher)
                _patch_wrapped_functions(patcher)
                for frame_dict in (fn_globals, *(vars(module) for module in self._autowrap_search)):
                    _autowrap_check(patcher, frame_dict, self._autowrap_function_ids)
                returns = inspect.get_annotations(inspect.unwrap(fn)).get("return", None)
                self.create_node("output", "output", (self.create_arg(fn(*args)),), {}, type_expr=returns)
            self.submodule_paths = None
        finally:
            _is_fx_tracing_flag = former
        return self.graph

    def _patch_modules(self, patcher):
        """Redirects every module's attribute access and calls to getattr and call_module of this tracer."""
        module_getattr, module_call = nn.Module.__getattr__, nn.Module.__call__
        cache = {}

        @functools.wraps(module_getattr)
        def trace_getattr(mod, attr):
            return self.getattr(attr, module_getattr(mod, attr), cache)

        @functools.wraps(module_call)
        def trace_call(mod, *args, **kwargs):
            frame_dict = getattr(getattr(mod, "forward", mod), "__globals__", {})
            _autowrap_check(patcher, frame_dict, self._autowrap_function_ids)
            return self.call_module(mod, functools.partial(module_call, mod), args, kwargs)

        patcher.patch_method(nn.Module, "__getattr__", trace_getattr, deduplicate=False)
        patcher.patch_method(nn.Module, "__call__", trace_call, deduplicate=False)

    def __deepcopy__(self, memo):
        made = Tracer.__new__(Tracer)
        for name, value in self.__dict__.items():
            if name == "_autowrap_search":
                value = list(value)  # modules cannot be copied
            elif name != "root":
                value = copy.deepcopy(value, memo)
            setattr(made, name, value)
        return made


@compatibility(is_backward_compatible=True)
def symbolic_trace(
    root: torch.nn.Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None
) -> GraphModule:
    """Makes a GraphModule that does what a module or a function does.

    The program runs once, on proxies in the place of its inputs; modules of torch.nn stay single calls.

    Args:
        root (Module or function): the program.
        concrete_args (dict, optional): values for parameters that are not to become free inputs, as of
            Tracer.trace. Default: ``None``.

    Returns:
        GraphModule: it has the graph, and shares parameters and submodules with `root`.

    Raises:
        TraceError: when control flow depends on an input's value.

    Example:
        >>> gm = torch.fx.symbolic_trace(lambda x, y: torch.relu(x) + y)
        >>> print(gm.code.strip())
        def forward(self, x, y):
            relu = torch.relu(x);  x = None
            add = relu + y;  relu = y = None
            return add
        >>> gm(torch.tensor([-1.0]), torch.tensor([2.0]))
        tensor([2.])
    """
    from .graph_module import _make_graph_module

    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, nn.Module) else root.__name__
    return _make_graph_module(tracer.root, graph, name)
