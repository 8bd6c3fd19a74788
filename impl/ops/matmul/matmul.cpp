// matmul: the product of vectors, matrices and batches; the ranks decide which.
#include "rules/matmul/matmul.h"

namespace mt {
namespace {

constexpr auto compute_matmul = [](const Tensor& a, const Tensor& b) -> Tensor {
  const int64_t na = a.dim(), nb = b.dim();
  check(na != 0 && nb != 0, "both arguments to matmul need to be at least 1D, but they are {}D and {}D", na, nb);
  if (na == 1 && nb == 1) return op<"dot">(a, b);
  if (na == 2 && nb == 1) return op<"mv">(a, b);
  if (na == 1 && nb == 2) return op<"squeeze_">(op<"mm">(op<"unsqueeze">(a, 0), b), 0);
  if (na == 2 && nb == 2) return op<"mm">(a, b);
  if (na >= 3 && nb <= 2) {  // folds the batch into the rows
    Dims sizes(a.sizes());
    const int64_t k = sizes.back();
    sizes.pop_back();
    Tensor rows = op<"reshape">(a, IntList{product(sizes), k});
    if (nb == 1) return op<"_unsafe_view">(op<"mv">(rows, b), sizes);
    sizes.push_back(b.size(1));
    return op<"_unsafe_view">(op<"mm">(rows, b), sizes);
  }
  const int64_t n = na > 1 ? a.size(-2) : 1, k = a.size(-1), k2 = nb > 1 ? b.size(-2) : b.size(0), m = nb > 1 ? b.size(-1) : 1;
  Dims batch_a(IntList(a.sizes().data, na > 2 ? na - 2 : 0)), batch_b(IntList(b.sizes().data, nb > 2 ? nb - 2 : 0));
  Dims batch = broadcast_shapes(batch_a, batch_b);
  const int64_t count = product(batch);
  auto batched = [&](const Tensor& t, int64_t rows, int64_t columns) {
    Dims sizes(batch);
    sizes.push_back(rows);
    sizes.push_back(columns);
    return op<"reshape">(op<"expand">(t, sizes), IntList{count, rows, columns});
  };
  Tensor x = batched(na == 1 ? op<"unsqueeze">(a, 0) : a, n, k);
  Tensor y = batched(nb == 1 ? op<"unsqueeze">(b, 1) : b, k2, m);
  Dims sizes(batch);
  if (na > 1) sizes.push_back(n);
  if (nb > 1) sizes.push_back(m);
  return op<"_unsafe_view">(op<"bmm">(x, y), sizes);
};

MT_OP(OpDef{
    .schema = {"matmul(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the matrix product of vectors, matrices and batches of matrices.

Two vectors give their dot product. A vector on the left counts as a row, on the right as a
column; its dimension is missing in the result. Of more than two dimensions the last two are
matrices, and the others broadcast. It is what ``a @ b`` means.

Args:
    self (Tensor): ``(k,)`` or ``(*, n, k)``.
    other (Tensor): ``(k,)`` or ``(*, k, m)``, of the same dtype.

Returns:
    Tensor: ``(*, n, m)``, without the dimensions that a vector lacks.

Raises:
    RuntimeError: when a size or dtype does not fit, or a tensor has no dimension.

Example:
    >>> torch.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 1]))
    tensor([3, 7])
    >>> torch.matmul(torch.ones(5, 1, 2, 3), torch.ones(4, 3, 2)).shape
    torch.Size([5, 4, 2, 2]))",
    .aliases = "__matmul__",
    .composite = compute_matmul,
    .autocast = everywhere(Autocast::lower_precision),
    .out_policy = OutPolicy{.dtype_error = "result dtype {1} does not match input dtype {0}"},
});

}  // namespace
}  // namespace mt
