// The end of every path: adds a gradient to a leaf.
#pragma once

#include <mutex>

#include "autograd/node.h"

namespace mt {

struct AccumulateGrad : Node {
  explicit AccumulateGrad(Tensor leaf, char*);
  ~AccumulateGrad() override;
  void run(Tensor* grads, Tensor* out) override;
  const Tensor* variable() const override { return &leaf_; }

 private:
  Tensor leaf_;
  std::mutex mutex_;  // passes of several threads add to one leaf
};
bool is_accumulator(const Node& node);

}  // namespace mt
