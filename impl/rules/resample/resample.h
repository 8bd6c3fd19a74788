// Resampling of spatial dimensions: the arguments, checks and memory formats of the upsample family.
#pragma once

#include "cpu/resample/resample_taps.h"
#include "rules/form/rule.h"

namespace mt {

using cpu::Filter, cpu::is_nearest, cpu::is_antialiased;

// Reads the arguments of an upsample operator and of its backward from the call: their lists differ only in align_corners (absent for
// nearest), input_size (only in the backward) and the number of scales.
void infer_resampled(Specs& out, const Call& call, Filter filter, int rank);
void resample(Tensor& out, const Call& call, Filter filter, int rank);
void infer_resample_backward(Specs& out, const Call& call, Filter filter, int rank);
void resample_backward(Tensor& grad_input, const Call& call, Filter filter, int rank);

template <Filter F, int Rank>
inline constexpr auto resampled_shape = [](Specs& out, const Call& call) { infer_resampled(out, call, F, Rank); };
template <Filter F, int Rank>
inline constexpr auto resampled_values = [](Tensor& out, const Call& call) { resample(out, call, F, Rank); };
template <Filter F, int Rank>
inline constexpr auto resample_backward_shape = [](Specs& out, const Call& call) { infer_resample_backward(out, call, F, Rank); };
template <Filter F, int Rank>
inline constexpr auto resample_backward_values = [](Tensor& out, const Call& call) { resample_backward(out, call, F, Rank); };

// Averages over windows that divide the last `n` dimensions evenly, and its gradient. Contiguous tensors of a half type.
void window_means(const Tensor& in, const Tensor& out, int64_t n);
void window_means_backward(const Tensor& grad, const Tensor& out, int64_t n);

// The output sizes for the `.vec` overloads: given, or from a scale.
Dims resolve_sizes(const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales);
inline std::optional<double> scale_at(const std::optional<List<double>>& scales, int64_t i) {
  return scales ? std::optional<double>((*scales)[i]) : std::nullopt;
}

}  // namespace mt
