# libmindtorch_npu_sim: ACL's entry points on the CPU. Tests and MINDTORCH_ACL_PATH load it instead of the vendor's library.
file(GLOB simulator_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/npu_sim/*.cpp)
add_library(mindtorch_npu_sim SHARED ${simulator_sources} ${CMAKE_SOURCE_DIR}/impl/npu/spec.cpp)
add_dependencies(mindtorch_npu_sim mindtorch_generate)  # for npu_sim_operators.inc
target_include_directories(mindtorch_npu_sim PRIVATE ${CMAKE_SOURCE_DIR}/impl ${MINDTORCH_GENERATED}/simulator)
target_link_libraries(mindtorch_npu_sim PRIVATE mindtorch Threads::Threads mindtorch_numerics mindtorch_warnings)
target_link_options(mindtorch_npu_sim PRIVATE -Wl,--gc-sections)
set_target_properties(mindtorch_npu_sim PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib INSTALL_RPATH "$ORIGIN")
