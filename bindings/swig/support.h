// Additions to adapt.py's adapters for SWIG's languages: boxed values, lists of tensors, calls, gradients and hooks. Plain classes and
// functions that every language can wrap; they use the public headers only.
#pragma once

#include <mindtorch/io.h>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mindtorch/mindtorch.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#ifndef SWIG
#include "signature.h"
#endif

namespace mindtorch_swig {

#ifndef SWIG
// ---- errors ----

// Throws an error of a kind, such as "TypeError".
[[noreturn]] inline void fail(const char* kind, const std::string& message) {
  throw mindtorch::Error(mt_status_create(kind, message.c_str()));
}

// Runs C++ inside a callback of the library: an exception becomes the status that is returned.
template <class Work>
mt_status* as_status(Work&& work) {
  try {
    work();
    return nullptr;
  } catch (const mindtorch::Error& error) {
    return mt_status_create(error.kind().c_str(), error.what());
  } catch (const std::exception& error) {
    return mt_status_create("RuntimeError", error.what());
  } catch (...) {
    return mt_status_create("RuntimeError", "a callback failed");
  }
}
#endif

// ---- memory ----

// The bytes that tensors use now, as the runtime's allocator counts them: a storage once for all its views, and what only a graph keeps
// alive too. A garbage collector sees an object of a few dozen bytes for each tensor; the functions below inform it of the rest.
inline int64_t memory_in_use() {
  mt_allocator_stats stats{};
  stats.struct_size = sizeof(stats);
  mindtorch::check(mt_allocator_get_stats(&stats));
  return stats.allocated_bytes;
}

// For collectors that accept a number: the change in bytes since the last report. Changes below 64 KB are not reported yet.
inline int64_t memory_change() {
  static std::atomic<int64_t> reported{0};
  const int64_t now = memory_in_use();
  int64_t before = reported.load(std::memory_order_relaxed);
  const int64_t change = now - before;
  return std::max(change, -change) >= (int64_t{64} << 10) && reported.compare_exchange_strong(before, now) ? change : 0;
}

// For collectors that can only be asked to run. The limit is half as much again as was in use after the last collection, and 128 MB more
// at least: the number of collections grows with the logarithm of what is in use.
#ifndef SWIG
inline std::atomic<int64_t>& memory_limit() {
  static std::atomic<int64_t> limit{int64_t{128} << 20};
  return limit;
}
#endif
inline bool memory_is_high() { return memory_in_use() > memory_limit().load(std::memory_order_relaxed); }
// To be called after a garbage collection: sets the limit of memory for the next one.
inline void memory_settle() {
  const int64_t now = memory_in_use();
  memory_limit().store(now + std::max(int64_t{128} << 20, now / 2), std::memory_order_relaxed);
}

// ---- lists ----

// A list of tensors that keeps its elements alive. An element may be missing (a null handle).
class Tensors {
 public:
  void add(mt_tensor* tensor) { items_.push_back(mindtorch::Tensor::share(tensor)); }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  mt_tensor* get(int64_t index) const {
    mt_tensor* tensor = items_.at(static_cast<size_t>(index)).handle();
    mt_tensor_retain(tensor);
    return tensor;
  }
#ifndef SWIG
  void own(mt_tensor* tensor) { items_.push_back(mindtorch::Tensor::own(tensor)); }
  const std::vector<mindtorch::Tensor>& items() const { return items_; }
  std::vector<mt_tensor*> handles() const {
    std::vector<mt_tensor*> out;
    for (const mindtorch::Tensor& tensor : items_) out.push_back(tensor.handle());
    return out;
  }
#endif

