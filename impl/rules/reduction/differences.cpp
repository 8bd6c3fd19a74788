// Estimates the derivative of a sampled function along one dimension, using operators.
#include "rules/reduction/differences.h"

#include <vector>

namespace mt {
namespace {

Tensor slice_part(const Tensor& t, int64_t dim, int64_t start, std::optional<int64_t> end) {
  return op<"slice.Tensor">(t, dim, start, end);
}
// The slice of length one at index i; a negative i counts from the end.
Tensor slice_single_index(const Tensor& t, int64_t dim, int64_t i) {
  return slice_part(t, dim, i, i == -1 ? std::nullopt : std::optional(i + 1));
}

}  // namespace

Tensor differences_along(const Tensor& self, int64_t d, const Scalar& step, int64_t edge_order) {
  const Tensor inside = (slice_part(self, d, 2, std::nullopt) - slice_part(self, d, 0, -2)) / step;
  Tensor front, back;
  if (edge_order == 1) {
    front = (slice_single_index(self, d, 1) - slice_single_index(self, d, 0)) / step;
    back = (slice_single_index(self, d, -1) - slice_single_index(self, d, -2)) / step;
  } else {
    front = (slice_single_index(self, d, 0) * -1.5 + slice_single_index(self, d, 1) * 2 - slice_single_index(self, d, 2) * 0.5) / step;
    back = (slice_single_index(self, d, -3) * 0.5 - slice_single_index(self, d, -2) * 2 + slice_single_index(self, d, -1) * 1.5) / step;
  }
  return op<"cat">(std::vector<Tensor>{front, inside / 2, back}, d);
}

Tensor differences_along(const Tensor& self, int64_t d, const Tensor& points, int64_t edge_order) {
  check(points.dim() == 1, "torch.gradient expected each element of spacing to have one dimension, but got an element with {} dimensions!",
        points.dim());
  const Tensor step = op<"diff">(points);
  Dims shape(self.dim(), 1);
  shape[d] = -1;
  const Tensor h = slice_part(step, 0, 0, -1), k = slice_part(step, 0, 1, std::nullopt);
  auto shaped = [&](const Tensor& t) { return op<"reshape">(t, IntList(shape)); };
  const Tensor inside = shaped(-k / (h * (h + k))) * slice_part(self, d, 0, -2) + shaped((k - h) / (h * k)) * slice_part(self, d, 1, -1) +
                        shaped(h / (k * (h + k))) * slice_part(self, d, 2, std::nullopt);
  Tensor front, back;
  if (edge_order == 1) {
    front = (slice_single_index(self, d, 1) - slice_single_index(self, d, 0)) / slice_single_index(step, 0, 0);
    back = (slice_single_index(self, d, -1) - slice_single_index(self, d, -2)) / slice_single_index(step, 0, -1);
  } else {
    auto at = [&](int64_t i) { return op<"select">(step, 0, i); };
    Tensor a = at(0), b = at(1);
    front = (a * 2 + b) / (a * (a + b)) * slice_single_index(self, d, 0) * -1 + (a + b) / (a * b) * slice_single_index(self, d, 1) -
            a / (b * (a + b)) * slice_single_index(self, d, 2);
    a = at(-2), b = at(-1);
    back = b / (a * (a + b)) * slice_single_index(self, d, -3) - (a + b) / (a * b) * slice_single_index(self, d, -2) +
           (b * 2 + a) / (b * (a + b)) * slice_single_index(self, d, -1);
  }
  return op<"cat">(std::vector<Tensor>{front, inside, back}, d);
}

}  // namespace mt
