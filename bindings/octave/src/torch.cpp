// The function `torch`: its value has every operator after a dot, and what a program needs besides them.
#include <map>

#include <octave/file-ops.h>
#include <octave/oct-map.h>
#include <octave/parse.h>

#include "functions.h"
#include "mindtorch.h"

namespace mindtorch_octave {

namespace {

// ---- functions of Octave ----

class Function : public mindtorch_swig::Callback {
 public:
  explicit Function(const octave_value& function) : function_(function) {}

 protected:
  Values call(const std::vector<Values>& lists, const std::vector<mindtorch_swig::Argument>& wanted) override {
    octave_value_list given;
    if (lists.size() == 1) {
      for (int64_t i = 0; i < lists[0].size(); ++i) given.append(unbox(lists[0].at(i)));
    } else {
      for (const Values& list : lists) {
        Cell cell(1, static_cast<octave_idx_type>(list.size()));
        for (int64_t i = 0; i < list.size(); ++i) cell(static_cast<octave_idx_type>(i)) = unbox(list.at(i));
        given.append(octave_value(cell));
      }
    }
    octave_value_list found;
    try {
      // A hook may be a function without a result, such as printf: requests no result from it.
      found = octave::feval(function_, given, wanted.size() == 1 && wanted[0].type == mindtorch_swig::Type::other ? 0 : 1);
    } catch (const octave::execution_exception& error) {
      // If the library raised the error, its kind is in the identifier and is kept.
      const std::string identifier = error.identifier(), ours = "MindTorch:";
      const std::string kind = identifier.compare(0, ours.size(), ours) == 0 ? identifier.substr(ours.size()) : "RuntimeError";
      fail(kind.c_str(), error.message());
    } catch (const octave::interrupt_exception&) {
      fail("KeyboardInterrupt", "interrupted");
    }
    Values results;
    if (found.empty() || found(0).is_undefined()) {
      if (wanted.size() == 1) results.add_none();
    } else if (wanted.size() != 1 && found(0).iscell()) {
      // A function returns several results as a cell array.
      const Cell cell = found(0).cell_value();
      for (octave_idx_type i = 0; i < cell.numel(); ++i) box(cell(i), results);
    } else {
      box(found(0), results);
    }
    return results;
  }

 private:
  octave_value function_;
};

// ---- recording ----

// Restores the former grad mode when Octave destroys the last copy of the value.
class octave_guard : public octave_base_value {
 public:
  octave_guard() = default;
  ~octave_guard() override {
    if (is_active_) mt_status_release(mt_mode_set(MT_MODE_GRAD, before_));
  }
  void disable_grad() {
    mindtorch::check(mt_mode_get(MT_MODE_GRAD, &before_));
    mindtorch::check(mt_mode_set(MT_MODE_GRAD, 0));
    is_active_ = true;
  }
  octave_base_value* empty_clone() const override { return new octave_guard(); }
  bool is_defined() const override { return true; }
  bool is_storable() const override { return false; }
  void print(std::ostream& os, bool = false) override { os << "no gradients are recorded while this value exists\n"; }
  void print_raw(std::ostream& os, bool = false) const override { os << "no gradients are recorded while this value exists"; }

