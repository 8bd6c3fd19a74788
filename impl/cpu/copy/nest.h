// A loop nest over several operands of one shape: dimensions are ordered by memory and merged where possible.
#pragma once

#include <memory>
#include <type_traits>

#include "core/list.h"

namespace mt::cpu {

struct NestOperand {
  char* data;
  int64_t itemsize;
  Small<int64_t, 6> strides;  // bytes, one per dimension of the nest, innermost first
  bool linear = false;        // the element at position p is at data + p * itemsize
  bool constant = false;      // all strides are 0
};

// A borrowed callable `void(char* const* data, const int64_t* strides, int64_t n)`; it must outlive the call it is passed to.
class RunFunction {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, RunFunction>>>
  RunFunction(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, char* const* data, const int64_t* strides, int64_t n) {
          (*static_cast<std::remove_reference_t<F>*>(object))(data, strides, n);
        }) {}
  void operator()(char* const* data, const int64_t* strides, int64_t n) const { call_(object_, data, strides, n); }

 private:
  void* object_;
  void (*call_)(void*, char* const*, const int64_t*, int64_t);
};

class Nest {
 public:
  static constexpr int max_operands = 8;

  explicit Nest(IntList sizes) : shape_(sizes) {}
  // `strides` in elements, one per dimension of the shape, 0 for broadcast dimensions.
  void add(void* data, int64_t itemsize, IntList strides);
  // Adds an operand whose shape broadcasts to the nest's.
  void add_broadcast(void* data, int64_t itemsize, IntList sizes, IntList strides);
  // Orders dimensions so that the first operand's smallest strides are innermost, then merges.
  void finish();

  int64_t numel() const { return numel_; }
  int operands() const { return count_; }
  const NestOperand& operator[](int i) const { return operands_[i]; }
  IntList sizes() const { return sizes_; }

  // Calls f(data, strides, n) for each innermost run within positions [begin, end): pointers of all operands at the run's start,
  // innermost byte strides, and its length.
  void runs(int64_t begin, int64_t end, RunFunction f) const;

 private:
  Dims shape_;
  Small<int64_t, 6> sizes_;  // innermost first
  NestOperand operands_[max_operands];
  int count_ = 0;
  int64_t numel_ = 1;
};

// The order of dimensions by memory layout, innermost first, with the same result as torch's TensorIterator: by the strides of the
// operands in turn, ties by size. strides[k][d] in any unit; 0 where operand k is broadcast.
void order_dimensions(IntList sizes, const IntList* strides, int operands, Small<int64_t, 6>& order);

}  // namespace mt::cpu
