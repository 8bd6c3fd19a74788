// Borrowed sequences, and small owned ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace mt {

// A borrowed sequence of values.
template <class T>
struct List {
  const T* data = nullptr;
  int64_t count = 0;

  constexpr List() = default;
  constexpr List(const T* d, int64_t n) : data(d), count(n) {}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
  // Valid until the end of the full expression that creates it.
  constexpr List(std::initializer_list<T> items) : data(items.begin()), count(int64_t(items.size())) {}
#pragma GCC diagnostic pop
  int64_t size() const { return count; }
  bool empty() const { return count == 0; }
  List first(int64_t n) const { return {data, n}; }
  const T* begin() const { return data; }
  const T* end() const { return data + count; }
  const T& operator[](int64_t i) const { return data[i]; }
  const T& back() const { return data[count - 1]; }
  bool operator==(const List& o) const {
    if (count != o.count) return false;
    for (int64_t i = 0; i < count; ++i)
      if (!(data[i] == o.data[i])) return false;
    return true;
  }
};
using IntList = List<int64_t>;

// An owned sequence of plain values that stores a few of them inline.
template <class T, int Inline>
class Small {
 public:
  Small() = default;
  explicit Small(int64_t n, T value = T()) { resize(n, value); }
  Small(std::initializer_list<T> items) { assign(items.begin(), int64_t(items.size())); }
  Small(List<T> items) { assign(items.data, items.count); }
  Small(const Small& o) { assign(o.data(), o.size_); }
  Small(Small&& o) noexcept { move_contents_from(o); }
  Small& operator=(const Small& o) {
    if (this != &o) assign(o.data(), o.size_);
    return *this;
  }
  Small& operator=(Small&& o) noexcept {
    if (this != &o) {
      free_heap();
      move_contents_from(o);
    }
    return *this;
  }
  ~Small() { free_heap(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](int64_t i) { return data()[i]; }
  const T& operator[](int64_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  operator List<T>() const { return {data(), size_}; }
  bool operator==(const Small& o) const { return List<T>(*this) == List<T>(o); }
  bool operator==(List<T> o) const { return List<T>(*this) == o; }

  void clear() { size_ = 0; }
  void assign(const T* items, int64_t n) {
    // For a few items a loop is faster than calling memmove. It runs forwards, so `items` may point further on in this buffer.
    if (n > Inline) return assign_many(items, n);
    T* const to = data();
    for (int64_t i = 0; i < n; ++i) to[i] = items[i];
    size_ = int32_t(n);
  }
  void resize(int64_t n, T value = T()) {
    if (n > capacity_) grow(n);
    for (int64_t i = size_; i < n; ++i) data()[i] = value;
    size_ = int32_t(n);
  }
  void push_back(T value) {
    if (size_ == capacity_) grow(2 * int64_t(capacity_));
    data()[size_++] = value;
  }
  void insert(int64_t at, T value) {
    push_back(value);
    for (int64_t i = size_ - 1; i > at; --i) std::swap(data()[i], data()[i - 1]);
  }
  void erase(int64_t at) {
    for (int64_t i = at; i + 1 < size_; ++i) data()[i] = data()[i + 1];
    --size_;
  }
  void pop_back() { --size_; }

 private:
  static_assert(__is_trivially_copyable(T));
  // Lists longer than the inline buffer are rare, but many callers contain this call: not inlined, to keep their code small.
  [[gnu::noinline, gnu::cold]] void assign_many(const T* items, int64_t n) {
    if (n > capacity_) grow(n);
    std::memmove(static_cast<void*>(data()), items, size_t(n) * sizeof(T));
    size_ = int32_t(n);
  }
  [[gnu::noinline, gnu::cold]] void grow(int64_t n) {
    T* bigger = static_cast<T*>(::operator new(size_t(n) * sizeof(T)));
    if (size_) std::memcpy(static_cast<void*>(bigger), data(), size_t(size_) * sizeof(T));
    free_heap();
    data_ = bigger;
    capacity_ = int32_t(n);
  }
  void free_heap() {
    if (data_ != inline_) ::operator delete(data_);
    data_ = inline_;
    capacity_ = Inline;
  }
  // Moves the contents of `o` into this sequence, which is empty.
  void move_contents_from(Small& o) {
    if (o.data_ == o.inline_)
      std::memcpy(static_cast<void*>(inline_), o.inline_, sizeof(inline_));
    else
      data_ = std::exchange(o.data_, o.inline_);
    capacity_ = std::exchange(o.capacity_, Inline);
    size_ = std::exchange(o.size_, 0);
  }

  T* data_ = inline_;  // or heap memory
  int32_t size_ = 0;
  int32_t capacity_ = Inline;
  T inline_[Inline];
};
using Dims = Small<int64_t, 5>;

}  // namespace mt
