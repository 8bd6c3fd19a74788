// nonzero: a matrix with the index of each non-zero element as a row, in order.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/index/picks.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_nonzero = [](const Tensor& self) -> Tensor {
  const Tensor mask = [&] {
    BelowAutograd guard;
    return op<"contiguous">(self.dtype() == Dtype::boolean ? self : op<"ne">(self, 0));
  }();
  const MaskSelection picks(mask.data<bool>(), mask.numel());
  const int64_t count = picks.count(), ndim = self.dim();
  // The result is column-major, as in torch.
  Tensor out = empty_strided({count, ndim}, {1, count}, Dtype::int64);
  if (ndim == 0) return out;
  int64_t* to = out.data<int64_t>();
  const int64_t width = self.size(-1);
  // Short lines are not visited one by one: the linear indices of non-zero elements are collected, and then split into one index per
  // dimension.
  const bool by_places = ndim > 1 && width < 64 && mask.numel() <= UINT32_MAX;
  picks.for_pieces([&](int64_t begin, int64_t end, int64_t row) {
    if (by_places) {
      int64_t* const places = to + (ndim - 1) * count;
      const int64_t stop = write_selected(picks.mask, begin, end, places + row, [](int64_t i) { return i; }) - places;
      for (; row < stop; ++row) {
        auto rest = uint32_t(places[row]);
        for (int64_t d = ndim - 1; d > 0; --d) {
          const auto size = uint32_t(self.size(d));
          to[row + d * count] = rest % size;
          rest /= size;
        }
        to[row] = rest;
      }
      return;
    }
    while (begin < end) {  // one line of the last dimension, or the part of it in this piece
      const int64_t first = begin % width, stop = std::min(end, begin - first + width), before = row;
      int64_t* const last = to + (ndim - 1) * count;
      row = write_selected(picks.mask, begin, stop, last + row, [shift = begin - first](int64_t i) { return i - shift; }) - last;
      int64_t rest = begin / width;
      for (int64_t d = ndim - 2; d >= 0; --d) {
        std::fill(to + before + d * count, to + row + d * count, rest % self.size(d));
        rest /= self.size(d);
      }
      begin = stop;
    }
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"nonzero(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Returns the index of each non-zero element as a row, in lexicographic order.

``torch.nonzero(x, as_tuple=True)`` gives a vector for each dimension instead, which can index
``x``. NaN is non-zero. The number of rows depends on the values, so it cannot run on meta tensors.

Args:
    self (Tensor): tensor of n dimensions.

Returns:
    Tensor: int64 matrix ``(number of non-zero elements, n)``. Its columns are contiguous.

Example:
    >>> torch.nonzero(torch.tensor([[0, 5], [7, 0]]))
    tensor([[0, 1],
            [1, 0]]))",
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = compute_nonzero,
    .npu = {"Nonzero(self, out=rows)"},
    .meta = [](const Tensor&) -> Tensor {
      fail(ErrorKind::not_implemented,
           "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent implementation "
           "does "
           "not exist. This implementation returns a fake value, assuming all elements of the tensor are non-zero. To enable this "
           "registration, "
           "please set 'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True.");
    },
    .grad = not_differentiable,
    .out_policy = OutPolicy{.dtype_error = "nonzero: Expected out tensor to have scalar type {} but got scalar type{}",
                            .takes_strides = true},
    .batch = batch_dynamic,
});

}  // namespace
}  // namespace mt
