// Calls of operators with Tcl's values. They have no types: each is read as what the operator's schema wants, and the first overload that
// all of them fit is called.
#pragma once

#include "callbacks.h"

namespace {

using mindtorch_swig::Argument;
using mindtorch_swig::Signature;
using mindtorch_swig::Type;
using mindtorch_swig::Values;

// Whether a value is this word. A value that has no string representation yet is the result of a command, such as a number or a list.
bool is_word(Tcl_Obj* value, const char* word) {
  return value->typePtr != &handle_type && value->bytes != nullptr && std::strcmp(value->bytes, word) == 0;
}
bool is_none(Tcl_Obj* value) { return is_word(value, "none") || is_word(value, "NULL"); }

// The handle of this type, or nullptr if the value is something else.
void* find_handle(Tcl_Obj* value, const char* type) {
  if (value->typePtr == &handle_type) {
    Handle* handle = handle_of(value);
    const size_t size = std::strlen(type);
    return handle->name.compare(0, size, type) == 0 && handle->name[size] == '#' ? handle->pointer : nullptr;
  }
  if (std::strncmp(Tcl_GetString(value), type, std::strlen(type)) != 0) return nullptr;
  void* pointer = nullptr;
  return get_handle(nullptr, value, type, &pointer) == TCL_OK ? pointer : nullptr;
}

bool read_integer(Tcl_Obj* value, int64_t* out) {
  Tcl_WideInt number;
  if (value->typePtr == &handle_type || Tcl_GetWideIntFromObj(nullptr, value, &number) != TCL_OK) return false;
  *out = number;
  return true;
}
bool read_number(Tcl_Obj* value, double* out) {
  return value->typePtr != &handle_type && Tcl_GetDoubleFromObj(nullptr, value, out) == TCL_OK;
}

bool box_text(Tcl_Obj* value, Values& values) {
  if (value->typePtr == &handle_type) return false;
  values.add_string(Tcl_GetString(value));
  return true;
}

bool box_element(Tcl_Obj* value, const Argument& argument, bool takes_numbers, Values& values) {
  int64_t whole;
  double number;
  int on;
  switch (argument.type) {
    case Type::tensor:
      if (void* tensor = find_handle(value, "mt_tensor")) {
        values.add_tensor(static_cast<mt_tensor*>(tensor));
        return true;
      }
      if (!takes_numbers) return false;
      [[fallthrough]];
    case Type::scalar:
      if (read_integer(value, &whole)) {
        values.add_int(whole);
        return true;
      }
      if (!read_number(value, &number)) return false;
      values.add_double(number);
      return true;
    case Type::integer:
      if (!read_integer(value, &whole)) return false;
      values.add_int(whole);
      return true;
    case Type::number:
      if (!read_number(value, &number)) return false;
      values.add_double(number);
      return true;
    case Type::boolean:
      if (value->typePtr == &handle_type || Tcl_GetBooleanFromObj(nullptr, value, &on) != TCL_OK) return false;
      values.add_bool(on != 0);
      return true;
    case Type::text: return box_text(value, values);
    case Type::dtype:
    case Type::layout:
    case Type::memory_format: {
      if (read_integer(value, &whole)) {
        values.add_int(whole);
        return true;
      }
      if (argument.type != Type::dtype || !box_text(value, values)) return false;
      int32_t dtype;
      return mindtorch_swig::find_dtype(values.at(values.size() - 1).raw(), &dtype);
    }
    case Type::device: return box_text(value, values);
    case Type::other:
      if (void* tensor = find_handle(value, "mt_tensor")) {
        values.add_tensor(static_cast<mt_tensor*>(tensor));
        return true;
      }
      if (void* generator = find_handle(value, "mt_generator")) {
        values.add_generator(static_cast<mt_generator*>(generator));
        return true;
      }
      return box_text(value, values);
  }
  return false;
}

bool box_list(Tcl_Obj* value, const Argument& argument, Values& values) {
  Tcl_Obj** items;
  int count;
  // A tensor's name is also a list of one word.
  if (Tcl_ListObjGetElements(nullptr, value, &count, &items) != TCL_OK) return false;
  std::vector<int64_t> wholes;
  std::vector<double> numbers;
  mindtorch_swig::Tensors tensors;
  for (int i = 0; i < count; ++i) {
    int64_t whole;
    double number;
    int on;
    if (argument.type == Type::tensor) {
      void* tensor = find_handle(items[i], "mt_tensor");
      if (tensor == nullptr && !is_none(items[i])) return false;
      tensors.add(static_cast<mt_tensor*>(tensor));
    } else if (argument.type == Type::integer) {
      if (!read_integer(items[i], &whole)) return false;
      wholes.push_back(whole);
    } else if (argument.type == Type::boolean) {
      if (Tcl_GetBooleanFromObj(nullptr, items[i], &on) != TCL_OK) return false;
      wholes.push_back(on != 0);
    } else {
      if (!read_number(items[i], &number)) return false;
      numbers.push_back(number);
      if (read_integer(items[i], &whole)) wholes.push_back(whole);
    }
  }
  if (argument.type == Type::tensor) {
    values.add_tensors(tensors);
  } else if (static_cast<int>(wholes.size()) == count) {
    values.add_ints(wholes);
  } else {
    values.add_doubles(numbers);
  }
  return true;
}

bool box(Tcl_Obj* value, const Argument& argument, bool takes_numbers, Values& values) {
  if (argument.is_optional && is_none(value)) {
    values.add_none();
    return true;
  }
  if (argument.is_list && argument.type != Type::other) return box_list(value, argument, values);
  return box_element(value, argument, takes_numbers, values);
}

// `-alpha` is a name, `-1` and `-inf` are numbers.
bool is_name(Tcl_Obj* value) {
  if (value->typePtr == &handle_type) return false;
  const char* text = Tcl_GetString(value);
  double number;
  return text[0] == '-' && text[1] >= 'a' && text[1] <= 'z' && !read_number(value, &number);
}

struct Given {
  const char* name;  // "" by place
  Tcl_Obj* value;
};

std::vector<Given> split_arguments(int count, Tcl_Obj* const* arguments) {
  std::vector<Given> out;
  for (int i = 0; i < count; ++i) {
    if (!is_name(arguments[i])) {
      out.push_back({"", arguments[i]});
      continue;
    }
    const char* name = Tcl_GetString(arguments[i]) + 1;
    if (++i == count) mindtorch_swig::fail("TypeError", std::string("-") + name + " has no value");
    out.push_back({name, arguments[i]});
  }
  return out;
}

// If strict, 0 and 1 are numbers only: `torch std $x 0` names a dimension.
bool box_all(const Signature& signature, const std::vector<Given>& given, bool is_strict, Values& values) {
  int64_t whole = 0;
  uint64_t seen = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const Argument* argument = signature.find(i, given[i].name);
    if (argument == nullptr || (*given[i].name == '\0' && argument->is_keyword)) return false;
    if (is_strict && argument->type == Type::boolean && read_integer(given[i].value, &whole)) return false;
    if (!box(given[i].value, *argument, signature.takes_numbers_as_tensors, values)) return false;
    if (*given[i].name != '\0') values.name(given[i].name);
    seen |= uint64_t{1} << (argument - signature.arguments.data());
  }
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    if ((seen >> i & 1) == 0 && !signature.arguments[i].has_default) return false;
  }
  return true;
}

