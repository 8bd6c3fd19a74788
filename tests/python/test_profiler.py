"""The profiler beside real torch's: the same program leaves the same events, tables, traces and errors."""

import gzip
import importlib
import json
import re
import threading
import warnings

import pytest


def parts(torch):
    """torch.profiler and torch.autograd.profiler."""
    return (importlib.import_module(f"{torch.__name__}.{name}") for name in ("profiler", "autograd.profiler"))


def profiled(torch, program, **options):
    profiler, _ = parts(torch)
    with profiler.profile(**options) as profile:
        program(torch)
    return profile


def tops(profile, *attributes):
    """Top-level events by their attributes; sequence numbers by their rank."""
    events = profile.events()
    ranks = {nr: rank for rank, nr in enumerate(sorted({event.sequence_nr for event in events} - {-1}))}

    def seen(event, name):
        value = getattr(event, name)
        return ranks.get(value, -1) if name == "sequence_nr" else value

    return [tuple(seen(event, name) for name in ("name", *attributes)) for event in events if event.cpu_parent is None]


def masked(text):
    """A table without its numbers of time."""
    text = re.sub(r"total: .*", "total: #", text)
    return re.sub(r" *(\d+\.\d+(us|ms|s|%)|NaN)", lambda found: "#".rjust(len(found[0])), text)


def forward(torch):
    a, b = torch.tensor([[1.0, 2, 3], [4, 5, 6]]), torch.tensor([[1.0, 2], [3, 4], [5, 6]])
    c = torch.mm(a, b)
    torch.cat([a, a], dim=1)
    a.sum(dim=[0, 1], keepdim=True)
    torch.add(a, a, alpha=2)
    a.view(3, 2)
    torch.bmm(a.view(1, 2, 3), a.view(1, 3, 2))
    a.mul_(3)
    torch.where(a > 1, a, a)
    c[0, 0].item()


INPUTS = ("input_shapes", "structured_input_shapes", "structured_input_strides", "input_dtypes")


def test_calls_are_recorded_with_their_names_shapes_and_dtypes(mt, oracle):
    def calls(torch):
        found = tops(profiled(torch, forward, record_shapes=True), *INPUTS)
        return found[[name for name, *_ in found].index("aten::mm") :]  # torch.tensor is made of other calls

    ours, theirs = calls(mt), calls(oracle)
    assert ours == theirs
    assert ("aten::cat", [[], []], [[[2, 3], [2, 3]], []], [[[3, 1], [3, 1]], []], ["TensorList", "Scalar"]) in ours


def test_concrete_inputs_are_numbers_and_lists_of_them(mt, oracle):
    def program(torch):
        torch.full((2,), 3.5)
        a = torch.ones(2, 3)
        a.sum(dim=[0, 1])
        torch.transpose(a, 0, 1)
        torch.add(a, a, alpha=2)

    ours, theirs = (dict(tops(profiled(t, program, record_shapes=True), "concrete_inputs")) for t in (mt, oracle))
    for name in ("aten::sum", "aten::transpose", "aten::add"):
        assert ours[name] == theirs[name]
    assert ours["aten::full"][:2] == theirs["aten::full"][:2] == [[2], 3.5]


def test_without_record_shapes_there_are_none(mt):
    assert all(event.input_shapes == [] and event.concrete_inputs == [] for event in profiled(mt, forward).events())


def test_ranges_and_calls_nest(mt, oracle):
    def program(torch):
        ranges = torch.autograd.profiler.record_function
        with ranges("outer"):
            with ranges("inner"):
                torch.ones(2) + torch.ones(2)
            torch.ones(2) * torch.ones(2)

        @ranges("decorated")
        def named(x):
            """Its own words."""
            return x - x

        assert named(torch.ones(2)).tolist() == [0, 0] and named.__doc__ == "Its own words."

    def tree(torch):
        found = []
        for event in profiled(torch, program).events():
            chain = [event]
            while chain[-1].cpu_parent is not None:
                chain.append(chain[-1].cpu_parent)
            if all(e.is_user_annotation for e in chain[1:]):
                found.append([(e.name, e.is_user_annotation, e.scope) for e in chain])
        return [chain for chain in found if chain[0][0] not in ("aten::resolve_conj", "aten::resolve_neg")]

    assert tree(mt) == tree(oracle)
    assert tree(mt)[0] == [("outer", True, 7)]


