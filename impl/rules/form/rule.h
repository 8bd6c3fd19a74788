// Rules: how the results of a family of operators are shaped, allocated, checked and written, in every form.
#pragma once

#include "definition/op.h"

namespace mt {

// The description of a result, before its memory is allocated.
struct OutputSpec {
  Dims sizes;
  Dims strides;
  bool strided = false;  // `strides` are set; otherwise contiguous
  Dtype dtype = Dtype::none;
  Device device;
};
struct Specs {
  OutputSpec items[8];
  int count = 0;
  // Adds the specification of the next result. The device defaults to that of the first tensor argument.
  void add(IntList sizes, Dtype dtype) {
    OutputSpec& s = items[count++];
    s.sizes = sizes;
    s.dtype = dtype;
    s.device.type = DeviceType(-1);
  }
  void add(IntList sizes, Dtype dtype, Device device) {
    add(sizes, dtype);
    items[count - 1].device = device;
  }
  void add_strided(IntList sizes, IntList strides, Dtype dtype) {
    add(sizes, dtype);
    items[count - 1].strides = strides;
    items[count - 1].strided = true;
  }
};

// A rule from a function that describes the results: structured([](Specs& out, const Tensor& self, int64_t dim) { ... }). The kernel then
// gets the arguments and a `Tensor&` for each result, newly allocated, contiguous unless the specs say otherwise.
const Rule* structured_rule(BoxedKernel infer);
template <class F>
const Rule* structured(F f) {
  return structured_rule(BoxedKernel(f));
}

namespace detail {
template <>
struct Param<Specs&> {
  static constexpr bool is_output = true;
  static Specs& get_parameter(const Call& c, int, int) { return *reinterpret_cast<Specs*>(c.rets); }
};
}  // namespace detail

// ---- for rules and for operators that write results themselves ----

// Resizes `result` to `sizes` as out= does, with torch's warning if it had elements of another shape. Returns whether it was resized.
bool resize_output(const Tensor& result, IntList sizes);
// Refuses results that overlap themselves, or partly overlap an input, with torch's error messages.
void check_no_internal_overlap(const Tensor& result);
void check_no_partial_overlap(const Tensor& result, const Tensor& input);
bool share_memory(const Tensor& a, const Tensor& b);
// Raises "result type Float can't be cast to the desired output type Long" and the like.
void check_result_cast(Dtype from, Dtype to);
// Stores `source` into `target` with dtype conversion, below the dispatcher: for an operator's own result.
void copy_into(const Tensor& target, const Tensor& source);
// Stores a finished result in an out= of any shape, without a warning about resizing; refuses one that overlaps itself.
void store_result(const Tensor& out, const Tensor& made);

// Installs slots for a definition without a rule: kernel, view, composite body, and in-place and out forms derived from the functional
// one. `write`, if given, is the in-place form on the CPU and for meta tensors.
void install_without_rule(Operator& op, KernelFn write = nullptr);

}  // namespace mt
