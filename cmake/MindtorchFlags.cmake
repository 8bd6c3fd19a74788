# Compiler flags of all targets. They affect numerical results, so no target overrides them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# The parts of -O3 that make kernels faster. Loop peeling, cloning and vectorised remainders made the library 50 % larger and
# nothing faster. The same holds for aligned jump targets, and for splitting cold code into a second section with unwind
# tables. Assertions stay on in the debug and sanitizer builds.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(JOIN " " CMAKE_CXX_FLAGS_RELEASE -O2 -ftree-loop-vectorize -ftree-slp-vectorize -fvect-cost-model=dynamic -funswitch-loops
         -fno-reorder-blocks-and-partition -fno-align-jumps -fno-align-labels -falign-functions=8 "--param vect-epilogues-nomask=0" -DNDEBUG)
else()
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(MINDTORCH_CCACHE ccache)
mark_as_advanced(MINDTORCH_CCACHE)
if(MINDTORCH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache requires this to cache objects that use a precompiled header, also one that CMake has just written.
  set(sloppiness pch_defines,time_macros,include_file_mtime,include_file_ctime)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=${sloppiness} ${MINDTORCH_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${MINDTORCH_CCACHE})
endif()

# The standard headers, precompiled once per target: this saves a third of the build time. Every file still includes what it
# uses (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without). Files with different flags cannot use them.
function(mindtorch_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstring> <limits> <map> <memory>
    <mutex> <optional> <span> <string> <string_view> <thread> <tuple> <type_traits> <unordered_map> <utility> <vector> ${ARGN})
endfunction()
function(mindtorch_own_flags)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Full RELRO makes relocated data read-only after loading. Relocations are not packed (DT_RELR would save 0.2 of 10 MB), because
# glibc before 2.36 cannot load a library with packed ones.
add_link_options(-Wl,-z,relro -Wl,-z,now)
# Run paths in the build tree are relative, so that installed files do not depend on the tree's location.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

# Flags of handwritten code; SWIG's output gets the first list only.
add_library(mindtorch_numerics INTERFACE)
# No strict aliasing: a boxed value's handle and the owning pointer share memory with two types.
# Without the first two gcc leaves the wider clones of a kernel scalar; contraction is off so that
# every instruction set rounds alike.
target_compile_options(mindtorch_numerics INTERFACE -fno-trapping-math -fno-math-errno -ffp-contract=off
                       -fno-strict-aliasing -fwrapv)
if(MINDTORCH_SANITIZE)
  target_compile_options(mindtorch_numerics INTERFACE -fsanitize=${MINDTORCH_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(mindtorch_numerics INTERFACE -fsanitize=${MINDTORCH_SANITIZE})
endif()

add_library(mindtorch_warnings INTERFACE)
target_compile_options(mindtorch_warnings INTERFACE -Wall -Wextra $<$<BOOL:${MINDTORCH_WERROR}>:-Werror>
                       $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
# gcc 12 misreads the inlined std::string assignment of a literal as overlapping (its bug 105329).
target_compile_options(mindtorch_warnings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# gcc 12 reports these from inlined standard-library code once a sanitizer changes the inlining.
if(MINDTORCH_SANITIZE)
  target_compile_options(mindtorch_warnings INTERFACE -Wno-maybe-uninitialized -Wno-tsan)
endif()
