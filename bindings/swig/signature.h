// Operators' signatures, read once: which values fit an operator's arguments, how they convert, which overload of a name they select.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mindtorch/mindtorch.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mindtorch_swig {

enum class Type { tensor, integer, number, boolean, scalar, text, dtype, layout, memory_format, device, other };

struct Argument {
  std::string name;
  Type type;
  bool is_list, is_optional, has_optional_elements, has_default, is_keyword;
  int32_t list_size;  // a number is repeated as often; 0 where it is not
};

struct Signature {
  const mt_op* op;
  int32_t returns;
  bool takes_numbers_as_tensors;
  std::vector<Argument> arguments;

  // Finds an argument by name, or by position if the name is ""; nullptr if there is none.
  const Argument* find(size_t place, const char* name) const {
    if (*name == '\0') return place < arguments.size() ? &arguments[place] : nullptr;
    for (const Argument& argument : arguments) {
      if (argument.name == name) return &argument;
    }
    return nullptr;
  }
};

inline mindtorch::Value copied(const mt_value& raw) {
  mt_value copy{};
  mindtorch::check(mt_value_copy(&raw, &copy));
  return mindtorch::Value::own(copy);
}

// ---- reading ----

inline Type type_named(const std::string& name) {
  static const std::map<std::string, Type> known = {{"Tensor", Type::tensor},
                                                    {"int", Type::integer},
                                                    {"SymInt", Type::integer},
                                                    {"float", Type::number},
                                                    {"bool", Type::boolean},
                                                    {"Scalar", Type::scalar},
                                                    {"str", Type::text},
                                                    {"ScalarType", Type::dtype},
                                                    {"Layout", Type::layout},
                                                    {"Device", Type::device},
                                                    {"MemoryFormat", Type::memory_format}};
  const auto found = known.find(name);
  return found == known.end() ? Type::other : found->second;
}

inline Argument read_argument(const mt_arg_info& about) {
  std::string text = about.type;
  const auto drop = [&text](char last) {
    if (text.empty() || text.back() != last) return false;
    text.pop_back();
    return true;
  };
  Argument made{about.name, Type::other, false, drop('?'), false, about.default_text != nullptr, about.keyword_only != 0, about.list_size};
  if (drop(']')) {
    made.is_list = true;
    text.resize(text.rfind('['));
    made.has_optional_elements = drop('?');
  }
  made.type = type_named(text);
  return made;
}

// Returns an operator's signature, read on first use. Operators are never freed, so neither are their signatures.
inline const Signature& signature_of(const mt_op* op) {
  static std::mutex mutex;
  static auto* known = new std::map<const mt_op*, std::unique_ptr<Signature>>;
  std::lock_guard<std::mutex> guard(mutex);
  std::unique_ptr<Signature>& place = (*known)[op];
  if (place == nullptr) {
    mt_op_info about{};
    about.struct_size = sizeof(about);
    mindtorch::check(mt_op_get_info(op, &about));
    place.reset(new Signature{op, about.n_returns, (about.traits & MT_OP_NUMBERS_AS_TENSORS) != 0, {}});
    for (int32_t i = 0; i < about.n_args; ++i) {
      mt_arg_info argument{};
      argument.struct_size = sizeof(argument);
      mindtorch::check(mt_op_get_arg(op, i, &argument));
      place->arguments.push_back(read_argument(argument));
    }
  }
  return *place;
}

// ---- converting ----

inline bool is_number(int32_t tag) { return tag == MT_TAG_INT || tag == MT_TAG_DOUBLE || tag == MT_TAG_BOOL || tag == MT_TAG_COMPLEX; }

// Whether an integer can stand for a boolean, since some languages have no boolean type.
inline bool is_bit(const mt_value& raw) { return raw.tag == MT_TAG_INT && (raw.as.i == 0 || raw.as.i == 1); }

