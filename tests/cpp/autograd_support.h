// Shared by autograd's tests: small tensors, backward passes, and error texts.
#pragma once

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/saved.h"
#include "core/exception.h"
#include "mindtorch/mindtorch.h"

namespace mt::test {

inline Tensor tensor(std::vector<float> values, std::vector<int64_t> sizes = {}) {
  if (sizes.empty()) sizes = {int64_t(values.size())};
  Tensor t = empty(IntList(sizes.data(), int64_t(sizes.size())), Dtype::float32);
  for (size_t i = 0; i < values.size(); ++i) t.data<float>()[i] = values[i];
  return t;
}
inline Tensor leaf(std::vector<float> values, std::vector<int64_t> sizes = {}) {
  Tensor t = tensor(std::move(values), std::move(sizes));
  set_requires_grad(t, true);
  return t;
}
inline std::vector<float> values(const Tensor& t) {
  if (!t.defined()) return {};
  GradMode off(false);
  Tensor dense = op<"clone">(t, MemoryFormat::contiguous);
  return std::vector<float>(dense.data<float>(), dense.data<float>() + dense.numel());
}

inline void backward(const Tensor& root, const Tensor& grad = Tensor(), bool retain_graph = false, bool create_graph = false) {
  mt_tensor* r = handle(root);
  mt_tensor* g = handle(grad);
  rethrow_status(mt_autograd_backward(&r, &g, 1, retain_graph, create_graph, nullptr, 0));
}
inline std::vector<Tensor> gradients(const Tensor& root, std::vector<Tensor> inputs, bool create_graph = false, bool allow_unused = false) {
  mt_tensor* r = handle(root);
  std::vector<mt_tensor*> in, out(inputs.size());
  for (const Tensor& t : inputs) in.push_back(handle(t));
  rethrow_status(mt_autograd_grad(&r, nullptr, 1, in.data(), int64_t(in.size()), create_graph, create_graph, allow_unused, out.data()));
  std::vector<Tensor> result;
  for (mt_tensor* t : out) result.push_back(Tensor::adopt(reinterpret_cast<TensorImpl*>(t)));
  return result;
}
inline std::vector<float> grad_of(const Tensor& t) { return meta_of(t) ? values(meta_of(t)->grad) : std::vector<float>(); }
inline std::string name_of_node(const Tensor& t) {
  Ref<Node> node = grad_fn_of(t);
  return node ? node->name : "";
}

// The error text of a call; "" if it succeeds.
template <class F>
std::string failure(F&& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.message();
  }
  return "";
}

using Floats = std::vector<float>;

}  // namespace mt::test
