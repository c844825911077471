# `cmake --install` gives a package for find_package(contraflow): the libraries of tlm/, sw/ and
# the platforms' common parts as contraflow::NAME, their headers, and the platform binaries.
include(CMakePackageConfigHelpers)

get_property(cf_libraries GLOBAL PROPERTY CONTRAFLOW_LIBRARIES)
set(cf_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/contraflow)

install(TARGETS ${cf_libraries} EXPORT contraflow ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT contraflow NAMESPACE contraflow:: DESTINATION ${cf_package_dir} FILE contraflowTargets.cmake)
# The libraries for an external platform: models and programs, and our face, runner, study, reports and benches.
foreach(cf_folder wave iss nic_rx nic_levels face report runner study remote_memory pcie_study)
    set(cf_root platforms)
    if(cf_folder MATCHES "^(wave|iss|nic_rx|nic_levels)$")
        set(cf_root tb)
    endif()
    install(DIRECTORY ${cf_root}/${cf_folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/contraflow
        FILES_MATCHING PATTERN "*.h" PATTERN page EXCLUDE)
endforeach()
install(DIRECTORY tlm/ sw/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/contraflow FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/contraflowConfig.cmake.in ${PROJECT_BINARY_DIR}/contraflowConfig.cmake
    INSTALL_DESTINATION ${cf_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/contraflowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/contraflowConfig.cmake ${PROJECT_BINARY_DIR}/contraflowConfigVersion.cmake
              cmake/ContraflowDependencies.cmake
    DESTINATION ${cf_package_dir})

# All that is installed, and the program that compares with published numbers, which needs the checkout.
add_custom_target(installed DEPENDS ${cf_libraries})
if(TARGET validate)
    add_dependencies(installed validate)
endif()

# Sweeps run the platforms beside it.
if(TARGET sweep)
    add_dependencies(installed sweep)
    install(TARGETS sweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# A platform is a folder with a main.cpp and configurations; its binary has the folder's name.
file(GLOB cf_mains RELATIVE ${PROJECT_SOURCE_DIR}/platforms platforms/*/main.cpp)
foreach(cf_main IN LISTS cf_mains)
    cmake_path(GET cf_main PARENT_PATH cf_platform)
    file(GLOB cf_configurations platforms/${cf_platform}/*.yaml)
    if(cf_configurations)
        add_dependencies(installed ${cf_platform})
        install(TARGETS ${cf_platform} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
        # JSON: what a configuration refers to.
        install(DIRECTORY platforms/${cf_platform}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/contraflow/${cf_platform}
            FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
    endif()
endforeach()
