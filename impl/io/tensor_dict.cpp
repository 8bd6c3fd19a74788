#include "io/tensor_dict.h"

#include "core/backend.h"
#include "dispatch/invoke.h"
#include "io/source.h"

namespace mt::io {

void TensorDict::set(std::string_view name, Tensor tensor) {
  const auto [found, is_new] = index_.try_emplace(std::string(name), items_.size());
  if (is_new)
    items_.emplace_back(name, std::move(tensor));
  else
    items_[found->second].second = std::move(tensor);
}

bool TensorDict::remove(std::string_view name) {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) return false;
  const size_t at = found->second;
  items_.erase(items_.begin() + int64_t(at));
  index_.erase(found);
  for (auto& [_, position] : index_)
    if (position > at) --position;
  return true;
}

const Tensor* TensorDict::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  return found == index_.end() ? nullptr : &items_[found->second].second;
}

void check_dense(const std::string& name, const Tensor& tensor) {
  check(tensor.layout() == Layout::strided && !tensor.is_meta(), ErrorKind::value,
        "\"{}\" is not a dense tensor, which alone are saved from here", escape_for_message(name));
}

Tensor copy_to_contiguous_host(const Tensor& tensor) {
  Tensor plain = on_host(alias(tensor, /*share_version=*/false));
  if (plain.is_conj()) plain = op<"resolve_conj">(plain);
  if (plain.is_neg()) plain = op<"resolve_neg">(plain);
  return plain.is_contiguous() ? plain : op<"contiguous">(plain);
}

}  // namespace mt::io
