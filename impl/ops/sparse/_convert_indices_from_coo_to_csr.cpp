// _convert_indices_from_coo_to_csr, _convert_indices_from_csr_to_coo: convert index tensors only.
#include <algorithm>
#include <limits>

#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

void check_index_dtype(const Tensor& t, const char* kernel) {
  check(is_integral(t.dtype()) && int8_t(t.dtype()) < 5, ErrorKind::not_implemented, messages::kernel_not_implemented_for, kernel,
        t.dtype());
}

MT_OP(OpDef{
    .schema = {"_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns where each of `size` rows begins, given the sorted row indices of the elements.

Conversions to sparse_csr use it.)",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t size, bool narrow) {
      check(self.dim() <= 1, "Input is supposed to be a vector, but got {} dimensional tensor.", self.dim());
      out.add(IntList{size + 1}, narrow ? Dtype::int32 : Dtype::int64);
    }),
    .cpu =
        [](const Tensor& self, int64_t size, bool, Tensor& out) {
          check_index_dtype(self, "convert_indices_from_coo_to_csr_cpu");
          const Tensor rows = dense_as(self, Dtype::int64), begins = empty({size + 1}, Dtype::int64);
          const auto *row = rows.data<int64_t>(), *const end = row + rows.numel();
          // begin[r] is the first position whose row number is at least r, as in torch also for unsorted row numbers.
          int64_t most = -1;
          auto* begin = begins.data<int64_t>();
          for (int64_t k = 0; row + k < end; ++k) {
            for (; most < std::min(row[k], size); ++most) begin[most + 1] = k;
          }
          for (; most < size; ++most) begin[most + 1] = rows.numel();
          copy_into(out, begins);
        },
});

MT_OP(OpDef{
    .schema =
        {"_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *, bool out_int32=False, bool transpose=False) -> "
         "Tensor"},
    .forms = function | out,
    .doc =
        R"(Returns the coordinates of the elements of matrices whose rows begin at `crow_indices`.

With `transpose` they are those of the transposed matrices.)",
    .rule = structured_exact([](Specs& out, const Tensor& begins, const Tensor& plain, bool narrow, bool) {
      check(
          begins.dim() == plain.dim(),
          "crow_indices and col_indices are supposed to have the same dimensionality, but got {} and {} dimensional tensors, respectively.",
          begins.dim(), begins.dim());
      check(begins.dim() > 0, ErrorKind::index, messages::dimension_specified_as_minus_1);
      out.add(IntList{plain.dim() + 1, plain.numel()}, narrow ? Dtype::int32 : Dtype::int64);
    }),
    .cpu =
        [](const Tensor& begins, const Tensor& plain, bool, bool transpose, Tensor& out) {
          check_index_dtype(begins, "convert_indices_from_csr_to_coo_cpu");
          const Tensor first = dense_as(begins, Dtype::int64), columns = dense_as(plain, Dtype::int64);
          const IntList batch = plain.sizes().first(plain.dim() - 1);
          const int64_t width = begins.size(-1), nnz = plain.size(-1), n = plain.numel(), dims = plain.dim() + 1;
          check(begins.sizes().first(begins.dim() - 1) == batch && (width > 0 || n == 0),
                "crow_indices and col_indices do not fit together");
          check_indices(true, first, columns, std::numeric_limits<int64_t>::max(), nnz, /*in_order=*/false);
          const Tensor made = empty({dims, n}, Dtype::int64);
          auto *at = made.data<int64_t>(), *row = at + (dims - (transpose ? 1 : 2)) * n;
          std::copy_n(columns.data<int64_t>(), n, at + (dims - (transpose ? 2 : 1)) * n);
          for (int64_t b = 0; b * nnz < n; ++b) {
            const auto* begin = first.data<int64_t>() + b * width;
            for (int64_t i = 1; i < width; ++i) std::fill(row + b * nnz + begin[i - 1], row + b * nnz + begin[i], i - 1);
            for (int64_t d = batch.size() - 1, rest = b; d >= 0; rest /= batch[d--])
              std::fill_n(at + d * n + b * nnz, nnz, rest % batch[d]);
          }
          copy_into(out, made);
        },
});

}  // namespace
}  // namespace mt
