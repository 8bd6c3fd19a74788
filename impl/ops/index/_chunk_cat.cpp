// _chunk_cat: splits tensors into the same number of pieces (padded with zeros), and joins the pieces with the same number.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/joined_out.h"

namespace mt {
namespace {

constexpr auto compute_chunk_cat = [](TensorList tensors, int64_t dim, int64_t num_chunks) -> Tensor {
  BelowAutograd guard;
  check(tensors.size() > 0, "_chunk_cat expects a non-empty input tensor list");
  check(num_chunks > 0, "_chunk_cat expects positive num_chunks");
  for (const Tensor& t : tensors)
    check(dim >= 0 || t.dim() == tensors[0].dim(), "_chunk_cat expects non-negative dim when input tensors have different ndims");
  const int64_t d = wrap_dim(dim, tensors[0].dim());
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) {
    check(t.numel() > 0, "_chunk_cat expects non-empty tensor");
    check(t.dtype() == tensors[0].dtype(), "_chunk_cat expects all input tensors with the same dtype");
    check(d < t.dim(), "_chunk_cat expects dim < ndim for all input tensors");
    for (int64_t k = 0; k < d; ++k)
      check(t.size(k) == tensors[0].size(k), "_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors");
    const int64_t size = t.size(d), length = size / num_chunks + (size % num_chunks != 0);
    check(length <= INT64_MAX / num_chunks, messages::storage_size_overflow, IntList{num_chunks, length});
    Dims pad(2 * (t.dim() - d), 0), sizes;
    pad[pad.size() - 1] = length * num_chunks - size;
    for (int64_t k = 0; k < d; ++k) sizes.push_back(t.size(k));
    sizes.push_back(num_chunks);
    sizes.push_back(-1);
    parts.push_back(op<"reshape">(op<"constant_pad_nd">(t, pad), sizes));
  }
  return op<"cat">(parts, d + 1);
};

MT_OP(OpDef{
    .schema = {"_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor"},
    .forms = function,
    .doc = R"(Cuts each tensor into `num_chunks` pieces along `dim`, padded with zeros, and joins equal pieces.

Row k of the result holds the flattened k-th pieces of all tensors. Sharded data-parallel training
uses it to lay out gradients.)",
    .cpu = compute_chunk_cat,
    .npu = {any_device},
    .meta = compute_chunk_cat,
    .out_policy = OutPolicy{.recorded_as = "aten::_chunk_cat"},
});

constexpr auto chunk_cat_into = [](TensorList tensors, int64_t dim, int64_t num_chunks, const Tensor& out) {
  BelowAutograd guard;
  store_joined(out, op<"_chunk_cat">(tensors, dim, num_chunks), tensors);
};
MT_OP(OpDef{
    .schema = {"_chunk_cat.out(Tensor[] tensors, int dim, int num_chunks, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Computes ``_chunk_cat`` into `out`, converting to its dtype.",
    .rule = rule_after_check(refuse_copy_to_out),
    .cpu = chunk_cat_into,
    .npu = {any_device},
    .meta = chunk_cat_into,
    .out_policy = OutPolicy{.recorded_as = "aten::_chunk_cat"},
});

}  // namespace
}  // namespace mt
