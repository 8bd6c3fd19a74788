"""The root namespace: settings, checks, versions, storages, random state."""

import operator

import pytest
from outcomes import outcome


def _construct_from_type(t):
    return t.ones(3)._typed_storage()


CALLS = {
    "_check": lambda t: t._check(False),
    "_check with message": lambda t: t._check(False, lambda: "m"),
    "_check of a tensor": lambda t: t._check(t.tensor(True)),
    "_check of an int": lambda t: t._check(1),
    "_check with a str": lambda t: t._check(False, "s"),
    "_check_index": lambda t: t._check_index(False, lambda: "q"),
    "_check_is_size": lambda t: t._check_is_size(-1),
    "_assert": lambda t: t._assert(False, "no"),
    "debug mode name": lambda t: t.set_deterministic_debug_mode("z"),
    "debug mode number": lambda t: t.set_deterministic_debug_mode(7),
    "debug mode type": lambda t: t.set_deterministic_debug_mode([]),
    "device module of a number": lambda t: t.get_device_module(3),
    "unknown name": lambda t: t.zzz if t.__name__ == "torch" else _rename_dimensions(t),
    "is_storage": lambda t: (t.is_storage(t.ones(1).untyped_storage()), t.is_storage(3)),
    "is_tensor": lambda t: (t.is_tensor(t.ones(1)), t.is_tensor(3)),
    "typename": lambda t: (t.typename(t.ones(1)), t.typename(3), t.typename(t.add)),
    "default device": lambda t: t.get_default_device(),
    "matmul precision": lambda t: t.get_float32_matmul_precision(),
    "default dtype": lambda t: t.get_default_dtype(),
    "integer default dtype": lambda t: t.set_default_dtype(t.int32),
    "sym_max": lambda t: (t.sym_max(1, 2.0), t.sym_max(3, 2), t.sym_min(1, 2.0)),
    "sym_int": lambda t: (t.sym_int(2.7), t.sym_int(-2.7), t.sym_float(3), t.sym_not(True), t.sym_sum([1, 2, 3])),
    "compile with both": lambda t: t.compile(lambda x: x, mode="default", options={"a": 1}),
    "storage": lambda t: t.ones(2).untyped_storage(),
    "typed storage item": lambda t: (_construct_from_type(t)[0], len(_construct_from_type(t))),
    "typed storage index": lambda t: _construct_from_type(t)[5],
    "typed storage str index": lambda t: _construct_from_type(t)["a"],
    "typed storage slice": lambda t: _construct_from_type(t)[0:1],
    "typed storage type": lambda t: _construct_from_type(t).pickle_storage_type(),
    "FloatStorage": lambda t: t.FloatStorage([1.0, 2.0]).tolist(),
    "FloatStorage of two": lambda t: t.FloatStorage(1, 2),
    "isinstance": lambda t: (
        isinstance(_construct_from_type(t), t.FloatStorage),
        isinstance(_construct_from_type(t), t.LongStorage),
    ),
    "meta storage": lambda t: t.UntypedStorage(3, device="meta")[0],
    "storage slice shares memory": lambda t: t.ones(2).untyped_storage()[0:4],
    "storage cast": lambda t: t.ones(1).untyped_storage().byte().tolist(),
}


def _rename_dimensions(t):
    try:
        return t.zzz
    except AttributeError as error:
        raise AttributeError(str(error).replace("mindtorch", "torch")) from None


@pytest.mark.parametrize("name", CALLS)
def test_behaves_as_torch(mt, oracle, name):
    for torch in (mt, oracle):
        torch.storage._reset_warn_typed_storage_removal()
    ours = outcome(CALLS[name], mt)
    assert ours == outcome(CALLS[name], oracle)


VERSIONS = ["1.0", "2.13", "2.13.0", "2.13.0+zz", "3", (2, 13), (2, 13, 1), "parrot", "2.13.0a1"]


@pytest.mark.parametrize("other", VERSIONS)
def test_version_compares_as_torchs(mt, oracle, other):
    # The expected order is that of torch's own version class with our version, whose local part is "mindtorch".
    ours, theirs = mt.__version__, type(oracle.__version__)("2.13.0+mindtorch")
    assert (ours > other, ours < other, ours >= other) == (theirs > other, theirs < other, theirs >= other)


def test_compile_returns_the_function_unchanged(mt):
    def function(x):
        return x

    assert mt.compile(function) is function
    assert mt.compile(mode="reduce-overhead")(function) is function


def test_public_names_are_torchs(mt, oracle):
    operators = set(dir(mt._C._VariableFunctions))  # the registry decides which forms exist
    assert set(mt.__all__) - operators <= set(oracle.__all__)


def test_every_name_in_dir_of_root_is_accessible(mt):
    missing = [name for name in dir(mt) if not hasattr(mt, name)]
    assert missing == []


@pytest.mark.parametrize("module", ["utils", "functional", "autograd", "utils.data", "utils.checkpoint", "backends"])
def test_a_missing_name_is_an_attribute_error(mt, oracle, module):
    errors = []
    for torch in (mt, oracle):
        with pytest.raises(AttributeError) as raised:
            operator.attrgetter(module + ".nothing")(torch)
        errors.append((str(raised.value).replace("'mindtorch.", "'torch."), raised.value.name))
    assert errors[0] == errors[1]


def test_generator_state_round_trip(mt, oracle):
    states = []
    for torch in (mt, oracle):
        torch.manual_seed(5)
        torch.rand(3)
        state = torch.get_rng_state()
        first = torch.rand(4).tolist()
        torch.set_rng_state(state)
        assert torch.rand(4).tolist() == first
        with torch.random.fork_rng():
            torch.rand(100)
        states.append((state.tolist(), first, torch.initial_seed(), torch.rand(1).item()))
    assert states[0] == states[1]


def test_torch_holds_itself_under_its_name(mt):
    assert mt.torch is mt


def test_annotations_of_loading_have_their_names(mt, oracle):
    for torch in (mt, oracle):
        assert torch.hub.MAP_LOCATION == torch.serialization.MAP_LOCATION
        assert torch.serialization.Storage is torch.types.Storage
        assert torch.serialization.FileLike == torch.types.FileLike
    assert str(mt.serialization.MAP_LOCATION).replace("mindtorch", "torch") == str(oracle.serialization.MAP_LOCATION)
