// Operators: finding, describing and calling them.

#include "dispatch/definition.h"
#include "results.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

namespace {

const mt_op* to_c(const Operator* op) { return reinterpret_cast<const mt_op*>(op); }

const Operator& find(const char* name, const char* overload) {
  require_not_null(name, "name");
  ensure_registry();
  const Operator* op = find_operator(name, overload ? overload : "");
  if (!op) fail("no operator {}{}{}", name, overload && *overload ? "." : "", overload ? overload : "");
  return *op;
}

mt_arg_info describe_argument(const Argument& a) {
  mt_arg_info found{};
  found.name = a.name.c_str();
  found.type = a.type_text.c_str();
  found.default_text = a.has_default ? a.default_text.c_str() : nullptr;
  found.keyword_only = a.keyword_only;
  found.mutated = a.mutated;
  found.alias_set = a.alias_set;
  found.list_size = a.list_size;
  return found;
}

}  // namespace

mt_status* mt_op_find(const char* name, const char* overload, const mt_op** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = to_c(&find(name, overload));
  });
}

int64_t mt_op_count(void) {
  int64_t count = 0;
  mt_status_release(guard([&] { count = operator_count(); }));
  return count;
}

const mt_op* mt_op_at(int64_t index) {
  const mt_op* op = nullptr;
  mt_status_release(guard([&] { op = to_c(operator_at(index)); }));
  return op;
}

mt_status* mt_op_get_info(const mt_op* op, mt_op_info* out) {
  return guard([&] {
    const Operator& o = operator_of(op);
    mt_op_info found{};
    found.ns = o.schema.ns.c_str();
    found.name = o.schema.name.c_str();
    found.base_name = o.base_name.c_str();
    found.overload = o.schema.overload.c_str();
    found.schema = o.schema.text.c_str();
    found.doc = o.def ? field(o, &OpDef::doc) : "";
    found.module = o.def ? field(o, &OpDef::module) : "";
    found.aliases = o.aliases.c_str();
    found.deprecated = o.def ? field(o, &OpDef::deprecated_signatures) : "";
    found.kernel_name = o.def ? field(o, &OpDef::kernel_name) : "";
    found.forms = o.forms;
    found.traits = __atomic_load_n(&o.traits, __ATOMIC_ACQUIRE);
    found.n_args = o.n_args;
    found.n_returns = o.n_rets;
    write_struct(out, "out", found);
  });
}

mt_status* mt_op_get_arg(const mt_op* op, int32_t index, mt_arg_info* out) {
  return guard([&] {
    const Operator& o = operator_of(op);
    check_struct(out, "out");
    check(index >= 0 && size_t(index) < o.schema.args.size(), ErrorKind::index, "{} has {} arguments, none of number {}", o.schema.name,
          int64_t(o.schema.args.size()), index);
    write_struct(out, "out", describe_argument(o.schema.args[size_t(index)]));
  });
}

mt_status* mt_op_get_return(const mt_op* op, int32_t index, mt_arg_info* out) {
  return guard([&] {
    const Operator& o = operator_of(op);
    check_struct(out, "out");
    check(index >= 0 && size_t(index) < o.schema.returns.size(), ErrorKind::index, "{} has {} results, none of number {}", o.schema.name,
          int64_t(o.schema.returns.size()), index);
    write_struct(out, "out", describe_argument(o.schema.returns[size_t(index)]));
  });
}

mt_status* mt_op_call(const mt_op* op, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity, int64_t* n_rets) {
  return guard([&] {
    const Operator& o = operator_of(op);
    check_lists(o, args, n, rets, capacity);
    return_results(o, rets, n_rets, [&](Value* results) { call_checked(o, args, n, results); });
  });
}

mt_status* mt_op_call_named(const mt_op* op, const mt_value* args, int64_t n, const char* const* names, const mt_value* named,
                            int64_t n_named, mt_value* rets, int64_t capacity, int64_t* n_rets) {
  return guard([&] {
    const Operator& o = operator_of(op);
    check_lists(o, args, n, rets, capacity);
    check(n_named >= 0 && n_named <= o.n_args, ErrorKind::type, "{}() takes {} arguments, got {} by name", o.schema.name, int64_t(o.n_args),
          n_named);
    if (n_named) {
      require_not_null(names, "names");
      require_not_null(named, "named");
    }
    Small<Value, 16> all(o.n_args, mt::default_value());
    Small<uint8_t, 32> given(o.n_args, 0);
    for (int64_t i = 0; i < n; ++i) all[i] = args[i], given[i] = 1;
    for (int64_t i = 0; i < n_named; ++i) {
      require_not_null(names[i], "a name");
      const int at = o.schema.index_of(names[i]);
      check(at >= 0, ErrorKind::type, "{}() got an unexpected keyword argument '{}'", o.schema.name, names[i]);
      check(!given[at], ErrorKind::type, "{}() got multiple values for argument '{}'", o.schema.name, names[i]);
      all[at] = named[i];
      given[at] = 1;
    }
    return_results(o, rets, n_rets, [&](Value* results) { call_checked(o, all.data(), o.n_args, results); });
  });
}

mt_status* mt_dispatch(const char* name, const char* overload, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity,
                       int64_t* n_rets) {
  return guard([&] {
    const Operator& o = find(name, overload);
    check_lists(o, args, n, rets, capacity);
    return_results(o, rets, n_rets, [&](Value* results) { call_checked(o, args, n, results); });
  });
}
