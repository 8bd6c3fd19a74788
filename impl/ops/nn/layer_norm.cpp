// layer_norm: rows normalised to mean 0 and variance 1, then scaled and shifted.
#include "rules/nn/layer_norm.h"
#include "rules/form/checked.h"
#include "rules/form/exact_out.h"
#include "rules/nn/batch_norm.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_layer_norm_shape = [](Specs& out, const Tensor& input, IntList normalized_shape, const Tensor& weight,
                                           const Tensor& bias, double) {
  check_normalized_shape(input, normalized_shape, weight, bias);
  Dims stat(input.sizes());
  for (int64_t i = 0; i < normalized_shape.size(); ++i) stat[input.dim() - 1 - i] = 1;
  const Dtype stat_dtype = statistics_dtype(input, weight, bias, Tensor(), Tensor());
  out.add(input.sizes(), input.dtype());
  out.add(stat, stat_dtype);
  out.add(stat, stat_dtype);
};
constexpr auto compute_layer_norm = [](const Tensor& given, IntList normalized_shape, const Tensor& weight, const Tensor& bias, double eps,
                                       Tensor& out, Tensor& mean, Tensor& rstd) {
  const Tensor input = dense(given);
  const int64_t n = product(normalized_shape), rows = n ? input.numel() / n : 0;
  dispatch_floating(input.dtype(), "LayerNormKernelImpl", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(input.dtype());
    const Tensor w = dense_as(weight, wide), b = dense_as(bias, wide);
    const C *wp = w.defined() ? w.template data<C>() : nullptr, *bp = b.defined() ? b.template data<C>() : nullptr;
    const Tensor m = mean.dtype() == wide ? mean : empty(mean.sizes(), wide), s = rstd.dtype() == wide ? rstd : empty(rstd.sizes(), wide);
    if (n <= cpu::tile_width) {
      const cpu::RowTiles<T> tiles(input.dtype(), n);
      const auto columns = row_clone<LayerNormColumns<C>>(LayerNormColumns<C>::run);
      cpu::for_row_tiles(rows, [&](int64_t first, int64_t count) {
        typename cpu::RowTiles<T>::Tile x, y;
        tiles.read(x, input.template data<T>() + first * n, count);
        columns(x, wp, bp, y, m.template data<C>() + first, s.template data<C>() + first, n, count, eps);
        tiles.write(out.data<T>() + first * n, y, count);
      });
    } else {
      const auto row = row_clone<LayerNormRow<C>>(LayerNormRow<C>::run);
      cpu::for_row_pieces(rows, n * 2, [&](int64_t begin, int64_t end) {
        cpu::ConvertedRows<T> converted(input.dtype(), n, 1);
        for (int64_t r = begin; r < end; ++r) {
          T* const to = out.data<T>() + r * n;
          const C* const x = converted.read(input.template data<T>() + r * n, 0);
          row(x, wp, bp, converted.result(to, 0), m.template data<C>() + r, s.template data<C>() + r, n, eps);
          converted.write(to, 0);
        }
      });
    }
    if (m.get() != mean.get()) copy_into(mean, m), copy_into(rstd, s);
  });
};

// vmap: normalises the rows of all batch entries at once; if weight or bias are batched, applies them afterwards.
void batch_layer_norm(const BatchCall& c) {
  const int64_t rank = c.tensor(0).dim();
  const bool own_weights = c.batch(2) || c.batch(3);
  if (is_half(c.tensor(0).dtype()) && own_weights) return batch_looped(c);
  const Tensor input = c.expanded(0);
  const Value weight = own_weights ? none_value() : c.args[2], bias = own_weights ? none_value() : c.args[3];
  Tensors<3> all = op<"native_layer_norm", Tensors<3>>(input, c.args[1], weight, bias, c.args[4]);
  if (own_weights && c.has(2)) all[0] = op<"mul">(all[0], c.padded(c.tensor(2), rank));
  if (own_weights && c.has(3)) all[0] = op<"add">(all[0], c.padded(c.tensor(3), rank));
  for (int i = 0; i < 3; ++i) c.set_result(i, all[i]);
}

MT_OP(OpDef{
    .schema =
        {"native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes layer normalisation, and the mean and reciprocal standard deviation of each row.

``torch.layer_norm`` calls it and returns the first result only.

Args:
    input (Tensor): shape ``(*, *normalized_shape)``; a floating dtype.
    normalized_shape (tuple of int): the last sizes, over which rows are normalised.
    weight (Tensor or None): factors; shape `normalized_shape`.
    bias (Tensor or None): summands; shape `normalized_shape`.
    eps (float): added to the variance.

Returns:
    (Tensor, Tensor, Tensor): the result in the shape of `input`; means and reciprocal standard
    deviations with sizes 1 for the normalised dimensions.

Example:
    >>> y, mean, rstd = torch.native_layer_norm(torch.tensor([[1.0, 3.0]]), (2,), None, None, 1e-5)
    >>> y, mean
    (tensor([[-1.0000,  1.0000]]), tensor([[2.]])))",
    .rule = rule_after_check(refuse_meta_mixtures, structured_exact(infer_layer_norm_shape)),
    .cpu = compute_layer_norm,
    .npu = {"LayerNorm"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt({"input", "weight", "bias"},
                 [](Grad g, Wanted wanted, In<"input"> x, In<"normalized_shape", IntList> n, Out<"result1"> mean, Out<"result2"> rstd,
                    In<"weight"> w, In<"bias"> b) {
                   const uint8_t mask[] = {wanted[0], wanted[1], wanted[2]};
                   return op<"native_layer_norm_backward", Tensors<3>>(g, x, *n, mean, rstd, w, b, list_value(MT_TAG_BOOLS, mask, 3));
                 })},
    .batch = batch_layer_norm,
});

MT_OP(OpDef{
    .schema = {"layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
               "cudnn_enable=True) -> Tensor"},
    .forms = function,
    .doc = R"(Normalises the last dimensions to mean 0 and variance 1, then scales and shifts them.

``(x - mean) / sqrt(var + eps) * weight + bias``, with the mean and the variance (divided by n) of
each row (Ba, Kiros and Hinton, "Layer normalization", 2016). Half dtypes compute in float32.

Args:
    input (Tensor): shape ``(*, *normalized_shape)``; a floating dtype.
    normalized_shape (tuple of int): the last sizes, over which rows are normalised.
    weight (Tensor, optional): factors; shape `normalized_shape`.
    bias (Tensor, optional): summands; shape `normalized_shape`.
    eps (float): added to the variance. Default: ``1e-5``.
    cudnn_enable (bool): has no effect. Default: ``True``.

Returns:
    Tensor: shape and dtype of `input`.

Raises:
    RuntimeError: when `normalized_shape` is not the end of the input's shape, or `weight` or `bias`
        has another shape.

Example:
    >>> torch.layer_norm(torch.tensor([1.0, 3.0]), (2,))
    tensor([-1.0000,  1.0000]))",
    .composite = [](const Tensor& input, IntList shape, const Tensor& weight, const Tensor& bias, double eps, bool) -> Tensor {
      return op<"native_layer_norm", Tensors<3>>(input, shape, weight, bias, eps)[0];
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
