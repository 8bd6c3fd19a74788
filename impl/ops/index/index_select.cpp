// index_select: picks whole slices by an index vector.
#include <cstring>

#include "cpu/copy/copy.h"
#include "rules/form/exact_out.h"
#include "rules/index/indexing.h"
#include "rules/index/rows_by_index.h"
#include "rules/sparse/sparse_shape.h"
#include "vmap/rule.h"

namespace mt {
namespace {

void check_vector(const char* name, const Tensor& index) {
  check(index.dim() <= 1, ErrorKind::index, "{}(): Index is supposed to be a vector", name);
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "{}(): Expected dtype int32 or int64 for index", name);
}
constexpr auto infer_index_select_shape = [](Specs& out, const Tensor& self, int64_t dim, const Tensor& index) {
  check_vector("index_select", index);
  const int64_t d = wrap_dim(dim, self.dim());
  check(self.dim() || index.numel() == 1, "index_select(): Index to scalar can have only 1 value, got {} value(s)", index.numel());
  check(self.dim() <= 1 || self.size(d) > 0 || index.numel() == 0, "index_select(): self indexing axis dim should be positive");
  Dims sizes(self.sizes());
  if (self.dim()) sizes[d] = index.numel();
  out.add(sizes, self.dtype());
};
// For indices out of range in the second dimension, torch has a different error message.
Positions check_positions(const Tensor& index, int64_t size, int64_t dim) {
  if (dim != 1) return index_positions(index, size);
  const Positions at{dense_as(index, Dtype::int64)};
  if (are_all_within(at.begin(), at.size(), 0, size)) return at;
  for (int64_t i : at) check(i >= 0 && i < size, "INDICES element is out of DATA bounds, id={} axis_dim={}", i, size);
  return at;
}
// Copies rows of a contiguous tensor. It is viewed as `lines` x `rows` of `bytes` each; `at` selects the same rows of every line.
struct RowCopy {
  const char* from;
  char* to;
  int64_t bytes, rows, lines;
  const Positions& at;

  // For short lines: copies one selected row of many lines before the next one.
  void copy_each_selected_row_of_many_lines() const {
    const int64_t n = at.size();
    cpu::parallel_for(0, lines, std::max<int64_t>(1, 65536 / (n * bytes)), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin, count; line < end; line += count) {
        count = std::min<int64_t>(end - line, 256);  // which stay in the caches
        for (int64_t k = 0; k < n; ++k)
          cpu::move_rows(to + (line * n + k) * bytes, n * bytes, from + (line * rows + at[k]) * bytes, rows * bytes, count, bytes);
      }
    });
  }

  // Line by line: copies of a constant width for rows of a few bytes, memcpy for longer ones.
  template <int64_t width>
  void copy_selected_rows_of_each_line() const {
    const int64_t n = at.size();
    cpu::parallel_for(0, lines * n, std::max<int64_t>(1, 65536 / bytes), [&](int64_t begin, int64_t end) {
      // Local copies of members: the compiler must assume that each store to `to` may change the members themselves.
      const int64_t each = width ? width : bytes, *const places = at.begin(), all = lines * n * each;
      const char* const source_start = from;
      char* const target_start = to;
      const int64_t row = rows * each, target_row = n * each;
      for (int64_t i = begin; i < end;) {
        const int64_t line = i / n, first = i % n, count = std::min(n - first, end - i);
        const char* const base = source_start + line * row;
        char* const target = target_start + i * each;
        const bool are_four = width != 0 && first == 0 && end - i >= 4 * n;  // lines that share one pass over the index
        i += are_four ? 4 * n : count;
        if constexpr (width == 0)
          cpu::gather_rows(target, base, places + first, count, each, all);
        else if (are_four)
          for (int64_t k = 0; k < n; ++k) {
            const char* const source = base + places[k] * each;
            for (int l = 0; l < 4; ++l) std::memcpy(target + l * target_row + k * each, source + l * row, size_t(each));
          }
        else
          for (int64_t k = 0; k < count; ++k) std::memcpy(target + k * each, base + places[first + k] * each, size_t(each));
      }
    });
  }

  void copy_selected_rows() const {
    if (bytes == 0 || at.size() == 0) return;
    if (at.size() <= 16 && lines >= 64 && bytes <= 16) return copy_each_selected_row_of_many_lines();
    switch (bytes) {
      case 1: return copy_selected_rows_of_each_line<1>();
      case 2: return copy_selected_rows_of_each_line<2>();
      case 4: return copy_selected_rows_of_each_line<4>();
      case 8: return copy_selected_rows_of_each_line<8>();
      case 12: return copy_selected_rows_of_each_line<12>();
      case 16: return copy_selected_rows_of_each_line<16>();
      default: return copy_selected_rows_of_each_line<0>();
    }
  }
};

