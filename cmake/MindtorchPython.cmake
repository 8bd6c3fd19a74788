# The extension module `_C`: a client of the public C headers that lives inside the loaded tree.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

file(GLOB python_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/python/*.cpp)
if(python_sources)
  # What runs while signatures are read, for errors, or once a program.
  foreach(rare delayed_error documentation enums errors functorch generator legacy_new library_define library_ops match_errors npu npu_memory
               profiler schema_errors settings signature storage storage_device storage_new storage_shared stream type_info)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/bindings/python/${rare}.cpp PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")
    mindtorch_own_flags(${CMAKE_SOURCE_DIR}/bindings/python/${rare}.cpp)
  endforeach()
  # Code that jumps needs no tables for unwinding, which would be most of its size. GNU compilers ask for them only where exceptions are on.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/bindings/python/entry_points.cpp PROPERTIES COMPILE_OPTIONS
    "-fno-exceptions;-fno-unwind-tables;-fno-asynchronous-unwind-tables;$<$<CONFIG:Release>:-Os>;$<$<CONFIG:Release>:-falign-functions=1>")
  mindtorch_own_flags(${CMAKE_SOURCE_DIR}/bindings/python/entry_points.cpp)
  Python_add_library(_C MODULE WITH_SOABI ${python_sources})
  target_include_directories(_C PRIVATE ${CMAKE_SOURCE_DIR}/bindings/python)
  target_link_libraries(_C PRIVATE mindtorch mindtorch_numerics mindtorch_warnings)
  target_link_options(_C PRIVATE -Wl,--gc-sections)
  mindtorch_precompile(_C)
  set_target_properties(_C PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python
    INSTALL_RPATH "$ORIGIN/../lib")
  if(MINDTORCH_INPLACE)
    add_custom_command(TARGET _C POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:_C>
              ${CMAKE_SOURCE_DIR}/python/mindtorch/_tree/$<TARGET_FILE_NAME:_C>
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_SOURCE_DIR}/python/mindtorch/_tree/_C
      COMMAND ${CMAKE_COMMAND} -E create_symlink ${MINDTORCH_GENERATED}/python/_C/documentation.bin
              ${CMAKE_SOURCE_DIR}/python/mindtorch/_tree/_C/documentation.bin
      VERBATIM)
  endif()
endif()
