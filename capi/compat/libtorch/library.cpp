// Libraries of operators that extensions register: definitions, kernels by key, and their removal.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "kernels.h"
#include "keys.h"

namespace mt::stable {
namespace {

// A kernel that an extension registered for an operator's name; `op` is NULL until the operator is defined.
struct Registration {
  std::string qualified_name;  // "ns::name.overload"
  DispatchKey key;
  KernelFn fn;
  const mt_op* op = nullptr;
  std::vector<int64_t> ids;
};
struct Definition {
  const mt_op* op;
  std::string schema, place;
};

enum class Blocks { def, fragment, impl };

struct Library : Marked<Mark::library> {
  Blocks blocks;
  std::string ns, place;
  DispatchKey key;
  std::string python_module;  // of operators defined from now on
  std::string refusal;  // the error of its creation: every function that gets this handle fails with it
  std::vector<std::string> definitions;
  std::vector<std::unique_ptr<Registration>> registrations;

  const char* macro_name() const {
    return blocks == Blocks::def ? "TORCH_LIBRARY" : blocks == Blocks::fragment ? "TORCH_LIBRARY_FRAGMENT" : "TORCH_LIBRARY_IMPL";
  }
  std::string describe_place() const {
    return std::string("(Error occurred while processing ") + macro_name() + " block at " + place + ")";
  }
};

struct Registry {
  std::recursive_mutex mutex;  // a definition may run code that registers more
  std::map<std::string, std::string> namespaces;  // with the source location of their TORCH_LIBRARY
  std::map<std::string, Definition> definitions;
  std::vector<Registration*> registrations;
};
Registry& registry() {
  static auto& all = *new Registry();
  return all;
}

// The first failure while this thread loads an extension. Nobody catches exceptions of static initialisers, so the failure is stored and
// reported after the load.
struct Load {
  bool under_way = false;
  std::string failure;
};
Load& load_of_thread() {
  thread_local Load load;
  return load;
}

template <class F>
int32_t run_registration(F&& body) noexcept {
  const int32_t code = guarded([&] {
    std::lock_guard lock(registry().mutex);
    body();
  });
  Load& load = load_of_thread();
  if (!code || !load.under_way) return code;
  try {
    if (load.failure.empty()) load.failure = last_error();
  } catch (const std::exception&) {
    return code;
  }
  return 0;
}

Library& usable_library(Library* handle) {
  Library& library = checked_object_of(handle, "the library");
  if (!library.refusal.empty()) fail(library.refusal);
  return library;
}

void add_kernels(Registration& registration, const mt_op* op) {
  registration.op = op;
  for (int32_t key : registration.key.keys) registration.ids.push_back(add_kernel(op, key, registration.key.rank, registration.fn));
}
void remove_kernels(Registration& registration) {
  for (int64_t id : registration.ids) mt_status_release(mt_kernel_remove(registration.op, id));
  registration.ids.clear();
  registration.op = nullptr;
}

// A name may begin with "ns::", which must be the library's own namespace.
std::string strip_namespace(const Library& library, const std::string& name, const char* what) {
  const size_t colons = name.find("::");
  if (colons == std::string::npos || colons > name.find('(')) return name;
  const std::string given = name.substr(0, colons);
  if (given == library.ns) return name.substr(colons + 2);
  if (library.blocks == Blocks::impl)
    fail("Explicitly provided namespace (" + given + ") in " + what + " does not match namespace of enclosing " + library.macro_name() +
         " block (" + library.ns + ").  Move this definition to the " + library.macro_name() +
         " block corresponding to this namespace (and consider deleting the namespace from your " + what + ".)  " +
         library.describe_place());
  fail("Explicitly provided namespace (" + given + ") in " + what + " does not match namespace of enclosing " + library.macro_name() +
       " block (" + library.ns +
       ").  Move this definition to the (unique) TORCH_LIBRARY block corresponding to this namespace (and consider deleting "
       "the namespace from your " +
       what + ".)  " + library.describe_place());
}

void split_name(const std::string& qualified, std::string& name, std::string& overload) {
  const size_t dot = qualified.find('.');
  name = qualified.substr(0, dot);
  overload = dot == std::string::npos ? "" : qualified.substr(dot + 1);
}

const mt_op* find_or_null(const std::string& qualified) {
  std::string name, overload;
  split_name(qualified, name, overload);
  const mt_op* op = nullptr;
  mt_status_release(mt_op_find(name.c_str(), overload.c_str(), &op));
  return op;
}

std::string note_of(const mt_op* op, const char* name) {
  mt_value value;
  throw_on_error(mt_op_note(op, name, &value));
  std::string text = value.tag == MT_TAG_STRING ? std::string(value.as.string.data, size_t(value.as.string.size)) : "";
  mt_value_clear(&value);
  return text;
}

void define_schema(Library& library, const char* text, const std::string& tags) {
  require_not_null(text, "schema");
  if (library.blocks == Blocks::impl)
    fail(
        "def(...): cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All def()s should be placed in the (unique) "
        "TORCH_LIBRARY block for their namespace.  " +
        library.describe_place());
  const std::string schema = library.ns + "::" + strip_namespace(library, text, "schema string");
  std::string qualified = schema.substr(0, schema.find('('));
  while (!qualified.empty() && qualified.back() == ' ') qualified.pop_back();
  const std::string registered = "registered at " + library.place;
  if (const mt_op* former = find_or_null(qualified)) {
    mt_op_info info{};
    info.struct_size = sizeof info;
    throw_on_error(mt_op_get_info(former, &info));
    const std::string place = note_of(former, "place");
    fail(std::string("Tried to register an operator (") + info.schema +
         ") with the same name and overload name multiple times. Each overload's schema should only be registered with a single call to "
         "def(). Duplicate registration: " +
         registered + ". Original registration: " + (place.empty() ? "the library" : place));
  }
  const mt_op* op = nullptr;
  throw_on_error(mt_op_define(schema.c_str(), &op));
  library.definitions.push_back(qualified);
  registry().definitions[qualified] = {op, schema, registered};
  throw_on_error(mt_op_note_set(op, "place", registered.c_str()));
  if (!tags.empty()) throw_on_error(mt_op_note_set(op, "tags", tags.c_str()));
  if (!library.python_module.empty()) throw_on_error(mt_op_note_set(op, "python_module", library.python_module.c_str()));
  add_autograd_fallthrough(op);
  for (Registration* waiting : registry().registrations)
    if (!waiting->op && waiting->qualified_name == qualified) add_kernels(*waiting, op);
}

void add_implementation(Library& library, const char* text, KernelFn fn) {
  require_not_null(text, "name");
  require_not_null(reinterpret_cast<const void*>(fn), "fn");
  auto registration = std::make_unique<Registration>();
  registration->qualified_name = library.ns + "::" + strip_namespace(library, text, "operator name");
  registration->key = library.key;
  registration->fn = fn;
  if (const mt_op* op = find_or_null(registration->qualified_name)) add_kernels(*registration, op);
  registry().registrations.push_back(registration.get());
  library.registrations.push_back(std::move(registration));
}

// Removes a library's kernels and operators. Kernels of other libraries for these operators wait for their next definition.
void remove_library(Library& library) {
  for (const auto& registration : library.registrations) {
    remove_kernels(*registration);
    auto& all = registry().registrations;
    all.erase(std::find(all.begin(), all.end(), registration.get()));
  }
  for (const std::string& qualified : library.definitions) {
    const auto found = registry().definitions.find(qualified);
    for (Registration* other : registry().registrations)
      if (other->op == found->second.op) remove_kernels(*other);
    mt_status_release(mt_op_undefine(found->second.op));
    registry().definitions.erase(found);
  }
  if (library.blocks == Blocks::def && library.refusal.empty()) registry().namespaces.erase(library.ns);
}

void check_namespace(const Library& library) {
  if (library.ns == "_" && library.blocks != Blocks::impl)
    fail(std::string(library.macro_name()) + ": cannot define " + library.macro_name() + " with the wildcard namespace _ (every " +
         library.macro_name() + " defines operators for a distinct namespace!) Did you mean to use TORCH_LIBRARY_IMPL instead?  " +
         library.describe_place());
  if (library.blocks != Blocks::def) return;
  const auto [former, is_new] = registry().namespaces.try_emplace(library.ns, library.place);
  if (!is_new)
    fail("Only a single TORCH_LIBRARY can be used to register the namespace " + library.ns +
         "; please put all of your definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, consider "
         "using TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define operators for a single namespace in a "
         "distributed way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Previous registration of TORCH_LIBRARY was "
         "registered at " +
         former->second + "; latest registration was registered at " + library.place);
}

// Creates a library even if its namespace or key is invalid: callers ignore the returned code, so each later function that gets the handle
// fails with the reason.
int32_t create_library(Blocks blocks, const char* ns, const char* key, const char* file, uint32_t line, Library** ret) {
  return run_registration([&] {
    require_not_null(ret, "ret_new_torch_lib");
    auto library = std::make_unique<Library>();
    library->blocks = blocks;
    library->ns = ns ? ns : "";
    library->place = std::string(file ? file : "?") + ":" + std::to_string(line);
    std::string refusal;
    try {
      require_not_null(ns, "ns");
      library->key = dispatch_key_named(key);
      check_namespace(*library);
    } catch (const std::exception& error) {
      refusal = error.what();
    }
    library->refusal = refusal;
    *ret = library.release();
    if (!refusal.empty()) fail(refusal);
  });
}

constexpr std::pair<int32_t, const char*> tag_names[] = {{0, "core"},
                                                         {1, "cudagraph_unsafe"},
                                                         {2, "data_dependent_output"},
                                                         {3, "dynamic_output_shape"},
                                                         {4, "flexible_layout"},
                                                         {5, "generated"},
                                                         {7, "inplace_view"},
                                                         {8, "maybe_aliasing_or_mutating"},
                                                         {9, "needs_contiguous_strides"},
                                                         {10, "needs_exact_strides"},
                                                         {11, "needs_fixed_stride_order"},
                                                         {12, "nondeterministic_bitwise"},
                                                         {13, "nondeterministic_seeded"},
                                                         {15, "out_variant"},
                                                         {16, "pointwise"},
                                                         {17, "pt2_compliant_tag"},
                                                         {18, "reduction"},
                                                         {19, "view_copy"}};

std::string names_of_tags(const int32_t* tags, int32_t count) {
  if (count > 0) require_not_null(tags, "tags");
  std::string names;
  for (int32_t i = 0; i < count; ++i) {
    const auto* found = std::find_if(std::begin(tag_names), std::end(tag_names), [&](const auto& tag) { return tag.first == tags[i]; });
    if (found == std::end(tag_names)) fail(std::to_string(tags[i]) + " is no tag of this ABI");
    names += (names.empty() ? "" : " ") + std::string(found->second);
  }
  return names;
}

// As torch promises, releases of one major version run each other's extensions.
void check_version(uint64_t extension_build_version) {
  const auto major = int(extension_build_version >> 56), minor = int(extension_build_version >> 48 & 0xff);
  if (major > int(abi_version >> 56))
    fail("the extension was built for version " + std::to_string(major) + "." + std::to_string(minor) +
         " of LibTorch's stable ABI; this library has that of 2.13");
}

int32_t call_dispatcher(const char* name, const char* overload, Word* stack, uint64_t version) {
  return guarded([&] {
    require_not_null(name, "opName");
    check_version(version);
    const std::string full = std::string(name) + (overload && *overload ? std::string(".") + overload : "");
    const mt_op* op = nullptr;
    if (mt_status* status = mt_op_find(name, overload, &op)) {
      mt_status_release(status);
      fail("Could not find schema for " + std::string(name) + "." + (overload ? overload : ""));
    }
    const Signature& signature = signature_of(op);
    const size_t n = signature.arguments.size(), n_results = signature.results.size();
    if (n || n_results) require_not_null(stack, "stack");
    Taken taken;
    std::vector<mt_value> args(n), results(n_results);
    for (size_t i = 0; i < n; ++i) args[i] = taken.value(signature.arguments[i], stack[i]);
    int64_t written = 0;
    throw_on_error(mt_op_call(op, args.data(), int64_t(n), results.data(), int64_t(n_results), &written));
    struct Cleared {
      std::vector<mt_value>& values;
      ~Cleared() {
        for (mt_value& value : values) mt_value_clear(&value);
      }
    } cleared{results};
    for (size_t i = 0; i < n_results; ++i) stack[i] = to_word(signature.results[i], results[i]);
  });
}

}  // namespace
}  // namespace mt::stable

