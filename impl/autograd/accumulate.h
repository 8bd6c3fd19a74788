// The last node of every path: adds a gradient to a leaf.
#pragma once

#include <mutex>

#include "autograd/meta.h"

namespace mt {

struct AccumulateGrad : Node {
  AccumulateGrad(Tensor leaf, Ref<WeakNode> place, char*);
  ~AccumulateGrad() override;
  void run(Tensor* grads, Tensor* out) override;
  const Tensor* variable() const override { return &leaf_; }

 private:
  Tensor leaf_;
  Ref<WeakNode> place_;  // how the leaf refers to this node
  std::mutex mutex_;     // backward passes of several threads add to one leaf
};

Ref<Node> make_accumulator(const Tensor& leaf, Ref<WeakNode> place);

}  // namespace mt
