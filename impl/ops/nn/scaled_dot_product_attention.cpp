// scaled_dot_product_attention: attention by matrix products; optionally returns the weights.
#include <cmath>
#include "core/options.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

bool is_backend_enabled(int32_t option) { return get_option(option) != 0; }

bool have_block_shapes(const Tensor& q, const Tensor& k, const Tensor& v) {
  if (q.dim() != 4 || k.dim() != 4 || v.dim() != 4 || q.dtype() != k.dtype() || q.dtype() != v.dtype()) return false;
  if (q.size(0) != k.size(0) || k.size(0) != v.size(0) || q.size(1) != k.size(1) || k.size(1) != v.size(1)) return false;
  if (q.size(3) != k.size(3) || q.size(3) != v.size(3) || k.size(2) != v.size(2)) return false;
  if (q.size(2) == 0 || k.size(2) == 0 || q.numel() == 0) return false;
  return q.stride(3) == 1 && k.stride(3) == 1 && v.stride(3) == 1;
}

bool is_block_mask(const Tensor& mask, const Tensor& q, const Tensor& k) {
  if (mask.keys() & key_bit(Key::autograd) && thread_state.grad_mode) return false;
  if (mask.dim() != 2 && mask.dim() != 4) return false;
  const int64_t wanted[] = {q.size(0), q.size(1), q.size(2), k.size(2)};
  for (int64_t d = 0; d < mask.dim(); ++d)
    if (mask.size(d) != 1 && mask.size(d) != wanted[4 - mask.dim() + d]) return false;
  return true;
}

// Whether the blocked CPU kernel supports these arguments; it supports all arguments that torch's flash attention on the CPU does.
bool can_attend_in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, double dropout, bool gqa) {
  if (q.device().type == DeviceType::npu) return false;  // the kernel is for the CPU
  if (!is_backend_enabled(MT_OPTION_SDPA_FLASH) || dropout > 0 || gqa || !is_floating(q.dtype()) || is_float8(q.dtype())) return false;
  return have_block_shapes(q, k, v) && (!mask.defined() || is_block_mask(mask, q, k));
}

// Converts a bool mask to an additive one: true -> 0, false -> -inf.
Tensor make_additive_mask(const Tensor& mask, Dtype dtype) {
  if (!mask.defined() || mask.dtype() != Dtype::boolean) return mask;
  Tensor zeros = op<"zeros">(mask.sizes(), dtype, nullptr, mask.device());
  return op<"masked_fill">(zeros, op<"logical_not">(mask), -__builtin_inf());
}

void check_arguments(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, bool causal) {
  check(q.dtype() == k.dtype() && q.dtype() == v.dtype(),
        "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and value.dtype: {} instead.",
        ScalarName(q.dtype()), ScalarName(k.dtype()), ScalarName(v.dtype()));
  check(
      q.device().type == k.device().type && q.device().type == v.device().type,
      "Expected query, key, and value to have the same device type, but got query.device: {} key.device: {} and value.device: {} instead.",
      q.device(), k.device(), v.device());
  check(q.dim() >= 2 && k.dim() >= 2 && v.dim() >= 2,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} and value.dim: {} instead.",
        q.dim(), k.dim(), v.dim());
  if (mask.defined()) {
    check(mask.dtype() == Dtype::boolean || mask.dtype() == Dtype::float32 || mask.dtype() == q.dtype(),
          "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and  query.dtype: {} instead.",
          ScalarName(mask.dtype()), ScalarName(q.dtype()));
    check(!causal, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  }
}

constexpr auto attend_with_matrix_products = [](const Tensor& q0, const Tensor& k0, const Tensor& v0, const Tensor& mask0, double dropout,
                                                bool causal, const Tensor& dropout_mask, std::optional<double> scale,
                                                bool gqa) -> Tensors<2> {
  // Half types are computed in float and rounded once; an NPU's matrix units accumulate in float anyway.
  const bool by_npu = q0.device().type == DeviceType::npu;
  const Dtype given = q0.dtype(), wide = by_npu ? given : compute_dtype(given);
  auto widened = [&](const Tensor& t) { return t.dtype() == wide ? t : op<"to.dtype">(t, wide); };
  auto narrowed = [&](const Tensor& t) { return t.dtype() == given ? t : op<"to.dtype">(t, given); };
  Tensor q = widened(q0), k = widened(k0), v = widened(v0), mask = mask0;
  const int64_t least = gqa ? 3 : 2;
  for (const Tensor* t : {&q, &k, &v}) wrap_dim(-least, t->dim());
  const double width = double(q.size(-1));
  const double factor = scale.value_or(1 / std::sqrt(width)), root = std::sqrt(factor);
  if (causal) mask = op<"tril">(op<"ones">(IntList{q.size(-2), k.size(-2)}, Dtype::boolean, nullptr, q.device()));
  mask = make_additive_mask(mask, q.dtype());
  if (gqa) {  // several query heads share each key and value head
    check(k.size(-3) > 0 && v.size(-3) > 0 && q.size(-3) % k.size(-3) == 0 && q.size(-3) % v.size(-3) == 0,
          "Number of heads in key and value must divide the number of heads in query");
    k = op<"repeat_interleave.self_int">(k, q.size(-3) / k.size(-3), -3);
    v = op<"repeat_interleave.self_int">(v, q.size(-3) / v.size(-3), -3);
  }
  // Query and key are each scaled by the square root of the factor, which keeps half types in range. On an NPU the product is scaled
  // instead, as models do that compute attention with single operators: one pass less, and the same bits as those models.
  Tensor scores = by_npu ? op<"matmul">(q, op<"transpose">(k, -2, -1)) * factor : op<"matmul">(q * root, op<"transpose">(k, -2, -1) * root);
  if (mask.defined()) scores = op<"add">(scores, mask.dtype() == q.dtype() ? mask : op<"to.dtype">(mask, q.dtype()));
  Tensor weights = op<"_safe_softmax">(scores, -1);
  if (dropout > 0) {
    check(!dropout_mask.defined(), "dropout_mask is not supported");
    weights = op<"dropout">(weights, dropout, true);
  }
  return {{narrowed(op<"matmul">(weights, v)), narrowed(weights)}};
};

