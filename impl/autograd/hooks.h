// Callbacks from outside: on gradients of tensors, on accumulated leaves, and around nodes.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/foreign.h"
#include "core/tensor.h"
#include "mindtorch/autograd.h"

namespace mt {

// A C callback with its user data, which is destroyed once.
template <class Fn>
struct Foreign {
  Foreign(Fn f, void* u, void (*d)(void*), int64_t i) : fn(f), user(u), destroy(d), id(i) {}
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  ~Foreign() {
    if (destroy) destroy(user);
  }

  Fn fn;
  void* user;
  void (*destroy)(void*);
  int64_t id;
  bool takes_null = false;  // a tensor's hook that is also called without a gradient
  std::atomic<bool> removed{false};  // set because a list that is being traversed may still contain a removed hook
  CountedForeign counted;
};
template <class Fn>
using ForeignRef = std::shared_ptr<Foreign<Fn>>;

using TensorHook = ForeignRef<mt_tensor_hook_fn>;
using AccumulateHook = ForeignRef<mt_accumulate_hook_fn>;
using NodeHook = ForeignRef<mt_node_hook_fn>;

int64_t new_hook_id();

// Moves the hook with this id from the list to `out`, so that the caller destroys it after releasing its locks. Returns whether it was
// found.
template <class Fn>
bool take_hook(std::vector<ForeignRef<Fn>>& list, int64_t id, ForeignRef<Fn>& out) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i]->id != id) continue;
    list[i]->removed = true;
    out = std::move(list[i]);
    list.erase(list.begin() + int64_t(i));
    return true;
  }
  return false;
}

// Passes the gradient to the hook, which may replace it.
void run_tensor_hook(const TensorHook& hook, Tensor& grad);
void run_accumulate_hook(const AccumulateHook& hook, const Tensor& leaf);
// Calls a hook of a node. A pre hook gets the incoming gradients as `grads`; a post hook gets the node's outputs as `grads`, and the
// incoming gradients.
void run_node_hook(const NodeHook& hook, Tensor* grads, int64_t n, const Tensor* incoming, int64_t n_incoming);

}  // namespace mt
