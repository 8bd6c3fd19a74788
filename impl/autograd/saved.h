// Tensors kept for the backward pass: checked for writes, packed by hooks, free of cycles.
#pragma once

#include <memory>

#include "autograd/node.h"

namespace mt {

// A pair of hooks from outside, counted through its own retain and release.
class SavedHooks {
 public:
  SavedHooks() = default;
  SavedHooks(const mt_saved_hooks& hooks, void* user);
  SavedHooks(const SavedHooks& other);
  SavedHooks(SavedHooks&& other) noexcept;
  SavedHooks& operator=(SavedHooks other) noexcept;
  ~SavedHooks();
  const mt_saved_hooks& table() const { return hooks_; }
  void* user() const { return user_; }

 private:
  mt_saved_hooks hooks_{};
  void* user_ = nullptr;
};

struct PackedTensor;

class SavedTensor {
 public:
  SavedTensor() = default;
  // is_output: of the node that saves it, which must not own itself through it.
  SavedTensor(const Tensor& tensor, bool is_output);

  // `node` is the one that saved it. inplace_view: the output is a view written in place, whose node sits in a CopySlices.
  Tensor unpack(Node* node, Node* copy_slices = nullptr) const;
  void release();
  void register_hooks(const mt_saved_hooks& hooks, void* user);
  bool empty() const { return state_ == State::none; }
  const Tensor& data() const { return data_; }
  const PackedTensor* packed() const { return packed_.get(); }

 private:
  enum class State : int8_t { none, original, detached, packed, freed };
  void pack(const SavedHooks& hooks, const Tensor& tensor);
  [[noreturn]] void fail_modified(const Node* node, uint32_t version) const;

  Tensor data_;
  Ref<Node> grad_fn_;  // of a packed tensor that is not an output
  std::shared_ptr<PackedTensor> packed_;
  uint32_t version_ = 0;
  uint32_t output_nr_ = 0;
  State state_ = State::none;
  bool is_output_ = false;
  bool is_leaf_ = false;
  bool requires_grad_ = false;
};

// The thread's stack of default hooks.
void push_saved_hooks(const mt_saved_hooks& hooks, void* user);
void pop_saved_hooks();
void* top_saved_hooks_user();
// Fails with `message` on push while it is set; gives the former one ("" none).
const char* disable_saved_hooks(const char* message);
std::vector<SavedHooks> copy_saved_hooks();
void set_saved_hooks(std::vector<SavedHooks> hooks);

[[noreturn]] void fail_freed();

}  // namespace mt
