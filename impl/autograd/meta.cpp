// Autograd state of tensors: requires_grad, history, accumulators, hooks.
#include "autograd/meta.h"

#include "autograd/accumulate.h"
#include "core/exception.h"
#include "core/messages.h"

namespace mt {
namespace {

// Moves a tensor's retain_grad request to the node that now produces the tensor.
void move_retain_grad_request(const Tensor& t, AutogradMeta& meta, Node* old, Node& fresh, uint32_t nr) {
  if (!meta.retains_grad || old == &fresh) return;
  if (old && old->hooks) {
    std::lock_guard guard(old->lock);
    auto& list = old->hooks->retained;
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].tensor == meta.self) list.erase(list.begin() + int64_t(i--));
  }
  if (!meta.self) {
    meta.self = std::make_shared<WeakTensor>();
    meta.self->impl = t.get();
  }
  NodeHooks& hooks = fresh.ensure_hooks();
  std::lock_guard guard(fresh.lock);
  hooks.retained.push_back({nr, meta.self});
}

LeafHooks& ensure_hooks(AutogradMeta& meta) {
  std::lock_guard guard(meta.lock);
  if (!meta.hooks) meta.hooks = std::make_unique<LeafHooks>();
  return *meta.hooks;
}

Ref<Node> retain_if_alive(WeakNode& weak) {
  std::lock_guard guard(weak.lock);
  if (!weak.node) return nullptr;
  uint32_t count = weak.node->refs.load(std::memory_order_relaxed);
  while (count != 0)
    if (weak.node->refs.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return Ref<Node>::adopt(weak.node);
  return nullptr;
}

}  // namespace

AutogradMeta::~AutogradMeta() {
  if (!self) return;
  std::lock_guard guard(self->lock);
  self->impl = nullptr;
}

AutogradMeta& ensure_meta(const Tensor& t) {
  if (!t->autograd) t->autograd = new AutogradMeta();
  return *meta_of(t);
}

bool is_leaf(const Tensor& t) { return !grad_fn_of(t); }

Ref<Node> grad_fn_of(const Tensor& t) {
  AutogradMeta* meta = meta_of(t);
  if (!meta) return nullptr;
  if (!meta->view) return meta->grad_fn;
  ViewInfo& view = *meta->view;
  {
    std::lock_guard guard(meta->lock);
    if (!meta->grad_fn && !requires_grad(*view.base)) return nullptr;
    if (t->inference || t.version() == view.version) return meta->grad_fn;
  }
  check_view_write(t, /*indirect=*/true);
  const uint32_t version = t.version();
  Tensor fresh = replay_view(view, view.base, *t);
  AutogradMeta* source = meta_of(fresh);
  Ref<Node> node = source ? source->grad_fn : nullptr;
  std::lock_guard guard(meta->lock);
  if (version == view.version) return meta->grad_fn;  // another thread made it first
  Ref<Node> old = meta->grad_fn;
  if (node) move_retain_grad_request(t, *meta, old.get(), *node, source->output_nr);
  meta->grad_fn = node;
  meta->output_nr = source ? source->output_nr : 0;
  view.version = version;
  return node;
}

Edge gradient_edge(const Tensor& t) {
  AutogradMeta* meta = meta_of(t);
  if (!meta) return {};
  if (Ref<Node> node = grad_fn_of(t)) return {std::move(node), meta->output_nr};
  if (!meta->requires_grad) return {};
  return {accumulator_of(t), 0};
}

Ref<Node> existing_accumulator(const Tensor& t) {
  AutogradMeta* meta = meta_of(t);
  return meta && meta->accumulator ? retain_if_alive(*meta->accumulator) : Ref<Node>();
}

