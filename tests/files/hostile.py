"""Malicious files: they try to run code, to crash a reader, or to exhaust its memory."""

import pickle
import struct

from archives import make_checkpoint_archive
from damage import SUSPECTS
from pickles import (
    Build,
    Global,
    New,
    Persistent,
    Raw,
    Reduce,
    make_pickle,
    make_pickled_tensor,
    make_storage_id,
    push_opcodes_of,
)

NUMBERS = [
    *SUSPECTS,
    -1,
    -2,
    -(1 << 31),
    -(1 << 62),
    -(1 << 63),
    1 << 64,
    1 << 100,
    0.5,
    float("nan"),
    None,
    "4",
    b"4",
    True,
    (),
]
STORAGES = "FloatStorage DoubleStorage HalfStorage ByteStorage BoolStorage LongStorage ComplexFloatStorage QInt8Storage"
STORAGES += " UntypedStorage TypedStorage BogusStorage"
MARKER = "ran-by-a-file"  # a file that malicious code would create in the working folder
COMMAND = f"touch {MARKER}"
SOURCE = f"open({MARKER!r}, 'w').close()"
CALLS = [
    (("os", "system"), (COMMAND,)),
    (("posix", "system"), (COMMAND,)),
    (("nt", "system"), (COMMAND,)),
    (("subprocess", "call"), (["touch", MARKER],)),
    (("subprocess", "Popen"), (["touch", MARKER],)),
    (("builtins", "exec"), (SOURCE,)),
    (("builtins", "eval"), (SOURCE,)),
    (("__builtin__", "eval"), (SOURCE,)),
    (("builtins", "__import__"), ("os",)),
    (("builtins", "getattr"), ("x", "join")),
    (("builtins", "open"), (MARKER, "w")),
    (("io", "open"), (MARKER, "w")),
    (("shutil", "rmtree"), ("x",)),
    (("runpy", "run_path"), (MARKER,)),
    (("code", "interact"), ()),
    (("pty", "spawn"), (["touch", MARKER],)),
    (("importlib", "import_module"), ("os",)),
    (("pickle", "loads"), (pickle.dumps(0),)),
    (("operator", "attrgetter"), ("system",)),
    (("functools", "partial"), ("x",)),
    (("torch", "load"), (MARKER,)),
    (("torch.hub", "load"), ("x", "y")),
    (("torch.storage", "_load_from_bytes"), (b"x",)),
    (("torch.serialization", "load"), (MARKER,)),
    (("torch._utils", "_import_dotted_name"), ("os.system",)),
    (("torch.utils._config_module", "__import__"), ("os",)),
    (("torch", "os.system"), (COMMAND,)),
    (("torch.serialization", "os.system"), (COMMAND,)),
    (("torch._utils", "torch.hub.load"), ("x", "y")),
    (("sys", "exit"), (3,)),
    (("os", "_exit"), (3,)),
    (("os", "abort"), ()),
]
REBUILDERS = ["_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter", "_rebuild_qtensor"]
REBUILDERS += ["_rebuild_parameter_with_state", "_rebuild_sparse_tensor", "_rebuild_meta_tensor_no_storage"]
REBUILDERS += ["_rebuild_nested_tensor", "_rebuild_wrapper_subclass", "_rebuild_device_tensor_from_numpy"]
REBUILDERS += ["_rebuild_device_tensor_from_cpu_tensor"]
ALLOWED = [Global("torch._utils", name) for name in REBUILDERS]
ALLOWED += [
    Global("torch", name) for name in "Size Tensor device float32 int8 FloatStorage FloatTensor LongTensor".split()
]
ALLOWED += [Global("torch._tensor", "_rebuild_from_type_v2"), Global("torch.nn.parameter", "Parameter")]
ALLOWED += [Global("torch.storage", name) for name in ("TypedStorage", "UntypedStorage")]
ALLOWED += [Global("collections", "OrderedDict"), Global("collections", "Counter"), Global("_codecs", "encode")]
ALLOWED += [Global("builtins", name) for name in ("bytearray", "set", "complex")] + [
    Global("torch.serialization", "_get_layout")
]


