"""torch.fx.graph_module: a module whose forward is made from a graph."""

from __future__ import annotations

import contextlib
import copy
import itertools
import linecache
import sys
import traceback
from typing import Any, NoReturn

from .. import nn
from . import _names
from ._codegen import _PyTreeCodeGen
from ._compatibility import compatibility
from ._module_paths import _assign_attr, _copy_attr, _del_attr, _get_attr, _has_attr  # noqa: F401
from .graph import Graph, PythonCode  # noqa: F401

__all__ = ["reduce_graph_module", "GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_keys = itertools.count()


def _exec_with_source(src, globals, co_fields=None):
    """Runs `src` under a unique file name, with which tracebacks find its lines."""
    key = f"<eval_with_key>.{next(_keys)}"
    if co_fields:
        key += f" from {co_fields['co_filename']}:{co_fields['co_firstlineno']} in {co_fields['co_name']}"
    linecache.cache[key] = (len(src), None, src.splitlines(keepends=True), key)
    globals.update(__file__=key, __name__=key)
    exec(compile(src, key, "exec", dont_inherit=True), globals)


def _method_from_src(method_name, src, globals, co_fields=None):
    """Returns the function of this name that `src` defines."""
    scope = dict(globals)
    _exec_with_source(src, scope, co_fields)
    return scope.pop(method_name)


def _forward_from_src(src, globals, co_fields=None):
    return _method_from_src("forward", src, globals, co_fields)


def _format_import_block(globals):
    """Returns the statements that import the objects that generated code refers to."""
    lines = set()
    for name, obj in globals.items():
        if name in _names.BUILTIN_OBJECTS:
            lines.add(_names.BUILTIN_OBJECTS[name][0])
        else:
            lines.add(f"from {_defining_module_name_of(obj)} import {obj.__name__} as {name}")
    return "\n".join(sorted(lines))


def _defining_module_name_of(obj):
    module = getattr(obj, "__module__", None)
    if module is not None:
        return module
    return next(name for name, module in sys.modules.items() if getattr(module, obj.__name__, None) is obj)


@compatibility(is_backward_compatible=True)
def reduce_graph_module(body: dict[Any, Any], import_block: str) -> nn.Module:
    """Makes a GraphModule from the attributes of a pickled one.

    Its code is run on proxies, which gives the graph again.

    Args:
        body (dict): the attributes, the code among them.
        import_block (str): the import statements that the code needs.

    Returns:
        GraphModule: the module.
    """
    source = body.get("_code") or body["code"]
    return _deserialize_graph_module(_forward_from_src(import_block + source, {}), body)


class _CodeOnlyModule(nn.Module):
    """The attributes of a GraphModule without its graph."""

    def __init__(self, body):
        super().__init__()
        self.__dict__ = body


def _deserialize_graph_module(forward, body, graph_module_cls=None):
    from ._symbolic_trace import Tracer

    tracer_cls = body.get("_tracer_cls") or Tracer

    class KeepModules(tracer_cls):
        def is_leaf_module(self, m, module_qualified_name):
            return True

    _CodeOnlyModule.forward = forward
    shell = _CodeOnlyModule(body)
    graph = KeepModules().trace(shell, **body.get("_tracer_extras", {}))
    graph._tracer_cls = tracer_cls
    class_name = body.get("_graphmodule_cls_name", "GraphModule")
    made = _make_graph_module(shell, graph, class_name=class_name, graph_module_cls=graph_module_cls)
    for name, value in body.items():
        if not hasattr(made, name):
            setattr(made, name, value)
    return made


def _make_graph_module(*args, graph_module_cls=None, **kwargs):
    return (graph_module_cls or GraphModule)(*args, **kwargs)


def _explain_failure(error):
    """Prints the location of an error in generated code, with the surrounding lines."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if "eval_with_key" not in frame.filename:
        return False
    lines, number = linecache.getlines(frame.filename), frame.lineno
    parts = [
        traceback.format_exc(),
        f"Call using an FX-traced Module, line {number} of the traced Module's generated forward function:",
        "".join(lines[number - 2 : number]),
        "~" * len(frame.line) + "~~~ <--- HERE",
        "\n".join(lines[number : number + 2]),
    ]
    print("\n".join(parts), file=sys.stderr)
    return True


def _indent_text(text, count):
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * count + line if line.strip() else line.strip(" ") for line in rest)])


@compatibility(is_backward_compatible=True)
class GraphModule(nn.Module):
    """A module whose forward is Python code that is made from a Graph.

    `graph` is the graph, `code` the source. After a change of the graph call recompile; assigning another
    graph does that by itself.

    Args:
        root (Module or dict): where the attributes and submodules that the graph names are taken from: a
            module, or a dict of them by dotted path. They are shared, not copied.
        graph (Graph): the graph; it becomes this module's own.
        class_name (str): the name that repr shows. Default: ``"GraphModule"``.

    Raises:
        RuntimeError: when the dict `root` lacks something, or `root` is neither.

    Example:
        >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x))
        >>> print(gm.code.strip())
        def forward(self, x):
            relu = torch.relu(x);  x = None
            return relu
        >>> for node in gm.graph.find_nodes(op="call_function", target=torch.relu):
        ...     node.target = torch.neg
        >>> _ = gm.recompile()
        >>> gm(torch.tensor([1.0]))
        tensor([-1.])
    """

    def __new__(cls, *args, **kwargs):
        # Each instance gets a class of its own, which will hold its generated forward. If `cls` is such a generated
        # class, the new class derives from that class's base.
        base = next(kind for kind in cls.__mro__ if kind.__qualname__ != "GraphModule.__new__.<locals>.GraphModuleImpl")

        class GraphModuleImpl(base):
            pass

        return super().__new__(GraphModuleImpl)

    @compatibility(is_backward_compatible=True)
    def __init__(self, root: nn.Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        targets = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, nn.Module):
            self.training = getattr(root, "training", self.training)
            if isinstance(root, _CodeOnlyModule):
                members = (root.named_children(), root.named_buffers(), root.named_parameters())
                targets = [name for group in members for name, _ in group] + targets
            for target in targets:
                _copy_attr(root, self, target)
        elif isinstance(root, dict):
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                    )
            for target in sorted(targets, key=lambda path: path.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        tracer_cls = graph._tracer_cls
        # A tracer class that was defined in a function could not be found when this is unpickled.
        self._tracer_cls = tracer_cls if tracer_cls and "<locals>" not in tracer_cls.__qualname__ else None
        self._tracer_extras = graph._tracer_extras or {}
        self.meta = {}
        self._replace_hooks, self._create_node_hooks = [], []
        self._erase_node_hooks, self._deepcopy_hooks = [], []

    __jit_unused_properties__ = ["graph"]

    @property
    def graph(self):
        """The graph from which forward is generated."""
        return self._graph

    @graph.setter
    def graph(self, g):
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @compatibility(is_backward_compatible=False)
    def to_folder(self, folder: str, module_name: str = "FxModule") -> NoReturn:
        """Raises NotImplementedError: this package keeps modules with torch.save.

        Args:
            folder (str): where torch would write the module's source and weights.
            module_name (str): the name of its class there. Default: ``"FxModule"``.
        """
        raise NotImplementedError("torch.fx.GraphModule.to_folder is not there")

    @compatibility(is_backward_compatible=True)
    def add_submodule(self, target: str, m: nn.Module) -> bool:
        """Adds a submodule at a dotted path; empty modules are made on the way.

        Args:
            target (str): the path, as "block.act".
            m (Module): the module.

        Returns:
            bool: False where something on the way is no module.
        """
        *prefix, name = target.split(".")
        owner = self
        for part in prefix:
            if getattr(owner, part, None) is None:
                setattr(owner, part, nn.Module())
            owner = getattr(owner, part)
            if not isinstance(owner, nn.Module):
                return False
        owner.add_module(name, m)
        return True

    @compatibility(is_backward_compatible=True)
    def delete_submodule(self, target: str) -> bool:
        """Deletes the submodule at the dotted path `target`.

        Returns:
            bool: False where there is none.
        """
        owner = self
        *prefix, name = target.split(".")
        for part in prefix:
            owner = getattr(owner, part, None)
            if not isinstance(owner, nn.Module):
                return False
        if not isinstance(getattr(owner, name, None), nn.Module):
            return False
        delattr(owner, name)
        return True

    @compatibility(is_backward_compatible=True)
    def delete_all_unused_submodules(self) -> None:
        """Deletes the submodules that no node calls, names, or reads an attribute of."""
        used = set()
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            parts = node.target.split(".")
            used.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
            if node.op == "call_module" and _has_attr(self, node.target):
                below = self.get_submodule(node.target).named_modules(prefix=node.target)
                used.update(name for name, _ in below)
        for name in [name for name, _ in self.named_modules() if name not in used]:
            self.delete_submodule(name)

    @property
    def code(self):
        """The Python source of forward."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    @compatibility(is_backward_compatible=True)
    def recompile(self):
        """Regenerates `code` and forward from the current graph, here and in GraphModules below.

        Returns:
            PythonCode: the source and the names that it uses.
        """
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            info = self._graph._codegen.pytree_info
            self._in_spec, self._out_spec = info.in_spec, info.out_spec
        made = self._graph.python_code(root_module="self")
        self._code, self._lineno_map, self._prologue_start = made.src, made._lineno_map, made._prologue_start
        cls = type(self)
        cls.forward = _forward_from_src(made.src, made.globals, getattr(self._graph, "_co_fields", None))
        self._recompile_submodules()
        if "__call__" not in vars(cls):
            cls.__call__ = _wrap_call(cls)
        return made

    def _recompile_submodules(self):
        return [(name, child.recompile()) for name, child in self.named_children() if isinstance(child, GraphModule)]

    def __reduce__(self):
        body = self.__dict__.copy()
        made = self.recompile()
        del body["_graph"]
        return reduce_graph_module, (body, _format_import_block(made.globals))

    def _deepcopy_init(self):
        return GraphModule.__init__

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        shell = _CodeOnlyModule(copy.deepcopy(self.__dict__, memo))
        self._deepcopy_init()(made, shell, shell.__dict__["_graph"])
        hooks = ("_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")
        for name in (*hooks, "_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks"):
            if name in self.__dict__:
                setattr(made, name, copy.deepcopy(self.__dict__[name], memo))
        made.meta = copy.deepcopy(getattr(self, "meta", {}), memo)
        for name, value in made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(made, name, value)
        for hook in getattr(self, "_deepcopy_hooks", ()):
            hook(made)
        return made

    def __copy__(self):
        made = _make_graph_module(self, self.graph)
        made.meta = getattr(self, "meta", {})
        return made

    @compatibility(is_backward_compatible=False)
    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        **style,
    ) -> str:
        """Writes the code of this module and of GraphModules below, with the known properties of each value.

        Dtype and shape show where a pass noted them in a node's `meta` (as passes.shape_prop does), and lines
        of the traced program where the tracer recorded stack traces.

        Args:
            print_output (bool): prints the text too. Default: ``True``.
            include_stride (bool), include_device (bool): accepted. Default: ``False``.
            colored (bool): only ``False`` is supported; otherwise NotImplementedError.
            **style: as of Graph.python_code.

        Returns:
            str: the text.
        """
        if colored:
            raise NotImplementedError("torch.fx.GraphModule.print_readable: colored is not there")
        style = {"include_stride": include_stride, "include_device": include_device, **style}
        text = self._format_readable(self._get_name(), style)
        if print_output:
            print(text)
        return text

    def _format_readable(self, name, style):
        source = self.graph.python_code(root_module="self", verbose=True, **style).src.lstrip("\n")
        children = [
            child._format_readable(name, style)
            for name, child in self.named_children()
            if isinstance(child, GraphModule)
        ]
        text = _indent_text(f"class {name}(torch.nn.Module):\n{source}", 4)
        return text + _indent_text("\n".join(["", *children]), 4)

    def __str__(self):
        hint = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, hint])

    @contextlib.contextmanager
    def _set_replace_hook(self, f):
        if not callable(f):
            raise AssertionError("Replace hook must be a callable.")
        self._replace_hooks.append(f)
        try:
            yield
        finally:
            self._replace_hooks.remove(f)


def _wrap_call(cls):
    def call_wrapped(self, *args, **kwargs):
        try:
            return super(cls, self).__call__(*args, **kwargs)
        except Exception as error:
            if _explain_failure(error):
                raise error.with_traceback(None)  # noqa: B904
            raise

    return call_wrapped


def _add_hook_methods(kind, attribute):
    """Adds _register_KIND_hook and _unregister_KIND_hook to GraphModule, for the list `attribute`."""

    def register_hook(self, f):
        if not callable(f):
            raise AssertionError("create_node hook must be a callable.")
        getattr(self, attribute).append(f)

    def unregister_hook(self, f):
        if not callable(f):
            raise AssertionError("create_node hook must be a callable.")
        getattr(self, attribute).remove(f)

    setattr(GraphModule, f"_register_{kind}_hook", register_hook)
    setattr(GraphModule, f"_unregister_{kind}_hook", unregister_hook)


_add_hook_methods("replace_node", "_replace_hooks")
_add_hook_methods("create_node", "_create_node_hooks")
_add_hook_methods("erase_node", "_erase_node_hooks")
_add_hook_methods("deepcopy", "_deepcopy_hooks")
