// The parts of the package: Octave's values for operators, tensors as a type of Octave's, and what `torch` has besides operators.
#pragma once

#include <octave/Cell.h>
#include <octave/interpreter.h>
#include <octave/oct.h>
#include <octave/ov-base.h>
#include <octave/ov-typeinfo.h>

#include <string>
#include <vector>

#include "support.h"

namespace mindtorch_octave {

using mindtorch::Tensor;
using mindtorch_swig::fail;
using mindtorch_swig::Values;

// Runs C++; an error of the library becomes Octave's, with an identifier such as MindTorch:IndexError. Octave's own errors pass.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  std::string kind, message;
  try {
    return work();
  } catch (const mindtorch::Error& error) {
    kind = error.kind();
    message = error.what();
  } catch (const std::out_of_range& error) {
    kind = "IndexError";
    message = error.what();
  } catch (const std::logic_error& error) {
    kind = "RuntimeError";
    message = error.what();
  }
  error_with_id(("MindTorch:" + kind).c_str(), "%s", message.c_str());
}

// ---- values (convert.cpp) ----

octave_value wrap(const Tensor& tensor);  // [] without a tensor
bool is_tensor(const octave_value& value);
Tensor tensor_of(const octave_value& value);  // TypeError if it is none

// Whether a value is a single number, of any class: Octave stores numbers as 1x1 matrices.
bool is_number(const octave_value& value);
void box(const octave_value& value, Values& values);
octave_value unbox(const mindtorch::Value& value);

// Boxes an operator's arguments, beginning with the one at `first`. Keyword arguments come last, as names and values in turn or as a
// struct.
void box_arguments(const std::string& name, const octave_value_list& given, int first, Values& values);
octave_value_list call_operator(const std::string& name, const std::string& overload, const Values& values, int nargout);

int32_t dtype_named(const std::string& name);
// Makes a tensor with the array's sizes; a single number becomes a 0-dim tensor. A dtype of "" means that of the array's class.
Tensor from_array(const octave_value& value, const std::string& dtype);
// Copies the elements to an Octave array of the class that corresponds to the dtype.
octave_value to_array(const Tensor& tensor);
octave_value to_doubles(const Tensor& tensor);
dim_vector dims_of(const Tensor& tensor);
// Returns the tensor with its dimensions in reverse order: in Octave's memory the first dimension is the innermost.
Tensor reverse_dims(const Tensor& tensor);

// ---- indices, which count from 1 (index.cpp) ----

Tensor select_by_index(const Tensor& tensor, const octave_value_list& indices);
void assign_part(const Tensor& tensor, const octave_value_list& indices, const octave_value& value);

// ---- types (tensor.cpp, torch.cpp) ----

class octave_tensor : public octave_base_value {
 public:
  octave_tensor() = default;
  explicit octave_tensor(const Tensor& tensor) : tensor_(tensor) {}
  const Tensor& tensor() const { return tensor_; }

  octave_base_value* clone() const override { return new octave_tensor(tensor_); }
  octave_base_value* empty_clone() const override { return new octave_tensor(); }
  bool is_defined() const override { return true; }
  bool is_constant() const override { return true; }
  bool is_storable() const override { return false; }
  bool isobject() const override { return true; }  // so that a method gets its arguments with its name
  bool is_true() const override;
  dim_vector dims() const override { return dims_of(tensor_); }
  // Octave must treat a tensor as one object, so that properties can be set; programs get the number of elements from @Tensor/numel.
  octave_idx_type numel() const override { return 1; }
  octave_idx_type xnumel(const octave_value_list&) override { return 1; }

  octave_value subsref(const std::string& type, const std::list<octave_value_list>& index) override;
  octave_value_list subsref(const std::string& type, const std::list<octave_value_list>& index, int nargout) override;
  octave_value subsasgn(const std::string& type, const std::list<octave_value_list>& index, const octave_value& value) override;

  octave_value map(unary_mapper_t function) const override;
  octave_value as_double() const override;
  octave_value as_single() const override { return elements().as_single(); }
  octave_value as_int8() const override { return elements().as_int8(); }
  octave_value as_int16() const override { return elements().as_int16(); }
  octave_value as_int32() const override { return elements().as_int32(); }
  octave_value as_int64() const override { return elements().as_int64(); }
  octave_value as_uint8() const override { return elements().as_uint8(); }
  octave_value as_uint16() const override { return elements().as_uint16(); }
  octave_value as_uint32() const override { return elements().as_uint32(); }
  octave_value as_uint64() const override { return elements().as_uint64(); }
  double double_value(bool = false) const override { return elements().double_value(true); }
  NDArray array_value(bool = false) const override { return elements().array_value(true); }
  Matrix matrix_value(bool = false) const override { return elements().matrix_value(true); }
  boolNDArray bool_array_value(bool = false) const override { return elements().bool_array_value(true); }
  octave::idx_vector index_vector(bool require_integers = false) const override { return elements().index_vector(require_integers); }

  void print(std::ostream& os, bool pr_as_read_syntax = false) override;
  void print_raw(std::ostream& os, bool pr_as_read_syntax = false) const override;

 private:
  octave_value elements() const;
  Tensor tensor_;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

// Arithmetic between tensors and every type that Octave has.
void install_operators(octave::type_info& types);

}  // namespace mindtorch_octave
