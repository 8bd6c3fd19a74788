// Native methods of Java that SWIG has no types for: calls of operators without boxes made in Java, arrays and buffers at memory speed.
#pragma once

namespace {

struct JavaArray {  // the elements of a primitive array, without a copy, until the end of the scope: no other call of JNI before
  JavaArray(JNIEnv* env, jobject array) : env(env), array(static_cast<jarray>(array)), size(length(env, array)) {
    data = env->GetPrimitiveArrayCritical(this->array, nullptr);
    if (data == nullptr) throw_java(env, "java/lang/OutOfMemoryError", "there is no memory for an array's elements");
  }
  ~JavaArray() { env->ReleasePrimitiveArrayCritical(array, data, 0); }
  static jsize length(JNIEnv* env, jobject array) {
    if (array == nullptr) throw_java(env, "java/lang/NullPointerException", "an array is null");
    return env->GetArrayLength(static_cast<jarray>(array));
  }
  JNIEnv* env;
  jarray array;
  jsize size;
  void* data;
};

template <class T>
std::vector<T> copy_array(JNIEnv* env, jobject array) {
  const JavaArray given(env, array);
  const T* data = static_cast<const T*>(given.data);
  return std::vector<T>(data, data + given.size);
}

template <class Work>
auto raise_errors(JNIEnv* env, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Thrown&) {
  } catch (const mindtorch::Error& error) {
    raise_error(env, error.kind().c_str(), error.what());
  } catch (const std::exception& error) {
    raise_error(env, "RuntimeError", error.what());
  }
  return decltype(work())();
}

mindtorch::Tensor share_tensor(jlong address) { return mindtorch::Tensor::share(reinterpret_cast<mt_tensor*>(address)); }
jlong give_tensor_address(const mindtorch::Tensor& tensor) { return mindtorch_swig::give_address(tensor); }

void box(JNIEnv* env, mindtorch_swig::Values* values, char kind, jlong bits, jobject object) {
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
    case 's': return values->add_string(copy_text(env, object));
    case 'I': return values->add_ints(copy_array<int64_t>(env, object));
    case 'D': return values->add_doubles(copy_array<double>(env, object));
    case 'T': {
      mindtorch_swig::Tensors tensors;
      for (int64_t address : copy_array<int64_t>(env, object)) tensors.add(reinterpret_cast<mt_tensor*>(address));
      return values->add_tensors(tensors);
    }
  }
}

// Keeps a Java direct buffer alive while a tensor uses its memory.
struct Borrowed {
  JavaVM* machine;
  jobject buffer;
};
void return_buffer(void* context) {
  auto* borrowed = static_cast<Borrowed*>(context);
  JNIEnv* env = nullptr;
  const bool is_foreign = borrowed->machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_6) == JNI_EDETACHED;
  if (is_foreign) borrowed->machine->AttachCurrentThread(reinterpret_cast<void**>(&env), nullptr);
  env->DeleteGlobalRef(borrowed->buffer);
  if (is_foreign) borrowed->machine->DetachCurrentThread();
  delete borrowed;
}

}  // namespace

