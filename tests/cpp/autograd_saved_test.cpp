// Saved tensors: freed graphs, hooks, reference cycles; and custom functions over the C ABI.
#include <algorithm>

#include "autograd_support.h"

namespace mt::test {
namespace {

TEST(AutogradSaved, UsingAFreedGraphRaises) {
  Tensor a = leaf({1});
  Tensor b = op<"exp">(a);
  backward(b);
  EXPECT_EQ(failure([&] { backward(b); }).substr(0, 56), "Trying to backward through the graph a second time (or d");
  Tensor c = op<"add">(a, a);  // saves nothing: runs again
  backward(c);
  backward(c);
}

TEST(AutogradSaved, AResultThatIsSavedMakesNoCycle) {
  Tensor a = leaf({1});
  uint32_t before = a->use_count();
  {
    Tensor b = op<"exp">(a);
    EXPECT_GT(a->use_count(), before);  // through its accumulator
  }
  EXPECT_EQ(a->use_count(), before);
}

TEST(AutogradSaved, NodesReportTheirSavedValues) {
  Tensor a = leaf({1, 2}), b = leaf({3, 4});
  Ref<Node> node = grad_fn_of(op<"mul">(a, b));
  std::vector<std::string> names;
  for (int64_t i = 0; i < node->saved_count(); ++i) names.push_back(node->saved_name(i));
  EXPECT_NE(std::find(names.begin(), names.end(), "self"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "other"), names.end());
}

TEST(AutogradSaved, UnneededValuesAreNotSaved) {
  Tensor a = leaf({1}), b = tensor({2});
  uint32_t before = a->use_count();
  Tensor c = op<"mul">(a, b);
  for (int64_t i = 0; i < grad_fn_of(c)->saved_count(); ++i) {
    if (std::string(grad_fn_of(c)->saved_name(i)) == "self") {
      EXPECT_TRUE(grad_fn_of(c)->saved_tensor(i)->empty());
    }
  }
  EXPECT_EQ(a->use_count(), before + 1);
}

struct Packer {  // its pack hook returns the tensor doubled
  int packed = 0, unpacked = 0, destroyed = 0, references = 0;
};
const mt_saved_hooks doubling = {
    sizeof(mt_saved_hooks),
    [](void* user, mt_tensor* t, void** out) -> mt_status* {
      ++static_cast<Packer*>(user)->packed;
      Tensor doubled = op<"mul">(Tensor::share(reinterpret_cast<TensorImpl*>(t)), 2.0);
      *out = doubled.detach();
      return nullptr;
    },
    [](void* user, void* data, mt_tensor** out) -> mt_status* {
      ++static_cast<Packer*>(user)->unpacked;
      Tensor t = Tensor::share(static_cast<TensorImpl*>(data));
      *out = reinterpret_cast<mt_tensor*>(t.detach());
      return nullptr;
    },
    [](void* user, void* data) {
      ++static_cast<Packer*>(user)->destroyed;
      Tensor::adopt(static_cast<TensorImpl*>(data));
    },
    [](void* user) { ++static_cast<Packer*>(user)->references; },
    [](void* user) { --static_cast<Packer*>(user)->references; },
};

TEST(AutogradSaved, HooksPackAndUnpack) {
  Packer packer;
  Tensor a = leaf({3});
  {
    push_saved_hooks(doubling, &packer);
    Tensor b = op<"mul">(a, a);
    pop_saved_hooks();
    EXPECT_EQ(packer.packed, 2);
    backward(b);
  }
  EXPECT_EQ(grad_of(a), (Floats{12}));  // each factor was unpacked doubled
  EXPECT_EQ(packer.unpacked, 2);
  EXPECT_EQ(packer.destroyed, 2);
  EXPECT_EQ(packer.references, 0);
}

TEST(AutogradSaved, SecondDerivativesPassThroughHooks) {
  Packer packer;
  Tensor a = leaf({3});
  push_saved_hooks(doubling, &packer);
  Tensor b = op<"mul">(op<"neg">(a), a);
  pop_saved_hooks();
  Tensor first = gradients(b, {a}, /*create_graph=*/true)[0];
  EXPECT_EQ(values(first), (Floats{-12}));
  EXPECT_EQ(values(gradients(first, {a})[0]), (Floats{-2}));
}

TEST(AutogradSaved, DisabledHooksRaiseTheGivenMessage) {
  disable_saved_hooks("not here");
  Packer packer;
  EXPECT_EQ(failure([&] { push_saved_hooks(doubling, &packer); }), "not here");
  EXPECT_STREQ(disable_saved_hooks(nullptr), "not here");
  EXPECT_EQ(packer.references, 0);
}

// ---- custom functions ----

struct Scale {
  float factor = 2;
  int destroyed = 0, released = 0;
  float returned_size = 0;
};
const mt_function_vtable scale = {
    sizeof(mt_function_vtable),
    [](void* user, mt_node*, mt_tensor* const* grads, int64_t, mt_tensor** out, int64_t) -> mt_status* {
      Scale& s = *static_cast<Scale*>(user);
      Tensor g = Tensor::share(reinterpret_cast<TensorImpl*>(grads[0]));
      Tensor result = s.returned_size != 0 ? tensor({1, 2, 3, 4, 5}) : op<"mul">(g, double(s.factor));
      out[0] = reinterpret_cast<mt_tensor*>(result.detach());
      return nullptr;
    },
    [](void* user) { ++static_cast<Scale*>(user)->released; },
    [](void* user) { ++static_cast<Scale*>(user)->destroyed; },
    nullptr,
};

Tensor apply_scale(Scale& user, const Tensor& input, const Tensor& output, int32_t flags = 0) {
  mt_tensor* in = handle(input);
  mt_tensor* out = handle(output);
  mt_node* node = nullptr;
  int32_t needed = 0;
  rethrow_status(mt_node_create("ScaleBackward", &scale, &user, &in, 1, &node, &needed));
  mt_status* status = mt_node_wrap_outputs(node, needed, &in, 1, &out, &flags, 1);
  mt_node_release(node);
  rethrow_status(status);
  return Tensor::adopt(reinterpret_cast<TensorImpl*>(out));
}

TEST(AutogradFunction, ComputesItsOwnGradient) {
  Scale user;
  Tensor a = leaf({1, 2});
  {
    Tensor b = apply_scale(user, a, tensor({2, 4}));
    EXPECT_EQ(name_of_node(b), "ScaleBackward");
    backward(op<"sum">(b));
  }
  EXPECT_EQ(grad_of(a), (Floats{2, 2}));
  EXPECT_EQ(user.released, 1);
  EXPECT_EQ(user.destroyed, 1);
}

TEST(AutogradFunction, AGradientOfAWrongShapeIsNamed) {
  Scale user;
  user.returned_size = 5;
  Tensor a = leaf({1, 2});
  Tensor b = apply_scale(user, a, tensor({2, 4}));
  EXPECT_EQ(failure([&] { backward(op<"sum">(b)); }),
            "Function ScaleBackward returned an invalid gradient at index 0 - got [5] but expected shape compatible "
            "with [2]");
}

TEST(AutogradFunction, AReturnedInputBecomesAView) {
  Scale user;
  Tensor a = op<"neg">(leaf({1, 2}));
  Tensor b = apply_scale(user, a, a);
  EXPECT_NE(b.get(), a.get());
  EXPECT_EQ(meta_of(b)->view->base, a);
  EXPECT_EQ(name_of_node(b), "ScaleBackward");
  EXPECT_EQ(failure([&] { op<"add_">(b, 1.0); }).substr(0, 50), "Output 0 of Scale is a view and is being modified ");
}

TEST(AutogradFunction, ADirtyInputTakesTheNode) {
  Scale user;
  Tensor a = op<"neg">(leaf({1, 2}));
  Tensor b = apply_scale(user, a, a, MT_OUTPUT_DIRTY);
  EXPECT_EQ(a.get(), b.get());
  EXPECT_EQ(name_of_node(a), "ScaleBackward");
  Tensor c = leaf({1});
  EXPECT_EQ(failure([&] { apply_scale(user, c, c, MT_OUTPUT_DIRTY); }),
            "a leaf Variable that requires grad has been used in an in-place operation.");
}

TEST(AutogradFunction, ANonDifferentiableOutputHasNoHistory) {
  Scale user;
  EXPECT_FALSE(requires_grad(apply_scale(user, leaf({1}), tensor({2}), MT_OUTPUT_NON_DIFFERENTIABLE)));
}

Tensor of_value(const mt_value& v) { return Tensor::share(reinterpret_cast<TensorImpl*>(v.as.tensor)); }

TEST(AutogradFunction, RegisteredOperatorsDifferentiateTwice) {
  const mt_op* cube = nullptr;
  rethrow_status(mt_op_define("autogradtest::cube(Tensor self, float scale) -> Tensor", &cube));
  auto kernel = [](void*, const mt_op*, uint64_t, const mt_value* args, int64_t, mt_value* rets, int64_t) -> mt_status* {
    Tensor x = of_value(args[0]);
    put(rets[0], op<"mul">(op<"mul">(x, op<"mul">(x, x)), args[1].as.d));
    return nullptr;
  };
  rethrow_status(mt_op_register_kernel(cube, MT_KEY_CPU, kernel, nullptr, nullptr));
  auto derivative = [](void*, const mt_op*, const mt_value* grads, int64_t n_grads, const mt_value* args, int64_t n_args, const mt_value*,
                       int64_t n_results, mt_value* out) -> mt_status* {
    EXPECT_EQ(n_grads, 1);
    EXPECT_EQ(n_args, 2);
    EXPECT_EQ(n_results, 1);
    Tensor x = of_value(args[0]);
    put(out[0], op<"mul">(op<"mul">(op<"mul">(x, x), of_value(grads[0])), 3 * args[1].as.d));
    return nullptr;
  };
  rethrow_status(mt_op_register_derivative(cube, derivative, nullptr, nullptr));
  Tensor a = leaf({2});
  Value args[] = {box(a), box(2.0)};
  Results<1> results;
  call(*reinterpret_cast<const Operator*>(cube), args, results.values);
  Tensor b = Unbox<Tensor>::from(results.values[0]);
  EXPECT_EQ(values(b), (Floats{16}));
  EXPECT_EQ(name_of_node(b), "CubeBackward0");
  Tensor first = gradients(b, {a}, /*create_graph=*/true)[0];
  EXPECT_EQ(values(first), (Floats{24}));
  EXPECT_EQ(values(gradients(first, {a})[0]), (Floats{24}));
}

TEST(AutogradFunction, CollectorsSeeHooksThroughTheGraph) {
  Tensor a = leaf({1});
  Tensor b = op<"neg">(op<"neg">(a));
  auto nothing = [](void*, mt_tensor*, mt_tensor**) -> mt_status* { return nullptr; };
  int marker = 0;
  add_tensor_hook(b, nothing, &marker, nullptr);
  auto visit = [](void* user, void* argument) -> int32_t {
    *static_cast<void**>(argument) = user;
    return 0;
  };
  void* seen = nullptr;
  int32_t result = 0;
  rethrow_status(mt_tensor_traverse(handle(b), visit, &seen, &result));
  EXPECT_EQ(seen, &marker);
}

}  // namespace
}  // namespace mt::test
