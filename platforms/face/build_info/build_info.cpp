// SPDX-License-Identifier: Apache-2.0
#include "face/build_info/build_info.h"

#include <CLI/Version.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <systemc>

#include "git_revision.h"

namespace contraflow::face {
namespace {

std::string compiler() {
#if defined(__clang__)
    return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("GNU {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

build_information collect() {
    return {CONTRAFLOW_VERSION,
            CONTRAFLOW_GIT_SHA,
            CONTRAFLOW_GIT_DIRTY != 0,
            CONTRAFLOW_GIT_DATE,
            CONTRAFLOW_BUILD_TYPE,
            {{"compiler", compiler()},
             {"systemc", fmt::format("{}.{}.{}", SC_VERSION_MAJOR, SC_VERSION_MINOR, SC_VERSION_PATCH)},
             {"cli11", CLI11_VERSION},
             {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
             {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                           NLOHMANN_JSON_VERSION_PATCH)}}};
}

}  // namespace

const build_information& build_info() {
    static const build_information info = collect();
    return info;
}

}  // namespace contraflow::face
