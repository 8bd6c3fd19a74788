"""Reads and writes files through the C ABI with ctypes, and converts contents to tensors of the imported `torch`."""

import collections
import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import torch

MAP, COPY = 0, 1
SAFETENSORS, TORCH = 1, 2
DTYPES = {
    getattr(torch, name): number
    for name, number in {
        "uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "float32": 6, "float64": 7,
        "complex32": 8, "complex64": 9, "complex128": 10, "bool": 11, "bfloat16": 15, "float8_e5m2": 23,
        "float8_e4m3fn": 24, "float8_e5m2fnuz": 25, "float8_e4m3fnuz": 26, "uint16": 27, "uint32": 28, "uint64": 29,
        "float8_e8m0fnu": 44,
    }.items()
}  # fmt: skip
LAYOUTS = {1: torch.sparse_coo, 2: torch.sparse_csr, 4: torch.sparse_csc, 5: torch.sparse_bsr, 6: torch.sparse_bsc}


class Device(ctypes.Structure):
    _fields_ = (("type", c_int32), ("index", c_int32))


class Growing(ctypes.Structure):
    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


class TensorInfo(Growing):
    _fields_ = (
        ("struct_size", c_size_t), ("ndim", c_int64), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("numel", c_int64), ("offset", c_int64), ("dtype", c_int32), ("device", Device), ("layout", c_int32),
        ("flags", c_uint32), ("keys", c_uint64),
    )  # fmt: skip


class Options(Growing):
    _fields_ = (
        ("struct_size", c_size_t), ("access", c_int32), ("allowed", POINTER(c_char_p)), ("n_allowed", c_int64),
    )  # fmt: skip


class SaveOptions(Growing):
    _fields_ = (
        ("struct_size", c_size_t), ("format", c_int32), ("without_sync", c_int32), ("progress", c_void_p),
        ("user", c_void_p), ("metadata", POINTER(c_char_p)), ("n_metadata", c_int64),
    )  # fmt: skip


class Info(Growing):
    _fields_ = (("struct_size", c_size_t), ("format", c_int32), ("n_tensors", c_int64), ("n_metadata", c_int64))


class Entry(Growing):
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("dtype", c_int32), ("ndim", c_int64),
        ("sizes", POINTER(c_int64)), ("nbytes", c_int64),
    )  # fmt: skip


class ItemInfo(Growing):
    _fields_ = (
        ("struct_size", c_size_t), ("kind", c_int32), ("requires_grad", c_int32), ("dtype", c_int32),
        ("integer", c_int64), ("real", c_double * 2), ("text", c_void_p), ("text_size", c_int64),
        ("items", POINTER(c_void_p)), ("n_items", c_int64), ("attributes", c_void_p),
    )  # fmt: skip


