// An operator as the registry holds it: schema, handlers by key, derivative; and the ways to call it.
#pragma once

#include <string>
#include <vector>

#include "dispatch/value.h"

namespace mt {

struct OpDef;
struct Operator;

enum class ArgType : int8_t {
  tensor,
  tensors,
  optional_tensors,
  scalar,
  scalars,
  integer,
  ints,
  real,
  reals,
  boolean,
  bools,
  string,
  strings,
  dtype,
  layout,
  memory_format,
  device,
  generator,
  storage,
  stream,
  any
};

struct Argument {
  std::string name;
  std::string type_text;     // "int[2]", "Tensor?"
  ArgType type = ArgType::any;
  bool optional = false;
  bool keyword_only = false;
  bool mutated = false;
  int8_t alias_set = 0;      // 1 for (a); -1 for the first mark without a name
  int32_t list_size = 0;     // N of int[N]
  std::string default_text;  // "" where none
  bool has_default = false;
  Value default_value = mt::default_value();  // parsed; lists live in default_ints
  std::vector<int64_t> default_ints;
  std::vector<double> default_reals;
};

struct Schema {
  std::string text;  // canonical
  std::string ns, name, overload;
  std::vector<Argument> args;
  std::vector<Argument> returns;
  bool mutates = false;
  bool is_view = false;  // a non-mutated alias mark on a return
  int index_of(const char* arg_name) const;  // -1 where there is none
};
// Parses "lerp.Tensor(Tensor self, ...) -> Tensor"; raises with the position where it cannot.
Schema parse_schema(const std::string& text);
std::string schema_text(const Schema& schema);

// One call on its way: arguments complete and checked, in schema order; results to be written as owned values.
struct Call {
  const Operator& op;
  KeySet keys;
  const Value* args;
  Value* rets;
};
using KernelFn = void (*)(const Call& call, const void* data);
struct Slot {
  KernelFn fn = nullptr;
  const void* data = nullptr;
};

enum class Form : int8_t { functional, inplace, out };

struct Operator : Object {
  Operator() : Object(Kind::op) {}

  Schema schema;
  const OpDef* def = nullptr;        // nullptr for operators defined from outside
  int overload_index = 0;            // which of def's schemas
  Form form = Form::functional;
  const Operator* functional = nullptr;  // of in-place and out forms: the operator they are forms of (itself otherwise)
  std::string base_name;
  std::string aliases;               // further Python names
  int n_args = 0, n_rets = 0;
  bool composite = false;
  int traits = 0, forms = 0;         // MT_OP_*, MT_FORM_*
  std::vector<int8_t> tensor_args;   // indices of arguments that can hold tensors
  Slot slots[key_count];             // what handles a key; an empty slot falls through to the next lower key
  KeySet handled = 0;                // bits of the non-empty slots
  const void* derivative = nullptr;  // autograd/formula.h
  const void* external = nullptr;    // registered from outside: dispatch/user.h
};

// ---- the registry ----

void ensure_registry();  // parses and checks all definitions, once; raises what is wrong with them
const std::vector<Operator*>& all_operators();  // grows when operators are defined from outside
int64_t operator_count();
const Operator* operator_at(int64_t index);  // nullptr beyond the last
const Operator* find_operator(const char* name, const char* overload);  // nullptr where there is none; "aten::" may be left out
std::vector<const Operator*> overloads_of(const char* name);
// Adds an operator defined from outside; it has no handlers yet. Callers serialise this against each other (dispatch/user.cpp).
Operator& add_operator(Schema schema);
void set_slot(Operator& op, Key key, KernelFn fn, const void* data);
void set_fallback(Key key, KernelFn fn, const void* data);

// ---- calling ----

// Whether what a value points to is there and of its kind.
bool is_intact(const Value& value);
// Completes and checks arguments (kinds, defaults, int -> int[N], int -> float), then dispatches. For callers outside.
void call_checked(const Operator& op, const Value* args, int64_t n, Value* rets);
void redispatch_checked(const Operator& op, KeySet keys, const Value* args, int64_t n, Value* rets);
void decompose_checked(const Operator& op, const Value* args, int64_t n, Value* rets);
// Dispatches a complete argument list.
void call(const Operator& op, const Value* args, Value* rets);
// Continues with the highest handled key of `keys`.
void redispatch(const Operator& op, KeySet keys, const Value* args, Value* rets);
inline void redispatch_below(const Call& c, Key key) { redispatch(c.op, c.keys & keys_below(key), c.args, c.rets); }
KeySet keys_of(const Operator& op, const Value* args);
// Runs a composite operator's body (dispatch/user.cpp).
void decompose(const Operator& op, const Value* args, Value* rets);

}  // namespace mt
