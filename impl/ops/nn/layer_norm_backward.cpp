// native_layer_norm_backward: gradients of layer normalisation.
#include <cstring>
#include "rules/nn/layer_norm.h"

namespace mt {
namespace {

// Each chunk of rows accumulates its own sums; these are then added in order.
constexpr auto compute_layer_norm_backward = [](const Tensor& grad, const Tensor& given, IntList normalized_shape, const Tensor& mean,
                                                const Tensor& rstd, const Tensor& weight, const Tensor& bias,
                                                List<uint8_t> mask) -> Tensors<3> {
  check_normalized_shape(given, normalized_shape, weight, bias);
  check(grad.numel() == given.numel(), "native_layer_norm_backward(): grad_out of size {} does not fit input of size {}", grad.sizes(),
        given.sizes());
  const Tensor input = dense(given), g = dense_as(grad, input.dtype());
  const int64_t n = product(normalized_shape), rows = n ? input.numel() / n : 0;
  check(mean.numel() == rows && rstd.numel() == rows,
        "native_layer_norm_backward(): mean of size {} and rstd of size {} do not fit {} rows", mean.sizes(), rstd.sizes(), rows);
  Tensors<3> result;
  if (mask[0]) result[0] = empty(input.sizes(), input.dtype());
  dispatch_floating(input.dtype(), "LayerNormBackwardKernelImpl", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(input.dtype());
    const Tensor w = dense_as(weight, wide), m = dense_as(mean, wide), s = dense_as(rstd, wide);
    const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, n));
    const cpu::Chunks chunks = cpu::chunks_of(rows, grain);
    const Tensor dw = empty({std::max<int64_t>(1, chunks.count), n}, wide), db = empty({std::max<int64_t>(1, chunks.count), n}, wide);
    if (mask[1] && dw.numel() > 0) std::memset(dw.data(), 0, size_t(dw.numel()) * sizeof(C));
    if (mask[2] && db.numel() > 0) std::memset(db.data(), 0, size_t(db.numel()) * sizeof(C));
    const auto row = row_clone<LayerNormRowBackward<C>>(LayerNormRowBackward<C>::run);
    const C* wp = w.defined() ? w.template data<C>() : nullptr;
    cpu::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
      const int64_t c = begin / chunks.size;
      cpu::ConvertedRows<T> converted(input.dtype(), n, 3);
      for (int64_t r = begin; r < end; ++r) {
        T* const to = mask[0] ? result[0].template data<T>() + r * n : nullptr;
        row(converted.read(g.template data<T>() + r * n, 0), converted.read(input.template data<T>() + r * n, 1), wp,
            m.template data<C>()[r], s.template data<C>()[r], to ? converted.result(to, 2) : nullptr,
            mask[1] ? dw.template data<C>() + c * n : nullptr, mask[2] ? db.template data<C>() + c * n : nullptr, n);
        if (to) converted.write(to, 2);
      }
    });
    auto total = [&](const Tensor& parts, const Tensor& like) {
      C* sum = parts.template data<C>();
      for (int64_t c = 1; c < chunks.count; ++c)
        for (int64_t i = 0; i < n; ++i) sum[i] += sum[c * n + i];
      Tensor out = empty(normalized_shape, like.defined() ? like.dtype() : input.dtype());
      copy_into(out, alias(parts, normalized_shape, contiguous_strides(normalized_shape), 0));
      return out;
    };
    if (mask[1]) result[1] = total(dw, weight);
    if (mask[2]) result[2] = total(db, weight);
  });
  return result;
};

// The gradient of x as operators, for second derivatives.
Tensor input_gradient(const Tensor& g, const Tensor& x, IntList shape, const Tensor& mean, const Tensor& rstd, const Tensor& w) {
  Dims dims;
  for (int64_t i = 0; i < shape.size(); ++i) dims.push_back(-1 - i);
  Tensor a = w.defined() ? g * w : g, normal = (x - mean) * rstd;
  return rstd * (a - op<"mean.dim">(a, dims, true) - normal * op<"mean.dim">(a * normal, dims, true));
}

MT_OP(OpDef{
    .schema = {"native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? "
               "weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes the gradients of layer normalisation for input, weight and bias, as `output_mask` asks.",
    .cpu = compute_layer_norm_backward,
    .npu = {"LayerNormBackward"},
    .meta = [](const Tensor&, const Tensor& input, IntList shape, const Tensor&, const Tensor&, const Tensor& weight, const Tensor&,
               List<uint8_t> mask) -> Tensors<3> {
      Tensors<3> result;
      const Dtype dtype = weight.defined() ? weight.dtype() : input.dtype();
      if (mask[0]) result[0] = empty(input.sizes(), input.dtype(), input.device());
      for (int i : {1, 2})
        if (mask[i]) result[i] = empty(shape, dtype, input.device());
      return result;
    },
    .grad = {wrt({"grad_out", "input", "weight"},
                 [](GradOf<0> ggx, GradOf<1> ggw, GradOf<2> ggb, In<"grad_out"> g, In<"input"> x, In<"normalized_shape", IntList> shape,
                    In<"mean"> mean, In<"rstd"> rstd, In<"weight"> w) {
                   // With x^ = (x - mean) rstd and P(a) = rstd (a - mean(a) - x^ mean(a x^)), dx = P(g w), dw = sum(g x^), db = sum(g).
                   Dims dims, outer;
                   for (int64_t i = 0; i < (*shape).size(); ++i) dims.push_back(-1 - i);
                   for (int64_t i = 0; i < x.dim() - (*shape).size(); ++i) outer.push_back(i);
                   auto average = [&](const Tensor& t) { return op<"mean.dim">(t, dims, true); };
                   Tensor normal = (x - mean) * rstd, gw = w.defined() ? g * w : Tensor(g);
                   Tensors<3> out;
                   if (ggx.defined()) {
                     Tensor projected = input_gradient(ggx, x, *shape, mean, rstd, Tensor());
                     out[0] = w.defined() ? projected * w : projected;
                     if (w.defined()) out[2] = outer.empty() ? projected * g : op<"sum.dim_IntList">(projected * g, outer);
                     Tensor dx = input_gradient(gw, x, *shape, mean, rstd, Tensor());
                     // d/dx of sum(ggx * P(gw)): through rstd and through x^ itself.
                     Tensor inner = average(gw * normal), scale = average(ggx * normal), both = average(ggx * dx);
                     out[1] = -rstd * normal * both - op<"mul">(projected, rstd * inner) - op<"mul">(dx, rstd * scale);
                   }
                   if (ggw.defined()) {
                     out[0] = sum_of_defined(out[0], ggw * normal);
                     out[1] = sum_of_defined(out[1], input_gradient(g * ggw, x, *shape, mean, rstd, Tensor()));
                   }
                   if (ggb.defined()) out[0] = sum_of_defined(out[0], op<"expand">(ggb, g.sizes()));
                   return out;
                 }),
             wrt("bias", [](Grad) { return Tensor(); })},  // the gradients do not depend on it
});

}  // namespace
}  // namespace mt
