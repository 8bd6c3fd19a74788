// A header-only C++11 layer over the C ABI: RAII handles, statuses as exceptions, operators by name.
#ifndef MINDTORCH_MINDTORCH_HPP_
#define MINDTORCH_MINDTORCH_HPP_

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mindtorch.h"

namespace mindtorch {

// A status that was not NULL. `kind` is Python's name for it ("ValueError"). All copies share the status.
class Error : public std::runtime_error {
 public:
  explicit Error(mt_status* status)
      : std::runtime_error(mt_status_message(status)), status_(status, mt_status_release), kind_(mt_status_kind(status)) {}
  const std::string& kind() const { return kind_; }
  int32_t code() const { return mt_status_code(status_.get()); }
  int32_t kind_code() const { return mt_status_kind_code(status_.get()); }  // MT_KIND_VALUE_ERROR
  const mt_status* status() const { return status_.get(); }

 private:
  std::shared_ptr<mt_status> status_;
  std::string kind_;
};

inline void check(mt_status* status) {
  if (status != nullptr) throw Error(status);
}

// The element dtype of a C++ type.
template <class T>
struct DtypeOf;
template <>
struct DtypeOf<float> {
  static const int32_t value = MT_FLOAT32;
};
template <>
struct DtypeOf<double> {
  static const int32_t value = MT_FLOAT64;
};
template <>
struct DtypeOf<uint8_t> {
  static const int32_t value = MT_UINT8;
};
template <>
struct DtypeOf<int8_t> {
  static const int32_t value = MT_INT8;
};
template <>
struct DtypeOf<int16_t> {
  static const int32_t value = MT_INT16;
};
template <>
struct DtypeOf<int32_t> {
  static const int32_t value = MT_INT32;
};
template <>
struct DtypeOf<int64_t> {
  static const int32_t value = MT_INT64;
};
template <>
struct DtypeOf<std::complex<float>> {
  static const int32_t value = MT_COMPLEX64;
};
template <>
struct DtypeOf<std::complex<double>> {
  static const int32_t value = MT_COMPLEX128;
};

using Sizes = std::vector<int64_t>;

inline mt_device cpu() {
  mt_device device;
  device.type = MT_CPU;
  device.index = -1;
  return device;
}

// A counted reference to a tensor; a copy shares the tensor. A default-constructed one is undefined.
class Tensor {
 public:
  Tensor() : handle_(nullptr) {}
  Tensor(const Tensor& other) : handle_(other.handle_) { mt_tensor_retain(handle_); }
  Tensor(Tensor&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Tensor& operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { mt_tensor_release(handle_); }

  // Takes ownership of the caller's reference.
  static Tensor own(mt_tensor* handle) {
    Tensor tensor;
    tensor.handle_ = handle;
    return tensor;
  }
  // Adds a reference to a borrowed handle.
  static Tensor share(mt_tensor* handle) {
    mt_tensor_retain(handle);
    return own(handle);
  }

  static Tensor empty(const Sizes& sizes, int32_t dtype = MT_FLOAT32, mt_device device = cpu()) {
    mt_tensor* out = nullptr;
    check(mt_tensor_empty(sizes.data(), static_cast<int64_t>(sizes.size()), dtype, device, &out));
    return own(out);
  }
  // Copies the elements; their count must be the product of the sizes.
  template <class T>
  static Tensor from(const std::vector<T>& elements, const Sizes& sizes) {
    int64_t count = 1;
    for (int64_t size : sizes) count *= size;
    if (count != static_cast<int64_t>(elements.size())) throw std::invalid_argument("sizes do not fit the number of elements");
    mt_tensor* out = nullptr;
    check(mt_tensor_from_copy(elements.data(), sizes.data(), static_cast<int64_t>(sizes.size()), DtypeOf<T>::value, &out));
    return own(out);
  }

  mt_tensor* handle() const { return handle_; }
  bool defined() const { return handle_ != nullptr; }

  mt_tensor_info info() const {
    mt_tensor_info out = mt_tensor_info();
    out.struct_size = sizeof(out);
    check(mt_tensor_get_info(handle_, &out));
    return out;
  }
  Sizes sizes() const {
    const mt_tensor_info about = info();
    return Sizes(about.sizes, about.sizes + about.ndim);
  }
  int64_t numel() const { return info().numel; }
  int32_t dtype() const { return info().dtype; }
  bool requires_grad() const { return (info().flags & MT_TENSOR_REQUIRES_GRAD) != 0; }

  // The elements in memory order; T must be the element type.
  template <class T>
  T* data() const {
    void* out = nullptr;
    check(mt_tensor_data(handle_, &out));
    return static_cast<T*>(out);
  }
  // The only element, as double, another number type, or std::complex<double>. std::invalid_argument if a complex number is read as a
  // real one, std::out_of_range if an integer does not fit in T.
  double item() const { return item<double>(); }
  template <class T>
  T item() const {
    mt_value number = mt_value();
    check(mt_tensor_item(handle_, &number));
    return Reader<T>::read(number);
  }

  // Exports to DLPack: a DLManagedTensorVersioned, or with versioned = false a DLManagedTensor; the consumer calls its deleter once.
  void* to_dlpack(bool versioned = true, bool copy = false) const {
    void* out = nullptr;
    check(mt_tensor_to_dlpack(handle_, versioned, copy, &out));
    return out;
  }
  // Imports a DLPack struct and takes ownership of it, unless it throws.
  static Tensor from_dlpack(void* managed, bool versioned = true) {
    mt_tensor* out = nullptr;
    check(mt_tensor_from_dlpack(managed, versioned, &out));
    return own(out);
  }

  Tensor& requires_grad_(bool on = true) {
    check(mt_tensor_set_requires_grad(handle_, on));
    return *this;
  }
  // Returns .grad; an undefined tensor if there is none.
  Tensor grad() const {
    mt_tensor* out = nullptr;
    check(mt_tensor_grad(handle_, &out));
    return own(out);
  }
  void clear_grad() { check(mt_tensor_set_grad(handle_, nullptr)); }
  void backward(const Tensor& gradient = Tensor(), bool retain_graph = false, bool create_graph = false) const {
    mt_tensor* seed = gradient.handle_;
    check(mt_autograd_backward(&handle_, &seed, 1, retain_graph, create_graph, nullptr, 0));
  }

  inline Tensor operator-() const;

 private:
  template <class T>
  struct Reader {
    static T read(const mt_value& number) {
      switch (number.tag) {
        case MT_TAG_COMPLEX: throw std::invalid_argument("the element is complex");
        case MT_TAG_DOUBLE: return static_cast<T>(number.as.d);
        default: return integer(number, std::integral_constant<bool, std::is_integral<T>::value && !std::is_same<T, bool>::value>());
      }
    }
    static T integer(const mt_value& number, std::false_type) {
      return (number.flags & MT_FLAG_UNSIGNED) != 0 ? static_cast<T>(static_cast<uint64_t>(number.as.i)) : static_cast<T>(number.as.i);
    }
    static T integer(const mt_value& number, std::true_type) {
      const bool is_large = (number.flags & MT_FLAG_UNSIGNED) != 0 && number.as.i < 0;
      const bool is_negative = number.as.i < 0 && !is_large;
      const uint64_t most = static_cast<uint64_t>((std::numeric_limits<T>::max)());
      const bool fits = is_negative ? std::is_signed<T>::value && number.as.i >= static_cast<int64_t>((std::numeric_limits<T>::min)())
                                    : static_cast<uint64_t>(number.as.i) <= most;
      if (!fits) throw std::out_of_range("the element does not fit in the type");
      return static_cast<T>(number.as.i);
    }
  };
  template <class R>
  struct Reader<std::complex<R>> {
    static std::complex<R> read(const mt_value& number) {
      if (number.tag == MT_TAG_COMPLEX) return std::complex<R>(static_cast<R>(number.as.c[0]), static_cast<R>(number.as.c[1]));
      return std::complex<R>(Reader<R>::read(number));
    }
  };

  mt_tensor* handle_;
};

// A boxed argument or result, with implicit conversions from every argument type of operators.
class Value {
 public:
  Value() : raw_(tagged(MT_TAG_NONE)) {}
  // Accepts bool only: a parameter of type bool would also accept pointers.
  template <class T, typename std::enable_if<std::is_same<T, bool>::value, int>::type = 0>
  Value(T on) : raw_(tagged(MT_TAG_BOOL)) {
    raw_.as.i = on;
  }
  template <class T, typename std::enable_if<(std::is_integral<T>::value && !std::is_same<T, bool>::value) ||
                                                 (std::is_enum<T>::value && std::is_convertible<T, int64_t>::value),
                                             int>::type = 0>
  Value(T number) : raw_(tagged(MT_TAG_INT)) {
    raw_.as.i = static_cast<int64_t>(number);
    if (number > 0 && raw_.as.i < 0) raw_.flags = MT_FLAG_UNSIGNED;
  }
  Value(std::complex<double> number) : raw_(tagged(MT_TAG_COMPLEX)) {
    raw_.as.c[0] = number.real();
    raw_.as.c[1] = number.imag();
  }
  Value(std::complex<float> number) : Value(std::complex<double>(number)) {}
  Value(double number) : raw_(tagged(MT_TAG_DOUBLE)) { raw_.as.d = number; }
  Value(const Tensor& tensor) : raw_(tagged(tensor.defined() ? MT_TAG_TENSOR : MT_TAG_NONE)) {
    raw_.as.tensor = tensor.handle();
    keep_ = std::make_shared<Tensor>(tensor);
  }
  Value(const Sizes& numbers) : raw_(tagged(MT_TAG_INTS)) { hold(std::make_shared<Sizes>(numbers)); }
  template <class T, typename std::enable_if<std::is_integral<T>::value && !std::is_same<T, bool>::value, int>::type = 0>
  Value(const std::vector<T>& numbers) : Value(Sizes(numbers.begin(), numbers.end())) {}
  Value(const std::vector<double>& numbers) : raw_(tagged(MT_TAG_DOUBLES)) { hold(std::make_shared<std::vector<double>>(numbers)); }
  Value(const std::vector<Tensor>& tensors) : raw_(tagged(MT_TAG_TENSORS)) {
    auto lists = std::make_shared<std::pair<std::vector<Tensor>, std::vector<mt_tensor*>>>();
    lists->first = tensors;
    for (const Tensor& tensor : tensors) lists->second.push_back(tensor.handle());
    raw_.as.list.data = lists->second.data();
    raw_.as.list.size = static_cast<int64_t>(lists->second.size());
    keep_ = lists;
  }
  Value(const std::string& text) : raw_(tagged(MT_TAG_STRING)) {
    auto copy = std::make_shared<std::string>(text);
    raw_.as.string.data = copy->data();
    raw_.as.string.size = static_cast<int64_t>(copy->size());
    keep_ = copy;
  }
  Value(const char* text) : Value(std::string(text)) {}

