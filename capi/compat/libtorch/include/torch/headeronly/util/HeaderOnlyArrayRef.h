// HeaderOnlyArrayRef<T>: a view of contiguous values that it does not own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

#include <torch/headeronly/util/Exception.h>

HIDDEN_NAMESPACE_BEGIN(torch, headeronly)

template <class T>
class HeaderOnlyArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = size_t;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr HeaderOnlyArrayRef() = default;
  constexpr HeaderOnlyArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr HeaderOnlyArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr HeaderOnlyArrayRef(const T* begin, const T* end) : data_(begin), size_(size_t(end - begin)) {}
  template <class A>
  HeaderOnlyArrayRef(const std::vector<T, A>& items) : data_(items.data()), size_(items.size()) {
    static_assert(!std::is_same_v<T, bool>, "a vector of bool has no array of them");
  }
  template <size_t N>
  constexpr HeaderOnlyArrayRef(const std::array<T, N>& items) : data_(items.data()), size_(N) {}
  template <size_t N>
  constexpr HeaderOnlyArrayRef(const T (&items)[N]) : data_(items), size_(N) {}
  // Valid until the end of the full expression that creates the list, which is what the compiler warns about.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
  constexpr HeaderOnlyArrayRef(const std::initializer_list<T>& items) : data_(items.begin()), size_(items.size()) {}
#pragma GCC diagnostic pop

  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + size_; }
  constexpr const_iterator cbegin() const { return begin(); }
  constexpr const_iterator cend() const { return end(); }
  reverse_iterator rbegin() const { return reverse_iterator(end()); }
  reverse_iterator rend() const { return reverse_iterator(begin()); }

  constexpr const T& operator[](size_t i) const { return data_[i]; }
  const T& at(size_t i) const {
    STD_TORCH_CHECK(i < size_, "HeaderOnlyArrayRef: invalid index Index = ", i, "; Length = ", size_);
    return data_[i];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(size_ - 1); }
  HeaderOnlyArrayRef slice(size_t start, size_t count) const {
    STD_TORCH_CHECK(start <= size_ && count <= size_ - start, "HeaderOnlyArrayRef: invalid slice, N = ", start, "; M = ", count,
                    "; size = ", size_);
    return {data_ + start, count};
  }
  HeaderOnlyArrayRef slice(size_t start) const { return slice(start, start <= size_ ? size_ - start : 0); }
  std::vector<T> vec() const { return {begin(), end()}; }

  bool equals(HeaderOnlyArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }
  friend bool operator==(HeaderOnlyArrayRef a, HeaderOnlyArrayRef b) { return a.equals(b); }
  friend bool operator!=(HeaderOnlyArrayRef a, HeaderOnlyArrayRef b) { return !a.equals(b); }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

using IntHeaderOnlyArrayRef = HeaderOnlyArrayRef<int64_t>;

HIDDEN_NAMESPACE_END(torch, headeronly)
