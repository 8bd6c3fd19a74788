"""The restricted unpickler of torch.load: builds containers and tensors, and calls only allowed functions."""

import functools
import sys
import warnings
from _codecs import encode
from collections import Counter, OrderedDict
from importlib import import_module
from pickle import (
    APPEND,
    APPENDS,
    BINFLOAT,
    BINGET,
    BININT,
    BININT1,
    BININT2,
    BINPERSID,
    BINPUT,
    BINUNICODE,
    BUILD,
    EMPTY_DICT,
    EMPTY_LIST,
    EMPTY_SET,
    EMPTY_TUPLE,
    GLOBAL,
    LONG1,
    LONG_BINGET,
    LONG_BINPUT,
    MARK,
    NEWFALSE,
    NEWOBJ,
    NEWTRUE,
    NONE,
    PROTO,
    REDUCE,
    SETITEM,
    SETITEMS,
    SHORT_BINSTRING,
    STOP,
    TUPLE,
    TUPLE1,
    TUPLE2,
    TUPLE3,
    UnpicklingError,
    decode_long,
)
from struct import unpack

from ._pickle_limits import CONTAINERS, TUPLES, CopyLimit, check_traversal_size, read_exactly

torch = sys.modules[__package__]

_blocklisted_modules = ["sys", "os", "posix", "nt"]
_marked_safe_globals_set = set()


def _add_safe_globals(safe_globals):
    global _marked_safe_globals_set
    _marked_safe_globals_set = _marked_safe_globals_set | set(safe_globals)


def _remove_safe_globals(globals_to_remove):
    global _marked_safe_globals_set
    _marked_safe_globals_set = _marked_safe_globals_set - set(globals_to_remove)


def _get_safe_globals():
    return list(_marked_safe_globals_set)


def _clear_safe_globals():
    global _marked_safe_globals_set
    _marked_safe_globals_set = set()


class _safe_globals:
    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        _add_safe_globals(self.safe_globals)

    def __exit__(self, type, value, tb):
        _remove_safe_globals(self.safe_globals)


def _get_user_allowed_globals():
    allowed = {}
    for entry in _marked_safe_globals_set:
        if not isinstance(entry, tuple):
            head, dot, rest = entry.__module__.partition(".")
            # Pickles name the root package "torch", whatever name this process imported it under.
            module = "torch" + dot + rest if head == __name__.partition(".")[0] else entry.__module__
            allowed[f"{module}.{entry.__qualname__}"] = entry
            continue
        if len(entry) != 2:
            raise ValueError(
                f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(entry)}"
            )
        if type(entry[1]) is not str:
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(entry[1])}")
        allowed[entry[1]] = entry[0]
    return allowed


# Pickles name the root package "torch", whatever name this process imported it under.
_REBUILDERS = (
    "_rebuild_parameter",
    "_rebuild_parameter_with_state",
    "_rebuild_qtensor",
    "_rebuild_tensor",
    "_rebuild_tensor_v2",
    "_rebuild_tensor_v3",
    "_rebuild_sparse_tensor",
    "_rebuild_meta_tensor_no_storage",
    "_rebuild_nested_tensor",
    "_rebuild_wrapper_subclass",
    "_rebuild_device_tensor_from_numpy",
    "_rebuild_device_tensor_from_cpu_tensor",
)


