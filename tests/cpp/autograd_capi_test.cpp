// The C ABI of autograd: invalid handles, queries of nodes, edges as roots and inputs.
#include "autograd_support.h"

namespace mt::test {
namespace {

std::string kind_of_failure(mt_status* status) {
  std::string kind = status ? mt_status_kind(status) : "";
  mt_status_release(status);
  return kind;
}

struct OwnedNode {
  mt_node* node = nullptr;
  ~OwnedNode() { mt_node_release(node); }
};

TEST(AutogradAbi, RefusesNullAndWronglyTypedHandles) {
  Tensor a = leaf({1});
  auto* wrong = reinterpret_cast<mt_node*>(a.get());
  mt_tensor* null = nullptr;
  int64_t n = 0;
  int32_t flag = 0;
  mt_node* node = nullptr;
  mt_tensor* out = nullptr;
  const char* name = nullptr;
  mt_saved* saved = nullptr;
  EXPECT_EQ(kind_of_failure(mt_tensor_grad(nullptr, &out)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_tensor_grad(handle(a), nullptr)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_tensor_grad_fn(nullptr, &node)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_tensor_set_requires_grad(nullptr, 1)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_tensor_add_hook(handle(a), nullptr, nullptr, nullptr, &n)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_tensor_add_nullable_hook(handle(a), nullptr, nullptr, nullptr, &n)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_tensor_traverse(handle(a), nullptr, nullptr, &flag)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_node_name_borrow(wrong, &name)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_node_name_borrow(nullptr, &name)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_node_edge_count(wrong, &n)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_node_saved_count(nullptr, &n)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_node_input_zeros(nullptr, 0, &out)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_autograd_backward(&null, nullptr, 1, 0, 0, nullptr, 0)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_autograd_backward(nullptr, nullptr, 1, 0, 0, nullptr, 0)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_autograd_backward(nullptr, nullptr, -1, 0, 0, nullptr, 0)), "ValueError");
  EXPECT_EQ(kind_of_failure(mt_autograd_grad(nullptr, nullptr, 0, nullptr, 0, 0, 0, 0, nullptr)), "ValueError");
  EXPECT_EQ(kind_of_failure(mt_autograd_queue_callback(nullptr, nullptr, nullptr)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_node_create(nullptr, nullptr, nullptr, nullptr, 0, &node, &flag)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_saved_create(handle(a), 0, nullptr)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_saved_unpack(saved, nullptr, &out)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_saved_hooks_push(nullptr, nullptr)), "TypeError");
  EXPECT_EQ(kind_of_failure(mt_saved_hooks_pop()), "RuntimeError");
  EXPECT_EQ(kind_of_failure(mt_mode_get(99, &flag)), "ValueError");
  mt_node_retain(nullptr);
  mt_node_release(nullptr);
  mt_saved_release(nullptr);
}

TEST(AutogradAbi, WalksTheGraph) {
  Tensor a = leaf({1, 2}), b = op<"mul">(a, a);
  OwnedNode node, next;
  rethrow_status(mt_tensor_grad_fn(handle(b), &node.node));
  const char* name = nullptr;
  rethrow_status(mt_node_name_borrow(node.node, &name));
  EXPECT_STREQ(name, "MulBackward0");
  int64_t edges = 0, nr = -1;
  rethrow_status(mt_node_edge_count(node.node, &edges));
  EXPECT_EQ(edges, 2);
  rethrow_status(mt_node_edge(node.node, 1, &next.node, &nr));
  EXPECT_EQ(nr, 0);
  mt_tensor* variable = nullptr;
  rethrow_status(mt_node_variable(next.node, &variable));
  EXPECT_EQ(reinterpret_cast<TensorImpl*>(variable), a.get());
  mt_tensor_release(variable);
  EXPECT_EQ(kind_of_failure(mt_node_edge(node.node, 2, &next.node, &nr)), "IndexError");
}

TEST(AutogradAbi, ReturnsZerosInTheShapeOfAResult) {
  Tensor a = leaf({1, 2, 3, 4}, {2, 2});
  OwnedNode node;
  rethrow_status(mt_tensor_grad_fn(handle(op<"sum">(a)), &node.node));
  mt_tensor* zeros = nullptr;
  rethrow_status(mt_node_input_zeros(node.node, 0, &zeros));
  Tensor t = Tensor::adopt(reinterpret_cast<TensorImpl*>(zeros));
  EXPECT_EQ(t.dim(), 0);
  EXPECT_EQ(values(t), (Floats{0}));
}

TEST(AutogradAbi, RunsFromEdges) {
  Tensor a = leaf({3}), b = op<"mul">(a, a), c = op<"mul">(b, b);
  OwnedNode root, inner;
  rethrow_status(mt_tensor_grad_fn(handle(c), &root.node));
  rethrow_status(mt_tensor_grad_fn(handle(b), &inner.node));
  mt_edge from{root.node, 0}, to{inner.node, 0};
  Tensor one = tensor({1});
  mt_tensor *grad = handle(one), *out = nullptr;
  rethrow_status(mt_autograd_run(&from, &grad, 1, &to, 1, 1, 0, 0, 0, &out));
  EXPECT_EQ(values(Tensor::adopt(reinterpret_cast<TensorImpl*>(out))), (Floats{18}));  // 2 b
  EXPECT_EQ(grad_of(a), Floats());
  rethrow_status(mt_autograd_run(&from, &grad, 1, nullptr, 0, 0, 0, 1, 0, nullptr));
  EXPECT_EQ(grad_of(a), (Floats{108}));  // 4 a^3
}

TEST(AutogradAbi, GradientsHaveTheRequestedDtype) {
  Tensor a = leaf({1, 2});
  rethrow_status(mt_tensor_set_grad_dtype(handle(a), MT_FLOAT64));
  backward(op<"sum">(op<"mul">(a, a)));
  EXPECT_EQ(meta_of(a)->grad.dtype(), Dtype::float64);
  EXPECT_EQ(kind_of_failure(mt_tensor_set_grad_dtype(handle(op<"neg">(a)), MT_FLOAT64)), "RuntimeError");
}

TEST(AutogradAbi, InferenceModeSwitchesRecordingOff) {
  int32_t grad = 1;
  rethrow_status(mt_mode_set(MT_MODE_INFERENCE, 1));
  rethrow_status(mt_mode_get(MT_MODE_GRAD, &grad));
  EXPECT_EQ(grad, 0);
  rethrow_status(mt_mode_set(MT_MODE_INFERENCE, 0));
  rethrow_status(mt_mode_get(MT_MODE_GRAD, &grad));
  EXPECT_EQ(grad, 1);
}

TEST(AutogradAbi, ASavedTensorOfANodeIsPackedByItsOwnHooks) {
  Tensor a = leaf({1});
  Tensor b = op<"mul">(a, tensor({5}));
  OwnedNode node;
  rethrow_status(mt_tensor_grad_fn(handle(b), &node.node));
  static int packed;
  packed = 0;
  mt_saved_hooks hooks{};
  hooks.struct_size = sizeof hooks;
  hooks.pack = [](void*, mt_tensor* t, void** out) -> mt_status* {
    ++packed;
    mt_tensor_retain(t);
    *out = t;
    return nullptr;
  };
  hooks.unpack = [](void*, void* data, mt_tensor** out) -> mt_status* {
    Tensor six = tensor({6});
    *out = reinterpret_cast<mt_tensor*>(six.detach());
    (void)data;
    return nullptr;
  };
  hooks.destroy_packed = [](void*, void* data) { mt_tensor_release(static_cast<mt_tensor*>(data)); };
  int64_t n = 0;
  rethrow_status(mt_node_saved_count(node.node, &n));
  for (int64_t i = 0; i < n; ++i) {
    const char* name = nullptr;
    rethrow_status(mt_node_saved(node.node, i, &name, nullptr));
    if (std::string(name) == "other") {
      rethrow_status(mt_node_saved_register_hooks(node.node, i, &hooks, nullptr));
      EXPECT_EQ(kind_of_failure(mt_node_saved_register_hooks(node.node, i, &hooks, nullptr)), "RuntimeError");
    } else {
      EXPECT_EQ(kind_of_failure(mt_node_saved_register_hooks(node.node, i, &hooks, nullptr)), "RuntimeError");
    }
  }
  EXPECT_EQ(packed, 1);
  backward(b);
  EXPECT_EQ(grad_of(a), (Floats{6}));
}

}  // namespace
}  // namespace mt::test
