// _transformer_encoder_layer_fwd: a transformer's encoder layer in one call, for inference.
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto compute_transformer_encoder_layer_fwd =
    [](const Tensor& src, int64_t width, int64_t heads, const Tensor& qkv_weight, const Tensor& qkv_bias, const Tensor& out_weight,
       const Tensor& out_bias, bool use_gelu, bool norm_first, double eps, const Tensor& norm_weight_1, const Tensor& norm_bias_1,
       const Tensor& norm_weight_2, const Tensor& norm_bias_2, const Tensor& ffn_weight_1, const Tensor& ffn_bias_1,
       const Tensor& ffn_weight_2, const Tensor& ffn_bias_2, const Tensor& mask, std::optional<int64_t> mask_type) -> Tensor {
  BelowAutograd guard;
  const Dims last{width};
  auto norm_1 = [&](const Tensor& t) { return op<"layer_norm">(t, last, norm_weight_1, norm_bias_1, eps); };
  auto norm_2 = [&](const Tensor& t) { return op<"layer_norm">(t, last, norm_weight_2, norm_bias_2, eps); };
  Tensor x = norm_first ? norm_1(src) : Tensor(src);
  x = op<"_native_multi_head_attention", Tensors<2>>(x, x, x, width, heads, qkv_weight, qkv_bias, out_weight, out_bias, mask, false, true,
                                                     mask_type)[0];
  x = x + src;
  if (!norm_first) x = norm_1(x);
  const Tensor inner = op<"linear">(norm_first ? norm_2(x) : x, ffn_weight_1, ffn_bias_1);
  x = op<"linear">(use_gelu ? op<"gelu">(inner) : op<"relu">(inner), ffn_weight_2, ffn_bias_2) + x;
  return norm_first ? x : norm_2(x);
};

MT_OP(OpDef{
    .schema = {"_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor "
               "qkv_bias, Tensor proj_weight, Tensor "
               "proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor "
               "norm_weight_2, Tensor norm_bias_2, "
               "Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, "
               "int? mask_type=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a transformer's encoder layer in one call, for inference.

``torch.nn.TransformerEncoderLayer`` uses it where no gradient is wanted.)",
    .cpu = compute_transformer_encoder_layer_fwd,
});

}  // namespace
}  // namespace mt
