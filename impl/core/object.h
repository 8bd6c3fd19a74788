// Reference-counted base of everything that has a handle in the C ABI.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace mt {

// The first word of every handle: lets the C ABI reject handles of another kind.
enum class Kind : uint32_t {
  tensor = 0x4d54546e,
  storage = 0x4d545374,
  generator = 0x4d544765,
  node = 0x4d544e6f,
  op = 0x4d544f70,
  saved = 0x4d545361,
  npu_event = 0x4d544e65,
  npu_graph = 0x4d544e67,
  store = 0x4d547374,
  work = 0x4d54776f,
  group = 0x4d546772,
  checkpoint = 0x4d544370,
  tensor_dict = 0x4d544469,
  dataset = 0x4d544473,
  dataset_writer = 0x4d544477,
  schema = 0x4d545363,
  freed = 0xdeadbeef,
};

struct Object {
  explicit Object(Kind k) : kind(k) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Kind kind;
  std::atomic<uint32_t> refs{1};

  void retain() { refs.fetch_add(1, std::memory_order_relaxed); }
  // Drops a reference; returns true if the caller was the last owner and must destroy the object.
  bool release() { return refs.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  uint32_t use_count() const { return refs.load(std::memory_order_acquire); }
};

// Owning pointer to an Object; T has a static noexcept `destroy(T*)`.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  Ref(const Ref& other) : ptr_(other.ptr_) {
    if (ptr_) ptr_->retain();
  }
  Ref(Ref&& other) noexcept : ptr_(std::exchange(other.ptr_, nullptr)) {}
  Ref& operator=(const Ref& other) {
    Ref copy(other);
    std::swap(ptr_, copy.ptr_);
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    std::swap(ptr_, other.ptr_);
    return *this;
  }
  // Does not call reset(), which would also store a nullptr that nobody reads.
  ~Ref() {
    if (ptr_ && ptr_->release()) T::destroy(ptr_);
  }

  static Ref adopt(T* ptr) {
    Ref ref;
    ref.ptr_ = ptr;
    return ref;
  }
  static Ref share(T* ptr) {
    if (ptr) ptr->retain();
    return adopt(ptr);
  }
  void reset() {
    if (T* old = std::exchange(ptr_, nullptr); old && old->release()) T::destroy(old);
  }
  T* get() const { return ptr_; }
  T* detach() { return std::exchange(ptr_, nullptr); }
  T* operator->() const { return ptr_; }
  T& operator*() const { return *ptr_; }
  explicit operator bool() const { return ptr_ != nullptr; }
  bool operator==(const Ref& other) const { return ptr_ == other.ptr_; }

 protected:
  T* ptr_ = nullptr;
};

// The object that represents a handle in one other language, which a binding of that language sets.
struct Binding {
  int64_t id = 0;
  void* object = nullptr;
  void (*release)(void* object) = nullptr;
  bool owned = false;

  void release_object() {
    if (owned && object && release) release(std::exchange(object, nullptr));
  }
};

}  // namespace mt
