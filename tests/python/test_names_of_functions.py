"""Functions of torch say that they are of module torch, as pickles, texts of errors and documentation show them."""

import types

import pytest

FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)


def test_functions_of_the_root_name_the_root(mt, oracle):
    theirs = {name: value for name, value in vars(oracle).items() if name[0] != "_" and isinstance(value, FUNCTIONS)}
    ours = {name: vars(mt)[name] for name in theirs if isinstance(vars(mt).get(name), FUNCTIONS)}
    named = {name: value.__module__.replace("mindtorch", "torch") for name, value in ours.items()}
    at_root = {name for name, value in theirs.items() if value.__module__ == "torch"}
    assert {name: module for name, module in named.items() if name in at_root and module != "torch"} == {}
    assert len(at_root & named.keys()) > 500  # not an empty comparison


@pytest.mark.parametrize("name", ["set_num_threads", "set_flush_denormal", "set_autocast_cache_enabled"])
def test_a_keyword_is_refused_in_the_name_of_torch(mt, oracle, name):
    texts = []
    for torch in (mt, oracle):
        with pytest.raises(TypeError) as refused:
            getattr(torch, name)(value=1)
        texts.append(str(refused.value).replace("mindtorch", "torch"))
    assert texts[0] == texts[1]


def test_functions_of_the_root_name_it_where_it_is_torch(same_as_oracle):
    same_as_oracle("import torch; print(torch.set_num_threads.__module__, torch.from_file.__module__)")