inline bool find_dtype(const mt_value& text, int32_t* found) {
  for (int32_t dtype = 0; dtype < 64; ++dtype) {
    const char* name = mt_dtype_name(dtype);
    if (name == nullptr || std::strlen(name) != static_cast<size_t>(text.as.string.size)) continue;
    if (std::memcmp(name, text.as.string.data, static_cast<size_t>(text.as.string.size)) != 0) continue;
    *found = dtype;
    return true;
  }
  return false;
}

[[noreturn]] inline void refuse_dtype(const mt_value& text) {
  const std::string name(text.as.string.data, static_cast<size_t>(text.as.string.size));
  throw mindtorch::Error(
      mt_status_create("TypeError", ("there is no dtype " + name + "; dtypes are float32, float64, int64, bool and so on").c_str()));
}

inline std::optional<mindtorch::Value> convert_list(const mindtorch::Value& given, const Argument& argument) {
  mt_value raw = given.raw();
  const auto size = static_cast<size_t>(raw.as.list.size);
  const bool is_whole = raw.tag == MT_TAG_INTS;
  const auto* wholes = static_cast<const int64_t*>(raw.as.list.data);
  const auto* fractions = static_cast<const double*>(raw.as.list.data);
  if (argument.type == Type::tensor && size == 0) {
    raw.tag = argument.has_optional_elements ? MT_TAG_OPTIONAL_TENSORS : MT_TAG_TENSORS;
    return copied(raw);
  }
  if (argument.type == Type::number && is_whole) return mindtorch::Value(std::vector<double>(wholes, wholes + size));
  if (argument.type == Type::boolean) {
    std::vector<uint8_t> bools(size);
    for (size_t i = 0; i < size; ++i) bools[i] = is_whole ? wholes[i] != 0 : fractions[i] != 0;
    raw.tag = MT_TAG_BOOLS;
    raw.as.list.data = bools.data();
    return copied(raw);
  }
  if (argument.type == Type::scalar) {
    std::vector<mt_value> scalars(size);
    for (size_t i = 0; i < size; ++i) {
      scalars[i].tag = is_whole ? MT_TAG_INT : MT_TAG_DOUBLE;
      if (is_whole)
        scalars[i].as.i = wholes[i];
      else
        scalars[i].as.d = fractions[i];
    }
    raw.tag = MT_TAG_SCALARS;
    raw.as.list.data = scalars.data();
    return copied(raw);
  }
  return std::nullopt;
}

// Converts values that most languages cannot express: a dtype or device by name, a dtype or layout by number, lists of booleans, of
// doubles and of any numbers, which arrive as lists of integers, a number for a list of it, 0 and 1 for a boolean. Returns nothing for
// values that the operator accepts, or refuses, as they are.
inline std::optional<mindtorch::Value> convert(const mindtorch::Value& given, const Argument* argument, bool takes_numbers_as_tensors) {
  if (argument == nullptr) return std::nullopt;
  mt_value raw = given.raw();
  const Type type = argument->type;
  if (raw.tag == MT_TAG_INTS || raw.tag == MT_TAG_DOUBLES) {
    return argument->is_list ? convert_list(given, *argument) : std::nullopt;
  }
  if (raw.tag == MT_TAG_TENSORS && argument->has_optional_elements) {
    raw.tag = MT_TAG_OPTIONAL_TENSORS;
    return copied(raw);
  }
  if (raw.tag == MT_TAG_STRING && type == Type::device) {
    mt_device device{};
    mindtorch::check(mt_device_parse(std::string(raw.as.string.data, static_cast<size_t>(raw.as.string.size)).c_str(), &device));
    return mindtorch::Value::device(device);
  }
  if (raw.tag == MT_TAG_STRING && type == Type::dtype) {
    int32_t dtype = -1;
    if (!find_dtype(raw, &dtype)) refuse_dtype(raw);
    return mindtorch::Value::dtype(dtype);
  }
  if (raw.tag == MT_TAG_INT && (type == Type::dtype || type == Type::layout || type == Type::memory_format)) {
    raw.tag = type == Type::dtype ? MT_TAG_DTYPE : type == Type::layout ? MT_TAG_LAYOUT : MT_TAG_MEMORY_FORMAT;
    return copied(raw);
  }
  if (raw.tag == MT_TAG_INT && type == Type::integer && argument->is_list) {
    return mindtorch::Value(std::vector<int64_t>(static_cast<size_t>(std::max(argument->list_size, 1)), raw.as.i));
  }
  if ((raw.tag == MT_TAG_INT || raw.tag == MT_TAG_DOUBLE) && argument->is_list && (type == Type::number || type == Type::scalar)) {
    const bool is_whole = raw.tag == MT_TAG_INT;
    const mindtorch::Value list = is_whole ? mindtorch::Value(std::vector<int64_t>{raw.as.i})
                                           : mindtorch::Value(std::vector<double>{raw.as.d});
    const std::optional<mindtorch::Value> converted = convert_list(list, *argument);
    return converted ? converted : list;
  }
  if (type == Type::boolean && is_bit(raw)) return mindtorch::Value(raw.as.i != 0);
  if (is_number(raw.tag) && type == Type::tensor && !argument->is_list && takes_numbers_as_tensors) {
    mt_tensor* number = nullptr;
    mindtorch::check(mt_tensor_from_scalar(&raw, -1, 1, &number));
    return mindtorch::Value(mindtorch::Tensor::own(number));
  }
  return std::nullopt;
}

