// Differentiable views: which tensors share memory, and how in-place writes change their history.
#pragma once

#include <memory>

#include "autograd/node.h"
#include "dispatch/operator.h"

namespace mt {

// The way in which a view was made decides whether it may be written in place.
enum class CreationMeta : int8_t { normal, in_custom_function, multi_output_node, no_grad_mode, inference_mode };

// One step from a base to a view. It is replayed where strides alone do not describe it (another dtype, conjugation).
struct ViewStep {
  std::shared_ptr<const ViewStep> before;
  const Operator* op = nullptr;  // nullptr: as_strided with the geometry below
  std::vector<Value> args;       // owned; args[viewed] is filled in on replay
  int viewed = 0;
  int result = 0;  // index into a list of results
  Dims sizes, strides;
  int64_t offset = 0;  // relative to the offset of the viewed tensor
  ~ViewStep();
};

struct ViewInfo {
  Tensor base;                             // never a view itself
  std::shared_ptr<const ViewStep> replay;  // nullptr: as_strided is enough
  CreationMeta creation = CreationMeta::normal;
  uint32_t version = 0;  // version of the memory when grad_fn was made
};

// How a view was made: the call, the viewed argument, and the index in a list of results.
struct ViewOrigin {
  const Call* call = nullptr;
  int viewed = 0;
  int result = 0;
};
// Registers `result` as a view of `source`.
void make_view(const Tensor& source, const Tensor& result, CreationMeta creation, const ViewOrigin& origin);
// How views made now are marked: those of a single result, or of one of several, under the thread's modes.
CreationMeta current_creation_meta(bool several);

// Makes a view again from its base, with the geometry of `like`, as recorded operators.
Tensor replay_view(const ViewInfo& info, const Tensor& base, const TensorImpl& like);

// Raises torch's errors for an in-place write to `self` if something requires grad.
void check_inplace(const Tensor& self);
// Raises torch's error if a view may not be written in place. indirect: the view's base is written, not the view.
void check_view_write(const Tensor& view, bool indirect);

// Call it after an in-place write: makes `node` the history of self, and of its base if self is a view. has_self_edge: the node's first
// edge is self's.
void rebase_history(const Tensor& self, Ref<Node> node, bool has_self_edge);

// After an in-place change of geometry (transpose_, squeeze_): self becomes the node's result. No memory was written, so the base of self
// keeps its history.
void continue_history(const Tensor& self, Ref<Node> node);
// Registers how self, whose storage offset was `start`, got its new geometry.
void rebase_view_geometry(const Tensor& self, int64_t start);

// Restores a saved result of an operation that wrote to a view: `data` with a history that leads through the CopySlices around the
// operation.
Tensor output_of_written_view(Node* copy_slices, const Tensor& data);

// How error messages about views name their node: "Unbind" for "UnbindBackward0", "Squeeze3" for "SqueezeBackward3".
std::string operator_name_of_node(const char* node_name);

}  // namespace mt