def backward(torch):
    x = torch.ones(2, 2, requires_grad=True)
    w = torch.full((2, 2), 3.0, requires_grad=True)
    ((x * w).exp() @ w).sum().backward()


def test_the_backward_pass_is_linked_to_its_operators(mt, oracle):
    attributes = ("sequence_nr", "fwd_thread", "scope")

    def nodes(torch):
        events = profiled(torch, backward, record_shapes=True)
        chosen = [row for row in tops(events, *attributes) if row[0].startswith("autograd::")]
        inner = [event for event in events.events() if event.scope == 1]
        return chosen, [(event.name, event.input_shapes, event.cpu_parent.name) for event in inner]

    assert nodes(mt) == nodes(oracle)
    profile = profiled(mt, backward)
    by_name = {event.name: event for event in reversed(profile.events())}
    assert by_name["MulBackward0"].sequence_nr == by_name["aten::mul"].sequence_nr
    assert by_name["MulBackward0"].fwd_thread == by_name["aten::exp"].thread
    assert by_name["torch::autograd::AccumulateGrad"].sequence_nr == -1


def test_custom_functions_have_a_forward_and_a_node(mt, oracle):
    def program(torch):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x + x

            @staticmethod
            def backward(ctx, gradient):
                return gradient + gradient

        x = torch.ones(2, requires_grad=True)
        Twice.apply(x).sum().backward()

    wanted = {"Twice", "TwiceBackward", "autograd::engine::evaluate_function: TwiceBackward"}

    def events(torch):
        return [
            (event.name, event.scope, [child.name for child in event.cpu_children])
            for event in profiled(torch, program).events()
            if event.name in wanted
        ]

    assert events(mt) == events(oracle)


def test_modes_decide_whether_a_call_may_be_linked(mt, oracle):
    def program(torch):
        x = torch.ones(2)
        x * x
        with torch.no_grad():
            x * x
        with torch.inference_mode():
            x * x
            y = torch.zeros(2)
        y + y

    ours, theirs = (tops(profiled(t, program), "sequence_nr") for t in (mt, oracle))
    assert ours == theirs


def test_steps_of_an_optimizer_are_named(mt, oracle):
    def program(torch):
        p = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.AdamW([p])
        p.grad = torch.ones(2)
        optimizer.step()
        optimizer.zero_grad()

    def names(torch):
        return [row for row in tops(profiled(torch, program), "is_user_annotation") if "Optimizer" in row[0]]

    assert names(mt) == names(oracle)
    assert [name for name, _ in names(mt)] == ["Optimizer.step#AdamW.step", "Optimizer.zero_grad#AdamW.zero_grad"]


def test_batches_of_a_loader_are_named(mt, oracle):
    def program(torch):
        for _ in torch.utils.data.DataLoader(torch.arange(4), batch_size=2):
            pass

    def names(torch):
        return [name for (name,) in tops(profiled(torch, program)) if "DataLoader" in name]

    assert names(mt) == names(oracle)
    assert len(names(mt)) == 3


def memory(torch):
    kept = torch.empty(100)
    for size in (10, 1000):
        torch.empty(size)
    with torch.autograd.profiler.record_function("inside"):
        both = kept + kept
    del kept, both


def test_memory_is_counted_where_it_is_taken(mt, oracle):
    def rows(torch):
        found = tops(profiled(torch, memory, profile_memory=True), "cpu_memory_usage", "self_cpu_memory_usage")
        return found

    assert rows(mt) == rows(oracle)
    assert ("[memory]", -4000, -4000) in rows(mt) and ("inside", 400, 0) in rows(mt)


def test_memory_from_before_is_not_counted(mt):
    kept = [mt.ones(10)]

    def program(torch):
        kept.clear()

    assert profiled(mt, program, profile_memory=True).events() == []


