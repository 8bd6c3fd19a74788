# libmindtorch_hccl: the backend "hccl", for NPUs. It links no vendor code: HCCL is loaded with the first group.
file(GLOB hccl_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/backend_hccl/*.cpp)
add_library(mindtorch_hccl SHARED ${hccl_sources})
target_include_directories(mindtorch_hccl PRIVATE ${CMAKE_SOURCE_DIR}/impl)
target_link_libraries(mindtorch_hccl PRIVATE mindtorch ${CMAKE_DL_LIBS} mindtorch_numerics mindtorch_warnings)
mindtorch_use_older_symbols(mindtorch_hccl)
target_link_options(mindtorch_hccl PRIVATE -Wl,--gc-sections -Wl,-z,nodelete)
set_target_properties(mindtorch_hccl PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib INSTALL_RPATH "$ORIGIN")
