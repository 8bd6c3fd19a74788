// meshgrid: grids of the coordinates in several vectors.
#include <vector>

#include "core/warn_once.h"
#include "definition/op.h"
#include "rules/form/tensor_text.h"

namespace mt {
namespace {

std::vector<Tensor> make_grids(TensorList tensors) {
  check(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  Dims shape;
  for (const Tensor& t : tensors) {
    if (t.dim() > 1) fail("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}", elements_text(t));
    check(t.dtype() == tensors[0].dtype(), "meshgrid expects all tensors to have the same dtype");
    check(t.device() == tensors[0].device(), "meshgrid expects all tensors to have the same device");
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

constexpr auto meshgrid_in_matrix_order = [](TensorList tensors) -> std::vector<Tensor> {
  static std::atomic<bool> given;
  warn_once(given, "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  return make_grids(tensors);
};
constexpr auto make_grid = [](TensorList tensors, Text indexing) -> std::vector<Tensor> {
  const bool swap = indexing == "xy" && tensors.size() >= 2;
  check(indexing == "xy" || indexing == "ij", "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}",
        std::string(indexing.data, size_t(indexing.size)).c_str());
  std::vector<Tensor> inputs(tensors.begin(), tensors.end());
  if (swap) std::swap(inputs[0], inputs[1]);
  std::vector<Tensor> out = make_grids(TensorList{inputs.data(), int64_t(inputs.size())});
  if (swap) std::swap(out[0], out[1]);
  return out;
};

MT_OP(OpDef{
    .schema = {"meshgrid(Tensor[] tensors) -> Tensor[]", "meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]"},
    .forms = function,
    .doc = R"(Returns grids of coordinates that are spanned by vectors.

For vectors of ``n0, n1, ...`` elements every result has shape ``(n0, n1, ...)``, and the k-th one
holds the elements of the k-th vector along dimension k. With ``indexing="xy"`` the first two
dimensions of all results are exchanged, as plots want it. The results are expanded views: clone one
before a write. A call without `indexing` means ``"ij"`` and warns once.

Args:
    tensors (sequence of Tensor): vectors, or tensors without dimensions (as vectors of one
        element), all of one dtype and device; also as separate arguments.
    indexing (str): ``"ij"`` or ``"xy"``.

Returns:
    tuple of Tensor: one grid for each vector.

Raises:
    RuntimeError: when the list is empty, a tensor has more than one dimension, dtypes or devices
        differ, or `indexing` is another text.

Example:
    >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    >>> x
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> y
    tensor([[3, 4, 5],
            [3, 4, 5]]))",
    .composite = meshgrid_in_matrix_order,
    .overloads = {overload("indexing", {.composite = make_grid})},
});

}  // namespace
}  // namespace mt