@functools.cache
def _get_allowed_globals():
    from . import serialization, storage

    allowed = {
        "collections.OrderedDict": OrderedDict,
        "collections.Counter": Counter,
        "torch.nn.parameter.Parameter": torch.nn.Parameter,
        "torch.serialization._get_layout": serialization._get_layout,
        "torch.Size": torch.Size,
        "torch.Tensor": torch.Tensor,
        "torch.device": torch.device,
        "_codecs.encode": encode,
        "builtins.bytearray": bytearray,
        "builtins.set": set,
        "builtins.complex": complex,
        "torch._tensor._rebuild_from_type_v2": torch._tensor._rebuild_from_type_v2,
        "torch.storage.TypedStorage": storage.TypedStorage,
        "torch.storage.UntypedStorage": storage.UntypedStorage,
    }
    named = [value for value in vars(torch).values() if type(value) is torch.dtype]
    if hasattr(torch, "qscheme"):
        named += [value for value in vars(torch).values() if type(value) is torch.qscheme]
    allowed.update({str(value): value for value in named})
    allowed.update({f"torch.{kind.__name__}": kind for kind in torch._tensor_classes})
    allowed.update({f"torch.{name}": serialization.StorageType(name) for name in storage._legacy_classes})
    for name in _REBUILDERS:
        if hasattr(torch._utils, name):
            allowed[f"torch._utils.{name}"] = getattr(torch._utils, name)
    return allowed


def _is_allowed(value):
    return any(value is v for v in _get_allowed_globals().values()) or any(
        value is v for v in _get_user_allowed_globals().values()
    )


_NESTED = (
    "torch.nested._internal.nested_tensor.NestedTensor",
    "torch.nested._internal.nested_tensor._rebuild_njt",
    "torch._dynamo.decorators._DimRange",
)
_DISTRIBUTED = (
    "torch.distributed.device_mesh.DeviceMesh",
    "torch.distributed.tensor.DTensor",
    *(f"torch.distributed.tensor._dtensor_spec.{name}" for name in ("DTensorSpec", "TensorMeta")),
    *(f"torch.distributed.tensor.placement_types.{name}" for name in ("Partial", "Replicate", "Shard")),
)


def _read_global_name(readline):
    from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING

    module = readline()[:-1].decode("utf-8")
    name = readline()[:-1].decode("utf-8")
    if (module, name) in NAME_MAPPING:
        return NAME_MAPPING[module, name]
    return IMPORT_MAPPING.get(module, module), name