 private:
  std::vector<mindtorch::Tensor> items_;
};

// Arguments or results of a call, boxed.
class Values {
 public:
  Values() { items_.reserve(4); }  // most calls have no more
  void add_tensor(mt_tensor* tensor) { items_.push_back(mindtorch::Tensor::share(tensor)); }
  void add_int(int64_t number) { items_.push_back(number); }
  void add_double(double number) { items_.push_back(number); }
  void add_bool(bool on) { items_.push_back(on); }
  void add_string(const std::string& text) { items_.push_back(text); }
  void add_ints(const std::vector<int64_t>& numbers) { items_.push_back(numbers); }
  void add_doubles(const std::vector<double>& numbers) { items_.push_back(numbers); }
  void add_tensors(const Tensors& tensors) { items_.push_back(tensors.items()); }
  void add_dtype(int32_t dtype) { items_.push_back(mindtorch::Value::dtype(dtype)); }
  void add_device(mt_device device) { items_.push_back(mindtorch::Value::device(device)); }
  void add_memory_format(int32_t format) { items_.push_back(mindtorch::Value::memory_format(format)); }
  void add_generator(mt_generator* generator) {
    mt_value raw{};
    raw.tag = MT_TAG_GENERATOR;
    raw.as.generator = generator;
    items_.push_back(copied(raw));
  }
  void add_complex(double real, double imaginary) {
    mt_value raw{};
    raw.tag = MT_TAG_COMPLEX;
    raw.as.c[0] = real;
    raw.as.c[1] = imaginary;
    items_.push_back(copied(raw));
  }
  void add_none() { items_.push_back(mindtorch::Value()); }
  void add_default() { items_.push_back(mindtorch::Value::left_out()); }
  // Names the value added last: it is passed for that argument, wherever the schema has it. Later values need names too.
  void name(const std::string& argument) {
    names_.resize(items_.size());
    names_.at(items_.size() - 1) = argument;
  }

  // Releases the values now, and not when the collector frees this object.
  void clear() {
    items_.clear();
    names_.clear();
  }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  int32_t tag(int64_t index) const { return at(index).raw().tag; }
  mt_tensor* get_tensor(int64_t index) const {
    mt_tensor* tensor = at(index).tensor().handle();
    mt_tensor_retain(tensor);
    return tensor;
  }
  // An integer, or a dtype.
  int64_t get_int(int64_t index) const { return tag(index) == MT_TAG_DTYPE ? at(index).raw().as.i : at(index).to_int(); }
  double get_double(int64_t index) const { return at(index).to_double(); }
  bool get_bool(int64_t index) const { return at(index).to_bool(); }
  double get_real(int64_t index) const { return at(index).raw().as.c[0]; }  // of a complex number
  double get_imaginary(int64_t index) const { return at(index).raw().as.c[1]; }
  Tensors get_tensors(int64_t index) const {
    Tensors out;
    for (const mindtorch::Tensor& tensor : at(index).tensors()) out.add(tensor.handle());
    return out;
  }
#ifndef SWIG
  void own(const mt_value& result) { items_.push_back(mindtorch::Value::own(result)); }
  const mindtorch::Value& at(int64_t index) const { return items_.at(static_cast<size_t>(index)); }
  // Returns pairs of a name and a pointer to its value, which are valid until the values change.
  Named named() const {
    Named out;
    out.reserve(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) out.emplace_back(i < names_.size() ? names_[i].c_str() : "", &items_[i]);
    return out;
  }
#endif

