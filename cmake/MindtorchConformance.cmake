# mindtorch-device-conformance: a program over the public ABI that checks a device library.
file(GLOB conformance_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/capi/conformance/*.cpp)
find_package(Threads REQUIRED)
add_executable(mindtorch-device-conformance ${conformance_sources})
target_compile_features(mindtorch-device-conformance PRIVATE cxx_std_17)
target_link_libraries(mindtorch-device-conformance PRIVATE mindtorch Threads::Threads mindtorch_warnings)
set_target_properties(mindtorch-device-conformance PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
