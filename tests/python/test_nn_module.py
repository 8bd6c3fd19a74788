"""nn.Module: registration, attributes, hooks, saving, loading and errors match torch."""

import copy
import inspect
from collections import OrderedDict

import pytest
from outcomes import outcome


def _describe_outcome(call):
    """The result, or the error's type and text."""
    try:
        return call()
    except Exception as error:
        return (type(error).__name__, str(error).replace("mindtorch.", "torch."))


def _list_members(module):
    return (
        list(module._parameters),
        list(module._buffers),
        list(module._modules),
        sorted(module._non_persistent_buffers_set),
        list(module.state_dict()),
    )


def _register_members(t):
    n = t.nn
    values = (None, n.Parameter(t.ones(1)), t.ones(1), 3, n.Linear(1, 1))
    seen = []
    for name in (1, "a.b", "", "weight", "forward", "new"):
        for value in values:
            for method in ("register_parameter", "register_buffer", "add_module", "register_module"):
                module = n.Linear(2, 2)
                seen.append(_describe_outcome(lambda m=module, k=method, a=name, b=value: getattr(m, k)(a, b)))
                seen.append(_list_members(module))
    return seen


def _assign_attributes(t):
    n = t.nn
    seen = []
    for name in ("weight", "running", "child", "plain", "new"):
        for make in (
            lambda: None,
            lambda: n.Parameter(t.ones(1)),
            lambda: t.ones(1),
            lambda: 3,
            lambda: n.Linear(1, 1),
            lambda: n.Buffer(t.ones(1)),
            lambda: n.Buffer(t.ones(1), persistent=False),
        ):
            module = n.Linear(2, 2)
            module.register_buffer("running", t.zeros(1))
            module.register_buffer("passing", t.zeros(1), persistent=False)
            module.child, module.plain = n.ReLU(), 1
            seen.append(_describe_outcome(lambda m=module, k=name, v=make(): setattr(m, k, v)))
            seen.append((_list_members(module), "plain" in module.__dict__, repr(module)))
            seen.append(_describe_outcome(lambda m=module, k=name: delattr(m, k)))
            seen.append(_list_members(module))
    return seen


def _use_before_init(t):
    class Module(t.nn.Module):
        def __init__(self, case):
            if case == "parameter":
                self.p = t.nn.Parameter(t.ones(1))
            elif case == "module":
                self.m = t.nn.Linear(1, 1)
            elif case == "buffer":
                self.register_buffer("a", t.ones(1))
            elif case == "register":
                self.register_parameter("a", None)
            elif case == "read":
                self.missing = self.x
            elif case == "positional":
                super().__init__(3)
            elif case == "keyword":
                super().__init__(a=3)

    cases = ("parameter", "module", "buffer", "register", "read", "positional", "keyword")
    return [_describe_outcome(lambda c=case: Module(c) and None) for case in cases]


def _make_network(t):
    t.manual_seed(0)
    inner = t.nn.Sequential(t.nn.Linear(3, 1))
    return t.nn.Sequential(OrderedDict(a=t.nn.Linear(2, 3), b=t.nn.BatchNorm1d(3), c=inner))


def _load_states(t):
    saved = _make_network(t).state_dict()
    seen = []

    def load_changed_state(change, **options):
        state = copy.copy(saved)
        state._metadata = copy.copy(saved._metadata)
        change(state)
        network = _make_network(t)
        seen.append(_describe_outcome(lambda: repr(network.load_state_dict(state, **options))))
        seen.append([str(v.dtype) for v in network.state_dict().values()])

    def replace_entries(state):
        state.pop("a.weight")
        state.update({"zz": 1, "a.q": t.ones(1), "c.0.x.y": 3})

    def drop_batch_count(state):
        state.pop("b.num_batches_tracked")
        state._metadata = OrderedDict()

    load_changed_state(lambda s: None)
    load_changed_state(replace_entries)
    load_changed_state(replace_entries, strict=False)
    load_changed_state(lambda s: s.update({"a.weight": t.ones(5)}))
    load_changed_state(lambda s: s.update({"a.weight": t.ones(5)}), strict=False)
    load_changed_state(lambda s: s.update({"a.weight": 3}))
    load_changed_state(lambda s: s.update({"a.weight": t.ones(3, 2, dtype=t.float64)}), assign=True)
    load_changed_state(lambda s: s.pop("b.num_batches_tracked"))
    load_changed_state(drop_batch_count)
    seen.append(_describe_outcome(lambda: _make_network(t).load_state_dict(3)))
    seen.append(dict(saved._metadata))
    seen.append(list(_make_network(t).state_dict(prefix="q.")))
    seen.append(list(_make_network(t).state_dict(OrderedDict(), "p.")))
    return seen


