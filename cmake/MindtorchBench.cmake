# mindtorch_bench: Google Benchmark on the C ABI, linked as an application would be.
find_package(benchmark REQUIRED)
file(GLOB bench_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.cpp)
if(bench_sources)
  add_executable(mindtorch_bench ${bench_sources})
  target_link_libraries(mindtorch_bench PRIVATE mindtorch mindtorch_warnings benchmark::benchmark_main)
endif()
