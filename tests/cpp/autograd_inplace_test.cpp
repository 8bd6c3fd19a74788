// In-place writes and views: versions, history, refusals. Texts are those torch 2.13 raises for the same calls.
#include <cmath>

#include "autograd_support.h"

namespace mt::test {
namespace {

Tensor make_no_grad_view(const Tensor& t) {
  GradMode off(false);
  return op<"select">(t, 0, 0);
}

TEST(AutogradInplace, WritesRaiseTheVersionOfAllViews) {
  Tensor a = tensor({1, 2, 3, 4}, {2, 2});
  Tensor row = op<"select">(a, 0, 1);
  EXPECT_EQ(a.version(), 0u);
  op<"add_">(row, 1.0);
  EXPECT_EQ(a.version(), 1u);
  EXPECT_EQ(row.version(), 1u);
  EXPECT_EQ(op<"detach">(a).version(), 1u);
  EXPECT_EQ(values(a), (Floats{1, 2, 4, 5}));
}

TEST(AutogradInplace, ViewsShareOneBase) {
  Tensor a = tensor({1, 2, 3, 4}, {2, 2});
  Tensor row = op<"select">(a, 0, 1);
  Tensor element = op<"select">(row, 0, 0);
  EXPECT_EQ(meta_of(element)->view->base, a);
  EXPECT_FALSE(is_view(op<"detach">(a)));
}

TEST(AutogradInplace, LeavesAreRefused) {
  Tensor a = leaf({1, 2});
  EXPECT_EQ(failure([&] { op<"add_">(a, 1.0); }), "a leaf Variable that requires grad is being used in an in-place operation.");
  EXPECT_EQ(failure([&] { op<"add_">(op<"select">(a, 0, 0), 1.0); }),
            "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  GradMode off(false);
  op<"add_">(a, 1.0);
  EXPECT_EQ(values(a), (Floats{2, 3}));
}

TEST(AutogradInplace, OneOfSeveralViewsIsRefused) {
  Tensor b = op<"neg">(leaf({1, 2}, {2, 1}));
  auto parts = op<"unbind", std::vector<Tensor>>(b, 0);
  EXPECT_EQ(failure([&] { op<"add_">(parts[0], 1.0); }),
            "Output 0 of Unbind is a view and is being modified inplace. This view is the output of a function that "
            "returns multiple views. "
            "Such functions do not allow the output views to be modified inplace. You should replace the inplace "
            "operation by an out-of-place "
            "one.");
}

TEST(AutogradInplace, ViewsMadeWithoutGradModeAreRefused) {
  Tensor b = op<"neg">(leaf({1, 2}));
  Tensor view = make_no_grad_view(b);
  EXPECT_EQ(failure([&] { op<"add_">(view, 1.0); }),
            "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this "
            "use case is ambiguous "
            "and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
            "either both inside the "
            "no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to "
            "be tracked).");
}

TEST(AutogradInplace, AWrittenTensorKeepsItsHistory) {
  Tensor a = leaf({2, 3});
  Tensor b = op<"neg">(a);
  op<"mul_">(b, a);
  EXPECT_EQ(name_of_node(b), "MulBackward0");
  backward(op<"sum">(b));
  EXPECT_EQ(grad_of(a), (Floats{-4, -6}));  // d(-a^2)
}

TEST(AutogradInplace, WritingAViewGoesThroughCopySlices) {
  Tensor a = leaf({2, 3, 4, 5});
  Tensor b = op<"mul">(a, 1.0);
  Tensor flat = op<"view">(b, IntList({2, 2}));
  Tensor row = op<"select">(flat, 0, 0);
  op<"mul_">(row, 10.0);
  EXPECT_EQ(name_of_node(b), "CopySlices");
  EXPECT_EQ(name_of_node(row), "AsStridedBackward0");
  EXPECT_EQ(name_of_node(flat), "AsStridedBackward0");
  EXPECT_EQ(grad_fn_of(flat)->edges[0].node, grad_fn_of(b));
  backward(op<"sum">(flat));
  EXPECT_EQ(grad_of(a), (Floats{10, 10, 1, 1}));
}

TEST(AutogradInplace, WritingAGradientIntoAConstantsView) {
  Tensor base = tensor({0, 0, 0, 0}, {2, 2});
  Tensor a = leaf({3, 4});
  op<"copy_">(op<"select">(base, 0, 1), a);
  EXPECT_TRUE(requires_grad(base));
  backward(op<"sum">(op<"mul">(base, base)));
  EXPECT_EQ(grad_of(a), (Floats{6, 8}));
}

TEST(AutogradInplace, SecondDerivativeThroughAWrittenView) {
  Tensor a = leaf({2, 3});
  Tensor b = op<"mul">(a, 1.0);
  op<"exp_">(op<"select">(b, 0, 0));
  Tensor first = gradients(op<"sum">(b), {a}, /*create_graph=*/true)[0];
  EXPECT_NEAR(values(first)[0], std::exp(2.0f), 1e-5);
  Tensor second = gradients(op<"sum">(first), {a})[0];
  EXPECT_NEAR(values(second)[0], std::exp(2.0f), 1e-5);
  EXPECT_EQ(values(second)[1], 0);
}

TEST(AutogradInplace, WritesToRealAndImaginaryViewsAreReplayedFromTheBase) {
  Tensor a = leaf({1, 2, 3, 4}, {2, 2});
  Tensor z = op<"mul">(op<"view_as_complex">(a), 1.0);
  Tensor parts = op<"view_as_real">(z);
  op<"mul_">(op<"select">(parts, 0, 1), 10.0);
  EXPECT_EQ(name_of_node(z), "CopySlices");
  backward(op<"sum">(op<"view_as_real">(z)));
  EXPECT_EQ(grad_of(a), (Floats{1, 1, 10, 10}));
}

TEST(AutogradInplace, SecondDerivativesReachTheOriginalArgument) {
  Tensor a = leaf({2}), b = leaf({3});
  Tensor c = op<"mul">(a, 1.0);
  op<"mul_">(c, b);
  Tensor by_b = gradients(c, {b}, /*create_graph=*/true)[0];
  EXPECT_EQ(values(by_b), (Floats{2}));
  EXPECT_EQ(values(gradients(by_b, {a})[0]), (Floats{1}));
}

TEST(AutogradInplace, ViewsOfALaterLeafFollowIt) {
  Tensor base = tensor({1, 2});
  Tensor view = op<"select">(base, 0, 0);
  set_requires_grad(base, true);
  EXPECT_TRUE(requires_grad(view));
  EXPECT_TRUE(is_leaf(view));
}

TEST(AutogradInplace, WritesToSavedTensorsAreDetected) {
  Tensor a = leaf({1, 2, 3});
  Tensor b = op<"exp">(a);
  op<"add_">(b, 1.0);
  EXPECT_EQ(failure([&] { backward(op<"sum">(b)); }),
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[torch.FloatTensor [3]], which is "
            "output 0 of Exp, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the "
            "operation that failed to "
            "compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

TEST(AutogradInplace, OutArgumentsRefuseGradients) {
  Tensor a = leaf({1}), out = tensor({0});
  const Operator* add = find_operator("add", "out");
  ASSERT_NE(add, nullptr);
  Value args[] = {box(a), box(a), box(1), box(out)};
  EXPECT_EQ(failure([&] {
              Results<1> results;
              call(*add, args, results.values);
            }),
            "add(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad.");
  GradMode off(false);
  Results<1> results;
  call(*add, args, results.values);
  EXPECT_EQ(out.version(), 1u);
}

TEST(AutogradInplace, InferenceTensors) {
  Tensor inference;
  {
    thread_state.inference_mode = true;
    thread_state.grad_mode = false;
    inference = op<"add">(tensor({1}), 1.0);
    op<"add_">(inference, 1.0);
    thread_state.inference_mode = false;
    thread_state.grad_mode = true;
  }
  EXPECT_TRUE(inference->inference);
  EXPECT_EQ(failure([&] { op<"add_">(inference, 1.0); }),
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing "
            "inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
  EXPECT_EQ(failure([&] { op<"mul">(inference, leaf({1})); }).substr(0, 49), "Inference tensors cannot be saved for backward. P");
}

}  // namespace
}  // namespace mt::test