// ---- selecting an overload ----

// Which conversions an argument may undergo when an overload is selected.
struct Leniency {
  bool numbers_as_tensors;
  bool in_kind;  // 0 and 1 for booleans, a number for a list of it
};

inline bool fits_element(int32_t tag, const mt_value& raw, const Argument& argument, Leniency leniency) {
  int32_t dtype;
  switch (argument.type) {
    case Type::tensor: return tag == MT_TAG_TENSOR || (leniency.numbers_as_tensors && is_number(tag));
    case Type::integer: return tag == MT_TAG_INT;
    case Type::number: return tag == MT_TAG_DOUBLE || tag == MT_TAG_INT;
    case Type::boolean: return tag == MT_TAG_BOOL || (leniency.in_kind && is_bit(raw));
    case Type::scalar: return is_number(tag);
    case Type::text: return tag == MT_TAG_STRING;
    case Type::dtype: return tag == MT_TAG_DTYPE || tag == MT_TAG_INT || (tag == MT_TAG_STRING && find_dtype(raw, &dtype));
    case Type::layout: return tag == MT_TAG_LAYOUT || tag == MT_TAG_INT;
    case Type::memory_format: return tag == MT_TAG_MEMORY_FORMAT || tag == MT_TAG_INT;
    case Type::device: return tag == MT_TAG_DEVICE || tag == MT_TAG_STRING;
    case Type::other: return true;
  }
  return false;
}

inline bool fits(const mt_value& raw, const Argument& argument, Leniency leniency) {
  if (raw.tag == MT_TAG_NONE) return argument.is_optional;
  if (raw.tag == MT_TAG_DEFAULT) return argument.has_default;
  if (!argument.is_list) return fits_element(raw.tag, raw, argument, leniency);
  if (raw.tag == MT_TAG_INT && argument.type == Type::integer) return argument.list_size > 0 || leniency.in_kind;
  if (raw.tag == MT_TAG_INT || raw.tag == MT_TAG_DOUBLE) {
    return leniency.in_kind && (argument.type == Type::number || argument.type == Type::scalar);
  }
  if (raw.tag == MT_TAG_TENSORS) return argument.type == Type::tensor;
  if (raw.tag == MT_TAG_DOUBLES) return argument.type == Type::number || argument.type == Type::scalar;
  if (raw.tag == MT_TAG_INTS) return argument.type != Type::tensor || raw.as.list.size == 0;
  return argument.type == Type::other;
}

// A call's arguments; a name is "" for those by place, which come first.
using Named = std::vector<std::pair<const char*, const mindtorch::Value*>>;

