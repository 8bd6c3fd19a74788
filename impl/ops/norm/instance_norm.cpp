// instance_norm: normalises each channel of each sample, as batch normalisation of one sample with all channels.
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor repeat_if_defined(const Tensor& t, int64_t times) { return t.defined() ? op<"repeat">(t, IntList{times}) : t; }

MT_OP(OpDef{
    .schema = {"instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
               "bool use_input_stats, float momentum, "
               "float eps, bool cudnn_enabled) -> Tensor"},
    .forms = function,
    .doc = R"(Normalises each channel of each sample by its own statistics, or by the running ones.

y = (x - mean) / sqrt(var + eps) * weight + bias (Ulyanov et al., "Instance Normalization",
2016). With `use_input_stats` the running statistics, if given, are moved towards the means of
the samples' statistics.

Args:
    input (Tensor): ``(N, C, ...)``; floating.
    weight, bias (Tensor, optional): scale and shift of each channel, ``(C,)``.
    running_mean, running_var (Tensor, optional): running statistics of each channel, ``(C,)``.
    use_input_stats (bool): whether to use each sample's own statistics.
    momentum (float): the part of the new statistics in the moved ones.
    eps (float): what is added to the variance.
    cudnn_enabled (bool): without effect here.

Returns:
    Tensor: the shape and dtype of `input`.

Raises:
    RuntimeError: when running statistics are to be used but are not given.

Example:
    >>> x = torch.tensor([[[1.0, 3.0], [10.0, 30.0]]])
    >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 0.0, False)
    tensor([[[-1.,  1.],
             [-1.,  1.]]]))",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
                    bool use_input_stats, double momentum, double eps, bool cudnn) -> Tensor {
      check(use_input_stats || (mean.defined() && var.defined()),
            "Expected running_mean and running_var to be defined when use_input_stats is false");
      Dims shape(input.sizes());
      const int64_t channels = input.size(wrap_dim(1, input.dim())), samples = input.size(0);
      shape[0] = 1;
      shape[1] = samples * channels;
      // Statistics may have another dtype than the parameters; the mean's dtype counts.
      const Dtype dtype = weight.defined() ? weight.dtype() : input.dtype();
      const bool converts = mean.defined() && mean.dtype() != dtype;
      auto fitting = [&](const Tensor& t) { return converts && t.defined() ? op<"to.dtype">(t, dtype) : t; };
      const Tensor means = repeat_if_defined(fitting(mean), samples), vars = repeat_if_defined(fitting(var), samples);
      Tensor out = op<"batch_norm">(op<"view">(op<"contiguous">(input), shape), repeat_if_defined(weight, samples),
                                    repeat_if_defined(bias, samples), means, vars, use_input_stats, momentum, eps, cudnn);
      // Autograd must not record these writes.
      auto store = [&](const Tensor& target, const Tensor& all) {
        if (target.defined())
          op<"copy_">(op<"detach">(target), op<"mean.dim">(op<"view">(all, IntList{samples, channels}), IntList{0}, false));
      };
      store(mean, means);
      store(var, vars);
      return op<"view">(out, input.sizes());
    },
});

}  // namespace
}  // namespace mt
