// mean: the average over all or some dimensions.
#include "core/messages.h"
#include "core/options.h"
#include "rules/form/checked.h"
#include "rules/reduction/reduction.h"

namespace mt {
namespace {

Dtype mean_dtype(const Tensor& self, std::optional<Dtype> dtype) {
  Dtype d = dtype.value_or(self.dtype());
  if (!is_differentiable(d)) {
    if (dtype) fail("mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}", d);
    fail("mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}", d);
  }
  return d;
}
// For the overload with dims: the sum is divided in `out` itself, which therefore must not be an integer tensor.
void check_out_for_dims(const Call& call) {
  if (call.op.form != Form::out || !is_differentiable(Unbox<Tensor>::from(call.args[0]).dtype())) return;
  const Dtype to = Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype();
  if (const auto asked = Unbox<std::optional<Dtype>>::from(call.args[3]); asked && is_differentiable(*asked))
    check(to == *asked, messages::expected_out_dtype, ScalarName(*asked), ScalarName(to));
  if (is_integral(to, true)) check_result_cast(default_dtype(), to);
}
void check_out_for_all_dims(const Call& call) {
  if (call.op.form != Form::out) return;
  const Dtype from = Unbox<Tensor>::from(call.args[0]).dtype(), to = Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype();
  check(can_cast(from, to), "mean.dtype_out(): input types can't be cast to the desired output type {}", to);
}
template <class A>
struct MeanReducer : SumReducer<A> {
  using Wide = WideOf<A>;
  static Wide finish(Wide total, int64_t n) {
    if constexpr (is_complex_type<Wide>)
      return total / Wide(double(n));
    else
      return total / Wide(n);
  }
};
constexpr auto infer_mean_shape = [](Specs& out, const Tensor& self, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype) {
  out.add(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim), mean_dtype(self, dtype));
};
constexpr auto compute_mean = [](const Tensor& given, std::optional<IntList> dim, bool, std::optional<Dtype>, Tensor& out) {
  Tensor self = given;
  if (given.dtype() != out.dtype()) {
    self = empty_strided(given.sizes(), given.strides(), out.dtype());
    copy_into(self, given);
  }
  const uint64_t mask = reduced_dims(dim, self.dim());
  dispatch_floating_and_complex(out.dtype(), "mean_cpu",
                                [&]<class T>(Type<T>) { reduce<MeanReducer<ComputeType<T>>, T, T>(self, mask, out, {}); });
};
int64_t reduced_count(const TensorMeta& self, std::optional<IntList> dim) {
  const uint64_t mask = reduced_dims(dim, self.sizes.size());
  int64_t n = 1;
  for (int64_t d = 0; d < self.sizes.size(); ++d)
    if (mask >> d & 1) n *= self.sizes[d];
  return n;
}

MT_OP(OpDef{
    .schema = {"mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"dim_out", "out"}},
    .doc = R"(Computes the average of all elements, or along `dim`.

Of no elements the result is NaN. The gradient is 1 / n for each of n elements.

Args:
    self (Tensor): any shape; floating or complex unless `dtype` is given.
    dim (int or tuple of ints, optional): the dimensions to reduce; all for an empty tuple.
        Default: all.
    dtype (torch.dtype, optional): computes in this dtype, floating or complex. Default: that of
        `self`.

Returns:
    Tensor: without the reduced dimensions.

Raises:
    RuntimeError: when `self` is integer or bool and no `dtype` is given.

Example:
    >>> x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    >>> torch.mean(x)
    tensor(3.)
    >>> torch.mean(x, dim=1)
    tensor([1.5000, 4.5000]))",
    .rule = rule_after_check(check_out_for_dims, structured(infer_mean_shape)),
    .cpu = compute_mean,
    .npu = {"Mean(self, dim, keepdim, dtype)"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", std::optional<IntList>> dim, In<"keepdim", bool> keepdim) {
                   return op<"expand">(restore_dims(g, *dim, *keepdim, self.sizes.size()), self.sizes) / reduced_count(self, *dim);
                 })},
    .grad_name = "MeanBackward1",
});
MT_OP(OpDef{
    .schema = {"mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"out", "dtype_out"}},
    .doc = R"(Computes the average of all elements, or along `dim`.

Of no elements the result is NaN. The gradient is 1 / n for each of n elements.

Args:
    self (Tensor): any shape; floating or complex unless `dtype` is given.
    dim (int or tuple of ints, optional): the dimensions to reduce; all for an empty tuple.
        Default: all.
    dtype (torch.dtype, optional): computes in this dtype, floating or complex. Default: that of
        `self`.

Returns:
    Tensor: without the reduced dimensions.

Raises:
    RuntimeError: when `self` is integer or bool and no `dtype` is given.

Example:
    >>> x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    >>> torch.mean(x)
    tensor(3.)
    >>> torch.mean(x, dim=1)
    tensor([1.5000, 4.5000]))",
    .rule = rule_after_check(check_out_for_all_dims, structured([](Specs& out, const Tensor& self, std::optional<Dtype> dtype) {
                               out.add({}, mean_dtype(self, dtype));
                             })),
    .cpu = [](const Tensor& self, std::optional<Dtype> dtype, Tensor& out) { compute_mean(self, std::nullopt, false, dtype, out); },
    .npu = {"Mean(self, [], 0, dtype)"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"expand">(g, self.sizes) / product(self.sizes); })},
});

}  // namespace
}  // namespace mt
