// meshgrid: grids of coordinates given by vectors.
#include <vector>

#include "core/warn_once.h"
#include "op.h"

namespace mt {
namespace {

std::vector<Tensor> grids(TensorList tensors) {
  check(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  Dims shape;
  for (const Tensor& t : tensors) {
    check(t.dim() <= 1, "Expected 0D or 1D tensor in the tensor list but got: {}D", t.dim());
    check(t.dtype() == tensors[0].dtype(), "torch.meshgrid expects all tensors to have the same dtype");
    check(t.device() == tensors[0].device(), "torch.meshgrid expects all tensors to have the same device");
    shape.push_back(t.numel());
  }
  std::vector<Tensor> out;
  for (int64_t i = 0; i < tensors.size(); ++i) {
    Dims alone(tensors.size(), 1);
    alone[i] = shape[i];
    out.push_back(op<"expand">(op<"view">(tensors[i], alone), shape));
  }
  return out;
}

constexpr auto rows_first = [](TensorList tensors) -> std::vector<Tensor> {
  static std::atomic<bool> given;
  warn_once(given, "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  return grids(tensors);
};
constexpr auto indexed = [](TensorList tensors, Text indexing) -> std::vector<Tensor> {
  const bool swap = indexing == "xy" && tensors.size() >= 2;
  check(indexing == "xy" || indexing == "ij", "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}",
        std::string(indexing.data, size_t(indexing.size)).c_str());
  std::vector<Tensor> inputs(tensors.begin(), tensors.end());
  if (swap) std::swap(inputs[0], inputs[1]);
  std::vector<Tensor> out = grids(TensorList{inputs.data(), int64_t(inputs.size())});
  if (swap) std::swap(out[0], out[1]);
  return out;
};

MT_OP(OpDef{
    .schema = {"meshgrid(Tensor[] tensors) -> Tensor[]", "meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]"},
    .forms = function,
    .doc = "Grids of coordinates given by vectors.",
    .composite = rows_first,
    .overloads = {overload("indexing", {.composite = indexed})},
});

}  // namespace
}  // namespace mt
