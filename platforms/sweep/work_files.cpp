// SPDX-License-Identifier: Apache-2.0
#include "sweep/work_files.h"

#include <cstdint>

#define CF_EMBED(symbol, name)                                                                                         \
    asm(".pushsection .rodata\n"                                                                                       \
        ".balign 8\n"                                                                                                  \
        ".global " #symbol "_size\n"                                                                                   \
        ".hidden " #symbol "_size\n" #symbol "_size:\n"                                                                \
        ".quad 1f - " #symbol "\n"                                                                                     \
        ".global " #symbol "\n"                                                                                        \
        ".hidden " #symbol "\n" #symbol ":\n.incbin \"" CF_WORK_DIR "/" name "\"\n1:\n"                                \
        ".popsection\n");                                                                                              \
    extern "C" __attribute__((visibility("hidden"))) const char symbol[];                                              \
    extern "C" __attribute__((visibility("hidden"))) const std::uint64_t symbol##_size

CF_EMBED(contraflow_sweep_snakefile, "Snakefile");
CF_EMBED(contraflow_sweep_run_array, "run_array");
CF_EMBED(contraflow_sweep_run_point, "run_point");
CF_EMBED(contraflow_sweep_run_task, "run_task");

namespace contraflow::sweep {

std::array<std::pair<std::string_view, std::string_view>, 4> work_files() {
    return {{{"Snakefile", {contraflow_sweep_snakefile, contraflow_sweep_snakefile_size}},
             {"run_array", {contraflow_sweep_run_array, contraflow_sweep_run_array_size}},
             {"run_point", {contraflow_sweep_run_point, contraflow_sweep_run_point_size}},
             {"run_task", {contraflow_sweep_run_task, contraflow_sweep_run_task_size}}}};
}

}  // namespace contraflow::sweep
