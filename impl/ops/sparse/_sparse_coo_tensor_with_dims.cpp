// _sparse_coo_tensor_with_dims and _sparse_coo_tensor_with_dims_and_tensors: the steps of which sparse_coo_tensor consists.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

void check_dims(IntList size, int64_t sparse_dims, int64_t dense_dims) {
  check_split(size, sparse_dims, dense_dims);
  for (int64_t s : size) check(s >= 0, messages::numel_overflow);
}

constexpr auto make_empty_with_dims = [](int64_t sparse_dims, int64_t dense_dims, IntList size, std::optional<Dtype> dtype,
                                         std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  check_dims(size, sparse_dims, dense_dims);
  Dims values{0};
  for (int64_t d = sparse_dims; d < size.size(); ++d) values.push_back(size[d]);
  return coo_tensor(empty({sparse_dims, 0}, Dtype::int64, o.device), empty(values, o.dtype, o.device), size, true);
};

MT_OP(OpDef{
    .schema = {"_sparse_coo_tensor_with_dims(int sparse_dim, int dense_dim, int[] size, *, ScalarType? dtype=None, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "Returns a sparse COO tensor without elements, with the given split of dimensions.",
    .cpu = make_empty_with_dims,
    .meta = make_empty_with_dims,
    .grad = not_differentiable,
});

// Checks shapes and dtypes, but not the indices.
constexpr auto make_with_dims_and_tensors = [](int64_t sparse_dims, int64_t dense_dims, IntList size, const Tensor& indices,
                                               const Tensor& values, std::optional<Dtype>, std::optional<Layout>, std::optional<Device>,
                                               std::optional<bool>, std::optional<bool> is_coalesced) -> Tensor {
  check_dims(size, sparse_dims, dense_dims);
  check_dense(indices, "indices");
  check_dense(values, "values");
  check(indices.dtype() == Dtype::int64, "indices must be an int64 tensor");
  check(indices.dim() == 2, messages::indices_must_be_matrix, indices.sizes());
  check(indices.size(1) == values.size(0), messages::indices_and_values_nnz_differ, indices.size(1), values.size(0));
  check(indices.size(0) == sparse_dims, "indices has incorrect first dimension, expected {}, got {}", sparse_dims, indices.size(0));
  check(values.dim() == dense_dims + 1, "values has incorrect number of dimensions, expected {}, got {}", dense_dims + 1, values.dim());
  Dims expected{values.size(0)};
  for (int64_t d = sparse_dims; d < size.size(); ++d) expected.push_back(size[d]);
  check(values.sizes() == IntList(expected), "values has incorrect size, expected {}, got {}", expected, values.sizes());
  return coo_tensor(alias(indices, false), alias(values, true), size, is_coalesced.value_or(values.size(0) < 2));
};

MT_OP(OpDef{
    .schema =
        {"_sparse_coo_tensor_with_dims_and_tensors(int sparse_dim, int dense_dim, SymInt[] size, Tensor indices, Tensor values, *, "
         "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool? is_coalesced=None) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns a sparse COO tensor of given parts; coordinates are not checked.

``torch.sparse_coo_tensor`` comes down to it.)",
    .cpu = make_with_dims_and_tensors,
    .meta = make_with_dims_and_tensors,
    .grad = {wrt("values", [](Grad g, Out<"result"> result) { return op<"_values">(op<"sparse_mask">(g, result)); })},
    .grad_name = "SparseCooTensorWithDimsAndTensorsBackward0",
});

}  // namespace
}  // namespace mt
