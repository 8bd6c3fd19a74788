"""Assembles pickles opcode by opcode, also ones that no pickler writes."""

import struct


class Raw(bytes):
    """Opcodes without an argument."""


class Global:
    def __init__(self, module, name):
        self.module, self.name = module, name


class Reduce:
    """function(*arguments), by REDUCE."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments


class New:
    """cls.__new__(cls, *arguments), by NEWOBJ."""

    def __init__(self, cls, arguments):
        self.cls, self.arguments = cls, arguments


class Build:
    """target with a state, by BUILD."""

    def __init__(self, target, state):
        self.target, self.state = target, state


class Persistent:
    """An object with a persistent id, by BINPERSID."""

    def __init__(self, identity):
        self.identity = identity


def push_opcodes_of(value):
    """The protocol 2 opcodes that push `value` on the stack."""
    match value:
        case Raw():
            return bytes(value)
        case Global():
            return b"c" + f"{value.module}\n{value.name}\n".encode()
        case Reduce():
            return push_opcodes_of(value.function) + push_opcodes_of(value.arguments) + b"R"
        case New():
            return push_opcodes_of(value.cls) + push_opcodes_of(value.arguments) + b"\x81"
        case Build():
            return push_opcodes_of(value.target) + push_opcodes_of(value.state) + b"b"
        case Persistent():
            return push_opcodes_of(value.identity) + b"Q"
        case None:
            return b"N"
        case bool():
            return b"\x88" if value else b"\x89"
        case int():
            return encode_integer(value)
        case float():
            return b"G" + struct.pack(">d", value)
        case str():
            text = value.encode("utf-8", "surrogatepass")
            return b"X" + struct.pack("<I", len(text)) + text
        case bytes():
            return b"U" + bytes([len(value)]) + value
        case tuple():
            return b"(" + b"".join(map(push_opcodes_of, value)) + b"t"
        case list():
            return b"](" + b"".join(map(push_opcodes_of, value)) + b"e"
        case dict():
            return b"}(" + b"".join(push_opcodes_of(key) + push_opcodes_of(item) for key, item in value.items()) + b"u"
    raise TypeError(type(value))


def encode_integer(value):
    if -(1 << 31) <= value < 1 << 31:
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def make_pickle(value):
    """A complete pickle of protocol 2."""
    return b"\x80\x02" + push_opcodes_of(value) + b"."


def make_storage_id(kind="FloatStorage", key="0", device="cpu", count=4):
    """The persistent id of a storage in a zip archive."""
    return Persistent(("storage", Global("torch", kind), key, device, count))


def make_pickled_tensor(
    storage_id, offset=0, size=(4,), stride=(1,), requires_grad=False, hooks=None, function="_rebuild_tensor_v2"
):
    """A tensor as torch.save writes it."""
    hooks = Reduce(Global("collections", "OrderedDict"), ()) if hooks is None else hooks
    return Reduce(Global("torch._utils", function), (storage_id, offset, size, stride, requires_grad, hooks))
