// Views: how they are made, when writes are refused, and how gradients flow to the base.
#include "autograd/view.h"

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/op_node.h"
#include "autograd/saved.h"
#include "core/modes_scope.h"
#include "core/sparse.h"
#include "dispatch/invoke.h"

namespace mt {
namespace {

// Makes calls for bookkeeping that are recorded whatever the caller's modes are, and that no mode intercepts.
struct RecordQuietly : ModesScope {
  RecordQuietly() {
    thread_state.included = 0;
    thread_state.excluded = ~(backend_keys | key_bit(Key::autograd) | key_bit(Key::view_and_version) | key_bit(Key::conjugate) |
                              key_bit(Key::negative));
    thread_state.grad_mode = true;
    thread_state.inference_mode = false;
  }
};

Tensor replay_steps(const ViewStep* step, const Tensor& base) {
  if (!step) return base;
  Tensor source = replay_steps(step->before.get(), base);
  if (!step->op) return op<"as_strided">(source, step->sizes, step->strides, source.storage_offset() + step->offset);
  std::vector<Value> args = step->args;  // a borrowed copy
  args[size_t(step->viewed)] = box(source);
  Results<1> results;
  call(*step->op, args.data(), results.values);
  if (results.values[0].tag == MT_TAG_TENSOR) return take_tensor(results.values[0]);
  return Unbox<TensorList>::from(results.values[0])[step->result];
}

// Makes a replayable as_strided step. start: the storage offset of the viewed tensor.
std::shared_ptr<ViewStep> make_strided_step(std::shared_ptr<const ViewStep> before, int64_t start, const Tensor& result) {
  auto step = std::make_shared<ViewStep>();
  step->before = std::move(before);
  step->sizes = result->sizes;
  step->strides = result->strides;
  step->offset = result.storage_offset() - start;
  return step;
}

std::shared_ptr<const ViewStep> make_replay_steps(const Tensor& source, const Tensor& base, const Tensor& result,
                                                  const ViewOrigin& origin) {
  const ViewInfo* parent = is_view(source) ? meta_of(source)->view.get() : nullptr;
  const bool strided = result.dtype() == base.dtype() && result.is_conj() == base.is_conj() && result.is_neg() == base.is_neg();
  if (strided && !(parent && parent->replay)) return nullptr;
  std::shared_ptr<const ViewStep> before = parent ? parent->replay : nullptr;
  if (parent && !before) before = make_strided_step(nullptr, base.storage_offset(), source);
  if (!origin.call) return make_strided_step(std::move(before), source.storage_offset(), result);
  auto step = std::make_shared<ViewStep>();
  step->before = std::move(before);
  step->op = &origin.call->op;
  step->viewed = origin.viewed;
  step->result = origin.result;
  for (int i = 0; i < step->op->n_args; ++i) step->args.push_back(i == origin.viewed ? none_value() : own(origin.call->args[i]));
  return step;
}

// The history of a base that was written through a view: gradients of the view's elements pass through the write; those of other elements
// skip it.
struct CopySlices : Node {
  explicit CopySlices(char*) : Node("CopySlices") {}

  void run(Tensor* grads, Tensor* out) override {
    if (!grads[0].defined()) return;
    Ref<Node> operation;
    {
      std::lock_guard guard(lock);
      operation = fn;
    }
    if (!operation) raise_freed();
    Tensor whole = op<"new_empty_strided">(grads[0], base.sizes, base.strides);
    op<"copy_">(whole, grads[0]);
    Tensor part = slice_viewed_part(whole);
    TensorArray given(operation->n_edges);
    Tensor incoming = op<"clone">(part);
    operation->run(&incoming, given.data());
    if (wants(0)) {
      if (has_self_edge && given[0].defined())
        op<"copy_">(part, given[0]);
      else
        op<"zero_">(part);
      out[0] = std::move(whole);
    }
    const int first = has_self_edge ? 1 : 0;
    for (int i = first; i < operation->n_edges; ++i) out[i + 1 - first] = std::move(given[i]);
  }
  void release_saved() override {
    Ref<Node> gone;
    std::lock_guard guard(lock);
    std::swap(gone, fn);
  }
  int32_t traverse(VisitFn visit, void* argument, Reachable& next) const override {
    return fn && fn->use_count() == 1 ? fn->traverse_all(visit, argument, next) : 0;
  }

  Tensor slice_viewed_part(const Tensor& whole) const {
    if (replay) return replay_steps(replay.get(), whole);
    return op<"as_strided">(whole, view.sizes, view.strides, whole.storage_offset() + view.storage_offset - base.storage_offset);
  }

