# libmindtorch: the implementation and the C ABI over it. Exports exactly the symbols of the ledger.
find_package(Threads REQUIRED)

# Debian's oneTBB gives ThreadSanitizer false reports, so that build runs on std::thread.
string(FIND "${MINDTORCH_SANITIZE}" thread mindtorch_tsan_at)
add_library(mindtorch_deps INTERFACE)
target_link_libraries(mindtorch_deps INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
if(mindtorch_tsan_at GREATER -1)
  target_compile_definitions(mindtorch_deps INTERFACE MT_PARALLEL_STD)
else()
  find_package(TBB REQUIRED)
  target_link_libraries(mindtorch_deps INTERFACE TBB::tbb)
endif()

# zlib and zstd, linked statically if possible, so that users need not install them. Distributions link their own.
option(MINDTORCH_STATIC_COMPRESSION "Link zlib and zstd statically where possible" ON)
foreach(library ZLIB:z:zlib.h ZSTD:zstd:zstd.h)
  string(REPLACE ":" ";" parts ${library})
  list(GET parts 0 variable)
  list(GET parts 1 name)
  list(GET parts 2 header)
  set(names ${name})
  if(MINDTORCH_STATIC_COMPRESSION)
    list(PREPEND names lib${name}.a)
  endif()
  find_library(MINDTORCH_${variable} NAMES ${names} REQUIRED)
  find_path(MINDTORCH_${variable}_INCLUDE ${header} REQUIRED)
  mark_as_advanced(MINDTORCH_${variable} MINDTORCH_${variable}_INCLUDE)
  target_link_libraries(mindtorch_deps INTERFACE ${MINDTORCH_${variable}})
  if(NOT MINDTORCH_${variable}_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(mindtorch_deps SYSTEM INTERFACE ${MINDTORCH_${variable}_INCLUDE})
  endif()
endforeach()

# Object libraries, because a linker would drop archive members that contain only an operator's registration.
file(GLOB_RECURSE impl_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/*.cpp)
# Separate programs and libraries, and code that each library of the wheel links itself.
list(FILTER impl_sources EXCLUDE REGEX "/impl/(npu_sim|tools|backend_gloo|backend_hccl|backend_mpi|core/older_symbols)/")
file(GLOB_RECURSE capi_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/capi/src/*.cpp)

# Code that spends its time in LAPACK, in kernels of impl/cpu, on a device or in few steps per call is as fast when compiled for size. A
# folder with such code lists it in compile_for_size.txt: a pattern per line, after "!" for files that are left out.
file(GLOB_RECURSE size_lists CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/compile_for_size.txt)
set(small_sources)
foreach(size_list ${size_lists})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${size_list})
  get_filename_component(folder ${size_list} DIRECTORY)
  file(STRINGS ${size_list} patterns)
  foreach(pattern ${patterns})
    string(REGEX REPLACE "^!" "" files ${pattern})
    file(GLOB matched ${folder}/${files})
    if(pattern MATCHES "^!")
      list(REMOVE_ITEM small_sources ${matched})
    else()
      list(APPEND small_sources ${matched})
    endif()
  endforeach()
endforeach()
list(REMOVE_ITEM impl_sources ${small_sources})

add_library(impl OBJECT ${impl_sources})
add_library(impl_small OBJECT ${small_sources})
target_compile_options(impl_small PRIVATE $<$<CONFIG:Release>:-Os>)
foreach(part impl impl_small)
  target_include_directories(${part} PUBLIC ${CMAKE_SOURCE_DIR}/impl ${CMAKE_SOURCE_DIR}/capi/include)
  target_link_libraries(${part} PUBLIC mindtorch_deps mindtorch_numerics PRIVATE mindtorch_warnings)
  mindtorch_precompile(${part})
endforeach()

# A table that the assembler embeds as bytes: as C++ source it would be forty times as long.
set(sobol_table ${CMAKE_SOURCE_DIR}/impl/cpu/random/sobol_directions.bin)
set_source_files_properties(${CMAKE_SOURCE_DIR}/impl/cpu/random/sobol.cpp PROPERTIES
                            COMPILE_DEFINITIONS "MT_SOBOL_TABLE=\"${sobol_table}\"" OBJECT_DEPENDS ${sobol_table})
mindtorch_own_flags(${CMAKE_SOURCE_DIR}/impl/cpu/random/sobol.cpp)
set(ggml_table ${CMAKE_SOURCE_DIR}/impl/io/ggml_grids.bin)
set_source_files_properties(${CMAKE_SOURCE_DIR}/impl/io/ggml_grids.cpp PROPERTIES
                            COMPILE_DEFINITIONS "MT_GGML_GRIDS=\"${ggml_table}\"" OBJECT_DEPENDS ${ggml_table})
mindtorch_own_flags(${CMAKE_SOURCE_DIR}/impl/io/ggml_grids.cpp)

# On x86-64, only CPUs from before about 2015 (without AVX2) use these baseline kernels, so they are compiled for size. On other
# architectures they are the main kernels.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/impl/cpu/gemm/gemm_baseline.cpp ${CMAKE_SOURCE_DIR}/impl/cpu/fft/fft_baseline.cpp PROPERTIES
                              COMPILE_OPTIONS "-Os;-fno-tree-loop-vectorize;-fno-tree-slp-vectorize")
  mindtorch_own_flags(${CMAKE_SOURCE_DIR}/impl/cpu/gemm/gemm_baseline.cpp ${CMAKE_SOURCE_DIR}/impl/cpu/fft/fft_baseline.cpp)
endif()

# Only sums of products, which may be contracted because the matrix kernels use fused multiply-adds as well.
set(fused_sources ${CMAKE_SOURCE_DIR}/impl/cpu/conv/conv_channels.cpp ${CMAKE_SOURCE_DIR}/impl/cpu/conv/conv_depthwise.cpp)
set_property(SOURCE ${fused_sources} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=fast)
mindtorch_own_flags(${fused_sources})

# Kernels use no variable after its block, and the sanitizer's check for such uses makes compiling their unrolled blocks take five times as
# long.
if(MINDTORCH_SANITIZE MATCHES address)
  file(GLOB_RECURSE kernel_sources ${CMAKE_SOURCE_DIR}/impl/cpu/*.cpp)
  set_property(SOURCE ${kernel_sources} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize-address-use-after-scope)
endif()

# Jump threading would turn a clamp, which is a maximum and a minimum, into three branches.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set_property(SOURCE ${CMAKE_SOURCE_DIR}/impl/cpu/math/vecmath_double.cpp APPEND PROPERTY COMPILE_OPTIONS -fno-thread-jumps)
endif()

add_library(capi OBJECT ${capi_sources})
target_include_directories(capi PUBLIC ${CMAKE_SOURCE_DIR}/capi/include PRIVATE ${CMAKE_SOURCE_DIR}/capi/src
                           ${CMAKE_SOURCE_DIR}/impl)
target_compile_definitions(capi PRIVATE MT_BUILDING MINDTORCH_WITHOUT_INSTALLED_DLPACK MT_VERSION_STRING="${PROJECT_VERSION}")
target_link_libraries(capi PUBLIC mindtorch_deps mindtorch_numerics PRIVATE mindtorch_warnings)
set_source_files_properties(${CMAKE_SOURCE_DIR}/capi/src/profiler.cpp PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")
# With precompiled headers, gcc 12 reports code inlined from std::string there as a write past the string.
mindtorch_own_flags(${CMAKE_SOURCE_DIR}/capi/src/profiler.cpp ${CMAKE_SOURCE_DIR}/capi/src/runtime.cpp)
mindtorch_precompile(capi)

set_target_properties(impl impl_small capi PROPERTIES UNITY_BUILD OFF)
set(mindtorch_objects $<TARGET_OBJECTS:impl> $<TARGET_OBJECTS:impl_small> $<TARGET_OBJECTS:capi>)

include(MindtorchLedger)
mindtorch_version_script(${CMAKE_SOURCE_DIR}/capi/abi/ledger.txt ${CMAKE_BINARY_DIR}/mindtorch.map)

# Whether the functions of impl/core/older_symbols link here: some compilers come with libraries that lack older versions.
file(GLOB older_symbols CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/core/older_symbols/*.cpp)
if(NOT DEFINED MINDTORCH_OLDER_SYMBOLS)
  try_compile(MINDTORCH_OLDER_SYMBOLS
    SOURCES ${older_symbols}
    SOURCE_FROM_CONTENT main.cpp "extern \"C\" double __wrap_hypot(double, double);
      int main(int n, char**) { return static_cast<int>(__wrap_hypot(n, n)); }"
    LINK_LIBRARIES m)
endif()
if(MINDTORCH_OLDER_SYMBOLS)
  # Some C and C++ functions have newer symbol versions than older systems provide. The linker redirects calls to these.
  add_library(mindtorch_older_symbols STATIC ${older_symbols})
  set_target_properties(mindtorch_older_symbols PROPERTIES POSITION_INDEPENDENT_CODE ON)
  foreach(function hypot hypotf _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)
    target_link_options(mindtorch_older_symbols INTERFACE -Wl,--wrap=${function})
  endforeach()
endif()

# mindtorch_use_older_symbols(TARGET): a library of the wheel then runs on systems older than the one that builds.
function(mindtorch_use_older_symbols target)
  if(MINDTORCH_OLDER_SYMBOLS)
    target_link_libraries(${target} PRIVATE mindtorch_older_symbols)
  endif()
endfunction()

add_library(mindtorch SHARED ${mindtorch_objects})
add_library(mindtorch::mindtorch ALIAS mindtorch)
target_include_directories(mindtorch INTERFACE ${CMAKE_SOURCE_DIR}/capi/include)
target_link_libraries(mindtorch PRIVATE mindtorch_deps mindtorch_numerics)
# nodelete: thread-local objects and binding callbacks outlive any dlclose.
target_link_options(mindtorch PRIVATE -Wl,-z,nodelete -Wl,-z,defs -Wl,--as-needed -Wl,--gc-sections
                    -Wl,--version-script=${CMAKE_BINARY_DIR}/mindtorch.map)
mindtorch_use_older_symbols(mindtorch)
if(MINDTORCH_SANITIZE)
  # A sanitizer's runtime is found in the executable, not in the library.
  target_link_options(mindtorch PRIVATE -Wl,-z,undefs)
endif()
set_target_properties(mindtorch PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${MINDTORCH_SOVERSION} SOVERSION ${MINDTORCH_SOVERSION}
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
  LINK_DEPENDS ${CMAKE_BINARY_DIR}/mindtorch.map
  INSTALL_RPATH "$ORIGIN")
