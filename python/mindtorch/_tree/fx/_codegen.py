"""Generates the source of a graph: the line of each node, and the function around them."""

from __future__ import annotations

import enum
import re
import types
import typing
from dataclasses import dataclass
from typing import Any

from .._root import torch
from ..utils import _pytree as pytree
from . import _names, _pytree as fx_pytree
from ._compatibility import compatibility
from ._names import _get_qualified_name, _type_repr, attribute_path
from .node import Node

_names._register_custom_builtin(
    "fx_pytree",
    "import torch.fx._pytree as fx_pytree".replace("torch", torch.__name__),
    fx_pytree,
)
_names._register_custom_builtin(
    "pytree", "import torch.utils._pytree as pytree".replace("torch", torch.__name__), pytree
)

_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}
_ARITHMETIC = {
    **{"add": "+", "and_": "&", "div": "/", "floordiv": "//", "lshift": "<<", "matmul": "@", "mod": "%"},
    **{"mul": "*", "or_": "|", "pow": "**", "rshift": ">>", "sub": "-", "truediv": "/", "xor": "^"},
}
reflectable_magic_methods = {name: f"{{}} {sign} {{}}" for name, sign in _ARITHMETIC.items()}
reflectable_magic_methods["getitem"] = "{}[{}]"
magic_methods = {
    **{name: f"{{}} {sign} {{}}" for name, sign in _COMPARISONS.items()},
    **{"pos": "+{}", "neg": "-{}", "invert": "~{}"},
    **reflectable_magic_methods,
}
inplace_methods = {f"i{name.rstrip('_')}": f"{{}} {sign}= {{}}" for name, sign in _ARITHMETIC.items() if name != "div"}
inplace_methods["setitem"] = "{}[{}] = {}"

# typing's own names for generic builtins, which annotations may contain
_TYPING_NAMES = {
    list: typing.List,
    dict: typing.Dict,
    set: typing.Set,
    frozenset: typing.FrozenSet,
    tuple: typing.Tuple,
}  # noqa: UP006


@compatibility(is_backward_compatible=True)
@dataclass
class PythonCode:
    """The source of a graph's function and the objects that it refers to."""

    src: str
    globals: dict
    _lineno_map: dict | None = None
    _prologue_start: int = 0


class _PyTreeInfo(typing.NamedTuple):
    """The names of the function's own parameters, and the structure of its inputs and outputs."""

    orig_args: list
    in_spec: object
    out_spec: object