def _use_extra_state(t):
    class Extra(t.nn.Module):
        def get_extra_state(self):
            return {"k": 1}

        def set_extra_state(self, state):
            self.taken = state

    network = t.nn.Sequential(Extra(), t.nn.Linear(1, 1))
    state = network.state_dict()
    seen = [list(state), repr(network.load_state_dict(state)), network[0].taken]
    state.pop("0._extra_state")
    seen.append(_describe_outcome(lambda: network.load_state_dict(state)))
    state["1._extra_state"] = 3
    seen.append(_describe_outcome(lambda: network.load_state_dict(state)))
    return seen


def _use_forward_hooks(t):
    seen = []
    module = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.ReLU())
    handles = [
        module.register_forward_pre_hook(lambda m, a: seen.append(("pre", len(a)))),
        module.register_forward_pre_hook(
            lambda m, a, k: (seen.append(("pre kw", sorted(k))), (a, k))[1], with_kwargs=True, prepend=True
        ),
        module.register_forward_hook(lambda m, a, o: (seen.append("post"), o * 2)[1]),
        module.register_forward_hook(lambda m, a, k, o: seen.append("post kw"), with_kwargs=True, prepend=True),
    ]
    t.nn.init.ones_(module[0].weight)
    t.nn.init.zeros_(module[0].bias)
    seen.append(module(t.ones(1, 2)).detach())
    for handle in handles:
        handle.remove()
    seen.append((len(module._forward_hooks), len(module._forward_hooks_with_kwargs)))
    module.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)
    seen.append(_describe_outcome(lambda: module(t.ones(1, 2))))
    return seen


def _use_always_called_hooks(t):
    seen = []
    module = t.nn.Linear(2, 2)
    module.register_forward_hook(lambda m, a, o: seen.append(("always", o is None)), always_call=True)
    module.register_forward_hook(lambda m, a, o: 1 / 0, always_call=True)
    module.forward = lambda x: [][0]
    return [_describe_outcome(lambda: module(t.ones(1, 2))), seen]


def _use_backward_hooks(t):
    t.manual_seed(0)
    seen = []
    module = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.ReLU())
    t.nn.init.ones_(module[0].weight)
    t.nn.init.zeros_(module[0].bias)
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0].clone(), go[0].clone())))
    module.register_full_backward_pre_hook(lambda m, go: seen.append(go[0].clone()))
    module[0].register_full_backward_hook(lambda m, gi, go: tuple(None if g is None else g * 3 for g in gi))
    x = t.ones(3, 2, requires_grad=True)
    module(x).sum().backward()
    seen.append(x.grad)
    seen.append(_describe_outcome(lambda: module.register_backward_hook(lambda *a: None)))
    old = t.nn.Linear(2, 2)
    old.register_backward_hook(lambda m, gi, go: seen.append(("old", len(gi))))
    seen.append(_describe_outcome(lambda: old.register_full_backward_hook(lambda *a: None)))
    old(x).sum().backward()

    class Nested(t.nn.Module):
        def forward(self, x):
            return {"a": x * 2}

    nested = Nested()
    nested.register_full_backward_hook(lambda *a: seen.append("never"))
    nested(x)
    return seen


def _use_global_hooks(t):
    m = t.nn.modules.module
    seen = []
    handles = [
        m.register_module_forward_hook(lambda s, a, o: seen.append(("post", type(s).__name__))),
        m.register_module_forward_pre_hook(lambda s, a: seen.append("pre")),
        m.register_module_full_backward_hook(lambda s, gi, go: seen.append("backward")),
        m.register_module_full_backward_pre_hook(lambda s, go: seen.append("before backward")),
        m.register_module_parameter_registration_hook(lambda s, name, p: seen.append(name)),
        m.register_module_buffer_registration_hook(lambda s, name, p: seen.append(name)),
        m.register_module_module_registration_hook(lambda s, name, p: seen.append(name)),
    ]
    try:
        seen.append(_describe_outcome(lambda: m.register_module_backward_hook(lambda *a: None)))
        module = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Tanh())
        module.register_buffer("extra", None)
        module(t.ones(1, 2, requires_grad=True)).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    return seen