// Boxes arguments that fit no overload by their appearance, so that the call fails with an error that names what is wrong.
void box_anyhow(const Signature& signature, const std::vector<Given>& given, Values& values) {
  for (size_t i = 0; i < given.size(); ++i) {
    const Argument* argument = signature.find(i, given[i].name);
    const int64_t before = values.size();
    if (argument == nullptr || !box(given[i].value, *argument, true, values)) {
      const Argument any = mindtorch_swig::result_of(Type::scalar), other = mindtorch_swig::result_of(Type::other);
      if (values.size() == before && !box(given[i].value, any, false, values)) box(given[i].value, other, false, values);
    }
    if (*given[i].name != '\0') values.name(given[i].name);
  }
}

Tcl_Obj* own_tensor(const mindtorch::Tensor& tensor) {
  if (!tensor.defined()) return Tcl_NewStringObj("none", -1);
  mt_tensor_retain(tensor.handle());
  return new_handle(tensor.handle(), "mt_tensor", [](void* handle) { mt_tensor_release(static_cast<mt_tensor*>(handle)); });
}

Tcl_Obj* unbox(const mindtorch::Value& value) {
  const mt_value& raw = value.raw();
  switch (raw.tag) {
    case MT_TAG_NONE: return Tcl_NewStringObj("none", -1);
    case MT_TAG_BOOL: return Tcl_NewBooleanObj(raw.as.i != 0);
    case MT_TAG_DOUBLE: return Tcl_NewDoubleObj(raw.as.d);
    case MT_TAG_STRING: return Tcl_NewStringObj(raw.as.string.data, static_cast<int>(raw.as.string.size));
    case MT_TAG_TENSOR: return own_tensor(value.tensor());
    case MT_TAG_INT:
    case MT_TAG_DTYPE:
    case MT_TAG_LAYOUT:
    case MT_TAG_MEMORY_FORMAT: return Tcl_NewWideIntObj(raw.as.i);
    default: break;
  }
  Tcl_Obj* list = Tcl_NewListObj(0, nullptr);
  const auto add = [list](Tcl_Obj* item) { Tcl_ListObjAppendElement(nullptr, list, item); };
  if (raw.tag == MT_TAG_COMPLEX) {
    for (const double part : raw.as.c) add(Tcl_NewDoubleObj(part));
  } else if (raw.tag == MT_TAG_TENSORS) {
    for (const mindtorch::Tensor& tensor : value.tensors()) add(own_tensor(tensor));
  } else if (raw.tag == MT_TAG_INTS) {
    for (int64_t i = 0; i < raw.as.list.size; ++i) add(Tcl_NewWideIntObj(static_cast<const int64_t*>(raw.as.list.data)[i]));
  } else if (raw.tag == MT_TAG_DOUBLES) {
    for (int64_t i = 0; i < raw.as.list.size; ++i) add(Tcl_NewDoubleObj(static_cast<const double*>(raw.as.list.data)[i]));
  } else {
    Tcl_DecrRefCount(list);
    mindtorch_swig::fail("TypeError", "Tcl has no form for a value with tag " + std::to_string(raw.tag));
  }
  return list;
}

