// SPDX-License-Identifier: Apache-2.0
#include "face/run/manifest.h"

#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "face/build_info/build_info.h"
#include "face/run/run_directory.h"
#include "face/run/sha256.h"

namespace contraflow::face {
namespace {

using json = nlohmann::ordered_json;

std::string utc(std::chrono::system_clock::time_point when) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

std::string processor() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

json host() {
    utsname system{};
    ::uname(&system);
    return {{"name", system.nodename},
            {"system", fmt::format("{} {}", system.sysname, system.release)},
            {"machine", system.machine},
            {"processor", processor()},
            {"cores", std::thread::hardware_concurrency()}};
}

json build() {
    const build_information& info = build_info();
    json tools = json::object();
    for (const auto& [tool, version] : info.tools) tools[tool] = version;
    return {{"version", info.version},
            {"git", {{"sha", info.git_sha}, {"dirty", info.git_dirty}}},
            {"type", info.build_type},
            {"tools", std::move(tools)}};
}

json binary() {
    std::error_code error;
    const std::filesystem::path self = "/proc/self/exe";
    return {{"path", std::filesystem::read_symlink(self, error).string()}, {"sha256", sha256_of_file(self)}};
}

}  // namespace

json manifest(const run_record& run) {
    std::error_code error;
    const double rate = run.wall_seconds > 0 ? static_cast<double>(run.callbacks) / run.wall_seconds : 0;
    return {{"schema", manifest_schema_id},
            {"platform", run.platform},
            {"exit", {{"code", run.exit_code}, {"reason", run.exit_reason}}},
            {"command", run.command},
            {"directory", std::filesystem::current_path(error).string()},
            {"config", {{"file", run.config_file}, {"sha256", run.config_sha256}}},
            {"seed", run.seed},
            {"jobs", run.jobs},
            {"started", utc(run.started)},
            {"stopped", utc(run.stopped)},
            {"wall_seconds", run.wall_seconds},
            {"callbacks", run.callbacks},
            {"callbacks_per_s", std::round(rate)},
            {"build", build()},
            {"binary", binary()},
            {"host", host()},
            {"files", run.files}};
}

}  // namespace contraflow::face
