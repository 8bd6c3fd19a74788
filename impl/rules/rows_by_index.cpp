// Gathering and scatter-adding of rows.
#include "rules/rows_by_index.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace mt {

TypeText text_of_type(const Tensor& t) {
  TypeText out;
  std::snprintf(out.text, sizeof out.text, "torch.%s%sTensor",
                t.device().is_cpu() ? ""
                : t.is_meta()       ? "meta."
                                    : "npu.",
                cpp_name_of(t.dtype()));
  return out;
}

void check_is_index(const Tensor& indices, int position, const char* function) {
  check(indices.dtype() == Dtype::int64 || indices.dtype() == Dtype::int32,
        "Expected tensor for argument #{} 'indices' to have one of the following scalar types: Long, Int; but got {} instead (while "
        "checking arguments for {})",
        position, text_of_type(indices), function);
}

void gather_rows(const Tensor& table, const Tensor& indices, const Tensor& out) {
  const int64_t rows = table.size(0), bytes = table.size(1) * table.itemsize(), n = indices.numel();
  const int64_t* index = indices.data<int64_t>();
  for (int64_t i = 0; i < n; ++i) check(index[i] >= 0 && index[i] < rows, ErrorKind::index, "index out of range in self");
  const char* from = table.data<char>();
  char* to = out.data<char>();
  cpu::parallel_for(0, n, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, bytes)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) std::memcpy(to + i * bytes, from + index[i] * bytes, size_t(bytes));
  });
}

void scatter_add_rows(const Tensor& table, const Tensor& indices, const Tensor& rows, int64_t skip, bool divide_by_count) {
  const int64_t n = indices.numel(), width = table.size(1), count = table.size(0);
  const int64_t* index = indices.data<int64_t>();
  for (int64_t i = 0; i < n; ++i) check(index[i] >= 0 && index[i] < count, ErrorKind::index, "index out of range in self");
  std::vector<int64_t> uses;
  if (divide_by_count) {
    uses.assign(size_t(count), 0);
    for (int64_t i = 0; i < n; ++i) ++uses[size_t(index[i])];
  }
  // Each thread owns a range of table rows and walks all indices: no races, and one order of addition.
  dispatch_numbers(table.dtype(), "embedding_backward", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    T* to = table.data<T>();
    const T* from = rows.data<T>();
    const int64_t grain = n * width < 16384 ? count : std::max<int64_t>(1, count / 8);
    cpu::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < n; ++i) {
        const int64_t r = index[i];
        if (r < begin || r >= end || r == skip) continue;
        T* row = to + r * width;
        const T* add = from + i * width;
        if constexpr (!is_complex_type<T>) {
          const C scale = divide_by_count ? C(1) / C(uses[size_t(r)]) : C(1);
          for (int64_t j = 0; j < width; ++j) row[j] = T(C(row[j]) + C(add[j]) * scale);
        } else {
          for (int64_t j = 0; j < width; ++j) row[j] = row[j] + add[j];
        }
      }
    });
  });
}

}  // namespace mt
