// Elements by indices, one per dimension: accessor[i][j].
#pragma once

#include <cstddef>
#include <cstdint>

#include <torch/headeronly/util/HeaderOnlyArrayRef.h>

HIDDEN_NAMESPACE_BEGIN(torch, headeronly)

template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* C10_RESTRICT;
};

// An accessor that borrows its sizes and strides.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = int64_t>
class HeaderOnlyTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  HeaderOnlyTensorAccessor(PtrType data, const Index* sizes, const Index* strides) : data_(data), sizes_(sizes), strides_(strides) {}

  HeaderOnlyArrayRef<Index> sizes() const { return {sizes_, N}; }
  HeaderOnlyArrayRef<Index> strides() const { return {strides_, N}; }
  Index size(Index d) const { return sizes_[d]; }
  Index stride(Index d) const { return strides_[d]; }
  PtrType data() const { return data_; }

  decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return static_cast<T&>(data_[strides_[0] * i]);
    } else {
      return HeaderOnlyTensorAccessor<T, N - 1, PtrTraits, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 private:
  PtrType data_;
  const Index *sizes_, *strides_;
};

// An accessor that stores its sizes and strides.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = int64_t>
class HeaderOnlyGenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  template <class From>
  HeaderOnlyGenericPackedTensorAccessor(PtrType data, const From* sizes, const From* strides) : data_(data) {
    for (size_t d = 0; d < N; ++d) {
      sizes_[d] = Index(sizes[d]);
      strides_[d] = Index(strides[d]);
    }
  }

  Index size(Index d) const { return sizes_[d]; }
  Index stride(Index d) const { return strides_[d]; }
  PtrType data() const { return data_; }
  decltype(auto) operator[](Index i) const { return HeaderOnlyTensorAccessor<T, N, PtrTraits, Index>(data_, sizes_, strides_)[i]; }

  // An accessor with two dimensions exchanged.
  HeaderOnlyGenericPackedTensorAccessor transpose(Index a, Index b) const {
    STD_TORCH_CHECK(a >= 0 && size_t(a) < N && b >= 0 && size_t(b) < N, "Index ", a, " or ", b,
                    " is not within bounds of a tensor of dimension ", N);
    HeaderOnlyGenericPackedTensorAccessor other = *this;
    other.sizes_[a] = sizes_[b], other.sizes_[b] = sizes_[a];
    other.strides_[a] = strides_[b], other.strides_[b] = strides_[a];
    return other;
  }

 private:
  PtrType data_;
  Index sizes_[N], strides_[N];
};

HIDDEN_NAMESPACE_END(torch, headeronly)
