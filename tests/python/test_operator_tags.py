"""torch.Tag: the tags of operators. Expected values: real torch 2.13."""

import operator


def test_operators_have_the_tags_that_they_were_defined_with(mt):
    space = "mttags"
    made = mt.library.Library(space, "DEF")
    made.define("none(Tensor x) -> Tensor")
    made.define("one(Tensor x) -> Tensor", tags=mt.Tag.core)
    made.define("two(Tensor x) -> Tensor", tags=(mt.Tag.core, mt.Tag.pointwise))

    @mt.library.custom_op(f"{space}::custom", mutates_args=(), tags=mt.Tag.pointwise)
    def clone_input(x: mt.Tensor) -> mt.Tensor:
        return x.clone()

    operators = getattr(mt.ops, space)
    names = [[tag.name for tag in op.default.tags] for op in (operators.none, operators.one, operators.two)]
    assert names == [[], ["core"], ["core", "pointwise"]]
    assert [tag.name for tag in clone_input._opoverload.tags] == ["pt2_compliant_tag", "pointwise"]


def test_tags_match_torch_and_state_mutation(mt, oracle):
    for torch in (mt, oracle):
        assert (repr(torch.Tag.core), int(torch.Tag.view_copy), torch._C.Tag.core.name) == ("<Tag.core: 0>", 19, "core")
    ours, theirs = ({tag: int(value) for tag, value in t.Tag.__members__.items()} for t in (mt, oracle))
    assert ours == theirs
    told = {"inplace", "inplace_view", "out", "pt2_compliant_tag"}
    for where in ("t_.default", "add.out", "add_.Tensor", "add.Tensor", "resize_.default"):
        ours, theirs = (operator.attrgetter(where)(t.ops.aten).tags for t in (mt, oracle))
        assert [t.name for t in ours] == [t.name for t in theirs if t.name in told]
