// Two functions of newer C++ standard libraries that extensions take from torch, whose own library brings them along. A machine with
// an older compiler has no others.
#include <cstddef>
#include <cstring>
#include <ios>
#include <memory>

// Extensions rely on a library that initialises std::cerr and its kind when it is loaded; an older one waits until somebody asks.
static const std::ios_base::Init initialised_streams;
// Only its address is asked for, as the proof that the library does so.
extern "C" __attribute__((visibility("default"))) void mt_ios_base_library_init() __asm__("_ZSt21ios_base_library_initv");
extern "C" void mt_ios_base_library_init() {}

// std::string's replacement of `removed` characters at `place` by `count` characters at `from`, which may be part of the string itself.
// `tail` characters follow those that are removed. The string has room for the result.
extern "C" __attribute__((visibility("default"))) void mt_string_replace_within(
    void*, char* place, size_t removed, const char* from, size_t count,
    size_t tail) __asm__("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm");
extern "C" void mt_string_replace_within(void*, char* place, size_t removed, const char* from, size_t count, size_t tail) {
  char few[256];
  const std::unique_ptr<char[]> many(count > sizeof few ? new char[count] : nullptr);
  char* copy = many ? many.get() : few;
  std::memcpy(copy, from, count);
  if (tail && removed != count) std::memmove(place + count, place + removed, tail);
  std::memcpy(place, copy, count);
}
