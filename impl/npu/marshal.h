// Arguments of an aclnn operator: ACL's objects for tensors, numbers and lists, and the call through one generic signature.
#pragma once

#include <string>
#include <vector>

#include "core/scalar.h"
#include "dispatch/value.h"
#include "npu/runtime.h"

namespace mt::npu {

int32_t type_of(Dtype dtype);  // ACL's number; raises for dtypes that ACL lacks

// The words and real numbers of one call, with the objects that they refer to.
class Arguments {
 public:
  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments();

  void add_word(int64_t word) { words_.push_back(word); }
  void add_real(double value, bool as_single);
  void add_tensor(const Tensor& tensor);  // undefined: NULL
  void add_tensors(TensorList tensors);   // undefined elements: NULL
  void add_scalar(const Scalar& value);
  void add_scalar(const Scalar& value, Dtype dtype);
  void add_null() { words_.push_back(0); }
  // Adds a value whose type alone determines its form; throws a std::string for types without one.
  void add(const Value& value, bool as_single);

  int64_t count() const { return int64_t(words_.size()); }
  // The sizes that the device chose for the tensor added as this word. Valid only after the operator has finished.
  Dims sizes_of(int64_t word) const;

  // Queries and allocates the workspace, and runs the operator on the current stream.
  void run(const char* name, int device);

 private:
  struct Object {
    enum class Kind : int8_t { tensor, tensors, scalar, scalars, ints, floats, bools } kind;
    const void* object;
  };
  template <class T>
  void add_object(Object::Kind kind, T* object, const char* maker);
  aclTensor* make_tensor(const Tensor& tensor);
  aclScalar* make_scalar(const Scalar& value, Dtype dtype);

  std::vector<int64_t> words_;
  std::vector<double> reals_;
  std::vector<Object> objects_;
  std::vector<std::string> strings_;
};

}  // namespace mt::npu
