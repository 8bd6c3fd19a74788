"""torch.utils.benchmark prints measurements and tables as torch does, with a fake clock."""

import copy
import pickle
from importlib import import_module

import numpy as np
import pytest
from outcomes import normalise, outcome


def _import_benchmark(torch):
    return import_module(torch.__name__ + ".utils.benchmark")


class Clock:
    """A fake clock that advances by `step` when a statement runs (a little more in each later run, if it drifts)."""

    def __init__(self, step=1e-3, drift=0.0):
        self.time, self.step, self.drift, self.runs = 0.0, step, drift, 0

    def advance_time(self):
        self.runs += 1
        self.time += self.step * (1 + self.drift * (self.runs % 7))

    def __call__(self):
        self.time += 1e-7
        return self.time


def _make_timer(torch, step=1e-3, drift=0.0, **options):
    clock = Clock(step, drift)
    return _import_benchmark(torch).Timer("clock.advance_time()", timer=clock, globals={"clock": clock}, **options)


def _make_measurement(torch, times, number=10, stmt="x + y", setup="pass", **names):
    bench = _import_benchmark(torch)
    return bench.Measurement(number, times, bench.TaskSpec(stmt, setup, **names))


STABLE = [1.01e-3, 1e-3, 0.99e-3, 1.02e-3, 1e-3, 1.03e-3]
WIDE = [1e-3, 2e-3, 3e-3, 4e-3, 5e-3]
NOISY = [1e-3, 1.05e-3, 1.1e-3, 1.17e-3, 1.2e-3]

MEASUREMENTS = {
    "one time": lambda t: _make_measurement(t, [3e-5]),
    "steady": lambda t: _make_measurement(t, STABLE),
    "wide": lambda t: _make_measurement(t, WIDE, num_threads=4),
    "somewhat wide": lambda t: _make_measurement(t, NOISY, label="add", sub_label="small", description="n=1", env="A"),
    "a block": lambda t: _make_measurement(
        t, [2.0], stmt="a = 1\nb = 2", setup="import os\nimport sys", sub_label="two"
    ),
    "a line of setup": lambda t: _make_measurement(t, [1e-9, 2e-9, 3e-9], setup="import os"),
    "no times": lambda t: _make_measurement(t, []),
}
STATISTICS = (
    "times",
    "median",
    "mean",
    "iqr",
    "significant_figures",
    "has_warnings",
    "title",
    "as_row_name",
    "env",
    "stmt",
    "num_threads",
    "unknown",
)


def _read_statistics(value):
    return f"{value:.9g}" if isinstance(value, float) else value


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_measurements_are_torchs(name, mt, oracle):
    def read_measurement(torch):
        measurement = MEASUREMENTS[name](torch)
        copies = copy.deepcopy(measurement), pickle.loads(pickle.dumps(measurement))
        return [
            *(outcome(lambda _, key=key: _read_statistics(getattr(measurement, key)), torch) for key in STATISTICS),
            *(outcome(lambda _, one=one: repr(one), torch) for one in (measurement, *copies)),
        ]

    assert read_measurement(mt) == read_measurement(oracle)


def test_measurement_shows_all_its_statistics(mt):
    text = repr(MEASUREMENTS["somewhat wide"](mt)).splitlines()
    assert normalise(text[0]) == "<torch.utils.benchmark.utils.common.Measurement object at 0x>"
    assert text[1:] == [
        "add: small",
        "n=1",
        "  Median: 110.00 us",
        "  IQR:    12.00 us (105.00 to 117.00)",
        "  5 measurements, 10 runs per measurement, 1 thread",
        "  WARNING: Interquartile range is 10.9% of the median measurement.",
        "           This could indicate system fluctuation.",
    ]


def _measure_grid(torch, **shared):
    return [
        _make_measurement(
            torch,
            [time * (1 + n) * scale for time in times],
            description=f"n={n}",
            sub_label=sub,
            label=label,
            num_threads=threads,
            **shared,
        )
        for label in ("add", None)
        for threads in (1, 4)
        for sub, scale, times in (("small", 1, STABLE), ("large", 7, NOISY), ("wide", 1.04, WIDE))
        for n in range(3)
        if (threads, sub, n) != (4, "large", 1)
    ]