  static Value left_out() { return Value(tagged(MT_TAG_DEFAULT), 0); }
  static Value dtype(int32_t dtype) { return Value(tagged(MT_TAG_DTYPE), dtype); }
  static Value memory_format(int32_t format) { return Value(tagged(MT_TAG_MEMORY_FORMAT), format); }
  static Value device(mt_device device) {
    Value value(tagged(MT_TAG_DEVICE), 0);
    value.raw_.as.device = device;
    return value;
  }
  // Takes ownership of a result.
  static Value own(const mt_value& result) {
    Value value;
    value.raw_ = result;
    value.keep_ = std::shared_ptr<mt_value>(new mt_value(result), [](mt_value* held) {
      mt_value_clear(held);
      delete held;
    });
    return value;
  }

  const mt_value& raw() const { return raw_; }
  Tensor tensor() const {
    if (raw_.tag == MT_TAG_NONE) return Tensor();
    expect(MT_TAG_TENSOR);
    return Tensor::share(raw_.as.tensor);
  }
  std::vector<Tensor> tensors() const {
    expect(MT_TAG_TENSORS);
    std::vector<Tensor> out;
    mt_tensor* const* handles = static_cast<mt_tensor* const*>(raw_.as.list.data);
    for (int64_t i = 0; i < raw_.as.list.size; ++i) out.push_back(Tensor::share(handles[i]));
    return out;
  }
  int64_t to_int() const { return expect(MT_TAG_INT).as.i; }
  bool to_bool() const { return expect(MT_TAG_BOOL).as.i != 0; }
  double to_double() const { return expect(MT_TAG_DOUBLE).as.d; }
  std::complex<double> to_complex() const { return std::complex<double>(expect(MT_TAG_COMPLEX).as.c[0], raw_.as.c[1]); }

