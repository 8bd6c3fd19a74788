// _native_batch_norm_legit and its forms: native_batch_norm with schemas that say which running statistics are written.
#include "rules/batch_norm.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                          const Tensor& var, bool training, double,
                          double) { infer_batch_norm(out, input, weight, bias, mean, var, training); };
constexpr auto kernel = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                           const Tensor& var, bool training, double momentum, double eps, Tensor& out,
                           Tensor& save_mean, Tensor& save_invstd) {
  batch_norm_forward(input, weight, bias, mean, var, training, momentum, eps, out, save_mean, save_invstd);
};
constexpr auto shape_without = [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                  bool training, double,
                                  double) { infer_batch_norm(out, input, weight, bias, Tensor(), Tensor(), training); };
constexpr auto kernel_without = [](const Tensor& input, const Tensor& weight, const Tensor& bias, bool training,
                                   double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  batch_norm_forward(input, weight, bias, Tensor(), Tensor(), training, momentum, eps, out, save_mean, save_invstd);
};
constexpr auto shape_outside = [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                  const Tensor& mean, const Tensor& var, double,
                                  double) { infer_batch_norm(out, input, weight, bias, mean, var, false); };
constexpr auto kernel_outside = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                                   const Tensor& var, double momentum, double eps, Tensor& out, Tensor& save_mean,
                                   Tensor& save_invstd) {
  batch_norm_forward(input, weight, bias, mean, var, false, momentum, eps, out, save_mean, save_invstd);
};
constexpr auto shape_functional = [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                     const Tensor& mean, const Tensor& var, bool training, double, double) {
  infer_batch_norm(out, input, weight, bias, mean, var, training);
  out.add(mean.sizes(), mean.dtype());
  out.add(var.sizes(), var.dtype());
};
constexpr auto kernel_functional = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                                      const Tensor& var, bool training, double momentum, double eps, Tensor& out,
                                      Tensor& save_mean, Tensor& save_invstd, Tensor& new_mean, Tensor& new_var) {
  copy_into(new_mean, mean), copy_into(new_var, var);
  batch_norm_forward(input, weight, bias, new_mean, new_var, training, momentum, eps, out, save_mean, save_invstd);
};

Tensors<3> gradients(const Tensor& g, Wanted wanted, const Tensor& x, const Tensor& w, const Tensor& mean,
                     const Tensor& var, const Tensor& save_mean, const Tensor& save_invstd, bool training, double eps) {
  const uint8_t mask[] = {wanted[0], wanted[1], wanted[2]};
  return op<"native_batch_norm_backward", Tensors<3>>(g, x, w, mean, var, save_mean, save_invstd, training, eps,
                                                      list_value(MT_TAG_BOOLS, mask, 3));
}

constexpr auto formula = [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"running_mean"> mean,
                            In<"running_var"> var, In<"training", bool> training, In<"eps", double> eps,
                            Out<"result1"> save_mean, Out<"result2"> save_invstd) {
  return gradients(g, wanted, x, w, mean, var, save_mean, save_invstd, *training, *eps);
};

MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
               "Tensor(b!) running_var, bool training, float "
               "momentum, float eps) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "native_batch_norm with running statistics, which are moved in training.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt({"input", "weight", "bias"}, formula)},
});
MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
               "momentum, float eps) -> (Tensor, Tensor, "
               "Tensor)"},
    .forms = function,
    .doc = "native_batch_norm without running statistics.",
    .rule = structured(shape_without),
    .cpu = kernel_without,
    .grad = {wrt({"input", "weight", "bias"},
                 [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"training", bool> training,
                    In<"eps", double> eps, Out<"result1"> save_mean, Out<"result2"> save_invstd) {
                   return gradients(g, wanted, x, w, Tensor(), Tensor(), save_mean, save_invstd, *training, *eps);
                 })},
    .grad_name = "NativeBatchNormLegitBackward1",
});
MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
               "Tensor running_var, float momentum, "
               "float eps) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "native_batch_norm by the running statistics.",
    .rule = structured(shape_outside),
    .cpu = kernel_outside,
    .grad = {wrt({"input", "weight", "bias"},
                 [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"running_mean"> mean,
                    In<"running_var"> var, In<"eps", double> eps, Out<"result1"> save_mean,
                    Out<"result2"> save_invstd) {
                   return gradients(g, wanted, x, w, mean, var, save_mean, save_invstd, false, *eps);
                 })},
});
MT_OP(OpDef{
    .schema =
        {"_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor "
         "running_var, bool training, "
         "float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)"},
    .forms = internal,
    .doc = "native_batch_norm that gives the moved running statistics instead of writing them.",
    .rule = structured(shape_functional),
    .cpu = kernel_functional,
    .grad = {wrt({"input", "weight", "bias"}, formula)},
});

MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit.out(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
               "Tensor(b!) running_var, bool training, "
               "float momentum, float eps, *, Tensor(d!) out, Tensor(e!) save_mean, Tensor(f!) save_invstd) -> "
               "(Tensor(d!), Tensor(e!), Tensor(f!))"},
    .forms = out,
    .doc = "_native_batch_norm_legit into tensors of the caller's.",
    .cpu =
        [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
           bool training, double momentum, double eps, const Tensor& out, const Tensor& save_mean,
           const Tensor& save_invstd) {
          batch_norm_into(input, weight, bias, mean, var, training, momentum, eps, out, save_mean, save_invstd);
        },
});
MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit.no_stats_out(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
               "momentum, float eps, *, Tensor(a!) "
               "out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), Tensor(c!))"},
    .forms = out,
    .doc = "The same without running statistics.",
    .cpu =
        [](const Tensor& input, const Tensor& weight, const Tensor& bias, bool training, double momentum, double eps,
           const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd) {
          batch_norm_into(input, weight, bias, Tensor(), Tensor(), training, momentum, eps, out, save_mean,
                          save_invstd);
        },
});

}  // namespace
}  // namespace mt
