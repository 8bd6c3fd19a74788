# mindtorch_registry writes the registry of operators as JSON; bindings/generate.py generates typed headers, .pyi stubs, docs and
# the simulator's list of operators from it. The library itself includes no generated file.
set(MINDTORCH_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${MINDTORCH_GENERATED}/include ${MINDTORCH_GENERATED}/python)
add_custom_target(mindtorch_generated)

# Linked from the library's objects, because the JSON contains more than the C ABI reports.
add_executable(mindtorch_registry ${CMAKE_SOURCE_DIR}/impl/tools/registry_json.cpp ${mindtorch_objects})
target_include_directories(mindtorch_registry PRIVATE ${CMAKE_SOURCE_DIR}/impl ${CMAKE_SOURCE_DIR}/capi/include)
target_link_libraries(mindtorch_registry PRIVATE mindtorch_deps mindtorch_numerics mindtorch_warnings)
add_custom_command(
  OUTPUT ${MINDTORCH_GENERATED}/registry.json
  COMMAND mindtorch_registry ${MINDTORCH_GENERATED}/registry.json
  DEPENDS mindtorch_registry
  COMMENT "Writing the registry of operators"
  VERBATIM)

set(generator ${CMAKE_SOURCE_DIR}/bindings/generate.py)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
file(GLOB generator_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/generator/*.py
     ${CMAKE_SOURCE_DIR}/capi/include/mindtorch/*.h)
add_custom_command(
  OUTPUT ${MINDTORCH_GENERATED}/stamp
  BYPRODUCTS ${MINDTORCH_GENERATED}/simulator/npu_sim_operators.inc
  COMMAND ${Python_EXECUTABLE} ${generator} --registry ${MINDTORCH_GENERATED}/registry.json --out ${MINDTORCH_GENERATED}
  COMMAND ${CMAKE_COMMAND} -E touch ${MINDTORCH_GENERATED}/stamp
  DEPENDS ${generator} ${generator_sources} ${CMAKE_SOURCE_DIR}/bindings/python/documentation.txt ${MINDTORCH_GENERATED}/registry.json
  COMMENT "Generating typed headers and stubs from the registry"
  VERBATIM)
add_custom_target(mindtorch_generate ALL DEPENDS ${MINDTORCH_GENERATED}/stamp)
add_dependencies(mindtorch_generated mindtorch_generate)
