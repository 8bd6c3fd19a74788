// Saves and unpacks tensors.
#include "autograd/saved.h"

#include <optional>

#include "autograd/forward.h"
#include "autograd/meta.h"
#include "core/exception.h"

namespace mt {

struct PackedTensor {
  explicit PackedTensor(const SavedHooks& h) : hooks(h) {}
  ~PackedTensor() {
    if (has_data && hooks.table().destroy_packed) hooks.table().destroy_packed(hooks.user(), data);
  }
  SavedHooks hooks;
  void* data = nullptr;
  bool has_data = false;
  Ref<WeakNode> accumulator;  // of a leaf, so that double backward still reaches the leaf itself
};

namespace {

struct HookStack {
  std::vector<SavedHooks> hooks;
  std::optional<std::string> disabled;
  std::string former;
};
struct HookStackOwner {
  HookStack* stack = nullptr;
  ~HookStackOwner();
};
// A plain pointer, so that threads without hooks only load it and need no thread-local initialisation.
thread_local constinit HookStack* hook_stack = nullptr;
HookStackOwner::~HookStackOwner() {
  hook_stack = nullptr;
  delete stack;
}

HookStack& ensure_hook_stack() {
  static thread_local HookStackOwner owner;
  if (!hook_stack) hook_stack = owner.stack = new HookStack();
  return *hook_stack;
}

std::string type_name(const Tensor& t) {
  const std::string dtype = cpp_name_of(t.dtype());
  if (t.device().is_cpu()) return "torch." + dtype + "Tensor";
  return std::string("torch.") + name_of(t.device().type) + "." + dtype + "Tensor";
}

}  // namespace

void raise_freed() {
  fail(
      "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
      "been freed). Saved "
      "intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
      "retain_graph=True if you need to "
      "backward through the graph a second time or if you need to access saved tensors after calling backward.");
}

Tensor detached_alias(const Tensor& t) {
  if (__builtin_expect(!((t.keys() | thread_state.included) & ~thread_state.excluded & key_bit(Key::python)), 1)) {
    return alias(t, /*share_version=*/true);
  }
  Tensor copy;
  {
    BelowAutograd below;
    copy = op<"detach">(t);
  }
  // A handler of detach may return the tensor itself; saving that would make a reference cycle through the tensor's node.
  if (copy == t || meta_of(copy)) return alias(t, /*share_version=*/true);
  copy->shared_version = t.version_counter();
  return copy;
}

SavedHooks::SavedHooks(const mt_saved_hooks& hooks, void* user) : table_(hooks), user_(user) {
  if (table_.retain) table_.retain(user_);
}
SavedHooks::~SavedHooks() {
  if (table_.release) table_.release(user_);
}

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output) {
  if (!tensor.defined()) return;
  check(!tensor->inference,
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by "
        "autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
        "`torch.no_grad()` "
        "instead of `torch.inference_mode()`.");
  version_ = tensor.version();
  const AutogradMeta* meta = meta_of(tensor);
  if (meta) {
    output_nr_ = meta->output_nr;
    requires_grad_ = mt::requires_grad(tensor);
    is_output_ = is_output && requires_grad_;
  }
  // As in torch, hooks see the program's tensors, but not tensors that wrap its numbers.
  if (__builtin_expect(hook_stack && !hook_stack->hooks.empty() && !tensor->wrapped_number, 0)) {
    SavedHooks hooks = hook_stack->hooks.back();
    pack(hooks, tensor, tensor);
    return;
  }
  if (is_output_) {
    data_ = detached_alias(tensor);
    state_ = State::detached;
    // In a forward-mode call the result gets its tangent after it was saved, so the saved alias shares the tangents.
    if (thread_state.excluded & key_bit(Key::transforms)) share_tangents(tensor, data_);
  } else {
    data_ = tensor;
    state_ = State::original;
    was_result_ = requires_grad_ && !is_leaf(tensor);
  }
}

void SavedTensor::pack(const SavedHooks& hooks, const Tensor& tensor, const Tensor& given) {
  if (!is_output_) grad_fn_ = grad_fn_of(tensor);
  auto packed = std::make_shared<PackedTensor>(hooks);
  if (requires_grad_ && !is_output_ && !grad_fn_) {
    accumulator_of(tensor);
    packed->accumulator = meta_of(tensor)->accumulator;
  }
  GradMode no_grad(false);
  const uint32_t version = given.version();
  rethrow_status(hooks.table().pack(hooks.user(), handle(given), &packed->data));
  packed->has_data = true;
  check(version == given.version(),
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
        "modified by in-place "
        "operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place "
        "operations on the "
        "input to a pack hook.");
  packed_ = std::move(packed);
  state_ = State::packed;
}

