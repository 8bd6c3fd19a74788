// native_group_norm: normalises groups of channels, and returns their means and reciprocal deviations; and its backward.
#include <vector>

#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/form/exact_out.h"
#include "rules/nn/batch_norm.h"
#include "rules/nn/group_norm.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr const char* assertion_text =
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)";

void check_parameter(const char* name, const Tensor& p, const Tensor& weight, int64_t c, const Tensor& input) {
  // torch's error message about the bias contains the weight's shape.
  check(!p.defined() || (p.dim() == 1 && p.numel() == c),
        "Expected {} to be a vector of size equal to the number of channels in input, but got {} of shape {} and input "
        "of shape {}",
        name, name,
        weight.defined() ? weight.sizes()
        : p.defined()    ? p.sizes()
                         : IntList(),
        input.sizes());
}
void check_sizes(const Tensor& x, int64_t n, int64_t c, int64_t inner, int64_t groups) {
  check(groups > 0, messages::num_groups_must_be_positive, groups);
  check(c % groups == 0, messages::channels_not_divisible_by_groups, x.sizes(), groups);
  const int64_t wanted = int64_t(uint64_t(n) * uint64_t(c) * uint64_t(inner));
  check(n >= 0 && c >= 0 && inner >= 0 && x.numel() == wanted, assertion_text, "X.numel() == N * C * HxW");
}

constexpr auto infer_native_group_norm_shape = [](Specs& out, const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t n,
                                                  int64_t c, int64_t inner, int64_t groups, double) {
  check(groups > 0, messages::num_groups_must_be_positive, groups);
  check(c % groups == 0, messages::channels_not_divisible_by_groups, x.sizes(), groups);
  check_parameter("weight", weight, weight, c, x);
  check_parameter("bias", bias, weight, c, x);
  const MemoryFormat format = x.suggested_memory_format();
  check(x.is_contiguous(format), assertion_text, "X.is_contiguous(memory_format)");
  const Dtype kept = statistics_dtype(x, weight, bias, Tensor(), Tensor());
  check(n >= 0, messages::negative_size_in, n, Dims{n, groups});
  check_sizes(x, n, c, inner, groups);
  if (!is_floating(x.dtype()) || is_float8(x.dtype())) not_implemented_for("GroupNormKernelImpl", x.dtype());
  out.add_strided(x.sizes(), strides_of_format(x.sizes(), format), x.dtype());
  out.add({n, groups}, kept);
  out.add({n, groups}, kept);
};
constexpr auto compute_native_group_norm = [](const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t n, int64_t c,
                                              int64_t inner, int64_t groups, double eps, Tensor& out, Tensor& mean, Tensor& rstd) {
  group_norm_forward(x, weight, bias, {n, c, inner, groups}, eps, out, mean, rstd);
};

constexpr auto compute_native_group_norm_backward = [](const Tensor& grad, const Tensor& x, const Tensor& mean, const Tensor& rstd,
                                                       const Tensor& weight, int64_t n, int64_t c, int64_t inner, int64_t groups,
                                                       List<uint8_t> mask) -> Tensors<3> {
  check_sizes(x, n, c, inner, groups);
  check(grad.numel() == x.numel() && grad.dtype() == x.dtype(), messages::expected_gradient_of_sizes, x.sizes(), x.dtype(), grad.sizes(),
        grad.dtype());
  check(mean.numel() == n * groups && rstd.numel() == n * groups, "Expected statistics of {} groups, but got {} and {}", n * groups,
        mean.sizes(), rstd.sizes());
  check_parameter("weight", weight, weight, c, x);
  const bool mixed = has_mixed_dtypes(x, {&mean, &rstd, &weight});
  if (!is_floating(x.dtype()) || is_float8(x.dtype())) not_implemented_for("GroupNormBackwardKernelImpl", x.dtype());
  const Dtype kept = mixed ? Dtype::float32 : x.dtype();
  Tensors<3> result;
  if (mask[0]) result[0] = empty_strided(x.sizes(), strides_of_format(x.sizes(), x.suggested_memory_format()), x.dtype(), x.device());
  if (mask[1]) result[1] = empty({c}, kept, x.device());
  if (mask[2]) result[2] = empty({c}, kept, x.device());
  if (!x.is_meta()) group_norm_backward(grad, x, mean, rstd, weight, {n, c, inner, groups}, result);
  return result;
};