// Runs C++ in a command; its error becomes Tcl's.
template <class Work>
int run_as_command(Tcl_Interp* interp, Work&& work) {
  try {
    work();
    return TCL_OK;
  } catch (const mindtorch::Error& error) {
    return set_error(interp, error.kind().c_str(), error.what());
  } catch (const std::exception& error) {
    return set_error(interp, "RuntimeError", error.what());
  }
}

// With the overload "", the first that the arguments fit.
int call_operator(Tcl_Interp* interp, const char* name, const char* overload, int count, Tcl_Obj* const* arguments) {
  return run_as_command(interp, [&] {
    std::shared_ptr<const mindtorch_swig::Overloads> all;
    mindtorch_swig::Overloads one;
    if (*overload == '\0') {
      all = mindtorch_swig::overloads_of(name);
      if (all == nullptr) mindtorch_swig::fail("AttributeError", std::string("there is no operator ") + name);
    } else {
      one.push_back(&mindtorch_swig::find_signature(name, overload, {}));
    }
    const mindtorch_swig::Overloads& choices = all == nullptr ? one : *all;
    const std::vector<Given> given = split_arguments(count, arguments);
    Values values, results;
    const Signature* chosen = nullptr;
    for (const bool is_strict : {true, false}) {
      for (const Signature* signature : choices) {
        if (chosen != nullptr) break;
        values.clear();
        if (box_all(*signature, given, is_strict, values)) chosen = signature;
      }
    }
    if (chosen == nullptr) {
      values.clear();
      chosen = choices.front();
      box_anyhow(*chosen, given, values);
    }
    results = mindtorch_swig::call(*chosen, values.named(), *overload != '\0');
    if (results.size() == 1) {
      Tcl_SetObjResult(interp, unbox(results.at(0)));
      return;
    }
    Tcl_Obj* list = Tcl_NewListObj(0, nullptr);
    for (int64_t i = 0; i < results.size(); ++i) Tcl_ListObjAppendElement(nullptr, list, unbox(results.at(i)));
    Tcl_SetObjResult(interp, list);
  });
}

