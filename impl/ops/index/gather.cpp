// gather: out[i][j] = self[index[i][j]][j] for dim 0, and so on for other dimensions.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/index/indexing.h"
#include "rules/index/rows_by_index.h"

namespace mt {
namespace {

constexpr auto infer_gather_shape = [](Specs& out, const Tensor& self, int64_t dim, const Tensor& index, bool) {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.numel() == 0 || index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32,
        "gather(): Expected dtype int32/int64 for index");
  if (index.numel()) {
    const int64_t ni = index.dim() ? index.dim() : 1, ns = self.dim() ? self.dim() : 1;
    check(ni == ns, "Index tensor must have the same number of dimensions as input tensor");
    for (int64_t k = 0; k < index.dim(); ++k)
      check(k == d || index.size(k) <= (self.dim() ? self.size(k) : 1),
            "Size does not match at dimension {} expected index {} to be no larger than self {} apart from dimension {}", k, index.sizes(),
            self.sizes(), d);
  }
  out.add(index.sizes(), self.dtype());
};

constexpr auto compute_gather = [](const Tensor& self, int64_t dim, const Tensor& index, bool, Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t d = wrap_dim(dim, self.dim());
  if (self.is_contiguous() && out.is_contiguous())
    if (const SliceIndex slices = slice_index(self, d, index); slices.at.defined()) {
      const Tensor table = alias(self, IntList{slices.lines, slices.width}, IntList{slices.width, 1}, self.storage_offset());
      return gather_rows(table, slices.at, out);
    }
  const Tensor wide = convert_index_to_int64(index);
  dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) { read_lines<T>(self, out, wide, d, [](const T& from, T& to) { to = from; }); });
};

MT_OP(OpDef{
    .schema = {"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Takes an element from each line along a dimension, by index.

For three dimensions:

    out[i][j][k] = self[index[i][j][k]][j][k]  # dim 0
    out[i][j][k] = self[i][index[i][j][k]][k]  # dim 1
    out[i][j][k] = self[i][j][index[i][j][k]]  # dim 2

`index` is not broadcast against `self` (``torch.take_along_dim`` does that). The gradient adds what
all positions that read an element bring to it.

Args:
    self (Tensor): tensor to read.
    dim (int): dimension that `index` runs along; negative counts from the last.
    index (Tensor): int64 or int32 indices in ``[0, self.size(dim))``; as many dimensions as `self`,
        and not larger than it in the other dimensions.
    sparse_grad (bool): whether the gradient is a sparse COO tensor. Default: ``False``.

Returns:
    Tensor: shape of `index`, dtype of `self`.

Raises:
    RuntimeError: when an index is out of range (negative ones are too), or dtypes or shapes do not
        fit.

Example:
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.gather(x, 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]]))",
    .rule = structured_exact(infer_gather_shape, {.refuses_overlap = true}),
    .cpu = compute_gather,
    .npu = {"Gather(self, dim, index)"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"index"> index, In<"sparse_grad", bool> sparse) {
                   if (*sparse) {
                     const Tensor shape = op<"expand">(scalar_tensor(Scalar(0), g.dtype(), g.device()), self.sizes);
                     return op<"_gather_sparse_backward">(shape, *dim, index, g);
                   }
                   return op<"scatter_add">(op<"new_zeros">(g, self.sizes), *dim, index, g);
                 })},
    .out_policy = OutPolicy{.device_error = out_device_differs},
});

// For each element of `index` its own position along `dim`, flattened into one row.
Tensor make_position_indices(const Tensor& index, int64_t dim) {
  const Tensor places = op<"arange">(index.size(dim), index.dtype(), nullptr, index.device());
  Dims sizes(index.dim());
  for (int64_t& size : sizes) size = 1;
  sizes[dim] = index.size(dim);
  return op<"reshape">(op<"expand">(op<"view">(places, sizes), index.sizes()), IntList{1, index.numel()});
}

MT_OP(OpDef{
    .schema = {"_gather_sparse_backward(Tensor self, int dim, Tensor index, Tensor grad) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``gather`` as a sparse tensor: each element's at the index it came from.",
    .composite = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& grad) -> Tensor {
      const int64_t n = index.numel();
      if (self.dim() == 0) {
        const Tensor nowhere = op<"empty.memory_format">(IntList{0, n}, Dtype::int64, nullptr, index.device());
        return op<"_sparse_coo_tensor_unsafe">(nowhere, op<"expand">(grad, IntList{n}), self.sizes());
      }
      const int64_t at = wrap_dim(dim, self.dim());
      const Tensor whole = index.dim() == 0 ? op<"unsqueeze">(index, int64_t(0)) : Tensor(index);
      std::vector<Tensor> rows;
      for (int64_t d = 0; d < self.dim(); ++d)
        rows.push_back(d == at ? op<"reshape">(whole, IntList{1, n}) : make_position_indices(whole, wrap_dim(d, whole.dim())));
      check(grad.numel() == n, messages::indices_and_values_nnz_differ, n, grad.numel());
      return op<"_sparse_coo_tensor_unsafe">(op<"cat">(rows, int64_t(0)), op<"reshape">(grad, IntList{n}), self.sizes());
    },
});

}  // namespace
}  // namespace mt