void SavedTensor::check_version(Node* grad_fn) const {
  const uint32_t version = data_.version();
  if (version == version_) return;
  std::string text = "one of the variables needed for gradient computation has been modified by an inplace operation: [" +
                     type_name(data_) + " " + mt::text("{}", data_.sizes()) + "]";
  if (grad_fn) {  // torch remakes the node of a view that was written by as_strided
    const std::string name = is_view(data_) ? "AsStrided" : operator_name_of_node(grad_fn->name);
    text += ", which is output " + std::to_string(output_nr_) + " of " + name + ",";
  }
  text += " is at version " + std::to_string(version) + "; expected version " + std::to_string(version_) + " instead.";
  text += thread_state.anomaly ? " Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
                                 "variable in question was "
                                 "changed in there or anywhere later. Good luck!"
                               : " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
                                 "torch.autograd.set_detect_anomaly(True, check_nan=False).";
  fail("{}", text);
}

Tensor SavedTensor::as_output(Tensor data, Node* node, Node* copy_slices) const {
  if (!copy_slices) {
    set_history(data, Ref<Node>::share(node), output_nr_);
    return data;
  }
  return output_of_written_view(copy_slices, data);
}

Tensor SavedTensor::unpack(Node* node, Node* copy_slices) const {
  switch (state_) {
    case State::none: return Tensor();
    case State::freed: raise_freed();
    case State::original: {
      check_version(grad_fn_of(data_).get());
      check(!was_result_ || !is_leaf(data_),
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please use "
            "out-of-place `.detach()` instead");
      return data_;
    }
    case State::detached: {
      check_version(node);
      Tensor copy = detached_alias(data_);
      if (has_tangent(data_)) share_tangents(data_, copy);
      return as_output(std::move(copy), node, copy_slices);
    }
    case State::packed: break;
  }
  mt_tensor* unpacked = nullptr;
  const SavedHooks& hooks = packed_->hooks;
  rethrow_status(hooks.table().unpack(hooks.user(), packed_->data, &unpacked));
  check(unpacked, ErrorKind::type, "Output of saved tensor unpack_hook expected to be a Tensor but got result of type NoneType");
  Tensor data = Tensor::adopt(reinterpret_cast<TensorImpl*>(unpacked));
  if (!requires_grad_) return data;
  Tensor fresh = detached_alias(data);
  if (is_output_) return as_output(std::move(fresh), node, copy_slices);
  if (grad_fn_) {
    set_history(fresh, grad_fn_, output_nr_);
    return fresh;
  }
  set_requires_grad(fresh, true);
  ensure_meta(fresh).accumulator = packed_->accumulator;
  return fresh;
}

void* SavedTensor::packed(void** user) const {
  *user = packed_ ? packed_->hooks.user() : nullptr;
  return packed_ ? packed_->data : nullptr;
}

SavedTensor SavedTensor::take() {
  SavedTensor taken = std::move(*this);
  data_.reset();
  grad_fn_.reset();
  packed_.reset();
  if (state_ != State::none) state_ = State::freed;
  return taken;
}

void SavedTensor::register_hooks(const mt_saved_hooks& table, void* user) {
  check(state_ != State::none, "Calling register_hooks on a saved tensor with value None is forbidden");
  check(state_ != State::packed,
        "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
        "allowed at a time.");
  check(state_ != State::freed,
        "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
        "freed when you call "
        ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second "
        "time or if you need "
        "to access saved variables after calling backward.");
  SavedHooks hooks(table, user);
  Tensor kept = data_;
  pack(hooks, kept, state_ == State::original ? detached_alias(kept) : kept);
  data_.reset();
}

void push_saved_hooks(const mt_saved_hooks& hooks, void* user) {
  HookStack& stack = ensure_hook_stack();
  if (stack.disabled) fail("{}", *stack.disabled);
  stack.hooks.emplace_back(hooks, user);
}

void pop_saved_hooks() {
  HookStack& stack = ensure_hook_stack();
  check(!stack.hooks.empty(), "no saved-tensor hooks to pop");
  SavedHooks last = stack.hooks.back();  // released after it was popped
  stack.hooks.pop_back();
}

void* top_saved_hooks_user() { return hook_stack && !hook_stack->hooks.empty() ? hook_stack->hooks.back().user() : nullptr; }

const char* disable_saved_hooks(const char* message) {
  HookStack& stack = ensure_hook_stack();
  if (message && !stack.hooks.empty()) fail("{}", std::string(message));
  const bool was_disabled = stack.disabled.has_value();
  stack.former = stack.disabled.value_or("");
  if (message)
    stack.disabled = message;
  else
    stack.disabled.reset();
  return was_disabled ? stack.former.c_str() : nullptr;
}

bool has_saved_hooks() { return hook_stack && !hook_stack->hooks.empty(); }
std::vector<SavedHooks> copy_saved_hooks() { return hook_stack ? hook_stack->hooks : std::vector<SavedHooks>(); }
void set_saved_hooks(std::vector<SavedHooks> hooks) {
  if (!hooks.empty() || hook_stack) ensure_hook_stack().hooks = std::move(hooks);
}

}  // namespace mt