Ref<Node> accumulator_of(const Tensor& t) {
  AutogradMeta& meta = ensure_meta(t);
  check(!meta.grad_fn, "grad_accumulator() should be only called on leaf Variables");
  Ref<WeakNode> weak;
  {
    std::lock_guard guard(meta.lock);
    if (!meta.accumulator) meta.accumulator = Ref<WeakNode>::adopt(new WeakNode());
    weak = meta.accumulator;
  }
  if (Ref<Node> node = retain_if_alive(*weak)) return node;
  Ref<Node> fresh = make_accumulator(t, weak);
  std::lock_guard guard(weak->lock);
  if (weak->node) {
    uint32_t count = weak->node->refs.load(std::memory_order_relaxed);
    while (count != 0)
      if (weak->node->refs.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return Ref<Node>::adopt(weak->node);
  }
  weak->node = fresh.get();
  return fresh;
}

void forget_accumulator(TensorImpl& t) {
  AutogradMeta* meta = meta_of(t);
  if (!meta) return;
  Ref<WeakNode> old;
  std::lock_guard guard(meta->lock);
  std::swap(meta->accumulator, old);
}

void set_history(const Tensor& t, Ref<Node> node, uint32_t nr) {
  AutogradMeta& meta = ensure_meta(t);
  if (meta.retains_grad && node) move_retain_grad_request(t, meta, meta.grad_fn.get(), *node, nr);
  {
    std::lock_guard guard(meta.lock);
    std::swap(meta.grad_fn, node);
    meta.output_nr = nr;
    if (meta.view) meta.view->version = t.version();
  }
  t->keys |= key_bit(Key::autograd);
}

void set_requires_grad(const Tensor& t, bool on) {
  if (on) {
    check(is_differentiable(t.dtype()), "Only Tensors of floating point and complex dtype can require gradients");
    check(!t->inference || thread_state.inference_mode,
          "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
    ensure_meta(t).requires_grad = true;
    t->keys |= key_bit(Key::autograd);
    return;
  }
  AutogradMeta* meta = meta_of(t);
  if (!meta) return;
  check(is_leaf(t),
        "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
        "subgraph that doesn't "
        "require differentiation use var_no_grad = var.detach().");
  meta->requires_grad = false;
  if (!meta->view) t->keys &= ~key_bit(Key::autograd);
}

void retain_grad(const Tensor& t) {
  check(requires_grad(t), "can't retain_grad on Tensor that has requires_grad=False");
  Ref<Node> node = grad_fn_of(t);
  AutogradMeta& meta = *meta_of(t);
  if (!node || meta.retains_grad) return;
  meta.retains_grad = true;
  move_retain_grad_request(t, meta, nullptr, *node, meta.output_nr);
}

void detach_inplace(const Tensor& t) {
  check(!is_view(t),
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
        "training, and "
        "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
        "called on these "
        "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py "
        "as the solution.");
  AutogradMeta* meta = meta_of(t);
  if (!meta) return;
  Ref<Node> old;
  {
    std::lock_guard guard(meta->lock);
    std::swap(meta->grad_fn, old);
    meta->output_nr = 0;
    meta->requires_grad = false;
  }
  t->keys &= ~key_bit(Key::autograd);
}

void clear_autograd(const Tensor& t) {
  AutogradMeta* meta = meta_of(t);
  if (!meta) return;
  // Moves node, gradient and hooks out before it destroys any of them: their destructors may run foreign code that uses this tensor.
  Ref<Node> node = std::move(meta->grad_fn);
  Tensor grad = std::move(meta->grad);
  std::unique_ptr<LeafHooks> hooks = std::move(meta->hooks);
}

namespace {
// Owns `user` only if the tensor may have hooks.
TensorHook make_tensor_hook(const Tensor& t, mt_tensor_hook_fn fn, void* user, void (*destroy)(void*)) {
  check(requires_grad(t), messages::hook_needs_gradient);
  return std::make_shared<Foreign<mt_tensor_hook_fn>>(fn, user, destroy, new_hook_id());
}

int64_t add_tensor_hook(const Tensor& t, const TensorHook& hook) {
  Ref<Node> node = grad_fn_of(t);
  AutogradMeta& meta = ensure_meta(t);
  LeafHooks& mine = ensure_hooks(meta);
  if (!node) {
    std::lock_guard guard(meta.lock);
    mine.on_grad.push_back(hook);
    return hook->id;
  }
  NodeHooks& hooks = node->ensure_hooks();
  std::lock_guard guard(node->lock);
  hooks.on_input.push_back({meta.output_nr, hook});
  mine.at_nodes.push_back(hook);
  return hook->id;
}
}  // namespace

int64_t add_tensor_hook(const Tensor& t, mt_tensor_hook_fn fn, void* user, void (*destroy)(void*)) {
  return add_tensor_hook(t, make_tensor_hook(t, fn, user, destroy));
}

int64_t add_nullable_tensor_hook(const Tensor& t, mt_tensor_hook_fn fn, void* user, void (*destroy)(void*)) {
  const TensorHook hook = make_tensor_hook(t, fn, user, destroy);
  hook->takes_null = true;
  return add_tensor_hook(t, hook);
}

int64_t add_accumulate_hook(const Tensor& t, mt_accumulate_hook_fn fn, void* user, void (*destroy)(void*)) {
  check(requires_grad(t), messages::hook_needs_gradient);
  check(is_leaf(t), "post accumulate grad hooks cannot be registered on non-leaf tensors");
  AutogradMeta& meta = ensure_meta(t);
  auto hook = std::make_shared<Foreign<mt_accumulate_hook_fn>>(fn, user, destroy, new_hook_id());
  LeafHooks& mine = ensure_hooks(meta);
  std::lock_guard guard(meta.lock);
  mine.on_accumulated.push_back(hook);
  return hook->id;
}

void remove_tensor_hook(const Tensor& t, int64_t id) {
  AutogradMeta* meta = meta_of(t);
  if (!meta || !meta->hooks) return;
  TensorHook removed;  // destroyed after the locks are released
  AccumulateHook removed_accumulate;
  {
    std::lock_guard guard(meta->lock);
    if (take_hook(meta->hooks->on_grad, id, removed) || take_hook(meta->hooks->on_accumulated, id, removed_accumulate)) return;
    auto& list = meta->hooks->at_nodes;
    for (size_t i = 0; i < list.size(); ++i) {
      TensorHook hook = list[i].lock();
      if (hook && hook->id != id) continue;
      list.erase(list.begin() + int64_t(i--));
      if (!hook) continue;
      hook->removed = true;
      removed = std::move(hook);
    }
  }
  Node* node = meta->grad_fn.get();
  if (!removed || !node || !node->hooks) return;
  std::lock_guard guard(node->lock);
  auto& list = node->hooks->on_input;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].hook == removed) list.erase(list.begin() + int64_t(i--));
}

uint32_t autograd_flags(const TensorImpl& tensor) {
  const AutogradMeta* meta = meta_of(tensor);
  if (!meta) return MT_TENSOR_IS_LEAF;
  uint32_t flags = 0;
  const bool needs_grad = requires_grad(tensor);
  if (needs_grad) flags |= MT_TENSOR_REQUIRES_GRAD;
  bool leaf = !meta->grad_fn && !(tensor.keys & key_bit(Key::pipeline));  // a tensor pending in a pipeline is a result
  if (meta->view) {
    flags |= MT_TENSOR_IS_VIEW;
    const uint32_t version = tensor.shared_version ? tensor.shared_version->value.load(std::memory_order_relaxed) : tensor.own_version;
    if (needs_grad && !meta->requires_grad && version != meta->view->version) leaf = false;  // its node has not been made yet
  }
  if (leaf) flags |= MT_TENSOR_IS_LEAF;
  if (meta->retains_grad) flags |= MT_TENSOR_RETAINS_GRAD;
  if (meta->grad.defined()) flags |= MT_TENSOR_HAS_GRAD;
  return flags;
}

}  // namespace mt