// torch NAME ARGUMENT ... ?-KEYWORD ARGUMENT ...?
int torch_command(ClientData, Tcl_Interp* interp, int count, Tcl_Obj* const words[]) {
  if (count < 2) {
    Tcl_WrongNumArgs(interp, 1, words, "name ?argument ...? ?-keyword value ...?");
    return TCL_ERROR;
  }
  const char* name = Tcl_GetString(words[1]);
  if (count == 2 && std::strcmp(name, "version") == 0) {
    Tcl_SetObjResult(interp, Tcl_NewStringObj(mt_version(), -1));
    return TCL_OK;
  }
  return call_operator(interp, name, "", count - 2, words + 2);
}

// mindtorch::call NAME OVERLOAD ARGUMENT ...
int call_command(ClientData, Tcl_Interp* interp, int count, Tcl_Obj* const words[]) {
  if (count < 3) {
    Tcl_WrongNumArgs(interp, 1, words, "name overload ?argument ...? ?-keyword value ...?");
    return TCL_ERROR;
  }
  return call_operator(interp, Tcl_GetString(words[1]), Tcl_GetString(words[2]), count - 3, words + 3);
}

// ---- hooks and operators: command prefixes, which are called with values or with lists of them ----

class Prefix : public mindtorch_swig::Callback {
 public:
  Prefix(Tcl_Interp* interp, Tcl_Obj* prefix) : interp_(interp), prefix_(Tcl_DuplicateObj(prefix)) {
    Tcl_IncrRefCount(prefix_);
    int count;
    if (Tcl_ListObjLength(nullptr, prefix_, &count) != TCL_OK || count == 0) {
      Tcl_DecrRefCount(prefix_);
      mindtorch_swig::fail("TypeError", "a command prefix is expected");
    }
    Tcl_Preserve(interp_);
  }
  ~Prefix() override {
    Tcl_DecrRefCount(prefix_);
    Tcl_Release(interp_);
  }

