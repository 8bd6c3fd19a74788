// Calls of functions by name in the library that fuzz.cpp and fuzz_operators.cpp load.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

inline void* library;

template <class... Arguments>
int32_t call(const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<int32_t (*)(Arguments...)>(dlsym(library, name));
  if (!function) {
    std::fprintf(stderr, "no %s\n", name);
    std::exit(2);
  }
  return function(arguments...);
}
