// Operators, kernels, derivatives and fallbacks that programs register through the C ABI.
#pragma once

#include <atomic>

#include "dispatch/operator.h"

namespace mt {

// A callback with the pointer it gets; destroyed when the registration ended and no call of it is under way. The object itself
// stays: a call may have read its address just before the registration ended.
template <class Fn>
struct Callback {
  Callback(Fn f, void* u, void (*d)(void*)) : fn(f), user(u), destroy(d) {}
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  void retain() { refs.fetch_add(1, std::memory_order_relaxed); }
  // False where the last reference is gone.
  bool try_retain() {
    int32_t count = refs.load(std::memory_order_relaxed);
    while (count > 0)
      if (refs.compare_exchange_weak(count, count + 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    return false;
  }
  void release() {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (destroy) destroy(user);
    next_ended = ended.load(std::memory_order_relaxed);
    while (!ended.compare_exchange_weak(next_ended, this, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  // For a registration that failed: `user` stays the caller's.
  void abandon() { delete this; }

  const Fn fn;
  void* const user;
  void (*const destroy)(void* user);

 private:
  ~Callback() = default;
  std::atomic<int32_t> refs{1};
  Callback* next_ended = nullptr;
  static inline std::atomic<Callback*> ended{nullptr};
};
using UserKernel = Callback<mt_kernel_fn>;

// What Operator::external points to.
struct UserPart {
  UserKernel* kernels[key_count] = {};
  std::atomic<UserKernel*> composite{nullptr};
  bool has_derivative = false;
  Slot replaced[key_count];  // what stood in a slot before a kernel from outside did
};

// Handlers may be registered while others call: these see a whole entry, before or after.
KeySet handled_keys(const Operator& op);
Slot handler_at(const Operator& op, Key key);
// Whether a built-in operator has a kernel from outside, which whoever leaves the operator out would miss.
bool has_replaced_kernels();
// Whether a call consists of calls of other operators, and of nothing else.
bool is_transparent(const Operator& op);

// Calls what the operator came with for a key, whatever was registered over it since; arguments as for call_checked.
void call_shipped(const Operator& op, Key key, KeySet keys, const Value* args, int64_t n, Value* rets);
// What stood in a slot before a kernel from outside did, or stands there.
Slot shipped_at(const Operator& op, Key key);

// Adds an operator that has no kernels yet; raises where the schema is wrong or the name taken.
Operator& define_operator(const char* schema);
// Each takes the callback over, on success only. kernel nullptr: what was there before registration comes back.
void register_kernel(Operator& op, Key key, UserKernel* kernel);
void register_composite(Operator& op, UserKernel* kernel);
void register_fallback(Key key, UserKernel* kernel);
void register_derivative(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user));

}  // namespace mt
