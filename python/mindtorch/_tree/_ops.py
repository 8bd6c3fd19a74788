"""torch.ops: the registry's operators by namespace, name and overload, as objects."""

import enum
import importlib
import sys
import types
from functools import cached_property

from . import _C
from ._library.higher_order import HigherOrderNamespace, make_higher_order_operator_class

torch = sys.modules[__package__]


# Schemas of operators whose library was destroyed: the registry keeps the operators, and this package hides them from
# programs.
removed: dict = {}


def _is_removed(name, overload):
    return bool(removed) and (f"{name}.{overload}" if overload else name) in removed


class Tag(enum.Enum):
    """A property of an operator. Built-in operators have only those that state how they write to arguments."""

    (
        core, cudagraph_unsafe, data_dependent_output, dynamic_output_shape, flexible_layout, generated, inplace,
        inplace_view, maybe_aliasing_or_mutating, needs_contiguous_strides, needs_exact_strides,
        needs_fixed_stride_order, nondeterministic_bitwise, nondeterministic_seeded, out, out_variant, pointwise,
        pt2_compliant_tag, reduction, view_copy,
    ) = range(20)  # fmt: skip

    def __int__(self):
        return self.value

    __index__ = __int__


Tag.__module__, _C.Tag = "torch", Tag
# Attributes that programs attached to the operators that they defined.
told_tags: dict = {}
_INPLACE_VIEWS = {
    "as_strided_", "detach_", "resize_", "resize_as_", "set_", "squeeze_", "swapaxes_", "swapdims_", "t_",
    "transpose_", "unsqueeze_",
}  # fmt: skip


def _tags_of(schema):
    name = schema.name.split("::", 1)[1]
    first = schema.arguments[0].alias_info if schema.arguments else None
    tags = [Tag.inplace] if name.endswith("_") and first is not None and first.is_write else []
    if name in _INPLACE_VIEWS:
        tags.append(Tag.inplace_view)
    if any(argument.is_out for argument in schema.arguments):
        tags.append(Tag.out)
    return [*tags, Tag.pt2_compliant_tag]


class OperatorBase:
    """The base of all operator objects; stores Python kernels per dispatch key."""

    def __init__(self):
        self.py_kernels = {}

    def __call__(self, *args, **kwargs):
        raise NotImplementedError

    def name(self):
        raise NotImplementedError

    def py_impl(self, key):
        """Registers the decorated function as this operator's Python kernel for `key`."""

        def register_python_kernel(function):
            if key in self.py_kernels:
                raise AssertionError(f"Trying to override a python impl for {key} on operator {self.name()}")
            self.py_kernels[key] = function
            return function

        return register_python_kernel

    def has_kernel_for_dispatch_key(self, k):
        return k in self.py_kernels


class OpOverload(OperatorBase):
    """One overload of one operator, as torch.ops.aten.add.Tensor."""

    def __init__(self, overloadpacket, op, op_dk, schema):
        super().__init__()
        self._op = op
        self._op_dk = op_dk
        self._schema = schema
        self._overloadpacket = overloadpacket
        self._overloadname = schema.overload_name or "default"
        self._name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        self.__name__ = f"{self._opname}.{self._overloadname}"
        self.__module__ = overloadpacket.__module__
        self.__qualname__ = self._name
        self.__annotations__ = {}
        writes = [a.alias_info.is_write for a in schema.arguments if a.alias_info is not None]
        self.is_view = bool(writes) and not any(writes)

    @cached_property
    def _namespace(self):
        return self._schema.name.split("::", 1)[0]

    @cached_property
    def _opname(self):
        return self._schema.name.split("::", 1)[1]

    @cached_property
    def _handle(self):
        return _C._dispatch_find_schema_or_throw(self._schema.name, self._schema.overload_name)

    @property
    def namespace(self):
        return self._namespace

    @property
    def _defined_in_python(self):
        return self._name in told_tags

    @property
    def overloadpacket(self):
        return self._overloadpacket

    @property
    def op(self):
        return self._op

    @property
    def tags(self):
        told = told_tags.get(self._name)
        if told is None and self._read_note_of_c_definition("place") is not None:
            told = [Tag[name] for name in (self._read_note_of_c_definition("tags") or "").split()]
        return _tags_of(self._schema) if told is None else list(told)

    def _read_note_of_c_definition(self, name):
        """Returns a note that the definer of an operator left under a name in C; None if there is none."""
        return _C._mt_op_note(self._schema.name, self._schema.overload_name, name)

    def name(self):
        return self._name

    def __call__(self, /, *args, **kwargs):
        return self._op(*args, **kwargs)

    def redispatch(self, /, keyset, *args, **kwargs):
        return self._handle.redispatch_boxed(keyset, *args, **kwargs)

    def decompose(self, *args, **kwargs):
        """Runs the operator's composite body; NotImplemented if it has none."""
        if not self._can_decompose():
            return NotImplemented
        return self._op_dk(_C.DispatchKey.CompositeImplicitAutograd, *args, **kwargs)

    def _can_decompose(self):
        return _C._dispatch_has_kernel_for_dispatch_key(self.name(), _C.DispatchKey.CompositeImplicitAutograd)

    def has_kernel_for_dispatch_key(self, k):
        return super().has_kernel_for_dispatch_key(k) or _C._dispatch_has_kernel_for_dispatch_key(self.name(), k)

    def __deepcopy__(self, memo=None):
        return self

    def __reduce__(self):
        return _find_overload, (self._namespace, self._opname, self._overloadname)

    def __hash__(self):
        return hash(self._op)

    def __repr__(self):
        return f"<OpOverload(op='{self._namespace}.{self._opname}', overload='{self._overloadname}')>"

    def __str__(self):
        return f"{self._namespace}.{self._opname}.{self._overloadname}"