using namespace mt::stable;

STABLE_ABI int32_t aoti_torch_library_init_def(const char* ns, const char* file, uint32_t line, Library** ret) {
  return create_library(Blocks::def, ns, nullptr, file, line, ret);
}
STABLE_ABI int32_t aoti_torch_library_init_fragment(const char* ns, const char* file, uint32_t line, Library** ret) {
  return create_library(Blocks::fragment, ns, nullptr, file, line, ret);
}
STABLE_ABI int32_t aoti_torch_library_init_impl(const char* ns, const char* k, const char* file, uint32_t line, Library** ret) {
  return create_library(Blocks::impl, ns, k, file, line, ret);
}
STABLE_ABI int32_t aoti_torch_delete_library_object(Library* handle) {
  return guarded([&] {
    std::lock_guard lock(registry().mutex);
    const std::unique_ptr<Library> library(&checked_object_of(handle, "the library"));
    remove_library(*library);
  });
}

STABLE_ABI int32_t aoti_torch_library_def(Library* self, const char* schema) {
  return run_registration([&] { define_schema(usable_library(self), schema, ""); });
}
STABLE_ABI int32_t torch_library_def_with_tags(Library* self, const char* schema, const int32_t* tags, int32_t num_tags) {
  return run_registration([&] { define_schema(usable_library(self), schema, names_of_tags(tags, num_tags)); });
}
STABLE_ABI int32_t aoti_torch_library_impl(Library* self, const char* name, KernelFn fn) {
  return run_registration([&] { add_implementation(usable_library(self), name, fn); });
}
STABLE_ABI int32_t torch_library_impl(Library* self, const char* name, KernelFn fn, uint64_t extension_build_version) {
  return run_registration([&] {
    check_version(extension_build_version);
    add_implementation(usable_library(self), name, fn);
  });
}
STABLE_ABI int32_t torch_library_set_python_module(Library* self, const char* module, const char*) {
  return run_registration([&] {
    require_not_null(module, "pymodule");
    usable_library(self).python_module = module;
  });
}

