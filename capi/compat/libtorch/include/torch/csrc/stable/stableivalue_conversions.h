// Converts C++ values to words of a kernel's stack, and back. from(value) returns a word that owns its contents; to<T>(word) takes
// ownership of the word.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <torch/csrc/stable/generator.h>
#include <torch/csrc/stable/tensor.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable, detail)

template <class T>
StableIValue from(const T& value);
template <class T>
T to(StableIValue word);

// Converts a type that fits into a word: its bytes, and zeros for the rest.
template <class T, class = void>
struct Conversion {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(StableIValue),
                "no argument or result of an operator is of this type");
  static StableIValue to_word(const T& value) {
    StableIValue word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
  }
  static T from_word(StableIValue word) {
    T value;
    std::memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
  }
};

// Converts enumerations, which the library may number differently.
template <class Enum>
struct Conversion<Enum, std::void_t<decltype(Numbers<Enum>::table)>> {
  static StableIValue to_word(Enum value) { return uint32_t(number_of(value)); }
  static Enum from_word(StableIValue word) { return value_of<Enum>(int32_t(uint32_t(word))); }
};

template <>
struct Conversion<Tensor> {
  static StableIValue to_word(const Tensor& tensor) {
    AtenTensorHandle handle = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_new_tensor_handle(tensor.get(), &handle));
    return from(handle);
  }
  static Tensor from_word(StableIValue word) { return Tensor(to<AtenTensorHandle>(word)); }
};

#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
template <>
struct Conversion<Generator> {
  static StableIValue to_word(const Generator& generator) {
    AtenGeneratorHandle handle = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_new_generator_handle(generator.get(), &handle));
    return from(handle);
  }
  static Generator from_word(StableIValue word) { return Generator(to<AtenGeneratorHandle>(word)); }
};
#endif

// The lower half is the index, the upper half the type.
template <>
struct Conversion<Device> {
  static StableIValue to_word(const Device& device) {
    return StableIValue(uint32_t(number_of(device.type()))) << 32 | uint32_t(device.index());
  }
  static Device from_word(StableIValue word) { return {value_of<DeviceType>(int32_t(uint32_t(word >> 32))), int32_t(uint32_t(word))}; }
};

template <>
struct Conversion<std::string> {
  static StableIValue to_word(const std::string& text) {
    StringHandle handle = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_new_string_handle(text.data(), text.size(), &handle));
    return from(handle);
  }
  static std::string from_word(StableIValue word) {
    const auto handle = to<StringHandle>(word);
    size_t length = 0;
    const char* data = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_length(handle, &length));
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_c_str(handle, &data));
    std::string text(data, length);
    STABLE_TORCH_ERROR_CODE_CHECK(torch_delete_string(handle));
    return text;
  }
};

template <>
struct Conversion<std::nullopt_t> {
  static StableIValue to_word(std::nullopt_t) { return 0; }
};
// None is 0; a value is a pointer to a word, which the receiver frees.
template <class T>
struct Conversion<std::optional<T>> {
  static StableIValue to_word(const std::optional<T>& value) {
    if (!value) return 0;
    const StableIValue inner = from(*value);
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
    StableIValue* place = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_new_stable_ivalue(&place));
    *place = inner;
#else
    auto* place = new StableIValue(inner);
#endif
    return from(place);
  }
  static std::optional<T> from_word(StableIValue word) {
    auto* place = to<StableIValue*>(word);
    if (!place) return std::nullopt;
    const StableIValue inner = *place;
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
    STABLE_TORCH_ERROR_CODE_CHECK(torch_delete_stable_ivalue(place));
#else
    delete place;
#endif
    return to<T>(inner);
  }
};

template <class Items>
inline StableIValue list_of(const Items& items) {
  StableListHandle list = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_new_list_reserve_size(items.size(), &list));
  try {
    using T = typename Items::value_type;
    for (size_t i = 0; i < items.size(); ++i) STABLE_TORCH_ERROR_CODE_CHECK(torch_list_push_back(list, from<T>(items[i])));
  } catch (...) {
    torch_delete_list(list);
    throw;
  }
  return from(list);
}
template <class T>
struct Conversion<headeronly::HeaderOnlyArrayRef<T>> {
  static StableIValue to_word(const headeronly::HeaderOnlyArrayRef<T>& items) { return list_of(items); }
};
template <class T>
struct Conversion<std::vector<T>> {
  static StableIValue to_word(const std::vector<T>& items) { return list_of(items); }
  static std::vector<T> from_word(StableIValue word) {
    const auto list = to<StableListHandle>(word);
    struct Deleted {
      StableListHandle list;
      ~Deleted() { torch_delete_list(list); }
    } deleted{list};
    size_t size = 0;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_list_size(list, &size));
    std::vector<T> items;
    items.reserve(size);
    for (size_t i = 0; i < size; ++i) {
      StableIValue element = 0;
      STABLE_TORCH_ERROR_CODE_CHECK(torch_list_get_item(list, i, &element));
      items.push_back(to<T>(element));
    }
    return items;
  }
};

template <class T>
inline StableIValue from(const T& value) {
  return Conversion<T>::to_word(value);
}
template <class T>
inline T to(StableIValue word) {
  return Conversion<T>::from_word(word);
}

HIDDEN_NAMESPACE_END(torch, stable, detail)