inline bool fits(const Signature& signature, const Named& given, Leniency leniency) {
  leniency.numbers_as_tensors = leniency.numbers_as_tensors && signature.takes_numbers_as_tensors;
  size_t by_place = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const bool has_name = *given[i].first != '\0';
    by_place += has_name ? 0 : 1;
    const Argument* argument = signature.find(i, given[i].first);
    if (argument == nullptr || (!has_name && argument->is_keyword)) return false;
    if (!fits(given[i].second->raw(), *argument, leniency)) return false;
  }
  const auto is_named = [&](const Argument& argument) {
    return std::any_of(given.begin() + static_cast<std::ptrdiff_t>(by_place), given.end(),
                       [&](const auto& one) { return argument.name == one.first; });
  };
  return std::all_of(signature.arguments.begin() + static_cast<std::ptrdiff_t>(by_place), signature.arguments.end(),
                     [&](const Argument& argument) { return argument.has_default || is_named(argument); });
}

using Overloads = std::vector<const Signature*>;

// Returns an operator's overloads in the registry's order; nullptr if no operator has the name.
inline std::shared_ptr<const Overloads> overloads_of(const char* name) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<Overloads>> known;
  static int64_t count = 0;
  std::lock_guard<std::mutex> guard(mutex);
  if (count != mt_op_count()) {  // at first, and after a program registered operators
    known.clear();
    count = mt_op_count();
    for (int64_t i = 0; i < count; ++i) {
      const mt_op* op = mt_op_at(i);
      mt_op_info about{};
      about.struct_size = sizeof(about);
      mindtorch::check(mt_op_get_info(op, &about));
      for (const std::string& key : {std::string(about.ns) + "::" + about.name, std::string(about.name)}) {
        if (key == about.name && std::strcmp(about.ns, "aten") != 0) continue;
        std::shared_ptr<Overloads>& all = known[key];
        if (all == nullptr) all = std::make_shared<Overloads>();
        all->insert(*about.overload == '\0' ? all->begin() : all->end(), &signature_of(op));
      }
    }
  }
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

// Refuses arguments by place where the operator takes them by name only: in zeros(2, 3) the 3 would be a dtype. A call that names an
// overload may give all arguments in the order of its schema.
inline void check_places(const Signature& signature, const Named& given) {
  const auto by_place = std::count_if(given.begin(), given.end(), [](const auto& one) { return *one.first == '\0'; });
  const auto most = std::count_if(signature.arguments.begin(), signature.arguments.end(),
                                  [](const Argument& one) { return !one.is_keyword; });
  if (by_place <= most || static_cast<size_t>(by_place) > signature.arguments.size()) return;  // the call refuses too many
  mt_op_info about{};
  about.struct_size = sizeof(about);
  mindtorch::check(mt_op_get_info(signature.op, &about));
  const std::string text = std::string(about.name) + "() takes " + std::to_string(most) + " positional argument(s) but " +
                           std::to_string(by_place) + " was/were given.  Declaration: " + about.schema;
  mindtorch::check(mt_status_create("TypeError", text.c_str()));
}

// Finds the overload with the given name. Without a name: the unnamed overload if the arguments fit it, otherwise the first one that they
// fit.
inline const Signature& find_signature(const char* name, const char* overload, const Named& given) {
  std::shared_ptr<const Overloads> all;
  if (overload == nullptr || *overload == '\0') all = overloads_of(name);
  if (all == nullptr) {
    const mt_op* op = nullptr;
    mindtorch::check(mt_op_find(name, overload, &op));
    return signature_of(op);
  }
  if (all->size() == 1) return *all->front();
  for (const Leniency leniency : {Leniency{false, false}, Leniency{true, false}, Leniency{true, true}}) {
    for (const Signature* signature : *all) {
      if (fits(*signature, given, leniency)) return *signature;
    }
  }
  return *all->front();  // its call fails, and says why
}

}  // namespace mindtorch_swig