 private:
  std::vector<mindtorch::Value> items_;
  std::vector<std::string> names_;
};

// ---- calls ----

#ifndef SWIG
inline Values call(const Signature& signature, const Named& given, bool overload_is_named = true) {
  const size_t size = given.size();
  std::vector<mindtorch::Value> converted;
  std::vector<const char*> names;
  std::vector<mt_value> raw(size + static_cast<size_t>(signature.returns) + 1);  // arguments, then results
  for (size_t i = 0; i < size; ++i) {
    const char* name = given[i].first;
    if (std::optional<mindtorch::Value> value = convert(*given[i].second, signature.find(i, name), signature.takes_numbers_as_tensors)) {
      converted.push_back(std::move(*value));
      raw[i] = converted.back().raw();
    } else {
      raw[i] = given[i].second->raw();
    }
    if (*name != '\0' || !names.empty()) names.push_back(name);
  }
  if (!overload_is_named) check_places(signature, given);
  const size_t first_named = size - names.size();
  mt_value* results = raw.data() + size;
  int64_t count = 0;
  mindtorch::check(mt_op_call_named(signature.op, raw.data(), static_cast<int64_t>(first_named), names.data(), raw.data() + first_named,
                                    static_cast<int64_t>(names.size()), results, signature.returns, &count));
  Values out;
  for (int64_t i = 0; i < count; ++i) out.own(results[i]);
  return out;
}
#endif

inline Values op_call(const mt_op* op, const Values& args) { return call(signature_of(op), args.named()); }

// Without an overload's name, the arguments select the overload.
inline Values dispatch(const char* name, const char* overload, const Values& args) {
  const Named given = args.named();
  return call(find_signature(name, overload, given), given, overload != nullptr && *overload != '\0');
}

inline bool operator_exists(const char* name) { return overloads_of(name) != nullptr; }

// For languages whose values have no types: the overloads of a name, in the order in which their arguments are tried.
inline int64_t overload_count(const char* name) {
  const std::shared_ptr<const Overloads> all = overloads_of(name);
  return all == nullptr ? 0 : static_cast<int64_t>(all->size());
}
inline const char* overload_name(const char* name, int64_t index) {
  const std::shared_ptr<const Overloads> all = overloads_of(name);
  mindtorch::check(all != nullptr ? nullptr : mt_status_create("RuntimeError", (std::string("there is no operator ") + name).c_str()));
  mt_op_info about{};
  about.struct_size = sizeof(about);
  mindtorch::check(mt_op_get_info(all->at(static_cast<size_t>(index))->op, &about));
  return about.overload;  // never freed
}

#ifndef SWIG
// Returns the address of the tensor's handle, with a reference that the caller must release.
inline int64_t give_address(const mindtorch::Tensor& tensor) {
  mt_tensor_retain(tensor.handle());
  return reinterpret_cast<int64_t>(tensor.handle());
}

// For languages that get their results in one array: kind and value of each result; a list of tensors is 'T', its size, its tensors; a
// complex number 'c', its two parts; a string 's', its size, its bytes in words of eight.
inline std::vector<int64_t> pack_results(const Values& results) {
  std::vector<int64_t> out;
  out.reserve(2 * static_cast<size_t>(results.size()));
  std::vector<mt_tensor*> given;  // retained at the end: nothing fails after that
  given.reserve(static_cast<size_t>(results.size()));
  auto put_tensor = [&](mt_tensor* tensor) {
    given.push_back(tensor);
    out.push_back(reinterpret_cast<int64_t>(tensor));
  };
  for (int64_t i = 0; i < results.size(); ++i) {
    const mt_value& raw = results.at(i).raw();
    int64_t bits = raw.as.i;
    switch (raw.tag) {
      case MT_TAG_NONE: out.insert(out.end(), {'n', 0}); break;
      case MT_TAG_BOOL: out.insert(out.end(), {'b', bits}); break;
      case MT_TAG_DOUBLE:
        std::memcpy(&bits, &raw.as.d, sizeof bits);
        out.insert(out.end(), {'d', bits});
        break;
      case MT_TAG_INT: out.insert(out.end(), {(raw.flags & MT_FLAG_UNSIGNED) != 0 ? 'u' : 'i', bits}); break;
      case MT_TAG_DTYPE:
      case MT_TAG_LAYOUT:
      case MT_TAG_MEMORY_FORMAT: out.insert(out.end(), {'i', bits}); break;
      case MT_TAG_COMPLEX:
        out.resize(out.size() + 3, 'c');
        std::memcpy(&out[out.size() - 2], raw.as.c, sizeof raw.as.c);
        break;
      case MT_TAG_DEVICE:
        bits = int64_t{raw.as.device.type} << 32 | static_cast<uint32_t>(raw.as.device.index);
        out.insert(out.end(), {'v', bits});
        break;
      case MT_TAG_STRING: {
        out.insert(out.end(), {'s', raw.as.string.size});
        const size_t start = out.size(), bytes = static_cast<size_t>(raw.as.string.size);
        out.resize(start + (bytes + 7) / 8);
        if (bytes > 0) std::memcpy(&out[start], raw.as.string.data, bytes);
        break;
      }
      case MT_TAG_TENSOR:
        out.push_back('t');
        put_tensor(raw.as.tensor);
        break;
      case MT_TAG_TENSORS: {
        const std::vector<mindtorch::Tensor> tensors = results.at(i).tensors();
        out.insert(out.end(), {'T', static_cast<int64_t>(tensors.size())});
        for (const mindtorch::Tensor& tensor : tensors) put_tensor(tensor.handle());
        break;
      }
      default:
        mindtorch::check(
            mt_status_create("TypeError", ("this language has no form for a result with tag " + std::to_string(raw.tag)).c_str()));
    }
  }
  for (mt_tensor* tensor : given) mt_tensor_retain(tensor);
  return out;
}
#endif

// ---- tensors and numbers ----

inline mt_tensor* tensor_from_doubles(const std::vector<double>& elements, const std::vector<int64_t>& sizes, int32_t dtype) {
  mindtorch::Tensor exact = mindtorch::Tensor::from(elements, sizes);
  if (dtype != MT_FLOAT64) exact = mindtorch::call("to", "dtype", {exact, mindtorch::Value::dtype(dtype)});
  mt_tensor_retain(exact.handle());
  return exact.handle();
}

#ifndef SWIG
// The elements in row-major order, in the host's memory: the tensor itself where they are.
inline mindtorch::Tensor to_host(mt_tensor* tensor, int32_t dtype) {
  using mindtorch::Value;
  mindtorch::Tensor plain = mindtorch::call("detach", {mindtorch::Tensor::share(tensor)});
  plain = mindtorch::call("resolve_neg", {mindtorch::call("resolve_conj", {plain})});
  return mindtorch::call("contiguous", {mindtorch::call("to", "device", {plain, Value::device(mindtorch::cpu()), Value::dtype(dtype)})});
}
#endif

// All elements in row-major order.
inline std::vector<double> tensor_to_doubles(mt_tensor* tensor) {
  mindtorch::Tensor exact = to_host(tensor, MT_FLOAT64);
  const double* data = exact.data<double>();
  return std::vector<double>(data, data + exact.numel());
}

// Elements as memory has them, in row-major order: a copy of a list of numbers that were packed by the language.
inline mt_tensor* tensor_from_bytes(const char* data, size_t size, const std::vector<int64_t>& sizes, int32_t dtype) {
  mindtorch::Tensor made = mindtorch::Tensor::empty(sizes, dtype);
  const size_t expected = static_cast<size_t>(made.numel()) * static_cast<size_t>(mt_dtype_size(dtype));
  if (size != expected) {
    mindtorch::check(
        mt_status_create("ValueError",
                         ("the sizes require " + std::to_string(expected) + " bytes, and there are " + std::to_string(size)).c_str()));
  }
  if (size > 0) std::memcpy(made.data<char>(), data, size);
  mt_tensor_retain(made.handle());
  return made.handle();
}

// Bytes in a tensor's memory, which each language's .i file copies to a string of the language.
struct Bytes {
  mindtorch::Tensor keeps;
  const char* data = nullptr;
  size_t size = 0;
};
inline Bytes tensor_to_bytes(mt_tensor* tensor) {
  Bytes out;
  out.keeps = to_host(tensor, mindtorch::Tensor::share(tensor).dtype());
  const mt_tensor_info about = out.keeps.info();
  out.data = out.keeps.data<char>();
  out.size = static_cast<size_t>(about.numel) * static_cast<size_t>(mt_dtype_size(about.dtype));
  return out;
}

inline std::vector<int64_t> tensor_sizes(mt_tensor* tensor) { return mindtorch::Tensor::share(tensor).sizes(); }
inline double tensor_item(mt_tensor* tensor) { return mindtorch::Tensor::share(tensor).item(); }

// ---- files ----

// Tensors by name, to save or as they were loaded.
class NamedTensors {
 public:
  void add(const std::string& name, mt_tensor* tensor) {
    names_.push_back(name);
    tensors_.add(tensor);
  }
  int64_t size() const { return tensors_.size(); }
  const char* name(int64_t index) const { return names_.at(static_cast<size_t>(index)).c_str(); }
  mt_tensor* get(int64_t index) const { return tensors_.get(index); }
  // In the format of safetensors, or of torch.
  void save(const std::string& path, bool as_torch) const {
    mt_tensor_dict* made = nullptr;
    mindtorch::check(mt_tensor_dict_create(&made));
    const std::unique_ptr<mt_tensor_dict, void (*)(mt_tensor_dict*)> dict(made, mt_tensor_dict_release);
    for (size_t i = 0; i < names_.size(); ++i) {
      mindtorch::check(mt_tensor_dict_set(made, names_[i].c_str(), tensors_.items()[i].handle()));
    }
    mt_save_options options{};
    options.struct_size = sizeof(options);
    options.format = as_torch ? MT_FORMAT_TORCH : MT_FORMAT_SAFETENSORS;
    mindtorch::check(mt_checkpoint_save(path.c_str(), made, &options));
  }

