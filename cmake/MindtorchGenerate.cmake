# Runs bindings/generate.py: it reads the schema literals of impl/ops as text and writes typed headers, .pyi stubs and docs.
# The library itself never includes what is written here.
set(MINDTORCH_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${MINDTORCH_GENERATED}/include ${MINDTORCH_GENERATED}/python)
add_custom_target(mindtorch_generated)

set(generator ${CMAKE_SOURCE_DIR}/bindings/generate.py)
if(EXISTS ${generator})
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  file(GLOB_RECURSE op_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/ops/*.cpp
       ${CMAKE_SOURCE_DIR}/bindings/generator/*.py
       ${CMAKE_SOURCE_DIR}/bindings/python/documentation.txt)
  add_custom_command(
    OUTPUT ${MINDTORCH_GENERATED}/stamp
    COMMAND ${Python_EXECUTABLE} ${generator} --ops ${CMAKE_SOURCE_DIR}/impl/ops --out ${MINDTORCH_GENERATED}
    COMMAND ${CMAKE_COMMAND} -E touch ${MINDTORCH_GENERATED}/stamp
    DEPENDS ${generator} ${generator_sources} ${op_sources}
    COMMENT "Generating typed headers and stubs from the operators' schemas"
    VERBATIM)
  add_custom_target(mindtorch_generate ALL DEPENDS ${MINDTORCH_GENERATED}/stamp)
  add_dependencies(mindtorch_generated mindtorch_generate)
endif()
