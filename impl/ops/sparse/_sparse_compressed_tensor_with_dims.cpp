// _sparse_compressed_tensor_with_dims: a tensor of a compressed layout with room for elements.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

constexpr auto make_compressed_with_dims = [](int64_t nnz, int64_t dense_dims, IntList size, IntList block, Dtype index,
                                              std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                              std::optional<bool> pin) -> Tensor {
  const Layout to = compressed_layout("sparse_compressed_tensor_with_dims:", layout);
  const char* who = "sparse_compressed_tensor_with_dims";
  check(has_blocks(to) || block.empty(), "{}: blocksize cannot be specified for non-block layout {}", who, name_of(to));
  if (has_blocks(to)) {
    check(block.size() == 2, messages::blocksize_must_be_pair, who, block.size());
    check(block[0] > 0 && block[1] > 0, messages::blocksize_must_be_positive, who, block);
  }
  check(nnz >= 0, "{}: nnz must be non-negative, got {}", who, nnz);
  check(dense_dims >= 0, "{}: dense_dim must be non-negative, got {}", who, dense_dims);
  check(size.size() >= dense_dims + 2, "{}: dimensionality must be at least dense_dim(={}) + sparse_dim(=2), but got {}", who, dense_dims,
        size.size());
  check(index == Dtype::int32 || index == Dtype::int64, "indices dtype must be Int or Long, but got {}", index);
  const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  const int64_t batch_dims = size.size() - dense_dims - 2, side = compresses_rows(to) ? 0 : 1;
  Dims begins(size.first(batch_dims)), plain(begins);
  begins.push_back(size[batch_dims + side] / (has_blocks(to) ? block[side] : 1) + 1);
  plain.push_back(nnz);
  Dims values(plain);
  for (int64_t b : block) values.push_back(b);
  for (int64_t d = batch_dims + 2; d < size.size(); ++d) values.push_back(size[d]);
  const auto zeros = [&](const Dims& sizes, Dtype as) {
    const Tensor t = empty(sizes, as, o.device);
    fill_with(t, 0);
    return t;
  };
  return compressed_tensor(to, zeros(begins, index), zeros(plain, index), zeros(values, o.dtype), size);
};

MT_OP(OpDef{
    .schema = {"_sparse_compressed_tensor_with_dims(int nnz, int dense_dim, int[] size, int[] blocksize, ScalarType index_dtype, *, "
               "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor of a compressed layout with room for `nnz` elements; its parts are zeros.",
    .cpu = make_compressed_with_dims,
    .meta = make_compressed_with_dims,
});

}  // namespace
}  // namespace mt
