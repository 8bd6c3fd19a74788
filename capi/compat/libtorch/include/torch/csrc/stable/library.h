// STABLE_TORCH_LIBRARY(ns, m) { m.def("schema"); }: defines operators when the extension is loaded. STABLE_TORCH_LIBRARY_IMPL(ns, key, m)
// { m.impl("name", TORCH_BOX(&function)); } adds kernels for a dispatch key, STABLE_TORCH_LIBRARY_FRAGMENT more definitions.
#pragma once

#include <tuple>
#include <utility>

#include <torch/csrc/stable/stableivalue_conversions.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable, detail)

class StableLibrary {
 public:
  enum class Kind { DEF, IMPL, FRAGMENT };
  StableLibrary(Kind kind, const char* ns, const char* key, const char* file, uint32_t line) {
    const AOTITorchError code = kind == Kind::IMPL  ? aoti_torch_library_init_impl(ns, key, file, line, &library_)
                                : kind == Kind::DEF ? aoti_torch_library_init_def(ns, file, line, &library_)
                                                    : aoti_torch_library_init_fragment(ns, file, line, &library_);
    if (code != TORCH_SUCCESS) fail_call("STABLE_TORCH_LIBRARY", file, int(line));
  }
  StableLibrary(const StableLibrary&) = delete;
  StableLibrary& operator=(const StableLibrary&) = delete;
  ~StableLibrary() { aoti_torch_delete_library_object(library_); }

  StableLibrary& def(const char* schema) {
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_library_def(library_, schema));
    return *this;
  }
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_12_0
  StableLibrary& def(const char* schema, const std::vector<headeronly::Tag>& tags) {
    std::vector<int32_t> numbers;
    for (headeronly::Tag tag : tags) numbers.push_back(number_of(tag));
    STABLE_TORCH_ERROR_CODE_CHECK(torch_library_def_with_tags(library_, schema, numbers.data(), int32_t(numbers.size())));
    return *this;
  }
#endif
  StableLibrary& impl(const char* name, void (*kernel)(StableIValue* stack, uint64_t n_arguments, uint64_t n_results)) {
    STABLE_TORCH_ERROR_CODE_CHECK(torch_library_impl(library_, name, kernel, TORCH_ABI_VERSION));
    return *this;
  }
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
  StableLibrary& set_python_module(const char* module, const char* context = "") {
    STABLE_TORCH_ERROR_CODE_CHECK(torch_library_set_python_module(library_, module, context));
    return *this;
  }
#endif

 private:
  TorchLibraryHandle library_ = nullptr;
};

// Runs the body of a STABLE_TORCH_LIBRARY block. What it registers lasts as long as this object: until the extension is unloaded.
class StableTorchLibraryInit {
 public:
  StableTorchLibraryInit(StableLibrary::Kind kind, void (*block)(StableLibrary&), const char* ns, const char* key, const char* file,
                         uint32_t line)
      : library_(kind, ns, key, file, line) {
    block(library_);
  }

 private:
  StableLibrary library_;
};

// The type that owns a parameter's value while the kernel runs: a vector for an array reference, a string for a string view.
template <class T>
struct Held {
  using type = T;
};
template <class T>
struct Held<headeronly::HeaderOnlyArrayRef<T>> {
  using type = std::vector<T>;
};
template <class T>
struct Held<std::optional<headeronly::HeaderOnlyArrayRef<T>>> {
  using type = std::optional<std::vector<T>>;
};
template <>
struct Held<std::string_view> {
  using type = std::string;
};
template <class T>
using HeldType = typename Held<std::remove_cv_t<std::remove_reference_t<T>>>::type;

template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};

template <class Tuple, size_t... I>
inline void give_each(StableIValue* stack, const Tuple& results, std::index_sequence<I...>) {
  ((stack[I] = from(std::get<I>(results))), ...);
}

// Wraps a function as a kernel: converts the stack's words to arguments, and replaces them by its results.
template <auto function>
struct Boxed;
template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct Boxed<function> {
  static constexpr uint64_t n_results() {
    if constexpr (std::is_void_v<Result>) {
      return 0;
    } else if constexpr (IsTuple<Result>::value) {
      return std::tuple_size_v<Result>;
    } else {
      return 1;
    }
  }
  static void run(StableIValue* stack, uint64_t given, uint64_t wanted) {
    STD_TORCH_CHECK(given == sizeof...(Parameters), "Registered schema has ", given, " args, but the kernel to box has ",
                    sizeof...(Parameters));
    STD_TORCH_CHECK(wanted == n_results(), "Registered schema has ", wanted, " outputs, but the kernel to box has ", n_results());
    call(stack, std::index_sequence_for<Parameters...>());
  }

 private:
  template <size_t... I>
  static void call([[maybe_unused]] StableIValue* stack, std::index_sequence<I...>) {
    std::tuple<HeldType<Parameters>...> arguments{to<HeldType<Parameters>>(stack[I])...};
    if constexpr (std::is_void_v<Result>) {
      std::apply(function, arguments);
    } else if constexpr (IsTuple<Result>::value) {
      give_each(stack, std::apply(function, arguments), std::make_index_sequence<n_results()>());
    } else {
      stack[0] = from<std::remove_cv_t<std::remove_reference_t<Result>>>(std::apply(function, arguments));
    }
  }
};

HIDDEN_NAMESPACE_END(torch, stable, detail)

#define TORCH_BOX(function) ::torch::stable::detail::Boxed<function>::run

#define MT_STABLE_BLOCK(kind, ns, key, m, block, object)                                                                               \
  static void block(::torch::stable::detail::StableLibrary&);                                                                          \
  static const ::torch::stable::detail::StableTorchLibraryInit object(::torch::stable::detail::StableLibrary::Kind::kind, &block, #ns, \
                                                                      key, __FILE__, __LINE__);                                        \
  void block([[maybe_unused]] ::torch::stable::detail::StableLibrary& m)
#define MT_STABLE_NUMBERED_BLOCK(kind, ns, key, m, number) \
  MT_STABLE_BLOCK(kind, ns, key, m, C10_CONCATENATE(stable_block_, number), C10_CONCATENATE(stable_library_, number))

#define STABLE_TORCH_LIBRARY(ns, m) MT_STABLE_BLOCK(DEF, ns, nullptr, m, stable_block_of_##ns, stable_library_of_##ns)
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m) MT_STABLE_NUMBERED_BLOCK(IMPL, ns, #key, m, C10_UID)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m) MT_STABLE_NUMBERED_BLOCK(FRAGMENT, ns, nullptr, m, C10_UID)
