// Reflection and replication padding: checks, kernels, gradients.
#pragma once

#include "rules/form/rule.h"

namespace mt {

enum class Border : int8_t { reflect, replicate };

// `pad` counts from the last dimension, before and after; `rank` dimensions are padded. Negative values crop.
void infer_border(Specs& out, const Tensor& self, IntList pad, Border border, int rank);
void pad_border(const Tensor& self, IntList pad, Border border, int rank, const Tensor& out);
void infer_border_backward(Specs& out, const Tensor& grad, const Tensor& self, IntList pad, Border border, int rank);
void pad_border_backward(const Tensor& grad, IntList pad, Border border, int rank, const Tensor& grad_input);

template <Border B, int Rank>
inline constexpr auto border_shape = [](Specs& out, const Tensor& self, IntList pad) { infer_border(out, self, pad, B, Rank); };
template <Border B, int Rank>
inline constexpr auto border_values = [](const Tensor& self, IntList pad, Tensor& out) { pad_border(self, pad, B, Rank, out); };
template <Border B, int Rank>
inline constexpr auto border_backward_shape =
    [](Specs& out, const Tensor& grad, const Tensor& self, IntList pad) { infer_border_backward(out, grad, self, pad, B, Rank); };
template <Border B, int Rank>
inline constexpr auto border_backward_values =
    [](const Tensor& grad, const Tensor&, IntList pad, Tensor& grad_input) { pad_border_backward(grad, pad, B, Rank, grad_input); };

}  // namespace mt