  Ref<Node> fn;
  TensorMeta base, view;
  std::shared_ptr<const ViewStep> replay;
  bool has_self_edge = true;
};

}  // namespace

ViewStep::~ViewStep() {
  for (Value& v : args) clear(v);
}

CreationMeta current_creation_meta(bool several) {
  if (thread_state.inference_mode) return CreationMeta::inference_mode;
  if (!thread_state.grad_mode) return CreationMeta::no_grad_mode;
  return several ? CreationMeta::multi_output_node : CreationMeta::normal;
}

void make_view(const Tensor& source, const Tensor& result, CreationMeta creation, const ViewOrigin& origin) {
  if (source->inference || source == result || is_sparse(source) || is_sparse(result))
    return;  // a sparse tensor's memory belongs to its components
  const ViewInfo* parent = is_view(source) ? meta_of(source)->view.get() : nullptr;
  auto info = std::make_unique<ViewInfo>();
  info->base = parent ? parent->base : source;
  info->creation = parent && creation == CreationMeta::normal ? parent->creation : creation;
  info->replay = make_replay_steps(source, info->base, result, origin);
  result->shared_version = source.version_counter();
  info->version = result.version();
  ensure_meta(result).view = std::move(info);
  result->keys |= key_bit(Key::autograd);
}

Tensor replay_view(const ViewInfo& info, const Tensor& base, const TensorImpl& like) {
  RecordQuietly guard_modes;
  if (info.replay) return replay_steps(info.replay.get(), base);
  return op<"as_strided">(base, like.sizes, like.strides, like.storage_offset);
}

Tensor output_of_written_view(Node* copy_slices, const Tensor& data) {
  auto& around = static_cast<CopySlices&>(*copy_slices);
  Tensor base = make_tensor(data->storage, around.base.dtype, around.base.sizes, around.base.strides, around.base.storage_offset);
  base->shared_version = data->shared_version;
  set_history(base, Ref<Node>::share(copy_slices), 0);
  RecordQuietly guard_modes;
  return around.slice_viewed_part(base);
}

std::string operator_name_of_node(const char* node_name) {
  std::string name = node_name;
  if (name == "CopySlices") return "torch::autograd::" + name;
  const std::string suffix = "Backward";
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits <= suffix.size() || name.compare(digits - suffix.size(), suffix.size(), suffix) != 0) return name;
  if (name.compare(digits, name.size(), "0") == 0) name.resize(digits);
  return name.erase(digits - suffix.size(), suffix.size());
}

void check_view_write(const Tensor& view, bool indirect) {
  AutogradMeta& meta = *meta_of(view);
  const CreationMeta creation = meta.view->creation;
  if (creation == CreationMeta::normal) return;
  const bool inference = creation == CreationMeta::inference_mode;
  std::string text;
  if (meta.grad_fn) {
    text = "Output " + std::to_string(meta.output_nr) + " of " + operator_name_of_node(meta.grad_fn->name) + " is a view";
    if (creation == CreationMeta::no_grad_mode) text += " of a view which was created in no_grad mode";
    if (inference) text += " of a view which was created in inference mode";
  } else {
    text = inference ? "A view was created in inference mode" : "A view was created in no_grad mode";
  }
  text += indirect ? " and its base or another view of its base has been modified inplace" : " and is being modified inplace";
  if (inference)
    text += " in normal mode";
  else if (!meta.grad_fn || creation == CreationMeta::no_grad_mode)
    text += " with grad mode enabled";
  text += ". ";
  switch (creation) {
    case CreationMeta::multi_output_node:
      text +=
          "This view is the output of a function that returns multiple views. Such functions do not allow the output "
          "views to be "
          "modified inplace. You should replace the inplace operation by an out-of-place one.";
      break;
    case CreationMeta::in_custom_function:
      text +=
          "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
          "logic to handle "
          "view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
          "gradients. This "
          "behavior is forbidden. You can fix this by cloning the output of the custom Function.";
      break;
    default: {
      const std::string mode = inference ? "inference_mode" : "no_grad";
      text +=
          "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
          "both the view "
          "and the inplace either both inside the " +
          mode +
          " block (if you don't want the inplace to be tracked) or both outside "
          "(if you want the inplace to be tracked).";
    }
  }
  fail("{}", text);
}

void check_inplace(const Tensor& self) {
  const bool needs_grad = requires_grad(self);
  if (is_view(self)) {
    check_view_write(self, /*indirect=*/false);
    check(!needs_grad || !is_leaf(meta_of(self)->view->base),
          "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  check(!needs_grad || !is_leaf(self), "a leaf Variable that requires grad is being used in an in-place operation.");
}

void continue_history(const Tensor& self, Ref<Node> node) {
  node->describe_input(0, self);
  set_history(self, std::move(node), 0);
}

void rebase_view_geometry(const Tensor& self, int64_t start) {
  if (!is_view(self)) return;
  ViewInfo& view = *meta_of(self)->view;
  if (view.replay) view.replay = make_strided_step(view.replay, start, self);
}

void rebase_history(const Tensor& self, Ref<Node> node, bool has_self_edge) {
  if (!is_view(self)) return continue_history(self, std::move(node));
  node->describe_input(0, self);
  const ViewInfo& view = *meta_of(self)->view;
  const int others = node->n_edges - (has_self_edge ? 1 : 0);
  auto around = NodeMaker::make<CopySlices>(others + 1, 1, 0);
  around->describe_input(0, view.base);
  around->base = make_tensor_meta(view.base);
  around->view = make_tensor_meta(self);
  around->replay = view.replay;
  around->has_self_edge = has_self_edge;
  Edge base_edge = gradient_edge(view.base);
  if (has_self_edge) node->set_edge(0, base_edge);
  around->set_edge(0, std::move(base_edge));
  for (int i = 0; i < others; ++i) around->set_edge(i + 1, node->edges[i + (has_self_edge ? 1 : 0)]);
  if (auto* op_node = dynamic_cast<OpNode*>(node.get())) op_node->copy_slices = around.get();
  around->fn = std::move(node);
  set_history(view.base, Ref<Node>::adopt(around.detach()), 0);
  grad_fn_of(self);
}

}  // namespace mt
