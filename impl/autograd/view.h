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
  const Operator* op = nullptr;
  std::vector<Value> args;  // owned; args[viewed] is replaced
  int viewed = 0;
  int result = 0;  // which element of a list of results
  ~ViewStep();
};

struct ViewInfo {
  Tensor base;  // never a view itself
  std::shared_ptr<const ViewStep> replay;  // nullptr: as_strided does
  CreationMeta creation = CreationMeta::normal;
  uint32_t version = 0;  // of the memory, when grad_fn was made
};

// Declares `result` a view of `source`; call and viewed say how it was made.
void make_view(const Tensor& source, const Tensor& result, CreationMeta creation, const Call* call, int viewed, int result_index);
// The mode's creation meta for one result, or for one of several.
CreationMeta current_creation_meta(bool several);

// Makes a tensor a view again from its base, recorded.
Tensor replay_view(const ViewInfo& info, const Tensor& base, const TensorImpl& like);

// torch's refusals of an in-place write, where something requires grad.
void check_inplace(const Tensor& self);
// `indirect`: the base was written, not the view.
void check_view_write(const Tensor& view, bool indirect);

// After an in-place write: `node` (whose results are `self` alone) becomes the history of self, and of its base where self is a view.
void rebase_history(const Tensor& self, Ref<Node> node);

// What a nodes's name is in texts about views: "Unbind" of "UnbindBackward0".
std::string forward_name(const char* node_name);

}  // namespace mt
