# libmindtorch_hccl: the backend "hccl", for NPUs. It links no vendor code: HCCL is loaded with the first group.
file(GLOB hccl_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impl/backend_hccl/*.cpp)
mindtorch_backend(hccl ${hccl_sources})
target_link_libraries(mindtorch_hccl PRIVATE ${CMAKE_DL_LIBS})
