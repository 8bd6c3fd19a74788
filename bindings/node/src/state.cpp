// Errors, strings and numbers between JavaScript and C++.
#include "state.h"

#include <cmath>

namespace mindtorch_node {

State& state_of(napi_env env) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  return *static_cast<State*>(data);
}

void check_napi(napi_env env, napi_status status) {
  if (status == napi_ok) return;
  bool is_pending = false;
  napi_is_exception_pending(env, &is_pending);
  if (is_pending) throw Thrown();
  const napi_extended_error_info* about = nullptr;
  napi_get_last_error_info(env, &about);
  fail("RuntimeError", about != nullptr && about->error_message != nullptr ? about->error_message : "Node-API refused a call");
}

// ---- errors ----

namespace {

// A JavaScript exception while its status passes through the library.
struct Exception {
  State* state;
  napi_ref object;
};
std::mutex exceptions_mutex;
std::unordered_set<void*> exceptions;

void destroy_exception(void* payload) {
  {
    const std::lock_guard<std::mutex> guard(exceptions_mutex);
    exceptions.erase(payload);
  }
  auto* exception = static_cast<Exception*>(payload);
  drop_reference(*exception->state, exception->object);
  delete exception;
}

napi_value make_error(State& state, const char* kind, const char* message) {
  return call_given(state, Given::error, {make_text(state, kind), make_text(state, message)}, true);
}

}  // namespace

napi_value error_of_current_exception(State& state) {
  try {
    throw;
  } catch (const mindtorch::Error& error) {
    void* payload = mt_status_payload_borrow(error.status());
    {
      const std::lock_guard<std::mutex> guard(exceptions_mutex);
      if (exceptions.count(payload) == 0) payload = nullptr;
    }
    napi_value thrown = nullptr;
    const auto* exception = static_cast<const Exception*>(payload);
    if (exception != nullptr && exception->state == &state && napi_get_reference_value(state.env, exception->object, &thrown) == napi_ok &&
        thrown != nullptr) {
      return thrown;
    }
    return make_error(state, error.kind().c_str(), error.what());
  } catch (const std::out_of_range& error) {
    return make_error(state, "IndexError", error.what());
  } catch (const std::exception& error) {
    return make_error(state, "RuntimeError", error.what());
  }
}

mt_status* take_exception(State& state) {
  napi_value thrown = nullptr, text = nullptr, kind = nullptr;
  napi_get_and_clear_last_exception(state.env, &thrown);
  auto exception = std::make_unique<Exception>(Exception{&state, nullptr});
  std::string name = "RuntimeError", message = "a callback failed";
  bool is_error = false;
  napi_is_error(state.env, thrown, &is_error);
  try {
    if (is_error) {
      text = property_of(state, thrown, "message");
      kind = property_of(state, thrown, "kind");
      message = text_of(state, text);
      if (type_of(state, kind) == napi_string) name = text_of(state, kind);
    } else {
      check_napi(state.env, napi_coerce_to_string(state.env, thrown, &text));
      message = text_of(state, text);
    }
  } catch (...) {
    napi_value ignored = nullptr;
    napi_get_and_clear_last_exception(state.env, &ignored);
  }
  // JavaScript can throw a value that is no object, to which Node-API makes no reference.
  if (napi_create_reference(state.env, thrown, 1, &exception->object) != napi_ok) {
    return mt_status_create(name.c_str(), message.c_str());
  }
  void* payload = exception.release();
  {
    const std::lock_guard<std::mutex> guard(exceptions_mutex);
    exceptions.insert(payload);
  }
  return mt_status_create_with_payload(name.c_str(), message.c_str(), payload, destroy_exception);
}

Arguments::Arguments(State& state, napi_callback_info info) {
  check_napi(state.env, napi_get_cb_info(state.env, info, &count, at, &self, &data));
  if (count > most) fail("TypeError", "more than 32 arguments");
}

// ---- values ----

napi_valuetype type_of(State& state, napi_value value) {
  napi_valuetype type = napi_undefined;
  if (value != nullptr) check_napi(state.env, napi_typeof(state.env, value, &type));
  return type;
}

bool is_missing(State& state, napi_value value) {
  const napi_valuetype type = type_of(state, value);
  return type == napi_undefined || type == napi_null;
}