def make_code_calling_object(random):
    """Calls a function that runs code, through one of pickle's opcodes."""
    (module, name), arguments = random.choice(CALLS)
    function = Global(module, name)
    way = random.randrange(9)
    if way == 0:
        value = Reduce(function, arguments)
    elif way == 1:
        value = New(function, arguments)
    elif way == 2:
        value = Build(
            Reduce(Global("collections", "OrderedDict"), ()), {"__reduce__": function, "__setstate__": function}
        )
    elif way == 3:
        value = Raw(b"(" + b"".join(map(push_opcodes_of, arguments)) + f"i{module}\n{name}\n".encode())  # INST
    elif way == 4:
        value = Raw(b"(" + push_opcodes_of(function) + b"".join(map(push_opcodes_of, arguments)) + b"o")  # OBJ
    elif way == 5:
        value = Raw(
            push_opcodes_of(module) + push_opcodes_of(name) + b"\x93" + push_opcodes_of(arguments) + b"R"
        )  # STACK_GLOBAL
    elif way == 6:
        value = Reduce(
            Global("torch._tensor", "_rebuild_from_type_v2"), (function, Global("torch", "Tensor"), arguments, {})
        )
    elif way == 7:
        value = make_pickled_tensor(make_storage_id(), hooks=Reduce(function, arguments))
    else:
        value = Raw(random.choice([b"\x82\x01", b"\x83\x01\x00", b"\x84\x01\x00\x00\x00", b"P0\n", b"\x95" + bytes(8)]))
    return random.choice([value, [value], {"x": value}, (make_pickled_tensor(make_storage_id()), value)])


def make_impossible_tensor(random):
    """A tensor whose offset, sizes, strides or storage are impossible."""
    held = make_storage_id(
        random.choice(STORAGES.split() + ["FloatStorage"] * 8),
        random.choice(["0", "0", "0", "1", "", "../version", 0, None, b"0", ("0",), "0\0"]),
        random.choice(["cpu"] * 6 + ["cuda:0", "meta", "bogus", "", 3, None, b"cpu", "npu:0"]),
        random.choice([4, 4, 4, 4, 5, 3, *NUMBERS]),
    )
    offset = random.choice([0, 0, 0, 1, 4, 5, *NUMBERS])
    dims = random.choice([1, 1, 1, 2, 3, 0, 70])
    size = tuple(random.choice([1, 2, 4, 4, 4, 5, *NUMBERS]) for _ in range(dims))
    stride = tuple(random.choice([1, 1, 1, 0, 2, *NUMBERS]) for _ in range(random.choice([dims, dims, dims, dims + 1])))
    if random.random() < 0.1:
        size, stride = random.choice([(None, stride), (4, 1), ([4], [1]), ("4", "1"), (size, None), ({}, {})])
    return make_pickled_tensor(
        held, offset, size, stride, random.choice([False, True, None, 7]), function=random.choice(REBUILDERS[:5])
    )


def make_odd_value(random, depth=0):
    """Any value that a restricted pickle can make."""
    choice = random.randrange(12)
    if depth > 3 or choice < 4:
        return random.choice(
            [*NUMBERS, "cpu", "float32", "x", b"x", make_pickled_tensor(make_storage_id()), make_storage_id(), *ALLOWED]
        )
    many = [make_odd_value(random, depth + 1) for _ in range(random.randrange(5))]
    if choice == 4:
        return many
    if choice == 5:
        return tuple(many)
    if choice == 6:
        return {i: value for i, value in enumerate(many)}
    if choice == 7:
        return Build(make_odd_value(random, depth + 1), tuple(many))
    if choice == 8:
        return New(random.choice(ALLOWED), tuple(many))
    return Reduce(random.choice(ALLOWED), tuple(many))


OPCODES = b"(.012FIJKMNPQRSTUVXabcd}ehigjl]opqrst)u\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b"
OPCODES += b"BC\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98"


def make_random_opcodes(random):
    """A random pickle program; most of its steps get valid operands."""
    pieces = []
    for _ in range(random.randrange(1, 60)):
        pieces.append(
            random.choice(
                [
                    lambda: push_opcodes_of(make_odd_value(random, 3)),
                    lambda: bytes([random.choice(OPCODES)]),
                    lambda: b"q" + random.randbytes(1),
                    lambda: b"h" + random.randbytes(1),
                    lambda: (
                        random.choice([b"r", b"j", b"X", b"B", b"T"])
                        + struct.pack("<I", random.choice(SUSPECTS) & 0xFFFFFFFF)
                    ),
                    lambda: random.choice(
                        [b"(", b"t", b"\x85", b"\x86", b"}", b"]", b")", b"a", b"s", b"e", b"u", b"R", b"b"]
                    ),
                ]
            )()
        )
    return Raw(b"".join(pieces))


