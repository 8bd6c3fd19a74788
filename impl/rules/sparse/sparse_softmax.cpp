// Groups a sparse_coo tensor's elements into lines: elements whose indices are equal except along the softmax dimension.
#include "rules/sparse/sparse_softmax.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/index/rows_by_index.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_lookup.h"

namespace mt {
namespace {

struct SoftmaxLines {
  Tensor of;  // the number of each element's line
  int64_t count;
};
SoftmaxLines lines_along(const Tensor& self, int64_t dim) {
  const Tensor& indices = components_of(self).indices;
  Dims sizes(self.sizes().first(sparse_dim(self)));
  sizes.erase(dim);
  const Tensor rest[] = {op<"narrow">(indices, 0, 0, dim), op<"narrow">(indices, 0, dim + 1, indices.size(0) - dim - 1)};
  const bool is_first = dim == 0, is_last = dim == sizes.size();
  const Tensor places = linearize_indices(is_first || is_last ? rest[is_first] : op<"cat">(TensorList(rest, 2), 0), sizes);
  const int64_t n = places.numel(), all = product(sizes);
  auto* place = places.data<int64_t>();
  if (is_ascending(place, n)) {  // lines are contiguous
    int64_t line = 0;
    for (int64_t i = 0, last = place[0]; i < n; ++i) {
      line += place[i] != last;
      last = std::exchange(place[i], line);
    }
    return {places, line + 1};
  }
  if (all <= 4 * n && are_all_within(place, n, 0, all)) return {places, all};
  const auto unique = op<"_unique2", Tensors<3>>(places, true, true, false);
  return {unique[1], unique[0].numel()};
}
Tensor sum_lines(const Tensor& values, const SoftmaxLines& lines) {
  Dims sizes(values.sizes());
  sizes[0] = lines.count;
  const Tensor sums = op<"zeros">(sizes, values.dtype(), nullptr, values.device());
  return op<"index_select">(op<"index_add_">(sums, 0, lines.of, values), 0, lines.of);
}

// Loops over the elements of lines: subtracts the maximum of each line (NaN if it has one), then divides by the line's sum or, for
// log_softmax, subtracts the sum's logarithm.
template <class T>
struct LineLoops {
  const int64_t *line, n, width;
  std::vector<T> found;
  LineLoops(const SoftmaxLines& lines, int64_t w) : line(lines.of.data<int64_t>()), n(lines.of.numel()), width(w), found(lines.count * w) {}

  template <class F>
  void for_each_element(F f) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < width; ++j) f(i * width + j, found[line[i] * width + j]);
  }
  void subtract_maxima(const T* values, T* out) {
    std::fill(found.begin(), found.end(), -std::numeric_limits<T>::infinity());
    for_each_element([&](int64_t i, T& greatest) {
      if (!(values[i] <= greatest)) greatest = values[i];
    });
    for_each_element([&](int64_t i, T greatest) { out[i] = values[i] - greatest; });
  }
  void divide_by_sums(const T* shifted, T* powers, bool log) {
    std::fill(found.begin(), found.end(), T(0));
    for_each_element([&](int64_t i, T& sum) { sum += powers[i]; });
    if (log)
      for (T& sum : found) sum = std::log(sum);
    for_each_element([&](int64_t i, T sum) { powers[i] = log ? shifted[i] - sum : powers[i] / sum; });
  }
};

void check_dtype(const char* name, Dtype dtype) {
  check(dtype == Dtype::float32 || dtype == Dtype::float64, ErrorKind::not_implemented, messages::kernel_not_implemented_for, name, dtype);
}

}  // namespace

Tensor sparse_softmax(const Tensor& given, int64_t dim, bool half_to_float, bool log) {
  const char* name = log ? "log_softmax" : "softmax";
  check(!half_to_float, "{}: with half to float conversion is not supported on cpu", name);
  const int64_t d = wrap_dim(dim, given.dim());
  BelowAutograd guard;
  const Tensor self = coalesce(given);
  const SparseComponents& parts = components_of(self);
  check_dtype(name, self.dtype());
  if (nnz(self) == 0) return op<"clone">(self);
  const auto made = [&](Tensor values) { return coo_tensor(op<"clone">(parts.indices), std::move(values), self.sizes(), true); };
  if (d >= sparse_dim(self)) {
    const int64_t inner = d - sparse_dim(self) + 1;
    return made(log ? op<"log_softmax.int">(parts.values, inner) : op<"softmax.int">(parts.values, inner));
  }
  const SoftmaxLines lines = lines_along(self, d);
  const Tensor values = dense(parts.values), shifted = empty(values.sizes(), self.dtype());
  Tensor powers;
  dispatch_floating(self.dtype(), name, [&]<class T>(Type<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      LineLoops<T> loops(lines, values.numel() / nnz(self));
      loops.subtract_maxima(values.data<T>(), shifted.data<T>());
      powers = op<"exp">(shifted);
      loops.divide_by_sums(shifted.data<T>(), powers.data<T>(), log);
    }
  });
  return made(powers);
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
  const SparseComponents& parts = components_of(output);
  if (nnz(output) == 0) return op<"clone">(output);
  check_dtype(log ? "log_softmax_backward" : "softmax_backward", grad.dtype());
  // Looks up the values of `grad` at the indices of the output; 0 where `grad` has no element.
  const Pairs found = match_indices(linearize_indices(parts.indices, output.sizes()),
                                    linearize_indices(components_of(grad).indices, output.sizes()));
  const Tensor g = op<"zeros_like">(parts.values);
  op<"index_copy_">(g, 0, found.of_source, op<"index_select">(components_of(grad).values, 0, found.of_sorted));
  const auto sums = [&](const Tensor& t) {
    return d >= split ? op<"sum.dim_IntList">(t, IntList({d - split + 1}), true) : sum_lines(t, lines_along(output, d));
  };
  const Tensor values = log ? g - op<"exp">(parts.values) * sums(g) : parts.values * (g - sums(g * parts.values));
  return coo_tensor(op<"clone">(parts.indices), values, output.sizes(), true);
}

}  // namespace mt
