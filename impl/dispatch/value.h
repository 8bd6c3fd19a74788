// The boxed value (the C ABI's mt_value) seen from C++.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "core/scalar.h"
#include "core/tensor.h"

namespace mt {

struct Generator;
using Value = mt_value;

struct Text {  // a borrowed string
  const char* data = "";
  int64_t size = 0;
  bool operator==(const char* other) const {
    int64_t i = 0;
    for (; i < size && other[i]; ++i)
      if (data[i] != other[i]) return false;
    return i == size && !other[i];
  }
};
inline FormatArg text_arg(Text t) {
  FormatArg a("");
  a.tag = FormatArg::Tag::chars, a.text = t.data, a.length = t.size;
  return a;
}

inline bool is_number_tag(int32_t tag) { return tag >= MT_TAG_BOOL && tag <= MT_TAG_COMPLEX; }
inline mt_tensor* handle(const Tensor& t) { return reinterpret_cast<mt_tensor*>(t.get()); }

// ---- C++ -> boxed, borrowed: the value is valid as long as its source ----

inline Value none_value() { return Value{MT_TAG_NONE, 0, {}}; }
// Sets a value to None in place: copying a complete value costs a store-forwarding stall.
inline void set_none(Value& v) {
  v.tag = MT_TAG_NONE;
  v.flags = 0;
}
inline Value default_value() { return Value{MT_TAG_DEFAULT, 0, {}}; }
inline Value int_value(int32_t tag, int64_t i) {
  Value v{tag, 0, {}};
  v.as.i = i;
  return v;
}
inline Value box(bool b) { return int_value(MT_TAG_BOOL, b); }
inline Value box(int i) { return int_value(MT_TAG_INT, i); }
inline Value box(int64_t i) { return int_value(MT_TAG_INT, i); }
inline Value box(double d) {
  Value v{MT_TAG_DOUBLE, 0, {}};
  v.as.d = d;
  return v;
}
inline Value box(Dtype d) { return int_value(MT_TAG_DTYPE, int64_t(d)); }
inline Value box(Layout l) { return int_value(MT_TAG_LAYOUT, int64_t(l)); }
inline Value box(MemoryFormat m) { return int_value(MT_TAG_MEMORY_FORMAT, int64_t(m)); }
inline Value box(Device d) {
  Value v{MT_TAG_DEVICE, 0, {}};
  v.as.device = {int32_t(d.type), int32_t(d.index)};
  return v;
}
inline Value box(std::nullptr_t) { return none_value(); }
inline Value box(std::nullopt_t) { return none_value(); }
inline Value box(const Tensor& t) {  // undefined becomes none
  if (!t.defined()) return none_value();
  Value v{MT_TAG_TENSOR, 0, {}};
  v.as.tensor = handle(t);
  return v;
}
inline Value box(Text t) {
  Value v{MT_TAG_STRING, 0, {}};
  v.as.string.data = t.data, v.as.string.size = t.size;
  return v;
}
inline Value box(const char* t) { return box(Text{t, int64_t(__builtin_strlen(t))}); }
inline Value box(const Scalar& s) { return s.to_value(); }
inline Value box(Generator* g) {
  if (!g) return none_value();
  Value v{MT_TAG_GENERATOR, 0, {}};
  v.as.generator = reinterpret_cast<mt_generator*>(g);
  return v;
}
inline Value list_value(int32_t tag, const void* data, int64_t size) {
  Value v{tag, 0, {}};
  v.as.list.data = data, v.as.list.size = size;
  return v;
}
inline Value box(IntList l) { return list_value(MT_TAG_INTS, l.data, l.count); }
inline Value box(const Dims& l) { return box(IntList(l)); }
inline Value box(List<double> l) { return list_value(MT_TAG_DOUBLES, l.data, l.count); }
inline Value box(TensorList l) { return list_value(MT_TAG_TENSORS, l.data, l.count); }
inline Value box(const std::vector<Tensor>& l) { return box(TensorList(l.data(), int64_t(l.size()))); }
template <class T>
Value box(const std::optional<T>& v) {
  return v ? box(*v) : none_value();
}
inline const Value& box(const Value& v) { return v; }
// Boxes a value into an element of an argument array. Common types are written field by field: constructing and copying a value costs a
// store-forwarding stall.
template <class T>
void box_into(Value& slot, const T& v) {
  if constexpr (std::is_base_of_v<Tensor, T>) {
    slot.tag = v.defined() ? MT_TAG_TENSOR : MT_TAG_NONE, slot.flags = 0;
    slot.as.tensor = handle(v);
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, int64_t>) {
    slot.tag = std::is_same_v<T, bool> ? MT_TAG_BOOL : MT_TAG_INT, slot.flags = 0;
    slot.as.i = v;
  } else {
    slot = box(v);
  }
}

// ---- boxed -> C++, borrowed. The types were checked against the schema before. ----

template <class T>
struct Unbox;  // Unbox<T>::from(const Value&)
double double_of(const Value& number);

template <> struct Unbox<Tensor> {
  static const Tensor& from(const Value& v) { return reinterpret_cast<const Tensor&>(v.as.tensor); }
};
template <> struct Unbox<Value> {
  static const Value& from(const Value& v) { return v; }
};
template <> struct Unbox<TensorList> {
  static TensorList from(const Value& v) { return {static_cast<const Tensor*>(v.as.list.data), v.as.list.size}; }
};
template <> struct Unbox<IntList> {
  static IntList from(const Value& v) { return {static_cast<const int64_t*>(v.as.list.data), v.as.list.size}; }
};
template <> struct Unbox<List<double>> {
  static List<double> from(const Value& v) { return {static_cast<const double*>(v.as.list.data), v.as.list.size}; }
};
template <> struct Unbox<List<uint8_t>> {  // bool[]
  static List<uint8_t> from(const Value& v) { return {static_cast<const uint8_t*>(v.as.list.data), v.as.list.size}; }
};
template <> struct Unbox<List<Value>> {  // Scalar[], str[]
  static List<Value> from(const Value& v) { return {static_cast<const Value*>(v.as.list.data), v.as.list.size}; }
};
template <> struct Unbox<int64_t> {
  static int64_t from(const Value& v) { return v.as.i; }
};
template <> struct Unbox<bool> {
  static bool from(const Value& v) { return v.as.i != 0; }
};
template <>
struct Unbox<double> {
  static double from(const Value& v) { return v.tag == MT_TAG_DOUBLE ? v.as.d : double_of(v); }
};
template <> struct Unbox<Scalar> {
  static Scalar from(const Value& v) { return Scalar::of_value(v); }
};
template <> struct Unbox<Dtype> {
  static Dtype from(const Value& v) { return Dtype(v.as.i); }
};
template <> struct Unbox<Layout> {
  static Layout from(const Value& v) { return Layout(v.as.i); }
};
template <> struct Unbox<MemoryFormat> {
  static MemoryFormat from(const Value& v) { return MemoryFormat(v.as.i); }
};
template <> struct Unbox<Device> {
  static Device from(const Value& v) { return {DeviceType(v.as.device.type), int8_t(v.as.device.index)}; }
};
template <> struct Unbox<Text> {
  static Text from(const Value& v) { return {v.as.string.data, v.as.string.size}; }
};
template <> struct Unbox<Generator*> {
  static Generator* from(const Value& v) { return v.tag == MT_TAG_GENERATOR ? reinterpret_cast<Generator*>(v.as.generator) : nullptr; }
};
template <> struct Unbox<Ref<Storage>> {
  static Ref<Storage> from(const Value& v) { return Ref<Storage>::share(reinterpret_cast<Storage*>(v.as.storage)); }
};
template <class T> struct Unbox<std::optional<T>> {
  static std::optional<T> from(const Value& v) {
    if (v.tag == MT_TAG_NONE) return std::nullopt;
    return Unbox<T>::from(v);
  }
};

// ---- owned values: results ----

void clear(Value& value) noexcept;
Value own(const Value& borrowed);  // a deep, owned copy (tensors retained)
inline void put(Value& slot, Tensor tensor) {
  if (!tensor.defined()) return set_none(slot);
  slot.tag = MT_TAG_TENSOR;
  slot.flags = MT_FLAG_OWNED;
  slot.as.tensor = reinterpret_cast<mt_tensor*>(tensor.detach());
}
void put_list(Value& slot, Tensor* tensors, int64_t count);  // moves out of the array
inline void put(Value& slot, bool v) { slot = box(v); }
inline void put(Value& slot, int64_t v) { slot = box(v); }
inline void put(Value& slot, double v) { slot = box(v); }
inline void put(Value& slot, Dtype v) { slot = box(v); }
inline void put(Value& slot, const Scalar& v) { slot = box(v); }
void put(Value& slot, IntList v);
inline Tensor take_tensor(Value& slot) {
  Tensor t = Tensor::adopt(reinterpret_cast<TensorImpl*>(slot.as.tensor));
  set_none(slot);
  return t;
}
// The owned results of a call, cleared at the end of the scope.
template <int N>
struct Results {
  Value values[N];
  Results() {
    for (Value& v : values) set_none(v);
  }
  ~Results() {
    for (Value& v : values) clear(v);
  }
};

}  // namespace mt
