// Calls of operators: JavaScript's values to boxed ones, the call on this thread or on the pool, results back.
#include <cmath>
#include <cstring>

#include "state.h"

namespace mindtorch_node {
namespace {

int64_t bigint_of(State& state, napi_value value, bool* is_unsigned) {
  int64_t out = 0;
  uint64_t large = 0;
  bool is_exact = false;
  *is_unsigned = false;
  check_napi(state.env, napi_get_value_bigint_int64(state.env, value, &out, &is_exact));
  if (is_exact) return out;
  check_napi(state.env, napi_get_value_bigint_uint64(state.env, value, &large, &is_exact));
  if (!is_exact) fail("OverflowError", "a BigInt does not fit into 64 bits");
  *is_unsigned = true;
  std::memcpy(&out, &large, sizeof out);
  return out;
}

void box_bigint(State& state, napi_value value, mindtorch_swig::Values& values) {
  bool is_unsigned = false;
  mt_value raw{};
  raw.tag = MT_TAG_INT;
  raw.as.i = bigint_of(state, value, &is_unsigned);
  if (is_unsigned) raw.flags = MT_FLAG_UNSIGNED;
  values.own(raw);  // numbers refer to nothing
}

// JavaScript has one type of number: a number without a fraction is passed to operators as an integer.
bool is_whole(double number) {
  return std::trunc(number) == number && std::fabs(number) < 0x1p63 && !(number == 0 && std::signbit(number));
}

void box_number(double number, mindtorch_swig::Values& values) {
  if (is_whole(number)) {
    values.add_int(static_cast<int64_t>(number));
  } else {
    values.add_double(number);
  }
}

// Boxes a list of integers (or booleans), of doubles, or of tensors and null. An empty list fits every type.
void box_list(State& state, napi_value list, mindtorch_swig::Values& values) {
  const uint32_t size = length_of(state, list);
  std::vector<int64_t> wholes;
  std::vector<double> fractions;
  mindtorch_swig::Tensors tensors;
  for (uint32_t i = 0; i < size; ++i) {
    const napi_value item = element_of(state, list, i);
    double number = 0;
    switch (type_of(state, item)) {
      case napi_number:
        check_napi(state.env, napi_get_value_double(state.env, item, &number));
        fractions.push_back(number);
        if (is_whole(number)) wholes.push_back(static_cast<int64_t>(number));
        break;
      case napi_bigint:
        wholes.push_back(int_of(state, item));
        fractions.push_back(static_cast<double>(wholes.back()));
        break;
      case napi_boolean:
        wholes.push_back(bool_of(state, item));
        fractions.push_back(static_cast<double>(wholes.back()));
        break;
      default: tensors.add(is_missing(state, item) ? nullptr : tensor_of(state, item));
    }
  }
  if (wholes.size() == size) {
    values.add_ints(wholes);
  } else if (fractions.size() == size) {
    values.add_doubles(fractions);
  } else if (static_cast<uint32_t>(tensors.size()) == size) {
    values.add_tensors(tensors);
  } else {
    fail("TypeError", "a list has either numbers or tensors");
  }
}

bool is_complex(State& state, napi_value value) {
  napi_value type = nullptr;
  bool out = false;
  check_napi(state.env, napi_get_reference_value(state.env, state.given[static_cast<int>(Given::complex)], &type));
  check_napi(state.env, napi_instanceof(state.env, value, type, &out));
  return out;
}

bool has_type(State& state, napi_value value, napi_status (*test)(napi_env, napi_value, bool*)) {
  bool out = false;
  check_napi(state.env, test(state.env, value, &out));
  return out;
}

void box_object(State& state, napi_value value, mindtorch_swig::Values& values) {
  if (const Entry* entry = find_entry(state, value)) {
    if (entry->kind == Kind::tensor) return values.add_tensor(tensor_of(state, value));
    return values.add_generator(static_cast<mt_generator*>(handle_of(state, value, Kind::generator)));
  }
  if (has_type(state, value, napi_is_array)) return box_list(state, value, values);
  if (is_complex(state, value)) {
    return values.add_complex(number_of(state, property_of(state, value, "real")), number_of(state, property_of(state, value, "imag")));
  }
  if (has_type(state, value, napi_is_typedarray)) fail("TypeError", "a typed array is no argument of an operator: make a tensor of it");
  fail("TypeError", "an object is no argument of an operator; named arguments come last");
}

// Whether a value is an object of named arguments.
bool is_named_arguments(State& state, napi_value value) {
  return type_of(state, value) == napi_object && find_entry(state, value) == nullptr && !has_type(state, value, napi_is_array) &&
         !has_type(state, value, napi_is_typedarray) && !is_complex(state, value);
}

void box_named_arguments(State& state, napi_value object, mindtorch_swig::Values& values) {
  napi_value names = nullptr;
  check_napi(state.env, napi_get_property_names(state.env, object, &names));
  for (uint32_t i = 0; i < length_of(state, names); ++i) {
    napi_value value = nullptr;
    const napi_value name = element_of(state, names, i);
    check_napi(state.env, napi_get_property(state.env, object, name, &value));
    if (type_of(state, value) == napi_undefined) continue;
    box_value(state, value, values);
    values.name(text_of(state, name));
  }
}

napi_value make_double(State& state, double number) {
  napi_value out = nullptr;
  check_napi(state.env, napi_create_double(state.env, number, &out));
  return out;
}

napi_value unbox_int(State& state, const mt_value& raw) {
  if ((raw.flags & MT_FLAG_UNSIGNED) == 0) return make_number(state, raw.as.i);
  napi_value out = nullptr;
  check_napi(state.env, napi_create_bigint_uint64(state.env, static_cast<uint64_t>(raw.as.i), &out));
  return out;
}

napi_value unbox_tensor(State& state, mt_tensor* tensor) {
  mt_tensor_retain(tensor);
  return wrap_handle(state, Kind::tensor, tensor);
}

// A call on Node's thread pool. Modes belong to threads, so the pool's thread takes over the calling thread's modes while the call runs.
struct OperatorJob : Job {
  std::string name, overload;
  mindtorch_swig::Values given, results;
  int32_t grad_mode = 1, inference_mode = 0;