def _find_overload(namespace, name, overload):
    return getattr(getattr(getattr(ops, namespace), name), overload)


class OpOverloadPacket:
    """All overloads of one operator; a call selects one by its arguments."""

    __file__ = "torch.ops"

    def __init__(self, qualified_op_name, op_name, op, overload_names):
        self._qualified_op_name = qualified_op_name
        self.__name__ = op_name
        self._op = op
        self._overload_names = overload_names
        self._dir = []

    @property
    def op(self):
        return self._op

    @property
    def _schemas(self):
        return {name: _C._get_schema(self._qualified_op_name, name) for name in self._overload_names}

    def __getattr__(self, key):
        if key.startswith("__"):
            try:
                return getattr(self._op, key)
            except AttributeError:
                raise AttributeError(
                    f"'{self}' can't have an overload name beginning with '__' and the "
                    f"underlying op {self._op} has no attribute {key} either."
                ) from None
        name = "" if key == "default" else key
        try:
            gone = _is_removed(self._qualified_op_name, name)
            found = None if gone else _C._get_operation_overload(self._qualified_op_name, name)
        except RuntimeError:
            found = None
        if found is None:
            from . import _derived_operators

            if not _derived_operators.define_out(self, key):
                raise AttributeError(f"The underlying op of '{self}' has no overload name '{key}'")
            found = _C._get_operation_overload(self._qualified_op_name, name)
        overload = OpOverload(self, *found, _C._get_schema(self._qualified_op_name, name))
        setattr(self, key, overload)
        self._dir.append(key)
        return overload

    def __call__(self, /, *args, **kwargs):
        return self._op(*args, **kwargs)

    def overloads(self):
        """Names of the overloads, "default" for the one without a name."""
        return [name or "default" for name in self._overload_names]

    def op_overloads(self):
        return [getattr(self, name) for name in self.overloads()]

    def __iter__(self):
        return iter(self._dir)

    def __dir__(self):
        return sorted({*super().__dir__(), *self.overloads()})

    def __deepcopy__(self, memo=None):
        return self

    def __reduce__(self):
        return _find_packet, tuple(self._qualified_op_name.split("::"))

    def __hash__(self):
        return hash(self._op)

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"

    def __str__(self):
        return self._qualified_op_name.replace("::", ".")


def _find_packet(namespace, name):
    return getattr(getattr(ops, namespace), name)


# The modules that define operators of a namespace when a program first names one.
_LATE_NAMESPACES = {
    "aten": "._query_operators",
    "prim": "._query_operators",
    "_c10d_functional": ".distributed._operators",
    "_c10d_functional_autograd": ".distributed._operators",
    "c10d_functional": ".distributed._operators",
    "c10d": ".distributed._operators",
}


class _OpNamespace(types.ModuleType):
    """torch.ops.<namespace>; operators become attributes on first use."""

    __file__ = "torch.ops"

    def __init__(self, name):
        super().__init__("torch.ops." + name)
        self.name = name
        self._dir = []

    def __iter__(self):
        return iter(self._dir)

    def __dir__(self):
        """Attributes and the operators of this namespace, so that completion lists them."""
        names = (schema.name.split("::", 1) for schema in _C._jit_get_all_schemas())
        return sorted({*super().__dir__(), *(name for namespace, name in names if namespace == self.name)})

    def __getattr__(self, op_name):
        if op_name in ("__origin__", "__self__"):
            raise AttributeError(f"Invalid attribute '{op_name}' for '_OpNamespace' '{self.name}'")
        qualified = f"{self.name}::{op_name}"
        try:
            op, overload_names = _C._jit_get_operation(qualified)
        except RuntimeError as error:
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{op_name}'") from error
        overload_names = [name for name in overload_names or () if not _is_removed(qualified, name)]
        if op is None or not overload_names:
            home = _LATE_NAMESPACES.get(self.name)
            if home is not None and importlib.import_module(home, __package__).define(self.name, op_name):
                return getattr(self, op_name)
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{op_name}'")
        packet = OpOverloadPacket(qualified, op_name, op, overload_names)
        packet.__module__ = f"{self.__module__}.{self.name}"
        setattr(self, op_name, packet)
        self._dir.append(op_name)
        return packet

    __module__ = "torch._ops"


_higher_order = HigherOrderNamespace()
HigherOrderOperator = make_higher_order_operator_class(OperatorBase, _higher_order)


class _Ops(types.ModuleType):
    __file__ = "_ops.py"

    def __init__(self):
        super().__init__("torch.ops")
        self.loaded_libraries, self._dir = set(), []
        self.higher_order = _higher_order

    def __getattr__(self, name):
        namespace = _OpNamespace(name)
        setattr(self, name, namespace)
        self._dir.append(name)
        return namespace

    def __iter__(self):
        return iter(self._dir)

    def __dir__(self):
        namespaces = {schema.name.split("::", 1)[0] for schema in _C._jit_get_all_schemas()}
        return sorted({*super().__dir__(), *namespaces})

    def import_module(self, module):
        """Imports a module that registers operators."""
        importlib.import_module(module)

    def load_library(self, path):
        """Loads a shared library that registers operators, through the C ABI or through LibTorch's stable ABI."""
        from . import _extensions

        _extensions.load_library(path)
        self.loaded_libraries.add(path)


ops = _Ops()