def _use_state_hooks(t):
    seen = []
    module = t.nn.Linear(1, 1)
    module.register_state_dict_pre_hook(lambda m, prefix, keep: seen.append((prefix, keep)))

    def record_state(m, state, prefix, metadata):
        seen.append((sorted(state), dict(metadata)))

    module.register_state_dict_post_hook(record_state)
    seen.append(_describe_outcome(lambda: module._register_state_dict_hook(record_state)))
    module.register_load_state_dict_pre_hook(lambda m, *a: seen.append((type(m).__name__, len(a))))
    module.register_load_state_dict_post_hook(lambda m, keys: seen.append(repr(keys)))
    module.load_state_dict(module.state_dict())
    module.register_load_state_dict_post_hook(lambda m, keys: 3)
    seen.append(_describe_outcome(lambda: module.load_state_dict(t.nn.Linear(1, 1).state_dict())))
    module.register_state_dict_post_hook(lambda *a: 3)
    seen.append(_describe_outcome(module.state_dict))
    return seen


def _traverse_modules(t):
    n = t.nn
    m = n.Sequential(n.Linear(2, 2), n.Sequential(n.Linear(2, 2), n.ReLU()), n.ReLU(inplace=True))
    m[1][0].weight = m[0].weight
    seen = [[name for name, _ in walk()] for walk in (m.named_parameters, m.named_buffers, m.named_children)]
    seen.append([name for name, _ in m.named_modules()])
    seen.append([name for name, _ in m.named_parameters(prefix="p", remove_duplicate=False)])
    seen.append([name for name, _ in m.named_parameters(recurse=False)])
    for target in ("", "1", "1.0", "1.0.weight", "3", "1.x", "0.weight"):
        for get in (m.get_submodule, m.get_parameter, m.get_buffer):
            seen.append(_describe_outcome(lambda g=get, k=target: type(g(k)).__name__))
    for target in ("", "1.0", "1.9", "9", "0.weight", "x.y"):
        for strict in (True, False):
            other = copy.deepcopy(m)
            seen.append(_describe_outcome(lambda o=other, k=target, s=strict: o.set_submodule(k, n.Tanh(), s)))
            seen.append(repr(other))
    # `npu` moves modules to a device type that torch's own build does not have.
    seen.append([name for name in dir(m) if not name.startswith("_") and name != "npu"])
    return seen


def _convert_modules(t):
    module = t.nn.Linear(2, 2)
    weight = module.weight
    seen = []
    for cast in ("double", "half", "bfloat16", "float"):
        seen.append([str(p.dtype) for p in getattr(module, cast)().parameters()])
    seen.append(module.weight is weight)
    seen.append(_describe_outcome(lambda: module.to(t.int32)))
    seen.append(_describe_outcome(lambda: module.train(3)))
    module.to(t.float64).to(t.ones(1))
    seen.append([str(p.dtype) for p in module.parameters()])
    module(t.ones(1, 2)).sum().backward()
    module.zero_grad(set_to_none=False)
    seen.append(module.weight.grad)
    module.zero_grad()
    seen.append(module.weight.grad is None)
    meta = module.to("meta")
    seen.append([str(p.device) for p in meta.parameters()])
    seen.append(_describe_outcome(lambda: meta.to("cpu")))
    return seen