def table_of(torch, program, averages=None, **options):
    found = profiled(torch, program, **{key: options.pop(key) for key in list(options) if key in (
        "record_shapes", "profile_memory", "with_flops")})  # fmt: skip
    return masked(found.key_averages(**averages or {}).table(**options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sort_by": "count", "row_limit": 2},
        {"header": "What ran", "top_level_events_only": True},
        {"max_name_column_width": 9},
        {"max_name_column_width": None, "max_shapes_column_width": 12, "record_shapes": True,
         "averages": {"group_by_input_shape": True}},
        {"profile_memory": True, "sort_by": "self_cpu_memory_usage"},
        {"with_flops": True, "sort_by": "flops"},
        {"averages": {"group_by_overload_name": True}},
    ],
)  # fmt: skip
def test_tables_look_as_torch_prints_them(mt, oracle, options):
    def program(torch):
        kept = [torch.empty(2, 3).neg_() for _ in range(3)]
        kept.append(torch.exp(torch.empty(40, 50)))
        kept.append(kept[0] + kept[1])

    def rows(torch):
        return table_of(torch, program, **dict(options)).split("\n")

    ours, theirs = rows(mt), rows(oracle)
    assert ours == theirs


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_table_can_keep_one_unit(mt, unit):
    lines = profiled(mt, forward).events().table(time_unit=unit).split("\n")
    assert all(re.search(rf"\d\.\d{{3}}{unit}\b", line) for line in lines[3:-3])


def test_the_smallest_things_of_profiler_util_are_torch_s(mt, oracle):
    def told(torch):
        util = importlib.import_module(f"{torch.__name__}.autograd.profiler_util")
        outer, inner = util.FunctionEvent(1, "n", 2, 0, 10, stack=[]), util.FunctionEvent(2, "n2", 2, 1, 4, stack=[])
        both = util.EventList([outer, inner])
        both._build_tree()
        outer.append_kernel("k", 0, 3)
        yield [repr(outer), repr(inner), outer.kernels, outer.self_cpu_time_total, outer.cpu_time_str]
        yield [repr(both.total_average()), both.table(), repr(both.key_averages()), both.self_cpu_time_total]
        for call in (lambda: outer.append_cpu_child(3), lambda: inner.set_cpu_parent(3),
                     lambda: util.EventList([outer]).key_averages(), lambda: both.export_stacks("x", "y"),
                     lambda: util.FunctionEventAvg().add(outer).add(inner)):  # fmt: skip
            with pytest.raises((AssertionError, ValueError)) as caught:
                call()
            yield [type(caught.value), str(caught.value)]
        yield [util._format_time(1.5), util._format_time(1500), util._format_time(1.5e6), util._format_memory(-2048),
               util._format_memory(3 << 20), util._format_memory(10), util._format_time_share(1, 3)]  # fmt: skip
        with pytest.warns(FutureWarning, match="`cuda_time_total` is deprecated. Use `device_time_total` instead."):
            yield outer.cuda_time_total

    assert list(told(mt)) == list(told(oracle))


def trace_of(torch, program, path, **options):
    profiled(torch, program, **options).export_chrome_trace(str(path))
    return json.loads(path.read_text())


def shape_of_entries(trace):
    """Which keys entries of a kind have."""
    return {(e["ph"], e.get("cat")): (set(e), set(e.get("args", ()))) for e in trace["traceEvents"]}


