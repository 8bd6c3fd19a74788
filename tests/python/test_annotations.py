"""Annotations of Python functions: types, not their source text, where torch has types."""

import importlib
import inspect

import pytest

MODULES = """
nn.functional nn.init nn.utils functional distributions optim testing autograd masked amp random hub overrides fx
sparse nn.parallel
""".split()
TEXT_IN_OURS = """
torch.autograd.grad_mode torch.autograd.graph torch.autograd.profiler torch.distributions.pareto
torch.fx._symbolic_trace torch.fx.node torch.fx.proxy torch.nn.utils.spectral_norm torch.nn.utils.weight_norm
torch.optim torch.optim.optimizer torch.serialization torch.sparse.semi_structured torch.testing._comparison
torch.types
""".split()  # their classes annotate with themselves, or with modules that are loaded later


def _yield_functions(torch, name):
    module = importlib.import_module(f"{torch.__name__}.{name}")
    for member in vars(module).values():
        if inspect.isfunction(member):
            yield member
        elif inspect.isclass(member) and member.__module__.startswith(torch.__name__):
            yield from filter(inspect.isfunction, vars(member).values())


def _find_modules_with_text_annotations(torch, name):
    """For each module, whether its functions' annotations are texts."""
    kinds = {}
    for function in _yield_functions(torch, name):
        values = getattr(function, "__annotations__", {}).values()
        module = function.__module__.replace(torch.__name__, "torch", 1)
        kinds.setdefault(module, []).extend(isinstance(value, str) for value in values)
    return {module: all(texts) for module, texts in kinds.items() if texts}


@pytest.mark.parametrize("name", MODULES)
def test_annotations_are_types_where_torch_has_types(name, mt, oracle):
    ours, theirs = _find_modules_with_text_annotations(mt, name), _find_modules_with_text_annotations(oracle, name)
    texts = {module for module, is_text in ours.items() if is_text and theirs.get(module) is False}
    assert texts <= set(TEXT_IN_OURS)


@pytest.mark.parametrize("name", ["silu", "relu6", "alpha_dropout", "smooth_l1_loss", "group_norm"])
def test_a_layers_function_has_torchs_signature(name, mt, oracle):
    def format_signature(torch):
        return str(inspect.signature(getattr(torch.nn.functional, name))).replace("mindtorch", "torch")

    assert format_signature(mt) == format_signature(oracle)
