// Builds ACL's objects and calls functions through one generic signature.
#include "npu/marshal.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "npu/allocator.h"

namespace mt::npu {
namespace {

constexpr int max_words = 32, max_reals = 8;

// The C calling conventions of x86-64 and aarch64 Linux pass integers and pointers separately from floating-point numbers, each in order,
// and ignore extra arguments. So one variadic type can call every aclnn function.
using Entry = aclnnStatus (*)(int64_t, ...);

template <size_t... W, size_t... R>
aclnnStatus call_spread(Entry entry, const int64_t* words, const double* reals, std::index_sequence<W...>, std::index_sequence<R...>) {
  return entry(words[W]..., reals[R]...);
}
aclnnStatus call_entry(void* entry, const int64_t* words, const double* reals) {
  return call_spread(reinterpret_cast<Entry>(entry), words, reals, std::make_index_sequence<max_words>(),
                     std::make_index_sequence<max_reals>());
}

struct Functions {
  void* prepare = nullptr;
  aclnnStatus (*run)(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) = nullptr;
};
const Functions& functions_of(const char* name) {
  static std::mutex mutex;
  static auto* const known = new std::unordered_map<std::string, Functions>();
  std::lock_guard lock(mutex);
  auto [found, is_new] = known->try_emplace(name);
  if (is_new) {
    const std::string base = std::string("aclnn") + name;
    found->second.prepare = find_symbol((base + "GetWorkspaceSize").c_str());
    found->second.run = reinterpret_cast<decltype(Functions::run)>(find_symbol(base.c_str()));
  }
  return found->second;
}

}  // namespace

int32_t type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::uint8: return acl::type_uint8;
    case Dtype::int8: return acl::type_int8;
    case Dtype::int16: return acl::type_int16;
    case Dtype::int32: return acl::type_int32;
    case Dtype::int64: return acl::type_int64;
    case Dtype::float16: return acl::type_float16;
    case Dtype::float32: return acl::type_float;
    case Dtype::float64: return acl::type_double;
    case Dtype::complex32: return acl::type_complex32;
    case Dtype::complex64: return acl::type_complex64;
    case Dtype::complex128: return acl::type_complex128;
    case Dtype::boolean: return acl::type_bool;
    case Dtype::bfloat16: return acl::type_bfloat16;
    case Dtype::uint16: return acl::type_uint16;
    case Dtype::uint32: return acl::type_uint32;
    case Dtype::uint64: return acl::type_uint64;
    case Dtype::float8_e5m2: return acl::type_float8_e5m2;
    case Dtype::float8_e4m3fn: return acl::type_float8_e4m3fn;
    case Dtype::float8_e8m0fnu: return acl::type_float8_e8m0;
    default: fail(ErrorKind::not_implemented, "NPUs have no tensors of dtype {}", name_of(dtype));
  }
}

Arguments::~Arguments() {
  const Acl& a = acl();
  for (auto it = objects_.rbegin(); it != objects_.rend(); ++it) switch (it->kind) {
      case Object::Kind::tensor: a.aclDestroyTensor(static_cast<const aclTensor*>(it->object)); break;
      case Object::Kind::tensors: a.aclDestroyTensorList(static_cast<const aclTensorList*>(it->object)); break;
      case Object::Kind::scalar: a.aclDestroyScalar(static_cast<const aclScalar*>(it->object)); break;
      case Object::Kind::scalars: a.aclDestroyScalarList(static_cast<const aclScalarList*>(it->object)); break;
      case Object::Kind::ints: a.aclDestroyIntArray(static_cast<const aclIntArray*>(it->object)); break;
      case Object::Kind::floats: a.aclDestroyFloatArray(static_cast<const aclFloatArray*>(it->object)); break;
      case Object::Kind::bools: a.aclDestroyBoolArray(static_cast<const aclBoolArray*>(it->object)); break;
    }
}

template <class T>
void Arguments::add_object(Object::Kind kind, T* object, const char* maker) {
  check(object, "NPU error: {} gave no object", maker);
  objects_.push_back({kind, object});
  words_.push_back(reinterpret_cast<int64_t>(object));
}

aclTensor* Arguments::make_tensor(const Tensor& t) {
  if (is_shrunk(*t->storage)) check_within_storage(*t);
  const int64_t room = t.itemsize() ? t->storage->nbytes / t.itemsize() : 0;
  aclTensor* made = acl().aclCreateTensor(t.sizes().data, uint64_t(t.dim()), type_of(t.dtype()), t.strides().data, t.storage_offset(),
                                          acl::format_nd, &room, 1, t->storage->data);
  check(made, "NPU error: aclCreateTensor gave no tensor");
  return made;
}
void Arguments::add_tensor(const Tensor& t) {
  if (!t.defined()) return add_null();
  add_object(Object::Kind::tensor, make_tensor(t), "aclCreateTensor");
}
void Arguments::add_tensors(TensorList tensors) {
  std::vector<const aclTensor*> made;
  try {
    for (const Tensor& t : tensors) made.push_back(t.defined() ? make_tensor(t) : nullptr);
  } catch (...) {
    for (const aclTensor* t : made)
      if (t) acl().aclDestroyTensor(t);
    throw;
  }
  add_object(Object::Kind::tensors, acl().aclCreateTensorList(made.data(), made.size()), "aclCreateTensorList");  // takes ownership
}

