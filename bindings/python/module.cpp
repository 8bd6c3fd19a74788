// PyInit__C: the extension module, filled by one init function per file.
#include "common.h"

namespace mt::py {

State state;
void init_pipeline(PyObject* module);
void init_profiler(PyObject* module);
void init_distributed(PyObject* module);

void add_object(PyObject* module, const char* name, PyObject* object) {
  expect(object != nullptr);
  expect_zero(PyModule_AddObjectRef(module, name, object));
}

PyTypeObject* make_type(PyType_Spec* spec, PyTypeObject* base) {
  auto* type = reinterpret_cast<PyTypeObject*>(own(PyType_FromSpecWithBases(spec, reinterpret_cast<PyObject*>(base))).release());
  // One "torch" string for all types: a pickler stores a string object once, and then refers to it.
  PyObject* module = PyDict_GetItemString(type->tp_dict, "__module__");
  if (module && PyUnicode_CheckExact(module)) {
    Py_INCREF(module);
    PyUnicode_InternInPlace(&module);
    expect_zero(PyDict_SetItemString(type->tp_dict, "__module__", module));
    Py_DECREF(module);
    PyType_Modified(type);
  }
  return type;
}

Ref import_from_root(const char* module, const char* name) {
  std::string full = state.root;
  if (*module) full += std::string(".") + module;
  Ref imported = own(PyImport_ImportModule(full.c_str()));
  return own(PyObject_GetAttrString(imported.get(), name));
}

PyObject* add_submodule(const char* name, PyMethodDef* methods) {
  std::string full = state.root + "._C." + name;
  Ref submodule = own(PyModule_New(full.c_str()));
  if (methods) expect_zero(PyModule_AddFunctions(submodule.get(), methods));
  expect_zero(PyDict_SetItemString(PyImport_GetModuleDict(), full.c_str(), submodule.get()));
  add_object(state.module, name, submodule.get());
  return submodule.get();  // sys.modules and _C keep references
}

namespace {

// Registers the folders from which Python would import scipy_openblas32, wherever on sys.path: a virtual environment's base, user
// packages, a checkout. No folder is searched before LAPACK is first needed.
void set_blas_search_path() {
  std::string folders;
  PyObject* path = PySys_GetObject("path");  // borrowed
  for (Py_ssize_t i = 0; path && PyList_Check(path) && i < PyList_GET_SIZE(path); ++i) {
    PyObject* encoded = nullptr;
    if (!PyUnicode_FSConverter(PyList_GET_ITEM(path, i), &encoded)) {
      PyErr_Clear();  // sys.path may contain any object; imports skip those too
      continue;
    }
    Ref entry = own(encoded);
    const char* folder = PyBytes_AS_STRING(entry.get());
    if (*folder == '/') folders += std::string(folder) + "/scipy_openblas32:";  // a relative path may mean another folder later
  }
  check(mt_blas_search_path_set(folders.c_str()));
}

int exec_module(PyObject* module) {
  return guarded_int([&] {
    if (state.module) raise(PyExc_ImportError, "mindtorch's _C can be loaded once per process only");
    const char* name = PyModule_GetName(module);
    expect(name != nullptr);
    state.module = incref(module);
    std::string full = name;
    auto dot = full.find('.');
    state.root = dot == std::string::npos ? "torch" : full.substr(0, dot);
    state.binding_id = mt_binding_id_new();
    check(mt_init());
    set_blas_search_path();
    init_errors(module);
    init_dtype(module);
    init_layout(module);
    init_device(module);
    init_stream(module);
    init_npu(module);
    init_size(module);
    init_type_info(module);
    init_generator(module);
    init_storage(module);
    init_torch_function(module);
    init_tensor(module);
    init_operators(module);
    init_creation(module);
    init_exchange(module);
    init_node(module);
    init_engine(module);
    init_function(module);
    init_autograd(module);
    init_dispatch(module);
    init_library_define(module);
    init_settings(module);
    init_library_ops(module);
    init_module_base(module);
    init_enums(module);
    init_delayed_error(module);
    init_functorch(module);
    init_pipeline(module);
    init_archive(module);
    init_files(module);
    init_profiler(module);
    init_distributed(module);
    return 0;
  });
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(exec_module)}, {0, nullptr}};
PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                          .m_name = "_C",
                          .m_doc = "MindTorch's C side: tensors, operators and autograd over the public C ABI.",
                          .m_size = 0,
                          .m_methods = nullptr,
                          .m_slots = slots,
                          .m_traverse = nullptr,
                          .m_clear = nullptr,
                          .m_free = nullptr};

}  // namespace
}  // namespace mt::py

PyMODINIT_FUNC PyInit__C() { return PyModuleDef_Init(&mt::py::definition); }