MT_OP(OpDef{
    .schema = {"_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, "
               "bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes attention by matrix products, and returns the weights too.

``scaled_dot_product_attention`` calls it where the blocked kernel does not fit.)",
    .composite = attend_with_matrix_products,
});

MT_OP(OpDef{
    .schema = {"scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool "
               "is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor"},
    .forms = function,
    .doc = R"(Computes attention: ``softmax(query key^T * scale + mask) value``.

(Vaswani et al., "Attention is all you need", NeurIPS 2017, equation 1.) Without dropout and where
shapes allow it, a kernel works by blocks and never holds the matrix of scores. A query that may
attend to nothing gives zeros. Half dtypes sum in float32.

Args:
    query (Tensor): shape ``(*, H, L, E)``; a floating dtype.
    key (Tensor): shape ``(*, H, S, E)``.
    value (Tensor): shape ``(*, H, S, V)``.
    attn_mask (Tensor, optional): broadcastable with ``(*, H, L, S)``: bools are ``True`` where
        attention is allowed; numbers are added to the scores.
    dropout_p (float): probability of a weight to become zero; also outside of training. Default:
        ``0.0``.
    is_causal (bool): whether query i attends to keys 0 to i only; not with `attn_mask`. Default:
        ``False``.
    scale (float, optional): factor of the scores. Default: ``None``, ``1 / sqrt(E)``.
    enable_gqa (bool): whether key and value may have fewer heads, whose number divides H; each
        serves several query heads. Default: ``False``.

Returns:
    Tensor: shape ``(*, H, L, V)``.

Raises:
    RuntimeError: when dtypes, devices or shapes do not fit, or `attn_mask` and `is_causal` are both
        given.

Example:
    >>> value = torch.tensor([[0.0, 0.0], [3.0, 3.0], [3.0, 6.0]])
    >>> F.scaled_dot_product_attention(torch.zeros(1, 2), torch.zeros(3, 2), value)
    tensor([[2., 3.]]))",
    .module = "nn",
    .composite = [](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, double dropout, bool causal,
                    std::optional<double> scale, bool gqa) -> Tensor {
      check_arguments(q, k, v, mask, causal);
      if (v.numel() == 0) {  // no keys, whatever the other sizes; gradients still flow
        Dims sizes(q.sizes());
        sizes.back() = v.size(-1);
        return op<"zeros">(sizes, q.dtype(), nullptr, q.device()) + (op<"sum">(q) + op<"sum">(k) + op<"sum">(v)) * 0;
      }
      if (can_attend_in_blocks(q, k, v, mask, dropout, gqa))
        return op<"_scaled_dot_product_flash_attention_for_cpu", Tensors<2>>(q, k, v, dropout, causal, make_additive_mask(mask, q.dtype()),
                                                                             scale)[0];
      check(is_backend_enabled(MT_OPTION_SDPA_MATH), "No viable backend for scaled_dot_product_attention was found.");
      return op<"_scaled_dot_product_attention_math", Tensors<2>>(q, k, v, mask, dropout, causal, nullptr, scale, gqa)[0];
    },
    .autocast = everywhere(Autocast::lower_precision),
});

// The numbers that torch's _fused_sdp_choice returns for its kernels.
enum AttentionBackend : int64_t { by_math = 0, by_blocks = 1 };

MT_OP(OpDef{
    .schema = {"_fused_sdp_choice(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool "
               "is_causal=False, *, float? scale=None, bool enable_gqa=False) -> int"},
    .forms = function,
    .doc = "Returns which kernel ``scaled_dot_product_attention`` takes: 0 matrix products, 1 blocks.",
    .composite = [](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, double dropout, bool causal,
                    std::optional<double>, bool gqa) -> int64_t {
      check_arguments(q, k, v, mask, causal);
      return can_attend_in_blocks(q, k, v, mask, dropout, gqa) ? by_blocks : by_math;
    },
});

}  // namespace
}  // namespace mt