def _print_comparison(torch, results, *options):
    compare = _import_benchmark(torch).Compare(results)
    for option in options:
        name, *args = option.split()
        getattr(compare, name)(*map(bool, args))
    return str(compare)


TABLES = {
    "a grid": lambda t: _print_comparison(t, _measure_grid(t)),
    "trimmed": lambda t: _print_comparison(t, _measure_grid(t), "trim_significant_figures"),
    "columns coloured": lambda t: _print_comparison(t, _measure_grid(t), "colorize"),
    "rows coloured": lambda t: _print_comparison(t, _measure_grid(t), "colorize rowwise"),
    "warnings": lambda t: _print_comparison(t, _measure_grid(t), "highlight_warnings"),
    "all": lambda t: _print_comparison(
        t, _measure_grid(t), "highlight_warnings", "trim_significant_figures", "colorize"
    ),
    "environments": lambda t: _print_comparison(
        t, _measure_grid(t, env="new") + _measure_grid(t, env="older"), "colorize rowwise"
    ),
    "an environment for some": lambda t: _print_comparison(t, _measure_grid(t, env="new") + _measure_grid(t)),
    "replicates": lambda t: _print_comparison(t, _measure_grid(t) + _measure_grid(t)),
    "one": lambda t: _print_comparison(t, [_make_measurement(t, STABLE, description="d")]),
    "no description": lambda t: _print_comparison(t, [_make_measurement(t, STABLE)]),
    "nothing": lambda t: _print_comparison(t, []),
    "no times": lambda t: _print_comparison(t, [_make_measurement(t, [], description="d")]),
    "no measurement": lambda t: _print_comparison(t, [3]),
    "long and short": lambda t: _print_comparison(
        t,
        [
            _make_measurement(t, [5e-8], stmt="a", description="d"),
            _make_measurement(t, [3.0], stmt="b", description="d"),
        ],
        "trim_significant_figures",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_torchs(name, mt, oracle):
    assert outcome(TABLES[name], mt) == outcome(TABLES[name], oracle)


def test_print_prints_the_table(mt, capsys):
    results = _measure_grid(mt)
    _import_benchmark(mt).Compare(results).print()
    assert capsys.readouterr().out == _print_comparison(mt, results) + "\n"


def _record_timed_runs(torch, method, **options):
    seen = []
    getattr(_make_timer(torch, 1e-4, 0.01), method)(
        callback=lambda number, time: seen.append((number, time)), **options
    )
    return seen


TIMED = {
    "timeit": lambda t: repr(_make_timer(t).timeit(50)),
    "timeit of names": lambda t: repr(_make_timer(t, label="l", sub_label="s", description="d", env="e").timeit(2)),
    "blocked_autorange": lambda t: repr(_make_timer(t, 1e-4, 0.01).blocked_autorange()),
    "blocked_autorange of a slow statement": lambda t: repr(_make_timer(t, 0.7).blocked_autorange(min_run_time=1)),
    "adaptive_autorange": lambda t: repr(_make_timer(t, 1e-4, 0.01).adaptive_autorange()),
    "adaptive_autorange of a wild statement": lambda t: repr(_make_timer(t, 0.4, 3).adaptive_autorange(max_run_time=9)),
    "blocked callback": lambda t: _record_timed_runs(t, "blocked_autorange"),
    "adaptive callback": lambda t: _record_timed_runs(t, "adaptive_autorange", threshold=0.5),
    "a clock that stands": lambda t: repr(_import_benchmark(t).Timer("1", timer=lambda: 0.0).timeit(10)),
    "a block of code": lambda t: repr(
        _import_benchmark(t)
        .Timer(
            """
        for i in range(2):
            torch.ones(1)
    """,
            "\n    x = 1\n",
            timer=lambda: 0.0,
        )
        .timeit(10)
    ),
    "threads": lambda t: [
        _import_benchmark(t)
        .Timer("seen.append(torch.get_num_threads())", num_threads=3, timer=lambda: 0.0, globals={"seen": (seen := [])})
        .timeit(1)
        .num_threads,
        seen,
    ],
    "repeat": lambda t: _make_timer(t).repeat(),
    "autorange": lambda t: _make_timer(t).autorange(),
    "no string": lambda t: _import_benchmark(t).Timer(len),
    "global_setup": lambda t: _import_benchmark(t).Timer("1", global_setup="#include <map>"),
    "a language": lambda t: _import_benchmark(t).Timer("1", language="fortran"),
    "C++ with globals": lambda t: _import_benchmark(t).Timer("1;", language="c++", globals={"x": 1}),
    "a failing statement": lambda t: _import_benchmark(t).Timer("1 / 0").timeit(1),
    "no repeats": lambda t: _make_timer(t).collect_callgrind(repeats=0),
}


@pytest.mark.parametrize("name", TIMED)
def test_timers_measure_as_torchs(name, mt, oracle):
    before = mt.get_num_threads()
    assert outcome(TIMED[name], mt) == outcome(TIMED[name], oracle)
    assert mt.get_num_threads() == before


def test_features_of_other_tools_raise(mt):
    bench = _import_benchmark(mt)
    with pytest.raises(NotImplementedError, match="torch.utils.benchmark.Timer.collect_callgrind"):
        bench.Timer("1").collect_callgrind()
    with pytest.raises(NotImplementedError, match="C\\+\\+"):
        bench.Timer("int x = 1;", language=bench.Language.CPP).timeit(1)


HELPERS = {
    "units": lambda t: [
        _import_benchmark(t).select_unit(x) for x in (1e-10, 1e-9, 3e-7, 1e-6, 9.99e-4, 1e-3, 0.5, 1.0, 1e4)
    ],
    "the unit of nothing": lambda t: _import_benchmark(t).select_unit(0.0),
    "the unit of less": lambda t: _import_benchmark(t).select_unit(-1.0),
    "unit names": lambda t: [_import_benchmark(t).unit_to_english(u) for u in ("ns", "us", "ms", "s")],
    "an unknown unit": lambda t: _import_benchmark(t).unit_to_english("h"),
    "figures": lambda t: [
        _import_benchmark(t).trim_sigfig(x, n) for x in (3.14159, 123456.0, 0.00271828, -7.5) for n in (1, 2, 4)
    ],
    "half a figure": lambda t: _import_benchmark(t).trim_sigfig(3.14, 1.5),
    "unique": lambda t: _import_benchmark(t).ordered_unique([3, 1, 3, 2, 1]),
    "a title": lambda t: [
        _import_benchmark(t).TaskSpec(*given).title for given in (("a", "b"), ("a\nb", ""), ("a", "", "", "l"))
    ],
    "specs": lambda t: (
        _import_benchmark(t).TaskSpec("a", "b") == _import_benchmark(t).TaskSpec(stmt="a", setup="b", num_threads=1)
    ),
    "merged": lambda t: [
        (m.title, m.times)
        for m in _import_benchmark(t).Measurement.merge(
            [
                _make_measurement(t, [1.0, 2.0]),
                _make_measurement(t, [3.0], stmt="z"),
                _make_measurement(t, [4.0], number=2),
            ]
        )
    ],
}


@pytest.mark.parametrize("name", HELPERS)
def test_helpers_are_torchs(name, mt, oracle):
    assert outcome(HELPERS[name], mt) == outcome(HELPERS[name], oracle)


def _make_fuzzer(torch, extra=(), constraints=None, **tensor):
    bench = _import_benchmark(torch)
    parameters = [
        bench.FuzzedParameter("k0", 4, 64, distribution="loguniform"),
        [
            bench.FuzzedParameter("k1", 2, 9, "uniform", strict=True),
            bench.FuzzedParameter("share", 0.0, 1.5, "uniform"),
        ],
        bench.FuzzedParameter("dim", 1, 3, "uniform"),
        *extra,
    ]
    tensors = [
        bench.FuzzedTensor(
            "x", size=("k0", "k1", 3), steps=(1, 2), dim_parameter="dim", probability_contiguous=0.3, **tensor
        ),
        [bench.FuzzedTensor("n", size=("k1", 2), dtype=torch.int64)],
    ]
    return bench.Fuzzer(parameters, tensors, constraints=constraints, seed=11)


def _list_fuzzed_tensors(torch, count=6, **options):
    fuzzer = _make_fuzzer(torch, **options)
    taken = [
        (
            {name: (tensor.tolist(), tensor.stride()) for name, tensor in tensors.items()},
            {name: {**found, "order": list(map(int, found["order"]))} for name, found in properties.items()},
            {name: repr(value) for name, value in params.items()},
        )
        for tensors, properties, params in fuzzer.take(count)
    ]
    return taken, fuzzer.rejection_rate


FUZZED = {
    "tensors": lambda t: _list_fuzzed_tensors(t),
    "limits": lambda t: _list_fuzzed_tensors(t, min_elements=20, max_elements=200, max_allocation_bytes=600),
    "constraints": lambda t: _list_fuzzed_tensors(t, constraints=[lambda params: params["k0"] > 2 * params["k1"]]),
    "constraints that nothing holds": lambda t: _list_fuzzed_tensors(t, constraints=[lambda params: False]),
    "a constructor": lambda t: _list_fuzzed_tensors(
        t, tensor_constructor=lambda size, dtype, k0, **others: t.full(size, k0, dtype=dtype)
    ),
    "half types": lambda t: _list_fuzzed_tensors(t, dtype=t.bfloat16, max_allocation_bytes=100),
    "an alias": lambda t: _import_benchmark(t).Fuzzer._resolve_aliases(
        {"a": 1, "b": _import_benchmark(t).ParameterAlias("c"), "c": _import_benchmark(t).ParameterAlias("a")}
    ),
    "a cycle": lambda t: _import_benchmark(t).Fuzzer._resolve_aliases(
        {"b": _import_benchmark(t).ParameterAlias("c"), "c": _import_benchmark(t).ParameterAlias("b")}
    ),
    "an unknown distribution": lambda t: _import_benchmark(t).FuzzedParameter("a", 1, 2, "normal"),
    "no distribution": lambda t: _import_benchmark(t).FuzzedParameter("a", 1, 2),
    "negative shares": lambda t: _import_benchmark(t).FuzzedParameter("a", distribution={1: -0.5, 2: 1.5}),
    "one name twice": lambda t: _make_fuzzer(t, extra=[_import_benchmark(t).FuzzedParameter("x", 1, 2, "uniform")]),
}


@pytest.mark.parametrize("name", FUZZED)
def test_fuzzed_tensors_are_torchs(name, mt, oracle):
    assert outcome(FUZZED[name], mt) == outcome(FUZZED[name], oracle)


def test_choices_have_the_shares_that_add_up_to_one(mt):
    bench = _import_benchmark(mt)
    choice = bench.FuzzedParameter("y", distribution={1: 0.5, bench.ParameterAlias("k0"): 0.5})
    drawn = [(params["y"], params["k0"]) for *_, params in _make_fuzzer(mt, extra=[choice]).take(20)]
    assert {y == k0 for y, k0 in drawn} == {True, False} and all(y in (1, k0) for y, k0 in drawn)
    assert isinstance(choice.sample(np.random.RandomState(0)), (int, bench.ParameterAlias))
    with pytest.raises(AssertionError, match="Distribution is not normalized"):
        bench.FuzzedParameter("y", distribution={1: 0.5, 2: 0.6})
    with pytest.raises(AssertionError, match="'minval' must be None"):
        bench.FuzzedParameter("y", 1, distribution={1: 1.0})
