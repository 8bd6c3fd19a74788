// _validate_sparse_coo_tensor_args: checks that components form a sparse_coo tensor.
#include "core/messages.h"
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

// Checks CPU indices: within the sizes and, if the tensor is said to be coalesced, sorted and unique.
void check_coo_indices(const Tensor& indices, IntList size, bool is_coalesced) {
  const int64_t dims = indices.size(0), n = indices.size(1);
  for (int64_t d = 0; d < dims; ++d) {
    const auto* at = indices.data<int64_t>() + d * indices.stride(0);
    int64_t least = 0, most = -1;
    for (int64_t i = 0; i < n; ++i) {
      least = std::min(least, at[i * indices.stride(1)]);
      most = std::max(most, at[i * indices.stride(1)]);
    }
    check(least >= 0, messages::found_negative_index_for_dim, least, d);
    check(most < size[d], "size is inconsistent with indices: for dim {}, size is {} but found index {}", d, size[d], most);
  }
  if (!is_coalesced || n < 2) return;
  const Tensor places = linearize_indices(indices, size);
  const auto* place = places.data<int64_t>();
  for (int64_t i = 1; i < n; ++i)
    check(place[i - 1] < place[i], "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor");
}

constexpr auto validate_coo_arguments = [](const Tensor& indices, const Tensor& values, IntList size, std::optional<bool> is_coalesced,
                                           std::optional<bool>) {
  check_dense(indices, "indices");
  check(indices.dim() == 2, messages::indices_must_be_matrix, indices.sizes());
  const int64_t sparse_dims = indices.size(0), dense_dims = with_elements(values).dim() - 1;
  check_split(size, sparse_dims, dense_dims);
  if (indices.size(1) == 0) return;
  check(indices.dtype() == Dtype::int64, messages::expected_scalar_type_long, cpp_name_of(indices.dtype()));
  BelowAutograd guard;
  check_coo_indices(op<"to.device">(indices, Device(), Dtype::int64), size, is_coalesced.value_or(false));
};

MT_OP(OpDef{
    .schema = {"_validate_sparse_coo_tensor_args(Tensor indices, Tensor values, int[] size, bool? is_coalesced=None, bool? "
               "check_pinning=None) -> ()"},
    .forms = function,
    .doc = "Raises a RuntimeError where the parts do not make a sparse COO tensor.",
    .composite = validate_coo_arguments,
});

}  // namespace
}  // namespace mt
