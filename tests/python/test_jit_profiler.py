"""The parts of jit, compiler and profiler that eager execution supports."""

import json

import pytest
from outcomes import outcome


def test_scripted_and_traced_code_computes_as_written(mt):
    import importlib

    jit = importlib.import_module(f"{mt.__name__}.jit")

    @jit.script
    def double(x):
        return x * 2

    traced = jit.trace(mt.nn.Linear(2, 2), mt.ones(1, 2))
    assert double(mt.ones(2)).tolist() == [2.0, 2.0]
    assert isinstance(traced, jit.ScriptModule) and traced(mt.ones(1, 2)).shape == (1, 2)


def test_compiler_features_raise_with_their_name(mt):
    import importlib

    jit = importlib.import_module(f"{mt.__name__}.jit")
    with pytest.raises(NotImplementedError, match="torch.jit.load"):
        jit.load("nothing")
    with pytest.raises(NotImplementedError, match="there is no TorchScript compiler"):
        jit.freeze(mt.nn.Linear(1, 1))


def test_a_profile_nests_ranges_and_writes_a_trace(mt, tmp_path):
    profiler = mt.autograd.profiler
    with profiler.profile() as profile:
        with profiler.record_function("outer"):
            with profiler.record_function("inner"):
                mt.ones(2) + 1
    events = {event.name: event for event in profile.function_events}
    assert events["inner"].cpu_parent is events["outer"]
    assert events["outer"].cpu_time_total >= events["inner"].cpu_time_total
    assert "outer" in profile.key_averages().table(sort_by="cpu_time_total")
    profile.export_chrome_trace(str(tmp_path / "trace.json"))
    names = {entry["name"] for entry in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert {"outer", "inner"} <= names


def test_a_schedule_records_the_steps_it_names(mt):
    import importlib

    profiler = importlib.import_module(f"{mt.__name__}.profiler")
    ready = []
    schedule = profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    with profiler.profile(schedule=schedule, on_trace_ready=lambda p: ready.append(p.step_num)) as profile:
        for _ in range(6):
            profile.step()
    assert ready == [4]
    assert [schedule(step).name for step in range(5)] == ["NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE"]


def test_nothing_compiles_and_everything_runs(mt):
    import importlib

    compiler = importlib.import_module(f"{mt.__name__}.compiler")
    assert not compiler.is_compiling() and compiler.list_backends() == []
    assert compiler.disable(abs) is abs
    with pytest.raises(NotImplementedError, match="load_compiled_function"):
        compiler.load_compiled_function(None)


def test_script_refuses_modules_without_shapes(mt, oracle):
    def script_lazy_module(torch):
        return torch.jit.script(torch.nn.Sequential(torch.nn.LazyLinear(3)))

    assert outcome(script_lazy_module, mt)[0] == outcome(script_lazy_module, oracle)[0]