void batch_group_norm(const BatchCall& c) {
  if (c.batch(1) || c.batch(2) || !c.batch(0) || c.size == 0) return batch_looped(c);
  const int64_t batch = c.integer(3);
  std::vector<Value> args(c.args, c.args + c.op.n_args);
  const Tensor folded = op<"contiguous">(op<"flatten.using_ints">(c.front(0), 0, 1));
  args[0] = box(folded), args[3] = box(batch * c.size);
  Results<3> results;
  call(c.op, args.data(), results.values);
  for (int i = 0; i < 3; ++i) c.set_result(i, op<"unflatten.int">(take_tensor(results.values[i]), 0, IntList{c.size, batch}));
}

MT_OP(OpDef{
    .schema = {"native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int "
               "group, float eps) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes group normalisation and returns each group's mean and reciprocal deviation, too.

See `torch.group_norm` for the formula. The input is contiguous, or channels-last.

Args:
    input (Tensor): ``(N, C, ...)``; floating.
    weight, bias (Tensor, optional): scale and shift of each channel, ``(C,)``.
    N (int): the number of samples.
    C (int): the number of channels.
    HxW (int): the number of elements of a channel.
    group (int): the number of groups, a divisor of C.
    eps (float): what is added to the variance.

Returns:
    tuple of Tensor: the output, and mean and 1 / sqrt(var + eps) of each group, ``(N, group)``.

Example:
    >>> x = torch.tensor([[1.0, 3.0, 10.0, 30.0]])
    >>> torch.native_group_norm(x, None, None, 1, 4, 1, 2, 0.0)[1]
    tensor([[ 2., 20.]]))",
    .rule = rule_after_check(refuse_meta_mixtures, structured_exact(infer_native_group_norm_shape)),
    .cpu = compute_native_group_norm,
    .npu = {"GroupNorm"},
    .grad = {wrt({"input", "weight", "bias"},
                 [](GradOf<0> g, GradOf<1> gm, GradOf<2> gr, Wanted wanted, In<"input"> x, In<"weight"> w, In<"N", int64_t> n,
                    In<"C", int64_t> c, In<"HxW", int64_t> inner, In<"group", int64_t> groups, In<"eps", double> eps, Out<"result1"> mean,
                    Out<"result2"> rstd) -> Tensors<3> {
                   if (thread_state.grad_mode || gm.defined() || gr.defined())
                     return group_norm_gradients(g, gm, gr, x, w, {*n, *c, *inner, *groups}, *eps, wanted[2]);
                   const uint8_t mask[] = {wanted[0], wanted[1], wanted[2]};
                   if (!g.defined()) return {};
                   const MemoryFormat format = x.suggested_memory_format();
                   const Tensor packed = g.is_contiguous(format) ? Tensor(g) : op<"contiguous">(g, format);
                   return op<"native_group_norm_backward", Tensors<3>>(packed, x, mean, rstd, w, *n, *c, *inner, *groups,
                                                                       list_value(MT_TAG_BOOLS, mask, 3));
                 })},
    .batch = batch_group_norm,
});

MT_OP(OpDef{
    .schema = {"native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, "
               "SymInt N, SymInt C, SymInt HxW, int group, "
               "bool[3] output_mask) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes group normalisation's gradients for input, weight and bias, as `output_mask` asks.",
    .cpu = compute_native_group_norm_backward,
    .npu = {"GroupNormBackward"},
    .meta = compute_native_group_norm_backward,
});

}  // namespace
}  // namespace mt