STABLE_ABI int32_t torch_call_dispatcher(const char* name, const char* overload, Word* stack, uint64_t extension_build_version) {
  return call_dispatcher(name, overload, stack, extension_build_version);
}
STABLE_ABI int32_t aoti_torch_call_dispatcher(const char* name, const char* overload, Word* stack) {
  return call_dispatcher(name, overload, stack, abi_version);
}

#define STABLE_TAG(name, number) \
  STABLE_ABI int32_t torch_tag_##name() { return number; }
STABLE_TAG(core, 0)
STABLE_TAG(cudagraph_unsafe, 1)
STABLE_TAG(data_dependent_output, 2)
STABLE_TAG(dynamic_output_shape, 3)
STABLE_TAG(flexible_layout, 4)
STABLE_TAG(generated, 5)
STABLE_TAG(inplace_view, 7)
STABLE_TAG(maybe_aliasing_or_mutating, 8)
STABLE_TAG(needs_contiguous_strides, 9)
STABLE_TAG(needs_exact_strides, 10)
STABLE_TAG(needs_fixed_stride_order, 11)
STABLE_TAG(nondeterministic_bitwise, 12)
STABLE_TAG(nondeterministic_seeded, 13)
STABLE_TAG(out_variant, 15)
STABLE_TAG(pointwise, 16)
STABLE_TAG(pt2_compliant_tag, 17)
STABLE_TAG(reduction, 18)
STABLE_TAG(view_copy, 19)

// ---- loading: torch.ops.load_library calls these functions before and after the load ----------------------------------------------

STABLE_ABI void mindtorch_extension_load_begin() { load_of_thread() = {true, {}}; }
// The first failure of the load on this thread, "" for none; valid until the next load.
STABLE_ABI const char* mindtorch_extension_load_end() {
  load_of_thread().under_way = false;
  return load_of_thread().failure.c_str();
}
// The source location of the TORCH_LIBRARY block that defined a namespace, NULL if there is none; valid while it stays defined.
STABLE_ABI const char* mindtorch_extension_namespace(const char* ns) {
  std::lock_guard lock(registry().mutex);
  const auto found = registry().namespaces.find(ns ? ns : "");
  return found == registry().namespaces.end() ? nullptr : found->second.c_str();
}
