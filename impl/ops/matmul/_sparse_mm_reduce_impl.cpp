// _sparse_mm_reduce_impl: a sparse_csr matrix times a dense one, with a choice of reductions.
#include "autograd/meta.h"
#include "core/messages.h"
#include "rules/form/type_text.h"
#include "rules/matmul/matmul.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

void check_operands(const Tensor& self, const Tensor& other) {
  check(self.layout() == Layout::sparse_csr, "sparse_mm_reduce: expect self to be SparseCsr, got {}", name_of(self.layout()));
  check(components_of(self).values.dim() == components_of(self).plain.dim(), "sparse_mm_reduce: expected non-hybrid self tensor.");
  check(self.dim() == 2, "sparse_mm_reduce: expected self to be a 2-D tensor, got {}-D tensor.", self.dim());
  check(!is_sparse(other),
        "Expected tensor to have Strided Layout, but got tensor with {} Layout (while checking arguments for sparse_mm_reduce)",
        name_of(other.layout()));
  check(
      other.dtype() == self.dtype(),
      "Expected tensor for argument #1 'other' to have scalar type {}; but got {} instead (while checking arguments for sparse_mm_reduce)",
      self.dtype(), tensor_type_text(other));
  check(other.dim() == 2 && other.size(0) == self.size(1),
        "Expected a tensor of dimension 2 and tensor.size[0] == {} but got: dimension {} and tensor.size[0] = {}", self.size(1),
        other.dim(), other.dim() > 0 ? other.size(0) : 0);
}

// The number of elements in each row as a column, 1 for empty rows.
Tensor count_row_elements(const SparseRows& rows, Dtype dtype) {
  return op<"unsqueeze">(op<"to.dtype">(op<"clamp_min">(op<"diff">(rows.starts), Scalar(1)), dtype), int64_t(1));
}

constexpr auto multiply_and_reduce = [](const Tensor& self, const Tensor& other, Text reduce) -> Tensors<2> {
  const std::string way(reduce.data, size_t(reduce.size));
  check_operands(self, other);
  check(way != "prod", "sparse_mm_reduce: reduce type of prod has not been enabled.");
  const bool greatest = way == "amax" || way == "max", least = way == "amin" || way == "min";
  check(way == "sum" || way == "mean" || greatest || least, messages::reduce_argument_unknown, way);
  BelowAutograd guard;
  const Dtype dtype = self.dtype();
  check(is_floating(dtype), ErrorKind::not_implemented, "\"spmm_reduce_kernel\" not implemented for '{}'", dtype);
  const SparseRows rows = compressed_rows(self);
  const Tensor none = empty({0}, Dtype::int64), out = empty({self.size(0), other.size(1)}, dtype);
  if (way == "sum" || way == "mean") {
    add_sparse_product(out, rows, other, 0, 1, "spmm_reduce_kernel");
    return {way == "sum" ? out : op<"div">(out, count_row_elements(rows, dtype)), none};
  }
  const Dtype in = is_half(dtype) ? Dtype::float32 : dtype;
  const SparseRows given{rows.starts, rows.columns, dense_as(rows.values, in)};
  const bool asked = thread_state.grad_mode && (requires_grad(self) || requires_grad(other));
  const Tensor best = empty(out.sizes(), in), arg = asked ? empty(out.sizes(), Dtype::int64) : Tensor();
  extreme_products(given, dense_as(other, in), greatest, best, arg);
  copy_into(out, best);
  return {out, asked ? arg : none};
};

MT_OP(OpDef{
    .schema = {"_sparse_mm_reduce_impl(Tensor self, Tensor other, str reduce) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the product of a sparse and a dense matrix by a reduction.

It also returns where extremes come from, and serves torch.sparse.mm with `reduce`.)",
    .module = "sparse",
    .compressed = multiply_and_reduce,
    .grad = {wrt({"self", "other"},
                 [](Grad g, Wanted wanted, In<"self"> self, In<"other"> other, In<"reduce", Text> reduce, Out<"result1"> arg) {
                   const uint8_t mask[] = {wanted[0], wanted[1]};
                   return op<"_sparse_mm_reduce_impl_backward", Tensors<2>>(self, g, other, *reduce, arg,
                                                                            list_value(MT_TAG_BOOLS, mask, 2));
                 })},
});

constexpr auto differentiate_multiply_and_reduce = [](const Tensor& self, const Tensor& g, const Tensor& weight, Text reduce,
                                                      const Tensor& arg, List<uint8_t> wanted) -> Tensors<2> {
  const std::string way(reduce.data, size_t(reduce.size));
  check_operands(self, weight);
  BelowAutograd guard;
  const SparseRows rows = compressed_rows(self);
  const int64_t nnz = rows.columns.numel();
  Tensors<2> out;
  if (way == "sum" || way == "mean") {
    const Tensor grad = way == "sum" ? g : op<"div">(g, count_row_elements(rows, g.dtype()));
    if (wanted[0]) out[0] = with_values(self, sampled_products(rows, grad, weight));
    if (wanted[1]) {
      out[1] = empty(weight.sizes(), weight.dtype());
      add_sparse_product(out[1], compressed_rows(op<"t">(self)), grad, 0, 1, "spmm_reduce_backward");
    }
    return out;
  }
  // Empty rows refer to element nnz: an additional zero in column 0.
  const Tensor column = op<"index_select">(op<"constant_pad_nd">(rows.columns, IntList({0, 1}), Scalar(0)), int64_t(0),
                                           op<"reshape">(arg, IntList({-1})));
  const Tensor columns = op<"view">(column, arg.sizes());
  if (wanted[0]) {
    const Tensor sums = op<"zeros">(IntList({nnz + 1}), g.dtype());
    const Tensor each = op<"mul">(g, op<"gather">(weight, int64_t(0), columns));
    op<"index_add_">(sums, int64_t(0), op<"reshape">(arg, IntList({-1})), op<"reshape">(each, IntList({-1})));
    out[0] = with_values(self, op<"narrow">(sums, int64_t(0), int64_t(0), nnz));
  }
  if (wanted[1]) {
    const Tensor values = op<"constant_pad_nd">(rows.values, IntList({0, 1}), Scalar(0));
    const Tensor each = op<"view">(op<"index_select">(values, int64_t(0), op<"reshape">(arg, IntList({-1}))), arg.sizes());
    out[1] = op<"scatter_add">(op<"zeros_like">(weight), int64_t(0), columns, op<"mul">(g, each));
  }
  return out;
};

MT_OP(OpDef{
    .schema =
        {"_sparse_mm_reduce_impl_backward(Tensor self, Tensor grad_out, Tensor weight, str reduce, Tensor arg_out, bool[2] output_mask) "
         "-> (Tensor, Tensor)"},
    .forms = internal,
    .doc = R"(Computes _sparse_mm_reduce_impl's gradients.

That of `self` has its sparsity.)",
    .compressed = differentiate_multiply_and_reduce,
});

}  // namespace
}  // namespace mt