extern "C" {

// kinds and bits have one entry per argument; lists and texts are in objects; names are those of the last arguments, or NULL.
JNIEXPORT jlongArray JNICALL Java_org_mindtorch_capiJNI_call(JNIEnv* env, jclass, jstring name, jstring overload, jbyteArray kinds,
                                                             jlongArray bits, jobjectArray objects, jobjectArray names) {
  return raise_errors(env, [&]() -> jlongArray {
    constexpr jsize most = 64;
    jbyte kind[most];
    jlong bit[most];
    const jsize count = env->GetArrayLength(kinds), named = names == nullptr ? 0 : env->GetArrayLength(names);
    if (count > most) mindtorch::check(mt_status_create("TypeError", "an operator has at most 64 arguments"));
    env->GetByteArrayRegion(kinds, 0, count, kind);
    env->GetLongArrayRegion(bits, 0, count, bit);
    mindtorch_swig::Values given;
    for (jsize i = 0; i < count; ++i) {
      jobject object = objects == nullptr ? nullptr : env->GetObjectArrayElement(objects, i);
      box(env, &given, static_cast<char>(kind[i]), bit[i], object);
      if (i >= count - named) given.name(copy_text(env, env->GetObjectArrayElement(names, i - (count - named))));
    }
    const std::vector<int64_t> results = mindtorch_swig::pack_results(
        mindtorch_swig::dispatch(copy_text(env, name).c_str(), copy_text(env, overload).c_str(), given));
    jlongArray out = env->NewLongArray(static_cast<jsize>(results.size()));
    if (out != nullptr) env->SetLongArrayRegion(out, 0, static_cast<jsize>(results.size()), reinterpret_cast<const jlong*>(results.data()));
    return out;
  });
}

// Makes a tensor from the elements of a Java primitive array, whose element type corresponds to the dtype.
JNIEXPORT jlong JNICALL Java_org_mindtorch_capiJNI_create(JNIEnv* env, jclass, jobject array, jint dtype, jlongArray sizes) {
  return raise_errors(env, [&] {
    const std::vector<int64_t> shape = copy_array<int64_t>(env, sizes);
    mindtorch::Tensor made = mindtorch::Tensor::empty(shape, dtype);
    const jsize size = JavaArray::length(env, array);
    if (size != made.numel()) {
      mindtorch::check(mt_status_create(
          "ValueError",
          ("the sizes require " + std::to_string(made.numel()) + " elements, and there are " + std::to_string(size)).c_str()));
    }
    void* data = made.data<void>();
    const JavaArray given(env, array);
    if (size > 0) std::memcpy(data, given.data, static_cast<size_t>(size) * static_cast<size_t>(mt_dtype_size(dtype)));
    return give_tensor_address(made);
  });
}

// Copies all elements, in row-major order, to a Java primitive array whose element type corresponds to the dtype.
JNIEXPORT void JNICALL Java_org_mindtorch_capiJNI_read(JNIEnv* env, jclass, jlong tensor, jobject array, jint dtype) {
  raise_errors(env, [&] {
    const mindtorch::Tensor exact = mindtorch_swig::to_host(reinterpret_cast<mt_tensor*>(tensor), dtype);
    const size_t bytes = static_cast<size_t>(exact.numel()) * static_cast<size_t>(mt_dtype_size(dtype));
    const char* data = exact.data<char>();
    const JavaArray target(env, array);
    // A bool tensor over memory from elsewhere may contain bytes other than 0 and 1.
    if (dtype == MT_BOOL)
      std::transform(data, data + bytes, static_cast<jboolean*>(target.data), [](char byte) { return byte != 0; });
    else if (bytes > 0)
      std::memcpy(target.data, data, bytes);
  });
}

// Returns a direct buffer over the memory of a contiguous CPU tensor.
JNIEXPORT jobject JNICALL Java_org_mindtorch_capiJNI_buffer(JNIEnv* env, jclass, jlong address) {
  return raise_errors(env, [&] {
    const mindtorch::Tensor tensor = share_tensor(address);
    const mt_tensor_info about = tensor.info();
    if (about.device.type != MT_CPU || (about.flags & MT_TENSOR_IS_CONTIGUOUS) == 0) {
      mindtorch::check(mt_status_create("ValueError", "a buffer requires a contiguous tensor on the CPU"));
    }
    static char nothing;
    void* data = tensor.data<void>();
    return env->NewDirectByteBuffer(data == nullptr ? &nothing : data, about.numel * mt_dtype_size(about.dtype));
  });
}

// A tensor that uses the memory of a direct buffer, from an offset on.
JNIEXPORT jlong JNICALL Java_org_mindtorch_capiJNI_wrap(JNIEnv* env, jclass, jobject buffer, jint offset, jint dtype, jlongArray sizes) {
  return raise_errors(env, [&] {
    const std::vector<int64_t> shape = copy_array<int64_t>(env, sizes);
    void* data = env->GetDirectBufferAddress(buffer);
    jobject kept = env->NewGlobalRef(buffer);
    if (kept == nullptr || data == nullptr) throw_java(env, "java/lang/OutOfMemoryError", "there is no reference to a buffer");
    auto* borrowed = new Borrowed{nullptr, kept};
    env->GetJavaVM(&borrowed->machine);
    mt_tensor* made = nullptr;
    mt_status* failed = mt_tensor_from_data(static_cast<char*>(data) + offset, shape.data(), nullptr, static_cast<int64_t>(shape.size()),
                                            dtype, mindtorch::cpu(), return_buffer, borrowed, &made);
    if (failed != nullptr) return_buffer(borrowed);
    mindtorch::check(failed);
    return reinterpret_cast<jlong>(made);
  });
}

// One more reference.
JNIEXPORT jlong JNICALL Java_org_mindtorch_capiJNI_share(JNIEnv*, jclass, jlong tensor) {
  return give_tensor_address(share_tensor(tensor));
}

// The tensor owns the hook, to which Java has given up its ownership: the director's reference keeps the hook's object until then.
JNIEXPORT jlong JNICALL Java_org_mindtorch_capiJNI_addHook(JNIEnv* env, jclass, jlong tensor, jlong hook) {
  return raise_errors(env, [&]() -> jlong {
    auto drop = [](void* user) { delete static_cast<mindtorch_swig::GradientHook*>(user); };
    return mindtorch_swig::add_hook(reinterpret_cast<mt_tensor*>(tensor), reinterpret_cast<mindtorch_swig::GradientHook*>(hook), drop);
  });
}

}  // extern "C"
