// How an operator treats an out= that does not fit, if it differs from its family.
#pragma once

#include "core/error.h"

namespace mt {

// How an operator treats a given out= tensor. Unless a field says otherwise, it refuses every dtype but the result's, and leaves a tensor
// that it resizes contiguous. Messages name the result's dtype or device as {0}, that of out= as {1}.
struct OutPolicy {
  const char* dtype_error = nullptr;       // torch's message for another dtype, if this operator has its own
  const char* device_error = nullptr;      // torch's message for another device
  const char* recorded_as = nullptr;       // the operator that autograd's error names when out= requires grad
  ErrorKind dtype_error_kind = ErrorKind::runtime;
  bool dtype_error_if_uncastable = false;  // dtype_error is for dtypes that the result does not cast to; others get the common message
  bool casts = false;                      // writes to any dtype that the result casts to
  bool keeps_shape = false;                // a factory's out= with the right number of elements keeps its shape
  bool takes_strides = false;              // a resized out= gets the strides of the result
  bool takes_strides_if_empty = false;     // likewise, if it had no elements
  bool refused_inside = false;             // an operator inside is called with out=, and raises autograd's error itself
  bool refuses_overlap = false;            // out= must not share memory with an input, or with a tensor of a list
};
// A value of recorded_as: autograd refuses out= with the error of an in-place write to a leaf.
inline constexpr char written_as_leaf[] = "";
inline constexpr char out_device_differs[] = "Expected out tensor to have device {}, but got {} instead";

}  // namespace mt
