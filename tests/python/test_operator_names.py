"""Python namespaces and signatures of operators: the same names in each, the same TypeErrors.

This file lists no operators: names come from the registry and from torch's own namespaces.
"""

import pytest

FUNCTIONS = {"": "_VariableFunctions"} | {m: f"_{m}" for m in ("nn", "linalg", "fft", "special", "sparse", "nested")}


class Wrong:
    """An object of a type that no operator accepts."""


def find_namespace(torch, module):
    return torch._C.TensorBase if module == "Tensor" else getattr(torch._C, FUNCTIONS[module])


def list_names(torch, module):
    owner = find_namespace(torch, module)
    return {name for name in dir(owner) if callable(getattr(owner, name)) and not name.startswith("__")}


def list_registered(mt):
    """Names of aten operators that our registry has."""
    return {s.name.removeprefix("aten::") for s in mt._C._jit_get_all_schemas() if s.name.startswith("aten::")}


# ---- presence -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [*FUNCTIONS, "Tensor"])
def test_operator_is_in_the_same_namespaces_as_in_torch(mt, oracle, module):
    ours, theirs = list_names(mt, module), list_names(oracle, module)
    assert sorted((theirs - ours) & list_registered(mt)) == []


@pytest.mark.parametrize("module", [*FUNCTIONS, "Tensor"])
def test_has_no_names_beyond_torchs(mt, oracle, module):
    assert list_names(mt, module) - list_names(oracle, module) <= {"npu"}  # programs for NPUs move tensors with it


# ---- signatures -----------------------------------------------------------------------------------------------

KEYWORDS = {"alpha", "beta", "device", "dim", "dtype", "generator", "keepdim", "layout", "out", "requires_grad"}


def read_error_message(function, torch, args, kwargs):
    """The error of a call that must fail, or "" if it succeeds."""
    try:
        function(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("mindtorch", "torch")
    return ""


def sample_value(torch, kind, size=None):
    """A value that an argument of this schema type accepts; `size` is the N of int[N]."""
    if kind.startswith("Optional["):
        return sample_value(torch, kind[len("Optional[") : -1], size)
    if kind.startswith("List["):
        return [sample_value(torch, kind[len("List[") : -1])] * (size or 1)
    plain = kind.rstrip("?")
    if plain == "Tensor":
        return torch.ones(2)
    if plain in ("int", "SymInt", "Scalar", "float"):
        return 1
    return {"bool": True, "str": "none", "ScalarType": torch.float32}.get(plain)


def list_wrong_calls(torch, module, name, schemas):
    """Argument lists that each have one error; made from our schemas, for both libraries."""
    first = [torch.ones(2)] if module == "Tensor" else []
    yield [*first, *[Wrong()] * 31], {"wrong": Wrong()}
    yield first, {"wrong": Wrong()}
    if module != "Tensor":
        yield [], {}
    for schema in schemas:
        arguments = [a for a in schema.arguments if not a.kwarg_only]
        required = [sample_value(torch, str(a.type), a.N) for a in arguments if not a.has_default_value()]
        for i in range(1 if module == "Tensor" else 0, len(arguments)):
            yield [*(sample_value(torch, str(a.type), a.N) for a in arguments[:i]), Wrong()], {}
        yield [*(sample_value(torch, str(a.type), a.N) for a in arguments), Wrong()], {}
        yield [*required, *[Wrong()] * 31], {}
        for keyword in {*KEYWORDS, *(a.name for a in schema.arguments[len(required) :])}:
            yield required, {keyword: Wrong()}


def find_differences(mt, oracle, module):
    by_name = {}
    for schema in mt._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            by_name.setdefault(schema.name.removeprefix("aten::"), []).append(schema)
    for name in sorted(list_names(mt, module) & list_names(oracle, module)):
        both = [getattr(find_namespace(torch, module), name) for torch in (mt, oracle)]
        pairs = zip(
            *(list_wrong_calls(torch, module, name, by_name.get(name, [])) for torch in (mt, oracle)), strict=True
        )
        for ours, theirs in pairs:
            texts = read_error_message(both[0], mt, *ours), read_error_message(both[1], oracle, *theirs)
            if texts[0] != texts[1]:
                yield f"{name}: ours {texts[0]!r}, torch's {texts[1]!r}"
                break


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", [*FUNCTIONS, "Tensor"])
def test_type_errors_name_the_same_signatures(mt, oracle, module):
    assert list(find_differences(mt, oracle, module)) == []


# ---- overloads that write to arguments ----------------------------------------------------------------------------


def _list_aliased_arguments(torch):
    """Groups the overloads that write to arguments by name, inputs, and number of outputs passed by keyword."""
    found = {}
    for schema in torch._C._jit_get_all_schemas():
        written = [a for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        if not schema.name.startswith("aten::") or not written:
            continue
        outs = {a.name for a in written if a.kwarg_only}
        taken = tuple((a.name, str(a.type).replace("number", "Scalar")) for a in schema.arguments if a.name not in outs)
        found.setdefault((schema.name, taken, len(outs)), set()).add(schema.overload_name)
    return found


def test_overloads_that_write_have_torchs_names(mt, oracle):
    ours, theirs = _list_aliased_arguments(mt), _list_aliased_arguments(oracle)
    assert len(ours.keys() & theirs.keys()) > 700
    assert {key: names for key, names in ours.items() if key in theirs and not names <= theirs[key]} == {}


@pytest.mark.parametrize(
    "call",
    [
        "x.pow_(2)",
        "x.pow_(x)",
        "x.floor_divide_(2)",
        "x.transpose_(0, 1)",
        "x.ldexp_(x)",
        "torch.div(x, 2, rounding_mode='floor', out=y)",
        "torch.eq(x, x, out=y)",
        "torch.sum(x, 0, out=y)",
        "torch.mean(x, out=y)",
        "torch.mean(x, 0, out=y)",
        "torch.max(x, 0, out=(y, i))",
        "torch.xlogy(x, 2, out=y)",
        "torch.sort(x, out=(y, i))",
    ],
)
def test_a_mode_sees_them_under_these_names(mt, oracle, call):
    def list_seen_operators(torch):
        names = []

        class Log(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                names.append(str(function))
                return function(*args, **(kwargs or {}))

        values = {"torch": torch, "x": torch.ones(2, 3), "y": torch.empty(0), "i": torch.empty(0, dtype=torch.int64)}
        with Log():
            eval(call, values)
        return names

    assert list_seen_operators(mt) == list_seen_operators(oracle)
