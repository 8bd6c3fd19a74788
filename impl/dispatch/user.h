// Operators, kernels, fallbacks and derivatives that programs register through the C ABI.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// A callback with the pointer it gets; destroyed when the registration ended and no call of it is under way.
template <class Fn>
struct Callback {
  Callback(Fn f, void* u, void (*d)(void*)) : fn(f), user(u), destroy(d) {}
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  void retain() { refs.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (destroy) destroy(user);
    delete this;
  }

  const Fn fn;
  void* const user;
  void (*const destroy)(void* user);

 private:
  ~Callback() = default;
  std::atomic<int32_t> refs{1};
};
using UserKernel = Callback<mt_kernel_fn>;
using UserDerivative = Callback<mt_derivative_fn>;

// What Operator::external points to.
struct UserPart {
  UserDerivative* derivative = nullptr;
  UserKernel* kernels[key_count] = {};
  UserKernel* composite = nullptr;
  Slot replaced[key_count];  // what stood in a slot before a kernel from outside did
};

// The derivative registered from outside, nullptr where there is none.
inline UserDerivative* external_derivative(const Operator& op) {
  auto* part = static_cast<const UserPart*>(op.external);
  return part ? part->derivative : nullptr;
}
// Calls it. `grads`: one per result, none where undefined. `grad_args`: room for one owned value per argument, which are none before.
void run_external_derivative(const Operator& op, const Value* grads, int64_t n_grads, const Value* args, const Value* results,
                             Value* grad_args);

// Adds an operator that has no kernels yet; raises where the schema is wrong or the name taken.
Operator& define_operator(const char* schema);
// Each takes the callback over, on success only. kernel nullptr: what was there before registration comes back.
void register_kernel(Operator& op, Key key, UserKernel* kernel);
void register_composite(Operator& op, UserKernel* kernel);
void register_derivative(Operator& op, UserDerivative* derivative);
void register_fallback(Key key, UserKernel* kernel);

// Runs a composite operator's body.
void decompose(const Operator& op, const Value* args, Value* rets);

}  // namespace mt
