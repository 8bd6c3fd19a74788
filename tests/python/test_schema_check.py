"""Modes that compare what operators do with what they declare: SchemaCheckMode and CrossRefFakeMode."""

import importlib

import pytest

CALLS = """
x.add_(1)
x.view(3, 2)
x.split(1)
x.unbind(0)
x + 1
x.t_()
torch.sum(x, 0, out=torch.empty(3))
torch.nn.functional.batch_norm(x, torch.zeros(3), torch.ones(3), training=True)
x.sort()
x.expand(2, 2, 3)
torch.ops.schema_check.writes(x)
torch.ops.schema_check.views(x)
torch.ops.schema_check.twice(x)
""".split("\n")[1:-1]


@pytest.fixture(scope="module")
def define_operators():
    """Defines operators whose schemas hide a write, a view, and two results in the same memory."""
    kept = []

    def define_for(torch):
        library = torch.library.Library("schema_check", "FRAGMENT")
        functions = {
            "writes(Tensor x) -> Tensor": lambda x: x.add_(1) * 2,
            "views(Tensor x) -> Tensor": lambda x: x.view(-1),
            "twice(Tensor x) -> (Tensor, Tensor)": lambda x: (lambda y: (y, y.view(-1)))(x.clone()),
        }
        for schema, function in functions.items():
            library.define(schema)
            library.impl(schema.partition("(")[0], function, "CPU")
        kept.append(library)

    return define_for


@pytest.fixture(scope="module")
def libraries_with_operators(define_operators, mt, oracle):
    for torch in (mt, oracle):
        define_operators(torch)
    return mt, oracle


@pytest.mark.parametrize("call", CALLS)
def test_a_call_against_its_schema_is_found_as_by_torch(call, libraries_with_operators):
    def list_violations(torch):
        module = importlib.import_module(f"{torch.__name__}._subclasses.schema_check_mode")
        mode, x = module.SchemaCheckMode(), torch.arange(6.0).reshape(2, 3)
        try:
            with mode:
                eval(call, {"torch": torch, "x": x})
        except RuntimeError as error:
            return str(error)
        return [tuple(item) if isinstance(item, tuple) else vars(item) for item in (*mode.mutated, *mode.aliasing)]

    ours, theirs = map(list_violations, libraries_with_operators)
    assert _convert_to_tuples(ours) == _convert_to_tuples(theirs)


def _convert_to_tuples(found):
    if isinstance(found, str):
        return found
    return [tuple(item.values()) if isinstance(item, dict) else tuple(item) for item in found]


def test_opcheck_finds_a_result_that_is_a_view_of_an_argument(define_operators, mt):
    operators_of_mt = mt.ops.schema_check
    with pytest.raises(Exception, match="Argument x is not defined to alias output but was aliasing"):
        mt.library.opcheck(operators_of_mt.views.default, (mt.ones(2, 2),), test_utils="test_schema")


def test_a_rule_that_disagrees_with_the_kernel_is_found(same_as_oracle):
    same_as_oracle("""
import torch
from torch._subclasses import CrossRefFakeMode
for name, rule in (("right", lambda x: torch.empty_like(x)), ("wrong", lambda x: x.new_empty(7))):
    torch.library.define(f"crossed::{name}", "(Tensor x) -> Tensor")
    torch.library.impl(f"crossed::{name}", "cpu", lambda x: x * 2)
    torch.library.register_fake(f"crossed::{name}", rule)
    try:
        with CrossRefFakeMode(ignore_op_fn=lambda op: op.namespace == "aten"):
            print(getattr(torch.ops.crossed, name)(torch.ones(2)))
    except Exception as error:
        print(type(error).__name__)
""")
