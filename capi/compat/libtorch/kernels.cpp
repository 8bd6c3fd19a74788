// Calls kernels of extensions from the library's dispatcher, and provides a default for operators without a derivative.
#include "kernels.h"

#include <algorithm>
#include <array>
#include <utility>

#include "calls.h"

namespace mt::stable {
namespace {

struct Kernel {
  KernelFn fn;
  const Signature* signature;
};
void destroy_kernel(void* kernel) { delete static_cast<Kernel*>(kernel); }

// The words of a kernel's arguments and results; up to 24 are stored on the C stack.
class Stack {
 public:
  explicit Stack(size_t n) : many_(n > few_.size() ? n : 0) {}
  Word* data() { return many_.empty() ? few_.data() : many_.data(); }

 private:
  std::array<Word, 24> few_{};
  std::vector<Word> many_;
};

template <class F>
mt_status* to_status(F&& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (const std::exception& error) {
    return mt_status_create("RuntimeError", error.what());
  } catch (...) {
    return mt_status_create("RuntimeError", "Caught an unknown exception!");
  }
}

mt_status* run_kernel(void* user, const mt_op*, uint64_t, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  return to_status([&] {
    const auto& kernel = *static_cast<const Kernel*>(user);
    Stack stack(size_t(std::max(n, n_rets)));
    for (int64_t i = 0; i < n; ++i) stack.data()[i] = to_word(kernel.signature->arguments[size_t(i)], args[i]);
    kernel.fn(stack.data(), uint64_t(n), uint64_t(n_rets));
    for (int64_t i = 0; i < n_rets; ++i) rets[i] = to_result(kernel.signature->results[size_t(i)], stack.data()[i]);
  });
}

// ---- operators without a derivative --------------------------------------------------------------------------------------------

mt_status* warn_of_missing_gradient(const std::string& name) {
  const std::string text =
      name +
      ": an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through it. This may lead to silently "
      "incorrect behavior. This behavior is deprecated and will be removed in a future version of PyTorch. If your operator is "
      "differentiable, please ensure you have registered an autograd kernel to the correct Autograd key (e.g. DispatchKey::Autograd, "
      "DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, or to squash this warning and use the previous "
      "behavior, please register torch::CppFunction::makeFallthrough() to DispatchKey::Autograd.";
  return mt_warn("UserWarning", text.c_str());
}

std::string name_of(const mt_op* op) {
  mt_op_info info{};
  info.struct_size = sizeof info;
  throw_on_error(mt_op_get_info(op, &info));
  return std::string(info.ns) + "::" + info.name + (*info.overload ? std::string(".") + info.overload : "");
}
void destroy_name(void* name) { delete static_cast<std::string*>(name); }

mt_status* warn_at_gradient(void* name, mt_tensor*, mt_tensor**) { return warn_of_missing_gradient(*static_cast<std::string*>(name)); }
mt_status* warn_and_return_no_gradients(void* name, mt_node*, mt_tensor* const*, int64_t, mt_tensor** out, int64_t n_out) {
  std::fill(out, out + n_out, nullptr);
  return warn_of_missing_gradient(*static_cast<std::string*>(name));
}

bool requires_grad(mt_tensor* tensor) { return (info_of(tensor).flags & MT_TENSOR_REQUIRES_GRAD) != 0; }
bool can_have_gradient(mt_tensor* tensor) {
  const int32_t dtype = info_of(tensor).dtype;
  return dtype == MT_BFLOAT16 || (dtype >= MT_FLOAT16 && dtype <= MT_COMPLEX128) ||
         (dtype >= MT_FLOAT8_E5M2 && dtype <= MT_FLOAT8_E4M3FNUZ);
}

// Calls visit(tensor) for each tensor of a value, including those in lists.
template <class F>
void for_each_tensor(const mt_value& value, F&& visit) {
  if (value.tag == MT_TAG_TENSOR) {
    if (value.as.tensor) visit(value.as.tensor);
  } else if (value.tag == MT_TAG_TENSORS || value.tag == MT_TAG_OPTIONAL_TENSORS) {
    for (int64_t i = 0; i < value.as.list.size; ++i)
      if (mt_tensor* tensor = static_cast<mt_tensor* const*>(value.as.list.data)[i]) visit(tensor);
  }
}

void attach_missing_gradient_warning(const mt_op* op, const std::vector<mt_tensor*>& inputs, mt_tensor* result) {
  auto name = std::make_unique<std::string>(name_of(op));
  if (requires_grad(result)) {
    int64_t id = 0;
    throw_on_error(mt_tensor_add_hook(result, warn_at_gradient, name.get(), destroy_name, &id));
    name.release();
    return;
  }
  if (!can_have_gradient(result)) return;
  mt_function_vtable functions{};
  functions.struct_size = sizeof functions;
  functions.apply = warn_and_return_no_gradients;
  functions.destroy = destroy_name;
  mt_node* node = nullptr;
  int32_t needed = 0;
  throw_on_error(
      mt_node_create("torch::autograd::WarnNotImplemented", &functions, name.get(), inputs.data(), int64_t(inputs.size()), &node, &needed));
  name.release();
  mt_tensor* output = result;
  mt_status* status = mt_node_wrap_outputs(node, needed, inputs.data(), int64_t(inputs.size()), &output, nullptr, 1);
  mt_node_release(node);
  throw_on_error(status);
  mt_tensor_release(output);
}

mt_status* call_below_autograd(void*, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  int64_t written = 0;
  constexpr uint64_t below = (uint64_t{1} << MT_KEY_AUTOGRAD) - 1;
  if (mt_status* status = mt_op_redispatch(op, keys & below, args, n, rets, n_rets, &written)) return status;
  return to_status([&] {
    int32_t grad_mode = 0;
    throw_on_error(mt_mode_get(MT_MODE_GRAD, &grad_mode));
    if (!grad_mode) return;
    std::vector<mt_tensor*> inputs;
    for (int64_t i = 0; i < n; ++i)
      for_each_tensor(args[i], [&](mt_tensor* t) {
        if (requires_grad(t)) inputs.push_back(t);
      });
    if (inputs.empty()) return;
    for (int64_t i = 0; i < written; ++i)
      for_each_tensor(rets[i], [&](mt_tensor* t) {
        if (std::find(inputs.begin(), inputs.end(), t) == inputs.end()) attach_missing_gradient_warning(op, inputs, t);
      });
  });
}

}  // namespace

int64_t add_kernel(const mt_op* op, int32_t key, int32_t rank, KernelFn fn) {
  auto kernel = std::make_unique<Kernel>(Kernel{fn, &signature_of(op)});
  int64_t id = 0;
  throw_on_error(mt_kernel_add(op, key, rank, run_kernel, kernel.get(), destroy_kernel, &id));
  kernel.release();
  return id;
}

void add_autograd_fallthrough(const mt_op* op) {
  int64_t id = 0;
  throw_on_error(mt_kernel_add(op, MT_KEY_AUTOGRAD, MT_RANK_FALLTHROUGH, call_below_autograd, nullptr, nullptr, &id));
}

}  // namespace mt::stable
