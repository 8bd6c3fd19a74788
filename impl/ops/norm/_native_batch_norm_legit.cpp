// _native_batch_norm_legit: native_batch_norm with schemas that declare the writes to running statistics.
#include "rules/form/checked.h"
#include "rules/nn/batch_norm.h"

namespace mt {
namespace {

constexpr auto infer_shape_without_running_stats = [](Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                                      bool training, double,
                                                      double) { infer_batch_norm(out, input, weight, bias, Tensor(), Tensor(), training); };
constexpr auto compute_without_running_stats = [](const Tensor& input, const Tensor& weight, const Tensor& bias, bool training,
                                                  double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  batch_norm_forward(input, weight, bias, Tensor(), Tensor(), training, momentum, eps, out, save_mean, save_invstd);
};

MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
               "Tensor(b!) running_var, bool training, float "
               "momentum, float eps) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes native_batch_norm with running statistics.

Its schema says that training writes them.)",
    .rule = rule_after_check(refuse_meta_mixtures, structured(batch_norm_specs)),
    .cpu = batch_norm_kernel,
    .npu = {"BatchNorm(input, weight, bias, running_mean, running_var, training, momentum, eps)"},
    .grad = {wrt({"input", "weight", "bias"}, batch_norm_formula)},
});
MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
               "momentum, float eps) -> (Tensor, Tensor, "
               "Tensor)"},
    .forms = function,
    .doc = "Computes native_batch_norm without running statistics. instance_norm and exported graphs use it.",
    .rule = structured(infer_shape_without_running_stats),
    .cpu = compute_without_running_stats,
    .npu = {"BatchNorm(input, weight, bias, 0, 0, training, momentum, eps)"},
    .grad = {wrt({"input", "weight", "bias"},
                 [](Grad g, Wanted wanted, In<"input"> x, In<"weight"> w, In<"training", bool> training, In<"eps", double> eps,
                    Out<"result1"> save_mean, Out<"result2"> save_invstd) {
                   return batch_norm_gradients_of(g, wanted, x, w, Tensor(), Tensor(), save_mean, save_invstd, *training, *eps);
                 })},
    .grad_name = "NativeBatchNormLegitBackward1",
});
MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit.out(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
               "Tensor(b!) running_var, bool training, "
               "float momentum, float eps, *, Tensor(d!) out, Tensor(e!) save_mean, Tensor(f!) save_invstd) -> "
               "(Tensor(d!), Tensor(e!), Tensor(f!))"},
    .forms = out,
    .doc = "Computes native_batch_norm with running statistics into the caller's tensors.",
    .cpu = batch_norm_out_kernel,
});
MT_OP(OpDef{
    .schema = {"_native_batch_norm_legit.no_stats_out(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
               "momentum, float eps, *, Tensor(a!) "
               "out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), Tensor(c!))"},
    .forms = out,
    .doc = "Computes native_batch_norm without running statistics into the caller's tensors.",
    .cpu =
        [](const Tensor& input, const Tensor& weight, const Tensor& bias, bool training, double momentum, double eps, const Tensor& out,
           const Tensor& save_mean, const Tensor& save_invstd) {
          batch_norm_into(input, weight, bias, Tensor(), Tensor(), training, momentum, eps, out, save_mean, save_invstd);
        },
});

}  // namespace
}  // namespace mt
