// Converts between words and boxed values, and provides the containers to which words may point.
#include "values.h"

#include <bit>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "tensors.h"

namespace mt::stable {
namespace {

using Base = Type::Base;

constexpr std::pair<std::string_view, Base> base_names[] = {
    {"Tensor", Base::tensor},    {"int", Base::integer},         {"SymInt", Base::integer},
    {"float", Base::real},       {"bool", Base::boolean},        {"str", Base::string},
    {"ScalarType", Base::dtype}, {"Layout", Base::layout},       {"MemoryFormat", Base::memory_format},
    {"Device", Base::device},    {"Generator", Base::generator},
};

template <class T>
T* pointer_of(Word word) {
  return reinterpret_cast<T*>(word);
}
template <class T>
Word word_of(T* pointer) {
  return reinterpret_cast<Word>(pointer);
}
int32_t low_half(Word word) { return int32_t(uint32_t(word)); }

[[noreturn]] void fail_unsupported_out(const Type& type) {
  fail("Not yet supported conversion from IValue to StableIValue for schema type: " + type.text);
}
[[noreturn]] void fail_unsupported_in(const Type& type) {
  fail("Not yet supported conversion from StableIValue to IValue for schema type: " + type.text);
}

// Optional values are passed as a pointer that the receiver deletes; 0 is None.
Word to_optional(Word inner) { return word_of(new Word(inner)); }
Word from_optional(Word word) {
  const std::unique_ptr<Word> inner(pointer_of<Word>(word));
  return *inner;
}

Word tensor_to_word(mt_tensor* tensor) {
  if (!tensor) return word_of(new_undefined_tensor());
  mt_tensor_retain(tensor);
  return word_of(tensor);
}

Word item_to_word(const Type& type, const mt_value& value) {
  switch (type.base) {
    case Base::tensor: return tensor_to_word(value.tag == MT_TAG_TENSOR ? value.as.tensor : nullptr);
    case Base::real: return std::bit_cast<Word>(value.tag == MT_TAG_DOUBLE ? value.as.d : double(value.as.i));
    case Base::integer:
    case Base::boolean: return Word(value.as.i);
    case Base::dtype:
    case Base::layout:
    case Base::memory_format: return uint32_t(value.as.i);
    case Base::device: return Word(uint32_t(value.as.device.type)) << 32 | uint32_t(value.as.device.index);
    case Base::string: return word_of(new String(std::string(value.as.string.data, size_t(value.as.string.size))));
    case Base::generator: mt_generator_retain(value.as.generator); return word_of(value.as.generator);
    case Base::other: break;
  }
  fail_unsupported_out(type);
}

Word list_to_word(const Type& type, const mt_value& value) {
  auto list = std::make_unique<List>();
  list->items.reserve(size_t(value.as.list.size));
  for (int64_t i = 0; i < value.as.list.size; ++i) {
    const void* data = value.as.list.data;
    switch (value.tag) {
      case MT_TAG_INTS: list->items.push_back(Word(static_cast<const int64_t*>(data)[i])); break;
      case MT_TAG_DOUBLES: list->items.push_back(std::bit_cast<Word>(static_cast<const double*>(data)[i])); break;
      case MT_TAG_BOOLS: list->items.push_back(static_cast<const uint8_t*>(data)[i]); break;
      case MT_TAG_TENSORS:
      case MT_TAG_OPTIONAL_TENSORS: {
        mt_tensor* tensor = static_cast<mt_tensor* const*>(data)[i];
        const bool none = type.has_optional_items && !tensor;
        const Word word = none ? 0 : tensor_to_word(tensor);
        list->items.push_back(type.has_optional_items && !none ? to_optional(word) : word);
        break;
      }
      case MT_TAG_STRINGS: list->items.push_back(item_to_word(type, static_cast<const mt_value*>(data)[i])); break;
      default: fail_unsupported_out(type);
    }
  }
  return word_of(list.release());
}

// Converts a word that holds a plain value itself; raises for types whose words point to objects.
mt_value convert_plain_word(const Type& type, Word word) {
  switch (type.base) {
    case Base::integer: return mt_int(int64_t(word));
    case Base::real: return mt_double(std::bit_cast<double>(word));
    case Base::boolean: return mt_bool((word & 0xff) != 0);
    case Base::dtype: return mt_box_enum(MT_TAG_DTYPE, low_half(word));
    case Base::layout: return mt_box_enum(MT_TAG_LAYOUT, low_half(word));
    case Base::memory_format: return mt_box_enum(MT_TAG_MEMORY_FORMAT, low_half(word));
    case Base::device: return mt_box_device({low_half(word >> 32), low_half(word)});
    default: fail_unsupported_in(type);
  }
}

}  // namespace

Type::Type(const char* schema_text) : text(schema_text) {
  std::string_view rest = text;
  auto ends = [&](char c) {
    if (rest.empty() || rest.back() != c) return false;
    rest.remove_suffix(1);
    return true;
  };
  is_optional = ends('?');
  if (ends(']')) {
    is_list = true;
    rest = rest.substr(0, rest.rfind('['));
    has_optional_items = ends('?');
  }
  for (const auto& [name, kind] : base_names)
    if (rest == name) base = kind;
}

const Signature& signature_of(const mt_op* op) {
  static std::shared_mutex mutex;
  static auto& known = *new std::unordered_map<const mt_op*, std::unique_ptr<Signature>>();
  {
    std::shared_lock lock(mutex);
    if (auto found = known.find(op); found != known.end()) return *found->second;
  }
  auto made = std::make_unique<Signature>();
  mt_op_info info{};
  info.struct_size = sizeof info;
  throw_on_error(mt_op_get_info(op, &info));
  mt_arg_info argument{};
  argument.struct_size = sizeof argument;
  for (int32_t i = 0; i < info.n_args; ++i) {
    throw_on_error(mt_op_get_arg(op, i, &argument));
    made->arguments.emplace_back(argument.type);
  }
  for (int32_t i = 0; i < info.n_returns; ++i) {
    throw_on_error(mt_op_get_return(op, i, &argument));
    made->results.emplace_back(argument.type);
  }
  std::unique_lock lock(mutex);
  return *known.try_emplace(op, std::move(made)).first->second;
}

Word to_word(const Type& type, const mt_value& value) {
  if (type.is_optional && value.tag == MT_TAG_NONE) return 0;
  const Word word = type.is_list ? list_to_word(type, value) : item_to_word(type, value);
  return type.is_optional ? to_optional(word) : word;
}

// ---- words whose ownership was transferred ---------------------------------------------------------------------------------------

Taken::~Taken() {
  for (mt_tensor* tensor : tensors_) release_tensor(tensor);
  for (mt_generator* generator : generators_) mt_generator_release(generator);
}

template <class T>
T* Taken::room(size_t count) {
  return reinterpret_cast<T*>(rooms_.emplace_back(new std::byte[count * sizeof(T) + 1]).get());
}

mt_tensor* Taken::tensor(Word word) {
  auto* tensor = pointer_of<mt_tensor>(word);
  require_not_null(tensor, "a tensor");
  tensors_.push_back(tensor);
  return is_undefined(tensor) ? nullptr : tensor;
}

mt_value Taken::item(const Type& type, Word word) {
  switch (type.base) {
    case Base::tensor: return mt_box_tensor_or_none(tensor(word));
    case Base::string: {
      String& string = checked_object_of(pointer_of<String>(word), "a string");
      strings_.emplace_back(&string);
      mt_value v = mt_box_tag(MT_TAG_STRING);
      v.as.string = {string.text.data(), int64_t(string.text.size())};
      return v;
    }
    case Base::generator: generators_.push_back(pointer_of<mt_generator>(word)); return mt_box_generator(generators_.back());
    default: return convert_plain_word(type, word);
  }
}

mt_value Taken::list(const Type& type, Word word) {
  const std::unique_ptr<List> list(&checked_object_of(pointer_of<List>(word), "a list"));
  const size_t count = list->items.size();
  auto fill = [&]<class T>(int32_t tag, T* items, auto convert) {
    for (size_t i = 0; i < count; ++i) items[i] = convert(list->items[i]);
    return mt_box_list(tag, items, int64_t(count));
  };
  switch (type.base) {
    case Base::integer: return fill(MT_TAG_INTS, room<int64_t>(count), [](Word w) { return int64_t(w); });
    case Base::real: return fill(MT_TAG_DOUBLES, room<double>(count), [](Word w) { return std::bit_cast<double>(w); });
    case Base::boolean: return fill(MT_TAG_BOOLS, room<uint8_t>(count), [](Word w) { return uint8_t((w & 0xff) != 0); });
    case Base::string: return fill(MT_TAG_STRINGS, room<mt_value>(count), [&](Word w) { return item(type, w); });
    case Base::tensor:
      if (!type.has_optional_items) return fill(MT_TAG_TENSORS, room<mt_tensor*>(count), [&](Word w) { return tensor(w); });
      return fill(MT_TAG_OPTIONAL_TENSORS, room<mt_tensor*>(count), [&](Word w) { return w ? tensor(from_optional(w)) : nullptr; });
    default: fail_unsupported_in(type);
  }
}

mt_value Taken::value(const Type& type, Word word) {
  if (type.is_optional) {
    if (!word) return mt_none();
    word = from_optional(word);
  }
  return type.is_list ? list(type, word) : item(type, word);
}

mt_value to_result(const Type& type, Word word) {
  if (type.base == Base::tensor && !type.is_list && !type.is_optional) {
    auto* tensor = pointer_of<mt_tensor>(word);
    require_not_null(tensor, "a result");
    if (is_undefined(tensor)) {
      release_tensor(tensor);
      return mt_none();
    }
    mt_value v = mt_box_tensor(tensor);
    v.flags = MT_FLAG_OWNED;
    return v;
  }
  Taken taken;
  const mt_value borrowed = taken.value(type, word);
  mt_value owned;
  throw_on_error(mt_value_copy(&borrowed, &owned));
  return owned;
}

}  // namespace mt::stable

