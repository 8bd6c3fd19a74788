// embedding_backward: sums the gradients of each row, or concatenates them in a sparse tensor.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/index/rows_by_index.h"

namespace mt {
namespace {

constexpr auto compute_embedding_backward = [](const Tensor& grad, const Tensor& indices, int64_t num_weights, int64_t padding_idx,
                                               bool scale) -> Tensor {
  check(grad.dim() > 0, ErrorKind::index, messages::dimension_specified_as_minus_1);
  check_is_index(indices, 2, "embedding_backward");
  const int64_t width = grad.size(-1);
  Tensor out = empty({num_weights, width}, grad.dtype(), grad.device());
  if (out.is_meta()) return out;
  check(grad.numel() == indices.numel() * width, "shape '[{}, {}]' is invalid for input of size {}", indices.numel(), width, grad.numel());
  fill_with(out, 0);
  const Tensor at = dense_as(indices, Dtype::int64);
  const int64_t n = at.numel();
  check(are_all_within(at.data<int64_t>(), n, 0, num_weights), ErrorKind::index, messages::index_out_of_range_in_self);
  if (grad.dtype() == Dtype::boolean) not_implemented_for("embedding_backward", grad.dtype());
  add_rows({1, num_weights, width, at.data<int64_t>(), n, padding_idx, scale}, out, dense(grad), 1, "embedding_backward");
  return out;
};

MT_OP(OpDef{
    .schema = {"embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool "
               "scale_grad_by_freq) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of an embedding's table, as a dense tensor.",
    .cpu = compute_embedding_backward,
    .npu = {"EmbeddingDenseBackward"},
    .meta = compute_embedding_backward,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"indices"> indices, In<"padding_idx", int64_t> padding) {
                   Tensor flat = op<"reshape">(indices, IntList{-1});
                   Tensor rows = op<"index_select">(g, 0, flat);
                   if (*padding >= 0) rows = op<"masked_fill">(rows, op<"unsqueeze">(op<"eq">(flat, *padding), 1), 0);
                   Dims sizes(indices.sizes());
                   sizes.push_back(g.size(1));
                   return op<"view">(rows, sizes);
                 })},
});

MT_OP(OpDef{
    .schema = {"embedding_sparse_backward(Tensor grad, Tensor indices, int num_weights, int padding_idx, bool scale_grad_by_freq) -> "
               "Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of an embedding's table, as a sparse tensor: a row for each use, in order.",
    .composite = [](const Tensor& grad, const Tensor& indices, int64_t num_weights, int64_t padding_idx, bool scale) -> Tensor {
      check(!scale, "embedding_backward: scale_grad_by_freq not supported with sparse gradients");
      check(grad.dim() > 0, ErrorKind::index, messages::dimension_specified_as_minus_1);
      check_is_index(indices, 2, "embedding_backward");
      Tensor at = op<"reshape">(op<"to.dtype">(indices, Dtype::int64), IntList{-1}), rows = grad;
      if (padding_idx != -1) {
        const Tensor kept = op<"ne.Scalar">(indices, Scalar(padding_idx));
        const Tensor masks[] = {kept};
        rows = op<"index.Tensor">(grad, TensorList(masks, 1));
        at = op<"masked_select">(at, op<"reshape">(kept, IntList{-1}));
      }
      const Tensor values = op<"reshape">(rows, IntList{rows.numel() == 0 ? at.numel() : -1, grad.size(-1)});
      check(at.numel() == values.size(0), messages::indices_and_values_nnz_differ, at.numel(), values.size(0));
      return op<"_sparse_coo_tensor_unsafe">(op<"view">(at, IntList{1, at.numel()}), values, IntList{num_weights, grad.size(-1)});
    },
});

MT_OP(OpDef{
    .schema = {"embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq, bool "
               "sparse) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of an embedding's table, dense or sparse.",
    .composite = [](const Tensor& grad, const Tensor& indices, int64_t num_weights, int64_t padding_idx, bool scale,
                    bool sparse) -> Tensor {
      if (sparse) return op<"embedding_sparse_backward">(grad, indices, num_weights, padding_idx, scale);
      return op<"embedding_dense_backward">(grad, indices, num_weights, padding_idx, scale);
    },
});

}  // namespace
}  // namespace mt
