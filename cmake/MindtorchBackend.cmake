# mindtorch_backend(NAME SOURCE...): libmindtorch_NAME, a backend of process groups that libmindtorch loads from its own folder.
function(mindtorch_backend name)
  set(target mindtorch_${name})
  add_library(${target} SHARED ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/impl)
  target_link_libraries(${target} PRIVATE mindtorch Threads::Threads mindtorch_numerics mindtorch_warnings)
  mindtorch_use_older_symbols(${target})
  set(exports ${CMAKE_SOURCE_DIR}/impl/distributed/backend.map)
  # The backend's threads may outlive the last process group, so the library is never unloaded.
  target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,-z,nodelete -Wl,--version-script=${exports})
  if(NOT MINDTORCH_SANITIZE)  # a sanitizer's runtime is found in the executable
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib INSTALL_RPATH "$ORIGIN"
                        LINK_DEPENDS ${exports})
endfunction()
