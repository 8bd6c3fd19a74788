// A Python signature: what one overload accepts, made from a schema or from a text in the schema language.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common.h"

namespace mt::py {

enum class Kind : uint8_t {
  tensor,
  scalar,
  integer,
  real,
  boolean,
  string,
  dtype,
  layout,
  memory_format,
  device,
  generator,
  storage,
  stream,
  ints,
  reals,
  booleans,
  tensors,
  optional_tensors,
  scalars,
  strings,
  object
};

struct Parameter {
  Kind kind = Kind::object;
  bool optional = false;         // has a default
  bool allows_none = false;
  bool keyword_only = false;
  bool takes_index = false;      // a SymInt: accepts any object with __index__, where an int needs an int
  bool allows_number = false;    // a Tensor parameter that accepts a Python number
  bool none_is_default = false;  // None means "not given" instead of a none value
  bool reads_as_zero = false;    // the default is the name of a reduction, which torch's own binder reads as the number 0
  int list_size = 0;             // N of int[N]
  int slot = -1;                 // index in the operator's schema, -1 if the binder itself handles it
  int out_slot = -1;             // index in the out form's schema
  std::string name;
  std::string schema_type;       // "SymInt[2]"
  std::string default_text;      // as printed
  PyObject* py_name = nullptr;   // interned
  std::vector<PyObject*> other_names;  // NumPy's names for it
};

constexpr int max_parameters = 32;

struct Signature {
  const mt_op* op = nullptr;
  const mt_op* out_op = nullptr;
  std::vector<Parameter> parameters;
  int n_args = 0;               // of the schema
  int n_out_args = 0;
  int self_slot = -1;           // for methods: the index of self
  int out_parameter = -1;
  int n_outs = 0;
  bool out_is_list = false;  // out= takes a list of tensors
  int first_out_slot = 0;
  int requires_grad_parameter = -1;
  int max_positional = 0;
  int min_args = 0;
  bool takes_varargs = false;   // view(2, 3) means view((2, 3))
  bool deprecated = false;      // accepted, but not printed
  bool is_inplace = false;
  bool gives_list_back = false;  // _foreach_*_ returns the list that it modified
  bool is_factory = false;

  // "(Tensor input, Number other, *, Tensor out = None)", with `out` if there is one.
  std::string text() const;
  // The text by which torch sorts overloads.
  std::string sort_key() const;
  void finish();  // derives counts and flags from the parameters
};

// Makes a signature from a schema. `method`: without self. out: the out form, or NULL.
Signature signature_of(const mt_op* op, const mt_op* out, bool method);
// Makes a signature from "name(Tensor self, Scalar alpha, Tensor other)"; parameters use the slots of `like` by name.
Signature signature_from_text(std::string_view text);
void connect_to_current_overload(Signature& deprecated, const Signature& like);

const char* printed_type(const Parameter& parameter);
mt_op_info info_of(const mt_op* op);
mt_arg_info argument_of(const mt_op* op, int index);

// Sorts overloads into the order in which torch tries them.
void sort_overloads(std::vector<Signature>& signatures);

// ---- matching (match.cpp, match_errors.cpp) ---------------------------------------------------------------------

struct Arguments {
  PyObject* self = nullptr;  // methods only
  PyObject* const* values = nullptr;
  Py_ssize_t n = 0;
  PyObject* names = nullptr;  // tuple of keyword names; their values follow the positional ones
  Py_ssize_t n_named() const { return names ? PyTuple_GET_SIZE(names) : 0; }
};

// Converts a call's tuple and dict to the form that the binder takes.
class Unpacked {
 public:
  Unpacked(PyObject* args, PyObject* kwargs) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) values_.push_back(PyTuple_GET_ITEM(args, i));
    arguments.n = static_cast<Py_ssize_t>(values_.size());
    if (kwargs && PyDict_GET_SIZE(kwargs)) {
      names_ = own(PyTuple_New(PyDict_GET_SIZE(kwargs)));
      PyObject *key, *value;
      Py_ssize_t at = 0, i = 0;
      while (PyDict_Next(kwargs, &at, &key, &value)) {
        PyTuple_SET_ITEM(names_.get(), i++, incref(key));
        values_.push_back(value);
      }
      arguments.names = names_.get();
    }
    arguments.values = values_.data();
  }
  Arguments arguments;

 private:
  std::vector<PyObject*> values_;
  Ref names_;
};

// The arguments by parameter of a signature: one object or NULL each.
struct Match {
  const Signature* signature = nullptr;
  PyObject* objects[max_parameters];
  Ref varargs;                        // tuple that replaces several ints
  std::vector<PyObject*> overloaded;  // arguments with a __torch_function__ of their own
};

struct Overloads {
  std::string name;  // for error texts
  std::vector<Signature> signatures;
};

// Fills `match` for the first signature that accepts the arguments; throws TypeError with torch's texts.
void match_arguments(const Overloads& overloads, const Arguments& arguments, Match& match);
bool try_match(const Overloads& overloads, const Signature& signature, const Arguments& arguments, Match& match, bool raising);
[[noreturn]] void raise_no_match(const Overloads& overloads, const Arguments& arguments);

// Whether an object matches a parameter. If it is a list of ints that does not, `failed_at` receives the index of the first wrong element.
bool accepts(const Parameter& parameter, PyObject* object, int position, std::vector<PyObject*>& overloaded, int* failed_at);

// ---- conversion (convert.cpp) -------------------------------------------------------------------------------------

// Memory for the lists and temporary tensors of one call.
class Arena {
 public:
  ~Arena();
  void* take(size_t bytes);
  mt_tensor* keep(mt_tensor* owned);

 private:
  alignas(16) char buffer_[512];
  size_t used_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<mt_tensor*> tensors_;
};
mt_value convert(const std::string& function, const Parameter& parameter, PyObject* object, Arena& arena);

// A small parser for hand-written functions: signatures as texts ("|deprecated" at the end: not printed), then typed access by position.
class Parser {
 public:
  Parser(const char* name, std::initializer_list<const char*> signatures);
  class Parsed {
   public:
    int index = 0;  // of the matched signature
    Match match;
    const Overloads* overloads = nullptr;
    bool has(int i) const { return match.objects[i] != nullptr; }
    PyObject* object(int i) const { return match.objects[i]; }
    bool flag(int i, bool otherwise = false) const;
    int64_t integer(int i, int64_t otherwise = 0) const;
    std::vector<int64_t> ints(int i) const;
    int32_t dtype(int i, int32_t otherwise = -1) const;
  };
  // Also calls __torch_function__ if there is one; then `handled` holds the result.
  Parsed parse(const Arguments& arguments, Ref* handled = nullptr, PyObject* function = nullptr) const;
  const Overloads& overloads() const { return overloads_; }

 private:
  Overloads overloads_;
};
int32_t to_dtype(PyObject* object);  // a dtype or a Python type
std::vector<int64_t> to_ints(const std::string& function, const Parameter& parameter, PyObject* object);

}  // namespace mt::py