class _Writer:
    """Writes the lines of one graph; collects the objects that they refer to."""

    def __init__(self, codegen, nodes, root_module, namespace):
        self.codegen, self.root_module, self.namespace = codegen, root_module, namespace
        self.nodes = list(nodes)
        self.globals, self.wrapped = {}, {}
        self.parameters, self.returns = [], ""
        for name, (_, obj) in _names.BUILTIN_OBJECTS.items():
            self.expression_for(name, obj)

    def expression_for(self, hint, obj):
        """Returns an expression for `obj`: its path in torch, or a global that is made for it."""
        if obj is not torch.device and _names.is_from_torch(obj):
            return _get_qualified_name(obj)
        name = self.namespace.create_name(hint, obj)
        known = self.globals.setdefault(name, obj)
        if known is not obj and known != obj:
            raise AssertionError(f"Global name {name} already assigned to different object")
        return name

    def type_text(self, kind):
        """Returns the annotation for `kind`."""
        if isinstance(kind, tuple) and not kind:
            return "()"
        text = _type_repr(kind)
        if isinstance(kind, types.UnionType) and "|" in text:
            return "|".join(self.type_text(part) for part in typing.get_args(kind))
        origin = getattr(kind, "__origin__", None)
        if not origin:
            return self.expression_for(text, kind)
        if isinstance(kind, typing._GenericAlias):
            origin = _TYPING_NAMES.get(origin, origin)
        name = self.expression_for(_type_repr(origin), origin)
        parts = [self.type_text(part) for part in typing.get_args(kind)]
        return f"{name}[{','.join(parts)}]" if parts else name

    def value(self, arg):
        """Returns the expression for one argument."""
        if isinstance(arg, Node):
            return repr(arg)
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            return f"{self.expression_for(_get_qualified_name(type(arg)), type(arg))}{tuple(arg)!r}"
        if isinstance(arg, torch._ops.OpOverload):
            return self.expression_for(_get_qualified_name(arg), arg)
        if isinstance(arg, enum.Enum):
            return f"{self.expression_for(type(arg).__name__, type(arg))}.{arg.name}"
        if isinstance(arg, torch.Tensor):
            return f"torch.Tensor(size={list(arg.size())}, dtype={str(arg.dtype).rpartition('.')[2]})"
        if isinstance(arg, (tuple, list)):
            items = ", ".join(self.value(item) for item in arg)
            if isinstance(arg, list):
                return f"[{items}]"
            return f"({items},)" if len(arg) == 1 else f"({items})"
        if isinstance(arg, slice):
            return f"slice({self.value(arg.start)}, {self.value(arg.stop)}, {self.value(arg.step)})"
        return repr(arg)

    def format_arguments(self, args, kwargs):
        """Returns the text between a call's parentheses."""
        return ", ".join(
            [self.value(arg) for arg in args] + [f"{key} = {self.value(arg)}" for key, arg in kwargs.items()]
        )

    def lines(self, comment_of):
        """Yields each node with its lines; `comment_of(node)` precedes them unless it repeats the previous comment."""
        dying = {}
        seen = set()
        for user in reversed(self.nodes):
            fresh = [node for node in user._input_nodes if node not in seen]
            seen.update(fresh)
            dying[user] = fresh if user.users else [*fresh, user]
        last_comment = ""
        for node in self.nodes:
            text = ""
            if node.op not in ("placeholder", "output") and (comment := comment_of(node)) != last_comment:
                text, last_comment = comment, comment
            text += self.codegen_line(node)
            if node.op not in ("placeholder", "output"):
                text += f";  {' = '.join([*map(repr, dying[node]), 'None'])}\n" if dying[node] else "\n"
            yield node, text

    def codegen_line(self, node):
        """Returns the statement for `node`; empty for a placeholder whose name does not change."""
        annotation = self.codegen._annotation(self, node)
        return getattr(self, f"_{node.op}")(node, f"{node!r}{annotation} = ", annotation)

    def _placeholder(self, node, assigned, annotation):
        default = f" = {self.value(node.args[0])}" if node.args else ""
        self.parameters.append(f"{node.target}{annotation}{default}")
        given = node.target.replace("*", "")
        return "" if given == repr(node) else f"{node!r} = {given}\n"

    def _get_attr(self, node, assigned, annotation):
        return assigned + attribute_path(self.root_module, node.target)

    def _call_module(self, node, assigned, annotation):
        path = attribute_path(self.root_module, node.target)
        return f"{assigned}{path}({self.format_arguments(node.args, node.kwargs)})"

    def _call_method(self, node, assigned, annotation):
        method = attribute_path(self.value(node.args[0]), node.target)
        return f"{assigned}{method}({self.format_arguments(node.args[1:], node.kwargs)})"

    def _call_function(self, node, assigned, annotation):
        if getattr(node.target, "__module__", "") == "_operator":
            name, args = node.target.__name__, [self.value(arg) for arg in node.args]
            if name in magic_methods:
                return assigned + magic_methods[name].format(*args)
            if name in inplace_methods:
                return f"{inplace_methods[name].format(*args)};  {assigned}{args[0]}"
        name = self.expression_for(_get_qualified_name(node.target), node.target)
        if name == "getattr" and len(node.args) == 2 and isinstance(node.args[1], str) and node.args[1].isidentifier():
            return f"{assigned}{self.value(node.args[0])}.{node.args[1]}"
        if node.meta.get("is_wrapped", False):
            self.wrapped[name] = None
        return f"{assigned}{name}({self.format_arguments(node.args, node.kwargs)})"

    def _output(self, node, assigned, annotation):
        if node.type is not None:
            self.returns = f" -> {self.type_text(node.type)}"
        return self.codegen.generate_output(node.args[0], repr_fn=self.value) + "\n"


def _no_comment(node):
    return ""


def _stack_comment(node):
    """Returns a comment with the source location where the traced program made `node`, for print_readable."""
    lines = (node.stack_trace or "").strip().split("\n")
    for place in range(len(lines) - 2, -1, -1):
        if found := re.fullmatch(r'File "(.+)", line (\d+), in (.+)', lines[place].strip()):
            path, number, function = found.groups()
            return f"\n# File: {path}:{number} in {function}, code: {lines[place + 1].strip()}\n"
    return "\n# No stacktrace found for following nodes\n"


