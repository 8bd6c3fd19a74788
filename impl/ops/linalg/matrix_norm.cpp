// linalg_matrix_norm: norms of matrices: Frobenius, nuclear, spectral, and the largest or smallest sums of columns and
// rows.
#include <string>

#include "core/messages.h"
#include "rules/reduction/norm.h"

namespace mt {
namespace {

struct MatrixDims {
  int64_t rows, columns;
};
MatrixDims check_matrix_dims(const Tensor& a, IntList dim, std::optional<Dtype> dtype, bool low_precision) {
  check_matrix("linalg.matrix_norm", a);
  if (dim.size() != 2) {
    std::string text;
    for (int64_t d : dim) text += (text.empty() ? "" : " ") + std::to_string(d);
    fail("linalg.matrix_norm: dim must be a 2-tuple. Got {}", text);
  }
  check_floating("linalg.matrix_norm", a);
  if (!low_precision) check_linalg_dtype("linalg.matrix_norm", a);
  const MatrixDims p{wrap_dim(dim[0], a.dim()), wrap_dim(dim[1], a.dim())};
  check(p.rows != p.columns, "linalg.matrix_norm: dims must be different. Got ({}, {})", p.rows, p.columns);
  if (dtype) check_norm_dtype("linalg.matrix_norm", *dtype, a.dtype());
  return p;
}
Tensor convert_if_given(const Tensor& a, std::optional<Dtype> dtype) { return dtype ? op<"to.dtype">(a, *dtype) : a; }

// The singular values of the matrices in the two dimensions `p`, in a new last dimension.
Tensor singular_values_over(const Tensor& a, MatrixDims p) {
  Dims order;
  for (int64_t d = 0; d < a.dim(); ++d)
    if (d != p.rows && d != p.columns) order.push_back(d);
  order.push_back(p.rows);
  order.push_back(p.columns);
  return op<"linalg_svdvals">(op<"permute">(a, order));
}
// Inserts the second dimension for keepdim, and moves both to the positions of the matrix dimensions.
Tensor keep_matrix_dims(const Tensor& norms, MatrixDims p) {
  return op<"movedim.intlist">(op<"unsqueeze">(norms, -1), IntList{-2, -1}, IntList{p.rows, p.columns});
}

constexpr auto norm_by_number = [](const Tensor& a, Scalar order, IntList dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
  check(!order.is_complex(), "linalg.matrix_norm: Expected a non-complex scalar as the order of norm.");
  const double value = order.to_double(), size = value < 0 ? -value : value;
  check(size == 1 || size == 2 || size == __builtin_inf(), messages::matrix_norm_order_unsupported, number_text(order));
  MatrixDims p = check_matrix_dims(a, dim, dtype, size != 2);
  auto extreme = [&](const Tensor& t, int64_t d, bool keep) {
    if (value < 0) return op<"amin">(t, IntList{d}, keep);
    // The maximum of an empty dimension is zero here.
    return t.size(d) == 0 ? op<"sum.dim_IntList">(t, IntList{d}, keep) : op<"amax">(t, IntList{d}, keep);
  };
  if (size == 2) {
    const Tensor norms = extreme(singular_values_over(convert_if_given(a, dtype), p), -1, keepdim);
    return keepdim ? keep_matrix_dims(norms, p) : norms;
  }
  if (size != 1) std::swap(p.rows, p.columns);
  const Tensor sums = op<"linalg_vector_norm">(a, 1.0, IntList{p.rows}, keepdim, dtype);
  return extreme(sums, !keepdim && p.rows < p.columns ? p.columns - 1 : p.columns, keepdim);
};

constexpr auto norm_by_name = [](const Tensor& a, Text order, IntList dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
  check(order == "fro" || order == "nuc", messages::matrix_norm_order_unsupported, text_arg(order));
  const MatrixDims p = check_matrix_dims(a, dim, dtype, order == "fro");
  if (order == "fro") return op<"linalg_vector_norm">(a, 2, dim, keepdim, dtype);
  const Tensor norms = op<"sum.dim_IntList">(singular_values_over(convert_if_given(a, dtype), p), IntList{-1}, keepdim);
  return keepdim ? keep_matrix_dims(norms, p) : norms;
};

MT_OP(OpDef{
    .schema = {"linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor",
               "linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, *, "
               "ScalarType? dtype=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a norm of each matrix.

``"fro"``: the root of the sum of |x|^2. ``"nuc"``: the sum of singular values. 2 and -2: the
largest and the smallest singular value. 1 and -1: the largest and the smallest sum of |x| over a
column. inf and -inf: over a row.

Args:
    self (Tensor): at least two dimensions; floating or complex.
    ord (number or str): one of these. Default: ``"fro"``.
    dim (tuple of two ints): the dimensions of the rows and the columns. Default: ``(-2, -1)``.
    dtype (torch.dtype, optional): computes in this dtype; not narrower than that of `self`.
        Default: ``None``.

Returns:
    Tensor: without the two dimensions; real.

Raises:
    RuntimeError: when `ord` is none of these, or `dim` is no pair of different dimensions.

Example:
    >>> A = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.linalg.matrix_norm(A)
    tensor(5.4772)
    >>> torch.linalg.matrix_norm(A, ord=1)
    tensor(6.))",
    .module = "linalg",
    .composite = norm_by_number,
    .autocast = on_npu(fp32_dtype),
    .out_policy =
        OutPolicy{
            .dtype_error = "linalg.matrix_norm expected out tensor dtype {} but got: {}",
            .device_error =
                "linalg.matrix_norm: Expected result and input tensors to be on the same device, but got result on {0} and input on {1}",
            .recorded_as = written_as_leaf},
    .overloads = {overload("str_ord", {.composite = norm_by_name})},
});

std::atomic<bool> has_warned_of_frobenius;
MT_OP(OpDef{
    .schema = {"nuclear_norm(Tensor self, bool keepdim=False) -> Tensor",
               "nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the nuclear norm of each matrix: the sum of its singular values.

It is `torch.linalg.matrix_norm` of order ``"nuc"``.

Args:
    self (Tensor): at least two dimensions; floating or complex.
    dim (tuple of two ints): the dimensions of the rows and the columns. Default: the last two.

Returns:
    Tensor: without the two dimensions; real.

Example:
    >>> torch.nuclear_norm(torch.tensor([[2.0, 0.0], [0.0, 3.0]]))
    tensor(5.))",
    .composite = [](const Tensor& a, bool keepdim) -> Tensor {
      return op<"linalg_matrix_norm.str_ord">(a, "nuc", IntList{-2, -1}, keepdim);
    },
    .autocast = on_npu(Autocast::fp32),
    .overloads = {overload("dim", {.composite = [](const Tensor& a, IntList dim, bool keepdim) -> Tensor {
                             return op<"linalg_matrix_norm.str_ord">(a, "nuc", dim, keepdim);
                           }})},
});
MT_OP(OpDef{
    .schema = {"frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor"},
    .forms = function | out,
    .form_overloads = {{"dim_out", "out"}},
    .doc = R"(Computes the root of the sum of |x|^2 along one or two dimensions.

Deprecated: `torch.linalg.vector_norm` of order 2 is the newer form.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints): the dimensions to reduce, two at most.

Returns:
    Tensor: without the reduced dimensions; real.

Example:
    >>> torch.frobenius_norm(torch.tensor([[3.0, 4.0]]), dim=(0, 1))
    tensor(5.))",
    .composite = [](const Tensor& a, IntList dim, bool keepdim) -> Tensor {
      warn_once(has_warned_of_frobenius,
                "at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be removed in a "
                "future PyTorch release. Please use "
                "`linalg.vector_norm(A, 2., dim, keepdim)` instead");
      check(dim.size() <= 2, "Expected at most 2 dimensions, but got {} dimensions instead.", dim.size());
      return op<"linalg_vector_norm">(a, 2, dim, keepdim);
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
