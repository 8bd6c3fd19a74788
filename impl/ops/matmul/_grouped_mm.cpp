// _grouped_mm: products of groups of rows, columns or matrices, as a mixture of experts needs.
#include "rules/factory/factory.h"
#include "rules/form/algebra.h"
#include "rules/matmul/matmul.h"

namespace mt {
namespace {

constexpr int64_t alignment = 16;  // bytes, of each row of operands and result

bool is_grouped_dtype(const Tensor& t) {
  return t.dtype() == Dtype::float32 || t.dtype() == Dtype::bfloat16 || t.dtype() == Dtype::float16;
}

// Each matrix must be stored by rows or by columns, with room for all elements of one, at aligned distances.
void check_grouped_strides(const Tensor& t) {
  const int64_t last = t.dim() - 1, rows = t.size(last - 1), columns = t.size(last);
  const int64_t row_stride = t.strides()[last - 1], column_stride = t.strides()[last], bytes = t.itemsize();
  const bool by_rows = column_stride == 1 && row_stride >= std::max<int64_t>(1, columns);
  const bool by_columns = row_stride == 1 && column_stride >= std::max<int64_t>(1, rows);
  check(by_rows || by_columns, "Invalid strides/sizes, got {} for strides and {} for sizes", t.strides(), t.sizes());
  check((by_rows ? row_stride : column_stride) * bytes % alignment == 0, "strides should be multiple of 16 bytes");
}

// Checks that do not depend on dtypes and strides, with the error messages that both devices share.
void check_contraction(const Tensor& a, const Tensor& b) {
  if (a.dim() == 2 && b.dim() == 2) return;
  check(a.size(a.dim() - 1) == b.size(b.dim() - 2), "contraction dimension of mat_a and mat_b must match");
}
void check_group_count(const Tensor& a, const Tensor& b, const Tensor& offs) {
  if (a.dim() == 3 && b.dim() == 3)
    check(a.size(0) == b.size(0), "batched dimension has to match");
  else if (a.dim() != b.dim())
    check(offs.size(0) == (a.dim() == 3 ? a : b).size(0), "matrix batch sizes have to match");
}

Dims result_sizes(const Tensor& a, const Tensor& b, const Tensor& offs) {
  const int64_t rows = a.size(a.dim() - 2), columns = b.size(b.dim() - 1);
  if (a.dim() != b.dim()) return Dims{rows, columns};
  return Dims{a.dim() == 2 ? offs.size(0) : a.size(0), rows, columns};
}

Tensor make_aligned_result(const Dims& sizes, Dtype dtype) {
  const int64_t step = alignment / element_size(dtype), row = (sizes[sizes.size() - 1] + step - 1) / step * step;
  const Dims strides = sizes.size() == 2 ? Dims{row, 1} : Dims{sizes[1] * row, row, 1};
  return op<"empty_strided">(IntList(sizes), IntList(strides), dtype);
}

// The part of dimension `dim` that belongs to a group: from the end of the group before it to its own.
Tensor group_of(const Tensor& t, int64_t dim, const int32_t* ends, int64_t group) {
  return op<"slice.Tensor">(t, dim, group == 0 ? 0 : int64_t(ends[group - 1]), int64_t(ends[group]));
}

// Whether the groups cover a dimension of this size, one after the other.
bool covers(const int32_t* ends, int64_t count, int64_t size) {
  int64_t begin = 0;
  for (int64_t i = 0; i < count; begin = ends[i++])
    if (ends[i] < begin) return false;
  return begin == size;
}

constexpr auto multiply_groups = [](const Tensor& self, const Tensor& mat2, const Tensor& offs, const Tensor& bias,
                                    std::optional<Dtype> out_dtype) -> Tensor {
  for (auto [name, t] : {std::pair{"mat_a", &self}, std::pair{"mat_b", &mat2}})
    check(is_grouped_dtype(*t), "Expected {} to be Float32, BFloat16 or Float16 matrix, got {}", name, t->dtype());
  check(self.dim() == 2 || self.dim() == 3, "mat_a has to be 2 or 3d");
  check(mat2.dim() == 2 || mat2.dim() == 3, "mat_b has to be 2 or 3d");
  check_grouped_strides(self);
  check_contraction(self, mat2);
  check_grouped_strides(mat2);
  const bool is_jagged = self.dim() == 2 || mat2.dim() == 2;
  check(offs.defined() == is_jagged, "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d");
  if (offs.defined()) {
    check(offs.dim() == 1, "offs has to be 1D");
    check(offs.dtype() == Dtype::int32, "Offsets have to be int32");
  }
  check(!bias.defined(), "Bias not supported yet");
  check(!out_dtype || *out_dtype == self.dtype(), "Grouped gemm output dtype must match `mat_a` dtype");
  check_group_count(self, mat2, offs);
  BelowAutograd guard;
  const Tensor result = make_aligned_result(result_sizes(self, mat2, offs), self.dtype());
  if (!is_jagged) {
    check(self.dtype() == mat2.dtype(), "Expected out tensor to have dtype {}, but got {} instead", ScalarName(mat2.dtype()),
          ScalarName(self.dtype()));
    batched_product(result, self, mat2, Tensor(), 0, 1);
    return result;
  }
  check_product_dtypes(self, mat2);
  const Tensor dense_offs = op<"contiguous">(offs);
  const int32_t* ends = dense_offs.data<int32_t>();
  const int64_t groups = offs.size(0);
  // Elements of no group would be undefined.
  if (self.dim() != mat2.dim() && !covers(ends, groups, self.dim() == 2 ? self.size(0) : mat2.size(1))) op<"zero_">(result);
  for (int64_t i = 0; i < groups; ++i) {
    const auto matrix = [i](const Tensor& t) { return op<"select.int">(t, 0, i); };
    const Tensor a = self.dim() == 3 ? matrix(self) : group_of(self, mat2.dim() == 2 ? 1 : 0, ends, i);
    const Tensor b = mat2.dim() == 3 ? matrix(mat2) : group_of(mat2, self.dim() == 2 ? 0 : 1, ends, i);
    check(a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", a.size(0), a.size(1), b.size(0),
          b.size(1));
    const Tensor product = result.dim() == 3 ? matrix(result) : group_of(result, self.dim() == 2 ? 0 : 1, ends, i);
    matrix_product(product, a, b, Tensor(), 0, 1);
  }
  return result;
};

// As in torch, meta tensors follow the rules of accelerators, not those of the CPU.
constexpr auto infer_groups = [](const Tensor& self, const Tensor& mat2, const Tensor& offs, const Tensor& bias,
                                 std::optional<Dtype> out_dtype) -> Tensor {
  check(self.dtype() == Dtype::bfloat16 && mat2.dtype() == Dtype::bfloat16,
        "Expected inputs of BF16 type but got mat_a.dtype=torch.{} and mat_b.dtype=torch.{}.", name_of(self.dtype()),
        name_of(mat2.dtype()));
  check((self.dim() == 2 || self.dim() == 3) && (mat2.dim() == 2 || mat2.dim() == 3),
        "Multiplicands must be 2D or 3D but got mat_a.dim()={} and mat_b.dim()={}", self.dim(), mat2.dim());
  check_contraction(self, mat2);
  const bool is_jagged = self.dim() == 2 || mat2.dim() == 2;
  check(!is_jagged || offs.defined(), "Offsets tensor not provided, but is needed for {}D/{}D multiplicand layouts.", self.dim(),
        mat2.dim());
  check(is_jagged || !offs.defined(), "Offsets tensor provided, but is not needed for 3D/3D multiplicand layouts.");
  if (offs.defined()) {
    check(offs.dim() == 1, "Offsets tensor must be 1D, but got offs.dim()={}.", offs.dim());
    check(offs.dtype() == Dtype::int32, "Offsets tensor must be integer (int32) tensor, but got torch.{}.", name_of(offs.dtype()));
  }
  check(!bias.defined(), "Bias tensor provided, but it is not supported yet.");
  check(!out_dtype || *out_dtype == Dtype::bfloat16, "If output dtype provided, it must be torch.bfloat16.");
  check_group_count(self, mat2, offs);
  return op<"new_empty">(self, IntList(result_sizes(self, mat2, offs)));
};

// Each gradient has its operand's order of elements.
Tensor transpose_matrices(const Tensor& t) { return op<"transpose.int">(t, -2, -1); }

MT_OP(OpDef{
    .schema = {"_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor"},
    .forms = function,
    .doc = R"(Multiplies groups of rows, columns or matrices; torch.nn.functional.grouped_mm documents it.)",
    .cpu = multiply_groups,
    .meta = infer_groups,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"mat2"> mat2, In<"offs"> offs) {
                   if (is_column_major(self)) return transpose_matrices(op<"_grouped_mm">(mat2, transpose_matrices(g), offs));
                   return op<"_grouped_mm">(g, transpose_matrices(mat2), offs);
                 }),
             wrt("mat2",
                 [](Grad g, In<"self"> self, MetaOf<"mat2"> mat2, In<"offs"> offs) {
                   if (is_column_major(mat2)) return transpose_matrices(op<"_grouped_mm">(transpose_matrices(g), self, offs));
                   return op<"_grouped_mm">(transpose_matrices(self), g, offs);
                 })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
