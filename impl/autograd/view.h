// Differentiable views: who shares memory with whom, and what in-place writes do to their history.
#pragma once

#include <memory>

#include "autograd/node.h"
#include "dispatch/operator.h"

namespace mt {

// How a view came to be decides whether it may be written in place.
enum class CreationMeta : int8_t { normal, in_custom_function, multi_output_node, no_grad_mode, inference_mode };

// One step from a base to a view, to be done again where strides alone cannot tell it (another dtype, conjugation).
struct ViewStep {
  std::shared_ptr<const ViewStep> before;
  const Operator* op = nullptr;  // nullptr: as_strided with the geometry below
  std::vector<Value> args;       // owned; args[viewed] is put in
  int viewed = 0;
  int result = 0;  // which element of a list of results
  Dims sizes, strides;
  int64_t offset = 0;  // from the start of what is viewed
  ~ViewStep();
};

struct ViewInfo {
  Tensor base;                             // never a view itself
  std::shared_ptr<const ViewStep> replay;  // nullptr: as_strided does
  CreationMeta creation = CreationMeta::normal;
  uint32_t version = 0;  // of the memory, when grad_fn was made
};

// How a view was made: the call, which argument it views, and which element of a list of results it is.
struct ViewOrigin {
  const Call* call = nullptr;
  int viewed = 0;
  int result = 0;
};
// Declares `result` a view of `source`.
void make_view(const Tensor& source, const Tensor& result, CreationMeta creation, const ViewOrigin& origin);
// The creation meta that the thread's modes give to a single result, or to one of several.
CreationMeta current_creation_meta(bool several);

// Makes a tensor with the geometry of the view `like` from its base again, recorded.
Tensor replay_view(const ViewInfo& info, const Tensor& base, const TensorImpl& like);

// torch's refusals of an in-place write, where something requires grad.
void check_inplace(const Tensor& self);
// `indirect`: the base was written, not the view.
void check_view_write(const Tensor& view, bool indirect);

// After an in-place write: `node` becomes the history of self, and of its base where self is a view. has_self_edge: the
// node's first edge is self's.
void rebase_history(const Tensor& self, Ref<Node> node, bool has_self_edge);

// After an operation that turned self in place (transpose_, squeeze_): it goes on as the node's result. No memory was
// written, so what self is a view of keeps its history.
void continue_history(const Tensor& self, Ref<Node> node);
// Notes how self, whose storage offset was `start`, came to its new geometry.
void rebase_view_geometry(const Tensor& self, int64_t start);

// A saved result of an operation that wrote a view: `data` with a history that leads through the CopySlices around the
// operation.
Tensor output_of_written_view(Node* copy_slices, const Tensor& data);

// What a node is called in texts about forward results: "Unbind" of "UnbindBackward0", "Squeeze3" of "SqueezeBackward3".
std::string forward_name(const char* node_name);

}  // namespace mt