class Failure(Exception):
    """A status: its kind and its message."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind, self.message = kind, message


class Object:
    """A call of a class or a function that the pickle names."""

    def __init__(self, made_by, arguments, attributes):
        self.made_by, self.arguments, self.attributes = made_by, arguments, attributes


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.mt_status_kind.restype = self.c.mt_status_message.restype = c_char_p
        for name in ("tensor", "storage", "checkpoint", "tensor_dict", "status"):
            getattr(self.c, f"mt_{name}_release").restype = None

    def __call__(self, name, *arguments):
        function = getattr(self.c, name)
        function.restype = c_void_p
        status = function(*arguments)
        if status:
            status = c_void_p(status)
            failure = Failure(self.c.mt_status_kind(status).decode(), self.c.mt_status_message(status).decode())
            self.c.mt_status_release(status)
            raise failure

    def create_handle(self, name, *arguments):
        out = c_void_p()
        self(name, *arguments, byref(out))
        return out

    # Tensors.

    def to_torch(self, handle):
        """Copies a tensor to torch; each view of a storage gets its own copy."""
        info = TensorInfo()
        self("mt_tensor_get_info", handle, byref(info))
        sizes, strides = list(info.sizes[: info.ndim]), list(info.strides[: info.ndim])
        dtype = next(dtype for dtype, number in DTYPES.items() if number == info.dtype)
        if info.layout:
            return self._sparse_to_torch(handle, info, sizes)
        if info.device.type == 14:
            return torch.empty_strided(sizes, strides, dtype=dtype, device="meta")
        storage, data, nbytes = self.create_handle("mt_tensor_storage", handle), c_void_p(), c_int64()
        self("mt_storage_data", storage, byref(data))
        self("mt_storage_nbytes", storage, byref(nbytes))
        raw = bytearray(ctypes.string_at(data.value, nbytes.value) if nbytes.value else b"")
        self.c.mt_storage_release(storage)
        memory = torch.frombuffer(raw, dtype=torch.uint8).untyped_storage() if raw else torch.UntypedStorage(0)
        tensor = torch.empty(0, dtype=dtype).set_(memory, info.offset, sizes, strides)
        tensor = tensor.conj() if info.flags & 4 << 1 else tensor
        return torch._neg_view(tensor) if info.flags & 8 << 1 else tensor

    def _sparse_to_torch(self, handle, info, sizes):
        layout = LAYOUTS[info.layout]
        names = {torch.sparse_coo: ("_indices", "_values")}.get(layout) or (
            ("crow_indices", "col_indices", "values") if layout in (torch.sparse_csr, torch.sparse_bsr)
            else ("ccol_indices", "row_indices", "values")
        )  # fmt: skip
        components = [self.call_unary_operator(name, handle) for name in names]
        if layout is torch.sparse_coo:
            return torch.sparse_coo_tensor(*components, sizes, check_invariants=False)
        return torch.sparse_compressed_tensor(*components, sizes, layout=layout, check_invariants=False)

    def call_unary_operator(self, name, handle):
        """Calls an operator of one tensor and returns its result."""

        class Value(ctypes.Structure):
            _fields_ = (("tag", c_int32), ("flags", c_int32), ("tensor", c_void_p), ("size", c_int64))

        value, result, count = Value(11, 0, handle), Value(), c_int64()
        self("mt_dispatch", name.encode(), b"", byref(value), c_int64(1), byref(result), c_int64(1), byref(count))
        tensor = self.to_torch(c_void_p(result.tensor))
        self.c.mt_tensor_release(c_void_p(result.tensor))
        return tensor

    def from_torch(self, tensor, storages):
        """Wraps torch's memory; `storages` has the storages so far by address, so that tensors keep sharing them."""
        memory = tensor.untyped_storage()
        if memory._cdata not in storages:
            storages[memory._cdata] = self.create_handle(
                "mt_storage_from_data", c_void_p(memory.data_ptr()), c_int64(memory.nbytes()), Device(0, -1), None, None
            )
        dims = c_int64 * tensor.dim()
        return self.create_handle(
            "mt_tensor_from_storage", storages[memory._cdata], dims(*tensor.shape), dims(*tensor.stride()),
            c_int64(tensor.dim()), c_int64(tensor.storage_offset()), c_int32(DTYPES[tensor.dtype]),
        )  # fmt: skip

    # Files.

    def save(self, path, tensors, format=SAFETENSORS, metadata=()):
        dictionary, storages = self.create_handle("mt_tensor_dict_create"), {}
        for name, tensor in tensors.items():
            handle = self.from_torch(tensor, storages)
            self("mt_tensor_dict_set", dictionary, name.encode(), handle)
            self.c.mt_tensor_release(handle)
        texts = [text.encode() for pair in dict(metadata).items() for text in pair]
        options = SaveOptions(format=format, metadata=(c_char_p * len(texts))(*texts), n_metadata=len(texts) // 2)
        try:
            self("mt_checkpoint_save", str(path).encode(), dictionary, byref(options))
        finally:
            self.c.mt_tensor_dict_release(dictionary)
            for storage in storages.values():
                self.c.mt_storage_release(storage)


class File:
    def __init__(self, library, path, access=COPY, allowed=()):
        self.library = library
        names = (c_char_p * len(allowed))(*(name.encode() for name in allowed))
        options = Options(access=access, allowed=names, n_allowed=len(allowed))
        self.handle = library.create_handle("mt_checkpoint_open", str(path).encode(), byref(options))

    def __del__(self):
        if hasattr(self, "handle"):
            self.library.c.mt_checkpoint_release(self.handle)

    def read_info(self):
        info = Info()
        self.library("mt_checkpoint_get_info", self.handle, byref(info))
        return info

    def list_entries(self):
        """{name: (dtype, sizes)}, without reading."""
        found = {}
        for index in range(self.read_info().n_tensors):
            entry = Entry()
            self.library("mt_checkpoint_get_entry", self.handle, c_int64(index), byref(entry))
            dtype = next(dtype for dtype, number in DTYPES.items() if number == entry.dtype)
            found[entry.name.decode()] = (dtype, list(entry.sizes[: entry.ndim]))
        return found

    def read_tensors(self):
        """{name: tensor}"""
        return {name: self._take_tensor("mt_checkpoint_read", c_int64(i)) for i, name in enumerate(self.list_entries())}

    def read_metadata(self):
        found = {}
        for index in range(self.read_info().n_metadata):
            key, value = c_char_p(), c_char_p()
            self.library("mt_checkpoint_metadata", self.handle, c_int64(index), byref(key), byref(value))
            found[key.value.decode()] = value.value.decode()
        return found

    def _take_tensor(self, name, *arguments):
        handle = self.library.create_handle(name, self.handle, *arguments)
        tensor = self.library.to_torch(handle)
        self.library.c.mt_tensor_release(handle)
        return tensor

    def read_content(self):
        """Returns the object in the file's pickle."""
        self.known = {}
        root = self.library.create_handle("mt_checkpoint_root_borrow", self.handle)
        return self._read_object(root.value) if root.value else None

    def _read_object(self, address):
        if address is None:
            return None
        if address in self.known:
            return self.known[address]
        info = ItemInfo()
        self.library("mt_item_get_info", c_void_p(address), byref(info))
        text = ctypes.string_at(info.text, info.text_size)
        items = list(info.items[: info.n_items])
        if info.kind in (10, 11, 12, 13, 14):  # containers may contain themselves
            value = {10: list, 11: dict, 12: collections.OrderedDict, 13: collections.Counter, 14: set}[info.kind]()
            self.known[address] = value
            inside = [self._read_object(item) for item in items]
            if info.kind == 10:
                value.extend(inside)
            else:
                value.update(inside if info.kind == 14 else dict(zip(inside[::2], inside[1::2], strict=True)))
            return value
        value = self._read_plain_item(info, text, items, address)
        self.known[address] = value
        return value

    def _read_storage(self, address, number):
        storage, data, nbytes = c_void_p(), c_void_p(), c_int64()
        self.library("mt_checkpoint_read_storage", self.handle, c_void_p(address), byref(storage))
        self.library("mt_storage_data", storage, byref(data))
        self.library("mt_storage_nbytes", storage, byref(nbytes))
        memory = torch.UntypedStorage(list(ctypes.string_at(data.value, nbytes.value)))
        self.library.c.mt_storage_release(storage)
        dtype = next(dtype for dtype, known in DTYPES.items() if known == number)
        return torch.storage.TypedStorage(wrap_storage=memory, dtype=dtype, _internal=True)

    def _read_plain_item(self, info, text, items, address):
        if info.kind in (20, 21):
            tensor = self._take_tensor("mt_checkpoint_read_item", c_void_p(address))
            if info.kind == 21:
                return torch.nn.Parameter(tensor, bool(info.requires_grad))
            return tensor.requires_grad_(bool(info.requires_grad)) if info.requires_grad else tensor
        if info.kind == 23:
            made_by, *arguments = (self._read_object(item) for item in items)
            return Object(made_by, arguments, self._read_object(info.attributes))
        makers = {
            0: lambda: None,
            1: lambda: bool(info.integer),
            2: lambda: info.integer,
            3: lambda: int.from_bytes(text, "little", signed=True),
            4: lambda: info.real[0],
            5: lambda: complex(*info.real),
            6: lambda: text.decode("utf-8", "surrogatepass"),
            7: lambda: text,
            8: lambda: bytearray(text),
            9: lambda: tuple(self._read_object(item) for item in items),
            15: lambda: torch.Size(self._read_object(item) for item in items),
            16: lambda: next(dtype for dtype, number in DTYPES.items() if number == info.integer),
            17: lambda: LAYOUTS.get(info.integer, torch.strided),
            18: lambda: torch.device(text.decode()),
            19: lambda: self._read_storage(address, info.dtype),
            22: lambda: ("global", text.decode()),
        }
        return makers[info.kind]()
