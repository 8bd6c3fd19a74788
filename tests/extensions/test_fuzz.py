"""Invalid arguments: every call of the stable ABI returns an error code, and the process survives."""

import re
import subprocess

import pytest
from extension_support import HERE, list_exported_functions, our_libraries, parse_declared_functions


def build_program(source, out, *options):
    subprocess.run(["c++", "-std=c++20", "-O1", *options, str(HERE / source), "-o", str(out), "-ldl"], check=True)
    return out


def run_fuzz(program, calls, seed):
    return subprocess.run(
        [program, our_libraries() / "libtorch_cpu.so", str(calls), str(seed)],
        capture_output=True,
        text=True,
        timeout=280,
    )


@pytest.fixture(scope="module")
def fuzz_program(tmp_path_factory):
    return build_program("fuzz.cpp", tmp_path_factory.mktemp("fuzz") / "fuzz")


@pytest.mark.parametrize("seed", range(1, 6))
def test_calls_with_absurd_arguments_give_codes(fuzz_program, seed):
    done = run_fuzz(fuzz_program, 200_000, seed)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)


# How fuzz_operators.cpp makes an argument, by its type in the headers; other types are left to fuzz.cpp.
ARGUMENTS = {
    "AtenTensorHandle": "a.tensor()",
    "const AtenTensorHandle": "a.tensor()",
    "AtenTensorHandle*": "a.maybe_tensor()",
    "const AtenTensorHandle*": "a.list_of_tensors()",
    "const AtenTensorHandle**": "a.list_of_maybe_tensors()",
    "AtenGeneratorHandle*": "a.maybe_generator()",
    "int64_t": "a.number()",
    "int64_t*": "a.maybe(a.list_of_numbers())",
    "const int64_t*": "a.list_of_numbers()",
    "const int64_t**": "a.maybe_list(a.list_of_numbers())",
    "int32_t": "a.small()",
    "int32_t*": "a.maybe(a.list_of_small())",
    "const int32_t*": "a.list_of_small()",
    "double": "a.real()",
    "double*": "a.maybe(a.list_of_reals())",
    "const double**": "a.maybe_list(a.list_of_reals())",
    "float": "float(a.real())",
    "bool": "a.flag()",
    "uint32_t": "uint32_t(a.below(9))",
    "const uint32_t": "uint32_t(a.below(9))",
    "uint32_t*": "a.result()",
    "int": "a.small()",
    "const char*": "a.text()",
    "const char**": "a.maybe_text()",
}
# Functions whose arguments are more than values: they end handles, read memory that the caller describes, or throw.
LEFT_OUT = re.compile(
    r"delete|library|from_blob|torch_check$|torch_warn|ivalue|record_function|strided_pinned|cuda|stream"
)


def write_argument_expression(kind, name):
    """The expression that makes an argument, and whether it is a tensor that the call returns."""
    if kind == "AtenTensorHandle*" and re.match(r"ret|out$|new_handle$", name):
        return "a.output()", True
    if kind.endswith("*") and name.startswith("ret"):
        return "a.result()", False
    if name in ("ndim", "num_indices") or name.endswith(("_len_", "_size")) and kind == "int64_t":
        return "a.length()", False
    if kind == "const char*" and name in ("tensor_name", "msg"):
        return '"a name"', False
    return ARGUMENTS.get(kind), False


def write_call_table(functions):
    """The table of fuzz_operators.cpp."""
    for name, (result, parameters) in sorted(functions.items()):
        split = [re.fullmatch(r"(.+?)\s*\b(\w+)", part.strip()) for part in parameters.split(",")]
        if LEFT_OUT.search(name) or result.strip() != "AOTITorchError" or None in split:
            continue
        made = [write_argument_expression(match[1], match[2]) for match in split]
        if any(expression is None for expression, _ in made):
            continue
        statements = " ".join(f"auto x{i} = {expression};" for i, (expression, _) in enumerate(made))
        passed = "".join(f", x{i}" for i in range(len(made)))
        outputs = sum(returned for _, returned in made)
        yield f'{{"{name}", {outputs}, [](Arguments& a) {{ {statements} return call("{name}"{passed}); }}}},\n'


@pytest.fixture(scope="module")
def fuzz_operators(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz_operators")
    exported = list_exported_functions()
    calls = list(
        write_call_table({name: what for name, what in parse_declared_functions().items() if name in exported})
    )
    assert len(calls) > 180
    (folder / "calls.inc").write_text("".join(calls))
    return build_program("fuzz_operators.cpp", folder / "fuzz_operators", f"-I{folder}")


@pytest.mark.parametrize("seed", range(1, 3))
def test_operators_with_arguments_at_random_give_codes(fuzz_operators, seed):
    done = run_fuzz(fuzz_operators, 20_000, seed)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
