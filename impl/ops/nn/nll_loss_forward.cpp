// nll_loss_forward: -weight[target] * self[target], reduced; and the sum of the weights.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/nn/nll_loss.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// For a single row, torch reads the target before it compares devices.
void refuse_target_on_other_device(const Call& call) {
  const Tensor &self = Unbox<Tensor>::from(call.args[0]), &target = Unbox<Tensor>::from(call.args[1]);
  check(self.dim() != 1 || self.is_meta() || !target.is_meta(), ErrorKind::not_implemented, messages::copy_out_of_meta_tensor);
  refuse_meta_mixtures_by_second(call);
}

constexpr auto compute_nll_loss_forward = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                                             int64_t ignore_index) -> Tensors<2> {
  check_nll_shapes(self, target, weight);
  const int64_t n = self.dim() == 2 ? self.size(0) : 1, classes = self.size(-1);
  const bool per_row = reduction == 0 && self.dim() == 2;
  Tensor out = per_row ? empty({n}, self.dtype(), self.device()) : empty({}, self.dtype(), self.device());
  Tensor total = empty({}, self.dtype(), self.device());
  if (out.is_meta()) return {{out, total}};
  const Tensor x = dense(self), t = dense_as(target, Dtype::int64), w = dense_as(weight, self.dtype());
  dispatch_floating(self.dtype(), "nll_loss_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const T* data = x.data<T>();
    const int64_t* index = t.data<int64_t>();
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (!is_target_counted(index[i], ignore_index, classes)) {
        if (per_row) out.data<T>()[i] = T(C(0));
        continue;
      }
      const C scale = w.defined() ? C(w.template data<T>()[index[i]]) : C(1);
      const C loss = -C(data[i * classes + index[i]]) * scale;
      if (per_row) out.data<T>()[i] = T(loss);
      sum += loss;
      weights += scale;
    }
    if (!per_row) *out.data<T>() = reduced_loss<T>(sum, weights, reduction);
    *total.data<T>() = T(C(per_row ? 0 : weights));
  });
  return {{out, total}};
};

// vmap: computes the losses of all rows at once; then reduces each batch entry, and divides its mean by the weights of its own targets.
void batch_nll_loss(const BatchCall& c) {
  const Tensor &all = c.tensor(0), &targets = c.tensor(1);
  const int64_t rank = all.dim(), classes = rank ? all.size(-1) : 0, reduction = c.integer(3), ignored = c.integer(4);
  const bool is_row = rank == 1 && targets.dim() == 0;
  const bool is_rows = rank == 2 && targets.dim() == 1 && all.size(0) == targets.size(0);
  if (c.batch(2) || (!is_row && !is_rows)) return batch_looped(c);
  const Tensor& weight = c.tensor(2);
  const int64_t rows = is_row ? 1 : c.tensor(0).size(0);
  const Tensor target = op<"reshape">(c.expanded(1), IntList{c.size * rows});
  const Tensor self = op<"reshape">(c.expanded(0), IntList{c.size * rows, classes});
  const Tensor losses = op<"nll_loss_forward", Tensors<2>>(self, target, weight, 0, ignored)[0];
  const Tensor none = op<"new_zeros">(losses, IntList{c.size});
  if (reduction == 0) {
    c.set_result(0, is_row ? losses : op<"view">(losses, IntList{c.size, rows}));
    return c.set_result(1, none);
  }
  const Tensor is_ignored = op<"eq">(target, ignored);
  const Tensor classes_of = op<"masked_fill">(op<"to.dtype">(target, Dtype::int64), is_ignored, 0);
  Tensor weights = weight.defined() ? op<"index_select">(weight, 0, classes_of) : op<"new_ones">(losses, losses.sizes());
  weights = op<"masked_fill">(weights, is_ignored, 0);
  const Tensor total = op<"sum.dim_IntList">(op<"view">(weights, IntList{c.size, rows}), IntList{1});
  const Tensor sum = op<"sum.dim_IntList">(op<"view">(losses, IntList{c.size, rows}), IntList{1});
  c.set_result(0, reduction == nll_mean ? op<"div">(sum, total) : sum);
  c.set_result(1, total);
}

MT_OP(OpDef{
    .schema = {"nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor "
               "total_weight)"},
    .forms = internal,
    .doc = "Computes ``nll_loss``, and the sum of the weights that a mean divides by.",
    .rule = rule_after_check(refuse_target_on_other_device),
    .cpu = compute_nll_loss_forward,
    .npu = {"NLLLoss"},
    .meta = compute_nll_loss_forward,
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"target"> target, In<"weight"> weight, In<"reduction", int64_t> reduction,
                    In<"ignore_index", int64_t> ignore,
                    Out<"total_weight"> total) { return op<"nll_loss_backward">(g, self, target, weight, *reduction, *ignore, total); })},
    .grad_name = "NllLossBackward0",
    .batch = batch_nll_loss,
});

}  // namespace
}  // namespace mt