 private:
  std::vector<std::string> names_;
  Tensors tensors_;
};

// An opened file of torch, safetensors, NumPy or GGUF: names, sizes and dtypes first, elements when a tensor is read.
class Checkpoint {
 public:
  explicit Checkpoint(const std::string& path) {
    mt_checkpoint* opened = nullptr;
    mindtorch::check(mt_checkpoint_open(path.c_str(), nullptr, &opened));
    handle_.reset(opened, mt_checkpoint_release);
  }
  int64_t size() const { return info().n_tensors; }
  int32_t format() const { return info().format; }
  const char* name(int64_t index) const { return entry(index).name; }
  const char* dtype(int64_t index) const { return mt_dtype_name(entry(index).dtype); }
  std::vector<int64_t> sizes(int64_t index) const {
    const mt_checkpoint_entry about = entry(index);
    return std::vector<int64_t>(about.sizes, about.sizes + about.ndim);
  }
  // Returns the index of a tensor by name, or -1 if there is none.
  int64_t find(const std::string& name) const {
    int64_t index = -1;
    mindtorch::check(mt_checkpoint_find(handle_.get(), name.c_str(), &index));
    return index;
  }
  mt_tensor* read(int64_t index) const {
    mt_tensor* tensor = nullptr;
    mindtorch::check(mt_checkpoint_read(handle_.get(), index, &tensor));
    return tensor;
  }

