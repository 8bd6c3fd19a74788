# Two installations of one build: `cmake --install` (component sdk) for C and C++ users, and component `wheel` for Python.
# The SDK's config files use paths relative to themselves, so the wheel contains the same files.
include(CMakePackageConfigHelpers)
include(MindtorchBundle)
set(wheel mindtorch)
set(config_dir ${CMAKE_BINARY_DIR}/config)
write_basic_package_version_file(${config_dir}/mindtorchConfigVersion.cmake COMPATIBILITY SameMajorVersion)

# install_sdk(component libdir includedir): the library, headers, and both kinds of package description.
function(install_sdk component libdir includedir)
  file(RELATIVE_PATH MT_PREFIX_FROM_CMAKE /${libdir}/cmake/mindtorch /)
  file(RELATIVE_PATH MT_PREFIX_FROM_PC /${libdir}/pkgconfig /)
  set(MT_LIBDIR ${libdir})
  set(MT_INCLUDEDIR ${includedir})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/mindtorchConfig.cmake.in ${config_dir}/${component}/mindtorchConfig.cmake @ONLY)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/mindtorch.pc.in ${config_dir}/${component}/mindtorch.pc @ONLY)
  install(FILES ${config_dir}/${component}/mindtorchConfig.cmake ${config_dir}/mindtorchConfigVersion.cmake
          DESTINATION ${libdir}/cmake/mindtorch COMPONENT ${component})
  install(FILES ${config_dir}/${component}/mindtorch.pc DESTINATION ${libdir}/pkgconfig COMPONENT ${component})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/capi/include/mindtorch ${MINDTORCH_GENERATED}/include/
          DESTINATION ${includedir} COMPONENT ${component} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
endfunction()

install_sdk(sdk ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS mindtorch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
install(TARGETS mindtorch-device-conformance RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT sdk)
if(TARGET mindtorch_gloo)
  # libmindtorch loads these backends from its own folder.
  install(TARGETS mindtorch_gloo LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
endif()
install(TARGETS mindtorch_hccl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
if(TARGET mindtorch_mpi)
  install(TARGETS mindtorch_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
endif()
if(TARGET mindtorch_npu_sim)
  # Installed beside libmindtorch, to which it links.
  install(TARGETS mindtorch_npu_sim LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT simulator)
endif()
# Sources of the packages that their users compile themselves: the handwritten ones and what is generated for them.
install(DIRECTORY bindings/go bindings/rust bindings/node bindings/r bindings/octave ${MINDTORCH_GENERATED}/go ${MINDTORCH_GENERATED}/rust ${MINDTORCH_GENERATED}/node
        DESTINATION ${CMAKE_INSTALL_DATADIR}/mindtorch COMPONENT sdk PATTERN target EXCLUDE PATTERN Cargo.lock EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sdk)
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sdk)
install(FILES ${MINDTORCH_GENERATED}/docs/operators.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sdk OPTIONAL)

if(mindtorch_pythons)
  # A wheel cannot contain symbolic links, so it gets only the file with the name of the soname.
  install_sdk(wheel ${wheel}/lib ${wheel}/include)
  install(TARGETS mindtorch LIBRARY DESTINATION ${wheel}/lib COMPONENT wheel NAMELINK_SKIP)
  install(DIRECTORY ${MINDTORCH_GENERATED}/python/ DESTINATION ${wheel}/_tree COMPONENT wheel)
  install(TARGETS ${MINDTORCH_LIBTORCH} LIBRARY DESTINATION ${wheel}/lib/libtorch COMPONENT wheel)
  install(DIRECTORY ${MINDTORCH_LIBTORCH_HEADERS} DESTINATION ${wheel}/include COMPONENT wheel)
  # At the top of site-packages: it makes MINDTORCH_AS_TORCH=1 work in every process of the environment.
  install(FILES ${CMAKE_SOURCE_DIR}/python/mindtorch.pth DESTINATION . COMPONENT wheel)
  set(wheel_targets mindtorch mindtorch_generated ${MINDTORCH_LIBTORCH} mindtorch_libtorch_headers)
  if(TARGET mindtorch_gloo)
    install(TARGETS mindtorch_gloo LIBRARY DESTINATION ${wheel}/lib COMPONENT wheel)
    list(APPEND wheel_targets mindtorch_gloo)
  endif()
  install(TARGETS mindtorch_hccl LIBRARY DESTINATION ${wheel}/lib COMPONENT wheel)
  list(APPEND wheel_targets mindtorch_hccl)
  # The modules of the Python that runs the build are in the wheel, those of each further one in a separate component.
  foreach(python IN LISTS mindtorch_pythons)
    string(REPLACE python wheel component ${python})
    string(REPLACE python _C module ${python})
    install(TARGETS ${module} LIBRARY DESTINATION ${wheel}/_tree COMPONENT ${component})
    list(APPEND wheel_targets ${module})
    if(TARGET mindtorch_swig_${python})
      install(TARGETS mindtorch_swig_${python} LIBRARY DESTINATION ${wheel} COMPONENT ${component})
      install(FILES ${CMAKE_BINARY_DIR}/swig/${python}/capi.py DESTINATION ${wheel} COMPONENT ${component})
      list(APPEND wheel_targets mindtorch_swig_${python})
    endif()
  endforeach()
  # In the folder of libmindtorch, which its RUNPATH searches first, so users need not install it.
  if(TARGET TBB::tbb)
    mindtorch_bundled_file(TBB::tbb file soname)
    install(FILES ${file} DESTINATION ${wheel}/lib RENAME ${soname} COMPONENT wheel)
  endif()
  add_custom_target(mindtorch_wheel DEPENDS ${wheel_targets})
endif()
