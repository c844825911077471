# Settings that all targets of the project share.
add_library(cf_warnings INTERFACE)
target_compile_options(cf_warnings INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes the sources in a unity file for headers, in which a base from an unnamed namespace would be a mistake.
    target_compile_options(cf_warnings INTERFACE -Wno-subobject-linkage)
endif()

# cf_precompiled(KIND HEADER [OPTIONS ...] [LINKS ...]): with CONTRAFLOW_PRECOMPILED, the headers of other projects are
# compiled once for all targets with these options.
function(cf_precompiled kind header)
    if(NOT CONTRAFLOW_PRECOMPILED)
        return()
    endif()
    cmake_parse_arguments(arg "" "" "OPTIONS;LINKS" ${ARGN})
    set(name cf_precompiled_${kind})
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp "")
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_link_libraries(${name} PRIVATE SystemC::systemc fmt::fmt nlohmann_json::nlohmann_json cf_warnings ${arg_LINKS})
    target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${header})
endfunction()

function(cf_use_precompiled target kind)
    if(CONTRAFLOW_PRECOMPILED)
        set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM cf_precompiled_${kind})
        add_dependencies(${target} cf_precompiled_${kind})
    endif()
endfunction()

# cf_library(NAME SOURCES ... [LINKS ...] [PRIVATE_LINKS ...]): a static library contraflow_NAME, installed as
# contraflow::NAME, from the current folder under tlm/, sw/, tb/ or platforms/, whichever is the include root.
function(cf_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    add_library(contraflow_${name} STATIC ${arg_SOURCES})
    add_library(contraflow::${name} ALIAS contraflow_${name})
    set_target_properties(contraflow_${name} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(contraflow_${name} PUBLIC cxx_std_20)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
    string(REGEX REPLACE "/.*" "" root ${folder})
    target_include_directories(contraflow_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${root}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/contraflow>)
    target_link_libraries(contraflow_${name} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS} $<BUILD_INTERFACE:cf_warnings>)
    cf_use_precompiled(contraflow_${name} library)
    set_property(GLOBAL APPEND PROPERTY CONTRAFLOW_LIBRARIES contraflow_${name})
endfunction()

# cf_test(NAME SOURCES ... [LINKS ...] [LABEL label] [OPTIMISED]): a GoogleTest binary NAME whose cases ctest runs one by one. Labels:
# unit, the default: parts of the models, which ./contraflow test runs only in the sanitized build; its cases have the
# label unit_case, and one test with the label unit_whole runs them all in one process, as a process takes longer to start
# there than most cases to run;
# machine: whole machines, too slow for that; program: binaries as a user calls them.
function(cf_test name)
    cmake_parse_arguments(arg "OPTIMISED" "LABEL" "SOURCES;LINKS" ${ARGN})
    if(NOT arg_LABEL)
        set(arg_LABEL unit)
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock GTest::gtest_main cf_warnings)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name} PRIVATE CF_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    # The models under test are optimised; their tests compile in two thirds of the time without. OPTIMISED are those
    # whose own code does most of the work.
    if(NOT arg_OPTIMISED)
        target_compile_options(${name} PRIVATE -O0)
        cf_use_precompiled(${name} test)
    endif()
    if(arg_LABEL STREQUAL unit)
        cf_unit_test(${name})
        set(arg_LABEL unit_case)
        if(CONTRAFLOW_UNIT_TESTS)
            add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
            set_tests_properties(${name} PROPERTIES TIMEOUT 3000 LABELS unit_whole)
        endif()
    endif()
    if(CONTRAFLOW_UNIT_TESTS OR NOT arg_LABEL STREQUAL unit_case)
        gtest_discover_tests(${name} DISCOVERY_TIMEOUT 300 PROPERTIES TIMEOUT 1500 LABELS ${arg_LABEL})
    endif()
endfunction()

# cf_unit_test(TARGET): one of unit_tests, which without CONTRAFLOW_UNIT_TESTS is built only when it is named.
function(cf_unit_test target)
    add_dependencies(unit_tests ${target})
    if(NOT CONTRAFLOW_UNIT_TESTS)
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
endfunction()

# cf_not_hot(TARGETS...): code that is not critical for speed; it compiles in half of the time. Not for code that
# instantiates the models' own inline functions, of which the linker keeps one copy.
set(cf_cold $<IF:$<CONFIG:Release>,-O1,-O0>)
function(cf_not_hot)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE ${cf_cold})
        cf_use_precompiled(${target} cold_library)
    endforeach()
endfunction()