 private:
  Value(mt_value raw, int64_t number) : raw_(raw) { raw_.as.i = number; }
  static mt_value tagged(int32_t tag) {
    mt_value value = mt_value();
    value.tag = tag;
    return value;
  }
  template <class List>
  void hold(std::shared_ptr<List> list) {
    raw_.as.list.data = list->data();
    raw_.as.list.size = static_cast<int64_t>(list->size());
    keep_ = list;
  }
  const mt_value& expect(int32_t tag) const {
    if (raw_.tag != tag) throw std::invalid_argument("the value has tag " + std::to_string(raw_.tag) + ", not " + std::to_string(tag));
    return raw_;
  }

  mt_value raw_;
  std::shared_ptr<void> keep_;
};

// An argument by name: {"dim", 1}.
struct Named {
  const char* name;
  Value value;
};

// An operator, looked up once: `static const Op add("add", "Tensor"); Tensor c = add({a, b});`
class Op {
 public:
  explicit Op(const char* name, const char* overload = "") : op_(nullptr), results_(0) {
    check(mt_op_find(name, overload, &op_));
    mt_op_info about = mt_op_info();
    about.struct_size = sizeof(about);
    check(mt_op_get_info(op_, &about));
    results_ = about.n_returns;
  }

  // Calls the operator and returns all results; omitted trailing arguments get their defaults.
  std::vector<Value> all(std::initializer_list<Value> args, std::initializer_list<Named> named = {}) const {
    std::vector<mt_value> raw, raw_named;
    std::vector<const char*> names;
    for (const Value& arg : args) raw.push_back(arg.raw());
    for (const Named& arg : named) {
      names.push_back(arg.name);
      raw_named.push_back(arg.value.raw());
    }
    std::vector<mt_value> rets(static_cast<size_t>(results_) + 1);
    int64_t count = 0;
    const int64_t n = static_cast<int64_t>(raw.size()), n_named = static_cast<int64_t>(names.size());
    check(names.empty() ? mt_op_call(op_, raw.data(), n, rets.data(), results_, &count)
                        : mt_op_call_named(op_, raw.data(), n, names.data(), raw_named.data(), n_named, rets.data(), results_, &count));
    std::vector<Value> out;
    for (int64_t i = 0; i < count; ++i) out.push_back(Value::own(rets[static_cast<size_t>(i)]));
    return out;
  }
  // Calls the operator and returns its first result as a tensor.
  Tensor operator()(std::initializer_list<Value> args, std::initializer_list<Named> named = {}) const {
    return all(args, named).at(0).tensor();
  }
  const mt_op* handle() const { return op_; }

