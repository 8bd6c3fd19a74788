# mindtorch_tests: GoogleTest over the implementation's own objects, so that tests can call internal functions.
find_package(GTest REQUIRED)
file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cpp/*.cpp)
if(NOT TARGET mindtorch_npu_sim)
  list(FILTER test_sources EXCLUDE REGEX "/npu_")
endif()
if(test_sources)
  enable_testing()
  # The fuzzers' corpus is a test too.
  add_executable(mindtorch_tests ${test_sources} ${CMAKE_SOURCE_DIR}/tests/fuzz/parsers.cpp ${mindtorch_objects})
  target_include_directories(mindtorch_tests PRIVATE ${CMAKE_SOURCE_DIR}/capi/include ${CMAKE_SOURCE_DIR}/capi/src
                             ${CMAKE_SOURCE_DIR}/impl ${CMAKE_SOURCE_DIR}/tests/cpp)
  target_link_libraries(mindtorch_tests PRIVATE mindtorch_deps mindtorch_numerics mindtorch_warnings GTest::gtest_main)
  mindtorch_precompile(mindtorch_tests <gtest/gtest.h>)
  if(TARGET mindtorch_npu_sim)
    # The NPU's tests load it at run time.
    add_dependencies(mindtorch_tests mindtorch_npu_sim)
    file(GLOB npu_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cpp/npu_*.cpp)
    set_source_files_properties(${npu_tests} PROPERTIES COMPILE_DEFINITIONS "MT_SIMULATOR_PATH=\"$<TARGET_FILE:mindtorch_npu_sim>\"")
    mindtorch_own_flags(${npu_tests})
  endif()
  # Defined for this file only, because __FILE__ may be relative and does not locate the data.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/cpp/cpu_random_test.cpp
                              PROPERTIES COMPILE_DEFINITIONS "MINDTORCH_TEST_DATA=\"${CMAKE_SOURCE_DIR}/tests/data\"")
  mindtorch_own_flags(${CMAKE_SOURCE_DIR}/tests/cpp/cpu_random_test.cpp)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/cpp/io_corpus_test.cpp
                              PROPERTIES COMPILE_DEFINITIONS "MINDTORCH_FUZZ_CORPUS=\"${CMAKE_SOURCE_DIR}/tests/fuzz/corpus\"")
  mindtorch_own_flags(${CMAKE_SOURCE_DIR}/tests/cpp/io_corpus_test.cpp)
  add_test(NAME cpp COMMAND mindtorch_tests)
endif()
