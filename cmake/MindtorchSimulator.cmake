# libmindtorch_npu_sim: ACL's entry points on the CPU, loaded in place of the vendor's library by tests and by MINDTORCH_ACL_PATH.
file(GLOB simulator_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/npu_sim/*.cpp)
file(GLOB_RECURSE operator_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/ops/*.cpp)
set(simulated ${CMAKE_BINARY_DIR}/generated/simulator/npu_sim_operators.inc)
add_custom_command(
  OUTPUT ${simulated}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_SOURCE_DIR}/impl/ops -DOUT=${simulated} -P ${CMAKE_SOURCE_DIR}/cmake/SimulatedOperators.cmake
  DEPENDS ${CMAKE_SOURCE_DIR}/cmake/SimulatedOperators.cmake ${operator_files}
  VERBATIM)

add_library(mindtorch_npu_sim SHARED ${simulator_sources} ${CMAKE_SOURCE_DIR}/impl/npu/spec.cpp ${simulated})
target_include_directories(mindtorch_npu_sim PRIVATE ${CMAKE_SOURCE_DIR}/impl ${CMAKE_BINARY_DIR}/generated/simulator)
target_link_libraries(mindtorch_npu_sim PRIVATE mindtorch Threads::Threads mindtorch_numerics mindtorch_warnings)
target_link_options(mindtorch_npu_sim PRIVATE -Wl,--gc-sections)
set_target_properties(mindtorch_npu_sim PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib INSTALL_RPATH "$ORIGIN")
