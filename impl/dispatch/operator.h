// An operator in the registry: schema, handlers by key, derivative; and the functions that call it.
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
  std::string default_text;  // "" if there is none
  bool has_default = false;
  Value default_value = mt::default_value();  // parsed; lists are stored in default_ints
  std::vector<int64_t> default_ints;
  std::vector<double> default_reals;
};

struct Schema {
  std::string text;  // canonical text
  std::string ns, name, overload;
  std::vector<Argument> args;
  std::vector<Argument> returns;
  bool mutates = false;
  bool is_view = false;  // whether a return has an alias mark without "!"
  int index_of(const char* arg_name) const;  // -1 if there is none
};
// Parses "lerp.Tensor(Tensor self, ...) -> Tensor"; an error reports the position.
Schema parse_schema(const std::string& text);
std::string schema_text(const Schema& schema);

// A call being dispatched: complete, checked arguments in schema order, and results to be written as owned values.
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
  const OpDef* def = nullptr;        // nullptr for operators registered from outside
  int overload_index = 0;            // index into def's schemas
  Form form = Form::functional;
  const Operator* functional = nullptr;  // for in-place and out forms: their functional operator (otherwise this operator)
  std::string base_name;
  std::string aliases;               // additional Python names
  int n_args = 0, n_rets = 0;
  bool composite = false;
  int traits = 0, forms = 0;         // MT_OP_*, MT_FORM_*
  std::vector<int8_t> tensor_args;   // indices of arguments that can hold tensors
  Slot slots[key_count];             // the handler of each key; a key with an empty slot is skipped
  KeySet handled = 0;                // bits of the non-empty slots
  const void* derivative = nullptr;  // see definition/formula.h
  const void* external = nullptr;    // handlers registered from outside: dispatch/user.h
};

// ---- the registry ----

void ensure_registry();  // parses and checks all definitions once; raises if one is wrong
const std::vector<Operator*>& all_operators();  // grows when operators are registered from outside
int64_t operator_count();
const Operator* operator_at(int64_t index);  // nullptr beyond the last
const Operator* find_operator(const char* name, const char* overload);  // nullptr if there is none; "aten::" may be omitted
std::vector<const Operator*> overloads_of(const char* name);
// Adds an operator registered from outside, without handlers. Callers serialise this (dispatch/user.cpp).
Operator& add_operator(Schema schema);
void set_slot(Operator& op, Key key, KernelFn fn, const void* data);
void set_fallback(Key key, KernelFn fn, const void* data);
Slot fallback_of(Key key);  // empty if there is none

// ---- calling ----

// Whether the object that a value refers to exists and has the expected kind.
bool has_valid_contents(const Value& value);
// Completes and checks arguments (types, defaults, int -> int[N], int -> float), then dispatches. For callers outside the library.
void call_checked(const Operator& op, const Value* args, int64_t n, Value* rets);
void redispatch_checked(const Operator& op, KeySet keys, const Value* args, int64_t n, Value* rets);
void decompose_checked(const Operator& op, const Value* args, int64_t n, Value* rets);
// Dispatches a complete argument list.
void call(const Operator& op, const Value* args, Value* rets);
// Dispatches to the highest key of `keys` that has a handler.
void redispatch(const Operator& op, KeySet keys, const Value* args, Value* rets);
inline void redispatch_below(const Call& c, Key key) { redispatch(c.op, c.keys & keys_below(key), c.args, c.rets); }
KeySet keys_of(const Operator& op, const Value* args);
// Runs the body of a composite operator (dispatch/user.cpp).
void decompose(const Operator& op, const Value* args, Value* rets);

}  // namespace mt
