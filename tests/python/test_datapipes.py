"""Iterable and map pipes yield torch's items, random orders, warnings and errors, alone and in a DataLoader."""

import pytest

DEFINITIONS = """
import functools, gc, io, os, pickle, random, re, sys, warnings
import torch
from torch.utils.data import *
from torch.utils.data.datapipes import iter as I, map as M
from torch.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES as S
from torch.utils.data.datapipes.utils import common as C
from torch.utils.data.graph import traverse, traverse_dps
from torch.utils.data.graph_settings import *

W = I.IterableWrapper

def describe_value(value):
    if isinstance(value, torch.Tensor):
        return "tensor", str(value.dtype), value.tolist()
    if type(value) in (list, tuple, dict):
        items = value.items() if type(value) is dict else value
        return type(value)(describe_value(item) for item in items)
    return value

def show(*calls):
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                text = repr(describe_value(call()))
            except Exception as error:
                text = f"{type(error).__name__}: {error.args!r}"
        text += "".join(f" [{w.category.__name__}: {w.message}]" for w in caught)
        print(re.sub("0x[0-9a-f]+", "0x", text))

def show_items(*makes):
    show(*[lambda make=make: list(make()) for make in makes])

def add(x): return x + 1
def add2(a, b): return a + b
def is_even(x): return x % 2 == 0
def parity(x): return x % 2
def divide_by_three(x): return x % 3

class Range(IterDataPipe):
    def __init__(self, count=3, name=None):
        self.count = count
    def __iter__(self):
        yield from range(self.count)
"""