def _use_containers(t):
    n = t.nn
    layers = n.ModuleList([n.Linear(1, 1), n.Linear(1, 1), n.ReLU()])
    seen = [repr(layers), repr(layers[1:]), _describe_outcome(lambda: layers[5]), repr(layers + [n.Tanh()])]
    layers.insert(1, n.Tanh())
    del layers[0]
    seen += [repr(layers), _describe_outcome(lambda: layers.extend(3))]
    s = n.Sequential(n.ReLU(), n.Tanh())
    seen += [
        repr(s * 2),
        repr(s + s),
        _describe_outcome(lambda: s + 3),
        _describe_outcome(lambda: s * "a"),
        _describe_outcome(lambda: s * 0),
    ]
    seen += [_describe_outcome(lambda: s[7]), _describe_outcome(lambda: s.insert(9, n.ReLU())), repr(s.pop(0)), repr(s)]
    d = n.ModuleDict({"a": n.ReLU()})
    seen += [
        _describe_outcome(lambda: d.update(3)),
        _describe_outcome(lambda: d.update([3])),
        _describe_outcome(lambda: d.update([(1, 2, 3)])),
    ]
    seen += [list(d.keys()), "a" in d, len(d)]
    p = n.ParameterDict({"b": t.ones(1), "a": t.zeros(2)})
    seen += [
        repr(p),
        _describe_outcome(lambda: p.update(3)),
        _describe_outcome(lambda: p[3]),
        list(p | n.ParameterDict({"q": 1})),
    ]
    seen += [
        _describe_outcome(lambda: p(3)),
        repr(n.ParameterList([t.ones(2), 3])),
        _describe_outcome(lambda: n.ParameterList()[0]),
    ]
    return seen


def _use_lazy_parameters(t):
    parameter = t.nn.UninitializedParameter()
    seen = [
        repr(parameter),
        _describe_outcome(lambda: parameter.shape),
        _describe_outcome(lambda: parameter.share_memory_()),
    ]
    parameter.materialize((2, 3))
    seen += [tuple(parameter.shape), type(parameter).__name__, isinstance(t.nn.Buffer(t.ones(1)), t.nn.Buffer)]
    return seen


def _look_up_attributes(t):
    """Ways in which classes customise attributes and calls, each on top of Module's own."""
    seen = []

    class Fallback(t.nn.Module):
        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return f"made up {name}"

    class Broken(t.nn.Module):
        @property
        def broken(self):
            return self.missing_inside

    class Watched(t.nn.Module):
        def __getattribute__(self, name):
            if name == "weight":
                seen.append("weight was read")
            return super().__getattribute__(name)

    class Called(t.nn.Linear):
        def __call__(self, *args):
            seen.append("called")
            return super().__call__(*args)

    for kind in (Fallback, Broken, Watched):
        module = kind()
        module.weight = t.nn.Parameter(t.ones(1))
        module.child = t.nn.ReLU()
        module.register_buffer("running", t.zeros(1))
        for name in ("weight", "child", "running", "broken", "nothing"):
            seen.append(_describe_outcome(lambda m=module, k=name: str(getattr(m, k))))
        seen.append([hasattr(module, name) for name in ("weight", "broken", "nothing")])
    module = Called(1, 1)
    seen.append(module(t.zeros(1)).shape)
    module.forward = lambda x: "an instance's own forward"
    seen.append(module(1))
    plain = t.nn.Identity()
    seen.append([plain(3), _describe_outcome(lambda: plain(1, 2)), plain.__call__(4), type(plain).__call__(plain, 5)])
    return seen


