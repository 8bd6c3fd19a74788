// _transform_bias_rescale_qkv: splits packed projections into queries, keys and values by head, adds biases, scales queries.
#include <cmath>
#include "rules/reduction/rows.h"

namespace mt {
namespace {

constexpr const char* assertion_text =
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)";

template <class T>
struct HeadRow {
  using C = ComputeType<T>;
  static void run(const T* x, const T* bias, T* out, int64_t n, C scale) {
    for (int64_t i = 0; i < n; ++i) out[i] = T((C(x[i]) + C(bias[i])) * scale);
  }
};

constexpr auto compute_transform_bias_rescale_qkv = [](const Tensor& given, const Tensor& given_bias, int64_t heads) -> Tensors<3> {
  const int64_t width = given.size(wrap_dim(2, given.dim())), batch = given.size(0), length = given.size(1), d = width / 3;
  check(given.dim() == 3, "expected 3-D `qkv`, got {}-D tensor", given.dim());
  check(width % 3 == 0, assertion_text, "_3D % 3 == 0");
  check(heads > 0 && d % heads == 0, assertion_text, "D % num_head == 0");
  check(given_bias.dim() == 1 && given_bias.size(0) == width, "expected `qkv_bias` of {} elements, got {}", width, given_bias.sizes());
  const int64_t each = d / heads;
  Tensors<3> result;
  for (int i = 0; i < 3; ++i) result[i] = empty({batch, heads, length, each}, given.dtype(), given.device());
  if (given.is_meta()) return result;
  dispatch_floating(given.dtype(), "transform_bias_rescale_qkv", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor x = dense(given), bias = dense_as(given_bias, given.dtype());
    const auto row = row_clone<HeadRow<T>>(HeadRow<T>::run);
    const C scale = C(1) / std::sqrt(C(each));
    for_rows(batch * length, width, [&](int64_t r) {
      const int64_t b = r / length, t = r % length;
      for (int part = 0; part < 3; ++part)
        for (int64_t h = 0; h < heads; ++h)
          row(x.data<T>() + r * width + part * d + h * each, bias.template data<T>() + part * d + h * each,
              result[part].data<T>() + ((b * heads + h) * length + t) * each, each, part == 0 ? scale : C(1));
    });
  });
  return result;
};

MT_OP(OpDef{
    .schema = {"_transform_bias_rescale_qkv(Tensor qkv, Tensor qkv_bias, int num_heads) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Splits packed projections into queries, keys and values by heads.

Adds biases: ``(B, T, 3 D)`` becomes three ``(B, heads, T, D / heads)``; queries are divided by
``sqrt(D / heads)``.)",
    .cpu = compute_transform_bias_rescale_qkv,
    .meta = compute_transform_bias_rescale_qkv,
});

}  // namespace
}  // namespace mt