std::string text_of(State& state, napi_value value) {
  if (type_of(state, value) != napi_string) fail("TypeError", "a string is expected");
  size_t size = 0;
  check_napi(state.env, napi_get_value_string_utf8(state.env, value, nullptr, 0, &size));
  std::string text(size + 1, '\0');
  check_napi(state.env, napi_get_value_string_utf8(state.env, value, text.data(), size + 1, &size));
  text.resize(size);
  return text;
}

napi_value make_text(State& state, const char* text, size_t size) {
  napi_value out = nullptr;
  check_napi(state.env, napi_create_string_utf8(state.env, text, size, &out));
  return out;
}

napi_value make_number(State& state, int64_t number) {
  napi_value out = nullptr;
  const bool is_exact = number <= (int64_t{1} << 53) && number >= -(int64_t{1} << 53);
  check_napi(state.env, is_exact ? napi_create_double(state.env, static_cast<double>(number), &out)
                                 : napi_create_bigint_int64(state.env, number, &out));
  return out;
}

napi_value make_ints(State& state, const int64_t* numbers, int64_t count) {
  napi_value out = nullptr;
  check_napi(state.env, napi_create_array_with_length(state.env, static_cast<size_t>(count), &out));
  for (int64_t i = 0; i < count; ++i) {
    check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(i), make_number(state, numbers[i])));
  }
  return out;
}

napi_value make_undefined(State& state) {
  napi_value out = nullptr;
  check_napi(state.env, napi_get_undefined(state.env, &out));
  return out;
}

bool bool_of(State& state, napi_value value) {
  if (value == nullptr) return false;
  napi_value coerced = nullptr;
  bool out = false;
  check_napi(state.env, napi_coerce_to_bool(state.env, value, &coerced));
  check_napi(state.env, napi_get_value_bool(state.env, coerced, &out));
  return out;
}

double number_of(State& state, napi_value value) {
  double out = 0;
  if (type_of(state, value) != napi_number) fail("TypeError", "a number is expected");
  check_napi(state.env, napi_get_value_double(state.env, value, &out));
  return out;
}

int64_t int_of(State& state, napi_value value) {
  if (type_of(state, value) == napi_bigint) {
    int64_t out = 0;
    bool is_exact = false;
    check_napi(state.env, napi_get_value_bigint_int64(state.env, value, &out, &is_exact));
    if (!is_exact) fail("OverflowError", "a BigInt does not fit into 64 bits");
    return out;
  }
  const double number = number_of(state, value);
  if (std::trunc(number) != number || std::fabs(number) >= 0x1p63) fail("TypeError", "an integer is expected");
  return static_cast<int64_t>(number);
}

uint32_t length_of(State& state, napi_value list) {
  bool is_array = false;
  uint32_t length = 0;
  if (list != nullptr) check_napi(state.env, napi_is_array(state.env, list, &is_array));
  if (!is_array) fail("TypeError", "an array is expected");
  check_napi(state.env, napi_get_array_length(state.env, list, &length));
  return length;
}

napi_value element_of(State& state, napi_value list, uint32_t index) {
  napi_value out = nullptr;
  check_napi(state.env, napi_get_element(state.env, list, index, &out));
  return out;
}

std::vector<int64_t> ints_of(State& state, napi_value list) {
  std::vector<int64_t> out(length_of(state, list));
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = int_of(state, element_of(state, list, i));
  return out;
}

napi_value property_of(State& state, napi_value object, const char* name) {
  napi_value out = nullptr;
  check_napi(state.env, napi_get_named_property(state.env, object, name, &out));
  return out;
}

napi_value call_given(State& state, Given function, std::initializer_list<napi_value> arguments, bool as_constructor) {
  napi_value callee = nullptr, out = nullptr;
  check_napi(state.env, napi_get_reference_value(state.env, state.given[static_cast<int>(function)], &callee));
  const std::vector<napi_value> list(arguments);
  check_napi(state.env, as_constructor ? napi_new_instance(state.env, callee, list.size(), list.data(), &out)
                                       : napi_call_function(state.env, make_undefined(state), callee, list.size(), list.data(), &out));
  return out;
}

void define_function(State& state, napi_value target, const char* name, napi_callback function, void* data) {
  napi_value made = nullptr;
  check_napi(state.env, napi_create_function(state.env, name, NAPI_AUTO_LENGTH, function, data, &made));
  check_napi(state.env, napi_set_named_property(state.env, target, name, made));
}

}  // namespace mindtorch_node