 private:
  int32_t before_ = 1;
  bool is_active_ = false;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA(octave_guard, "no_grad", "torch.no_grad")

octave_value_list no_grad(const octave_value_list& given, int nargout) {
  auto* guard = new octave_guard();
  const octave_value held(guard);
  guard->disable_grad();
  if (given.empty()) return held;
  return octave::feval(given(0), octave_value_list(), nargout);
}

// ---- functions besides operators ----

std::string require_string(const octave_value& value, const char* meaning) {
  if (!value.is_string()) fail("TypeError", std::string(meaning) + " is a string, not a value of class " + value.class_name());
  return value.string_value();
}
std::string path_of(const octave_value& value) { return octave::sys::file_ops::tilde_expand(require_string(value, "a path")); }

void require_argument_count(const octave_value_list& given, int least, int most, const char* usage) {
  if (given.length() < least || given.length() > most) fail("TypeError", std::string("usage: ") + usage);
}

// tensor(x, "dtype", "float64", "requires_grad", true)
octave_value_list make_tensor(const octave_value_list& given, int) {
  require_argument_count(given, 1, 5, "torch.tensor (x, \"dtype\", name, \"requires_grad\", true)");
  std::string dtype;
  bool has_grad = false;
  for (int i = 1; i < given.length(); i += 2) {
    const std::string name = require_string(given(i), "the name of an option");
    if (i + 1 == given.length()) fail("TypeError", name + " has no value");
    if (name == "dtype") {
      dtype = require_string(given(i + 1), "a dtype");
    } else if (name == "requires_grad") {
      has_grad = given(i + 1).bool_value();
    } else {
      fail("TypeError", "tensor has no option " + name);
    }
  }
  Tensor made = from_array(given(0), dtype);
  if (is_tensor(given(0))) made = mindtorch::call("clone", {mindtorch::call("detach", {made})});
  if (has_grad) mindtorch::check(mt_tensor_set_requires_grad(made.handle(), 1));
  return wrap(made);
}

// from_bytes(uint8 array, sizes, dtype): elements as memory has them, by row.
octave_value_list from_bytes(const octave_value_list& given, int) {
  require_argument_count(given, 3, 3, "torch.from_bytes (uint8, sizes, dtype)");
  if (!given(0).is_uint8_type()) fail("TypeError", "the elements are an array of class uint8");
  const uint8NDArray bytes = given(0).uint8_array_value();
  const NDArray sizes = given(1).array_value();
  return wrap(Tensor::own(mindtorch_swig::tensor_from_bytes(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.numel()),
                                                            std::vector<int64_t>(sizes.data(), sizes.data() + sizes.numel()),
                                                            dtype_named(require_string(given(2), "a dtype")))));
}

octave_value_list load(const octave_value_list& given, int) {
  require_argument_count(given, 1, 1, "torch.load (path)");
  const mindtorch_swig::NamedTensors found = mindtorch_swig::load_tensors(path_of(given(0)));
  octave_scalar_map out;
  for (int64_t i = 0; i < found.size(); ++i) out.setfield(found.name(i), wrap(Tensor::own(found.get(i))));
  return octave_value(out);
}

octave_value_list save(const octave_value_list& given, int) {
  require_argument_count(given, 2, 3, "torch.save (struct, path, \"safetensors\" or \"torch\")");
  if (!given(0).isstruct() || given(0).numel() != 1) fail("TypeError", "the tensors are fields of a struct");
  const std::string format = given.length() == 3 ? require_string(given(2), "a format") : "safetensors";
  if (format != "safetensors" && format != "torch") fail("ValueError", "a format is safetensors or torch, not " + format);
  const octave_scalar_map map = given(0).scalar_map_value();
  const string_vector names = map.fieldnames();
  mindtorch_swig::NamedTensors named;
  for (octave_idx_type i = 0; i < names.numel(); ++i) named.add(names(i), tensor_of(map.getfield(names(i))).handle());
  named.save(path_of(given(1)), format == "torch");
  return octave_value_list();
}

octave_value_list manual_seed(const octave_value_list& given, int) {
  require_argument_count(given, 1, 1, "torch.manual_seed (number)");
  mindtorch::manual_seed(given(0).is_uint64_type() ? given(0).uint64_scalar_value().value()
                                                   : static_cast<uint64_t>(given(0).int64_value()));
  return octave_value_list();
}

octave_value_list define_operator_in_octave(const octave_value_list& given, int) {
  require_argument_count(given, 2, 3, "torch.define (schema, function, derivative)");
  mindtorch_swig::define_operator(require_string(given(0), "a schema"), function_of(given(1)),
                                  given.length() == 3 ? function_of(given(2)) : nullptr);
  return octave_value_list();
}

octave_value_list call_overload(const octave_value_list& given, int nargout) {
  if (given.length() < 2) fail("TypeError", "usage: torch.call (name, overload, ...)");
  const std::string name = require_string(given(0), "an operator's name");
  Values values;
  box_arguments(name, given, 2, values);
  return call_operator(name, require_string(given(1), "an overload's name"), values, nargout);
}

octave_value_list version(const octave_value_list&, int) { return octave_value(std::string(mt_version())); }

const std::map<std::string, octave_value_list (*)(const octave_value_list&, int)>& functions() {
  static const std::map<std::string, octave_value_list (*)(const octave_value_list&, int)> known = {
      {"tensor", make_tensor},
      {"from_bytes", from_bytes},
      {"load", load},
      {"save", save},
      {"no_grad", no_grad},
      {"define", define_operator_in_octave},
      {"manual_seed", manual_seed},
      {"version", version},
      {"call", call_overload},
  };
  return known;
}

// The value of `torch`.
class octave_torch : public octave_base_value {
 public:
  octave_base_value* empty_clone() const override { return new octave_torch(); }
  octave_base_value* clone() const override { return new octave_torch(); }
  bool is_defined() const override { return true; }
  bool is_storable() const override { return false; }
  bool isobject() const override { return true; }  // so that an operator gets its arguments with its name
  void print(std::ostream& os, bool = false) override {
    print_raw(os);
    newline(os);
  }
  void print_raw(std::ostream& os, bool = false) const override {
    os << "mindtorch " << mt_version() << ": torch.NAME (...) calls an operator";
  }

