// searchsorted, bucketize: where each value would be inserted to keep the order.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

constexpr auto search_values = [](const Tensor& sorted, const Tensor& values, bool out_int32, bool right, std::optional<Text> side,
                                  const Tensor& sorter) -> Tensor {
  if (side) {
    check(*side == "left" || *side == "right", "torch.searchsorted(): side can only be 'left' or 'right' but got {}", text_arg(*side));
    check(!(*side == "left" && right),
          "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
    right = *side == "right";
  }
  check(sorted.dim() > 0, "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
  check(sorted.dim() == 1 || sorted.dim() == values.dim(), messages::searchsorted_boundaries_shape, sorted.sizes(), values.sizes());
  bool leading_alike = true;
  for (int64_t k = 0; sorted.dim() > 1 && k + 1 < sorted.dim(); ++k) leading_alike &= sorted.size(k) == values.size(k);
  check(leading_alike, messages::searchsorted_boundaries_shape, sorted.sizes(), values.sizes());
  check(!sorter.defined() || sorter.sizes() == sorted.sizes(),
        "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor {}and got sorter tensor {}",
        sorted.sizes(), sorter.defined() ? sorter.sizes() : IntList());
  check(!sorter.defined() || sorter.dtype() == Dtype::int64, "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {}",
        sorter.defined() ? sorter.dtype() : Dtype::int64);
  Tensor out = empty(values.sizes(), out_int32 ? Dtype::int32 : Dtype::int64, sorted.is_meta() ? sorted.device() : values.device());
  if (out.is_meta() || out.numel() == 0) return out;
  Tensor order = sorted;
  if (sorter.defined()) {
    BelowAutograd guard;
    order = op<"gather">(sorted, -1, sorter);
  }
  const Tensor both[] = {order, values};
  const Dtype d = result_type(both, 2);
  if (!visit_floating(d, [](auto) {}) && !visit_integral(d, [](auto) {})) not_implemented_for("searchsorted_out_cpu", d);
  // Compares in a dtype that represents the values of both operands.
  const Dtype wide = d == Dtype::float64 ? d : is_floating(d) ? Dtype::float32 : Dtype::int64;
  const Tensor b = dense_as(order, wide), v = dense_as(values, wide);
  const int64_t n = b.size(-1), width = sorted.dim() == 1 ? v.numel() : v.size(-1), rows = width ? v.numel() / width : 0;
  auto run = [&]<class T>(Type<T>) {
    for_rows(rows, width, [&](int64_t r) {
      const T* from = b.data<T>() + (sorted.dim() == 1 ? 0 : r * n);
      const T* const wanted = v.data<T>() + r * width;
      void* const places = out.data<char>() + r * width * out.itemsize();
      // The same number of steps for each value, without branches, and several values at a time: each waits only for its own loads.
      auto search = [&](auto is_before) {
        constexpr int most = 8;
        for (int64_t first = 0; first < width; first += most) {
          const int count = int(std::min<int64_t>(most, width - first));
          T x[most] = {};
          int64_t low[most] = {}, rest[most];
          for (int k = 0; k < count; ++k) x[k] = wanted[first + k];
          std::fill_n(rest, most, n);
          for (int64_t longest = n; longest > 0; longest /= 2) {
#pragma GCC unroll 8
            for (int k = 0; k < most; ++k) {
              const int64_t half = rest[k] / 2, middle = low[k] + half;
              const int64_t goes_up = -int64_t((rest[k] > 0) & is_before(from[std::min(middle, n - 1)], x[k]));
              low[k] += (half + 1) & goes_up;
              rest[k] = half - ((1 - (rest[k] & 1)) & goes_up);
            }
          }
          for (int k = 0; k < count; ++k) {
            if (out_int32)
              static_cast<int32_t*>(places)[first + k] = int32_t(low[k]);
            else
              static_cast<int64_t*>(places)[first + k] = low[k];
          }
        }
      };
      // NaN sorts last.
      if (right)
        search([](T m, T value) { return !(m > value); });
      else
        search([](T m, T value) { return !(m >= value); });
    });
  };
  if (wide == Dtype::float32)
    run(Type<float>());
  else if (wide == Dtype::float64)
    run(Type<double>());
  else
    run(Type<int64_t>());
  return out;
};

constexpr auto search_number = [](const Tensor& sorted, const Value& value, bool out_int32, bool right, std::optional<Text> side,
                                  const Tensor& sorter) -> Tensor {
  return search_values(sorted, detail::tensor_of(value), out_int32, right, side, sorter);
};

constexpr OutPolicy out_policy_of_indices{
    .dtype_error =
        "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether out_int32 "
        "flag is True, but we got output tensor's dtype {1} and out_int32 flag is False"};

MT_OP(OpDef{
    .schema = {"searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, "
               "Tensor? sorter=None) -> Tensor",
               "searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, "
               "Tensor? sorter=None) -> Tensor"},
    .forms = function | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Returns where each value would be inserted into a sorted sequence to keep its order.

The result i of a value v fulfils ``seq[i - 1] < v <= seq[i]``, with ``right=True``
``seq[i - 1] <= v < seq[i]``; 0 and n stand for the ends. NaN counts as the largest. A sequence that
is not sorted gives meaningless results, not an error.

Args:
    sorted_sequence (Tensor): rising along the last dimension, n long: one vector for all values, or
        one for each line, with the other sizes of `self`.
    self (Tensor or number): values to look for.
    out_int32 (bool): whether the result is int32. Default: ``False``.
    right (bool): whether equal elements count as smaller. Default: ``False``.
    side (str, optional): ``"left"`` or ``"right"``, the same choice as `right` by name.
    sorter (Tensor, optional): int64 indices that sort `sorted_sequence`, as ``argsort`` gives them.

Returns:
    Tensor: int64 or int32 in the shape of `self`.

Raises:
    RuntimeError: when shapes do not fit, or `side` and `right` contradict each other.

Example:
    >>> seq = torch.tensor([1, 3, 5, 7])
    >>> torch.searchsorted(seq, torch.tensor([3, 6]))
    tensor([1, 3])
    >>> torch.searchsorted(seq, torch.tensor([3, 6]), right=True)
    tensor([2, 3]))",
    .cpu = search_values,
    .npu = {"SearchSorted(sorted_sequence, self, out_int32, right|side=right, sorter)"},
    .meta = search_values,
    .grad = not_differentiable,
    .out_policy = out_policy_of_indices,
    .overloads = {overload("Scalar", {.cpu = search_number, .meta = search_number})},
});

constexpr auto compute_searchsorted = [](const Value& self, const Tensor& boundaries, bool out_int32, bool right) -> Tensor {
  check(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim({})", boundaries.dim());
  BelowAutograd guard;
  if (!boundaries.device().is_cpu() && !boundaries.is_meta())
    return op<"searchsorted.Tensor">(boundaries, detail::tensor_of(self), out_int32, right);
  return search_values(boundaries, detail::tensor_of(self), out_int32, right, std::nullopt, Tensor());
};
MT_OP(OpDef{
    .schema = {"bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
               "bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor"},
    .forms = function | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Returns the number of the interval between boundaries that each value is in.

The result i of a value v fulfils ``boundaries[i - 1] < v <= boundaries[i]``, with ``right=True``
``boundaries[i - 1] <= v < boundaries[i]``; 0 and n stand for the ends.

Args:
    self (Tensor or number): values; any shape.
    boundaries (Tensor): rising vector of n boundaries.
    out_int32 (bool): whether the result is int32. Default: ``False``.
    right (bool): whether a value equal to a boundary belongs to the interval after it. Default:
        ``False``.

Returns:
    Tensor: int64 or int32 in the shape of `self`.

Raises:
    RuntimeError: when `boundaries` is not a vector.

Example:
    >>> torch.bucketize(torch.tensor([3, 6]), torch.tensor([1, 3, 5]))
    tensor([1, 3]))",
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = compute_searchsorted,
    .npu = {any_device},
    .meta = compute_searchsorted,
    .grad = not_differentiable,
    .out_policy = out_policy_of_indices,
    .overloads = {overload("Scalar", {.forms = function})},
});

}  // namespace
}  // namespace mt
