"""Python identity of tensors and nodes: objects live as long as anything references them; cycles are collected."""

import gc
import weakref

import pytest


@pytest.fixture
def make_leaf(mt):
    return mt.ones(2, requires_grad=True)


def test_a_gradient_is_one_object_with_its_attributes(make_leaf):
    (make_leaf * 2).sum().backward()
    make_leaf.grad.foo = 3
    gc.collect()
    assert make_leaf.grad is make_leaf.grad
    assert make_leaf.grad.foo == 3


def test_a_node_is_one_object_and_knows_its_leaf(make_leaf):
    y = make_leaf * 2
    assert y.grad_fn is y.grad_fn
    assert y.grad_fn.next_functions[0][0].variable is make_leaf


def test_a_view_knows_its_base(make_leaf):
    assert make_leaf.view(2)._base is make_leaf


def test_a_weak_reference_lives_as_long_as_the_graph_holds_the_tensor(mt, make_leaf):
    y = make_leaf * 2
    reference = weakref.ref(make_leaf)
    del make_leaf
    gc.collect()
    assert y.grad_fn.next_functions[0][0].variable is reference()


def test_a_subclass_survives_in_the_graph(mt):
    class Named(mt.Tensor):
        pass

    make_leaf = mt.ones(2).as_subclass(Named).requires_grad_()
    product = (make_leaf * 2).grad_fn.next_functions[0][0]  # below the alias that gives the result its class
    del make_leaf
    gc.collect()
    assert type(product.next_functions[0][0].variable) is Named


def test_the_collector_leaves_a_tensor_in_the_graph_its_attributes(mt, oracle):
    for torch in (mt, oracle):
        make_leaf = torch.nn.Parameter(torch.ones(2))
        make_leaf.label = "weight"
        make_leaf.itself = make_leaf
        node = (make_leaf * 2).grad_fn.next_functions[0][0]
        del make_leaf
        gc.collect()
        assert node.variable.label == "weight"
        assert node.variable.itself is node.variable


def test_collector_keeps_attributes_of_a_tensor_in_a_graph(mt, oracle):
    for torch in (mt, oracle):
        make_leaf = torch.nn.Parameter(torch.ones(2))
        make_leaf.label = "weight"
        holder = [make_leaf]
        holder.append(holder)
        node = (make_leaf * 2).grad_fn.next_functions[0][0]
        del make_leaf, holder
        gc.collect()
        assert node.variable.label == "weight"


def test_a_cycle_of_a_tensor_and_itself_is_collected_once_the_graph_is_gone(mt):
    class Marked(mt.Tensor):
        pass

    make_leaf = mt.ones(2).as_subclass(Marked).requires_grad_()
    make_leaf.itself = make_leaf
    make_leaf.mark = marker = type("Marker", (), {})()
    y = make_leaf * 2
    reference = weakref.ref(marker)
    del make_leaf, marker
    gc.collect()
    assert reference() is not None
    del y
    gc.collect()
    assert reference() is None


def test_a_cycle_through_a_hook_is_collected(mt):
    class Holder:
        pass

    def make_cycle_through_hook():
        holder = Holder()
        y = mt.ones(2, requires_grad=True) * 2
        y.register_hook(lambda grad, holder=holder: None)
        holder.y = y
        return weakref.ref(holder)

    reference = make_cycle_through_hook()
    gc.collect()
    assert reference() is None


def test_a_cycle_through_a_saved_object_is_collected(mt):
    class Keep(mt.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.note = []
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad

    class Holder:
        pass

    def make_cycle_through_saved_object():
        holder = Holder()
        y = Keep.apply(mt.ones(2, requires_grad=True))
        y.grad_fn.note.append(holder)
        holder.y = y
        return weakref.ref(holder)

    reference = make_cycle_through_saved_object()
    gc.collect()
    assert reference() is None


def test_exception_in_a_hook_propagates_unchanged(mt, make_leaf):
    raised = KeyError("mine")

    def raise_in_hook(grad):
        raise raised

    y = make_leaf * 2
    y.register_hook(raise_in_hook)
    with pytest.raises(KeyError) as caught:
        y.sum().backward()
    assert caught.value is raised


def test_recycled_objects_carry_nothing_over(mt):
    t = mt.ones(1)
    t.foo = 1
    del t
    assert not hasattr(mt.ones(1), "foo")


def test_a_hundred_thousand_nodes_run_and_die(mt):
    make_leaf = mt.ones(1, requires_grad=True)
    y = make_leaf
    for _ in range(100_000):
        y = y + 1
    y.backward()
    del y
    assert make_leaf.grad.tolist() == [1.0]