  octave_value_list subsref(const std::string& type, const std::list<octave_value_list>& index, int nargout) override {
    if (type[0] != '.') error("torch has only functions: torch.NAME (...)");
    auto given = index.begin();
    const std::string name = given->operator()(0).string_value();
    const bool has_arguments = type.size() > 1 && type[1] == '(';
    const size_t used = has_arguments ? 2 : 1;
    const octave_value_list arguments = has_arguments ? *++given : octave_value_list();
    const octave_value_list found = call(name, arguments, type.size() > used ? 1 : nargout);
    if (type.size() <= used) return found;
    if (found.empty()) error("there is no value to index");
    std::list<octave_value_list> rest = index;
    for (size_t i = 0; i < used; ++i) rest.pop_front();
    return octave_value(found(0)).subsref(type.substr(used), rest, nargout);
  }
  octave_value subsref(const std::string& type, const std::list<octave_value_list>& index) override {
    const octave_value_list found = subsref(type, index, 1);
    return found.empty() ? octave_value() : found(0);
  }

 private:
  static octave_value_list call(const std::string& name, const octave_value_list& given, int nargout) {
    return guarded([&]() -> octave_value_list {
      const auto function = functions().find(name);
      if (function != functions().end()) return function->second(given, nargout);
      // Operators of another namespace: torch.("my::scale") (x).
      if (!mindtorch_swig::operator_exists(name.c_str())) fail("AttributeError", "there is no operator " + name);
      Values values;
      box_arguments(name, given, 0, values);
      return call_operator(name, "", values, nargout);
    });
  }

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA(octave_torch, "torch", "torch")

}  // namespace

std::unique_ptr<mindtorch_swig::Callback> function_of(const octave_value& function) {
  if (!function.is_function_handle()) fail("TypeError", "a function handle is expected, not a value of class " + function.class_name());
  return std::make_unique<Function>(function);
}

}  // namespace mindtorch_octave

DEFMETHOD_DLD(
    torch, interp, args, ,
    "-*- texinfo -*-\n"
    "@deftypefn {} {@var{result} =} torch.@var{name} (@var{argument}, @dots{})\n"
    "Call the operator @var{name} of PyTorch.\n"
    "\n"
    "@code{torch.tensor} makes tensors of arrays, @code{torch.load} and @code{torch.save} read and write files,\n"
    "@code{torch.no_grad} stops recording, @code{torch.manual_seed} sets the generator, @code{torch.define} defines an operator.\n"
    "@end deftypefn") {
  using namespace mindtorch_octave;
  static bool is_ready = false;
  if (args.length() > 0) error("torch has only functions: torch.NAME (...)");
  if (!is_ready) {
    // Registered types refer to this file's code, so Octave must not unload it.
    interp.mlock();
    octave::type_info& types = interp.get_type_info();
    octave_tensor::register_type(types);
    octave_torch::register_type(types);
    octave_guard::register_type(types);
    install_operators(types);
    is_ready = true;
  }
  return octave_value(new octave_torch());
}
