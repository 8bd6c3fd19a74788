// _scaled_mm_v2: the product of two float8 matrices with scales that are laid out by recipes.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/matmul/scaled_product.h"

namespace mt {
namespace {

enum Recipe : int64_t { tensor_wise, row_wise };

bool has_recipe(TensorList scales, IntList recipes, Recipe wanted) {
  return scales.size() == 1 && recipes.size() == 1 && recipes[0] == wanted && scales[0].dtype() == Dtype::float32;
}

void check_contraction(const Tensor& self, const Tensor& mat2, IntList dims) {
  int64_t of_self = 1, of_mat2 = 0;
  if (dims.size() > 0) {
    check(dims.size() == 2, ErrorKind::value, "contraction_dim must have exactly 2 elements");
    of_self = wrap_dim(dims[0], 2), of_mat2 = wrap_dim(dims[1], 2);
  }
  check(self.size(of_self) == mat2.size(of_mat2), ErrorKind::value, "mat_a and mat_b shapes cannot be multiplied ({}x{} and {}x{})",
        self.size(0), self.size(1), mat2.size(0), mat2.size(1));
}

constexpr auto infer_scaled_product = [](Specs& out, const Call& call, const Tensor& self, const Tensor& mat2, TensorList scale_a,
                                         IntList recipe_a, IntList swizzle_a, TensorList scale_b, IntList recipe_b, IntList swizzle_b,
                                         const Tensor& bias, std::optional<Dtype> dtype, IntList contraction_dim, bool) {
  check(self.dim() == 2, ErrorKind::value, "mat_a must be a matrix");
  check(mat2.dim() == 2, ErrorKind::value, "mat_b must be a matrix");
  check_contraction(self, mat2, contraction_dim);
  const int64_t rows = self.size(0), columns = mat2.size(1);
  check_scaled_bias(bias, columns, ErrorKind::value);
  const bool are_narrow = is_float8(self.dtype()) && is_float8(mat2.dtype());
  const auto have_recipe = [&](Recipe wanted) {
    return are_narrow && has_recipe(scale_a, recipe_a, wanted) && has_recipe(scale_b, recipe_b, wanted);
  };
  if (have_recipe(tensor_wise)) {
    check(scale_a[0].numel() == 1, ErrorKind::value, "scale_a must have 1 Float element");
    check(scale_b[0].numel() == 1, ErrorKind::value, "scale_b must have 1 Float element");
  } else if (have_recipe(row_wise)) {
    check(scale_a[0].dim() > 0, ErrorKind::index, messages::dimension_specified_as_0);
    wrap_dim(1, scale_a[0].dim());
    check(scale_a[0].size(0) == rows && scale_a[0].size(1) == 1, ErrorKind::value, "scale_a must have shape [{}, 1], got [{}]", rows,
          scale_a[0].sizes());
    check(scale_b[0].numel() == columns, ErrorKind::value, "scale_b must have {} Float elements, got {}", columns, scale_b[0].numel());
    wrap_dim(1, scale_b[0].dim());
  } else {
    const auto first = [](TensorList scales) { return scales.size() > 0 ? scales[0] : Tensor(); };
    refuse_scales(self, mat2, first(scale_a), first(scale_b));
  }
  if (swizzle_a.size() > 0 && swizzle_b.size() > 0)
    check(swizzle_a[0] == 0 && swizzle_b[0] == 0, ErrorKind::value, "CPU does not support swizzle.");
  check(self.size(1) == mat2.size(0), "mat_a and mat_b shapes cannot be multiplied ({}x{} and {}x{})", rows, self.size(1), mat2.size(0),
        columns);
  out.add(IntList{rows, columns}, dtype.value_or(default_dtype_of(call, self)));
};

MT_OP(OpDef{
    .schema = {"_scaled_mm_v2(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, "
               "int[] recipe_b, int[] swizzle_b, Tensor? bias, ScalarType? out_dtype, int[] contraction_dim=[], "
               "bool use_fast_accum=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Multiplies two float8 matrices with scales; torch.nn.functional.scaled_mm documents it.)",
    .rule = structured_exact(infer_scaled_product),
    .cpu =
        [](const Tensor& self, const Tensor& mat2, TensorList scale_a, IntList, IntList, TensorList scale_b, IntList, IntList,
           const Tensor& bias, std::optional<Dtype>, IntList, bool, Tensor& out) {
          BelowAutograd guard;
          scaled_product(out, self, mat2, scale_a[0], scale_b[0], bias);
        },
    .out_policy = OutPolicy{.dtype_error = "out_dtype must match output matrix type", .dtype_error_kind = ErrorKind::value},
});

}  // namespace
}  // namespace mt