 private:
  mt_checkpoint_info info() const {
    mt_checkpoint_info about{};
    about.struct_size = sizeof(about);
    mindtorch::check(mt_checkpoint_get_info(handle_.get(), &about));
    return about;
  }
  mt_checkpoint_entry entry(int64_t index) const {
    mt_checkpoint_entry about{};
    about.struct_size = sizeof(about);
    mindtorch::check(mt_checkpoint_get_entry(handle_.get(), index, &about));
    return about;
  }
  std::shared_ptr<mt_checkpoint> handle_;
};

inline NamedTensors load_tensors(const std::string& path) {
  const Checkpoint file(path);
  NamedTensors out;
  for (int64_t i = 0; i < file.size(); ++i) {
    const mindtorch::Tensor tensor = mindtorch::Tensor::own(file.read(i));
    out.add(file.name(i), tensor.handle());
  }
  return out;
}

// ---- gradients ----

// An empty list of gradients means ones, for single-element roots.
inline void autograd_backward(const Tensors& roots, const Tensors& grads, bool retain_graph, bool create_graph) {
  std::vector<mt_tensor*> from = roots.handles(), seeds = grads.handles();
  mindtorch::check(
      mt_autograd_backward(from.data(), seeds.empty() ? nullptr : seeds.data(), roots.size(), retain_graph, create_graph, nullptr, 0));
}

// Accumulates the gradients of a single-element tensor in the leaves.
inline void backward(mt_tensor* root) { mindtorch::check(mt_autograd_backward(&root, nullptr, 1, 0, 0, nullptr, 0)); }

inline Tensors autograd_grad(const Tensors& roots, const Tensors& grads, const Tensors& inputs, bool retain_graph, bool create_graph,
                             bool allow_unused) {
  std::vector<mt_tensor*> from = roots.handles(), seeds = grads.handles(), to = inputs.handles(), found(to.size());
  mindtorch::check(mt_autograd_grad(from.data(), seeds.empty() ? nullptr : seeds.data(), roots.size(), to.data(), inputs.size(),
                                    retain_graph, create_graph, allow_unused, found.data()));
  Tensors out;
  for (mt_tensor* handle : found) out.own(handle);
  return out;
}

// ---- hooks ----

// For languages with directors: a subclass's `call` gets a gradient and may store another in `replacement`. (A returned handle would be
// freed with the language's object before anyone could retain it.)
class GradientHook {
 public:
  virtual ~GradientHook() = default;
  virtual void call(mt_tensor* gradient, Tensors& replacement) = 0;
  // For languages whose exceptions must not cross C++: makes the current call fail with this error.
  void fail(const std::string& kind, const std::string& message) { failure_.reset(mt_status_create(kind.c_str(), message.c_str())); }
#ifndef SWIG
  mt_status* take_failure() { return failure_.release(); }
#endif