aclScalar* Arguments::make_scalar(const Scalar& value, Dtype dtype) {
  alignas(16) char bytes[16] = {};
  value.store(dtype, bytes);
  return acl().aclCreateScalar(bytes, type_of(dtype));
}
void Arguments::add_scalar(const Scalar& value, Dtype dtype) {
  add_object(Object::Kind::scalar, make_scalar(value, dtype), "aclCreateScalar");
}
void Arguments::add_scalar(const Scalar& value) {
  add_scalar(value, value.is_real() ? Dtype::float64 : value.is_complex() ? Dtype::complex128 : value.natural_dtype());
}

void Arguments::add_real(double value, bool as_single) {
  if (as_single) {  // a float is passed in the low half of the register
    const float narrow = float(value);
    value = 0;
    std::memcpy(&value, &narrow, sizeof narrow);
  }
  reals_.push_back(value);
}

void Arguments::add(const Value& v, bool as_single) {
  const auto& list = v.as.list;
  switch (v.tag) {
    case MT_TAG_NONE: return add_null();
    case MT_TAG_BOOL:
    case MT_TAG_INT: return add_word(v.as.i);
    case MT_TAG_DOUBLE: return add_real(v.as.d, as_single);
    case MT_TAG_DTYPE: return add_word(type_of(Dtype(v.as.i)));
    case MT_TAG_TENSOR: return add_tensor(Unbox<Tensor>::from(v));
    case MT_TAG_TENSORS:
    case MT_TAG_OPTIONAL_TENSORS: return add_tensors({static_cast<const Tensor*>(list.data), list.size});
    case MT_TAG_INTS:
      return add_object(Object::Kind::ints, acl().aclCreateIntArray(static_cast<const int64_t*>(list.data), uint64_t(list.size)),
                        "aclCreateIntArray");
    case MT_TAG_BOOLS:
      return add_object(Object::Kind::bools, acl().aclCreateBoolArray(static_cast<const bool*>(list.data), uint64_t(list.size)),
                        "aclCreateBoolArray");
    case MT_TAG_DOUBLES: {
      std::vector<float> narrow;
      for (double d : Unbox<List<double>>::from(v)) narrow.push_back(float(d));
      return add_object(Object::Kind::floats, acl().aclCreateFloatArray(narrow.data(), narrow.size()), "aclCreateFloatArray");
    }
    case MT_TAG_SCALARS: {
      std::vector<const aclScalar*> made;  // the list takes ownership
      for (const Value& item : Unbox<List<Value>>::from(v)) {
        const Scalar value = Scalar::of_value(item);
        made.push_back(make_scalar(value, value.is_real()      ? Dtype::float64
                                          : value.is_complex() ? Dtype::complex128
                                                               : value.natural_dtype()));
      }
      return add_object(Object::Kind::scalars, acl().aclCreateScalarList(made.data(), made.size()), "aclCreateScalarList");
    }
    case MT_TAG_STRING:
      strings_.emplace_back(v.as.string.data, size_t(v.as.string.size));
      return add_word(reinterpret_cast<int64_t>(strings_.back().c_str()));
    default: throw std::string("a value of kind ") + std::to_string(v.tag);
  }
}

Dims Arguments::sizes_of(int64_t word) const {
  const auto ask = acl().aclGetViewShape;
  check(ask, ErrorKind::not_implemented, "aclGetViewShape is not in the NPU library");
  int64_t* sizes = nullptr;
  uint64_t dims = 0;
  check_call("aclGetViewShape", ask(reinterpret_cast<const aclTensor*>(words_[size_t(word)]), &sizes, &dims));
  const std::unique_ptr<int64_t[]> owned(sizes);  // the caller must free it, according to the documentation
  return Dims(IntList(sizes, int64_t(dims)));
}

void Arguments::run(const char* name, int device) {
  const Functions& functions = functions_of(name);
  check(functions.prepare && functions.run, ErrorKind::not_implemented, "aclnn{} is not in the NPU library", name);
  check(words_.size() + 2 <= max_words && reals_.size() <= max_reals, "aclnn{} has too many arguments", name);
  const Stream& stream = current_stream(device);
  use_device(device);
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  int64_t words[max_words] = {};
  double reals[max_reals] = {};
  std::copy(words_.begin(), words_.end(), words);
  std::copy(reals_.begin(), reals_.end(), reals);
  words[words_.size()] = reinterpret_cast<int64_t>(&workspace_size);
  words[words_.size() + 1] = reinterpret_cast<int64_t>(&executor);
  const aclnnStatus prepared = call_entry(functions.prepare, words, reals);
  if (prepared != acl::success) fail_call((std::string("aclnn") + name + "GetWorkspaceSize").c_str(), prepared);
  void* workspace = allocate(device, int64_t(workspace_size), stream.id);
  const aclnnStatus done = functions.run(workspace, workspace_size, executor, stream.handle);
  release(workspace);  // only this stream reuses it, after the operator
  if (done != acl::success) fail_call((std::string("aclnn") + name).c_str(), done);
}

}  // namespace mt::npu
