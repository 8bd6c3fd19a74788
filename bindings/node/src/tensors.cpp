// Tensors from typed arrays and back, their properties, generators.
#include <cstring>

#include "state.h"

namespace mindtorch_node {
namespace {

struct ElementType {
  napi_typedarray_type array;
  int32_t dtype;
};
const ElementType element_types[] = {{napi_int8_array, MT_INT8},           {napi_uint8_array, MT_UINT8},
                                     {napi_uint8_clamped_array, MT_UINT8}, {napi_int16_array, MT_INT16},
                                     {napi_uint16_array, MT_UINT16},       {napi_int32_array, MT_INT32},
                                     {napi_uint32_array, MT_UINT32},       {napi_float32_array, MT_FLOAT32},
                                     {napi_float64_array, MT_FLOAT64},     {napi_bigint64_array, MT_INT64},
                                     {napi_biguint64_array, MT_UINT64}};

struct TypedArray {
  napi_typedarray_type type = napi_int8_array;
  size_t length = 0;
  void* data = nullptr;
  napi_value buffer = nullptr;
  TypedArray(State& state, napi_value value) {
    bool is_typed = false;
    if (value != nullptr) check_napi(state.env, napi_is_typedarray(state.env, value, &is_typed));
    if (!is_typed) fail("TypeError", "a typed array is expected");
    size_t offset = 0;
    check_napi(state.env, napi_get_typedarray_info(state.env, value, &type, &length, &data, &buffer, &offset));
  }
  int32_t dtype() const {
    for (const ElementType& known : element_types) {
      if (known.array == type) return known.dtype;
    }
    fail("TypeError", "no dtype fits this typed array");
  }
};

int32_t dtype_of(State& state, napi_value value) {
  const std::string name = text_of(state, value);
  mt_value raw{};
  raw.as.string.data = name.data();
  raw.as.string.size = static_cast<int64_t>(name.size());
  int32_t dtype = 0;
  if (!mindtorch_swig::find_dtype(raw, &dtype)) fail("TypeError", "there is no dtype " + name);
  return dtype;
}

// Keeps a JavaScript array alive while a tensor uses its memory.
struct Shared {
  State* state;
  napi_ref array = nullptr;
  explicit Shared(State* owner) : state(owner) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (array != nullptr) drop_reference(*state, array);
  }
};
void drop_shared(void* context) { delete static_cast<Shared*>(context); }

// from_array(array, sizes or undefined, dtype or undefined, whether memory is shared): the bytes as elements of the dtype.
napi_value from_array(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const TypedArray array(state, arguments[0]);
  const int32_t dtype = is_missing(state, arguments[2]) ? array.dtype() : dtype_of(state, arguments[2]);
  const auto bytes = static_cast<int64_t>(array.length) * mt_dtype_size(array.dtype());
  const int64_t count = bytes / mt_dtype_size(dtype);
  const std::vector<int64_t> sizes = is_missing(state, arguments[1]) ? std::vector<int64_t>{count} : ints_of(state, arguments[1]);
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  if (product * mt_dtype_size(dtype) != bytes) {
    fail("ValueError", "the sizes require " + std::to_string(product) + " elements, and there are " + std::to_string(count));
  }
  mt_tensor* out = nullptr;
  const auto ndim = static_cast<int64_t>(sizes.size());
  if (bool_of(state, arguments[3])) {
    auto shared = std::make_unique<Shared>(&state);
    check_napi(state.env, napi_create_reference(state.env, arguments[0], 1, &shared->array));
    mindtorch::check(
        mt_tensor_from_data(array.data, sizes.data(), nullptr, ndim, dtype, mindtorch::cpu(), drop_shared, shared.get(), &out));
    shared.release();  // NOLINT: the tensor owns it
  } else {
    mindtorch::check(mt_tensor_from_copy(array.data, sizes.data(), ndim, dtype, &out));
  }
  const napi_value made = wrap_handle(state, Kind::tensor, out);
  collect_garbage_if_needed(state);
  return made;
}

const ElementType& typed_array_type_of(int32_t dtype) {
  for (const ElementType& known : element_types) {
    if (known.dtype == dtype) return known;
  }
  static const ElementType bits{napi_uint8_array, MT_UINT8}, real{napi_float32_array, MT_FLOAT32}, exact{napi_float64_array, MT_FLOAT64};
  if (dtype == MT_BOOL) return bits;
  return dtype == MT_COMPLEX128 ? exact : real;
}

// Returns the dtype to read elements in, one for which JavaScript has a typed array: narrower floating-point types are read as float32.
int32_t dtype_readable_in_js(int32_t dtype) {
  switch (dtype) {
    case MT_BOOL:
    case MT_COMPLEX64:
    case MT_COMPLEX128: return dtype;
    case MT_COMPLEX32: return MT_COMPLEX64;
    default: return typed_array_type_of(dtype).dtype;
  }
}

struct Elements {
  mindtorch::Tensor host;
  const ElementType* type;
  size_t length, bytes;
  explicit Elements(mt_tensor* tensor) {
    host = mindtorch_swig::to_host(tensor, dtype_readable_in_js(mindtorch::Tensor::share(tensor).dtype()));
    const mt_tensor_info about = host.info();
    type = &typed_array_type_of(about.dtype);
    bytes = static_cast<size_t>(about.numel) * static_cast<size_t>(mt_dtype_size(about.dtype));
    length = bytes / static_cast<size_t>(mt_dtype_size(type->dtype));
  }
};

// The elements in row-major order, in a new typed array. Complex numbers are pairs.
napi_value to_array(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const Elements elements(tensor_of(state, arguments[0]));
  void* data = nullptr;
  napi_value buffer = nullptr, out = nullptr;
  check_napi(state.env, napi_create_arraybuffer(state.env, elements.bytes, &data, &buffer));
  if (elements.bytes > 0) std::memcpy(data, elements.host.data<void>(), elements.bytes);
  check_napi(state.env, napi_create_typedarray(state.env, elements.type->array, elements.length, buffer, 0, &out));
  collect_garbage_if_needed(state);
  return out;
}

// copy_to(tensor, array): copies the elements to an existing typed array of the tensor's type and length.
napi_value copy_to(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const Elements elements(tensor_of(state, arguments[0]));
  const TypedArray target(state, arguments[1]);
  if (target.dtype() != elements.type->dtype || target.length != elements.length) {
    fail("TypeError", "the elements require an array of " + std::to_string(elements.length) + " " + mt_dtype_name(elements.type->dtype));
  }
  if (elements.bytes > 0) std::memcpy(target.data, elements.host.data<void>(), elements.bytes);
  return nullptr;
}

void release_viewed_tensor(napi_env, void*, void* hint) { mt_tensor_release(static_cast<mt_tensor*>(hint)); }

// A typed array over the tensor's own memory, which it keeps. The storage cannot be resized any more.
napi_value view_memory(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_tensor* tensor = tensor_of(state, arguments[0]);
  const mt_tensor_info about = mindtorch::Tensor::share(tensor).info();
  const ElementType& type = typed_array_type_of(about.dtype);
  const bool is_plain = about.device.type == MT_CPU && (about.flags & MT_TENSOR_IS_CONTIGUOUS) != 0 &&
                        (about.flags & (MT_TENSOR_IS_CONJ | MT_TENSOR_IS_NEG)) == 0 && dtype_readable_in_js(about.dtype) == about.dtype;
  if (!is_plain) fail("RuntimeError", "only a contiguous tensor of the CPU, with elements that JavaScript has, can share its memory");
  void* data = nullptr;
  mt_storage* storage = nullptr;
  mindtorch::check(mt_tensor_storage(tensor, &storage));
  mt_status* status = mt_storage_fix_size(storage);
  mt_storage_release(storage);
  mindtorch::check(status);
  mindtorch::check(mt_tensor_data(tensor, &data));
  const size_t bytes = static_cast<size_t>(about.numel) * static_cast<size_t>(mt_dtype_size(about.dtype));
  napi_value buffer = nullptr, out = nullptr;
  if (bytes == 0) {
    check_napi(state.env, napi_create_arraybuffer(state.env, 0, &data, &buffer));
  } else {
    mt_tensor_retain(tensor);
    const napi_status made = napi_create_external_arraybuffer(state.env, data, bytes, release_viewed_tensor, tensor, &buffer);
    if (made != napi_ok) mt_tensor_release(tensor);
    check_napi(state.env, made);
  }
  const size_t length = bytes / static_cast<size_t>(mt_dtype_size(type.dtype));
  check_napi(state.env, napi_create_typedarray(state.env, type.array, length, buffer, 0, &out));
  return out;
}

// ---- properties ----

mt_tensor_info info_of(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_tensor_info about{};
  about.struct_size = sizeof(about);
  mindtorch::check(mt_tensor_get_info(tensor_of(state, arguments[0]), &about));
  return about;
}

napi_value get_shape(State& state, napi_callback_info info) {
  const mt_tensor_info about = info_of(state, info);
  return make_ints(state, about.sizes, about.ndim);
}
napi_value get_strides(State& state, napi_callback_info info) {
  const mt_tensor_info about = info_of(state, info);
  return make_ints(state, about.strides, about.ndim);
}
napi_value get_numel(State& state, napi_callback_info info) { return make_number(state, info_of(state, info).numel); }
napi_value get_dtype(State& state, napi_callback_info info) { return make_text(state, mt_dtype_name(info_of(state, info).dtype)); }
napi_value get_layout(State& state, napi_callback_info info) { return make_number(state, info_of(state, info).layout); }
napi_value get_flags(State& state, napi_callback_info info) { return make_number(state, info_of(state, info).flags); }
napi_value get_device(State& state, napi_callback_info info) {
  const mt_device device = info_of(state, info).device;
  std::string text = mt_device_type_name(device.type);
  if (device.index >= 0 && device.type != MT_CPU) text += ":" + std::to_string(device.index);
  return make_text(state, text.c_str());
}

napi_value get_item(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_value number{};
  mindtorch::check(mt_tensor_item(tensor_of(state, arguments[0]), &number));
  return unbox_value(state, number);
}

// ---- the library ----

napi_value make_generator(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_generator* made = nullptr;
  if (is_missing(state, arguments[0])) {
    mindtorch::check(mt_generator_default(&made));
  } else {
    mt_device device{};
    mindtorch::check(mt_device_parse(text_of(state, arguments[0]).c_str(), &device));
    mindtorch::check(mt_generator_create(device, &made));
  }
  return wrap_handle(state, Kind::generator, made);
}

napi_value seed(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  auto* generator = static_cast<mt_generator*>(handle_of(state, arguments[0], Kind::generator));
  mindtorch::check(mt_generator_seed(generator, static_cast<uint64_t>(int_of(state, arguments[1]))));
  return nullptr;
}

napi_value get_version(State& state, napi_callback_info) { return make_text(state, mt_version()); }
napi_value get_threads(State& state, napi_callback_info) { return make_number(state, mt_threads_get()); }
napi_value set_threads(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mindtorch::check(mt_threads_set(static_cast<int32_t>(int_of(state, arguments[0]))));
  return nullptr;
}

}  // namespace

void define_tensors(State& state, napi_value exports) {
  const std::pair<const char*, napi_callback> functions[] = {{"fromArray", guarded<from_array>},     {"toArray", guarded<to_array>},
                                                             {"copyTo", guarded<copy_to>},           {"viewOf", guarded<view_memory>},
                                                             {"shape", guarded<get_shape>},          {"strides", guarded<get_strides>},
                                                             {"numel", guarded<get_numel>},          {"dtype", guarded<get_dtype>},
                                                             {"layout", guarded<get_layout>},        {"flags", guarded<get_flags>},
                                                             {"device", guarded<get_device>},        {"item", guarded<get_item>},
                                                             {"generator", guarded<make_generator>}, {"seed", guarded<seed>},
                                                             {"version", guarded<get_version>},      {"threads", guarded<get_threads>},
                                                             {"setThreads", guarded<set_threads>}};
  for (const auto& [name, function] : functions) define_function(state, exports, name, function);
}

}  // namespace mindtorch_node