 private:
  struct Release {
    void operator()(mt_status* status) const { mt_status_release(status); }
  };
  std::unique_ptr<mt_status, Release> failure_;
};

#ifndef SWIG
// `drop(hook)` runs once, in any thread, when nothing can call the hook any more.
inline int64_t add_hook(mt_tensor* tensor, GradientHook* hook, void (*drop)(void* hook)) {
  int64_t id = 0;
  auto run = [](void* user, mt_tensor* gradient, mt_tensor** replacement) -> mt_status* {
    return as_status([&] {
      Tensors made;
      mt_tensor_retain(gradient);
      auto* hook = static_cast<GradientHook*>(user);
      hook->call(gradient, made);
      mindtorch::check(hook->take_failure());
      if (made.size() > 0) *replacement = made.get(0);
    });
  };
  mindtorch::check(mt_tensor_add_hook(tensor, run, hook, drop, &id));
  return id;
}
#endif

// The hook object must live until it is removed, or as long as the tensor.
inline int64_t tensor_add_hook(mt_tensor* tensor, GradientHook* hook) { return add_hook(tensor, hook, nullptr); }

// For languages without directors: gradients are queued, and the program polls them after backward.
class GradientQueue {
 public:
  int64_t watch(mt_tensor* tensor) {
    int64_t id = 0;
    auto* held = new std::shared_ptr<State>(state_);
    auto run = [](void* user, mt_tensor* gradient, mt_tensor**) -> mt_status* {
      State& state = **static_cast<std::shared_ptr<State>*>(user);
      std::lock_guard<std::mutex> guard(state.mutex);
      state.gradients.push_back(mindtorch::Tensor::share(gradient));
      return nullptr;
    };
    auto drop = [](void* user) { delete static_cast<std::shared_ptr<State>*>(user); };
    mt_status* status = mt_tensor_add_hook(tensor, run, held, drop, &id);
    if (status != nullptr) drop(held);
    mindtorch::check(status);
    return id;
  }
  int64_t size() const {
    std::lock_guard<std::mutex> guard(state_->mutex);
    return static_cast<int64_t>(state_->gradients.size());
  }
  // The oldest gradient, or none if the queue is empty.
  mt_tensor* poll() {
    std::lock_guard<std::mutex> guard(state_->mutex);
    if (state_->gradients.empty()) return nullptr;
    mt_tensor* oldest = state_->gradients.front().handle();
    mt_tensor_retain(oldest);
    state_->gradients.pop_front();
    return oldest;
  }

 private:
  struct State {
    std::mutex mutex;
    std::deque<mindtorch::Tensor> gradients;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace mindtorch_swig
