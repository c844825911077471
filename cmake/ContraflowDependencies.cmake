# Debian's packages; the installed package requires every target below again.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

# Debian ships no CMake package for SystemC. It was built as C++17: a C++20 user must say so, or the link fails on
# sc_api_version_2_3_4_cxx202002L.
if(NOT TARGET SystemC::systemc)
    find_path(SYSTEMC_INCLUDE_DIR systemc REQUIRED)
    find_library(SYSTEMC_LIBRARY systemc REQUIRED)
    add_library(SystemC::systemc INTERFACE IMPORTED)
    set_target_properties(SystemC::systemc PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES "${SYSTEMC_LIBRARY};Threads::Threads"
        INTERFACE_COMPILE_DEFINITIONS SC_CPLUSPLUS=201703L)
endif()

# The emulator of the RV32 core has no CMake package either.
if(NOT TARGET Unicorn::unicorn)
    find_path(UNICORN_INCLUDE_DIR unicorn/unicorn.h REQUIRED)
    find_library(UNICORN_LIBRARY unicorn REQUIRED)
    add_library(Unicorn::unicorn INTERFACE IMPORTED)
    set_target_properties(Unicorn::unicorn PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES ${UNICORN_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES ${UNICORN_LIBRARY})
endif()
