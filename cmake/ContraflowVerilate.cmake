# Blocks of rtl/ as C++: Debian's verilator writes it during the build, one unit per block, and ccache covers it like
# all other code. Blocks keep their tracing: its cost without a trace is not measurable (docs/performance.md), and a
# block is compiled once.
find_program(VERILATOR verilator)
if(NOT VERILATOR)
    message(FATAL_ERROR "verilator is missing: apt-get install verilator")
endif()
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE cf_verilator_root
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# The run-time library of all blocks, with the FST writer that ships with it. It is Verilator's own code: no warnings.
set(cf_verilator_include ${cf_verilator_root}/include)
add_library(contraflow_verilated STATIC ${cf_verilator_include}/verilated.cpp ${cf_verilator_include}/verilated_fst_c.cpp
    ${cf_verilator_include}/verilated_save.cpp ${cf_verilator_include}/verilated_threads.cpp)
target_include_directories(contraflow_verilated SYSTEM PUBLIC
    $<BUILD_INTERFACE:${cf_verilator_include}> $<BUILD_INTERFACE:${cf_verilator_include}/vltstd>)
target_compile_definitions(contraflow_verilated PUBLIC VM_TRACE=1 VM_TRACE_FST=1 VM_COVERAGE=0 VM_SC=0 VL_TIME_CONTEXT)
target_compile_features(contraflow_verilated PUBLIC cxx_std_20)
# Verilator's code and its output are not checked by sanitizers: its FST writer stores unaligned words, and a clock edge
# would take ten times as long.
set(cf_verilated_options -w -fno-sanitize=all)
target_compile_options(contraflow_verilated PRIVATE ${cf_verilated_options} -O2)
# Clang asks a library whether 64-bit atomics are lock-free.
target_link_libraries(contraflow_verilated PUBLIC ZLIB::ZLIB Threads::Threads $<$<CXX_COMPILER_ID:Clang>:atomic>)
set_target_properties(contraflow_verilated PROPERTIES UNITY_BUILD OFF EXPORT_NAME verilated)
set_property(GLOBAL APPEND PROPERTY CONTRAFLOW_LIBRARIES contraflow_verilated)

# cf_verilate(NAME TOP module SOURCES ... [DEPENDS ...] [FLAGS ...] [EDGES file]): a static library NAME with the class
# VNAME. Sources in the order in which verilator reads them: packages first. EDGES: see verilated_unit.cmake. HOT are those
# that platforms clock; the others compile in two thirds of the time.
function(cf_verilate name)
    cmake_parse_arguments(arg "HOT" "TOP;EDGES" "SOURCES;DEPENDS;FLAGS" ${ARGN})
    set(edges "")
    if(arg_EDGES)
        set(edges -DPREFIX=V${name} -DEDGES=${CMAKE_CURRENT_SOURCE_DIR}/${arg_EDGES})
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
    set(unit ${folder}/V${name}_unit.cpp)
    # Headers are named, for ninja must know before a build that they will change: else what includes them keeps a class of
    # another layout until the next build.
    add_custom_command(OUTPUT ${unit}
        BYPRODUCTS ${folder}/V${name}.h ${folder}/V${name}___024root.h
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
        COMMAND ${VERILATOR} --cc -O3 --trace-fst --top-module ${arg_TOP} --prefix V${name} --Mdir ${folder}
            ${arg_FLAGS} ${arg_SOURCES}
        COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DUNIT=${unit} ${edges}
            -P ${PROJECT_SOURCE_DIR}/cmake/verilated_unit.cmake
        DEPENDS ${arg_SOURCES} ${arg_DEPENDS} ${PROJECT_SOURCE_DIR}/cmake/verilated_unit.cmake
        COMMENT "Verilating ${name}" VERBATIM)
    add_library(${name} STATIC ${unit})
    target_include_directories(${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${folder}>)
    target_link_libraries(${name} PUBLIC contraflow_verilated)
    target_compile_options(${name} PRIVATE ${cf_verilated_options} $<IF:$<BOOL:${arg_HOT}>,-O3,-O1>)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF EXPORT_COMPILE_COMMANDS OFF)
endfunction()
