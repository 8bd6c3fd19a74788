// What autograd stores on a tensor, and queries about it.
#pragma once

#include "autograd/node.h"
#include "autograd/view.h"

namespace mt {

// A leaf's accumulator lives as long as graphs refer to it; the leaf holds a weak reference.
struct WeakNode : Object {
  WeakNode() : Object(Kind::freed) {}
  static void destroy(WeakNode* weak) { delete weak; }
  SpinLock lock;
  Node* node = nullptr;
};

struct LeafHooks {
  std::vector<TensorHook> on_grad;
  std::vector<AccumulateHook> on_accumulated;
  // Hooks of a result belong to its node, and stay there when an in-place write gives the tensor another node.
  std::vector<std::weak_ptr<Foreign<mt_tensor_hook_fn>>> at_nodes;
};

struct Tangents;

struct AutogradMeta : AutogradMetaBase {
  ~AutogradMeta() override;

  bool requires_grad = false;
  bool retains_grad = false;
  int8_t grad_dtype = -1;  // -1: the tensor's own dtype; -2: any
  SpinLock lock;
  uint32_t output_nr = 0;
  Ref<Node> grad_fn;
  Tensor grad;
  Ref<WeakNode> accumulator;
  std::unique_ptr<LeafHooks> hooks;
  std::unique_ptr<ViewInfo> view;
  std::shared_ptr<WeakTensor> self;  // made when a node needs a weak reference to this tensor
  std::shared_ptr<Tangents> tangents;  // forward mode
};

inline AutogradMeta* meta_of(const TensorImpl& t) { return static_cast<AutogradMeta*>(t.autograd); }
inline AutogradMeta* meta_of(const Tensor& t) { return meta_of(*t); }
AutogradMeta& ensure_meta(const Tensor& t);

inline bool requires_grad(const TensorImpl& t) {
  for (const AutogradMeta* m = meta_of(t); m; m = meta_of(*m->view->base)) {
    if (m->requires_grad || m->grad_fn) return true;
    if (!m->view) return false;
  }
  return false;
}
inline bool requires_grad(const Tensor& t) { return t.defined() && requires_grad(*t); }
inline bool is_view(const Tensor& t) { return t->autograd && meta_of(t)->view; }
bool is_leaf(const Tensor& t);

// The node of a result, rebuilt for a view whose base was written since; nullptr for leaves.
Ref<Node> grad_fn_of(const Tensor& t);
// grad_fn, or a leaf's accumulator; an empty edge if no gradient is required.
Edge gradient_edge(const Tensor& t);
Ref<Node> accumulator_of(const Tensor& t);
Ref<Node> existing_accumulator(const Tensor& t);  // nullptr if there is none

// For a leaf that changes its dtype or device: its next graph gets a new accumulator.
void forget_accumulator(TensorImpl& t);

// Makes `t` output `nr` of a node.
void set_history(const Tensor& t, Ref<Node> node, uint32_t nr);
void set_requires_grad(const Tensor& t, bool on);
void retain_grad(const Tensor& t);
void detach_inplace(const Tensor& t);
void clear_autograd(const Tensor& t);

int64_t add_tensor_hook(const Tensor& t, mt_tensor_hook_fn fn, void* user, void (*destroy)(void*));
int64_t add_nullable_tensor_hook(const Tensor& t, mt_tensor_hook_fn fn, void* user,
                                 void (*destroy)(void*));  // called without a gradient too
int64_t add_accumulate_hook(const Tensor& t, mt_accumulate_hook_fn fn, void* user, void (*destroy)(void*));
void remove_tensor_hook(const Tensor& t, int64_t id);

// Returns autograd's bits of mt_tensor_info.flags.
uint32_t autograd_flags(const TensorImpl& tensor);

}  // namespace mt
