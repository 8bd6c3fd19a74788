"""Every public name is documented, and the examples in the documentation do what they show."""

import doctest
import inspect
import warnings

import public_names
import pytest
import torch
from public_names import LEDGER, MODULES


def yield_documented_examples(path):
    """Yields the name and text of each documented object of a module that has an example."""
    space = public_names.get_by_path(path)
    if isinstance(space, type):
        things = [(f"{path}.{name}", value) for name, value in public_names.yield_public_methods(space)]
    else:
        things = []
        for name, value in public_names.yield_public_callables(space):
            things.append((f"{path}.{name}", value))
            if isinstance(value, type):
                things += [(f"{path}.{name}.{n}", v) for n, v in public_names.yield_public_methods(value)]
        things.append((path, space))
    for name, value in things:
        text = inspect.getdoc(value) or ""
        if ">>>" in text:
            yield name, text


def run_example(name, text):
    """Runs the example and returns the difference to its printed output, or nothing."""
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    report = []
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner.run(doctest.DocTestParser().get_doctest(text, space, name, name, 0), out=report.append)
    return "".join(report)


@pytest.fixture(autouse=True)
def restore_state(tmp_path, monkeypatch):
    """Restores global settings that examples change, and removes the files that they write."""
    monkeypatch.chdir(tmp_path)
    grad, dtype, threads = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads()
    yield
    torch.set_grad_enabled(grad)
    torch.set_default_dtype(dtype)
    torch.set_num_threads(threads)
    torch.set_printoptions(profile="default")
    torch.use_deterministic_algorithms(False)
    torch.set_default_device(None)


def test_no_public_name_became_short():
    known = set(LEDGER.read_text().split())
    short = {name: missing for name, missing in public_names.list_underdocumented_names(MODULES) if name not in known}
    assert not short, "\n".join(f"{name}: {'; '.join(missing)}" for name, missing in short.items())


def test_the_list_of_short_names_has_no_documented_one():
    still = {name for name, _ in public_names.list_underdocumented_names(MODULES)}
    assert not set(LEDGER.read_text().split()) - still


@pytest.mark.parametrize("path", MODULES)
def test_examples_do_what_they_show(path):
    failed = [report for name, text in yield_documented_examples(path) if (report := run_example(name, text))]
    assert not failed, "\n".join(failed)


def test_an_example_that_is_wrong_is_found():
    assert "Expected" in run_example("wrong", ">>> torch.tensor(1) + 1\ntensor(3)\n")


def test_a_name_without_documentation_is_found():
    def undocumented(a):
        return a

    def half(a, b):
        """Adds.

        Args:
            a (int): first.
        """
        return a + b

    assert public_names.list_missing_documentation("torch.undocumented", undocumented) == ["everything"]
    assert public_names.list_missing_documentation("torch.half", half) == ["Args of b", "Returns", "Example"]


def test_help_of_an_operator_has_its_signatures_and_shared_arguments():
    lines = torch.sum.__doc__.split("\n")
    assert "torch.sum(input, *, dtype=None) -> Tensor" in lines
    assert any(line.startswith("torch.sum(input, dim, keepdim=False, *, dtype=None, out=None)") for line in lines)
    assert "    out (Tensor, optional): " in torch.lerp.__doc__
    in_place = torch.Tensor.lerp_.__doc__
    assert in_place.startswith("Tensor.lerp_(end, weight) -> Tensor\n\nWrites the result of lerp() into `self`")


def test_signatures_of_operators_can_be_inspected():
    assert str(inspect.signature(torch.lerp)) == "(input, end, weight, *, out=None)"
    assert str(inspect.signature(torch.Tensor.lerp_)) == "(self, /, end, weight)"
    assert str(inspect.signature(torch.linalg.svd)) == "(A, full_matrices=True, *, driver=None, out=None)"
    assert str(inspect.signature(torch.max)) == "(input, *args, **kwargs)"  # the part that all its overloads share


def test_operators_complete_after_their_namespace():
    assert {"lerp", "add", "_softmax"} <= set(dir(torch.ops.aten))
