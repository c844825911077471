# cf_firmware(NAME SOURCES ... [INCLUDES dirs] [OPTIONS flags] [SCRIPT link.ld] [NO_START]): a program for the RV32IMC
# core from C and assembly, ${CMAKE_CURRENT_BINARY_DIR}/NAME.elf; the target NAME builds it, and its property CF_ELF is
# its path. Without NO_START it begins with sw/firmware/core/start.S, which calls main().
find_program(CONTRAFLOW_FIRMWARE_CC riscv64-unknown-elf-gcc REQUIRED)

function(cf_firmware name)
    cmake_parse_arguments(arg "NO_START" "SCRIPT" "SOURCES;INCLUDES;OPTIONS" ${ARGN})
    set(common ${PROJECT_SOURCE_DIR}/sw/firmware/core)
    if(NOT arg_SCRIPT)
        set(arg_SCRIPT ${common}/link.ld)
    endif()
    if(NOT arg_NO_START)
        list(PREPEND arg_SOURCES ${common}/start.S)
    endif()
    # The compiler counts control registers as an extension of their own, and has its library without.
    set(flags -march=rv32imc_zicsr -mabi=ilp32 -ffreestanding -fno-common -ffunction-sections -O2 -g -Wall -Wextra -Werror)
    foreach(directory IN LISTS arg_INCLUDES)
        list(APPEND flags -I${directory})
    endforeach()
    set(objects)
    foreach(source IN LISTS arg_SOURCES)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        cmake_path(GET source FILENAME file)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${file}.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir
            COMMAND ${CONTRAFLOW_FIRMWARE_CC} ${flags} ${arg_OPTIONS} -MD -MF ${object}.d -c ${source} -o ${object}
            DEPENDS ${source} DEPFILE ${object}.d COMMENT "Firmware ${name}: ${file}" VERBATIM)
        list(APPEND objects ${object})
    endforeach()
    set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
    add_custom_command(OUTPUT ${elf}
        COMMAND ${CONTRAFLOW_FIRMWARE_CC} -march=rv32imc -mabi=ilp32 -nostdlib -Wl,--gc-sections -Wl,--fatal-warnings
                -Wl,--no-warn-rwx-segments -T ${arg_SCRIPT} ${objects} -lgcc -o ${elf}
        DEPENDS ${objects} ${arg_SCRIPT} COMMENT "Firmware ${name}" VERBATIM)
    add_custom_target(${name} ALL DEPENDS ${elf})
    set_target_properties(${name} PROPERTIES CF_ELF ${elf})
endfunction()
