// Custom functions: a node whose gradients are computed by foreign code.
#pragma once

#include "autograd/meta.h"

namespace mt {

struct FunctionNode : Node {
  FunctionNode(const char* function_name, const mt_function_vtable& functions, void* function_user, char*);
  ~FunctionNode() override;
  void run(Tensor* grads, Tensor* out) override;
  void release_saved() override;
  int32_t traverse(VisitFn visit, void* argument, Reachable& next) const override;

  const std::string owned_name;
  const mt_function_vtable vtable;
  void* const user;
  const CountedForeign counted;
};

// Connects outputs to the node as torch does; with `node` nullptr nothing is recorded. May replace outputs by views of
// themselves.
struct OutputFlags {
  bool dirty, non_differentiable;
};
void wrap_outputs(const Ref<Node>& node, bool needed, const Tensor* inputs, int64_t n_inputs, Tensor* outputs, const OutputFlags* flags,
                  int64_t n_outputs);

}  // namespace mt
