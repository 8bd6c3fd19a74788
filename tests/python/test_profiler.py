"""The profiler: the same program has the same events and errors as in real torch, for any schedule."""

import importlib
import threading
import warnings

import pytest
from profiles import find_maxima, import_profilers, profile_call, run_forward

INPUTS = ("input_shapes", "structured_input_shapes", "structured_input_strides", "input_dtypes")


def test_profiled_calls_have_torchs_names_shapes_and_dtypes(mt, oracle):
    def list_calls(torch):
        found = find_maxima(profile_call(torch, run_forward, record_shapes=True), *INPUTS)
        return found[[name for name, *_ in found].index("aten::mm") :]  # torch.tensor consists of other calls

    ours, theirs = list_calls(mt), list_calls(oracle)
    assert ours == theirs
    assert ("aten::cat", [[], []], [[[2, 3], [2, 3]], []], [[[3, 1], [3, 1]], []], ["TensorList", "Scalar"]) in ours


def test_concrete_inputs_are_numbers_and_lists_of_them(mt, oracle):
    def call_with_concrete_inputs(torch):
        torch.full((2,), 3.5)
        a = torch.ones(2, 3)
        a.sum(dim=[0, 1])
        torch.transpose(a, 0, 1)
        torch.add(a, a, alpha=2)

    ours, theirs = (
        dict(find_maxima(profile_call(t, call_with_concrete_inputs, record_shapes=True), "concrete_inputs"))
        for t in (mt, oracle)
    )
    for name in ("aten::sum", "aten::transpose", "aten::add"):
        assert ours[name] == theirs[name]
    assert ours["aten::full"][:2] == theirs["aten::full"][:2] == [[2], 3.5]


def test_without_record_shapes_there_are_none(mt):
    assert all(
        event.input_shapes == [] and event.concrete_inputs == [] for event in profile_call(mt, run_forward).events()
    )


def test_ranges_and_calls_nest(mt, oracle):
    def nest_ranges(torch):
        ranges = torch.autograd.profiler.record_function
        with ranges("outer"):
            with ranges("inner"):
                torch.ones(2) + torch.ones(2)
            torch.ones(2) * torch.ones(2)

        @ranges("decorated")
        def type_name_of(x):
            """Texts of the library's own."""
            return x - x

        assert type_name_of(torch.ones(2)).tolist() == [0, 0] and type_name_of.__doc__ == "Texts of the library's own."

    def list_enclosing_ranges(torch):
        found = []
        for event in profile_call(torch, nest_ranges).events():
            chain = [event]
            while chain[-1].cpu_parent is not None:
                chain.append(chain[-1].cpu_parent)
            if all(e.is_user_annotation for e in chain[1:]):
                found.append([(e.name, e.is_user_annotation, e.scope) for e in chain])
        return [chain for chain in found if chain[0][0] not in ("aten::resolve_conj", "aten::resolve_neg")]

    assert list_enclosing_ranges(mt) == list_enclosing_ranges(oracle)
    assert list_enclosing_ranges(mt)[0] == [("outer", True, 7)]


def run_backward(torch):
    x = torch.ones(2, 2, requires_grad=True)
    w = torch.full((2, 2), 3.0, requires_grad=True)
    ((x * w).exp() @ w).sum().backward()


def test_the_backward_pass_is_linked_to_its_operators(mt, oracle):
    attributes = ("sequence_nr", "fwd_thread", "scope")

    def list_backward_nodes(torch):
        events = profile_call(torch, run_backward, record_shapes=True)
        chosen = [row for row in find_maxima(events, *attributes) if row[0].startswith("autograd::")]
        inner = [event for event in events.events() if event.scope == 1]
        return chosen, [(event.name, event.input_shapes, event.cpu_parent.name) for event in inner]

    assert list_backward_nodes(mt) == list_backward_nodes(oracle)
    profile = profile_call(mt, run_backward)
    by_name = {event.name: event for event in reversed(profile.events())}
    assert by_name["MulBackward0"].sequence_nr == by_name["aten::mul"].sequence_nr
    assert by_name["MulBackward0"].fwd_thread == by_name["aten::exp"].thread
    assert by_name["torch::autograd::AccumulateGrad"].sequence_nr == -1