// ---- lists, strings and words on the heap ---------------------------------------------------------------------------------------

using namespace mt::stable;

STABLE_ABI int32_t torch_new_list_reserve_size(size_t size, List** ret) {
  return guarded([&] {
    require_not_null(ret, "ret");
    auto list = std::make_unique<List>();
    list->items.reserve(size);
    *ret = list.release();
  });
}
STABLE_ABI int32_t torch_list_size(List* list, size_t* size) {
  return guarded([&] {
    require_not_null(size, "size");
    *size = checked_object_of(list, "list_handle").items.size();
  });
}
STABLE_ABI int32_t torch_list_get_item(List* list, size_t index, Word* element) {
  return guarded([&] {
    require_not_null(element, "element");
    *element = checked_object_of(list, "list_handle").items.at(index);
  });
}
STABLE_ABI int32_t torch_list_set_item(List* list, size_t index, Word element) {
  return guarded([&] { checked_object_of(list, "list_handle").items.at(index) = element; });
}
STABLE_ABI int32_t torch_list_push_back(List* list, Word element) {
  return guarded([&] { checked_object_of(list, "list_handle").items.push_back(element); });
}
STABLE_ABI int32_t torch_delete_list(List* list) {
  return guarded([&] { delete &checked_object_of(list, "list_handle"); });
}

STABLE_ABI int32_t torch_new_string_handle(const char* data, size_t length, String** handle) {
  return guarded([&] {
    require_not_null(handle, "handle");
    if (length) require_not_null(data, "data");
    *handle = new String(length ? std::string(data, length) : std::string());
  });
}
STABLE_ABI int32_t torch_delete_string(String* handle) {
  return guarded([&] { delete &checked_object_of(handle, "handle"); });
}
STABLE_ABI int32_t torch_string_length(String* handle, size_t* length) {
  return guarded([&] {
    require_not_null(length, "length");
    *length = checked_object_of(handle, "handle").text.size();
  });
}
STABLE_ABI int32_t torch_string_c_str(String* handle, const char** data) {
  return guarded([&] {
    require_not_null(data, "data");
    *data = checked_object_of(handle, "handle").text.c_str();
  });
}

STABLE_ABI int32_t torch_new_stable_ivalue(Word** ret_value) {
  return guarded([&] {
    require_not_null(ret_value, "ret_value");
    *ret_value = new Word(0);
  });
}
STABLE_ABI int32_t torch_delete_stable_ivalue(Word* value) {
  return guarded([&] {
    require_not_null(value, "value");
    delete value;
  });
}
