// Hooks and operators that a script wrote, for languages whose interpreter belongs to one thread: Octave, PHP and Tcl.
#pragma once

#include <thread>

#include "support.h"

namespace mindtorch_swig {

// Converts a returned value to the type of the schema: the library reads results without checking their tags.
inline mindtorch::Value as_returned(const mindtorch::Value& given, const Argument& wanted) {
  const mt_value& raw = given.raw();
  if (wanted.type == Type::other || (raw.tag == MT_TAG_NONE && wanted.is_optional)) return given;
  if (wanted.type == Type::tensor && raw.tag == (wanted.is_list ? MT_TAG_TENSORS : MT_TAG_TENSOR)) return given;
  if (!wanted.is_list) {
    if (wanted.type == Type::number && raw.tag == MT_TAG_INT) return mindtorch::Value(static_cast<double>(raw.as.i));
    if (wanted.type == Type::number && raw.tag == MT_TAG_DOUBLE) return given;
    if (wanted.type == Type::integer && raw.tag == MT_TAG_INT) return given;
    if (wanted.type == Type::boolean && is_bit(raw)) return mindtorch::Value(raw.as.i != 0);
    if (wanted.type == Type::boolean && raw.tag == MT_TAG_BOOL) return given;
  }
  fail("TypeError", "the function's result does not have the type of the schema");
}

// A function written in the scripting language. It is made, and must be called, in the interpreter's thread.
class Callback {
 public:
  virtual ~Callback() = default;
  // Calls the function, and converts its results to the types that the operator's schema requires.
  std::vector<mindtorch::Value> run(const std::vector<Values>& lists, const std::vector<Argument>& wanted) {
    if (!is_own_thread()) fail("RuntimeError", "a script's function was called outside its interpreter's thread");
    const Values results = call(lists, wanted);
    if (results.size() != static_cast<int64_t>(wanted.size())) {
      fail("TypeError", "the function returned " + std::to_string(results.size()) + " values instead of " + std::to_string(wanted.size()));
    }
    std::vector<mindtorch::Value> out;
    for (size_t i = 0; i < wanted.size(); ++i) out.push_back(as_returned(results.at(static_cast<int64_t>(i)), wanted[i]));
    return out;
  }
  // The library may drop the callback in any thread. In another thread than the interpreter's its objects cannot be released, so they leak.
  static void drop(void* user) {
    auto* callback = static_cast<Callback*>(user);
    if (callback->is_own_thread()) delete callback;
  }

 protected:
  // Calls the script's function. A single list holds its arguments; if there are several lists, each is one argument.
  virtual Values call(const std::vector<Values>& lists, const std::vector<Argument>& wanted) = 0;

 private:
  bool is_own_thread() const { return std::this_thread::get_id() == thread_; }
  std::thread::id thread_ = std::this_thread::get_id();
};

inline Values borrowed(const mt_value* values, int64_t n) {
  Values out;
  for (int64_t i = 0; i < n; ++i) {
    mt_value copy{};
    mindtorch::check(mt_value_copy(&values[i], &copy));
    out.own(copy);
  }
  return out;
}

inline Argument result_of(Type type) { return {"", type, false, true, false, false, false, 0}; }

// A tensor that a hook returns replaces the gradient.
inline int64_t add_hook(mt_tensor* tensor, std::unique_ptr<Callback> hook) {
  auto run = [](void* user, mt_tensor* gradient, mt_tensor** replacement) -> mt_status* {
    return as_status([&] {
      Values given;
      given.add_tensor(gradient);
      const mindtorch::Value made = static_cast<Callback*>(user)->run({given}, {result_of(Type::other)})[0];
      if (made.raw().tag != MT_TAG_TENSOR) return;
      mt_tensor_retain(made.raw().as.tensor);
      *replacement = made.raw().as.tensor;
    });
  };
  int64_t id = 0;
  mindtorch::check(mt_tensor_add_hook(tensor, run, hook.get(), Callback::drop, &id));
  hook.release();
  return id;
}

inline void copy_values(const std::vector<mindtorch::Value>& values, mt_value* out) {
  for (size_t i = 0; i < values.size(); ++i) mindtorch::check(mt_value_copy(&values[i].raw(), &out[i]));
}

inline mt_status* run_kernel(void* user, const mt_op* op, uint64_t, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  return as_status([&] {
    std::vector<Argument> wanted;
    for (int64_t i = 0; i < n_rets; ++i) {
      mt_arg_info about{};
      about.struct_size = sizeof(about);
      mindtorch::check(mt_op_get_return(op, static_cast<int32_t>(i), &about));
      wanted.push_back(read_argument(about));
    }
    copy_values(static_cast<Callback*>(user)->run({borrowed(args, n)}, wanted), rets);
  });
}

inline mt_status* run_derivative(void* user, const mt_op*, const mt_value* grads, int64_t n_grads, const mt_value* args, int64_t n_args,
                                 const mt_value* results, int64_t n_results, mt_value* grad_args) {
  return as_status([&] {
    const std::vector<Values> lists{borrowed(grads, n_grads), borrowed(args, n_args), borrowed(results, n_results)};
    copy_values(static_cast<Callback*>(user)->run(lists, std::vector<Argument>(static_cast<size_t>(n_args), result_of(Type::tensor))),
                grad_args);
  });
}

// Defines "my::scale(Tensor x, float by) -> Tensor". Without a derivative, the function's own operators are differentiated.
inline const mt_op* define_operator(const std::string& schema, std::unique_ptr<Callback> kernel, std::unique_ptr<Callback> derivative) {
  const mt_op* op = nullptr;
  mindtorch::check(mt_op_define(schema.c_str(), &op));
  const int32_t key = derivative == nullptr ? MT_KEY_COMPOSITE : MT_KEY_CPU;
  mindtorch::check(mt_op_register_kernel(op, key, run_kernel, kernel.get(), Callback::drop));
  kernel.release();
  if (derivative != nullptr) {
    mindtorch::check(mt_op_register_derivative(op, run_derivative, derivative.get(), Callback::drop));
    derivative.release();
  }
  return op;
}

}  // namespace mindtorch_swig
