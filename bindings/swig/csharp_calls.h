// Functions of C# that SWIG has no types for: calls of operators in one step, arrays at memory speed. They return false after an error.
#pragma once

namespace {

// Results that did not fit in the caller's array, until the caller fetches them.
thread_local std::vector<int64_t> remaining;

void box(mindtorch_swig::Values* values, char kind, int64_t bits, const int64_t* lists, const char* texts) {
  switch (kind) {
    case 'n': return values->add_none();
    case 'b': return values->add_bool(bits != 0);
    case 'i': return values->add_int(bits);
    case 'd': {
      double number;
      std::memcpy(&number, &bits, sizeof number);
      return values->add_double(number);
    }
    case 't': return values->add_tensor(reinterpret_cast<mt_tensor*>(bits));
    case 'g': return values->add_generator(reinterpret_cast<mt_generator*>(bits));
    case 'v': return values->add_device({static_cast<int32_t>(bits >> 32), static_cast<int32_t>(bits)});
    case 's': return values->add_string(texts + bits);
  }
  const int64_t size = lists[bits];
  const int64_t* items = lists + bits + 1;
  if (kind == 'I') return values->add_ints(std::vector<int64_t>(items, items + size));
  if (kind == 'D') {
    std::vector<double> numbers(static_cast<size_t>(size));
    if (size > 0) std::memcpy(numbers.data(), items, numbers.size() * sizeof(double));
    return values->add_doubles(numbers);
  }
  mindtorch_swig::Tensors tensors;
  for (int64_t i = 0; i < size; ++i) tensors.add(reinterpret_cast<mt_tensor*>(items[i]));
  values->add_tensors(tensors);
}

template <class Work>
int32_t raise_errors(Work&& work) {
  try {
    work();
    return 1;
  } catch (const mindtorch::Error& error) {
    raise_error(error.kind().c_str(), error.what());
  } catch (const std::exception& error) {
    raise_error("RuntimeError", error.what());
  }
  return 0;
}

}  // namespace

extern "C" {

// texts: the operator's name, its overload and all strings, each with a NUL. bits: one entry per argument, then the places of the last
// arguments' names in texts; lists and strings are places in lists and texts. *size: the number of results in pack_results's form.
// Returns 2 if tensors use so much memory after the call that the garbage collector must run.
SWIGEXPORT int32_t SWIGSTDCALL mindtorch_csharp_call(const char* texts, const char* kinds, int32_t count, const int64_t* bits,
                                                     int32_t named, const int64_t* lists, int64_t* out, int32_t capacity, int32_t* size) {
  const int32_t has_succeeded = raise_errors([&] {
    mindtorch_swig::Values given;
    for (int32_t i = 0; i < count; ++i) {
      box(&given, kinds[i], bits[i], lists, texts);
      if (i >= count - named) given.name(texts + bits[count + i - (count - named)]);
    }
    std::vector<int64_t> results = mindtorch_swig::pack_results(mindtorch_swig::dispatch(texts, texts + std::strlen(texts) + 1, given));
    *size = static_cast<int32_t>(results.size());
    if (*size <= capacity)
      std::memcpy(out, results.data(), results.size() * sizeof(int64_t));
    else
      remaining.swap(results);
  });
  return has_succeeded != 0 && mindtorch_swig::memory_is_high() ? 2 : has_succeeded;
}

SWIGEXPORT void SWIGSTDCALL mindtorch_csharp_fetch(int64_t* out) {
  std::memcpy(out, remaining.data(), remaining.size() * sizeof(int64_t));
  remaining.clear();
}

SWIGEXPORT int32_t SWIGSTDCALL mindtorch_csharp_create(const void* data, int64_t count, int32_t dtype, const int64_t* sizes, int32_t ndim,
                                                       mt_tensor** out) {
  return raise_errors([&] {
    mindtorch::Tensor made = mindtorch::Tensor::empty(std::vector<int64_t>(sizes, sizes + ndim), dtype);
    if (count != made.numel()) {
      mindtorch::check(mt_status_create(
          "ValueError",
          ("the sizes require " + std::to_string(made.numel()) + " elements, and there are " + std::to_string(count)).c_str()));
    }
    if (count > 0) std::memcpy(made.data<void>(), data, static_cast<size_t>(count) * static_cast<size_t>(mt_dtype_size(dtype)));
    mt_tensor_retain(made.handle());
    *out = made.handle();
  });
}

SWIGEXPORT int32_t SWIGSTDCALL mindtorch_csharp_read(mt_tensor* tensor, void* data, int64_t count, int32_t dtype) {
  return raise_errors([&] {
    const mindtorch::Tensor exact = mindtorch_swig::to_host(tensor, dtype);
    if (count < exact.numel()) {
      mindtorch::check(mt_status_create(
          "ValueError",
          ("the tensor has " + std::to_string(exact.numel()) + " elements, and there is room for " + std::to_string(count)).c_str()));
    }
    const size_t bytes = static_cast<size_t>(exact.numel()) * static_cast<size_t>(mt_dtype_size(dtype));
    const char* elements = exact.data<char>();
    // A bool tensor over memory from elsewhere may contain bytes other than 0 and 1.
    if (dtype == MT_BOOL)
      std::transform(elements, elements + bytes, static_cast<char*>(data), [](char byte) { return byte != 0; });
    else if (bytes > 0)
      std::memcpy(data, elements, bytes);
  });
}

// `drop` gets the hook when nothing can call it any more, in any thread.
SWIGEXPORT int32_t SWIGSTDCALL mindtorch_csharp_add_hook(mt_tensor* tensor, mindtorch_swig::GradientHook* hook,
                                                         void(SWIGSTDCALL* drop)(void*), int64_t* id) {
  return raise_errors([&] { *id = mindtorch_swig::add_hook(tensor, hook, drop); });
}

}  // extern "C"