  void run() override {
    int32_t grad_before = 1, inference_before = 0;
    mindtorch::check(mt_mode_get(MT_MODE_GRAD, &grad_before));
    mindtorch::check(mt_mode_get(MT_MODE_INFERENCE, &inference_before));
    struct Restore {
      int32_t inference, grad;
      ~Restore() {
        mt_status_release(mt_mode_set(MT_MODE_INFERENCE, inference));
        mt_status_release(mt_mode_set(MT_MODE_GRAD, grad));
      }
    } restore{inference_before, grad_before};
    mindtorch::check(mt_mode_set(MT_MODE_INFERENCE, inference_mode));
    mindtorch::check(mt_mode_set(MT_MODE_GRAD, grad_mode));
    results = mindtorch_swig::dispatch(name.c_str(), overload.c_str(), given);
    given.clear();
  }
  napi_value finish(State& state) override { return unbox_results(state, results); }
};

napi_value start_operator_job(State& state, const std::string& name, const std::string& overload, mindtorch_swig::Values given) {
  auto job = std::make_unique<OperatorJob>();
  job->name = name;
  job->overload = overload;
  job->given = std::move(given);
  mindtorch::check(mt_mode_get(MT_MODE_GRAD, &job->grad_mode));
  mindtorch::check(mt_mode_get(MT_MODE_INFERENCE, &job->inference_mode));
  return start_promise(state, std::move(job));
}

// The function and method of one operator, whose name is the function's data.
mindtorch_swig::Values box_self_and_arguments(State& state, const Arguments& arguments) {
  mindtorch_swig::Values values;
  if (find_entry(state, arguments.self) != nullptr) values.add_tensor(tensor_of(state, arguments.self));
  box_arguments(state, arguments, 0, values);
  return values;
}

napi_value call_operator(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const auto& name = *static_cast<const std::string*>(arguments.data);
  mindtorch_swig::Values values = box_self_and_arguments(state, arguments);
  const mindtorch_swig::Values results = mindtorch_swig::dispatch(name.c_str(), "", values);
  values.clear();
  return unbox_results(state, results);
}

napi_value start_operator(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  return start_operator_job(state, *static_cast<const std::string*>(arguments.data), "", box_self_and_arguments(state, arguments));
}

// call(name, overload, ...arguments): calls one overload of an operator, which may be one that the program registered.
napi_value call_operator_by_name(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const std::string name = text_of(state, arguments[0]), overload = text_of(state, arguments[1]);
  mindtorch_swig::Values values;
  box_arguments(state, arguments, 2, values);
  const mindtorch_swig::Values results = mindtorch_swig::dispatch(name.c_str(), overload.c_str(), values);
  values.clear();
  return unbox_results(state, results);
}

napi_value start_operator_by_name(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mindtorch_swig::Values values;
  box_arguments(state, arguments, 2, values);
  return start_operator_job(state, text_of(state, arguments[0]), text_of(state, arguments[1]), std::move(values));
}

// ---- promises ----

struct Promise {
  std::unique_ptr<Job> job;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
  std::exception_ptr failure;
};

void execute_job(napi_env, void* data) {
  auto& promise = *static_cast<Promise*>(data);
  try {
    promise.job->run();
  } catch (...) {
    promise.failure = std::current_exception();
  }
}

void settle_promise(napi_env env, napi_status status, void* data) {
  const std::unique_ptr<Promise> promise(static_cast<Promise*>(data));
  napi_delete_async_work(env, promise->work);
  if (status == napi_cancelled) return;  // the environment ends
  State& state = state_of(env);
  napi_value value = nullptr;
  try {
    try {
      if (promise->failure != nullptr) std::rethrow_exception(promise->failure);
      value = promise->job->finish(state);
      check_napi(env, napi_resolve_deferred(env, promise->deferred, value));
    } catch (const Thrown&) {
      napi_get_and_clear_last_exception(env, &value);
      napi_reject_deferred(env, promise->deferred, value);
    } catch (...) {
      napi_reject_deferred(env, promise->deferred, error_of_current_exception(state));
    }
  } catch (...) {  // the environment ends
  }
}

// Returns the operators, each name once although it has several overloads, in the registry's order.
napi_value list_operators(State& state, napi_callback_info) {
  napi_value out = nullptr;
  check_napi(state.env, napi_create_object(state.env, &out));
  std::unordered_set<std::string> known;
  for (int64_t i = 0; i < mt_op_count(); ++i) {
    mt_op_info about{};
    about.struct_size = sizeof(about);
    mindtorch::check(mt_op_get_info(mt_op_at(i), &about));
    if (std::strcmp(about.ns, "aten") != 0 || !known.insert(about.name).second) continue;
    std::string& name = state.operator_names.emplace_back(about.name);
    define_function(state, out, name.c_str(), guarded<call_operator>, &name);
    define_function(state, out, (name + "Async").c_str(), guarded<start_operator>, &name);
  }
  return out;
}

}  // namespace

napi_value start_promise(State& state, std::unique_ptr<Job> job) {
  auto promise = std::make_unique<Promise>();
  promise->job = std::move(job);
  napi_value out = nullptr;
  check_napi(state.env, napi_create_async_work(state.env, nullptr, make_text(state, "mindtorch"), execute_job, settle_promise,
                                               promise.get(), &promise->work));
  napi_status status = napi_create_promise(state.env, &promise->deferred, &out);
  if (status == napi_ok) status = napi_queue_async_work(state.env, promise->work);
  if (status != napi_ok) {
    napi_delete_async_work(state.env, promise->work);
    check_napi(state.env, status);
  }
  promise.release();  // NOLINT: settle_promise() owns it
  return out;
}

void box_value(State& state, napi_value value, mindtorch_swig::Values& values) {
  double number = 0;
  switch (type_of(state, value)) {
    case napi_undefined: return values.add_default();
    case napi_null: return values.add_none();
    case napi_boolean: return values.add_bool(bool_of(state, value));
    case napi_bigint: return box_bigint(state, value, values);
    case napi_string: return values.add_string(text_of(state, value));
    case napi_object: return box_object(state, value, values);
    case napi_number: check_napi(state.env, napi_get_value_double(state.env, value, &number)); return box_number(number, values);
    default: fail("TypeError", "a function or a symbol is no argument of an operator");
  }
}

void box_arguments(State& state, const Arguments& arguments, size_t first, mindtorch_swig::Values& values) {
  const size_t count = arguments.count;
  const bool has_named = count > first && is_named_arguments(state, arguments[count - 1]);
  for (size_t i = first; i < count - (has_named ? 1 : 0); ++i) box_value(state, arguments[i], values);
  if (has_named) box_named_arguments(state, arguments[count - 1], values);
}

napi_value unbox_value(State& state, const mt_value& raw) {
  napi_value out = nullptr;
  switch (raw.tag) {
    case MT_TAG_NONE:
    case MT_TAG_DEFAULT: check_napi(state.env, napi_get_null(state.env, &out)); return out;
    case MT_TAG_BOOL: check_napi(state.env, napi_get_boolean(state.env, raw.as.i != 0, &out)); return out;
    case MT_TAG_DOUBLE: return make_double(state, raw.as.d);
    case MT_TAG_COMPLEX: return call_given(state, Given::complex, {make_double(state, raw.as.c[0]), make_double(state, raw.as.c[1])}, true);
    case MT_TAG_DTYPE: return make_text(state, mt_dtype_name(static_cast<int32_t>(raw.as.i)));
    case MT_TAG_STRING: return make_text(state, raw.as.string.data, static_cast<size_t>(raw.as.string.size));
    case MT_TAG_TENSOR: return unbox_tensor(state, raw.as.tensor);
    case MT_TAG_TENSORS: {
      auto* const* tensors = static_cast<mt_tensor* const*>(raw.as.list.data);
      check_napi(state.env, napi_create_array_with_length(state.env, static_cast<size_t>(raw.as.list.size), &out));
      for (int64_t i = 0; i < raw.as.list.size; ++i) {
        check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(i), unbox_tensor(state, tensors[i])));
      }
      return out;
    }
    case MT_TAG_INT: return unbox_int(state, raw);
    case MT_TAG_LAYOUT:
    case MT_TAG_MEMORY_FORMAT: return make_number(state, raw.as.i);
    default: fail("TypeError", "JavaScript has no form for a result with tag " + std::to_string(raw.tag));
  }
}

// A single result is returned as a value, several results as an array.
napi_value unbox_results(State& state, const mindtorch_swig::Values& results) {
  napi_value out = nullptr;
  if (results.size() == 0) {
    out = make_undefined(state);
  } else if (results.size() == 1) {
    out = unbox_value(state, results.at(0).raw());
  } else {
    check_napi(state.env, napi_create_array_with_length(state.env, static_cast<size_t>(results.size()), &out));
    for (int64_t i = 0; i < results.size(); ++i) {
      check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(i), unbox_value(state, results.at(i).raw())));
    }
  }
  collect_garbage_if_needed(state);
  return out;
}

void define_calls(State& state, napi_value exports) {
  define_function(state, exports, "listOperators", guarded<list_operators>);
  define_function(state, exports, "call", guarded<call_operator_by_name>);
  define_function(state, exports, "callAsync", guarded<start_operator_by_name>);
}

}  // namespace mindtorch_node