 protected:
  Values call(const std::vector<Values>& lists, const std::vector<Argument>& wanted) override {
    if (Tcl_InterpDeleted(interp_)) mindtorch_swig::fail("RuntimeError", "the interpreter of this command is deleted");
    Tcl_Obj* command = Tcl_DuplicateObj(prefix_);
    Tcl_IncrRefCount(command);
    for (const Values& list : lists) {
      Tcl_Obj* items = lists.size() == 1 ? command : Tcl_NewListObj(0, nullptr);
      for (int64_t i = 0; i < list.size(); ++i) Tcl_ListObjAppendElement(nullptr, items, unbox(list.at(i)));
      if (items != command) Tcl_ListObjAppendElement(nullptr, command, items);
    }
    const int status = Tcl_EvalObjEx(interp_, command, TCL_EVAL_DIRECT | TCL_EVAL_GLOBAL);
    Tcl_DecrRefCount(command);
    Tcl_Obj* result = Tcl_GetObjResult(interp_);
    Tcl_IncrRefCount(result);
    const std::unique_ptr<Tcl_Obj, void (*)(Tcl_Obj*)> held(result, [](Tcl_Obj* value) { Tcl_DecrRefCount(value); });
    if (status == TCL_ERROR) mindtorch_swig::fail(error_kind().c_str(), Tcl_GetString(result));
    Tcl_ResetResult(interp_);
    Values results;
    if (wanted.size() == 1) {
      box_result(result, wanted[0], results);
      return results;
    }
    Tcl_Obj** items;
    int count;
    if (Tcl_ListObjGetElements(nullptr, result, &count, &items) != TCL_OK)
      mindtorch_swig::fail("TypeError", "the command's result is no list");
    for (int i = 0; i < count; ++i) box_result(items[i], wanted[std::min(static_cast<size_t>(i), wanted.size() - 1)], results);
    return results;
  }

 private:
  // An error of the library keeps its kind.
  std::string error_kind() {
    Tcl_Obj* code = Tcl_GetVar2Ex(interp_, "::errorCode", nullptr, TCL_GLOBAL_ONLY);
    Tcl_Obj** words;
    int count;
    if (code == nullptr || Tcl_ListObjGetElements(nullptr, code, &count, &words) != TCL_OK || count != 2) return "RuntimeError";
    return std::strcmp(Tcl_GetString(words[0]), "MINDTORCH") == 0 ? Tcl_GetString(words[1]) : "RuntimeError";
  }
  static void box_result(Tcl_Obj* result, const Argument& wanted, Values& results) {
    if (!box(result, wanted, false, results))
      mindtorch_swig::fail("TypeError", "the command's result does not have the type of the schema");
  }

  Tcl_Interp* interp_;
  Tcl_Obj* prefix_;
};

// mindtorch::on_gradient TENSOR PREFIX: the hook's number, for tensor_remove_hook.
int on_gradient_command(ClientData, Tcl_Interp* interp, int count, Tcl_Obj* const words[]) {
  if (count != 3) {
    Tcl_WrongNumArgs(interp, 1, words, "tensor prefix");
    return TCL_ERROR;
  }
  return run_as_command(interp, [&] {
    void* tensor = find_handle(words[1], "mt_tensor");
    if (tensor == nullptr) mindtorch_swig::fail("TypeError", std::string("expected mt_tensor but got \"") + Tcl_GetString(words[1]) + "\"");
    const int64_t id = mindtorch_swig::add_hook(static_cast<mt_tensor*>(tensor), std::make_unique<Prefix>(interp, words[2]));
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(id));
  });
}

// mindtorch::define SCHEMA PREFIX ?PREFIX OF THE DERIVATIVE?
int define_command(ClientData, Tcl_Interp* interp, int count, Tcl_Obj* const words[]) {
  if (count != 3 && count != 4) {
    Tcl_WrongNumArgs(interp, 1, words, "schema prefix ?derivative?");
    return TCL_ERROR;
  }
  return run_as_command(interp, [&] {
    mindtorch_swig::define_operator(Tcl_GetString(words[1]), std::make_unique<Prefix>(interp, words[2]),
                                    count == 4 ? std::make_unique<Prefix>(interp, words[3]) : nullptr);
  });
}

void add_commands(Tcl_Interp* interp) {
  Tcl_CreateObjCommand(interp, "::torch", torch_command, nullptr, nullptr);
  Tcl_CreateObjCommand(interp, "::mindtorch::call", call_command, nullptr, nullptr);
  Tcl_CreateObjCommand(interp, "::mindtorch::on_gradient", on_gradient_command, nullptr, nullptr);
  Tcl_CreateObjCommand(interp, "::mindtorch::define", define_command, nullptr, nullptr);
}

}  // namespace
