// Shared by stft and istft: their window, and how their errors print the arguments.
#pragma once

#include <string>

#include "core/exception.h"
#include "rules/form/algebra.h"
#include "rules/form/type_text.h"

namespace mt {

inline std::string window_text(const Tensor& window) {
  return window.defined() ? tensor_type_text(window) + "{" + text("{}", window.sizes()) + "}" : "None";
}
template <class T>
std::string optional_text(const std::optional<T>& v) {
  return v ? std::to_string(int64_t(*v)) : "None";
}
// The window centred in n_fft elements. Without a window that would be all ones, returns an undefined tensor.
inline Tensor padded_window(const Tensor& window, int64_t length, int64_t n_fft, const Tensor& like) {
  if (length == n_fft) return window;
  const Tensor w = window.defined() ? window : op<"ones">(IntList{length}, like.dtype(), nullptr, like.device());
  const int64_t left = (n_fft - length) / 2;
  return op<"constant_pad_nd">(w, IntList{left, n_fft - length - left}, 0);
}

}  // namespace mt