def make_exponentially_nested_object(opening, twice):
    """An object that contains twice what contains twice ... 60 times: small in memory, but endless to traverse."""
    return Raw(opening + b"".join(b"q" + bytes([i]) + b"h" + bytes([i]) + twice for i in range(60)))


def make_resource_bomb(random):
    """Small as a file, large in memory or time."""
    many = random.choice([1000, 100_000])
    endless = random.choice(
        [
            make_exponentially_nested_object(b")", b"\x86"),
            make_exponentially_nested_object(b"]", b"\x86"),
            make_exponentially_nested_object(b"N", b"\x86"),
        ]
    )
    deep = Raw(random.choice([b")" + b"\x85" * many, b"]" * many + b"a" * (many - 1), b"(" * many + b"t" * many]))
    return random.choice(
        [
            lambda: {"x": deep},
            lambda: Raw(b"}" + push_opcodes_of(deep) + b"Ns"),
            lambda: Raw(b"}" + push_opcodes_of(endless) + b"Ns"),
            lambda: Raw(b"}(" + push_opcodes_of(endless) + b"Nu"),
            lambda: Reduce(Global("builtins", "set"), ([endless],)),
            lambda: Reduce(Global("collections", "Counter"), ([endless],)),
            lambda: Reduce(Global("collections", "OrderedDict"), ([(endless, 1)],)),
            lambda: Reduce(endless, ()),
            lambda: New(endless, ()),
            lambda: Persistent(endless),
            lambda: Persistent((endless, 1)),
            lambda: Persistent(("storage", endless, "0", "cpu", 4)),
            lambda: make_pickled_tensor(make_storage_id(key=endless)),
            lambda: make_pickled_tensor(make_storage_id(device=endless)),
            lambda: make_pickled_tensor(make_storage_id(count=endless)),
            lambda: make_pickled_tensor(endless),
            lambda: make_pickled_tensor(make_storage_id(), size=endless),
            lambda: make_pickled_tensor(make_storage_id(), size=(4,) * many, stride=(1,) * many),
            lambda: Reduce(Global("builtins", "bytearray"), (random.choice([1 << 33, 1 << 36, 1 << 62]),)),
            lambda: Reduce(Global("builtins", "bytearray"), (Reduce(Global("builtins", "bytearray"), (1 << 35,)),)),
            lambda: Reduce(Global("torch", "FloatTensor"), (random.choice([1 << 34, 1 << 60]),)),
            lambda: Reduce(Global("torch.storage", "UntypedStorage"), (random.choice([1 << 36, 1 << 62]),)),
            lambda: Reduce(
                Global("_codecs", "encode"),
                ("x" * many, random.choice(["idna", "punycode", "utf-32", "zlib", "x" * 999])),
            ),
            lambda: Reduce(Global("torch", "Size"), (endless,)),
            lambda: Reduce(Global("torch", "device"), (endless,)),
            lambda: Raw(b"r" + struct.pack("<I", 0xFFFFFFFF) + b"N"),
            lambda: Raw(b"N" + b"".join(b"r" + struct.pack("<I", i << 20) for i in range(1000))),
            lambda: Raw(b"X" + struct.pack("<I", 0xFFFFFFFF) + b"x"),
            lambda: Raw(b"B" + struct.pack("<I", 0x7FFFFFFF) + b"x"),
            lambda: Raw(b"\x8b" + struct.pack("<i", 0x7FFFFFFF) + b"x"),
            lambda: Raw(b"\x8a\xff" + bytes(255)),
            lambda: make_nested_gradients(random.choice([10, 20_000])),
            lambda: [make_pickled_tensor(make_storage_id(count=1 << 30, key=str(i))) for i in range(100)],
            lambda: endless,
        ]
    )()


