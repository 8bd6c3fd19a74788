# LibTorch's stable ABI over the public C headers, and small libraries with the names that extensions request. They are in a separate
# folder, where no linker or loader finds them by accident: torch.ops.load_library loads them.
set(libtorch_folder ${CMAKE_SOURCE_DIR}/capi/compat/libtorch)
set(libtorch_output ${CMAKE_BINARY_DIR}/lib/libtorch)
set(MINDTORCH_LIBTORCH "")

# mindtorch_libtorch(NAME FILE SOURCES...): a library with the file name and soname FILE.
function(mindtorch_libtorch name file)
  add_library(${name} SHARED ${ARGN})
  target_link_libraries(${name} PRIVATE mindtorch_warnings)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Os>)
  target_link_options(${name} PRIVATE -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,-z,nodelete)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${file} LIBRARY_OUTPUT_DIRECTORY ${libtorch_output}
                        INSTALL_RPATH "$ORIGIN;$ORIGIN/..")
  set(MINDTORCH_LIBTORCH ${MINDTORCH_LIBTORCH} ${name} PARENT_SCOPE)
endfunction()

file(GLOB libtorch_sources CONFIGURE_DEPENDS ${libtorch_folder}/*.cpp)
list(REMOVE_ITEM libtorch_sources ${libtorch_folder}/cuda.cpp)
set(libtorch_operators ${MINDTORCH_GENERATED}/libtorch/operators.cpp)
set_source_files_properties(${libtorch_operators} PROPERTIES GENERATED TRUE)
mindtorch_libtorch(libtorch_cpu libtorch_cpu.so ${libtorch_sources} ${libtorch_operators})
add_dependencies(libtorch_cpu mindtorch_generated)
target_include_directories(libtorch_cpu PRIVATE ${libtorch_folder})
target_link_libraries(libtorch_cpu PRIVATE mindtorch mindtorch_numerics)
target_link_options(libtorch_cpu PRIVATE -Wl,--version-script=${libtorch_folder}/exports.map)
set_target_properties(libtorch_cpu PROPERTIES LINK_DEPENDS ${libtorch_folder}/exports.map)

mindtorch_libtorch(libtorch_cuda libtorch_cuda.so ${libtorch_folder}/cuda.cpp)
target_include_directories(libtorch_cuda PRIVATE ${libtorch_folder})
target_link_libraries(libtorch_cuda PRIVATE libtorch_cpu)
target_include_directories(libtorch_cuda PRIVATE ${CMAKE_SOURCE_DIR}/capi/include)
target_link_options(libtorch_cuda PRIVATE -Wl,--version-script=${libtorch_folder}/exports.map)

mindtorch_libtorch(libtorch_cudart libcudart.so.13 ${libtorch_folder}/cudart.c)
target_link_options(libtorch_cudart PRIVATE -Wl,--version-script=${libtorch_folder}/cudart.map)
foreach(file libtorch.so libtorch_python.so libc10.so libc10_cuda.so libnvrtc.so.13)
  string(REPLACE .so "" name ${file})
  mindtorch_libtorch(shell_${name} ${file} ${libtorch_folder}/shell.c)
  set_target_properties(shell_${name} PROPERTIES LINK_FLAGS "-nostdlib -s")
endforeach()

# The handwritten and generated headers of extensions, in one folder.
set(MINDTORCH_LIBTORCH_HEADERS ${CMAKE_BINARY_DIR}/include/libtorch)
file(GLOB_RECURSE libtorch_headers CONFIGURE_DEPENDS ${libtorch_folder}/include/*.h)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/include/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${MINDTORCH_LIBTORCH_HEADERS}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${libtorch_folder}/include ${MINDTORCH_GENERATED}/libtorch/include ${MINDTORCH_LIBTORCH_HEADERS}
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/include/stamp
  DEPENDS ${libtorch_headers} ${MINDTORCH_GENERATED}/stamp
  VERBATIM)
add_custom_target(mindtorch_libtorch_headers ALL DEPENDS ${CMAKE_BINARY_DIR}/include/stamp)
add_custom_target(mindtorch_libtorch DEPENDS ${MINDTORCH_LIBTORCH} mindtorch_libtorch_headers)