 private:
  const mt_op* op_;
  int32_t results_;
};

inline Tensor call(const char* name, const char* overload, std::initializer_list<Value> args) { return Op(name, overload)(args); }
inline Tensor call(const char* name, std::initializer_list<Value> args) { return Op(name)(args); }
// Calls an operator with arguments by name: call_named("softmax", "int", {x}, {{"dim", -1}}).
inline Tensor call_named(const char* name, const char* overload, std::initializer_list<Value> args, std::initializer_list<Named> named) {
  return Op(name, overload)(args, named);
}

inline Tensor operator+(const Tensor& a, const Tensor& b) { return call("add", "Tensor", {a, b}); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return call("sub", "Tensor", {a, b}); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return call("mul", "Tensor", {a, b}); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return call("div", "Tensor", {a, b}); }
// The Scalar overloads keep a number's kind: adding an int to an integer tensor does not make it a floating one.
inline Tensor operator+(const Tensor& a, const Value& b) { return call("add", "Scalar", {a, b}); }
inline Tensor operator-(const Tensor& a, const Value& b) { return call("sub", "Scalar", {a, b}); }
inline Tensor operator*(const Tensor& a, const Value& b) { return call("mul", "Scalar", {a, b}); }
inline Tensor operator/(const Tensor& a, const Value& b) { return call("div", "Scalar", {a, b}); }
inline Tensor operator+(const Value& a, const Tensor& b) { return b + a; }
inline Tensor operator-(const Value& a, const Tensor& b) { return call("rsub", "Scalar", {b, a}); }
inline Tensor operator*(const Value& a, const Tensor& b) { return b * a; }
inline Tensor operator/(const Value& a, const Tensor& b) { return call("reciprocal", {b}) * a; }
inline Tensor Tensor::operator-() const { return call("neg", {*this}); }

namespace detail {

inline void print(std::ostream& out, const Tensor& tensor) {
  const Sizes sizes = tensor.sizes();
  if (sizes.empty()) {
    mt_value number = mt_value();
    check(mt_tensor_item(tensor.handle(), &number));
    switch (number.tag) {
      case MT_TAG_BOOL: out << (number.as.i != 0 ? "true" : "false"); break;
      case MT_TAG_DOUBLE: out << number.as.d; break;
      case MT_TAG_COMPLEX: out << std::complex<double>(number.as.c[0], number.as.c[1]); break;
      default:
        if ((number.flags & MT_FLAG_UNSIGNED) != 0)
          out << static_cast<uint64_t>(number.as.i);
        else
          out << number.as.i;
    }
    return;
  }
  out << '[';
  for (int64_t i = 0; i < sizes[0]; ++i) {
    if (i > 0) out << ", ";
    print(out, call("select", "int", {tensor, 0, i}));
  }
  out << ']';
}

}  // namespace detail

// Prints elements in nested brackets; for more than 1,000 elements only the sizes.
inline std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "undefined tensor";
  if (tensor.numel() <= 1000) {
    detail::print(out, tensor);
    return out;
  }
  out << "tensor of sizes (";
  const Sizes sizes = tensor.sizes();
  for (size_t i = 0; i < sizes.size(); ++i) out << (i > 0 ? ", " : "") << sizes[i];
  return out << ')';
}

// Returns gradients of the sum of `roots` with respect to `inputs`; changes no .grad().
inline std::vector<Tensor> grad(const std::vector<Tensor>& roots, const std::vector<Tensor>& inputs, bool retain_graph = false,
                                bool create_graph = false) {
  std::vector<mt_tensor*> from, to, out(inputs.size());
  for (const Tensor& root : roots) from.push_back(root.handle());
  for (const Tensor& input : inputs) to.push_back(input.handle());
  check(mt_autograd_grad(from.data(), nullptr, static_cast<int64_t>(from.size()), to.data(), static_cast<int64_t>(to.size()), retain_graph,
                         create_graph, 0, out.data()));
  std::vector<Tensor> gradients;
  for (mt_tensor* handle : out) gradients.push_back(Tensor::own(handle));
  return gradients;
}

// A scope in which autograd records nothing on this thread.
class NoGrad {
 public:
  NoGrad() : before_(1) {
    check(mt_mode_get(MT_MODE_GRAD, &before_));
    check(mt_mode_set(MT_MODE_GRAD, 0));
  }
  ~NoGrad() { mt_status_release(mt_mode_set(MT_MODE_GRAD, before_)); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  int32_t before_;
};

// Seeds the CPU's generator.
inline void manual_seed(uint64_t seed) {
  mt_generator* generator = nullptr;
  check(mt_generator_default(&generator));
  mt_status* status = mt_generator_seed(generator, seed);
  mt_generator_release(generator);
  check(status);
}

}  // namespace mindtorch

#endif
