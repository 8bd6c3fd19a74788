// OpDef and MT_OP: how an operator is declared. The only header that an operator's file must include besides its family's rule.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "definition/formula.h"
#include "definition/out_policy.h"
#include "dispatch/invoke.h"
#include "dispatch/kernel.h"
#include "mindtorch/op.h"

namespace mt {

struct Rule;             // definition/definition.h: what a family of operators shares
struct PointwiseKernel;  // rules/pointwise/pointwise.h
class BatchCall;         // vmap/rule.h

// How Python reaches the operator; in-place and out forms are made from the same definition. An overload's own `forms` replace these.
enum Forms : int {
  function = MT_FORM_FUNCTION,
  method = MT_FORM_METHOD,
  inplace = MT_FORM_INPLACE,  // the in-place form as a method: x.add_(y)
  out = MT_FORM_OUT,          // the out= of the function
  inplace_function = 16,      // the in-place form as a function: torch.relu_(x), or of the operator's module
  internal = 32               // none of these: only torch.ops reaches it
};
constexpr Forms operator|(Forms a, Forms b) { return Forms(int(a) | int(b)); }

// What autocast does to the arguments.
enum class Autocast : int8_t { none, lower_precision, fp32, promote };
// An operator's entry states its policy on the CPU and another one on NPUs. Two policies exist for NPUs only: fp32_dtype requests a float32
// result if the program names no dtype, and refused raises an error.
inline constexpr Autocast fp32_dtype = Autocast(4), refused = Autocast(5);
constexpr Autocast on_npu(Autocast policy) { return Autocast(int(policy) << 4); }
constexpr Autocast operator|(Autocast cpu, Autocast npu) { return Autocast(int(cpu) | int(npu)); }
constexpr Autocast everywhere(Autocast policy) { return policy | on_npu(policy); }

// A CPU kernel: a function, or a family's kernel table.
struct CpuKernel : BoxedKernel {
  const PointwiseKernel* pointwise = nullptr;
  constexpr CpuKernel() = default;
  CpuKernel(const PointwiseKernel& kernel);
  template <class F>
    requires requires { &F::operator(); }
  constexpr CpuKernel(F f) : BoxedKernel(f) {}
  explicit operator bool() const { return fn || pointwise; }
};

// The rule by which an operator runs under vmap.
using BatchRule = void (*)(const BatchCall& call);

// The operator's kernel on NPUs: an aclnn operator, and its variant if the last tensor is a number; npu/spec.h describes the syntax.
// any_device: the CPU's body consists of other operators and accesses no memory itself, so it runs on NPUs too.
inline constexpr const char* any_device = "*";
struct NpuKernel {
  const char* name = nullptr;
  const char* with_number = nullptr;
  explicit operator bool() const { return name != nullptr; }
};

// The parts of a definition are zero-initialised and have no destructor: that keeps the code that makes a thousand of them small.
struct Word {  // empty if nothing is given
  const char* text = nullptr;
  constexpr Word() = default;
  constexpr Word(const char* t) : text(t) {}
  constexpr operator const char*() const { return text ? text : ""; }
};
struct Texts : std::span<const char* const> {
  Texts() = default;
  Texts(std::initializer_list<const char*> list);
};
// torch's overload name of an in-place or out= form, if it differs from the one that is generated from the functional overload.
struct FormOverload {
  const char* made;  // "dim_out"
  const char* torchs;
};
struct FormOverloads : std::span<const FormOverload> {
  FormOverloads() = default;
  FormOverloads(std::initializer_list<FormOverload> list);
};
// A definition's fields for one overload, which override the shared ones.
struct Overload {
  const char* name;
  const struct OpDef* def;
};
struct Overloads : std::span<const Overload> {
  Overloads() = default;
  Overloads(std::initializer_list<Overload> list);
  explicit Overloads(const std::vector<Overload>& list);
};

struct OpDef {
  Texts schema;                // torch's own, without "aten::"
  Forms forms = Forms(0);
  FormOverloads form_overloads;
  Word doc;
  Word module;                 // "nn", "linalg", "fft", "special": where Python finds it; "" is torch itself
  Word aliases;                // further Python names, space separated; dunder names become methods
  Word inplace_aliases;        // names of the in-place form beside "alias_" for each alias: its dunder names
  Word deprecated_signatures;  // Python signatures that warn, one per line
  int traits = 0;              // MT_OP_RANDOM, MT_OP_NUMBERS_AS_TENSORS; the others are derived
  const Rule* rule = nullptr;
  Word kernel_name;            // the name in '"..." not implemented for 'Int'', if it is not the kernel's own
  CpuKernel cpu;
  NpuKernel npu;
  BoxedKernel view;            // a result that shares memory: one body for every device, no data touched
  BoxedKernel meta;            // shapes of a kernel that has no rule
  BoxedKernel sparse;          // for sparse_coo tensors, as the functional form takes it (rules/sparse/sparse.h)
  BoxedKernel compressed;      // of sparse_csr, sparse_csc, sparse_bsr and sparse_bsc
  BoxedKernel composite;       // a body of other operators
  Autocast autocast = Autocast::none;
  Derivative grad;
  Word grad_name;              // if torch's node is not named after the operator: "NllLossBackward0"
  const Formula* jvp = nullptr;  // the tangent of the result, if the one derived from `.grad` differs from torch's
  bool no_forward = false;     // torch has no forward mode for it, and refuses tangents
  std::optional<OutPolicy> out_policy;
  BatchRule batch = nullptr;   // if vmap has a faster way than the family's (vmap/family.cpp)
  Overloads overloads;
};
Overload overload(const char* name, const OpDef& def);

// The address of a definition. The linker collects them in one section of the library, so that nothing runs when it is loaded.
struct OpRegistration {
  consteval OpRegistration(OpDef (*make_def)(), std::string_view path, int at) : make(make_def), line(at) {
    path.remove_prefix(path.rfind("/impl/") + 1);
    std::copy(path.begin(), path.end(), file);
  }
  OpDef (*make)();
  int line;
  char file[68] = {};  // from impl/ on: a pointer into __FILE__ would keep the build machine's whole path
};

}  // namespace mt

#define MT_OP_CONCAT_(a, b) a##b
#define MT_OP_CONCAT(a, b) MT_OP_CONCAT_(a, b)
#define MT_OP(...)                                                                                                             \
  [[gnu::cold]] static ::mt::OpDef MT_OP_CONCAT(make_op_, __LINE__)() { return __VA_ARGS__; }                                  \
  [[gnu::used, gnu::retain, gnu::section("mt_operators")]] alignas(::mt::OpRegistration) static constexpr ::mt::OpRegistration \
  MT_OP_CONCAT(register_op_, __LINE__)(&MT_OP_CONCAT(make_op_, __LINE__), __FILE__, __LINE__)
