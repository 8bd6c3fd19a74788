// _native_multi_head_attention: self attention with all its projections in one call, for inference.
#include "rules/form/algebra.h"

namespace mt {
namespace {

void check_arguments(const Tensor& q, const Tensor& k, const Tensor& v, int64_t width, int64_t heads, const Tensor& weight,
                     const Tensor& bias) {
  check(q.dim() == 3, "expected 3-D `query`, got {}-D tensor", q.dim());
  check(q.size(2) == width, "passed-in embed_dim {} didn't match last dim of query {}", width, q.size(2));
  check(k.dim() == 3, "expected 3-D `key`, got {}-D tensor", k.dim());
  check(v.dim() == 3, "expected 3-D `value`, got {}-D tensor", v.dim());
  check(q.sizes() == k.sizes() && k.sizes() == v.sizes(), "expected `query`/`key`/`value` shapes to match");
  check(weight.dim() == 2, "expected 2-D `qkv_weight`, got {}-D tensor", weight.dim());
  check(width * 3 == weight.size(0), "expected `qkv_weight` first dim to be 3x embed_dim");
  check(width == weight.size(1), "expected `qkv_weight` second dim to be embed_Dim");
  check(bias.dim() == 1, "expected 1-D `qkv_bias`, got {}-D tensor", bias.dim());
  check(bias.size(0) == 3 * width, "expected `qkv_bias` first dim and first dim of query to be equal");
  check(heads > 0 && width % heads == 0, "`embed_dim` must divide evenly by `num_heads`");
}

Tensor project_input(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& weight, int64_t width) {
  if (q.get() == k.get() && k.get() == v.get()) return op<"linear">(q, weight);
  auto part = [&](const Tensor& x, int64_t i) { return op<"linear">(x, op<"narrow">(weight, 0, i * width, width)); };
  return op<"cat">(std::vector<Tensor>{part(q, 0), part(k, 1), part(v, 2)}, 2);
}

constexpr auto compute_native_multi_head_attention = [](const Tensor& query, const Tensor& key, const Tensor& value, int64_t width,
                                                        int64_t heads, const Tensor& qkv_weight, const Tensor& qkv_bias,
                                                        const Tensor& out_weight, const Tensor& out_bias, const Tensor& mask,
                                                        bool need_weights, bool average, std::optional<int64_t> mask_type) -> Tensors<2> {
  BelowAutograd guard;
  check_arguments(query, key, value, width, heads, qkv_weight, qkv_bias);
  check(!mask.defined() || mask_type, "Mask Type should be defined");
  auto [q, k,
        v] = op<"_transform_bias_rescale_qkv", Tensors<3>>(project_input(query, key, value, qkv_weight, width), qkv_bias, heads).items;
  Tensor context, weights;
  if (!mask.defined() && !need_weights && query.numel()) {
    context = op<"scaled_dot_product_attention">(q, k, v, nullptr, 0.0, false, 1.0);
  } else {
    const Tensor scores = op<"matmul">(q, op<"transpose.int">(k, -2, -1));
    const Tensor allowed = mask.defined() && mask.dtype() != Dtype::boolean ? op<"to.dtype">(mask, Dtype::boolean) : mask;
    weights = mask.defined() ? op<"_masked_softmax">(scores, allowed, 3, mask_type) : op<"softmax">(scores, 3);
    context = op<"matmul">(weights, v);
  }
  const Tensor joined = op<"reshape">(op<"transpose.int">(context, 1, 2), query.sizes());
  const Tensor out = op<"linear">(joined, out_weight, out_bias);
  if (!need_weights) return {{out, Tensor()}};
  return {{out, average ? op<"mean.dim">(weights, IntList{1}) : weights}};
};

MT_OP(OpDef{
    .schema = {"_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, "
               "Tensor qkv_weight, Tensor qkv_bias, Tensor "
               "proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool "
               "average_attn_weights=True, int? mask_type=None) -> (Tensor, "
               "Tensor)"},
    .forms = function,
    .doc = R"(Computes multi-head self-attention of ``(B, T, D)`` with its projections, for inference.

Also returns the attention weights where asked. ``torch.nn.MultiheadAttention`` uses it where no
gradient is wanted.)",
    .cpu = compute_native_multi_head_attention,
});

}  // namespace
}  // namespace mt
