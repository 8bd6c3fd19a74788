// Tensors saved for the backward pass: version checks, hooks that pack them, and no reference cycles.
#pragma once

#include <memory>

#include "autograd/node.h"

namespace mt {

// A pair of foreign hooks, reference-counted through their own retain and release.
class SavedHooks {
 public:
  SavedHooks(const mt_saved_hooks& hooks, void* user);
  SavedHooks(const SavedHooks& other) : SavedHooks(other.table_, other.user_) {}
  SavedHooks& operator=(SavedHooks other) noexcept {
    std::swap(table_, other.table_);
    std::swap(user_, other.user_);
    return *this;
  }
  ~SavedHooks();
  const mt_saved_hooks& table() const { return table_; }
  void* user() const { return user_; }

 private:
  mt_saved_hooks table_;
  void* user_;
};

// A second tensor over the same memory and version counter, without a history. A class or a mode that intercepts calls makes it.
Tensor detached_alias(const Tensor& t);

struct PackedTensor;

class SavedTensor {
 public:
  SavedTensor() = default;
  // is_output: the tensor is a result of the node that saves it, so it must not own that node.
  SavedTensor(const Tensor& tensor, bool is_output);

  // Returns the saved tensor with its history; raises if it was changed in place. node: the node that saved it. copy_slices: the node that
  // wraps `node`, if the output is a view written in place.
  Tensor unpack(Node* node, Node* copy_slices = nullptr) const;
  // Moves the contents out; unpacking afterwards raises torch's error.
  [[nodiscard]] SavedTensor take();
  void register_hooks(const mt_saved_hooks& hooks, void* user);
  bool empty() const { return state_ == State::none; }
  // The stored tensor; undefined if hooks packed it.
  const Tensor& data() const { return data_; }
  // What the hooks returned, and their user data; nullptr without hooks.
  void* packed(void** user) const;

 private:
  enum class State : int8_t { none, original, detached, packed, freed };
  void pack(const SavedHooks& hooks, const Tensor& tensor, const Tensor& given);
  void check_version(Node* grad_fn) const;
  Tensor as_output(Tensor data, Node* node, Node* copy_slices) const;

  Tensor data_;
  Ref<Node> grad_fn_;  // of a packed tensor that is not an output
  std::shared_ptr<PackedTensor> packed_;
  uint32_t version_ = 0;
  uint32_t output_nr_ = 0;
  State state_ = State::none;
  bool was_result_ = false;  // an original that had a node
  bool is_output_ = false;
  bool requires_grad_ = false;
};

// The thread's stack of default hooks.
void push_saved_hooks(const mt_saved_hooks& hooks, void* user);
void pop_saved_hooks();
void* top_saved_hooks_user();
// Makes pushing hooks fail with `message`; nullptr allows it again. Returns the previous message or nullptr.
const char* disable_saved_hooks(const char* message);
bool has_saved_hooks();
std::vector<SavedHooks> copy_saved_hooks();
void set_saved_hooks(std::vector<SavedHooks> hooks);

[[noreturn]] void raise_freed();

}  // namespace mt