SITUATIONS = {
    "lookups": _look_up_attributes,
    "registrations": _register_members,
    "assignments": _assign_attributes,
    "before __init__": _use_before_init,
    "loads": _load_states,
    "extra state": _use_extra_state,
    "forward hooks": _use_forward_hooks,
    "always called hooks": _use_always_called_hooks,
    "backward hooks": _use_backward_hooks,
    "global hooks": _use_global_hooks,
    "state hooks": _use_state_hooks,
    "walks": _traverse_modules,
    "conversions": _convert_modules,
    "containers": _use_containers,
    "lazy parameters": _use_lazy_parameters,
    "missing forward": lambda t: t.nn.Module()(3),
    "old names": lambda t: [t.nn.Container(a=t.nn.ReLU()), t.nn.NLLLoss2d()],
    "distributed": lambda t: t.nn.parallel.DistributedDataParallel(t.nn.Linear(1, 1)),
    "factory arguments": lambda t: [t.nn.factory_kwargs({"dtype": 1}), t.nn.factory_kwargs({"q": 1})],
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_module_behaves_as_torchs(mt, oracle, name):
    ours, theirs = outcome(SITUATIONS[name], mt), outcome(SITUATIONS[name], oracle)
    assert ours == theirs


def test_a_module_pickles_under_torchs_name(run_as_torch):
    program = """
import pickle, torch
module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
text = pickle.dumps(module)
assert b"torch.nn.modules.linear" in text
assert repr(pickle.loads(text)) == repr(module)
"""
    run_as_torch(program).ok()


def test_patched_module_call_is_used(mt, monkeypatch):
    seen = []
    plain_call = mt.nn.Module.__call__

    def make_recorder(self, *args, **kwargs):
        seen.append(type(self).__name__)
        return plain_call(self, *args, **kwargs)

    monkeypatch.setattr(mt.nn.Module, "__call__", make_recorder)
    mt.nn.Identity()(1)
    assert seen == ["Identity"]


def test_modules_of_real_torch_become_ours_where_they_join_ours(mt, oracle):
    theirs = oracle.nn.Sequential(oracle.nn.Linear(2, 3), oracle.nn.BatchNorm1d(3), oracle.nn.ReLU()).double().eval()
    theirs[0].weight.grad = oracle.ones(3, 2, dtype=oracle.float64)
    theirs[0].again = theirs[1]
    (ours,) = mt.nn.ModuleList([theirs])
    assert type(ours) is mt.nn.Sequential and type(ours[0].weight) is mt.nn.Parameter
    assert repr(ours) == repr(theirs) and list(ours.state_dict()) == list(theirs.state_dict())
    assert ours[0].again is ours[1] and not ours.training
    assert ours[0].weight.grad.tolist() == theirs[0].weight.grad.tolist()
    x = [[1.0, 2.0], [3.0, -1.0]]
    expected = theirs(oracle.tensor(x, dtype=oracle.float64)).tolist()
    assert ours(mt.tensor(x, dtype=mt.float64)).tolist() == [pytest.approx(row) for row in expected]
    with oracle.no_grad():
        theirs[0].weight.fill_(4)
    assert ours[0].weight.tolist() == [[4.0, 4.0]] * 3  # the same memory


def test_functions_that_modules_of_real_torch_hold_become_ours(mt, oracle):
    theirs = oracle.nn.TransformerEncoderLayer(4, 2, 8, activation=oracle.nn.functional.gelu)
    ours = mt.nn.Sequential(theirs)[0]
    assert ours.activation is mt.nn.functional.gelu


def test_modules_of_a_programs_own_class_over_real_torch_are_refused(mt, oracle):
    class Own(oracle.nn.Module):
        pass

    for theirs in (Own(), oracle.nn.Sequential(Own())):
        with pytest.raises(TypeError, match="Own is not a Module subclass"):
            mt.nn.ModuleList([theirs])


def test_a_module_has_torchs_signature(mt, oracle):
    def list_signatures(torch):
        linear = torch.nn.Linear(2, 2)
        of = (linear, linear.__call__, linear._call_impl)
        return [str(inspect.signature(item)) for item in of]

    assert list_signatures(mt) == list_signatures(oracle)


def test_registries_of_global_hooks_may_be_replaced(mt, oracle):
    import importlib
    from collections import OrderedDict

    def replace_hook_registries(torch):
        home = importlib.import_module(f"{torch.__name__}.nn.modules.module")
        module, x, seen = torch.nn.Linear(1, 1), torch.ones(1, requires_grad=True), []
        before = {
            name: getattr(home, name) for name in vars(home) if name.startswith("_global_") and name.endswith("hooks")
        }
        try:
            home.register_module_forward_hook(lambda *arguments: seen.append("forward"))
            home.register_module_forward_pre_hook(lambda *arguments: seen.append("pre"))
            module(x)
            kept = home._global_forward_hooks
            home._global_forward_hooks = OrderedDict()
            module(x)
            home._global_forward_pre_hooks = OrderedDict()
            module(x)
            home._global_forward_hooks = kept
            module(x)
            home.register_module_forward_hook(lambda *arguments: seen.append("second"))
            module(x)
            return seen, home._global_is_full_backward_hook
        finally:
            for name, registry in before.items():
                setattr(home, name, registry)
            home._global_forward_hooks.clear()
            home._global_forward_pre_hooks.clear()

    assert replace_hook_registries(mt) == replace_hook_registries(oracle)
