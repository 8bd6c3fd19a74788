// Lines of a tensor of coordinates are groups of its elements: what all have but the index along the line is the same.
#include "rules/sparse_softmax.h"

#include "core/dispatch_dtype.h"
#include "rules/algebra.h"
#include "rules/sparse_places.h"

namespace mt {
namespace {

struct Lines {
  Tensor of;  // the number of each element's line
  int64_t count;
};
Lines lines_along(const Tensor& self, int64_t dim) {
  const Tensor& indices = parts_of(self).indices;
  Dims sizes(self.sizes().first(sparse_dim(self)));
  sizes.erase(dim);
  const Tensor rest[] = {op<"narrow">(indices, 0, 0, dim), op<"narrow">(indices, 0, dim + 1, indices.size(0) - dim - 1)};
  const auto unique = op<"_unique2", Tensors<3>>(flat_places(op<"cat">(TensorList(rest, 2), 0), sizes), true, true, false);
  return {unique[1], unique[0].numel()};
}
Tensor filled_lines(const Lines& lines, const Tensor& values, double with) {
  Dims sizes(values.sizes());
  sizes[0] = lines.count;
  return op<"full">(sizes, with, values.dtype(), nullptr, values.device());
}
// For each element what its line has in all.
Tensor spread(const Tensor& of_lines, const Lines& lines) { return op<"index_select">(of_lines, 0, lines.of); }
Tensor line_sums(const Tensor& values, const Lines& lines) {
  return spread(op<"index_add">(filled_lines(lines, values, 0), 0, lines.of, values), lines);
}

// NaN where a line has one.
Tensor line_maxima(const Tensor& given, const Lines& lines) {
  const Tensor values = op<"contiguous">(given), most = filled_lines(lines, values, -std::numeric_limits<double>::infinity());
  const int64_t n = lines.of.numel(), width = n ? values.numel() / n : 0;
  const auto* line = lines.of.data<int64_t>();
  dispatch_floating(values.dtype(), "softmax", [&]<class T>(Type<T>) {
    if constexpr (std::is_floating_point_v<T>)
      for (int64_t i = 0; i < n * width; ++i) {
        T& greatest = most.data<T>()[line[i / width] * width + i % width];
        const T value = values.data<T>()[i];
        if (!(value <= greatest)) greatest = value;
      }
  });
  return most;
}

void check_dtype(const char* name, Dtype dtype) {
  check(dtype == Dtype::float32 || dtype == Dtype::float64, ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", name, dtype);
}

}  // namespace

Tensor sparse_softmax(const Tensor& given, int64_t dim, bool half_to_float, bool log) {
  const char* name = log ? "log_softmax" : "softmax";
  check(!half_to_float, "{}: with half to float conversion is not supported on cpu", name);
  const int64_t d = wrap_dim(dim, given.dim());
  BelowAutograd guard;
  const Tensor self = coalesced(given);
  const SparseParts& parts = parts_of(self);
  check_dtype(name, self.dtype());
  if (nnz(self) == 0) return op<"clone">(self);
  const auto made = [&](Tensor values) { return coo_tensor(op<"clone">(parts.indices), std::move(values), self.sizes(), true); };
  if (d >= sparse_dim(self)) {
    const int64_t inner = d - sparse_dim(self) + 1;
    return made(log ? op<"log_softmax.int">(parts.values, inner) : op<"softmax.int">(parts.values, inner));
  }
  const Lines lines = lines_along(self, d);
  const Tensor shifted = parts.values - spread(line_maxima(parts.values, lines), lines), powers = op<"exp">(shifted), sums = line_sums(powers, lines);
  return made(log ? shifted - op<"log">(sums) : powers / sums);
}

Tensor sparse_softmax_backward(const Tensor& given, const Tensor& result, int64_t dim, const Tensor& self, bool log) {
  const Tensor grad = op<"coalesce">(given), output = op<"coalesce">(result);
  const int64_t d = wrap_dim(dim, self.dim()), split = sparse_dim(result);
  check(given.sizes() == result.sizes(),
        "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but {} does not equal {} (while "
        "checking arguments for {}softmax_backward)",
        given.sizes(), result.sizes(), log ? "log_" : "");
  check(sparse_dim(given) == split, "grad and output sparse dimensions must be equal, but got {} and {}", sparse_dim(given), split);
  BelowAutograd guard;
  const SparseParts& parts = parts_of(output);
  if (nnz(output) == 0) return op<"clone">(output);
  check_dtype(log ? "log_softmax_backward" : "softmax_backward", grad.dtype());
  // The gradient at the places of the output.
  const Pairs found = equal_places(flat_places(parts.indices, output.sizes()), flat_places(parts_of(grad).indices, output.sizes()));
  const Tensor g = op<"zeros_like">(parts.values);
  op<"index_copy_">(g, 0, found.of_source, op<"index_select">(parts_of(grad).values, 0, found.of_sorted));
  const auto sums = [&](const Tensor& t) {
    return d >= split ? op<"sum.dim_IntList">(t, IntList({d - split + 1}), true) : line_sums(t, lines_along(output, d));
  };
  const Tensor values = log ? g - op<"exp">(parts.values) * sums(g) : parts.values * (g - sums(g * parts.values));
  return coo_tensor(op<"clone">(parts.indices), values, output.sizes(), true);
}

}  // namespace mt
