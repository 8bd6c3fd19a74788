// A dictionary of tensors: names in the order in which they were added.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tensor.h"

namespace mt::io {

class TensorDict : public mt::Object {
 public:
  TensorDict() : mt::Object(Kind::tensor_dict) {}
  static void destroy(TensorDict* dict) noexcept { delete dict; }

  // A name that exists already keeps its position and gets the new tensor.
  void set(std::string_view name, Tensor tensor);
  bool remove(std::string_view name);
  const Tensor* find(std::string_view name) const;
  const std::vector<std::pair<std::string, Tensor>>& items() const { return items_; }

 private:
  std::vector<std::pair<std::string, Tensor>> items_;
  std::unordered_map<std::string, size_t> index_;
};

// Raises ValueError for a tensor that is not strided, or has no memory.
void check_dense(const std::string& name, const Tensor& tensor);
// Returns a strided tensor as a file stores it: contiguous, on the CPU, with lazy conjugation and negation applied.
Tensor copy_to_contiguous_host(const Tensor& tensor);

}  // namespace mt::io
