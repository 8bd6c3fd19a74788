// Two functions of newer C++ standard libraries, which extensions expect because torch's own library contains them. Machines with an
// older compiler lack them.
#include <cstddef>
#include <cstring>
#include <ios>
#include <memory>

// Newer libraries initialise std::cerr and the other streams when they are loaded, and extensions rely on that; older ones do so on first
// use.
static const std::ios_base::Init initialised_streams;
// Extensions only use its address, as a sign that the library initialises the streams.
extern "C" __attribute__((visibility("default"))) void mt_ios_base_library_init() __asm__("_ZSt21ios_base_library_initv");
extern "C" void mt_ios_base_library_init() {}

// Replaces `removed` characters of a std::string at `place` by `count` characters at `from`, which may be part of the string itself.
// `tail` characters follow the removed ones. The string has enough capacity.
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
