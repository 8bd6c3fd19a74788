"""Reports of a profile match real torch: tables, traces, stacks, counts of floating-point operations."""

import gzip
import importlib
import json
import re

import pytest
from profiles import import_profilers, profile_call, run_forward


def mask_times(text):
    """A table without its times."""
    text = re.sub(r"total: .*", "total: #", text)
    return re.sub(r" *(\d+\.\d+(us|ms|s|%)|NaN)", lambda found: "#".rjust(len(found[0])), text)


def make_table(torch, program, averages=None, **options):
    found = profile_call(torch, program, **{key: options.pop(key) for key in list(options) if key in (
        "record_shapes", "profile_memory", "with_flops")})  # fmt: skip
    return mask_times(found.key_averages(**averages or {}).table(**options))


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
    def allocate_and_add(torch):
        kept = [torch.empty(2, 3).neg_() for _ in range(3)]
        kept.append(torch.exp(torch.empty(40, 50)))
        kept.append(kept[0] + kept[1])

    def list_table_rows(torch):
        return make_table(torch, allocate_and_add, **dict(options)).split("\n")

    ours, theirs = list_table_rows(mt), list_table_rows(oracle)
    assert ours == theirs


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_table_can_keep_one_unit(mt, unit):
    lines = profile_call(mt, run_forward).events().table(time_unit=unit).split("\n")
    assert all(re.search(rf"\d\.\d{{3}}{unit}\b", line) for line in lines[3:-3])


def test_small_functions_of_profiler_util_match_torch(mt, oracle):
    def report_profiler_util(torch):
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

    assert list(report_profiler_util(mt)) == list(report_profiler_util(oracle))


def write_trace(torch, program, path, **options):
    profile_call(torch, program, **options).export_chrome_trace(str(path))
    return json.loads(path.read_text())


def list_entry_keys(trace):
    """The keys that entries of each kind have."""
    return {(e["ph"], e.get("cat")): (set(e), set(e.get("args", ()))) for e in trace["traceEvents"]}


def test_a_trace_has_torchs_keys(mt, oracle, tmp_path):
    def backward_in_range(torch):
        x = torch.ones(2, requires_grad=True)
        with torch.autograd.profiler.record_function("range"):
            y = (x * x).sum()
        y.backward()

    options = {"record_shapes": True, "profile_memory": True}
    ours, theirs = (write_trace(t, backward_in_range, tmp_path / f"{t.__name__}.json", **options) for t in (mt, oracle))
    assert set(ours) == set(theirs)
    last = list_entry_keys(theirs)
    of_calls = {"Sequence number", "Fwd thread id", "Concrete Inputs", "Input type", "Input Strides", "Input Dims"}
    for kind, (keys, args) in list_entry_keys(ours).items():
        assert keys == last[kind][0], kind
        assert args - of_calls <= last[kind][1], kind
    assert set(list_entry_keys(ours)) == set(last)

    def read_input_arguments(trace, name):
        args = next(e["args"] for e in trace["traceEvents"] if e["name"] == name)
        return {key: args[key] for key in ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")}

    for name in ("aten::mul", "MulBackward0"):
        assert read_input_arguments(ours, name) == read_input_arguments(theirs, name)
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
        profile = profile_call(torch, run_forward)
        profile.export_chrome_trace(str(tmp_path / "t.json.gz"))
        with gzip.open(tmp_path / "t.json.gz", "rt") as file:
            assert json.load(file)["traceEvents"]
        with pytest.raises(RuntimeError, match="^Trace is already saved.$"):
            profile.export_chrome_trace(str(tmp_path / "again.json"))


def test_metadata_is_in_the_trace_it_was_given_to(mt, oracle, tmp_path):
    def report_metadata(torch):
        profiler, _ = import_profilers(torch)
        profile = profiler.profile(record_shapes=True)
        profile.preset_metadata_json("preset", "[1, 2]")
        with profile:
            profile.add_metadata("word", "a b")
            profile.add_metadata_json("data", '{"a": 1}')
        profile.export_chrome_trace(str(tmp_path / "m.json"))
        trace = json.loads((tmp_path / "m.json").read_text())
        return {key: trace[key] for key in ("preset", "word", "data", "record_shapes", "schemaVersion")}

    assert report_metadata(mt) == report_metadata(oracle)


def test_the_tensorboard_handler_names_its_file(mt, tmp_path):
    profiler, _ = import_profilers(mt)
    handler = profiler.tensorboard_trace_handler(str(tmp_path / "a" / "b"), "me", use_gzip=True)
    with profiler.profile(on_trace_ready=handler):
        mt.ones(2)
    (file,) = (tmp_path / "a" / "b").iterdir()
    assert re.fullmatch(r"me\.\d+\.pt\.trace\.json\.gz", file.name)


def nest_module_calls(torch):
    x = torch.ones(2, requires_grad=True)

    class Model(torch.nn.Module):
        def forward(self, value):
            return torch.exp(value)

    Model()(x).sum().backward()


def list_stacks(torch, name):
    profiler, _ = import_profilers(torch)
    config = importlib.import_module(f"{torch.__name__}.profiler")._ExperimentalConfig(verbose=True)
    profile = profile_call(torch, nest_module_calls, with_stack=True, experimental_config=config)
    own = [event.stack for event in profile.events() if event.name == name]
    shown = ("test_", "nn.", "<built", "tests")
    return [[e for e in stack if "module.py" not in e and e.startswith(shown)] for stack in own]


@pytest.mark.parametrize("name", ["aten::exp", "ExpBackward0"])
def test_stack_shows_the_call_site_of_an_operator(mt, oracle, name):
    def list_call_sites(torch):  # C functions have an address
        (stack,) = list_stacks(torch, name)
        return [entry.split("/")[-1] for entry in stack if not entry.startswith("<")]

    assert list_call_sites(mt) == list_call_sites(oracle)
    assert "nn.Module: Model_0" in list_call_sites(mt)
    assert any(entry.startswith("<built-in method exp") for entry in list_stacks(mt, name)[0])


def test_stacks_are_exported_for_flame_graphs(mt, tmp_path):
    profiler, _ = import_profilers(mt)
    config = profiler._ExperimentalConfig(verbose=True)
    profile = profile_call(mt, nest_module_calls, with_stack=True, experimental_config=config)
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
    def count_flops(torch):
        events = profile_call(torch, lambda torch: eval(expression, {"torch": torch}), with_flops=True).events()
        return [(event.name, event.flops) for event in events if event.cpu_parent is None and event.flops]

    assert count_flops(mt) == count_flops(oracle)
