// The engine: hooks and their order, nesting, threads, failures, anomaly mode.
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

#include "autograd_support.h"

namespace mt::test {
namespace {

using Callback = std::function<Tensor(const Tensor&)>;

mt_status* run_callback(void* user, mt_tensor* grad, mt_tensor** replacement) {
  try {
    Tensor fresh = (*static_cast<Callback*>(user))(Tensor::share(reinterpret_cast<TensorImpl*>(grad)));
    if (fresh.defined()) *replacement = reinterpret_cast<mt_tensor*>(fresh.detach());
    return nullptr;
  } catch (...) {
    return status_of_current_exception();
  }
}
void destroy_callback(void* user) { delete static_cast<Callback*>(user); }
int64_t hook(const Tensor& t, Callback callback) {
  auto owned = std::make_unique<Callback>(std::move(callback));
  int64_t id = add_tensor_hook(t, run_callback, owned.get(), destroy_callback);
  owned.release();  // the hook's, now
  return id;
}

using NodeCallback = std::function<void(mt_tensor* const*, int64_t, mt_tensor* const*, int64_t, mt_tensor**, int32_t*)>;
mt_status* run_node_callback(void* user, mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t m, mt_tensor** replacement,
                             int32_t* replaced) {
  (*static_cast<NodeCallback*>(user))(grads, n, incoming, m, replacement, replaced);
  return nullptr;
}
int64_t node_hook(const Tensor& t, bool pre, NodeCallback callback) {
  int64_t id = 0;
  rethrow_status(mt_node_add_hook(
      node_handle(grad_fn_of(t).get()), pre, run_node_callback, new NodeCallback(std::move(callback)),
      [](void* user) { delete static_cast<NodeCallback*>(user); }, &id));
  return id;
}

TEST(AutogradHooks, ALeafsHookReplacesItsGradient) {
  Tensor a = leaf({1, 2});
  int64_t id = hook(a, [](const Tensor& g) { return op<"mul">(g, 10.0); });
  backward(op<"sum">(a));
  EXPECT_EQ(grad_of(a), (Floats{10, 10}));
  remove_tensor_hook(a, id);
  backward(op<"sum">(a));
  EXPECT_EQ(grad_of(a), (Floats{11, 11}));
}

TEST(AutogradHooks, RunInTorchsOrder) {
  Tensor a = leaf({1});
  Tensor b = op<"mul">(a, 2.0), c = op<"mul">(b, 3.0);
  std::string order;
  node_hook(b, /*pre=*/false, [&](auto...) { order += "post "; });
  node_hook(b, /*pre=*/true, [&](auto...) { order += "pre "; });
  hook(b, [&](const Tensor&) {
    order += "tensor ";
    return Tensor();
  });
  hook(a, [&](const Tensor&) {
    order += "leaf ";
    return Tensor();
  });
  auto accumulated = [](void* user, mt_tensor*) -> mt_status* {
    *static_cast<std::string*>(user) += "accumulated";
    return nullptr;
  };
  add_accumulate_hook(a, accumulated, &order, nullptr);
  backward(c);
  EXPECT_EQ(order, "tensor pre post leaf accumulated");
}

TEST(AutogradHooks, PostHooksSeeBothSidesAndReplace) {
  Tensor a = leaf({1});
  Tensor b = op<"mul">(a, tensor({2}));
  node_hook(b, /*pre=*/false,
            [](mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t m, mt_tensor** replacement, int32_t* replaced) {
              EXPECT_EQ(n, 2);
              EXPECT_EQ(m, 1);
              EXPECT_EQ(values(Tensor::share(reinterpret_cast<TensorImpl*>(incoming[0]))), (Floats{1}));
              EXPECT_EQ(values(Tensor::share(reinterpret_cast<TensorImpl*>(grads[0]))), (Floats{2}));
              Tensor fresh = tensor({7});
              replacement[0] = reinterpret_cast<mt_tensor*>(fresh.detach());
              *replaced = 1;
            });
  backward(b);
  EXPECT_EQ(grad_of(a), (Floats{7}));
}

TEST(AutogradHooks, AreDestroyedOnceWithTheirTensor) {
  int destroyed = 0;
  {
    Tensor a = leaf({1}), b = op<"neg">(a);
    auto count = [](void* user) { ++*static_cast<int*>(user); };
    auto nothing = [](void*, mt_tensor*, mt_tensor**) -> mt_status* { return nullptr; };
    add_tensor_hook(a, nothing, &destroyed, count);
    add_tensor_hook(b, nothing, &destroyed, count);
    remove_tensor_hook(a, add_tensor_hook(a, nothing, &destroyed, count));
    EXPECT_EQ(destroyed, 1);
  }
  EXPECT_EQ(destroyed, 3);
}

TEST(AutogradHooks, NeedARequirement) {
  EXPECT_EQ(failure([] { hook(tensor({1}), {}); }), "cannot register a hook on a tensor that doesn't require gradient");
  auto nothing = [](void*, mt_tensor*) -> mt_status* { return nullptr; };
  EXPECT_EQ(failure([&] { add_accumulate_hook(op<"neg">(leaf({1})), nothing, nullptr, nullptr); }),
            "post accumulate grad hooks cannot be registered on non-leaf tensors");
}

TEST(AutogradEngine, AFailingHookAbortsThePassWhichReturnsItsStatus) {
  Tensor a = leaf({1}), b = op<"neg">(a);
  hook(b, [](const Tensor&) -> Tensor { fail(ErrorKind::value, "stop here"); });
  EXPECT_EQ(failure([&] { backward(op<"neg">(b)); }), "stop here");
  EXPECT_EQ(current_graph_task_id(), -1);
  EXPECT_EQ(grad_of(a), Floats());
}

TEST(AutogradEngine, PassesNestDeeperThanTheStackAllows) {
  int64_t deepest = 0;
  std::function<void(int)> nest = [&](int level) {
    deepest = std::max<int64_t>(deepest, level);
    if (level == 200) return;
    Tensor a = leaf({1});
    Tensor b = op<"mul">(a, 2.0);
    hook(b, [&, level](const Tensor&) {
      GradMode on(true);
      nest(level + 1);
      return Tensor();
    });
    backward(b);
    EXPECT_EQ(grad_of(a), (Floats{2}));
  };
  nest(0);
  EXPECT_EQ(deepest, 200);
}

TEST(AutogradEngine, SeveralThreadsAddToOneLeaf) {
  Tensor a = leaf({1, 1});
  Tensor shared = op<"mul">(a, 2.0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) backward(op<"sum">(op<"mul">(shared, 3.0)), Tensor(), /*retain_graph=*/true);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(grad_of(a), (Floats{1200, 1200}));
}

TEST(AutogradEngine, ThreadsBuildHookAndRunGraphsOverOneView) {
  Tensor a = leaf({1, 1});
  Tensor view = op<"view">(op<"mul">(a, 2.0), IntList{2, 1});
  std::atomic<int> hooked{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) {
        Tensor y = op<"mul">(view, 3.0);
        hook(y, [&](const Tensor&) {
          ++hooked;
          return Tensor();
        });
        backward(op<"sum">(y), Tensor(), /*retain_graph=*/true);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(hooked, 100);
  EXPECT_EQ(grad_of(a), (Floats{600, 600}));
}

TEST(AutogradEngine, OnlyPathsToTheInputsRun) {
  Tensor a = leaf({1}), b = leaf({1});
  Tensor x = op<"neg">(a), y = op<"neg">(b);
  bool ran = false;
  hook(y, [&](const Tensor&) {
    ran = true;
    return Tensor();
  });
  Tensor z = op<"mul">(x, y);
  gradients(z, {x});
  EXPECT_FALSE(ran);
  EXPECT_EQ(grad_of(a), Floats());
}

TEST(AutogradEngine, BackwardWithInputsAccumulatesThereOnly) {
  Tensor a = leaf({1}), b = leaf({1});
  Tensor z = op<"mul">(a, b);
  mt_tensor *root = handle(z), *input = handle(a);
  rethrow_status(mt_autograd_backward(&root, nullptr, 1, 0, 0, &input, 1));
  EXPECT_EQ(grad_of(a), (Floats{1}));
  EXPECT_EQ(grad_of(b), Floats());
}

TEST(AutogradEngine, FinalCallbacksRunAfterThePass) {
  Tensor a = leaf({1});
  Tensor b = op<"neg">(a);
  static bool called;
  called = false;
  hook(b, [](const Tensor&) {
    queue_final_callback(
        [](void*) -> mt_status* {
          called = true;
          return nullptr;
        },
        nullptr, nullptr);
    EXPECT_FALSE(called);
    return Tensor();
  });
  backward(op<"neg">(b));
  EXPECT_TRUE(called);
  EXPECT_EQ(failure([] { queue_final_callback(nullptr, nullptr, nullptr); }),
            "Final callbacks can only be installed during backward pass.");
}

TEST(AutogradEngine, AnomalyModeNamesTheNodeThatMadeNan) {
  Tensor a = leaf({0});
  thread_state.anomaly = true;
  Tensor b = op<"mul">(op<"sqrt">(a), 0.0);
  std::string text = failure([&] { backward(b); });
  thread_state.anomaly = false;
  EXPECT_EQ(text, "Function 'SqrtBackward0' returned nan values in its 0th output.");
}

TEST(AutogradEngine, WithCreateGraphGradientsHaveHistory) {
  Tensor a = leaf({3});
  mt_warning_fn old = nullptr;
  rethrow_status(mt_warning_handler_set([](void*, const char*, const char*) -> mt_status* { return nullptr; }, nullptr, &old, nullptr));
  backward(op<"mul">(a, a), Tensor(), false, /*create_graph=*/true);
  EXPECT_TRUE(requires_grad(meta_of(a)->grad));
  meta_of(a)->grad.reset();
}

}  // namespace
}  // namespace mt::test