def test_a_trace_has_the_keys_of_torch_s(mt, oracle, tmp_path):
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        with torch.autograd.profiler.record_function("range"):
            y = (x * x).sum()
        y.backward()

    options = {"record_shapes": True, "profile_memory": True}
    ours, theirs = (trace_of(t, program, tmp_path / f"{t.__name__}.json", **options) for t in (mt, oracle))
    assert set(ours) == set(theirs)
    last = shape_of_entries(theirs)
    of_calls = {"Sequence number", "Fwd thread id", "Concrete Inputs", "Input type", "Input Strides", "Input Dims"}
    for kind, (keys, args) in shape_of_entries(ours).items():
        assert keys == last[kind][0], kind
        assert args - of_calls <= last[kind][1], kind
    assert set(shape_of_entries(ours)) == set(last)

    def told(trace, name):
        args = next(e["args"] for e in trace["traceEvents"] if e["name"] == name)
        return {key: args[key] for key in ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")}

    for name in ("aten::mul", "MulBackward0"):
        assert told(ours, name) == told(theirs, name)
    spans = {e["name"]: e for e in reversed(ours["traceEvents"]) if e["ph"] == "X"}
    outer, inner = spans["range"], spans["aten::mul"]
    assert outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 0.001
    flows = [e for e in ours["traceEvents"] if e.get("cat") == "fwdbwd"]
    starts = {e["id"]: e["ts"] for e in flows if e["ph"] == "s"}
    ends = {e["id"]: e["ts"] for e in flows if e["ph"] == "f"}
    assert starts.keys() == ends.keys() and all(starts[key] < ends[key] for key in starts)
    assert spans["aten::mul"]["ts"] in starts.values() and spans["MulBackward0"]["ts"] in ends.values()


def test_a_trace_is_written_once_and_zipped_by_its_name(mt, oracle, tmp_path):
    for torch in (mt, oracle):
        profile = profiled(torch, forward)
        profile.export_chrome_trace(str(tmp_path / "t.json.gz"))
        with gzip.open(tmp_path / "t.json.gz", "rt") as file:
            assert json.load(file)["traceEvents"]
        with pytest.raises(RuntimeError, match="^Trace is already saved.$"):
            profile.export_chrome_trace(str(tmp_path / "again.json"))


def test_metadata_is_in_the_trace_it_was_given_to(mt, oracle, tmp_path):
    def told(torch):
        profiler, _ = parts(torch)
        profile = profiler.profile(record_shapes=True)
        profile.preset_metadata_json("preset", "[1, 2]")
        with profile:
            profile.add_metadata("word", "a b")
            profile.add_metadata_json("data", '{"a": 1}')
        profile.export_chrome_trace(str(tmp_path / "m.json"))
        trace = json.loads((tmp_path / "m.json").read_text())
        return {key: trace[key] for key in ("preset", "word", "data", "record_shapes", "schemaVersion")}

    assert told(mt) == told(oracle)


def test_tensorboard_s_handler_names_its_file(mt, tmp_path):
    profiler, _ = parts(mt)
    handler = profiler.tensorboard_trace_handler(str(tmp_path / "a" / "b"), "me", use_gzip=True)
    with profiler.profile(on_trace_ready=handler):
        mt.ones(2)
    (file,) = (tmp_path / "a" / "b").iterdir()
    assert re.fullmatch(r"me\.\d+\.pt\.trace\.json\.gz", file.name)


@pytest.mark.parametrize("accumulates", [False, True])
def test_a_schedule_hands_over_the_steps_it_names(mt, oracle, accumulates):
    def told(torch):
        profiler, _ = parts(torch)
        ready = []
        schedule = profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
        a = torch.ones(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with profiler.profile(
                schedule=schedule,
                acc_events=accumulates,
                on_trace_ready=lambda p: ready.append((p.step_num, tops(p, "trace_name"))),
            ) as profile:
                for _ in range(11):
                    a + a
                    profile.step()
        return ready, [event.name for event in profile.events()], [schedule(step).name for step in range(12)]

    assert told(mt) == told(oracle)
    assert told(mt)[0][0] == (5, [("ProfilerStep*", "ProfilerStep#3"), ("ProfilerStep*", "ProfilerStep#4")])


@pytest.mark.parametrize("first, second", [("NONE", "RECORD"), ("WARMUP", "NONE"), ("WARMUP", "RECORD_AND_SAVE"),
                                           ("RECORD", "NONE"), ("RECORD", "RECORD"), ("RECORD_AND_SAVE", "WARMUP"),
                                           ("RECORD_AND_SAVE", "RECORD"), ("NONE", "DEVICE_STOPPED")])  # fmt: skip
def test_any_schedule_does_what_torch_does(mt, oracle, first, second):
    def told(torch):
        profiler, inner = parts(torch)
        actions = [profiler.ProfilerAction[name] for name in (first, second)]
        seen, ready = [], []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            profile = profiler.profile(schedule=lambda step: actions[min(step, 1)], on_trace_ready=ready.append)
            try:
                profile.start()
                seen.append((inner._is_profiler_enabled, len(ready)))
                profile.step()
                seen.append((inner._is_profiler_enabled, len(ready)))
            except ValueError as error:
                seen.append(str(error))
                return seen
            profile.stop()
            seen.append((inner._is_profiler_enabled, len(ready)))
        return seen, [str(item.message) for item in caught if "clears events" not in str(item.message)]

    assert told(mt) == told(oracle)


def failures(torch):
    profiler, inner = parts(torch)
    activity = profiler.ProfilerActivity
    a = torch.ones(2)
    fresh = profiler.profile()
    calls = [
        lambda: profiler.profile(activities=[]),
        lambda: profiler.profile(activities=[1]),
        lambda: profiler.profile(activities=[activity.CPU, activity.CPU]),
        lambda: profiler.profile(activities=[activity.CUDA]).start(),
        lambda: profiler.schedule(wait=-1, warmup=0, active=1),
        lambda: profiler.schedule(wait=0, warmup=1, active=0),
        lambda: profiler.schedule(wait=0, warmup=1, active=1)(-1),
        fresh.stop,
        fresh.events,
        fresh.key_averages,
        lambda: fresh.export_chrome_trace("/tmp/x"),
        lambda: fresh.export_stacks("/tmp/x"),
        lambda: profiled(torch, forward).key_averages().table(sort_by="nothing"),
        lambda: profiled(torch, forward).export_stacks("/tmp/x", "nothing"),
        lambda: profiled(torch, forward).export_memory_timeline("/tmp/x"),
        lambda: inner.profile(use_cpu=False),
        lambda: inner.profile().table(),
        lambda: inner.profile().export_chrome_trace("/tmp/x"),
        lambda: inner.profile().export_stacks("/tmp/x"),
        lambda: inner.emit_nvtx().__enter__(),
        lambda: repr(inner.profile()),
        lambda: profiler.tensorboard_trace_handler("/proc/nothing/here")(None),
        lambda: profiler.profile(use_cuda=False) and None,
        lambda: inner.profile(use_device="foo") and None,
        lambda: inner.profile(use_device="cuda") and None,
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                outcome = repr(call())
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"
        kept = [f"{item.category.__name__}: {item.message}" for item in caught]
        yield outcome.replace("mindtorch.", "torch."), [text for text in kept if "ResourceWarning" not in text]
    with inner.profile() as profile:
        a + a
        with pytest.raises(RuntimeError) as caught:
            profile.__enter__()
        yield str(caught.value)


def test_errors_and_warnings_are_torch_s(mt, oracle):
    for ours, theirs in zip(failures(mt), failures(oracle), strict=True):
        assert ours == theirs


def test_of_two_recordings_the_later_one_has_the_calls(mt, oracle):
    def program(torch):
        _, inner = parts(torch)
        a = torch.ones(2)
        with inner.profile() as first:
            a + a
            with inner.profile() as second:
                a * a
            a - a
        return [[event.name for event in profile.function_events] for profile in (first, second)]

    assert program(mt) == program(oracle) == [[], ["aten::mul"]]


def test_a_call_that_fails_is_closed(mt, oracle):
    def program(torch):
        with pytest.raises(RuntimeError):
            torch.mm(torch.ones(2), torch.ones(2))
        torch.ones(1)

    ours, theirs = (tops(profiled(t, program)) for t in (mt, oracle))
    assert ours == theirs
    assert ours[-2:] == [("aten::mm",), ("aten::ones",)]


def test_other_threads_are_not_seen_and_may_profile_themselves(mt):
    found = []

    def elsewhere():
        mt.ones(2) * 2
        found.append([name for (name,) in tops(profiled(mt, lambda torch: torch.zeros(2)))])

    def program(torch):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        torch.ones(3)

    assert tops(profiled(mt, program)) == [("aten::ones",)]
    assert found == [["aten::zeros"]]


def test_a_profile_ends_with_its_ranges_open(mt):
    profiler, inner = parts(mt)
    profile = profiler.profile()
    with inner.record_function("before"):
        profile.start()
        with inner.record_function("open"):
            mt.ones(2)
            profile.stop()
            mt.zeros(2)
    assert [event.name for event in profile.events()] == ["open", "aten::ones"]


def test_transforms_and_modes_are_seen_through(mt, oracle):
    def program(torch):
        from_root = importlib.import_module
        mode = from_root(f"{torch.__name__}.utils._python_dispatch").TorchDispatchMode

        class Passes(mode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        x = torch.ones(2, 3)
        torch.func.vmap(torch.sin)(x)
        with Passes():
            torch.cos(x)
        with torch.autocast("cpu"):
            torch.mm(x, x.t())

    def calls(torch):
        return [name for (name,) in tops(profiled(torch, program)) if name in ("aten::sin", "aten::cos", "aten::mm")]

    assert calls(mt) == calls(oracle) == ["aten::sin", "aten::cos", "aten::mm"]


def test_calls_of_a_pipeline_are_recorded_when_they_run(mt):
    def program(torch):
        a = torch.ones(4)
        with torch.pipeline():
            b = torch.exp(a)
            c = b + b
            with torch.autograd.profiler.record_function("looks"):
                c.sum().tolist()

    profile = profiled(mt, program)
    (looks,) = (event for event in profile.events() if event.name == "looks")
    assert [child.name for child in looks.cpu_children] == ["mindtorch::chain", "aten::sum"]


def test_results_are_the_same_with_and_without(mt):
    def compute(torch):
        x = torch.arange(6.0).view(2, 3).requires_grad_()
        y = (x.softmax(1) @ x.t()).sum()
        y.backward()
        return [y.tolist(), x.grad.tolist(), x.grad.stride(), x._version]

    seen = []
    profiled(mt, lambda torch: seen.append(compute(torch)), record_shapes=True, profile_memory=True, with_stack=True)
    assert seen == [compute(mt)]
    assert not mt._C._profiler.enabled()


def deep(torch):
    x = torch.ones(2, requires_grad=True)

    class Model(torch.nn.Module):
        def forward(self, value):
            return torch.exp(value)

    Model()(x).sum().backward()


def stacks(torch, name):
    profiler, _ = parts(torch)
    config = importlib.import_module(f"{torch.__name__}.profiler")._ExperimentalConfig(verbose=True)
    profile = profiled(torch, deep, with_stack=True, experimental_config=config)
    own = [event.stack for event in profile.events() if event.name == name]
    shown = ("test_", "nn.", "<built", "tests")
    return [[e for e in stack if "module.py" not in e and e.startswith(shown)] for stack in own]


@pytest.mark.parametrize("name", ["aten::exp", "ExpBackward0"])
def test_a_stack_says_where_an_operator_was_called(mt, oracle, name):
    def written(torch):  # what was called in C has an address
        (stack,) = stacks(torch, name)
        return [entry.split("/")[-1] for entry in stack if not entry.startswith("<")]

    assert written(mt) == written(oracle)
    assert "nn.Module: Model_0" in written(mt)
    assert any(entry.startswith("<built-in method exp") for entry in stacks(mt, name)[0])


def test_stacks_are_exported_for_flame_graphs(mt, tmp_path):
    profiler, _ = parts(mt)
    config = profiler._ExperimentalConfig(verbose=True)
    profile = profiled(mt, deep, with_stack=True, experimental_config=config)
    profile.export_stacks(str(tmp_path / "stacks"))
    lines = (tmp_path / "stacks").read_text().splitlines()
    assert all(re.fullmatch(r"\S+ \d+", line) for line in lines)
    assert any("nn.Module:_Model_0" in line for line in lines)
    grouped = profile.key_averages(group_by_stack_n=2)
    assert all(len(entry.stack) <= 2 for entry in grouped)
    assert "Source Location" in grouped.table(row_limit=5)


FLOPS = [
    "torch.mm(torch.ones(2, 3), torch.ones(3, 4))",
    "torch.addmm(torch.ones(2, 4), torch.ones(2, 3), torch.ones(3, 4))",
    "torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 4, 5))",
    "torch.baddbmm(torch.ones(2, 3, 5), torch.ones(2, 3, 4), torch.ones(2, 4, 5))",
    "torch.add(torch.ones(3), torch.ones(2, 3))",
    "torch.ones(2, 3) * 2",
    "torch.nn.functional.conv2d(torch.ones(1, 2, 5, 5), torch.ones(3, 2, 3, 3))",
    "torch.nn.functional.conv2d(torch.ones(1, 4, 5, 5), torch.ones(4, 2, 3, 3), None, 2, 1, (1, 2), 2)",
    "torch.ones(2, 3) - 2",
]


@pytest.mark.parametrize("expression", FLOPS)
def test_floating_point_operations_follow_torch_s_formulas(mt, oracle, expression):
    def flops(torch):
        events = profiled(torch, lambda torch: eval(expression, {"torch": torch}), with_flops=True).events()
        return [(event.name, event.flops) for event in events if event.cpu_parent is None and event.flops]

    assert flops(mt) == flops(oracle)


def test_tools_of_others_answer_as_in_a_cpu_build(mt):
    profiler, inner = parts(mt)
    assert profiler.supported_activities() == {profiler.ProfilerActivity.CPU} and profiler.kineto_available()
    assert not profiler.itt.is_available()
    with pytest.raises(RuntimeError, match="ITT functions not installed. Are you sure you have a ITT build?"):
        profiler.itt.range_push("a")
    with pytest.raises(NotImplementedError, match="emit_itt is not available"):
        inner.emit_itt().__enter__()
    with pytest.raises(NotImplementedError, match="ExecutionTraceObserver is not available"):
        profiler.ExecutionTraceObserver().register_callback("x")
