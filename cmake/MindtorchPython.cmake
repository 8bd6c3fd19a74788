# The extension module `_C`, a client of the public C headers. One for the Python that runs the build (`python`), and one for each
# further Python whose headers are given (`python-cp312`), over one libmindtorch.
set(mindtorch_pythons "")
function(mindtorch_python_headers python folders)
  add_library(${python}_headers INTERFACE)
  target_include_directories(${python}_headers SYSTEM INTERFACE ${folders})
endfunction()
if(MINDTORCH_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  set(mindtorch_pythons python)
  mindtorch_python_headers(python "${Python_INCLUDE_DIRS}")
  set(python_suffix .${Python_SOABI}.so)
endif()
foreach(folder IN LISTS MINDTORCH_PYTHON_HEADERS)
  file(STRINGS ${folder}/patchlevel.h levels REGEX "define PY_(MAJOR|MINOR)_VERSION")
  if(NOT levels MATCHES "MAJOR_VERSION[ \t]+([0-9]+).*MINOR_VERSION[ \t]+([0-9]+)")
    message(FATAL_ERROR "MINDTORCH_PYTHON_HEADERS: ${folder}/patchlevel.h names no version of Python")
  endif()
  set(python python-cp${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  list(APPEND mindtorch_pythons ${python})
  mindtorch_python_headers(${python} ${folder})
  # Debian's pyconfig.h includes the architecture's file from the parent folder.
  target_compile_options(${python}_headers INTERFACE "SHELL:-idirafter ${folder}/..")
  set(${python}_suffix .cpython-${CMAKE_MATCH_1}${CMAKE_MATCH_2}-${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.so)
endforeach()

file(GLOB python_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/python/*.cpp)
# Code that runs while signatures are parsed, for errors, or once per program is compiled for size.
foreach(rare delayed_error distributed distributed_store documentation enums errors files functorch generator legacy_new library_define library_ops match_errors npu npu_memory
             profiler schema_errors settings signature storage storage_device storage_new storage_shared stream type_info)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/bindings/python/${rare}.cpp PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")
  mindtorch_own_flags(${CMAKE_SOURCE_DIR}/bindings/python/${rare}.cpp)
endforeach()
# Entry points only jump, so they need no unwind tables, which would be most of their size.
set_source_files_properties(${CMAKE_SOURCE_DIR}/bindings/python/entry_points.cpp PROPERTIES COMPILE_OPTIONS
  "-fno-exceptions;-fno-unwind-tables;-fno-asynchronous-unwind-tables;$<$<CONFIG:Release>:-Os>;$<$<CONFIG:Release>:-falign-functions=1>")
mindtorch_own_flags(${CMAKE_SOURCE_DIR}/bindings/python/entry_points.cpp)

foreach(python IN LISTS mindtorch_pythons)
  string(REPLACE python _C module ${python})
  add_library(${module} MODULE ${python_sources})
  target_include_directories(${module} PRIVATE ${CMAKE_SOURCE_DIR}/bindings/python)
  target_compile_definitions(${module} PRIVATE MINDTORCH_WITHOUT_INSTALLED_DLPACK)
  target_link_libraries(${module} PRIVATE ${python}_headers mindtorch mindtorch_numerics mindtorch_warnings)
  target_link_options(${module} PRIVATE -Wl,--gc-sections)
  mindtorch_precompile(${module})
  set_target_properties(${module} PROPERTIES
    OUTPUT_NAME _C PREFIX "" SUFFIX ${${python}_suffix}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${python}
    INSTALL_RPATH "$ORIGIN/../lib")
endforeach()
if(MINDTORCH_INPLACE AND TARGET _C)
  # An absolute path: through the symbolic link below, $ORIGIN would be the link's folder.
  set_target_properties(_C PROPERTIES BUILD_RPATH_USE_ORIGIN OFF)
  add_custom_command(TARGET _C POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:_C>
            ${CMAKE_SOURCE_DIR}/python/mindtorch/_tree/$<TARGET_FILE_NAME:_C>
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_SOURCE_DIR}/python/mindtorch/_tree/_C
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${MINDTORCH_GENERATED}/python/_C/documentation.bin
            ${CMAKE_SOURCE_DIR}/python/mindtorch/_tree/_C/documentation.bin
    VERBATIM)
endif()
