// SPDX-License-Identifier: Apache-2.0
#include "face/run/growing_file.h"

#include <cerrno>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "face/run/write_failure.h"

namespace contraflow::face {

namespace fs = std::filesystem;

namespace {

// Without links. An error if there can be no such place.
fs::path resolved(const fs::path& p, std::error_code& error) {
    return fs::weakly_canonical(fs::absolute(p, error), error);
}

bool within(const fs::path& file, const fs::path& directory) {
    std::error_code unknown;  // the directory's own messages tell
    const auto from_there = file.lexically_relative(resolved(directory, unknown));
    return !from_there.empty() && *from_there.begin() != "..";
}

}  // namespace

growing_file::growing_file(const std::string& option, const fs::path& wanted,
                           const std::optional<fs::path>& run_directory)
    : asked_(fmt::format("{} {}", option, wanted.empty() ? "''" : wanted.string())) {
    std::error_code error;
    wanted_ = resolved(wanted, error);
    if (wanted.empty()) throw usage_error(asked_ + ": the name of the file is empty");
    if (error) throw usage_error(fmt::format("{}: {}", asked_, error.message()));
    if (run_directory && within(wanted_, *run_directory))
        throw usage_error(fmt::format("{} is in the run directory, --out {}: name a file elsewhere", asked_,
                                      run_directory->string()));
    if (fs::is_directory(wanted_, error)) throw usage_error(asked_ + ": is a directory; name a file");
    if (!wanted_.has_filename()) throw usage_error(asked_ + ": there is no such directory");
    fs::path place = wanted_;
    if (!fs::exists(wanted_, error) || fs::is_regular_file(wanted_, error))
        place += fmt::format(".partial-{}", ::getpid());
    errno = 0;
    stream_.open(place, std::ios::binary);
    if (!stream_)
        throw usage_error(
            fmt::format("{}: can't be written: {}", asked_, std::generic_category().message(errno == 0 ? EIO : errno)));
    if (place != wanted_) partial_ = place;
}

void growing_file::publish() {
    errno = 0;
    stream_.close();
    if (!stream_)
        throw output_error(
            fmt::format("{}: not all of it could be written: {}", asked_, why_not_written(wanted_, errno)));
    if (partial_.empty()) return;
    std::error_code error;
    fs::rename(partial_, wanted_, error);
    if (error) throw output_error(fmt::format("{}: {}", asked_, error.message()));
    partial_.clear();
}

void growing_file::discard() noexcept {
    std::error_code error;
    if (!partial_.empty()) fs::remove(partial_, error);
    partial_.clear();
}

}  // namespace contraflow::face
