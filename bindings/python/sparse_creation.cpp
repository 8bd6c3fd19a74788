// Functions that make sparse tensors from any data: sparse_coo_tensor, sparse_csr_tensor and similar ones; and whether components are
// checked.
#include <cstring>
#include <string>
#include <vector>

#include "creation.h"

namespace mt::py {
namespace {

int32_t sparse_checks_setting() {
  int32_t value = 0;
  check(mt_option_get(MT_OPTION_SPARSE_CHECKS, &value));
  return value;
}

// Sets whether components are checked during one call, then restores the process-wide setting.
class SparseChecksScope {
 public:
  explicit SparseChecksScope(PyObject* wanted) : before_(sparse_checks_setting()) {
    if (wanted && wanted != Py_None)
      check(mt_option_set(MT_OPTION_SPARSE_CHECKS, wanted == Py_True));
    else
      warn_if_unchecked();
  }
  ~SparseChecksScope() {
    if (mt_status* status = mt_option_set(MT_OPTION_SPARSE_CHECKS, before_)) mt_status_release(status);
  }
  SparseChecksScope(const SparseChecksScope&) = delete;
  SparseChecksScope& operator=(const SparseChecksScope&) = delete;

 private:
  void warn_if_unchecked() const {
    static bool given = false;
    if (before_ != 2 || !is_due(given)) return;
    warn(
        PyExc_UserWarning,
        "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse tensor which "
        "violates the invariants, but checks incur performance overhead. To silence this warning, explicitly opt in or out. See "
        "`torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. ");
  }

  int32_t before_;
};

// A component of the tensor: a given tensor is used directly if it matches, everything else is copied. `otherwise` is the device for data
// that is not a tensor.
Handle make_component(PyObject* data, int32_t dtype, const Place& place, const mt_device* otherwise) {
  if (!is_tensor(data)) return tensor_from_data(data, dtype, place.given ? place.get() : otherwise);
  const mt_tensor_info info = info_of(data);
  const bool fits = (dtype < 0 || dtype == info.dtype) && is_on(info, place.get());
  if (fits) return Handle::borrow(handle(data));
  Ref converted = own(convert_tensor(data, dtype, place.get(), false, false, -1));
  return Handle::borrow(handle(converted.get()));
}
Handle pin_component_if(Handle part, bool wanted) {
  if (!wanted) return part;
  const mt_value args[2] = {tensor_value(part.get()), none_value()};
  return call_for_tensor(find_op("pin_memory", ""), args, 2);
}

mt_value layout_value(int32_t layout) {
  mt_value v = int_value(layout);
  v.tag = MT_TAG_LAYOUT;
  return v;
}
mt_value optional_bool(const Parser::Parsed& parsed, int i) {
  return parsed.has(i) && parsed.object(i) != Py_None ? bool_value(parsed.flag(i)) : none_value();
}
mt_value ints_value(const std::vector<int64_t>& list) { return list_value(MT_TAG_INTS, list.data(), static_cast<int64_t>(list.size())); }

PyObject* sparse_coo_tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser(
      "sparse_coo_tensor",
      {"sparse_coo_tensor(object indices, object values, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, bool "
       "requires_grad=False, bool check_invariants=None, bool is_coalesced=None)",
       "sparse_coo_tensor(object indices, object values, int[] size, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, "
       "bool requires_grad=False, bool check_invariants=None, bool is_coalesced=None)",
       "sparse_coo_tensor(int[] size, *, ScalarType dtype=None, Device? device=None, bool requires_grad=False, bool "
       "check_invariants=None)"});
  return function(parser, values, n, names, [&](auto& parsed) {
    if (parsed.index == 2) {
      const SparseChecksScope during(parsed.object(4));
      const std::vector<int64_t> size = parsed.ints(0);
      const Place place = place_of(parsed, 2);
      const mt_value args[5] = {ints_value(size), dtype_value(parsed.dtype(1, mt_default_dtype_get())), layout_value(MT_SPARSE_COO),
                                place.given ? device_value(place.device) : none_value(), none_value()};
      return finish(call_for_tensor(find_op("sparse_coo_tensor", "size"), args, 5), parsed.flag(3));
    }
    const int at = 2 + parsed.index;  // index of the options
    const SparseChecksScope during(parsed.object(at + 4));
    const Place place = place_of(parsed, at + 1);
    const Handle stored = pin_component_if(make_component(parsed.object(1), parsed.dtype(at), place, nullptr), parsed.flag(at + 2));
    const mt_device device = info_of(stored.get()).device;
    const Handle indices = pin_component_if(make_component(parsed.object(0), MT_INT64, place, &device), parsed.flag(at + 2));
    std::vector<mt_value> args{tensor_value(indices.get()), tensor_value(stored.get())};
    std::vector<int64_t> size;
    if (parsed.index == 1) {
      size = parsed.ints(2);
      args.push_back(ints_value(size));
    }
    args.insert(args.end(), {none_value(), none_value(), none_value(), none_value(), optional_bool(parsed, at + 5)});
    const mt_op* op = find_op("sparse_coo_tensor", parsed.index ? "indices_size" : "indices");
    return finish(call_for_tensor(op, args.data(), static_cast<int64_t>(args.size())), parsed.flag(at + 3));
  });
}

// ---- compressed layouts -------------------------------------------------------------------------------------------------------------

// `layout`: the layout that the function's name states, or -1 if it is an argument.
PyObject* make_compressed_tensor(const Parser& parser, int32_t layout, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return function(parser, values, n, names, [&](auto& parsed) {
    const bool sized = parsed.index == 0;
    const int at = sized ? 4 : 3;  // index of the options
    const SparseChecksScope during(parsed.object(at + 5));
    int32_t wanted = layout;
    if (PyObject* given = parsed.object(at + 1); given && given != Py_None) {
      wanted = layout_code(given);
      if (layout >= 0 && wanted != layout) {
        raise(PyExc_RuntimeError, "%s: layout must be %s but got %s", parser.overloads().name.c_str(), layout_name(layout),
              layout_name(wanted));
      }
    }
    const Place place = place_of(parsed, at + 2);
    const bool pins = parsed.flag(at + 3);
    const Handle stored = pin_component_if(make_component(parsed.object(2), parsed.dtype(at), place, nullptr), pins);
    const mt_device device = info_of(stored.get()).device;
    const Handle begins = pin_component_if(make_component(parsed.object(0), -1, place, &device), pins);
    const Handle plain = pin_component_if(make_component(parsed.object(1), -1, place, &device), pins);
    if (wanted <= MT_SPARSE_COO || wanted > MT_SPARSE_BSC) {
      raise(PyExc_RuntimeError, "%s expected sparse compressed tensor layout but got %s", parser.overloads().name.c_str(),
            wanted < 0 ? "none" : layout_name(wanted));
    }
    std::vector<mt_value> args{tensor_value(begins.get()), tensor_value(plain.get()), tensor_value(stored.get())};
    std::vector<int64_t> size;
    if (sized) {
      size = parsed.ints(3);
      args.push_back(ints_value(size));
    }
    args.insert(args.end(), {none_value(), layout_value(wanted), none_value(), none_value()});
    const mt_op* op = find_op("sparse_compressed_tensor", sized ? "comp_plain_value_size" : "comp_plain_value");
    return finish(call_for_tensor(op, args.data(), static_cast<int64_t>(args.size())), parsed.flag(at + 4));
  });
}

#define MT_COMPRESSED_SIGNATURES(compressed, plain)                                            \
  "f(object " compressed ", object " plain                                                     \
  ", object values, int[] size, *, ScalarType dtype=None, Layout layout=None, Device? "        \
  "device=None, bool pin_memory=False, bool requires_grad=False, bool check_invariants=None)", \
      "f(object " compressed ", object " plain                                                 \
      ", object values, *, ScalarType dtype=None, Layout layout=None, Device? device=None, "   \
      "bool pin_memory=False, bool requires_grad=False, bool check_invariants=None)"

PyObject* sparse_compressed_tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("sparse_compressed_tensor", {MT_COMPRESSED_SIGNATURES("compressed_indices", "plain_indices")});
  return make_compressed_tensor(parser, -1, values, n, names);
}
PyObject* sparse_csr_tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("sparse_csr_tensor", {MT_COMPRESSED_SIGNATURES("crow_indices", "col_indices")});
  return make_compressed_tensor(parser, MT_SPARSE_CSR, values, n, names);
}
PyObject* sparse_csc_tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("sparse_csc_tensor", {MT_COMPRESSED_SIGNATURES("ccol_indices", "row_indices")});
  return make_compressed_tensor(parser, MT_SPARSE_CSC, values, n, names);
}
PyObject* sparse_bsr_tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("sparse_bsr_tensor", {MT_COMPRESSED_SIGNATURES("crow_indices", "col_indices")});
  return make_compressed_tensor(parser, MT_SPARSE_BSR, values, n, names);
}
PyObject* sparse_bsc_tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("sparse_bsc_tensor", {MT_COMPRESSED_SIGNATURES("ccol_indices", "row_indices")});
  return make_compressed_tensor(parser, MT_SPARSE_BSC, values, n, names);
}