def make_nested_gradients(depth):
    """A tensor whose gradient has a gradient, and so on, set as the state of a subclass would be."""
    rebuild = (
        push_opcodes_of(Global("torch._tensor", "_rebuild_from_type_v2"))
        + b"q\x01"
        + push_opcodes_of(Global("torch", "Tensor"))
        + b"q\x02"
    )
    rebuild += push_opcodes_of(Global("torch._utils", "_rebuild_parameter")) + b"q\x03"
    plain = push_opcodes_of(make_pickled_tensor(make_storage_id())) + b"q\x04"
    chain = b"h\x04"
    for _ in range(depth):
        # Pickles the call _rebuild_from_type_v2(_rebuild_parameter, Tensor, (t, False, {}), {"grad": chain})
        chain += b"q\x05h\x01(h\x03h\x02(h\x04\x89}t}" + push_opcodes_of("grad") + b"h\x05stR"
    return Raw(rebuild + b"0" * 3 + plain + b"0" + chain)


PICKLES = [
    make_code_calling_object,
    make_impossible_tensor,
    make_impossible_tensor,
    lambda random: make_odd_value(random),
    make_random_opcodes,
    make_resource_bomb,
]


def wrap_pickle_in_zip(random):
    """A whole archive around a hostile pickle."""
    value = random.choice(PICKLES)(random)
    return make_checkpoint_archive(make_pickle(value), {"0": struct.pack("<4f", 1, 2, 3, 4)}).build_zip_bytes()


def wrap_pickle_in_legacy_file(random):
    """A legacy file around a hostile pickle."""
    value = random.choice(PICKLES)(random)
    header = b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))
    body = make_pickle(value).replace(
        b"J\x04\x00\x00\x00tQ", b"J\x04\x00\x00\x00NtQ"
    )  # ids of this format have one more part
    keys = pickle.dumps(random.choice([["0"], [], ["1"], [0], None, 5, "0", ["0"] * 1000]), 2)
    count = random.choice([4, 4, 4, *(n for n in NUMBERS if type(n) is int and abs(n) < 1 << 63)])
    return header + body + keys + struct.pack("<q", count) + struct.pack("<4f", 1, 2, 3, 4)


def make_false_archive(random):
    """An archive with false records or a false directory."""
    good = make_pickle([make_pickled_tensor(make_storage_id())])
    archive = make_checkpoint_archive(good, {"0": struct.pack("<4f", 1, 2, 3, 4)})
    for _ in range(random.choice([1, 1, 2])):
        record = random.choice(archive.records)
        spoil = random.randrange(14)
        if spoil == 0:
            record.size = random.choice(SUSPECTS)
        elif spoil == 1:
            record.packed_size = random.choice(SUSPECTS)
        elif spoil == 2:
            record.size = record.packed_size = random.choice(SUSPECTS)
        elif spoil == 3:
            record.offset = random.choice(SUSPECTS)
        elif spoil == 4:
            record.crc = random.getrandbits(32)
        elif spoil == 5:
            record.flags = random.getrandbits(16)
        elif spoil == 6:
            record.deflated = True
            if random.random() < 0.5:
                record.size = random.choice(SUSPECTS)
        elif spoil == 7:
            record.deflated, record.data = True, bytes(50_000_000) if random.random() < 0.1 else bytes(100_000)
        elif spoil == 8:
            record.name = random.choice(
                [
                    "../data.pkl",
                    "/etc/passwd",
                    "",
                    "x" * 60_000,
                    "\0",
                    "\ud800",
                    "data.pkl",
                    "data/0",
                    record.name + "\0",
                ]
            )
        elif spoil == 9:
            archive.records.append(random.choice(archive.records))
        elif spoil == 10:
            archive.records.remove(record)
            if not archive.records:
                break
        elif spoil == 11:
            record.data = random.choice(
                [
                    b"",
                    b"\0",
                    b"big",
                    b"-1",
                    b"99999999999999999999999999",
                    b"\xff" * 20,
                    record.data * 2,
                    record.data[:-1],
                ]
            )
        elif spoil == 12:
            record.wide, record.extra = (
                True,
                random.choice([b"", struct.pack("<HH", 1, 4) + b"abcd", struct.pack("<HH", 9, 60_000), b"x", b"xyz"]),
            )
        else:
            archive.count = random.choice([None, 0, 1, 1 << 20, *SUSPECTS])
            archive.directory_size = random.choice([None, 0, *SUSPECTS])
            archive.directory_offset = random.choice([None, None, 0, *SUSPECTS])
    archive.folder = random.choice(["archive/"] * 12 + ["", "/", "a/b/", "../"])
    archive.tail = random.choice([b""] * 8 + [b"\0" * 10, b"x" * 70_000, b"PK\x05\x06"])
    return archive.build_zip_bytes()
