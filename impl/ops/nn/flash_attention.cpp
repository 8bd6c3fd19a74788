// _scaled_dot_product_flash_attention_for_cpu: attention in blocks, without storing the matrix of scores.
#include <cmath>
#include "core/dispatch_dtype.h"
#include "cpu/attention/attention.h"
#include "rules/reduction/rows.h"
#include "vmap/rule.h"

namespace mt {
namespace {

template <class T>
cpu::Heads<T> view_as_heads(const Tensor& t) {
  if (!t.defined()) return {nullptr, 0, 0, 0, 0};
  auto stride = [&](int64_t d) { return t.size(d) == 1 ? 0 : t.stride(d); };
  return {reinterpret_cast<T*>(t.data()), stride(0), stride(1), stride(2), stride(3)};
}
// The mask as batch x heads x q x k, with zero strides where it broadcasts.
Tensor expand_mask_to_4d(const Tensor& given, const Tensor& query, const Tensor& key) {
  if (!given.defined()) return given;
  check(given.dtype() == query.dtype() || given.dtype() == Dtype::float32,
        "flash_attention: mask dtype should be float or the same as query");
  const Tensor mask = query.dtype() == Dtype::float64 ? dense_as(given, Dtype::float64) : given;
  const Dims sizes{query.size(0), query.size(1), query.size(2), key.size(2)};
  Dims strides(4, 0);
  const int64_t offset = 4 - mask.dim();
  for (int64_t d = 0; d < mask.dim(); ++d) strides[d + offset] = mask.size(d) == 1 ? 0 : mask.stride(d);
  return alias(mask, sizes, strides, mask.storage_offset());
}
cpu::AttentionShape shape_of(const Tensor& q, const Tensor& k, const Tensor& v, bool causal, std::optional<double> scale) {
  return {q.size(0), q.size(1), q.size(2), k.size(2), q.size(3), v.size(3), scale.value_or(1 / std::sqrt(double(q.size(3)))), causal};
}
Tensor make_result_in_torch_layout(const Tensor& q, int64_t width) {  // in memory: batch x rows x heads x columns
  const int64_t b = q.size(0), h = q.size(1), n = q.size(2);
  return empty_strided({b, h, n, width}, {n * h * width, width, h * width, 1}, q.dtype(), q.device());
}
template <class F>
void dispatch_by_query_and_mask_dtypes(const Tensor& q, const Tensor& mask, F&& f) {
  dispatch_floating(q.dtype(), "flash_attention", [&]<class T>(Type<T>) {
    using L = ComputeType<T>;
    if constexpr (!std::is_same_v<T, double>) {  // for double, expand_mask_to_4d converts the mask to double
      if (mask.defined() && mask.dtype() != q.dtype()) return f(Type<T>(), Type<float>(), Type<L>());
    }
    f(Type<T>(), Type<T>(), Type<L>());
  });
}

// Whether t has the shape (batch, heads, rows, width), up to sizes of 1 that broadcast: the kernels do not check bounds themselves.
bool has_head_shape(const Tensor& t, int64_t batch, int64_t heads, int64_t rows, int64_t width) {
  return (t.size(0) == batch || t.size(0) == 1) && (t.size(1) == heads || t.size(1) == 1) && t.size(2) == rows && t.size(3) == width;
}
void check_projections(const Tensor& q, const Tensor& k, const Tensor& v) {
  check(q.dim() == 4 && k.dim() == 4 && v.dim() == 4,
        "scaled_dot_product_attention_flash_attention: Accept only 4 dims inputs shape of {B, H, T, K}");
  const int64_t batch = q.size(0), heads = q.size(1), length = k.size(2);
  check(has_head_shape(k, batch, heads, length, q.size(3)) && has_head_shape(v, batch, heads, length, v.size(3)),
        "flash_attention: query of size {}, key of size {} and value of size {} do not fit", q.sizes(), k.sizes(), v.sizes());
  check(k.dtype() == q.dtype() && v.dtype() == q.dtype(),
        "flash_attention: query, key and value should have the same dtype, but got {}, {} and {}", q.dtype(), k.dtype(), v.dtype());
}
void check_results(const Tensor& grad, const Tensor& out, const Tensor& logsumexp, const Tensor& q, const Tensor& v) {
  for (const Tensor* t : {&grad, &out})
    check(has_head_shape(*t, q.size(0), q.size(1), q.size(2), v.size(3)) && t->sizes().first(2) == q.sizes().first(2) &&
              t->dtype() == q.dtype(),
          "flash_attention_backward: a gradient or result of size {} does not fit query of size {}", t->sizes(), q.sizes());
  check(logsumexp.sizes() == q.sizes().first(3) && logsumexp.dtype() == compute_dtype(q.dtype()),
        "flash_attention_backward: logsumexp of size {} does not fit query of size {}", logsumexp.sizes(), q.sizes());
}

constexpr auto compute_flash_attention = [](const Tensor& q, const Tensor& k, const Tensor& v, double dropout, bool causal,
                                            const Tensor& mask, std::optional<double> scale) -> Tensors<2> {
  check(dropout == 0, "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0");
  check_projections(q, k, v);
  // The result has the query's memory order; the logarithms are stored row by row.
  const int64_t batch = q.size(0), count = q.size(1), length = q.size(2);
  const Dims sizes{batch, count, length, v.size(3)};
  const bool alike = q.sizes() == IntList(sizes) && q.is_non_overlapping_and_dense();
  const Tensor out = empty_strided(sizes, alike ? Dims(q.strides()) : contiguous_strides(sizes), q.dtype(), q.device());
  const Tensor logsumexp = empty_strided({batch, count, length}, {length * count, 1, count}, compute_dtype(q.dtype()), q.device());
  if (out.is_meta()) return {{out, logsumexp}};
  const Tensor m = expand_mask_to_4d(mask, q, k), rows = alias(logsumexp, {batch, count, length, 1}, {length * count, 1, count, 1}, 0);
  dispatch_by_query_and_mask_dtypes(q, m, [&]<class T, class M, class L>(Type<T>, Type<M>, Type<L>) {
    cpu::attention_forward<T, M, L>(shape_of(q, k, v, causal, scale), view_as_heads<const T>(q), view_as_heads<const T>(k),
                                    view_as_heads<const T>(v), view_as_heads<const M>(m), view_as_heads<T>(out), view_as_heads<L>(rows));
  });
  return {{out, logsumexp}};
};
constexpr auto compute_flash_attention_backward = [](const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v,
                                                     const Tensor& out, const Tensor& logsumexp, double, bool causal, const Tensor& mask,
                                                     std::optional<double> scale) -> Tensors<3> {
  for (const Tensor* t : {&grad, &q, &k, &v, &out})
    for (int64_t d : {1, 2}) wrap_dim(d, t->dim());  // torch swaps these two
  check_projections(q, k, v);
  check(grad.dim() == 4 && out.dim() == 4, "flash_attention_backward: grad_out and out should have 4 dimensions");
  check_results(grad, out, logsumexp, q, v);
  Tensors<3> grads{
      {make_result_in_torch_layout(q, q.size(3)), make_result_in_torch_layout(k, k.size(3)), make_result_in_torch_layout(v, v.size(3))}};
  if (q.is_meta()) return grads;
  Tensor lse = empty(logsumexp.sizes(), logsumexp.dtype());
  copy_into(lse, logsumexp);
  const Tensor m = expand_mask_to_4d(mask, q, k),
               rows = alias(lse, {q.size(0), q.size(1), q.size(2), 1}, {q.size(1) * q.size(2), q.size(2), 1, 1}, 0);
  dispatch_by_query_and_mask_dtypes(q, m, [&]<class T, class M, class L>(Type<T>, Type<M>, Type<L>) {
    cpu::attention_backward<T, M, L>(shape_of(q, k, v, causal, scale), view_as_heads<const T>(grad), view_as_heads<const T>(q),
                                     view_as_heads<const T>(k), view_as_heads<const T>(v), view_as_heads<const M>(m),
                                     view_as_heads<const T>(out), view_as_heads<const L>(rows), view_as_heads<T>(grads[0]),
                                     view_as_heads<T>(grads[1]), view_as_heads<T>(grads[2]));
  });
  return grads;
};

// vmap: merges the mapped dimension into the batch dimension of attention.
void batch_flash_attention(const BatchCall& c) {
  if (c.batch(5) || c.tensor(0).dim() != 4 || c.size == 0) return batch_looped(c);
  const int64_t batch = c.tensor(0).size(0);
  Tensor folded[3];
  for (int i = 0; i < 3; ++i) folded[i] = op<"flatten.using_ints">(c.expanded(i), 0, 1);
  Tensor mask = c.tensor(5);
  if (mask.defined() && mask.dim() == 4 && mask.size(0) != 1) mask = op<"repeat">(mask, IntList{c.size, 1, 1, 1});
  const Tensors<2> both = op<"_scaled_dot_product_flash_attention_for_cpu", Tensors<2>>(folded[0], folded[1], folded[2], c.args[3],
                                                                                        c.args[4], mask, c.args[6]);
  for (int i = 0; i < 2; ++i) c.set_result(i, op<"unflatten.int">(both[i], 0, IntList{c.size, batch}));
}

MT_OP(OpDef{
    .schema = {"_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool "
               "is_causal=False, *, Tensor? "
               "attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)"},
    .forms = function,
    .doc = R"(Computes ``softmax(q k^T * scale + mask) v`` by blocks, without the matrix of scores.

Also returns the logarithm of each row's sum. ``scaled_dot_product_attention`` calls it where shapes
and options fit.)",
    .cpu = compute_flash_attention,
    .meta = compute_flash_attention,
    .grad = {wrt({"query", "key", "value"},
                 [](Grad g, In<"query"> q, In<"key"> k, In<"value"> v, Out<"output"> out, Out<"logsumexp"> lse, In<"dropout_p", double> p,
                    In<"is_causal", bool> causal, In<"attn_mask"> mask, In<"scale", std::optional<double>> scale) {
                   return op<"_scaled_dot_product_flash_attention_for_cpu_backward", Tensors<3>>(g, q, k, v, out, lse, *p, *causal, mask,
                                                                                                 *scale);
                 })},
    .grad_name = "ScaledDotProductFlashAttentionForCpuBackward0",
    .batch = batch_flash_attention,
});
MT_OP(OpDef{
    .schema = {"_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, "
               "Tensor logsumexp, "
               "float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, "
               "Tensor grad_value)"},
    .forms = internal,
    .doc = "Computes the gradients of query, key and value of blocked attention.",
    .cpu = compute_flash_attention_backward,
    .meta = compute_flash_attention_backward,
});

}  // namespace
}  // namespace mt
