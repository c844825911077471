// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "face/run/sha256.h"
#include "sweep/child_process.h"

namespace contraflow::sweep::slurm {
namespace {

std::string answer(const std::vector<std::string>& words) {
    child_result said = run_child(words, "/");
    if (said.status == 0) return std::move(said.out);
    std::replace(said.err.begin(), said.err.end(), '\n', ' ');
    throw face::output_error(fmt::format("{} ended with exit status {}: {}", words.front(), said.status, said.err));
}

std::string own_user() { return std::to_string(::getuid()); }

}  // namespace

std::string job_name(const std::filesystem::path& points) {
    return "contraflow-" + face::sha256(points.string()).substr(0, 16);
}

bool has_jobs(const std::string& name) {
    return !answer({"squeue", "--noheader", "--format=%i", "--name=" + name, "--user=" + own_user()}).empty();
}

void cancel(const std::string& name) { run_child({"scancel", "--name=" + name, "--user=" + own_user()}, "/"); }

std::size_t largest_array() {
    const std::string configuration = answer({"scontrol", "show", "config"});
    constexpr std::string_view key = "\nMaxArraySize";
    const std::size_t at = configuration.find(key);
    const std::size_t digits =
        at == std::string::npos ? at : configuration.find_first_of("0123456789", at + key.size());
    std::size_t size = 1001;  // Slurm's default
    if (digits != std::string::npos)
        std::from_chars(configuration.data() + digits, configuration.data() + configuration.size(), size);
    return std::max<std::size_t>(size, 2) - 1;  // the largest index is one less
}

}  // namespace contraflow::sweep::slurm
