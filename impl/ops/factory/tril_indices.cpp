// tril_indices and triu_indices: the rows and columns of a triangle's elements.
#include "core/dispatch_dtype.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

// Columns [0, width) of row i are on or below the diagonal.
int64_t row_width_below_diagonal(int64_t i, int64_t columns, int64_t offset) {
  const __int128 width = __int128(i) + offset + 1;
  return width < 0 ? 0 : width > columns ? columns : int64_t(width);
}
// The number of elements on or below the diagonal: rows of growing width, then full ones.
__int128 count_below_diagonal(int64_t rows, int64_t columns, int64_t offset) {
  const __int128 first = std::max<__int128>(0, -__int128(offset)), full = std::max<__int128>(first, __int128(columns) - 1 - offset);
  const __int128 grown = std::min<__int128>(rows, full) - first;
  __int128 count = 0;
  if (grown > 0) {
    const __int128 narrowest = first + offset + 1;
    count += grown * narrowest + grown * (grown - 1) / 2;
  }
  if (rows > full) count += (rows - full) * columns;
  return count;
}

template <bool Lower>
Tensor list_triangle_indices(int64_t row, int64_t col, int64_t offset, std::optional<Dtype> dtype, std::optional<Layout> layout,
                             std::optional<Device> device, std::optional<bool> pin) {
  const NewOptions o = dense_options(dtype, layout, device, pin, Dtype::int64);
  check(row >= 0, "row must be non-negative, got{}", row);
  check(col >= 0, "col must be non-negative, got{}", col);
  // The elements above the diagonal are those not on or below the previous diagonal.
  const bool none_below = !Lower && offset == INT64_MIN;
  const __int128 below = none_below ? 0 : count_below_diagonal(row, col, Lower ? offset : offset - 1),
                 wide = Lower ? below : __int128(row) * col - below;
  const int64_t count = wide > INT64_MAX / 32 ? INT64_MAX / 32 : int64_t(wide);  // exceeds all memory: empty() raises
  Tensor out = empty(IntList{2, count}, o.dtype, o.device);
  if (out.is_meta()) return out;
  const char* name = Lower ? "tril_indices" : "triu_indices";
  if (o.dtype != Dtype::int64 && o.dtype != Dtype::int32) not_implemented_for(name, o.dtype);
  visit_integral(o.dtype, [&]<class T>(Type<T>) {
    T *rows = out.data<T>(), *columns = rows + count;
    const int64_t first = Lower && offset < 0 && count ? -offset : 0;  // rows before it are empty
    for (int64_t i = first, k = 0; k < count; ++i) {
      const int64_t split = none_below ? 0 : row_width_below_diagonal(i, col, Lower ? offset : offset - 1);
      for (int64_t j = Lower ? 0 : split; j < (Lower ? split : col); ++j, ++k) rows[k] = T(i), columns[k] = T(j);
    }
  });
  return out;
}
constexpr auto list_lower_indices = [](int64_t row, int64_t col, int64_t offset, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return list_triangle_indices<true>(row, col, offset, dtype, layout, device, pin);
};
constexpr auto list_upper_indices = [](int64_t row, int64_t col, int64_t offset, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return list_triangle_indices<false>(row, col, offset, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema = {"tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns the indices of the elements on and below a diagonal of a matrix, row by row.

Args:
    row (int): number of rows of the matrix.
    col (int): number of columns.
    offset (int): last diagonal that belongs to it: 0 the main one, positive above it, negative
        below. Default: ``0``.
    dtype (torch.dtype, optional): Default: int64.

Returns:
    Tensor: matrix of two rows: row indices and column indices.

Raises:
    RuntimeError: when a number of rows or columns is negative.

Example:
    >>> torch.tril_indices(2, 3)
    tensor([[0, 1, 1],
            [0, 0, 1]]))",
    .cpu = list_lower_indices,
    .meta = list_lower_indices,
});
MT_OP(OpDef{
    .schema = {"triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns the indices of the elements on and above a diagonal of a matrix, row by row.

Args:
    row (int): number of rows of the matrix.
    col (int): number of columns.
    offset (int): first diagonal that belongs to it: 0 the main one, positive above it, negative
        below. Default: ``0``.
    dtype (torch.dtype, optional): Default: int64.

Returns:
    Tensor: matrix of two rows: row indices and column indices.

Raises:
    RuntimeError: when a number of rows or columns is negative.

Example:
    >>> torch.triu_indices(2, 3)
    tensor([[0, 0, 0, 1, 1],
            [0, 1, 2, 1, 2]]))",
    .cpu = list_upper_indices,
    .meta = list_upper_indices,
});

}  // namespace
}  // namespace mt