void copy_selected_slices(const Tensor& self, int64_t d, const Positions& at, const Tensor& out) {
  int64_t outer = 1, inner = 1;
  for (int64_t k = 0; k < d; ++k) outer *= self.size(k);
  for (int64_t k = d + 1; k < self.dim(); ++k) inner *= self.size(k);
  if (self.is_contiguous())
    return RowCopy{self.data<char>(), out.data<char>(), inner * self.itemsize(), self.size(d), outer, at}.copy_selected_rows();
  // With at most as many entries in the first dimension as indices, recurses into each entry; for many short slices, first makes a
  // contiguous copy.
  if (d > 0 && self.size(0) <= at.size()) {
    for (int64_t i = 0; i < self.size(0); ++i) copy_selected_slices(slice_at(self, 0, i), d - 1, at, slice_at(out, 0, i));
  } else if (at.size() * 16 >= self.size(d) && outer * inner <= 64) {
    copy_selected_slices(dense(self), d, at, out);
  } else {
    for (int64_t i = 0; i < at.size(); ++i) copy_into(slice_at(out, d, i), slice_at(self, d, at[i]));
  }
}
constexpr auto compute_index_select = [](const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  const int64_t d = wrap_dim(dim, self.dim());
  if (self.dim() > 0) return copy_selected_slices(self, d, check_positions(index, self.size(d), d), out);
  index_positions(index, 1);
  copy_into(out, self);
};

// vmap: if only `self` is batched, one index_select serves all entries; a batched index needs a gather.
void batch_index_select(const BatchCall& c) {
  const Tensor& self = c.tensor(0);
  const Tensor& index = c.tensor(2);
  if (self.dim() == 0 || index.dim() != 1) return batch_looped(c);
  const int64_t dim = wrap_dim(c.integer(1), self.dim());
  if (!c.batch(2)) return c.set_result(0, op<"index_select">(c.front(0), dim + 1, index));
  Tensor places = c.front(2);
  Dims sizes(self.sizes());
  sizes[dim] = index.size(0);
  Dims all{c.size};
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d != dim) places = op<"unsqueeze">(places, d < dim ? d + 1 : -1);
    all.push_back(sizes[d]);
  }
  c.set_result(0, op<"gather">(c.expanded(0), dim + 1, op<"expand">(places, all)));
}

MT_OP(OpDef{
    .schema = {"index_select(Tensor self, int dim, Tensor index) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Returns the slices of a dimension that an index vector names, in its order.

It copies. For `dim` 0 it is ``self[index]``. An index may repeat; the gradient adds all its slices.

Args:
    self (Tensor): tensor to read.
    dim (int): dimension that `index` counts along; negative counts from the last.
    index (Tensor): vector of int64 or int32 indices in ``[0, self.size(dim))``.

Returns:
    Tensor: shape of `self` with ``len(index)`` for dimension `dim`.

Raises:
    IndexError: when an index is out of range (negative ones are too) or `index` is not a vector.

Example:
    >>> torch.index_select(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([1, 1, 0]))
    tensor([[2, 2, 1],
            [4, 4, 3]]))",
    .rule = structured_exact(infer_index_select_shape,
                             {.dtype_text = "index_select(): self and result must have the same scalar type", .refuses_overlap = true}),
    .cpu = compute_index_select,
    .npu = {"IndexSelect"},
    .sparse = [](const Call& call, const Tensor& self, int64_t dim, const Tensor& index) -> Tensor {
      refuse_in_place_and_out(call);
      return sparse_index_select(self, dim, index);
    },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim,
                            In<"index"> index) { return op<"index_add">(op<"new_zeros">(g, self.sizes), *dim, index, g); })},
    .batch = batch_index_select,
});

}  // namespace
}  // namespace mt