@compatibility(is_backward_compatible=False)
class CodeGen:
    """Generates the Python source of a graph's function.

    Subclasses override its methods to change the signature, the return statement or the globals, and are passed to
    Graph.set_codegen.
    """

    def __init__(self):
        self._body_transformer = None
        self._func_name = "forward"
        self._verbose = False

    def _annotation(self, writer, node):
        if self._verbose:
            text = _shape_annotation_of_node(node)
            if text:
                return text
        return "" if node.type is None else f" : {writer.type_text(node.type)}"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        """Writes the ``def`` line.

        Args:
            free_vars (list[str]): the parameters, with annotations and defaults; "self" is put first where it
                is missing.
            maybe_return_annotation (str): the return annotation with its arrow, or "".
            expanded_def (bool): writes one parameter a line. Default: ``False``.

        Returns:
            str: the line or lines, with the colon.
        """
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if expanded_def:
            listed = "".join(f"    {name},\n" for name in free_vars)
            return f"def {self._func_name}(\n{listed}){maybe_return_annotation}:"
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, descs=None, repr_fn=repr) -> str:
        """Writes the return statement, without indentation.

        Args:
            output_args (Any): what the output node returns.
            descs (object, optional): not looked at.
            repr_fn (Callable): writes a value as source. Default: ``repr``.

        Returns:
            str: the statement.
        """
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """Converts the function's arguments `args` to the graph's inputs: unchanged here."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Converts the graph's result `outputs` to the function's result: unchanged here."""
        return outputs

    def additional_globals(self):
        """Lists further (name, object) pairs that the code needs as globals: none."""
        return []

    def _gen_python_code(self, nodes, root_module, namespace, *, verbose=False, expanded_def=False, **style):
        self._verbose = verbose
        try:
            return self._write(_Writer(self, nodes, root_module, namespace), verbose, expanded_def)
        finally:
            self._verbose = False

    def _write(self, writer, verbose, expanded_def):
        numbers, body = {}, []
        for number, (_, text) in enumerate(writer.lines(_stack_comment if verbose else _no_comment)):
            if text:
                body.append(text)
                numbers[id(body[-1])] = number
        body = body or ["pass\n"]
        wraps = ""
        if writer.wrapped:
            wrap = writer.expression_for("wrap", torch.fx.wrap)
            wraps = "\n".join(f'{wrap}("{name}")' for name in writer.wrapped)
        kept = list(body)  # keeps the texts alive, so that no other text gets their ids
        if self._body_transformer:
            body = self._body_transformer(body)
        for name, value in self.additional_globals():
            writer.expression_for(name, value)
        prologue = self.gen_fn_def(
            writer.parameters, writer.returns, **({"expanded_def": True} if expanded_def else {})
        )
        first = prologue.count("\n") + 1
        lineno_map, current, line = {}, None, first
        for text in body:
            current = numbers.get(id(text), current)
            for _ in range(text.count("\n")):
                lineno_map[line] = current
                line += 1
        lineno_map[line] = current
        del kept
        code = "\n".join("    " + text for text in "".join(body).lstrip("\n").split("\n"))
        source = f"\n{wraps}\n\n{prologue}\n{code}"
        return PythonCode(source, writer.globals, _lineno_map=lineno_map, _prologue_start=wraps.count("\n") + 4)


def _shape_annotation_of_node(node):
    """Returns, for print_readable, the dtype and shape of the tensor that a pass recorded for `node`."""
    from ..utils._dtype_abbrs import dtype_abbrs

    value = node.meta.get("val", node.meta.get("tensor_meta", node.meta.get("example_value")))
    if isinstance(value, torch.Tensor) or hasattr(value, "dtype") and hasattr(value, "shape"):
        return f': "{dtype_abbrs[value.dtype]}{list(value.shape)}"'
    return ""


@compatibility(is_backward_compatible=False)
class _PyTreeCodeGen(CodeGen):
    """For functions whose arguments or results are nested: flattens and unflattens them."""

    def __init__(self, pytree_info):
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs):
        return pytree.arg_tree_leaves(*inputs)

    def process_outputs(self, out):
        if self.pytree_info is None or self.pytree_info.out_spec is None:
            return out
        if not isinstance(out, (list, tuple)):
            out = [out]
        return pytree.tree_unflatten(out, self.pytree_info.out_spec)

    def gen_var_bindings(self, fn_args, free_vars, expanded_def):
        """Returns the lines that flatten the function's parameters to the graph's inputs."""
        spec = self.pytree_info.in_spec
        given = f"[{', '.join(fn_args)}]"
        if spec.type is tuple and [child.type for child in spec.children()] == [tuple, dict]:
            count, keys = spec.child(0).num_children, spec.child(1).context
            positional, named = self.pytree_info.orig_args[:count], self.pytree_info.orig_args[count:]
            pairs = ", ".join(f"'{key}':{name}" for key, name in zip(keys, named))
            given = f"([{', '.join(positional)}], {{{pairs}}})"
        annotated = "".join(f"{name}; " for name in free_vars if ":" in name)
        plain = [name.partition(":")[0].partition("#")[0] for name in free_vars]
        binding = f"\n    {', '.join(plain)}, = fx_pytree.tree_flatten_spec({given}, self._in_spec)"
        return f"\n    {annotated}\n{binding}" if annotated else binding

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        own = list(self.pytree_info.orig_args)
        if own and own[0] == "self":
            free_vars.insert(0, "self")
        text = super().gen_fn_def(own[:], maybe_return_annotation, expanded_def=expanded_def)
        return text + self.gen_var_bindings(own, free_vars, expanded_def) if free_vars else text

    def generate_output(self, output_args, *, descs=None, repr_fn=repr):
        if self.pytree_info and self.pytree_info.out_spec:
            return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"
        return super().generate_output(output_args, descs=descs, repr_fn=repr_fn)