def test_custom_functions_have_a_forward_and_a_node(mt, oracle):
    def apply_custom_function(torch):
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

    def list_function_events(torch):
        return [
            (event.name, event.scope, [child.name for child in event.cpu_children])
            for event in profile_call(torch, apply_custom_function).events()
            if event.name in wanted
        ]

    assert list_function_events(mt) == list_function_events(oracle)


def test_modes_decide_whether_a_call_may_be_linked(mt, oracle):
    def multiply_in_modes(torch):
        x = torch.ones(2)
        x * x
        with torch.no_grad():
            x * x
        with torch.inference_mode():
            x * x
            y = torch.zeros(2)
        y + y

    ours, theirs = (find_maxima(profile_call(t, multiply_in_modes), "sequence_nr") for t in (mt, oracle))
    assert ours == theirs


def test_steps_of_an_optimizer_are_named(mt, oracle):
    def step_optimizer(torch):
        p = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.AdamW([p])
        p.grad = torch.ones(2)
        optimizer.step()
        optimizer.zero_grad()

    def list_annotations(torch):
        return [
            row
            for row in find_maxima(profile_call(torch, step_optimizer), "is_user_annotation")
            if "Optimizer" in row[0]
        ]

    assert list_annotations(mt) == list_annotations(oracle)
    assert [name for name, _ in list_annotations(mt)] == [
        "Optimizer.step#AdamW.step",
        "Optimizer.zero_grad#AdamW.zero_grad",
    ]


def test_batches_of_a_loader_are_named(mt, oracle):
    def iterate_loader(torch):
        for _ in torch.utils.data.DataLoader(torch.arange(4), batch_size=2):
            pass

    def list_loader_events(torch):
        return [name for (name,) in find_maxima(profile_call(torch, iterate_loader)) if "DataLoader" in name]

    assert list_loader_events(mt) == list_loader_events(oracle)
    assert len(list_loader_events(mt)) == 3


def allocate_memory(torch):
    kept = torch.empty(100)
    for size in (10, 1000):
        torch.empty(size)
    with torch.autograd.profiler.record_function("inside"):
        both = kept + kept
    del kept, both


def test_memory_is_counted_where_it_is_taken(mt, oracle):
    def list_memory_counts(torch):
        found = find_maxima(
            profile_call(torch, allocate_memory, profile_memory=True), "cpu_memory_usage", "self_cpu_memory_usage"
        )
        return found

    assert list_memory_counts(mt) == list_memory_counts(oracle)
    assert ("[memory]", -4000, -4000) in list_memory_counts(mt) and ("inside", 400, 0) in list_memory_counts(mt)


def test_memory_from_before_is_not_counted(mt):
    kept = [mt.ones(10)]

    def free_kept_tensors(torch):
        kept.clear()

    assert profile_call(mt, free_kept_tensors, profile_memory=True).events() == []