// ---- whether components are checked ------------------------------------------------------------------------------------------------

PyObject* get_invariant_checks(PyObject*, PyObject*) {
  return guarded([] { return PyBool_FromLong(sparse_checks_setting() == 1); });
}
PyObject* set_invariant_checks(PyObject*, PyObject* value) {
  return guarded([&] {
    if (!PyBool_Check(value) && value != Py_None) {
      raise(PyExc_RuntimeError, "set_check_sparse_tensor_invariants expects a bool or None, but got %s", Py_TYPE(value)->tp_name);
    }
    check(mt_option_set(MT_OPTION_SPARSE_CHECKS, value == Py_None ? 2 : value == Py_True));
    return incref(Py_None);
  });
}

constexpr int with_names = METH_FASTCALL | METH_KEYWORDS;
PyMethodDef functions[] = {{"sparse_coo_tensor", fast(sparse_coo_tensor), with_names, nullptr},
                           {"sparse_compressed_tensor", fast(sparse_compressed_tensor), with_names, nullptr},
                           {"sparse_csr_tensor", fast(sparse_csr_tensor), with_names, nullptr},
                           {"sparse_csc_tensor", fast(sparse_csc_tensor), with_names, nullptr},
                           {"sparse_bsr_tensor", fast(sparse_bsr_tensor), with_names, nullptr},
                           {"sparse_bsc_tensor", fast(sparse_bsc_tensor), with_names, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyMethodDef module_functions[] = {{"_check_sparse_tensor_invariants", get_invariant_checks, METH_NOARGS,
                                   "Whether the parts of new sparse tensors are checked in full."},
                                  {"_set_check_sparse_tensor_invariants", set_invariant_checks, METH_O,
                                   "Sets whether they are; None: they are not, and torch may warn of it."},
                                  {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_sparse_creation(PyObject* module) {
  add_root_functions(module, functions);
  expect_zero(PyModule_AddFunctions(module, module_functions));
}

}  // namespace mt::py
