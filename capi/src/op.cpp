// Operators: finding, describing and calling them; parsed schemas.

#include <string_view>

#include "definition/definition.h"
#include "results.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

namespace {

const mt_op* to_c(const Operator* op) { return reinterpret_cast<const mt_op*>(op); }

const Operator& find_operator_by_name(const char* name, const char* overload) {
  require_not_null(name, "name");
  ensure_registry();
  const Operator* op = find_operator(name, overload ? overload : "");
  if (!op) fail("no operator {}{}{}", name, overload && *overload ? "." : "", overload ? overload : "");
  return *op;
}

// Fills `out` with the description of argument or result number `index` of an operator or of a parsed schema.
void describe_argument(const std::vector<Argument>& all, const std::string& name, const char* what, int32_t index, mt_arg_info* out) {
  check_struct(out, "out");
  check(index >= 0 && size_t(index) < all.size(), ErrorKind::index, "{} has {} {}, none of number {}", name, int64_t(all.size()), what,
        index);
  const Argument& a = all[size_t(index)];

  mt_arg_info found{};
  found.name = a.name.c_str();
  found.type = a.type_text.c_str();
  found.default_text = a.has_default ? a.default_text.c_str() : nullptr;
  found.keyword_only = a.keyword_only;
  found.mutated = a.mutated;
  found.alias_set = a.alias_set;
  found.list_size = a.list_size;
  write_struct(out, "out", found);
}

// A schema that no operator has.
struct ParsedSchema : Object {
  explicit ParsedSchema(const char* text) : Object(Kind::schema), schema(parse_schema(text)) {
    const std::string_view head = std::string_view(text).substr(0, std::string_view(text).find('('));
    if (head.find("::") != std::string_view::npos) return;
    schema.text.erase(0, schema.ns.size() + 2);
    schema.ns.clear();
  }
  static void destroy(ParsedSchema* parsed) noexcept { delete parsed; }
  Schema schema;
};

}  // namespace

template <>
inline constexpr Kind mt::capi::kind_of<ParsedSchema> = Kind::schema;

mt_status* mt_op_find(const char* name, const char* overload, const mt_op** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = to_c(&find_operator_by_name(name, overload));
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
    const Schema& schema = operator_of(op).schema;
    describe_argument(schema.args, schema.name, "arguments", index, out);
  });
}

mt_status* mt_op_get_return(const mt_op* op, int32_t index, mt_arg_info* out) {
  return guard([&] {
    const Schema& schema = operator_of(op).schema;
    describe_argument(schema.returns, schema.name, "results", index, out);
  });
}

mt_status* mt_schema_parse(const char* text, mt_schema** out) {
  return guard([&] {
    require_not_null(text, "text");
    require_not_null(out, "out");
    *out = reinterpret_cast<mt_schema*>(new ParsedSchema(text));
  });
}

void mt_schema_retain(mt_schema* schema) { retain(schema); }
void mt_schema_release(mt_schema* schema) { release<ParsedSchema>(schema); }

mt_status* mt_schema_get_info(const mt_schema* schema, mt_op_info* out) {
  return guard([&] {
    const Schema& s = object_of<ParsedSchema>(schema, "schema").schema;
    mt_op_info found{};
    found.ns = s.ns.c_str();
    found.name = found.base_name = s.name.c_str();
    found.overload = s.overload.c_str();
    found.schema = s.text.c_str();
    found.doc = found.module = found.aliases = found.deprecated = found.kernel_name = "";
    found.traits = (s.mutates ? MT_OP_MUTATES : 0) | (s.is_view ? MT_OP_IS_VIEW : 0);
    found.n_args = int32_t(s.args.size());
    found.n_returns = int32_t(s.returns.size());
    write_struct(out, "out", found);
  });
}

mt_status* mt_schema_get_arg(const mt_schema* schema, int32_t index, mt_arg_info* out) {
  return guard([&] {
    const Schema& s = object_of<ParsedSchema>(schema, "schema").schema;
    describe_argument(s.args, s.name, "arguments", index, out);
  });
}

mt_status* mt_schema_get_return(const mt_schema* schema, int32_t index, mt_arg_info* out) {
  return guard([&] {
    const Schema& s = object_of<ParsedSchema>(schema, "schema").schema;
    describe_argument(s.returns, s.name, "results", index, out);
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
    const Operator& o = find_operator_by_name(name, overload);
    check_lists(o, args, n, rets, capacity);
    return_results(o, rets, n_rets, [&](Value* results) { call_checked(o, args, n, results); });
  });
}
