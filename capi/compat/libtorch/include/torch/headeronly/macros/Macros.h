// Macros for the compiler, and namespaces with hidden visibility.
#pragma once

#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_UID __COUNTER__
#define C10_ANONYMOUS_VARIABLE(name) C10_CONCATENATE(name, __COUNTER__)

#define C10_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 1))
#define C10_UNLIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 0))
#define C10_NOINLINE __attribute__((noinline))
#define C10_ALWAYS_INLINE __attribute__((always_inline)) inline
#define C10_RESTRICT __restrict
#define C10_USED __attribute__((used))
#define C10_UNUSED [[maybe_unused]]
#define C10_NODISCARD [[nodiscard]]
// All code here runs on the host.
#define C10_HOST
#define C10_DEVICE
#define C10_HOST_DEVICE

// HIDDEN_NAMESPACE_BEGIN(a, b, c) ... HIDDEN_NAMESPACE_END(a, b, c): namespace a::b::c, hidden, so that two extensions in one process
// have separate copies of these inline functions.
#define MT_NAMESPACE_1(a) namespace a
#define MT_NAMESPACE_2(a, b) namespace a::b
#define MT_NAMESPACE_3(a, b, c) namespace a::b::c
#define MT_NAMESPACE_PICK(_1, _2, _3, name, ...) name
#define HIDDEN_NAMESPACE_BEGIN(...)                                                               \
  MT_NAMESPACE_PICK(__VA_ARGS__, MT_NAMESPACE_3, MT_NAMESPACE_2, MT_NAMESPACE_1, )(__VA_ARGS__) { \
    inline namespace in_this_library __attribute__((visibility("hidden"))) {
#define HIDDEN_NAMESPACE_END(...) \
  }                               \
  }
