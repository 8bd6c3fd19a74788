# mindtorch_tests: GoogleTest over the implementation's own objects, so that tests see what the library hides.
find_package(GTest REQUIRED)
file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cpp/*.cpp)
if(test_sources)
  enable_testing()
  add_executable(mindtorch_tests ${test_sources} $<TARGET_OBJECTS:impl> $<TARGET_OBJECTS:capi>)
  target_include_directories(mindtorch_tests PRIVATE ${CMAKE_SOURCE_DIR}/capi/include ${CMAKE_SOURCE_DIR}/capi/src
                             ${CMAKE_SOURCE_DIR}/impl ${CMAKE_SOURCE_DIR}/tests/cpp)
  target_link_libraries(mindtorch_tests PRIVATE mindtorch_deps mindtorch_numerics mindtorch_warnings GTest::gtest_main)
  add_test(NAME cpp COMMAND mindtorch_tests)
endif()
