"""Invalid constructor calls raise torch's errors, which name the class."""

import importlib
import inspect

import pytest

MODULES = (
    "nn",
    "nn.utils.prune",
    "distributions",
    "distributions.constraints",
    "distributions.transforms",
    "optim",
    "optim.lr_scheduler",
    "autograd.grad_mode",
    "autograd.profiler",
)
CALLS = {
    "too many": lambda cls: cls(*[1] * 40),
    "unknown name": lambda cls: cls(nonsense=1),
    "nothing": lambda cls: cls(),
}


def list_classes(torch, module):
    home = importlib.import_module(f"{torch.__name__}.{module}")
    return {name: getattr(home, name) for name in dir(home) if inspect.isclass(getattr(home, name))}


def describe_refusal(call, cls):
    """The text of a call's TypeError; other outcomes depend on how the argument 1 is interpreted."""
    try:
        call(cls)
    except TypeError as error:
        return str(error).replace("mindtorch.", "torch.")
    except Exception:
        pass
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("module", MODULES)
def test_constructor_errors_match_torch(mt, oracle, module, call):
    ours, theirs = list_classes(mt, module), list_classes(oracle, module)
    shared = [name for name in theirs if name in ours and ours[name].__module__.startswith(mt.__name__)]
    assert len(shared) > 2
    for name in shared:
        assert describe_refusal(call, ours[name]) == describe_refusal(call, theirs[name]), name


@pytest.mark.parametrize("name", ["Conv2d", "ConvTranspose1d", "GRU"])
def test_a_forward_pass_refuses_in_the_layer_s_name(mt, oracle, name):
    def read_error(torch):
        layer = getattr(torch.nn, name)
        with pytest.raises(TypeError) as raised:
            layer.forward()
        return str(raised.value)

    assert read_error(mt) == read_error(oracle)


def test_subclasses_of_a_public_class_keep_its_name(mt, oracle):
    def read_error(torch):
        class Mine(torch.nn.Conv2d):
            pass

        with pytest.raises(TypeError) as raised:
            Mine(3)
        return str(raised.value)

    assert read_error(mt) == read_error(oracle)