def _find_global(module, name):
    path = f"{module}.{name}"
    if module in _blocklisted_modules:
        raise UnpicklingError(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
    for allowed in (_get_allowed_globals(), _get_user_allowed_globals()):
        if path in allowed:
            return allowed[path]
    if path in _NESTED:
        value = getattr(import_module(torch.__name__ + module.removeprefix("torch")), name)
        torch.serialization.add_safe_globals([value])
        return value
    if path in _DISTRIBUTED:
        raise UnpicklingError("``torch.distributed.tensor`` must be imported to load DTensors")
    path = path.removeprefix("builtins.")
    raise UnpicklingError(
        f"Unsupported global: GLOBAL {path} was not an allowed global by default. "
        f"Please use `torch.serialization.add_safe_globals([{path}])` or the "
        f"`torch.serialization.safe_globals([{path}])` context manager to allowlist this global "
        "if you trust this class/function."
    )


# Pickle opcodes by what they do: push a constant, push a number of a fixed format, make a tuple of 1 to 3 items, need
# no argument, use the memo.
_CONSTANTS = {
    NONE[0]: lambda: None,
    NEWFALSE[0]: lambda: False,
    NEWTRUE[0]: lambda: True,
    EMPTY_TUPLE[0]: tuple,
    EMPTY_LIST[0]: list,
    EMPTY_DICT[0]: dict,
    EMPTY_SET[0]: set,
}
_NUMBERS = {BININT[0]: ("<i", 4), BININT2[0]: ("<H", 2), BINFLOAT[0]: (">d", 8)}
_SHORT_TUPLES = {TUPLE1[0]: 1, TUPLE2[0]: 2, TUPLE3[0]: 3}
_WITHOUT_ARGUMENT = {
    *_CONSTANTS,
    *_SHORT_TUPLES,
    *(code[0] for code in (NEWOBJ, REDUCE, BUILD, APPEND, APPENDS, SETITEM, SETITEMS, MARK, TUPLE, BINPERSID)),
}
_MEMO_WIDTH = {BINGET[0]: 1, LONG_BINGET[0]: 4, BINPUT[0]: 1, LONG_BINPUT[0]: 4}


def get_globals_in_pkl(file):
    """Returns the dotted names of all globals that a pickle would load."""
    found = set()
    read = file.read
    while True:
        code = _read_code(read)
        if code == GLOBAL[0]:
            found.add(".".join(_read_global_name(file.readline)))
        elif code in _NUMBERS:
            read(_NUMBERS[code][1])
        elif code in _MEMO_WIDTH:
            read(_MEMO_WIDTH[code])
        elif code == BINUNICODE[0]:
            read(unpack("<I", read(4))[0])
        elif code in (SHORT_BINSTRING[0], LONG1[0]):
            read(read(1)[0])
        elif code in (PROTO[0], BININT1[0]):
            read(1)
        elif code == STOP[0]:
            return found
        elif code not in _WITHOUT_ARGUMENT:
            raise UnpicklingError(f"Unsupported operand {code}")


def _read_code(read):
    key = read(1)
    if not key:
        raise EOFError
    return key[0]


class Unpickler:
    """Loads one pickle; the caller, which has the storages, sets `persistent_load`."""

    def __init__(self, file, *, encoding="bytes"):
        self.encoding = encoding
        self._file = file
        self.readline = file.readline
        self.memo = {}
        self.proto = -1
        self.stack = []
        self.metastack = []
        self._copies = CopyLimit(file)

    def read(self, count):
        return read_exactly(self._file, count)

    def load(self):
        read = self.read
        actions = self._actions
        while True:
            code = _read_code(read)
            action = actions.get(code)
            if action is not None:
                action(self)
            elif code in _CONSTANTS:
                self.stack.append(_CONSTANTS[code]())
            elif code in _NUMBERS:
                layout, width = _NUMBERS[code]
                self.stack.append(unpack(layout, read(width))[0])
            elif code == BININT1[0]:
                self.stack.append(read(1)[0])
            elif code in _SHORT_TUPLES:
                count = _SHORT_TUPLES[code]
                if len(self.stack) < count:
                    raise IndexError("list index out of range")
                self.stack[-count:] = [tuple(self.stack[-count:])]
            elif code == STOP[0]:
                return self.stack.pop()
            elif isinstance(code, str):
                raise AssertionError(f"Expected bytes, got {type(code).__name__}")
            else:
                raise UnpicklingError(f"Unsupported operand {code}")

    def _pop_mark(self):
        items = self.stack
        self.stack = self.metastack.pop()
        return items

    def _load_proto(self):
        self.proto = self.read(1)[0]
        if self.proto != 2:
            warnings.warn(
                f"Detected pickle protocol {self.proto} in the checkpoint, which was not the default pickle protocol "
                "used by `torch.load` (2). The weights_only Unpickler might not support all instructions implemented "
                "by this protocol, please file an issue for adding support if you encounter this.",
                stacklevel=3,
            )

    def _load_global(self):
        self.stack.append(_find_global(*_read_global_name(self.readline)))

    def _load_new_object(self):
        args = self.stack.pop()
        cls = self.stack.pop()
        check_traversal_size(cls, CONTAINERS)
        self._copies.check(cls, args)
        if cls is torch.nn.Parameter:
            self.stack.append(torch.nn.Parameter(*args))
        elif _is_allowed(cls):
            self.stack.append(cls.__new__(cls, *args))
        else:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted "
                f"via `add_safe_globals` but got {cls}"
            )

    def _load_reduce(self):
        args = self.stack.pop()
        func = self.stack[-1]
        check_traversal_size(func, CONTAINERS)
        self._copies.check(func, args)
        if not _is_allowed(func):
            message = f"Trying to call reduce for unrecognized function {func}"
            if hasattr(func, "__self__"):
                message += f" which belongs to {func.__self__}"
            raise UnpicklingError(message)
        self.stack[-1] = func(*args)

    def _load_build(self):
        state = self.stack.pop()
        target = self.stack[-1]
        kind = type(target)
        if kind is torch.Tensor:
            target.set_(*state)
        elif kind is torch.nn.Parameter:
            target.__setstate__(state)
        elif kind is OrderedDict:
            target.__dict__.update(state)
        elif not _is_allowed(kind):
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted "
                f"via `add_safe_globals`, but got {kind}"
            )
        elif hasattr(target, "__setstate__"):
            target.__setstate__(state)
        else:
            attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
            if attributes:
                target.__dict__.update(attributes)
            for name, value in (slots or {}).items():
                setattr(target, name, value)

    def _load_append(self):
        item = self.stack.pop()
        self._list_on_stack_top("append to").append(item)

    def _load_appends(self):
        items = self._pop_mark()
        self._list_on_stack_top("extend").extend(items)

    def _list_on_stack_top(self, verb):
        target = self.stack[-1]
        if type(target) is not list:
            raise UnpicklingError(f"Can only {verb} lists, but got {type(target)}")
        return target

    def _load_set_item(self):
        value, key = self.stack.pop(), self.stack.pop()
        check_traversal_size(key, TUPLES)
        self._require_mapping_on_stack_top("SETITEM")[key] = value

    def _load_set_items(self):
        items = self._pop_mark()
        target = self._require_mapping_on_stack_top("SETITEMS")
        for i in range(0, len(items), 2):
            check_traversal_size(items[i], TUPLES)
            target[items[i]] = items[i + 1]

    def _require_mapping_on_stack_top(self, opcode):
        target = self.stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                f"Can only {opcode} for dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        return target

    def _push_mark(self):
        self.metastack.append(self.stack)
        self.stack = []

    def _load_tuple(self):
        items = self._pop_mark()
        self.stack.append(tuple(items))

    def _load_unicode(self):
        length = unpack("<I", self.read(4))[0]
        self.stack.append(str(self.read(length), "utf-8", "surrogatepass"))

    def _load_short_string(self):
        text = self.read(self.read(1)[0])
        self.stack.append(text if self.encoding == "bytes" else text.decode(self.encoding, "strict"))

    def _load_long(self):
        self.stack.append(decode_long(self.read(self.read(1)[0])))

    def _load_persistent_id(self):
        pid = self.stack.pop()
        check_traversal_size(pid, CONTAINERS)
        if type(pid) is not tuple and type(pid) is not int:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid and _decode_ascii_bytes(pid[0]) != "storage":
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(pid[0])}")
        self.stack.append(self.persistent_load(pid))

    def _load_memo_get(self):
        self.stack.append(self.memo[self.read(1)[0]])

    def _load_long_memo_get(self):
        self.stack.append(self.memo[unpack("<I", self.read(4))[0]])

    def _load_memo_put(self):
        self.memo[self.read(1)[0]] = self.stack[-1]

    def _load_long_memo_put(self):
        self.memo[unpack("<I", self.read(4))[0]] = self.stack[-1]

    def persistent_load(self, pid):
        raise UnpicklingError("unsupported persistent id encountered")

    _actions = {
        PROTO[0]: _load_proto,
        GLOBAL[0]: _load_global,
        NEWOBJ[0]: _load_new_object,
        REDUCE[0]: _load_reduce,
        BUILD[0]: _load_build,
        APPEND[0]: _load_append,
        APPENDS[0]: _load_appends,
        SETITEM[0]: _load_set_item,
        SETITEMS[0]: _load_set_items,
        MARK[0]: _push_mark,
        TUPLE[0]: _load_tuple,
        BINUNICODE[0]: _load_unicode,
        SHORT_BINSTRING[0]: _load_short_string,
        LONG1[0]: _load_long,
        BINPERSID[0]: _load_persistent_id,
        BINGET[0]: _load_memo_get,
        LONG_BINGET[0]: _load_long_memo_get,
        BINPUT[0]: _load_memo_put,
        LONG_BINPUT[0]: _load_long_memo_put,
    }


def _decode_ascii_bytes(value):
    return value.decode("ascii") if isinstance(value, bytes) else value


def load(file, *, encoding="ASCII"):
    """Loads one pickle from a file."""
    return Unpickler(file, encoding=encoding).load()
