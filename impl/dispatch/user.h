// Operators, kernels, derivatives and fallbacks that programs register through the C ABI.
#pragma once

#include <atomic>
#include <vector>

#include "dispatch/operator.h"

namespace mt {

// A callback with its user pointer, destroyed when the registration has ended and no call is running. The object itself is never freed: a
// call may have read its address just before the registration ended.
template <class Fn>
struct Callback {
  Callback(Fn f, void* u, void (*d)(void*)) : fn(f), user(u), destroy(d) {}
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  void retain() { refs.fetch_add(1, std::memory_order_relaxed); }
  // Returns false if the last reference was released already.
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

  // Frees the object after a failed registration; does not destroy `user`, which still belongs to the caller.
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

// A registered kernel of one key. register_kernel's has id 0; a key has at most one of these.
struct KernelEntry {
  int64_t id;
  int32_t rank;
  bool is_body;  // of a composite operator: every key that a composite body supports has this entry
  UserKernel* kernel;
};
// What programs registered for an operator; Operator::external points to it.
struct UserPart {
  std::vector<KernelEntry> kernels[key_count];  // by rank, then by age; the last one is used
  std::atomic<int32_t> composites{0};           // how many registrations are of a composite body
  bool has_derivative = false;
  Slot replaced[key_count];  // the original handlers of slots that have a kernel from outside
};

// These two functions may run while other threads register handlers: they see an entry either before or after the change.
KeySet handled_keys(const Operator& op);
Slot handler_at(const Operator& op, Key key);
// Whether a program replaced a kernel of any built-in operator: code that bypasses the dispatcher would not call the replacement.
bool has_replaced_kernels();
// Whether the operator's body only calls other operators.
bool runs_as_composite(const Operator& op);

// Calls the built-in handler of an operator for a key, even if a program has replaced it; arguments as for call_checked.
void call_shipped(const Operator& op, Key key, KeySet keys, const Value* args, int64_t n, Value* rets);
// The built-in handler for a key, even if a program has replaced it.
Slot builtin_handler_at(const Operator& op, Key key);

// Adds an operator without kernels; raises if the schema is wrong or the name exists.
Operator& define_operator(const char* schema);
// Removes the operator from names and lists (registry.cpp); the object stays, since callers may hold it.
void remove_operator(Operator& op);
// Unregisters an operator that a program defined, with all its kernels; raises for others.
void undefine_operator(Operator& op);
// Adds a kernel for a key, or for every key that a composite body supports, and returns its number. The latest of the highest rank is used.
int64_t add_kernel(Operator& op, Key key, int32_t rank, UserKernel* kernel);
int64_t add_composite(Operator& op, int32_t rank, UserKernel* kernel);
void remove_kernel(Operator& op, int64_t id);  // raises if no kernel has this number
// Each takes ownership of the callback on success only. kernel nullptr: restores the original handler.
void register_kernel(Operator& op, Key key, UserKernel* kernel);
void register_composite(Operator& op, UserKernel* kernel);
void register_fallback(Key key, UserKernel* kernel);
void register_derivative(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user));

}  // namespace mt