PROGRAMS = {
    "mapped, filtered and collated items": """
for data, function, columns in (
    ([1, 2], add, {}),
    ([(1, 2)], add, dict(input_col=0)),
    ([(1, 2)], add, dict(input_col=0, output_col=1)),
    ([(1, 2)], add, dict(input_col=0, output_col=-1)),
    ([[1, 2, 3]], add2, dict(input_col=[0, 2])),
    ([[1, 2, 3]], add2, dict(input_col=(2, 0))),
    ([[1, 2, 3]], add2, dict(input_col=(2, 0), output_col=1)),
    ([{"a": 1, "b": 2}], add2, dict(input_col=["a", "b"])),
    ([{"a": 1, "b": 2}], add2, dict(input_col=["a", "b"], output_col=["c"])),
    ([1], add, dict(output_col=1)),
    ([1], add, dict(input_col=0, output_col=[1, 2])),
    ([1], add2, {}),
    ([3], add, dict(input_col=0)),
    ([3], 3, {}),
):
    show_items(lambda: W(data).map(function, **columns))
show_items(lambda: W(range(5)).filter(is_even), lambda: W([(1, 2), (2, 1)]).filter(is_even, input_col=0))
show_items(lambda: W([(1, 2), (3, 1)]).filter(int.__gt__, input_col=[0, 1]), lambda: W(range(2)).filter(add))
show_items(lambda: W([[1, 2], [3, 4]]).collate(), lambda: W([[1, 2]]).collate(sum))
show_items(lambda: W([[1]]).collate(collate_fn=max))
show(lambda: len(W([1]).map(add)), lambda: len(W(iter([1])).map(add)), lambda: len(W([1]).filter(is_even)))
generator = (x for x in range(3))
show_items(lambda: W(generator), lambda: W(generator), lambda: W([[1]], deepcopy=False), lambda: W(3))
""",
    "functions that a pipe cannot call or pickle": """
def take_nothing(): pass
def take_one_or_two(a, b=1): pass
def take_default(a=1): pass
def take_many(*a): pass
def take_keyword(a, *, k): pass
def take_keyword_default(a, *, k=1): pass
def take_keywords(a, **k): pass
class Called:
    def __call__(self, a, b): pass
    def __repr__(self): return "Called()"
functions = [take_nothing, add, add2, take_one_or_two, take_default, take_many, take_keyword]
functions += [take_keyword_default, take_keywords, Called()]
functions += [functools.partial(add2, 1), functools.partial(add2, b=1), len, int, max, dict.get, lambda a: 1, "no", 3]
for function in functions:
    for columns in (None, 0, (0,), (0, 1), [0, 1, 2], ()):
        show(lambda: C.validate_input_col(function, columns))
""",
    "functions without dill": """
def make_local_function():
    def local_function(x): return x
    return local_function
class Local:
    def local_method(self, x): return x
show(*[lambda f=f: C._check_unpickable_fn(f) for f in (lambda x: x, make_local_function(),
    functools.partial(make_local_function()), add, len, 3)])
show(lambda: C._check_unpickable_fn(Local().local_method), lambda: traverse_dps(W([lambda x: x])))
show(lambda: pickle.dumps(DataLoader(W([1]).map(lambda x: x)).dataset))
""",
    "batches": """
data = [0, 3, 1, 2, 6, 4, 9]
for arguments in ((3,), (3, True), (7,), (0,), (2, False, list)):
    show_items(lambda: W(data).batch(*arguments))
    show(lambda: len(W(data).batch(*arguments)))
show(lambda: len(W(data).filter(is_even).batch(2)), lambda: [type(x).__name__ for x in W([1]).batch(2)])
nested = [[[0], [1, 2]], [[3]]], [[0, 1, [2]], [3]], [(1, 2), [3]], ["ab", [3]]
show_items(*[lambda n=n, level=level: W(n).unbatch(level) for n in nested for level in (-2, -1, 0, 1, 2, 3)])
show_items(lambda: W(range(6)).batch(2).batch(2).unbatch(-1), lambda: W(range(6)).batch(2).batch(2).unbatch(2))
""",
    "groups": """
chance = random.Random(3)
for _ in range(60):
    data = [chance.randint(0, 20) for _ in range(chance.randint(0, 25))]
    size = chance.choice([None, 1, 2, 3, 5])
    options = dict(
        keep_key=chance.random() < 0.5,
        buffer_size=chance.choice([0, 3, 4, 6, 100]),
        group_size=size,
        guaranteed_group_size=chance.choice([None, None, 0, 1, 2, 4]),
        drop_remaining=chance.random() < 0.5,
    )
    show_items(lambda: W(data).groupby(divide_by_three, **options))
pipe = W(range(9)).groupby(divide_by_three)
next(iter(pipe))
show(lambda: pipe.buffer_elements, lambda: pipe.curr_buffer_size, lambda: len(pipe), lambda: pipe.__getstate__()[2:7])
""",
    "branches by a function": """
def return_none_for_three(x): return None if x == 3 else x % 2
for function, options in (
    (parity, {}), (return_none_for_three, {}), (return_none_for_three, {"drop_none": True}), (add, {}),
    (parity, {"buffer_size": 0}), (parity, {"buffer_size": 1}), (parity, {"buffer_size": 3}),
    (parity, {"buffer_size": -1}),
):
    show(lambda: [list(pipe) for pipe in W(range(6)).demux(2, function, **options)])
show(lambda: W([1]).demux(0, parity), lambda: list(W([2]).demux(1, parity)[0]), lambda: W([1]).demux(2, 3))
def read_interleaved(buffer_size, order):
    branches = [iter(pipe) for pipe in W(range(9)).demux(3, divide_by_three, buffer_size=buffer_size)]
    return [next(branches[i], None) for i in order]
show(*[lambda size=size: read_interleaved(size, (0, 1, 2, 2, 1, 0, 0, 1, 2, 0, 1)) for size in (0, 1, 2, 4)])
def end_branch_early():
    a, b = W(range(12)).demux(2, parity, buffer_size=4)
    first, second = iter(a), iter(b)
    found = [next(first), next(first), next(first)]
    next(second)
    del second
    return found, list(first)
show(end_branch_early, lambda: len(W([1]).demux(2, parity)[0]))
def restart_branch():
    a, b = W(range(6)).demux(2, parity)
    first, other = iter(a), iter(b)
    found = [next(first), next(other)]
    again = iter(a)
    found.append(list(again))
    try:
        next(other)
    except RuntimeError as error:
        found.append(str(error))
    return found, list(b)
show(restart_branch)
""",
    "forks": """
for size in (0, 1, 2, 4, 5, -1):
    show(lambda: [list(pipe) for pipe in W(range(5)).fork(2, buffer_size=size)])
def read_in_lockstep(size, count=2):
    branches = [iter(pipe) for pipe in W(range(5)).fork(count, buffer_size=size)]
    return [tuple(next(branch, None) for branch in branches) for _ in range(6)]
show(*[lambda size=size: read_in_lockstep(size, 3) for size in (0, 1, 2)])
show(lambda: W([1]).fork(0), lambda: W([1]).fork(1), lambda: W([1]).fork(2, copy="x"))
def compare_copies(copy):
    source = [[1]]
    a, b = W(source, deepcopy=False).fork(2, copy=copy)
    x, y = list(a)[0], list(b)[0]
    return x is y, x is source[0]
show(*[lambda copy=copy: compare_copies(copy) for copy in (None, "shallow", "deep")])
def iterate_fork_twice():
    a, b = W(range(3)).fork(2)
    return len(a), str(a), list(a), list(a), list(b), list(b), a.main_datapipe.is_every_instance_exhausted()
def use_invalidated_iterator():
    a, b = W(range(3)).fork(2)
    first, second = iter(a), iter(b)
    next(first), next(second)
    iter(a)
    return next(second)
show(iterate_fork_twice, use_invalidated_iterator, lambda: W([1]).fork(2)[0].main_datapipe.__getstate__()[1:3])
class Stream(io.StringIO): pass
def delete_started_iterators():
    streams = [C.StreamWrapper(Stream()) for _ in range(3)]
    a, b = W(streams, deepcopy=False).fork(2)
    first, second = iter(a), iter(b)
    next(first), next(first), next(second)
    del first, second
    return [s.closed for s in streams]
show(delete_started_iterators)
""",
    "joined pipes": """
show_items(lambda: W(range(3)).mux(W(range(10, 15)), W(range(20, 22))), lambda: I.Multiplexer(), lambda: I.Zipper())
show_items(lambda: W(range(3)).zip(W(range(10, 15))), lambda: I.Zipper(3), lambda: I.Concater(), lambda: I.Concater(3))
show_items(lambda: W([1]).concat(W([2])))
show(lambda: len(W(range(3)).mux(W([1]))), lambda: len(W(range(3)).zip(W([1]).filter(bool))), lambda: len(I.Zipper()))
show(lambda: len(W([1]).concat(W([2]))), lambda: len(W([1]).concat(W([2]).filter(bool))))
P = M.SequenceWrapper
show_items(lambda: P([1, 2]).concat(P([3])), lambda: P([1, 2]).zip(P("abc")), lambda: P(range(5)).map(add).batch(2))
show_items(lambda: P(range(5)).batch(2, drop_last=True), lambda: P(range(3)).map())
show(lambda: P([1]).concat(P([2]))[5], lambda: P([1]).zip(P([2]))[5], lambda: P([1]).batch(2)[1])
show(lambda: P([1]).batch(0))
show(lambda: M.Concater(), lambda: M.Concater(3), lambda: M.Zipper(MapDataPipe()), lambda: P({"a": 3})["a"])
show(lambda: len(P([1, 2]).zip(P([2]))), lambda: len(P([1]).concat(P([2]))), lambda: len(P(range(5)).batch(2)))
show(lambda: len(MapDataPipe().batch(2)), lambda: P([1]).nope, lambda: list(P(x for x in "ab").sequence))
pipe = P(range(6)).shuffle().set_seed(0)
show_items(lambda: pipe, lambda: pipe.set_seed(3), lambda: pipe.set_shuffle(False),
    lambda: P("abc").shuffle(indices=[2, 0]).set_seed(1))
""",
    "files": """
for name in ("b.txt", "a.csv", "s/c.txt", "s/q/d", "a.d/e.json", "n.cls", "z.bin"):
    os.makedirs(os.path.dirname("root/" + name) or ".", exist_ok=True)
    with open("root/" + name, "w") as file:
        file.write("[3]" if name.endswith("json") else "12")
for arguments in (
    ("root",), ("root/",), (["root", "root/s"],), ("root", "*.txt"), ("root", ["*.txt", "a*"]), ("nowhere",),
        ("root", ["a*", 3]),
    ("root/b.txt",), ("root/b.txt", "*.csv"),
):
    for options in ({}, {"recursive": True}, {"recursive": True, "length": 3}):
        show_items(lambda: I.FileLister(*arguments, **options))
show(lambda: [os.path.relpath(path) for path in I.FileLister("root", recursive=True, abspath=True)])
show(lambda: len(I.FileLister("root")), lambda: len(I.FileLister("root", length=3)), lambda: I.FileOpener([], "w"))
show(lambda: I.FileOpener([], "b", encoding="ascii"), lambda: len(I.FileOpener([], length=2)))
show(lambda: len(I.FileOpener([])))
for mode in ("r", "rb", "b", "t"):
    show_items(lambda: W(["root/b.txt"]).open_files(mode).read_from_stream(1), lambda: W([3]).open_files(mode))
show_items(lambda: W("root").list_files(), lambda: W(["root"]).list_files().open_files("b"),
    lambda: W(["none"]).open_files())
show_items(lambda: W(["root"]).list_files(recursive=True).open_files("b").routed_decode())
pair = W([("x.pt", io.BytesIO())])
show_items(lambda: W([("a.x", b"q"), ("_m", b"text"), ("b", b"")]).routed_decode(lambda key, data: (key, data)))
from torch.utils.data.datapipes.utils.decoder import *
from torch.utils.data.datapipes.utils import decoder
with io.BytesIO() as file:
    torch.save([1], file)
    saved = file.getvalue()
for key, data in (
    ("txt", b"x"), ("t", b"x"), ("", b"x"), ("cls", b"12"), ("id", b"x"), ("json", b"[1]"), ("js", b"2"),
        ("pyd", pickle.dumps(3)),
    ("pt", saved), ("zzz", b""),
):
    show(lambda: basichandlers(key, data))
handler = handle_extension("jpg seg.PNG", len)
show(*[lambda key=key: handler(key, b"abc") for key in ("a.jpg", "jpg", "a.seg.png", "png", "x.JPG", "a.b.c")])
show(lambda: imagehandler("nope"), lambda: videohandler("mp4", b""), lambda: videohandler("x", b""))
show(lambda: audiohandler("wav", b""), lambda: audiohandler("x", b""), lambda: mathandler()("x", b""))
show(lambda: sorted(decoder.imagespecs.items(), key=str))
show(lambda: [extension_extract_fn(x) for x in ("a.b", "a", ".a", "a.b.c")])
from PIL import Image
with io.BytesIO() as file:
    Image.new("RGB", (2, 1), (0, 51, 255)).save(file, "png")
    picture = file.getvalue()
for spec in sorted(decoder.imagespecs):
    show(lambda: (lambda x: x.tolist() if hasattr(x,
        "tolist") else list(x.getdata()))(imagehandler(spec)("png", picture)))
show(lambda: imagehandler("rgb")("gif", picture), lambda: imagehandler("rgb")("png", b"junk"))
decoding = Decoder(basichandlers)
decoding.add_handler(lambda key, data: "first" if key == "cls" else None)
show(lambda: decoding([("a.cls", b"3"), ("a.id", io.BytesIO(b"3")), ("b", None)]), lambda: decoding(None))
show(lambda: decoding(("a.txt", b"3")))
""",
    "streams that close themselves": """
X = C.StreamWrapper
def describe_stream(stream):
    return stream.child_counter, stream.close_on_last_child, stream.closed, stream.name, stream.file_obj.closed
parent = X(io.StringIO("p"))
first, second = X(io.StringIO("1"), parent, name="one"), X(io.StringIO("2"), parent)
show(lambda: (first, describe_stream(parent), first.read(), list(X(io.StringIO("a\\nb"))),
    next(X(io.StringIO("a\\nb")))))
first.close(); first.close()
show(lambda: describe_stream(parent))
parent.autoclose()
show(lambda: describe_stream(parent))
del second; gc.collect()
show(lambda: describe_stream(parent), lambda: X(io.StringIO()).nope, lambda: dir(X(3)) == dir(X(3)))
class Stubborn:
    closed = False
    def close(self): raise ValueError("stays open")
stubborn = X(Stubborn())
show(stubborn.close, lambda: stubborn.closed, lambda: X(5).close())
stubborn.closed = True
for depth in range(7, 14):
    file = io.StringIO()
    nested = X(file)
    for level in range(depth):
        nested = [nested] if level % 3 else {"k": nested}
    X.close_streams(nested)
    print(depth, file.closed)
for value in (3, (1,), (1, 2), ("a", 2), ("a", io.StringIO()), ("a", X(io.StringIO()))):
    show(lambda: C.validate_pathname_binary_tuple(value))
show(lambda: [C.match_masks("a.txt", m) for m in ("*.txt", ["b"], "", [], [""], ["b", "a*"])])
X.debug_unclosed_streams = True
kept = X(io.StringIO())
show(lambda: list(X.session_streams.items()))
kept.close()
show(lambda: X.session_streams)
""",
    "shares": """
def list_share(*calls, pipe=None, count=True):
    pipe = pipe or W(range(10)).sharding_filter()
    for call in calls:
        apply_sharding(pipe, *call)
    return list(pipe), len(pipe) if count else None
for calls in (
    [(3, 1)], [(3, 0)], [(3, 3)], [(2, 0, S.DISTRIBUTED), (3, 1, S.MULTIPROCESSING)],
    [(3, 1, S.MULTIPROCESSING), (2, 0, S.DISTRIBUTED)], [(2, 0), (3, 1, S.DISTRIBUTED)], [(2, 0,
        S.DISTRIBUTED), (3, 1)],
):
    show(lambda: list_share(*calls))
show(lambda: list(S), lambda: list_share((3, 1), pipe=W(range(10)).sharding_filter().map(add).sharding_filter()))
show(lambda: list_share((3, 1), pipe=W(range(10)).sharding_filter().zip(W(range(10)).sharding_filter())))
show(lambda: list_share((2, 1, S.MULTIPROCESSING), (2, 1, S.DISTRIBUTED), pipe=I.ShardingFilter(W(range(10)),
    S.DISTRIBUTED)))
class Two(Range):
    def apply_sharding(self, count, number):
        print(count, number)
class Three(Range):
    def apply_sharding(self, count, number, sharding_group):
        print(count, number, sharding_group)
show(lambda: list_share((3, 1), pipe=Two(), count=False), lambda: list_share((3, 1), pipe=Three(), count=False))
from torch.utils.data.datapipes.iter.sharding import _ShardingIterDataPipe
show(lambda: _ShardingIterDataPipe().apply_sharding(1, 2, 3), lambda: len(W(iter([1])).sharding_filter()))
""",
    "graphs": """
def list_pipe_types(graph):
    return [(type(pipe).__name__, list_pipe_types(sources)) for pipe, sources in graph.values()]
class Box:
    def __init__(self, x): self.x = x
class Holder(IterDataPipe):
    def __init__(self, *pipes):
        self.listed, self.named, self.boxed = list(pipes), {"k": M.SequenceWrapper([1])}, Box(W([2]))
both = W(range(3)).map(add)
both = both.zip(both.datapipe)
left, right = both.fork(2)
joined = left.zip(right)
holder = Holder(W([1]), Box(W([3]).map(add)))
show(lambda: list_pipe_types(traverse_dps(both)), lambda: list_pipe_types(traverse_dps(joined)))
show(lambda: list_pipe_types(traverse_dps(holder)))
show(lambda: [type(p).__name__ for p in get_all_graph_pipes(traverse_dps(joined))], lambda: traverse_dps(3))
show(lambda: list_pipe_types(traverse(holder)), lambda: list_pipe_types(traverse(holder, True)))
show(lambda: list_pipe_types(traverse_dps(W([lambda: 1]))))
holder.function = lambda x: x
show(lambda: list_pipe_types(traverse_dps(holder)))
show(lambda: list_pipe_types(traverse_dps(DataLoader(both).dataset)), lambda: traverse_dps(both)[id(both)][0] is both)
show(lambda: apply_shuffle_settings(W([1]), None), lambda: apply_shuffle_settings(W([1]), True))
show(lambda: apply_shuffle_settings(3, True))
show(lambda: apply_shuffle_seed(W([1]), torch.Generator()))
def apply_seed():
    pipe = W(range(10)).shuffle().shuffle()
    pipe = pipe.zip(W(range(10)).shuffle(buffer_size=3))
    return list(apply_random_seed(pipe, torch.Generator().manual_seed(3)))
show(apply_seed, lambda: list(apply_shuffle_settings(W(range(5)).shuffle(), False)))
""",
    "one iterator at a time": """
class Plain(Range):
    def __iter__(self):
        return iter(range(self.count))
class Stepping(IterDataPipe):
    def __init__(self):
        self.place = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.place += 1
        if self.place > 3:
            raise StopIteration
        return self.place
    def reset(self):
        print("reset")
        self.place = 0
class Nested(Range):
    def __iter__(self):
        for item in super().__iter__():
            yield item
for make in (Range, Plain, Stepping, Nested):
    pipe = make()
    def use_first_iterator_after_second():
        first = iter(pipe)
        found = [next(first), pipe._number_of_samples_yielded, pipe._valid_iterator_id]
        second = iter(pipe)
        found += [next(second), pipe._number_of_samples_yielded, pipe._valid_iterator_id, pipe._snapshot_state.name]
        print(found)
        return next(first)
    show(use_first_iterator_after_second, lambda: list(pipe))
    show(lambda: (pipe._number_of_samples_yielded, pipe._valid_iterator_id))
class Failing(IterDataPipe):
    def __init__(self, error, function=None):
        self.error, self.function = error, function
    def __iter__(self):
        yield 1
        raise self.error
errors = ValueError(), ValueError("x"), ValueError("x", 3), ValueError(3), KeyError("k"), OSError(2, "m")
show_items(*[lambda e=e: Failing(e, add) for e in errors], lambda: Failing(ValueError("q"), len).map(str))
def send_to_iterator():
    generator = iter(Echo())
    return next(generator), generator.send("back"), next(generator)
class Echo(IterDataPipe):
    def __iter__(self):
        got = yield 1
        yield got
        yield 3
show(send_to_iterator, lambda: iter(Plain()).__length_hint__(), lambda: iter(Plain()).nope)
show(lambda: sorted(set(dir(Range())) & {"map", "batch", "count", "reset"}), lambda: Range().map.__doc__ is None)
show(lambda: type(IterDataPipe).__name__, lambda: type(MapDataPipe).__name__, lambda: type(type(MapDataPipe)).__name__)
""",
    "snapshots": """
from torch.utils.data.datapipes.utils.snapshot import _simple_graph_snapshot_restoration as forward
def restore_snapshot(pipe, count):
    forward(pipe, count, torch.Generator().manual_seed(1))
    found = [pipe._number_of_samples_yielded, pipe._snapshot_state.name]
    found += [list(pipe), pipe._snapshot_state.name, pipe._number_of_samples_yielded, list(pipe.set_seed(5))]
    return found
torch.manual_seed(0)
show(lambda: restore_snapshot(W(range(8)).shuffle(), 3))
show(lambda: restore_snapshot(W(range(8)).map(add).shuffle(buffer_size=3), 0))
show(lambda: forward(W([1]), 3))
def restore_snapshot_twice():
    pipe = W(range(3))
    forward(pipe, 1)
    forward(pipe, 1)
show(restore_snapshot_twice)
def pickle_started_pipe():
    pipe = W(range(8)).shuffle().set_seed(7)
    iterator = iter(pipe)
    next(iterator), next(iterator)
    again = pickle.loads(pickle.dumps(pipe))
    return again._number_of_samples_yielded, again._snapshot_state.name, list(again.set_seed(7))
show(pickle_started_pipe)
for pipe in (W([1, 2]).mux(W([3, 4])), W(range(4)).fork(2)[0], W(range(4)).demux(2, parity)[1],
    W(range(4)).groupby(parity)):
    show(lambda: list(pickle.loads(pickle.dumps(pipe))))
show(lambda: list(pickle.loads(pickle.dumps(M.SequenceWrapper(range(4)).shuffle())).set_seed(2)))
from torch.utils.data.datapipes.datapipe import _IterDataPipeSerializationWrapper, _MapDataPipeSerializationWrapper
carried = _IterDataPipeSerializationWrapper(W([1, 2]).map(lambda x: x + 1))
show(lambda: list(pickle.loads(pickle.dumps(carried))), lambda: len(carried))
show(lambda: next(_IterDataPipeSerializationWrapper(W([1]))))
show(lambda: len(_MapDataPipeSerializationWrapper(MapDataPipe())))
show(lambda: _MapDataPipeSerializationWrapper(M.SequenceWrapper([4]))[0])
for cls in (IterDataPipe, MapDataPipe):
    cls.set_getstate_hook(lambda state: state); cls.set_reduce_ex_hook(None)
    show(lambda: cls.set_getstate_hook(len))
    cls.set_getstate_hook(None)
""",
    "decorators": """
show(lambda: functional_datapipe("new")(int), lambda: functional_datapipe("new")(3))
show(lambda: functional_datapipe("batch")(Range))
always = non_deterministic(Range)
sometimes = non_deterministic(lambda count=1, name=None: name is not None)(Range)
def require_determinism_in(call):
    def call_with_guarantee():
        with guaranteed_datapipes_determinism():
            return call()
    return call_with_guarantee
calls = lambda: list(always(2)), lambda: list(sometimes(2)), lambda: list(sometimes(2, name="x"))
show(*calls, *map(require_determinism_in, calls), *calls)
show(lambda: non_deterministic(lambda *a: 1)(Range)(2), lambda: non_deterministic(lambda: 1)(int))
show(lambda: non_deterministic(int))
show(lambda: non_deterministic(3), lambda: non_deterministic(lambda: 1)())
@argument_validation
def accept_annotated_pipes(pipe: IterDataPipe, other: MapDataPipe = None, count: int = 2):
    return count
show(lambda: accept_annotated_pipes(3), lambda: accept_annotated_pipes(Range()))
show(lambda: accept_annotated_pipes(count=3, other=3, pipe=W([1])))
show(lambda: runtime_validation(len), lambda: runtime_validation(show))
class Kind:
    def __init__(self, kind): self.kind = kind
    def issubtype(self, other): return issubclass(self.kind, other.kind)
    def issubtype_of_instance(self, item): return isinstance(item, self.kind)
    def __repr__(self): return self.kind.__name__
class Typed(IterDataPipe):
    type = Kind(bool)
    def __init__(self, *data): self.data = data
    @runtime_validation
    def __iter__(self): yield from self.data
class Ints(Typed):
    type = Kind(int)
@argument_validation
def accept_pipe_of_ints(pipe: Ints): return "taken"
def list_without_validation():
    with runtime_validation_disabled():
        return list(Typed(True, 2))
show(lambda: list(Typed(True)), lambda: list(Typed(True, 2)), list_without_validation, lambda: list(Typed(3)))
show(lambda: accept_pipe_of_ints(Typed()), lambda: accept_pipe_of_ints(Ints()))
@argument_validation
def accept_typed_pipe(pipe: Typed): return "taken"
show(lambda: accept_typed_pipe(Ints()))
""",
    "loaders": """
def list_batches(loader):
    return [describe_value(batch)[2] if isinstance(batch, torch.Tensor) else batch for batch in loader]
for workers in (0, 2):
    options = dict(num_workers=workers)
    for shuffle in (None, False, True):
        for pipe in (W(range(12)).shuffle().sharding_filter().map(add), W(range(12)).sharding_filter()):
            generator = torch.Generator().manual_seed(5)
            loader = DataLoader(pipe, batch_size=2, shuffle=shuffle, generator=generator, **options)
            show(lambda: (list_batches(loader), list_batches(loader), generator.get_state().sum().item(),
                loader.dataset, len(loader)))
    seeded = dict(generator=torch.Generator().manual_seed(2), batch_size=None, **options)
    show(lambda: list_batches(DataLoader(W(range(6)), **seeded)))
    show(lambda: list_batches(DataLoader(M.SequenceWrapper(range(6)).map(add), shuffle=True, **seeded)))
    show(lambda: list_batches(DataLoader(M.SequenceWrapper(range(6)).shuffle(), shuffle=True, **seeded)))
    a, b = W(range(8)).shuffle().demux(2, lambda x: x % 2)
    show(lambda: list_batches(DataLoader(a.concat(b).sharding_filter(), **seeded)))
    show(lambda: DataLoader(W([1]), sampler=[1], **options), lambda: DataLoader(W([1]), batch_sampler=[1], **options))
    show(lambda: len(DataLoader(W(iter([1])), **options)))
    def load_presharded_pipe():
        return list_batches(DataLoader(apply_sharding(W(range(6)).sharding_filter(), 2, 0, S.DISTRIBUTED), **options))
    twice_sharded = W([1]).sharding_filter().sharding_filter()
    for call in (load_presharded_pipe, lambda: list_batches(DataLoader(twice_sharded, **options))):
        try:
            print(call())
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0], str(error).splitlines()[-1])
generator = torch.Generator().manual_seed(5)
loader = DataLoader(W(range(12)).shuffle().sharding_filter(), 2, num_workers=2, generator=generator,
    persistent_workers=True)
show(lambda: (list_batches(loader), list_batches(loader), generator.get_state().sum().item()))
show(lambda: list_batches(DataLoader(W(range(4)).sharding_filter(), num_workers=2, worker_init_fn=lambda i: None)))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_pipes_are_torchs(name, oracle, same_as_oracle, run_python, run_as_torch):
    if "without dill" not in name:
        same_as_oracle(DEFINITIONS + PROGRAMS[name])
        return
    program = "import sys\nsys.modules['dill'] = None\n" + DEFINITIONS + PROGRAMS[name]
    assert run_as_torch(program).ok() == run_python(program).ok()


def test_the_modules_offer_torchs_names_and_signatures(same_as_oracle):
    same_as_oracle(
        DEFINITIONS
        + """
import inspect
for module in (I, M):
    for name in module.__all__:
        cls = getattr(module, name)
        parameters = inspect.signature(cls).parameters.values()
        print(name, cls.__module__, cls.__qualname__, [(p.name, p.kind.name, p.default is p.empty) for p in parameters])
"""
    )


def test_pipes_of_data_frames_are_refused(mt):
    data = mt.utils.data
    pipe = data.datapipes.iter.IterableWrapper([[1]])
    with pytest.raises(NotImplementedError, match="data frame"):
        pipe.collate({"a": max})
    with pytest.raises(NotImplementedError, match="data frame"):
        data.functional_datapipe("traced", enable_df_api_tracing=True)
    with pytest.raises(NotImplementedError, match="data frame"):
        data.datapipes.dataframe.CaptureDataFrame()


def test_a_profiler_sees_each_item_of_a_pipe(mt):
    # The name of the range that real torch 2.13 records for this pipe.
    with mt.autograd.profiler.profile() as recorded:
        list(mt.utils.data.datapipes.iter.IterableWrapper([1]))
    names = [event.name for event in recorded.function_events]
    assert "IterableWrapper(deepcopy=True, iterable=[1])" in names