@pytest.mark.parametrize("accumulates", [False, True])
def test_a_schedule_hands_over_the_steps_it_names(mt, oracle, accumulates):
    def describe_steps(torch):
        profiler, _ = import_profilers(torch)
        ready = []
        schedule = profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
        a = torch.ones(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with profiler.profile(
                schedule=schedule,
                acc_events=accumulates,
                on_trace_ready=lambda p: ready.append((p.step_num, find_maxima(p, "trace_name"))),
            ) as profile:
                for _ in range(11):
                    a + a
                    profile.step()
        return ready, [event.name for event in profile.events()], [schedule(step).name for step in range(12)]

    assert describe_steps(mt) == describe_steps(oracle)
    assert describe_steps(mt)[0][0] == (5, [("ProfilerStep*", "ProfilerStep#3"), ("ProfilerStep*", "ProfilerStep#4")])


@pytest.mark.parametrize("first, second", [("NONE", "RECORD"), ("WARMUP", "NONE"), ("WARMUP", "RECORD_AND_SAVE"),
                                           ("RECORD", "NONE"), ("RECORD", "RECORD"), ("RECORD_AND_SAVE", "WARMUP"),
                                           ("RECORD_AND_SAVE", "RECORD"), ("NONE", "DEVICE_STOPPED")])  # fmt: skip
def test_any_schedule_matches_torch(mt, oracle, first, second):
    def describe_steps(torch):
        profiler, inner = import_profilers(torch)
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

    assert describe_steps(mt) == describe_steps(oracle)


def collect_errors(torch):
    profiler, inner = import_profilers(torch)
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
        lambda: profile_call(torch, run_forward).key_averages().table(sort_by="nothing"),
        lambda: profile_call(torch, run_forward).export_stacks("/tmp/x", "nothing"),
        lambda: profile_call(torch, run_forward).export_memory_timeline("/tmp/x"),
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
    for ours, theirs in zip(collect_errors(mt), collect_errors(oracle), strict=True):
        assert ours == theirs


def test_later_of_two_recordings_has_the_calls(mt, oracle):
    def record_twice(torch):
        _, inner = import_profilers(torch)
        a = torch.ones(2)
        with inner.profile() as first:
            a + a
            with inner.profile() as second:
                a * a
            a - a
        return [[event.name for event in profile.function_events] for profile in (first, second)]

    assert record_twice(mt) == record_twice(oracle) == [[], ["aten::mul"]]


def test_a_call_that_fails_is_closed(mt, oracle):
    def fail_within_profile(torch):
        with pytest.raises(RuntimeError):
            torch.mm(torch.ones(2), torch.ones(2))
        torch.ones(1)

    ours, theirs = (find_maxima(profile_call(t, fail_within_profile)) for t in (mt, oracle))
    assert ours == theirs
    assert ours[-2:] == [("aten::mm",), ("aten::ones",)]


def test_other_threads_are_not_recorded_and_may_record_themselves(mt):
    found = []

    def record_on_thread():
        mt.ones(2) * 2
        found.append([name for (name,) in find_maxima(profile_call(mt, lambda torch: torch.zeros(2)))])

    def call_on_other_thread(torch):
        thread = threading.Thread(target=record_on_thread)
        thread.start()
        thread.join()
        torch.ones(3)

    assert find_maxima(profile_call(mt, call_on_other_thread)) == [("aten::ones",)]
    assert found == [["aten::zeros"]]


def test_a_profile_ends_with_its_ranges_open(mt):
    profiler, inner = import_profilers(mt)
    profile = profiler.profile()
    with inner.record_function("before"):
        profile.start()
        with inner.record_function("open"):
            mt.ones(2)
            profile.stop()
            mt.zeros(2)
    assert [event.name for event in profile.events()] == ["open", "aten::ones"]


def test_functionalize_works_through_transforms_and_modes(mt, oracle):
    def call_under_functionalize(torch):
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

    def list_calls(torch):
        return [
            name
            for (name,) in find_maxima(profile_call(torch, call_under_functionalize))
            if name in ("aten::sin", "aten::cos", "aten::mm")
        ]

    assert list_calls(mt) == list_calls(oracle) == ["aten::sin", "aten::cos", "aten::mm"]


def test_calls_of_a_pipeline_are_recorded_when_they_run(mt):
    def run_pipeline(torch):
        a = torch.ones(4)
        with torch.pipeline():
            b = torch.exp(a)
            c = b + b
            with torch.autograd.profiler.record_function("looks"):
                c.sum().tolist()

    profile = profile_call(mt, run_pipeline)
    (looks,) = (event for event in profile.events() if event.name == "looks")
    assert [child.name for child in looks.cpu_children] == ["mindtorch::chain", "aten::sum"]


def test_results_are_the_same_with_and_without(mt):
    def compute_values(torch):
        x = torch.arange(6.0).view(2, 3).requires_grad_()
        y = (x.softmax(1) @ x.t()).sum()
        y.backward()
        return [y.tolist(), x.grad.tolist(), x.grad.stride(), x._version]

    seen = []
    profile_call(
        mt, lambda torch: seen.append(compute_values(torch)), record_shapes=True, profile_memory=True, with_stack=True
    )
    assert seen == [compute_values(mt)]
    assert not mt._C._profiler.enabled()


def test_tools_of_others_answer_as_in_a_cpu_build(mt):
    profiler, inner = import_profilers(mt)
    assert profiler.supported_activities() == {profiler.ProfilerActivity.CPU} and profiler.kineto_available()
    assert not profiler.itt.is_available()
    with pytest.raises(RuntimeError, match="ITT functions not installed. Are you sure you have a ITT build?"):
        profiler.itt.range_push("a")
    with pytest.raises(NotImplementedError, match="emit_itt is not available"):
        inner.emit_itt().__enter__()
    with pytest.raises(NotImplementedError, match="ExecutionTraceObserver is not available"):
        profiler.ExecutionTraceObserver().register_callback("x")
