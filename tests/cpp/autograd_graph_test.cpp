// Graphs as operators record them: names, edges, accumulation, orders. Expected values are worked out by hand; names
// are torch 2.13's.
#include "autograd_support.h"

namespace mt::test {
namespace {

TEST(AutogradGraph, NodesCarryTorchsNames) {
  Tensor a = leaf({1, 2}), b = leaf({3, 4});
  EXPECT_EQ(name_of_node(op<"add">(a, b)), "AddBackward0");
  EXPECT_EQ(name_of_node(op<"mul">(a, b)), "MulBackward0");
  EXPECT_EQ(name_of_node(op<"exp">(a)), "ExpBackward0");
  EXPECT_EQ(name_of_node(op<"sum">(a)), "SumBackward0");
  EXPECT_EQ(name_of_node(op<"view">(a, IntList({2, 1}))), "ViewBackward0");
  EXPECT_EQ(name_of_node(op<"detach">(a)), "");
  EXPECT_EQ(gradient_edge(a).node->name, std::string("AccumulateGrad"));
}

TEST(AutogradGraph, EdgesFollowTheArgumentsInOrder) {
  Tensor a = leaf({1}), b = tensor({2});
  Ref<Node> node = grad_fn_of(op<"mul">(a, b));
  ASSERT_EQ(node->n_edges, 2);
  EXPECT_EQ(node->edges[0].node.get(), gradient_edge(a).node.get());
  EXPECT_FALSE(node->edges[1]);
}

TEST(AutogradGraph, ProductRuleSumsOverPaths) {
  Tensor a = leaf({2, 3}), b = leaf({5, 7});
  backward(op<"sum">(op<"add">(op<"mul">(a, b), op<"mul">(a, a))));
  EXPECT_EQ(grad_of(a), (Floats{9, 13}));  // b + 2a
  EXPECT_EQ(grad_of(b), (Floats{2, 3}));
}

TEST(AutogradGraph, SecondPassAddsToTheLeafInPlace) {
  Tensor a = leaf({1, 2});
  backward(op<"sum">(op<"mul">(a, a)));
  TensorImpl* first = meta_of(a)->grad.get();
  backward(op<"sum">(a));
  EXPECT_EQ(grad_of(a), (Floats{3, 5}));
  EXPECT_EQ(meta_of(a)->grad.get(), first);
}

TEST(AutogradGraph, BroadcastGradientsAreSummedToTheInput) {
  Tensor a = leaf({1, 2, 3}, {1, 3}), b = leaf({1, 1}, {2, 1});
  backward(op<"sum">(op<"mul">(a, b)));
  EXPECT_EQ(grad_of(a), (Floats{2, 2, 2}));
  EXPECT_EQ(grad_of(b), (Floats{6, 6}));
}

TEST(AutogradGraph, SecondDerivativeOfACube) {
  Tensor a = leaf({2});
  Tensor cube = op<"mul">(op<"mul">(a, a), a);
  Tensor first = gradients(cube, {a}, /*create_graph=*/true)[0];
  EXPECT_EQ(values(first), (Floats{12}));  // 3 a^2
  Tensor second = gradients(first, {a}, /*create_graph=*/true)[0];
  EXPECT_EQ(values(second), (Floats{12}));  // 6 a
  EXPECT_EQ(values(gradients(second, {a})[0]), (Floats{6}));
  EXPECT_EQ(grad_of(a), Floats());
}

TEST(AutogradGraph, NothingIsRecordedWithoutGradMode) {
  Tensor a = leaf({1});
  GradMode off(false);
  Tensor b = op<"mul">(a, a);
  EXPECT_FALSE(requires_grad(b));
}

TEST(AutogradGraph, IntegerResultsCarryNoHistory) {
  Tensor a = leaf({1, 2});
  EXPECT_FALSE(requires_grad(op<"gt">(a, a)));
}

TEST(AutogradGraph, DtypesOfGradientsFollowTheInput) {
  Tensor a = leaf({1, 2});
  backward(op<"sum">(op<"_to_copy">(a, Dtype::float64)));
  EXPECT_EQ(meta_of(a)->grad.dtype(), Dtype::float32);
}

TEST(AutogradGraph, AHundredThousandNodesRunAndAreFreedWithoutRecursion) {
  Tensor a = leaf({1});
  Tensor x = a;
  for (int i = 0; i < 100000; ++i) x = op<"neg">(x);
  backward(x);
  EXPECT_EQ(grad_of(a), (Floats{1}));
  x.reset();
}

TEST(AutogradGraph, AHundredThousandUnusedNodesAreFreedWithoutRecursion) {
  Tensor x = leaf({1});
  for (int i = 0; i < 100000; ++i) x = op<"exp">(op<"mul">(x, x));
  x.reset();
}

TEST(AutogradGraph, UnusedInputsAreAnErrorUnlessAllowed) {
  Tensor a = leaf({1}), b = leaf({1});
  EXPECT_EQ(failure([&] { gradients(op<"mul">(a, a), {a, b}); }),
            "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if "
            "this is the desired "
            "behavior.");
  EXPECT_FALSE(gradients(op<"mul">(a, a), {a, b}, false, /*allow_unused=*/true)[1].defined());
}

TEST(AutogradGraph, RootsMustRequireGrad) {
  EXPECT_EQ(failure([] { backward(tensor({1})); }), "element 0 of tensors does not require grad and does not have a grad_fn");
  EXPECT_EQ(failure([] { backward(op<"neg">(leaf({1, 2}))); }), "grad can be implicitly created only for scalar outputs");
}

TEST(AutogradGraph, LeafChecks) {
  EXPECT_EQ(failure([] { set_requires_grad(empty({1}, Dtype::int64), true); }),
            "Only Tensors of floating point and complex dtype can require gradients");
  Tensor b = op<"neg">(leaf({1}));
  EXPECT_EQ(failure([&] { set_requires_grad(b, false); }),
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't "
            "require differentiation use var_no_grad = var.detach().");
  EXPECT_EQ(failure([] { retain_grad(tensor({1})); }), "can't retain_grad on Tensor that has requires_grad=False");
}

TEST(AutogradGraph, AMissingDerivativeIsNamedWhenItIsNeeded) {
  Ref<Node> node = not_implemented_node("derivative for aten::x is not implemented", 1);
  Tensor grad = tensor({1}), out;
  EXPECT_STREQ(node->name, "NotImplemented");
  EXPECT_EQ(failure([&] { node->run(&grad, &out); }), "derivative for aten::x is not implemented");
}

TEST(AutogradGraph, RetainedGradientsOfResults) {
  Tensor a = leaf({2}), b = op<"mul">(a, a);
  retain_grad(b);
  backward(op<"mul">(b, b));
  EXPECT_EQ(grad_of(b), (Floats{8}));
  EXPECT_EQ(grad_of(a), (Floats{32}));
}

}  // namespace
}  // namespace mt::test
